-- Programs that did not answer.

-- The system leaves counters of its own: "ErrorId:PROCESS PID#ERROR" when it happens, and
-- "Subject(for ErrorId ERROR):TEXT".
CREATE PERFETTO TABLE _android_error_counters AS
SELECT c.ts, t.name
FROM counter AS c
JOIN process_counter_track AS t ON t.id = c.track_id
JOIN process AS p ON p.upid = t.upid
WHERE p.name = 'system_server' AND (t.name GLOB 'ErrorId:*' OR t.name GLOB 'Subject(for ErrorId *')
ORDER BY c.ts;

CREATE PERFETTO VIEW android_anrs(
  process_name STRING, pid LONG, upid JOINID(process.id), error_id STRING, ts TIMESTAMP,
  subject STRING
) AS
WITH
  anrs AS (
    SELECT
      ts,
      substr(str_split(name, ' ', 0), 9) AS process_name,
      CAST(str_split(str_split(name, ' ', 1), '#', 0) AS INT) AS pid,
      str_split(str_split(name, ' ', 1), '#', 1) AS error_id
    FROM _android_error_counters WHERE name GLOB 'ErrorId:*'
  ),
  subjects AS (
    SELECT
      substr(str_split(name, ')', 0), 21) AS error_id,
      substr(name, instr(name, '):') + 2) AS subject
    FROM _android_error_counters WHERE name GLOB 'Subject(for ErrorId *):*'
  )
SELECT
  a.process_name, a.pid,
  (
    SELECT max(p.upid) FROM process AS p
    WHERE p.pid = a.pid AND coalesce(p.start_ts, a.ts) <= a.ts
  ) AS upid,
  a.error_id, a.ts, s.subject
FROM anrs AS a LEFT JOIN subjects AS s USING (error_id);
