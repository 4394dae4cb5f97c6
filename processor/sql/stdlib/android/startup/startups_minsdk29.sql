-- Starts of programs on systems from API 29 on: an observer tells when the system got the request,
-- and whether the start succeeded.

INCLUDE PERFETTO MODULE android.startup.startup_events;

CREATE PERFETTO VIEW _activity_intent_received AS
SELECT ts FROM slice WHERE name = 'MetricsLogger:launchObserverNotifyIntentStarted';

CREATE PERFETTO VIEW _activity_intent_startup_successful AS
SELECT ts FROM slice WHERE name = 'MetricsLogger:launchObserverNotifyActivityLaunchFinished';

-- From one request to the next.
CREATE PERFETTO TABLE _activity_intent_recv_spans AS
SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur
FROM _activity_intent_received
ORDER BY ts;

-- Those of them in which a start began.
CREATE PERFETTO VIEW _startup_partitions AS
SELECT r.ts, r.dur
FROM _activity_intent_recv_spans AS r
WHERE EXISTS (SELECT 1 FROM _startup_events AS e WHERE e.ts >= r.ts AND e.ts < r.ts + r.dur);

-- Starts that succeeded, from the request on.
CREATE PERFETTO TABLE _startups_minsdk29 AS
SELECT
  p.ts, e.ts_end, e.ts_end - p.ts AS dur, e.package_name AS package,
  CAST(NULL AS TEXT) AS startup_type
FROM _startup_partitions AS p
JOIN _startup_events AS e ON e.ts >= p.ts AND e.ts < p.ts + p.dur
WHERE EXISTS (
  SELECT 1 FROM _activity_intent_startup_successful AS s WHERE s.ts >= p.ts AND s.ts < p.ts + p.dur
)
ORDER BY p.ts;
