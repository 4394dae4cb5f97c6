SELECT e.ts, e.dur, e.name, p.pid, e.display_frame_token, e.surface_frame_token, e.layer_name, t.name AS track
FROM expected_frame_timeline_slice e JOIN process p USING (upid) JOIN process_track t ON e.track_id = t.id ORDER BY e.ts;
SELECT a.ts, a.dur, a.name, p.pid, a.display_frame_token, a.surface_frame_token, a.layer_name, t.name AS track,
  extract_arg(t.dimension_arg_set_id, 'track_compressor_idx') AS lane
FROM actual_frame_timeline_slice a JOIN process p USING (upid) JOIN __intrinsic_track t ON a.track_id = t.id ORDER BY a.ts;
SELECT ts, present_type, on_time_finish, gpu_composition, jank_type, jank_severity_type, prediction_type, jank_tag,
  extract_arg(arg_set_id, 'Is Buffer?') AS is_buffer, extract_arg(arg_set_id, 'Present Delay (ms)') AS delay,
  extract_arg(arg_set_id, 'Vsync Resynced Jitter (ms)') AS jitter
FROM actual_frame_timeline_slice ORDER BY ts;
SELECT a.ts AS surface, b.ts AS display, f.trace_id FROM flow f JOIN slice a ON f.slice_out = a.id JOIN slice b ON f.slice_in = b.id ORDER BY a.ts;
SELECT name, value FROM stats WHERE name GLOB 'frame_timeline*';
SELECT s.ts, a.key, a.display_value FROM slice s JOIN args a USING (arg_set_id) WHERE a.key GLOB '*experimental*' OR a.key GLOB 'Jank Metadata*' ORDER BY s.ts, s.id, a.key;
