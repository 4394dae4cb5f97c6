-- Recorded to a pipe: what a file has in its sections comes as records.
SELECT p.ts, t.tid, t.name AS thread, x.pid, x.name AS process, p.cpu, f.rel_pc, m.name AS mapping FROM perf_sample p JOIN thread t USING (utid) JOIN process x USING (upid) JOIN stack_profile_callsite c ON c.id = p.callsite_id
JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY p.ts;
SELECT c.ts, c.value, t.name FROM counter c JOIN counter_track t ON t.id = c.track_id ORDER BY c.ts;
SELECT cmdline FROM perf_session;
SELECT name, idx, value FROM stats WHERE value > 0 AND name GLOB 'perf_*' ORDER BY name;
