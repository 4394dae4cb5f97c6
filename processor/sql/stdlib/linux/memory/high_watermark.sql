-- The most memory that processes had so far.

INCLUDE PERFETTO MODULE linux.memory.process;

-- From one new mark to the next. The sample after it has a row of its own, with the same mark, and
-- so has the last one before the next new mark.
CREATE PERFETTO TABLE _memory_rss_high_watermark_per_process_table AS
WITH
  sums AS (
    SELECT
      ts, dur, upid,
      coalesce(file_rss, 0) + coalesce(anon_rss, 0) + coalesce(shmem_rss, 0) AS rss
    FROM _memory_rss_and_swap
  ),
  marks AS (
    SELECT ts, dur, upid, max(rss) OVER (PARTITION BY upid ORDER BY ts) AS mark FROM sums
  ),
  changes AS (
    SELECT
      *,
      lag(mark, 2) OVER one_process IS NOT mark OR ifnull(lead(mark) OVER one_process != mark, 0)
        AS changed,
      min(max(ts + dur) OVER (PARTITION BY upid), trace_end()) AS ts_end
    FROM marks
    WINDOW one_process AS (PARTITION BY upid ORDER BY ts)
  )
SELECT
  ts, lead(ts, 1, ts_end) OVER (PARTITION BY upid ORDER BY ts) - ts AS dur, upid,
  mark AS rss_high_watermark
FROM changes
WHERE changed
ORDER BY upid, ts;

CREATE PERFETTO VIEW memory_rss_high_watermark_per_process(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), pid LONG, process_name STRING,
  rss_high_watermark LONG
) AS
SELECT m.ts, m.dur, m.upid, p.pid, p.name AS process_name, m.rss_high_watermark
FROM _memory_rss_high_watermark_per_process_table AS m JOIN process AS p USING (upid);
