#!/usr/bin/env python3
"""Runs cases that others wrote against our shell and compares the rows.

    tests/conformance/run.py cases|samples|foreign BIN [--shared DIR] [--only TEXT] [--diff N]
                             [--list FILE] [--update] [--every N]

cases    every line of DIR/conformance/index.tsv: BIN -q query.sql [flags] TRACE
samples  every DIR/samples/traces/*/expected*/NAME.csv: the query queries/NAME.sql
foreign  every trace of DIR/samples/foreign that has a reference output

DIR is --shared, else $ORMA_SHARED, else ../shared beside the checkout; without it the run is
skipped (exit 77). The names of what must pass are in passing_*.txt beside this script (or --list):
a name there that fails is an error; a name that passes and is not there is reported, and --update
adds it. The list never shrinks by itself. --every N takes each Nth case, always the same ones, unless
ORMA_CONFORMANCE=long is set. Sections of foreign files in which we differ on purpose are in
kept.py with the reason.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import kept

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 60


def shared_dir(given):
    for place in (given, os.environ.get("ORMA_SHARED"), HERE.parents[2] / "shared"):
        if place and pathlib.Path(place).is_dir():
            return pathlib.Path(place)
    return None


def normal(text):
    return "\n".join(line.strip() for line in text.lstrip("\n").split("\n")).strip("\n")


def run(argv, cwd=None):
    try:
        r = subprocess.run(argv, cwd=cwd, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return -1, "", f"no answer in {TIMEOUT} s"
    return r.returncode, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")


# The runner that these cases are from asks for this in all of them, and one shows what comes of it.
CONTENT = "--analyze-trace-proto-content"


# What must give no rows, whatever the trace.
ACCOUNT = HERE.parent / "golden/account.sql"
balanced = {}


def balance(binary, argv):
    """What is wrong with the account of the import, "" if nothing is; each trace is asked once."""
    trace = argv[-1]
    if trace not in balanced:
        code, out, _ = run([binary, "-q", str(ACCOUNT), trace])
        balanced[trace] = out if code == 0 and len(out.strip().split("\n")) != 1 else ""
    return balanced[trace]


class Case:
    """One thing to check: .name, .area, and .check(bin) → (passed, expected, got)."""

    def __init__(self, name, area, argv, expected, kind="csv", content=False):
        self.name, self.area, self.argv, self.expected, self.kind = name, area, argv, expected, kind
        self.content = content

    def check(self, binary):
        passed, want, got = self.try_with(binary, self.argv)
        return (passed, want, got) if passed or not self.content else self.try_with(binary, [*self.argv[:2], CONTENT, *self.argv[2:]])

    def try_with(self, binary, argv):
        code, out, err = run([binary, *argv])
        want = normal(self.expected)
        if self.kind == "error":
            return code != 0 and want in err, want, err
        got = normal(out)
        if code < 0:
            got += f"\n(killed by signal {-code})"
        return code == 0 and got == want, want, got if code == 0 else got + "\n" + err


def cases(shared):
    root = shared / "conformance"
    rows = [line.split("\t") for line in (root / "index.tsv").read_text().splitlines()]
    for row in rows[1:]:
        r = dict(zip(rows[0], row))
        folder = root / r["dir"]
        flags = [] if r["flags"] == "-" else r["flags"].split()
        yield Case(r["name"], r["area"],
                   ["-q", str(folder / "query.sql"), *flags, str(folder / r["trace"])],
                   (folder / r["expected"]).read_text(errors="replace"), r["kind"], content=True)


def samples(shared):
    root = shared / "samples/traces"
    for expected in sorted(root.glob("*/expected*/*.csv")):
        folder = expected.parent.parent
        suffix = expected.parent.name[len("expected"):]
        trace = folder / f"trace{suffix}.pftrace"
        if suffix == "_source":
            trace = folder / "source.pftrace"
        if not trace.exists():
            continue
        yield Case(f"{folder.name}{suffix}/{expected.stem}", expected.stem,
                   ["-q", str(root / "queries" / (expected.stem + ".sql")), str(trace)],
                   expected.read_text(errors="replace"))


# A table of the reference query that belongs to the metrics registry, and statistics that are times
# of the machine the reference ran on.
NOT_OURS = ("trace_metrics",)
CLOCKED = ("guess_trace_type_duration_ns", "parse_trace_duration_ns")


def reference_queries(root):
    """{section: SQL}; the section is the text after ## in the first column."""
    sections = {}
    for sql in (root / "reference/REF.sql").read_text().split(";\n"):
        name = re.search(r"'## (\w+)'", sql)
        if not name:
            continue
        for table in NOT_OURS:
            sql = re.sub(rf" UNION ALL SELECT '{table}' AS tbl, count\(\*\) AS n FROM {table}\b", "", sql)
        sections[name.group(1)] = sql
    return sections


def reference_rows(text):
    """{section: rows} of a reference output, without headers and what NOT_OURS and CLOCKED name."""
    rows = {}
    for line in text.splitlines():
        m = re.match(r'"## (\w+)",(.*)', line)
        if m and not any(f'"{word}"' in m.group(2) for word in NOT_OURS + CLOCKED):
            rows.setdefault(m.group(1), []).append(line.strip())
    return rows


class Reference(Case):
    """All sections of one trace, asked for in one run of the binary."""

    def __init__(self, shared, row):
        root = shared / "samples/foreign"
        text = (root / row["reference"]).read_text(errors="replace")
        super().__init__(row["file"], row["category"], [str(root / row["file"])], text)
        self.root, self.sections = root, reference_queries(root)

    def parts(self, binary):
        """(section, passed, expected, got) of each section."""
        want = reference_rows(self.expected)
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
            query.write(";\n".join(self.sections.values()))
            query.flush()
            code, out, err = run([binary, "-q", query.name, *self.argv])
        if code == 1 and self.name in kept.REFUSED:
            return
        have = reference_rows(out)
        for name in self.sections:
            a, b = "\n".join(want.get(name, [])), "\n".join(have.get(name, []))
            yield name, code == 0 and a == b, a, b if code == 0 else b + "\n" + err


def foreign(shared):
    root = shared / "samples/foreign"
    lines = (root / "INDEX.tsv").read_text().splitlines()
    for row in [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]:
        if row["reference"] != "-" and "tp:rc=0" in row["contains"]:
            yield Reference(shared, row)


def show_diff(want, got, limit):
    w, g = want.split("\n"), got.split("\n")
    shown = 0
    for i in range(max(len(w), len(g))):
        a = w[i] if i < len(w) else "(no line)"
        b = g[i] if i < len(g) else "(no line)"
        if a != b:
            print(f"    line {i + 1}\n      - {a[:180]}\n      + {b[:180]}")
            shown += 1
            if shown >= limit:
                break


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("suite", choices=("cases", "samples", "foreign"))
    p.add_argument("binary")
    p.add_argument("--shared")
    p.add_argument("--only", help="a regular expression on the name")
    p.add_argument("--area", help="a regular expression on the area")
    p.add_argument("--diff", type=int, default=0, help="show so many different lines of each failure")
    p.add_argument("--list", help="file with the names that must pass")
    p.add_argument("--update", action="store_true")
    p.add_argument("--every", type=int, default=1, help="only each Nth case")
    args = p.parse_args()
    shared = shared_dir(args.shared)
    if not shared:
        print("skipped: no shared folder with cases (set ORMA_SHARED)")
        sys.exit(77)
    listing = pathlib.Path(args.list or HERE / f"passing_{args.suite}.txt")
    must = set(listing.read_text().split("\n")) - {""} if listing.exists() else set()
    todo = [c for c in {"cases": cases, "samples": samples, "foreign": foreign}[args.suite](shared)
            if (not args.only or re.search(args.only, c.name))
            and (not args.area or re.search(args.area, c.area))]
    if os.environ.get("ORMA_CONFORMANCE") != "long":
        todo = todo[::args.every]
    areas, broken, fresh, count, differ = {}, [], [], 0, []

    def results(case):
        wrong = balance(args.binary, case.argv)
        if wrong:
            return [(f"{case.name}#account", False, "", wrong)]
        if isinstance(case, Reference):
            return [(f"{case.name}#{part}", *rest) for part, *rest in case.parts(args.binary)]
        return [(case.name, *case.check(args.binary))]

    with ThreadPoolExecutor(2) as pool:
        for case, parts in zip(todo, pool.map(results, todo)):
            for name, ok, want, got in parts:
                count += 1
                if not ok and name in kept.FILES:
                    differ.append(name)
                    continue
                passed, total = areas.get(case.area, (0, 0))
                areas[case.area] = (passed + ok, total + 1)
                if ok and name not in must:
                    fresh.append(name)
                required = name in must or name.endswith("#account")
                if not ok and required:
                    broken.append(name)
                if not ok and (args.diff or required):
                    print(f"FAILED {name}")
                    show_diff(want, got, args.diff or 5)
    for area in sorted(areas):
        print("{:28} {:4} of {:4}".format(area, *areas[area]))
    print(f"passed {sum(a for a, _ in areas.values())} of {count}")
    for name in differ:
        print(f"differs on purpose: {name}: {kept.FILES[name]}")
    if fresh:
        print(f"{len(fresh)} pass and are not in {listing.name}" +
              (": added" if args.update else "; run with --update to add them"))
    if args.update:
        listing.write_text("\n".join(sorted(must | set(fresh))) + "\n")
    for name in broken:
        print(f"REGRESSION {name}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
