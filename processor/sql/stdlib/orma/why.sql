-- Where the time of a thread went, and because of whom.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE orma.durations;
INCLUDE PERFETTO MODULE orma.irqs;
INCLUDE PERFETTO MODULE orma.sched;
INCLUDE PERFETTO MODULE orma.syscalls;
INCLUDE PERFETTO MODULE sched.thread_executing_span;

-- States of threads with an end; where it is not known, the begin of the next one, or the end of the
-- trace. Waits have the cpu on which the thread ran then. What a thread did while events were lost, is
-- not known.
CREATE PERFETTO TABLE _orma_why_ended AS
SELECT
  p.id, p.ts, iif(p.shown_dur >= 0, p.ts + p.shown_dur, coalesce(o.end_ts, p.next_ts, trace_end())) AS end_ts, p.utid, p.state,
  p.shown_dur >= 0 OR o.end_ts IS NOT NULL AS known, p.next_ts IS NOT NULL AS goes_on, p.ucpu, p.next_ucpu
FROM _orma_state_pair AS p LEFT JOIN orma_open_state AS o ON o.id = p.id
WHERE p.shown_dur != 0 AND p.state NOT IN ('X', 'Z');

CREATE PERFETTO TABLE _orma_why_known AS
SELECT
  ts, end_ts - ts AS dur, utid, goes_on,
  CASE
    WHEN NOT known THEN 'unknown'
    WHEN id IN (SELECT id FROM _orma_torn_state) THEN 'lost'
    WHEN state = 'Running' THEN 'ran'
    WHEN state IN ('R', 'R+') THEN 'waited'
    WHEN state = 'D' OR state GLOB 'D*' THEN 'blocked'
    WHEN state = 'I' THEN 'blocked'
    ELSE 'slept'
  END AS state,
  iif(state = 'Running', ucpu, next_ucpu) AS ucpu, state IN ('R', 'R+') AS ready
FROM _orma_why_ended AS p;

-- Where the switch to a thread is missing: the first event that it caused then, on which cpu, and when
-- that cpu was last seen with another thread. The switch is between the two: had the thread left a
-- cpu before, there would be a switch of it. (In steps: each runs over columns.)
CREATE PERFETTO TABLE _orma_why_event AS
SELECT ts, utid, ucpu, lag(ts) OVER (PARTITION BY ucpu ORDER BY ts) AS other_ts
FROM ftrace_event
WHERE ts >= (SELECT min(ts) FROM _orma_why_known WHERE state = 'unknown');

CREATE PERFETTO TABLE _orma_why_own_event AS
SELECT ts, utid, ts AS state_ts, NULL AS ucpu, NULL AS other_ts
FROM _orma_why_known
WHERE state = 'unknown'
UNION ALL
SELECT ts, utid, NULL AS state_ts, ucpu, other_ts
FROM _orma_why_event
WHERE utid IN (SELECT utid FROM _orma_why_known WHERE state = 'unknown');

CREATE PERFETTO TABLE _orma_why_event_of_state AS
SELECT ts, utid, ucpu, other_ts, max(state_ts) OVER (PARTITION BY utid ORDER BY ts) AS state_ts
FROM _orma_why_own_event;

CREATE PERFETTO TABLE _orma_why_first_event AS
SELECT utid, state_ts, min(ts) AS ts, ucpu, other_ts
FROM _orma_why_event_of_state
WHERE ucpu IS NOT NULL AND ts > state_ts
GROUP BY utid, state_ts;

CREATE PERFETTO TABLE _orma_why_seen AS
SELECT
  k.utid, k.ts AS state_ts, k.ts + k.dur AS end_ts, f.ts, f.ucpu,
  iif(k.ready, max(k.ts, f.other_ts), k.ts) AS other_ts
FROM _orma_why_first_event AS f
JOIN _orma_why_known AS k ON k.utid = f.utid AND k.ts = f.state_ts
WHERE k.state = 'unknown' AND k.goes_on AND f.ts <= k.ts + k.dur;

-- inferred: no switch tells it, but other events do.
CREATE PERFETTO TABLE _orma_why_state AS
WITH
  parts AS (
    SELECT ts, dur, utid, iif(state = 'lost', 'unknown', state) AS state, ucpu, 0 AS inferred
    FROM _orma_why_known
    WHERE state != 'unknown'
    UNION ALL
    SELECT ts, dur, utid, state, NULL AS ucpu, 0 AS inferred
    FROM _orma_why_known AS k
    WHERE state = 'unknown' AND NOT EXISTS (
      SELECT 1 FROM _orma_why_seen AS s WHERE s.utid = k.utid AND s.state_ts = k.ts
    )
    UNION ALL
    SELECT state_ts AS ts, other_ts - state_ts AS dur, utid, 'waited' AS state, ucpu, 1 AS inferred
    FROM _orma_why_seen
    UNION ALL
    SELECT other_ts AS ts, ts - other_ts AS dur, utid, 'unknown' AS state, NULL AS ucpu, 0 AS inferred
    FROM _orma_why_seen
    UNION ALL
    SELECT ts, end_ts - ts AS dur, utid, 'ran' AS state, ucpu, 1 AS inferred
    FROM _orma_why_seen
  )
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, utid, state, ucpu, inferred
FROM parts
WHERE dur > 0
ORDER BY id;

-- From when on it is known what threads did: a state follows the other from then on.
CREATE PERFETTO TABLE _orma_why_begin AS
SELECT utid, min(ts) AS ts, max(ts + dur) AS end_ts FROM _orma_why_state GROUP BY utid;

-- What was on each cpu, as intervals of `ucpu`.
CREATE PERFETTO VIEW _orma_why_on_cpu AS
SELECT id, ts, dur, ucpu FROM _orma_on_cpu WHERE dur > 0;

-- Interrupts, softirqs and timers, as intervals of `ucpu`. A timer that fired in one of the others is
-- not there by itself; the interrupt of the timer of the cpu has the name of the first one that did.
CREATE PERFETTO TABLE _orma_why_interrupt AS
WITH
  each AS (
    SELECT
      id, ts, dur, ucpu, kind, name, lead(ts) OVER w AS next_ts,
      iif(lead(kind) OVER w = 'timer', lead(name) OVER w, NULL) AS next_timer,
      max(iif(kind = 'timer', 0, ts + dur))
        OVER (PARTITION BY ucpu ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        AS around
    FROM orma_interrupt
    WHERE dur > 0
    WINDOW w AS (PARTITION BY ucpu ORDER BY ts, id)
  )
SELECT
  i.id, i.ts, i.dur, i.ucpu,
  iif(
    name = 'IRQ (LocalTimer)' AND next_timer IS NOT NULL AND next_ts < ts + dur,
    'timer ' || next_timer, kind || ' ' || name
  ) AS name
FROM each AS i
WHERE ucpu IS NOT NULL AND (kind != 'timer' OR coalesce(around, 0) < ts + dur)
ORDER BY i.id;

-- Page faults. How long one took is not recorded: as long as a fault and what comes before the next
-- one take in the quickest tenth of the trace, and no longer than until the next one of the thread.
CREATE PERFETTO TABLE _orma_why_fault_gap AS
SELECT ts, utid, lead(ts) OVER (PARTITION BY utid ORDER BY ts) - ts AS gap
FROM ftrace_event
WHERE name IN ('page_fault_user', 'page_fault_kernel');

CREATE PERFETTO TABLE _orma_why_fault AS
WITH usual AS (SELECT percentile(gap, 10) AS cost FROM _orma_why_fault_gap)
SELECT
  row_number() OVER (ORDER BY ts) AS id, ts, CAST(min(coalesce(gap, cost), cost) AS INT) AS dur, utid
FROM _orma_why_fault_gap JOIN usual
WHERE cost >= 1;

-- When threads were blocked, and had had a page fault since their last system call: unless they are
-- in another one, that is what they wait for.
CREATE PERFETTO TABLE _orma_why_moment AS
SELECT ts, utid, NULL AS state_id, ts AS fault_ts, NULL AS call_ts FROM _orma_why_fault
UNION ALL
SELECT ts + dur AS ts, utid, NULL AS state_id, NULL AS fault_ts, ts + dur AS call_ts
FROM orma_syscall
UNION ALL
SELECT ts, utid, id AS state_id, NULL AS fault_ts, NULL AS call_ts
FROM _orma_why_state
WHERE state = 'blocked' AND EXISTS (SELECT 1 FROM _orma_why_fault);

CREATE PERFETTO TABLE _orma_why_latest AS
SELECT
  state_id, max(fault_ts) OVER (PARTITION BY utid ORDER BY ts) AS fault_ts,
  max(call_ts) OVER (PARTITION BY utid ORDER BY ts) AS call_ts
FROM _orma_why_moment;

CREATE PERFETTO TABLE _orma_why_paging AS
SELECT s.id, s.ts, s.dur, s.utid
FROM _orma_why_latest AS l JOIN _orma_why_state AS s ON s.id = l.state_id
WHERE l.fault_ts > coalesce(l.call_ts, 0)
ORDER BY s.id;

-- When threads were kept from the cpus by the quota of their cgroup. The kernel has no event for that,
-- but the timer that gives groups their next quota: a thread that was taken from its cpu and went on
-- as soon as that timer had fired, several times, waited for it.
CREATE PERFETTO TABLE _orma_why_throttled AS
WITH
  refills AS (
    SELECT ts, machine_id FROM orma_interrupt WHERE kind = 'timer' AND name GLOB 'sched_cfs_*_timer'
  ),
  moments AS (
    SELECT ts, NULL AS id, ts AS refill, machine_id FROM refills
    UNION ALL
    SELECT w.ts + w.dur AS ts, w.id, NULL AS refill, t.machine_id
    FROM orma_wait AS w JOIN thread AS t ON t.utid = w.utid
    WHERE w.preempted AND w.dur >= 500000
  ),
  latest AS (SELECT id, max(refill) OVER (PARTITION BY machine_id ORDER BY ts) AS refill FROM moments),
  waits AS (
    SELECT w.ts, w.dur, w.utid, l.refill
    FROM latest AS l JOIN orma_wait AS w ON w.id = l.id
    WHERE l.refill > w.ts
  ),
  throttled AS (
    SELECT utid, sum(ts + dur - refill < 100000) AS at_once
    FROM waits
    GROUP BY utid
    HAVING at_once >= 3 AND 4 * at_once >= count(*)
  )
SELECT row_number() OVER (ORDER BY ts) AS id, ts, refill - ts AS dur, utid
FROM waits
WHERE utid IN (SELECT utid FROM throttled);

-- Wake-ups of which the record does not say whether an interrupt did it, and one did.
CREATE PERFETTO TABLE _orma_why_doubtful AS
SELECT s.id, s.ts, 1 AS dur, e.ucpu
FROM thread_state AS s JOIN ftrace_event AS e ON e.ts = s.ts AND e.utid = s.waker_utid
WHERE s.irq_context IS NULL AND s.waker_utid IS NOT NULL AND e.name = 'sched_waking';

CREATE PERFETTO TABLE _orma_why_by_interrupt AS
SELECT DISTINCT id_0 AS id
FROM _interval_intersect!((_orma_why_doubtful, _orma_why_interrupt), (ucpu));

-- Wake-ups in a softirq that the running thread had raised by itself: it sent something to a socket of
-- this machine, and the kernel delivered it before the call returned. If softirqs were recorded, it is
-- one that did not follow an interrupt at once; else, the thread was in a call that sends, and the one
-- that it woke in a call that receives.
CREATE PERFETTO TABLE _orma_why_in_softirq AS
SELECT s.id, s.ts, 1 AS dur, s.utid AS woken_utid, s.waker_utid AS utid, e.ucpu
FROM thread_state AS s JOIN ftrace_event AS e ON e.ts = s.ts AND e.utid = s.waker_utid
WHERE s.irq_context AND e.name = 'sched_waking'
  AND s.waker_utid NOT IN (SELECT utid FROM thread WHERE is_idle OR name GLOB 'ksoftirqd/*')
ORDER BY s.id;

CREATE PERFETTO TABLE _orma_why_raised AS
WITH each AS (
  SELECT
    id, ts, dur, ucpu, kind, name,
    max(iif(kind = 'irq', ts + dur, 0))
      OVER (PARTITION BY ucpu ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
      AS interrupted
  FROM orma_interrupt
)
SELECT e.id, e.ts, e.dur, e.ucpu
FROM each AS e
WHERE e.ucpu IS NOT NULL AND e.kind = 'softirq' AND e.name = 'NET_RX' AND e.dur > 0 AND coalesce(e.interrupted, 0) < e.ts - 5000
ORDER BY e.id;

CREATE PERFETTO TABLE _orma_why_sending AS
SELECT id, ts, dur, utid
FROM orma_syscall
WHERE dur > 0 AND name IN (
  'write', 'writev', 'sendto', 'sendmsg', 'sendmmsg', 'sendfile', 'splice', 'io_uring_enter', 'connect',
  'close', 'shutdown'
) AND utid IN (SELECT utid FROM _orma_why_in_softirq)
ORDER BY id;

CREATE PERFETTO TABLE _orma_why_receiving AS
SELECT id, ts, dur, utid
FROM orma_syscall
WHERE dur > 0 AND name IN (
  'read', 'readv', 'recvfrom', 'recvmsg', 'recvmmsg', 'splice', 'io_uring_enter', 'accept', 'accept4',
  'connect', 'poll', 'ppoll', 'select', 'pselect6', 'epoll_wait', 'epoll_pwait', 'epoll_pwait2'
) AND utid IN (SELECT woken_utid FROM _orma_why_in_softirq)
ORDER BY id;

CREATE PERFETTO VIEW _orma_why_woken AS
SELECT id, ts, dur, woken_utid AS utid FROM _orma_why_in_softirq;

CREATE PERFETTO TABLE _orma_why_delivered AS
SELECT DISTINCT id_0 AS id
FROM _interval_intersect!((_orma_why_in_softirq, _orma_why_raised), (ucpu))
UNION
SELECT s.id_0 AS id
FROM _interval_intersect!((_orma_why_in_softirq, _orma_why_sending), (utid)) AS s
JOIN _interval_intersect!((_orma_why_woken, _orma_why_receiving), (utid)) AS r ON r.id_0 = s.id_0
WHERE NOT EXISTS (SELECT 1 FROM orma_interrupt WHERE kind = 'softirq');

-- The graph of sched.thread_executing_span follows threads that were seen to be woken. Here each run
-- counts, for a switch or a wake-up may be missing.
--
-- Runs of states of a thread in which it was awake (running, or waiting for a cpu), and those
-- between them in which it slept. The id of a run is that of its first state.
CREATE PERFETTO TABLE _orma_why_state_runs AS
WITH
  states AS (
    SELECT
      id, ts,
      -- Where switches are missing, a state ends when the next one that is known begins.
      iif(
        dur = -1,
        coalesce(lead(ts) OVER (PARTITION BY utid ORDER BY ts, id), trace_end()) - ts, dur
      ) AS dur,
      utid, state, blocked_function,
      iif(coalesce(irq_context, 0) AND id NOT IN (SELECT id FROM _orma_why_delivered), NULL, waker_id)
        AS waker_id,
      state IN ('R', 'R+', 'Running') AS awake
    FROM thread_state
    WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)
  ),
  changes AS (
    SELECT
      *, awake IS NOT lag(awake) OVER (PARTITION BY utid ORDER BY ts, id) AS changed
    FROM states
  )
SELECT
  id, ts, dur, utid, state, blocked_function, waker_id, awake,
  sum(changed) OVER (PARTITION BY utid ORDER BY ts, id) AS run
FROM changes
ORDER BY id;

CREATE PERFETTO TABLE _orma_why_runs AS
SELECT
  min(id) AS id, utid, run, awake, min(ts) AS ts, sum(dur) AS dur
FROM _orma_why_state_runs
GROUP BY utid, run
ORDER BY utid, run;

-- The run of each state.
CREATE PERFETTO TABLE _orma_why_run_of_state AS
SELECT id, min(id) OVER (PARTITION BY utid, run) AS run_id
FROM _orma_why_state_runs
ORDER BY id;

-- One row for each run in which a thread was awake: who woke it (waker_id, another row; NULL if
-- it is not known or was an interrupt), how long it had slept before, in which state and where
-- in the kernel, and its run before that.
CREATE PERFETTO TABLE _orma_why_wakeups AS
WITH
  runs AS (
    SELECT
      id, utid, ts, dur, awake, lag(id) OVER w AS sleep_id, lag(dur) OVER w AS sleep_dur,
      lag(id, 2) OVER w AS prev_id
    FROM _orma_why_runs
    WINDOW w AS (PARTITION BY utid ORDER BY run)
  )
SELECT
  r.utid,
  r.id,
  w.run_id AS waker_id,
  r.ts,
  i.state AS idle_state,
  i.blocked_function AS idle_reason,
  r.sleep_dur AS idle_dur,
  r.prev_id,
  r.dur
FROM runs AS r
JOIN _orma_why_state_runs AS first ON first.id = r.id
LEFT JOIN _orma_why_run_of_state AS w ON w.id = first.waker_id
LEFT JOIN _orma_why_state_runs AS i ON i.id = r.sleep_id
WHERE r.awake
ORDER BY r.id;

-- Wakers that were not seen to run: the switch to them is missing, but that they woke somebody says
-- that they ran then. If the last interval in which one is known to have been awake lasts until the
-- wake-up, that one woke; else it slept, as far as is known, and has an interval of no length (its id:
-- 2 ^ 40 and more).
CREATE PERFETTO TABLE _orma_why_hidden_waker AS
SELECT g.id AS woken_id, s.waker_utid AS utid, g.ts
FROM _orma_why_wakeups AS g JOIN thread_state AS s ON s.id = g.id
WHERE g.waker_id IS NULL AND s.waker_utid IS NOT NULL
  AND (NOT coalesce(s.irq_context, 0) OR s.id IN (SELECT id FROM _orma_why_delivered))
  AND s.waker_utid NOT IN (SELECT utid FROM thread WHERE is_idle)
  AND s.id NOT IN (SELECT id FROM _orma_why_by_interrupt);

CREATE PERFETTO TABLE _orma_why_hidden_moment AS
WITH moments AS (
  SELECT ts, utid, NULL AS woken_id, id AS run_id
  FROM _orma_why_wakeups
  WHERE utid IN (SELECT utid FROM _orma_why_hidden_waker)
  UNION ALL
  SELECT ts, utid, woken_id, NULL AS run_id FROM _orma_why_hidden_waker
)
SELECT ts, utid, woken_id, max(run_id) OVER (PARTITION BY utid ORDER BY ts) AS run_id FROM moments;

CREATE PERFETTO TABLE _orma_why_hidden_run AS
SELECT
  m.woken_id, m.ts, m.utid, r.id AS run_id, m.ts - (r.ts + r.dur) AS idle_dur,
  iif(m.ts > r.ts + r.dur, m.woken_id + (1 << 40), r.id) AS waker_id
FROM _orma_why_hidden_moment AS m JOIN _orma_why_wakeups AS r ON r.id = m.run_id
WHERE m.woken_id IS NOT NULL
ORDER BY m.woken_id;

-- The graph of wake-ups with these wakers, and without interrupts. A worker of the kernel that had
-- nothing to do until an interrupt woke it is no reason: whom it wakes then waited for a device.
CREATE PERFETTO TABLE _orma_why_graph AS
WITH woken AS (
  SELECT
    g.id, g.utid, g.ts, g.dur, g.idle_dur,
    iif(i.id IS NULL, coalesce(g.waker_id, h.waker_id), NULL) AS waker_id, g.prev_id, g.idle_state
  FROM _orma_why_wakeups AS g
  LEFT JOIN _orma_why_hidden_run AS h ON h.woken_id = g.id
  LEFT JOIN _orma_why_by_interrupt AS i ON i.id = g.id
)
SELECT
  id, utid, ts, dur, iif(idle_state = 'I' AND waker_id IS NULL, 0, idle_dur) AS idle_dur, waker_id,
  iif(idle_state = 'I' AND waker_id IS NULL, NULL, prev_id) AS prev_id
FROM woken
UNION ALL
SELECT
  waker_id AS id, utid, ts, 0 AS dur, idle_dur, NULL AS waker_id, run_id AS prev_id
FROM _orma_why_hidden_run
WHERE waker_id != run_id;

-- The pieces of critical paths, in three steps whose results are tables, so that joins of many rows
-- have indexes:
--
--     CREATE PERFETTO TABLE path AS SELECT * FROM orma_why_path!(intervals);
--     CREATE PERFETTO TABLE cut AS SELECT * FROM orma_why_cut!(intervals, path);
--     CREATE PERFETTO TABLE piece AS SELECT * FROM orma_why_pieces!(cut);
--
-- The intervals are of threads (id, ts, dur, utid). While a thread runs, waits for a cpu, or sleeps
-- without anybody to blame, a piece is its own; while it is blocked, the piece is of the thread that
-- was going to wake it, or to wake that one, and so on. Columns of pieces: id, interval_id, ts, dur,
-- root_utid, utid (the thread of the piece), state (of that thread: ran, waited, blocked, slept,
-- unknown), ucpu, inferred (no switch tells that state, but other events do).

-- The critical paths of the threads: id, ts, dur, utid (of the root), path_utid.
CREATE PERFETTO MACRO orma_why_path(intervals TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    -- Without any state of a thread nothing is known, not even that nobody is to blame.
    _op_roots AS MATERIALIZED (
      SELECT DISTINCT utid FROM $intervals WHERE EXISTS (SELECT 1 FROM _orma_why_state)
    ),
    _op_paths AS MATERIALIZED (
      SELECT p.ts, p.dur, r.utid, p.utid AS path_utid
      FROM _critical_path_by_roots!(
        (SELECT id FROM _orma_why_graph WHERE utid IN (SELECT utid FROM $intervals)),
        _orma_why_graph
      ) AS p
      JOIN _orma_why_graph AS r ON r.id = p.root_id
      WHERE p.dur > 0
    ),
    -- Before the first and after the last of them a thread has nobody to blame: it was not woken.
    _op_ends AS MATERIALIZED (
      SELECT
        r.utid, coalesce(min(p.ts), trace_end()) AS first_ts,
        coalesce(max(p.ts + p.dur), trace_end()) AS last_ts
      FROM _op_roots AS r LEFT JOIN _op_paths AS p ON p.utid = r.utid
      GROUP BY r.utid
    ),
    _op_all AS (
      SELECT ts, dur, utid, path_utid FROM _op_paths
      UNION ALL
      SELECT trace_start() AS ts, first_ts - trace_start() AS dur, utid, utid AS path_utid
      FROM _op_ends
      UNION ALL
      SELECT last_ts AS ts, trace_end() - last_ts AS dur, utid, utid AS path_utid
      FROM _op_ends
      UNION ALL
      -- Who was going to wake it may have no event yet, so that nobody is known to be on the path.
      SELECT
        ts + dur AS ts, lead(ts) OVER (PARTITION BY utid ORDER BY ts) - (ts + dur) AS dur, utid,
        utid AS path_utid
      FROM _op_paths
    )
  SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur, utid, path_utid
  FROM _op_all
  WHERE dur > 0
);

-- The same cut to the intervals: id, ts, dur, interval_id, root_utid, utid.
CREATE PERFETTO MACRO orma_why_cut(intervals TableOrSubquery, paths TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    row_number() OVER (ORDER BY i.ts) AS id, i.ts, i.dur, i.id_0 AS interval_id,
    i.utid AS root_utid, p.path_utid AS utid
  FROM _interval_intersect!(($intervals, $paths), (utid)) AS i
  JOIN $paths AS p ON p.id = i.id_1
);

-- And cut to states of the threads on the paths.
CREATE PERFETTO MACRO orma_why_pieces(cut TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _op_pieces AS (
      SELECT c.interval_id, i.ts, i.dur, c.root_utid, i.utid, s.state, s.ucpu, s.inferred
      FROM _interval_intersect!(($cut, _orma_why_state), (utid)) AS i
      JOIN $cut AS c ON c.id = i.id_0
      JOIN _orma_why_state AS s ON s.id = i.id_1
      UNION ALL
      SELECT
        c.interval_id, c.ts, min(c.dur, coalesce(b.ts - c.ts, c.dur)) AS dur, c.root_utid, c.utid,
        'unknown' AS state, NULL AS ucpu, 0 AS inferred
      FROM $cut AS c LEFT JOIN _orma_why_begin AS b ON b.utid = c.utid
      UNION ALL
      SELECT
        c.interval_id, max(c.ts, b.end_ts) AS ts, c.ts + c.dur - max(c.ts, b.end_ts) AS dur,
        c.root_utid, c.utid, 'unknown' AS state, NULL AS ucpu, 0 AS inferred
      FROM $cut AS c JOIN _orma_why_begin AS b ON b.utid = c.utid
    )
  SELECT
    row_number() OVER (ORDER BY ts) AS id, interval_id, ts, dur, root_utid, utid, state, ucpu,
    inferred
  FROM _op_pieces
  WHERE dur > 0
);

-- For a table of such pieces: what was the reason of each. Columns: interval_id, ts, dur,
-- root_utid, kind, who (a thread, a call, an interrupt; NULL: nobody), utid (the thread that is to
-- blame; NULL: none), inferred. Kinds:
--   ran           it ran itself
--   CPU taken     it waited for a cpu, on which `who` ran
--   CPU idle      it waited for a cpu that was idle: a quota, or the way out of idle
--   throttled     the quota of its cgroup was used up
--   blocked on    `who` had to run, to wait or to sleep before it was woken
--   waiting in    it was blocked in the call `who`, or 'a page fault', and a device or nobody known
--                 woke it
--   slept in      it slept in the call `who` until a timer or something from outside woke it
--   interrupted   the interrupt `who` ran on its cpu
--   page faults   it ran for page faults, about that long
--   unknown       switches are missing there
CREATE PERFETTO MACRO orma_why_reasons(pieces TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _or_pieces AS MATERIALIZED (SELECT * FROM $pieces),
    _or_waiting AS MATERIALIZED (
      SELECT id, ts, dur, ucpu, utid FROM _or_pieces WHERE utid = root_utid AND state = 'waited'
    ),
    _or_throttled AS MATERIALIZED (
      SELECT i.id_0 AS piece, i.ts, i.dur
      FROM _interval_intersect!((_or_waiting, _orma_why_throttled), (utid)) AS i
    ),
    -- What is left of waits: the quota comes first.
    _or_waits AS MATERIALIZED (
      SELECT
        w.id, w.ts + coalesce(t.dur, 0) AS ts, w.dur - coalesce(t.dur, 0) AS dur, w.ucpu
      FROM _or_waiting AS w LEFT JOIN _or_throttled AS t ON t.piece = w.id
      WHERE w.ucpu IS NOT NULL AND w.dur > coalesce(t.dur, 0)
    ),
    _or_runs AS MATERIALIZED (
      SELECT id, ts, dur, ucpu, utid FROM _or_pieces WHERE utid = root_utid AND state = 'ran'
    ),
    _or_still AS MATERIALIZED (
      SELECT id, ts, dur, utid, state FROM _or_pieces
      WHERE utid = root_utid AND state IN ('slept', 'blocked')
    ),
    _or_calls AS MATERIALIZED (
      SELECT id, ts, dur, utid FROM orma_syscall
      WHERE dur > 0 AND utid IN (SELECT root_utid FROM _or_pieces)
    ),
    _or_taken AS MATERIALIZED (
      SELECT i.id_0 AS piece, i.ts, i.dur, o.utid
      FROM _interval_intersect!((_or_waits, _orma_why_on_cpu), (ucpu)) AS i
      JOIN _orma_on_cpu AS o ON o.id = i.id_1
    ),
    _or_stolen AS MATERIALIZED (
      SELECT i.id_0 AS piece, i.ts, i.dur, n.name
      FROM _interval_intersect!((_or_runs, _orma_why_interrupt), (ucpu)) AS i
      JOIN _orma_why_interrupt AS n ON n.id = i.id_1
    ),
    _or_faulted AS MATERIALIZED (
      SELECT i.id_0 AS piece, i.ts, i.dur
      FROM _interval_intersect!((_or_runs, _orma_why_fault), (utid)) AS i
    ),
    _or_called AS MATERIALIZED (
      SELECT i.id_0 AS piece, max(i.dur) AS dur, s.name
      FROM _interval_intersect!((_or_still, _or_calls), (utid)) AS i
      JOIN orma_syscall AS s ON s.id = i.id_1
      GROUP BY piece
    ),
    _or_paging AS MATERIALIZED (
      SELECT DISTINCT i.id_0 AS piece
      FROM _interval_intersect!((_or_still, _orma_why_paging), (utid)) AS i
    ),
    -- What has a reason of its own within pieces.
    _or_explained AS MATERIALIZED (
      SELECT piece, sum(dur) AS dur
      FROM (
        SELECT piece, dur FROM _or_taken
        UNION ALL
        SELECT piece, dur FROM _or_throttled
        UNION ALL
        SELECT piece, dur FROM _or_stolen
        UNION ALL
        SELECT piece, dur FROM _or_faulted
      )
      GROUP BY piece
    ),
    _or_rest AS MATERIALIZED (
      SELECT p.id, p.dur - coalesce(e.dur, 0) AS dur
      FROM _or_pieces AS p LEFT JOIN _or_explained AS e ON e.piece = p.id
    )
  SELECT
    p.interval_id, t.ts, t.dur, p.root_utid,
    iif(h.is_idle, 'CPU idle', 'CPU taken') AS kind,
    iif(h.is_idle, NULL, coalesce(h.name, '[' || h.tid || ']')) AS who,
    iif(h.is_idle, NULL, t.utid) AS utid, p.inferred
  FROM _or_taken AS t
  JOIN _or_pieces AS p ON p.id = t.piece
  JOIN thread AS h ON h.utid = t.utid
  UNION ALL
  SELECT p.interval_id, s.ts, s.dur, p.root_utid, 'interrupted' AS kind, s.name AS who, NULL AS utid,
    p.inferred
  FROM _or_stolen AS s JOIN _or_pieces AS p ON p.id = s.piece
  UNION ALL
  SELECT p.interval_id, t.ts, t.dur, p.root_utid, 'throttled' AS kind, NULL AS who, NULL AS utid,
    p.inferred
  FROM _or_throttled AS t JOIN _or_pieces AS p ON p.id = t.piece
  UNION ALL
  SELECT p.interval_id, f.ts, f.dur, p.root_utid, 'page faults' AS kind, NULL AS who, NULL AS utid,
    p.inferred
  FROM _or_faulted AS f JOIN _or_pieces AS p ON p.id = f.piece
  UNION ALL
  SELECT
    p.interval_id, p.ts, r.dur, p.root_utid,
    CASE
      WHEN p.state = 'unknown' THEN 'unknown'
      WHEN p.utid != p.root_utid THEN 'blocked on'
      WHEN p.state = 'ran' THEN 'ran'
      WHEN p.state = 'waited' THEN 'CPU taken'
      WHEN p.state = 'blocked' THEN 'waiting in'
      ELSE 'slept in'
    END AS kind,
    CASE
      WHEN p.utid != p.root_utid THEN coalesce(h.name, '[' || h.tid || ']')
      WHEN p.state IN ('blocked', 'slept') THEN
        coalesce(c.name, iif(g.piece IS NULL, 'the kernel', 'a page fault'))
    END AS who,
    iif(p.utid != p.root_utid, p.utid, NULL) AS utid, p.inferred
  FROM _or_pieces AS p
  JOIN _or_rest AS r ON r.id = p.id
  JOIN thread AS h ON h.utid = p.utid
  LEFT JOIN _or_called AS c ON c.piece = p.id
  LEFT JOIN _or_paging AS g ON g.piece = p.id
  WHERE r.dur > 0
);

-- The slice that a thread was in during each piece (id, ts, dur, utid), if it was for half of it: the innermost
-- such. System calls are none here.
CREATE PERFETTO MACRO _orma_why_slice(pieces TableOrSubquery)
RETURNS TableOrSubquery AS
(
  WITH
    _os_pieces AS MATERIALIZED (SELECT id, ts, dur, utid FROM $pieces),
    _os_slices AS MATERIALIZED (
      SELECT s.id, s.ts, iif(s.dur < 0, o.end_ts - s.ts, s.dur) AS dur, t.utid, s.depth, s.name
      FROM slice AS s
      JOIN thread_track AS t ON s.track_id = t.id
      LEFT JOIN orma_open_slice AS o ON o.id = s.id
      WHERE t.utid IN (SELECT utid FROM _os_pieces)
        AND NOT (s.category IS NULL AND s.name GLOB 'sys_*') AND s.category IS NOT 'strace'
    ),
    _os_timed AS (SELECT id, ts, dur, utid FROM _os_slices WHERE dur > 0),
    _os_inside AS (
      SELECT
        i.id_0 AS id, s.name,
        row_number() OVER (PARTITION BY i.id_0 ORDER BY s.depth DESC, i.dur DESC, i.id_1) AS place
      FROM _interval_intersect!((_os_pieces, _os_timed), (utid)) AS i
      JOIN _os_slices AS s ON s.id = i.id_1
      JOIN _os_pieces AS p ON p.id = i.id_0
      WHERE 2 * i.dur >= p.dur
    )
  SELECT id, name FROM _os_inside WHERE place = 1
);

-- Such a kind, as a sentence about the thread.
CREATE PERFETTO FUNCTION _orma_why_cause(kind STRING, who STRING)
RETURNS STRING AS
SELECT
  CASE $kind
    WHEN 'CPU taken' THEN coalesce('lost the CPU to ' || $who, 'waited for a CPU')
    WHEN 'CPU idle' THEN 'waited for an idle CPU (quota?)'
    WHEN 'blocked on' THEN 'blocked on ' || $who
    WHEN 'waiting in' THEN 'waited in ' || $who || ' (device?)'
    WHEN 'slept in' THEN 'slept in ' || $who
    WHEN 'interrupted' THEN 'interrupted by ' || $who
    WHEN 'throttled' THEN 'the quota of its cgroup'
    WHEN 'page faults' THEN 'page faults (about)'
    WHEN 'ran' THEN 'ran'
    ELSE 'unknown'
  END;
