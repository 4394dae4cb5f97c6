SELECT s.ts, s.dur, s.name, t.tid, extract_arg(s.arg_set_id, 'code') AS code, extract_arg(s.arg_set_id, 'flags') AS flags,
  extract_arg(s.arg_set_id, 'destination name') AS destination, extract_arg(s.arg_set_id, 'data size') AS size
FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) ORDER BY s.ts, s.id;
