-- Of the tokens whose price was known; null until there are some.
alter table child add column cost_usd numeric;
