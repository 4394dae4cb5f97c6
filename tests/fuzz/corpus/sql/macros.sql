CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS ($x + __intrinsic_stringify!($x)); SELECT m!(m!(1)); SELECT __intrinsic_token_apply!(m, (1, 2))
