"""Random profiles of OpenTelemetry in each of their forms: each time of a sample is a row with its thread, cpu, stack, weight and span, samples without times
are sums by stack; damaged files are counted or refused."""
import json
import random

from otlp_profiles import DATA, Maker, message
from orma_env import *


SEEDS = int(os.environ.get("ORMA_TEST_SEEDS", 8))
STACK = """WITH RECURSIVE up(site, id, names) AS (SELECT c.id, c.parent_id, f.name FROM stack_profile_callsite c JOIN stack_profile_frame f ON f.id = c.frame_id
    UNION ALL SELECT up.site, c.parent_id, f.name || ';' || up.names FROM up JOIN stack_profile_callsite c ON c.id = up.id JOIN stack_profile_frame f ON f.id = c.frame_id),
    stacks AS (SELECT site, names FROM up WHERE id IS NULL) """
SAMPLES = STACK + """SELECT s.ts, p.pid, t.tid, u.cpu, k.names, c.value AS weight, x.span_id AS span FROM __intrinsic_profiler_sample s
    JOIN stacks k ON k.site = s.callsite_id JOIN __intrinsic_profiler_task_context a ON a.id = s.task_context_id JOIN thread t USING (utid)
    JOIN process p ON p.upid = a.upid AND p.upid = t.upid JOIN __intrinsic_profiler_execution_context e ON e.id = s.execution_context_id JOIN cpu u USING (ucpu)
    LEFT JOIN __intrinsic_profiler_counter_set cs ON cs.counter_set_id = s.counter_set_id LEFT JOIN __intrinsic_counter c ON c.id = cs.counter_id
    LEFT JOIN __intrinsic_profiler_sample_context x ON x.profiler_sample_id = s.id"""
SUMS = STACK + """SELECT p.sample_type_type AS type, p.sample_type_unit AS unit, k.names, sum(a.value) AS value FROM __intrinsic_aggregate_profile p
    JOIN __intrinsic_aggregate_sample a ON a.aggregate_profile_id = p.id JOIN stacks k ON k.site = a.callsite_id GROUP BY 1, 2, 3"""
ACCOUNT = "SELECT reason, kind, count FROM import_account WHERE unit = 'record' ORDER BY 1, 2"


class OtlpProfiles(Case):
    def rows(self, data, sql):
        path = self.dir / "trace"
        path.write_bytes(data)
        return self.query(path, sql)

    def account(self, value):
        return [(r["reason"], r["kind"], int(r["count"])) for r in self.rows(message(DATA, value), ACCOUNT)]

    def test_random_profiles_in_each_form(self):
        for seed in range(SEEDS):
            made = Maker(seed)
            for form, data in made.forms():
                with self.subTest(seed=seed, form=form):
                    rows = [(int(r["ts"]), int(r["pid"]), int(r["tid"]), int(r["cpu"]), r["names"], None if r["weight"] == "[NULL]" else float(r["weight"]),
                             None if r["span"] == "[NULL]" else r["span"]) for r in self.rows(data, SAMPLES)]
                    self.assertEqual(sorted(map(str, rows)), sorted(str((*s[:5], None if s[5] is None else float(s[5]), s[6])) for s in made.samples))
                    sums = {(r["type"], r["unit"], r["names"]): float(r["value"]) for r in self.rows(data, SUMS)}
                    self.assertEqual(sums, made.sums)
                    self.assertEqual({r["reason"] for r in self.rows(data, ACCOUNT)}, {"read"})

    def test_inlined_functions_and_builds_are_symbols_and_mappings(self):
        made = Maker(0)
        made.functions += [{"nameStrindex": made.text("inner"), "filenameStrindex": made.text("a.c")}, {"systemNameStrindex": made.text("outer")}]
        made.locations.append({"mappingIndex": 1, "address": 0x777, "lines": [{"functionIndex": len(made.functions) - 2, "line": 3}, {"functionIndex": len(made.functions) - 1}]})
        rows = self.rows(message(DATA, made.data), """SELECT f.name AS frame, m.build_id, y.name, y.line_number AS line, y.inlined FROM stack_profile_frame f
            JOIN stack_profile_mapping m ON m.id = f.mapping JOIN stack_profile_symbol y USING (symbol_set_id) WHERE f.rel_pc = 0x777 ORDER BY y.id""")
        self.assertEqual([tuple(r.values()) for r in rows], [("inner", "ab00", "inner", "3", "1"), ("inner", "ab00", "outer", "[NULL]", "0")])

    def test_what_can_have_no_row_is_counted(self):
        made = Maker(0)
        made.data["resourceProfiles"] = [{"scopeProfiles": [{"profiles": [{"sampleType": {}, "samples": [
            {"stackIndex": 1, "values": [4]}, {"stackIndex": 99, "values": [4]}, {"stackIndex": 1}, {"values": [4]}, {"stackIndex": 1, "timestampsUnixNano": [0, 5]},
            {"stackIndex": 1, "values": [1, 2], "timestampsUnixNano": [5]}]}]}]}]
        self.assertEqual(self.account(made.data), [
            ("clock", "samples without a time", 1), ("damaged", "samples whose stack is not in the dictionary", 1), ("damaged", "samples without a value", 1),
            ("damaged", "samples without one value for each time", 1), ("not read", "samples without a stack", 1), ("read", "[NULL]", 2)])

    def test_profiles_without_a_dictionary_are_refused_or_counted(self):
        made = Maker(0)
        data = {"resourceProfiles": made.data["resourceProfiles"]}
        (self.dir / "old").write_bytes(message(DATA, data))
        done = self.orma("query", "old", "SELECT 1", code=1)
        self.assertIn("dictionary", done.stderr.decode())
        rows = self.rows(json.dumps(data).encode() + b"\n" + json.dumps(made.data).encode(), ACCOUNT)
        self.assertEqual([(r["reason"], r["kind"]) for r in rows], [("damaged", "values of JSON with profiles, but without their dictionary"), ("read", "[NULL]")])

    def test_damaged_files_are_counted_or_refused(self):
        rnd = random.Random(1)
        for form, data in Maker(3).forms():
            for _ in range(30):
                changed = bytearray(data[:rnd.randrange(20, len(data))] if rnd.random() < 0.5 else data)
                for _ in range(rnd.randrange(1, 4)):
                    changed[rnd.randrange(len(changed))] = rnd.randrange(256)
                path = self.dir / "trace"
                path.write_bytes(changed)
                done = self.run_program(ORMA, "query", path, "SELECT count(*) AS n FROM import_account WHERE reason = 'no word'")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if not done.returncode:
                    self.assertIn(b"0", done.stdout, form)


if __name__ == "__main__":
    unittest.main(verbosity=2)
