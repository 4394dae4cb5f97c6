-- Processes from their begin to their end.

INCLUDE PERFETTO MODULE orma.sched;

-- Processes that began and ended while it was recorded: what they took as a whole.
CREATE PERFETTO TABLE orma_whole_process(
  -- Alias for `process.upid`.
  upid JOINID(process.id),
  -- The last part of its name: what it is called wherever it lies.
  name STRING,
  -- When it began.
  ts TIMESTAMP,
  -- How long it lived.
  dur DURATION,
  -- How long its threads ran, as far as it is known; NULL if no run of them was seen.
  cpu_dur DURATION,
  -- How long they may have run besides: they were in states of which the end was not recorded.
  unknown_dur DURATION
) AS
WITH
  runs AS (
    SELECT t.upid, sum(r.dur) AS dur
    FROM orma_run AS r JOIN thread AS t ON t.utid = r.utid
    GROUP BY t.upid
  ),
  gaps AS (
    SELECT t.upid, sum(g.next_ts - g.ts) AS dur
    FROM orma_state_unknown_end AS g JOIN thread AS t ON t.utid = g.utid
    GROUP BY t.upid
  ),
  exits AS (SELECT utid, max(ts) AS ts FROM ftrace_event WHERE name = 'sched_process_exit' GROUP BY utid),
  dead AS (SELECT utid, max(ts) AS ts FROM thread_state WHERE state IN ('X', 'Z') GROUP BY utid),
  -- When the last thread exited. That a process is freed comes later, and after the end of a recording that
  -- ends with it.
  ends AS (
    SELECT t.upid, max(coalesce(e.ts, d.ts, t.end_ts)) AS ts
    FROM thread AS t
    LEFT JOIN exits AS e ON e.utid = t.utid
    LEFT JOIN dead AS d ON d.utid = t.utid
    WHERE t.upid IS NOT NULL
    GROUP BY t.upid
    HAVING count(*) = count(coalesce(e.ts, d.ts, t.end_ts))
  ),
  lives AS (
    SELECT p.upid, p.name, p.cmdline, p.start_ts, coalesce(e.ts, p.end_ts) AS end_ts
    FROM process AS p LEFT JOIN ends AS e ON e.upid = p.upid
  )
SELECT
  p.upid,
  -- A name with a slash is a path if the process was started by it; threads of the kernel have slashes, too.
  iif(
    substr(p.name, 1, 1) IN ('/', '.') OR (instr(p.name, ' ') = 0 AND substr(p.cmdline || ' ', 1, length(p.name) + 1) = p.name || ' '),
    coalesce(nullif(substr(p.name, length(rtrim(p.name, replace(p.name, '/', ''))) + 1), ''), p.name),
    p.name) AS name,
  p.start_ts AS ts, p.end_ts - p.start_ts AS dur, r.dur AS cpu_dur, coalesce(g.dur, 0) AS unknown_dur
FROM lives AS p
LEFT JOIN runs AS r ON r.upid = p.upid
LEFT JOIN gaps AS g ON g.upid = p.upid
WHERE p.start_ts >= trace_start() AND p.end_ts >= p.start_ts AND p.name IS NOT NULL
ORDER BY p.upid;
