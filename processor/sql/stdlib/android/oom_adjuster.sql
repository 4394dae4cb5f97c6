-- How dear processes are to the system: scores of the killer, and what changed them.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE slices.with_context;

-- The name of a score.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_bucket_name(
  -- The score.
  oom_score LONG
)
-- Its name.
RETURNS STRING AS
SELECT
  CASE
    WHEN $oom_score IS NULL THEN NULL
    WHEN $oom_score >= 900 THEN 'cached'
    WHEN $oom_score >= 250 THEN 'background'
    WHEN $oom_score > 200 THEN 'job'
    WHEN $oom_score = 200 THEN 'foreground_service'
    WHEN $oom_score >= 100 THEN 'bfgs'
    WHEN $oom_score >= 0 THEN 'foreground'
    ELSE 'system'
  END;

-- A finer name of a score.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_detailed_bucket_name(
  -- The score.
  value LONG,
  -- The user of the process, without the person. Not used.
  android_appid LONG
)
-- Its name.
RETURNS STRING AS
SELECT
  CASE
    WHEN $value IS NULL THEN NULL
    WHEN $value < -900 THEN 'native'
    WHEN $value < -800 THEN 'system'
    WHEN $value < -700 THEN 'persistent'
    WHEN $value < 0 THEN 'persistent_service'
    WHEN $value < 50 THEN 'foreground_app'
    WHEN $value < 100 THEN 'perceptible_foreground_app'
    WHEN $value < 200 THEN 'visible_app'
    WHEN $value < 225 THEN 'perceptible_app'
    WHEN $value < 250 THEN 'perceptible_medium_app'
    WHEN $value < 300 THEN 'perceptible_low_app'
    WHEN $value < 400 THEN 'backup'
    WHEN $value < 500 THEN 'heavy_weight_app'
    WHEN $value < 600 THEN 'service'
    WHEN $value < 700 THEN 'home_app'
    WHEN $value < 800 THEN 'previous_app'
    WHEN $value < 900 THEN 'service_b'
    WHEN $value < 950 THEN 'cached_app'
    WHEN $value < 1000 THEN 'cached_app_lmk_first'
    ELSE 'unknown_app'
  END;

-- The runs of the part of the system that changes scores. Names are 'updateOomAdj_REASON', at times
-- with what triggered them: 'updateOomAdj_REASON_TRIGGER'.
CREATE PERFETTO TABLE _android_oom_adjusters AS
SELECT
  s.id, s.ts, s.dur, s.track_id, s.thread_name, s.utid, str_split(s.name, '_', 1) AS reason,
  str_split(s.name, '_', 2) AS trigger, lead(s.ts, 1, trace_end()) OVER (ORDER BY s.ts) AS next_ts
FROM thread_slice AS s
WHERE s.name GLOB 'updateOomAdj_*' AND s.process_name = 'system_server'
ORDER BY s.ts;

-- Each score until the next one of its process; oom_adj_*: the last run before it, if there is one.
CREATE PERFETTO TABLE _oom_adjuster_intervals AS
WITH scores AS (
  SELECT
    i.ts, i.dur, CAST(i.value AS INT) AS score, t.upid, p.name AS process_name, p.android_appid
  FROM counter_leading_intervals!(
    (
      SELECT c.id, c.ts, c.track_id, c.value
      FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
      WHERE t.name = 'oom_score_adj'
    )
  ) AS i
  JOIN process_counter_track AS t ON t.id = i.track_id
  JOIN process AS p ON p.upid = t.upid
)
SELECT
  s.ts, s.dur, s.score, s.upid, s.process_name, a.id AS oom_adj_id, a.ts AS oom_adj_ts,
  a.dur AS oom_adj_dur, a.track_id AS oom_adj_track_id, a.thread_name AS oom_adj_thread_name,
  a.utid AS oom_adj_utid, a.reason AS oom_adj_reason, a.trigger AS oom_adj_trigger, s.android_appid
FROM scores AS s
LEFT JOIN _android_oom_adjusters AS a ON s.ts >= a.ts AND s.ts < a.next_ts
ORDER BY s.ts;

-- Each score until the next one of its process, and the run that is likely to have set it: the last
-- one before it. A run may set scores after its end.
CREATE PERFETTO VIEW android_oom_adj_intervals(
  ts TIMESTAMP, dur DURATION, score LONG, bucket STRING, upid JOINID(process.id),
  process_name STRING, oom_adj_id LONG, oom_adj_ts TIMESTAMP, oom_adj_dur DURATION,
  oom_adj_track_id JOINID(track.id), oom_adj_thread_name STRING, oom_adj_reason STRING,
  oom_adj_trigger STRING
) AS
SELECT
  ts, dur, score, android_oom_adj_score_to_bucket_name(score) AS bucket, upid, process_name,
  oom_adj_id, oom_adj_ts, oom_adj_dur, oom_adj_track_id, oom_adj_thread_name, oom_adj_reason,
  oom_adj_trigger
FROM _oom_adjuster_intervals;
