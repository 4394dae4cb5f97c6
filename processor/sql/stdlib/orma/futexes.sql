-- Waits for futexes: what locks, conditions, semaphores and joins of programs wait with.

INCLUDE PERFETTO MODULE orma.sched;
INCLUDE PERFETTO MODULE orma.syscalls;

CREATE PERFETTO TABLE _orma_futex_call AS
SELECT
  c.id, c.ts, c.ts + c.dur AS end_ts, c.utid, extract_arg(s.arg_set_id, 'args[0]') AS address
FROM orma_syscall AS c JOIN slice AS s USING (id)
-- WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2; bits above say whose futex and which clock it is.
WHERE c.name = 'futex' AND c.dur > 0 AND extract_arg(s.arg_set_id, 'args[1]') & 127 IN (0, 6, 9, 11, 13);

-- The last wake-up within each wait.
CREATE PERFETTO TABLE _orma_futex_woken AS
SELECT id, woken_ts
FROM (
  SELECT id, max(wake_ts) OVER (PARTITION BY utid ORDER BY ts, kind ROWS UNBOUNDED PRECEDING) AS woken_ts, begin_ts
  FROM (
    SELECT NULL AS id, utid, ts, 0 AS kind, ts AS wake_ts, NULL AS begin_ts FROM orma_wait WHERE NOT preempted
    UNION ALL
    SELECT id, utid, end_ts AS ts, 1 AS kind, NULL AS wake_ts, ts AS begin_ts FROM _orma_futex_call
  )
)
WHERE id IS NOT NULL AND woken_ts >= begin_ts;

-- Calls that waited for a futex until another thread, or the time that was given, ended it.
CREATE PERFETTO TABLE orma_futex_wait(
  -- Alias for `slice.id`, of the call.
  id LONG,
  -- When it was entered.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The thread that waited.
  utid JOINID(thread.id),
  -- Its process.
  upid JOINID(process.id),
  -- Where the futex is, in the memory of that process.
  address LONG,
  -- The thread that woke it last in this call; NULL if an interrupt did (a timer, a signal), or nobody that
  -- was recorded.
  waker_utid JOINID(thread.id)
) AS
SELECT
  f.id, f.ts, f.end_ts - f.ts AS dur, f.utid, t.upid, f.address, iif(w.by_interrupt, NULL, w.waker_utid) AS waker_utid
FROM _orma_futex_call AS f
JOIN thread AS t ON t.utid = f.utid
LEFT JOIN _orma_futex_woken AS k ON k.id = f.id
LEFT JOIN orma_wait AS w ON w.utid = f.utid AND w.ts = k.woken_ts
ORDER BY f.id;

-- For whom the thread that ended a wait was itself waiting meanwhile: its longest wait for another futex
-- that lies in the wait at least in part.
CREATE PERFETTO FUNCTION _orma_futex_of_waker(
  -- Alias for `slice.id`, of the wait.
  id LONG
)
RETURNS LONG AS
SELECT o.id
FROM orma_futex_wait AS f JOIN orma_futex_wait AS o ON o.utid = f.waker_utid
WHERE f.id = $id AND o.ts < f.ts + f.dur AND o.ts + o.dur > f.ts AND (o.address != f.address OR o.upid IS NOT f.upid)
ORDER BY min(o.ts + o.dur, f.ts + f.dur) - max(o.ts, f.ts) DESC, o.id
LIMIT 1;
