-- Power and energy over times, by part and by thread.

INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.attribution;
INCLUDE PERFETTO MODULE wattson.tasks.idle_transitions_attribution;
INCLUDE PERFETTO MODULE wattson.windows;

-- What these numbers are made by.
CREATE PERFETTO VIEW wattson_metric_metadata(
  -- Version of the metric.
  metric_version LONG,
  -- Version of the model of power.
  power_model_version LONG,
  -- Whether nothing is known of the idle states.
  is_crude_estimate BOOL
) AS
SELECT
  4 AS metric_version, 1 AS power_model_version,
  NOT EXISTS (SELECT 1 FROM _wattson_cpuidle_counters_exist) AS is_crude_estimate;

-- The averages in mW of each part over each time of window_table.
CREATE PERFETTO MACRO wattson_rails_aggregation(
  -- Times: ts, dur, period_id.
  window_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(SELECT * FROM _wattson_base_components_avg_mw!($window_table));

-- What each thread used in each time of window_table, on the cpus of cpus_table (cpu).
CREATE PERFETTO MACRO _wattson_threads_aggregation(
  tasks_table TableOrSubquery, window_table TableOrSubquery, cpus_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    w.period_id, w.dur AS period_dur, t.utid, t.upid, t.tid, t.pid, t.uid, t.thread_name,
    t.process_name, t.package_name,
    sum(t.estimated_mw * (min(t.ts + t.dur, w.ts + w.dur) - max(t.ts, w.ts))) / nullif(w.dur, 0)
      AS estimated_mw,
    sum(t.estimated_mw * (min(t.ts + t.dur, w.ts + w.dur) - max(t.ts, w.ts))) / 1e9
      AS estimated_mws
  FROM $window_table AS w
  JOIN $tasks_table AS t ON t.ts < w.ts + w.dur AND t.ts + t.dur > w.ts
  WHERE t.cpu IN (SELECT cpu FROM $cpus_table)
  GROUP BY w.period_id, t.utid
);

-- The same for all cpus.
CREATE PERFETTO MACRO wattson_threads_aggregation(
  -- Times: ts, dur, period_id.
  window_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT *
  FROM _wattson_threads_aggregation!(
    _estimates_w_tasks_attribution, $window_table, _wattson_cpus
  )
);
