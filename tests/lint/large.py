#!/usr/bin/env python3
"""Files that somebody wrote have at most 800 lines.

    tests/lint/large.py ROOT            # the lint: fails beyond the list in large.tsv
    tests/lint/large.py ROOT --update   # writes the lines of known files anew, and drops what is small now

A longer file is two modules, mostly: it is cut by idea (what reads, what judges, what prints), not by
length, with a header that says what the parts are. What stays in one piece on purpose stands in
large.tsv with its reason. That list only shrinks: a file that grew fails, and so does one that became
smaller than its line says, until the line follows.
"""
import pathlib
import re
import sys

import tree

LIST = pathlib.Path(__file__).with_name("large.tsv")
MAX = 800
TOPS = "sdk", "protos", "traced", "probes", "processor", "tools", "tests", "docs"
SUFFIXES = {".c", ".h", ".py", ".sh", ".sql", ".ts", ".js", ".mjs", ".css", ".html", ".build"}
GENERATED = re.compile(r"Made by tools/\w+\.py")
HEAD = """\
# Files of more than 800 lines: file, lines, why they are in one piece. tests/lint/large.py compares.
"""


def read_list(path):
    """{file: (lines, reason)}. ValueError: a line has no reason."""
    listed = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not cells[1].isdigit() or not cells[2].strip():
            raise ValueError(f"{path.name}:{number}: not a file, its lines and a reason, with tabs between")
        listed[cells[0]] = int(cells[1]), cells[2]
    return listed


def write_list(path, listed):
    path.write_text(HEAD + "".join(f"{name}\t{lines}\t{reason}\n" for name, (lines, reason) in sorted(listed.items())), encoding="utf-8")


def measure(root):
    """{file: lines} of those that are longer."""
    large = {}
    for path in tree.find(root, "*", *TOPS):
        if path.suffix not in SUFFIXES or not path.is_file() or path.is_symlink():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.count("\n")
        if lines > MAX and not GENERATED.search(text.split("\n", 1)[0]):
            large[path.relative_to(root).as_posix()] = lines
    return large


def problems_of(large, listed):
    for name, lines in sorted(large.items()):
        if name not in listed:
            yield f"{name}: {lines} lines, at most {MAX}: cut it by idea, or give a reason in tests/lint/large.tsv"
        elif lines > listed[name][0]:
            yield f"{name}: {lines} lines; tests/lint/large.tsv allows {listed[name][0]}: cut it, or put what is new elsewhere"
        elif lines < listed[name][0]:
            yield f"{name}: {lines} lines, less than tests/lint/large.tsv says: tests/lint/large.py . --update"
    for name in sorted(set(listed) - set(large)):
        yield f"{name}: not longer than {MAX} lines any more: take it out of tests/lint/large.tsv"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    large, listed = measure(root), read_list(LIST)
    if "--update" in sys.argv[2:]:
        write_list(LIST, {name: (min(large[name], lines), reason) for name, (lines, reason) in listed.items() if name in large})
        listed = read_list(LIST)
    problems = list(problems_of(large, listed))
    print("\n".join(problems), file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
