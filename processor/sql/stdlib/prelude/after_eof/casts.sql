-- Casts as macros.

CREATE PERFETTO MACRO cast_int(value Expr)
RETURNS Expr AS
CAST($value AS INT);

CREATE PERFETTO MACRO cast_double(value Expr)
RETURNS Expr AS
CAST($value AS REAL);

CREATE PERFETTO MACRO cast_string(value Expr)
RETURNS Expr AS
CAST($value AS TEXT);
