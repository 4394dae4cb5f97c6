-- What there is to see of each thread.

INCLUDE PERFETTO MODULE viz.summary.slices;

CREATE PERFETTO TABLE _sched_summary AS
SELECT
  utid, max(dur) AS max_running_dur, sum(dur) AS sum_running_dur, count(*) AS running_count
FROM sched
WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle) AND dur != -1
GROUP BY utid
ORDER BY utid;

CREATE PERFETTO TABLE _thread_track_summary AS
SELECT t.utid, sum(s.cnt) AS slice_count
FROM _slice_track_summary AS s JOIN thread_track AS t USING (id)
GROUP BY t.utid
ORDER BY t.utid;

CREATE PERFETTO TABLE _stack_sample_summary AS
SELECT k.utid, count(*) AS sample_count
FROM stack_sample AS s JOIN __intrinsic_profiler_task_context AS k ON k.id = s.task_context_id
WHERE s.callsite_id IS NOT NULL AND k.utid IS NOT NULL
GROUP BY k.utid
ORDER BY k.utid;

-- Threads that ran, have slices, samples or counters.
CREATE PERFETTO TABLE _thread_available_info_summary AS
WITH busy AS (
  SELECT utid FROM _sched_summary
  UNION
  SELECT utid FROM _thread_track_summary
  UNION
  SELECT utid FROM _stack_sample_summary
  UNION
  SELECT utid FROM thread_counter_track
)
SELECT
  b.utid,
  coalesce(r.max_running_dur, 0) AS max_running_dur,
  coalesce(r.sum_running_dur, 0) AS sum_running_dur,
  coalesce(r.running_count, 0) AS running_count,
  coalesce(s.slice_count, 0) AS slice_count,
  coalesce(p.sample_count, 0) AS stack_sample_count
FROM busy AS b
LEFT JOIN _sched_summary AS r USING (utid)
LEFT JOIN _thread_track_summary AS s USING (utid)
LEFT JOIN _stack_sample_summary AS p USING (utid)
WHERE b.utid NOT IN (SELECT utid FROM thread WHERE is_idle)
ORDER BY b.utid;
