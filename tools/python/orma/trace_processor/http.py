"""TraceProcessorHttp: a trace processor behind HTTP, ours (`orma serve`) or Perfetto's, by the requests of its client."""
import array
import http.client
import itertools
import sys
import threading
import urllib.parse

from .. import wire
from ..exceptions import TraceProcessorException

_PORT = 9001
_LARGE = 1 << 22  # of what /parse is sent at once

# Messages of answers, as wire.read() takes them.
STATUS = {1: ("loaded_trace_name", str), 2: ("human_readable_version", str), 3: ("api_version", int), 4: ("version_code", str)}
_PARSED = {1: ("total_bytes_parsed", int), 2: ("error", str)}
_FINISHED = {1: ("error", str)}
_METRICS = {1: ("metrics", bytes), 2: ("error", str), 3: ("metrics_as_prototext", str), 4: ("metrics_as_json", str)}
_SUMMARY = {1: ("proto_summary", bytes), 2: ("textproto_summary", str), 3: ("error", str)}
_METATRACE = {1: ("metatrace", bytes), 2: ("error", str)}

_TYPES = ("DIMENSION_TYPE_UNSPECIFIED", "STRING", "INT64", "DOUBLE", "BOOLEAN")
_UNIQUENESS = ("DIMENSION_UNIQUENESS_UNSPECIFIED", "NOT_UNIQUE", "UNIQUE")
_POLARITIES = ("POLARITY_UNSPECIFIED", "HIGHER_IS_BETTER", "LOWER_IS_BETTER", "NOT_APPLICABLE")
_UNITS = tuple("""METRIC_UNIT_UNSPECIFIED COUNT TIME_NANOS TIME_MICROS TIME_MILLIS TIME_SECONDS TIME_HOURS TIME_DAYS BYTES
    KILOBYTES MEGABYTES SECONDS_PER_HOUR BOUNDED_PERCENTAGE PERCENTAGE MINUTES_PER_DAY MILLI_AMPS PERCENT_PER_HOUR
    MILLI_AMP_HOURS PERCENT_PER_HOUR_LEGACY MILLI_WATTS COUNT_PER_SECOND KILOBYTES_PER_HOUR MILLI_WATT_HOURS COUNT_PER_HOUR
    COUNT_DELTA_PER_HOUR BYTES_DELTA_PER_HOUR CORRELATION_COEFFICIENT MILLI_VOLTS CELSIUS MICRO_AMP_HOURS TIME_MINS
    DECIBEL_MILLIWATTS KILOBYTES_PER_SECOND""".split())
_COLUMN = {1: ("name", str), 2: ("type", _TYPES)}
_DIMENSION = {1: ("string_value", str), 2: ("int64_value", int), 3: ("double_value", float), 4: ("null_value", {}),
              5: ("bool_value", bool)}
# A query is left as its bytes: it is the one of the specification.
_SPEC = {1: ("id", str), 2: ("dimensions", [str]), 3: ("value", str), 4: ("query", bytes),
         5: ("dimensions_specs", [{1: ("name", str), 2: ("type", _TYPES), 3: ("display_name", str), 4: ("display_help", str),
                                   5: ("doc_link", str), 6: ("is_aggregatable", bool)}]),
         6: ("dimension_uniqueness", _UNIQUENESS), 7: ("bundle_id", str), 8: ("unit", _UNITS), 9: ("custom_unit", str),
         10: ("polarity", _POLARITIES),
         11: ("interned_dimension_specs", [{1: ("key_column_spec", _COLUMN), 2: ("data_column_specs", [_COLUMN]),
                                            3: ("query", bytes)}])}
_ROW = {1: ("values", [{1: ("null_value", {}), 2: ("double_value", float)}]), 2: ("dimension", [_DIMENSION])}
_INTERNED = {2: ("interned_dimension_rows", [{1: ("key_dimension_value", _DIMENSION),
                                              2: ("interned_dimension_values", [_DIMENSION])}])}
SUMMARY = {2: ("metadata", [{1: ("key", str), 2: ("value", str)}]),
           3: ("metric_bundles", [{1: ("bundle_id", str), 2: ("row", [_ROW]), 3: ("specs", [_SPEC]),
                                   4: ("interned_dimension_bundles", [_INTERNED])}])}


def _place(addr):
    """Host and port: a scheme may stand in front."""
    url = urllib.parse.urlsplit(addr if "://" in addr else "//" + addr)
    if url.scheme not in ("", "http") or not url.hostname:
        raise TraceProcessorException(f"'{addr}' is no address of a server: expected HOST:PORT")
    try:
        return url.hostname, url.port or _PORT
    except ValueError as error:
        raise TraceProcessorException(f"'{addr}': {error}") from None


def _texts(data):
    """Texts that end with a NUL each."""
    return str(data, "utf-8", "ignore").split("\0")[:-1]


class _Cells:
    """The cells of a QueryResult by column."""

    def __init__(self):
        self.names, self.columns, self.error, self.last = [], [], None, True

    def batch(self, data):
        kinds, parts, blobs, self.last = b"", {2: b"", 3: b"", 5: b""}, [], False
        for number, value in wire.fields(data):
            if number == 1:
                kinds += bytes(value)
            elif number in parts:
                parts[number] += value
            elif number == 4:
                blobs.append(bytes(value))
            elif number == 6:
                self.last = bool(value)
        doubles = array.array("d", parts[3])
        if sys.byteorder == "big":
            doubles.byteswap()
        take = [iter(v).__next__ for v in ((), itertools.repeat(None), wire.varints(parts[2]), doubles, _texts(parts[5]), blobs)]
        width = len(self.names)
        if kinds and (not width or len(kinds) % width):
            raise wire.Malformed("a batch ends within a row")
        cells = []
        for kind in kinds:
            cells.append(take[kind]())
        for i, column in enumerate(self.columns):
            column.extend(cells[i::width])

    def read(self, data):
        for number, value in wire.fields(data):
            if number == 1:
                self.names.append(str(value, "utf-8", "replace"))
                self.columns.append([])
            elif number == 2:
                self.error = str(value, "utf-8", "replace")
            elif number == 3:
                self.batch(value)


class TraceProcessorHttp:
    """
    addr: "localhost:9001". Calls take turns on one connection. An error in an answer is a TraceProcessorException.
    """

    def __init__(self, addr):
        self.addr = addr
        self._lock = threading.Lock()
        self._conn = http.client.HTTPConnection(*_place(addr))

    def _ask(self, path, body=None):
        with self._lock:
            try:
                self._conn.request("GET" if body is None else "POST", path, body)
                answer = self._conn.getresponse()
                data = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self._conn.close()
                raise TraceProcessorException(f"{self.addr}: {error or type(error).__name__}") from error
        if answer.status >= 300:
            text = str(data[:200], "utf-8", "replace").strip()
            raise TraceProcessorException(f"{self.addr}: {path}: {answer.status} {text or answer.reason}")
        return data

    def _call(self, path, table, body=None):
        """The answer as a dict."""
        data = self._ask(path, body)
        try:
            answer = wire.read(data, table)
        except wire.Malformed as error:
            raise TraceProcessorException(f"{self.addr}: {path}: {error}") from None
        if answer.get("error"):
            raise TraceProcessorException(answer["error"])
        return answer

    def status(self):
        """A dict: loaded_trace_name, human_readable_version, api_version, version_code."""
        return self._call("/status", STATUS)

    def parse(self, chunk):
        for at in range(0, len(chunk), _LARGE):
            self._call("/parse", _PARSED, chunk[at:at + _LARGE])

    def notify_eof(self):
        self._call("/notify_eof", _FINISHED)  # Perfetto's says nothing

    def restore_initial_tables(self):
        self._ask("/restore_initial_tables")

    def execute_query(self, sql):
        """The names of columns, and the cells of each."""
        data, cells = self._ask("/query", wire.put(1, sql)), _Cells()
        try:
            cells.read(data)
        except (wire.Malformed, StopIteration, IndexError, ValueError) as error:
            raise TraceProcessorException(f"{self.addr}: the answer makes no sense: {error}") from None
        if cells.error:
            raise TraceProcessorException(cells.error)
        if not cells.last:
            raise TraceProcessorException(f"{self.addr}: the answer is not complete")
        return cells.names, cells.columns

    def compute_metric(self, metrics, form=0):
        """form: 0 bytes, 1 text, 2 JSON."""
        body = b"".join(wire.put(1, m) for m in metrics) + (wire.put(2, form) if form else b"")
        answer = self._call("/compute_metric", _METRICS, body)
        return answer.get(("metrics", "metrics_as_prototext", "metrics_as_json")[form], "" if form else b"")

    def trace_summary(self, specs, metric_ids=None, metadata_query_id=None, form=0):
        """Texts, or bytes of messages. form: 0 bytes, 1 text."""
        which = (wire.put(3, True) if metric_ids is None else b"".join(wire.put(1, m) for m in metric_ids))
        which += wire.put(2, metadata_query_id) if metadata_query_id else b""
        body = b"".join(wire.put(2 if isinstance(s, str) else 1, s) for s in specs) + wire.put(3, which) + wire.put(4, form)
        answer = self._call("/trace_summary", _SUMMARY, body)
        return answer.get("textproto_summary", "") if form else answer.get("proto_summary", b"")

    def enable_metatrace(self):
        self._ask("/enable_metatrace")

    def disable_and_read_metatrace(self):
        return self._call("/disable_and_read_metatrace", _METATRACE).get("metatrace", b"")

    def export(self, form):
        """The bytes of the trace in another form: 1 Perfetto, 2 Arrow in tar, 3 SQLite."""
        return self._ask("/export", wire.put(1, form))

    def close(self):
        self._conn.close()
