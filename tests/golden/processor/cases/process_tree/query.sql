SELECT upid, pid, name, start_ts, end_ts, parent_upid, uid, android_appid, android_user_id, cmdline,
       extract_arg(arg_set_id, 'is_kthread') AS kthread,
       extract_arg(arg_set_id, 'cgroup') AS cgroup FROM process ORDER BY upid;
SELECT utid, tid, name, start_ts, end_ts, upid, is_main_thread, is_idle FROM thread ORDER BY utid;
SELECT c.ts, c.value, t.name, t.type, t.upid FROM counter c JOIN process_counter_track t ON c.track_id = t.id;
SELECT s.ts, s.dur, s.name, t.utid FROM slice s JOIN thread_track t ON s.track_id = t.id;
