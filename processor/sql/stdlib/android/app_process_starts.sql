-- Processes that the system made for programs.

INCLUDE PERFETTO MODULE slices.with_context;

-- "Start proc: NAME" in the system server, and then "bindApplication" in the new process.
CREATE PERFETTO TABLE android_app_process_starts(
  process_name STRING, upid JOINID(process.id), pid LONG, proc_start_ts TIMESTAMP,
  proc_start_dur DURATION, bind_app_ts TIMESTAMP, bind_app_dur DURATION, total_dur DURATION
) AS
WITH
  asked AS (
    SELECT s.ts, s.dur, substr(s.name, 13) AS process_name
    FROM thread_slice AS s
    WHERE s.name GLOB 'Start proc: *'
  ),
  bound AS (
    SELECT s.upid, s.pid, s.process_name, s.ts, s.dur
    FROM thread_slice AS s
    WHERE s.name = 'bindApplication' AND s.is_main_thread
  )
SELECT
  b.process_name, b.upid, b.pid, a.ts AS proc_start_ts, a.dur AS proc_start_dur,
  b.ts AS bind_app_ts, b.dur AS bind_app_dur, b.ts + b.dur - a.ts AS total_dur
FROM bound AS b
JOIN asked AS a ON a.process_name = b.process_name AND a.ts = (
  SELECT max(x.ts) FROM asked AS x WHERE x.process_name = b.process_name AND x.ts <= b.ts
)
ORDER BY a.ts;
