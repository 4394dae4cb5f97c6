#!/usr/bin/env python3
"""liborma_processor as it is installed: what it exports, its flags, and programs that know nothing else of ours."""
import re
import shutil
import unittest

from installed import BUILD, SOURCE, Installed, run, sanitized, write_trace

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
HEADER = SOURCE / "processor/include/orma/processor.h"
EXAMPLES = SOURCE / "processor/examples"


class Library(Installed):
    def test_exports_what_the_header_declares(self):
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.S)
        declared = set(re.findall(r"^ORMA_API[^;(]*?\b(orma_\w+)\(", text, re.M))
        found = {}
        for line in run("nm", "-D", "--defined-only", self.lib / "liborma_processor.so").splitlines():
            name, _, version = line.split()[-1].partition("@@")
            found[name] = version
        found.pop("ORMA_PROCESSOR_0.1", None)
        self.assertEqual(set(found), declared)
        self.assertEqual(set(found.values()), {"ORMA_PROCESSOR_0.1"})

    def test_stays_mapped(self):
        self.assertIn("NODELETE", run("readelf", "-d", self.lib / "liborma_processor.so"))

    def build(self, compiler, source, *more):
        if sanitized():
            self.skipTest("built with a sanitizer, which programs would need as well")
        if not shutil.which(compiler[0]):
            self.skipTest(f"{compiler[0]} is not installed")
        program = self.root / "program"
        run(*compiler, *more, source, "-o", program, *self.flags("--cflags", "--libs"))
        return program

    def check_slices(self, program):
        out = run(program, self.trace, 38000, 39999, env=self.env)
        rows = [line.split(" ", 1)[1] for line in out.splitlines() if not line.startswith("longer")]
        self.assertEqual(rows, ["work 2", "work 3", "work 3"], out)

    def test_c(self):
        self.check_slices(self.build(["cc", "-std=c11"], EXAMPLES / "slices.c", *STRICT))

    def test_archive(self):
        """A trace that was exported whole is loaded by the same program, and has the same rows."""
        archive = self.root / "t.orma"
        run(BUILD / "tools/orma", "export", "perfetto", "-o", archive, self.trace)
        self.trace = archive
        self.check_slices(self.build(["cc", "-std=c11"], EXAMPLES / "slices.c", *STRICT))

    def test_static(self):
        if sanitized():
            self.skipTest("built with a sanitizer, which programs would need as well")
        program = self.root / "static"
        # Debian has the libraries below us in this form, too, but for those that systemd and libdw bring.
        libs = [f for f in self.flags("--static", "--libs") if f not in ("-lorma_processor",)]
        run("cc", EXAMPLES / "slices.c", "-o", program, *self.flags("--cflags"), self.lib / "liborma_processor.a",
            *libs)
        self.check_slices(program)

    def test_the_program_of_the_manual(self):
        text = HEADER.read_text(encoding="utf-8")
        program = re.search(r"^ \*     #include <inttypes.h>.*?^ \*     }$", text, re.M | re.S).group()
        source = self.root / "manual.c"
        source.write_text(re.sub(r"^ \*(     )?", "", program, flags=re.M))
        # A millisecond is longer than any of them.
        self.assertEqual(run(self.build(["cc"], source, *STRICT), self.trace, env=self.env), "")
        run(self.root / "program", "/nowhere", env=self.env, code=1)

    def test_threads_forks_and_limits(self):
        big = self.root / "big.json"
        write_trace(big, slices=5000)
        run(BUILD / "tests/integration/reach/reach_rules", big, 5000, self.root / "images")

    def test_cxx(self):
        program = self.build(["c++", "-std=c++17"], EXAMPLES / "sums.cc", *STRICT)
        out = run(program, self.trace, "SELECT dur, name, dur * 0.5 AS half FROM slice", env=self.env)
        self.assertEqual(out.splitlines(), ["40 rows", "dur (l): 820000", "name (u): 0", "half (g): 410000"])
        run(program, self.trace, "SELECT nothing FROM slice", env=self.env, code=1)

    def test_rust(self):
        if sanitized():
            self.skipTest("built with a sanitizer, which programs would need as well")
        if not shutil.which("rustc"):
            self.skipTest("rustc is not installed")
        program = self.root / "names"
        libs = [w for f in self.flags("--libs") for w in (["-L", f[2:]] if f.startswith("-L") else ["-l", f[2:]])]
        run("rustc", "--edition", "2021", "-o", program, EXAMPLES / "names.rs", *libs, cwd=self.root)
        out = run(program, self.trace, env=self.env)
        self.assertEqual(out.splitlines(), [f"10 work {i}" for i in range(4)])


if __name__ == "__main__":
    unittest.main()
