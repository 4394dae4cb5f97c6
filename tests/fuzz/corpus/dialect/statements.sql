create or replace perfetto table t using dataframe (a long, b joinid(x.y)) as select 1;
create perfetto function f(a any...) returns bool delegates to hash;
create perfetto function g(a int) returns table(x long) as select $a as x;
create perfetto index i on t(a); drop perfetto index i on t; include perfetto module a.*;
create trigger x after insert on t begin select 1; end; select ?1, :a, x'00', "a""b", [q];
