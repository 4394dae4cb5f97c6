SELECT c.ts, pt.name, p.name, c.value FROM counter c JOIN process_counter_track pt ON c.track_id = pt.id JOIN process p USING (upid) ORDER BY c.ts;
SELECT name, value FROM stats WHERE name = 'rss_stat_unknown_thread_for_mm_id';
