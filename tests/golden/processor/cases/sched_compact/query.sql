SELECT ts, dur, cpu, tid, name, end_state, priority FROM sched JOIN thread USING (utid) ORDER BY ts;
SELECT s.ts, s.dur, s.cpu, t.tid, s.state, w.tid AS waker, s.waker_id, s.irq_context
FROM thread_state s JOIN thread t USING (utid) LEFT JOIN thread w ON s.waker_utid = w.utid ORDER BY s.id;
SELECT ts, thread_state_id, irq_context FROM spurious_sched_wakeup;
SELECT e.ts, e.name, e.cpu, group_concat(a.key || '=' || a.display_value, ' ') AS args
FROM ftrace_event e JOIN args a USING (arg_set_id) GROUP BY e.id ORDER BY e.id;
SELECT name, value FROM stats WHERE name GLOB 'compact_sched*';
