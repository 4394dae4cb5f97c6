select string_agg(distinct a, ',' order by b collate nocase desc nulls last, f(c order by d)) filter (where x) from t;
