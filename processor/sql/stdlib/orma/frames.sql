-- What the frames of stacks are called, and what samples weigh: the same for reports, profiles, flame graphs
-- and the timeline.

CREATE PERFETTO TABLE _orma_symbol AS
SELECT
  symbol_set_id, id, name, coalesce(inlined, 0) AS inlined,
  row_number() OVER (PARTITION BY symbol_set_id ORDER BY id) - 1 AS nr,
  row_number() OVER (PARTITION BY symbol_set_id ORDER BY id DESC) = 1 AS is_outermost
FROM stack_profile_symbol;

CREATE PERFETTO TABLE _orma_frame_symbol AS
SELECT
  f.id AS frame_id, coalesce(s.nr, 0) AS nr,
  coalesce(
    nullif(s.name, ''), iif(coalesce(s.is_outermost, 1), nullif(coalesce(f.deobfuscated_name, f.name), ''), NULL)
  ) AS name,
  f.mapping, coalesce(s.inlined OR NOT s.is_outermost, 0) AS inlined
FROM stack_profile_frame AS f
LEFT JOIN _orma_symbol AS s ON s.symbol_set_id = f.symbol_set_id;

-- The functions of each frame: several where calls were compiled in, the innermost first.
CREATE PERFETTO TABLE orma_frame_function(
  -- The frame.
  frame_id JOINID(stack_profile_frame.id),
  -- 0 for the innermost.
  nr LONG,
  -- The function as people read it; `[unknown]` if it has no name.
  name STRING,
  -- The file that it is in, without its folder; NULL if that is not known.
  module STRING,
  -- Whether it was compiled into its caller.
  inlined BOOL
) AS
SELECT
  s.frame_id, s.nr, coalesce(nullif(demangle(s.name), ''), s.name, '[unknown]') AS name,
  coalesce(nullif(substr(m.name, length(rtrim(m.name, replace(m.name, '/', ''))) + 1), ''), m.name) AS module,
  s.inlined
FROM _orma_frame_symbol AS s LEFT JOIN stack_profile_mapping AS m ON m.id = s.mapping
ORDER BY s.frame_id, s.nr;

-- Of samples that do not count time: as much as the counter went on since the sample before of its cpu; the
-- first, of which that is not known, has no more than the second. One that went back began anew, and has what it
-- shows. Samples of time are a period apart: 1 each.
CREATE PERFETTO TABLE _orma_sample_weight AS
SELECT
  s.id,
  CAST(
    min(
      iif(
        lag(c.value) OVER q IS NULL,
        iif(lead(c.value) OVER q >= c.value, min(c.value, lead(c.value) OVER q - c.value), c.value),
        iif(c.value >= lag(c.value) OVER q, c.value - lag(c.value) OVER q, max(c.value, 0))
      ),
      9007199254740992
    ) AS INT
  ) AS weight
FROM __intrinsic_profiler_sample AS s
JOIN __intrinsic_profiler_session AS n ON n.id = s.session_id
JOIN __intrinsic_profiler_counter_set AS cs ON cs.counter_set_id = s.counter_set_id
JOIN __intrinsic_counter AS c ON c.id = cs.counter_id
JOIN perf_counter_track AS y ON y.id = c.track_id AND y.is_timebase
WHERE n.timebase_unit != 'ns'
WINDOW q AS (PARTITION BY c.track_id ORDER BY c.ts, s.id);

-- Of samples that say it themselves: the time that they stand for (profiles of V8, speedscope's).
CREATE PERFETTO TABLE _orma_sample_time AS
SELECT s.id, CAST(c.value AS INT) AS ns
FROM __intrinsic_profiler_sample AS s
JOIN __intrinsic_profiler_counter_set AS cs ON cs.counter_set_id = s.counter_set_id
JOIN __intrinsic_counter AS c ON c.id = cs.counter_id
JOIN __intrinsic_track AS t ON t.id = c.track_id
WHERE t.type = 'stack_sample_time';

-- Of samples whose thread said what it worked on (OpenTelemetry): which request.
CREATE PERFETTO TABLE _orma_sample_context AS
SELECT profiler_sample_id AS id, trace_id, span_id FROM __intrinsic_profiler_sample_context;

-- The time between two samples of a cpu: what is commonest among the first ones. Those that nobody wanted lie
-- between others, so the mean would be too large. Files of perf name no unit: the two clocks of the kernel count ns,
-- unless something else was sampled beside them.
CREATE PERFETTO VIEW _orma_sample_period AS
SELECT CAST(delta AS INT) * 1000 AS period_ns
FROM (
  SELECT round((value - lag(value) OVER (PARTITION BY track_id ORDER BY ts)) / 1000) AS delta
  FROM (
    SELECT c.value, c.track_id, c.ts
    FROM counter AS c
    JOIN perf_counter_track AS t ON t.id = c.track_id
    JOIN __intrinsic_profiler_session AS n ON n.id = t.perf_session_id
    WHERE t.is_timebase AND (n.timebase_unit = 'ns' OR n.timebase_unit IS NULL AND NOT EXISTS (
      SELECT 1 FROM perf_counter_track AS y JOIN __intrinsic_profiler_session AS m ON m.id = y.perf_session_id
      WHERE y.is_timebase AND m.timebase_unit IS NULL AND y.name NOT GLOB 'cpu-clock*' AND y.name NOT GLOB 'task-clock*'
    ))
    LIMIT 5000
  )
)
WHERE delta > 0
GROUP BY delta
ORDER BY count(*) DESC, delta
LIMIT 1;
