-- Which cpus are small and which are big.

-- What the clusters are called, where there are cluster_count of them.
CREATE PERFETTO TABLE _cores AS
WITH data(cluster_id, cluster_type, cluster_count) AS (
  VALUES
    (0, 'little', 2), (1, 'big', 2),
    (0, 'little', 3), (1, 'medium', 3), (2, 'big', 3),
    (0, 'little', 4), (1, 'medium', 4), (2, 'medium', 4), (3, 'big', 4)
)
SELECT * FROM data;

-- The kind of each cpu; NULL where there is but one cluster, or none is known.
CREATE PERFETTO TABLE android_cpu_cluster_mapping(
  -- The cpu, among those of all machines.
  ucpu LONG,
  -- The cpu in its machine.
  cpu LONG,
  -- 'little', 'medium' or 'big'.
  cluster_type STRING
) AS
SELECT c.ucpu, c.cpu, k.cluster_type
FROM cpu AS c
LEFT JOIN _cores AS k
  ON k.cluster_id = c.cluster_id
  AND k.cluster_count = (SELECT count(DISTINCT cluster_id) FROM cpu)
ORDER BY c.ucpu;

-- How many cpus of a kind are running, from one change to the next.
CREATE PERFETTO FUNCTION _active_cpu_count_for_cluster_type(
  -- 'little', 'medium' or 'big'; all if NULL.
  cluster_type STRING
)
RETURNS TABLE(
  -- When the number changed.
  ts TIMESTAMP,
  -- How many run from then on.
  active_cpu_count LONG
) AS
SELECT ts, sum(change) OVER (ORDER BY ts RANGE UNBOUNDED PRECEDING) AS active_cpu_count
FROM (
  SELECT ts, sum(change) AS change
  FROM (
    SELECT s.ts, 1 AS change, s.ucpu FROM sched AS s WHERE NOT s.utid IN (
      SELECT utid FROM thread WHERE is_idle
    )
    UNION ALL
    SELECT s.ts + s.dur, -1, s.ucpu FROM sched AS s WHERE NOT s.utid IN (
      SELECT utid FROM thread WHERE is_idle
    ) AND s.dur != -1
  ) AS c
  WHERE $cluster_type IS NULL OR c.ucpu IN (
    SELECT ucpu FROM android_cpu_cluster_mapping WHERE cluster_type = $cluster_type
  )
  GROUP BY ts
)
ORDER BY ts;
