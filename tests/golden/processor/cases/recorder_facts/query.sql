SELECT cpu, cluster_id, processor, capacity, extract_arg(arg_set_id, 'cpu_features.raw_bitmap') AS bits FROM cpu;
SELECT freq, count(*) AS n FROM cpu_available_frequencies GROUP BY freq;
SELECT irq_id, name FROM _linux_interrupt_mapping;
SELECT name, int_value, str_value FROM metadata WHERE name LIKE 'trace_attribute%';
SELECT s.ts, s.dur, s.value, t.name, extract_arg(s.arg_set_id, 'consumer_uid') AS uid FROM state s JOIN track t ON s.track_id = t.id;
SELECT ts, dur, category, name, extract_arg(arg_set_id, 'k') AS k FROM slice;
SELECT c.ts, c.value, t.name FROM counter c JOIN counter_track t ON c.track_id = t.id;
SELECT l.ts, l.prio, l.tag, l.msg, t.tid, extract_arg(l.arg_set_id, 'comm') AS comm FROM logs l JOIN thread t USING (utid);
SELECT name, value FROM stats WHERE name LIKE 'systemd%' OR name LIKE 'concurrent%' OR name = 'cpu_info_unknown_cpu_features';
