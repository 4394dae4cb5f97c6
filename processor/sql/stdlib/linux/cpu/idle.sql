-- In which idle state cpus were.

INCLUDE PERFETTO MODULE counters.intervals;

-- idle is the number of the state; -1: the cpu was not idle.
CREATE PERFETTO TABLE cpu_idle_counters(
  id LONG, track_id JOINID(track.id), ts TIMESTAMP, dur DURATION, idle LONG, cpu LONG
) AS
SELECT
  i.id, i.track_id, i.ts, i.dur,
  iif(i.value = 4294967295, -1, CAST(i.value AS INT)) AS idle,
  t.cpu
FROM counter_leading_intervals!(
  (
    SELECT c.id, c.ts, c.track_id, c.value
    FROM counter AS c JOIN cpu_counter_track AS t ON c.track_id = t.id
    WHERE t.type = 'cpu_idle'
  )
) AS i
JOIN cpu_counter_track AS t ON t.id = i.track_id
ORDER BY i.track_id, i.ts;
