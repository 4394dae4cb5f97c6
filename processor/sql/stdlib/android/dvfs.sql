-- Frequencies of memory controllers and other devices that scale theirs.

CREATE PERFETTO VIEW android_dvfs_counters(name STRING, ts TIMESTAMP, value DOUBLE, dur DURATION) AS
SELECT
  t.name, c.ts, c.value,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur
FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
WHERE t.name GLOB 'domain@* Frequency' OR t.name GLOB '*devfreq* Frequency'
  OR t.name = 'bus_throughput Frequency'
ORDER BY c.ts;

-- Least, greatest and mean value of each, by time; `dur`: from the first to the last value.
CREATE PERFETTO VIEW android_dvfs_counter_stats(name STRING, max DOUBLE, min DOUBLE, dur DURATION, wgt_avg DOUBLE) AS
SELECT
  name, max(value) AS max, min(value) AS min, max(ts) - min(ts) AS dur,
  sum(dur * value) / sum(dur) AS wgt_avg
FROM android_dvfs_counters
WHERE dur > 0
GROUP BY name;

-- How long each had which value.
CREATE PERFETTO VIEW android_dvfs_counter_residency(name STRING, value DOUBLE, dur DURATION, pct DOUBLE) AS
WITH totals AS (
  SELECT name, sum(dur) AS all_dur FROM android_dvfs_counters WHERE dur > 0 GROUP BY name
)
SELECT c.name, c.value, sum(c.dur) AS dur, sum(c.dur) * 100.0 / t.all_dur AS pct
FROM android_dvfs_counters AS c JOIN totals AS t USING (name)
WHERE c.dur > 0
GROUP BY c.name, c.value;
