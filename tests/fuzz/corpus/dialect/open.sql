select ' ', "open
select /* open