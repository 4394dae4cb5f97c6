#!/usr/bin/env python3
"""The size of programs and libraries is a trend: it may grow, and says why.

    tests/lint/size.py FILE...                     # the lint
    tests/lint/size.py --record REASON FILE...     # adds the sizes of today to sizes.tsv

sizes.tsv beside this script is the history: a line each time a stripped file had become more than 3 % larger or smaller than
the line before said, with the reason. Beyond that the lint fails until there is another line. Who gets there looks
first at what is new (nm --size-sort). Sizes below the threshold are printed only.
"""
import datetime
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HISTORY = pathlib.Path(__file__).with_name("sizes.tsv")
MAX_CHANGE = 0.03


def stripped(path):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["strip", "-o", out.name, path], check=True)
        return os.stat(out.name).st_size


def name_of(path):
    """Without the version of a library."""
    return re.sub(r"\.so\..*", ".so", pathlib.Path(path).name)


def read_history(path):
    """{name: bytes}: what was recorded last. ValueError: a line has no reason."""
    last = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 4 or not cells[1].isdigit() or not cells[3].strip():
            raise ValueError(f"{path.name}:{number}: not a name, a size, a date and a reason, with tabs between")
        last[cells[0]] = int(cells[1])
    return last


def has_jumped(size, before):
    return before is None or abs(size - before) > MAX_CHANGE * before


def report(sizes, last):
    """Lines to print, and those that fail."""
    lines, failed = [], []
    for name, size in sizes.items():
        before = last.get(name)
        change = "not recorded" if before is None else f"{100 * (size - before) / before:+.1f} %"
        lines.append(f"{size:>10,}  {name}  {change}")
        if has_jumped(size, before):
            failed.append(f"{name}: {size:,} bytes, {change} since its last line in tests/lint/sizes.tsv: "
                          "look at what changed, then add a line (tests/lint/size.py --record REASON FILE...)")
    lines += [f"{name}: in tests/lint/sizes.tsv, but not built" for name in last if name not in sizes]
    return lines, failed


def record(sizes, last, reason, path):
    today = datetime.date.today().isoformat()
    with path.open("a", encoding="utf-8") as out:
        for name, size in sizes.items():
            if has_jumped(size, last.get(name)):
                out.write(f"{name}\t{size}\t{today}\t{reason}\n")


def main():
    args = sys.argv[1:]
    reason = args[1] if args[:1] == ["--record"] else None
    sizes = {name_of(path): stripped(path) for path in (args if reason is None else args[2:])}
    last = read_history(HISTORY)
    if reason is not None:
        record(sizes, last, reason, HISTORY)
        return 0
    lines, failed = report(sizes, last)
    print("\n".join(lines))
    print("\n".join(failed), file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
