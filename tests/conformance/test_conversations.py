"""`perfetto` and `trigger_perfetto` hold the conversations that the real clients were recorded with."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from conversation import Conversation, Replay, Service
from shared import require

SAMPLES = require("samples", "ipc")
COMPAT = pathlib.Path(os.environ.get("ORMA_BUILD", "build")).resolve() / "compat"


class Conversations(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="orma-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.out = self.dir / "out.pftrace"
        self.env = {**os.environ, "PERFETTO_CONSUMER_SOCK_NAME": str(self.dir / "s"),
                    "PERFETTO_PRODUCER_SOCK_NAME": str(self.dir / "s")}

    def talk(self, names, *argv, program="perfetto", code=0, before=None):
        """Runs the program against replays of these conversations; its standard output."""
        replays = [Replay(Conversation(SAMPLES / f"{name}.conv")) for name in names]
        service = Service(self.dir / "s", replays)
        client = subprocess.Popen([COMPAT / program, *map(str, argv)], env=self.env, cwd=self.dir,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        replays[0].before = before(client, replays) if before else {}
        try:
            out, err = client.communicate(timeout=60)
        finally:
            client.kill()
        self.assertIsNone(service.finish(), err.decode())
        self.assertEqual(client.returncode, code, err.decode())
        self.err = err.decode()
        return out

    def record(self, name, *more, **kw):
        return self.talk([name], "-c", SAMPLES / f"{name}.pbtxt", "--txt", "-o", self.out, *more, **kw)

    def test_trace_read_over_the_socket(self):
        for name in ("consumer_ipc_read", "consumer_big_packets"):
            with self.subTest(name):
                self.record(name)
                recorded = SAMPLES / f"{name}.pftrace"
                if recorded.exists():
                    self.assertEqual(self.out.read_bytes(), recorded.read_bytes())
                self.assertIn(f"Wrote {self.out.stat().st_size} bytes into {self.out}", self.err)
                os.unlink(self.dir / "s")

    def test_trace_written_by_the_service(self):
        self.record("consumer_write_into_file")
        self.assertIn("The service has written the trace", self.err)

    def test_triggers_that_start_and_stop(self):
        for name in ("start_trigger_consumer", "stop_trigger_consumer"):
            with self.subTest(name):
                self.record(name)
                self.assertGreater(self.out.stat().st_size, 5000)
                os.unlink(self.dir / "s")

    def test_trigger_that_clones(self):
        def interrupt(client, replays):
            def after_the_snapshot():
                replays[1].done.wait(30)
                client.send_signal(signal.SIGINT)
            return {"Flush": after_the_snapshot}

        self.talk(["clone_trigger_consumer", "clone_trigger_second_connection"], "-c",
                  SAMPLES / "clone_trigger_consumer.pbtxt", "--txt", "-o", self.out, before=interrupt)
        self.assertGreater((self.dir / "out.pftrace.0").stat().st_size, 5000)
        self.assertFalse(self.out.exists(), "the session itself has no data of its own")

    def test_detached_sessions(self):
        self.record("detach", "--detach", "samplekey")
        self.assertTrue(self.out.exists(), "the service goes on writing into it")

    def test_end_of_a_detached_session(self):
        self.talk(["attach_stop"], "--attach", "samplekey", "--stop")

    def test_question_for_a_detached_session(self):
        self.talk(["is_detached_yes"], "--is_detached", "samplekey")

    def test_question_for_an_unknown_session(self):
        self.talk(["is_detached_no"], "--is_detached=otherkey", code=2)
        self.assertEqual(self.err, "")

    def test_clone_by_name(self):
        self.talk(["clone_by_name"], "--clone-by-name", "sample_session", "-o", self.out)
        self.assertGreater(self.out.stat().st_size, 5000)

    def test_clone_of_an_unknown_session(self):
        self.talk(["clone_unknown_name"], "--clone-by-name", "no_such_session", "-o", self.out, code=1)
        self.assertIn("Tracing session not found", self.err)
        self.assertFalse(self.out.exists())

    def test_query(self):
        text = self.talk(["query_human"], "--query").decode()
        for word in ("perfetto.traced_probes", "./sdk_app", "linux.ftrace", "track_event", "SESSIONS"):
            self.assertIn(word, text)

    def test_query_raw(self):
        self.assertEqual(self.talk(["query_raw"], "--query-raw"), (SAMPLES / "query_raw.bin").read_bytes())

    def test_trigger(self):
        self.talk(["trigger_producer"], "sample_trigger", program="trigger_perfetto")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
