"""The processor's server answers recorded HTTP requests as the recorded server did: the same heads, and
bodies that are equal byte for byte but for times and versions."""
import os
import pathlib
import re
import socket
import subprocess
import sys
import unittest

from conversation import fields, put_varint, varint
from shared import require, sample

SAMPLES = require("samples", "rpc")
TRACE = require("samples", "traces", "sdk_basic", "trace.pftrace")
SHELL = pathlib.Path(os.environ.get("ORMA_BUILD", "build")).resolve() / "compat/trace_processor_shell"
SLOW = float(os.environ.get("ORMA_TEST_SLOWNESS", "1"))

# Metrics, summaries, metatraces and exports are other matters; the help page is ours.
OTHER = re.compile("5[45789]b?c?_|75_|80_|81_|03_")
# Here the answers differ, and it is known why: only status and headers are compared.
DIFFERENT = {
    "10b_query_slice_without_trace": "tables are there, and empty, before the trace is complete",
    "83_rpc_query_after_reset": "the same",
    "87_rpc_after_framing_error": "nonsense of one client does not shut out all others until the server is restarted",
    "25_query_syntax_error": "the words of SQLite's parser are printed as they are",
    "50_compute_metric_textproto": "the metric has no numbers that are zero, and ends its line",
    "51_compute_metric_binary": "the same",
    "52_compute_metric_json": "the same",
    "71_rpc_compute_metric": "the same",
    "56_trace_summary": "doubles are printed as short as they can be",
    "53_compute_metric_unknown": "it says where the names are",
    "36_query_statement_error_second": "the whole line is shown, not only the statement",
}


def calls(first, last):
    """(name, request bytes, recorded response or None) in the recorded order."""
    for path in sorted(SAMPLES.glob("*.request.http.bin")):
        name = path.name.partition(".")[0]
        if name[:2].isdigit() and first <= int(name[:2]) <= last:
            response = SAMPLES / f"{name}.response.http.bin"
            yield name, path.read_bytes(), response.read_bytes() if response.exists() else None


class Answer:
    def __init__(self, data):
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = lines[0]
        self.headers = dict(line.split(": ", 1) for line in lines[1:])
        self.body = self.unchunk(body) if "Transfer-Encoding" in self.headers else body

    @staticmethod
    def unchunk(body):
        out = b""
        while body:
            size, _, rest = body.partition(b"\r\n")
            out, body = out + rest[:int(size, 16)], rest[int(size, 16) + 2:]
        return out


def without_times(data, rpc):
    """A QueryResult (or a stream of them in frames) with its times as zeros, version texts taken out."""
    out = []
    for number, wire, val in fields(data):
        if rpc and wire == 2:
            val = without_times(val, False)
        elif number == 203 and wire == 2:
            val = without_times(val, False)
        elif number == 219 and wire == 2:
            val = [(n, w, without_times(v, False) if n == 1 else v) for n, w, v in fields(val)]
        elif number == 210 and wire == 2:
            val = status(val)
        elif number == 7 and wire == 1:
            val = "time"
        out.append((number, wire, val))
    return out


def status(data):
    return [(n, w, v) for n, w, v in fields(data) if n in (1, 3)]


class Server:
    def __init__(self, *trace):
        self.process = subprocess.Popen([SHELL, "server", "http", "--port", "0", *trace],
                                        stderr=subprocess.PIPE)
        for line in self.process.stderr:
            m = re.search(rb"http://localhost:(\d+)", line)
            if m:
                self.port = int(m.group(1))
                break

    def ask(self, request):
        """One request on a connection of its own; all that comes."""
        with socket.create_connection(("127.0.0.1", self.port), 60 * SLOW) as s:
            s.sendall(request)
            data = b""
            while not self.whole(data):
                more = s.recv(1 << 20)
                if not more:
                    break
                data += more
        return Answer(data)

    @staticmethod
    def whole(data):
        head, sep, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        return sep and (len(body) >= int(length.group(1)) if length else body.endswith(b"0\r\n\r\n"))

    def close(self):
        self.process.terminate()
        self.process.wait(30 * SLOW)
        self.process.stderr.close()
        return self.process.returncode


class Rpc(unittest.TestCase):
    maxDiff = 4000

    def server(self, *trace):
        server = Server(*trace)
        self.addCleanup(server.close)
        return server

    def equal(self, have, want):
        """Without the diff that takes minutes for large values."""
        self.assertTrue(have == want, f"{str(have)[:1500]}\n!=\n{str(want)[:1500]}")

    def compare(self, name, answer, recorded):
        self.assertEqual(answer.status, recorded.status)
        have, want = ({k: v for k, v in a.headers.items() if k != "Content-Length"} for a in (answer, recorded))
        self.assertEqual(have, want)
        if name in DIFFERENT:
            return
        if "status" in name and "rpc" not in name and answer.status.startswith("HTTP/1.1 200"):
            self.assertEqual(status(answer.body)[1:], status(recorded.body)[1:])
        elif "query" in name or "rpc" in name:
            self.equal(without_times(answer.body, "rpc" in name), without_times(recorded.body, "rpc" in name))
        else:
            self.assertEqual(answer.body, recorded.body)

    def replay(self, server, first, last):
        num = 0
        for name, request, recorded in calls(first, last):
            answer = server.ask(request)
            if recorded is None or OTHER.match(name):
                continue
            num += 1
            with sample(f"rpc/{name}"):
                self.compare(name, answer, Answer(recorded))
        return num

    def test_plain_calls_and_queries(self):
        self.assertGreater(self.replay(self.server(), 1, 56), 38)

    def test_byte_pipe(self):
        self.assertGreater(self.replay(self.server(), 60, 87), 25)

    def test_preloaded(self):
        self.assertEqual(self.replay(self.server(TRACE), 90, 90), 1)

    def test_many_batches(self):
        """Recorded without their head: the bodies."""
        server = self.server(TRACE)
        for name in ("33_query_multi_batch", "38_query_large_strings"):
            with self.subTest(name):
                body = server.ask((SAMPLES / f"{name}.request.http.bin").read_bytes()).body
                path = SAMPLES / f"{name}.response.bin"
                if path.exists():
                    self.equal(without_times(body, False), without_times(path.read_bytes(), False))
                self.assertGreater(len(body), 190000)

    def recorded_client(self):
        """(connection, bytes of a request, recorded answer) of the Python client's session."""
        data, records = (SAMPLES / "python_client_session.rec").read_bytes(), []
        while data:
            head, _, data = data.partition(b"\n")
            m = re.match(rb"@@ (\S+ ?\w*) conn=(\d+) t=\S+ len=(\d+)", head)
            size = int(m.group(3))
            if not m.group(1).endswith(b"close"):
                records.append((m.group(1), int(m.group(2)), data[:size]))
            data = data[size + 1:]
        request = answer = b""
        for way, conn, part in records:
            if way == b"C>S" and answer:
                yield last, request, answer
                request = answer = b""
            last = conn
            request, answer = (request + part, answer) if way == b"C>S" else (request, answer + part)
        yield last, request, answer

    def test_the_session_of_the_python_client(self):
        server, conns, num = self.server(), {}, 0
        for conn, request, recorded in self.recorded_client():
            if conn not in conns:
                conns[conn] = socket.create_connection(("127.0.0.1", server.port), 60 * SLOW)
                self.addCleanup(conns[conn].close)
            conns[conn].sendall(request)
            data = b""
            while not Server.whole(data):
                data += conns[conn].recv(1 << 20)
            answer, want = Answer(data), Answer(recorded)
            num += 1
            with self.subTest(request[:30]):
                self.assertEqual(answer.status, want.status)
                self.assertEqual(answer.headers.get("Connection"), want.headers.get("Connection"))
                if request.startswith(b"POST /query"):
                    self.equal(without_times(answer.body, False), without_times(want.body, False))
        self.assertGreater(num, 5)

    def test_a_signal_ends_it(self):
        server = Server()
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
