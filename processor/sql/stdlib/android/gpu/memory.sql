-- Memory of graphics processors, by process.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_gpu_memory_per_process(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), gpu_memory LONG
) AS
SELECT i.ts, i.dur, t.upid, CAST(i.value AS INT) AS gpu_memory
FROM counter_leading_intervals!(
  (
    SELECT c.*
    FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
    WHERE t.name = 'GPU Memory'
  )
) AS i
JOIN process_counter_track AS t ON t.id = i.track_id
WHERE i.dur > 0
ORDER BY i.ts;
