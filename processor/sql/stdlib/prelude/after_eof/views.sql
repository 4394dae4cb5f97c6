-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- Kinds of statistics.
CREATE PERFETTO TABLE _stat_key_to_severity_and_name(
  -- The full key.
  key LONG,
  -- How bad it is.
  severity STRING,
  -- Its name.
  name STRING
);

-- What went wrong where, while the trace was read.
CREATE PERFETTO VIEW _trace_import_logs(
  -- Number of the row.
  id ID,
  -- The trace, where several were read.
  trace_id LONG,
  -- When it happened or began.
  ts TIMESTAMP,
  byte_offset LONG,
  -- How bad it is.
  severity STRING,
  -- Its name.
  name STRING,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Lines of dumps of Android.
CREATE PERFETTO VIEW android_dumpstate(
  -- Number of the row.
  id ID,
  section STRING,
  service STRING,
  line STRING
);

-- Games and what is set for them.
CREATE PERFETTO VIEW android_game_intervention_list(
  -- Number of the row.
  id ID,
  -- The package.
  package_name STRING,
  -- The user.
  uid LONG,
  current_mode LONG,
  standard_mode_supported LONG,
  standard_mode_downscale DOUBLE,
  standard_mode_use_angle LONG,
  standard_mode_fps DOUBLE,
  perf_mode_supported LONG,
  perf_mode_downscale DOUBLE,
  perf_mode_use_angle LONG,
  perf_mode_fps DOUBLE,
  battery_mode_supported LONG,
  battery_mode_downscale DOUBLE,
  battery_mode_use_angle LONG,
  battery_mode_fps DOUBLE
);

-- Messages of logs.
CREATE PERFETTO VIEW android_logs(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- The level.
  prio LONG,
  -- The tag.
  tag STRING,
  -- The message.
  msg STRING
);

-- What events carry besides their columns: keys and values, by set.
CREATE PERFETTO VIEW args(
  -- Number of the row.
  id ID,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  -- The key without indices.
  flat_key STRING,
  -- The full key.
  key STRING,
  -- Value, if it is a whole number.
  int_value LONG,
  -- Value, if it is a text.
  string_value STRING,
  -- Value, if it is a number.
  real_value DOUBLE,
  -- Type of the value.
  value_type STRING,
  -- The value as text.
  display_value STRING
);

-- Readings of clocks at one moment.
CREATE PERFETTO VIEW clock_snapshot(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The clock.
  clock_id LONG,
  -- Name of the clock.
  clock_name STRING,
  -- What it showed.
  clock_value LONG,
  -- Readings of one moment.
  snapshot_id LONG,
  -- The machine.
  machine_id JOINID(machine.id)
);

-- Samples of counters.
CREATE PERFETTO VIEW counter(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its value.
  value DOUBLE,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Samples of cpu profilers that are no sessions of perf.
CREATE PERFETTO VIEW cpu_profile_stack_sample(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- Innermost node of the stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- The thread, of all machines.
  utid LONG,
  process_priority LONG
);

-- Processes of Chrome whose data begins late.
CREATE PERFETTO VIEW experimental_missing_chrome_processes(
  -- Number of the row.
  id ID,
  -- The process, of all machines.
  upid LONG,
  reliable_from LONG
);

-- Open files of processes.
CREATE PERFETTO VIEW filedescriptor(
  -- Number of the row.
  id ID,
  ufd LONG,
  fd LONG,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The process, of all machines.
  upid LONG,
  path STRING
);

-- Arrows from slices to slices.
CREATE PERFETTO VIEW flow(
  -- Number of the row.
  id ID,
  -- The slice where it begins.
  slice_out JOINID(slice.id),
  -- The slice where it ends.
  slice_in JOINID(slice.id),
  -- The trace, where several were read.
  trace_id LONG,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Groups of counters of graphics processors.
CREATE PERFETTO VIEW gpu_counter_group(
  -- Number of the row.
  id ID,
  group_id LONG,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its name.
  name STRING,
  -- What it means.
  description STRING
);

-- What was allocated and freed, by call site.
CREATE PERFETTO VIEW heap_profile_allocation(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The process, of all machines.
  upid LONG,
  -- The heap.
  heap_name STRING,
  -- Innermost node of the stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- How many.
  count LONG,
  -- Bytes.
  size LONG
);

-- Slices without length.
CREATE PERFETTO VIEW instant(
  -- When it happened or began.
  ts TIMESTAMP,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its name.
  name STRING,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Samples of Instruments.
CREATE PERFETTO VIEW instruments_sample(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The thread, of all machines.
  utid LONG,
  -- Innermost node of the stack.
  callsite_id JOINID(stack_profile_callsite.id),
  -- The cpu in its machine.
  cpu LONG
);

-- Messages of logs.
CREATE PERFETTO VIEW logs(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- The thread, of all machines.
  utid JOINID(thread.id),
  -- The level.
  prio LONG,
  log_source STRING,
  -- The tag.
  tag STRING,
  -- The message.
  msg STRING,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- The machines that the trace comes from.
CREATE PERFETTO VIEW machine(
  -- Number of the row.
  id ID,
  raw_id LONG,
  -- Its name.
  name STRING,
  sysname STRING,
  release STRING,
  version STRING,
  arch STRING,
  num_cpus LONG,
  android_build_fingerprint STRING,
  android_device_manufacturer STRING,
  android_sdk_version LONG,
  system_ram_bytes LONG,
  system_ram_gb LONG,
  label_index LONG
);

-- Packages of Android.
CREATE PERFETTO VIEW package_list(
  -- Number of the row.
  id ID,
  -- The package.
  package_name STRING,
  -- The user.
  uid LONG,
  -- Whether it may be debugged.
  debuggable LONG,
  profileable_from_shell LONG,
  -- Version of the package.
  version_code LONG
);

-- Sessions of perf.
CREATE PERFETTO VIEW perf_session(
  -- Number of the row.
  id LONG,
  -- The session.
  perf_session_id LONG,
  -- Command line.
  cmdline STRING
);

-- Processes.
CREATE PERFETTO VIEW process(
  -- The process, of all machines.
  upid JOINID(process.id),
  -- Number of the row.
  id ID,
  -- Number of the process in its system.
  pid LONG,
  -- Its name.
  name STRING,
  -- When it began.
  start_ts TIMESTAMP,
  -- When it ended.
  end_ts TIMESTAMP,
  -- The process that started it.
  parent_upid JOINID(process.id),
  -- The user.
  uid LONG,
  -- The user without the person, on Android.
  android_appid LONG,
  -- The person, on Android.
  android_user_id LONG,
  -- Command line.
  cmdline STRING,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  -- The machine.
  machine_id JOINID(machine.id)
);

-- Mappings of processes with their memory.
CREATE PERFETTO VIEW process_memory_mappings(
  -- Number of the row.
  id ID,
  -- The process, of all machines.
  upid LONG,
  -- When it happened or began.
  ts TIMESTAMP,
  path STRING,
  aggregate_count LONG,
  is_deleted LONG,
  size_kb LONG,
  rss_kb LONG,
  anonymous_kb LONG,
  swap_kb LONG,
  shared_clean_kb LONG,
  shared_dirty_kb LONG,
  private_clean_kb LONG,
  private_dirty_kb LONG,
  locked_kb LONG,
  pss_kb LONG,
  pss_dirty_kb LONG,
  swap_pss_kb LONG
);

-- The same by profile of a heap.
CREATE PERFETTO VIEW profiler_smaps(
  -- Number of the row.
  id ID,
  -- The process, of all machines.
  upid LONG,
  -- When it happened or began.
  ts TIMESTAMP,
  path STRING,
  path_trimmed STRING,
  aggregate_count LONG,
  is_deleted LONG,
  size_kb LONG,
  private_dirty_kb LONG,
  swap_kb LONG,
  file_name STRING,
  start_address LONG,
  module_timestamp LONG,
  module_debugid STRING,
  module_debug_path STRING,
  protection_flags LONG,
  private_clean_resident_kb LONG,
  shared_dirty_resident_kb LONG,
  shared_clean_resident_kb LONG,
  locked_kb LONG,
  proportional_resident_kb LONG,
  rss_kb LONG,
  anonymous_kb LONG,
  pss_dirty_kb LONG,
  swap_pss_kb LONG
);

-- Messages of ProtoLog.
CREATE PERFETTO VIEW protolog(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  level STRING,
  -- The tag.
  tag STRING,
  message STRING,
  stacktrace STRING,
  location STRING
);

-- Everything with a name, a start and a length, on its track.
CREATE PERFETTO VIEW slice(
  -- Number of the row.
  id ID,
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
  parent_id JOINID(slice.id),
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  -- Start by the clock of the thread.
  thread_ts TIMESTAMP,
  -- Length by that clock.
  thread_dur DURATION,
  -- Instructions of the thread at the start.
  thread_instruction_count LONG,
  -- Instructions until the end.
  thread_instruction_delta LONG,
  cat STRING,
  -- The slice.
  slice_id JOINID(slice.id)
);

-- The same as slice.
CREATE PERFETTO VIEW slices(
  -- Number of the row.
  id JOINID(slice.id),
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
  parent_id JOINID(slice.id),
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  -- Start by the clock of the thread.
  thread_ts TIMESTAMP,
  -- Length by that clock.
  thread_dur DURATION,
  -- Instructions of the thread at the start.
  thread_instruction_count LONG,
  -- Instructions until the end.
  thread_instruction_delta LONG,
  cat STRING,
  -- The slice.
  slice_id JOINID(slice.id)
);

-- Threads that were woken although they were awake.
CREATE PERFETTO VIEW spurious_sched_wakeup(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  thread_state_id LONG,
  -- Whether an interrupt woke it.
  irq_context LONG,
  -- The thread, of all machines.
  utid LONG,
  -- The thread that woke it.
  waker_utid LONG
);

-- Nodes of the tree of stacks.
CREATE PERFETTO VIEW stack_profile_callsite(
  -- Number of the row.
  id ID,
  -- How many are around it.
  depth LONG,
  -- What it is part of.
  parent_id JOINID(stack_profile_callsite.id),
  -- The frame.
  frame_id JOINID(stack_profile_frame.id)
);

-- Frames of stacks.
CREATE PERFETTO VIEW stack_profile_frame(
  -- Number of the row.
  id ID,
  -- Its name.
  name STRING,
  -- The mapping.
  mapping JOINID(stack_profile_mapping.id),
  -- Address within the binary.
  rel_pc LONG,
  -- Symbols of the frame.
  symbol_set_id LONG,
  -- Name by the mapping of names.
  deobfuscated_name STRING,
  -- What kind of thing it is.
  type STRING
);

-- Binaries as they were mapped.
CREATE PERFETTO VIEW stack_profile_mapping(
  -- Number of the row.
  id ID,
  -- Identifies the binary.
  build_id STRING,
  -- Offset of the mapping in its file.
  exact_offset LONG,
  -- Offset of the first byte.
  start_offset LONG,
  -- First address.
  start LONG,
  -- Address behind the last.
  end LONG,
  -- What to add to addresses.
  load_bias LONG,
  -- Its name.
  name STRING
);

-- Functions and lines of frames, those that were inlined included.
CREATE PERFETTO VIEW stack_profile_symbol(
  -- Number of the row.
  id ID,
  -- Symbols of the frame.
  symbol_set_id LONG,
  -- Its name.
  name STRING,
  -- File of the source.
  source_file STRING,
  -- Line of the source.
  line_number LONG,
  -- Whether it was inlined.
  inlined LONG
);

-- Changes of states.
CREATE PERFETTO VIEW state(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- How long it lasted; -1 while it is open.
  dur DURATION,
  -- The track it is on.
  track_id JOINID(track.id),
  -- Its categories.
  category STRING,
  -- Its value.
  value STRING,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Layers that SurfaceFlinger composed.
CREATE PERFETTO VIEW surfaceflinger_layer(
  -- Number of the row.
  id ID,
  -- Readings of one moment.
  snapshot_id JOINID(surfaceflinger_layers_snapshot.id),
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  base64_proto_id LONG,
  -- The layer.
  layer_id LONG,
  -- The layer.
  layer_name STRING,
  is_visible LONG,
  parent LONG,
  corner_radius_tl DOUBLE,
  corner_radius_tr DOUBLE,
  corner_radius_bl DOUBLE,
  corner_radius_br DOUBLE,
  hwc_composition_type LONG,
  is_hidden_by_policy LONG,
  z_order_relative_of LONG,
  is_missing_z_parent LONG,
  layer_rect_id LONG,
  input_rect_id LONG
);

-- Moments in which its layers were written down.
CREATE PERFETTO VIEW surfaceflinger_layers_snapshot(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  base64_proto_id LONG,
  sequence_id LONG,
  has_invalid_elapsed_ts LONG
);

-- Transactions of SurfaceFlinger.
CREATE PERFETTO VIEW surfaceflinger_transactions(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  base64_proto_id LONG,
  vsync_id LONG
);

-- Threads.
CREATE PERFETTO VIEW thread(
  -- The thread, of all machines.
  utid ID,
  -- Number of the row.
  id ID,
  -- Number of the thread in its system.
  tid LONG,
  -- Its name.
  name STRING,
  -- When it began.
  start_ts TIMESTAMP,
  -- When it ended.
  end_ts TIMESTAMP,
  -- The process, of all machines.
  upid JOINID(process.id),
  -- Whether it is the first thread of its process.
  is_main_thread BOOL,
  -- Whether it stands for an idle cpu.
  is_idle BOOL,
  -- The machine.
  machine_id JOINID(machine.id),
  -- Its args: a set of the table args.
  arg_set_id ARGSETID
);

-- Memory of Vulkan.
CREATE PERFETTO VIEW vulkan_memory_allocations(
  -- Number of the row.
  id ID,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  -- Who tells.
  source STRING,
  operation STRING,
  timestamp LONG,
  -- The process, of all machines.
  upid LONG,
  device LONG,
  device_memory LONG,
  memory_type LONG,
  heap LONG,
  function_name STRING,
  object_handle LONG,
  memory_address LONG,
  memory_size LONG,
  scope STRING
);

-- Who handles transitions of windows.
CREATE PERFETTO VIEW window_manager_shell_transition_handlers(
  -- Number of the row.
  id ID,
  handler_id LONG,
  handler_name STRING,
  base64_proto_id LONG
);

-- Transitions of windows.
CREATE PERFETTO VIEW window_manager_shell_transitions(
  -- Number of the row.
  id ID,
  -- When it happened or began.
  ts TIMESTAMP,
  transition_id LONG,
  -- Its args: a set of the table args.
  arg_set_id ARGSETID,
  transition_type LONG,
  send_time_ns LONG,
  dispatch_time_ns LONG,
  duration_ns LONG,
  finish_time_ns LONG,
  shell_abort_time_ns LONG,
  wm_abort_time_ns LONG,
  merge_time_ns LONG,
  create_time_ns LONG,
  handler LONG,
  status STRING,
  flags LONG,
  start_transaction_id LONG,
  finish_transaction_id LONG
);
*/
