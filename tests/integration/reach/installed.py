"""What is installed, in a folder of the test, and a trace whose rows are known."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ["ORMA_BUILD"])


def run(*args, code=0, **kwargs):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **kwargs)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def sanitized():
    """Programs of others that load our library would need the sanitizer first."""
    return "__asan_" in run("nm", "-D", BUILD / "processor/library/liborma_processor.so")


def write_trace(path, slices=40, thread=1):
    """Slices `work N` of 1000 ns, 2000 ns, ... of one thread, and a counter."""
    events = [{"ph": "M", "pid": 7, "tid": thread, "name": "thread_name", "args": {"name": "worker"}},
              {"ph": "M", "pid": 7, "tid": thread, "name": "process_name", "args": {"name": "it's \"one\""}}]
    at = 0
    for i in range(slices):
        events.append({"ph": "X", "pid": 7, "tid": thread, "ts": at, "dur": i + 1, "cat": "test",
                       "name": f"work {i % 4}", "args": {"n": i}})
        events.append({"ph": "C", "pid": 7, "tid": thread, "ts": at, "name": "level", "args": {"value": i * 0.5}})
        at += i + 2
    pathlib.Path(path).write_text(json.dumps({"traceEvents": events}), encoding="utf-8")


def prefer_systems_python(code):
    """The system's Python, run instead of this one if only that one can do this."""
    systems = "/usr/bin/python3"

    def can(python):
        return not subprocess.run([python, "-c", code], capture_output=True, check=False).returncode
    if not can(sys.executable) and os.path.exists(systems) and can(systems):
        os.execv(systems, [systems, *sys.argv])


class Installed(unittest.TestCase):
    """self.root: scratch; self.prefix: where everything was installed; self.trace: a trace."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        cls.trace = cls.root / "t.json"
        write_trace(cls.trace)
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.root / "tree")
        prefix = run("meson", "introspect", BUILD, "--buildoptions")
        prefix = next(o["value"] for o in json.loads(prefix) if o["name"] == "prefix")
        cls.prefix = cls.root / "tree" / prefix.lstrip("/")
        cls.pkg = next(cls.prefix.rglob("orma_processor.pc")).parent
        cls.lib = cls.pkg.parent
        cls.env = dict(os.environ, PKG_CONFIG_PATH=str(cls.pkg), PKG_CONFIG_SYSROOT_DIR=str(cls.root / "tree"),
                       LD_LIBRARY_PATH=str(cls.lib))

    def flags(self, *options):
        # The sysroot is for ours; what is under it in the names of others is not there.
        words = run("pkg-config", *options, "orma_processor", env=self.env).split()
        tree = str(self.root / "tree")
        return [w if "orma" in w or not tree in w or os.path.exists(w[2:]) else w.replace(tree, "") for w in words]
