SELECT CASE prio WHEN 7 THEN 'fatal' WHEN 6 THEN 'error' WHEN 5 THEN 'warning'
    WHEN 4 THEN 'info' WHEN 3 THEN 'debug' ELSE 'verbose' END AS level,
  tag, count(*) AS times, min(ts) AS first_ts, msg AS message, prio AS _prio
FROM android_logs WHERE ts >= $from AND ts <= $to$threads
GROUP BY prio, tag, msg ORDER BY prio DESC, times DESC LIMIT $top
