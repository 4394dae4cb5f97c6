-- Casts as macros.

-- A value as an integer.
CREATE PERFETTO MACRO cast_int(
  -- The value.
  value Expr
)
-- An expression.
RETURNS Expr AS
CAST($value AS INT);

-- A value as a real number.
CREATE PERFETTO MACRO cast_double(
  -- The value.
  value Expr
)
-- An expression.
RETURNS Expr AS
CAST($value AS REAL);

-- A value as a text.
CREATE PERFETTO MACRO cast_string(
  -- The value.
  value Expr
)
-- An expression.
RETURNS Expr AS
CAST($value AS TEXT);
