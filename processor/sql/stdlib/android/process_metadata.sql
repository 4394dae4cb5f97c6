-- Processes with what is known of their packages: on machines without packages, nothing.

INCLUDE PERFETTO MODULE linux.threads;

CREATE PERFETTO TABLE android_process_metadata(
  upid JOINID(process.id), pid LONG, process_name STRING, uid LONG, shared_uid BOOL,
  user_id LONG, user_type STRING, package_name STRING, version_code LONG, debuggable BOOL,
  is_kernel_task BOOL
) AS
SELECT
  p.upid, p.pid, p.name AS process_name, p.uid,
  CAST(NULL AS INT) AS shared_uid, p.android_user_id AS user_id, CAST(NULL AS TEXT) AS user_type,
  CAST(NULL AS TEXT) AS package_name, CAST(NULL AS INT) AS version_code,
  CAST(NULL AS INT) AS debuggable,
  p.upid IN (SELECT upid FROM linux_kernel_threads) AS is_kernel_task
FROM process AS p
ORDER BY p.upid;
