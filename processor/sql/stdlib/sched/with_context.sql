-- Who ran where.
CREATE PERFETTO VIEW sched_with_thread_process(
  id ID(sched.id), ts TIMESTAMP, dur DURATION, utid JOINID(thread.id),
  upid JOINID(process.id), thread_name STRING, process_name STRING, cpu LONG, end_state STRING, priority LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.utid, t.upid, t.name AS thread_name, p.name AS process_name, s.cpu,
  s.end_state, s.priority
FROM sched AS s
JOIN thread AS t ON t.id = s.utid
LEFT JOIN process AS p ON p.id = t.upid;
