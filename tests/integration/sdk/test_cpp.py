#!/usr/bin/env python3
"""The public headers in C++, by each standard and compiler that there is, warnings being errors.

    test_cpp.py SOURCE_ROOT BUILD_ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
INCLUDES = [f"-I{SOURCE / folder}" for folder in ("sdk/include", "sdk/tracefile", "processor/include")]
STANDARDS = ["c++11", "c++14", "c++17", "c++20"]
EVENTS = SOURCE / "tests/golden/sdk/events.c"  # every macro
SINCE_17 = {"orma.hpp"}


def run(*args, **kwargs):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **kwargs)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}\n{done.stdout}{done.stderr}")


class Cpp(unittest.TestCase):
    def each(self):
        compilers = [c for c in ("g++", "clang++") if shutil.which(c)]
        if not compilers:
            self.skipTest("no compiler of C++ is installed")
        for compiler in compilers:
            for standard in STANDARDS:
                yield [compiler, f"-std={standard}", *STRICT, *INCLUDES], standard

    def test_every_macro(self):
        for compiler, _ in self.each():
            for flags in ([], ["-DORMA_DISABLE_TRACING"]):
                run(*compiler, *flags, "-fsyntax-only", "-x", "c++", EVENTS)

    def test_each_header_alone_and_twice(self):
        headers = [*(SOURCE / "sdk/include/orma").glob("*.h*"), *(SOURCE / "processor/include/orma").glob("*.h"),
                   SOURCE / "sdk/tracefile/orma_tracefile.h"]
        self.assertGreater(len(headers), 10)
        for compiler, standard in self.each():
            for header in sorted(headers):
                if header.name in SINCE_17 and standard < "c++17":
                    continue
                name = header.name if header.parent.name != "orma" else f"orma/{header.name}"
                text = f"#include <{name}>\n#include <{name}>\nint main() {{ return 0; }}\n"
                run(*compiler, "-fsyntax-only", "-x", "c++", "-", input=text)

    def test_a_program_of_each_records(self):
        library = BUILD / "sdk/liborma.so"
        if "san" in subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout:
            self.skipTest("built with a sanitizer, which programs would need as well")
        with tempfile.TemporaryDirectory() as folder:
            program, trace = pathlib.Path(folder) / "events", pathlib.Path(folder) / "t.pftrace"
            for compiler, _ in self.each():
                run(*compiler, "-x", "c++", EVENTS, "-x", "none", f"-L{library.parent}", "-lorma",
                    f"-Wl,-rpath,{library.parent}", "-pthread", "-o", program)
                run(program, "slices", trace)
                self.assertGreater(trace.stat().st_size, 500)
                trace.unlink()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
