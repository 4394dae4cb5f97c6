-- Threads of the kernel: those of kthreadd (pid 2) and of its children.
CREATE PERFETTO TABLE linux_kernel_threads(
  upid JOINID(process.id), utid JOINID(thread.id), pid LONG, tid LONG, process_name STRING,
  thread_name STRING, machine_id JOINID(machine.id)
) AS
WITH kthreadd AS (SELECT upid FROM process WHERE pid = 2)
SELECT
  p.upid, t.utid, p.pid, t.tid, p.name AS process_name, t.name AS thread_name, p.machine_id
FROM process AS p
JOIN thread AS t USING (upid)
WHERE p.upid IN kthreadd OR p.parent_upid IN kthreadd
ORDER BY t.utid;
