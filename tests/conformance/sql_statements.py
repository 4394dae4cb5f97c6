#!/usr/bin/env python3
"""Runs statements whose rows others worked out with plain SQLite and the reference, in each mode of the executor.

    tests/conformance/sql_statements.py LIBRARY

samples/sql3/statements.tsv has a class, a statement, its trace (mktrace.py beside it makes it) and the rows as JSON, in which the
first letter of a value is its type. Prints a line `ok CLASS/NUMBER/MODE` or `FAIL CLASS/NUMBER/MODE` for each statement and mode,
for passing.py to judge. Rows that are cut in the list are compared as far as they go.
"""
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import shared

MODES = ("off", "on", "auto")
NULL, INT, REAL, TEXT = range(4)


def load(path):
    """The library with the types of its functions."""
    lib = ctypes.CDLL(path)
    pointer, column = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_uint]
    lib.orma_processor_error.restype = ctypes.c_char_p
    lib.orma_query_int64.restype = ctypes.c_int64
    lib.orma_query_double.restype = ctypes.c_double
    lib.orma_query_text.restype = ctypes.c_char_p
    lib.orma_processor_new.argtypes = [pointer, ctypes.POINTER(pointer)]
    lib.orma_processor_load_file.argtypes = [pointer, ctypes.c_char_p, pointer, pointer]
    lib.orma_query_prepare.argtypes = [pointer, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(pointer), pointer]
    for name in ("orma_processor_error", "orma_processor_free", "orma_query_free", "orma_query_step", "orma_query_columns"):
        getattr(lib, name).argtypes = [pointer]
    for name in ("type", "int64", "double", "text"):
        getattr(lib, "orma_query_" + name).argtypes = column
    return lib


class Processor:
    def __init__(self, lib, trace, mode):
        os.environ["ORMA_EXEC"] = mode
        self.lib, self.handle = lib, ctypes.c_void_p()
        assert lib.orma_processor_new(None, ctypes.byref(self.handle)) == 0
        assert lib.orma_processor_load_file(self.handle, str(trace).encode(), None, None) == 0, self.error()

    def error(self):
        return self.lib.orma_processor_error(self.handle).decode()

    def cell(self, query, col):
        kind = self.lib.orma_query_type(query, col)
        if kind == INT:
            return f"I{self.lib.orma_query_int64(query, col)}"
        if kind == REAL:
            return f"R{self.lib.orma_query_double(query, col):.17g}"
        if kind == TEXT:
            return "T" + self.lib.orma_query_text(query, col).decode()
        return None

    def rows(self, sql):
        query, data, rows = ctypes.c_void_p(), sql.encode(), []
        if self.lib.orma_query_prepare(self.handle, data, len(data), ctypes.byref(query), None):
            raise RuntimeError(self.error())
        while (result := self.lib.orma_query_step(query)) == 1:
            rows.append([self.cell(query, col) for col in range(self.lib.orma_query_columns(query))])
        self.lib.orma_query_free(query)
        if result:
            raise RuntimeError(self.error())
        return rows


def text_of(rows):
    """As the list has them."""
    cell = '"{}"'.format
    return "[" + ", ".join("[" + ", ".join("null" if c is None else cell(c) for c in row) + "]" for row in rows) + "]"


def check(processor, sql, want):
    rows = processor.rows(sql)
    got = text_of(rows)
    if not want.endswith("]]"):  # cut
        got = got[:len(want)]
    elif "ORDER BY" not in sql.upper():
        got, want = text_of(sorted(rows, key=repr)), text_of(sorted(json.loads(want), key=repr))
    if got != want:
        raise AssertionError(f"{sql}\n  got  {got[:300]}\n  want {want[:300]}")


def main():
    folder = shared.require("samples", "sql3")
    lib = load(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        trace = pathlib.Path(work) / "j.json"
        subprocess.run([sys.executable, folder / "mktrace.py", trace], check=True, stdout=subprocess.DEVNULL)
        processors = {mode: Processor(lib, trace, mode) for mode in MODES}
        for number, line in enumerate((folder / "statements.tsv").read_text().split("\n")[1:], 1):
            kind, sql, _, want = (line.split("\t") + [""] * 4)[:4]
            for mode in MODES if sql else ():
                with shared.sample(f"{kind}/{number}/{mode}"):
                    check(processors[mode], sql, want)
    return 0


if __name__ == "__main__":
    sys.exit(main())
