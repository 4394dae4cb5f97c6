SELECT s.ts, s.dur, s.cpu, t.tid, s.end_state, s.priority FROM sched s JOIN thread t USING (utid) ORDER BY s.id;
SELECT s.ts, s.dur, s.cpu, t.tid, s.utid, s.state FROM thread_state s JOIN thread t USING (utid) ORDER BY s.id;
SELECT tid, t.name, t.start_ts, t.end_ts, is_main_thread, is_idle, pid, p.name, p.cmdline FROM thread t LEFT JOIN process p USING (upid) ORDER BY utid;
SELECT c.ts, t.name, c.value FROM counter c JOIN track t ON c.track_id = t.id ORDER BY c.ts;
SELECT name, value FROM stats WHERE name IN ('task_state_invalid', 'generic_task_state_invalid_order');
