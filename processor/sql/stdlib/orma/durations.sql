-- How long runs, states and slices lasted of which no end was seen (`dur` is -1), or events were lost. This is the one
-- place that says so: sums in reports, in `orma why`, `orma diff` and the timeline all have it from
-- here. What has no `end_ts` here is in no sum.

-- The last run of each cpu, and of each thread the last state; and until when they were seen.
CREATE PERFETTO TABLE _orma_last_run AS
SELECT ucpu, max(id) AS id, max(ts + max(dur, 0)) AS seen_ts FROM sched GROUP BY ucpu;

CREATE PERFETTO TABLE _orma_last_state AS
SELECT utid, max(id) AS id, max(ts + max(dur, 0)) AS seen_ts FROM thread_state GROUP BY utid;

-- Runs without an end, and of each thread the last state if it has none: few, so that joins cost nothing.
CREATE PERFETTO TABLE _orma_endless_run AS
SELECT id, ts, ucpu, utid FROM sched WHERE dur < 0;

CREATE PERFETTO TABLE _orma_endless_last AS
SELECT id, ts, ucpu, utid, state FROM thread_state
WHERE dur < 0 AND id IN (SELECT id FROM _orma_last_state);

-- Until when a machine is known to have gone on. One of several may have stopped before the others.
CREATE PERFETTO TABLE _orma_machine_end AS
WITH seen AS (
  SELECT c.machine_id, l.seen_ts FROM _orma_last_run AS l JOIN cpu AS c ON c.ucpu = l.ucpu
  UNION ALL
  SELECT t.machine_id, l.seen_ts FROM _orma_last_state AS l JOIN thread AS t ON t.utid = l.utid
)
SELECT
  m.id AS machine_id,
  coalesce(iif((SELECT count(*) FROM machine) > 1, max(s.seen_ts), NULL), trace_end()) AS ts
FROM machine AS m LEFT JOIN seen AS s ON s.machine_id = m.id
GROUP BY m.id;

-- Recordings of a machine, as far as their service says when they began and ended.
CREATE PERFETTO TABLE _orma_recording AS
SELECT
  machine_id, trace_id, max(iif(name = 'tracing_started_ns', int_value, NULL)) AS begin_ts,
  max(iif(name = 'tracing_disabled_ns', int_value, NULL)) AS end_ts
FROM metadata
WHERE name IN ('tracing_started_ns', 'tracing_disabled_ns')
GROUP BY machine_id, trace_id;

-- Where events of the kernel were lost: in front of these times, on these cpus. Nor are there any between two
-- recordings of a machine, one after the other.
CREATE PERFETTO TABLE _orma_kernel_gap AS
SELECT g.ts, c.ucpu
FROM gap AS g JOIN cpu AS c ON c.cpu = g.cpu AND c.machine_id IS g.machine_id
WHERE g.cpu IS NOT NULL
UNION ALL
SELECT r.begin_ts AS ts, c.ucpu
FROM _orma_recording AS r JOIN cpu AS c ON c.machine_id IS r.machine_id
WHERE
  (
    EXISTS (SELECT 1 FROM _orma_recording AS b WHERE b.machine_id IS r.machine_id AND b.end_ts <= r.begin_ts)
    -- Of recordings behind each other in a file, only the last one's begin is known; what the kernel's buffers held
    -- when a recording began reaches up to that.
    OR (
      SELECT max(s.ts) FROM sched AS s JOIN cpu AS k ON k.ucpu = s.ucpu
      WHERE k.machine_id IS r.machine_id AND s.ts < r.begin_ts
    ) < r.begin_ts - 10000000
  )
  AND NOT EXISTS (
    SELECT 1
    FROM _orma_recording AS o
    WHERE o.machine_id IS r.machine_id AND o.begin_ts < r.begin_ts AND o.end_ts > r.begin_ts
  )
ORDER BY ts;

-- Tables have what a run, a state or a call would have lasted without the loss. But of what spans one, the
-- end may be lost, and the beginning of another.

-- Those of `items` (id, ts, dur, ucpu) that span a loss on that cpu; on any cpu, where ucpu is -1.
CREATE PERFETTO MACRO _orma_torn(items TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT id
  FROM (
    SELECT id, begin_ts, max(gap_ts) OVER (PARTITION BY ucpu ORDER BY at, kind ROWS UNBOUNDED PRECEDING) AS gap_ts
    FROM (
      SELECT NULL AS id, NULL AS begin_ts, ucpu, ts AS at, 0 AS kind, ts AS gap_ts FROM _orma_kernel_gap
      UNION ALL
      SELECT NULL AS id, NULL AS begin_ts, -1 AS ucpu, ts AS at, 0 AS kind, ts AS gap_ts FROM _orma_kernel_gap
      UNION ALL
      SELECT id, ts AS begin_ts, ucpu, ts + dur AS at, 1 AS kind, NULL AS gap_ts
      FROM $items
      WHERE dur >= 0 AND ts + dur >= (SELECT min(ts) FROM _orma_kernel_gap)
    )
  )
  WHERE id IS NOT NULL AND gap_ts > begin_ts
);

-- The switches of a run are on its own cpu; what ends a wait or a call may happen on any.
CREATE PERFETTO TABLE _orma_torn_run AS
SELECT * FROM _orma_torn!(sched);

CREATE PERFETTO TABLE _orma_torn_state AS
SELECT * FROM _orma_torn!((SELECT id, ts, dur, iif(state = 'Running', ucpu, -1) AS ucpu FROM thread_state));

CREATE PERFETTO TABLE _orma_torn_call AS
SELECT *
FROM _orma_torn!((SELECT id, ts, dur, -1 AS ucpu FROM slice WHERE name GLOB 'sys_*' AND category IS NULL));

-- The last one of a cpu lasts until its thread, or the recording, ends; another one was followed by a
-- run of somebody else, and the switch between them is missing.

-- Runs that were not seen to end, and until when they lasted as far as is known.
CREATE PERFETTO TABLE orma_open_run(
  -- Alias for `sched.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- Until when it is known to have lasted; NULL: nobody knows.
  end_ts TIMESTAMP,
  -- The cpu: `cpu.id`.
  ucpu LONG,
  -- The thread.
  utid JOINID(thread.id)
) AS
SELECT
  s.id, s.ts,
  iif(l.id = s.id AND coalesce(t.end_ts >= s.ts, 1), min(coalesce(t.end_ts, e.ts), max(e.ts, s.ts)), NULL)
    AS end_ts,
  s.ucpu, s.utid
FROM _orma_endless_run AS s
JOIN _orma_last_run AS l ON l.ucpu = s.ucpu
JOIN thread AS t ON t.utid = s.utid
JOIN _orma_machine_end AS e ON e.machine_id = t.machine_id
UNION ALL
SELECT id, ts, NULL AS end_ts, ucpu, utid FROM sched WHERE id IN (SELECT id FROM _orma_torn_run)
ORDER BY id;

-- The last one of a thread lasts until the thread, or the recording, ends; to run, until the run on that
-- cpu does. After another one switches are missing.

-- States of threads that were not seen to end, and until when they lasted as far as is known.
CREATE PERFETTO TABLE orma_open_state(
  -- Alias for `thread_state.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- Until when it is known to have lasted; NULL: nobody knows.
  end_ts TIMESTAMP,
  -- The thread.
  utid JOINID(thread.id),
  -- The state.
  state STRING
) AS
SELECT
  s.id, s.ts,
  CASE
    WHEN t.end_ts < s.ts THEN NULL
    WHEN s.state = 'Running' AND c.ucpu IS NOT NULL THEN r.end_ts
    ELSE min(coalesce(t.end_ts, e.ts), max(e.ts, s.ts))
  END AS end_ts,
  s.utid, s.state
FROM _orma_endless_last AS s
JOIN thread AS t ON t.utid = s.utid
JOIN _orma_machine_end AS e ON e.machine_id = t.machine_id
LEFT JOIN _orma_last_run AS c ON c.ucpu = s.ucpu
LEFT JOIN orma_open_run AS r ON r.ucpu = s.ucpu AND r.utid = s.utid AND r.ts = s.ts
UNION ALL
SELECT id, ts, NULL AS end_ts, utid, state
FROM thread_state
WHERE dur < 0 AND id NOT IN (SELECT id FROM _orma_endless_last)
ORDER BY id;

-- Calls that did not return, work that was going on: they end with their thread or process.

-- Slices that were not seen to end, and when they did as far as is known.
CREATE PERFETTO TABLE orma_open_slice(
  -- Alias for `slice.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- When its thread or process ended; NULL: it did not, as far as is known.
  end_ts TIMESTAMP
) AS
WITH ends AS (
  SELECT s.id, s.ts, coalesce(t.end_ts, p.end_ts) AS end_ts
  FROM slice AS s
  LEFT JOIN thread_track AS k ON k.id = s.track_id
  LEFT JOIN thread AS t ON t.utid = k.utid
  LEFT JOIN process_track AS o ON o.id = s.track_id
  LEFT JOIN process AS p ON p.upid = o.upid
  WHERE s.dur < 0
)
SELECT id, ts, iif(end_ts >= ts, end_ts, NULL) AS end_ts
FROM ends
ORDER BY id;
