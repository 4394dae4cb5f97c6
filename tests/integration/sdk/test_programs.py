#!/usr/bin/env python3
"""Short-lived programs: what they wrote is in the trace, however they begin and end.

The first program of docs/sdk.md is taken from the page and run as a reader would run it."""
import re
import selectors
import shutil
import socket
import sys
import threading

from orma_env import BUILD, Case, ORMA, SLOW, main, os, pathlib, signal, subprocess, unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
SHORT = BUILD / "tests/integration/sdk/short"
# Losses by reason, and what the ledger says was handed over.
SLICES = "SELECT count(*) FROM slice"
FIRST = re.compile(r"^```c\n(.*?int main\(.*?)^```$", re.M | re.S)


class Programs(Case):
    def record(self, *command, code=0):
        trace = self.dir / "t.pftrace"
        self.orma("record", "--private", "-q", "-f", "-o", trace, "apps", "--", *command, code=code)
        return trace

    def slices(self, trace):
        return int(self.one(trace, SLICES))

    def first_program(self):
        """As it stands on the page, built as the page says; None under sanitizers."""
        if "san" in subprocess.run(["nm", "-u", BUILD / "sdk/liborma.a"], capture_output=True, text=True).stdout:
            self.skipTest("the library needs a sanitizer's runtime")
        if not shutil.which("cc"):
            self.skipTest("no compiler")
        text = FIRST.search((SOURCE / "docs/sdk.md").read_text(encoding="utf-8")).group(1)
        (self.dir / "first.c").write_text(text)
        done = self.run_program("cc", "first.c", f"-I{SOURCE}/sdk/include", BUILD / "sdk/liborma.a",
                                "-pthread", "-o", "first")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return self.dir / "first"

    def test_the_first_program_of_the_manual_as_a_command(self):
        program = self.first_program()
        for _ in range(5):
            self.assertEqual(self.slices(self.record(program)), 1000)

    def record_in_background(self, trace):
        """Returns what ends it."""
        self.start_traced()
        done = self.orma("record", "--background", "-o", trace, "apps")
        pid = int(re.search(r"'kill (\d+)' ends it", done.stderr.decode()).group(1))

        def end():
            os.kill(pid, signal.SIGTERM)
            self.wait_for("the end of the recording", lambda: not pathlib.Path(f"/proc/{pid}").exists() or
                          ") Z " in pathlib.Path(f"/proc/{pid}/stat").read_text())
        return end

    def test_the_first_program_of_the_manual_beside_a_recording(self):
        program, trace = self.first_program(), self.dir / "t.pftrace"
        end = self.record_in_background(trace)
        for _ in range(5):
            self.assertEqual(self.run_program(program).returncode, 0)
        end()
        self.assertEqual(self.slices(trace), 5000)

    def test_without_a_service_nobody_waits(self):
        self.env["ORMA_CONNECT_WAIT_MS"] = "600000"
        self.assertEqual(self.run_program(SHORT, "plain", "return", timeout=30).returncode, 0)

    def forward(self, listener, refused):
        """Closes so many connections, then hands on what the next one and the service say, with its memory."""
        for _ in range(refused):
            listener.accept()[0].close()
        client = listener.accept()[0]
        service = socket.socket(socket.AF_UNIX)
        service.connect(self.env["PERFETTO_PRODUCER_SOCK_NAME"])
        with client, service, selectors.DefaultSelector() as both:
            both.register(client, selectors.EVENT_READ, service)
            both.register(service, selectors.EVENT_READ, client)
            while True:
                for key, _ in both.select():
                    data, fds, *_ = socket.recv_fds(key.fileobj, 65536, 8)
                    if not data:
                        return
                    socket.send_fds(key.data, [data], fds) if fds else key.data.sendall(data)
                    for fd in fds:
                        os.close(fd)

    def test_a_connection_that_breaks_at_once_is_made_again(self):
        trace = self.dir / "t.pftrace"
        end = self.record_in_background(trace)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.dir / "between.sock"))
            listener.listen()
            between = threading.Thread(target=self.forward, args=(listener, 2), daemon=True)
            between.start()
            env = self.env | {"PERFETTO_PRODUCER_SOCK_NAME": str(self.dir / "between.sock"), "ORMA_CONNECT_WAIT_MS": "60000"}
            done = subprocess.run([SHORT, "plain", "return"], env=env, timeout=100 * SLOW)
            self.assertEqual(done.returncode, 0)
            between.join(60)
        end()
        self.assertEqual(self.slices(trace), 1000)

    def test_startup_tracing_before_and_after_init(self):
        for start in ("before", "after") * 20:
            self.assertEqual(self.slices(self.record(SHORT, start, "return")), 1000, start)

    def test_startup_tracing_and_a_session_that_hides_names(self):
        """It may not show what was kept; that this is missing stands in its ledger."""
        config, trace = self.dir / "c.pbtxt", self.dir / "t.pftrace"
        config.write_text('buffers { size_kb: 8192 } data_sources { config { name: "track_event" '
                          'track_event_config { filter_debug_annotations: true } } }')
        done = self.run_program(ORMA, "record", "--private", "-q", "-o", trace, "-c", config, "--", SHORT, "before", "return")
        there = self.slices(trace)
        # On a busy machine the session may be there before the first event, or come in the middle: only what is kept is
        # lost then. It is an error if that is all.
        self.assertEqual(done.returncode, 0 if there else 1, done.stderr.decode())
        lost = int(self.one(trace, "SELECT ifnull(sum(packets), 0) FROM loss WHERE reason = 'dropped'"))
        self.assertGreaterEqual(2 * there + lost, 2000)

    def test_ends_of_programs(self):
        """Nothing is lost at an orderly end. At others, the service finds the rest in the shared memory."""
        for how, code in {"return": 0, "exit": 0, "quick_exit": 0, "_exit": 0, "exec": 0, "abort": 134}.items():
            trace = self.record(SHORT, "plain", how, code=code)
            self.assertEqual(self.slices(trace), 1000, how)


if __name__ == "__main__":
    main()
