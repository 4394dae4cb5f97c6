-- Equal call chains share a row, unless a mapping between them gives their addresses another meaning.
SELECT p.ts, t.tid, p.cpu, c.id AS callsite, c.depth, f.rel_pc, m.name AS mapping, up.name AS under FROM perf_sample p JOIN thread t USING (utid) JOIN stack_profile_callsite c ON c.id = p.callsite_id
JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping LEFT JOIN stack_profile_callsite uc ON uc.id = c.parent_id LEFT JOIN stack_profile_frame uf ON uf.id = uc.frame_id
LEFT JOIN stack_profile_mapping up ON up.id = uf.mapping ORDER BY p.ts;
SELECT c.ts, c.value, t.id AS track FROM counter c JOIN counter_track t ON t.id = c.track_id ORDER BY c.ts;
SELECT name, idx, value FROM stats WHERE value > 0 AND name GLOB 'perf_*' ORDER BY name;
