-- Starts of programs on systems up to API 28: there is nothing but the slices themselves.

INCLUDE PERFETTO MODULE android.startup.startup_events;

CREATE PERFETTO TABLE _startups_maxsdk28 AS
SELECT ts, ts_end, dur, package_name AS package, CAST(NULL AS TEXT) AS startup_type
FROM _startup_events
ORDER BY ts;
