"""Where our answers to a web UI differ from the reference's on purpose: the rules, by what the cells say.

Each rule gets one cell of theirs and ours in the same place, and says whether they mean the same:

    @cell("name", "reason", "column, ...")
    def name(theirs, ours): ...

A rule of whole answers takes out of both sides what it covers, and leaves everything else to be compared:

    @answer("name", "reason", "column, ...")      the columns that it needs; for other answers it is not asked
    def name(columns, theirs, ours): ...          new (theirs, ours)

Numbers of arg sets are in `Numbers`: what follows from them is asked with our number."""
import collections
import json
import re

CELLS, ANSWERS = [], []
Rule = collections.namedtuple("Rule", "name reason columns apply")


def cell(name, reason, columns):
    return lambda f: CELLS.append(Rule(name, reason, set(columns.split(", ")), f)) or f


def answer(name, reason, columns):
    return lambda f: ANSWERS.append(Rule(name, reason, set(columns.split(", ")), f)) or f


class Numbers:
    """Numbers of arg sets are given in the order in which sets are made, and equal sets of ours have one number where
    the reference has several: theirs → ours, learned from rows that are equal otherwise."""

    COLUMNS = {"arg_set_id", "argSetId"}
    ASKED = re.compile(r"(?<=__intrinsic_arg_set_to_json\()\d+(?=\))")

    def __init__(self):
        self.ours = {}

    def ask(self, sql):
        return self.ASKED.sub(lambda m: self.ours.get(m.group(), m.group()), sql)

    def learn(self, columns, theirs, ours):
        at = [i for i, name in enumerate(columns) if name in self.COLUMNS]
        for want, have in zip(theirs, ours):
            if any(want[i] != have[i] for i in range(len(columns)) if i not in at):
                continue
            for i in at:
                if (want[i] is None) == (have[i] is None) and self.ours.setdefault(want[i], have[i]) == have[i]:
                    want[i] = have[i]


@cell("prose", "descriptions are in our own words, and most statistics have none", "description, title, remediation, return_description")
def prose(theirs, ours):
    return True


OURS = re.compile(r"^( *)(?:9\d{4}|\[perfetto\.protos\.orma_\w+\]): .*\n|^( *)(?:9\d{4}|\[perfetto\.protos\.orma_\w+\]) \{\n(?:\2 .*\n)*\2\}\n", re.M)


@cell("our fields", "fields that this recorder added to the configuration have names here, and numbers there", "configText, value")
def our_fields(theirs, ours):
    return OURS.sub("", theirs + "\n") == OURS.sub("", ours + "\n")


@cell("lines of events", "the reference leaves numbers out of this line that are args of the event in its own tables", "args")
def lines_of_events(theirs, ours):
    head, _, words = theirs.rpartition(": ")
    have = ours.removeprefix(head + ": ").split(" ")
    return ours.startswith(head + ": ") and bool(words) and all("=" in w for w in have) and all("=" in w and w in have for w in words.split(" "))


@answer("times of this run", "how long the import took is different each time", "name, value")
def times_of_this_run(columns, theirs, ours):
    name, value = columns.index("name"), columns.index("value")
    for row in theirs + ours:
        if row[name] and re.match(r"strace_processing_\w*_duration_ns|s\w*_duration_ns$", row[name]):
            row[value] = ""
    return theirs, ours


@answer("several heaps", "a process with two heaps dumps both at once; the reference counts what each of them holds once for each of the two: "
        "its numbers are twice the sums of heap_profile_allocation, ours those sums", "retained, allocated, delta")
def several_heaps(columns, theirs, ours):
    at = [columns.index(name) for name in ("retained", "allocated", "delta")]
    differ = [(want, have) for want, have in zip(theirs, ours) if any(want[i] != have[i] for i in at)]
    if all(want[i] and have[i] and int(want[i]) == 2 * int(have[i]) for want, have in differ for i in at):
        for want, have in differ:
            for i in at:
                want[i] = have[i]
    return theirs, ours


@answer("names of no file", "what a stack ran in is no file here, and its name no path; as the names have another order, merged nodes "
        "have other numbers", "id, parentId, mapping_name")
def names_of_no_file(columns, theirs, ours):
    node, parent, mapping = (columns.index(name) for name in ("id", "parentId", "mapping_name"))
    if not any((row[mapping] or "").startswith("s/[") for row in theirs):
        return theirs, ours
    number = {}
    for want, have in zip(theirs, ours):
        for i in (node, parent):
            if number.setdefault(want[i], have[i]) == have[i]:
                want[i] = have[i]
        if (want[mapping] or "").startswith("s/["):
            want[mapping] = "s" + want[mapping][2:]
    return (theirs, ours) if len(set(number.values())) == len(number) else ([], ours)


# Of these some columns are not there yet.
INCOMPLETE = ("sandroid", "schrome", "spixel", "sv8")
# Of modules that are there, these are not, or are of another kind.
NOT_HERE = {"strace_bounds", "straced_clone_flush_latency", "straced_trigger_clone_flush_latency"}


@answer("the library", "modules have helpers of their own, some modules of the reference are not there, and tables have columns of "
        "newer releases; what both have is exposed in both or in none, what is exposed has all columns and arguments, and nothing is NULL",
        "package, module, name, object_type, exposed, args, cols")
def the_library(columns, theirs, ours):
    def objects(rows):
        have = [dict(zip(columns, row)) for row in rows if None not in row]
        return {(o["module"], o["name"], o["object_type"]): o for o in have}

    def names(o):
        return {e["name"] for part in ("args", "cols") for e in json.loads(o[part][1:])}
    theirs, ours, out = objects(theirs), objects(ours), ([], [])
    modules = {key[0] for key in ours}
    lost = [list(key) for key, o in theirs.items() if key not in ours and key[0] in modules and o["exposed"] == "1" and o["package"] not in INCOMPLETE and key[1] not in NOT_HERE]
    if lost or not ours:
        return lost or [["all of it"]], []
    for key, want in theirs.items():
        have = ours.get(key)
        compared = have and want["exposed"] == "1" and want["package"] not in INCOMPLETE and not key[1].startswith("s_")
        for o, rows in zip((want, have), out) if have else ():
            row = dict.fromkeys(columns, "") | {"module": key, "exposed": o["exposed"],
                                                "cols": sorted(names(o) & names(want)) if compared else ""}
            rows.append(list(row.values()))
    return out


@answer("metrics", "some metrics of the reference are not there", "name")
def metrics(columns, theirs, ours):
    known = [row for row in theirs if row in ours]
    return (known, ours) if columns == ["name"] and ours and len(known) == len(ours) else (theirs, ours)


def equal(sql, columns, theirs, ours, numbers):
    """Whether they say the same, and the names of the rules that it took. Of an order that is asked for last, the columns
    that make it are in order; rows that are equal in them may come in any."""
    ordered = re.search(r"\border\s+by\b([^()]*)$", sql, re.I)
    keys = [columns.index(w) for w in re.findall(r"\w+", ordered[1]) if w in columns] if ordered else []

    def order(rows):
        return [[row[i] for i in keys] for row in rows]

    def same():
        return theirs == ours or (collections.Counter(map(json.dumps, theirs)) == collections.Counter(map(json.dumps, ours)) and
                                  order(theirs) == order(ours))
    used = []
    if same():
        return True, used
    theirs, ours = [list(r) for r in theirs], [list(r) for r in ours]
    for r in ANSWERS:
        if r.columns <= set(columns):
            before = json.dumps([theirs, ours])
            theirs, ours = r.apply(columns, theirs, ours)
            if json.dumps([theirs, ours]) != before:
                used.append(r.name)
            if same():
                return True, used
    if len(theirs) != len(ours):
        return False, used
    for want, have in zip(theirs, ours):
        for i, name in enumerate(columns):
            if want[i] != have[i] and want[i] is not None and have[i] is not None:
                for r in CELLS:
                    if name in r.columns and want[i] != have[i] and r.apply(want[i], have[i]):
                        want[i] = have[i]
                        used.append(r.name)
    numbers.learn(columns, theirs, ours)
    return same(), used
