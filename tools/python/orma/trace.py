"""Events of Python programs, written as a trace file; nothing but the standard library is needed.

    from orma import trace

    with trace.recording("out.pftrace"):
        with trace.slice("load", path="a.txt"):
            ...
        trace.counter("queue", 3)
        trace.instant("done", rows=17)

    @trace.traced                     # or @trace.traced("another name")
    def work(): ...

Threads have tracks of their own, and so have tasks of asyncio: a slice belongs to the task that it is in. While nothing is
recorded, all of these do nothing. Every function of a script, without changing it:

    python3 -m orma.trace [-o FILE] SCRIPT [ARGUMENT...]
"""
import argparse
import contextlib
import functools
import os
import struct
import sys
import threading
import time
import weakref

from orma.wire import varint as _varint

__all__ = ["Recorder", "start", "stop", "recording", "slice", "begin", "end", "instant", "counter", "traced", "is_recording"]

FLUSH_AT = 1 << 20
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
NEEDS_STATE, CLEARED = 2, 1
SEQUENCE = 1
BOOTTIME, REALTIME, MONOTONIC = 6, 1, 3


# ---- the wire format ----

def _int(field, n):
    return _varint(field << 3) + _varint(n)


def _bytes(field, data):
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _text(field, text):
    return _bytes(field, text.encode("utf-8", "replace"))


def _double(field, value):
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _fixed(field, n):
    return _varint(field << 3 | 1) + struct.pack("<Q", n & (1 << 64) - 1)


def _hash(text):
    value = 0xcbf29ce484222325
    for byte in text.encode("utf-8", "replace"):
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value


def now():
    """The time of events: nanoseconds since the machine was started."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def _value(value):
    """Of an annotation. It may call methods of the program, which may fail, or record: before the recorder does anything."""
    if isinstance(value, bool):
        return _int(2, value)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return _int(4, value)
    if isinstance(value, float):
        return _double(5, value)
    return _text(6, value if isinstance(value, str) else str(value))


def _number(value):
    """Of a counter, as a field of an event. What has no place in 64 bits is a double."""
    if hasattr(value, "__index__"):
        value = value.__index__()
        if -(1 << 63) <= value < 1 << 63:
            return _int(30, value)
    return _double(44, float(value))


class Recorder:
    """A trace file that is being written. Safe for threads, signal handlers and finalizers; a child of fork() has none. Texts are written once and
    then referred to by number."""

    def __init__(self, path):
        self._file = open(path, "wb", buffering=0)  # a child of fork() must find nothing to flush
        self._lock = threading.RLock()
        self._busy, self._later = False, []  # what comes while this thread is inside of an event, as from signal handlers
        self._out = bytearray()
        _recorders.add(self)
        self._names, self._keys = {}, {}
        self._tails = {}
        self._tracks = {}
        self._threads = {}
        self._tasks = weakref.WeakKeyDictionary()
        self._pid = os.getpid()
        self._process = _hash(f"process {self._pid}")
        self._next = 0
        with self._lock:
            clocks = b"".join(_bytes(1, _int(1, number) + _int(2, time.clock_gettime_ns(clock))) for number, clock in (
                (BOOTTIME, time.CLOCK_BOOTTIME), (REALTIME, time.CLOCK_REALTIME), (MONOTONIC, time.CLOCK_MONOTONIC)))
            self._packet(_bytes(6, clocks + _int(2, BOOTTIME)) + _int(13, CLEARED))
            command = _text(6, os.path.basename(sys.argv[0] or "python3")) + b"".join(_text(2, a) for a in sys.argv)
            self._describe(self._process, _bytes(3, _int(1, self._pid) + command))

    def close(self):
        """Everything is in the file when this returns. Later events go nowhere."""
        with self._lock:
            if self._file:
                try:
                    while self._later:
                        self._write(*self._later.pop(0))
                    self._flush()
                finally:
                    self._file.close()
                    self._file = None

    def _forget(self):
        """In a child: the file is the parent's."""
        self._lock = threading.RLock()
        self._file.close()
        self._file = None

    # ---- packets; with the lock ----

    def _packet(self, body):
        body += _int(10, SEQUENCE)
        self._out += b"\x0a" + _varint(len(body)) + body
        if len(self._out) > FLUSH_AT and self._file:
            self._flush()

    def _flush(self):
        out, self._out = memoryview(self._out), bytearray()
        while out and self._file:
            out = out[self._file.write(out):]

    def _describe(self, uuid, fields, parent=0, name=None):
        body = _int(1, uuid) + (_int(5, parent) if parent else b"") + (_text(2, name) if name is not None else b"")
        self._packet(_bytes(60, body + fields))

    def _iid(self, table, text, field, interned):
        iid = table.get(text)
        if iid is None:
            iid = len(table) + 1
            interned.append(_bytes(field, _int(1, iid) + _text(2, text)))  # fails if it is no text
            table[text] = iid
        return iid

    def _args(self, args, interned):
        return b"".join(_bytes(4, _int(1, self._iid(self._keys, key, 3, interned)) + value) for key, value in args)

    # ---- tracks; with the lock ----

    def _thread(self):
        ident = threading.get_native_id()
        uuid = self._threads.get(ident)
        if uuid is None:
            uuid = self._threads[ident] = self._process ^ _hash(f"thread {ident}")
            thread = _int(1, self._pid) + _int(2, ident) + _text(5, threading.current_thread().name)
            self._describe(uuid, _bytes(4, thread), self._process)
        return uuid

    def _here(self):
        """The track of the task that runs in this thread, or of the thread."""
        asyncio = sys.modules.get("asyncio")
        if asyncio and asyncio._get_running_loop() is not None:
            task = asyncio.current_task()
            if task is not None:
                uuid = self._tasks.get(task)
                if uuid is None:
                    self._next += 1
                    uuid = self._tasks[task] = self._process ^ _hash(f"task {self._next}")
                    self._describe(uuid, b"", self._thread(), task.get_name())
                return uuid
        return self._thread()

    def _counter(self, name):
        uuid = self._tracks.get(name)
        if uuid is None:
            uuid = self._tracks[name] = self._process ^ _hash(f"counter {name}")
            self._describe(uuid, _bytes(8, b""), self._process, name)
        return uuid

    # ---- events ----

    def event(self, kind, name=None, args=None, track=None, at=None, more=b"", counter=None):
        """One event. Without a track it is on that of the task or thread, or of the counter; returns its track."""
        at = now() if at is None else at
        args = [(key, _value(value)) for key, value in args.items()] if args else ()
        if name is not None and not isinstance(name, str):
            name = str(name)
        with self._lock:
            if self._busy:
                self._later.append((kind, name, args, track, at, more, counter))
                return track
            self._busy = True
            try:
                track = self._write(kind, name, args, track, at, more, counter)
                while self._later:
                    self._write(*self._later.pop(0))
            finally:
                self._busy = False
            return track

    def _write(self, kind, name, args, track, at, more, counter):
        if not self._file:
            return None
        if track is None:
            track = self._here() if counter is None else self._counter(counter)
        interned = []
        tail = self._tails.get((kind, track, name))
        if tail is None:
            tail = _int(9, kind) + _int(11, track)
            if name is not None:
                tail += _int(10, self._iid(self._names, name, 2, interned))
            if len(self._tails) > 100000:
                self._tails.clear()
            self._tails[kind, track, name] = tail
        if args:
            tail += self._args(args, interned)
        body = _int(8, at) + _int(13, NEEDS_STATE) + _bytes(11, tail + more)
        if interned:
            body += _bytes(12, b"".join(interned))
        self._packet(body)
        return track

    def value(self, name, value):
        self.event(COUNTER, more=_number(value), counter=name if isinstance(name, str) else str(name))


_recorders = weakref.WeakSet()


def _forget_all():
    global _recorder
    _recorder = None
    for recorder in list(_recorders):
        if recorder._file:
            recorder._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


# ---- what programs use ----

_recorder = None


def start(path):
    """Begins a recording; one at a time."""
    global _recorder
    if _recorder:
        raise RuntimeError("a recording is running: call orma.trace.stop() first")
    _recorder = Recorder(path)


def stop():
    """Ends the recording, if there is one."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder:
        recorder.close()


def is_recording():
    return _recorder is not None


@contextlib.contextmanager
def recording(path):
    start(path)
    try:
        yield
    finally:
        stop()


class slice:  # noqa: A001 (it is orma.trace.slice)
    """`with slice("name", key=value):`. It ends on the track where it began."""

    def __init__(self, name, **args):
        self._name, self._args = name, args

    def __enter__(self):
        self._on = _recorder
        if self._on:
            self._track = self._on.event(BEGIN, self._name, self._args)
        return self

    def __exit__(self, kind, error, trace):
        if self._on:
            self._on.event(END, None, {"error": kind.__name__} if kind else None, self._track)


def begin(name, **args):
    if _recorder:
        _recorder.event(BEGIN, name, args)


def end(**args):
    if _recorder:
        _recorder.event(END, None, args)


def instant(name, flow=None, **args):
    """A moment. Events with the same flow are joined by arrows."""
    if _recorder:
        _recorder.event(INSTANT, name, args, more=_fixed(47, flow) if flow is not None else b"")


def counter(name, value):
    """A number of the process, from now on."""
    if _recorder:
        _recorder.value(name, value)


def traced(what):
    """A decorator of functions, also of coroutines: each call is a slice."""
    if isinstance(what, str):
        return functools.partial(_wrap, name=what)
    return _wrap(what, name=what.__qualname__)


def _wrap(fn, name):
    code = getattr(fn, "__code__", None)
    if code and code.co_flags & 0x80:  # a coroutine
        @functools.wraps(fn)
        async def wrapper(*args, **kwargs):
            with slice(name):
                return await fn(*args, **kwargs)
    else:
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            if not _recorder:
                return fn(*args, **kwargs)
            with slice(name):
                return fn(*args, **kwargs)
    return wrapper


# ---- every function of a script ----

class _Calls:
    """Slices of all calls of functions that pass the filter, up to a number of them."""

    def __init__(self, recorder, limit, depth, everything, script):
        self.recorder, self.limit, self.depth, self.everything = recorder, limit, depth, everything
        self.left_out = 0
        self.names = {}
        self.local = threading.local()
        # Its own are those below the folder of the script, and below the current one unless Python's own lie there, too.
        script, current = (os.path.join(folder, "") for folder in (os.path.dirname(os.path.abspath(script)), os.getcwd()))
        self.here = (script,) if os.__file__.startswith(current) else (script, current)

    def name_of(self, code):
        """None: not one of the program's own."""
        name = self.names.get(code, 0)
        if name == 0:
            path = os.path.abspath(code.co_filename)
            own = self.everything or path.startswith(self.here) and "site-packages" not in path and path != __file__
            if code.co_filename.startswith("<"):
                own = False
            name = self.names[code] = f"{getattr(code, 'co_qualname', code.co_name)}" if own else None
        return name

    def call(self, code):
        stack = self.local.__dict__.setdefault("stack", [])
        name = self.name_of(code)
        shown = name is not None and len(stack) < self.depth
        if shown and self.limit <= 0:
            self.left_out += 1
            shown = False
        stack.append((code, shown))
        if shown:
            self.limit -= 1
            self.recorder.event(BEGIN, name, track=self.track())

    def leave(self, code):
        stack = self.local.__dict__.get("stack")
        if stack and stack[-1][0] is code:
            if stack.pop()[1]:
                self.recorder.event(END, track=self.track())

    def track(self):
        track = self.local.__dict__.get("track")
        if track is None:
            with self.recorder._lock:
                track = self.local.track = self.recorder._thread()
        return track

    def begin(self):
        if hasattr(sys, "monitoring"):
            events = sys.monitoring.events
            self.tool = sys.monitoring.PROFILER_ID
            sys.monitoring.use_tool_id(self.tool, "orma")
            for event, fn in ((events.PY_START, self.call), (events.PY_RESUME, self.call), (events.PY_THROW, self.call), (events.PY_RETURN, self.leave),
                              (events.PY_YIELD, self.leave), (events.PY_UNWIND, self.leave)):
                sys.monitoring.register_callback(self.tool, event, lambda code, *_, fn=fn: fn(code))
            sys.monitoring.set_events(self.tool, events.PY_START | events.PY_RESUME | events.PY_THROW | events.PY_RETURN | events.PY_YIELD
                                      | events.PY_UNWIND)
        else:
            threading.setprofile(self.profile)
            sys.setprofile(self.profile)

    def end(self):
        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(self.tool, 0)
            sys.monitoring.free_tool_id(self.tool)
        else:
            sys.setprofile(None)
            threading.setprofile(None)

    def profile(self, frame, event, arg):
        if event == "call":
            self.call(frame.f_code)
        elif event == "return":
            self.leave(frame.f_code)


def main(argv=None):
    global _recorder
    parser = argparse.ArgumentParser(prog="python3 -m orma.trace", description="Records the calls of a script's functions.")
    parser.add_argument("-o", "--output", default="trace.pftrace", metavar="FILE", help="the trace (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=1000000, metavar="N", help="at most N calls (default: %(default)s)")
    parser.add_argument("--depth", type=int, default=100, metavar="N", help="at most N calls inside each other")
    parser.add_argument("--all", action="store_true", help="also functions outside of the folder of the script and of the current one")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    args = parser.parse_args(argv)
    sys.argv = [args.script, *args.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(args.script))
    with open(args.script, "rb") as file:
        code = compile(file.read(), os.path.abspath(args.script), "exec")
    _recorder = recorder = Recorder(args.output)
    calls = _Calls(recorder, args.limit, args.depth, args.all, args.script)
    calls.begin()
    try:
        exec(code, {"__name__": "__main__", "__file__": args.script, "__builtins__": __builtins__})
    finally:
        calls.end()
        _recorder = None
        recorder.close()
        if calls.left_out:
            print(f"orma.trace: {calls.left_out} calls after the first {args.limit} are not in {args.output}; "
                  "--limit N records more", file=sys.stderr)


if __name__ == "__main__":
    # As `-m` runs it, this module is another one than what the script imports: both must record into one file.
    from orma import trace
    trace.main()
