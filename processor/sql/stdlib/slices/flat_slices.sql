-- At each moment of a thread track the innermost slice.

INCLUDE PERFETTO MODULE intervals.overlap;

CREATE PERFETTO TABLE _slice_flattened AS
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
  f.ts, f.dur, f.id AS slice_id, f.root_id, s.name, s.depth, s.track_id, t.utid, t.name AS thread_name,
  p.upid, p.name AS process_name, p.pid, t.tid
FROM flat AS f
JOIN slice AS s ON s.id = f.id
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t ON t.id = k.utid
LEFT JOIN process AS p ON p.id = t.upid
ORDER BY f.ts;
