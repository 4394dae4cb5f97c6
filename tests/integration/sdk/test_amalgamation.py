#!/usr/bin/env python3
"""The SDK as two files: small enough, compiled alone by every compiler that there is, and working.

    test_amalgamation.py SOURCE_ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
SOURCE_MAX = 340 << 10
# Of -O2. A limit of 112 KiB had bent the build: functions at -Os by a pragma, and a KiB more with each feature.
TEXT_MAX = 128 << 10
COMPILERS = ["gcc", "clang", "musl-gcc"]


def run(*args):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


class Amalgamation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        run(sys.executable, SOURCE / "tools/amalgamate.py", SOURCE, cls.root)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compilers(self):
        found = [c for c in COMPILERS if shutil.which(c)]
        self.assertTrue(found)
        return found

    def test_is_small_and_compiles_without_a_warning(self):
        source = sum((self.root / n).stat().st_size for n in ("orma.h", "orma.c"))
        self.assertLess(source, SOURCE_MAX)
        for compiler in self.compilers():
            obj = self.root / f"{compiler}.o"
            run(compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-c",
                self.root / "orma.c", "-o", obj)
            text = int(run("size", obj).splitlines()[1].split()[0])
            print(f"{compiler}: {source} bytes of source, {text} of text")
            self.assertLess(text, TEXT_MAX)

    def test_shows_only_what_the_header_declares(self):
        run("cc", "-c", self.root / "orma.c", "-o", self.root / "x.o")
        shown = set(re.findall(r" [TDBR] (\w+)", run("nm", self.root / "x.o")))
        header = (self.root / "orma.h").read_text(encoding="utf-8")
        hidden = {n for n in shown if not re.search(rf"\b{n}\b", header)}
        self.assertLessEqual(hidden, {"orma_fork_alive", "orma_guard_depth", "orma_te", "orma_te_self"})

    def test_header_suits_cplusplus(self):
        alone = self.root / "alone.cc"
        alone.write_text('#include "orma.h"\n')
        for compiler in ("g++", "clang++"):
            if shutil.which(compiler):
                run(compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                    alone)

    def test_programs_record(self):
        for compiler in self.compilers():
            program, trace = self.root / "events", self.root / "t.pftrace"
            run(compiler, "-std=c11", "-O0", f"-I{self.root}", SOURCE / "tests/golden/sdk/events.c",
                self.root / "orma.c", "-pthread", "-o", program)
            run(program, "slices", trace)
            self.assertGreater(trace.stat().st_size, 500)
            trace.unlink()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
