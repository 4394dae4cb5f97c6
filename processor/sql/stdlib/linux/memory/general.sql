-- Counters of the memory of processes, as intervals.

-- Each sample until the next one of its track, the end of its process, or that of the trace.
CREATE PERFETTO TABLE _memory_counter_intervals AS
SELECT
  c.id, c.ts,
  lead(c.ts, 1, coalesce(p.end_ts, trace_end() + 1)) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts
    AS dur,
  t.name AS counter_name, t.upid, CAST(c.value AS INT) AS value
FROM counter AS c
JOIN process_counter_track AS t ON c.track_id = t.id
JOIN process AS p ON p.upid = t.upid
WHERE t.name IN (
  'mem.rss', 'mem.rss.anon', 'mem.rss.file', 'mem.rss.shmem', 'mem.swap', 'oom_score_adj'
)
ORDER BY c.ts;

CREATE PERFETTO FUNCTION _memory_of(name STRING)
RETURNS TABLE(ts TIMESTAMP, dur DURATION, upid JOINID(process.id), value LONG) AS
SELECT ts, dur, upid, value FROM _memory_counter_intervals WHERE counter_name = $name AND dur > 0;

-- All counters of processes, each sample until the next one, the last until the trace is over.
CREATE PERFETTO VIEW _all_counters_per_process AS
SELECT
  c.ts, lead(c.ts, 1, trace_end() + 1) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur,
  t.upid, c.value, c.track_id, t.name
FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
WHERE t.upid IS NOT NULL;
