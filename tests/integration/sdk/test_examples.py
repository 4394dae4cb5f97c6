#!/usr/bin/env python3
"""The examples, and every block of code in docs/sdk.md: compiled without a warning, and run.

    test_examples.py SOURCE_ROOT BUILD_ROOT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{SOURCE}/sdk/include",
          f"-I{SOURCE}/sdk/tracefile"]
BLOCK = re.compile(r"^```(c|cpp)( tracefile)?\n(.*?)^```$", re.M | re.S)
# What parts of programs may use.
AROUND = "#include <orma/orma.h>\n"
CATEGORY = 'ORMA_CATEGORY_DEFINE(render, "render", NULL, NULL);\n'


def run(*args, **kwargs):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=120, **kwargs)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.can_link = "san" not in run("nm", "-u", BUILD / "sdk/liborma.a")
        self.env = dict(os.environ, PERFETTO_PRODUCER_SOCK_NAME=str(self.dir / "nobody"))

    def compilers(self, cpp):
        names = ["g++", "clang++"] if cpp else ["gcc", "clang"]
        found = [[c, "-std=c++17" if cpp else "-std=c11"] for c in names if shutil.which(c)]
        if not found:
            self.skipTest("no compiler for it")
        return found

    def build(self, compiler, *sources):
        program = self.dir / "program"
        run(*compiler, *STRICT, *sources, BUILD / "sdk/liborma.a", BUILD / "sdk/liborma_tracefile.a",
            "-pthread", "-o", program)
        return program

    def rows(self, trace, sql):
        query = self.dir / "q.sql"
        query.write_text(sql)
        out = run(BUILD / "compat/trace_processor_shell", "-q", query, trace)
        return [line.replace('"', "") for line in out.strip().split("\n")[1:]]

    def example(self, name, checks):
        source, trace = SOURCE / "sdk/examples" / name, self.dir / "t.pftrace"
        for compiler in self.compilers(name.endswith(".cc")):
            if not self.can_link:
                run(*compiler, *STRICT, "-c", source, "-o", self.dir / "x.o")
                continue
            run(self.build(compiler, source), trace, env=self.env)
            for sql, expected in checks.items():
                self.assertEqual(self.rows(trace, sql), expected)

    def test_first(self):
        self.example("first.c", {
            "SELECT name, depth FROM slice ORDER BY ts":
                ["dinner,0", "chop,1", "chop,1", "chop,1", "served,1"],
            "SELECT max(value), count(*) FROM counter": ["2.000000,3"]})

    def test_thermometer(self):
        self.example("thermometer.c", {
            "SELECT t.name, count(*), CAST(min(value) AS INT), CAST(max(value) AS INT) FROM counter c "
            "JOIN counter_track t ON c.track_id = t.id": ["temperature,10,15,18"]})

    def test_shop(self):
        """The program of docs/tutorial.md."""
        for compiler in self.compilers(False):
            if not self.can_link:
                run(*compiler, *STRICT, "-c", SOURCE / "sdk/examples/shop.c", "-o", self.dir / "x.o")
                continue
            program = self.build(compiler, SOURCE / "sdk/examples/shop.c")
            for options in [], ["--fixed"]:
                self.assertEqual(run(program, *options, "60", env=self.env, cwd=self.dir), "60 requests answered\n")

    def test_raii(self):
        self.example("raii.cc", {
            "SELECT name FROM slice WHERE name LIKE 'tram%' ORDER BY name":
                ["tram 0", "tram 1", "tram 2"],
            "SELECT count(*), min(dur) >= 0 FROM slice": ["9,1"]})

    def test_header_for_cpp(self):
        self.example("first.cc", {
            "SELECT name, count(*) FROM slice GROUP BY name ORDER BY name": ["bell,1", "day,1", "echo,1", "ride,3", "wash,1"],
            "SELECT value FROM state ORDER BY ts": ["open", "closed at 0", "open", "closed at 1", "open", "closed at 2"],
            "SELECT CAST(value AS INT) FROM counter ORDER BY ts": ["10", "11", "12"],
            "SELECT count(*) FROM flow": ["1"],
            "SELECT display_value FROM args WHERE key IN ('debug.riders', 'debug.driver') ORDER BY 1": ["10", "11", "12", "Ada"]})

    def test_blocks_of_the_manual(self):
        blocks = BLOCK.findall((SOURCE / "docs/sdk.md").read_text(encoding="utf-8"))
        self.assertGreater(len(blocks), 6)
        for kind, tracefile, text in blocks:
            cpp = kind == "cpp"
            is_program = "int main(" in text
            source = self.dir / ("block.cc" if cpp else "block.c")
            source.write_text(text if is_program or tracefile else AROUND + CATEGORY + text)
            for compiler in self.compilers(cpp):
                if is_program and self.can_link:
                    run(self.build(compiler, source), env=self.env)
                else:
                    run(*compiler, *STRICT, "-c", source, "-o", self.dir / "x.o")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
