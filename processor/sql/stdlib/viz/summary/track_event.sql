-- Tracks of track events in the order in which they are drawn.

INCLUDE PERFETTO MODULE viz.summary.counters;
INCLUDE PERFETTO MODULE viz.summary.slices;
INCLUDE PERFETTO MODULE viz.track_event_callstacks;

CREATE PERFETTO TABLE _track_event_first_ts AS
SELECT track_id AS id, min(ts) AS ts, 1 AS kind FROM counter GROUP BY track_id
UNION ALL
SELECT track_id AS id, min(ts) AS ts, 2 AS kind FROM slice GROUP BY track_id
UNION ALL
SELECT track_id AS id, min(ts) AS ts, 3 AS kind FROM state GROUP BY track_id;

-- The first moment of each track that has any.
CREATE PERFETTO TABLE _min_ts_per_track AS
SELECT id, ts AS min_ts
FROM _track_event_first_ts
WHERE id IN (SELECT id FROM track WHERE type GLOB '*_track_event')
ORDER BY kind, id;

-- Tracks that are above others.
CREATE PERFETTO TABLE _track_event_has_children AS
SELECT DISTINCT t.parent_id AS id
FROM track AS t
JOIN track AS p ON p.id = t.parent_id
WHERE t.type GLOB '*_track_event'
ORDER BY t.parent_id;

-- Tracks with what orders them.
CREATE PERFETTO TABLE _track_event_tracks_unordered AS
SELECT
  t.id, t.name, t.parent_id,
  extract_arg(p.source_arg_set_id, 'child_ordering') AS parent_ordering,
  coalesce(extract_arg(t.source_arg_set_id, 'sibling_order_rank'), 0) AS rank,
  extract_arg(t.source_arg_set_id, 'description') AS description
FROM track AS t LEFT JOIN track AS p ON p.id = t.parent_id
WHERE t.type GLOB '*_track_event'
ORDER BY t.id;

CREATE PERFETTO TABLE _track_event_tracks AS
SELECT
  t.id,
  coalesce(t.track_group_id, -1 - t.id) AS group_key,
  extract_arg(t.dimension_arg_set_id, 'upid') AS upid,
  extract_arg(t.dimension_arg_set_id, 'utid') AS utid,
  t.parent_id,
  t.type GLOB '*counter*' AS is_counter,
  t.type GLOB '*state*' AS is_state,
  t.name,
  extract_arg(t.source_arg_set_id, 'description') AS description,
  c.unit,
  extract_arg(t.source_arg_set_id, 'builtin_counter_type') AS builtin_counter_type,
  extract_arg(t.source_arg_set_id, 'y_axis_share_key') AS y_axis_share_key,
  t.id IN (SELECT id FROM _track_event_first_ts) AS has_data,
  t.id IN (SELECT parent_id FROM track WHERE parent_id IS NOT NULL) AS has_children,
  t.id IN (SELECT track_id FROM _track_event_tracks_with_callstacks) AS has_callstacks,
  coalesce(extract_arg(t.source_arg_set_id, 'sibling_order_rank'), 0) AS rank,
  coalesce(extract_arg(p.source_arg_set_id, 'child_ordering'), 'lexicographic') AS ordering,
  f.ts AS first_ts
FROM track AS t
LEFT JOIN counter_track AS c ON c.id = t.id
LEFT JOIN track AS p ON p.id = t.parent_id
LEFT JOIN _track_event_first_ts AS f ON f.id = t.id
WHERE t.type GLOB '*_track_event'
ORDER BY t.id;

-- A group stands where the first of its tracks would.
CREATE PERFETTO TABLE _track_event_tracks_ordered_groups AS
WITH numbered AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY parent_id
      ORDER BY
        CASE ordering WHEN 'explicit' THEN rank WHEN 'chronological' THEN first_ts END, name, id
    ) AS order_id
  FROM _track_event_tracks
), groups AS (
  SELECT
    group_key, upid, utid,
    min(parent_id) AS parent_id, max(is_counter) AS is_counter, max(is_state) AS is_state,
    min(name) AS name, min(description) AS description, min(unit) AS unit,
    min(builtin_counter_type) AS builtin_counter_type, min(y_axis_share_key) AS y_axis_share_key,
    max(has_data) AS has_data, max(has_children) AS has_children,
    max(has_callstacks) AS has_callstacks, min(id) AS min_track_id,
    group_concat(id, ',') AS track_ids, min(order_id) AS order_id
  FROM numbered
  GROUP BY group_key, upid, utid
)
SELECT
  upid, utid, parent_id, is_counter, is_state, name, description, unit, builtin_counter_type,
  y_axis_share_key, has_data, has_children, has_callstacks, min_track_id, track_ids,
  order_id
FROM groups
ORDER BY parent_id, order_id;
