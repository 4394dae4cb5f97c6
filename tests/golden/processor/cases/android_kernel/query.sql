SELECT c.ts, c.value, t.name, t.type, extract_arg(t.dimension_arg_set_id, 'utid') AS utid, extract_arg(t.dimension_arg_set_id, 'upid') AS upid,
  extract_arg(c.arg_set_id, 'inode') AS inode FROM counter c JOIN __intrinsic_track t ON c.track_id = t.id ORDER BY c.ts, c.id;
SELECT s.ts, s.dur, s.name, t.type, t.name AS track, extract_arg(s.arg_set_id, 'info_val') AS info FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.ts, s.id;
SELECT name, value FROM stats WHERE name = 'gpu_work_period_negative_duration';
SELECT s.ts, s.dur, s.thread_ts, s.thread_dur, t.name FROM slice s JOIN track t ON t.id = s.track_id WHERE t.type = 'android_gpu_work_period';
