#!/usr/bin/env python3
"""Commits as docs/HACKING.md asks for them.

    tests/lint/commits.py ROOT               # the lint: every commit since SINCE
    tests/lint/commits.py --message FILE     # the hook: this message and what is staged (tools/hooks/commit-msg)

* The subject is `area: verb object`, at most 72 columns, without a full stop or a second sentence.
* A change of more than 50 lines has a body that says why. Moved lines, generated files and recorded
  data do not count.

Without git, outside of a checkout, or where the history does not reach back to SINCE (a shallow clone),
the lint skips and says why.
"""
import fnmatch
import re
import subprocess
import sys

SINCE = "3be273d85a2ebf6825e8bf08698cd161e39c32db"  # older history is as it is
SUBJECT_MAX = 72
BODY_FROM = 50  # changed lines
SUBJECT = re.compile(r"[a-z0-9_.+/-]+(, [a-z0-9_.+/-]+)*: \S.*")
# Written by programs: nobody types these lines.
GENERATED = ("protos/perfetto/*", "protos/fields/*", "protos/tables/*", "sdk/ipc/methods.h", "processor/store/*_defs.[ch]",
             "docs/tables.md", "docs/sql-functions.md", "tests/golden/*/cases/*", "tests/fuzz/corpus/*",
             "tests/conformance/passing_*")
SKIP = 77  # meson's exit status for a test that was skipped


def git(*args, root="."):
    return subprocess.run(["git", "-C", root, *args], capture_output=True, text=True, errors="replace")


def changed_lines(numstat):
    """Added and removed lines by `git diff --numstat -z`: "added TAB removed TAB path", or for a move, an
    empty path and then both paths."""
    fields, total = iter(numstat.split("\0")), 0
    for field in fields:
        parts = field.strip("\n").split("\t")
        if len(parts) != 3:
            continue
        added, removed, path = parts
        if not path:
            next(fields, None)
            path = next(fields, "")
        if added != "-" and not any(fnmatch.fnmatchcase(path, g) for g in GENERATED):
            total += int(added) + int(removed)
    return total


def problems_of(message, lines):
    """What is wrong with this message of a change of so many lines."""
    subject, _, rest = message.strip("\n").partition("\n")
    if len(subject) > SUBJECT_MAX:
        yield f"the subject has {len(subject)} columns, more than {SUBJECT_MAX}"
    if not SUBJECT.fullmatch(subject) and not subject.startswith(('Revert "', "Merge ")):
        yield "the subject is not 'area: verb object'"
    if subject.endswith(".") or ";" in subject:
        yield "the subject is more than one phrase: no full stop, no semicolon"
    if rest and not rest.startswith("\n"):
        yield "the line after the subject is not empty"
    if lines > BODY_FROM and not rest.strip():
        yield f"{lines} changed lines and no body: say why, and what else was considered"


def from_editor(text):
    """The message as git will keep it: without comments and what follows the scissors."""
    text = re.split(r"^# -+ >8 -+$", text, maxsplit=1, flags=re.M)[0]
    return "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip()


def check_message(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        message = from_editor(file.read())
    if message.startswith(("fixup! ", "squash! ", "amend! ")):
        return []
    return list(problems_of(message, changed_lines(git("diff", "--cached", "--numstat", "-z", "-M").stdout)))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def check_history(root):
    try:
        top = git("rev-parse", "--show-toplevel", root=root)
    except FileNotFoundError:
        skip("git is not installed")
    if top.returncode or git("ls-files", "--error-unmatch", "meson.build", root=root).returncode:
        skip("no git checkout")
    if git("merge-base", "--is-ancestor", SINCE, "HEAD", root=root).returncode:
        skip(f"the history does not reach back to {SINCE[:12]} (a shallow clone?)")
    commits = git("log", "-z", "--no-merges", "--format=%H%n%B", f"{SINCE}..HEAD", root=root).stdout.split("\0")
    commits = [entry.partition("\n")[::2] for entry in commits if entry]
    found = 0
    for commit, message in commits:
        # How much was changed matters where there is no body; asking git for it takes most of the time.
        has_body = message.strip("\n").partition("\n")[2].strip()
        lines = 0 if has_body else changed_lines(git("show", "--numstat", "-z", "-M", "--format=", commit, root=root).stdout)
        for problem in problems_of(message, lines):
            print(f"{commit[:10]} {message.splitlines()[0]}\n    {problem}")
            found += 1
    print(f"{len(commits)} commits, {found} problems")
    return found


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--message":
        problems = check_message(sys.argv[2])
        for p in problems:
            print(f"commit message: {p}", file=sys.stderr)
        sys.exit(1 if problems else 0)
    sys.exit(1 if check_history(sys.argv[1] if len(sys.argv) > 1 else ".") else 0)


if __name__ == "__main__":
    main()
