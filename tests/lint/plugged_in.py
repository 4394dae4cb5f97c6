#!/usr/bin/env python3
"""What is declared is plugged in: walks every registry of the project.

    tests/lint/plugged_in.py ROOT BUILD [CHECK ...]     # all checks, or those named

Each check below looks at one registry from both ends. What is defined in a source must be a row of
its table, and what is a row must be reachable in the real programs, under the name that people use.
A finding is one line: where, what, and what to do. EXEMPT holds what is left out on purpose, each
with its reason; a reason that nothing needs any more is a finding, too.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile

import tree

ROOT = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()
PRODUCT = ("sdk", "protos", "traced", "probes", "processor", "tools")
ORMA = BUILD / "tools/orma"
SHELL = BUILD / "compat/trace_processor_shell"

# (check, name): why it is allowed. `dead`: nothing of the product uses it.
EXEMPT = {
    ("dead", "orma_field_default"): "protos/reflect is a library of schemas: defaults are part of its interface",
    ("dead", "orma_field_options"): "the same: options of fields",
    ("dead", "orma_schema_enum_count"): "the same: how many enums",
    ("dead", "orma_reflect_sink_buf"): "the same: the sink that writes into memory",
    ("dead", "orma_text_print_stream"): "the same: text of a message that is longer than memory",
    ("dead", "orma_pb_fail"): "inlined wherever it is called; inline functions of a header have a body in one file",
    ("dead", "orma_shm_take"): "the model of one chunk that stress tests hold the fast path against",
    ("dead", "orma_sql_parse_columns"): "the dialect's parser as a library: fuzzed and tested alone",
    ("dead", "orma_sql_parse_prototype"): "the same",
    ("dead", "orma_symbolizer_worker"): "the child's side of the symbolizer, run in a thread by its tests",
    ("dead", "mmap"): "called by the programs that sdk/heap/wrappers.c is loaded into",
    ("dead", "posix_memalign"): "the same",
    ("dead", "pvalloc"): "the same",
    ("dead", "reallocarray"): "the same",
    ("dead", "valloc"): "the same",
    ("dead", "orma_mem_set_refusal"): "memory that runs out when a test says so",
    ("dead", "orma_tsc_is_trusted"): "whether the counter is used here: tests of clocks ask",
    ("build_files", "sdk/examples/first.c"): "docs/sdk.md shows it; tests/integration/sdk/test_examples.py compiles it",
    ("build_files", "sdk/examples/thermometer.c"): "the same",
    ("build_files", "sdk/examples/shop.c"): "docs/tutorial.md compiles it, and so does test_examples.py",
    ("options", "OPT_SYSTEM"): "tracebox takes its one option out of perfetto's words before they are parsed",
    ("documents", "orma.c"): "made by tools/amalgamate.py",
    ("format", "proto"): "packets are read by read/reader.c, before there is a table",
    ("format", "symbols"): "packets, too",
}
used_exemptions = set()


def exempt(check, name):
    if (check, name) not in EXEMPT:
        return False
    used_exemptions.add((check, name))
    return True


@functools.lru_cache(maxsize=None)
def text(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


@functools.lru_cache(maxsize=None)
def code(path):
    """The text without comments; texts in quotes may look like their begin."""
    return re.sub(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|/\*.*?\*/|//[^\n]*',
                  lambda m: m.group(1) or " ", text(path), flags=re.S)


@functools.lru_cache(maxsize=None)
def files(pattern, *tops):
    return [p.relative_to(ROOT).as_posix() for p in tree.find(ROOT, pattern, *(tops or PRODUCT))]


def run(*argv, env=None, **more):
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(env or {})}, **more)


def in_parallel(fn, items):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(fn, items))


def is_word(word, where):
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", where) is not None


# ---- tables of C: a definition anywhere, a row in one file ----

def definitions(kind, tops):
    """(name, file) of every `const KIND NAME[...] = {` with external linkage."""
    for path in files("*.c", *tops):
        for m in re.finditer(rf"^const {kind} \*?(?:const )?(\w+)(?:\[\w*\])? = ", code(path), re.M):
            yield m.group(1), path


TABLES = {
    "sources": (r"struct orma_source_type", ("probes",), "probes/sources.c"),
    "importers": (r"struct orma_importer", ("processor/import",), "processor/assembly/importers.c"),
    "formats": (r"struct orma_format_ops", ("processor/import/formats",), "processor/assembly/importers.c"),
    "handlers": (r"struct orma_kernel_handler", ("processor/import/kernel", "processor/import"),
                 "processor/import/kernel/kernel.c"),
    "functions": (r"struct orma_sql_func", ("processor",), "processor/sql/builtins.c"),
    "tvfs": (r"struct orma_tvf", ("processor",), "processor/sql/builtins.c"),
    "operators": (r"struct orma_sql_module", ("processor",), "processor/sql/builtins.c"),
    "commands": (r"struct orma_command", ("tools",), "tools/commands.c tools/applets.c tools/pages.c"
                 " tools/shell/shell.c tools/convert/convert.c tools/cmd_profile.c"),
}


def check_tables():
    """Every object of these types is a row of the one table of its kind."""
    for what, (kind, tops, registry) in TABLES.items():
        rows = " ".join(re.sub(r"^extern[^;]*;", "", code(r), flags=re.M) for r in registry.split())
        found = set(definitions(kind, tops))
        if len(found) < 3:
            yield f"{what}: only {len(found)} definitions of '{kind}' found: the pattern of this test is old"
        for name, path in sorted(found):
            if not is_word(name, rows):
                yield f"{path}: {name} is in no table: add it to {registry.split()[0]}"


def check_options():
    """An option that a command declares is handled by it: its constant stands in a row and in a case."""
    for path in files("*.c", "tools", "traced", "probes"):
        body = code(path)
        for m in re.finditer(r"enum \{([^}]*\bOPT_[^}]*)\}", body):
            for opt in re.findall(r"\bOPT_\w+", m.group(1)):
                family = body + "".join(code(p) for p in files("*.[ch]", str(pathlib.Path(path).parent))
                                        if p != path and is_word(opt, code(p)))
                uses = len(re.findall(rf"\b{opt}\b", family))
                if uses < 3 and not exempt("options", opt):
                    yield f"{path}: {opt} stands {uses} times: declared, and not both a row and handled"


# ---- files and build ----

def mesons():
    return {p: text(p) for p in files("meson.build", *PRODUCT, "tests")}


def check_build_files():
    """Every source is in a meson.build, and every test file is run by one."""
    builds = mesons()
    everything = "\n".join(builds.values()) + text("meson.build")
    for path in files("*.c", *PRODUCT, "tests") + files("*.py", "tests") + files("*.sql", "processor"):
        p = pathlib.PurePath(path)
        if "corpus" in p.parts or "cases" in p.parts or (ROOT / path).is_symlink():
            continue
        near = [b for b in builds if path.startswith(str(pathlib.PurePath(b).parent) + "/")]
        own = "\n".join(builds[b] for b in near)
        stem = p.stem.removeprefix("test_").removeprefix("fuzz_").removeprefix("bench_").removeprefix("stress_")
        listed = is_word(p.name, own) or any(
            str(p.relative_to(pathlib.PurePath(b).parent)) in builds[b] for b in near) or \
            re.search(rf"'{re.escape(stem)}'", own) or re.search(rf"'(\w+/)?{re.escape(p.stem)}'", own)
        if listed or p.suffix == ".py" and imported(p.stem) or p.suffix == ".c" and is_word(p.name, everything):
            continue
        if any(p.match(pat) for pat in ("protos/perfetto/*", "tests/golden/*/*/*")):
            continue
        if not exempt("build_files", path):
            yield f"{path}: in no meson.build: add it, or remove it"


@functools.lru_cache(maxsize=None)
def imported(module):
    """Whether another script imports it."""
    return any(re.search(rf"^\s*(?:from {module} import|import {module}\b)", text(p), re.M)
               for p in files("*.py", "tests", "tools"))


def check_meson_options():
    for name in re.findall(r"^option\('(\w+)'", text("meson_options.txt"), re.M):
        if not any(f"get_option('{name}')" in t for t in [*mesons().values(), text("meson.build")]):
            yield f"meson_options.txt: no meson.build asks for '{name}'"


def check_fuzzers():
    for path in files("fuzz_*.c", "tests/fuzz"):
        name = pathlib.PurePath(path).stem.removeprefix("fuzz_")
        corpus = ROOT / "tests/fuzz/corpus" / name
        if not corpus.is_dir() or not any(corpus.iterdir()):
            yield f"{path}: tests/fuzz/corpus/{name} is empty: nothing is replayed"
    for corpus in (ROOT / "tests/fuzz/corpus").iterdir():
        if f"tests/fuzz/fuzz_{corpus.name}.c" not in files("fuzz_*.c", "tests/fuzz"):
            yield f"tests/fuzz/corpus/{corpus.name}: no fuzzer reads it"


def check_installed():
    """Public headers are installed, what is exported is declared, and what is declared is exported."""
    done = run("meson", "introspect", "--installed", BUILD)
    installed = json.loads(done.stdout) if done.returncode == 0 else None
    if installed is None:
        yield f"meson introspect fails: {done.stderr[-200:]}"
        return
    sources = [pathlib.Path(p) for p in installed]
    for header in [*files("*.h", "sdk/include"), "sdk/tracefile/orma_tracefile.h"]:
        if not any((ROOT / header) == s or s in (ROOT / header).parents for s in sources):
            yield f"{header}: not installed"
    declared = set()
    for header in files("*.h", "sdk/include"):
        declared |= set(re.findall(r"ORMA_API[^;{]*?\b(orma_\w+)\s*(?:\([^;]*)?;", code(header)))
    exported = set(re.findall(r"^\s+(orma_\w+);", text("sdk/orma.map"), re.M))
    library = next((p for p in (BUILD / "sdk").glob("liborma.so*") if p.is_file() and not p.is_symlink()), None)
    real = set(re.findall(r" [TDBR] (orma_\w+)", run("nm", "-D", "--defined-only", library).stdout)) if library else exported
    for name in sorted(declared ^ exported | exported ^ real):
        yield f"{name}: declared {name in declared}, in sdk/orma.map {name in exported}, in the library {name in real}"


# ---- dead code: symbols of the objects ----

def symbols(objects, *flags):
    out = run("nm", "-A", "--format=posix", *flags, *objects).stdout
    for line in out.splitlines():
        where, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        yield where, name, kind


def product_objects():
    """Objects of the product itself: generated parsers and embedded texts are not written by hand."""
    found = []
    for top in PRODUCT:
        found += [p for p in (BUILD / top).rglob("*.o") if "meson-generated" not in p.name and "pb-c" not in p.name]
    return sorted(found)


def is_used_at_home(name, sources):
    return any(len(re.findall(rf"\b{name}\b", code(s))) > 1 for s in sources)


def check_dead():
    """Every external symbol of ours is used by another object, by its own file, or is public."""
    objects = product_objects()
    defined, used = {}, set()
    for where, name, kind in symbols(objects):
        if kind == "U":
            used.add(name)
        elif kind in "TDBRC" and not name.startswith("_"):
            defined.setdefault(name, where)
    if len(defined) < 500:
        yield f"dead: nm found only {len(defined)} symbols in {len(objects)} objects"
    public = "".join(code(h) for h in files("*.h", "sdk/include", "processor/include")) + code("sdk/tracefile/orma_tracefile.h")
    public += text("sdk/cabi/exports.txt")  # names that programs know, compiled elsewhere
    sources = {path.replace("/", "_"): path for path in files("*.c")}
    for name, where in sorted(defined.items()):
        inside = re.search(r"([\w.-]+\.c)\.o$", where).group(1)
        folder = pathlib.PurePath(where).relative_to(BUILD).parent.parent.as_posix().replace("/", "_")
        home = [p for p in (sources.get(f"{folder}_{inside}"), sources.get(inside)) if p]
        if name in used or name == "main" or is_word(name, public) or is_used_at_home(name, home):
            continue
        if any("/examples/" in h for h in home) or exempt("dead", name):
            continue
        yield f"{home[0] if home else where}: nothing uses {name}: remove it"


def check_declared():
    """What a header declares exists: a prototype has a body, an inline function and a macro a user."""
    everything = "\n".join(code(p) for p in files("*.[ch]", *PRODUCT))
    tests = "\n".join(code(p) for p in files("*.[ch]", "tests"))
    count = {}
    for word in re.findall(r"\w+", everything):
        count[word] = count.get(word, 0) + 1
    in_tests = set(re.findall(r"\w+", tests))
    for path in files("*.h"):
        if path.startswith(("protos/fields", "protos/tables", "sdk/include", "sdk/tracefile")) or "pb-c" in path:
            continue
        body = code(path)
        names = set(re.findall(r"^(?!static|#|typedef|return)[\w\s*]*?\b((?:orma|traced|perfetto)_\w+)\(", body, re.M))
        names |= set(re.findall(r"^static (?:inline )?[\w\s*]*?\b(\w+)\(", body, re.M))
        names |= set(re.findall(r"^#define (ORMA_\w+|TRACED_\w+)\(", body, re.M))
        for name in sorted(names):
            if count.get(name, 0) < 2 and name not in in_tests and not exempt("declared", name):
                yield f"{path}: {name} is declared, and nothing defines or uses it"


# ---- the processor, through its shell ----

class Trace:
    """An empty trace, and questions to it."""
    def __init__(self):
        self.dir = tempfile.TemporaryDirectory(prefix="orma-plugged-")
        self.path = pathlib.Path(self.dir.name) / "empty.pftrace"
        self.path.write_bytes(b"")

    def ask(self, sql):
        return run(SHELL, "-Q", sql, self.path)

    def column(self, sql):
        done = self.ask(sql)
        return [line.strip('"') for line in done.stdout.splitlines()[1:] if line]


def documented(section):
    page = text("docs/sql-functions.md").partition(f"\n## {section}")[2].partition("\n## ")[0]
    return sorted(set(re.findall(r"^\*\*`(\w+)", page, re.M)))


def check_sql():
    """Each function, table and operator of docs/sql-functions.md (a golden test holds the page against
    the tables of natives) answers under its name."""
    trace = Trace()
    asked = [(f, f"SELECT {f}()", "no such function") for f in documented("Functions")]
    asked += [(f, f"SELECT {f}()", "no such function") for f in documented("Aggregates")]
    asked += [(f, f"SELECT * FROM {f}", "no such table") for f in documented("Tables with")]

    def wrong(item):
        name, sql, missing = item
        said = trace.ask(sql).stderr
        if missing not in said:
            return None
        operator = trace.ask(f"CREATE VIRTUAL TABLE t USING {name}()").stderr
        return name if missing == "no such function" or "no such module" in operator else None

    if len(asked) < 100:
        yield f"docs/sql-functions.md names {len(asked)} functions: the pattern of this test is old"
    for name in filter(None, in_parallel(wrong, asked)):
        yield f"docs/sql-functions.md: {name} is not there in SQL"


def check_sql_tables():
    """Each stored table, projection and view answers; docs/tables.md names no other, and all."""
    trace = Trace()
    stored = set(re.findall(r'^\s+\[ORMA_TABLE_\w+\] =\s*\{\s*"(\w+)"', text("processor/store/table_defs.c"), re.M))
    shown = set(re.findall(r"^(\w+)\t\w+", text("processor/sql/tables/projections.tsv"), re.M))
    named = set(re.findall(r"^\*\*(\w+)\*\*", text("docs/tables.md"), re.M))
    if len(stored) < 50 or len(shown) < 50 or len(named) < 50:
        yield f"tables: {len(stored)} stored, {len(shown)} shown, {len(named)} in docs: the patterns of this test are old"
    for name in sorted(shown - named):
        yield f"docs/tables.md lacks {name}"
    tables = sorted(t for t in stored | shown | named if not t.startswith("_orma_"))  # those are our own

    def wrong(name):
        said = trace.ask(f"SELECT * FROM {name} LIMIT 0").stderr
        return f"{name}: {said.strip().splitlines()[-1]}" if "no such table" in said else None

    yield from (f"table {w}" for w in filter(None, in_parallel(wrong, tables)))


def check_sql_modules():
    """Every module of the standard library can be included, all in one process."""
    trace = Trace()
    modules = [p.removeprefix("processor/sql/stdlib/").removesuffix(".sql").replace("/", ".")
               for p in files("*.sql", "processor/sql/stdlib")]
    # The catalog lists what modules define, so that all of it is made.
    done = trace.ask(";".join(f"INCLUDE PERFETTO MODULE {m}" for m in modules) + "; SELECT count(*) FROM sqlite_master")
    if done.returncode:
        yield f"a module of the standard library: {done.stderr[-400:]}"
    listed = set(trace.column("SELECT DISTINCT module FROM __intrinsic_stdlib_objects"))
    if not listed:
        listed = set(trace.column("SELECT DISTINCT module FROM __intrinsic_stdlib_objects()"))
    for m in modules:
        if listed and m not in listed and not m.startswith("prelude") and "CREATE PERFETTO" in text(
                f"processor/sql/stdlib/{m.replace('.', '/')}.sql"):
            yield f"processor/sql/stdlib: {m} is not among the stdlib's objects"


def check_metrics():
    trace = Trace()
    offered = trace.column("SELECT name FROM trace_metrics")
    defined = [pathlib.PurePath(p).stem for p in files("*.sql", "processor/metrics/sql")
               if f"{pathlib.PurePath(p).stem}_output" in text(p)]  # others are parts of metrics
    for name in sorted(set(offered) ^ set(defined)):
        yield f"metric {name}: file {name in defined}, in trace_metrics {name in offered}"
    for name in offered:
        done = run(SHELL, "metrics", "--run", name, trace.path)
        if done.returncode:
            yield f"metric {name} does not run: {done.stderr[-200:]}"
        if not is_word(name, text("docs/metrics.md")):
            yield f"docs/metrics.md lacks {name}"


def check_formats():
    """A format that is told by its bytes is read by somebody, and stands in docs/formats.md."""
    names = dict(re.findall(r'\[(ORMA_FORMAT_\w+)\] = "(\w+)"', code("processor/read/detect_names.c")))
    rows = code("processor/assembly/importers.c")
    page = text("docs/formats.md")
    if len(names) < 15:
        yield f"formats: only {len(names)} names found: the pattern of this test is old"
    for const, name in sorted(names.items()):
        reads = f"[{const}]" in rows
        if reads and not is_word(name, page):
            yield f"docs/formats.md lacks {name}"
        if not reads and not exempt("format", name) and is_word(f"`{name}`", page.partition("## ")[0]):
            yield f"docs/formats.md promises {name}, and nothing reads it"


def check_statistics():
    """A statistic of our own is counted."""
    names = [row.split("\t")[0] for row in text("processor/store/own_stats.tsv").splitlines()[1:]]
    if not names:
        yield "statistics: none found in processor/store/own_stats.tsv: the pattern of this test is old"
    every = "\n".join(code(p) for p in files("*.c", "processor") if "stat_defs" not in p)
    for name in names:
        if not is_word("ORMA_STAT_" + name.upper(), every):
            yield (f"processor/store/own_stats.tsv: nobody counts {name}: an importer does with "
                   f"orma_stats_inc(..., ORMA_STAT_{name.upper()})")


# ---- commands, help, manual, completion, names ----

def overview():
    said = run(ORMA, "help").stdout
    commands = re.findall(r"^(?:[a-z]+)? +([a-z]+) +[A-Z]", said, re.M)
    commands += re.search(r"^also +(.*)", said, re.M)[1].split()
    topics = said.partition("Help topics: ")[2].partition("\n")[0].split(", ")
    return commands, topics


def check_commands():
    """A command has its help, manual page, completion, and a place in docs/commands.md."""
    commands, topics = overview()
    bash = (BUILD / "tools/orma.bash").read_text()
    tools = text("tools/meson.build")
    page = text("docs/commands.md")
    for path in files("cmd_*.c", "tools"):
        name = pathlib.PurePath(path).stem.removeprefix("cmd_")
        if name not in commands:
            yield f"{path}: 'orma {name}' is not in the overview of 'orma help'"
    for name in commands:
        if run(ORMA, name, "--help").returncode:
            yield f"'orma {name} --help' fails"
        if run(ORMA, "help", name).returncode:
            yield f"'orma help {name}' fails"
        if f"'orma-{name}'" not in tools or not (BUILD / f"tools/orma-{name}.1").exists():
            yield f"tools/meson.build: no manual page of 'orma {name}'"
        if not is_word(name, bash):
            yield f"completion does not know 'orma {name}'"
        if f"orma {name}" not in page:
            yield f"docs/commands.md lacks 'orma {name}': add a row to its section Names"
    for topic in topics:
        if run(ORMA, "help", topic).returncode:
            yield f"'orma help {topic}' fails"
        if not is_word(topic, bash):
            yield f"completion does not know the topic {topic}"


def check_sections():
    """A section of report, why and diff is named in the command's help; docs/commands.md has a table of those of report and why."""
    page = text("docs/commands.md")
    for command, table, heading in (("report", "sections.c", "Reports"), ("why", "why.c", "Why something took so long"), ("diff", "diff_sections.c", None)):
        names = re.findall(r'\.name = "([\w-]+)"', code(f"tools/report/{table}"))
        said = " ".join(run(ORMA, command, "--help").stdout.split())
        told = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        if len(names) < 5:
            yield f"tools/report/{table}: only {len(names)} sections found: the pattern of this test is old"
        for name in names:
            if not re.search(rf"(?<![\w-]){name}(?![\w-])", said):
                yield f"tools/cmd_{command}.c: the help of 'orma {command}' does not name the section {name}"
            if heading and f"`{name}`" not in told:
                yield f"docs/commands.md: the table in '{heading}' lacks {name}"


def check_names():
    """Names of other programs: built, installed, with a manual page, and answering."""
    applets = set(re.findall(r"\{&orma_cmd_(\w+),", code("tools/applets.c"))) | {"trace_processor_shell"}
    script = set(re.search(r"for name in ([\w ]+);", text("tools/compat.sh")).group(1).split())
    meson = text("tools/meson.build")
    installed = set(re.findall(r"'(\w+)'", re.search(r"compat_names = [^\[]*\[(.*?)\]", meson, re.S).group(1)))
    manual = re.search(r"man_names = \['orma'.*?\]", meson, re.S).group(0)
    for name in sorted(applets | script | installed):
        for where, there in (("tools/compat.sh", script), ("compat_names in tools/meson.build", installed)):
            if name not in there:
                yield f"{where} lacks {name}"
        if name in applets and f"'{name}'" not in manual:
            yield f"tools/meson.build: no manual page of {name}"
        if run(BUILD / "compat" / name, "--help").returncode:
            yield f"'{name} --help' fails"
        if not is_word(name, text("docs/commands.md")):
            yield f"docs/commands.md lacks {name}"


# ---- recording: data sources, methods ----

def source_names():
    for path in files("*.c", "probes"):
        for body in re.findall(r"const struct orma_source_type \w+ = \{(.*?)\n\};", code(path), re.S):
            name = re.search(r'\.name = ("[^"]+"|\w+)', body).group(1)
            if not name.startswith('"'):
                name = re.search(rf'#define {name}\s+("[^"]+")', code(path)).group(1)
            yield name.strip('"'), path


class Daemons:
    """The service on private sockets, and whatever else is started with it."""
    def __init__(self):
        self.dir = tempfile.TemporaryDirectory(prefix="orma-plugged-")
        self.env = {"PERFETTO_PRODUCER_SOCK_NAME": f"{self.dir.name}/p", "PERFETTO_CONSUMER_SOCK_NAME": f"{self.dir.name}/c"}
        self.running = []

    def __enter__(self):
        r, w = os.pipe()
        self.start(BUILD / "traced/traced", "--enable-relay-endpoint", notify=w)
        os.close(w)
        os.read(r, 1)
        os.close(r)
        return self

    def start(self, *argv, notify=None):
        env = {**os.environ, **self.env, "PERFETTO_RELAY_SOCK_NAME": f"{self.dir.name}/r"}
        if notify is not None:
            env["TRACED_NOTIFY_FD"] = str(notify)
        self.running.append(subprocess.Popen([str(a) for a in argv], env=env, stderr=subprocess.DEVNULL,
                                             pass_fds=[notify] if notify is not None else []))

    def __exit__(self, *_):
        for p in reversed(self.running):
            p.terminate()
        for p in self.running:
            p.wait(30)
        self.dir.cleanup()


def check_sources():
    """A data source of the probes is in help and its notes, in the documents, and registered with a service."""
    names = dict(source_names())
    helped = set(re.findall(r"^  (linux\.\w+) ", run(ORMA, "help", "sources").stdout.partition("\n\n")[0], re.M))
    notes = set(re.findall(r'^\s+\{"([\w.]+)",', code("tools/record/source_notes.c"), re.M))
    page = set(re.findall(r"^\| `([\w.]+)` \|", text("docs/data-sources.md").partition("\n## ")[0], re.M))
    registered = set()
    with Daemons() as d:
        d.start(BUILD / "probes/traced_probes")
        for _ in range(100):
            registered = set(re.findall(r"\b(linux\.\w+)", run(ORMA, "status", env=d.env).stdout))
            if registered >= set(names):
                break
    for name, path in sorted(names.items()):
        for where, there in (("'orma help sources'", helped), ("tools/record/source_notes.c", notes),
                             ("docs/data-sources.md", page), ("the service, from traced_probes", registered)):
            if name not in there:
                yield f"{path}: {name} is not in {where}"
    for where, there in (("tools/record/source_notes.c", notes), ("docs/data-sources.md", page)):
        for name in sorted(there - set(names) - {"track_event"}):
            yield f"{where}: nothing in probes/ is {name}"


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def methods_of(path, port):
    """What the service says it can do on this port."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(30)
        s.connect(path)
        body = field(2, 1) + field(3, field(1, port.encode()))
        s.sendall(struct.pack("<I", len(body)) + body)
        got = b""
        while len(got) < 4 or len(got) < 4 + struct.unpack("<I", got[:4])[0]:
            part = s.recv(65536)
            if not part:
                break
            got += part
    return {m.decode() for m in re.findall(rb"[A-Z][A-Za-z]{3,40}", got)}


def check_methods():
    """Every method of the IPC services is offered and implemented; those of the RPC are answered."""
    table = text("sdk/ipc/methods.h")
    with Daemons() as d:
        for port, sock, source in (("ConsumerPort", "c", "endpoints/consumer_port"), ("ProducerPort", "p", "endpoints/producer_port")):
            known = re.findall(rf'\[(ORMA_{port[:-4].upper()}_PORT_\w+)\] =\s+(?:\\\s+)?"(\w+)"', table)
            offered = methods_of(f"{d.dir.name}/{sock}", port)
            if len(known) < 10:
                yield f"methods: only {len(known)} of {port} found: the pattern of this test is old"
            for const, name in known:
                if name not in offered:
                    yield f"{port}.{name} is not offered by the service"
                if f"[{const}] =" not in code(f"traced/{source}.c"):
                    yield f"traced/{source}.c: {port}.{name} is offered without a function: a call of it would crash"
    rpc = "".join(code(p) for p in files("rpc*.c", "processor/serve"))
    for const in re.findall(r"\b(ORMA_PB_TRACE_PROCESSOR_RPC_TPM_\w+)", text("protos/fields/trace_processor.h")):
        if not const.endswith("_UNSPECIFIED") and not is_word(const, rpc):
            yield f"processor/serve/rpc.c does not answer {const}"


# ---- documents ----

def anchors(page):
    found = set()
    for line in re.sub(r"```.*?```", "", text(page), flags=re.S).splitlines():
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower())
            found.add(title.replace(" ", "-"))
    return found


def code_spans(page):
    """What stands in backticks, a line at most."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text(page), flags=re.S))


def check_documents():
    """Links lead somewhere; files, functions and options that are named exist."""
    pages = ["README.md", *files("*.md", "docs")]
    names = set()
    for path in files("*.[ch]", *PRODUCT, "tests"):
        names |= set(re.findall(r"\b(?:orma|traced|ORMA)_\w+", text(path)))
    known_files = {p.relative_to(ROOT).as_posix() for top in (*PRODUCT, "tests", "docs", ".ci")
                   for p in (ROOT / top).rglob("*") if p.is_file()}
    tails = {}
    for f in known_files:
        parts = f.split("/")
        for i in range(len(parts)):
            tails.setdefault("/".join(parts[i:]), f)
    for page in pages:
        for link in re.findall(r"\]\(([^)\s]+)\)", text(page)):
            target, _, anchor = link.partition("#")
            if "://" in link:
                continue
            file = (ROOT / page).parent / target if target else ROOT / page
            if not file.exists():
                yield f"{page}: the link to {link} leads nowhere"
            elif anchor and anchor not in anchors(file.resolve().relative_to(ROOT).as_posix()):
                yield f"{page}: {target or page} has no section '#{anchor}'"
        for span in code_spans(page):
            m = re.fullmatch(r"((?:%s|tests|docs|read|import|store|sql|serve|include)/[\w./-]+\.(?:c|h|py|md|sh|sql|tsv|proto))(?::\d+)?"
                             % "|".join(PRODUCT), span)
            if m and m.group(1) not in tails and "NAME" not in span:
                yield f"{page}: there is no file {span}"
            if re.fullmatch(r"[a-z]\w*\.[ch]", span) and span not in tails and not exempt("documents", span):
                yield f"{page}: no file is called {span}"
            m = re.fullmatch(r"((?:orma|ORMA)_[a-z]\w+)\(.*\)?", span)
            if m and m.group(1) not in names and f"{m.group(1)}" not in "".join(text(p) for p in files("*.sql", "processor")):
                yield f"{page}: there is no {m.group(1)}()"


@functools.lru_cache(maxsize=None)
def help_of(program):
    words = {"orma": [ORMA], "traced": [BUILD / "traced/traced"], "traced_probes": [BUILD / "probes/traced_probes"]}
    first, *rest = program.split()
    argv = words.get(first, [BUILD / "compat" / first])
    return run(*argv, *rest, "--help").stdout


def check_examples():
    """Command lines in documents use commands and long options that exist."""
    commands, _ = overview()
    programs = ["traced", "traced_probes", "perfetto", "traceconv", "tracebox", "trigger_perfetto"]
    for page in ["README.md", *files("*.md", "docs")]:
        for block in re.findall(r"```sh\n(.*?)```", text(page), re.S):
            for line in re.sub(r"\\\n", " ", block).splitlines():
                line = re.sub(r"\$\(.*?\)", "", line.partition(" #")[0].partition(" -- ")[0])
                m = re.match(r"\s*(?:sudo |\w+=\S+ |\S*/)*(orma (profile (?:report|diff)|[a-z]+)|%s)\b([^|;&>]*)" % "|".join(programs), line)
                if not m:
                    continue
                if m.group(2) and m.group(2).split()[0] not in commands:
                    yield f"{page}: there is no command 'orma {m.group(2)}'"
                    continue
                said = help_of(m.group(1))
                for option in re.findall(r"(?<!\S)(--[a-z][\w-]+)", m.group(3)):
                    if option not in said and option not in ("--help", "--version") and m.group(1) != "tracebox":
                        yield f"{page}: '{m.group(1)}' has no option {option}: {line.strip()}"


CHECKS = {name.removeprefix("check_"): fn for name, fn in list(globals().items()) if name.startswith("check_")}


def main():
    wanted = sys.argv[3:] or list(CHECKS)
    found = 0
    for name in wanted:
        for finding in CHECKS[name]():
            print(f"{name}: {finding}")
            found += 1
    if wanted == list(CHECKS):
        for check, name in sorted(e for e in set(EXEMPT) - used_exemptions if e[0] != "format" and EXEMPT[e]):
            print(f"exempt: {name} needs no exemption from '{check}' any more: remove the row")
            found += 1
    print(f"{len(wanted)} registries walked, {found} findings")
    sys.exit(1 if found else 0)


main()
