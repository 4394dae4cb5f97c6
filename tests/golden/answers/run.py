#!/usr/bin/env python3
"""Commands that answer questions about traces: what they print, and what they exit with.

    run.py ORMA CASES_DIR [--update] [--every N]

A case is a file NAME.case: a line that says what it is about, then sections

    #! trace NAME        the text of a trace (`orma convert binary`); commands see the file NAME
    #! file NAME         any other file
    #! run ARGS...       arguments of orma, as a shell has them; the output follows: standard output, "stderr: "
                         before each line of standard error, and "exit: N" if that is not 0; sizes of
                         files with all tables are SIZE

--every N takes each Nth case, always the same ones.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ENV = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR")} | {"TZ": "UTC"}


def sections(text):
    """The head, then pairs of a line without "#! " and what follows it."""
    parts = ("\n" + text).split("\n#! ")
    return parts[0].strip("\n"), [p.partition("\n")[::2] for p in parts[1:]]


def orma(program, folder, line):
    words = shlex.split(line)
    env = dict(ENV)
    while words and "=" in words[0] and words[0].partition("=")[0].isupper():
        name, _, val = words.pop(0).partition("=")
        env[name] = val
    done = subprocess.run([program, *words], cwd=folder, env=env, capture_output=True, timeout=120)
    out = done.stdout.decode(errors="backslashreplace").replace("\r\n", "\n")
    out += "".join(f"stderr: {l}\n" for l in done.stderr.decode(errors="backslashreplace").splitlines())
    out = re.sub(r"[0-9.]+ [KM]iB, (all (stored )?tables|an archive)", r"SIZE, \1", out)
    return out + (f"exit: {done.returncode}\n" if done.returncode else "")


def run_case(program, path, update):
    head, parts = sections(path.read_text())
    made, bad = head + "\n", []
    with tempfile.TemporaryDirectory(prefix="orma-answers-") as folder:
        for name, body in parts:
            word, _, rest = name.partition(" ")
            if word == "trace":
                source = pathlib.Path(folder) / "source.txt"
                source.write_text(body)
                subprocess.run([program, "convert", "binary", source, pathlib.Path(folder) / rest], check=True)
                source.unlink()
            elif word == "file":
                (pathlib.Path(folder) / rest).write_text(body)
            else:
                got = orma(program, folder, rest)
                if got.strip("\n") != body.strip("\n"):
                    bad.append(f"{path.name}: orma {rest}\n--- expected\n{body}\n--- got\n{got}")
                body = got
            made += f"#! {name}\n" + body.strip("\n") + "\n"
    if update:
        path.write_text(made)
        return []
    return bad


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program", type=lambda s: pathlib.Path(s).resolve())
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--update", action="store_true")
    p.add_argument("--every", type=int, default=1)
    args = p.parse_args()
    cases, bad = sorted(args.folder.glob("*.case"))[::args.every], []
    for path in cases:
        bad += run_case(args.program, path, args.update)
    print("\n".join(bad))
    print(f"{len(cases)} cases, {len(bad)} differences")
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
