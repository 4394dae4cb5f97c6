"""SQL that wants to write, read, crash, never end, or spoil the server for the next one: at a server, as a page
that got through would send it, and at the program. Everything is answered, by rows or by an error."""
from http_attack import *

OUTSIDE = "/tmp/orma-attack-must-not-exist"


def repeat(n, text):
    return text * n


class Sql(Server):
    def tearDown(self):
        self.assert_answers()
        self.assertFalse(pathlib.Path(OUTSIDE).exists(), "SQL has written a file")
        self.assertEqual({p.name for p in self.dir.iterdir()}, {"trace", "traced.log"})
        self.server.terminate()
        self.server.wait(20 * SLOW)

    def each(self, statements, timeout=60):
        for sql in statements:
            begin = time.monotonic()
            got = self.sql(sql, timeout)
            if time.monotonic() - begin > 2:
                print(f" [{sql[:60]}: {time.monotonic() - begin:.1f} s]", end="", file=sys.stderr, flush=True)
            self.assertTrue(got, f"no answer to {sql[:100]}")
            self.assertIsNone(self.server.poll(), f"the server died of {sql[:100]}\n{self.said()}")
            self.assertNotIn(b"root:x:", got)

    def test_files(self):
        path = OUTSIDE
        self.each((f"attach database '{path}' as a", "attach '/etc/passwd' as x", "attach ':memory:' as x", f"vacuum into '{path}'",
                   f"select load_extension('{path}')", f"select writefile('{path}', 'x')", "select readfile('/etc/passwd')",
                   f"select __intrinsic_file_write('{path}', x'00')", "select edit('x')", f"pragma temp_store_directory = '{self.dir}'",
                   f"pragma data_store_directory = '{self.dir}'", "pragma journal_mode = wal", "pragma main.journal_mode = delete",
                   "create virtual table t using csv(filename='/etc/passwd')", "select * from zipfile('/etc/passwd')",
                   "select * from fsdir('/')", f".output {path}", f".shell touch {path}", f"select export_json('{path}')",
                   "include perfetto module ../../../etc/passwd", "include perfetto module .", "select run_metric('/etc/passwd')",
                   f"select zipfile_cds('{path}')", "create virtual table t using fts5(a, content='/etc/passwd')",
                   "create virtual table t using dbstat", "create virtual table t using rtree(a, b, c)"))

    def test_what_crashes(self):
        names = ("fts3_tokenizer", "fts5", "fts5_source_id", "rtreenode", "rtreedepth", "rtreecheck", "snippet", "matchinfo", "offsets",
                 "optimize", "bm25", "highlight", "fts3_exprtest", "sqlite_rename_table", "sqlite_rename_column", "sqlite_drop_column",
                 "sqlite_rename_test", "sqlite_fail", "sqlite_offset", "load_extension", "sqlite_log", "sqlite_add_constraint")
        arguments = ("", "1", "'simple'", "'simple', x'4141414141414141'", "null", "1, 2, 3", "'t', x'0000000000000000'", "*")
        self.each(f"select {name}({args})" for name in names for args in arguments)

    def test_every_function_with_odd_arguments(self):
        """As this SQLite and we offer them: no argument of any crashes the server."""
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/sql-functions.md"
        names = sorted({line[4:].partition("(")[0] for line in page.read_text().splitlines() if line.startswith("**`")})
        names = [n.strip("`* :") for n in names] + [
            "abs", "char", "coalesce", "format", "glob", "hex", "instr", "json", "json_array", "json_each", "json_extract", "json_object",
            "json_patch", "json_set", "json_type", "like", "likelihood", "ltrim", "max", "min", "nth_value", "lag", "lead", "ntile", "printf",
            "quote", "random", "randomblob", "replace", "round", "sign", "soundex", "strftime", "substr", "sum", "total", "trim", "typeof",
            "unicode", "unhex", "zeroblob", "group_concat", "percent_rank", "row_number", "pow", "mod", "log", "timediff"]
        self.assertGreater(len(names), 100)
        values = ["null", "''", "'x'", "x'00ff'", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e999", "0.5", "'*'", "'('",
                  "'a.b[0]'", "zeroblob(100000)", "'%s%n%*d'"]
        statements = []
        for name in names:
            for _ in range(times(3, 60)):
                args = ", ".join(self.random.choice(values) for _ in range(self.random.randrange(6)))
                statements.append(self.random.choice((f"select {name}({args})", f"select * from {name}({args}) limit 5",
                                                      f"select {name}({args}) over () from slice limit 5")))
        self.each(statements)

    def test_what_is_long_and_deep(self):
        self.each((f"select {repeat(5000, '(')}1{repeat(5000, ')')}", f"select 1{repeat(50000, '+1')}", f"select {','.join(['1'] * 40000)}",
                   f"select '{repeat(3000000, 'x')}'", f"values {','.join(f'({i})' for i in range(20000))}",
                   f"select 'a' like '{repeat(25000, '%a')}b'", f"select glob('{repeat(25000, '*a')}b', '{repeat(100, 'a')}')",
                   f"select * from {','.join(['(select 1)'] * 70)}", "select 1;;;;;;;;; select /* never closed",
                   f"select json_extract('{repeat(100000, '[')}', '$')", f"select regexp('(a+)+$', '{repeat(40, 'a')}b')",
                   "select unhex_not_there(1); \0 select 1", f"{repeat(300, 'select * from (')}select 1{repeat(300, ')')}",
                   "create perfetto function f(x int) returns int as select f($x) + 1; select f(1)",
                   "create perfetto macro m(x Expr) returns Expr as m!($x); select m!(1)",
                   "create perfetto macro a(x Expr) returns Expr as ($x + $x); select " + repeat(times(16, 40), "a!(") + "1" + repeat(times(16, 40), ")"),
                   "create perfetto function t(n long) returns table(x long) as select $n as x; "
                   "create or replace perfetto function t(n long) returns table(x long) as select x from t($n + 1); select * from t(1)",
                   "create view v1 as select * from v1; select * from v1", "with r as (select * from r) select * from r"))

    def test_what_takes_memory(self):
        self.each(("select randomblob(2000000000)", "select zeroblob(2147483647)", "select length(printf('%.*c', 300000000, 'x'))",
                   "select length(replace(hex(zeroblob(2000000)), '0', 'aaaaaaaaaaaaaaaa'))", "select length(quote(zeroblob(20000000)))",
                   "select substr('abc', -9223372036854775808, 9223372036854775807)", "select abs(-9223372036854775808)",
                   "select group_concat(x) from (with recursive r(x) as (select 1 union all select x + 1 from r limit 100000) select x from r)"))
        if SLOW == 1:
            self.assertLess(self.server_memory_kb(), 1500000)

    def test_what_expands(self):
        """A few lines that each make a multiple of the one before, in all ways that text is made from text."""
        def chain(kind, body, end, num):
            return ";".join([kind.format(0) + body.replace("B", "$x+$x")] + [
                kind.format(i) + body.replace("B", f"m{i - 1}!(m{i - 1}!($x))") for i in range(1, num)]) + end
        macro = "create perfetto macro m{}(x Expr) returns Expr as "
        self.each((chain(macro, "B", ";select m5!(1)", 6),
                   chain(macro, "B", ";create perfetto view v as select m11!(1) as x", 12),
                   chain(macro, "__intrinsic_stringify!(B)", ";select m9!(1)", 10),
                   macro.format("") + "$x, $x;select __intrinsic_token_apply!(m, (" + repeat(30, "m!(") + "1" + repeat(30, ")") + "))",
                   ";".join(f"create perfetto view w{i} as select a.x as x from w{i - 1} a join w{i - 1} b using (x)" if i else
                            "create perfetto view w0 as select 1 as x" for i in range(16)) + ";select * from w15",
                   f"select length({repeat(12, 'replace(')}'aaaaaaaaaa'" + repeat(12, ", 'a', 'aaaaaaaaaa')") + ")"), 120)
        if SLOW == 1:
            self.assertLess(self.server_memory_kb(), 1500000)

    def test_scripts_without_rows_end_in_time(self):
        """SQLite asks whether to go on when it reads rows; what only makes things ends, too."""
        self.server.terminate()
        self.server.wait(20 * SLOW)
        self.server_args = ("--query-timeout", "200ms")
        self.start_server()
        for name, kind in {"a": "create perfetto view {0} as select * from {1}", "b": "create view {0} as select * from {1}",
                           "c": "create perfetto function {0}(x long) returns long as select {1}($x) + 1",
                           "d": "create perfetto function {0}(x long) returns table(x long) as select x from {1}($x)"}.items():
            first = kind.replace("{1}($x) + 1", "$x").replace("x from {1}($x)", "$x as x").format(name + "0", "slice")
            got = self.sql(";".join([first] + [kind.format(f"{name}{i}", f"{name}{i - 1}") for i in range(1, 4000)]), 60)
            self.assertIn(b"takes longer than the limit of 0.2 s", got, first)

    def test_one_step_is_short(self):
        """SQLite asks between its steps only; a function of one call ends in time, or is refused."""
        self.server.terminate()
        self.server.wait(20 * SLOW)
        self.server_args = ("--query-timeout", "200ms")
        self.start_server()
        text = "(select hex(zeroblob(5000000)) as x)"
        for sql in ("printf('%.*c', 2147483647, 'x')", "printf('%.*c%.*c', 2147483647, 'xyz', 2147483647, 'x')", "format('%.2147483647f', 1.0)",
                    "format('%2147483647d%2147483647d', 1, 1)", "printf(replace(x, '00', '%.9999999e'), 1)", "replace(x, '0', x)",
                    "instr(x, hex(zeroblob(50000)) || '1')", "replace(x, hex(zeroblob(50000)) || '1', 'a')", "trim(x, hex(zeroblob(50000)))",
                    "x like '%' || hex(zeroblob(2400)) || '1'", "x glob '*' || hex(zeroblob(2400)) || '1'", "json_patch(json_array(x), json_array(x))",
                    "x like '%' || hex(zeroblob(2400)) || '1' escape '%'", "concat(x, x, x, x, x, x, x, x, x, x, x, x)",
                    ", ".join(["hex(x)"] * 500)):
            self.assertTrue(self.sql(f"select coalesce(max(1, {sql}), 1) = 1 from {text}", 30), f"no answer to {sql}")

    def test_what_spoils_the_server(self):
        """Nothing that one client says changes the answers to the next for good: pragmas change nothing, and tables
        of its own that hide others go when the first tables are restored."""
        before = self.cells()
        self.each((f"pragma {p}" for p in (
            "hard_heap_limit = 1", "soft_heap_limit = 1", "max_page_count = 1", "case_sensitive_like = 1", "query_only = 1",
            "writable_schema = 1", "threads = 8", "cache_size = 0", "mmap_size = 1000000", "encoding = 'UTF-16'", "locking_mode = exclusive",
            "recursive_triggers = 1", "ignore_check_constraints = 1", "legacy_alter_table = 1", "reverse_unordered_selects = 1",
            "trusted_schema = 0", "wal_autocheckpoint = 1", "page_size = 512", "schema_version = 5", "user_version = 5", "temp_store = 1",
            "secure_delete = 1", "defer_foreign_keys = 1", "short_column_names = 0", "full_column_names = 1", "empty_result_callbacks = 1",
            "count_changes = 1", "busy_timeout = 1000000", "journal_size_limit = 0", "optimize", "shrink_memory", "incremental_vacuum")))
        self.assertEqual(before, self.cells())
        self.each(("update sqlite_master set sql = 'x'", "delete from sqlite_master", "drop table slice", "drop view slice", "detach main",
                   "create perfetto table slice as select 1 as id", "create perfetto view slice as select 1 as id", "create table slice (x)",
                   "create temp table slice (x)", "create temp view slice as select 1", "delete from slice", "update slice set name = 'x'",
                   "alter table slice rename to gone", "create trigger t before insert on x begin select 1; end", "reindex", "analyze",
                   "begin exclusive", "begin", "savepoint s", "vacuum", "rollback"))
        self.assertEqual(self.code(self.ask(self.post("/restore_initial_tables"))), 200)
        self.assertEqual(before, self.cells())

    def cells(self):
        """Of a question whose answer pragmas and tables of others would change; without the time it took."""
        answer = self.sql("select 'A' like 'a', (select count(*) from slice), (select name from slice order by id limit 1)")
        self.assertIn(b"n0", answer)
        return answer.partition(b"\r\n\r\n")[2].partition(b"\r\n")[2].partition(b"n0")[0]

    def test_random_statements(self):
        words = ("select", "from", "slice", "where", "(", ")", ",", "*", "count", "group by", "order by", "1", "'x'", "null", "name", "ts",
                 "join", "using", "with", "as", "t", "union all", "limit", "create perfetto table", "create perfetto view", "include perfetto module",
                 "create perfetto function", "returns", "drop table", "-", "+", "||", "in", "exists", "over", "partition by", "case", "when", "end",
                 "span_join", "create virtual table", ";", "$x", "!", "interval_intersect", "values", "insert into", "thread", "process", "args",
                 "extract_arg", "glob", "is", "not", "having", "distinct", "cast", "explain", "pragma", "table_info")
        for _ in range(times(600, 50000)):
            got = self.sql(" ".join(self.random.choice(words) for _ in range(self.random.randrange(1, 25))), 60)
            self.assertTrue(got)


if __name__ == "__main__":
    main()
