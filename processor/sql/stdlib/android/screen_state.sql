-- What the screen showed.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE _android_screen_states AS
SELECT *
FROM counter_leading_intervals!(
  (
    SELECT c.id, c.ts, 0 AS track_id, c.value
    FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
    WHERE t.name = 'ScreenState'
  )
)
WHERE dur > 0;

-- simple_screen_state: off, doze, on; short_screen_state tells more of them apart; one row
-- 'unknown' where nobody said.
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
    ELSE 'unknown'
  END AS screen_state
FROM _android_screen_states
UNION ALL
SELECT 0, trace_start(), trace_dur(), 'unknown', 'unknown', 'unknown'
WHERE NOT EXISTS (SELECT 1 FROM _android_screen_states)
ORDER BY ts;
