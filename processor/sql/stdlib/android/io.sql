-- Input and output of Android's file systems.

INCLUDE PERFETTO MODULE slices.with_context;

-- Counters of f2fs, as sums of their values.
CREATE PERFETTO VIEW _android_io_f2fs_counter_stats AS
SELECT
  t.name, sum(c.value) AS sum, max(c.value) AS max, min(c.value) AS min, count(*) AS count,
  avg(c.value) AS avg
FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
WHERE t.name GLOB '*f2fs*'
GROUP BY t.name;

-- Writes of threads to files of f2fs.
CREATE PERFETTO VIEW _android_io_f2fs_write_stats AS
SELECT
  count(*) AS total_write_count, t.utid, t.tid, t.name AS thread_name, p.upid, p.pid,
  p.name AS process_name, extract_arg(e.arg_set_id, 'ino') AS ino,
  extract_arg(e.arg_set_id, 'dev') AS dev,
  sum(extract_arg(e.arg_set_id, 'copied')) AS bytes_written
FROM ftrace_event AS e
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE e.name = 'f2fs_write_end'
GROUP BY t.utid, ino, dev;

-- The sums of all of them.
CREATE PERFETTO VIEW _android_io_f2fs_aggregate_write_stats AS
SELECT
  sum(total_write_count) AS total_write_count, count(DISTINCT pid) AS distinct_processes,
  sum(bytes_written) AS total_bytes_written, count(DISTINCT dev) AS distinct_device_count,
  count(DISTINCT ino) AS distinct_inode_count, count(DISTINCT tid) AS distinct_thread_count
FROM _android_io_f2fs_write_stats;
