-- How long it took to clone each buffer of a session.
INCLUDE PERFETTO MODULE traced.stats;

DROP VIEW IF EXISTS clone_duration_output;
CREATE VIEW clone_duration_output AS
SELECT CloneDuration(
  'by_buffer', (
    SELECT RepeatedField(
      CloneDuration_ByBuffer('buffer', buffer_id, 'duration_ns', duration_ns)
    )
    FROM traced_clone_flush_latency
  )
);
