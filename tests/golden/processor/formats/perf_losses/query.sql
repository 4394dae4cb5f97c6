-- What perf.data says of events that the kernel could not write, or held back; records that are cut short or absurd.
SELECT name, severity, value FROM stats WHERE name IN ('perf_lost_events', 'perf_throttled');
SELECT reason, kind, count, units, first_offset FROM import_account ORDER BY reason, kind;
