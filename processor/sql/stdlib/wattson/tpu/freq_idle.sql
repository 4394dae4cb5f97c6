-- Frequency of the tensor processor, and what it is asked to do.

-- From the start of the trace on: 0 until the frequency is known.
CREATE PERFETTO TABLE _tpu_freq AS
WITH changes AS (
  SELECT
    c.ts, CAST(c.value AS INT) AS freq,
    ifnull(extract_arg(t.dimension_arg_set_id, 'cluster'), 0) AS cluster, c.track_id
  FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
  WHERE t.type = 'pixel_tpu_frequency' OR t.name GLOB 'tpu_*freq*'
)
SELECT trace_start() AS ts, min(ts) - trace_start() AS dur, 0 AS freq, 0 AS cluster
FROM changes
UNION ALL
SELECT
  ts, lead(ts, 1, trace_end()) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur, freq, cluster
FROM changes
UNION ALL
SELECT NULL, NULL, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM changes);

-- How many requests it works on.
CREATE PERFETTO TABLE _tpu_requests_count AS
WITH
  edges AS (
    SELECT trace_start() AS ts, 0 AS change
    UNION ALL
    SELECT s.ts, 1
    FROM slice AS s JOIN track AS t ON t.id = s.track_id
    WHERE t.name GLOB 'TPU *' AND s.dur > 0
    UNION ALL
    SELECT s.ts + s.dur, -1
    FROM slice AS s JOIN track AS t ON t.id = s.track_id
    WHERE t.name GLOB 'TPU *' AND s.dur > 0
  ),
  sums AS (SELECT ts, sum(change) AS change FROM edges GROUP BY ts)
SELECT ts, dur, requests
FROM (
  SELECT
    ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur,
    sum(change) OVER (ORDER BY ts) AS requests
  FROM sums
)
WHERE dur > 0
ORDER BY ts;
