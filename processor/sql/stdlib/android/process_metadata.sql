-- Processes with what is known of their packages and users: on machines without packages, nothing.

-- The kernel's own processes: the idle one, what it started, and the threads of the kernel.
CREATE PERFETTO TABLE _android_kernel_tasks AS
SELECT p.upid
FROM process AS p
LEFT JOIN process AS parent ON parent.upid = p.parent_upid
WHERE p.pid = 0 OR parent.pid = 0 OR parent.name = 'kthreadd'
ORDER BY p.upid;

-- Whether a process is the kernel's own.
CREATE PERFETTO FUNCTION android_is_kernel_task(
  -- The process.
  upid LONG
)
-- Whether it is.
RETURNS BOOL AS
SELECT $upid IN (SELECT upid FROM _android_kernel_tasks);

-- How many packages have a user.
CREATE PERFETTO TABLE _uid_package_count AS
SELECT uid, count(*) AS cnt FROM package_list GROUP BY uid ORDER BY uid;

-- The package of a process: the only one of its user id, or of several the one that it is named after,
-- with or without something behind it.
CREATE PERFETTO TABLE _package_of_process AS
SELECT
  p.upid, l.package_name, l.version_code, l.debuggable,
  row_number() OVER (PARTITION BY p.upid ORDER BY length(l.package_name) DESC) AS choice
FROM process AS p
JOIN _uid_package_count AS n ON n.uid = p.uid % 100000
JOIN package_list AS l ON l.uid = n.uid
WHERE n.cnt = 1 OR substr(p.name, 1, length(l.package_name)) = l.package_name;

-- One row for each process.
CREATE PERFETTO TABLE android_process_metadata(
  -- The process.
  upid JOINID(process.id),
  -- Its number in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Its user.
  uid LONG,
  -- The person whose user that is.
  user_id LONG,
  -- The kind of that person's account.
  user_type STRING,
  -- Whether several packages have this user.
  shared_uid BOOL,
  -- The package.
  package_name STRING,
  -- The version of the package.
  version_code LONG,
  -- Whether it may be debugged.
  debuggable BOOL,
  -- Whether the process is the kernel's own.
  is_kernel_task BOOL
) AS
SELECT
  p.upid, p.pid, p.name AS process_name, p.uid, p.android_user_id AS user_id, u.type AS user_type,
  n.cnt > 1 AS shared_uid, l.package_name, l.version_code, l.debuggable,
  p.upid IN (SELECT upid FROM _android_kernel_tasks) AS is_kernel_task
FROM process AS p
LEFT JOIN _uid_package_count AS n ON n.uid = p.uid % 100000
LEFT JOIN _package_of_process AS l ON l.upid = p.upid AND l.choice = 1
LEFT JOIN __intrinsic_android_user_list AS u ON u.android_user_id = p.uid / 100000
ORDER BY p.upid;
