-- A text with a NUL makes every operator on its whole json fail, and one row would fail the queries of all.
update child set terms = replace(terms::text, '\u0000', '\ufffd')::json where position('\u0000' in terms::text) > 0;

-- Where it can write in a directory of the host. Taken from the terms when a row comes in, so that one that cannot be read
-- does not get in.
alter table child add column writes_to text generated always as (
    case when terms -> 'workspace' ->> 'access' = 'READ_WRITE' then terms -> 'workspace' ->> 'mounted' end) stored;
create index child_writes_to on child (writes_to) where writes_to is not null;
