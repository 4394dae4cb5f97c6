#!/usr/bin/env python3
"""What a run of the tests did not do: skips with their reasons, the slowest tests, and what failed.

    tools/test_report.py BUILD_DIR...
    tools/test_report.py --failed BUILD_DIR    names of what failed, to run them again; 1 if they are too many for chance

Reads meson-logs/testlog.json of each folder: the whole tests that skipped, and the single ones that
did so inside of a test that passed (TAP's "# SKIP why", unittest's "... skipped 'why'"). Ends with 1 if a
program says that it has no tests at all, and no reason (nobody writes such a program), or if more tests than a budget
skipped because the machine was busy: then nobody knows what they would have said. What failed comes last, with the
end of what it printed, and how it ended when it ran once more (meson-logs/again.json).
"""
import collections
import json
import pathlib
import re
import sys

INSIDE = [re.compile(r"^ok\b[ \d]*-? *(?P<what>\S+).*# SKIP ?(?P<why>.*)$", re.M),
          re.compile(r"^(?P<what>\w+) \([\w.]*\)(?:\n.*)? \.\.\. skipped (?P<q>['\"])(?P<why>.*)(?P=q)$", re.M)]
EMPTY = re.compile(r"^1\.\.0[ \t]*$", re.M)
WHOLE = re.compile(r"^(?:1\.\.0 *# *SKIP|skipped:) *(.*)$", re.M | re.I)
SLOW_S = 30
GOOD = ("OK", "SKIP", "EXPECTEDFAIL")
BY_CHANCE = 5  # more tests than these do not fail by chance at once
END_OF_OUTPUT = 40
BUSY = re.compile(r"\bbusy\b", re.I)
BUSY_MAX = 3


def skips_of(row):
    """[(what, why)] of one test."""
    text = "\n".join(row.get(k) or "" for k in ("stdout", "stderr"))
    name = name_of(row)
    found = [(f"{name}: {m['what']}", m["why"].strip()) for p in INSIDE for m in p.finditer(text)]
    if row["result"] == "SKIP" and not found:
        m = WHOLE.search(text)
        last = (text.strip() or "no reason given").splitlines()[-1]
        found = [(name, (m.group(1) if m else last).strip())]
    return found


def log_of(build, base="testlog"):
    log = pathlib.Path(build, f"meson-logs/{base}.json")
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


def name_of(row):
    return row["name"].rpartition(" / ")[2]


def failed(build):
    """Prints the names of what failed, if that can be chance."""
    names = sorted({name_of(r) for r in log_of(build) if r["result"] not in GOOD})
    if not 0 < len(names) <= BY_CHANCE:
        return False
    print(" ".join(names))
    return True


def report_failures(build):
    again = {name_of(r): r for r in log_of(build, "again")}
    for row in log_of(build):
        if row["result"] in GOOD:
            continue
        name = name_of(row)
        second = again.get(name)
        how = "" if not second else ", and passed alone" if second["result"] in GOOD else f", and alone: {second['result']}"
        print(f"== {pathlib.Path(build).name}: {name}: {row['result']} after {row['duration']:.0f} s{how}")
        text = "\n".join(row.get(k) or "" for k in ("stdout", "stderr")).strip()
        print("\n".join(f"    {line[:300]}" for line in text.splitlines()[-END_OF_OUTPUT:]))


def report(build):
    """False: a program had no tests, or too many skipped because the machine was busy."""
    rows = log_of(build)
    if not rows:
        print(f"{pathlib.Path(build).name}: no test ran")
        return False
    counts = collections.Counter(r["result"] for r in rows)
    why = collections.defaultdict(list)
    for row in rows:
        for what, reason in skips_of(row):
            why[reason or "no reason given"].append(what)
    print(f"{pathlib.Path(build).name}: {len(rows)} tests, " + ", ".join(f"{n} {r}" for r, n in sorted(counts.items())) +
          f"; {sum(map(len, why.values()))} skips:")
    for reason, names in sorted(why.items(), key=lambda kv: (-len(kv[1]), kv[0])):
        print(f"  {len(names):3} {reason}\n      {', '.join(sorted(names)[:4])}{' ...' if len(names) > 4 else ''}")
    if not why:
        print("    0 nothing was skipped")
    slow = sorted((r for r in rows if r["duration"] > SLOW_S), key=lambda r: -r["duration"])
    if slow:
        print(f"  over {SLOW_S} s: " + ", ".join(f"{name_of(r)} {r['duration']:.0f} s" for r in slow))
    empty = [name_of(r) for r in rows if EMPTY.search(r.get("stdout") or "")]
    if empty:
        print(f"  {len(empty)} programs without a test: {', '.join(sorted(empty)[:8])}{' ...' if len(empty) > 8 else ''}")
    busy = sum(len(names) for reason, names in why.items() if BUSY.search(reason))
    print(f"  skipped because the machine was busy: {busy}, of at most {BUSY_MAX}")
    return not empty and busy <= BUSY_MAX


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--failed":
        sys.exit(0 if failed(sys.argv[2]) else 1)
    good = all([report(arg) for arg in sys.argv[1:]])
    for arg in sys.argv[1:]:
        report_failures(arg)
    sys.exit(0 if good else 1)
