"""The rules in which we differ from the reference on purpose.

Each rule has a name, the reason why ours is right, the columns (or the queries) concerned, and says by the data alone
where it applies: it changes the rows of both sides until what the rule covers is equal, and leaves everything else to be
compared. No rule may name a case.

    @rule("name", "reason", "table.column, ...")
    def name(reference, ours): ...      both: {table: [{column: literal}]}, ids replaced by labels

    @query("name", "reason")
    def name(statement): ...            True: the rows of this statement are not compared

    @answer("name", "reason")
    def name(statements, text): ...     what the rows of a file of statements have in common on both sides
"""
import collections
import csv
import itertools
import re

# Sections of real files (`run.py foreign`) in which ours is right: the name as run.py prints it, and the evidence, which is
# something else than our own opinion: the file's own text, another tool, the specification of the format.
# Files that the reference loads, without a row: nothing in them can be read, which is an error here.
REFUSED = {
    "cpuprofile/speedscope__65_simple.cpuprofile": "a profile of V8, not a trace",
    "json/catapult__google_cloud_trace.json": "spans of Google Cloud Trace",
    "strace/strace-parser__strace.txt": "no line has a pid",
}

FILES = {}


def files(why, sections):
    """Sections "PATH#NAME NAME ..." in which ours is right, and the evidence."""
    for line in sections.split("\n"):
        path, _, names = line.strip().partition("#")
        FILES.update({f"{path}#{name}": why for name in names.split()})


files("old pages of systrace have their trace in a script, of which the reference reads nothing", """
    systrace/catapult__android_systrace.html#args_top bounds counters_top ftrace_top processes rows sched_cpu sched_end_state slice slice_depth slice_top stats_nonzero thread_state threads top_threads_cpu track_types frames metadata clocks logs
    systrace/catapult__trivial_systrace.html#args_top bounds counters_top ftrace_top processes rows sched_cpu sched_end_state slice slice_depth slice_top stats_nonzero thread_state threads top_threads_cpu track_types frames metadata clocks logs""")
files("`perf report -D` prints as many samples as ours, the first with the same time: the reference finds no clock for perf's own times, "
      "and loses every sample", """
    perfdata/hotspot__perf.data.true.v2#bounds rows threads processes track_types counters_top args_top frames metadata stats_nonzero
    perfdata/pdc__single-event-single-process.perf.data#bounds rows threads processes track_types counters_top args_top frames metadata stats_nonzero""")
files("maps without a time are those of processes that ran before the recording, so they hold from its begin; the reference applies them at the "
      "earliest time so far, after samples that the file has later. `perf script` calls as many frames unknown as ours: 120 and none", """
    perfdata/pdc__perf.data.raw_callgraph_branch-3.4#rows frames stats_nonzero
    perfdata/pdc__perf.data.systemwide.0-3.4#rows stats_nonzero""")
files("the last line of the text is whole, but has no end of line behind it; the reference loses it", """
    systrace/trappy__trace_no_trailing_line.txt#bounds rows counters_top""")
files("the log of a kernel is none of the formats; the reference takes it for a profile without a byte of one, and shows nothing", """
    logs/ms__dmesg.iso.log#bounds rows slice slice_top slice_depth sched_cpu sched_end_state thread_state threads processes top_threads_cpu
    logs/ms__dmesg.iso.log#track_types counters_top args_top ftrace_top logs flows frames clocks metadata stats_nonzero errors android_logs gpu_slices""")
files("the file has a PERF_RECORD_COMM without a time, of perf-exec, and others that ours counts; the reference drops records without a time "
      "where none with a time follows", """
    perfdata/lpd__sleep.compressed.data#rows threads processes stats_nonzero
    perfdata/lpd__sleep.compressed2.data#rows threads processes stats_nonzero
    perfdata/perfparser__cpp-inlining_cpp-inlining.perf.data#rows threads processes args_top stats_nonzero""")
files("`perf script` prints as many frames of each binary, module and of none as ours has; the reference applies maps without a time at the earliest "
      "time so far, so that some addresses have two frames", """
    perfdata/pdc__perf.data.callgraph-3.8#rows frames
    perfdata/pdc__perf.data.callgraph_and_branch-3.8#rows frames""")
files("sample by sample, a frame of ours is of the binary that `perf script` prints for it, but for 24 frames of forked processes, to which perf "
      "gives the maps of their parents; the reference applies maps without a time at the earliest time so far, so that some addresses have two frames", """
    perfdata/pdc__perf.data.callgraph-3.4#rows frames""")
files("times in the file have nanoseconds, and so do ours: the first event of the one is at 1712195495406752.797 us. The reference counts in doubles, "
      "which have steps of 256 ns there, so that slices overlap that do not", """
    json/hta__nccl_parser_config_nccl_data.json.gz#slice
    json/hta__ns_resolution_trace_rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz#bounds rows slice slice_depth track_types stats_nonzero""")
files("the file gives a thread the number -1 or one of 64 bits (`grep tid`), which is another thread than the main one; the reference takes it for that, "
      "so that slices overlap that do not", """
    json/hta__alexnet_benchmark_result_2869224_1695835535_trace.json.gz#rows threads
    json/hta__control_control.json.gz#rows slice slice_depth threads track_types stats_nonzero
    json/hta__nccl_parser_config_nccl_data.json.gz#rows slice_depth threads track_types
    json/hta__ns_resolution_trace_rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz#threads
    json/speedscope__trace-event_multi-thread-with-samples.json#rows args_top
    json/speedscope__trace-event_simple-with-samples.json#rows args_top""")
files("a flow that has ended is over, and later ones with its number are others; the reference goes on with the first", """
    json/catapult__flow.json#flows stats_nonzero""")
files("the text ends with this sample and its frames, but has no empty line behind it; the reference loses it", """
    gecko/ffprofiler__test.perf.gz#bounds rows threads frames
    perfscript/flamegraph__perf-dd-stacks-01.txt#bounds rows frames
    perfscript/inferno__java-inline.txt#bounds rows
    perfscript/ms__perf.data.txt#rows
    perfscript/inferno__versioned-vmlinux.txt#bounds rows threads frames
    perfscript/speedscope__one-sample.linux-perf.txt#bounds rows threads frames""")
files("the file knows its two processes by texts (`grep pid`); the reference takes both, and their threads, for process 0", """
    gecko/ffprofiler__gecko-2.json#rows threads processes""")
files("the file names seven cores, 2 to 8; the reference has an eighth", """
    instruments/inferno__basic.xml#rows""")

files("each field of each statsd atom in the packets is an arg of ours, as many as the bytes have without any schema; the reference shows 306 less, of "
      "fields that are newer than its copy of the atoms' messages", """
    perfetto/gperfetto__93b86b70.pftrace.gz#rows""")

RULES, QUERIES, ANSWERS, REFUSALS, NO_TRACES = [], [], [], [], []
Rule = collections.namedtuple("Rule", "name reason columns apply")


def rule(name, reason, columns):
    return lambda f: RULES.append(Rule(name, reason, columns, f)) or f


def query(name, reason):
    return lambda f: QUERIES.append(Rule(name, reason, "", f)) or f


def answer(name, reason):
    return lambda f: ANSWERS.append(Rule(name, reason, "", f)) or f


def refusal(name, reason):
    """Of a file that the reference refuses with this error, and ours reads."""
    return lambda f: REFUSALS.append(Rule(name, reason, "", f)) or f


def no_trace(name, reason):
    """Of a file that ours refuses, and of which the reference shows something."""
    return lambda f: NO_TRACES.append(Rule(name, reason, "", f)) or f


def zipped(reference, ours, table, *keys):
    """Rows of both sides with equal keys, in order, where a key is on both sides equally often."""
    def index(rows):
        seen = collections.defaultdict(list)
        for row in rows.get(table, []):
            seen[tuple(row.get(k) for k in keys)].append(row)
        return seen
    theirs, mine = index(reference), index(ours)
    return [pair for key in theirs if len(theirs[key]) == len(mine.get(key, [])) for pair in zip(theirs[key], mine[key])]


@rule("numbers of cpus", "a cpu of a further machine has the number that the machine gave it; the reference adds 4096 for each machine "
      "before it in some tables", "ftrace.cpu, sched.cpu, thread_state.cpu")
def numbers_of_cpus(reference, ours):
    for table in ("ftrace", "sched", "thread_state"):
        for row in reference.get(table, []):
            if row.get("cpu", "NULL").isdigit():
                row["cpu"] = str(int(row["cpu"]) % 4096)


@rule("jobs of ninja", "which of the jobs that begin at the same time takes the first free worker is not said by the log: here the one whose line "
      "comes first; a job that ends before it begins is a line that could not be read, and takes no worker",
      "slice.track_id, thread, track, stats, import_log")
def jobs_of_ninja(reference, ours):
    for side in (reference, ours):
        if {row.get("name") for row in side.get("thread", [])} - {"NULL"} != {"'Worker'"}:
            return
    for side in (reference, ours):
        for table in ("thread", "track", "thread_track"):
            side.pop(table, None)
        side["slice"] = sorted(({k: v for k, v in row.items() if k not in ("id", "slice_id", "track_id", "parent_id")} for row in side.get("slice", [])), key=lambda r: (int(r["ts"]), r["name"], r["dur"]))
        for table, name in ("stats", "slice_negative_duration"), ("stats", "ninja_parse_errors"), ("import_log", "slice_negative_duration"):
            side[table] = [row for row in side.get(table, []) if row.get("name") != f"'{name}'"]


@rule("flows into one slice", "several frames of programs end in one of the display: these flows have no order of their own", "flow")
def flows_into_one_slice(reference, ours):
    def ends(row):
        return [v for k, v in sorted(row.items()) if k != "id"]
    theirs, mine = reference.get("flow", []), ours.get("flow", [])
    if sorted(map(ends, theirs)) == sorted(map(ends, mine)) and [r["slice_in"] for r in theirs] == [r["slice_in"] for r in mine]:
        reference["flow"] = ours.get("flow", [])


@rule("open states", "the end of this state was not recorded: switches are missing between it and the next, and what the thread "
      "did there nobody knows; the reference draws the state until the next event of the thread", "thread_state.dur")
def open_states(reference, ours):
    for theirs, mine in zipped(reference, ours, "thread_state", "ts", "utid", "state"):
        if mine.get("dur") == "-1" and theirs.get("dur") != "-1":
            theirs["dur"] = "-1"


@rule("counters behind a zero", "values that come along with an event are read until there are no more; the reference takes a 0 for the end of them, and "
      "then shows 0 for those behind it, though it goes on from what they really were", "counter.value")
def counters_behind_zero(reference, ours):
    zeros = set()
    for theirs, mine in zip(reference.get("counter", []), ours.get("counter", [])):
        if (theirs["ts"], theirs["track_id"]) != (mine["ts"], mine["track_id"]):
            return
        if mine["value"] == theirs["value"] == "0.0":
            zeros.add(mine["ts"])
        elif theirs["value"] == "0.0" and mine["ts"] in zeros:
            theirs["value"] = mine["value"]


@rule("clocks read together", "a snapshot is of one moment: where it has the trace's clock, the other clocks were read at that time, too; the reference "
      "may take another snapshot to say when that was", "clock.ts")
def clocks_read_together(reference, ours):
    settled = {row["int_value"] for row in ours.get("metadata", []) if row.get("name") == "'trace_time_clock_id'"}
    at = {row["snapshot_id"]: row["ts"] for row in ours.get("clock", []) if row["clock_id"] in settled and row["ts"] == row["clock_value"]}
    for theirs, mine in zip(reference.get("clock", []), ours.get("clock", [])):
        if mine["ts"] == at.get(mine["snapshot_id"]):
            theirs["ts"] = mine["ts"]


@rule("raw counters", "the numbers of a raw event are its name here, as documented; the reference has one character instead, whose "
      "code is the length of that name without its modifiers, so different events become one", "track.name, counter_track.name, labels of tracks")
def raw_counters(reference, ours):
    names = {row["name"].strip("'") for row in ours.get("counter_track", []) if row.get("name", "").startswith("'raw.0x")}
    for name in names:
        for rows in reference.values():
            for row in rows:
                for column, value in row.items():
                    if isinstance(value, str) and ("track" in column or column in ("name", "dim:name")):
                        length = chr(len(name.split(":")[0]))
                        for char in (length, repr(length)[1:-1]):
                            value = value.replace(f"'{char}'", f"'{name}'")
                        row[column] = value


@rule("unfinished heap dumps", "a dump whose last packet is missing is counted here; the reference drops it and says nothing", "stats.name")
def unfinished_dumps(reference, ours):
    ours["stats"] = [row for row in ours.get("stats", []) if row.get("name") != "'heapprofd_non_finalized_profile'"]


@rule("wakings out of sight", "a thread whose switch away was not recorded slept before it was woken: it waits from then on, and is not "
      "known to run; the reference takes the waking for a spurious one of a thread that runs, and such a waker for one that runs",
      "thread_state, spurious, thread_state.waker_id")
def wakings_out_of_sight(reference, ours):
    def key(row):
        return row["ts"], row["utid"], row.get("state"), row.get("waker_utid")
    known = collections.Counter(map(key, reference.get("thread_state", [])))
    woken = []
    for row in ours.get("thread_state", []):
        known[key(row)] -= 1
        if row.get("waker_utid", "NULL") != "NULL" and known[key(row)] < 0:
            woken.append(row)
    for row in woken:
        for spurious in reference.get("spurious", []):
            if (spurious["ts"], spurious["utid"], spurious["waker_utid"]) == (row["ts"], row["utid"], row["waker_utid"]):
                reference["spurious"].remove(spurious)
                ours["thread_state"].remove(row)
                break
    for theirs, mine in zipped(reference, ours, "thread_state", "ts", "utid", "state"):
        if mine.get("waker_id") == "NULL" and mine.get("waker_utid", "NULL") != "NULL":
            theirs["waker_id"] = "NULL"


@rule("flags of events", "the flags of an event say whether an interrupt woke the thread; the reference knows them of wakings in compact "
      "form only, and takes the field for an event without a name, beside the event or in its place", "ftrace.common_flags, thread_state.irq_context, spurious.irq_context")
def flags_of_events(reference, ours):
    flagged = collections.Counter((row["ts"], row["cpu"]) for row in ours.get("ftrace", []) if row.get("common_flags") != "0")
    def is_flags(row):
        key = (row["ts"], row["cpu"])
        if row.get("name") != "NULL" or not flagged[key]:
            return False
        flagged[key] -= 1
        return True
    reference["ftrace"] = [row for row in reference.get("ftrace", []) if not is_flags(row)]
    def key(row):
        return tuple(row.get(column) for column in ("ts", "name", "utid", "cpu"))
    known = collections.Counter(map(key, reference["ftrace"]))
    known.subtract(key(row) for row in ours.get("ftrace", []) if row.get("common_flags") == "0")
    def is_known(row):
        known[key(row)] -= 1
        return known[key(row)] >= 0
    ours["ftrace"] = [row for row in ours.get("ftrace", []) if row.get("common_flags") == "0" or is_known(row)]
    for theirs, mine in zipped(reference, ours, "ftrace", "ts", "name", "utid", "cpu"):
        if theirs.get("common_flags") == "0":
            theirs["common_flags"] = mine["common_flags"]
    for table, keys in (("thread_state", ("ts", "utid", "state")), ("spurious", ("ts", "utid", "waker_utid"))):
        for theirs, mine in zipped(reference, ours, table, *keys):
            if theirs.get("irq_context") == "NULL":
                theirs["irq_context"] = mine["irq_context"]


@rule("args of events without fields", "an event without fields has no args; the reference shows those of the set with number 0, which "
      "belongs to something else", "ftrace.arg:*")
def args_of_nothing(reference, ours):
    for theirs, mine in zipped(reference, ours, "ftrace", "ts", "name", "utid", "cpu"):
        if not any(key.startswith("arg:") for key in mine):
            for key in [key for key in theirs if key.startswith("arg:")]:
                del theirs[key]


@rule("pages of unknown size", "blocks of free pages are told by their number of pages: of all sizes there are, 4096 bytes is the usual "
      "one; the reference takes 0 where the trace does not tell, so that blocks of all orders share one track",
      "track, counter_track, counter.track_id (type buddyinfo)")
def pages_of_unknown_size(reference, ours):
    def is_buddy(row):
        return row.get("type") == "'buddyinfo'"
    if any(row.get("dim:buddyinfo_chunk_size_kb") not in (None, "int 0") for row in reference.get("track", [])):
        return
    for side in (reference, ours):
        for table in ("track", "counter_track"):
            side[table] = [row for row in side.get(table, []) if not is_buddy(row)]
        for row in side.get("counter", []):
            if row.get("track_id", "").startswith("'buddyinfo'"):
                row["track_id"] = "buddyinfo"


@rule("damaged places", "what was skipped is counted and its place logged, whatever the format; the reference only counts it, or not at all",
      "stats.name, import_log.name")
def damaged_places(reference, ours):
    for table in ("stats", "import_log"):
        ours[table] = [row for row in ours.get(table, []) if row.get("name") not in ("'damaged_places'", "'damaged_bytes'")]


@rule("interrupts in text", "text of the kernel has interrupts and suspends, which are shown on tracks of their own; the reference leaves "
      "them out", "track, cpu_track, slice, cpu, bounds (types cpu_irq, cpu_softirq, suspend_resume, of text)")
def interrupts_in_text(reference, ours):
    types = ("'cpu_irq'", "'cpu_softirq'", "'suspend_resume'")
    if any(row.get("type") in types for row in reference.get("track", [])) or \
       not any(re.search("systrace|json", row.get("trace_type", "")) for row in reference.get("file", [])):
        return
    extra = [row for row in ours.get("slice", []) if row.get("track_id", "").startswith(types)]
    for table in ("track", "cpu_track"):
        ours[table] = [row for row in ours.get(table, []) if row.get("type") not in types]
    ours["slice"] = [row for row in ours.get("slice", []) if row not in extra]
    known = {row.get("cpu") for row in reference.get("cpu", [])}
    if extra:
        ours["cpu"] = [row for row in ours.get("cpu", []) if row.get("cpu") in known]
        ours["bounds"] = reference.get("bounds", [])


def of_kernel_text(reference):
    return any(re.search("systrace|json", row.get("trace_type", "")) for row in reference.get("file", []))


@rule("names with blanks", "in text of the kernel the name of a thread ends before the key of its number, not at the first blank, as the begin of "
      "that thread's own lines shows; the reference cuts it there", "thread.name, process.name, args *_comm (of text)")
def names_with_blanks(reference, ours):
    if not of_kernel_text(reference):
        return
    for table, keys in (("thread", ["tid"]), ("process", ["pid"]), ("ftrace", ["ts", "utid"])):
        for theirs, mine in zipped(reference, ours, table, *keys):
            for column, value in mine.items():
                cut = (theirs.get(column) or "").rstrip("'")
                if (column == "name" or column.endswith("_comm")) and cut and (value or "").startswith(cut + " "):
                    theirs[column] = value


@rule("states that are none", "text that names no state of a thread says nothing of it; the reference takes all bits for set, and shows the first three",
      "sched.end_state, thread_state.state (of text)")
def states_that_are_none(reference, ours):
    if not of_kernel_text(reference):
        return
    for table, column in (("sched", "end_state"), ("thread_state", "state")):
        for theirs, mine in zipped(reference, ours, table, "ts", "utid"):
            if theirs.get(column) == "'SDT'" and mine.get(column) in ("NULL", None):
                theirs[column] = mine.get(column)


@rule("the last line", "a text ends with a line also where no end of line is behind it, and a sample without an empty line behind its frames; "
      "the reference loses it", "all tables, rows of the last time (of text)")
def last_line(reference, ours):
    kinds = {row.get("str_value", "").strip("'") for row in ours.get("metadata", []) if row.get("name") == "'trace_type'"}
    if not kinds & {"perf_text", "systrace"}:
        return
    def fixed(row):
        return tuple(sorted(row.items()))
    def known(row, counts):
        counts[fixed(row)] -= 1
        return counts[fixed(row)] >= 0
    kept, extra = {}, []
    for table in ours:
        theirs, mine = collections.Counter(map(fixed, reference.get(table, []))), collections.Counter(map(fixed, ours[table]))
        if table not in ("bounds", "stats", "import_log") and theirs - mine:
            return
        counts = collections.Counter(theirs)
        kept[table] = [row for row in ours[table] if known(row, counts)]
        extra += [(table, row) for row in map(dict, (mine - theirs).elements()) if table not in ("bounds", "stats", "import_log")]
    end = max([int(row["end_ts"]) for row in ours.get("bounds", [])], default=0)
    timed = [row for _, row in extra if "ts" in row]
    if timed and all(end - int(row["ts"]) in (0, 1) for row in timed) and sum(table == "thread" for table, _ in extra) <= 1:
        for table, _ in extra:
            ours[table] = kept[table]
        ours["bounds"] = reference.get("bounds", [])


MADE_UP = 1 << 31
THREAD = re.compile(r"(tid|pid) (\d+)")


def numbers_in(row):
    """Numbers of processes and threads that a row is of, or mentions."""
    found = {value for column, value in row.items() if column in ("tid", "pid")}
    return found.union(*(dict.fromkeys(m[1] for m in THREAD.findall(value)) for value in row.values() if isinstance(value, str)))


@rule("ids of many bits", "a process or thread may be called by a number that no system gives, of 64 bits (an address) or negative: each such number "
      "is one of its own; for the reference all of them are the number 0, or the main thread", "all tables, rows of these threads and of the main ones")
def ids_of_many_bits(reference, ours):
    threads = [row for row in ours.get("thread", []) if "arg:original_tid" in row]
    processes = [row for row in ours.get("process", []) if "arg:original_pid" in row]
    if not threads and not processes:
        return
    made_up = {row["tid"] for row in threads} | {row["pid"] for row in processes}
    texts = {row.get(f"arg:original_{kind}", "").partition(" ")[2] for row in threads + processes for kind in ("tid", "pid")}
    made_up |= {row["tid"] for row in reference.get("thread", []) if row.get("name") in texts}
    made_up |= {row["pid"] for row in reference.get("process", []) if row.get("name") in texts}
    mains = {row["upid"].split()[1] for row in threads if row.get("upid", "NULL") != "NULL"} | {"0"}
    numbers_for_texts(reference, ours, by_name=True)
    def concerned(table, row):
        if table in ("stats", "import_log", "bounds"):
            return True
        if numbers_in(row) & made_up or row.get("pid") == "0":
            return True
        return any(re.search(rf"tid {main} of pid {main}(?!\d)|pid 0(?!\d)|tid 0 ", value) for value in row.values() for main in mains
                   if isinstance(value, str)) or table == "thread" and row.get("tid") in mains
    for side in (reference, ours):
        for table in side:
            side[table] = [row for row in side[table] if not concerned(table, row)]
            for row in side[table]:
                row.pop("src:upid", None)  # counts processes


@rule("numbers for texts", "a process or thread that is named by a text instead of a number gets a number that means nothing: the "
      "reference takes the place of the text in its memory, ours is out of the range of real ones", "thread.tid, process.pid and all labels")
def numbers_for_texts(reference, ours, by_name=False):
    known = {}
    for table, column in (("process", "pid"), ("thread", "tid")):
        pairs = itertools.product if by_name else zip
        for theirs, mine in pairs(reference.get(table, []), ours.get(table, [])):
            number = mine.get(column) or ""
            if number.isdigit() and MADE_UP <= int(number) < 2 * MADE_UP and \
                    (not by_name or theirs.get("name") == mine.get("name") != "NULL" and "arg:original_" + column not in mine):
                known[theirs.get(column)] = number
    if not known:
        return
    for rows in reference.values():
        for row in rows:
            for column, value in row.items():
                if column in ("tid", "pid"):
                    row[column] = known.get(value, value)
                elif value:
                    row[column] = THREAD.sub(lambda m: f"{m[1]} {known.get(m[2], m[2])}", value)


@rule("numbers of flows used again", "a flow that has ended is over: a later one may have the number again; the reference goes on with the first",
      "flow.slice_out, stats.value, import_log (flow_duplicate_id, of JSON)")
def numbers_used_again(reference, ours):
    def twice(side):
        return sum(int(row.get("value") or 0) for row in side.get("stats", []) if row.get("name") == "'flow_duplicate_id'")
    if twice(ours) >= twice(reference) or not any("json" in row.get("trace_type", "") for row in reference.get("file", [])):
        return
    for side in (reference, ours):
        for table in ("stats", "import_log"):
            side[table] = [row for row in side.get(table, []) if row.get("name") != "'flow_duplicate_id'"]
    for theirs, mine in zip(reference.get("flow", []), ours.get("flow", [])):
        if theirs.get("slice_in") == mine.get("slice_in"):
            theirs["slice_out"] = mine["slice_out"]


@rule("times that do not fit", "a time of more than 64 bits of ns is none, and its event is counted; the reference takes another one for it",
      "stats, import_log (json_tokenizer_failure)")
def times_too_large(reference, ours):
    def is_one(row):
        error, event = row.get("arg:error", ""), row.get("arg:raw_event", "")
        return "Expected a number in timestamp, got 3" in error and re.search(r'"(ts|dur|tts|tdur)": *-?(\d{17,}|[\d.]+e\+?(1[6-9]|[2-9]\d))', event)
    found = [row for row in ours.get("import_log", []) if is_one(row)]
    if not found or any(is_one(row) for row in reference.get("import_log", [])):
        return
    ours["import_log"] = [row for row in ours["import_log"] if row not in found]
    for row in ours.get("stats", []):
        if row.get("name") == "'json_tokenizer_failure'":
            row["value"] = str(int(row["value"]) - len(found))
    ours["stats"] = [row for row in ours["stats"] if (row.get("name"), row.get("value")) != ("'json_tokenizer_failure'", "0")]


NANOSECONDS = re.compile(r"\d{16,19}")


@rule("decimals of microseconds", "a time in a text is as exact as its digits; the reference has doubles, which have steps of 1 to 256 ns for times since "
      "a boot or since 1970, and by which slices overlap that do not", "all times, and slice.depth, slice.parent_id, slice.track_id, "
      "import_log (slice_spill_overlapping_complete_event)")
def decimals_of_microseconds(reference, ours):
    if not any("json" in row.get("trace_type", "") for row in reference.get("file", [])):
        return
    def key(row):
        return tuple(sorted((c, v) for c, v in row.items() if c in ("name", "category") or c.startswith("arg:")))
    theirs, mine = (sorted(side.get("slice", []), key=lambda row: (key(row), int(row["ts"]))) for side in (reference, ours))
    if list(map(key, theirs)) != list(map(key, mine)):
        return
    moved = {a["ts"]: b["ts"] for a, b in zip(theirs, mine) if a["ts"] != b["ts"]}
    if not moved or any(abs(int(a) - int(b)) > max(1, int(b) >> 52) for a, b in moved.items()):
        return
    for rows in reference.values():
        for row in rows:
            for column, value in row.items():
                if column in ("ts", "parent_id", "slice_in", "slice_out"):
                    row[column] = NANOSECONDS.sub(lambda m: moved.get(m[0], m[0]), value or "")
    for side in (reference, ours):
        for row in side.get("slice", []):
            if int(row["ts"]) >> 50:
                for column in ("depth", "parent_id", "track_id"):
                    row.pop(column, None)
        for table in ("stats", "import_log"):
            side[table] = [row for row in side.get(table, []) if row.get("name") != "'slice_spill_overlapping_complete_event'"]
        side["slice"] = sorted(side.get("slice", []), key=lambda row: sorted(row.items()))
        for table in ("track", "thread_track", "flow"):
            side[table] = sorted(side.get(table, []), key=lambda row: sorted(row.items()))
        side["bounds"] = []


@rule("ends of lines", "what ends a line is no part of it; the reference keeps the carriage returns of lines of logcat", "logs.msg")
def ends_of_lines(reference, ours):
    for row in reference.get("logs", []):
        row["msg"] = re.sub(r"(\\r|\r)+'$", "'", row.get("msg") or "")


@rule("events of another clock", "an event of the kernel has its own time and is shown, also where the times that it tells are of a clock that the trace "
      "does not relate; the reference leaves it out", "ftrace.name (gpu_work_period)")
def events_of_another_clock(reference, ours):
    if any(row.get("name") == "'gpu_work_period'" for row in reference.get("ftrace", [])) or \
       not any(row.get("name", "").startswith("'clock_sync_failure") for row in reference.get("stats", [])):
        return
    ours["ftrace"] = [row for row in ours.get("ftrace", []) if row.get("name") != "'gpu_work_period'"]


@rule("large integers", "an integer of more than 63 bits in JSON is a number as large; the reference makes -1 of it", "args")
def large_integers(reference, ours):
    for table in reference:
        for theirs, mine in zip(reference[table], ours.get(table, [])):
            for key, value in mine.items():
                if re.match(r"arg:.*", key) and re.match(r"real [\d.]+e\+(19|\d{3})$|real (9|1\d)\.\d+e\+1[89]", value or "") and \
                        (theirs.get(key) or "").startswith("real -"):
                    theirs[key] = value


@query("functions that the reference lacks", "SQLite has them, or newer releases of it; a query that needs them gets its answer")
def more_functions(statement):
    return re.search(r"\b(median|percentile_cont|percentile_disc|soundex)\s*\(", statement, re.I) is not None


# Columns of numbers, in comparisons with what is no number.
NUMBERS = r"\b(id|ts|dur|\w+_id|\w+_ts|\w+_dur|depth|utid|upid|ucpu|tid|pid|cpu|priority|value|int_value|real_value|idx|is_\w+)\b"
NO_NUMBER = r"\s*x?'"


@query("a column of numbers against a text or blob", "SQL says that the text is converted first, and SQLite does; the reference "
       "finds nothing in its own tables, but converts in those of queries")
def other_class(statement):
    compared = rf"{NUMBERS}\s*(=|==|!=|<>|<=|>=|<|>|(IS|GLOB|LIKE|REGEXP|IN\s*\()(?=[\s'])|IS\s+NOT|NOT\s+(GLOB|LIKE|REGEXP|IN\s*\())"
    between = rf"{NUMBERS}\s+(NOT\s+)?BETWEEN\s+(x?'|\S+\s+AND\s+x?')"
    return re.search(compared + NO_NUMBER, statement, re.I) is not None or re.search(between, statement, re.I) is not None


@query("picked by numbers of args", "the args of kernel events are numbered behind all others, when somebody reads them: a query that picks or "
       "sums args by these numbers means others")
def numbers_of_args(statement):
    column = r"(id|arg_set_id)" if re.search(r"\bFROM\s+args\b", statement, re.I) else "arg_set_id"
    compared = rf"\b{column}\s*(=|==|!=|<>|<=|>=|<|>|IS\s+(NOT\s+)?(?!NOT\b|NULL\b)|(NOT\s+)?(IN\s*\(|BETWEEN|GLOB|LIKE|REGEXP))"
    summed = rf"\b(min|max|sum|avg|total|group_concat|percentile|median|lag|lead|\w+_value)\s*\(\s*(DISTINCT\s+)?{column}\b"
    return re.search(f"{compared}|{summed}", statement, re.I) is not None


@answer("numbers of arg sets", "args of kernel events are made when somebody reads them, and are numbered and shown after all others; which "
        "args a row has is the same")
def arg_sets(statements, text):
    """Tables without the numbers of sets; of the args themselves the rows in any order, and of the first few their number."""
    of_args = any(re.search(r"\bFROM\s+args\b(?!.*\barg_set_id\b)", s, re.I | re.S) for s in statements)
    limited = any(re.search(r"\bLIMIT\b", s, re.I) for s in statements)
    tables = []
    for block in text.split("\n\n"):
        head, *rows = list(csv.reader(block.strip("\n").split("\n"))) or [[]]
        hidden = [i for i, name in enumerate(head) if name == "arg_set_id" or of_args and name == "id"]
        rows = [[value for i, value in enumerate(row) if i not in hidden] for row in rows]
        tables.append((head, len(rows) if of_args and limited else sorted(rows) if of_args else rows))
    return tables


@rule("a bad time ends a file", "the reference reads nothing behind an event whose dur or tts is no number; ours counts that event and reads "
      "the others", "all")
def bad_time_ends(reference, ours):
    for row in reference.get("import_log", []):
        raw = row.get("arg:raw_event", "").rstrip("'")
        if row.get("name") == "'json_tokenizer_failure'" and "arg:error" in row and raw.count("{") != raw.count("}"):
            ours.clear()
            ours.update(reference)
            return


@rule("states in wrong order", "a state of a thread that is imported is none that was refused for its order; the reference counts one as such, and shows it",
      "stats.value (generic_task_state_invalid_order)")
def states_in_wrong_order(reference, ours):
    name = "'generic_task_state_invalid_order'"
    if reference.get("thread_state") == ours.get("thread_state") and not any(row["name"] == name for row in ours.get("stats", [])):
        reference["stats"] = [row for row in reference.get("stats", []) if row["name"] != name]


@rule("traces in scripts", "old pages of systrace have their trace in a script, of which the reference reads nothing", "all tables")
def traces_in_scripts(reference, ours):
    kinds = {row.get("str_value") for row in reference.get("metadata", []) if row.get("name") == "'trace_type'"}
    if kinds == {"'systrace'"} and not any(reference.get(table) for table in ("sched", "ftrace", "slice", "counter")):
        ours.clear()
        ours.update(reference)


@refusal("a bad time ends a file", "the reference reads nothing behind an event whose dur or tts is no number, and then calls the file "
         "incomplete; ours counts that event and reads the others")
def bad_time(error, trace):
    return "JSON trace file is incomplete" in error and trace.rstrip()[-1:] == b"}"


@refusal("a list without events", "an empty JSON list is a recording in which nothing happened")
def empty_list(error, trace):
    return "Unknown trace type provided" in error and trace.strip() == b"[]"


@refusal("a page with a damaged first tag", "lines of ftrace are in the page; the reference tells pages by their first tag")
def damaged_page(error, trace):
    return "Unknown trace type provided" in error and b"# tracer" in trace[:4096]


@refusal("one line that is none", "the reference reads nothing of a text of perf script of which one line is damaged; ours counts that line and reads "
         "the others")
def damaged_text(error, trace):
    return "Perf text parser: unable to" in error


@refusal("a line of kernel text", "the reference reads no event of a JSON file of whose lines of kernel text one is none; ours counts that line")
def damaged_kernel_text(error, trace):
    return re.search("Not a known systrace event format|systemTraceEvents is not an string", error) is not None and b"systemTraceEvents" in trace


@no_trace("a page without a trace", "a page of HTML that has no trace in it is no trace; the reference shows nothing of it")
def page_without_trace(tables, trace):
    return trace[:400].lstrip().lower().startswith((b"<!doctype html", b"<html")) and b"trace-data" not in trace


@no_trace("calls of no thread", "of a text of strace without a pid no line is read, by both; ours says so and how to record")
def calls_of_no_thread(tables, trace):
    kinds = {row.get("str_value") for row in tables.get("metadata", []) if row.get("name") == "'trace_type'"}
    return kinds == {"'strace'"} and not tables.get("slice")


@no_trace("an empty profile", "a text is no profile because its bytes can be read as empty fields of one; the reference finds no sample in it")
def empty_profile(tables, trace):
    kinds = {row.get("str_value") for row in tables.get("metadata", []) if row.get("name") == "'trace_type'"}
    return kinds == {"'pprof'"} and not tables.get("aggsample") and not tables.get("frame")
