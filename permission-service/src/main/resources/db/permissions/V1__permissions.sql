-- Every time in this schema is the database's: services may disagree about the hour, and a lease must not notice.

create table session (
    id              text        primary key,
    tenant          text        not null,
    owner           text        not null,
    approvers       text[]      not null,
    escalate_millis bigint,
    created_at      timestamptz not null default clock_timestamp()
);

create index session_of_tenant on session (tenant, created_at);

-- One row per child, of its latest incarnation. What a child may do never changes within one incarnation.
create table child (
    id                text        primary key,
    tenant            text        not null,
    session           text        not null references session,
    parent            text        references child,
    incarnation       integer     not null,
    agent             text,
    definition_digest text,
    authority_digest  text        not null,
    workspace         text        not null,
    narrowing         text        not null,
    registered_at     timestamptz not null default clock_timestamp(),
    ended_at          timestamptz
);

create sequence lease_epoch;

-- session '*' is every session of the tenant that the principal may approve. An epoch is one incarnation of a holder.
create table lease (
    tenant       text        not null,
    session      text        not null,
    principal    text        not null,
    holder       text        not null,
    epoch        bigint      not null,
    acquired_at  timestamptz not null default clock_timestamp(),
    refreshed_at timestamptz not null default clock_timestamp(),
    ended_at     timestamptz,
    ended_by     text        check (ended_by in ('released', 'stale')),
    primary key (tenant, session, principal, holder),
    check ((ended_at is null) = (ended_by is null))
);

create index lease_live on lease (tenant, session) where ended_at is null;
create index lease_of_epoch on lease (epoch);

-- When a service of ours, or the database, last came back (S24).
create table comeback (
    at timestamptz not null
);

insert into comeback values (clock_timestamp());

create sequence ask_change;

create table ask (
    id              text        primary key,
    change          bigint      not null,
    tenant          text        not null,
    session         text        not null references session,
    child           text        not null references child,
    incarnation     integer     not null,
    call_id         text        not null,
    agent           text,
    digest          text        not null,
    tool            text        not null,
    surface         text        not null,
    value           text        not null,
    arguments       text        not null,
    directory       text,
    matched_pattern text,
    origin          text        not null,
    message         text        not null,
    note            text,
    state           text        not null,
    created_at      timestamptz not null default clock_timestamp(),
    expires_at      timestamptz,
    settled_at      timestamptz,
    reason          text,
    decider         text,
    answer_key      text,
    unique (child, incarnation, call_id),
    check ((state = 'pending') = (settled_at is null)),
    check (state in ('pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded', 'unavailable'))
);

create index ask_pending on ask (session) where state = 'pending';
create index ask_changes on ask (tenant, change);

create function tell_waiters() returns trigger language plpgsql as $$
begin
    perform pg_notify('permissions_ask', new.id);
    return null;
end
$$;

create trigger tell_waiters after insert or update on ask for each row execute function tell_waiters();

-- A final state stays: what a child was told once can not become something else.
create function keep_what_was_settled() returns trigger language plpgsql as $$
begin
    raise exception 'ask % is settled', old.id;
end
$$;

create trigger settled_asks_stay before update on ask for each row when (old.state <> 'pending')
    execute function keep_what_was_settled();

create sequence review_position;

-- decision is set on the first entry about a call, and only there: it is what makes a call id one question.
create table review (
    position    bigint      primary key,
    at          timestamptz not null,
    tenant      text        not null,
    session     text        not null,
    child       text,
    incarnation integer,
    call_id     text,
    digest      text,
    decision    text        check (decision in ('allowed', 'denied', 'unavailable', 'pending')),
    event       text        not null,
    details     text        not null
);

create unique index review_call on review (child, incarnation, call_id) where decision is not null;
create index review_of_session on review (tenant, session, position);
create index review_of_child on review (tenant, child, position);

-- Writers share the lock, a reader takes it alone for a moment: below the newest position that it then sees, no entry
-- is still on its way, so that reading on from a position misses nothing.
create function place_entry() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(7072, 1);
    new.position := nextval('permissions.review_position');
    new.at := clock_timestamp();
    return new;
end
$$;

create trigger place_entry before insert on review for each row execute function place_entry();

create function refuse() returns trigger language plpgsql as $$
begin
    raise exception 'the review log is append-only';
end
$$;

create trigger append_only before update or delete on review for each row execute function refuse();
create trigger append_only_whole before truncate on review for each statement execute function refuse();
