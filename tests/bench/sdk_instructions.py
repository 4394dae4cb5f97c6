#!/usr/bin/env python3
"""Instructions per track event, counted by callgrind: the difference of two runs.

    sdk_instructions.py BENCH_SDK

callgrind does not see the vDSO, so this is of the time stamp counter only. Asserts nothing.
"""
import re
import shutil
import subprocess
import sys

KINDS = ["loop", "disabled", "slice", "instant", "instant, one integer", "instant, two integers",
         "instant, five annotations", "instant, name made at run time", "counter",
         "instant with flow"]
STEP = 100000


def count(program, num, kind):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                          program, "--count", str(num), kind],
                         capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def main():
    if not shutil.which("valgrind"):
        print("valgrind is not installed: nothing to count with")
        return
    print(f"\nInstructions per event (callgrind, loop included)\n{'':52} {'instr.':>10}")
    for kind in KINDS:
        each = (count(sys.argv[1], 2 * STEP, kind) - count(sys.argv[1], STEP, kind)) / STEP
        print(f"{kind:52} {each:10.1f}")


if __name__ == "__main__":
    main()
