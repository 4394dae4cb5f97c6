INCLUDE PERFETTO MODULE orma.futexes;
WITH
  waits AS (
    SELECT upid, address, count(*) AS waits, count(DISTINCT utid) AS threads, sum(dur) AS total_ns, max(dur) AS max_ns,
      ts AS at_ts, id
    FROM orma_futex_wait WHERE ts >= $from AND ts < $end$threads
    GROUP BY upid, address ORDER BY total_ns DESC LIMIT $top
  ),
  ends AS (
    SELECT upid, address, waker_utid,
      row_number() OVER (PARTITION BY upid, address ORDER BY sum(dur) DESC, waker_utid) AS nr
    FROM orma_futex_wait WHERE waker_utid IS NOT NULL AND ts >= $from AND ts < $end$threads
    GROUP BY upid, address, waker_utid
  )
SELECT printf('0x%x', w.address) AS futex, waits, total_ns, max_ns, at_ts,
  orma_threads_label(e.waker_utid, 1) AS ended_by,
  (SELECT printf('0x%x', o.address) FROM orma_futex_wait AS o WHERE o.id = _orma_futex_of_waker(w.id)) AS behind,
  replace(p.name, rtrim(p.name, replace(p.name, '/', '')), '') AS _process, w.threads AS _threads,
  w.upid AS _upid, e.waker_utid AS _waker_utid, w.id AS _id
FROM waits AS w
LEFT JOIN ends AS e ON e.nr = 1 AND e.address = w.address AND e.upid IS w.upid
LEFT JOIN process AS p ON p.upid = w.upid
ORDER BY total_ns DESC
