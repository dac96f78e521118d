-- Which files of which directory a person lets do more than narrow (P6). What is over stays, so that it can be seen later.
create table trust (
    id bigint generated always as identity primary key,
    tenant text not null,
    principal text not null,
    directory text not null,
    digest text not null,
    files jsonb not null,
    trusted_at timestamptz not null,
    ended_at timestamptz
);

create unique index trust_live on trust (tenant, principal, directory) where ended_at is null;
