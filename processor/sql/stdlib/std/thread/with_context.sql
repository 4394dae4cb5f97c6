-- Threads with their processes.
CREATE PERFETTO VIEW _thread_with_process AS
SELECT
  t.utid, t.tid, t.name AS thread_name, t.is_main_thread, t.is_idle, t.start_ts, t.end_ts,
  t.upid, p.pid, p.name AS process_name, t.machine_id
FROM thread AS t LEFT JOIN process AS p USING (upid);
