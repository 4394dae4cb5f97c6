-- What users touch and press, from the reader in the system to the frame on the screen.
--
-- Each event is a message on a channel to a window, with a number; its slices say
-- "sendMessage(inputChannel=C, seq=N, type=T)" and "receiveMessage(...)". An answer ("FINISHED") goes
-- back on the channel.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- The name of a channel without the number of its window and without its end.
CREATE PERFETTO FUNCTION _normalize_event_channel(
  -- The channel.
  event_channel STRING
)
-- Its window.
RETURNS STRING AS
SELECT
  CASE
    WHEN $event_channel GLOB '*PointerEventDispatcher*' THEN 'PointerEventDispatcher'
    WHEN $event_channel GLOB '*NotificationShade*' THEN 'NotificationShade'
    WHEN $event_channel GLOB '*StatusBar*' THEN 'StatusBar'
    WHEN $event_channel GLOB '[[]Gesture Monitor[]]*' THEN '[Gesture Monitor]'
    ELSE $event_channel
  END;

-- The parts of a slice of a message.
CREATE PERFETTO MACRO _android_input_messages(glob Expr)
RETURNS TableOrSubquery AS
(
  SELECT
    str_split(str_split(s.name, '=', 3), ')', 0) AS event_type,
    str_split(str_split(s.name, '=', 2), ',', 0) AS event_seq,
    str_split(str_split(s.name, '=', 1), ',', 0) AS event_channel,
    s.tid, s.thread_name, s.upid, s.pid, s.process_name, s.ts, s.dur, s.track_id, s.id AS slice_id
  FROM thread_slice AS s
  WHERE s.name GLOB $glob
  ORDER BY event_seq
);

CREATE PERFETTO TABLE _input_message_sent AS
SELECT * FROM _android_input_messages!('sendMessage(*');

CREATE PERFETTO TABLE _input_message_received AS
SELECT * FROM _android_input_messages!('receiveMessage(*');

-- When the reader had an event: "UnwantedInteractionBlocker::notifyMotion(id=ID)".
CREATE PERFETTO TABLE _input_read_time AS
SELECT
  s.id AS slice_id, s.name, str_split(str_split(s.name, '=', 1), ')', 0) AS input_event_id,
  s.ts AS read_time, s.dur, s.track_id
FROM slice AS s
WHERE s.name GLOB 'UnwantedInteractionBlocker::notifyMotion(id=*'
ORDER BY s.ts;

-- Which event a message was: the dispatcher sends it in a slice that names both, or its parent does.
CREATE PERFETTO TABLE _event_seq_to_input_event_id AS
SELECT
  str_split(str_split(s.name, '=', 2), ',', 0) AS event_seq,
  str_split(str_split(s.name, '=', 1), ',', 0) AS event_channel,
  max(str_split(str_split(a.name, 'id=', 1), ')', 0)) AS input_event_id
FROM slice AS s JOIN ancestor_slice(s.id) AS a
WHERE
  s.name GLOB 'sendMessage(*'
  AND (
    a.name GLOB 'enqueueDispatchEntryAndStartDispatchCycleLocked(*id=*'
    OR a.name GLOB 'enqueueDispatchEntriesLocked(*id=*'
    OR a.name GLOB 'prepareDispatchCycleLocked(*id=*'
  )
GROUP BY s.id
ORDER BY s.id;

-- Where programs take events: "deliverInputEvent src=... eventTimeNano=... id=ID".
CREATE PERFETTO TABLE _clean_deliver_events AS
SELECT
  s.id, s.ts, s.dur, s.utid, s.upid,
  str_split(str_split(s.name, 'id=', 1), ' ', 0) AS input_event_id,
  CAST(str_split(str_split(s.name, 'eventTimeNano=', 1), ' ', 0) AS INT) AS event_time
FROM thread_slice AS s
WHERE s.name GLOB 'deliverInputEvent *id=*' AND s.dur != -1
ORDER BY s.ts;

-- Frames that were drawn, with the slices in which they were.
CREATE PERFETTO TABLE _clean_android_frames AS
SELECT
  f.ts, f.dur, f.do_frame_id, s.ts AS do_frame_ts, s.dur AS do_frame_dur,
  f.ui_thread_utid AS utid, f.frame_id
FROM android_frames AS f JOIN slice AS s ON s.id = f.do_frame_id
WHERE s.dur != -1 AND f.dur IS NOT NULL
ORDER BY f.frame_id;

-- All slices in which frames begin.
CREATE PERFETTO TABLE _frame_choreographer_lookup AS
SELECT s.id, s.track_id, s.ts, s.dur, f.frame_id
FROM android_frames_choreographer_do_frame AS f JOIN slice AS s USING (id)
ORDER BY s.id;

-- Events that were delivered while a frame was drawn, on its thread.
CREATE PERFETTO TABLE _input_event_frame_intersections AS
SELECT e.input_event_id, e.event_time, f.frame_id, f.ts, f.utid, 0 AS is_speculative_frame
FROM _clean_deliver_events AS e
JOIN _clean_android_frames AS f
  ON f.utid = e.utid
  AND e.ts < f.do_frame_ts + f.do_frame_dur
  AND e.ts + e.dur > f.do_frame_ts
ORDER BY e.ts, f.ts;

-- Events that were not.
CREATE PERFETTO TABLE _input_events_pending_frame_match AS
SELECT *
FROM _clean_deliver_events
WHERE input_event_id NOT IN (SELECT input_event_id FROM _input_event_frame_intersections)
ORDER BY ts;

-- For these the next frame of the thread is likely the one.
CREATE PERFETTO TABLE _input_event_frame_speculative_matches AS
SELECT
  e.input_event_id, e.event_time, f.frame_id, f.ts, f.utid, 1 AS is_speculative_frame
FROM _input_events_pending_frame_match AS e
JOIN _clean_android_frames AS f ON f.utid = e.utid
WHERE
  f.do_frame_ts = (
    SELECT min(x.do_frame_ts) FROM _clean_android_frames AS x
    WHERE x.utid = e.utid AND x.do_frame_ts >= e.ts
  )
ORDER BY e.ts;

-- Both.
CREATE PERFETTO TABLE _input_event_frame_association AS
SELECT * FROM _input_event_frame_intersections
UNION ALL
SELECT * FROM _input_event_frame_speculative_matches
ORDER BY ts;

-- Each frame of a program, with the frame of the compositor that showed it.
CREATE PERFETTO TABLE _app_frame_to_surface_flinger_frame AS
WITH frames AS MATERIALIZED (
  SELECT id, ts, dur, upid, present_type, display_frame_token, surface_frame_token
  FROM actual_frame_timeline_slice
)
SELECT
  a.surface_frame_token AS app_surface_frame_token, sf.ts AS surface_flinger_ts,
  sf.dur AS surface_flinger_dur, a.ts AS app_ts, a.present_type, a.upid
FROM frames AS a
JOIN frames AS sf
  ON sf.display_frame_token = a.display_frame_token AND sf.surface_frame_token IS NULL
WHERE a.surface_frame_token IS NOT NULL
ORDER BY a.id;

-- The first frame with an event that was not dropped.
CREATE PERFETTO TABLE _first_non_dropped_frame_after_input AS
SELECT
  n.input_event_id, n.event_time, n.is_speculative_frame, n.frame_id,
  min(x.surface_flinger_ts + x.surface_flinger_dur) AS present_time
FROM _input_event_frame_association AS n
JOIN thread AS t ON t.utid = n.utid
JOIN _app_frame_to_surface_flinger_frame AS x
  ON x.upid = t.upid
  AND x.app_surface_frame_token >= n.frame_id
  AND x.app_ts >= n.ts
WHERE x.present_type NOT IN ('Dropped Frame', 'Unknown Present')
GROUP BY n.input_event_id, n.frame_id
ORDER BY n.ts;

-- The frame of each event.
CREATE PERFETTO TABLE _input_event_id_to_android_frame AS
SELECT input_event_id, event_time, min(frame_id) AS frame_id, is_speculative_frame, present_time
FROM _first_non_dropped_frame_after_input
GROUP BY input_event_id
ORDER BY input_event_id;

-- Who takes an event: "InputConsumer processing on CHANNEL (ID)".
CREATE PERFETTO TABLE _input_consumers_lookup AS
SELECT
  s.id, s.track_id, s.ts, s.dur,
  regexp_extract(s.name, '[(](0x[0-9a-f]+)[)]$') AS input_event_id,
  regexp_extract(s.name, '^InputConsumer processing on (.*) [(]') AS event_channel
FROM slice AS s
WHERE s.name GLOB 'InputConsumer processing on *'
ORDER BY s.ts;

-- Events, and what each step took. Steps without an answer are no row.
CREATE PERFETTO TABLE android_input_events(
  -- From sending to receiving.
  dispatch_latency_dur DURATION,
  -- From receiving to the answer.
  handling_latency_dur DURATION,
  -- Until the answer was received.
  ack_latency_dur DURATION,
  -- All of that.
  total_latency_dur DURATION,
  -- From the reader to the screen, where the frame is known.
  end_to_end_latency_dur DURATION,
  -- The thread that received it.
  tid LONG,
  -- Its name.
  thread_name STRING,
  -- Its process.
  upid JOINID(process.id),
  -- Its process.
  pid LONG,
  -- The name of that.
  process_name STRING,
  -- The kind of message.
  event_type STRING,
  -- What was done: DOWN, MOVE, UP ...
  event_action STRING,
  -- Its number on the channel.
  event_seq STRING,
  -- The channel.
  event_channel STRING,
  -- The window of the channel.
  normalized_event_channel STRING,
  -- The event.
  input_event_id STRING,
  -- When the reader had it.
  read_time TIMESTAMP,
  -- The track that sent it.
  dispatch_track_id JOINID(track.id),
  -- When that was.
  dispatch_ts TIMESTAMP,
  -- How long it took.
  dispatch_dur DURATION,
  -- The track that received it.
  receive_track_id JOINID(track.id),
  -- When that was.
  receive_ts TIMESTAMP,
  -- How long it took.
  receive_dur DURATION,
  -- The frame that shows what it did.
  frame_id LONG,
  -- Whether that frame is only likely.
  is_speculative_frame BOOL,
  -- When it happened.
  event_time TIMESTAMP
) AS
WITH
  dispatch AS (SELECT * FROM _input_message_sent WHERE thread_name = 'InputDispatcher'),
  receive AS (
    SELECT *, replace(event_channel, '(client)', '(server)') AS server
    FROM _input_message_received
    WHERE event_type NOT IN ('0x2', 'FINISHED')
  ),
  finish AS (
    SELECT *, replace(event_channel, '(client)', '(server)') AS server
    FROM _input_message_sent
    WHERE thread_name != 'InputDispatcher'
  ),
  ack AS (SELECT * FROM _input_message_received WHERE event_type IN ('0x2', 'FINISHED'))
SELECT
  r.ts - d.ts AS dispatch_latency_dur, f.ts - r.ts AS handling_latency_dur,
  k.ts - f.ts AS ack_latency_dur, k.ts - d.ts AS total_latency_dur,
  n.present_time - t.read_time AS end_to_end_latency_dur, f.tid, f.thread_name, f.upid, f.pid,
  f.process_name, d.event_type,
  (
    SELECT str_split(str_split(str_split(a.name, 'action=', 1), ',', 0), ')', 0)
    FROM ancestor_slice(d.slice_id) AS a
    WHERE a.name GLOB 'publishMotionEvent(*action=*' OR a.name GLOB 'publishKeyEvent(*action=*'
    LIMIT 1
  ) AS event_action,
  d.event_seq, d.event_channel, _normalize_event_channel(d.event_channel) AS normalized_event_channel,
  i.input_event_id, t.read_time, d.track_id AS dispatch_track_id, d.ts AS dispatch_ts,
  d.dur AS dispatch_dur, r.track_id AS receive_track_id, r.ts AS receive_ts, r.dur AS receive_dur,
  n.frame_id, n.is_speculative_frame, n.event_time
FROM dispatch AS d
JOIN receive AS r ON r.server = d.event_channel AND r.event_seq = d.event_seq
JOIN finish AS f ON f.server = d.event_channel AND f.event_seq = d.event_seq
JOIN ack AS k ON k.event_channel = d.event_channel AND k.event_seq = d.event_seq
LEFT JOIN _event_seq_to_input_event_id AS i
  ON i.event_seq = d.event_seq AND i.event_channel = d.event_channel
LEFT JOIN _input_read_time AS t ON t.input_event_id = i.input_event_id
LEFT JOIN _input_event_id_to_android_frame AS n ON n.input_event_id = i.input_event_id
ORDER BY d.ts;

-- Where the compositor puts frames together: "composite ID".
CREATE PERFETTO TABLE _input_sf_composite AS
SELECT s.id, s.track_id, s.ts, s.dur, CAST(str_split(s.name, ' ', 1) AS INT) AS vsync_id
FROM thread_slice AS s
WHERE s.name GLOB 'composite [0-9]*'
ORDER BY s.id;

-- The slice of that for each frame of a program.
CREATE PERFETTO TABLE _input_sf_resolved AS
SELECT
  a.upid AS app_upid, a.surface_frame_token AS app_vsync, c.id, c.track_id, c.ts, c.dur
FROM actual_frame_timeline_slice AS a
JOIN _input_sf_composite AS c ON c.vsync_id = a.display_frame_token
WHERE a.surface_frame_token IS NOT NULL
GROUP BY a.upid, a.surface_frame_token
ORDER BY a.upid, a.surface_frame_token;

-- Each frame: where it begins, where it is drawn, where it is put together with others.
CREATE PERFETTO VIEW _android_input_frames AS
SELECT
  f.upid, f.frame_id, s.id AS id_do_frame, s.track_id AS track_do_frame, s.ts AS ts_do_frame,
  s.dur AS dur_do_frame, w.id AS id_draw_frames, w.track_id AS track_draw_frames,
  w.ts AS ts_draw_frames, w.dur AS dur_draw_frames, c.id AS id_sf, c.track_id AS track_sf,
  c.ts AS ts_sf, c.dur AS dur_sf
FROM android_frames_choreographer_do_frame AS f
JOIN slice AS s ON s.id = f.id
LEFT JOIN android_frames_draw_frame AS d ON d.upid = f.upid AND d.frame_id = f.frame_id
LEFT JOIN slice AS w ON w.id = d.id
LEFT JOIN _input_sf_resolved AS c ON c.app_upid = f.upid AND c.app_vsync = f.frame_id;

-- All steps of the event that a slice is one of.
CREATE PERFETTO FUNCTION _android_input_lifecycle_by_slice_id(
  -- The slice.
  slice_id LONG
)
RETURNS TABLE(
  -- The event.
  input_id STRING,
  -- The channel.
  channel STRING,
  -- From the reader to the screen.
  total_latency LONG,
  -- When the reader had it.
  ts_reader LONG,
  -- When it was sent.
  ts_dispatch LONG,
  -- When it was received.
  ts_receive LONG,
  -- When it was taken.
  ts_consume LONG,
  -- The slice of the reader.
  id_reader LONG,
  -- Its track.
  track_reader LONG,
  -- Its length.
  dur_reader LONG,
  -- The slice that sent it.
  id_dispatch LONG,
  -- Its track.
  track_dispatch LONG,
  -- Its length.
  dur_dispatch LONG,
  -- The slice that received it.
  id_receive LONG,
  -- Its track.
  track_receive LONG,
  -- Its length.
  dur_receive LONG,
  -- The slice that took it.
  id_consume LONG,
  -- Its track.
  track_consume LONG,
  -- Its length.
  dur_consume LONG,
  -- Whether the frame is only likely.
  is_speculative_frame BOOL
) AS
WITH steps AS (
  SELECT
    e.*, t.slice_id AS id_reader, t.track_id AS track_reader, t.dur AS dur_reader,
    d.slice_id AS id_dispatch, r.slice_id AS id_receive, c.id AS id_consume,
    c.track_id AS track_consume, c.ts AS ts_consume, c.dur AS dur_consume
  FROM android_input_events AS e
  JOIN _input_message_sent AS d ON d.ts = e.dispatch_ts AND d.track_id = e.dispatch_track_id
  JOIN _input_message_received AS r ON r.ts = e.receive_ts AND r.track_id = e.receive_track_id
  LEFT JOIN _input_read_time AS t ON t.input_event_id = e.input_event_id
  LEFT JOIN _input_consumers_lookup AS c
    ON c.input_event_id = e.input_event_id
    AND c.event_channel = replace(e.event_channel, ' (server)', '')
)
SELECT
  input_event_id AS input_id, event_channel AS channel, end_to_end_latency_dur AS total_latency,
  read_time AS ts_reader, dispatch_ts AS ts_dispatch, receive_ts AS ts_receive, ts_consume,
  id_reader, track_reader, dur_reader, id_dispatch, dispatch_track_id AS track_dispatch,
  dispatch_dur AS dur_dispatch, id_receive, receive_track_id AS track_receive,
  receive_dur AS dur_receive, id_consume, track_consume, dur_consume, is_speculative_frame
FROM steps
WHERE $slice_id IN (id_reader, id_dispatch, id_receive, id_consume);

-- Keys, as the system's own source tells.
CREATE PERFETTO VIEW android_key_events(
  -- Number of the row.
  id LONG,
  -- The event.
  event_id LONG,
  -- When it was processed.
  ts TIMESTAMP,
  -- What else is known.
  arg_set_id ARGSETID,
  -- What it came from.
  source LONG,
  -- What was done.
  action LONG,
  -- The device.
  device_id LONG,
  -- The display.
  display_id LONG,
  -- The key.
  key_code LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id, key_code
FROM __intrinsic_android_key_events;

-- Touches and other motions, as the system's own source tells.
CREATE PERFETTO VIEW android_motion_events(
  -- Number of the row.
  id LONG,
  -- The event.
  event_id LONG,
  -- When it was processed.
  ts TIMESTAMP,
  -- What else is known.
  arg_set_id ARGSETID,
  -- What it came from.
  source LONG,
  -- What was done.
  action LONG,
  -- The device.
  device_id LONG,
  -- The display.
  display_id LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id
FROM __intrinsic_android_motion_events;

-- Where events were sent to, as the system's own source tells.
CREATE PERFETTO VIEW android_input_event_dispatch(
  -- Number of the row.
  id LONG,
  -- The event.
  event_id LONG,
  -- What else is known.
  arg_set_id ARGSETID,
  -- The state of the windows that decided it.
  vsync_id LONG,
  -- The window.
  window_id LONG
) AS
SELECT id, event_id, arg_set_id, vsync_id, window_id
FROM __intrinsic_android_input_event_dispatch;
