#!/usr/bin/env python3
"""Runs the shell on cases of metrics and summaries.

    run.py SHELL CASES [--update]

A case is a folder: `args` has the arguments of the shell, one a line, {case} is the folder;
trace.textproto is the trace (else that of the folder above), which is turned into bytes and given
as {trace}. expected.txt is what comes out on stdout, and after a line "---" what stderr says of
errors.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile


def run(shell, case, tmp):
    source = case / "trace.textproto"
    if not source.exists():
        source = case.parent / "trace.textproto"
    trace = pathlib.Path(tmp) / (case.name + ".pftrace")
    subprocess.run([shell, "util", "text_to_binary", source, trace], check=True, timeout=60)
    args = [a.replace("{case}", str(case)).replace("{trace}", str(trace))
            for a in (case / "args").read_text().splitlines() if a]
    done = subprocess.run([shell, *args], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, errors="backslashreplace")
    noise = ("\rLoading", "Trace loaded", "Trace health", "Import errors", "Data losses")
    said = [line.replace(str(case), "{case}") for line in done.stderr.splitlines()
            if line and not line.startswith(noise) and "Loading trace" not in line]
    text = done.stdout.replace(str(case), "{case}")
    if done.returncode:
        text += "---\n" + "\n".join(said) + f"\nexit {done.returncode}\n"
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("shell")
    p.add_argument("cases", type=pathlib.Path)
    p.add_argument("--update", action="store_true")
    a = p.parse_args()
    bad = 0
    cases = sorted(c for c in a.cases.iterdir() if (c / "args").exists())
    with tempfile.TemporaryDirectory() as tmp:
        for case in cases:
            got = run(a.shell, case, tmp)
            expected = case / "expected.txt"
            if a.update:
                expected.write_text(got)
            elif not expected.exists() or expected.read_text() != got:
                bad += 1
                print(f"{case.name}: differs; what came out:\n{got}")
    print(f"{len(cases) - bad} of {len(cases)} cases are as expected")
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
