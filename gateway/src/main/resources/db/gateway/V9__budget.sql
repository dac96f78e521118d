-- What a child and everybody below it may use up, and what of it is gone: a row for each kind that is limited. Whatever is used
-- is added to the rows of every ancestor, so that one row says what is left of a whole tree.
create table budget (
    child text not null references child on delete cascade,
    kind text not null check (kind in ('turns', 'tokens', 'cost', 'egress', 'children')),
    most bigint not null check (most >= 0),           -- cost in millionths of a USD, egress in bytes
    used bigint not null default 0 check (used >= 0),
    held bigint not null default 0 check (held >= 0), -- by model calls that are not settled
    primary key (child, kind)
);

-- One model call on its way: one turn, and the most of the other two that it can come to.
create table budget_hold (
    id bigint generated always as identity primary key,
    child text not null references child on delete cascade,
    tokens bigint not null,
    cost bigint not null
);
create index budget_hold_child on budget_hold (child);
