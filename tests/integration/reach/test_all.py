#!/usr/bin/env python3
"""orma query --all: many traces, bad ones among them, again and again."""
import contextlib
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from installed import BUILD, write_trace

ORMA = BUILD / "tools/orma"
COUNT = "SELECT name, count(*) AS n FROM slice GROUP BY name"


class All(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for i, name in enumerate(["1.json", "a/2.json", "a/b/3 it's.json"]):
            (self.root / "runs" / name).parent.mkdir(parents=True, exist_ok=True)
            write_trace(self.root / "runs" / name, slices=i + 2)
        (self.root / "tmp").mkdir()
        self.env = dict(os.environ, ORMA_CACHE="off", TMPDIR=str(self.root / "tmp"))

    def query(self, *args, code=0):
        done = subprocess.run([ORMA, "query", "--format", "rfc4180", *args], cwd=self.root, capture_output=True, text=True, env=self.env,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(os.listdir(self.root / "tmp"), [])
        self.messages = done.stderr
        return done.stdout.splitlines()

    def bad(self, name="bad.json"):
        (self.root / "runs/a" / name).write_text("this is no trace " * 30)

    def test_rows_of_all_by_trace(self):
        rows = self.query("--all", "runs/**/*.json", COUNT)
        self.assertEqual(rows[:3], ["trace,name,n", "runs/1.json,work 0,1", "runs/1.json,work 1,1"])
        self.assertEqual([r.split(",")[0] for r in rows[1:]],
                         ["runs/1.json"] * 2 + ["runs/a/2.json"] * 3 + ["runs/a/b/3 it's.json"] * 4)

    def test_threads(self):
        for threads in ("1", "2", "8"):
            rows = self.query("--threads", threads, "--all", "runs/**/*.json", COUNT)
            self.assertEqual(len(rows), 10)
            self.assertEqual(self.query("--threads=" + threads, "runs/1.json", COUNT), ["name,n", "work 0,1", "work 1,1"])
        for threads in ("0", "257", "many", ""):
            self.query("--threads", threads, "runs/1.json", COUNT, code=2)
            self.assertIn(f"--threads {threads}: expected a number from 1 to 256", self.messages)
        self.env["ORMA_THREADS"] = "many"
        self.query("runs/1.json", COUNT)
        self.assertIn("ORMA_THREADS=many is ignored: not a number from 1 to 256", self.messages)
        self.query("--threads=2", "runs/1.json", COUNT)
        self.assertEqual(self.messages, "")

    def test_memory_limit(self):
        for limit, message in (("2g", ""), ("", ""), ("2x", "orma: ORMA_MEMORY_LIMIT=2x is ignored: not a size such as 2g\n")):
            self.env["ORMA_MEMORY_LIMIT"] = limit
            self.query("runs/1.json", COUNT)
            self.assertEqual(self.messages, message)

    def test_rows_wait_where_tmpdir_says(self):
        self.env["TMPDIR"] = str(self.root / "none")
        done = subprocess.run([ORMA, "query", "--all", "runs/**/*.json", COUNT], cwd=self.root, capture_output=True, text=True, env=self.env, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no temporary file ($TMPDIR, /tmp): No such file or directory", done.stderr)

    def test_patterns(self):
        for pattern, num in [("runs/*.json", 1), ("runs/**/*.json", 3), ("runs/**/[23]*", 2), ("**/2.json", 1), ("runs/a/**", 2),
                             ("./runs/a/2.json", 1), (f"{self.root}/runs/*/2.json", 1), ("runs/**/**/b/**/*.json", 1)]:
            rows = self.query("--all", pattern, "SELECT 1 AS a")
            self.assertEqual(len(rows), num + 1, pattern)
        rows = self.query("--all", "runs/*.json", "--all", "runs/**/*.json", "SELECT 1 AS a")
        self.assertEqual(len(rows), 4, "each once")
        os.symlink(self.root / "runs", self.root / "runs/a/round")
        self.assertEqual(len(self.query("--all", "runs/**/*.json", "SELECT 1 AS a")), 4)
        self.query("--all", "runs/*.pftrace", "SELECT 1 AS a", code=1)
        self.assertIn("no file matches 'runs/*.pftrace'", self.messages)

    def test_what_cannot_be_looked_into_fails(self):
        """Nobody may sum up without the traces that nobody saw."""
        os.symlink("nowhere.json", self.root / "runs/gone.json")
        rows = self.query("--all", "runs/**/*.json", "SELECT 1 AS a", code=1)
        self.assertEqual(len(rows), 4)
        self.assertIn("1 of 4 traces failed:\n  runs/gone.json: No such file or directory", self.messages)
        os.unlink(self.root / "runs/gone.json")
        os.symlink("round", self.root / "runs/round")
        self.query("--all", "runs/*/2.json", "SELECT 1 AS a", code=1)
        self.assertIn("runs/round: Too many levels of symbolic links", self.messages)
        os.unlink(self.root / "runs/round")
        deep = "/".join(["d"] * 70)
        (self.root / "runs" / deep).mkdir(parents=True)
        write_trace(self.root / "runs" / deep / "4.json", slices=1)
        self.query("--all", "runs/**/*.json", "SELECT 1 AS a", code=1)
        self.assertIn("1 of 4 traces failed:\n  runs/" + "/".join(["d"] * 64) + ": Is a directory", self.messages)

    def test_a_folder_without_rights_fails(self):
        closed = self.root / "runs/a"
        closed.chmod(0o300)
        self.addCleanup(closed.chmod, 0o700)
        (self.root / "tmp").chmod(0o777)
        self.root.chmod(0o755)
        other = {"user": 12345, "group": 12345, "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run([ORMA, "query", "--all", "runs/**/*.json", "SELECT 1 AS a"], cwd=self.root, capture_output=True, text=True,
                              env=self.env, stdin=subprocess.DEVNULL, check=False, **other)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("1 of 2 traces failed:\n  runs/a: Permission denied", done.stderr)

    def test_metadata_and_a_last_question(self):
        rows = self.query("--all", "runs/**/*.json", "--metadata", "trace_type,missing_one", "-j", "2", COUNT,
                          "--then", "SELECT name, sum(n) AS n, min(trace_type) AS type, max(missing_one) AS m FROM result GROUP BY name")
        self.assertEqual(rows, ["name,n,type,m", "work 0,3,json,", "work 1,3,json,", "work 2,2,json,", "work 3,1,json,"])
        rows = self.query("--all", "runs/**/*.json", "SELECT dur, 'é\"' AS t, 0.5 AS r, x'00ff' AS b, NULL AS n FROM slice",
                          "--then", "SELECT count(*) AS c, percentile(dur, 50) AS p, min(t) AS t, sum(r) AS r, hex(max(b)) AS b, count(n) AS n FROM result")
        self.assertEqual(rows[1], '9,2000,"é""",4.5,00FF,0')

    def test_percentiles_of_all_from_sketches(self):
        sql = "SELECT name, count(*) AS n, percentile_sketch(dur) AS s FROM slice GROUP BY name"
        for i in range(4, 12):
            write_trace(self.root / f"runs/{i}.json", slices=50 * i)
        last = "SELECT name, sum(n) AS n, percentile_of_sketch(percentile_sketch_merge(s), 95) AS p FROM result GROUP BY name"
        about = self.query("--all", "runs/**/*.json", sql, "--then", last)
        exact = self.query("--all", "runs/**/*.json", "SELECT name, dur FROM slice", "--then",
                           "SELECT name, count(*) AS n, percentile_disc(dur, 0.95) AS p FROM result GROUP BY name")
        self.assertEqual(len(about), 5)
        for one, two in zip(about[1:], exact[1:]):
            one, two = one.split(","), two.split(",")
            self.assertEqual(one[:2], two[:2])
            self.assertAlmostEqual(float(one[2]), float(two[2]), delta=float(two[2]) / 128)

    def test_bad_files_are_reported_at_the_end(self):
        self.bad()
        self.bad("worse.json")
        rows = self.query("--all", "runs/**/*.json", COUNT, code=1)
        self.assertEqual(len(rows), 10)
        self.assertIn("2 of 5 traces failed:\n  runs/a/bad.json: ", self.messages)
        self.assertEqual(len(self.query("--all", "runs/a/*.json", "SELECT missing FROM slice", code=1)), 0)
        self.assertIn("no such column: missing", self.messages)
        self.query("--all", "runs/1.json", "CREATE PERFETTO TABLE t AS SELECT 1 AS a", code=1)
        self.assertIn("returns no rows", self.messages)
        self.query("--all", "runs/1.json", COUNT, "--then", "SELECT missing FROM result", code=1)
        self.assertIn("no such column: missing", self.messages)

    def test_traces_that_are_empty_or_cut(self):
        """As of one trace: an empty file is none, of a cut one is told what is missing; a mistake of all stands once."""
        (self.root / "runs/a/empty.json").write_bytes(b"")
        whole = (self.root / "runs/a/2.json").read_bytes()
        (self.root / "runs/a/cut.json").write_bytes(whole[:len(whole) * 2 // 3])
        rows = self.query("--all", "runs/a/*.json", "SELECT 1 AS a", code=1)
        self.assertEqual(rows, ["trace,a", "runs/a/2.json,1", "runs/a/cut.json,1"])
        self.assertIn("1 trace could be read only in part:\n  runs/a/cut.json: truncated: ", self.messages)
        self.assertIn("1 of 3 traces failed:\n  runs/a/empty.json: the file is empty", self.messages)
        self.query("--all", "runs/a/cut.json", "SELECT 1 AS a")
        self.assertIn("runs/a/cut.json: truncated", self.messages)
        for i in range(4):
            write_trace(self.root / f"runs/a/same{i}.json", slices=1)
        self.query("--all", "runs/**/[123s]*.json", "SELECT missing FROM slice", code=1)
        self.assertIn("7 of 7 traces failed:\n  7 traces, runs/1.json first: ", self.messages)
        self.assertEqual(self.messages.count("no such column"), 1)

    def test_a_folder_is_no_pattern(self):
        self.query("--all", "runs/", "SELECT 1 AS a", code=1)
        self.assertIn("'runs/' is a folder: the traces in it are 'runs/**/*.pftrace'", self.messages)

    def test_other_columns_are_a_failure_of_their_trace(self):
        sql = ("CREATE PERFETTO TABLE many AS SELECT count(*) AS n FROM slice; CREATE PERFETTO TABLE t AS SELECT 1 AS a; "
               "SELECT * FROM (SELECT n FROM many) JOIN t")
        self.assertEqual(len(self.query("--all", "runs/**/*.json", sql)), 4)
        # What a query gives can depend on the trace: where a file is another format, its tables have other columns.
        db = self.root / "r.db"
        self.query("--all", "runs/1.json", "-o", db, "SELECT 1 AS a")
        with sqlite3.connect(db) as c:
            c.execute("ALTER TABLE result ADD COLUMN more")
        self.query("--all", "runs/**/*.json", "-o", db, "SELECT 1 AS a", code=1)
        self.assertIn("returns 1 columns here, but 2", self.messages)

    def rows_of(self, db, sql="SELECT count(*) FROM result"):
        with sqlite3.connect(db) as c:
            return c.execute(sql).fetchall()

    def test_a_kept_file_is_continued(self):
        db = self.root / "r.db"
        self.bad()
        self.assertEqual(self.query("--all", "runs/**/*.json", "-o", db, COUNT, code=1), [])
        self.assertEqual(self.rows_of(db), [(9,)])
        self.assertEqual(self.rows_of(db, "SELECT state, count(*) FROM traces GROUP BY 1 ORDER BY 1"), [("done", 3), ("failed", 1)])
        # Again: nothing twice; one is new, one is mended, one has changed, one has changed for the worse.
        time.sleep(0.01)
        write_trace(self.root / "runs/4.json", slices=1)
        write_trace(self.root / "runs/a/bad.json", slices=1)
        write_trace(self.root / "runs/1.json", slices=4)
        self.bad("2.json")
        self.query("--all", "runs/**/*.json", "-o", db, COUNT, code=1)
        self.assertIn("1 of 5 traces were loaded before", self.messages)
        self.assertEqual(self.rows_of(db, "SELECT trace, count(*) FROM result GROUP BY 1 ORDER BY 1"),
                         [("runs/1.json", 4), ("runs/4.json", 1), ("runs/a/b/3 it's.json", 4), ("runs/a/bad.json", 1)])
        self.assertEqual(self.rows_of(db, "SELECT path FROM traces WHERE state = 'failed'"), [("runs/a/2.json",)])
        rows = self.query("--all", "runs/**/*.json", "-o", db, COUNT, "--then", "SELECT sum(n) AS n FROM result", code=1)
        self.assertEqual(rows, ["n", "10"])
        self.query("--all", "runs/**/*.json", "-o", db, "SELECT 1 AS a", code=1)
        self.assertIn("the results of a different query", self.messages)
        self.assertNotIn("also has", self.messages)
        self.query("--all", "runs/*.json", "-o", db, COUNT)
        self.assertIn("r.db also has the results of 3 other traces from earlier runs", self.messages)
        self.assertEqual(self.rows_of(db, "SELECT sum(n) FROM result"), [(10,)])

    def test_a_trace_in_the_place_of_another_is_read(self):
        """Of the same size, and with the time of its bytes as it was: 'cp -p', 'rsync -t'."""
        db = self.root / "r.db"
        path = self.root / "runs/1.json"
        before = path.stat()
        self.query("--all", "runs/1.json", "-o", db, "SELECT name FROM slice")
        time.sleep(0.01)
        path.write_text(path.read_text().replace("work", "idle"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual((path.stat().st_size, path.stat().st_mtime_ns), (before.st_size, before.st_mtime_ns))
        self.query("--all", "runs/1.json", "-o", db, "SELECT name FROM slice")
        self.assertEqual(self.rows_of(db, "SELECT DISTINCT name LIKE 'idle%' FROM result"), [(1,)])

    def test_whatever_ends_it_leaves_nothing_behind(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            p = subprocess.Popen([ORMA, "query", "--all", "runs/**/*.json", endless], cwd=self.root, env=self.env, stdin=subprocess.DEVNULL)
            children = pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children")
            end = time.monotonic() + 60
            while len(children.read_text().split()) < min(2, os.cpu_count()) and time.monotonic() < end:
                time.sleep(0.01)
            pids = children.read_text().split()
            self.assertTrue(pids)
            p.send_signal(number)
            self.assertEqual(p.wait(60), -number)
            while any(self.runs(pid) for pid in pids) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertFalse([pid for pid in pids if self.runs(pid)], number)
            self.assertEqual(os.listdir(self.root / "tmp"), [])

    @staticmethod
    def runs(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    def test_a_file_of_others_is_not_touched(self):
        other = self.root / "other"
        other.write_text("this is no database, and long enough to look at. " * 20)
        self.query("--all", "runs/**/*.json", "-o", other, COUNT, code=1)
        self.assertTrue(other.read_text().startswith("this is no database"))
        self.query("--all", "runs/**/*.json", "-o", self.root / "no/folder/x.db", COUNT, code=1)

    def test_a_database_of_others_is_not_touched(self):
        for tables in (["CREATE TABLE mail(a)"], ["CREATE TABLE question(sql, metadata)", "CREATE TABLE traces(path)"],
                       ["CREATE TABLE result(trace, a)", "INSERT INTO result VALUES('runs/1.json', 1)"]):
            other = self.root / "other.db"
            other.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(other)) as db, db:
                for sql in tables:
                    db.execute(sql)
            before = other.read_bytes()
            self.query("--all", "runs/**/*.json", "-o", other, COUNT, code=1)
            self.assertIn("other.db: this is a database of something else, to which no table is added: choose another file", self.messages)
            self.assertEqual(other.read_bytes(), before)
        other.write_bytes(b"")
        self.query("--all", "runs/**/*.json", "-o", other, COUNT)

    def test_the_last_question_reaches_no_other_file(self):
        other = self.root / "other.db"
        with contextlib.closing(sqlite3.connect(other)) as db, db:
            db.execute("CREATE TABLE mail(a)")
        before = other.read_bytes()
        for kept in ([], ["-o", self.root / "kept.db"]):
            for last in (f"ATTACH '{other}' AS o; SELECT * FROM o.mail", f"VACUUM INTO '{self.root}/new.db'; SELECT 1",
                         f"VACUUM many INTO '{self.root}/new.db'; SELECT 1", f"SELECT export_json('{self.root}/new.db')",
                         "PRAGMA many.journal_mode = WAL; SELECT 1"):
                self.query("--all", "runs/**/*.json", *kept, COUNT, "--then", last, code=1)
                self.assertRegex(self.messages, "not authorized|authorization denied|disabled|refused", last)
                self.assertFalse((self.root / "new.db").exists(), last)
        self.assertEqual(other.read_bytes(), before)

    def test_wrong_usage(self):
        for args, text in [(["--all", "runs/*.json", "runs/1.json", "SELECT 1"], "quote the pattern"), (["--then", "SELECT 1", "runs/1.json", "SELECT 1"], "need --all"),
                           (["--all", "runs/*.json", "-j", "0", "SELECT 1"], "from 1 to 1000")]:
            self.query(*args, code=2)
            self.assertIn(text, self.messages)


if __name__ == "__main__":
    unittest.main()
