-- Who this gateway is among others that share an engine (S28).
create table installation (
    only_one boolean primary key default true check (only_one),
    id text not null
);

create table child (
    id text primary key,
    tenant text not null,
    session text not null,
    owner text not null,              -- of the session: whose token may see the child
    principal text not null,          -- who asked for it
    idempotency_key text,
    request_digest text not null,
    parent text,
    terms json not null,              -- what was settled at the spawn and never changes; json keeps the order of rules, jsonb would not
    authority json not null,          -- as resolved, for people and records
    explanation text not null,        -- the same as a table
    state text not null check (state in
        ('queued', 'preparing', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'timed-out', 'lost')),
    incarnation int not null default 1,
    uid int,                          -- held from preparing until its sandbox is confirmed gone (S7)
    created_at timestamptz not null,
    started_at timestamptz,
    deadline_at timestamptz,          -- for the state it is in
    ending text,                      -- why it ends, decided once; it has ended when ended_at is set
    ending_message text,
    exit_code int,
    ended_at timestamptz,
    settled boolean not null default false, -- nothing is left to clean up or to tell
    base text,                        -- commit that its clone was made from
    tip text,                         -- commit that the child's branch was imported at
    salvage text,
    containment json not null default '[]',
    last_seq bigint not null default 0,
    reported_n bigint not null default 0, -- the child's own number, within this incarnation
    reported_events bigint not null default 0,
    reported_bytes bigint not null default 0,
    last_command bigint not null default 0,
    model_calls bigint not null default 0,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0
);

create unique index child_uid on child (uid) where uid is not null;
create unique index child_idempotency on child (tenant, principal, idempotency_key) where idempotency_key is not null;
create index child_session on child (session, created_at);
create index child_unsettled on child (created_at) where not settled;

create table event (
    child text not null references child on delete cascade,
    seq bigint not null,
    at timestamptz not null,
    source text not null check (source in ('gateway', 'child')),
    type text not null,
    data text not null,
    primary key (child, seq)
);

create table command (
    child text not null references child on delete cascade,
    incarnation int not null,
    id bigint not null,
    type text not null,
    data text not null,
    primary key (child, incarnation, id)
);

-- One row for each final decision about a tool call or a connection: counted once, however often it was asked.
create table decision (
    child text not null references child on delete cascade,
    incarnation int not null,
    call_id text not null,
    decision text not null,
    asked boolean not null,
    human boolean not null,           -- a person settled it, not a rule
    primary key (child, incarnation, call_id)
);

create table credential (
    tenant text not null,
    name text not null,
    nonce bytea not null,
    value bytea not null,             -- AES-GCM over the value, bound to tenant and name
    updated_at timestamptz not null,
    primary key (tenant, name)
);
