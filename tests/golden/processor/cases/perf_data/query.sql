SELECT p.ts, t.name, t.tid, p.cpu, p.cpu_mode, s.cmdline FROM perf_sample p JOIN thread t USING (utid)
JOIN perf_session s ON s.id = p.perf_session_id;
SELECT c.id, c.depth, c.parent_id, m.name AS mapping, f.rel_pc FROM stack_profile_callsite c
JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY c.id;
SELECT c.ts, c.value, t.name, t.cpu, t.is_timebase FROM counter c JOIN perf_counter_track t ON t.id = c.track_id;
SELECT name, idx, value FROM stats WHERE name GLOB 'perf_*' AND value > 0;
