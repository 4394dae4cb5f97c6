#!/usr/bin/env python3
"""The SDK as it is installed: what it exports, and programs that are built against it.

    test_library.py SOURCE_ROOT BUILD_ROOT

Builds tests/golden/sdk/events.c, which uses every macro, and the examples, as C11 and as C++17 with
every compiler that there is, all warnings being errors, against the library and nothing else of ours.
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
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
EVENTS = SOURCE / "tests/golden/sdk/events.c"
COMPILERS = {"gcc": ["-std=c11"], "clang": ["-std=c11"], "g++": ["-x", "c++", "-std=c++17"],
             "clang++": ["-x", "c++", "-std=c++17"]}


def run(*args, **kwargs):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **kwargs)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def declared():
    """What the public headers mark with ORMA_API."""
    names = set()
    for header in sorted((SOURCE / "sdk/include/orma").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
        for m in re.finditer(r"^ORMA_API\s+([^;]*);", text, re.M):
            names.add(re.search(r"(\w+)\s*(\(|$)", m.group(1)).group(1))
    return names


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.lib = cls.root / "lib"
        cls.lib.mkdir()
        for name in ("liborma.so.0.1.0", "liborma.so.0", "liborma.so", "liborma.a"):
            if not (BUILD / "sdk" / name).exists():
                raise unittest.SkipTest(f"{name} was not built")
            shutil.copy2(BUILD / "sdk" / name, cls.lib / name)
        shutil.copytree(SOURCE / "sdk/include/orma", cls.root / "include/orma")
        cls.cflags = [f"-I{cls.root}/include"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compilers(self):
        for name, flags in COMPILERS.items():
            if shutil.which(name):
                yield [name, *flags, *STRICT, *self.cflags]

    def test_exports_what_the_headers_declare(self):
        symbols = {}
        for line in run("nm", "-D", "--defined-only", self.lib / "liborma.so").splitlines():
            name, _, version = line.split()[-1].partition("@@")
            symbols[name] = version
        symbols.pop("ORMA_0.1", None)
        self.assertEqual(set(symbols), declared())
        self.assertEqual(set(symbols.values()), {"ORMA_0.1"})
        text = (SOURCE / "sdk/orma.map").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"^    (\w+);", text, re.M)), declared())

    def test_stays_mapped(self):
        self.assertIn("NODELETE", run("readelf", "-d", self.lib / "liborma.so"))

    def test_needs_only_the_c_library(self):
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", self.lib / "liborma.so"))
        extra = [n for n in needed if not re.match(r"libc\.|libpthread|ld-|lib(a|t|ub|l)san", n)]
        self.assertEqual(extra, [])

    def test_pkg_config_names_it(self):
        path = BUILD / "meson-private/orma.pc"
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        env = dict(os.environ, PKG_CONFIG_PATH=str(path.parent))
        self.assertIn("-lorma", run("pkg-config", "--libs", "orma", env=env))
        self.assertIn("-I", run("pkg-config", "--cflags", "--keep-system-cflags", "orma", env=env))

    def test_headers_compile_everywhere(self):
        for compiler in self.compilers():
            for flags in ([], ["-DORMA_DISABLE_TRACING"], ["-O2"]):
                run(*compiler, *flags, "-c", EVENTS, "-o", self.root / "x.o")
            for header in sorted((SOURCE / "sdk/include/orma").glob("*.h")):
                alone = self.root / "alone.c"
                alone.write_text(f"#include <orma/{header.name}>\nint alone_;\n")
                run(*compiler, "-c", alone, "-o", self.root / "x.o")

    def test_events_vanish_when_compiled_out(self):
        for compiler in self.compilers():
            run(*compiler, "-DORMA_DISABLE_TRACING", "-O1", "-c", EVENTS, "-o", self.root / "x.o")
            left = set(re.findall(r"orma_\w+", run("nm", "-u", self.root / "x.o")))
            events = {n for n in left if re.match(
                r"orma_(slice|instant|complete|counter|scope|category|ds_(first|next|packet))", n)}
            self.assertEqual(events, set())

    def programs(self):
        if not (BUILD / "sdk/liborma.a").exists() or "san" in run("nm", "-u", self.lib / "liborma.a"):
            self.skipTest("built with a sanitizer, which programs would need as well")
        for compiler in self.compilers():
            for kind, libs in (("shared", [f"-L{self.lib}", "-lorma", f"-Wl,-rpath,{self.lib}"]),
                               ("static", [self.lib / "liborma.a"])):
                program = self.root / f"events-{kind}"
                rest = ["-x", "none"] if "-x" in compiler else []
                run(*compiler, EVENTS, *rest, *libs, "-pthread", "-o", program)
                yield program

    def test_programs_record(self):
        for program in self.programs():
            trace = self.root / "t.pftrace"
            run(program, "slices", trace)
            self.assertGreater(trace.stat().st_size, 500)
            trace.unlink()

    PLUGIN = """
        #include <orma/orma.h>
        ORMA_CATEGORY_DEFINE(plugin, "plugin.NAME", NULL, NULL);
        void play(void);
        void play(void)
        {
            for (int i = 0; i < 3; i++)
                ORMA_INSTANT(plugin, "event of NAME", ORMA_ARG_INT("key of NAME", i));
        }
    """
    HOST = """
        #include <dlfcn.h>
        #include <orma/orma.h>
        int main(int argc, char **argv)
        {
            struct orma_recording_args args = ORMA_RECORDING_ARGS;
            struct orma_recording *recording;

            args.path = argv[1];
            if (orma_recording_start(&args, &recording))
                return 1;
            for (int i = 2; i < argc; i++) {
                void *plugin = dlopen(argv[i], RTLD_NOW);
                if (!plugin)
                    return 2;
                ((void (*)(void))dlsym(plugin, "play"))();
                if (dlclose(plugin))
                    return 3;
            }
            (void)argc;
            return orma_recording_stop(recording, NULL) != 0;
        }
    """
    LOADER = """
        #include <dlfcn.h>
        #include <time.h>
        int main(int argc, char **argv)
        {
            void *orma = dlopen(argv[argc - 1], RTLD_NOW);
            if (!orma || ((int (*)(const void *))dlsym(orma, "orma_init"))(0))
                return 1;
            if (dlclose(orma))
                return 2;
            nanosleep(&(struct timespec){0, 50000000}, 0);
            return 0;
        }
    """

    def test_plugins_come_and_go(self):
        if "san" in run("nm", "-D", self.lib / "liborma.so"):
            self.skipTest("built with a sanitizer, which programs would need as well")
        link = [*self.cflags, f"-L{self.lib}", "-lorma", f"-Wl,-rpath,{self.lib}", "-pthread"]
        plugins = []
        for name in ("aaaa", "bbbb", "cccc"):
            source = self.root / f"{name}.c"
            source.write_text(self.PLUGIN.replace("NAME", name))
            plugins.append(self.root / f"{name}.so")
            run("cc", "-shared", "-fPIC", source, *link, "-o", plugins[-1])
        host, trace = self.root / "host.c", self.root / "plugins.pftrace"
        host.write_text(self.HOST)
        run("cc", host, *link, "-ldl", "-o", self.root / "host")
        run(self.root / "host", trace, *plugins)
        query = self.root / "query.sql"
        query.write_text("SELECT name, key, count(*) AS n FROM slice JOIN args USING (arg_set_id) "
                         "GROUP BY name, key ORDER BY name")
        rows = run(BUILD / "compat/trace_processor_shell", "-q", query, trace).split("\n")
        self.assertEqual(rows[1:4], [f'"event of {n}","debug.key of {n}",3'
                                     for n in ("aaaa", "bbbb", "cccc")])

    def test_outlives_a_dlclose(self):
        if "san" in run("nm", "-D", self.lib / "liborma.so"):
            self.skipTest("built with a sanitizer, which programs would need as well")
        source = self.root / "loader.c"
        source.write_text(self.LOADER)
        run("cc", source, "-ldl", "-o", self.root / "loader")
        env = dict(os.environ, PERFETTO_PRODUCER_SOCK_NAME=str(self.root / "nobody.sock"))
        run(self.root / "loader", self.lib / "liborma.so", env=env)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
