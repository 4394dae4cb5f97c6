INCLUDE PERFETTO MODULE orma.io;
INCLUDE PERFETTO MODULE orma.sched;
SELECT orma_threads_label(utid, n) AS thread, operation, requests,
  moved_bytes, queued_ns, mean_ns, max_ns, at_ts, utid AS _utid, tid AS _tid, n AS _threads
FROM (
  SELECT min(utid) AS utid, $threads_num AS n, operation, count(*) AS requests, sum(bytes) AS moved_bytes,
    CAST(avg(queue_dur) AS INT) AS queued_ns, CAST(avg(dur) AS INT) AS mean_ns,
    max(dur) AS max_ns, ts AS at_ts, sum(dur) AS total_ns
  FROM orma_block_request$grouped WHERE ts >= $from AND ts < $end$threads
  GROUP BY $who, operation
) JOIN thread USING (utid)
ORDER BY total_ns DESC LIMIT $top
