-- Lists in parentheses, as macros take them, without their parentheses.

CREATE PERFETTO MACRO _metasql_element(element Expr)
RETURNS Expr AS
$element;

-- (a, b) becomes a, b.
CREATE PERFETTO MACRO metasql_unparenthesize_exprlist(expr ExprList)
RETURNS UnparenExprList AS
__intrinsic_token_apply!(_metasql_element, $expr);
