SELECT * FROM (
  SELECT 'recorded' AS what,
    strftime('%Y-%m-%d %H:%M:%S UTC', to_realtime(trace_start()) / 1e9,
      'unixepoch') AS value
  UNION ALL
  SELECT 'length', CASE WHEN ns = 0 THEN NULL WHEN ns >= 1e8 THEN printf('%.3f s', ns / 1e9) WHEN ns >= 1e5 THEN printf('%.3f ms', ns / 1e6)
    WHEN ns >= 1e3 THEN printf('%.3f us', ns / 1e3) ELSE ns || ' ns' END
  FROM (SELECT trace_end() - trace_start() AS ns)
  UNION ALL
  SELECT 'range', iif($from = trace_start() AND $to = trace_end(), NULL,
    printf('%.6f s to %.6f s', ($from - trace_start()) / 1e9,
      ($to - trace_start()) / 1e9))
  UNION ALL
  SELECT 'machine', concat_ws(', ',
    nullif(concat_ws(' ', name, sysname, release, arch), ''), num_cpus || ' CPUs',
    round(system_ram_bytes / 1073741824.0, 1) || ' GiB') FROM machine
  UNION ALL
  SELECT 'recorded by', max(str_value) FROM metadata
  WHERE name = 'tracing_service_version'
  UNION ALL
  SELECT 'format', group_concat(DISTINCT str_value) FROM metadata
  WHERE name = 'trace_type'
  UNION ALL
  SELECT 'processes', count(*) FROM process AS p -- as `orma stats`: without that of the idle threads, unless something is on its tracks
  WHERE pid != 0 OR upid IN (SELECT upid FROM process_track)
    OR upid IN (SELECT t.upid FROM thread AS t JOIN thread_track AS k USING (utid))
  UNION ALL
  SELECT 'threads', count(*) FROM thread WHERE NOT is_idle OR utid IN (SELECT utid FROM thread_track)
  UNION ALL
  SELECT 'kernel events', count(*) FROM ftrace_event
  UNION ALL
  SELECT 'slices', count(*) FROM slice WHERE category IS NOT 'strace'
  UNION ALL
  SELECT 'counter values', count(*) FROM counter
  UNION ALL
  SELECT 'system calls', count(*) FROM slice WHERE category = 'strace'
  UNION ALL
  SELECT 'stack samples', count(*) FROM stack_sample
  UNION ALL
  SELECT 'log lines', count(*) FROM android_logs
  UNION ALL
  SELECT 'not read', value || iif(name = 'strace_missing_pid',
    iif(value = 1, ' line', ' lines') || ' without a pid (strace -f writes it)',
    ' × ' || replace(name, '_', ' '))
  FROM stats WHERE severity = 'error' AND value > 0 AND NOT (
    -- A file of perf that is alone has nothing that its clock could be related to.
    name = 'clock_sync_unrelatable_clock_domains'
    AND (SELECT group_concat(trace_type) FROM __intrinsic_trace_file WHERE NOT is_container) = 'perf'
  ) AND NOT (
    -- Records of perf that hold nothing: orma_loss_is_harmless().
    name = 'perf_record_skipped'
    AND idx IN (4, 7, 12, 14, 15, 16, 18, 19, 68, 69, 73, 74, 78, 79, 82)
  ) AND NOT EXISTS (
    SELECT 1 FROM metadata WHERE name = 'trace_type' AND str_value = 'proto')
) WHERE value IS NOT NULL AND value NOT IN ('', 0)
