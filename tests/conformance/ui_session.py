"""A recorded session of a web UI: what it asked its engine, in order, and what that answered; and two ways of asking ours the same.

Cells are None, or a text that begins with the type: an integer has none, s is a text, f a double, b bytes in hex."""
import gzip
import http.client
import json
import pathlib
import re
import struct
import subprocess
import sys
import threading

from conversation import fields, put_varint, varint

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import websocket  # noqa: E402

NULL, INTEGER, REAL, TEXT, BLOB = 1, 2, 3, 4, 5
QUERY_STREAMING, RESTORE_INITIAL_TABLES = 3, 7


def field(number, value):
    """Of a message: a varint or bytes."""
    if isinstance(value, int):
        return put_varint(number << 3) + put_varint(value)
    return put_varint(number << 3 | 2) + put_varint(len(value)) + value


def packed(data):
    at = 0
    while at < len(data):
        val, at = varint(data, at)
        yield val


class Rows:
    """What messages QueryResult have in common: columns, rows, error."""

    def __init__(self):
        self.columns, self.rows, self.error, self.last = [], [], "", False

    def add(self, message):
        for number, _, val in fields(message):
            if number == 1:
                self.columns.append(val.decode())
            elif number == 2:
                self.error = val.decode(errors="replace")
            elif number == 3:
                self.batch(val)
        return self

    def batch(self, message):
        cells, take = b"", {INTEGER: iter(()), REAL: iter(()), TEXT: iter(()), BLOB: []}
        for number, _, val in fields(message):
            if number == 1:
                cells = val
            elif number == 2:
                take[INTEGER] = (str(v - (1 << 64) if v >> 63 else v) for v in packed(val))
            elif number == 3:
                take[REAL] = (f"f{v[0]!r}" for v in struct.iter_unpack("<d", val))
            elif number == 4:
                take[BLOB].append("b" + val.hex())
            elif number == 5:
                take[TEXT] = ("s" + t for t in val.decode(errors="replace").split("\0"))
            elif number == 6:
                self.last = bool(val)
        take[BLOB] = iter(take[BLOB])
        flat = [None if kind == NULL else next(take[kind]) for kind in cells]
        if self.columns:
            self.rows += [flat[i:i + len(self.columns)] for i in range(0, len(flat), len(self.columns))]


class Server:
    """The shell with a trace, on a port that it picks."""

    def __init__(self, shell, trace):
        self.process = subprocess.Popen([shell, "server", "http", "--port", "0", str(trace)], stderr=subprocess.PIPE)
        self.port = None
        for line in self.process.stderr:
            m = re.search(rb"http://localhost:(\d+)", line)
            if m:
                self.port = int(m.group(1))
                threading.Thread(target=self.process.stderr.read, daemon=True).start()  # a full pipe would stop it
                return
        raise RuntimeError("the server did not start")

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()


class Http:
    def __init__(self, port, timeout):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def post(self, path, body):
        self.connection.request("POST", path, body)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: status {answer.status}")
        return data

    def query(self, sql):
        return Rows().add(self.post("/query", field(1, sql.encode())))

    def restore(self):
        self.post("/restore_initial_tables", b"")

    def close(self):
        self.connection.close()


class WebSocket:
    """The stream of messages of the RPC; where frames end says nothing about where messages do."""

    def __init__(self, port, timeout):
        self.socket, _ = websocket.connect(port, "/websocket", timeout)
        self.asked, self.heard, self.bytes = 0, None, b""

    def call(self, method, args=b""):
        message = field(1, self.asked) + field(2, method) + args
        self.asked += 1
        self.socket.sendall(websocket.frame(2, field(1, message)))

    def message(self):
        while True:
            try:
                tag, at = varint(self.bytes, 0)
                size, at = varint(self.bytes, at)
                if len(self.bytes) - at >= size:
                    break
            except IndexError:
                pass
            code, data = websocket.read_frame(self.socket)
            if code != 2:
                raise RuntimeError(f"a frame of kind {code}")
            self.bytes += data
        message, self.bytes = self.bytes[at:at + size], self.bytes[at + size:]
        have = {number: val for number, _, val in fields(message)}
        if tag != 10 or 5 in have or self.heard is not None and have.get(1, 0) != self.heard + 1:
            raise RuntimeError(f"out of order: {have}")
        self.heard = have.get(1, 0)
        return have

    def query(self, sql):
        self.call(QUERY_STREAMING, field(103, field(1, sql.encode())))
        rows = Rows()
        while not rows.last:
            rows.add(self.message()[203])
        return rows

    def restore(self):
        self.call(RESTORE_INITIAL_TABLES)
        if self.message().get(3) != RESTORE_INITIAL_TABLES:
            raise RuntimeError("not the answer to restore_initial_tables")

    def close(self):
        self.socket.close()


WAYS = {"http": Http, "websocket": WebSocket}


def requests(path):
    with gzip.open(path, "rt") as f:
        for line in f:
            yield json.loads(line)
