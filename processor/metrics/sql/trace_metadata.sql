-- What the trace is: how long, how large, from where.
CREATE OR REPLACE PERFETTO FUNCTION _trace_metadata_int(name STRING) RETURNS LONG AS
SELECT int_value FROM metadata WHERE name = $name LIMIT 1;

CREATE OR REPLACE PERFETTO FUNCTION _trace_metadata_str(name STRING) RETURNS STRING AS
SELECT str_value FROM metadata WHERE name = $name LIMIT 1;

DROP VIEW IF EXISTS trace_metadata_output;
CREATE VIEW trace_metadata_output AS
SELECT TraceMetadata(
  'trace_duration_ns', trace_end() - trace_start(),
  'trace_uuid', _trace_metadata_str('trace_uuid'),
  'android_build_fingerprint', _trace_metadata_str('android_build_fingerprint'),
  'android_sdk_version', _trace_metadata_int('android_sdk_version'),
  'statsd_triggering_subscription_id', _trace_metadata_int('statsd_triggering_subscription_id'),
  'trace_size_bytes', _trace_metadata_int('trace_size_bytes'),
  'trace_trigger', (
    SELECT RepeatedField(str_value) FROM metadata WHERE name = 'trace_trigger'
  ),
  'unique_session_name', _trace_metadata_str('unique_session_name'),
  'trace_config_pbtxt', _trace_metadata_str('trace_config_pbtxt'),
  'sched_duration_ns', (SELECT coalesce(max(ts) - min(ts), 0) FROM sched),
  'tracing_started_ns', _trace_metadata_int('tracing_started_ns'),
  'suspend_count', (
    SELECT count(*)
    FROM slice AS s
    JOIN track AS t ON s.track_id = t.id
    WHERE t.type GLOB 'suspend_resume*' AND s.name = 'Suspended'
  ),
  'data_loss_count', (SELECT coalesce(sum(value), 0) FROM stats WHERE severity = 'data_loss'),
  'error_count', (SELECT coalesce(sum(value), 0) FROM stats WHERE severity = 'error')
);
