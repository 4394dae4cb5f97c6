-- Threads, and whether they are the kernel's.

INCLUDE PERFETTO MODULE linux.threads;

-- The threads of the kernel. In a container pid 2 is any process: without that name and without
-- children it is not taken for kthreadd.
CREATE PERFETTO TABLE _kernel_threads AS
SELECT utid
FROM linux_kernel_threads
WHERE pid IS NOT 2 OR process_name = 'kthreadd' OR upid IN (SELECT parent_upid FROM process)
ORDER BY utid;

-- One row for each thread. The idle ones of the cpus stand for no thread of the kernel.
CREATE PERFETTO TABLE _threads_with_kernel_flag AS
SELECT
  id, utid, upid, tid, name, is_main_thread, is_idle, machine_id,
  utid IN (SELECT utid FROM _kernel_threads) AS is_kernel_thread
FROM thread
ORDER BY id;
