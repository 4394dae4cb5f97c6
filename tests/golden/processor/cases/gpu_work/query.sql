SELECT ugpu, gpu, name, vendor, uuid, pci_bdf, extract_arg(arg_set_id, 'vram') AS vram FROM gpu;
SELECT c.ts, c.value, t.name, t.unit, t.description, t.gpu_id FROM counter c JOIN gpu_counter_track t ON c.track_id = t.id ORDER BY c.ts, c.id;
SELECT g.group_id, g.name, g.description, t.name AS counter FROM gpu_counter_group g JOIN gpu_counter_track t ON g.track_id = t.id;
SELECT s.ts, s.dur, s.name, t.name AS track, t.type, s.context_id, s.render_target, s.render_target_name, s.command_buffer, s.submission_id, s.hw_queue_id, p.pid,
  s.render_subpasses, s.render_stage_category AS category, extract_arg(s.arg_set_id, 'description') AS description, extract_arg(s.arg_set_id, 'pixels') AS pixels,
  extract_arg(s.arg_set_id, 'message') AS message FROM gpu_slice s JOIN track t ON s.track_id = t.id LEFT JOIN process p USING (upid) ORDER BY s.ts;
SELECT context_id, pid, api FROM __intrinsic_gpu_context;
SELECT name, value FROM stats WHERE name GLOB 'gpu_*' AND value != 0 OR name = 'interned_data_tokenizer_errors';
SELECT v.timestamp, v.source, v.operation, v.scope, p.pid, v.memory_type, v.heap, v.memory_address, v.memory_size, v.function_name,
  extract_arg(v.arg_set_id, 'flags') AS flags, extract_arg(v.arg_set_id, 'few') AS few FROM vulkan_memory_allocations v JOIN process p USING (upid);
SELECT c.ts, c.value, t.name FROM counter c JOIN process_counter_track t ON c.track_id = t.id ORDER BY c.ts;
