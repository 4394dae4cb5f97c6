-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- When frames of Android were shown.
CREATE PERFETTO TABLE actual_frame_timeline_slice(
  -- Number of the row.
  id ID(slice.id),
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its categories.
  category STRING,
  -- Its name.
  name STRING,
  -- How many are around it.
  depth LONG,
  -- What it is part of.
  parent_id JOINID(frame_slice.id),
  -- Its args: a set of the table args.
  arg_set_id LONG,
  -- The frame of the display.
  display_frame_token LONG,
  -- The frame of the surface.
  surface_frame_token LONG,
  -- The process, of all machines.
  upid JOINID(process.id),
  -- The layer.
  layer_name STRING,
  present_type STRING,
  on_time_finish LONG,
  gpu_composition LONG,
  jank_type STRING,
  jank_severity_type STRING,
  prediction_type STRING,
  jank_tag STRING,
  jank_tag_experimental STRING,
  jank_score DOUBLE,
  latched_unsignaled_count LONG,
  addressable_unsignaled_latch_count LONG,
  latched_fence_state STRING
);

-- When frames of Android should have been shown.
CREATE PERFETTO TABLE expected_frame_timeline_slice(
  -- Number of the row.
  id ID(slice.id),
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its categories.
  category STRING,
  -- Its name.
  name STRING,
  -- How many are around it.
  depth LONG,
  -- What it is part of.
  parent_id JOINID(frame_slice.id),
  -- Its args: a set of the table args.
  arg_set_id LONG,
  -- The frame of the display.
  display_frame_token LONG,
  -- The frame of the surface.
  surface_frame_token LONG,
  -- The process, of all machines.
  upid JOINID(process.id),
  -- The layer.
  layer_name STRING
);

-- Steps of frames on their way to the display.
CREATE PERFETTO VIEW frame_slice(
  -- Number of the row.
  id ID(slice.id),
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its categories.
  category STRING,
  -- Its name.
  name STRING,
  -- How many are around it.
  depth LONG,
  -- What it is part of.
  parent_id JOINID(frame_slice.id),
  -- Its args: a set of the table args.
  arg_set_id LONG,
  -- The layer.
  layer_name STRING,
  frame_number LONG,
  queue_to_acquire_time LONG,
  acquire_to_latch_time LONG,
  latch_to_present_time LONG
);

-- Events of the kernel with their args.
CREATE PERFETTO VIEW ftrace_event(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- Its name.
  name STRING,
  -- The cpu in its machine.
  cpu LONG,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  -- Flags of the kernel.
  common_flags LONG,
  -- The cpu, of all machines.
  ucpu LONG
);

-- Work of graphics processors.
CREATE PERFETTO VIEW gpu_slice(
  -- Number of the row.
  id ID(slice.id),
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its categories.
  category STRING,
  -- Its name.
  name STRING,
  -- How many are around it.
  depth LONG,
  -- What it is part of.
  parent_id JOINID(frame_slice.id),
  -- Its args: a set of the table args.
  arg_set_id LONG,
  context_id LONG,
  render_target LONG,
  render_target_name STRING,
  render_pass LONG,
  render_pass_name STRING,
  command_buffer LONG,
  command_buffer_name STRING,
  -- The frame.
  frame_id LONG,
  submission_id LONG,
  hw_queue_id LONG,
  -- The process, of all machines.
  upid JOINID(process.id),
  render_subpasses STRING,
  render_stage_category LONG
);

-- The same as ftrace_event.
CREATE PERFETTO VIEW raw(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- Its name.
  name STRING,
  -- The cpu in its machine.
  cpu LONG,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  -- Flags of the kernel.
  common_flags LONG,
  -- The cpu, of all machines.
  ucpu LONG
);
*/
