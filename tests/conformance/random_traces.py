#!/usr/bin/env python3
"""Compares tables and queries with the reference's on traces that others made.

    tests/conformance/random_traces.py SHELL [--folder random|mutants] [--kind KIND] [--only REGEX] [--show] [--kept]

The folders of samples: random has traces of generators, mutants has files of real programs, each changed in a few places. Each KIND.tar.gz of the folder has traces (or queries) and what the reference answered. Tables are compared by meaning: its
tables.py turns ids into labels. What differs by a rule of kept.py is not a difference; --kept tells how often each rule was
needed. A line `ok KIND/SEED` or `FAIL KIND/SEED` for each case, for passing.py to judge.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import pathlib
import re
import tarfile
import tempfile

import kept
import shared


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Suite:
    def __init__(self, folder, shell, work):
        self.folder, self.shell, self.work = folder, shell, work
        self.tables = load(folder / "tables.py")
        self.columns = json.loads((folder / "columns.json").read_text())
        self.needed = collections.Counter()

    def names(self, kind):
        with tarfile.open(self.folder / (kind + ".tar.gz")) as archive:
            archive.extractall(self.work)
        return sorted(f"{kind}/{path.stem}" for path in (self.work / kind).glob("*.ref"))

    def differences(self, name):
        """Lines that say what differs; none: equal."""
        kind = name.split("/")[0]
        code, _, want = (self.work / f"{name}.ref").read_text(errors="replace").partition("\n")
        if kind == "sql":
            sql = self.work / f"{name}.sql"
            trace = self.work / "sql" / sql.open().readline()[3:].strip()
        else:
            sql, trace = self.folder / "dump.sql", self.work / f"{name}.trace"
        try:
            status, got, error = self.tables.run(self.shell, str(sql), str(trace), 60)
        except self.tables.Failure as e:
            return [f"failed: {e}"]
        if code != "exit 0" and not status:
            data = trace.read_bytes()
            for rule in kept.REFUSALS:
                if rule.apply(want, data):
                    self.needed[rule.name] += 1
                    return []
        if status and code == "exit 0":
            for rule in kept.NO_TRACES:
                if rule.apply(self.tables.parse(want, self.columns), trace.read_bytes()):
                    self.needed[rule.name] += 1
                    return []
        if bool(status) != (code != "exit 0"):
            if kind == "sql" and self.is_kept(sql):
                return []
            return [f"{code} by the reference, {status} here: {(error or want)[-300:]}"]
        if status:
            return []
        return self.texts(sql, want, got) if kind == "sql" else self.dumps(want, got)

    def dumps(self, want, got):
        a, b = (self.tables.resolve(self.tables.parse(text, self.columns)) for text in (want, got))
        differ = self.tables.diff(a, b)
        for rule in kept.RULES:
            if not differ:
                break
            before = len(differ)
            rule.apply(a, b)
            differ = self.tables.diff(a, b)
            self.needed[rule.name] += len(differ) < before
        return [" | ".join(signature) + ": " + example for signature, example in differ]

    def is_kept(self, sql, want=None, got=None):
        statements = [s for s in sql.read_text().split(";\n") if s.strip()]
        for rule in kept.ANSWERS if want else ():
            if rule.apply(statements, want) == rule.apply(statements, got):
                self.needed[rule.name] += 1
                return True
        for rule in kept.QUERIES:
            if any(rule.apply(s) for s in statements):
                self.needed[rule.name] += 1
                return True
        return False

    def texts(self, sql, want, got):
        if want == got or self.is_kept(sql, want, got):
            return []
        for x, y in zip(want.split("\n") + ["end"], got.split("\n") + ["end"]):
            if x != y:
                return [f"reference {x[:200]} | here {y[:200]}"]
        return ["the number of lines"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("shell")
    p.add_argument("--folder", default="random", choices=("random", "mutants"))
    p.add_argument("--kind", action="append")
    p.add_argument("--only", default="")
    p.add_argument("--show", action="store_true", help="say what differs")
    p.add_argument("--kept", action="store_true", help="say which rules were needed, and how often")
    args = p.parse_args()
    folder = shared.require("samples", args.folder)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
        suite = Suite(folder, args.shell, pathlib.Path(work))
        for kind in args.kind or sorted(f.name[:-7] for f in folder.glob("*.tar.gz")):
            names = [name for name in suite.names(kind) if re.search(args.only, name)]
            for name, lines in zip(names, pool.map(suite.differences, names)):
                print("FAIL" if lines else "ok", name)
                for line in lines if args.show else ():
                    print("   ", line[:400])
        for rule in kept.RULES + kept.QUERIES + kept.ANSWERS + kept.REFUSALS + kept.NO_TRACES if args.kept else ():
            print(f"{suite.needed[rule.name]:5} cases need \"{rule.name}\" ({rule.columns or 'queries'}): {rule.reason}")


if __name__ == "__main__":
    main()
