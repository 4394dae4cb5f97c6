-- Samples of Chrome's histograms.

-- One row for each sample, in the order of time.
CREATE PERFETTO TABLE chrome_histograms(
  -- Name of the histogram; NULL where the trace has only its hash.
  name STRING,
  -- The sample.
  value LONG,
  -- When it was taken.
  ts TIMESTAMP,
  -- Name of the thread.
  thread_name STRING,
  -- The thread.
  utid LONG,
  -- Its number in the system.
  tid LONG,
  -- Name of the process.
  process_name STRING,
  -- The process.
  upid LONG,
  -- Its number in the system.
  pid LONG
) AS
WITH samples AS (
  SELECT DISTINCT arg_set_id FROM args WHERE flat_key = 'chrome_histogram_sample.sample'
)
SELECT
  extract_arg(s.arg_set_id, 'chrome_histogram_sample.name') AS name,
  extract_arg(s.arg_set_id, 'chrome_histogram_sample.sample') AS value, s.ts, t.name AS thread_name,
  t.utid, t.tid, p.name AS process_name, p.upid, p.pid
FROM samples AS a
JOIN slice AS s ON s.arg_set_id = a.arg_set_id
LEFT JOIN thread_track AS k ON k.id = s.track_id
LEFT JOIN process_track AS q ON q.id = s.track_id
LEFT JOIN thread AS t ON t.utid = k.utid
LEFT JOIN process AS p ON p.upid = coalesce(t.upid, q.upid)
ORDER BY s.ts, s.id;
