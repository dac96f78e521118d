-- What an agent remembers (P10): one for each tenant, user, project and agent.
create table memory (
    id text primary key,
    tenant text not null,
    owner text not null,              -- of the sessions whose children remember
    scope text not null check (scope in ('user', 'project', 'local')),
    project text not null,            -- directory of the host; empty for all projects
    agent text not null,
    current int not null default 0,   -- version that the next child gets; 0 before there is one
    latest int not null default 0,
    created_at timestamptz not null,
    unique (tenant, owner, scope, project, agent)
);

create table memory_version (
    memory text not null references memory on delete cascade,
    version int not null,
    base int not null,                -- what its author had before; 0 for nothing
    at timestamptz not null,
    child text,                       -- who wrote it: a child, or a person
    incarnation int,
    principal text,
    conflict boolean not null,        -- another version changed the same before: kept, and not in effect
    sent text,                        -- digest of what the child sent, which may have been put together with another's
    bytes int not null,
    files text not null,              -- an object of name and text
    primary key (memory, version),
    check ((child is null) = (incarnation is null) and (child is null) = (sent is null) and (child is null) <> (principal is null))
);

-- One for each run.
create unique index memory_version_child on memory_version (memory, child, incarnation) where child is not null;

create function memory_version_stays() returns trigger language plpgsql as $$
begin
    raise exception 'a version of a memory never changes';
end $$;

create trigger memory_version_stays before update on memory_version for each row execute function memory_version_stays();
