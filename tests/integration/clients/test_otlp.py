"""Random spans of OpenTelemetry, written here in each of its forms: each span is a slice with its time, name and args, which lies in the slice
of its parent or in none; what is below in another service has a flow; damaged files are counted or refused."""
import json
import random
import struct

from orma_env import *


SEEDS = int(os.environ.get("ORMA_TEST_SEEDS", 12))
SLICES = """SELECT s.ts, s.dur, s.name, x.name AS process, p.name AS parent, p.ts <= s.ts AND p.ts + p.dur >= s.ts + s.dur AS inside,
    (SELECT display_value FROM args a WHERE a.arg_set_id = s.arg_set_id AND key = 'span_id') AS id,
    (SELECT display_value FROM args a WHERE a.arg_set_id = p.arg_set_id AND key = 'span_id') AS parent_id,
    (SELECT display_value FROM args a WHERE a.arg_set_id = s.arg_set_id AND key = 'n') AS n
    FROM slice s LEFT JOIN slice p ON p.id = s.parent_id JOIN process_track t ON t.id = s.track_id JOIN process x USING (upid) WHERE s.category IS NOT 'event'"""


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 0x7f:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(*fields):
    return b"".join(field(n, v) for n, v in fields)


def fixed(number, value):
    return varint(number << 3 | 1) + struct.pack("<Q", value)


class Maker:
    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.services = [f"service {i}" for i in range(self.rnd.randrange(1, 4))]
        self.spans = []
        for _ in range(self.rnd.randrange(1, 6)):
            self.add(None, self.rnd.randrange(10**15, 10**15 + 5000), 4000, self.rnd.randbytes(16), 0)
        self.spans.sort(key=lambda s: s["end"])

    def add(self, parent, start, length, trace, depth):
        span = {"trace": trace, "id": self.rnd.randbytes(8), "parent": parent, "start": start * 1000, "end": (start + length) * 1000, "n": self.rnd.randrange(-5, 10**6),
                "name": self.rnd.choice(("a", "GET /x", "b c", "Größe")), "service": self.rnd.choice(self.services)}
        self.spans.append(span)
        for _ in range(self.rnd.randrange(0, 4) if depth < 5 else 0):
            at = self.rnd.randrange(0, length + 1)
            self.add(span["id"], start + at, self.rnd.randrange(0, length - at + 1) + self.rnd.choice((0, 0, 0, 50)), trace, depth + 1)

    def groups(self):
        return [(name, [s for s in self.spans if s["service"] == name]) for name in self.services]

    @staticmethod
    def json_resource(name, spans):
        return {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": name}}]}, "scopeSpans": [{"scope": {"name": "x"}, "spans": [
            {"traceId": s["trace"].hex(), "spanId": s["id"].hex(), "parentSpanId": (s["parent"] or b"").hex(), "name": s["name"],
             "startTimeUnixNano": str(s["start"]), "endTimeUnixNano": str(s["end"]),
             "attributes": [{"key": "n", "value": {"intValue": s["n"]}}]} for s in spans]}]}

    @staticmethod
    def pb_resource(name, spans):
        def one(s):
            return (message((1, s["trace"]), (2, s["id"]), *([(4, s["parent"])] if s["parent"] else []), (5, s["name"])) + fixed(7, s["start"]) +
                    fixed(8, s["end"]) + message((9, message((1, "n"), (2, field(3, s["n"]))))))
        service = message((1, message((1, "service.name"), (2, message((1, name))))))
        return message((1, message((1, service), (2, message((1, message((1, "x"))), *((2, one(s)) for s in spans))))))

    def jaeger(self, groups):
        traces = {}
        for i, (_, spans) in enumerate(groups):
            for s in spans:
                refs = [{"refType": "CHILD_OF", "traceID": s["trace"].hex(), "spanID": s["parent"].hex()}] if s["parent"] else []
                traces.setdefault(s["trace"], []).append(self.shuffled({
                    "traceID": s["trace"].hex(), "spanID": s["id"].hex().lstrip("0"), "operationName": s["name"], "references": refs, "startTime": s["start"] // 1000,
                    "duration": (s["end"] - s["start"]) // 1000, "tags": [{"key": "n", "type": "int64", "value": s["n"]}], "logs": [], "processID": f"p{i}"}))
        processes = {f"p{i}": {"serviceName": name, "tags": []} for i, (name, _) in enumerate(groups)}
        return {"data": [{"traceID": t.hex(), "spans": spans, "processes": processes} for t, spans in traces.items()]}

    def zipkin(self, groups):
        return [self.shuffled({"traceId": s["trace"].hex(), "id": s["id"].hex(), **({"parentId": s["parent"].hex()} if s["parent"] else {}), "name": s["name"],
                               "timestamp": s["start"] // 1000, "duration": (s["end"] - s["start"]) // 1000, "localEndpoint": {"serviceName": name},
                               "tags": {"n": str(s["n"])}}) for name, spans in groups for s in spans]

    def shuffled(self, members):
        items = list(members.items())
        self.rnd.shuffle(items)
        return dict(items)

    def forms(self):
        groups = [g for g in self.groups() if g[1]]
        yield "json", json.dumps({"resourceSpans": [self.json_resource(*g) for g in groups]}).encode()
        yield "lines", b"".join(json.dumps({"resourceSpans": [self.json_resource(*g)]}).encode() + b"\n" for g in groups)
        yield "pb", b"".join(self.pb_resource(*g) for g in groups)
        yield "jaeger", json.dumps(self.jaeger(groups)).encode()
        yield "zipkin", json.dumps(self.zipkin(groups)).encode()
        yield "framed", b"".join(struct.pack(">I", len(m)) + m for m in (self.pb_resource(*g) for g in groups))


class Otlp(Case):
    def test_random_spans_in_each_form(self):
        for seed in range(SEEDS):
            made = Maker(seed)
            want = sorted((s["start"], s["end"] - s["start"], s["name"], s["service"], s["id"].hex(), str(s["n"])) for s in made.spans)
            parents = {s["id"].hex(): s for s in made.spans}
            for form, data in made.forms():
                with self.subTest(seed=seed, form=form):
                    path = self.dir / "trace"
                    path.write_bytes(data)
                    rows = self.query(path, SLICES)
                    self.assertEqual(sorted((int(r["ts"]), int(r["dur"]), r["name"], r["process"], r["id"], r["n"]) for r in rows), want)
                    for r in rows:
                        if r["parent_id"] != "[NULL]":
                            self.assertEqual((r["parent_id"], r["inside"]), (parents[r["id"]]["parent"].hex(), "1"))
                    flows = sum(1 for s in made.spans if s["parent"] and parents[s["parent"].hex()]["service"] != s["service"])
                    self.assertEqual(int(self.one(path, "SELECT count(*) FROM flow")), flows)
                    self.assertEqual(self.query(path, "SELECT message FROM import_account WHERE message IS NOT NULL"), [])

    def test_damaged_files_are_counted_or_refused(self):
        rnd = random.Random(1)
        for form, data in Maker(3).forms():
            for _ in range(40):
                changed = bytearray(data[:rnd.randrange(20, len(data))])
                for _ in range(rnd.randrange(0, 4)):
                    changed[rnd.randrange(len(changed))] = rnd.randrange(256)
                path = self.dir / "trace"
                path.write_bytes(changed)
                done = self.run_program(ORMA, "query", path, "SELECT count(*) AS n FROM import_account WHERE reason = 'no word'")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if not done.returncode:
                    self.assertIn(b"0", done.stdout, form)

    def test_many_spans_side_by_side_take_linear_time(self):
        spans = [{"trace": bytes(15) + b"\1", "id": struct.pack(">Q", i + 1), "parent": None, "start": 10**18 + i, "end": 2 * 10**18 - i, "n": i, "name": "s",
                  "service": "x"} for i in range(60000)]
        path = self.dir / "trace"
        path.write_bytes(Maker.pb_resource("x", spans))
        self.assertEqual(int(self.one(path, "SELECT count(DISTINCT track_id) FROM slice")), 60000)

    def test_a_span_without_a_length_has_no_end(self):
        zipkin = [dict({"traceId": "a" * 16, "id": f"{i + 1:016x}", "name": f"{value}", "timestamp": 1_700_000_000_000_000 + i, "duration": value,
                        "localEndpoint": {"serviceName": "s"}}) for i, value in enumerate((7, 0, "8", 1.5, None, -5, "x", 10**30, True))]
        jaeger = {"data": [{"traceID": "a" * 16, "processes": {"p": {"serviceName": "s"}}, "spans": [
            {"traceID": "a" * 16, "spanID": s["id"], "operationName": s["name"], "startTime": s["timestamp"], "duration": s["duration"], "processID": "p"} for s in zipkin]}]}
        for spans in zipkin, jaeger:
            (self.dir / "t.json").write_text(json.dumps(spans))
            done = self.orma("query", "--format=tsv", "t.json", "SELECT dur FROM slice ORDER BY ts")
            self.assertEqual(done.stdout.decode().split(), "7000 0 8000 1500 -1 -1 -1 -1 -1".split())
            self.assertIn("4 durations could not be read", done.stderr.decode())


if __name__ == "__main__":
    unittest.main(verbosity=2)
