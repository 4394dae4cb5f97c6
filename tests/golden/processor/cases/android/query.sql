SELECT l.ts, t.tid, l.prio, l.tag, l.msg FROM android_logs l JOIN thread t USING (utid) ORDER BY l.ts;
SELECT c.ts, c.value, t.name, t.type, extract_arg(c.arg_set_id, 'packet_ts') AS packet, extract_arg(c.arg_set_id, 'utid') AS writer, extract_arg(t.source_arg_set_id, 'raw_name') AS raw,
  extract_arg(t.source_arg_set_id, 'subsystem_name') AS subsystem, extract_arg(t.source_arg_set_id, 'consumer_type') AS consumer,
  extract_arg(t.dimension_arg_set_id, 'uid') AS uid, extract_arg(t.dimension_arg_set_id, 'upid') AS upid FROM counter c JOIN __intrinsic_track t ON c.track_id = t.id ORDER BY c.ts, c.id;
SELECT s.ts, s.name, t.name AS track, t.type FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.ts;
SELECT * FROM package_list;
SELECT * FROM android_game_intervention_list;
SELECT name, str_value FROM metadata WHERE name = 'ui_state';
SELECT name, value FROM stats WHERE value != 0 AND (name GLOB 'android*' OR name GLOB 'power*' OR name GLOB 'energy*' OR name GLOB 'entity*'
  OR name GLOB 'packages*' OR name GLOB 'game*') ORDER BY name;
SELECT id, name, consumer_id, consumer_type, ordinal FROM energy_counter_track;
SELECT id, name, uid FROM uid_counter_track;
SELECT id, consumer_id, uid FROM energy_per_uid_counter_track;
