-- Directories of the host that some child could write. They stay so when the child's row is gone (S3).
create table written (path text primary key);

insert into written select distinct writes_to from child where writes_to is not null;

create function note_written() returns trigger language plpgsql as $$
begin
    insert into written values (new.writes_to) on conflict do nothing;
    return null;
end $$;

create trigger child_writes after insert on child for each row when (new.writes_to is not null)
    execute function note_written();
