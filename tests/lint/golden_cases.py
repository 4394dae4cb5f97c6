#!/usr/bin/env python3
"""What the processor reads has a golden case: a trace, a question and its rows, side by side in tests/golden/.

    tests/lint/golden_cases.py ROOT BUILD [--list]

Four tables say what is read, and each of their rows needs a case:

  kernel events   rows of the tables of handlers, {ORMA_PB_FTRACE_EVENT_NAME, function}
  packets         the arrays of ORMA_PB_TRACE_PACKET_NAME fields that importers take part in
  importers       those that take no packets, items or kernel events: by a case of their name
  formats         rows [ORMA_FORMAT_NAME] of the table of formats, and those that the reader takes itself

The tables are found by what their rows look like, so they may move. A kernel event has a case when a
text trace of tests/golden/ has it in a bundle; a packet likewise; a format when the processor says
that the trace of some case is of it. --list prints which cases cover what. EXEMPT holds what has no
case on purpose, with the reason.
"""
import collections
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()
SHELL = BUILD / "compat/trace_processor_shell"
GOLDEN = ROOT / "tests/golden"

EXEMPT = {
}


def import_diff_test():
    path = str(ROOT / "tools/diff_test")
    loader = importlib.machinery.SourceFileLoader("diff_test", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("diff_test", loader))
    loader.exec_module(module)
    return module


diff_test = import_diff_test()


# ---- what is read ----

def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/', lambda m: m.group(1) or " ", text, flags=re.S)


def sources():
    for path in sorted((ROOT / "processor").rglob("*.c")):
        yield path.relative_to(ROOT).as_posix(), without_comments(path.read_text())


HANDLERS = r"const struct \w*handler\w* \w+\[\] = \{(.*?)\n\};"


def expand_rows(body, code):
    """The rows of a table, those that a macro with ## makes included."""
    for m in re.finditer(r"^#define (\w+)\(\w+\)\s*((?:.*\\\n)*.*##.*(?:\\\n.*)*)$", code, re.M):
        name, text = m.group(1), m.group(2).replace("\\\n", " ")
        row = re.search(r"(ORMA_PB_FTRACE_EVENT_\w+)##\w+", text)
        if row:
            body = re.sub(rf"\b{name}\((\w+)\)", lambda u, row=row: row.group(1) + u.group(1) + ", 0}", body)
    return re.findall(r"\bORMA_PB_FTRACE_EVENT_(\w+)\b", body)


def kernel_events():
    """Name of each handled event, in lower case → the file with its handler."""
    found = {}
    for path, code in sources():
        for m in re.finditer(HANDLERS, code, re.S):
            for name in expand_rows(m.group(1), code):
                found[name.lower()] = path
    return found


def packets():
    found = {}
    for path, code in sources():
        for m in re.finditer(r"static const uint16_t \w+\[\] = \{([^}]*)\};", code):
            for name in re.findall(r"\bORMA_PB_TRACE_PACKET_(\w+)", m.group(1)):
                found[name.lower()] = path
    return found


def importers():
    """Name of each importer that neither a packet nor a kernel event leads to → its file."""
    found = {}
    for path, code in sources():
        for body in re.findall(r"const struct orma_importer \w+ = \{(.*?)\};", code, re.S):
            fields = re.search(r"\.fields = (\w+)", body)
            takes = fields and re.search(rf"\b{fields.group(1)}\[\] = \{{\s*ORMA_PB", code)
            if not takes and ".parse_kind" not in body and not re.search(HANDLERS, code, re.S):
                found[re.search(r'\.name = "(\w+)"', body).group(1)] = path
    return found


def formats():
    """trace_type of each format → where it is read."""
    detect = next(code for _, code in sources() if re.search(r'\[ORMA_FORMAT_\w+\] = "', code))
    names = dict(re.findall(r'\[(ORMA_FORMAT_\w+)\] = "(\w+)"', detect))
    found = {"proto": "the reader", "symbols": "the reader"}
    for path, code in sources():
        for const in re.findall(r"\[(ORMA_FORMAT_\w+)\] = &", code):
            found[names[const]] = path
    return found


# ---- what has a case ----

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|#[^\n]*|[\w.+-]+|[{}<>:\[\]]')


def fields_of(text):
    """The path of each field in a trace as text: ("packet", "ftrace_events", "event", "print")."""
    path, name, is_value = [], None, False
    for token in TOKEN.findall(text):
        if token[0] == "#":
            continue
        if token in "{<":
            path.append(name)
            is_value = False
        elif token in "}>":
            path.pop()
            is_value = False
        elif token == ":":
            is_value = True
        elif token not in "[]" and not is_value:
            name = token
            yield (*path, name)
        elif token not in "[]":
            is_value = False


def numbers_of(prefix, one):
    """Number → name of the fields of a message, in the enum that has the field `one`."""
    for header in sorted((ROOT / "protos/fields").glob("*.h")):
        for body in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", without_comments(header.read_text())):
            if re.search(rf"\b{prefix}{one} =", body):
                return {number: name.lower() for name, number in re.findall(rf"\b{prefix}(\w+) = (\d+)", body)}
    sys.exit(f"protos/fields: no enum has {prefix}{one}: the pattern of this test is old")


def text_traces():
    for path in sorted(GOLDEN.rglob("*.textproto")):
        yield path, path.read_text()
    for path in sorted(GOLDEN.rglob("*.case")):
        for kind, rest, body in diff_test.FileCase.split(path.read_text()):
            if kind == "trace" and rest.strip() in ("", "textproto"):
                yield path, body


def covered_by_text():
    """({kernel event: cases}, {packet: cases})"""
    events, fields = collections.defaultdict(set), collections.defaultdict(set)
    event_names = numbers_of("ORMA_PB_FTRACE_EVENT_", "PRINT")
    field_names = numbers_of("ORMA_PB_TRACE_PACKET_", "FTRACE_EVENTS")
    for path, text in text_traces():
        for m in set(fields_of(text)):
            if len(m) < 2 or m[0] not in ("packet", "1"):
                continue
            field = field_names.get(m[1], m[1].rpartition(".")[2])  # an extension has its full name
            fields[field].add(path)
            if field == "ftrace_events" and len(m) == 4 and m[2] in ("event", "2"):
                events[event_names.get(m[3], m[3]).lower()].add(path)
    return events, fields


def types_of(case):
    """What the processor takes the trace of a case for."""
    runner = diff_test.Runner(SHELL)
    with tempfile.TemporaryDirectory() as scratch:
        trace = runner.trace_of(case, scratch)
        done = subprocess.run([SHELL, "-Q", "SELECT DISTINCT trace_type FROM __intrinsic_trace_file", *case.flags, trace],
                              capture_output=True, text=True, timeout=60)
    return set(re.findall(r'^"(\w+)"$', done.stdout, re.M))


def covered_by_loading():
    cases = list(diff_test.find_cases([GOLDEN / name for name in ("processor", "sql", "track_event")]))
    found = collections.defaultdict(set)
    with ThreadPoolExecutor(2) as pool:
        for case, types in zip(cases, pool.map(types_of, cases)):
            for t in types:
                found[t].add(case.path)
    return found


def covered_by_name():
    found = collections.defaultdict(set)
    for case in diff_test.find_cases([GOLDEN / "processor"]):
        found[pathlib.PurePath(case.name).name].add(case.path)
    return found


def main():
    events, fields = covered_by_text()
    kinds = (("kernel event", kernel_events(), events, 100, "kernel"),
             ("packet", packets(), fields, 40, "packets"),
             ("importer", importers(), covered_by_name(), 1, "cases"),
             ("format", formats(), covered_by_loading(), 15, "formats"))
    findings, used = [], set()
    for kind, wanted, have, at_least, folder in kinds:
        if len(wanted) < at_least:
            findings.append(f"{kind}s: only {len(wanted)} found: the pattern of this test is old")
        for name, path in sorted(wanted.items()):
            if have.get(name):
                if "--list" in sys.argv:
                    print(f"{kind} {name}: {', '.join(sorted(str(p.relative_to(GOLDEN)) for p in have[name]))}")
            elif (kind, name) in EXEMPT:
                used.add((kind, name))
            else:
                findings.append(f"{path}: no golden case has the {kind} {name}: add one to "
                                f"tests/golden/processor/{folder}/ (docs/HACKING.md, \"How to add things\")")
    findings += [f"EXEMPT: the {kind} {name} needs no exemption any more" for kind, name in sorted(set(EXEMPT) - used)]
    print("\n".join(findings + [f"{', '.join(f'{len(w)} {k}s' for k, w, *_ in kinds)}; {len(findings)} findings"]))
    sys.exit(1 if findings else 0)


main()
