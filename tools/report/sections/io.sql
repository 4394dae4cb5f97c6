INCLUDE PERFETTO MODULE orma.io;
INCLUDE PERFETTO MODULE orma.machines;
SELECT device, operation, count(*) AS requests, sum(bytes) AS moved_bytes,
  CAST(avg(dur) AS INT) AS mean_ns, CAST(percentile(dur, 99) AS INT) AS p99_ns,
  max(dur) AS max_ns, ts AS at_ts, sum(error != 0) AS errors,
  orma_machine_label(machine_id) AS machine
FROM orma_block_request WHERE ts >= $from AND ts < $end$threads
GROUP BY device, operation, machine_id ORDER BY sum(dur) DESC LIMIT $top
