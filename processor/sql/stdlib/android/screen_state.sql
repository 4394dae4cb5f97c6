-- What the screen showed.

INCLUDE PERFETTO MODULE counters.intervals;

-- From the start of the trace on: NULL until somebody said.
CREATE PERFETTO TABLE _android_screen_states AS
WITH
  samples AS MATERIALIZED (
    SELECT ts, dur, value
    FROM counter_leading_intervals!(
      (
        SELECT c.id, c.ts, 0 AS track_id, c.value
        FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
        WHERE t.name = 'ScreenState'
      )
    )
    WHERE dur > 0
  ),
  whole AS (
    SELECT
      trace_start() AS ts,
      ifnull((SELECT min(ts) FROM samples), trace_end()) - trace_start() AS dur,
      NULL AS value
    UNION ALL
    SELECT ts, dur, value FROM samples
  )
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, value
FROM whole
WHERE dur > 0
ORDER BY ts;

-- simple_screen_state: off, doze, on; short_screen_state tells more of them apart; 'unknown' where
-- nobody said.
CREATE PERFETTO TABLE android_screen_state(
  id ID, ts TIMESTAMP, dur DURATION, simple_screen_state STRING, short_screen_state STRING,
  screen_state STRING
) AS
SELECT
  id, ts, dur,
  CASE value
    WHEN 1 THEN 'off'
    WHEN 2 THEN 'on'
    WHEN 3 THEN 'doze'
    WHEN 4 THEN 'doze'
    WHEN 5 THEN 'on'
    WHEN 6 THEN 'on'
    ELSE 'unknown'
  END AS simple_screen_state,
  CASE value
    WHEN 1 THEN 'off'
    WHEN 2 THEN 'on'
    WHEN 3 THEN 'doze'
    WHEN 4 THEN 'doze-suspend'
    WHEN 5 THEN 'on-vr'
    WHEN 6 THEN 'on-suspend'
    ELSE 'unknown'
  END AS short_screen_state,
  CASE value
    WHEN 1 THEN 'Screen off'
    WHEN 2 THEN 'Screen on'
    WHEN 3 THEN 'Always-on display (doze)'
    WHEN 4 THEN 'Always-on display (doze-suspend)'
    WHEN 5 THEN 'Screen on (VR)'
    WHEN 6 THEN 'Screen on (suspend)'
    ELSE 'Unknown'
  END AS screen_state
FROM _android_screen_states
ORDER BY ts;
