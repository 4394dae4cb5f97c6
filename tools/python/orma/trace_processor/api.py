"""TraceProcessor, with the names of Perfetto's Python client.

It runs in this process: there is no server to start, unless `addr` names one that runs. A TraceProcessor may be used
from several threads, which take turns; different ones run side by side.
"""
import contextlib
import ctypes
import dataclasses
import errno
import html
import json
import os
import threading
import warnings
from typing import List, Optional

from .. import columns as _columns
from .. import library as _library
from .. import wire as _wire
from ..exceptions import PerfettoException, TraceProcessorException
from ..trace_uri_resolver.registry import ResolverRegistry
from ..trace_uri_resolver.resolver import TraceUriResolver
from . import http as _http

__all__ = ["PerfettoException", "QueryResultIterator", "SqlPackage", "TraceProcessor", "TraceProcessorConfig",
           "TraceProcessorException"]

_PIECE = 1 << 22
# How much of a result a notebook shows.
_SHOWN_ROWS, _SHOWN_TEXT = 20, 80
# How many sentences say what of a trace could not be read.
_SHOWN_UNREAD = 3
# All rows as one batch, so that a column is one piece of memory.
_ALL = 1 << 40


@dataclasses.dataclass
class SqlPackage:
    """A folder of modules, and the name of the package if it is another than the folder's."""
    path: str
    package: Optional[str] = None


@dataclasses.dataclass
class TraceProcessorConfig:
    """
    Of Perfetto's names, those of the program that it starts (bin_path, unique_port, verbose, load_timeout,
    extra_flags) are taken and mean nothing here. The last five are ours. `threads`: how many load and query; 0: the
    variable ORMA_THREADS, or one. `cache`: "auto", "off" or a folder; None: the
    variable ORMA_CACHE, or auto. A trace that was loaded before comes out of it in milliseconds.
    """
    bin_path: Optional[str] = None
    unique_port: bool = True
    verbose: bool = False
    ingest_ftrace_in_raw: bool = False
    enable_dev_features: bool = False
    resolver_registry: Optional[object] = None
    load_timeout: int = 2
    extra_flags: Optional[List[str]] = None
    add_sql_packages: Optional[List[object]] = None
    enable_sql_file_access: bool = False
    query_timeout_ms: int = 0
    memory_limit_bytes: int = 0
    full_sort: bool = False
    cache: Optional[str] = None
    threads: int = 0


class Row:
    """A row: its cells are attributes by the names of columns."""

    def __str__(self):
        return str(self.__dict__)

    def __repr__(self):
        return f"Row({self.__dict__})"


class Message:
    """A message of protobuf, as far as it is set: fields are attributes, what is not set is None."""

    def __init__(self, value):
        for name, field in value.items():
            setattr(self, name, _message(field))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __eq__(self, other):
        return isinstance(other, Message) and self.__dict__ == other.__dict__

    def HasField(self, name):  # pylint: disable=invalid-name
        return name in self.__dict__

    def __repr__(self):
        return f"Message({self.__dict__})"


def _message(value):
    if isinstance(value, dict):
        return Message(value)
    return [_message(v) for v in value] if isinstance(value, list) else value


def _cell(value):
    """A cell of a table in a notebook; numbers stand to the right."""
    if value is None:
        return '<td style="opacity:.5">NULL</td>'
    if isinstance(value, (int, float)):
        return f'<td style="text-align:right">{value}</td>'
    text = f"{len(value)} bytes" if isinstance(value, (bytes, bytearray)) else str(value)
    if len(text) > _SHOWN_TEXT:
        text = text[:_SHOWN_TEXT] + "…"
    return f'<td style="text-align:left">{html.escape(text)}</td>'


class QueryResultIterator:
    """Rows of a query, one by one, or all at once. In a notebook it shows the first ones, without taking them."""
    Row = Row

    def __init__(self, names, cells=None, columns=None):
        self._names = names
        self._columns = columns
        self._lists = cells
        self._rows = len(cells[0]) if cells else columns.rows if columns is not None else 0
        self._at = 0

    def _cells(self):
        if self._lists is None:
            self._lists = [self._columns[i].tolist() for i in range(len(self._names))] if self._columns is not None else []
        return self._lists

    @property
    def column_names(self):
        return list(self._names)

    def __len__(self):
        return self._rows

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= self._rows:
            raise StopIteration
        row = Row()
        at, self._at = self._at, self._at + 1
        row.__dict__ = {name: column[at] for name, column in zip(self._names, self._cells())}
        return row

    def _repr_html_(self):
        cells, shown = self._cells(), min(self._rows, _SHOWN_ROWS)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._names)
        rows = "".join(f"<tr>{''.join(_cell(column[i]) for column in cells)}</tr>" for i in range(shown))
        more = f", the first {shown}" if shown < self._rows else ""
        return (f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
                f"<p>{self._rows:,} row{'' if self._rows == 1 else 's'}{more}</p>")

    def as_pandas_dataframe(self):
        try:
            import numpy
            import pandas
        except ImportError as error:
            raise TraceProcessorException("pandas dependency missing. Please run `pip3 install pandas`") from error
        if self._columns is not None:
            return self._columns.as_pandas_dataframe()
        data = {}
        for i, cells in enumerate(self._cells()):
            data[i] = numpy.empty(len(cells), object)
            data[i][:] = cells
        frame = pandas.DataFrame(data)
        frame.columns = self._names
        return frame

    def as_polars_dataframe(self):
        try:
            import polars
        except ImportError as error:
            raise TraceProcessorException("polars dependency missing. Please run `pip3 install polars`") from error
        return polars.DataFrame(dict(zip(self._names, self._cells())), strict=False)


def _opened(path):
    try:
        return open(path, "rb")
    except OSError as error:
        raise TraceProcessorException(f"{os.fspath(path)}: {error.strerror}") from error


def _pieces(trace):
    """The bytes of a trace that is no path."""
    if isinstance(trace, (bytes, bytearray, memoryview)):
        trace = (trace,)
    elif hasattr(trace, "read"):
        trace = iter(lambda file=trace: file.read(_PIECE), b"")
    return map(bytes, trace)


def _signals(raised):
    """A generator whose send() lets Python handle signals that have come: True if a handler has raised something, which
    is put into the list. (A function would do so before its first line, where nothing is caught; here, all places where
    that may happen are within the inner loop.)"""
    def look():
        answer = False
        while True:
            try:
                while True:
                    yield answer
                    answer = False
            except GeneratorExit:
                return
            except BaseException as error:  # pylint: disable=broad-except
                raised[:] = error,
                answer = True
    generator = look()
    next(generator)
    return generator


def _single(trace, config):
    """The one trace that a URI or a resolver leads to."""
    if isinstance(trace, (str, TraceUriResolver)):
        found = (config.resolver_registry or ResolverRegistry()).resolve(trace)
        if len(found) != 1:
            raise TraceProcessorException(f"{trace} leads to {len(found)} traces: expected one")
        return found[0].trace
    return trace


def _check_types(addr, config):
    """Of what is given by position: whoever has several traces puts them there, but these are BatchTraceProcessor's."""
    if not hasattr(config, "resolver_registry"):
        raise TypeError(f"config is a TraceProcessorConfig, not {type(config).__name__}: "
                        "TraceProcessor(trace, addr, config); several traces go to BatchTraceProcessor")
    if addr is not None and not isinstance(addr, str):
        raise TypeError(f'addr is a text as "localhost:9001", not {type(addr).__name__}')


class TraceProcessor:
    """
    trace: a path, a file opened for reading, bytes, anything that gives bytes piece by piece, or a URI or a
    resolver (orma.trace_uri_resolver).
    addr: "localhost:9001", a server that runs: `orma serve`, or Perfetto's. It does the work, and has settings of its
    own; columns(), arrow(), parameters and interrupt() are not there. Without a trace, what it has loaded is asked.
    progress(done, total): called now and then while a file is loaded; True stops it.
    """
    Row = Row
    QueryResultIterator = QueryResultIterator

    def __init__(self, trace=None, addr=None, config=None, file_path=None, progress=None):
        config = config or TraceProcessorConfig()
        _check_types(addr, config)
        trace = _single(trace if trace is not None else file_path, config)
        self._lock = threading.RLock()
        self._alive = threading.Lock()  # who interrupts has the processor that there is
        self._tp = self.http = None
        self._asked, self._raised = False, []
        self._stop = _library.STOP(_signals(self._raised).send)
        if addr is not None:
            if config.enable_sql_file_access:
                raise TraceProcessorException("enable_sql_file_access is for the one who starts the server at addr")
            self.http = _http.TraceProcessorHttp(addr)
            if trace is not None:
                self._send(trace)
            return
        self._lib = _library.load()
        self._tp = ctypes.c_void_p()
        given = _library.Config(
            size=ctypes.sizeof(_library.Config), no_ftrace_raw=not config.ingest_ftrace_in_raw,
            sql_file_access=config.enable_sql_file_access, full_sort=config.full_sort,
            query_timeout_ms=config.query_timeout_ms, memory_limit_bytes=config.memory_limit_bytes,
            threads=config.threads)
        error = self._lib.orma_processor_new(ctypes.byref(given), ctypes.byref(self._tp))
        if error:
            self._tp = None
            raise TraceProcessorException("threads: expected a number from 0 to 256" if error == -errno.EINVAL
                                          else "out of memory")
        try:
            for package in config.add_sql_packages or []:
                self._add_package(package)
            if trace is not None:
                cache = None if config.cache is None else os.fsencode(config.cache)
                self._check(self._lib.orma_processor_use_cache(self._tp, cache))
                self._load(trace, progress)
            else:
                self._check(self._lib.orma_processor_finish(self._tp))
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def _running(self):
        """The processor, for one call. Signals (Ctrl-C) are handled while it runs, where Python does that at all:
        in the main thread; what a handler raises ends the query, and comes out of the call."""
        with self._lock:
            self._open()
            main = threading.current_thread() is threading.main_thread()
            if main != self._asked:
                self._lib.orma_processor_ask_to_stop(self._tp, self._stop if main else _library.STOP(), None)
                self._asked = main
            self._raised.clear()
            try:
                yield
            except TraceProcessorException:
                if not self._raised:
                    raise
            if self._raised:
                raise self._raised.pop().with_traceback(None)  # who clears its frames would end the generator

    def _open(self):
        if self.http:
            raise TraceProcessorException("this goes with a trace in this process, not with addr")
        if self._tp is None:
            raise TraceProcessorException("this TraceProcessor is closed")

    def _check(self, result, path=None):
        if result < 0:
            text = self._lib.orma_processor_error(self._tp).decode("utf-8", "replace") or os.strerror(-result)
            raise TraceProcessorException(text if path is None or path in text else f"{path}: {text}")
        return result

    def _tell_unread(self, path):
        """A trace that is empty is none; what of it is in no table is said, as `orma query` does."""
        name = "" if path is None else f"{path}: "
        if not self._lib.orma_processor_size(self._tp):
            raise TraceProcessorException(f"{name}the trace is empty")
        told = [row.message for row in self.query("SELECT message FROM import_account WHERE message IS NOT NULL ORDER BY id")]
        if len(told) > _SHOWN_UNREAD:
            told[_SHOWN_UNREAD:] = [f"{len(told) - _SHOWN_UNREAD} more kinds of data could not be read: 'orma stats' lists them"]
        if told:
            warnings.warn(name + "; ".join(told), stacklevel=4)

    def _add_package(self, package):
        path, name = getattr(package, "path", package), getattr(package, "package", None)
        if name is None and "@" in str(path):
            path, _, name = str(path).rpartition("@")
        self._check(self._lib.orma_processor_add_sql_package(self._tp, os.fsencode(path), name and name.encode(), False, None))

    def _send(self, trace):
        if isinstance(trace, (str, os.PathLike)):
            with _opened(trace) as file:
                return self._send(file)
        for piece in _pieces(trace):
            self.http.parse(piece)
        self.http.notify_eof()
        return None

    def _load(self, trace, progress):
        if isinstance(trace, (str, os.PathLike)):
            raised = []

            def told(_, done, total):
                try:
                    return bool(progress and progress(done, total))
                except BaseException as error:  # pylint: disable=broad-except
                    raised.append(error)
                    return True

            result = self._lib.orma_processor_load_file(self._tp, os.fsencode(trace), _library.PROGRESS(told), None)
            if raised:
                raise raised[0]
            self._check(result, os.fsdecode(trace))
            self._tell_unread(os.fsdecode(trace))
            return
        for piece in _pieces(trace):
            self._check(self._lib.orma_processor_feed(self._tp, piece, len(piece)))
        self._check(self._lib.orma_processor_finish(self._tp))
        self._tell_unread(None)

    # ---- queries ----

    def query(self, sql, parameters=()):
        """Runs all statements; the rows are those of the last. `parameters` (values, or a dict by name) are of it."""
        if self.http:
            if parameters:
                raise TraceProcessorException("parameters do not go over HTTP: write the values into the text")
            names, cells = self.http.execute_query(sql)
            return QueryResultIterator(names, cells=cells)
        with self._running():
            query, text = self._last(sql)
            try:
                names, result = self._read(query, parameters, _library.ARROW_EXACT)
            except _columns.MixedTypes:  # cells keep the types that they have
                query, _ = self._last(text)
                names, result = self._read_rows(query, parameters)
                return QueryResultIterator(names, cells=result)
            return QueryResultIterator(names, columns=result)

    def columns(self, sql, parameters=()):
        """
        The same, as columns (orma.columns). Columns have one type each: whole numbers among others are doubles,
        numbers among texts are texts.
        """
        with self._running():
            query, _ = self._last(sql)
            return self._read(query, parameters, 0)[1] or _columns.Columns([], [], [])

    def arrow(self, sql, parameters=(), batch_rows=65536):
        """
        The same for libraries that speak Arrow: pyarrow.RecordBatchReader.from_stream(tp.arrow(sql)),
        polars.DataFrame(tp.arrow(sql)), duckdb. Rows are read as they are asked for: the TraceProcessor must
        stay open until then.
        """
        with self._running():
            query, _ = self._last(sql)
            self._bind(query, parameters)
            return ArrowStream(self, query, batch_rows)

    def _last(self, sql):
        """The last statement, prepared, and its text; those before it have run."""
        self._open()
        data = sql.encode()
        script, query = ctypes.c_void_p(), ctypes.c_void_p()
        self._check(self._lib.orma_script_open(self._tp, data, len(data), None, ctypes.byref(script)))
        found, begin, end = None, 0, 0
        try:
            while self._check(self._lib.orma_script_step(script, ctypes.byref(query))):
                self._lib.orma_query_free(found)
                found = ctypes.c_void_p(query.value)
                begin, end = end, self._lib.orma_script_offset(script)
                if not self._lib.orma_script_at_end(script):
                    while self._check(self._lib.orma_query_step(found)):
                        pass
            return found, data[begin:end].decode()
        except BaseException:
            self._lib.orma_query_free(found)
            raise
        finally:
            self._lib.orma_script_close(script)

    def _bind(self, query, parameters):
        lib = self._lib
        named = isinstance(parameters, dict)
        try:
            for i, (key, value) in enumerate(parameters.items() if named else enumerate(parameters)):
                at = i + 1
                if named:
                    at = next((n for n in (lib.orma_query_parameter(query, (p + key).encode()) for p in ":@$") if n), 0)
                if hasattr(value, "__index__"):  # numbers of numpy, too
                    whole = value.__index__()
                    if not -1 << 63 <= whole < 1 << 63:  # ctypes would cut it
                        raise OverflowError(f"parameter {key!r}: {whole} has more than 64 bits")
                    result = lib.orma_query_bind_int64(query, at, whole)
                elif hasattr(value, "__float__"):
                    result = lib.orma_query_bind_double(query, at, float(value))
                elif value is None:
                    result = lib.orma_query_bind_null(query, at)
                elif isinstance(value, str):
                    data = value.encode()
                    result = lib.orma_query_bind_text(query, at, data, len(data))
                else:
                    data = bytes(memoryview(value))  # bytes() alone makes bytes of lists and counts
                    result = lib.orma_query_bind_blob(query, at, data, len(data))
                if result:
                    raise TraceProcessorException(f"parameter {key!r}: {os.strerror(-result)}")
        except BaseException:
            lib.orma_query_free(query)
            raise

    def _names(self, query):
        return [self._lib.orma_query_column_name(query, i).decode("utf-8", "replace")
                for i in range(self._lib.orma_query_columns(query))]

    def _read(self, query, parameters, flags):
        """The names and the columns of a query, which is freed."""
        if query is None:
            return [], None
        self._bind(query, parameters)
        if not self._lib.orma_query_has_columns(query):
            self._finish(query)
            return [], None
        names = self._names(query)
        stream = _library.ArrowArrayStream()
        result = self._lib.orma_query_arrow(query, _ALL, _library.ARROW_DICTIONARIES | flags, ctypes.byref(stream))
        if result < 0:
            self._lib.orma_query_free(query)
            raise TraceProcessorException(os.strerror(-result))
        try:
            return names, _columns.read(stream)
        except RuntimeError as error:
            raise TraceProcessorException(str(error)) from None

    def _finish(self, query):
        try:
            while self._check(self._lib.orma_query_step(query)):
                pass
        finally:
            self._lib.orma_query_free(query)

    def _read_rows(self, query, parameters):
        self._bind(query, parameters)
        try:
            names = self._names(query)
            cells = [[] for _ in names]
            while self._check(self._lib.orma_query_step(query)):
                for i, column in enumerate(cells):
                    column.append(self._cell(query, i))
            return names, cells
        finally:
            self._lib.orma_query_free(query)

    def _cell(self, query, i):
        lib = self._lib
        kind = lib.orma_query_type(query, i)
        if kind == _library.INT64:
            return lib.orma_query_int64(query, i)
        if kind == _library.DOUBLE:
            return lib.orma_query_double(query, i)
        if kind == _library.NULL:
            return None
        get = lib.orma_query_text if kind == _library.TEXT else lib.orma_query_blob
        at = get(query, i)
        data = ctypes.string_at(at, lib.orma_query_bytes(query, i)) if at else b""
        return data.decode("utf-8", "ignore") if kind == _library.TEXT else data

    def interrupt(self):
        """From another thread: the query or load that runs ends with an exception."""
        if self.http:
            self._open()
            return
        with self._alive:
            if self._tp is not None:
                self._lib.orma_processor_interrupt(self._tp)

    def restore_initial_tables(self):
        """Drops what statements made."""
        if self.http:
            self.http.restore_initial_tables()
            return
        with self._running():
            self._check(self._lib.orma_processor_restore(self._tp))

    # ---- metrics ----

    def _take(self, result, data, size):
        self._check(result)
        try:
            return ctypes.string_at(data, size.value)
        finally:
            self._lib.orma_free(data)

    def metric_bytes(self, metrics, form=_library.BINARY):
        """The TraceMetrics message as bytes, for the classes of protobuf."""
        if self.http:
            answer = self.http.compute_metric(metrics, form)
            return answer.encode() if isinstance(answer, str) else answer
        names = [m.encode() for m in metrics]
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._running():
            return self._take(self._lib.orma_processor_compute_metrics(
                self._tp, (ctypes.c_char_p * len(names))(*names), len(names), form, ctypes.byref(data),
                ctypes.byref(size)), data, size)

    def metric(self, metrics):
        """TraceMetrics: fields are attributes."""
        return Message(json.loads(self.metric_bytes(metrics, _library.JSON)))

    def trace_summary_bytes(self, specs, metric_ids=None, metadata_query_id=None, form=_library.BINARY):
        """The TraceSummary message as bytes. Specs are texts, bytes of messages, or messages."""
        specs = [s.SerializeToString() if hasattr(s, "SerializeToString") else s for s in specs]
        if self.http:
            if form == _library.JSON:
                raise TraceProcessorException("a summary comes as JSON from a trace in this process only")
            answer = self.http.trace_summary(specs, metric_ids, metadata_query_id, form)
            return answer.encode() if isinstance(answer, str) else answer
        texts = [s.encode() if isinstance(s, str) else bytes(s) for s in specs]
        # A length for those in binary, 0 for texts.
        sizes = [0 if isinstance(s, str) else len(s) for s in specs]
        ids = [m.encode() for m in metric_ids or []]
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._running():
            return self._take(self._lib.orma_processor_summarize(
                self._tp, (ctypes.c_char_p * len(texts))(*texts), (ctypes.c_size_t * len(sizes))(*sizes), len(texts),
                None if metric_ids is None else (ctypes.c_char_p * (len(ids) + 1))(*ids), len(ids),
                metadata_query_id and metadata_query_id.encode(), form, ctypes.byref(data), ctypes.byref(size)), data, size)

    def trace_summary(self, specs, metric_ids=None, metadata_query_id=None):
        """TraceSummary: fields are attributes."""
        if self.http:
            return Message(_wire.read(self.trace_summary_bytes(specs, metric_ids, metadata_query_id), _http.SUMMARY))
        return Message(json.loads(self.trace_summary_bytes(specs, metric_ids, metadata_query_id, _library.JSON)))

    # ---- of the server ----

    def enable_metatrace(self):
        """The server at addr records what it does, if it can."""
        self._served("metatraces").enable_metatrace()

    def disable_and_read_metatrace(self):
        return self._served("metatraces").disable_and_read_metatrace()

    def unread(self):
        """What of the trace is in no table, and why: a sentence each, the same as on the command line. Without any,
        everything that the trace holds could be read."""
        return [row.message for row in self.query("SELECT message FROM import_account WHERE message IS NOT NULL ORDER BY id")]

    def _served(self, what):
        if not self.http:
            raise TraceProcessorException(f"{what} are recorded by servers: this goes with addr")
        return self.http

    # ---- the end ----

    def close(self):
        """What another thread runs is interrupted."""
        if self.http:
            self.http.close()
        else:
            self.interrupt()
        with self._lock:
            with self._alive:
                tp, self._tp = self._tp, None
            if tp is not None:
                self._lib.orma_processor_free(tp)

    def __copy__(self):
        raise TypeError("a TraceProcessor cannot be copied: open the trace again")

    def __deepcopy__(self, _):
        return self.__copy__()

    def __reduce__(self):
        raise TypeError("a TraceProcessor cannot be pickled: open the trace again")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_tp", None) is not None:
            self.close()


class ArrowStream:
    """A result by the PyCapsule interface of Arrow, to be taken once."""

    def __init__(self, tp, query, rows):
        self._tp = tp
        self._stream = _library.ArrowArrayStream()
        lib = _library.load()
        if query is None:
            raise TraceProcessorException("there is no statement")
        result = lib.orma_query_arrow(query, rows, 0, ctypes.byref(self._stream))
        if result < 0:
            lib.orma_query_free(query)
            raise TraceProcessorException("the statement has no columns" if result == -22 else os.strerror(-result))

    def __arrow_c_stream__(self, requested_schema=None):
        del requested_schema  # a wish, which may be refused
        if not self._stream.release:
            raise TraceProcessorException("the stream was taken before")
        return _capsule(self._stream)

    def __del__(self):
        if self._stream.release:
            self._stream.release(ctypes.byref(self._stream))


_CAPSULES = {}  # address: the struct that a capsule is of
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_API = ctypes.PyDLL(None)  # its functions are declared for us alone
_API.PyCapsule_New.restype = ctypes.py_object
_API.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR]
_API.PyCapsule_GetPointer.restype = ctypes.c_void_p
_API.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


@_DESTRUCTOR
def _capsule_ends(capsule):
    address = _API.PyCapsule_GetPointer(capsule, b"arrow_array_stream")
    stream = _CAPSULES.pop(address)
    if stream.release:
        stream.release(ctypes.byref(stream))


def _capsule(stream):
    """Moves the stream into a capsule, which releases it if nobody takes it."""
    moved = _library.ArrowArrayStream()
    ctypes.memmove(ctypes.byref(moved), ctypes.byref(stream), ctypes.sizeof(stream))
    stream.release = type(stream.release)()
    _CAPSULES[ctypes.addressof(moved)] = moved
    return _API.PyCapsule_New(ctypes.addressof(moved), b"arrow_array_stream", _capsule_ends)
