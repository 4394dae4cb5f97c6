create perfetto macro m(a Expr, b ColumnNameList) returns Expr as f($a) __intrinsic_token_apply_prefix!(n, $b);
create perfetto macro n(a Expr) returns Expr as __intrinsic_stringify!($a);
select m!(1_0, (x, y, (z, 1))) /* c */ from t; -- end
