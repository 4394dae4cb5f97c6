-- Threads with their processes.

-- One row for each thread.
CREATE PERFETTO VIEW _thread_with_process AS
SELECT
  t.utid, t.tid, t.name AS thread_name, t.is_main_thread, t.upid, p.pid, p.name AS process_name
FROM thread AS t LEFT JOIN process AS p USING (upid);
