SELECT pid, p.name, key, display_value FROM process p LEFT JOIN args USING (arg_set_id) ORDER BY pid, key;

SELECT count(*) AS labels FROM args WHERE flat_key = 'chrome.process_label';

SELECT tid, name FROM thread WHERE tid = 11;

SELECT key, display_value FROM slice JOIN args USING (arg_set_id) WHERE name = 'typed' ORDER BY key;

SELECT name, start, "end" FROM stack_profile_mapping;

SELECT t.name AS track, extract_arg(t.source_arg_set_id, 'source_scope') AS scope,
  extract_arg(t.dimension_arg_set_id, 'track_compressor_idx') AS lane, s.name, s.ts, s.dur, s.depth,
  extract_arg(s.arg_set_id, 'legacy_event.passthrough_utid') AS utid
FROM slice s JOIN track t ON t.id = s.track_id WHERE s.name != 'typed' ORDER BY s.ts;

SELECT t.name, count(*) AS lanes FROM track t WHERE t.name = 'pages' GROUP BY 1;

SELECT r.name, key, display_value FROM __intrinsic_chrome_raw r JOIN args USING (arg_set_id) ORDER BY args.id;
