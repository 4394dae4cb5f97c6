-- Time of cpus by user.

-- One track for each user and cluster of cpus.
CREATE PERFETTO TABLE android_cpu_per_uid_track(
  -- The track of its counter.
  id LONG,
  -- The user; isolated and shared ones are put together by ten thousands.
  uid LONG,
  -- The cluster, from 0.
  cluster LONG,
  -- All its time, in ms.
  total_cpu_millis LONG,
  -- A package of that user; none for users below 10000.
  package_name STRING
) AS
SELECT
  t.track_id AS id, t.uid, t.cluster, t.total_cpu_millis,
  iif(t.uid < 10000, NULL, (
    SELECT min(p.package_name) FROM package_list AS p WHERE p.uid = t.uid % 100000
  )) AS package_name
FROM __intrinsic_android_cpu_per_uid_track AS t
ORDER BY t.track_id;

-- What each of them used from one sample to the next.
CREATE PERFETTO VIEW android_cpu_per_uid_counter(
  -- The sample.
  id LONG,
  -- Its time.
  ts LONG,
  -- Until the next one.
  dur LONG,
  -- Its track.
  track_id LONG,
  -- Time of cpus until the next one, in ms.
  diff_ms LONG,
  -- The same as cpus that were busy all the time.
  cpu_ratio DOUBLE
) AS
SELECT
  id, ts, dur, track_id, CAST(next_value - value AS INT) AS diff_ms,
  (next_value - value) * 1e6 / nullif(dur, 0) AS cpu_ratio
FROM (
  SELECT
    c.id, c.ts, lead(c.ts) OVER track_samples - c.ts AS dur, c.track_id, c.value,
    lead(c.value) OVER track_samples AS next_value
  FROM counter AS c
  WHERE c.track_id IN (SELECT id FROM android_cpu_per_uid_track)
  WINDOW track_samples AS (PARTITION BY c.track_id ORDER BY c.ts)
)
WHERE next_value IS NOT NULL;
