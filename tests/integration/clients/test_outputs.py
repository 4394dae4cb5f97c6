"""Every output of every command: never an input, nothing without --force, whole or not at all, nothing left behind.

OUTPUTS has all commands that write a file, READ_ONLY the options that name a file to read. What is in neither fails `test_the_table_has_every_output`, so a new one cannot be forgotten.
"""
import json
import re
import sys
import threading

from orma_env import *

TRACECONV, PERFETTO = BUILD / "compat/traceconv", BUILD / "compat/perfetto"
EVENTS = [{"name": f"slice {i}", "ph": "X", "ts": i * 10, "dur": 5, "pid": 1, "tid": i % 3 + 1, "args": {"n": i}}
          for i in range(3000)]
STACKS = "".join(f"prog {10 + i % 3}/{10 + i % 3} {1 + i / 1000:.6f}: 1000 cycles:\n\t{i:x} leaf{i % 99}+0x1 (/bin/prog)\n"
                 "\t1 main+0x2 (/bin/prog)\n\n" for i in range(300))
ROWS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 100000) SELECT x FROM c"

# name: (words, what is particular). IN is the trace, PROFILE one with samples.
OUTPUTS = {
    "view -o": (["view", "IN", "-o", "OUT"], ""),
    "report --html": (["report", "IN", "--html", "OUT"], ""),
    "export -o": (["export", "-o", "OUT", "IN"], ""),
    "export --to csv": (["export", "--to", "csv", "-o", "OUT", "IN", ROWS], ""),
    "export --to jsonl": (["export", "--to", "jsonl", "-o", "OUT", "IN", ROWS], ""),
    "export --to parquet": (["export", "--to", "parquet", "-o", "OUT", "IN", "SELECT * FROM slice"], ""),
    "export --to arrow": (["export", "--to", "arrow", "-o", "OUT", "IN", "SELECT * FROM slice"], ""),
    "merge -o": (["merge", "-o", "OUT", "IN"], ""),
    "convert json": (["convert", "json", "IN", "OUT"], ""),
    "convert -o": (["convert", "-o", "OUT", "json", "IN"], ""),
    "convert bundle": (["convert", "bundle", "IN", "OUT"], ""),
    "convert collapsed": (["convert", "collapsed", "PROFILE", "OUT"], ""),
    "profile report -o": (["profile", "report", "PROFILE", "-o", "OUT"], ""),
    "profile report --format html": (["profile", "report", "--format", "html", "PROFILE", "-o", "OUT"], ""),
    "metrics --perf-file": (["metrics", "--run", "trace_metadata", "--perf-file", "OUT", "IN"], "no force"),
    "summarize --perf-file": (["summarize", "--perf-file", "OUT", "IN", "spec.textproto"], "no force"),
    "query --all -o": (["query", "--all", "IN", "-o", "OUT", ROWS], "kept"),
    # The programs of others overwrite, as scripts expect; their inputs are as safe.
    "shell export": ([SHELL, "export", "sqlite", "-o", "OUT", "IN"], "compatible"),
    "shell -e": ([SHELL, "-e", "OUT", "IN"], "compatible"),
    "shell --perf-file": ([SHELL, "query", "--perf-file", "OUT", "IN", "SELECT 1"], "compatible"),
    "shell convert": ([SHELL, "convert", "json", "IN", "OUT"], "compatible"),
    "shell util merge": ([SHELL, "util", "merge", "-o", "OUT", "IN"], "compatible"),
    "shell bundle": ([SHELL, "bundle", "IN", "OUT"], "compatible"),
    "traceconv": ([TRACECONV, "json", "IN", "OUT"], "compatible"),
}
# Outputs that are new files in a folder, recordings, or pieces of traces of packets: tested by themselves.
APART = {"record", "profile", "heap", "fleet", "cut", "split", "filter", "redact", "recompress"}
WRITES = ("--output", "--out", "--html", "--perf-file", "--output-dir", "--to")
READ_ONLY = {"--file", "--config", "--manifest", "--pre", "--post-query", "--cache", "--add-sql-package",
             "--override-sql-package", "--override-stdlib", "--summary-spec", "--spec", "--proguard-map",
             "--symbol-paths", "--path", "--metric-extension", "--extension"}


class Outputs(Case):
    def setUp(self):
        super().setUp()
        (self.dir / "in.json").write_text(json.dumps({"traceEvents": EVENTS}))
        (self.dir / "profile.txt").write_text(STACKS)
        (self.dir / "spec.textproto").write_text("")
        os.link(self.dir / "in.json", self.dir / "hard.json")
        os.link(self.dir / "profile.txt", self.dir / "hard.txt")
        os.symlink("in.json", self.dir / "soft.json")
        os.symlink("profile.txt", self.dir / "soft.txt")
        self.before = {n: (self.dir / n).read_bytes() for n in ("in.json", "profile.txt")}

    def call(self, name, out, *more, **kw):
        words, _ = OUTPUTS[name]
        words = [{"IN": "in.json", "PROFILE": "profile.txt", "OUT": str(out)}.get(w, w) if isinstance(w, str) else w
                 for w in words]
        program = [ORMA] if isinstance(words[0], str) else []
        return [str(a) for a in (*program, *words, *more)] if kw.get("argv") else \
            self.run_program(*program, *words, *more)

    def names(self):
        return sorted(p.name for p in self.dir.iterdir())

    def check_inputs(self, what):
        for n, content in self.before.items():
            self.assertEqual((self.dir / n).read_bytes(), content, f"{what}: {n} was changed")

    def each(self):
        for name, (words, kind) in OUTPUTS.items():
            with self.subTest(name):
                yield name, "PROFILE" in words, kind

    def test_never_the_input(self):
        for name, profile, kind in self.each():
            there = self.names()
            for stem in ("in", "hard", "soft") if not profile else ("profile", "hard", "soft"):
                out = stem + (".txt" if profile else ".json")
                for more in ([], ["--force"]) if not kind else ([],):
                    done = self.call(name, out, *more)
                    self.assertEqual(done.returncode, 1, (name, out, done.stderr))
                    self.assertRegex(done.stderr.decode(), "is also an input", name)
                self.check_inputs((name, out))
            self.assertEqual(self.names(), there, name)

    def test_sql_that_may_write_files_writes_no_input(self):
        trace = self.dir / "in.json"
        trace.write_text(json.dumps(EVENTS))
        (self.dir / "link").symlink_to("in.json")
        before = trace.read_bytes()
        for name in "in.json", "link", f"{self.dir}/./in.json":
            for sql in f"SELECT export_json('{name}')", f"SELECT __intrinsic_file_write('{name}', x'00ff')":
                for argv in [ORMA, "export", "--allow-sql-file-access", "--to", "csv", "-o", "-"], [SHELL, "query", "--allow-sql-file-access"]:
                    done = self.run_program(*argv, "in.json", sql)
                    self.assertIn(b"is an input", done.stderr, (argv, sql))
                    self.assertEqual(trace.read_bytes(), before)
        self.run_program(SHELL, "query", "--allow-sql-file-access", "in.json", "SELECT export_json('out.json')")
        self.assertGreater((self.dir / "out.json").stat().st_size, 1000)

    def test_what_exists_needs_force(self):
        other = self.dir / "other"
        for name, _, kind in self.each():
            other.write_bytes(b"precious")
            os.chmod(other, 0o640)
            done = self.call(name, "other")
            if kind == "compatible":
                self.assertEqual(done.returncode, 0, (name, done.stderr))
                self.assertNotEqual(other.read_bytes(), b"precious", name)
                continue
            self.assertEqual((done.returncode, other.read_bytes()), (1, b"precious"), (name, done.stderr))
            if kind:
                continue
            self.assertIn("--force", done.stderr.decode(), name)
            keeper = open(other, "rb")
            done = self.call(name, "other", "--force")
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            self.assertEqual(keeper.read(), b"precious", f"{name}: who has the old file open keeps it")
            keeper.close()
            self.assertNotEqual(other.read_bytes(), b"precious", name)
            self.assertEqual(other.stat().st_mode & 0o777, 0o640, name)
            self.assertRegex(done.stderr.decode(), r"(?m)^other: [0-9.]+ [KM]?i?B, ", name)

    def test_a_folder(self):
        (self.dir / "folder").mkdir()
        for name, _, _ in self.each():
            done = self.call(name, "folder")
            self.assertEqual(done.returncode, 1, (name, done.stderr))
            self.assertIn("Is a directory", done.stderr.decode(), name)
            self.assertEqual(list((self.dir / "folder").iterdir()), [], name)

    def test_devices_and_pipes_stay(self):
        for name, _, kind in self.each():
            if kind == "kept":
                self.assertEqual(self.call(name, "/dev/null").returncode, 1)
                continue
            done = self.call(name, "/dev/null")
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            self.assertTrue(pathlib.Path("/dev/null").is_char_device(), name)
            os.mkfifo(self.dir / "fifo")
            got = []
            reader = threading.Thread(target=lambda: got.append((self.dir / "fifo").read_bytes()))
            reader.start()
            done = self.call(name, "fifo")
            reader.join(20 * SLOW)
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            self.assertTrue(got and got[0], name)
            self.assertTrue((self.dir / "fifo").is_fifo(), name)
            (self.dir / "fifo").unlink()

    def test_a_pipe_that_nobody_reads(self):
        os.mkfifo(self.dir / "fifo")
        for words in ["convert", "json", "in.json", "fifo"], ["record", "-q", "-o", "fifo", "--", "true"]:
            for quiet in (False, True) if words[0] == "record" else (False,):
                argv = [a for a in words if quiet or a != "-q"]
                process = subprocess.Popen([ORMA, *argv], env=self.env, cwd=self.dir, stderr=subprocess.PIPE)
                if quiet:
                    time.sleep(0.2)
                elif not any(b"waiting for a reader of this pipe" in line for line in process.stderr):
                    self.fail("it does not say what it waits for")
                process.send_signal(signal.SIGTERM)
                _, said = process.communicate(timeout=20 * SLOW)
                self.assertNotEqual(process.returncode, 0, argv)
                if words[0] == "record" and not quiet:
                    self.assertIn(b"ended while nobody read this pipe", said)
            self.assertTrue((self.dir / "fifo").is_fifo())

    def test_standard_output_by_its_name(self):
        for name, _, kind in self.each():
            if kind == "kept" or "perf-file" in name:
                continue
            with open(self.dir / "by_name", "wb") as out:
                done = subprocess.run(self.call(name, "/dev/stdout", argv=True), env=self.env, cwd=self.dir, stdout=out,
                                      stderr=subprocess.PIPE, timeout=60 * SLOW)
                self.assertEqual(done.returncode, 0, (name, done.stderr))
                self.assertEqual(os.fstat(out.fileno()).st_nlink, 1, f"{name}: the file was replaced")
                self.assertGreater(os.fstat(out.fileno()).st_size, 0, name)

    def test_a_full_disk(self):
        small = self.dir / "small"
        small.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", small],
                                          capture_output=True).returncode:
            self.skipTest("no file system of our own can be mounted here")
        self.addCleanup(subprocess.run, ["umount", small])
        for name, _, _ in self.each():
            if "perf-file" in name or name.startswith(("profile report -o", "convert collapsed")):
                continue  # smaller than the disk
            done = self.call(name, "small/out")
            self.assertEqual(done.returncode, 1, (name, done.stderr))
            self.assertRegex(done.stderr.decode(), "No space left|disk is full|disk I/O", name)
            self.assertEqual(list(small.iterdir()), [], name)

    def test_a_limit_of_file_sizes(self):
        import resource
        for name, _, kind in self.each():
            if "perf-file" in name or kind == "kept" or name.startswith(("profile report -o", "convert collapsed")):
                continue
            done = self.run_program("sh", "-c", 'ulimit -f 8; exec "$@"', "sh", *self.call(name, "limited", argv=True))
            self.assertEqual(done.returncode, 1, (name, done.stderr))
            self.assertIn("File too large", done.stderr.decode(), name)
            self.assertNotIn("limited", self.names(), name)
        self.assertEqual([n for n in self.names() if n.startswith(".")], [])

    def test_a_signal_in_the_middle(self):
        """Whenever it ends, the old file or the new one is there, and nothing else."""
        (self.dir / "in.json").unlink()
        events = [dict(e, ts=e["ts"] + n * 100000) for n in range(10) for e in EVENTS]
        (self.dir / "in.json").write_text(json.dumps({"traceEvents": events}))
        out = self.dir / "out"
        for name, profile, kind in self.each():
            if kind == "kept" or profile or "perf-file" in name:
                continue
            self.assertEqual(self.call(name, "out").returncode, 0, name)
            size = out.stat().st_size
            out.unlink()
            there = self.names()
            for ms, number in ((40, signal.SIGTERM), (90, signal.SIGINT), (140, signal.SIGKILL)):
                p = subprocess.Popen(self.call(name, "out", argv=True), env=self.env, cwd=self.dir,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    p.wait(ms / 1000)
                except subprocess.TimeoutExpired:
                    p.send_signal(number)
                    p.wait(20 * SLOW)
                if out.exists(): # it had its name already
                    self.assertEqual(out.stat().st_size, size, (name, ms))
                    out.unlink()
                self.assertEqual(self.names(), there, (name, ms))

    def test_folders(self):
        (self.dir / "full").mkdir()
        (self.dir / "full/x").write_text("x")
        done = self.orma("export", "--to", "parquet", "-o", "full", "in.json", code=1)
        self.assertIn("the folder exists", done.stderr.decode())
        done = self.orma("export", "--to", "csv", "-o", "tables/", "in.json")
        self.assertRegex(done.stderr.decode(), r"tables: \d+ tables")
        self.assertIn("slice.csv", os.listdir(self.dir / "tables"))
        for words in (["profile", "-o", "full", "--", "true"], ["heap", "-o", "full", "--", "true"]):
            self.assertIn("not empty", self.orma(*words, code=1).stderr.decode())
        self.assertEqual(os.listdir(self.dir / "full"), ["x"])
        # What lies in a folder that is read is an input, and so is the folder.
        (self.dir / "prof").mkdir()
        os.link(self.dir / "profile.txt", self.dir / "prof/raw-trace")
        for out in ("prof/raw-trace", "prof/new.html"):
            done = self.orma("profile", "report", "prof", "--format", "html", "-o", out, "--force", code=1)
            self.assertIn("input", done.stderr.decode())
        self.assertEqual(os.listdir(self.dir / "prof"), ["raw-trace"])
        self.check_inputs("folders")

    def test_profiles_in_a_folder(self):
        """`convert profile` replaces nothing unasked; on a full disk nothing is left, and the command fails."""
        program = [sys.executable, "-c", "x = [bytes(5000) for _ in range(3000)]"]
        done = self.run_program(ORMA, "heap", "-i", "4k", "-o", "heap", "--", *program)
        if done.returncode or not (self.dir / "heap/flamegraph.html").exists():
            self.skipTest(f"no heap to be seen here: {done.stderr.decode()}")
        made = [p for p in sorted(os.listdir(self.dir / "heap")) if p.endswith(".pb")]
        words = ["convert", "profile", "heap/raw-trace", "--output-dir"]
        self.orma(*words, "p")
        self.assertEqual((sorted(os.listdir(self.dir / "p")), bool(made)), (made, True))
        profile = self.dir / "p" / made[0]
        profile.write_bytes(b"precious")
        done = self.orma(*words, "p", code=1)
        self.assertIn(f"p/{made[0]}: File exists; --force overwrites it", done.stderr.decode())
        self.assertEqual(profile.read_bytes(), b"precious")
        self.orma(*words, "p", "--force")
        self.assertNotEqual(profile.read_bytes(), b"precious")
        profile.unlink()
        before = (self.dir / "heap/raw-trace").read_bytes()
        os.link(self.dir / "heap/raw-trace", profile)
        done = self.orma(*words, "p", "--force", code=1)
        self.assertIn("is also an input", done.stderr.decode())
        self.assertEqual((self.dir / "heap/raw-trace").read_bytes(), before)
        small = self.dir / "small"
        small.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", small],
                                          capture_output=True).returncode:
            self.skipTest("no file system of our own can be mounted here")
        self.addCleanup(subprocess.run, ["umount", small])
        done = self.orma(*words, "small", code=1)
        self.assertRegex(done.stderr.decode(), r"small/heap_dump\.\d+.*\.pb: .*No space left")
        self.assertEqual(list(small.iterdir()), [])
        done = self.orma("heap", "-i", "4k", "-o", "small", "--", *program, code=1)
        self.assertRegex(done.stderr.decode(), "No space left")
        self.assertEqual([p for p in small.iterdir() if not p.stat().st_size], [])

    def test_a_recording_of_samples_on_a_full_disk(self):
        small = self.dir / "small"
        small.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", small],
                                          capture_output=True).returncode:
            self.skipTest("no file system of our own can be mounted here")
        self.addCleanup(subprocess.run, ["umount", small])
        done = self.run_program(ORMA, "profile", "-o", "small", "--", sys.executable, "-c", "sum(i * i for i in range(300000))")
        if "perf_event_paranoid" in done.stderr.decode():
            self.skipTest("perf events are not allowed here")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr.decode(), "No space left")
        self.assertEqual([p for p in small.iterdir() if not p.stat().st_size], [])

    def test_all_of_many_traces(self):
        done = self.orma("query", "--all", "*.json", "-o", "soft.json", "SELECT 1", code=1)
        self.assertIn("is also an input", done.stderr.decode())
        done = self.orma("query", "--all", "in.json", "-o", "profile.txt", "SELECT 1", code=1)
        self.assertIn("profile.txt: file is not a database", done.stderr.decode())
        self.check_inputs("--all")
        done = self.orma("query", "--all", "in.json", "SELECT 1 AS x, 2 AS X, 3 AS trace, 4 AS rowid, 5 AS 'y'")
        self.assertEqual(done.stdout.decode(), '"trace","x","X:1","trace:1","rowid","y"\n"in.json",1,2,3,4,5\n')
        done = self.orma("query", "--all", "in.json", "SELECT\n foo FROM slice", code=1)
        self.assertIn("  in.json: line 2 col 2: no such column: foo\n", done.stderr.decode())
        self.assertNotIn("Traceback", done.stderr.decode())

    def test_a_link_that_leads_nowhere(self):
        os.symlink("elsewhere", self.dir / "dangling")
        self.orma("export", "-o", "dangling", "in.json", code=1)
        self.orma("export", "-o", "dangling", "--force", "in.json", code=1)
        self.assertNotIn("elsewhere", self.names())

    def test_a_word_that_is_no_file(self):
        """A file called as a format or section is no input."""
        (self.dir / "json").write_text("x")
        self.orma("convert", "--force", "json", "in.json", "json")
        self.assertIn("traceEvents", (self.dir / "json").read_text())

    def test_appended_names_overwrite_nothing(self):
        with open(self.dir / "in.json", "ab") as out:
            done = subprocess.run([ORMA, "convert", "json", "in.json"], cwd=self.dir, env=self.env, stdout=out,
                                  stderr=subprocess.PIPE, timeout=60 * SLOW)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.dir / "in.json", "r+b") as out:
            done = subprocess.run([ORMA, "convert", "json", "in.json"], cwd=self.dir, env=self.env, stdout=out,
                                  stderr=subprocess.PIPE, timeout=60 * SLOW)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is also an input", done.stderr.decode())

    def test_perfetto_keeps_its_config(self):
        (self.dir / "cfg").write_text("buffers { size_kb: 64 } duration_ms: 10\n")
        for words in (["-c", "cfg", "--txt", "-o", "cfg"],):
            done = self.run_program(PERFETTO, *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is also an input", done.stderr.decode())
        done = self.orma("record", "-c", "cfg", "--txt", "-o", "cfg", "--force", code=1)
        self.assertIn("is also an input", done.stderr.decode())
        self.assertIn("duration_ms", (self.dir / "cfg").read_text())

    def test_the_table_has_every_output(self):
        """Each option that names a file or folder is in a table of this page."""
        commands = re.findall(r"(?m)^(?:\w+)? +([a-z]+)  +[A-Z]", self.orma("help").stdout.decode())
        self.assertGreater(len(commands), 15)
        known = {name.split()[0] for name in OUTPUTS} | APART
        for command in [c.split() for c in commands] + [["profile", "report"], ["convert", "bundle"]]:
            page = self.orma(*command, "--help").stdout.decode()
            for option, arg in re.findall(r"(?m)^ +(?:-\w, )?(--[a-z-]+)=([A-Z|@\[\]=a-z.,]+)", page):
                if not re.search(r"FILE|DIR|PATH|FOLDER|ARCHIVE", arg) or option in READ_ONLY:
                    continue
                self.assertIn(command[0] if option in WRITES else option, known,
                              f"orma {' '.join(command)} {option}={arg}: add it to the tables of this test")


class Texts(Case):
    """What texts of traces become in outputs and on terminals."""

    def setUp(self):
        super().setUp()
        (self.dir / "in.json").write_text(json.dumps({"traceEvents": EVENTS[:3]}))

    def test_zeros_inside(self):
        sql = "SELECT 'a' || char(0) || 'b' AS x; SELECT 1 AS y"
        for form, wanted in (("plain", b'"x"\n"a\0b"\n\n"y"\n1\n'), ("rfc4180", b"x\r\na\0b\r\n\r\ny\r\n1\r\n"),
                             ("json", b'[{"x": "a\\u0000b"}]\n[{"y": 1}]\n'), ("tsv", b"a\\0b\n\n1\n"),
                             ("table", b"x\n---\na?b\n\ny\n-\n1\n")):
            self.assertEqual(self.orma("query", "in.json", sql, "--format", form).stdout, wanted, form)
        done = self.orma("export", "--to", "jsonl", "-o", "-", "in.json", "SELECT 'a' || char(0) || 'b' AS x")
        self.assertEqual(json.loads(done.stdout), {"x": "a\0b"})

    def test_a_statement_begins_with_a_comment(self):
        for comment in ("-- a comment\n", "--comment=1\n", "-- a=b\n", "--\t\n"):
            if comment == "--comment=1\n":
                self.orma("query", "in.json", comment + "SELECT 7", code=2)  # it looks like an option
                continue
            self.assertEqual(self.orma("query", "in.json", comment + "SELECT 7").stdout.splitlines()[-1], b"7")

    def on_a_terminal(self, *argv):
        """What the program writes to a terminal, both outputs."""
        import pty
        main, side = pty.openpty()
        p = subprocess.Popen([str(a) for a in argv], cwd=self.dir, env={**self.env, "TERM": "xterm"}, stdin=subprocess.DEVNULL,
                             stdout=side, stderr=side)
        os.close(side)
        got = b""
        while True:
            try:
                more = os.read(main, 65536)
            except OSError:
                break
            if not more:
                break
            got += more
        os.close(main)
        p.wait(30 * SLOW)
        return got.decode()

    def test_no_text_gives_orders_to_the_terminal(self):
        bad = [0x07, 0x08, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0x61c, 0x200e, 0x200f, 0x2028, *range(0x202a, 0x202f), *range(0x2066, 0x206a), 0xfeff]
        text = " || ".join(f"char({c})" for c in bad)
        quoted = "".join(map(chr, bad))
        (self.dir / "evil.json").write_text(json.dumps({"traceEvents": [
            {"name": quoted, "ph": "X", "ts": 1, "dur": 5, "pid": 1, "tid": 1}]}))
        calls = [[ORMA, "query", "in.json", f"SELECT {text} AS x", "--format", form] for form in ("table", "plain", "rfc4180", "json", "tsv")]
        calls += [[ORMA, "query", "in.json", f'SELECT 1 AS "{quoted}"'], [ORMA, "query", "in.json", f'SELECT "{quoted}"()'],
                  [ORMA, "query", "in.json", f'SELECT * FROM "{quoted}"'], [SHELL, "-Q", f"SELECT {text}", "in.json"],
                  [SHELL, "-Q", f'SELECT "{quoted}"()', "in.json"], [ORMA, "view", "in.json", "-o", f"no/{quoted}"],
                  [ORMA, "report", "evil.json"], [ORMA, "stats", f"{quoted}"], [ORMA, f"{quoted}"],
                  [ORMA, "query", "--all", "evil.json", f'SELECT "{quoted}"()']]
        for argv in calls:
            got = re.sub("\x1b\\[[0-9;]*[mK]|\r\n|\r(?=(?:Loading|Names|[0-9]| *\x1b|$))", "", self.on_a_terminal(*argv))
            found = [hex(ord(c)) for c in got if ord(c) in bad and c not in "\r\n"]
            self.assertEqual(found, [], (argv, got))

    def test_a_page_of_systrace_stays_one_page(self):
        (self.dir / "t.systrace").write_text(
            "# tracer: nop\n#\n  prog-10 [000] .... 1.000000: tracing_mark_write: B|10|x <!--<script> </script><b>\n"
            "  prog-10 [000] .... 1.000100: tracing_mark_write: E|10\n")
        page = self.orma("convert", "systrace", "t.systrace").stdout.decode()
        self.assertIn("script>", page)
        self.assertNotIn("<!--<script", page)


if __name__ == "__main__":
    unittest.main()
