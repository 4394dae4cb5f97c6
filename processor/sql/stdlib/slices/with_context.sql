-- Slices with the thread and process they belong to.

CREATE PERFETTO VIEW thread_slice(
  id ID(slice.id), ts TIMESTAMP, dur DURATION, category STRING, name STRING,
  track_id JOINID(track.id), track_name STRING, thread_name STRING, utid JOINID(thread.id),
  tid LONG, is_main_thread BOOL, process_name STRING, upid JOINID(process.id), pid LONG,
  depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, k.name AS track_name,
  t.name AS thread_name, t.utid, t.tid, t.is_main_thread, p.name AS process_name, p.upid, p.pid,
  s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur
FROM slice AS s
JOIN thread_track AS k ON s.track_id = k.id
JOIN thread AS t ON k.utid = t.id
LEFT JOIN process AS p ON t.upid = p.id;

CREATE PERFETTO VIEW process_slice(
  id ID(slice.id), ts TIMESTAMP, dur DURATION, category STRING, name STRING,
  track_id JOINID(track.id), track_name STRING, process_name STRING, upid JOINID(process.id),
  pid LONG, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.category, s.name, s.track_id, k.name AS track_name,
  p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id, s.arg_set_id, s.thread_ts,
  s.thread_dur
FROM slice AS s
JOIN process_track AS k ON s.track_id = k.id
JOIN process AS p ON k.upid = p.id;

-- Both; thread columns are NULL for slices of processes.
CREATE PERFETTO VIEW thread_or_process_slice(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, category STRING, name STRING,
  track_id JOINID(track.id), track_name STRING, thread_name STRING, utid JOINID(thread.id),
  tid LONG, process_name STRING, upid JOINID(process.id), pid LONG, depth LONG,
  parent_id JOINID(slice.id), arg_set_id ARGSETID
) AS
SELECT
  id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name, upid,
  pid, depth, parent_id, arg_set_id
FROM thread_slice
UNION ALL
SELECT
  id, ts, dur, category, name, track_id, track_name, NULL AS thread_name, NULL AS utid,
  NULL AS tid, process_name, upid, pid, depth, parent_id, arg_set_id
FROM process_slice;
