-- What users did on pages, as far as the page answered.

CREATE PERFETTO TABLE chrome_web_content_interactions(
  -- The slice.
  id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- What the user did: click, tap, drag, key.
  interaction_type STRING,
  -- How long the whole interaction took.
  total_duration_ms LONG,
  -- The process of the page.
  renderer_upid LONG
) AS
SELECT
  s.id, s.ts, s.dur,
  extract_arg(s.arg_set_id, 'web_content_interaction.type') AS interaction_type,
  extract_arg(s.arg_set_id, 'web_content_interaction.total_duration_ms') AS total_duration_ms,
  t.upid AS renderer_upid
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
WHERE s.name = 'Web Interaction'
ORDER BY s.ts;
