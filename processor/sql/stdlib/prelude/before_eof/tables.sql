-- What the trace spans.
CREATE PERFETTO VIEW trace_bounds AS
SELECT trace_start() AS start_ts, trace_end() AS end_ts;
