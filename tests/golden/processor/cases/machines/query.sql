SELECT s.ts, s.name, t.machine_id, m.raw_id FROM slice s JOIN track t ON s.track_id = t.id JOIN machine m ON t.machine_id = m.id ORDER BY s.id;
SELECT utid, tid, name, machine_id FROM thread ORDER BY utid;
