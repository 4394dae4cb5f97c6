-- The letters of scheduler states as words.

-- R+ and the like: the main state comes first, '+' marks that the thread was preempted.
CREATE PERFETTO FUNCTION _sched_state_letter_to_words(letter STRING)
RETURNS STRING AS
SELECT
  CASE $letter
    WHEN 'R' THEN 'Runnable'
    WHEN 'S' THEN 'Sleeping'
    WHEN 'D' THEN 'Uninterruptible Sleep'
    WHEN 'T' THEN 'Stopped'
    WHEN 't' THEN 'Traced'
    WHEN 'X' THEN 'Exit (Dead)'
    WHEN 'Z' THEN 'Exit (Zombie)'
    WHEN 'x' THEN 'Task Dead'
    WHEN 'I' THEN 'Idle'
    WHEN 'K' THEN 'Wakekill'
    WHEN 'W' THEN 'Waking'
    WHEN 'P' THEN 'Parked'
    WHEN 'N' THEN 'No Load'
    WHEN '+' THEN '(Preempted)'
    ELSE $letter
  END;

CREATE PERFETTO FUNCTION sched_state_to_human_readable_string(short_name STRING)
RETURNS STRING AS
SELECT
  CASE
    WHEN $short_name IS NULL THEN NULL
    WHEN $short_name IN ('Running', 'Initialized', 'Deferred Ready', 'Transition', 'Standby') THEN $short_name
    ELSE (
      WITH RECURSIVE letters(at, words) AS (
        SELECT 1, _sched_state_letter_to_words(substr($short_name, 1, 1))
        UNION ALL
        SELECT at + 1, words || ' ' || _sched_state_letter_to_words(substr($short_name, at + 1, 1))
        FROM letters WHERE at < length($short_name)
      )
      SELECT words FROM letters ORDER BY at DESC LIMIT 1
    )
  END;

CREATE PERFETTO FUNCTION sched_state_io_to_human_readable_string(sched_state STRING, io_wait BOOL)
RETURNS STRING AS
SELECT
  sched_state_to_human_readable_string($sched_state)
  || CASE $io_wait WHEN 1 THEN ' (IO)' WHEN 0 THEN ' (non-IO)' ELSE '' END;
