SELECT s.name, a.key, a.value_type, a.display_value FROM slice s JOIN args a USING (arg_set_id) ORDER BY a.id;
SELECT field, name, packets FROM skipped_packet;
SELECT s.name, f.name AS frame, c.depth FROM __intrinsic_track_event_callstacks k JOIN slice s ON s.id = k.slice_id
JOIN stack_profile_callsite c ON c.id = k.callsite_id JOIN stack_profile_frame f ON f.id = c.frame_id;
