-- What there is to see of each process.

INCLUDE PERFETTO MODULE viz.summary.slices;
INCLUDE PERFETTO MODULE viz.summary.threads;

CREATE PERFETTO TABLE _process_track_summary AS
SELECT t.upid, sum(s.cnt) AS slice_count
FROM _slice_track_summary AS s JOIN process_track AS t USING (id)
GROUP BY t.upid
ORDER BY t.upid;

CREATE PERFETTO TABLE _heap_profile_allocation_summary AS
SELECT upid, count(*) AS allocation_count
FROM heap_profile_allocation
GROUP BY upid
ORDER BY upid;

CREATE PERFETTO TABLE _heap_profile_graph_summary AS
SELECT upid, count(*) AS graph_object_count
FROM heap_graph_object
GROUP BY upid
ORDER BY upid;

CREATE PERFETTO TABLE _thread_process_grouped_summary AS
SELECT
  t.upid,
  max(s.max_running_dur) AS max_running_dur,
  sum(s.sum_running_dur) AS sum_running_dur,
  sum(s.running_count) AS running_count,
  sum(s.slice_count) AS slice_count,
  sum(s.stack_sample_count) AS stack_sample_count
FROM _thread_available_info_summary AS s JOIN thread AS t USING (utid)
WHERE t.upid IS NOT NULL
GROUP BY t.upid
ORDER BY t.upid;

CREATE PERFETTO TABLE _process_available_info_summary AS
WITH busy AS (
  SELECT upid FROM _process_track_summary
  UNION
  SELECT upid FROM _heap_profile_allocation_summary
  UNION
  SELECT upid FROM _heap_profile_graph_summary
  UNION
  SELECT upid FROM _thread_process_grouped_summary
  UNION
  SELECT upid FROM process_counter_track
)
SELECT
  b.upid,
  coalesce(t.max_running_dur, 0) AS max_running_dur,
  coalesce(t.sum_running_dur, 0) AS sum_running_dur,
  coalesce(t.running_count, 0) AS running_count,
  coalesce(t.slice_count, 0) AS thread_slice_count,
  coalesce(t.stack_sample_count, 0) AS stack_sample_count,
  coalesce(p.slice_count, 0) AS process_slice_count,
  coalesce(a.allocation_count, 0) AS allocation_count,
  coalesce(g.graph_object_count, 0) AS graph_object_count
FROM busy AS b
LEFT JOIN _thread_process_grouped_summary AS t USING (upid)
LEFT JOIN _process_track_summary AS p USING (upid)
LEFT JOIN _heap_profile_allocation_summary AS a USING (upid)
LEFT JOIN _heap_profile_graph_summary AS g USING (upid)
ORDER BY b.upid;
