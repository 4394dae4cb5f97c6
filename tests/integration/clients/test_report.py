"""`orma report` with names that nobody means: every section fits its line, is the same in each form, and can be asked again
in SQL; what is chosen adds up."""
import contextlib
import csv
import fcntl
import io
import json
import re
import struct
import termios
import unicodedata

from orma_env import *

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASE = (ROOT / "tests/golden/answers/cases/report.case").read_text()
NAMES = {  # what the case has: what it has here
    "worker": "w" * 120,
    "hog": "\\346\\274\\242\\345\\255\\227" * 40,  # wide characters
    "peer": "\\360\\237\\230\\200e\\314\\201\\033[31m\\r\\n\\t" * 20,  # emoji, accents of their own, orders to the terminal
    "/usr/bin/hog": "/opt/" + "deep/" * 50 + "hog",
    "disk": "d" * 90 + " 9",
    "queue": "q,\\\"|'" * 30,
    "request": "std::map<" * 40,
    "save": "\\377\\376 no text",
    "x86_64": "m" * 100,
    "tea": "\\360\\237\\230\\200" * 90,
}
MORE = """
packet { trusted_packet_sequence_id: 2 ftrace_events { cpu: 0
  event { timestamp: 41000000 pid: 10 generic { event_name: "page_fault_user" } }
  event { timestamp: 42000000 pid: 10 generic { event_name: "page_fault_kernel" } }
} }
packet { trusted_packet_sequence_id: 3 timestamp: 20000000 android_log { events { log_id: LID_DEFAULT pid: 10 tid: 10 timestamp: 1700000000020000000 prio: PRIO_ERROR tag: "tea" message: "tea" } } }
packet { trusted_packet_sequence_id: 4 sequence_flags: 1 timestamp: 10000000
  interned_data { function_names { iid: 1 str: "std::outer" } function_names { iid: 2 str: "tea" } frames { iid: 1 function_name_id: 1 }
    frames { iid: 2 function_name_id: 2 } callstacks { iid: 1 frame_ids: 1 } callstacks { iid: 2 frame_ids: 1 frame_ids: 2 } }
  perf_sample { cpu: 0 pid: 10 tid: 10 timebase_count: 1 callstack_iid: 1 } }
packet { trusted_packet_sequence_id: 4 sequence_flags: 2 timestamp: 20000000 perf_sample { cpu: 0 pid: 10 tid: 10 timebase_count: 2 callstack_iid: 2 } }
packet { trusted_packet_sequence_id: 3 timestamp: 1000000 sys_stats { cpu_stat { cpu_id: 0 user_ns: 10000000 idle_ns: 0 } } }
packet { trusted_packet_sequence_id: 3 timestamp: 49000000 sys_stats { cpu_stat { cpu_id: 0 user_ns: 40000000 idle_ns: 9000000 } } }
"""


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class Report(Case):
    def setUp(self):
        super().setUp()
        self.env.update(LC_ALL="C.UTF-8")
        text = CASE.partition("#! trace t.pftrace\n")[2].partition("\n#! ")[0] + MORE
        for name, other in NAMES.items():
            text = text.replace(f'"{name}"', f'"{other}"')
        (self.dir / "t.txt").write_text(text)
        self.orma("convert", "binary", "t.txt", "t.pftrace")

    def report(self, *words, command="report"):
        return self.orma(command, "t.pftrace", *words).stdout.decode(errors="replace")

    def json(self, *words, command="report"):
        return json.loads(self.report("--json", *words, command=command))

    def rows_of(self, sql):
        (self.dir / "q.sql").write_text(sql)
        return json.loads(self.orma("query", "t.pftrace", "-f", "q.sql", "--format=json").stdout)

    def check_text(self, text):
        for line in text.splitlines():
            self.assertLessEqual(width(line), 80, line)
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_every_section_fits_its_line(self):
        names = [s["name"] for s in self.json()["sections"]]
        self.assertEqual(names, re.search(r"Sections: (.*?)\. ", " ".join(self.orma("report", "--help").stdout.decode().split()))[1]
                         .split(", "))  # nothing is missing here
        self.check_text(self.report())
        self.check_text(self.report("--top", "1"))
        self.assertRegex(self.report("counters"), r"(?m)^q,.{29}… .* [ ▁-█]{12}$")  # names need the room more than pictures
        self.assertRegex(self.report("memory"), r"(?m)^MemFree .* [ ▁-█]{24}$")
        self.check_text(self.orma("why", "t.pftrace", "--slice", "std*").stdout.decode())
        self.check_text(self.orma("diff", "t.pftrace", "t.pftrace").stdout.decode())

    def test_a_narrow_terminal(self):
        """Rows that do not fit have a line for each column."""
        for command in (["report", "t.pftrace"], ["report", "t.pftrace", "latency", "--top", "1"], ["why", "t.pftrace", "--slice", "std*"]):
            near, far = os.openpty()
            fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
            p = self.start(ORMA, *command, stdout=far)
            os.close(far)
            text = b""
            with contextlib.suppress(OSError):  # the end
                while data := os.read(near, 65536):
                    text += data
            os.close(near)
            self.assertEqual(p.wait(), 0)
            for line in text.decode(errors="replace").replace("\r", "").splitlines():
                self.assertTrue(width(line) <= 40 or line.startswith("  orma record"), line)  # which can be copied
            self.assertIn("CPU", text.decode(errors="replace"))

    def check_forms(self, *words, command="report"):
        """JSON, CSV and SQL have the same rows."""
        tables = list(re.split(r"\r\n\r\n", self.report("--csv", *words, command=command)))
        for n, section in enumerate(self.json(*words, command=command)["sections"]):
            with self.subTest(section["name"], words=words):
                columns = [c["name"] for c in section["columns"]]
                self.assertTrue(all(list(r) == columns for r in section["rows"]))
                rows = list(csv.reader(io.StringIO(tables[n], newline="")))
                self.assertEqual(rows[0], columns)
                self.assertEqual([len(r) for r in rows], [len(columns)] * (len(section["rows"]) + 1))
                if command == "why":
                    continue  # its tables are made first
                found = self.rows_of(section["sql"])
                self.assertEqual(len(found), len(section["rows"]))
                for row, want in zip(found, section["rows"]):
                    for a, b in zip(row.values(), want.values(), strict=True):
                        if not isinstance(b, list):  # the buckets of a picture
                            self.assertAlmostEqual(a, b) if isinstance(b, float) else self.assertEqual(a, b)

    def test_forms_have_the_same_rows(self):
        self.check_forms()
        self.check_forms("--from", "5ms", "--to", "30ms", "--top", "1")
        self.check_forms("--process", "10", "--from", "5ms")
        self.check_forms("--slice", "std*", "--thread", "10")
        self.check_forms("--slice", "std*", command="why")

    def test_what_is_chosen_adds_up(self):
        def section(name, *words):
            return self.json(name, *words)["sections"][0]["rows"]
        start, = self.rows_of("SELECT trace_start() AS ts")
        window = start["ts"] + 5000000, start["ts"] + 30000000
        for name, column, sql in (
                ("threads", "cpu_ns", "SELECT sum(min(ts + dur, {1}) - max(ts, {0})) AS n FROM sched JOIN thread USING (utid) "
                 "WHERE tid = 10 AND ts < {1} AND ts + dur > {0}"),
                ("callers", "calls", "SELECT count(*) AS n FROM slice JOIN thread_track t ON t.id = track_id JOIN thread USING (utid) "
                 "WHERE tid = 10 AND slice.name GLOB 'sys_*' AND ts >= {0} AND ts < {1}"),
                ("slices", "total_ns", "SELECT sum(dur) AS n FROM slice JOIN thread_track t ON t.id = track_id JOIN thread USING (utid) "
                 "WHERE tid = 10 AND slice.name NOT GLOB 'sys_*' AND dur > 0 AND ts >= {0} AND ts < {1}"),
                ("io-threads", "requests", "SELECT count(*) AS n FROM ftrace_event WHERE name = 'block_rq_issue' AND ts >= {0} AND ts < {1}"),
        ):
            with self.subTest(name):
                rows = section(name, "--thread", "10", "--from", "5ms", "--to", "30ms")
                want, = self.rows_of(sql.format(*window))
                self.assertEqual(sum(r[column] for r in rows), want["n"] or 0)
        # Parts of the time are the whole of it.
        whole = section("threads", "--thread", "10")[0]["cpu_ns"]
        parts = section("threads", "--thread", "10", "--to", "20ms")[0]["cpu_ns"], section("threads", "--thread", "10", "--from", "20ms")[0]["cpu_ns"]
        self.assertEqual(sum(parts), whole)

    def test_shares_of_why_are_the_whole(self):
        for choice in (["--slice", "std*"], ["--thread", "10"], ["--thread", "10", "--from", "3ms", "--to", "41ms"], ["--process", "10"]):
            rows = self.json(*choice, command="why")["sections"]
            shares = next(s["rows"] for s in rows if s["name"] == "time")
            self.assertAlmostEqual(sum(r["share_pct"] for r in shares), 100, 6, choice)

    def test_time_in_nested_slices_counts_once(self):
        nested = (self.dir / "t.txt").read_text().replace(NAMES["save"], NAMES["request"])
        (self.dir / "nested.txt").write_text(nested)
        self.orma("convert", "binary", "nested.txt", "nested.pftrace")
        wall = {t: json.loads(self.orma("why", t, "time", "--slice", "std*", "--json").stdout)["sections"][0]["rows"]
                for t in ("t.pftrace", "nested.pftrace")}
        self.assertEqual(*wall.values())

    def test_a_process_by_its_main_thread(self):
        """A text of the kernel's events has no names of processes."""
        switch = "{0[0]}-{0[1]} (100) [000] d..3 {1}.0: sched_switch: prev_comm={0[0]} prev_pid={0[1]} prev_prio=120 " \
                 "prev_state=S ==> next_comm={2[0]} next_pid={2[1]} next_prio=120\n"
        threads = [("first", 100), ("helper", 101)]
        (self.dir / "names.txt").write_text("# tracer: nop\n#\n" + "".join(
            " " + switch.format(threads[n % 2], n + 1, threads[1 - n % 2]) for n in range(5)))
        for name in ("first", "fir*"):
            done = self.orma("report", "names.txt", "threads", "--process", name, "--csv").stdout.decode()
            self.assertIn("first 100", done)
            self.assertIn("helper 101", done)
        self.orma("why", "names.txt", "--process", "first")
        self.assertIn("no process 'helper'", self.orma("why", "names.txt", "--process", "helper", code=1).stderr.decode())

    def test_values_that_are_no_numbers_take_no_others_along(self):
        text = 'packet { trusted_packet_sequence_id: 1 timestamp: 1000 track_descriptor { uuid: 9 name: "odd" counter { } } }\n'
        for i, value in enumerate(("3", "nan", "7", "inf", "nan")):
            text += f"packet {{ trusted_packet_sequence_id: 1 timestamp: {1001 + i} track_event {{ type: TYPE_COUNTER track_uuid: 9 double_counter_value: {value} }} }}\n"
        (self.dir / "odd.txt").write_text(text)
        self.orma("convert", "binary", "odd.txt", "odd.pftrace")
        rows = json.loads(self.orma("report", "--json", "odd.pftrace", "counters").stdout)["sections"][0]["rows"]
        self.assertEqual([(r["counter"], r["samples"], r["min"]) for r in rows], [("odd", 3, 3)])

    def test_wrong_names(self):
        for words, code, says in (
                (["slwoest"], 2, "unknown section 'slwoest'; did you mean 'slowest'?"),
                (["nothing"], 2, "unknown section 'nothing'; there are overview, threads, "),
                (["--slice", "map"], 1, "patterns work as in the shell: '*map*'"),
                (["--slice", "open end"], 1, "did you mean 'open end ?[31m'?"),
                (["--thread", "11"], 1, "no thread of the trace has the tid 11"),
                (["--from", "9s"], 1, "the range is empty"),
                (["--from", "soon"], 2, "expected a time"),
        ):
            done = self.orma("report", "t.pftrace", *words, code=code)
            self.assertIn(says, done.stderr.decode())
            self.assertEqual(done.stdout, b"")


if __name__ == "__main__":
    main()
