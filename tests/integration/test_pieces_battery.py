"""A battery for pieces: SQL over cuts, splits, filters and redacted copies of random traces against SQL over the whole.

The traces have what traces have, in one: several programs and users, names that are interned and forgotten, slices that nest, that overlap on
tracks of their own, and that begin on one thread and end on another, the older forms of them, flows, arguments in lists and objects, counters of
all kinds, switches in both forms, trees and polls of processes, samples with stacks, logs, three clocks, losses, packed packets, and packets that
are late.

ORMA_TEST_BATTERY=200 is the long form: so many cuts, and as many pieces and filters.
"""
import collections
import json
import os
import random
import shutil

from orma_env import *

CUTS = int(os.environ.get("ORMA_TEST_BATTERY", 12))
SEED = int(os.environ.get("ORMA_TEST_SEED", 1))
START = 5_000_000_000
CATEGORIES = ("app", "net", "io.disk", "ui")


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Program:
    """A process with threads, each of them a sequence."""

    def __init__(self, made, number):
        self.made, self.pid, self.uid = made, 100 * number, 1000 + number
        self.quiet = 0
        self.name, self.track = f"/usr/bin/program {number}", 50 + number
        self.threads = [Thread(self, 10 * number + i) for i in range(made.rng.randrange(1, 4))]

    def describe(self, thread, ts):
        thread.put(ts, f"track_descriptor {{ uuid: {self.track} process {{ pid: {self.pid} process_name: {quote(self.name)} }} }}")
        thread.put(ts, f'track_descriptor {{ uuid: {self.track + 1000} parent_uuid: {self.track} name: "requests of {self.pid}" }}')
        thread.put(ts, f'track_descriptor {{ uuid: {self.track + 2000} parent_uuid: {self.track} name: "level" counter {{ unit: UNIT_COUNT }} }}')


class Thread:
    def __init__(self, program, seq):
        self.program, self.seq, self.tid, self.made = program, seq, program.pid + seq % 10, program.made
        self.rng, self.depth, self.started, self.names, self.raw = self.made.rng, 0, False, {}, None
        self.kind = self.rng.choice(("boottime", "monotonic", "differences"))
        self.uuid, self.open, self.late = 10_000 + seq, [], []

    def put(self, ts, text, interned="", flags=2, more="", late=False):
        head = f"trusted_packet_sequence_id: {self.seq} trusted_uid: {self.program.uid} trusted_pid: {self.program.pid}"
        if self.kind == "differences":
            if flags == 1:
                stamp, self.raw = f"timestamp: {ts} timestamp_clock_id: 6", ts
            else:
                stamp, self.raw = f"timestamp: {ts - self.raw}", ts
        elif self.kind == "monotonic":
            stamp = f"timestamp: {self.made.monotonic(ts)} timestamp_clock_id: 3"
        else:
            stamp = f"timestamp: {ts} timestamp_clock_id: 6"
        if not self.started:
            more, self.started = more + " first_packet_on_sequence: true", True
        data = f" interned_data {{ {interned} }}" if interned else ""
        late = late and self.kind != "differences" and self.rng.random() < self.made.late
        if flags == 1 or not late:  # one that is late comes behind the next one
            self.made.add(self.seq, *(self.late if flags == 1 else ()), f"packet {{ {head} {stamp} sequence_flags: {flags} {more} {text}{data} }}",
                          *(() if flags == 1 else self.late))
            self.late = []
        else:
            self.late.append(f"packet {{ {head} {stamp} sequence_flags: {flags} {more} {text}{data} }}")

    def clear(self, ts, lost=False):
        self.names = {}
        clock = "timestamp_clock_id: 64" if self.kind == "differences" else "timestamp_clock_id: 6"
        counters = f"extra_counter_track_uuids: {self.uuid + 100}" if self.seq % 2 else ""
        text = f"trace_packet_defaults {{ {clock} track_event_defaults {{ track_uuid: {self.uuid} {counters} }} }}"
        if self.kind == "differences":
            text += f" clock_snapshot {{ clocks {{ clock_id: 64 timestamp: {ts} is_incremental: true }} clocks {{ clock_id: 6 timestamp: {ts} }} primary_trace_clock: BUILTIN_CLOCK_BOOTTIME }}"
        self.put(ts, text, flags=1, more="previous_packet_dropped: true" if lost else "")
        self.put(ts, f"track_descriptor {{ uuid: {self.uuid} parent_uuid: {self.program.track} thread {{ pid: {self.program.pid} tid: {self.tid} "
                     f'thread_name: "worker {self.tid}" }} }}')
        self.put(ts, f'track_descriptor {{ uuid: {self.uuid + 100} parent_uuid: {self.uuid} name: "cycles {self.seq}" counter {{ unit: UNIT_COUNT is_incremental: true }} }}')

    def intern(self, kind, text):
        """The number of a text, and its entry if it is new."""
        if (kind, text) in self.names:
            return self.names[kind, text], ""
        self.names[kind, text] = iid = len(self.names) + 1
        return iid, f"{kind} {{ iid: {iid} name: {quote(text)} }} "

    def event(self, ts, kind, name=None, track=None, more="", category=True):
        text, data = f"type: TYPE_{kind} {more}", ""
        if name and self.rng.random() < .7:
            iid, data = self.intern("event_names", name)
            text += f" name_iid: {iid}"
        elif name:
            text += f" name: {quote(name)}"
        if name and category:
            if self.rng.random() < .7:
                iid, entry = self.intern("event_categories", self.rng.choice(CATEGORIES))
                text, data = text + f" category_iids: {iid}", data + entry
            else:
                text += f" categories: {quote(self.rng.choice(CATEGORIES))}"
        if name and self.rng.random() < .3:
            iid, entry = self.intern("debug_annotation_names", f"note {self.rng.randrange(3)}")
            value = self.rng.choice((f"int_value: {self.rng.randrange(-9, 9)}", f'string_value: "text {self.rng.randrange(5)}"', "double_value: 0.5",
                                     "bool_value: true", 'dict_entries { name: "deep" array_values { uint_value: 3 } array_values { uint_value: 4 } }'))
            text, data = text + f" debug_annotations {{ name_iid: {iid} {value} }}", data + entry
        if name and self.rng.random() < .15:
            flow = self.rng.randrange(1, 9)
            text += f" flow_ids: {flow}" if self.rng.random() < .6 else f" terminating_flow_ids: {flow}"
        if track:
            text += f" track_uuid: {track}"
        extra = self.seq % 2 and track is None and self.rng.random() < .6
        if extra:
            text += f" extra_counter_values: {self.rng.randrange(100)}"
        self.put(ts, f"track_event {{ {text} }}", data, late=not extra and not data and kind != "COUNTER")

    def old_event(self, ts, phase, more, name=None):
        iid, data = self.intern("event_names", name) if name else (0, "")
        named = f"name_iid: {iid}" if name else ""
        self.put(ts, f"track_event {{ categories: 'app' {named} track_uuid: 0 legacy_event {{ {named} phase: {ord(phase)} {more} }} }}", data)

    def step(self, ts):
        rng, roll, program = self.rng, self.rng.random(), self.program
        if roll < .02:
            self.clear(ts, lost=rng.random() < .3)
        elif roll < .30 and self.depth < 6:
            self.event(ts, "SLICE_BEGIN", f"work {rng.randrange(9)}")
            self.depth += 1
        elif roll < .55 and self.depth:
            self.event(ts, "SLICE_END")
            self.depth -= 1
        elif roll < .63:
            track = self.made.new_track()
            self.put(ts, f'track_descriptor {{ uuid: {track} parent_uuid: {program.track} name: "load" }}')
            self.event(ts, "SLICE_BEGIN", f"load {rng.randrange(4)}", track)
            program.made.loads.append((program, track))
        elif roll < .70 and self.made.loads:  # on whatever thread
            owner, track = self.made.loads.pop(rng.randrange(len(self.made.loads)))
            rng.choice(owner.threads).event(ts, "SLICE_END", track=track)
        elif roll < .74:
            self.event(ts, "INSTANT", f"mark {rng.randrange(3)}", rng.choice((None, program.track + 1000)))
        elif roll < .80:
            self.event(ts, "COUNTER", track=program.track + 2000, more=rng.choice((f"counter_value: {rng.randrange(50)}", f"double_counter_value: {rng.random():.3f}")))
        elif roll < .84:
            self.event(ts, "COUNTER", track=self.uuid + 100, more=f"counter_value: {rng.randrange(30)}")
        elif roll < .88:
            length = rng.randrange(900)
            if ts > program.quiet:  # they lie side by side, as those of one thread do
                self.old_event(ts, "X", f"duration_us: {length} tid_override: {program.pid + 9} pid_override: {program.pid}", f"whole {rng.randrange(3)}")
                program.quiet = ts + length * 1000
        elif roll < .92:
            self.made.old_ids += 1
            self.open.append((self.made.old_ids, f"old {rng.randrange(3)}"))
            self.old_event(ts, "b", f'unscoped_id: {self.made.old_ids} id_scope: "s"', self.open[-1][1])
        elif self.open:
            number, name = self.open.pop()
            self.old_event(ts, "e", f'unscoped_id: {number} id_scope: "s"', name)
        else:
            self.event(ts, "INSTANT", "alone")


class Made:
    """A random trace in the text form: packets of each sequence in their order, sequences in chunks."""

    def __init__(self, seed, steps=900):
        self.rng, self.out, self.loads, self.tracks, self.old_ids = random.Random(seed), {}, [], 20_000, 0
        self.end, self.late = START, self.rng.choice((0, .3))
        self.add(1, self.snapshot(START))
        self.programs = [Program(self, i + 1) for i in range(self.rng.randrange(2, 4))]
        threads = [t for p in self.programs for t in p.threads]
        for t in threads:
            t.clear(START)
            t.program.describe(t, START)
        others = (self.tree, self.poll, self.sample, self.system, self.log, self.plain_kernel, self.kernel)
        self.kernel_ends, self.sampled = [START] * 2, False
        for i in range(steps):
            self.end += self.rng.randrange(1, 300_000)
            if self.rng.random() < .8:
                self.rng.choice(threads).step(self.end)
            else:
                self.rng.choice(others)(self.end)
            if i in (steps // 3, steps // 2):
                self.add(1, self.snapshot(self.end))
                if self.late:
                    self.add(1, self.snapshot(self.end - 9999))  # contradicts the one before
        for t in threads:
            self.add(t.seq, *t.late)
        self.end = max(self.end, *self.kernel_ends)

    def monotonic(self, ts):
        return ts - 1000

    def snapshot(self, ts):
        return (f"packet {{ trusted_packet_sequence_id: 1 trusted_uid: 0 timestamp: {ts} clock_snapshot {{ primary_trace_clock: BUILTIN_CLOCK_BOOTTIME "
                f"clocks {{ clock_id: 6 timestamp: {ts} }} clocks {{ clock_id: 3 timestamp: {self.monotonic(ts)} }} clocks {{ clock_id: 1 timestamp: {ts + 10**18} }} }} }}")

    def new_track(self):
        self.tracks += 1
        return self.tracks

    def add(self, seq, *texts):
        self.out.setdefault(seq, []).extend(texts)

    def tree(self, ts):
        pid = self.rng.randrange(1, 5) * 10
        self.add(40, f'packet {{ trusted_packet_sequence_id: 40 timestamp: {ts} process_tree {{ processes {{ pid: {pid} ppid: 1 cmdline: "process-{pid}" }} '
                     f'threads {{ tid: {pid + 1} tgid: {pid} name: "thread {pid + 1}" }} }} }}')

    def poll(self, ts):
        values = " ".join(f"processes {{ pid: {pid} vm_rss_kb: {self.rng.randrange(9999)} oom_score_adj: {self.rng.randrange(9)} }}" for pid in (10, 20, 30) if self.rng.random() < .6)
        self.add(40, f"packet {{ trusted_packet_sequence_id: 40 timestamp: {ts} process_stats {{ {values} }} }}")

    def system(self, ts):
        self.add(41, f"packet {{ trusted_packet_sequence_id: 41 timestamp: {ts} sys_stats {{ meminfo {{ key: MEMINFO_MEM_FREE value: {self.rng.randrange(10**6)} }} "
                     f"vmstat {{ key: VMSTAT_NR_DIRTY value: {self.rng.randrange(99)} }} }} }}")

    def log(self, ts):
        lines = " ".join(f'events {{ log_id: LID_DEFAULT pid: {p.pid} tid: {p.pid} prio: PRIO_INFO tag: "tag" message: "line {self.rng.randrange(9)}" timestamp: {ts + 10**18} }}'
                         for p in self.programs[:1])
        self.add(42, f"packet {{ trusted_packet_sequence_id: 42 timestamp: {ts} android_log {{ {lines} }} }}")

    def sample(self, ts):
        stacks = " ".join(f'function_names {{ iid: {i} str: "function {i}" }} frames {{ iid: {i} function_name_id: {i} mapping_id: 1 rel_pc: {i} }}' for i in (1, 2, 3))
        data = f' sequence_flags: 1 trace_packet_defaults {{ perf_sample_defaults {{ timebase {{ frequency: 100 counter: SW_CPU_CLOCK }} }} }} interned_data {{ {stacks} mapping_paths {{ iid: 1 str: "lib.so" }} mappings {{ iid: 1 start: 0 end: 4096 path_string_ids: 1 }} ' \
               'callstacks { iid: 1 frame_ids: 1 frame_ids: 2 } callstacks { iid: 2 frame_ids: 1 frame_ids: 3 } }' if not self.sampled or self.rng.random() < .1 else " sequence_flags: 2"
        self.sampled = True
        p = self.rng.choice(self.programs)
        self.add(43, f"packet {{ trusted_packet_sequence_id: 43 timestamp: {ts}{data} perf_sample {{ cpu: {self.rng.randrange(2)} pid: {p.pid} tid: {self.rng.choice(p.threads).tid} "
                     f"callstack_iid: {self.rng.randrange(1, 3)} cpu_mode: MODE_USER timebase_count: {ts - START} }} }}")

    def kernel(self, ts):
        """Switches and wakings in columns."""
        cpu = self.rng.randrange(2)
        at, previous = max(self.kernel_ends[cpu], ts), 0
        switches, names = [], ["swapper", "alpha", "beta", "gamma"]
        for _ in range(self.rng.randrange(1, 12)):
            at += self.rng.randrange(1000, 100_000)
            who = self.rng.randrange(4)
            switches.append((at - previous, who * 10, self.rng.choice((1, 0, 2)), 120, who))
            previous = at
        columns = " ".join(f"{name}: {row[i]}" for i, name in enumerate(("switch_timestamp", "switch_next_pid", "switch_prev_state", "switch_next_prio", "switch_next_comm_index"))
                           for row in switches)
        text = " ".join(f'intern_table: "{n}"' for n in names)
        self.add(50 + cpu, f"packet {{ trusted_packet_sequence_id: {50 + cpu} ftrace_events {{ cpu: {cpu} compact_sched {{ {text} {columns} }} }} }}")
        self.kernel_ends[cpu] = at + 1

    def plain_kernel(self, ts):
        cpu = self.rng.randrange(2)
        at, events = max(self.kernel_ends[cpu], ts), ""
        for _ in range(self.rng.randrange(1, 6)):
            at += self.rng.randrange(1, 9000)
            pid = self.rng.choice((10, 20, 30))
            events += self.rng.choice((f'event {{ timestamp: {at} pid: {pid} print {{ buf: "N|{pid}|track|kernel {pid}\\n" }} }} ',
                                       f"event {{ timestamp: {at} pid: {pid} cpu_frequency {{ state: {self.rng.randrange(9)}00000 cpu_id: {cpu} }} }} ",
                                       f"event {{ timestamp: {at} pid: {pid} mm_page_free {{ pfn: {self.rng.randrange(99)} order: 0 }} }} "))
        self.kernel_ends[cpu] = at + 1
        self.add(50 + cpu, f"packet {{ trusted_packet_sequence_id: {50 + cpu} ftrace_events {{ cpu: {cpu} {events} }} }}")

    def text(self):
        head, rest = self.out[1][:1], dict(self.out)
        rest[1] = rest[1][1:]
        lists, lines = [list(x) for x in rest.values()], head
        while any(lists):
            some = self.rng.choice([x for x in lists if x])
            n = self.rng.randrange(1, 40)
            lines.extend(some[:n])
            del some[:n]
        return "\n".join(lines)


# ---- what is asked ----

SLICES = "FROM slice s JOIN track k ON k.id = s.track_id"
OF_THREAD = "FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t USING (utid) LEFT JOIN process p USING (upid)"
OF_PROCESS = "FROM slice s JOIN process_track k ON k.id = s.track_id JOIN process p USING (upid)"
COUNTERS = "FROM counter c JOIN counter_track k ON k.id = c.track_id"
SCHED = "FROM sched s JOIN thread t USING (utid)"
KERNEL = "FROM ftrace_event f LEFT JOIN thread t USING (utid)"
SAMPLES = "FROM perf_sample s LEFT JOIN thread t USING (utid)"
ARGS = "JOIN args a USING (arg_set_id)"
FLOWS = "FROM flow f JOIN slice s ON s.id = f.slice_out JOIN slice i ON i.id = f.slice_in"
# Slices of programs, whole: those that overlap; `atrace` ones are of the kernel's events.
OVERLAP = "k.type NOT LIKE 'atrace%' AND s.ts < {b} AND (s.ts >= {a} OR s.dur = -1 OR s.ts + s.dur > {a})"


def within(alias):
    return f"{alias}.ts >= {{a}} AND {alias}.ts < {{b}}"


def queries():
    """60 of them, by name; all but those of `FLOWS` have one condition on the range."""
    ret = {}

    def ask(name, what, of, where, group=""):
        ret[name] = f"SELECT {what} {of} WHERE {where} {group}"
    s, o = SLICES, OVERLAP
    ask("slices", "s.ts, s.dur, s.name, s.category, s.depth", s, o)
    ask("tracks of slices", "s.ts, s.name, k.name, k.type", s, o)
    ask("numbers of slices", "count(*), count(DISTINCT s.name), total(s.dur)", s, o)
    ask("durations", "s.name, count(*), sum(s.dur), min(s.dur), max(s.dur)", s, o, "GROUP BY 1")
    ask("longest", "s.ts, s.dur, s.name", s, o, "ORDER BY s.dur DESC, s.ts, s.name, s.depth LIMIT 20")
    ask("open", "s.ts, s.name, s.depth", s, o + " AND s.dur = -1")
    ask("categories", "s.category, count(*), total(s.dur)", s, o, "GROUP BY 1")
    ask("nested", "s.ts, s.name, (SELECT p.name FROM slice p WHERE p.id = s.parent_id)", s, within("s") + " AND k.type NOT LIKE 'atrace%'")
    ask("ancestors", "s.ts, s.name, a.ts, a.name, a.depth", s + ", ancestor_slice(s.id) a", within("s") + " AND k.type NOT LIKE 'atrace%'")
    ask("descendants", "s.ts, s.name, a.ts, a.name", s + ", descendant_slice(s.id) a", within("s") + " AND " + within("a") + " AND k.type NOT LIKE 'atrace%'")
    ask("args", "s.ts, s.name, a.flat_key, a.key, a.int_value, a.string_value, a.real_value", f"{s} {ARGS}", o + " AND a.key NOT GLOB '*utid'")
    ask("kinds of args", "a.flat_key, a.value_type, count(*)", f"{s} {ARGS}", o, "GROUP BY 1, 2")
    ask("one arg", "s.ts, extract_arg(s.arg_set_id, 'debug.note 1')", s, o)
    ask("names by glob", "s.name, count(*)", s, o + " AND s.name GLOB 'work *'", "GROUP BY 1")
    ask("windows", "s.ts, s.name, lag(s.name) OVER (PARTITION BY k.id ORDER BY s.ts, s.depth)", s, within("s") + " AND k.type = 'thread_execution' AND s.depth = 0")
    ask("marks", "s.ts, s.name, s.category", s, o + " AND s.dur = 0")
    ask("shares", "s.name, round(1.0 * sum(s.dur) / (SELECT max(1, {b} - {a})), 6)", s, o + " AND s.dur >= 0", "GROUP BY 1")
    ask("depths", "s.depth, count(*)", s, o, "GROUP BY 1")
    t = OF_THREAD
    ask("threads of slices", "s.ts, s.name, t.tid, t.name, p.pid, p.name", t, o)
    ask("slices by thread", "t.tid, count(*), total(s.dur)", t, o, "GROUP BY 1")
    ask("names by thread", "t.tid, s.name, count(*), max(s.dur)", t, o, "GROUP BY 1, 2")
    ask("busiest", "t.tid, s.name, sum(s.dur)", t, o, "GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 5")
    ask("main threads", "t.tid, t.is_main_thread, count(*)", t, o, "GROUP BY 1, 2")
    p = OF_PROCESS
    ask("processes of slices", "s.ts, s.dur, s.name, p.pid, p.name", p, o)
    ask("slices by process", "p.pid, s.name, count(*), total(s.dur)", p, o, "GROUP BY 1, 2")
    ask("users", "p.pid, p.name", p, o, "GROUP BY 1, 2")
    ask("old slices", "s.ts, s.dur, s.name", s, o + " AND s.name GLOB 'old*'")
    ask("whole ones", "s.ts, s.dur, s.name, k.type", s, o + " AND s.name GLOB 'whole*'")
    c, w = COUNTERS, within("c")
    ask("counters", "c.ts, c.value, k.name, k.type, k.unit", c, w)
    ask("counter sums", "k.name, k.type, count(*), round(sum(c.value), 3), min(c.value), max(c.value)", c, w, "GROUP BY 1, 2")
    ask("counters of processes", "c.ts, c.value, p.pid", "FROM counter c JOIN process_counter_track k ON k.id = c.track_id JOIN process p USING (upid)", w)
    ask("counters of threads", "c.ts, c.value, t.tid", "FROM counter c JOIN thread_counter_track k ON k.id = c.track_id JOIN thread t USING (utid)", w)
    ask("counters of cpus", "c.ts, c.value, k.cpu, k.name", "FROM counter c JOIN cpu_counter_track k ON k.id = c.track_id", w)
    ask("averages", "k.name, round(avg(c.value), 6)", c, w, "GROUP BY 1")
    ask("above", "k.name, count(*)", c, w + " AND c.value > 20", "GROUP BY 1")
    d, w = SCHED, within("s")
    ask("switches", "s.ts, s.ucpu, t.tid, s.priority, iif(s.dur < 0 OR s.ts + s.dur >= {b}, 'later', s.dur)", d, w)
    ask("end states", "s.ts, s.end_state", d, w + " AND s.dur >= 0 AND s.ts + s.dur < {b}")
    ask("time on cpus", "s.ucpu, t.tid, count(*), sum(s.dur)", d, w + " AND s.dur >= 0 AND s.ts + s.dur < {b}", "GROUP BY 1, 2")
    ask("names of tasks", "t.tid, t.name, count(*)", d, w, "GROUP BY 1, 2")
    ask("running", "s.ts, t.tid, s.cpu", "FROM thread_state s JOIN thread t USING (utid)", w + " AND s.state = 'Running'")
    f, w = KERNEL, within("f")
    ask("kernel events", "f.ts, f.name, f.ucpu, t.tid", f, w)
    ask("kinds of kernel events", "f.name, count(*)", f, w, "GROUP BY 1")
    ask("kernel args", "f.ts, a.flat_key, a.int_value, a.string_value", f"{f} {ARGS}", w)
    ask("kernel events by thread", "t.tid, f.name, count(*)", f, w, "GROUP BY 1, 2")
    ask("marks of the kernel", "s.ts, s.name", s, within("s") + " AND k.type LIKE 'atrace%'")
    q, w = SAMPLES, within("s")
    ask("samples", "s.ts, s.cpu, t.tid, s.cpu_mode", q, w)
    leaf = f"{q} JOIN stack_profile_callsite x ON x.id = s.callsite_id JOIN stack_profile_frame r ON r.id = x.frame_id"
    ask("leaves", "s.ts, r.name, x.depth", leaf, w)
    ask("functions", "r.name, count(*)", leaf, w, "GROUP BY 1")
    ask("libraries", "m.name, count(*)", f"{leaf} JOIN stack_profile_mapping m ON m.id = r.mapping", w, "GROUP BY 1")
    ask("callers", "s.ts, (SELECT g.name FROM stack_profile_callsite y JOIN stack_profile_frame g ON g.id = y.frame_id WHERE y.id = x.parent_id)", leaf, w)
    ask("samples by thread", "t.tid, count(*)", q, w, "GROUP BY 1")
    ask("logs", "l.ts, t.tid, l.prio, l.tag, l.msg", "FROM android_logs l LEFT JOIN thread t USING (utid)", within("l"))
    ask("logs by line", "l.msg, count(*)", "FROM android_logs l", within("l"), "GROUP BY 1")
    ask("flows", "s.ts, s.name, i.ts, i.name", FLOWS, within("s") + " AND " + within("i"))
    ask("flows by name", "s.name, i.name, count(*)", FLOWS, within("s") + " AND " + within("i"), "GROUP BY 1, 2")
    ask("all in one", "'slice', count(*)", s, o + " UNION ALL SELECT 'counter', count(*) FROM counter c WHERE " + within("c") +
        " UNION ALL SELECT 'sched', count(*) FROM sched s WHERE " + within("s") + " UNION ALL SELECT 'sample', count(*) FROM perf_sample s WHERE " + within("s"))
    ask("by millisecond", "s.ts / 1000000, count(*)", s, within("s") + " AND k.type NOT LIKE 'atrace%'", "GROUP BY 1")
    ask("alone", "s.ts, count(*)", s, within("s") + " AND k.type NOT LIKE 'atrace%'", "GROUP BY 1 HAVING count(*) = 1")
    ask("processes", "p.pid, p.name", "FROM process p", "p.pid >= 100")
    ask("errors", "n.name, sum(n.value) > 0", "FROM stats n", "n.severity IN ('error', 'data_loss') AND n.value > 0", "GROUP BY 1")
    return ret


QUERIES = queries()


class Battery(Case):
    def rows(self, trace, statements):
        text = ";".join(f"SELECT '-- next'; {s}" for s in statements)
        out = self.orma("query", trace, "--csv", "plain", text).stdout.decode()
        return [collections.Counter(p.strip().splitlines()[1:]) for p in out.split('"\'-- next\'"\n"-- next"\n')[1:]]

    def same(self, whole, piece, what, a=0, b=1 << 62, but=()):
        names = [n for n in QUERIES if n not in but]
        statements = [QUERIES[n].format(a=a, b=b) for n in names]
        for name, w, p in zip(names, self.rows(whole, statements), self.rows(piece, statements)):
            self.assertEqual((w - p, p - w), (collections.Counter(),) * 2, f"{what}: {name}")

    def make(self, seed):
        made = Made(seed)
        (self.dir / "whole.txt").write_text(made.text())
        self.orma("convert", "-f", "binary", "whole.txt", "whole.pftrace")
        if seed % 3 == 1:
            self.orma("recompress", "whole.pftrace", "-o", "packed.pftrace", "-f")
            os.replace(self.dir / "packed.pftrace", self.dir / "whole.pftrace")
        return made

    def test_there_are_sixty_and_all_have_rows(self):
        self.assertEqual(len(QUERIES), 60)
        self.make(SEED)
        empty = [n for n, rows in zip(QUERIES, self.rows("whole.pftrace", [q.format(a=0, b=1 << 62) for q in QUERIES.values()])) if not rows]
        self.assertLessEqual(set(empty), {"errors"})

    def test_cuts(self):
        for n in range(0, CUTS, 3):
            made = self.make(SEED + n)
            rng = random.Random(SEED + n)
            for _ in range(3):
                a, b = sorted(rng.randrange(START, made.end) for _ in range(2))
                self.orma("cut", "whole.pftrace", "--from", a, "--to", b + 1, "-o", "piece.pftrace", "-f")
                self.same("whole.pftrace", "piece.pftrace", (SEED + n, a, b + 1), a, b + 1)

    def test_splits(self):
        for n in range(0, CUTS, 4):
            made = self.make(SEED + n)
            rng = random.Random(SEED + n)
            shutil.rmtree(self.dir / "pieces", ignore_errors=True)
            how = ("--every", f"{(made.end - START) // rng.randrange(2, 9)}ns") if n % 8 else ("--size", f"{rng.randrange(60, 90)}k")
            self.orma("split", "whole.pftrace", *how, "-o", "pieces")
            self.orma("merge", "-o", "all.tar", "-f", *sorted((self.dir / "pieces").iterdir()))
            self.same("whole.pftrace", "all.tar", (SEED + n, how))

    def test_filters(self):
        for n in range(0, CUTS, 4):
            made = self.make(SEED + n)
            rng = random.Random(SEED + n)
            program = rng.choice(made.programs)
            thread, category = rng.choice(program.threads), rng.choice(CATEGORIES)
            pid, tid, leaf = f"p.pid = {program.pid}", f"t.tid = {thread.tid}", program.name.rsplit("/", 1)[1]
            for words, of_threads, of_processes, of_slices in (
                    (["--process", rng.choice((program.pid, program.name, leaf))], pid, pid, None),
                    (["--not", "--process", program.pid], f"NOT {pid}", f"NOT {pid}", None),
                    (["--thread", rng.choice((thread.tid, f"worker {thread.tid}"))], tid, "0", None),
                    (["--not", "--thread", thread.tid], f"NOT {tid}", "1", None),
                    (["--process", program.pid, "--thread", thread.tid, "--thread", 10], tid, "0", None),
                    (["--category", category], None, None, f"s.category = '{category}'"),
                    (["--not", "--category", category], None, None, f"s.category IS NOT '{category}'"),
                    (["--category", "*.disk", "--category", category, "--process", program.pid], f"{pid} AND s.category IN ('io.disk', '{category}')",
                     f"{pid} AND s.category IN ('io.disk', '{category}')", None),
                    (["--thread", program.pid + 9], f"t.tid = {program.pid + 9}", "0", None),
                    (["--source", "track_event", "--process", program.pid], pid, pid, None)):
                self.orma("filter", "whole.pftrace", *words, "-o", "piece.pftrace", "-f")
                programs = "k.type NOT LIKE 'atrace%'"
                asked = []
                if of_slices:
                    asked.append((f"SELECT s.ts, s.dur, s.name, s.category, k.name, k.type {SLICES} WHERE {programs} AND ", of_slices))
                else:
                    asked += [(f"SELECT s.ts, s.dur, s.name, s.category, s.depth, t.tid, t.name, p.pid, p.name {OF_THREAD} WHERE {programs} AND ", of_threads),
                              (f"SELECT s.ts, s.dur, s.name, s.category, k.name, p.pid {OF_PROCESS} WHERE {programs} AND ", of_processes),
                              (f"SELECT s.ts, s.name, a.flat_key, a.int_value, a.string_value {OF_THREAD} {ARGS} WHERE a.key NOT GLOB '*utid' AND {programs} AND ", of_threads)]
                    if "--category" in words:  # parents may be of others
                        asked[0] = (asked[0][0].replace("s.depth, ", ""), of_threads)
                if not {"--category", "--source"} & set(words):
                    asked += [("SELECT c.ts, c.value, t.tid, k.name FROM counter c JOIN thread_counter_track k ON k.id = c.track_id JOIN thread t USING (utid) JOIN process p USING (upid) WHERE ", of_threads),
                              ("SELECT c.ts, c.value, p.pid, k.name FROM counter c JOIN process_counter_track k ON k.id = c.track_id JOIN process p USING (upid) WHERE k.name GLOB 'level' AND ", of_processes),
                              (f"SELECT s.ts, s.cpu, t.tid, p.pid {SAMPLES} JOIN process p USING (upid) WHERE ", of_threads),
                              (f"SELECT s.ts, t.tid, r.name FROM perf_sample s JOIN thread t USING (utid) JOIN process p USING (upid) JOIN stack_profile_callsite x ON x.id = s.callsite_id "
                               "JOIN stack_profile_frame r ON r.id = x.frame_id WHERE ", of_threads),
                              (f"SELECT s.ts, s.dur, s.cpu, t.tid, s.end_state {SCHED} WHERE ", "1")]
                want = self.rows("whole.pftrace", [q + condition for q, condition in asked])
                got = self.rows("piece.pftrace", [q + "1" for q, _ in asked])
                for (sql, condition), w, g in zip(asked, want, got):
                    self.assertEqual((w - g, g - w), (collections.Counter(),) * 2, f"{(SEED + n, words)}: {sql}{condition}")

    def test_redacted_copies_have_the_same_structure(self):
        keys = {"slices": ("s.ts, s.dur, s.depth, k.type", "s.name, s.category, k.name", SLICES), "threads": ("t.tid", "t.name", "FROM thread t"),
                "processes": ("p.pid", "p.name", "FROM process p"), "kernel": ("f.ts, f.ucpu", "f.name, t.tid", KERNEL), "switches": ("s.ts, s.ucpu", "s.dur, s.priority", SCHED),
                "counters": ("c.ts, k.type", "c.value, k.name", COUNTERS), "leaves": ("s.ts, s.cpu", "x.depth, r.name", f"{SAMPLES} JOIN stack_profile_callsite x "
                "ON x.id = s.callsite_id JOIN stack_profile_frame r ON r.id = x.frame_id"), "logs": ("l.ts", "l.tag, l.msg, l.prio", "FROM android_logs l"),
                "args": ("s.ts, s.depth, k.type, a.id - (SELECT min(b.id) FROM args b WHERE b.arg_set_id = s.arg_set_id)", "a.flat_key, a.int_value, a.string_value", f"{SLICES} {ARGS}")}
        for n in range(0, CUTS, 6):
            self.make(SEED + n)
            self.orma("redact", "whole.pftrace", "-o", "piece.pftrace", "-f")
            for name, (key, what, of) in keys.items():
                sql = f"SELECT json_array({key}), json_array({what}) {of}"
                sides = []
                for trace in "whole", "piece":
                    text = self.orma("query", trace + ".pftrace", "--format", "json", sql).stdout.decode()
                    rows, seen = [tuple(r.values()) for r in json.loads(text)], collections.Counter()
                    seen.update(k for k, _ in rows)
                    sides.append({k: json.loads(v) for k, v in rows if seen[k] == 1})
                    sides.append(seen)
                self.assertEqual(sides[1], sides[3], (SEED + n, name))
                names = [{}, {}]
                for k, before in sides[0].items():
                    for x, y in zip(before, sides[2][k]):
                        if not isinstance(x, str):
                            self.assertEqual(x, y, (SEED + n, name, k))
                            continue
                        for a, b, known in (x, y, names[0]), (y, x, names[1]):
                            self.assertEqual(known.setdefault(a, b), b, (SEED + n, name, k))


if __name__ == "__main__":
    main()
