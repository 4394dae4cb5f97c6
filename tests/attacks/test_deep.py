"""What nests: files, messages, statements and names that are thousands of levels deep, in threads with the smallest
stack that processor.h promises to do with. Each is loaded, or refused; none is too much for the stack."""
import json

from attack import *

STACK_KB = 512 if SLOW == 1 else 8192  # sanitizers put much more on it
DEEP = 30000


def nested(field, times, core=b""):
    """In linear time: heads from the inside to the outside."""
    heads, size = [], len(core)
    for _ in range(times):
        head = varint(field << 3 | 2) + varint(size)
        heads.append(head)
        size += len(head)
    return b"".join(reversed(heads)) + core


def packets(*inner):
    return b"".join(sub(1, num(8, i + 1) + num(10, 1) + (num(13, 1) if i == 0 else b"") + x) for i, x in enumerate(inner))


def slice_json(args):
    return '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":' + args + "}]"


def files():
    n = DEEP
    yield "arrays.json", "[" * n + "]" * n
    yield "objects.json", '{"a":' * n + "1" + "}" * n
    yield "args.json", slice_json('{"a":' * n + "1" + "}" * n)
    yield "args_lists.json", slice_json('{"a":' + "[" * n + "]" * n + "}")
    yield "slices.json", "[" + ",".join(f'{{"ph":"B","name":"a","pid":1,"tid":1,"ts":{i}}}' for i in range(n)) + "]"
    yield "collapsed.txt", ";".join(f"f{i}" for i in range(n)) + " 5\n"
    frame = dict(functionName="f", url="u", lineNumber=1, columnNumber=1, scriptId="1")
    for name, last in (("chain", []), ("cycle", [1])):
        nodes = [dict(id=i + 1, callFrame=frame, hitCount=1, children=[i + 2] if i < n - 1 else last) for i in range(n)]
        yield f"{name}.cpuprofile", json.dumps(dict(nodes=nodes, startTime=0, endTime=10, samples=[n], timeDeltas=[1]))
    yield "rows.xml", '<?xml version="1.0"?>\n<trace-query-result>\n<node xpath="x"><schema name="time-profile"></schema>' + \
        "<row>" * n + "</row>" * n + "</node></trace-query-result>"
    yield "perf.txt", "a 1 [000] 1.0: 1 cycles:\n" + "".join(f"\t{i + 1:x} f{i}+0x1 (/x)\n" for i in range(n)) + "\n"
    yield "begins.txt", "# tracer: nop\n#\n" + "".join(f"  a-1  [000] .... 1.{i:06d}: tracing_mark_write: B|1|s\n" for i in range(n))
    # Messages: args of track events (nested values, extensions, unknown fields), descriptors of tracks, stacks, heap graphs, configs.
    event = lambda more: sub(11, num(9, 3) + num(11, 1) + more)
    yield "dict.pb", packets(event(sub(4, sub(10, "a") + nested(11, n, sub(10, "b") + num(4, 1)))))
    yield "nested_value.pb", packets(event(sub(4, sub(10, "a") + sub(8, nested(3, n, num(4, 1))))))
    yield "unknown.pb", packets(event(nested(2000, n)), nested(900, n), nested(11, n))
    yield "tracks.pb", packets(*(sub(60, num(1, i + 1) + num(5, i) + sub(2, "t")) for i in range(n)))
    yield "callstack.pb", packets(sub(12, sub(5, num(1, 1) + sub(2, "f")) + sub(6, num(1, 1) + num(2, 1)) + sub(7, num(1, 1) + num(2, 1) * n)))
    objects = lambda targets: b"".join(sub(2, num(1, i + 1) + num(2, 1) + num(3, 8) + sub(4, varint(1)) + sub(5, varint(t)))
                                       for i, t in enumerate(targets))
    graph = lambda targets: packets(sub(56, num(1, 7) + objects(targets) + sub(9, num(1, 1) + sub(2, "C")) + sub(4, num(1, 1) + sub(2, "C.f")) +
                                        sub(7, sub(1, varint(1)) + num(2, 1))))
    yield "heap.pb", graph([i + 2 for i in range(n)])
    yield "heap_cycle.pb", graph([(i + 1) % n + 1 for i in range(n)])
    yield "config.pb", packets(sub(33, nested(2, n)), sub(33, sub(2, nested(1, n))))
    yield "winscope.pb", packets(*(nested(f, n) for f in (93, 94, 96, 98, 112)))
    yield "extension.pb", packets(sub(72, sub(1, sub(1, sub(1, "x.proto") + nested(4, n, sub(1, "M"))))))


def statements():
    n = DEEP
    yield "select " + "(" * n + "1" + ")" * n
    yield "select 1" + "+1" * n
    yield "select " + "-" * n + "1"
    yield "select " + "not " * n + "1"
    yield "select " + "abs(" * n + "1" + ")" * n
    yield "select * from (" * n + "select 1" + ")" * n
    yield "select * from " + "(" * n + "slice" + ")" * n
    yield "select case when 1 then " * n + "1" + " end" * n
    yield "with a as (" * n + "select 1" + ") select * from a" * n
    yield "select 1" + " union all select 1" * n
    yield "select exists(" * n + "select 1" + ")" * n
    yield "select json('" + "[" * n + "]" * n + "')"
    yield "select json_extract('" + '{"a":' * n + "1" + "}" * n + "', '$" + ".a" * n + "')"
    yield "select extract_arg(1, 'a" + ".b" * n + "')"
    yield "select regexp('" + "(" * n + ")" * n + "', 'a')"
    yield "select 'a' glob '" + "*[a" * n + "'"
    yield "select demangle('_Z1f" + "P" * n + "i')"
    yield "select demangle('_Z1f" + "P" * 900 + "i'), demangle('_RNvC1a1b" + "RR" * n + "l')"
    yield "create perfetto macro m(x Expr) returns Expr as $x; select " + "m!(" * n + "1" + ")" * n
    for kind in ("create perfetto view v{0} as select * from v{1}", "create perfetto function v{0}() returns long as select v{1}()",
                 "create perfetto function v{0}() returns table(x long) as select x from v{1}()",
                 "create perfetto macro v{0}() returns Expr as v{1}!()"):
        first = "create perfetto macro v0() returns Expr as 1" if "macro" in kind else \
            "create perfetto view v0 as select 1 as x" if "view" in kind else kind.replace("v{1}()", "1" if "long as" in kind else "(select 1 as x)").format(0)
        end = {"m": "select v299!()", "v": "select * from v299"}.get(kind[16], "select v299()" if "long as" in kind else "select * from v299()")
        yield ";".join([first] + [kind.format(i, i - 1) for i in range(1, 300)] + [end])


class Deep(Attack):
    def run_deep(self, names):
        done = self.run_program(TOOLS / "attack_deep", STACK_KB, *names, timeout=240)
        said = done.stdout.decode(errors="replace")
        self.assertEqual(done.returncode, 0, f"{said[-600:]}\n{done.stderr.decode(errors='replace')[-2000:]}")
        self.assertEqual(len(said.splitlines()), len(names), said[-600:])

    def test_files(self):
        names = []
        for name, content in files():
            (self.dir / name).write_bytes(content if isinstance(content, bytes) else content.encode())
            names.append(name)
        self.run_deep(names)

    def test_statements(self):
        names = []
        for i, sql in enumerate(statements()):
            names.append(f"{i}.sql")
            (self.dir / names[-1]).write_text(sql)
        self.run_deep(names)


if __name__ == "__main__":
    main()
