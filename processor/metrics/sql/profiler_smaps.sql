-- Mappings of processes when heaps were profiled: sums by path, the largest first.
SELECT RUN_METRIC('process_metadata.sql');

DROP VIEW IF EXISTS _profiler_smaps_sum;
CREATE VIEW _profiler_smaps_sum AS
SELECT
  ts, upid, path, sum(size_kb) AS size_kb, sum(private_dirty_kb) AS private_dirty_kb,
  sum(swap_kb) AS swap_kb
FROM profiler_smaps
GROUP BY ts, upid, path
ORDER BY ts, upid, size_kb DESC;

DROP VIEW IF EXISTS _profiler_smaps_instance;
CREATE VIEW _profiler_smaps_instance AS
SELECT
  ts, upid,
  RepeatedField(ProfilerSmaps_Mapping(
    'path', path, 'size_kb', size_kb, 'private_dirty_kb', private_dirty_kb, 'swap_kb', swap_kb
  )) AS mappings
FROM _profiler_smaps_sum
GROUP BY ts, upid;

DROP VIEW IF EXISTS profiler_smaps_output;
CREATE VIEW profiler_smaps_output AS
SELECT ProfilerSmaps(
  'instance', (
    SELECT RepeatedField(ProfilerSmaps_Instance(
      'process', metadata, 'mappings', mappings
    ))
    FROM _profiler_smaps_instance
    LEFT JOIN process_metadata USING (upid)
  )
);
