-- At each moment of a thread track the innermost slice.

INCLUDE PERFETTO MODULE intervals.overlap;

CREATE PERFETTO TABLE _slice_flattened(
  -- Alias for `slice.id`.
  slice_id JOINID(slice.id),
  -- Alias for `slice.ts`.
  ts TIMESTAMP,
  -- Alias for `slice.dur`.
  dur DURATION,
  -- Alias for `slice.depth`.
  depth LONG,
  -- Alias for `slice.name`.
  name STRING,
  -- Alias for `slice.id` of the outermost slice around it.
  root_id JOINID(slice.id),
  -- Alias for `slice.track_id`.
  track_id JOINID(track.id),
  -- Alias for `thread.utid`.
  utid JOINID(thread.id),
  -- Alias for `thread.tid`.
  tid LONG,
  -- Alias for `thread.name`.
  thread_name STRING,
  -- Alias for `process.upid`.
  upid JOINID(process.id),
  -- Alias for `process.pid`.
  pid LONG,
  -- Alias for `process.name`.
  process_name STRING
) AS
WITH
  roots AS (
    SELECT id, id AS root_id, ts, iif(dur = -1, trace_end() - ts, dur) AS dur
    FROM slice WHERE parent_id IS NULL
  ),
  children AS (
    SELECT
      r.root_id, s.id, s.parent_id, s.ts, iif(s.dur = -1, trace_end() - s.ts, s.dur) AS dur
    FROM roots AS r JOIN descendant_slice(r.id) AS s
  ),
  flat AS (
    SELECT * FROM _intervals_flatten!(_intervals_merge_root_and_children!(roots, children))
  )
SELECT
  f.id AS slice_id, f.ts, f.dur, s.depth, s.name, f.root_id, s.track_id, t.utid, t.tid,
  t.name AS thread_name, p.upid, p.pid, p.name AS process_name
FROM flat AS f
JOIN slice AS s ON s.id = f.id
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t ON t.id = k.utid
LEFT JOIN process AS p ON p.id = t.upid
-- What outermost slices do before their first child and after their last comes last.
ORDER BY
  f.id = f.root_id
  AND (f.ts = s.ts OR f.ts + f.dur = iif(s.dur = -1, trace_end(), s.ts + s.dur)),
  f.root_id, f.ts;
