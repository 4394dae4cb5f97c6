-- In which states of the scheduler a thread was during its slices.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE thread_slice_time_in_state(
  id JOINID(slice.id), name STRING, utid JOINID(thread.id), thread_name STRING,
  upid JOINID(process.id), process_name STRING, state STRING, io_wait BOOL,
  blocked_function STRING, dur DURATION
) AS
WITH met AS (
  SELECT ii.id_0 AS id, ii.dur, t.state, t.io_wait, t.blocked_function
  FROM _interval_intersect!(
    (
      (SELECT id, ts, dur, utid FROM thread_slice WHERE utid > 0 AND dur > 0),
      (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
    ),
    (utid)
  ) AS ii
  JOIN thread_state AS t ON t.id = ii.id_1
)
SELECT
  s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, m.state, m.io_wait,
  m.blocked_function, sum(m.dur) AS dur
FROM met AS m JOIN thread_slice AS s USING (id)
GROUP BY s.id, m.state, m.io_wait, m.blocked_function
ORDER BY s.id;
