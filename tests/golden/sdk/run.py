#!/usr/bin/env python3
"""Golden tests of what a program of ours writes: one scenario per case, SQL, and the rows.

    run.py [--update] PROGRAM SHELL TRACECONV CASES

CASES/NAME.case begins with a comment; then "#! query" and "#! expected" sections in turns. The trace
is what `PROGRAM NAME FILE` writes. Instead of "#! query" there may be "#! text": a regular
expression; what is expected are the lines of the trace as text that it matches, without indentation.
--update writes what comes out as what is expected; review the diff.
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

SECTION = re.compile(r"^#! (query|text|expected)$")


class Case:
    """One question, of either kind, and what must come out."""

    def __init__(self, kind):
        self.kind, self.question, self.expected = kind, [], []


def parse(path):
    """The comment, and the cases."""
    head, cases = [], []
    into = head
    for line in path.read_text(encoding="utf-8").splitlines():
        m = SECTION.match(line)
        if not m:
            into.append(line)
        elif m.group(1) == "expected":
            into = cases[-1].expected
        else:
            cases.append(Case(m.group(1)))
            into = cases[-1].question
    return head, cases


def lines_of(traceconv, question, trace):
    run = subprocess.run([traceconv, "text", trace, "-"], capture_output=True, text=True, check=True)
    wanted = re.compile("".join(question))
    return [line.strip() for line in run.stdout.splitlines() if wanted.search(line.strip())]


def rows_of(shell, query, trace, scratch):
    sql = scratch / "query.sql"
    sql.write_text("\n".join(query) + "\n", encoding="utf-8")
    run = subprocess.run([shell, "-q", sql, trace], capture_output=True, text=True)
    if run.returncode:
        return [f"exit {run.returncode}", *run.stderr.strip().splitlines()]
    return run.stdout.strip("\n").splitlines()


def check(programs, path, update):
    program, shell, traceconv = programs
    head, cases = parse(path)
    ok = bool(cases)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        trace = scratch / "trace.pftrace"
        run = subprocess.run([program, path.stem, trace], capture_output=True, text=True)
        if run.returncode:
            print(f"{path.stem}: {program} ended with {run.returncode}: {run.stderr.strip()}")
            return False
        for case in cases:
            got = (rows_of(shell, case.question, trace, scratch) if case.kind == "query"
                   else lines_of(traceconv, case.question, trace))
            if update:
                case.expected = got
            elif got != case.expected:
                ok = False
                print("\n".join(difflib.unified_diff(case.expected, got, f"{path.stem}: expected",
                                                     "got", lineterm="")))
    if update:
        lines = head + [x for c in cases
                        for x in [f"#! {c.kind}", *c.question, "#! expected", *c.expected]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ok


def main():
    args = [a for a in sys.argv[1:] if a != "--update"]
    if len(args) != 4:
        sys.exit(__doc__)
    *programs, folder = (pathlib.Path(a).absolute() for a in args)
    paths = sorted(folder.glob("*.case"))
    good = sum(check(programs, p, "--update" in sys.argv) for p in paths)
    print(f"{good} of {len(paths)} cases as expected")
    sys.exit(0 if paths and good == len(paths) else 1)


if __name__ == "__main__":
    main()
