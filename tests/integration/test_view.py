"""orma view: what it packs is what SQL says, read by a reader that knows the format's document only; what is asked of
its server; wrong command lines. (Texts are compared up to a zero: results of SQL end there.)"""
import http.client
import json
import random
import re
import resource
import urllib.parse

import growing
import view_reader
from orma_env import *
from view_reader import View

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "<!--", "\u202egnp.exe", "a\u0000b", "\U0001f600",
           "javascript:alert(1)", "'\"&amp;", "x" * 5000, "", " ", "\\u003c", "</SCRIPT ", "\ud7ff\ue000"]
SCHED = "".join(f"""packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: {cpu} {events} }} }}
""" for cpu, events in [(0, " ".join(
    f"event {{ timestamp: {1000 + 700 * i} pid: {10 + i % 3} sched_switch {{ prev_comm: \"t{i % 3}\" prev_pid: {10 + i % 3} "
    f"prev_state: {(1, 2, 0, 0x100)[i % 4]} next_comm: \"t{(i + 1) % 3}\" next_pid: {10 + (i + 1) % 3} next_prio: 120 }} }}"
    for i in range(60))), (1, " ".join(
        f"event {{ timestamp: {1500 + 900 * i} pid: {20 + i % 2} sched_switch {{ prev_comm: \"u{i % 2}\" prev_pid: {20 + i % 2} "
        f"prev_state: 1 next_comm: \"u{(i + 1) % 2}\" next_pid: {20 + (i + 1) % 2} next_prio: 100 }} }}"
        for i in range(40)))])


OBJECTS = """packet { trusted_packet_sequence_id: 1 timestamp: 2 process_tree { processes { pid: 7 ppid: 1 cmdline: "app" } processes { pid: 8 ppid: 1 cmdline: "other" } } }
""" + "".join(f"""packet {{ trusted_packet_sequence_id: {seq} timestamp: {ts} heap_graph {{ pid: {pid}
  types {{ id: 1 class_name: "app.Tree" }} types {{ id: 2 class_name: "java.lang.String" }} field_names {{ iid: 1 str: "app.Tree.name" }}
  objects {{ id: 1 type_id: 1 self_size: 16 reference_field_id: 1 reference_object_id: 2 }} objects {{ id: 2 type_id: 2 self_size: {size} }}
  objects {{ id: 3 type_id: 2 self_size: 100 }} roots {{ root_type: ROOT_JAVA_FRAME object_ids: 1 }} }} }}
""" for seq, pid, ts, size in ((2, 7, 50, 24), (3, 8, 90, 54)))


HEAP = """packet { trusted_packet_sequence_id: 1 clock_snapshot { clocks { clock_id: 6 timestamp: 10 } clocks { clock_id: 3 timestamp: 10 } clocks { clock_id: 4 timestamp: 10 } } }
packet { trusted_packet_sequence_id: 1 timestamp: 10 process_tree { processes { pid: 7 ppid: 1 cmdline: "/opt/my <b>heap" } } }
packet { trusted_packet_sequence_id: 1 timestamp: 20 profile_packet {
  strings { iid: 1 str: "main" } strings { iid: 2 str: "leak" } strings { iid: 3 str: "/opt/a.out" }
  mappings { iid: 1 path_string_ids: 3 } frames { iid: 1 function_name_id: 1 mapping_id: 1 rel_pc: 16 } frames { iid: 2 function_name_id: 2 mapping_id: 1 rel_pc: 32 }
  callstacks { iid: 1 frame_ids: 1 frame_ids: 2 } callstacks { iid: 2 frame_ids: 1 }
  process_dumps { pid: 7 timestamp: 30 heap_name: "libc.malloc"
    samples { callstack_id: 1 self_allocated: 9000 alloc_count: 9 self_freed: 1000 free_count: 1 }
    samples { callstack_id: 2 self_allocated: 500 alloc_count: 5 self_freed: 500 free_count: 5 } } } }
"""


def made_json(events=3000, seed=5):
    """Slices inside each other, counters, flows and args, with names nobody should trust."""
    rnd = random.Random(seed)
    out, at = [], {}
    for i in range(events):
        tid = rnd.randrange(1, 6)
        ts = at.get(tid, 0) + rnd.randrange(0, 5)
        dur = rnd.randrange(0, 40)
        name = rnd.choice(HOSTILE) if i % 40 == 0 else f"work {i % 17}"
        out.append({"ph": "X", "pid": tid % 2 + 1, "tid": tid, "ts": ts, "dur": dur, "name": name,
                    "args": {"i": i % 9, "text": rnd.choice(HOSTILE)} if i % 3 == 0 else {}})
        if dur > 8:
            out.append({"ph": "X", "pid": tid % 2 + 1, "tid": tid, "ts": ts + 1, "dur": dur - 4, "name": "inner"})
        at[tid] = ts + dur
        if i % 10 == 0:
            out.append({"ph": "C", "pid": 1, "ts": ts, "name": "depth", "args": {"v": rnd.choice([1, -7, 2.5, 1e12])}})
        if i % 50 == 0:
            out.append({"ph": "s", "id": i, "pid": tid % 2 + 1, "tid": tid, "ts": ts, "name": "f", "cat": "f"})
            out.append({"ph": "f", "id": i, "pid": 1, "tid": 2, "ts": ts + 30, "name": "f", "cat": "f", "bp": "e"})
    return json.dumps({"traceEvents": out})


class ViewCase(Case):
    def trace(self, text, name="t.json"):
        path = self.dir / name
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        return path

    def page(self, trace, *options):
        out = self.dir / "t.html"
        self.orma("view", trace, "-o", out, "--force", *options)
        return out.read_bytes()

    def sql(self, trace, sql):
        done = self.orma("query", trace, sql, "--format=json")
        rows = json.loads(done.stdout)
        return rows["rows"] if isinstance(rows, dict) else [list(row.values()) if isinstance(row, dict) else row for row in rows]


    def many(self):
        """A core that switches often, now and then not for long, and a counter that jumps."""
        rnd, ts, events, threads = random.Random(3), 1000, [], [(f"t{i}", 10 + i) for i in range(4)] + [("swapper", 0)]
        last = threads[0]
        for i in range(40000):
            ts += rnd.randrange(1, 200) if i % 400 else 90000
            then = rnd.choice([t for t in threads if t != last])
            events.append(f'event {{ timestamp: {ts} pid: {last[1]} sched_switch {{ prev_comm: "{last[0]}" prev_pid: {last[1]} prev_state: {rnd.choice((0, 1, 2))} '
                          f'next_comm: "{then[0]}" next_pid: {then[1]} next_prio: 120 }} }}')
            last = then
        head = 'packet { trusted_packet_sequence_id: 2 timestamp: 1 track_descriptor { uuid: 9 name: "load" counter { } } }\n'
        values = "".join(f"packet {{ trusted_packet_sequence_id: 2 timestamp: {1000 + i * (ts - 1000) // 20000} track_event {{ type: TYPE_COUNTER track_uuid: {uuid} {value} }} }}\n"
                         for i in range(20000) for uuid, value in ((9, f"counter_value: {rnd.randrange(-50, 50) if i % 3000 else 9000}"),
                                                                   (8, f"double_counter_value: {rnd.random()}")))
        text = self.trace(f"packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: 0 {' '.join(events)} }} }}\n" + head
                          + head.replace("uuid: 9", "uuid: 8").replace("load", "part") + values, "t.txt")
        self.orma("convert", "binary", text, self.dir / "t.pftrace")
        return self.dir / "t.pftrace"


class WhatIsPacked(ViewCase):
    def slices(self, view):
        for row, c in view.items(view_reader.SLICES):
            for i in range(len(c["ts"])):
                yield {name: values[i] for name, values in c.items()} | {"row": row}

    def test_slices(self):
        trace = self.trace(made_json())
        view = View(self.page(trace))
        told = {s["id"]: (view.begin + s["ts"], s["dur"], view.strings[s["name"]].split("\x00")[0]) for s in self.slices(view)}
        asked = {row[0]: (row[1], row[2], (row[3] or "").split("\x00")[0]) for row in self.sql(trace, "SELECT id, ts, dur, name FROM slice")}
        self.assertEqual(told, asked)
        self.assertEqual(view.info["counts"]["slices"], len(asked))

    def test_many_slices_fit_in_little_memory(self):
        """What is read for the page lies in files where the limit on memory has no room for it."""
        lines = (f'{{"ph":"X","pid":1,"tid":{1 + i % 4},"ts":{i},"dur":{i % 7 * 3 + 1},"name":"w{i % 20}"}}' for i in range(400000))
        trace = self.trace("[" + ",\n".join(lines) + "]")
        page = self.page(trace, "--cache=off", "--threads=1")
        self.env["ORMA_MEMORY_LIMIT"] = "32m"
        limit = 68 << 20  # 80 without files, 56 with them
        # Memory of sanitizers counts, too.
        limited = {} if SLOW > 1 else {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))}
        out = self.dir / "t.html"
        self.orma("view", trace, "-o", out, "--force", "--cache=off", "--threads=1", **limited)
        self.assertEqual(out.read_bytes(), page)

    def test_rows_are_threads(self):
        trace = self.trace(made_json())
        view = View(self.page(trace))
        told = {}
        for s in self.slices(view):
            row = view.rows[s["row"]]
            self.assertEqual(row["kind"], view_reader.THREAD)
            self.assertEqual(view.rows[row["parent"]]["kind"], view_reader.PROCESS)
            self.assertLess(s["depth"], row["lanes"])
            told.setdefault((view.rows[row["parent"]]["id"], row["id"]), [0])[0] += 1
        asked = self.sql(trace, "SELECT pid, tid, count(*) FROM slice JOIN thread_track t ON t.id = track_id "
                                "JOIN thread USING (utid) JOIN process USING (upid) GROUP BY 1, 2")
        self.assertEqual({k: v[0] for k, v in told.items()}, {(a, b): n for a, b, n in asked})

    def test_no_two_slices_of_a_lane_overlap(self):
        view = View(self.page(self.trace(made_json())))
        ends = {}
        for s in self.slices(view):
            lane = (s["row"], s["depth"])
            self.assertGreaterEqual(s["ts"], ends.get(lane, 0))
            ends[lane] = s["ts"] + s["dur"]

    def test_levels_say_what_the_slices_say(self):
        events = [{"ph": "X", "pid": 1, "tid": 1 + i % 2, "ts": 10 * i, "dur": 907.0 if i % 500 == 1 else i % 11 / 4, "name": f"s{i % 5}"}
                  for i in range(40000) if i % 500 != 3]
        view = View(self.page(self.trace(json.dumps({"traceEvents": events}))))
        slices = {s["id"]: s for s in self.slices(view)}
        self.assertGreater(len(view.info["levels"]), 3)
        for level, q in enumerate(view.info["levels"]):
            coarse = [{name: values[i] for name, values in c.items()} | {"row": row}
                      for row, c in view.items(view_reader.LEVEL + level) for i in range(len(c["ts"]))]
            mine = {id: s for id, s in slices.items() if s["row"] in {c["row"] for c in coarse}}
            self.assertLessEqual(len(coarse), len(mine) / 2)
            self.assertEqual(sum(s["group"][0] if s["group"] else 1 for s in coarse), len(mine))
            self.assertEqual(sum(s["group"][1] if s["group"] else s["dur"] for s in coarse), sum(s["dur"] for s in mine.values()))
            self.assertEqual([s for s in coarse if not s["group"] and s != mine[s["id"]]], [])
            self.assertTrue(all(s["dur"] < q and s["group"][2] == mine[s["id"]]["dur"] for s in coarse if s["group"]))
            self.assertEqual({s["id"] for s in coarse if s["dur"] >= q}, {s["id"] for s in mine.values() if s["dur"] >= q})
        self.assertEqual({s["row"] for s in coarse}, {s["row"] for s in slices.values()})  # all have the coarsest

    @staticmethod
    def items_of(view, kind):
        """By row, in the order of time."""
        ret = {}
        for row, c in view.items(kind):
            ret.setdefault(row, []).extend({name: values[i] for name, values in c.items() if isinstance(values, list)} for i in range(len(c["ts"])))
        return ret

    def check_states(self, view, kind, key, runs):
        """Each group of each level stands for the items that lie in it."""
        base, seen = self.items_of(view, kind), 0
        for level, q in enumerate(view.info["levels"]):
            for row, coarse in self.items_of(view, kind * view_reader.LEVEL + level).items():
                items, at = base[row], 0
                self.assertLessEqual(len(coarse), len(items) / 2)
                for c in coarse:
                    mine = items[at:at + (c["group"][0] if c["group"] else 1)]
                    at += len(mine)
                    seen += 1
                    self.assertEqual(c["ts"], mine[0]["ts"])
                    if not c["group"]:
                        self.assertEqual({k: v for k, v in c.items() if k != "group"}, mine[0])
                        continue
                    self.assertLess(c["dur"], q)
                    self.assertEqual(c["ts"] + c["dur"], mine[-1]["ts"] + mine[-1]["dur"])
                    times = {}
                    for item in mine:
                        times[item[key]] = times.get(item[key], 0) + item["dur"]
                    self.assertEqual(c["group"][1], sum(item["dur"] for item in mine if runs(item)))
                    self.assertEqual((c["group"][2], times[c[key]]), (max(times.values()),) * 2)
                    longest = max(item["dur"] for item in mine if item[key] == c[key])
                    self.assertIn((c["id"], longest), [(item["id"], item["dur"]) for item in mine])
                self.assertEqual(at, len(items))
        self.assertGreater(seen, 3000)

    def test_levels_of_states_cores_and_values(self):
        trace = self.many()
        view = View(self.page(trace, "--exact"))
        running = view.strings.index("Running")
        self.check_states(view, view_reader.STATES, "state", lambda item: item["state"] == running)
        self.check_states(view, view_reader.SCHED, "other", lambda item: True)
        self.check_values(view)
        self.check_a_small_file(trace)

    def check_values(self, view):
        base, seen = self.items_of(view, view_reader.VALUES), 0
        for level, q in enumerate(view.info["levels"]):
            for row, coarse in self.items_of(view, view_reader.VALUES * view_reader.LEVEL + level).items():
                items, at = base[row], 0
                self.assertLessEqual(len(coarse), len(items) / 2)
                for c, end in zip(coarse, [c["ts"] for c in coarse[1:]] + [float("inf")]):
                    first = at
                    while at < len(items) and items[at]["ts"] < end:
                        at += 1
                    mine = items[first:at]
                    seen += 1
                    self.assertLess(mine[-1]["ts"] - c["ts"], q)
                    self.assertEqual((c["ts"], c["value"]), (mine[0]["ts"], mine[-1]["value"]))
                    self.assertEqual(c["range"], (min(i["value"] for i in mine), max(i["value"] for i in mine)))
        self.assertEqual(len(base), 2)
        self.assertGreater(seen, 5000)

    def check_a_small_file(self, trace):
        """It has levels of what has no room."""
        view = View(self.page(trace, "--max-size=512kb"))
        self.assertLess((self.dir / "t.html").stat().st_size, 512 << 10)
        counts = view.info["counts"]
        kinds = {kind for kind in view.info["chunks"][3::7]}
        self.assertGreater(counts["merged"], 10000)
        self.assertTrue(kinds & {view_reader.STATES * 16 + n for n in range(16)})
        of = {row for row, _ in view.items(view_reader.SCHED)} | {row for row, _ in view.items(view_reader.VALUES)}
        for kind in (view_reader.SCHED, view_reader.VALUES):
            finest = next(n for n in range(16) if kind * 16 + n in kinds)
            for row, coarse in self.items_of(view, kind * 16 + finest).items():
                self.assertNotIn(row, of)
                told = sum(c["group"][0] if c["group"] else 1 for c in coarse) if kind == view_reader.SCHED else 0
                self.assertEqual(told, view.rows[row]["items"] if kind == view_reader.SCHED else 0)
        whole = sum(n for (n,) in self.sql(trace, "SELECT count(*) FROM thread_state UNION ALL SELECT count(*) FROM counter"))
        self.assertEqual(counts["states"] + counts["values"], whole - self.sql(trace, "SELECT count(*) FROM thread_state JOIN thread USING (utid) WHERE is_idle")[0][0])

    def test_a_page_has_first_what_it_needs_first(self):
        events = [{"ph": "X", "pid": 1, "tid": 1 + i % 2, "ts": 10 * i, "dur": 5, "name": f"s{i % 5}", "args": {"i": i}} for i in range(40000)]
        page = self.page(self.trace(json.dumps({"traceEvents": events})))
        view = View(page)
        order = [int(n) - 1 for n, _ in view_reader.BLOCK.findall(page)]
        chunks = view.info["chunks"]
        turns = [0 if view.info["blocks"][n][0] not in (view_reader.ITEMS, view_reader.ARGS) else
                 1 if any(chunks[i + 1] == n and chunks[i + 3] >= view_reader.LEVEL for i in range(0, len(chunks), 7)) else 2 for n in order]
        self.assertEqual(turns, sorted(turns))
        self.assertEqual(set(turns), {0, 1, 2})

    def test_args_are_whole(self):
        """What browsers would round is a text."""
        big = {"a": 2 ** 53, "b": 2 ** 53 + 1, "c": -2 ** 63, "d": -5}
        view = View(self.page(self.trace(json.dumps({"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "name": "x", "args": big}]}))))
        self.assertEqual(dict(view.args()[0]),
                         {"args.a": 2 ** 53, "args.b": str(2 ** 53 + 1), "args.c": str(-2 ** 63), "args.d": -5})

    def test_how_busy_it_was(self):
        """Where a switch was missed, the one before has no end: it does not count."""
        switch = lambda ts, a, b: (f'event {{ timestamp: {ts} pid: {a} sched_switch {{ prev_comm: "t{a}" prev_pid: {a} prev_state: 1 '
                                   f'next_comm: "t{b}" next_pid: {b} next_prio: 120 }} }}')
        text = self.trace("packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0 "
                          + " ".join([switch(1000000, 0, 5), switch(2000000, 6, 7), switch(3000000, 7, 0), switch(4000000, 0, 8), switch(5000000, 8, 0)]) + " } }", "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        view = View(self.page(trace))
        r = view_reader.Bytes(next(view.of_kind(view_reader.OVERVIEW)))
        n = r.uint()
        parts = {}
        while r.more():
            row = r.uint()
            parts[row] = r.data[r.at:r.at + n]
            r.at += n
        cpus = next(part for row, part in parts.items() if view.rows[row]["text"] == "CPUs")
        self.assertEqual(max(cpus[2:n // 4 - 2]), 0)
        self.assertGreaterEqual(min(cpus[n // 4 + 2:n // 2 - 2]), 250)
        self.assertEqual(max(cpus[n // 2 + 2:3 * n // 4 - 2]), 0)

    def test_busy_threads_come_first(self):
        """A system call that waits is no work, however long."""
        switch = lambda ts, a, b: (f'event {{ timestamp: {ts} pid: {a} sched_switch {{ prev_comm: "t{a}" prev_pid: {a} prev_state: 1 '
                                   f'next_comm: "t{b}" next_pid: {b} next_prio: 120 }} }}')
        call = lambda what, ts, field: f'event {{ timestamp: {ts} pid: 5 {what} {{ id: 7 {field}: 0 }} }}'
        text = self.trace("packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0 " + " ".join(
            [switch(1000, 0, 5), call("sys_enter", 1100, "args"), switch(2000, 5, 6), switch(900000, 6, 5), call("sys_exit", 900100, "ret"), switch(901000, 5, 0)]) + " } }", "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        rows = View(self.page(trace)).rows
        rank = {row["id"]: row["rank"] for row in rows if row["kind"] == view_reader.THREAD}
        self.assertGreater(rank[6], rank[5])

    def test_args(self):
        trace = self.trace(made_json())
        view = View(self.page(trace))
        sets = view.args()
        told = {s["id"]: [(k, v.split("\x00")[0] if isinstance(v, str) else v) for k, v in sets[s["args"] - 1]] for s in self.slices(view) if s["args"]}
        asked = {}
        for id, key, value in self.sql(trace, "SELECT slice.id, key, coalesce(string_value, int_value, real_value) FROM slice "
                                              "JOIN args USING (arg_set_id) ORDER BY slice.id, args.id"):
            asked.setdefault(id, []).append((key, value.split("\x00")[0] if isinstance(value, str) else value))
        self.assertEqual(told, asked)

    def test_values_and_flows(self):
        trace = self.trace(made_json())
        view = View(self.page(trace))
        told = sorted((view.begin + t, v) for _, c in view.items(view_reader.VALUES) for t, v in zip(c["ts"], c["value"]))
        self.assertEqual(told, sorted((t, float(v)) for t, v in self.sql(trace, "SELECT ts, value FROM counter")))
        flows = sorted((a[0], b[0]) for a, b in view.flows())
        self.assertEqual(flows, sorted(map(tuple, self.sql(trace, "SELECT slice_out, slice_in FROM flow"))))
        self.assertTrue(flows)

    def test_states_and_cores(self):
        text = self.trace(SCHED, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        view = View(self.page(trace))
        told = sorted((view.begin + t, d, view.strings[s].split("+io")[0].split("-io")[0], cpu)
                      for _, c in view.items(view_reader.STATES) for t, d, s, cpu in zip(c["ts"], c["dur"], c["state"], c["cpu"]))
        asked = sorted((t, d, s, -1 if cpu is None else cpu) for t, d, s, cpu in self.sql(trace, "INCLUDE PERFETTO MODULE orma.durations; "
                       "SELECT s.ts, coalesce(o.end_ts - s.ts, s.dur), s.state, s.cpu FROM thread_state s LEFT JOIN orma_open_state o USING (id)"))
        self.assertEqual(told, asked)
        told = sorted((view.begin + t, d, view.rows[row]["id"], view.rows[who]["id"])
                      for row, c in view.items(view_reader.SCHED) for t, d, who in zip(c["ts"], c["dur"], c["other"]))
        self.assertEqual(told, sorted(map(tuple, self.sql(trace, "INCLUDE PERFETTO MODULE orma.durations; "
                         "SELECT s.ts, coalesce(o.end_ts - s.ts, s.dur), s.cpu, tid FROM sched_slice s JOIN thread USING (utid) LEFT JOIN orma_open_run o USING (id)"))))

    def test_heaps(self):
        text = self.trace(HEAP, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        view = View(self.page(trace))
        asked = self.sql(trace, "SELECT heap_name, callsite_id, total(max(size, 0)), total(max(count, 0)), total(size), total(count) "
                                "FROM heap_profile_allocation GROUP BY upid, 1, 2")
        self.assertEqual(sorted(list(h[1:]) for h in view.heaps()), sorted([h[0], *map(int, h[1:])] for h in asked))
        self.assertEqual(sum(h[5] for h in view.heaps()), 8000)

    def test_a_command_and_what_it_started_come_first(self):
        """Of a trace that was recorded for one, or with --tree; the others stand in one row."""
        self.trace("""packet { trusted_packet_sequence_id: 1 timestamp: 500 process_tree { processes { pid: 90 ppid: 1 cmdline: "orma" } processes { pid: 300 ppid: 1 cmdline: "stranger" } } }
packet { trusted_packet_sequence_id: 2 ftrace_events { cpu: 0
  event { timestamp: 1000 pid: 90 task_newtask { pid: 100 comm: "orma" clone_flags: 0 } }
  event { timestamp: 1100 pid: 90 sched_switch { prev_comm: "orma" prev_pid: 90 prev_prio: 120 prev_state: 1 next_comm: "make" next_pid: 100 next_prio: 120 } }
  event { timestamp: 1200 pid: 100 task_newtask { pid: 101 comm: "make" clone_flags: 0 } }
  event { timestamp: 1300 pid: 100 sched_switch { prev_comm: "make" prev_pid: 100 prev_prio: 120 prev_state: 1 next_comm: "cc1" next_pid: 101 next_prio: 120 } }
  event { timestamp: 1400 pid: 101 sched_switch { prev_comm: "cc1" prev_pid: 101 prev_prio: 120 prev_state: 1 next_comm: "stranger" next_pid: 300 next_prio: 120 } }
  event { timestamp: 1500 pid: 300 sched_switch { prev_comm: "stranger" prev_pid: 300 prev_prio: 120 prev_state: 1 next_comm: "swapper/0" next_pid: 0 next_prio: 120 } }
} }
packet { timestamp: 1600 timestamp_clock_id: 6 process_tree { [perfetto.protos.orma_command] { pid: 100 started_ns: 900 args: "make" } } }
""", "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", self.dir / "t.txt", trace)

        def others(*options):
            rows = View(self.page(trace, *options)).rows
            return {row["id"] for row in rows if row["kind"] == view_reader.PROCESS and row["parent"] >= 0
                    and rows[row["parent"]]["text"] == "Other processes"}
        self.assertEqual(others(), {90, 300})
        self.assertEqual(others("--tree", "101"), {90, 100, 300})
        self.assertEqual(others("--all"), set())
        self.assertIn(b"no process 'nobody'", self.orma("view", trace, "-o", "x.html", "--tree", "nobody", code=1).stderr)
        self.assertIn(b"exclude each other", self.orma("view", trace, "-o", "x.html", "--tree", "make", "--all", code=2).stderr)

    def test_gaps_lie_where_something_was_lost(self):
        text = self.trace(SCHED.replace("cpu: 1 ", "cpu: 1 lost_events: true ") + """
packet { trusted_packet_sequence_id: 9 trusted_pid: 10 timestamp: 2000 track_descriptor { uuid: 5 process { pid: 10 process_name: "p" } } }
packet { trusted_packet_sequence_id: 9 trusted_pid: 10 timestamp: 9000 previous_packet_dropped: true
  track_event { type: TYPE_INSTANT track_uuid: 5 name: "after" } }
""", "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        view = View(self.page(trace))
        told = sorted((view.rows[row]["kind"], view.rows[row]["id"], ts, reason) for row, ts, reason in view.gaps())
        self.assertEqual(told, [(view_reader.PROCESS, 10, 9000, "packets lost"), (view_reader.CPU, 1, 1500, "kernel events lost")])

    def test_a_small_file_groups_short_slices_only(self):
        trace = self.trace(made_json(120000, 9))
        whole, small = View(self.page(trace, "--exact")), View(self.page(trace, "--max-size=512kb"))
        counts = small.info["counts"]
        self.assertLess((self.dir / "t.html").stat().st_size, 1 << 19)
        self.assertGreater(counts["grouped"], 0)
        alone = {s["id"] for s in self.slices(small) if not s["group"]}
        busy = sum(s["group"][1] if s["group"] else max(0, s["dur"]) for s in self.slices(small))
        self.assertEqual(busy, sum(max(0, s["dur"]) for s in self.slices(whole)))
        self.assertEqual(sum(s["group"][0] if s["group"] else 1 for s in self.slices(small)), whole.info["counts"]["slices"])
        for s in self.slices(whole):
            self.assertTrue(s["dur"] < counts["groupNs"] or s["id"] in alone)

    def test_range(self):
        trace = self.trace(made_json())
        begin, end = self.sql(trace, "SELECT start_ts, end_ts FROM trace_bounds")[0]
        view = View(self.page(trace, "--range=100us,300us"))
        self.assertEqual((view.begin, int(view.info["to"])), (begin + 100000, begin + 300000))
        told = {s["id"] for s in self.slices(view)}
        asked = {id for id, in self.sql(trace, f"SELECT id FROM slice WHERE ts < {begin + 300000} AND ts + dur >= {begin + 100000}")}
        self.assertEqual(told, asked)
        self.assertGreater(end - begin, 300000)

    def test_the_same_trace_gives_the_same_bytes(self):
        trace = self.trace(made_json())
        self.assertEqual(self.page(trace), self.page(trace))

    def test_names_stay_text(self):
        page = self.page(self.trace(made_json()))
        head, program, rest = page.partition(b"<script type=\"application/json\"")
        for bad in (b"<img", b"onerror", b"alert("):
            self.assertNotIn(bad, rest.partition(b"</script>")[0].replace(b"\\u003c", b""))
        self.assertEqual(len(re.findall(rb"<script[ >]", page)), 3 + len(View(page).info["blocks"]))
        policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', page).group(1)
        self.assertIn(b"default-src 'none'", policy)
        self.assertNotIn(b"connect-src", policy)
        self.assertNotIn(b"unsafe", policy)

    def test_cores_of_two_machines_do_not_mix(self):
        ours, other = SCHED, SCHED.replace("packet {", "packet { machine_id: 77").replace("sequence_id: 1 ", "sequence_id: 2 ")
        self.orma("convert", "binary", self.trace(ours + other, "t.txt"), self.dir / "t.pftrace")
        view = View(self.page(self.dir / "t.pftrace"))
        heads = {n: row["text"] for n, row in enumerate(view.rows) if row["kind"] == view_reader.GROUP and row["parent"] == -1}
        self.assertEqual(len(heads), 2, heads)
        cores = {}
        for row, c in view.items(view_reader.SCHED):
            group = view.rows[row]["parent"]
            cores[view.rows[group]["parent"], view.rows[row]["id"]] = len(c["ts"])
        asked = self.sql(self.dir / "t.pftrace", "SELECT ucpu / 4096, ucpu % 4096, count(*) FROM sched_slice WHERE utid NOT IN "
                         "(SELECT utid FROM thread WHERE is_idle) GROUP BY ucpu ORDER BY ucpu")
        self.assertEqual([cores[at] for at in sorted(cores)], [row[2] for row in asked])
        self.assertEqual(len(cores), 4)
        self.assertEqual({row["until"] for row in view.rows if row["parent"] == -1}, {int(view.info["to"]) - view.begin})

    def test_what_has_no_end_lasts_as_long_as_its_machine(self):
        other = SCHED.replace("packet {", "packet { machine_id: 77").replace("sequence_id: 1 ", "sequence_id: 2 ").split("packet")
        later = "".join(f"packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: 0 event {{ timestamp: {ts} pid: 0 sched_switch "
                        f"{{ prev_comm: \"a\" prev_pid: {a} prev_state: 1 next_comm: \"b\" next_pid: {b} next_prio: 120 }} }} }} }}\n" for ts, a, b in ((9000000, 5, 6), (9000500, 6, 5)))
        self.orma("convert", "binary", self.trace(SCHED + later + "packet".join(other), "t.txt"), self.dir / "t.pftrace")
        view = View(self.page(self.dir / "t.pftrace"))
        told = sorted(row["until"] for row in view.rows if row["kind"] == view_reader.GROUP and row["parent"] == -1)
        self.assertEqual(told[1], 9000500 - view.begin)
        self.assertEqual(told[0], self.sql(self.dir / "t.pftrace", "SELECT max(ts + max(dur, 0)) FROM sched_slice WHERE ucpu >= 4096")[0][0] - view.begin)

    def test_times_of_centuries(self):
        far = [{"ph": "X", "pid": 1, "tid": t, "ts": ts, "dur": dur, "name": f"{ts} {dur}"}
               for t, (ts, dur) in enumerate([(0, 1), (9e15, 9e15), (-9e15, 1), (-9e15, 9e15), (5, -4), (9.2e15, 1), (1, 9.2e15)])]
        trace = self.trace(json.dumps(far))
        view = View(self.page(trace))
        self.assertEqual(len(list(self.slices(view))), view.info["counts"]["slices"])
        self.page(trace, "--range", "0s,8000000000s")

    def test_nothing_in_it(self):
        for events in ([], [{"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 0, "name": "one"}],
                       [{"ph": "B", "pid": 1, "tid": 1, "ts": 5, "name": "open"}],
                       [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 3e13, "name": "a year"}],
                       [{"ph": "B", "pid": 1, "tid": 1, "ts": i, "name": f"{i}"} for i in range(500)]):
            view = View(self.page(self.trace(json.dumps({"traceEvents": events}))))
            self.assertEqual(view.info["counts"]["slices"], len(events))


class Serving(ViewCase):
    def serve(self, trace, *options):
        p = self.start(ORMA, "view", "--no-open", trace, *options, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        url = urllib.parse.urlsplit(p.stdout.readline().decode().strip())
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.stderr.close)
        return p, url.port, re.search(r"k=([0-9a-f]+)", url.fragment).group(1)

    def demo(self, slices):
        """A recording that takes long enough to read for pictures to be made meanwhile."""
        self.orma("record", "apps", "-b", "64mb", "-o", self.dir / "demo.pftrace", "--", DEMO, "--threads", "8", "--spin", "500",
                  "--iterations", int(slices / SLOW / 32.8))
        return self.dir / "demo.pftrace"

    def ask(self, port, path, token=None, body=None, **headers):
        """Waits while the trace is packed still."""
        while (answer := self.ask_once(port, path, token, body, **headers))[0] == 202:
            self.assertLessEqual(json.loads(answer[1])["read"], json.loads(answer[1])["all"] or 0)
            time.sleep(0.02)
        return answer

    def ask_once(self, port, path, token=None, body=None, **headers):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        if token:
            headers["X-Orma-Token"] = token
        c.request("POST" if body is not None else "GET", path, body, headers)
        r = c.getresponse()
        data = r.read()
        c.close()
        return r.status, data


class Server(Serving):
    def test_a_trace_that_grows_has_servers_one_after_the_other(self):
        packets = growing.trace(9, 2000, end=False)
        path = self.dir / "growing"
        path.write_bytes(b"".join(packets[:1000]))
        p, port, token = self.serve(path, "--follow", "--every", "100ms")
        self.assertEqual(self.ask(port, "/view/next")[0], 403)
        self.assertEqual(json.loads(self.ask(port, "/view/next", token)[1]), {"generation": 1, "ended": False})
        self.assertEqual(self.ask(port, "/view/block/1", token, **{"X-Orma-Generation": "1"})[0], 200)
        before = json.loads(self.ask(port, "/view/info", token)[1])
        with path.open("ab") as f:
            f.write(b"".join(packets[1000:]))
        self.wait_for("the next server", lambda: json.loads(self.ask(port, "/view/next", token)[1])["generation"] == 2)
        self.assertEqual(self.ask(port, "/view/block/1", token, **{"X-Orma-Generation": "1"})[0], 410)
        self.assertEqual(self.ask(port, "/view/block/1", token, **{"X-Orma-Generation": "2"})[0], 200)
        after = json.loads(self.ask(port, "/view/info", token)[1])
        self.assertGreater(int(after["to"]), int(before["to"]))
        answer = json.loads(self.ask(port, "/view/sql", token, "SELECT count(*) FROM slice")[1])
        self.assertEqual(answer["rows"][0][0], int(self.one(path, "SELECT count(*) FROM slice")))
        p.kill()  # the server does not stay behind
        p.wait()

        def refused():
            try:
                self.ask_once(port, "/view/next", token)
            except OSError:
                return True
            return False

        self.wait_for("the end of the server", refused)
        for options in (["-o", "x.html"], ["--range=1s,2s"], ["--ui", "perfetto"]):
            self.assertIn("--follow cannot", self.orma("view", "--follow", *options, path, code=2).stderr.decode())
        self.assertIn("no session", self.orma("view", "--follow", "--no-open", "nothing", code=1).stderr.decode())

    def test_answers(self):
        trace = self.trace(made_json())
        p, port, token = self.serve(trace)
        status, page = self.ask(port, "/")
        self.assertEqual(status, 200)
        self.assertNotIn(b'id="info"', page)
        self.assertNotIn(token.encode(), page)
        info = json.loads(self.ask(port, "/view/info", token)[1])
        view = View(info=info, block=lambda n: self.ask(port, f"/view/block/{n}", token)[1])
        self.assertEqual(sum(len(c["ts"]) for _, c in view.items(view_reader.SLICES)), info["counts"]["slices"])
        answer = json.loads(self.ask(port, "/view/sql", token, b"SELECT 1 AS a, 'x' AS b, NULL AS c, 9007199254740993 AS d, 0.5 AS e")[1])
        self.assertEqual(answer, {"columns": ["a", "b", "c", "d", "e"], "rows": [[1, "x", None, "9007199254740993", 0.5]], "more": False})
        answer = json.loads(self.ask(port, "/view/sql", token, b"SELECT nope FROM slice")[1])
        self.assertIn("nope", answer["error"])
        answer = json.loads(self.ask(port, "/view/sql", token, b"CREATE PERFETTO TABLE mine AS SELECT 3 AS x; SELECT x FROM mine;")[1])
        self.assertEqual(answer["rows"], [[3]])
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30), 0)

    def test_args_are_asked_for(self):
        """The server packs none: the page asks for those of a slice."""
        trace = self.trace(made_json())
        p, port, token = self.serve(trace)
        info = json.loads(self.ask(port, "/view/info", token)[1])
        self.assertNotIn(view_reader.ARGS, [b[0] for b in info["blocks"]])
        view = View(info=info, block=lambda n: self.ask(port, f"/view/block/{n}", token)[1])
        self.assertEqual({a for _, c in view.items(view_reader.SLICES) for a in c["args"]}, {0})
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0)

    def all_of(self, trace, *options):
        p, port, token = self.serve(trace, *options)
        info = self.ask(port, "/view/info", token)[1]
        blocks = [self.ask(port, f"/view/block/{n + 1}", token)[1] for n in range(len(json.loads(info)["blocks"]))]
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0)
        return info, blocks

    def test_the_second_opening_takes_what_was_packed(self):
        trace, folder = self.trace(made_json()), self.dir / "cache"
        time.sleep(0.15)  # a file that was changed a moment ago is not trusted
        kept = lambda: set(folder.glob("*.orma"))
        self.orma("query", trace, "SELECT 1", f"--cache={folder}")
        self.wait_for("the image", kept, 30)
        images = kept()
        first = self.all_of(trace, f"--cache={folder}")
        self.wait_for("what was packed", lambda: len(kept() - images) == 1, 30)
        file, = kept() - images
        whole = file.read_bytes()

        def again(data, taken=True, *options):
            file.write_bytes(data)
            os.utime(file, (5, 5))
            ret = self.all_of(trace, f"--cache={folder}", *options)
            self.assertEqual(file.exists() and file.stat().st_mtime > 5, taken)
            return ret
        self.assertEqual(again(whole), first)
        self.assertNotEqual(again(whole, False, "--range=100us,300us")[0], first[0])
        for damaged in (whole[:-1], whole + b"x", whole[:200] + b"\xff" + whole[201:], whole[:130], whole[:20], b"", whole[:128] + bytes(range(64)) + whole[192:]):
            file.write_bytes(damaged)
            self.assertEqual(self.all_of(trace, f"--cache={folder}"), first)
            self.wait_for("what was packed anew", lambda: file.exists() and file.read_bytes() == whole, 30)
        trace.rename(self.dir / "other.json")
        trace = self.dir / "other.json"
        self.assertEqual(json.loads(self.all_of(trace, f"--cache={folder}")[0])["title"], "other.json")

    def test_pictures_while_it_reads(self):
        """What a picture holds is what the first so many rows of the table say."""
        trace = self.demo(3e6)
        p, port, token = self.serve(trace, "--cache=off")
        seen = []
        while (answer := self.ask_once(port, "/view/info", token))[0] == 202:
            if json.loads(answer[1])["picture"] > len(seen):
                status, picture = self.ask_once(port, "/view/picture", token)
                if status == 200:
                    seen.append(view_reader.of_picture(picture))
            time.sleep(0.02)
        self.assertTrue(seen)
        end = json.loads(answer[1])
        self.assertNotIn("partial", end)
        for view in seen:
            partial, n = view.info["partial"], view.info["counts"]["slices"]
            self.assertEqual((view.info["from"], view.info["to"]), (end["from"], end["to"]))
            self.assertEqual(partial["read"], n + view.info["counts"]["values"])
            self.assertGreater(partial["all"], end["counts"]["slices"])
            told = {}
            for row, c in view.items(view_reader.LEVEL * view_reader.SLICES):
                for dur, group in zip(c["dur"], c["group"]):
                    had = told.get(view.rows[row]["id"], (0, 0))
                    told[view.rows[row]["id"]] = (had[0] + (group[0] if group else 1), had[1] + (group[1] if group else dur))
            self.assertEqual([[tid, *told[tid]] for tid in sorted(told)],
                             self.sql(trace, f"SELECT tid, count(*), sum(dur) FROM slice JOIN thread_track ON thread_track.id = track_id "
                                             f"JOIN thread USING (utid) WHERE slice.id < {n} GROUP BY 1 ORDER BY 1"))
            after, = self.sql(trace, f"SELECT min(ts) FROM slice WHERE id >= {n}")[0]
            if after is not None:
                self.assertLessEqual(view.begin + partial["until"], after)
        self.assertEqual(self.ask_once(port, "/view/picture", "0" * 32)[0], 403)
        self.assertEqual(self.ask_once(port, "/view/picture", token)[0], 404)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0)

    def test_it_ends_while_it_packs(self):
        for _ in range(3):
            p, port, token = self.serve(self.trace(made_json(40000)))
            p.send_signal(signal.SIGINT)
            self.assertEqual(p.wait(30 * SLOW), 0)

    def test_who_may_ask(self):
        p, port, token = self.serve(self.trace(made_json(100)))
        for path, body in (("/view/info", None), ("/view/picture", None), ("/view/block/1", None), ("/view/sql", b"SELECT 1")):
            self.assertEqual(self.ask(port, path, None, body)[0], 403)
            self.assertEqual(self.ask(port, path, "0" * 32, body)[0], 403)
            self.assertEqual(self.ask(port, path, token, body, Host="evil.example")[0], 403)
            self.assertEqual(self.ask(port, path, token, body, Origin="https://evil.example")[0], 403)
            self.assertEqual(self.ask(port, path, token, body, Origin=f"http://127.0.0.1:{port}")[0], 404 if path == "/view/picture" else 200)
        self.assertEqual(self.ask(port, "/", None, None, Host="evil.example")[0], 403)
        for path in ("/view/block/0", "/view/block/999999", "/view/block/1x", "/../etc/passwd", "/favicon.ico"):
            self.assertEqual(self.ask(port, path, token)[0], 404)
        try:
            self.assertEqual(self.ask(port, "/view/sql", token, b"x" * (2 << 20))[0], 413)
        except ConnectionError:
            pass  # the answer came before all was sent
        self.assertEqual(self.ask(port, "/view/info", token)[0], 200)


class Mistakes(ViewCase):
    def test_command_lines(self):
        trace = self.trace(made_json(10))
        for argv, word in ((["view"], "no trace"), (["view", "nope"], "nope"), (["view", trace, trace], "orma merge"),
                           (["view", trace, "--exact"], "-o FILE"), (["view", trace, "-o", "x", "--port=1"], "--port"),
                           (["view", trace, "-o", "x", "--range=5,1"], "bad range"), (["view", trace, "-o", "x", "--range=q"], "bad range"),
                           (["view", trace, "-o", "x", "--max-size=3"], "bad size"), (["view", trace, "-o", "no/such/x"], "no/such/x")):
            done = self.run_program(ORMA, *argv)
            self.assertNotEqual(done.returncode, 0, argv)
            self.assertIn(word, done.stderr.decode(), argv)

    def test_a_file_that_cannot_be_written_leaves_the_old_one(self):
        trace = self.trace(made_json(10))
        out = self.dir / "full" / "t.html"
        out.parent.mkdir()
        self.assertNotEqual(self.run_program(ORMA, "view", trace, "-o", "/dev/full").returncode, 0)
        self.assertEqual(list(out.parent.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
