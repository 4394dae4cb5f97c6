SELECT _orma_why_cause(kind, who) AS cause,
  sum(r.dur) AS time_ns, 100.0 * sum(r.dur) / (SELECT sum(dur) FROM orma_why_interval) AS share_pct,
  count(*) AS times, max(r.dur) AS longest_ns, r.ts AS at_ts,
  count(DISTINCT r.utid) AS _threads, kind AS _kind, who AS _who,
  (SELECT min(t.tid) FROM orma_why_reason AS o JOIN thread AS t ON t.utid = o.utid WHERE o.kind = r.kind AND o.who IS r.who)
    AS _tid
FROM orma_why_reason AS r
WHERE kind NOT IN ('ran', 'unknown')
GROUP BY kind, who
HAVING share_pct >= 3 AND sum(r.dur) >
  (SELECT total(dur) FROM orma_why_reason WHERE kind = 'unknown')
ORDER BY time_ns DESC LIMIT $top
