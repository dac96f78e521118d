-- Children of children: looked up when their parent lists them, and when it ends.
create index child_parent on child (parent) where parent is not null;

-- What holds a place is counted at every admission.
create index child_live on child (session) where ended_at is null;
