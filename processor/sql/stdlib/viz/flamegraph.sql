-- Flame graphs as the web interface asks for them, in steps that it keeps as tables: prepare, filter,
-- accumulate, hash, merge, lay out. Each step takes the tables of those before it.

INCLUDE PERFETTO MODULE graphs.scan;

-- A column for hash(), which takes no NULL.
CREATE PERFETTO MACRO _viz_flamegraph_hash_coalesce(col ColumnName)
RETURNS Expr AS
ifnull($col, 0);

CREATE PERFETTO MACRO _viz_flamegraph_s_prefix(col ColumnName)
RETURNS Expr AS
s.$col;

-- The frames of `tab` (id, parentId, name, value and more) with what the filters say of each:
-- which patterns it matches, whether it is hidden, whether the view turns around it. Frames of one
-- groupingHash under the same parent are one box.
CREATE PERFETTO MACRO _viz_flamegraph_prepare_filter(
  tab TableOrSubquery,
  show_stack Expr,
  hide_stack Expr,
  show_from_frame Expr,
  hide_frame Expr,
  pivot Expr,
  impossible_stack_bits Expr,
  grouping ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT
    *,
    iif($hide_stack, $impossible_stack_bits, $show_stack) AS stackBits,
    $show_from_frame AS showFromFrameBits,
    $hide_frame = 0 AS isShown,
    $pivot != 0 AS isPivot,
    hash(ifnull(name, '') __intrinsic_token_apply_prefix!(_viz_flamegraph_hash_coalesce, $grouping))
      AS groupingHash
  FROM $tab
  ORDER BY id
);

-- Frames under the nearest one above them that is shown, with the patterns of their whole stack.
-- Hidden frames stay, for their values: isShown is 0. isBelowPivot: the view turns around one above.
CREATE PERFETTO MACRO _viz_flamegraph_filter_frames(
  source TableOrSubquery,
  show_from_frame_bits Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    s.id, g.aboveId AS parentId, s.value, g.pathBits AS stackBits, s.groupingHash, s.isPivot,
    g.nearestId IS s.id AS isShown, g.isBelow AS isBelowPivot
  FROM _graph_scan!(
    (
      SELECT parentId AS source_node_id, id AS dest_node_id
      FROM $source WHERE parentId IS NOT NULL
    ),
    (
      SELECT
        id,
        iif(isShown AND showFromFrameBits & $show_from_frame_bits = $show_from_frame_bits, id, NULL)
          AS nearestId,
        CAST(NULL AS INT) AS aboveId,
        showFromFrameBits AS fromBits,
        stackBits AS pathBits,
        0 AS isBelow,
        isPivot AS isSeen
      FROM $source WHERE parentId IS NULL
    ),
    (nearestId, aboveId, fromBits, pathBits, isBelow, isSeen),
    (
      SELECT
        t.id,
        iif(
          s.isShown
          AND (t.fromBits | s.showFromFrameBits) & $show_from_frame_bits = $show_from_frame_bits,
          s.id, t.nearestId
        ) AS nearestId,
        t.nearestId AS aboveId,
        t.fromBits | s.showFromFrameBits AS fromBits,
        t.pathBits | s.stackBits AS pathBits,
        t.isSeen AS isBelow,
        t.isSeen OR s.isPivot AS isSeen
      FROM $table AS t JOIN $source AS s ON s.id = t.id
    )
  ) AS g
  JOIN $source AS s ON s.id = g.id
  ORDER BY s.id
);

-- What each frame and all below it have, of the stacks that match all patterns.
CREATE PERFETTO MACRO _viz_flamegraph_accumulate(
  filtered TableOrSubquery,
  showStackBits Expr
)
RETURNS TableOrSubquery AS
(
  SELECT id, cumulativeValue
  FROM _graph_aggregating_scan!(
    (
      SELECT id AS source_node_id, parentId AS dest_node_id
      FROM $filtered WHERE parentId IS NOT NULL
    ),
    (
      SELECT f.id, iif(f.stackBits = $showStackBits, f.value, 0) AS cumulativeValue
      FROM $filtered AS f
      LEFT JOIN (SELECT DISTINCT parentId FROM $filtered) AS inner_frames
        ON inner_frames.parentId = f.id
      WHERE inner_frames.parentId IS NULL
    ),
    (cumulativeValue),
    (
      SELECT
        t.id,
        sum(t.cumulativeValue) + iif(f.stackBits = $showStackBits, f.value, 0) AS cumulativeValue
      FROM $table AS t JOIN $filtered AS f ON f.id = t.id
      GROUP BY t.id
    )
  )
  ORDER BY id
);

-- Boxes from the outermost frame on, or from the frames that the view turns around if there are
-- any: one row for each frame, with the hash of its box and of the box above.
CREATE PERFETTO MACRO _viz_flamegraph_downwards_hash(
  source TableOrSubquery,
  filtered TableOrSubquery,
  accumulated TableOrSubquery,
  grouping ColumnNameList,
  grouped ColumnNameList,
  showDownward Expr
)
RETURNS TableOrSubquery AS
(
  SELECT
    g.hash, g.parentHash, g.depth, ifnull(s.name, '[NULL]') AS name
    __intrinsic_token_apply_prefix!(_viz_flamegraph_s_prefix, $grouping)
    __intrinsic_token_apply_prefix!(_viz_flamegraph_s_prefix, $grouped),
    a.cumulativeValue - ifnull(inner_frames.value, 0) AS value,
    a.cumulativeValue
  FROM _graph_scan!(
    (
      SELECT parentId AS source_node_id, id AS dest_node_id
      FROM $filtered WHERE parentId IS NOT NULL AND isShown
    ),
    (
      SELECT
        f.id, hash(1, f.groupingHash) AS hash, CAST(NULL AS INT) AS parentHash, 1 AS depth
      FROM $filtered AS f
      WHERE f.isShown AND $showDownward
        AND iif(
          EXISTS(SELECT 1 FROM $filtered WHERE isPivot), f.isPivot AND NOT f.isBelowPivot,
          f.parentId IS NULL
        )
    ),
    (hash, parentHash, depth),
    (
      SELECT
        t.id, hash(t.hash, f.groupingHash) AS hash, t.hash AS parentHash, t.depth + 1 AS depth
      FROM $table AS t JOIN $filtered AS f ON f.id = t.id
    )
  ) AS g
  JOIN $source AS s ON s.id = g.id
  JOIN $accumulated AS a ON a.id = g.id
  LEFT JOIN (
    SELECT f.parentId, sum(a.cumulativeValue) AS value
    FROM $filtered AS f JOIN $accumulated AS a ON a.id = f.id
    WHERE f.isShown
    GROUP BY f.parentId
  ) AS inner_frames ON inner_frames.parentId = g.id
);

-- What each frame and all below it have, but for what is below other frames that the view turns
-- around.
CREATE PERFETTO MACRO _viz_flamegraph_pivot_values(
  filtered TableOrSubquery,
  accumulated TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT id, pivotValue
  FROM _graph_aggregating_scan!(
    (
      SELECT id AS source_node_id, parentId AS dest_node_id
      FROM $filtered WHERE parentId IS NOT NULL
    ),
    (
      SELECT
        f.id, a.cumulativeValue AS pivotValue,
        iif(f.isPivot AND f.isShown, 0, a.cumulativeValue) AS passedOn
      FROM $filtered AS f
      JOIN $accumulated AS a ON a.id = f.id
      LEFT JOIN (SELECT DISTINCT parentId FROM $filtered) AS inner_frames
        ON inner_frames.parentId = f.id
      WHERE inner_frames.parentId IS NULL
    ),
    (pivotValue, passedOn),
    (
      SELECT
        f.id, f.ownValue + t.passedOn AS pivotValue,
        iif(f.isPivot AND f.isShown, 0, f.ownValue + t.passedOn) AS passedOn
      FROM (SELECT id, sum(passedOn) AS passedOn FROM $table GROUP BY id) AS t
      JOIN (
        SELECT
          f.id, f.isPivot, f.isShown, a.cumulativeValue - ifnull(b.value, 0) AS ownValue
        FROM $filtered AS f
        JOIN $accumulated AS a ON a.id = f.id
        LEFT JOIN (
          SELECT f.parentId, sum(a.cumulativeValue) AS value
          FROM $filtered AS f JOIN $accumulated AS a ON a.id = f.id
          GROUP BY f.parentId
        ) AS b ON b.parentId = f.id
      ) AS f ON f.id = t.id
    )
  )
);

-- Boxes from the frames that the view turns around outwards; their depths are negative. A frame of
-- that kind below another one counts for itself.
CREATE PERFETTO MACRO _viz_flamegraph_upwards_hash(
  source TableOrSubquery,
  filtered TableOrSubquery,
  accumulated TableOrSubquery,
  grouping ColumnNameList,
  grouped ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT
    g.hash, g.parentHash, g.depth, ifnull(s.name, '[NULL]') AS name
    __intrinsic_token_apply_prefix!(_viz_flamegraph_s_prefix, $grouping)
    __intrinsic_token_apply_prefix!(_viz_flamegraph_s_prefix, $grouped),
    iif(f.parentId IS NULL, g.carried, 0) AS value,
    g.carried AS cumulativeValue
  FROM _graph_scan!(
    (
      SELECT id AS source_node_id, parentId AS dest_node_id
      FROM $filtered WHERE parentId IS NOT NULL AND isShown
    ),
    (
      SELECT
        f.id,
        hash(-1, f.groupingHash) AS hash,
        CAST(NULL AS INT) AS parentHash,
        -1 AS depth,
        a.pivotValue AS carried
      FROM $filtered AS f
      JOIN _viz_flamegraph_pivot_values!($filtered, $accumulated) AS a ON a.id = f.id
      WHERE f.isPivot AND f.isShown
    ),
    (hash, parentHash, depth, carried),
    (
      SELECT
        t.id, hash(t.hash, f.groupingHash) AS hash, t.hash AS parentHash, t.depth - 1 AS depth,
        t.carried
      FROM $table AS t JOIN $filtered AS f ON f.id = t.id
    )
  ) AS g
  JOIN $filtered AS f ON f.id = g.id
  JOIN $source AS s ON s.id = g.id
);

-- An element of a list as it stands.
CREATE PERFETTO MACRO _viz_flamegraph_same(col Expr)
RETURNS Expr AS
$col;

-- One row for each box, in order of the hashes. Its id is the place of its first frame in that order.
CREATE PERFETTO MACRO _viz_flamegraph_merge_hashes(
  hashed TableOrSubquery,
  grouping ColumnNameList,
  grouped_agged_exprs ColumnNameList
)
RETURNS TableOrSubquery AS
(
  WITH
    _vfm_boxes AS MATERIALIZED (
      SELECT
        hash, parentHash, depth, name
        __intrinsic_token_apply_prefix!(_viz_flamegraph_same, $grouping)
        __intrinsic_token_apply_prefix!(_viz_flamegraph_same, $grouped_agged_exprs),
        sum(value) AS value,
        sum(cumulativeValue) AS cumulativeValue
      FROM $hashed
      GROUP BY hash
    ),
    _vfm_ids AS MATERIALIZED (
      SELECT hash, sum(num) OVER (ORDER BY hash ROWS UNBOUNDED PRECEDING) - num AS id
      FROM (SELECT hash, count(*) AS num FROM $hashed GROUP BY hash)
    )
  SELECT n.id, p.id AS parentId, b.*
  FROM _vfm_boxes AS b
  JOIN _vfm_ids AS n ON n.hash = b.hash
  LEFT JOIN _vfm_ids AS p ON p.hash = b.parentHash
  ORDER BY n.id
);

-- Where each box begins and ends, measured from the left of the one above it: the largest first.
CREATE PERFETTO MACRO _viz_flamegraph_local_layout(merged TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    m.id, m.parentId, p.cumulativeValue AS parentCumulativeValue,
    sum(m.cumulativeValue) OVER beside - m.cumulativeValue AS xStart,
    sum(m.cumulativeValue) OVER beside AS xEnd
  FROM $merged AS m
  LEFT JOIN $merged AS p ON p.id = m.parentId
  WHERE m.cumulativeValue > 0
  WINDOW beside AS (
    PARTITION BY m.parentId, m.depth > 0 ORDER BY m.cumulativeValue DESC, m.id
    ROWS UNBOUNDED PRECEDING
  )
  ORDER BY m.id
);

-- The boxes with their places.
CREATE PERFETTO MACRO _viz_flamegraph_global_layout(
  merged TableOrSubquery,
  layout TableOrSubquery,
  grouping ColumnNameList,
  grouped ColumnNameList
)
RETURNS TableOrSubquery AS
(
  SELECT
    s.id, ifnull(l.parentId, -1) AS parentId, s.name
    __intrinsic_token_apply_prefix!(_viz_flamegraph_s_prefix, $grouping)
    __intrinsic_token_apply_prefix!(_viz_flamegraph_s_prefix, $grouped),
    s.value AS selfValue,
    s.cumulativeValue,
    l.parentCumulativeValue,
    s.depth,
    g.x + l.xStart AS xStart,
    g.x + l.xEnd AS xEnd
  FROM _graph_scan!(
    (
      SELECT parentId AS source_node_id, id AS dest_node_id
      FROM $layout WHERE parentId IS NOT NULL
    ),
    (SELECT id, 0 AS x FROM $layout WHERE parentId IS NULL),
    (x),
    (SELECT t.id, t.x + p.xStart AS x FROM $table AS t
     JOIN $layout AS l ON l.id = t.id JOIN $layout AS p ON p.id = l.parentId)
  ) AS g
  JOIN $layout AS l ON l.id = g.id
  JOIN $merged AS s ON s.id = g.id
  ORDER BY abs(s.depth), g.x + l.xStart
);
