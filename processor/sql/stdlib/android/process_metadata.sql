-- Processes with what is known of their packages and users: on machines without packages, nothing.

-- The kernel's own processes: the idle one, what it started, and the threads of the kernel.
CREATE PERFETTO TABLE _android_kernel_tasks AS
SELECT p.upid
FROM process AS p
LEFT JOIN process AS parent ON parent.upid = p.parent_upid
WHERE p.pid = 0 OR parent.pid IN (0, 2)
ORDER BY p.upid;

-- Packages that may be meant by a user id of a process: all those of the id without its user.
CREATE PERFETTO TABLE _packages_by_app_id AS
SELECT
  uid AS app_id, package_name, version_code, debuggable, count(*) OVER (PARTITION BY uid) AS sharing
FROM package_list;

-- The package of a process: the only one of its user id, or of several the one that it is named after.
CREATE PERFETTO TABLE _package_of_process AS
SELECT
  p.upid, l.package_name, l.version_code, l.debuggable, l.sharing > 1 AS shared_uid,
  row_number() OVER (PARTITION BY p.upid ORDER BY length(l.package_name) DESC) AS choice
FROM process AS p
JOIN _packages_by_app_id AS l ON l.app_id = p.uid % 100000
WHERE l.sharing = 1 OR p.name = l.package_name OR p.name GLOB l.package_name || ':*';

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
  l.shared_uid, l.package_name, l.version_code, l.debuggable,
  p.upid IN (SELECT upid FROM _android_kernel_tasks) AS is_kernel_task
FROM process AS p
LEFT JOIN _package_of_process AS l ON l.upid = p.upid AND l.choice = 1
LEFT JOIN __intrinsic_android_user_list AS u ON u.android_user_id = p.uid / 100000
ORDER BY p.upid;
