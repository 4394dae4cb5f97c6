INCLUDE PERFETTO MODULE orma.why;
CREATE OR REPLACE PERFETTO TABLE orma_why_interval AS
SELECT utid AS id, max($from, min(ts)) AS ts,
  min($to, max(ts + dur)) - max($from, min(ts)) AS dur, utid, orma_thread_name(utid) AS name
FROM _orma_why_state WHERE ts < $to AND ts + dur > $from$threads
GROUP BY utid;
