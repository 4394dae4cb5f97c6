-- Processes that were frozen, and until when.

INCLUDE PERFETTO MODULE slices.with_context;

-- "Freeze NAME:PID", "Unfreeze NAME:PID REASON" on the thread that does it.
CREATE PERFETTO TABLE _android_freezer_calls AS
SELECT
  s.ts, s.name GLOB 'Unfreeze *' AS thaws,
  CAST(str_split(str_split(s.name, ' ', 1), ':', 1) AS INT) AS pid,
  str_split(s.name, ' ', 2) AS reason
FROM thread_slice AS s
WHERE (s.name GLOB 'Freeze *:*' OR s.name GLOB 'Unfreeze *:*')
ORDER BY s.ts;

-- dur lasts until the end of the trace where nothing ended it.
CREATE PERFETTO TABLE android_freezer_events(
  upid JOINID(process.id), pid LONG, ts TIMESTAMP, dur DURATION, unfreeze_reason_int LONG,
  unfreeze_reason_str STRING
) AS
WITH calls AS (
  SELECT
    *,
    lead(thaws) OVER calls_of AS next_thaws,
    lead(ts, 1, trace_end()) OVER calls_of AS next_ts,
    lead(reason) OVER calls_of AS next_reason
  FROM _android_freezer_calls
  WINDOW calls_of AS (PARTITION BY pid ORDER BY ts)
)
SELECT
  (
    SELECT max(p.upid) FROM process AS p
    WHERE p.pid = c.pid AND coalesce(p.start_ts, c.ts) <= c.ts
  ) AS upid,
  c.pid, c.ts, c.next_ts - c.ts AS dur,
  iif(c.next_thaws AND c.next_reason GLOB '[0-9]*', CAST(c.next_reason AS INT), NULL)
    AS unfreeze_reason_int,
  iif(c.next_thaws, c.next_reason, NULL) AS unfreeze_reason_str
FROM calls AS c
WHERE NOT c.thaws
ORDER BY c.ts;
