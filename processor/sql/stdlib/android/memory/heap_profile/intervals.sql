-- The times that heap profiles speak of.

-- One row for each dump of a heap: from the start of the profile to the dump. `id` is that of its
-- first allocation; `delta` is by how much the heap grew since the dump before, `retained` the part
-- of call sites that allocated more than was freed, `allocated` what was allocated at all.
CREATE PERFETTO TABLE _android_heap_profile_intervals AS
WITH
  sites AS MATERIALIZED (
    SELECT
      min(id) AS id, ts, upid, heap_name, callsite_id, sum(size) AS delta,
      iif(sum(count) > 0, sum(size), 0) AS retained, sum(max(size, 0)) AS allocated
    FROM heap_profile_allocation
    GROUP BY ts, upid, heap_name, callsite_id
  ),
  dumps AS MATERIALIZED (
    SELECT
      min(id) AS id, ts, upid, heap_name, sum(retained) AS retained, sum(allocated) AS allocated,
      sum(delta) AS delta
    FROM sites
    GROUP BY ts, upid, heap_name
  )
SELECT
  d.id, ifnull(p.ts, d.ts) AS ts, d.upid, ifnull(p.dur, 0) AS dur, d.heap_name, d.retained,
  d.allocated, d.delta
FROM dumps AS d
LEFT JOIN __intrinsic_heap_profile AS p
  ON p.upid = d.upid AND p.heap_name = d.heap_name AND p.ts_end = d.ts
ORDER BY d.id;
