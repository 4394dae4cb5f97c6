-- What the modules of wattson share: estimates of power on devices whose hardware was measured.

INCLUDE PERFETTO MODULE slices.with_context;

-- One number of eight bits.
CREATE PERFETTO MACRO _bitmask8(
  b0 Expr, b1 Expr, b2 Expr, b3 Expr, b4 Expr, b5 Expr, b6 Expr, b7 Expr
)
RETURNS Expr AS
(
  ($b0) | (($b1) << 1) | (($b2) << 2) | (($b3) << 3) | (($b4) << 4) | (($b5) << 5)
  | (($b6) << 6) | (($b7) << 7)
);

CREATE PERFETTO MACRO _extract_bit(mask Expr, bit Expr)
RETURNS Expr AS
(($mask) >> ($bit) & 1);

-- The cpus of a policy, as bits, where p0 to p7 are the policies of the cpus.
CREATE PERFETTO MACRO _policy_mask(
  target Expr, p0 Expr, p1 Expr, p2 Expr, p3 Expr, p4 Expr, p5 Expr, p6 Expr, p7 Expr
)
RETURNS Expr AS
_bitmask8!(
  ($p0) = ($target), ($p1) = ($target), ($p2) = ($target), ($p3) = ($target), ($p4) = ($target),
  ($p5) = ($target), ($p6) = ($target), ($p7) = ($target)
);

-- The number that stands for the unit shared by all cpus, where others are policies.
CREATE PERFETTO MACRO _dsu_dep()
RETURNS Expr AS
255;

-- A table as _interval_intersect takes it. Rows of the result find theirs by _auto_id.
CREATE PERFETTO MACRO _ii_subquery(tab TableOrSubquery)
RETURNS TableOrSubquery AS
(SELECT _auto_id AS id, * FROM $tab);

-- From the marker wattson_start to the marker wattson_stop.
CREATE PERFETTO TABLE _wattson_markers_window AS
WITH markers AS (
  SELECT
    min(iif(name = 'wattson_start', ts, NULL)) AS ts,
    max(iif(name = 'wattson_stop', ts, NULL)) AS ts_end
  FROM slice
  WHERE name IN ('wattson_start', 'wattson_stop')
)
SELECT ts, ts_end - ts AS dur, 1 AS period_id
FROM markers
WHERE ts IS NOT NULL AND ts_end IS NOT NULL;
