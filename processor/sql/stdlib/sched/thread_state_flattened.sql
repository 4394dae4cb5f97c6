-- States of threads, cut by the innermost slice of each moment.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.flat_slices;

CREATE PERFETTO TABLE _thread_state_flattened AS
WITH
  flat AS (SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, utid, slice_id FROM _slice_flattened),
  met AS (
    SELECT ii.ts, ii.dur, ii.id_1 AS thread_state_id, f.slice_id
    FROM _interval_intersect!(
      (
        (SELECT id, ts, dur, utid FROM flat),
        (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
      ),
      (utid)
    ) AS ii
    JOIN flat AS f ON f.id = ii.id_0
  )
SELECT m.ts, m.dur, m.thread_state_id, m.slice_id, t.utid, t.state, t.io_wait, t.blocked_function, t.cpu
FROM met AS m JOIN thread_state AS t ON t.id = m.thread_state_id
ORDER BY m.ts;
