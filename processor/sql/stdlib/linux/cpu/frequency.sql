-- At which frequency cpus ran.

INCLUDE PERFETTO MODULE counters.intervals;

-- freq is in kHz.
CREATE PERFETTO TABLE cpu_frequency_counters(
  id LONG, track_id JOINID(track.id), ts TIMESTAMP, dur DURATION, freq LONG, ucpu LONG, cpu LONG
) AS
SELECT
  i.id, i.track_id, i.ts, i.dur, CAST(i.value AS INT) AS freq, c.ucpu, t.cpu
FROM counter_leading_intervals!(
  (
    SELECT c.id, c.ts, c.track_id, c.value
    FROM counter AS c JOIN cpu_counter_track AS t ON c.track_id = t.id
    WHERE t.type = 'cpu_frequency'
  )
) AS i
JOIN cpu_counter_track AS t ON t.id = i.track_id
LEFT JOIN cpu AS c ON c.cpu = t.cpu AND c.machine_id IS t.machine_id
ORDER BY i.track_id, i.ts;
