-- Which cpus are small and which are big.

CREATE PERFETTO TABLE android_cpu_cluster_mapping(ucpu LONG, cpu LONG, cluster_type STRING) AS
WITH
  clusters AS (
    SELECT
      cluster_id,
      row_number() OVER (ORDER BY cluster_id) AS place,
      count(*) OVER () AS num
    FROM (SELECT DISTINCT cluster_id FROM cpu WHERE cluster_id IS NOT NULL)
  )
SELECT
  c.ucpu,
  c.cpu,
  CASE
    WHEN k.num NOT BETWEEN 2 AND 4 THEN NULL
    WHEN k.place = 1 THEN 'little'
    WHEN k.place = k.num THEN 'big'
    ELSE 'medium'
  END AS cluster_type
FROM cpu AS c LEFT JOIN clusters AS k USING (cluster_id)
ORDER BY c.ucpu;
