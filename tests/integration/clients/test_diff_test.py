"""tools/diff_test, as its user sees it."""
from orma_env import *

TOOL = pathlib.Path(__file__).resolve().parents[3] / "tools/diff_test"
TRACE = """packet { timestamp: 5 trusted_packet_sequence_id: 1
  track_event { type: TYPE_INSTANT track_uuid: 3 name: "tick" } }
packet { track_descriptor { uuid: 3 name: "clock" } }
"""
GOOD = '"ts","name"\n5,"tick"\n'
CASE = f"A comment.\n#! trace textproto\n{TRACE}#! query\nSELECT ts, name FROM slice\n"


class DiffTest(Case):
    def tool(self, *argv, code=0):
        done = self.run_program(TOOL, "--shell", SHELL, *argv)
        text = done.stdout.decode() + done.stderr.decode()
        self.assertEqual(done.returncode, code, text)
        return text

    def folder(self, name, expected=GOOD, query="SELECT ts, name FROM slice", trace=TRACE):
        path = self.dir / "cases" / name
        path.mkdir(parents=True)
        (path / "trace.textproto").write_text(trace)
        (path / "query.sql").write_text(query)
        if expected is not None:
            (path / "expected.csv").write_text(expected)
        return path

    def file(self, name, text):
        path = self.dir / "cases" / (name + ".case")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def test_equal_cases_of_both_kinds(self):
        self.folder("one")
        self.folder("below/two")
        self.file("three", CASE + "#! expected\n" + GOOD)
        self.assertIn("3 cases, 0 differ", self.tool("cases"))
        self.assertEqual(self.tool("--list", "cases").split(), ["below/two", "one", "three"])
        self.assertIn("EQUAL one", self.tool("-v", "cases"))
        self.assertIn("1 cases, 0 differ", self.tool("cases/one"))
        self.assertIn("1 cases, 0 differ", self.tool("cases/three.case"))

    def test_a_difference_is_shown_as_a_diff(self):
        self.folder("one", expected='"ts","name"\n6,"tick"\n')
        text = self.tool("cases", code=1)
        self.assertIn("DIFFERS one (query)", text)
        self.assertIn('    -6,"tick"\n    +5,"tick"\n', text)
        self.assertNotIn("\033", text)
        self.assertIn('\033[32m+5,"tick"\033[0m', self.tool("--color=always", "cases", code=1))
        self.assertIn("more lines differ", self.tool("--lines", "3", "cases", code=1))

    def test_only_cases_of_a_name(self):
        self.folder("good")
        self.folder("bad", expected="x")
        self.assertIn("1 cases, 0 differ", self.tool("-k", "^go", "cases"))
        self.tool("-k", "nothing", "cases", code=2)

    def test_an_update_writes_what_came_out_and_nothing_else(self):
        folder = self.folder("one", expected=None)
        wrong = self.file("wrong", CASE + "#! expected\nold\n#! query\nSELECT 1 AS x\n#! flags --full-sort\n")
        right = self.file("right", CASE + "#! expected\n" + GOOD)
        before = right.stat().st_mtime_ns
        self.assertIn("nothing is expected yet", self.tool("cases", code=1))
        self.assertIn("UPDATED", self.tool("--update", "cases"))
        self.assertEqual((folder / "expected.csv").read_text(), GOOD)
        self.assertEqual(wrong.read_text(), CASE + "#! expected\n" + GOOD + "#! query\nSELECT 1 AS x\n"
                         '#! expected\n"x"\n1\n#! flags --full-sort\n')
        self.assertEqual(right.stat().st_mtime_ns, before)
        self.assertIn("0 differ", self.tool("cases"))

    def test_a_query_that_must_fail(self):
        case = self.file("bad", CASE.replace("ts, name", "nonsense"))
        self.tool("--update", "cases")
        self.assertIn("#! expected\nexit 1\n", case.read_text())
        self.assertIn("nonsense", case.read_text().partition("#! expected")[2])
        self.assertIn("0 differ", self.tool("cases"))

    def test_several_questions_and_other_traces(self):
        folder = self.folder("one")
        (folder / "more.sql").write_text("SELECT 2 AS two")
        (folder / "more.txt").write_text('"two"\n2\n')
        (self.dir / "binary.pftrace").write_bytes(self.binary())
        self.file("two", "#! trace file ../binary.pftrace\n#! query file one/query.sql\n#! expected\n" + GOOD)
        self.assertIn("2 cases, 0 differ", self.tool("cases"))
        (folder / "more.txt").write_text("3\n")
        self.assertIn("DIFFERS one (more)", self.tool("cases", code=1))

    def binary(self):
        return self.run_program(BUILD / "compat/traceconv", "binary", input=TRACE.encode()).stdout

    def test_cases_that_are_broken(self):
        self.folder("text", trace="packet { oops: 1 }")
        self.file("gone", "#! trace file absent\n#! query\nSELECT 1\n")
        text = self.tool("cases", code=1)
        self.assertIn("BROKEN text", text)
        self.assertIn('has no field "oops"', text)
        self.assertIn("BROKEN gone", text)
        for bad, says in (("#! query\nSELECT 1\n", "are needed"), ("#! trace textproto\n", "are needed"),
                          (CASE + "#! trace json\n", "a second"), ("#! expected\n", "must follow")):
            self.file("bad", bad)
            self.assertIn(says, self.tool("cases", code=2))

    def test_wrong_usage(self):
        self.assertIn("absent", self.tool("absent", code=2))
        self.assertIn("required", self.tool(code=2))
        self.folder("one")
        self.assertIn("no shell", self.tool("--shell", "absent", "cases", code=2))
        self.tool("-k", "(", "cases", code=2)
        self.assertIn("examples:", self.tool("--help"))


if __name__ == "__main__":
    main()
