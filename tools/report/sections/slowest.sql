INCLUDE PERFETTO MODULE orma.slices;
INCLUDE PERFETTO MODULE orma.sched;
SELECT id, name AS slice, dur AS dur_ns, self_dur AS self_ns, ts AS at_ts,
  orma_thread_name(utid) AS thread, NOT ended AS unknown, utid AS _utid,
  upid AS _upid
FROM orma_slice WHERE ts >= $from AND ts < $end$owners$slices
ORDER BY dur DESC LIMIT $top
