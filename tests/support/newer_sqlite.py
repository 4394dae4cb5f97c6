#!/usr/bin/env python3
"""Runs a test on a newer SQLite than that of the system: NEWER_SQLITE.PY BUILD_DIR PROTOCOL COMMAND...

Tables of ours must mean the same on every SQLite from 3.40 on. The source of a newer one is in the package better-sqlite3 of
npm (tests/npm); it is built once, for the tests alone. Without it the test is skipped.
"""
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

# As Debian builds its own, so that only the version differs.
OPTIONS = ["ENABLE_COLUMN_METADATA", "ENABLE_DBSTAT_VTAB", "ENABLE_FTS3", "ENABLE_FTS3_PARENTHESIS", "ENABLE_FTS3_TOKENIZER",
           "ENABLE_FTS4", "ENABLE_FTS5", "ENABLE_LOAD_EXTENSION", "ENABLE_MATH_FUNCTIONS", "ENABLE_PREUPDATE_HOOK",
           "ENABLE_RTREE", "ENABLE_SESSION", "ENABLE_STMTVTAB", "ENABLE_UNLOCK_NOTIFY", "ENABLE_UPDATE_DELETE_LIMIT",
           "HAVE_ISNAN", "LIKE_DOESNT_MATCH_BLOBS", "MAX_SCHEMA_RETRY=25", "MAX_VARIABLE_NUMBER=250000", "OMIT_LOOKASIDE",
           "SECURE_DELETE", "SOUNDEX", "THREADSAFE=1", "USE_URI"]


def skip(protocol, reason):
    if protocol == "tap":
        print(f"1..0 # SKIP {reason}")
        sys.exit(0)
    print(f"skipped: {reason}")
    sys.exit(77)


def build(source, folder):
    """The library, made anew when its source or its options changed."""
    library, options = folder / "libsqlite3.so.0", folder / "options"
    wanted = f"{source.stat().st_mtime_ns} {OPTIONS}"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if library.exists() and options.exists() and options.read_text() == wanted:
            return
        subprocess.run([shutil.which("cc") or "gcc", "-O2", "-w", "-fPIC", "-shared", "-Wl,-soname,libsqlite3.so.0",
                        *(f"-DSQLITE_{o}" for o in OPTIONS), "-o", str(library), str(source), "-lm", "-lpthread", "-ldl"],
                       check=True)
        options.write_text(wanted)


def main():
    build_dir, protocol, *command = sys.argv[1:]
    modules = os.environ.get("ORMA_NODE_MODULES") or pathlib.Path(__file__).resolve().parents[1] / "npm/node_modules"
    source = pathlib.Path(modules) / "better-sqlite3/deps/sqlite3/sqlite3.c"
    if not source.exists():
        skip(protocol, "no newer SQLite: better-sqlite3 of npm is not installed (ORMA_NODE_MODULES is the folder that has it)")
    folder = pathlib.Path(build_dir) / "tests/newer_sqlite"
    build(source, folder)
    path = os.environ.get("LD_LIBRARY_PATH", "")
    os.environ["LD_LIBRARY_PATH"] = f"{folder.resolve()}{':' + path if path else ''}"
    os.execvp(command[0], command)


main()
