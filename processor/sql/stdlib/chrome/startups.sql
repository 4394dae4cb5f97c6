-- Starts of Chrome on Android. What belongs to one has the same `startup.activity_id`.

-- Slices of starts.
CREATE PERFETTO TABLE _startup_slices AS
WITH sets AS (SELECT arg_set_id, int_value AS activity_id FROM args WHERE flat_key = 'startup.activity_id')
SELECT
  s.id, s.name, s.ts, s.dur, a.activity_id, coalesce(q.upid, t.upid) AS upid,
  extract_arg(s.arg_set_id, 'startup.launch_cause') AS launch_cause
FROM sets AS a
JOIN slice AS s ON s.arg_set_id = a.arg_set_id
LEFT JOIN thread_track AS k ON k.id = s.track_id
LEFT JOIN process_track AS q ON q.id = s.track_id
LEFT JOIN thread AS t ON t.utid = k.utid
ORDER BY s.ts, s.id;

-- What began each start: the slice until something was visible, where there is one, else the first that names no cause.
CREATE PERFETTO VIEW _startup_start_events AS
SELECT activity_id, upid, name, ts, dur, is_visible
FROM (
  SELECT
    *, name GLOB '*TimeToFirstVisibleContent*' AS is_visible,
    row_number() OVER (
      PARTITION BY activity_id, upid
      ORDER BY name GLOB '*TimeToFirstVisibleContent*' DESC, ts, id
    ) AS place
  FROM _startup_slices
  WHERE launch_cause IS NULL
)
WHERE place = 1;

-- Why each was started, which is said later.
CREATE PERFETTO VIEW _launch_causes AS
SELECT activity_id, upid, min(launch_cause) AS launch_cause
FROM _startup_slices
WHERE launch_cause IS NOT NULL
GROUP BY activity_id, upid;

-- Starts, in the order of time.
CREATE PERFETTO TABLE chrome_startups(
  -- Number of the row, from 1 on.
  id LONG,
  -- What the events of one start have in common.
  activity_id LONG,
  -- Name of the event that began it.
  name STRING,
  -- Its time.
  startup_begin_ts TIMESTAMP,
  -- When something was visible; NULL if that is not known.
  first_visible_content_ts TIMESTAMP,
  -- Why it was started.
  launch_cause STRING,
  -- The process.
  browser_upid LONG
) AS
SELECT
  CAST(row_number() OVER (ORDER BY e.ts, e.activity_id) AS INT) AS id, e.activity_id, e.name,
  e.ts AS startup_begin_ts, iif(e.is_visible AND e.dur >= 0, e.ts + e.dur, NULL) AS first_visible_content_ts,
  c.launch_cause, e.upid AS browser_upid
FROM _startup_start_events AS e
LEFT JOIN _launch_causes AS c ON c.activity_id = e.activity_id AND c.upid IS e.upid
ORDER BY e.ts, e.activity_id;
