SELECT f.ts, f.dur, f.name, t.name AS track, f.frame_number, f.layer_name, f.queue_to_acquire_time AS qa, f.acquire_to_latch_time AS al,
  f.latch_to_present_time AS lp FROM frame_slice f JOIN gpu_track t ON f.track_id = t.id ORDER BY f.ts, f.id;
SELECT name, value FROM stats WHERE name GLOB 'graphics*';
