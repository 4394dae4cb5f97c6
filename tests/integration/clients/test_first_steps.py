"""Somebody who has never seen this: the examples of every --help are run as
they stand there (times are shortened), in an empty folder, with the programs in the search path."""
import json
import re

from orma_env import *

ROOT = pathlib.Path(__file__).resolve().parents[3]


def examples(text):
    """Command lines of a --help."""
    return [line.strip() for line in text.splitlines() if line.strip()]


class FirstSteps(Case):
    def setUp(self):
        super().setUp()
        tools = self.dir / "bin"
        tools.mkdir()
        for source in [ORMA, PROBES, TRACED, *(BUILD / "compat").iterdir()]:
            (tools / source.name).exists() or (tools / source.name).symlink_to(source.resolve() if source.name in
                                                                               ("orma", "traced", "traced_probes") else ORMA)
        (tools / "make").write_text("#!/bin/sh\nsleep 0.3\n")
        (tools / "make").chmod(0o755)
        (tools / "program").symlink_to(DEMO)
        self.env["PATH"] = f"{tools}:{self.env['PATH']}"
        self.work = self.dir / "work"
        self.work.mkdir()

    def sh(self, line, code=0, says=None, interrupt=False, timeout=60):
        """A line of shell as a person types it; both outputs as one text."""
        line = re.sub(r"(-t) \d+s", r"\1 300ms", line)
        p = self.start("sh", "-c", "trap : INT; " + line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                       start_new_session=True)
        if interrupt:  # when it has begun to record; with a trigger there is no file until it ends
            end = time.monotonic() + (2 if "--trigger" in line else 30) * SLOW
            while not list(self.work.glob("*.pftrace")) and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5 * SLOW)
            os.killpg(p.pid, signal.SIGINT)
        out = p.communicate(timeout=timeout * SLOW)[0].decode(errors="replace")
        if code is not None:
            self.assertEqual(p.returncode, code, f"{line}\n{out[-3000:]}")
        if says:
            self.assertIn(says, out, line)
        return out

    def start(self, *argv, **more):
        p = subprocess.Popen([str(a) for a in argv], env=self.env, cwd=self.work, **more)
        self.addCleanup(self.end, p)
        return p

    def record(self, name="trace.pftrace"):
        self.sh(f"orma record -o {name} -- program --threads 2 --iterations 50")

    def examples_of(self, program):
        text = self.sh(f"{program} --help")
        self.assertIn("Examples:", text, program)
        return examples(re.sub(r" \\\n +", " ", text.partition("Examples:\n")[2]))  # a line may go on on the next

    # ---- nothing known yet ----

    def test_the_name_alone(self):
        out = self.sh("orma", code=2, says="First:")
        steps = re.findall(r"^(?:First|Then): +(.*)", out, re.M)
        self.assertEqual(len(steps), 2)
        for line in steps:
            self.sh(line)
        out = self.sh("orma help")
        words = re.findall(r"^(?:[a-z]+)? +([a-z]+) +[A-Z]", out, re.M)
        words += out.partition("Help topics: ")[2].partition("\n")[0].split(", ")
        self.assertIn("tables", words)
        for word in words:
            if word != "orma":
                self.sh(f"orma help {word}")

    def test_from_a_question_to_its_answer(self):
        self.record()
        self.sh("orma stats trace.pftrace", says="lost")
        self.sh("orma help tables", says="slice")
        columns = re.findall(r"^  (\w+)", self.sh("orma help tables slice"), re.M)
        self.assertIn("dur", columns)
        rows = json.loads(self.sh(f"orma query --csv=json trace.pftrace 'SELECT {', '.join(columns)} FROM slice'"))
        self.assertGreater(len(rows), 10)
        self.assertEqual(set(rows[0]), set(columns))
        named = self.sh("orma query --csv=rfc4180 trace.pftrace 'SELECT name, count(*) AS n FROM slice GROUP BY 1'")
        self.assertRegex(named, r"^name,n\r?\n")
        self.sh("orma query --csv=table trace.pftrace 'SELECT name FROM slice LIMIT 1'", says="name")
        self.sh("orma convert json trace.pftrace trace.json")
        json.loads((self.work / "trace.json").read_text())

    def test_a_config_of_ones_own(self):
        self.sh("orma record apps -t 1s --explain > my.pbtxt")
        self.assertIn("# ", (self.work / "my.pbtxt").read_text(), "it is commented")
        self.sh("orma record -c my.pbtxt -o t.pftrace")
        self.sh("orma stats t.pftrace")
        self.sh("orma help config data_sources.config.track_event_config", says="enabled_categories")

    # ---- the examples of --help ----

    def test_examples_of_record(self):
        for line in self.examples_of("orma record"):
            with self.subTest(line):
                if "--clone" in line:
                    self.sh(line, code=1, says="orma record: ")  # no service, no session: it says so
                else:
                    for old in self.work.glob("*.pftrace"):
                        old.unlink()
                    timed = " -t " in line or " -- " in line
                    self.sh(line, interrupt=not timed, code=None if "--trigger" in line else 0)
                    if "--trigger" not in line:
                        self.assertEqual(len(list(self.work.glob("*.pftrace"))), 1)

    def test_examples_that_ask_and_convert(self):
        self.record()
        (self.work / "runs").mkdir()
        for name in ("t", "phone", "car", "runs/1"):
            (self.work / f"{name}.pftrace").write_bytes((self.work / "trace.pftrace").read_bytes())
        (self.work / "question.sql").write_text("SELECT 1 AS one")
        for program in ("orma query", "orma stats", "orma convert", "orma help", "traceconv", "trace_processor_shell"):
            for line in self.examples_of(program):
                if "server" in line:
                    continue  # it would serve for ever: tested elsewhere
                with self.subTest(line):
                    if "binary trace.txt" in line:
                        self.sh("orma convert text trace.pftrace > trace.txt; rm trace.pftrace")
                    if "traceconv text" in line:
                        (self.work / "trace.txt").unlink(missing_ok=True)
                    self.sh(line.replace("| less", "| cat >/dev/null"))

    def test_examples_of_the_clients(self):
        (self.work / "config.pbtxt").write_text('buffers { size_kb: 64 }\nduration_ms: 200\n'
                                                'data_sources { config { name: "track_event" } }\n')
        for line in self.examples_of("tracebox"):
            if "traced" not in line:
                with self.subTest(line):
                    self.sh(line)
        for program in ("perfetto", "trigger_perfetto", "orma status"):
            for line in self.examples_of(program):
                with self.subTest(line):
                    (self.work / "trace.pftrace").unlink(missing_ok=True)
                    # What goes on until Ctrl-C ends after a second.
                    out = self.sh(line.replace("orma status --watch", "timeout 1 orma status --watch"), code=None)  # no service runs: it says what to do
                    self.assertRegex(out, "start traced|traced running|start one with|to repair|Put back|Removed", line)

    # ---- mistakes ----

    def test_mistakes_are_answered_with_what_to_do(self):
        self.record()
        for line, code, says in [
                ("orma recrod", 2, "did you mean 'record'?"),
                ("orma record -t 5sec", 2, "expected 10 (seconds), 500ms, 5m or 2h"),
                ("orma record shced", 2, "did you mean 'sched'?"),
                ("orma record --tiem 1s", 2, "did you mean '--time'?"),
                ("orma record -o trace.pftrace -t 1s", 1, "--force overwrites it"),
                ("orma record -c absent.pbtxt", 1, "absent.pbtxt: No such file"),
                ("orma query", 2, "no trace given"),
                ("orma query trace.pftrace 'SELECT nam FROM slice'", 1, "no such column: nam; did you mean 'name'?"),
                ("orma query trace.pftrace 'SELECT * FROM slcie'", 1, "no such table: slcie; did you mean 'slice'?"),
                ("orma query trace.pftrace 'SELECT * FROM thread_slice'", 1,
                 "it is in the module slices.with_context: INCLUDE PERFETTO MODULE slices.with_context;"),
                ("orma query --csv=xml trace.pftrace 'SELECT 1'", 2, "plain, rfc4180, json, tsv or table"),
                ("orma convert jsn trace.pftrace", 2, "did you mean 'json'?"),
                ("orma convert json absent", 1, "absent"),
                ("orma stats absent", 1, "absent"),
                ("orma help tabels", 2, "did you mean 'tables'?"),
                ("orma status --lnog", 2, "did you mean '--long'?"),
                ("orma trace.pftrace", 2, "give the command first: orma report trace.pftrace, orma view trace.pftrace"),
                ("orma record ./program", 2, "put '--' before a command"),
                ("orma profile ./program", 2, "a command follows '--'"),
                ("orma heap ./program", 2, "a command follows '--'"),
                ("orma report slices trace.pftrace", 2, "give the trace first: orma report trace.pftrace 'slices'"),
                ("orma report trace.pftrace slowst", 2, "did you mean 'slowest'?"),
                ("orma why trace.pftrace step", 2, "use --slice, --thread and --process"),
                ("orma why trace.pftrace --slice stpe", 1, "did you mean 'step'?"),
                ("orma query trace.pftrace SELECT name FROM slice", 2, "quote the whole query"),
                ("orma query trace.pftrace </dev/null", 1, "orma query TRACE 'SELECT ...'"),
                ("orma query --format=csv trace.pftrace 'SELECT 1'", 2, "use rfc4180 for CSV"),
                ("orma convert trace.pftrace json", 2, "give the format first: FORMAT trace.pftrace"),
                ("orma diff trace.pftrace", 2, "orma diff BEFORE AFTER"),
                ("orma diff trace.pftrace trace.pftrace --fail-on step+5%", 2, "as '+5%:slice=request'"),
                ("orma profile report trace.pftrace", 1, "orma profile -- PROGRAM records some"),
                ("orma export trace.pftrace", 2, "add -o FILE"),
                ("orma view", 2, "orma view TRACE"),
        ]:
            with self.subTest(line):
                out = self.sh(line, code=code, says=says)
                self.assertLessEqual(len(out.strip().splitlines()), 6, out)
        self.assertEqual([p.name for p in self.work.iterdir()], ["trace.pftrace"], "nothing half-written is left")

    def test_errors_of_a_config_name_their_place(self):
        (self.work / "bad.pbtxt").write_text('buffers { size_kb: 64 }\nduration_ms: ten\n')
        out = self.sh("orma record -c bad.pbtxt -o t.pftrace", code=1, says="bad.pbtxt:2:14 error: ")
        self.assertIn("duration_ms: ten\n             ^", out)
        self.assertFalse((self.work / "t.pftrace").exists())


if __name__ == "__main__":
    main()
