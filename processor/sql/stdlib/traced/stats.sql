-- How long the tracing service took to clone sessions.

CREATE PERFETTO VIEW traced_clone_flush_latency(
  buffer_id LONG, duration_ns LONG, machine_id JOINID(machine.id), trace_id LONG
) AS
SELECT
  done.idx AS buffer_id, done.value - started.value AS duration_ns, done.machine_id, done.trace_id
FROM stats AS done
JOIN stats AS started
  ON started.name = 'traced_clone_started_timestamp_ns'
  AND started.machine_id IS done.machine_id
  AND started.trace_id IS done.trace_id
WHERE done.name = 'traced_buf_clone_done_timestamp_ns' AND started.value != 0
ORDER BY done.machine_id, done.trace_id, done.idx;

CREATE PERFETTO VIEW traced_trigger_clone_flush_latency(
  buffer_id LONG, duration_ns LONG, machine_id JOINID(machine.id), trace_id LONG
) AS
SELECT
  done.idx AS buffer_id, done.value - started.value AS duration_ns, done.machine_id, done.trace_id
FROM stats AS done
JOIN stats AS started
  ON started.name = 'traced_clone_trigger_timestamp_ns'
  AND started.machine_id IS done.machine_id
  AND started.trace_id IS done.trace_id
WHERE done.name = 'traced_buf_clone_done_timestamp_ns' AND started.value != 0
ORDER BY done.machine_id, done.trace_id, done.idx;
