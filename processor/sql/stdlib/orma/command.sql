-- The command that a recording was made for (`orma record -- COMMAND`); no row in other traces.

-- Its process is the first that got this number after the recorder was about to start it: the number is nobody else's
-- until the recording ends. Times of /proc come in ticks of 10 ms.
CREATE PERFETTO TABLE orma_command (
  -- Its process; NULL where the trace has no row of it.
  upid JOINID(process.upid),
  pid LONG,
  -- Its words, with blanks between them.
  command STRING
) AS
WITH said AS (
  SELECT
    machine_id,
    max(iif(name = 'orma_command_pid', int_value, NULL)) AS pid,
    max(iif(name = 'orma_command_ts', int_value, NULL)) AS ts,
    max(iif(name = 'orma_command', str_value, NULL)) AS command
  FROM metadata
  WHERE name IN ('orma_command_pid', 'orma_command_ts', 'orma_command')
  GROUP BY machine_id, trace_id
)
SELECT
  (
    SELECT p.upid
    FROM process AS p
    WHERE p.pid = s.pid AND p.machine_id IS s.machine_id
      AND (s.ts IS NULL OR coalesce(p.start_ts, p.end_ts, s.ts) >= s.ts - 10000000)
    ORDER BY p.start_ts IS NULL, p.start_ts, p.upid
    LIMIT 1
  ) AS upid,
  s.pid, s.command
FROM said AS s;
