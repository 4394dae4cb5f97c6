#!/usr/bin/env python3
"""orma_sqlite.so in the sqlite3 of the system and in Python's: the same rows as orma query, and nothing left behind."""
import csv
import io
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import unittest
from random import Random

from installed import BUILD, SOURCE, Installed, prefer_systems_python, run, sanitized, write_trace

# Questions whose constraints, order and limits are pushed down, or must not be.
QUERIES = [
    "SELECT ts, dur, name FROM slice ORDER BY ts",
    "SELECT id, ts FROM slice WHERE ts > 100000 AND ts <= 400000 AND name != 'work 1' ORDER BY dur DESC, ts LIMIT 5 OFFSET 2",
    "SELECT name FROM slice WHERE id = 7",
    "SELECT id FROM slice WHERE id = 7 OR id = 3 OR name = 'work 2' ORDER BY id",
    "SELECT id FROM slice WHERE id IN (1, 2, 50, 3) ORDER BY id DESC",
    "SELECT id FROM slice WHERE ts = '2000'",
    "SELECT id FROM slice WHERE ts = 2000.0 OR ts > 1e9",
    "SELECT id FROM slice WHERE name LIKE 'WORK 2' LIMIT 3",
    "SELECT id FROM slice WHERE name GLOB 'work [12]' ORDER BY id LIMIT 3",
    "SELECT id FROM slice WHERE name = 'WORK 2' COLLATE NOCASE ORDER BY id LIMIT 2",
    "SELECT id FROM slice WHERE parent_id IS NULL AND name IS NOT NULL AND name IS 'work 3' ORDER BY id",
    "SELECT id FROM slice WHERE parent_id IS NOT NULL",
    "SELECT id FROM slice WHERE name = NULL",
    "SELECT name, count(*) AS n, sum(dur) AS d FROM slice GROUP BY name ORDER BY name",
    "SELECT DISTINCT name FROM slice ORDER BY name",
    "SELECT s.id, t.name, replace(p.name, '\"', '') AS process FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) "
    "JOIN process p USING (upid) WHERE s.id < 5 ORDER BY s.id",
    "SELECT s.id, a.key, a.display_value FROM slice s LEFT JOIN args a USING (arg_set_id) WHERE s.id < 9 ORDER BY 1, 2",
    "SELECT max(value), min(value), avg(value) FROM counter",
    "SELECT count(*) FROM slice a, slice b WHERE a.id = b.id + 1",
    "SELECT name, value FROM stats WHERE value >= 0 AND name GLOB 'json*' ORDER BY name",
    "SELECT (SELECT count(*) FROM slice i WHERE i.ts < o.ts AND i.name = o.name) AS n FROM slice o ORDER BY id",
    "SELECT key FROM args WHERE key = 'a' OR int_value = 3 OR int_value = 4 ORDER BY key",
    "SELECT id FROM slice LIMIT 0",
    "SELECT id FROM slice ORDER BY id LIMIT -1 OFFSET 37",
    "SELECT count(*) FROM slice WHERE ts BETWEEN 1000 AND 90000 AND dur IN (SELECT dur FROM slice WHERE id % 3 = 0)",
    "SELECT rowid = id AS same, count(*) FROM slice WHERE id > 4 GROUP BY 1",
]


TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*' ORDER BY name"
VALUES = ["0", "1", "-1", "7", "40", "1000", "9223372036854775807", "-9223372036854775808", "0.5", "1e300", "'7'", "'work'", "''", "NULL", "x'00ff'",
          "'it''s ?1 \"\u0001 1'", "'%'", "'*o*'", "(SELECT max(id) FROM thread)", "char(1) || '2'", "'" + "long " * 300 + "'"]


def condition(random, names, depth=2):
    kind = random.randrange(9 if depth else 7)
    col, value = random.choice(names), random.choice(VALUES)
    if kind < 4:
        return f"{col} {random.choice(['=', '!=', '<', '<=', '>', '>=', 'IS', 'IS NOT', 'LIKE', 'GLOB'])} {value}"
    if kind == 4:
        return f"{col} IS {random.choice(['', 'NOT '])}NULL"
    if kind == 5:
        return f"{col} {random.choice(['', 'NOT '])}IN ({value}, {random.choice(VALUES)})"
    if kind == 6:
        return f"{col} BETWEEN {value} AND {random.choice(VALUES)}"
    one, two = condition(random, names, depth - 1), condition(random, names, depth - 1)
    return f"NOT ({one})" if kind == 8 and random.randrange(2) else f"({one} {random.choice(['AND', 'OR'])} {two})"


def statement(random, columns):
    """Whether its rows have an order, and the text."""
    table = random.choice(list(columns))
    names = [f'a."{c}"' for c in columns[table]]
    source = f'"{table}" a'
    if random.randrange(4) == 0:
        other = random.choice(list(columns))
        source += f' {random.choice(["JOIN", "LEFT JOIN"])} "{other}" b ON {random.choice(names)} = b."{random.choice(columns[other])}"'
    where = condition(random, names)
    if random.randrange(5) == 0:
        return True, f"SELECT count(*), min({random.choice(names)}), count({random.choice(names)}) FROM {source} WHERE {where}"
    chosen = ", ".join(random.sample(names, random.randrange(1, min(6, len(names)) + 1)))
    sql = f"SELECT {'DISTINCT ' if random.randrange(6) == 0 else ''}{chosen} FROM {source} WHERE {where}"
    # In order of all that is shown, rows that are equal look the same, whichever of them a limit keeps.
    if random.randrange(2):
        sql += f" ORDER BY {', '.join(c + random.choice([' DESC', '']) for c in chosen.split(', '))}"
        if random.randrange(2):
            sql += f" LIMIT {random.choice([0, 1, 3, 100, -1])}" + random.choice(["", " OFFSET 2", " OFFSET 1000"])
        return True, sql
    return False, sql


def asan():
    """What makes a program of others bear a library with sanitizers."""
    libraries = [subprocess.run(["cc", f"-print-file-name=lib{n}.so"], capture_output=True, text=True, check=False).stdout.strip()
                 for n in ("asan", "ubsan")]
    return {"LD_PRELOAD": ":".join(libraries)} if sanitized() else {}


@unittest.skipUnless(shutil.which("sqlite3"), "sqlite3 is not installed")
class Sqlite(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.extension = cls.lib / "orma_sqlite.so"
        version = tuple(map(int, run("sqlite3", "-version").split()[0].split(".")[:2]))
        if version < (3, 38):
            raise unittest.SkipTest("sqlite3 is older than 3.38")

    def shell(self, *statements, code=0):
        """What the statements print, as CSV."""
        done = subprocess.run(["sqlite3", "-bail", "-csv", "-header", "-cmd", f".load {self.extension}", ":memory:"],
                              input="\n".join(s if s.startswith(".") else s + ";" for s in statements), capture_output=True,
                              text=True, env=dict(self.env, **asan()), check=False)
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertEqual(done.returncode, code, done.stdout[-500:] + done.stderr[-3000:])
        return done.stdout if not code else done.stderr

    def orma(self, sql, *more):
        return run(self.prefix / "bin/orma", "query", *more, self.trace, sql, env=dict(self.env, ORMA_CACHE="off"))

    @staticmethod
    def cell(text):
        """NULL and numbers in one form: the shells print them differently."""
        if re.fullmatch(r"-?\d+\.\d+", text):
            return str(float(text))
        return "" if text == "[NULL]" else text

    def rows(self, text):
        return [[self.cell(c) for c in row] for row in csv.reader(io.StringIO(text))]

    def test_the_same_rows_as_orma_query(self):
        statements = [f"SELECT orma_open('{self.trace}')"]
        for i, sql in enumerate(QUERIES):
            statements += [f".print ={i}", sql]
        parts = self.shell(*statements).split("\n=")
        self.assertEqual(len(parts), len(QUERIES) + 1)
        for i, (sql, part) in enumerate(zip(QUERIES, parts[1:])):
            theirs = self.rows(part.partition("\n")[2])
            if "rowid" in sql:
                self.assertEqual(theirs[1:], [["1", "35"]])
                continue
            ours = self.rows(self.orma(sql))
            # Without rows one shell prints no header.
            self.assertEqual(theirs[1:], ours[1:], sql)
            self.assertTrue(len(ours) > 1 or i in (11, 12, 22), sql)

    def both(self, trace):
        """The trace as tables of SQLite, and by the package, in this process."""
        if sanitized():
            self.skipTest("built with a sanitizer, which Python would need as well")
        sys.path.insert(0, str(SOURCE / "tools/python"))
        os.environ["ORMA_LIBRARY"] = str(self.lib / "liborma_processor.so.0")
        import orma
        db, tp = self.connect(), orma.TraceProcessor(str(trace))
        self.addCleanup(db.close)
        self.addCleanup(tp.close)
        db.text_factory = lambda data: data.decode("utf-8", "ignore")
        db.execute("SELECT orma_open(?)", [str(trace)])
        return db, tp

    @staticmethod
    def asked(tp, sql):
        return [tuple(cells) for cells in zip(*tp.query(sql)._cells())]  # pylint: disable=protected-access

    def recorded(self):
        trace = self.root / "recorded.pftrace"
        if not trace.exists():
            run(self.prefix / "bin/orma", "record", "-o", trace, "apps", "--", BUILD / "sdk/orma_demo", "--threads", "2", "--iterations", "40",
                env=self.env)
        return trace

    def test_every_table_has_the_same_rows(self):
        for trace in (self.trace, self.recorded()):
            db, tp = self.both(trace)
            names = [n for n, in self.asked(tp, TABLES)]
            self.assertGreater(len(names), 150)
            filled = 0
            for name in names:
                sql = f'SELECT * FROM "{name}"'
                theirs, ours = db.execute(sql).fetchall(), self.asked(tp, sql)
                # How long the load took differs from load to load.
                theirs, ours = ([r for r in rows if not any("duration_ns" in str(c) for c in r)] for rows in (theirs, ours))
                self.assertEqual(theirs, ours, (trace.name, name))
                filled += bool(ours)
            self.assertGreater(filled, 20)

    def test_statements_that_nobody_should_write(self):
        """Made at random: what is pushed down, and what comes of it, is what the processor says itself."""
        random = Random(7)
        trace = self.recorded()
        tables = ("slice", "thread", "process", "track", "counter", "args", "counter_track", "metadata", "clock_snapshot", "thread_track")
        columns = {t: [r[0] for r in self.rows(run(self.prefix / "bin/orma", "query", trace, f"SELECT name FROM pragma_table_info('{t}')",
                                                   env=dict(self.env, ORMA_CACHE="off")))[1:]] for t in tables}
        statements = [statement(random, columns) for _ in range(400)]
        if sanitized():
            self.shell(f"SELECT orma_open('{trace}')", ".bail off", *(sql for _, sql in statements))
            return
        db, tp = self.both(trace)
        import orma
        empty = failed = 0
        for ordered, sql in statements:
            try:
                theirs = db.execute(sql).fetchall()
            except sqlite3.Error as error:
                theirs = str(error).split(":")[0]
                failed += 1
            try:
                ours = self.asked(tp, sql)
            except orma.TraceProcessorException as error:
                self.assertIsInstance(theirs, str, (sql, error))
                continue
            self.assertIsInstance(theirs, list, (sql, theirs))
            if not ordered:
                theirs, ours = sorted(theirs, key=repr), sorted(ours, key=repr)
            self.assertEqual(theirs, ours, sql)
            empty += not ours
        self.assertLess(empty, 300)
        self.assertLess(failed, 40)

    def test_joins_filter_what_they_may(self):
        """Over tables of a trace as over copies of them: outer joins, and texts beside numbers."""
        db, _ = self.both(self.recorded())
        for name in ("thread", "process"):
            types = ", ".join(f'"{c[1]}" {c[2]}' for c in db.execute(f"PRAGMA temp.table_info({name})"))
            db.execute(f"CREATE TABLE main.copy_{name}({types})")
            db.execute(f"INSERT INTO main.copy_{name} SELECT * FROM temp.{name}")
        terms = ("t.name != 'main'", "t.name IS NOT NULL", "t.name LIKE '%o%'", "t.name GLOB '*a*'", "t.tid IS NOT 1", "t.name = p.pid",
                 "t.name IS p.upid", "p.name = t.tid", "t.name = CAST(7 AS INTEGER)", "t.name IS NULL")
        for join in ("JOIN", "LEFT JOIN"):
            for term in terms:
                sql = f"SELECT count(*), count(p.upid) FROM @thread t {join} @process p ON t.upid = p.upid AND {term}"
                theirs, copies = (db.execute(sql.replace("@", prefix)).fetchall() for prefix in ("temp.", "copy_"))
                self.assertEqual(theirs, copies, sql)

    def test_several_traces(self):
        other = self.root / "o'ther.json"
        write_trace(other, slices=3)
        name = str(other).replace("'", "''")
        out = self.shell(f"SELECT orma_open('{self.trace}') > 100 AS ok", f"SELECT orma_open('{name}', 'o\"ne two') > 100 AS ok",
                         "SELECT count(*) AS n FROM slice", "SELECT count(*) AS n FROM \"o\"\"ne two\".slice",
                         "SELECT count(*) AS n FROM slice a JOIN \"o\"\"ne two\".slice b USING (ts)",
                         "SELECT orma_close('o\"ne two') AS c", "SELECT count(*) AS n FROM slice",
                         "SELECT orma_close() AS c", "SELECT count(*) AS n FROM temp.sqlite_master",
                         f"SELECT orma_open('{name}') > 100 AS ok", "SELECT count(*) AS n FROM slice")
        self.assertEqual([line for line in out.split() if line not in ("ok", "n", "c", '""')],
                         ["1", "1", "40", "3", "3", "40", "0", "1", "3"])

    def test_a_second_opening_comes_from_the_cache(self):
        folder = self.root / "images"
        sums = "SELECT count(*) AS n, sum(dur) AS d FROM slice"
        self.assertEqual(self.shell(f"SELECT orma_open('{self.trace}', 'temp', 'off') > 100 AS ok", sums).split(), ["ok", "1", "n,d", "40,820000"])
        for _ in range(2):
            self.assertEqual(self.shell(f"SELECT orma_open('{self.trace}', NULL, '{folder}') > 100 AS ok", sums).split(), ["ok", "1", "n,d", "40,820000"])
        image, = folder.iterdir()
        os.utime(image, (0, 0))
        self.shell(f"SELECT orma_open('{self.trace}', 'a', '{folder}') AS ok", "SELECT count(*) FROM a.slice")
        self.assertGreater(image.stat().st_mtime, 0, "it was used")
        self.assertIn("cache=nowhere: expected auto, off, or a folder", self.shell(f"SELECT orma_open('{self.trace}', NULL, 'nowhere')", code=1))

    def test_modules_and_tables_of_ones_own(self):
        out = self.shell(f"SELECT orma_open('{self.trace}') > 100 AS ok",
                         "SELECT orma_run('INCLUDE PERFETTO MODULE slices.with_context; CREATE PERFETTO TABLE mine AS SELECT 5 AS a') AS new",
                         "SELECT count(*) AS n FROM thread_slice WHERE thread_name = 'worker'", "SELECT a FROM mine WHERE a = 5",
                         "CREATE TABLE kept AS SELECT * FROM slice", "SELECT sum(dur) AS d FROM kept")
        words = out.split()
        self.assertEqual(words[:2] + words[4:], ["ok", "1", "n", "40", "a", "5", "d", "820000"])
        self.assertGreater(int(words[3]), 1)

    def test_errors(self):
        opened = f"SELECT orma_open('{self.trace}')"
        for statements, error in [
                (["SELECT orma_open('/nowhere/x')"], "/nowhere/x: No such file"),
                (["SELECT orma_open(NULL)"], "needs a path"),
                (["SELECT orma_close('x')"], "no trace is open"),
                (["SELECT orma_run('SELECT 1')"], "no trace is open"),
                ([opened, opened], "already open under this name"),
                ([opened, "SELECT orma_run('SELECT missing')"], "no such column: missing"),
                ([opened, "CREATE VIRTUAL TABLE main.x USING orma"], "no trace is open as 'main'"),
                ([opened, "CREATE VIRTUAL TABLE temp.missing USING orma"], "no such table"),
                ([opened, "INSERT INTO slice(name) VALUES ('x')"], "may not be modified"),
                ([opened, "SELECT orma_run('CREATE PERFETTO TABLE k AS SELECT 1 AS x')", "SELECT orma_run('CREATE OR REPLACE PERFETTO TABLE k AS "
                  "SELECT 2 AS y')", "SELECT x FROM k"], "no such column: k.x"),
                (["CREATE TABLE temp.slice(a)", opened, "SELECT ts FROM slice"], "no such column: ts"),
                ([f"CREATE VIEW v AS SELECT orma_open('{self.trace}') AS a", "SELECT a FROM v"], "unsafe use of orma_open"),
        ]:
            self.assertIn(error, self.shell(*statements, code=1), statements)
        broken = self.root / "broken"
        broken.write_bytes(b"\x0a\x05hello" * 5 + b"no trace")
        self.shell(f"SELECT orma_open('{broken}', 'b')", code=1)

    def connect(self):
        db = sqlite3.connect(":memory:")
        if not hasattr(db, "enable_load_extension"):
            self.skipTest("this Python loads no extensions into SQLite")
        db.enable_load_extension(True)
        try:
            db.load_extension(str(self.extension))
        except sqlite3.OperationalError as error:
            if "orma needs" in str(error):
                self.skipTest(str(error))
            raise
        return db

    def test_in_python(self):
        if sanitized():
            self.skipTest("built with a sanitizer, which Python would need as well")
        db = self.connect()
        db.execute("SELECT orma_open(?)", [str(self.trace)])
        self.assertEqual(db.execute("SELECT name, dur FROM slice WHERE dur > ? ORDER BY dur", [38000]).fetchall(),
                         [("work 2", 39000), ("work 3", 40000)])
        with self.assertRaises(sqlite3.OperationalError):
            rows = db.execute("SELECT * FROM slice")
            rows.fetchone()
            db.execute("SELECT orma_close()")  # while a row is looked at
        rows.close()
        db.execute("SELECT orma_close()")
        db.execute("SELECT orma_open(?, 'again')", [str(self.trace)])
        for _ in range(50):  # plans are used again
            self.assertEqual(db.execute("SELECT count(*) FROM again.slice WHERE name = 'work 2'").fetchone(), (10,))
        held = db.execute("SELECT * FROM again.slice, again.thread")
        held.fetchone()
        db.close()
        del held

    def test_the_hosts_interrupt_ends_what_the_trace_runs(self):
        if sanitized():
            self.skipTest("built with a sanitizer, which Python would need as well")
        big = self.root / "many.json"
        write_trace(big, slices=5000)
        for threads in "1", "3":
            os.environ["ORMA_THREADS"] = threads
            self.addCleanup(os.environ.pop, "ORMA_THREADS", None)
            db = self.connect()
            db.execute("SELECT orma_open(?, 'temp', 'off')", [str(big)])
            db.execute("SELECT orma_run('CREATE VIEW slow AS SELECT count(*) AS n FROM slice a, slice b, slice c WHERE a.dur + b.dur * c.ts = 3')")
            endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
            for sql in f"SELECT orma_run('{endless}')", "SELECT * FROM slow":
                asked = []
                timer = threading.Timer(0.5, lambda: (asked.append(time.monotonic()), db.interrupt()))
                timer.start()
                with self.assertRaises(sqlite3.OperationalError) as raised:
                    db.execute(sql).fetchall()
                self.assertLess(time.monotonic() - asked[0], 2, "30 ms, on a machine that has time")
                if hasattr(raised.exception, "sqlite_errorname"):
                    self.assertEqual(raised.exception.sqlite_errorname, "SQLITE_INTERRUPT")
                timer.join()
            self.assertEqual(db.execute("SELECT count(*) > 0 FROM slice").fetchone(), (1,))
            db.close()

    def test_memory_comes_back(self):
        if sanitized() or not os.path.exists("/proc/self/statm"):
            self.skipTest("sanitizers keep memory")
        self.connect().close()
        big = self.root / "big.json"
        write_trace(big, slices=20000)
        code = ("import sqlite3, sys\ndb = sqlite3.connect(':memory:'); db.enable_load_extension(True); db.load_extension(sys.argv[1])\n"
                "def used(): return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
                "def turn():\n"
                "    db.execute('SELECT orma_open(?)', [sys.argv[2]]); assert db.execute('SELECT count(*) FROM slice').fetchone()[0] == 20000\n"
                "    db.execute('SELECT orma_close()')\n"
                "for _ in range(3): turn()\n"
                "before = used()\n"
                "for _ in range(12): turn()\n"
                "print(used() - before)\n")
        grown = int(run(sys.executable, "-c", code, self.extension, big, env=self.env))
        self.assertLess(grown, 12 * 1000 * 1000)  # one trace is more than a megabyte


if __name__ == "__main__":
    prefer_systems_python("import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)")
    unittest.main()
