"""Every command line that a page shows is run: the blocks ```sh of README.md, docs/ and the pages beside them.

A page is run from top to bottom in a folder of its own that looks like the source tree (links), with the
programs of the build in the search path and private sockets. A block is one script; its first line that
fails, fails the page. Three tables say where that is not possible as it stands:

  INSTEAD    what a reader fills in (TRACE, DIR), and times that are too long for a test
  STUBS      programs that are replaced: they check what can be checked, and do nothing
  NOT_HERE   lines that are not run, each with its reason, and a check of what it names

A row that no page needs any more is a failure, too. Lines with the comment "# as root" are left out for others, "# needs the
right to sample" and "# needs PROGRAM" where that is not there.

What a block has to print may stand behind it: <!-- says: [root|perf ...: ]TEXT -->, TEXT as it is; with "root" it is asked of
root only, with "perf" of those who may sample. test_recipes.py does the same with docs/recipes/.
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from orma_env import *

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
SAYS = re.compile(r"\n<!-- says: (?:((?:(?:root|perf) ?)+): )?(.*?) -->")
BLOCK = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.M | re.S)  # also in lists
FILE = re.compile(r"^```\w+ (\w+\.\w+)\n(.*?)^```$", re.M | re.S)  # a block that is called as a file is that file
PROGRAMS = ("orma", "traced", "traced_probes", "perfetto", "tracebox", "traceconv", "trace_processor_shell", "meson", "ninja")

# (page, what stands there, what is run)
INSTEAD = [
    ("tutorial.md", r"^export PATH=.*", ":"),
    ("", r"(orma record .*)-t \d+s", r"\1-t 300ms"),
    ("", r"^tools/quickstart\.sh$", "tools/quickstart.sh --seconds 1"),
    ("sql.md", r"\bTRACE\b", "trace.pftrace"),
    ("sql.md", r"DIR\[@NAME\] \.\.\.", "extension/sql@own -Q 'INCLUDE PERFETTO MODULE own.mine; SELECT * FROM mine' trace.pftrace"),
    ("sql.md", r"override-stdlib DIR \.\.\.", "override-stdlib processor/sql/stdlib -Q 'SELECT 1' trace.pftrace"),
    ("metrics.md", r"\bDIR@own", "extension@own"),
    ("service.md", r":tracing:", ":$(id -gn):"),
    ("service.md", r"^(traced .*)$", r"\1 & sleep 0.3; kill -0 $!"),
    ("HACKING.md", r"/tmp/", "tmp/"),
    # what writes into the source tree compares instead
    ("HACKING.md", r"^(tools/gen_\w+\.py)$", r"\1 --check"),
    ("HACKING.md", r"^tools/diff_test --update (.*)$", r"tools/diff_test \1"),
]

# Programs under a name in the search path, in front of the real ones.
STUBS = {
    # the command whose run is recorded
    "make": "exec bash -c 'exec -a make sleep 0.2'",
    "sudo": 'exec "$@"',
    # builds: everything is built; that the targets are known is checked
    "ninja": 'for a; do case $a in -*) ;; *) [ ! -d "$a" ] || continue; '
             '{real_ninja} -C build -t query "$a" >/dev/null || exit 1;; esac; done',
    # tests: that there are some of these names; a build folder: that its options exist
    "meson": 'if [ "$1" = test ]; then got=$({real_meson} "$@" --no-rebuild --list 2>/dev/null) && [ -n "$got" ]; exit; fi\n'
             'for a; do case $a in -Db_*|-Dc_*|-Dwerror=*) ;; -D*) o=${{a#-D}}; grep -q "^option(.${{o%%=*}}." meson_options.txt || exit 1;; esac; done',
    # not everybody has it: else that there is a project
    "cmake": 'if [ "$1" = -S ]; then grep -q "pkg_check_modules(ORMA" CMakeLists.txt; fi && '
             '{{ [ ! -x {real_cmake} ] || exec {real_cmake} "$@"; }}',
    # settings of the repository: that the folder is there
    "git": 'for a; do :; done; [ ! "$1" = config ] || [ -d "$a" ]',
}

# (pages, line, why it is not run, a check instead)
NOT_HERE = [
    ("tutorial.md", r"^orma profile ", "it needs the right to sample; the recipes try it where that is there", "orma profile --help"),
    ("README.md CONTRIBUTING.md", r"^tools/test\.sh", "it runs all tests, this one too", "tools/test.sh --help"),
    ("README.md", r"^build/tools/orma profile ", "it needs the right to sample, which containers lack",
     "build/tools/orma profile --help"),
    ("README.md", r"^build/tools/orma diff before", "the reader has two recordings", "build/tools/orma diff --help"),
    ("README.md", r"^meson install", "it installs the build", "test -f build/build.ninja"),
    ("HACKING.md", r"abi\.py .* --update", "it writes into the source tree; the lint abi compares", "test -f sdk/liborma.abi"),
    ("reach.md", r"^pip wheel", "it writes into the source tree; reach_python makes one of a copy", "test -f tools/python/pyproject.toml"),
    ("fleet.md", r"clickhouse://", "it needs a server: tests/integration/reach/test_fleet.py runs the page with one", "orma fleet --help"),
    ("HACKING.md", r"^build-fuzz/", "a program of libFuzzer, from a build of its own",
     "test -f tests/fuzz/text.dict -a -d tests/fuzz/corpus/text"),
]


def blocks(page):
    """(line number, language, text) of the fenced blocks of a page."""
    for line, language, text, _ in blocks_of(page.read_text()):
        yield line, language, text


def blocks_of(text):
    """(line number, language, text, [(who is asked, what it has to print)]) of the fenced blocks of a text."""
    for m in BLOCK.finditer(text):
        says, at = [], m.end()
        while (said := SAYS.match(text, at)):
            at = said.end()
            says.append(((said.group(1) or "").split(), said.group(2)))
        yield text[:m.start()].count("\n") + 1, m.group(1), m.group(2), says


def may_sample():
    """Whether this machine lets us sample a program."""
    if not hasattr(may_sample, "said"):
        with tempfile.TemporaryDirectory() as folder:
            may_sample.said = subprocess.run([str(ORMA), "profile", "-o", folder + "/p", "--", sys.executable, "-c", "sum(range(10**7))"],
                                             stdin=subprocess.DEVNULL, capture_output=True, timeout=60 * SLOW).returncode == 0
    return may_sample.said


def runs_here(comment):
    """Whether a line with this comment can be run."""
    if comment == "as root":
        return os.geteuid() == 0
    if comment == "needs the right to sample":
        return may_sample()
    if comment.startswith("needs "):
        return may_sample() and shutil.which(comment.split()[1]) is not None
    return True


def commands(block):
    """Lines, those that end with a backslash, or inside of quotes, joined with the next; without comments and empty ones."""
    held = ""
    for line in re.sub(r"\\\n\s*", " ", block).splitlines():
        held += line
        if held.count('"') % 2:  # a text over several lines
            held += "\n"
            continue
        line, held = held, ""
        line, _, comment = re.sub(r"(^|\s)#", "\0", line, count=1).partition("\0")
        if line.strip() and runs_here(comment.strip()):
            yield line.strip()
    assert not held, f"a quotation mark without its other: {held}"


class Documents(Case):
    used = set()

    def setUp(self):
        super().setUp()
        self.work = self.dir / "work"
        self.work.mkdir()
        (self.work / "tmp").mkdir()
        for entry in ROOT.iterdir():
            if not entry.name.startswith((".", "build")):
                (self.work / entry.name).symlink_to(entry)
        for name in ("build", "build-fuzz"):
            (self.work / name).symlink_to(BUILD)
        stubs = self.dir / "stubs"
        stubs.mkdir()
        for name, body in STUBS.items():
            real = {f"real_{n}": shutil.which(n) or n for n in ("ninja", "meson", "cmake")}
            (stubs / name).write_text("#!/bin/sh\n" + body.format(**real) + "\n")
            (stubs / name).chmod(0o755)
        self.env["PATH"] = ":".join(map(str, [stubs, BUILD / "tools", BUILD / "compat", BUILD / "probes", self.env["PATH"]]))
        self.env["PKG_CONFIG_PATH"] = str(BUILD / "meson-uninstalled")
        self.env["LD_LIBRARY_PATH"] = f"{BUILD}/sdk:{BUILD}/processor/library"
        self.env["CPATH"] = f"{ROOT}/sdk/include:{ROOT}/processor/include"  # where installed .pc files lead
        self.env["HOME"] = str(self.dir)

    def instead(self, page, line):
        for i, (where, pattern, text) in enumerate(INSTEAD):
            if where in ("", page.name) and re.search(pattern, line):
                self.used.add(("INSTEAD", i))
                line = re.sub(pattern, text, line)
        return line

    def not_here(self, page, line):
        """The check that is run in its place, or None."""
        for i, (where, pattern, _, check) in enumerate(NOT_HERE):
            if page.name in where.split() and re.search(pattern, line):
                self.used.add(("NOT_HERE", i))
                return check
        return None

    def script(self, page, block):
        lines = []
        for shown in commands(block):
            line = self.not_here(page, shown) or self.instead(page, shown)
            lines.append(f"echo {shlex.quote('@ ' + shown)} >&2\n{line}" + ("" if line.endswith("&") else " || exit 1"))
        return "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n" + "\n".join(lines) + "\n"

    def run_block(self, page, number, block):
        script = self.script(page, block)
        with open(self.dir / "out", "w+b") as out:
            p = subprocess.Popen(["bash", "-c", script], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = p.wait(60 * SLOW)
            except subprocess.TimeoutExpired:
                code = "no end"
            finally:
                try:
                    os.killpg(p.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                p.wait()
            out.seek(0)
            said = out.read().decode(errors="replace")
        at = [line[2:] for line in said.splitlines() if line.startswith("@ ")]
        self.assertEqual(code, 0, f"{page.name}:{number}: this line fails:\n  {at[-1] if at else '?'}\n{said[-3000:]}")
        return "\n".join(line for line in said.splitlines() if not line.startswith("@ "))

    def check_says(self, page, number, says, said):
        for asked, expected in says:
            if ("root" not in asked or have_tracefs() is None) and ("perf" not in asked or may_sample()):
                self.assertIn(expected, said, f"{page.name}:{number}")

    def record(self):
        (self.work / "trace.pftrace").unlink(missing_ok=True)
        self.env["DEMO"] = str(DEMO)
        done = subprocess.run([str(ORMA), "record", "--force", "-o", "trace.pftrace", "apps", "--", str(DEMO), "--threads", "1", "--iterations", "20"],
                              cwd=self.work, env=self.env, capture_output=True, timeout=60 * SLOW)
        self.assertEqual(done.returncode, 0, done.stderr)

    # ---- what a page takes for granted ----

    def prepare_metrics(self, page):
        """The extension that the page itself shows, and the files that its lines name."""
        self.record()
        proto, sql = ([b for _, lang, b in blocks(page) if lang == kind][0] for kind in ("proto", "sql"))
        for name, text in {"extension/protos/report.proto": proto, "extension/sql/report.sql": sql,
                           "threads.proto": 'syntax = "proto2";\npackage mine;\nmessage Threads { optional int64 number = 1; }\n'
                                            "extend perfetto.protos.TraceMetrics { optional Threads threads = 501; }\n",
                           "threads.sql": "CREATE VIEW threads_output AS SELECT Threads('number', (SELECT count(*) FROM thread));\n",
                           "spec.textproto": 'metric_spec { id: "slices" value: "dur" query { table { table_name: "slice" } } }\n'
                                             'query { id: "ID" table { table_name: "slice" column_names: "name" } }\n'}.items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text(text)

    def prepare_fleet(self, _):
        self.record()
        (self.work / "runs/b1/m1").mkdir(parents=True)
        shutil.copy(self.work / "trace.pftrace", self.work / "runs/b1/m1/t.pftrace")

    def prepare_sql(self, _):
        self.record()
        (self.work / "script.sql").write_text("SELECT count(*) FROM slice;\n")
        (self.work / "extension/sql").mkdir(parents=True)
        (self.work / "extension/sql/mine.sql").write_text("CREATE PERFETTO TABLE mine AS SELECT 1 AS one;\n")

    def skip_with_sanitizers(self):
        if "san" in subprocess.run(["nm", "-Du", BUILD / "sdk/liborma.so"], capture_output=True, text=True).stdout:
            self.skipTest("a library with sanitizers links into no plain program")

    def prepare_sdk(self, page):
        self.skip_with_sanitizers()
        first = [b for _, lang, b in blocks(page) if lang == "c" and "int main" in b][0]
        (self.work / "first.c").write_text(first)

    def prepare_start(self, _):
        self.skip_with_sanitizers()
        self.env["PYTHONPATH"] = str(ROOT / "tools/python")
        self.env["PYTHONDONTWRITEBYTECODE"] = "1"

    def prepare_tutorial(self, _):
        self.skip_with_sanitizers()

    def prepare_reach(self, _):
        self.skip_with_sanitizers()
        self.record()
        self.env["PYTHONPATH"] = str(ROOT / "tools/python")
        self.env["PYTHONDONTWRITEBYTECODE"] = "1"
        if not shutil.which("sqlite3"):
            self.skipTest("sqlite3 is not installed")
        self.env["LD_LIBRARY_PATH"] += f":{BUILD}/processor/extension"
        for example in (ROOT / "processor/examples").iterdir():
            (self.work / example.name).symlink_to(example)

    def page(self, page):
        for name, block in FILE.findall(page.read_text()):
            (self.work / name).write_text(block)
        getattr(self, "prepare_" + page.stem.replace("-", "_").lower(), lambda _: None)(page)
        self.run_blocks(page, page.read_text())

    def run_blocks(self, page, text):
        for number, language, block, says in blocks_of(text):
            if language == "sh":
                self.check_says(page, number, says, self.run_block(page, number, block))
            elif language == "python":
                (self.work / "block.py").write_text(block)
                self.check_says(page, number, says, self.run_block(page, number, f"{sys.executable} block.py"))
            elif not language:
                first = next(commands(block), "x").split()[0]
                self.assertNotIn(pathlib.PurePath(first).name, PROGRAMS, f"{page.name}:{number}: call this block ```sh")


for path in PAGES if __name__ == "__main__" else []:
    if any(language in ("sh", "python", "") for _, language, _ in blocks(path)):
        setattr(Documents, "test_" + path.stem.replace("-", "_"), lambda self, path=path: self.page(path))


def unused():
    every = {(name, i): table[i] for name, table in (("INSTEAD", INSTEAD), ("NOT_HERE", NOT_HERE)) for i in range(len(table))}
    return [f"{name}: no page needs {row[:2]} any more" for (name, i), row in every.items() if (name, i) not in Documents.used]


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    left = unused() if result.testsRun > 3 and not result.skipped else []
    print("\n".join(left))
    sys.exit(not result.wasSuccessful() or bool(left))
