-- Starts of programs on systems from API 33 on: each has a number, `launchingActivity#N`, and ends with
-- `launchingActivity#N:completed[-KIND]:PACKAGE`.

CREATE PERFETTO VIEW _startup_async_events AS
SELECT ts, dur, CAST(str_split(name, '#', 1) AS INT) AS startup_id
FROM slice
WHERE name GLOB 'launchingActivity#*' AND name NOT GLOB '*:*' AND dur > 0;

-- KIND is cold, warm, hot or same-process, where it is told.
CREATE PERFETTO VIEW _startup_complete_events AS
SELECT
  CAST(str_split(str_split(name, ':', 0), '#', 1) AS INT) AS startup_id,
  str_split(name, ':', 2) AS package_name,
  nullif(substr(str_split(name, ':', 1), 11), '') AS startup_type,
  min(ts)
FROM slice
WHERE name GLOB 'launchingActivity#*:completed*:*'
GROUP BY 1, 2, 3;

-- Starts that completed. An activity that opens another one of its own process is no start.
CREATE PERFETTO TABLE _startups_minsdk33 AS
SELECT
  a.startup_id, a.ts, a.ts + a.dur AS ts_end, a.dur, c.package_name AS package, c.startup_type
FROM _startup_async_events AS a
JOIN _startup_complete_events AS c USING (startup_id)
WHERE coalesce(c.startup_type, '') != 'same-process'
ORDER BY a.ts;
