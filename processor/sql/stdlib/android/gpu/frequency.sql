-- Frequencies of graphics processors, as intervals.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_gpu_frequency(
  ts TIMESTAMP, dur DURATION, gpu_id LONG, gpu_freq LONG, prev_gpu_freq LONG, next_gpu_freq LONG
) AS
SELECT
  i.ts, i.dur, t.gpu_id,
  CAST(i.value AS INT) AS gpu_freq,
  CAST(lag(i.value) OVER (PARTITION BY i.track_id ORDER BY i.ts) AS INT) AS prev_gpu_freq,
  CAST(i.next_value AS INT) AS next_gpu_freq
FROM counter_leading_intervals!(
  (
    SELECT c.*
    FROM counter AS c JOIN gpu_counter_track AS t ON t.id = c.track_id
    WHERE t.name = 'gpufreq'
  )
) AS i
JOIN gpu_counter_track AS t ON t.id = i.track_id
ORDER BY i.track_id, i.ts;
