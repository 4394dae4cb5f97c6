-- Jobs of apps as statsd reports their changes (the atom scheduled_job_state_changed), and what the
-- device did while they ran. android.job_scheduler has what atrace tells.

INCLUDE PERFETTO MODULE android.battery.charging_states;
INCLUDE PERFETTO MODULE android.screen_state;
INCLUDE PERFETTO MODULE intervals.intersect;

CREATE PERFETTO VIEW _android_charging_names AS
SELECT ts, dur, charging_state FROM android_charging_states;

CREATE PERFETTO VIEW _android_screen_names AS
SELECT ts, dur, screen_state FROM android_screen_state;

CREATE VIRTUAL TABLE _charging_beside_screen USING SPAN_OUTER_JOIN(
  _android_charging_names, _android_screen_names
);

-- Whether the battery was being charged, and what the screen showed.
CREATE PERFETTO TABLE _charging_screen_states AS
SELECT
  row_number() OVER (ORDER BY ts) AS id, ts, dur, charging_state, screen_state
FROM _charging_beside_screen
ORDER BY ts;

-- Changes of jobs.
CREATE PERFETTO TABLE _job_states AS
SELECT
  s.track_id, s.ts, s.id AS slice_id,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.job_name') AS job_name,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.attribution_node[0].uid') AS uid,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.state') AS state,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.internal_stop_reason') AS internal_stop_reason,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.public_stop_reason') AS public_stop_reason,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.effective_priority') AS effective_priority,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_battery_not_low_constraint') AS has_battery_not_low_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_charging_constraint') AS has_charging_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_connectivity_constraint') AS has_connectivity_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_content_trigger_constraint') AS has_content_trigger_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_deadline_constraint') AS has_deadline_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_idle_constraint') AS has_idle_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_storage_not_low_constraint') AS has_storage_not_low_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_timing_delay_constraint') AS has_timing_delay_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.is_prefetch') AS is_prefetch,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.is_requested_expedited_job') AS is_requested_expedited_job,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.is_running_as_expedited_job') AS is_running_as_expedited_job,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.job_id') AS job_id,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.num_previous_attempts') AS num_previous_attempts,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.requested_priority') AS requested_priority,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.standby_bucket') AS standby_bucket,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.is_periodic') AS is_periodic,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.has_flex_constraint') AS has_flex_constraint,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.is_requested_as_user_initiated_job') AS is_requested_as_user_initiated_job,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.is_running_as_user_initiated_job') AS is_running_as_user_initiated_job,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.deadline_ms') AS deadline_ms,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.job_start_latency_ms') AS job_start_latency_ms,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.num_uncompleted_work_items') AS num_uncompleted_work_items,
  extract_arg(s.arg_set_id, 'scheduled_job_state_changed.proc_state') AS proc_state
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.name = 'Statsd Atoms' AND s.name = 'scheduled_job_state_changed'
ORDER BY s.id;

-- Names are '@NAMESPACE@PACKAGE/CLASS' or 'PACKAGE/CLASS'. Of the former a class that is named in full
-- stands for the package; of the latter the class stands for the namespace.
CREATE PERFETTO FUNCTION _job_package(job_name STRING)
RETURNS STRING AS
SELECT
  CASE
    WHEN $job_name NOT GLOB '@*@*' THEN str_split($job_name, '/', 0)
    WHEN $job_name GLOB '@*@*/.*' THEN str_split(str_split($job_name, '@', 2), '/', 0)
    ELSE coalesce(str_split($job_name, '/', 1), str_split($job_name, '@', 2))
  END;

CREATE PERFETTO FUNCTION _job_namespace(job_name STRING)
RETURNS STRING AS
SELECT
  iif($job_name GLOB '@*@*', str_split($job_name, '@', 1), str_split($job_name, '/', 1));

-- Starts of jobs, with what came next for the job: until then it ran.
CREATE PERFETTO TABLE _job_started AS
WITH changes AS (
  SELECT
    *, lead(state) OVER one_job AS lead_state, lead(ts) OVER one_job AS ts_lead,
    lead(internal_stop_reason) OVER one_job AS lead_internal_stop_reason,
    lead(public_stop_reason) OVER one_job AS lead_public_stop_reason
  FROM _job_states
  WINDOW one_job AS (PARTITION BY uid, job_name, job_id ORDER BY ts)
)
SELECT
  _job_package(job_name) AS package_name, _job_namespace(job_name) AS job_namespace,
  ifnull(ts_lead, trace_end()) - ts AS dur, lead_state IS 'SCHEDULED' AS is_rescheduled,
  track_id, ts, slice_id, job_name, uid, state, internal_stop_reason, public_stop_reason,
  effective_priority, has_battery_not_low_constraint, has_charging_constraint,
  has_connectivity_constraint, has_content_trigger_constraint, has_deadline_constraint,
  has_idle_constraint, has_storage_not_low_constraint, has_timing_delay_constraint, is_prefetch,
  is_requested_expedited_job, is_running_as_expedited_job, job_id, num_previous_attempts,
  requested_priority, standby_bucket, is_periodic, has_flex_constraint,
  is_requested_as_user_initiated_job, is_running_as_user_initiated_job, deadline_ms,
  job_start_latency_ms, num_uncompleted_work_items, proc_state,
  lead_state, ts_lead, ts_lead IS NULL AS is_end_slice, lead_internal_stop_reason,
  lead_public_stop_reason
FROM changes
WHERE state = 'STARTED'
ORDER BY uid, job_name, job_id, ts;

-- Runs of jobs.
CREATE PERFETTO TABLE android_job_scheduler_states(
  -- Number of the run.
  id ID,
  -- Its start.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The slice of its first change.
  slice_id JOINID(slice.id),
  -- Name of the job.
  job_name STRING,
  -- Whose job it is.
  uid LONG,
  -- Number of the job.
  job_id LONG,
  -- Package, or service, as far as the name tells.
  package_name STRING,
  -- Namespace of the job.
  job_namespace STRING,
  -- Priority with which it ran.
  effective_priority LONG,
  -- It waits for a battery that is not low.
  has_battery_not_low_constraint BOOL,
  -- It waits for a device that is being charged.
  has_charging_constraint BOOL,
  -- It waits for a network.
  has_connectivity_constraint BOOL,
  -- It waits for a change of content.
  has_content_trigger_constraint BOOL,
  -- It waits for a deadline.
  has_deadline_constraint BOOL,
  -- It waits for a device that is idle.
  has_idle_constraint BOOL,
  -- It waits for storage that is not low.
  has_storage_not_low_constraint BOOL,
  -- It waits for a delay.
  has_timing_delay_constraint BOOL,
  -- It prepares a start of the app.
  is_prefetch BOOL,
  -- It was to run soon.
  is_requested_expedited_job BOOL,
  -- It runs as one that was to run soon.
  is_running_as_expedited_job BOOL,
  -- How often it was tried before.
  num_previous_attempts TIMESTAMP,
  -- Priority that was asked for.
  requested_priority LONG,
  -- How active its app is.
  standby_bucket STRING,
  -- It runs again and again.
  is_periodic BOOL,
  -- It waits for conditions that may be dropped later.
  has_flex_constraint BOOL,
  -- A user asked for it.
  is_requested_as_user_initiated_job BOOL,
  -- It runs as one that a user asked for.
  is_running_as_user_initiated_job BOOL,
  -- Its deadline, where it has one.
  deadline_ms LONG,
  -- From when it was scheduled to its start.
  job_start_latency_ms LONG,
  -- Items of work that are left.
  num_uncompleted_work_items LONG,
  -- State of its process.
  proc_state STRING,
  -- Why it ended, as the system sees it.
  internal_stop_reason STRING,
  -- Why it ended, as the app is told.
  public_stop_reason STRING
) AS
SELECT
  row_number() OVER (ORDER BY ts) AS id,
  ts, dur, slice_id, job_name, uid, job_id, package_name, job_namespace, effective_priority,
  has_battery_not_low_constraint, has_charging_constraint, has_connectivity_constraint,
  has_content_trigger_constraint, has_deadline_constraint, has_idle_constraint,
  has_storage_not_low_constraint, has_timing_delay_constraint, is_prefetch,
  is_requested_expedited_job, is_running_as_expedited_job, num_previous_attempts,
  requested_priority, standby_bucket, is_periodic, has_flex_constraint,
  is_requested_as_user_initiated_job, is_running_as_user_initiated_job, deadline_ms,
  job_start_latency_ms, num_uncompleted_work_items, proc_state,
  lead_internal_stop_reason AS internal_stop_reason,
  lead_public_stop_reason AS public_stop_reason
FROM _job_started
ORDER BY ts;

-- The same, cut where the battery or the screen changed.
CREATE PERFETTO TABLE android_job_scheduler_with_screen_charging_states(
  -- Its start.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The slice of its first change.
  slice_id JOINID(slice.id),
  -- Name of the job.
  job_name STRING,
  -- Whose job it is.
  uid LONG,
  -- Number of the job.
  job_id LONG,
  -- How long the whole run lasted.
  job_dur DURATION,
  -- Package, or service, as far as the name tells.
  package_name STRING,
  -- Namespace of the job.
  job_namespace STRING,
  -- Whether the battery was being charged.
  charging_state STRING,
  -- What the screen showed.
  screen_state STRING,
  -- Priority with which it ran.
  effective_priority LONG,
  -- It waits for a battery that is not low.
  has_battery_not_low_constraint BOOL,
  -- It waits for a device that is being charged.
  has_charging_constraint BOOL,
  -- It waits for a network.
  has_connectivity_constraint BOOL,
  -- It waits for a change of content.
  has_content_trigger_constraint BOOL,
  -- It waits for a deadline.
  has_deadline_constraint BOOL,
  -- It waits for a device that is idle.
  has_idle_constraint BOOL,
  -- It waits for storage that is not low.
  has_storage_not_low_constraint BOOL,
  -- It waits for a delay.
  has_timing_delay_constraint BOOL,
  -- It prepares a start of the app.
  is_prefetch BOOL,
  -- It was to run soon.
  is_requested_expedited_job BOOL,
  -- It runs as one that was to run soon.
  is_running_as_expedited_job BOOL,
  -- How often it was tried before.
  num_previous_attempts TIMESTAMP,
  -- Priority that was asked for.
  requested_priority LONG,
  -- How active its app is.
  standby_bucket STRING,
  -- It runs again and again.
  is_periodic BOOL,
  -- It waits for conditions that may be dropped later.
  has_flex_constraint BOOL,
  -- A user asked for it.
  is_requested_as_user_initiated_job BOOL,
  -- It runs as one that a user asked for.
  is_running_as_user_initiated_job BOOL,
  -- Its deadline, where it has one.
  deadline_ms LONG,
  -- From when it was scheduled to its start.
  job_start_latency_ms LONG,
  -- Items of work that are left.
  num_uncompleted_work_items LONG,
  -- State of its process.
  proc_state STRING,
  -- Why it ended, as the system sees it.
  internal_stop_reason STRING,
  -- Why it ended, as the app is told.
  public_stop_reason STRING
) AS
SELECT
  ii.ts, ii.dur,
  j.slice_id, j.job_name || '_' || j.job_id AS job_name, j.uid, j.job_id, j.dur AS job_dur,
  j.package_name, j.job_namespace, c.charging_state, c.screen_state, j.effective_priority,
  j.has_battery_not_low_constraint, j.has_charging_constraint, j.has_connectivity_constraint,
  j.has_content_trigger_constraint, j.has_deadline_constraint, j.has_idle_constraint,
  j.has_storage_not_low_constraint, j.has_timing_delay_constraint, j.is_prefetch,
  j.is_requested_expedited_job, j.is_running_as_expedited_job, j.num_previous_attempts,
  j.requested_priority, j.standby_bucket, j.is_periodic, j.has_flex_constraint,
  j.is_requested_as_user_initiated_job, j.is_running_as_user_initiated_job, j.deadline_ms,
  j.job_start_latency_ms, j.num_uncompleted_work_items, j.proc_state, j.internal_stop_reason,
  j.public_stop_reason
FROM _interval_intersect!(
  (
    (SELECT id, ts, dur FROM android_job_scheduler_states WHERE dur > 0),
    (SELECT id, ts, dur FROM _charging_screen_states WHERE dur > 0)
  ),
  ()
) AS ii
JOIN android_job_scheduler_states AS j ON j.id = ii.id_0
JOIN _charging_screen_states AS c ON c.id = ii.id_1
ORDER BY j.id, ii.ts;
