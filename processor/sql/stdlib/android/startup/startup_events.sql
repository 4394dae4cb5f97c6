-- Starts of programs, as all versions of the system tell them in the name of a slice.

-- From the request until the first frame.
CREATE PERFETTO TABLE _startup_events AS
SELECT ts, dur, ts + dur AS ts_end, substr(name, 12) AS package_name
FROM slice
WHERE name GLOB 'launching: *' AND dur > 0
ORDER BY ts;
