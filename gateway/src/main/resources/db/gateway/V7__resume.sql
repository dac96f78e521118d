-- What a spawn asked for, word for word, so that a resume can ask for the same under what holds then. Apart from the row of
-- the child, which is read often.
create table asked (
    child text primary key references child on delete cascade,
    request text not null,
    history text                      -- the conversation that a resumed child goes on with
);

-- Whose conversation it goes on with; the row of that one may be gone.
alter table child add column resumes text;

-- One conversation goes on in one child. A child that never got its task has not gone on with anything.
create unique index child_resumes on child (resumes)
    where resumes is not null and (ended_at is null or started_at is not null);
