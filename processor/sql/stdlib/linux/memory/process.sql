-- Memory of processes over time.

INCLUDE PERFETTO MODULE linux.memory.general;

CREATE PERFETTO VIEW _memory_anon AS
SELECT ts, dur, upid, value AS anon_rss FROM _memory_of('mem.rss.anon');

CREATE PERFETTO VIEW _memory_file AS
SELECT ts, dur, upid, value AS file_rss FROM _memory_of('mem.rss.file');

CREATE PERFETTO VIEW _memory_shmem AS
SELECT ts, dur, upid, value AS shmem_rss FROM _memory_of('mem.rss.shmem');

CREATE PERFETTO VIEW _memory_swap AS
SELECT ts, dur, upid, value AS swap FROM _memory_of('mem.swap');

CREATE VIRTUAL TABLE _memory_anon_file USING SPAN_OUTER_JOIN(
  _memory_anon PARTITIONED upid, _memory_file PARTITIONED upid
);

CREATE VIRTUAL TABLE _memory_anon_file_shmem USING SPAN_OUTER_JOIN(
  _memory_anon_file PARTITIONED upid, _memory_shmem PARTITIONED upid
);

CREATE VIRTUAL TABLE _memory_all USING SPAN_OUTER_JOIN(
  _memory_anon_file_shmem PARTITIONED upid, _memory_swap PARTITIONED upid
);

CREATE PERFETTO TABLE _memory_rss_and_swap AS
SELECT
  ts, dur, upid, anon_rss, file_rss, shmem_rss,
  file_rss + anon_rss + coalesce(shmem_rss, 0) AS rss,
  swap,
  anon_rss + coalesce(swap, 0) AS anon_rss_and_swap,
  anon_rss + file_rss + coalesce(shmem_rss, 0) + coalesce(swap, 0) AS rss_and_swap
FROM _memory_all;

-- NULL until the first sample of a kind.
CREATE PERFETTO VIEW memory_rss_and_swap_per_process(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), pid LONG, process_name STRING,
  anon_rss LONG, file_rss LONG, shmem_rss LONG, rss LONG, swap LONG, anon_rss_and_swap LONG,
  rss_and_swap LONG
) AS
SELECT
  m.ts, m.dur, m.upid, p.pid, p.name AS process_name, m.anon_rss, m.file_rss, m.shmem_rss, m.rss,
  m.swap, m.anon_rss_and_swap, m.rss_and_swap
FROM _memory_rss_and_swap AS m JOIN process AS p USING (upid);

-- Samples of the kinds of memory; the value is that of the counter.
CREATE PERFETTO VIEW _anon_rss AS
SELECT ts, dur, upid, value AS anon_rss_val FROM _all_counters_per_process
WHERE name = 'mem.rss.anon';

CREATE PERFETTO VIEW _file_rss AS
SELECT ts, dur, upid, value AS file_rss_val FROM _all_counters_per_process
WHERE name = 'mem.rss.file';

CREATE PERFETTO VIEW _shmem_rss AS
SELECT ts, dur, upid, value AS shmem_rss_val FROM _all_counters_per_process
WHERE name = 'mem.rss.shmem';

CREATE PERFETTO VIEW _swap AS
SELECT ts, dur, upid, value AS swap_val FROM _all_counters_per_process
WHERE name = 'mem.swap';

-- The kinds of memory side by side.
CREATE PERFETTO TABLE _memory_rss_and_swap_per_process_table AS
SELECT ts, dur, upid, anon_rss, file_rss, shmem_rss, swap FROM _memory_all;
