"""The examples of the document on making track events by hand, as they stand there: each is converted
from text, imported, and its rows are looked at."""
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from shared import require

DOCUMENT = require("seeds", "002_e5be271df07ea2ff.txt")
COMPAT = pathlib.Path(os.environ.get("ORMA_BUILD", "build")).resolve() / "compat"
# The examples have lost their line ends, so a comment goes on until something that looks like a field.
VALUE = r'(?:-?\d|"|TYPE_|[A-Z_]{4,}|true|false|\{)'
COMMENT = re.compile(r"#.*?(?=\b[a-z_]+\s*:\s*" + VALUE + r"|\b[a-z_]+ \{|\}|$)")


def examples():
    lines = [line for line in DOCUMENT.read_text().splitlines() if re.match(r"(# .*)?packet \{", line)]
    return [COMMENT.sub(" ", line) for line in lines]


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory(prefix="orma-test-")
        cls.texts = examples()

    @classmethod
    def tearDownClass(cls):
        cls.dir.cleanup()

    def rows(self, number, sql, more=""):
        path = pathlib.Path(self.dir.name) / "t.pftrace"
        done = subprocess.run([COMPAT / "traceconv", "binary", "-", path], capture_output=True,
                              input=(self.texts[number] + more).encode())
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        done = subprocess.run([COMPAT / "trace_processor_shell", "-Q", sql, path], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return [tuple(row) for row in csv.reader(io.StringIO(done.stdout.decode()))][1:]

    def test_there_are_nine(self):
        self.assertEqual(len(self.texts), 9)

    def test_slices_of_a_thread(self):
        self.assertEqual(self.rows(0, """
            SELECT s.ts, s.dur, s.depth, s.name, t.tid, t.name, p.pid, p.name FROM slice s
            JOIN thread_track tt ON tt.id = s.track_id JOIN thread t USING (utid) JOIN process p USING (upid)
            ORDER BY s.ts"""), [
            (*start, "5678", "My thread name", "1234", "My process name") for start in
            (("200", "100", "0", "My special parent"), ("250", "40", "1", "My special child"),
             ("285", "0", "2", "[NULL]"))])

    def test_slices_of_a_process(self):
        self.assertEqual(self.rows(1, """
            SELECT s.ts, s.dur, s.depth, t.name, p.pid FROM slice s JOIN process_track t ON t.id = s.track_id
            JOIN process p USING (upid) ORDER BY s.ts"""), [
            (ts, dur, depth, "My special track", "1234") for ts, dur, depth in
            (("200", "100", "0"), ("230", "65", "0"), ("250", "40", "1"), ("260", "10", "1"))])

    def test_tracks_of_their_own(self):
        self.assertEqual(self.rows(2, """
            SELECT s.name, s.ts, s.dur, t.name, p.name, r.name FROM slice s JOIN track t ON t.id = s.track_id
            JOIN track p ON p.id = t.parent_id JOIN track r ON r.id = p.parent_id ORDER BY s.ts"""), [
            ("A1", "200", "50", "Child A1", "Parent A", "Root"),
            ("B1", "210", "20", "Child B1", "Parent B", "Root"),
            ("A2", "220", "20", "Child A2", "Parent A", "Root")])

    def order(self, number, *uuids):
        """Tracks get a row when something is on them, or below: these get an instant each."""
        more = "".join(f" packet {{ timestamp: {500 + u} trusted_packet_sequence_id: 7 track_event {{ "
                       f"type: TYPE_INSTANT track_uuid: {u} name: 'i{u}' }} }}" for u in uuids)
        return self.rows(number, """
            SELECT t.name, p.name, extract_arg(t.source_arg_set_id, 'child_ordering'),
              extract_arg(t.source_arg_set_id, 'sibling_order_rank') FROM track t
            LEFT JOIN track p ON p.id = t.parent_id WHERE t.name IS NOT NULL ORDER BY t.name""", more)

    def test_orders_of_tracks(self):
        null = "[NULL]"
        self.assertEqual(self.order(3, 11, 12), [("A", "Root", null, null), ("B", "Root", null, null),
                                                 ("Root", null, "lexicographic", null)])
        self.assertEqual(self.order(4), [("A", "Root", null, null), ("B", "Root", null, null),
                                         ("Root", null, "chronological", null)])
        self.assertEqual(self.order(5, 11, 12, 13), [("A", "Root", null, "100"), ("B", "Root", null, "1"),
                                                     ("C", "Root", null, "-100"), ("Root", null, "explicit", null)])
        for number in (3, 4, 5):
            done = self.rows(number, "SELECT value FROM stats WHERE name = 'track_event_parser_errors'")
            self.assertEqual(done, [("0",)])

    def test_flows(self):
        self.assertEqual(self.rows(6, """
            SELECT slice.name, ts, dur, tid FROM slice JOIN thread_track t ON t.id = track_id JOIN thread USING (utid)
            ORDER BY ts"""), [
            ("Request generation", "200", "100", "100"), ("Background work", "310", "75", "101"),
            ("Process background result", "400", "100", "100")])
        self.assertEqual(self.rows(6, """
            SELECT o.name, i.name FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in
            ORDER BY o.ts"""), [
            ("Request generation", "Background work"), ("Background work", "Process background result")])

    def test_counters(self):
        self.assertEqual(self.rows(7, """
            SELECT c.ts, c.value, t.name, p.pid FROM counter c JOIN process_counter_track t ON t.id = c.track_id
            JOIN process p USING (upid) ORDER BY c.ts"""), [
            (ts, value + ".000000", "My special counter", "1024") for ts, value in
            (("200", "34567"), ("250", "67890"), ("300", "12345"), ("400", "12345"))])

    def test_interning(self):
        rows = self.rows(8, "SELECT ts, dur, name FROM slice ORDER BY ts")
        self.assertEqual([r[:2] for r in rows], [("200", "1"), ("202", "1")])
        self.assertEqual(len({r[2] for r in rows}), 1)
        self.assertRegex(rows[0][2], "^A very .* repeat$")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
