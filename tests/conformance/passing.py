#!/usr/bin/env python3
"""Runs a suite over recorded samples and judges it by the samples that passed before.

    tests/conformance/passing.py [--update] LIST PROGRAM [ARGUMENT...]

PROGRAM (a script in Python or an executable) prints a line `ok NAME` or `FAIL NAME` for each sample, and whatever else it likes. LIST
has the names that must pass. The samples are no part of the project and grow at any time, so:

    a name of the list that fails               an error
    a name that fails and is not in the list    reported, no error
    a name that passes and is not in the list   reported; --update adds it
    a name of the list that is not tried        reported: the sample is gone

Exit: 77 as PROGRAM does (skipped), 1 if something is wrong: an error above, not one sample that
passed, or PROGRAM ended with another code than 0, which stands for what it checks beside samples.
"""
import pathlib
import re
import subprocess
import sys

VERDICT = re.compile(r"(ok|FAIL) (\S+)$")


def main():
    args = sys.argv[1:]
    update = args[:1] == ["--update"]
    if len(args) - update < 2:
        sys.exit(__doc__)
    listing, command = pathlib.Path(args[update]), args[update + 1:]
    must = set(listing.read_text().split("\n")) - {""} if listing.exists() else set()
    if command[0].endswith(".py"):
        command.insert(0, sys.executable)
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace")
    passed, failed = set(), set()
    for line in program.stdout:
        m = VERDICT.match(line.rstrip("\n"))
        if m:
            (passed if m.group(1) == "ok" else failed).add(m.group(2))
        if not m or m.group(1) == "FAIL":
            print(line, end="")
    code = program.wait()
    if code == 77:
        sys.exit(77)
    passed -= failed  # a sample may be tried in several ways
    if update:
        listing.write_text("".join(f"{name}\n" for name in sorted(must | passed)))
    sys.exit(judge(code, must, passed, failed, listing.name))


def judge(code, must, passed, failed, listing):
    for name in sorted(failed - must):
        print(f"NEW, fails: {name}")
    for name in sorted(must - passed - failed):
        print(f"gone: {name}")
    for name in sorted(passed - must):
        print(f"passes and is not in {listing} (--update adds it): {name}")
    for name in sorted(failed & must):
        print(f"REGRESSION {name}")
    print(f"{len(passed)} samples pass, {len(failed)} fail, {len(failed & must)} of them passed before")
    if code:
        print(f"the suite ended with {code}")
    if not passed:
        print("no sample passed: is the folder of samples the right one?")
    return 1 if failed & must or code or not passed else 0


if __name__ == "__main__":
    main()
