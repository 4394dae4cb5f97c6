INCLUDE PERFETTO MODULE orma.slices;
SELECT name AS slice, count(*) AS times, CAST(total(self_dur) AS INT) AS self_ns,
  CAST(total(dur) AS INT) AS total_ns, CAST(percentile(dur, 50) AS INT) AS p50_ns,
  CAST(percentile(dur, 99) AS INT) AS p99_ns, max(dur) AS max_ns, ts AS at_ts,
  sum(NOT ended) AS unknown, id AS _slowest_id
FROM orma_slice WHERE ts >= $from AND ts < $end$owners$slices
GROUP BY name ORDER BY self_ns DESC LIMIT $top
