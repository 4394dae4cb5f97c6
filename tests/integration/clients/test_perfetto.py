"""`perfetto` and `trigger_perfetto` with our own service: what a script sees of them."""
import contextlib
import select
import struct

from orma_env import *

PERFETTO = BUILD / "compat/perfetto"
TRIGGER = BUILD / "compat/trigger_perfetto"
CONFIG = 'buffers { size_kb: 256 }\ndata_sources { config { name: "track_event" } }\n'


class Perfetto(Case):
    def perfetto(self, *argv, code=0, says="", **more):
        done = self.run_program(PERFETTO, *argv, **more)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{argv}\n{text}")
        self.assertIn(says, text)
        return done

    def config(self, text):
        path = self.dir / "config.pbtxt"
        path.write_text(text)
        return path

    def packets(self, path):
        """The number of packets of a whole trace."""
        data, at, num = path.read_bytes(), 0, 0
        while at < len(data):
            self.assertEqual(data[at], 0x0A, "a packet begins here")
            at, size, shift = at + 1, 0, 0
            while True:
                byte = data[at]
                at, size, shift = at + 1, size | (byte & 0x7F) << shift, shift + 7
                if byte < 0x80:
                    break
            at, num = at + size, num + 1
        self.assertEqual(at, len(data), "the last packet is whole")
        return num

    def sessions(self):
        return self.perfetto("--query").stdout.decode().partition("SESSIONS: ")[2]

    def wait_for_session(self, name=""):
        self.wait_for("the session", lambda: "STARTED" in self.sessions() and name in self.sessions())


class WrongUsage(Perfetto):
    """No service runs: whatever is wrong before it is needed is said first."""

    def test_words_that_are_wrong_or_do_not_go_together(self):
        (self.dir / "c").write_bytes(b"\x18\x64")
        for argv, says in [
                ([], "nothing to do"),
                (["--tiem", "5s"], "did you mean '--time'"),
                (["-t", "5", "-o", "x"], "bad time '5'"),
                (["-t", "100d", "-o", "x"], "bad time '100d'"),
                (["-b", "32", "-o", "x"], "bad size '32'"),
                (["-b", "4gb", "-o", "x"], "bad size '4gb'"),
                (["-s", "x", "-o", "x"], "bad size 'x'"),
                (["-c", "c", "-t", "5s", "-o", "x"], "cannot be combined with the light form"),
                (["-c", "c", "-c", "c"], "a second config"),
                (["--txt", "-t", "5s", "-o", "x"], "--txt needs -c"),
                (["--query", "-t", "5s"], "cannot be combined"),
                (["--query", "-o", "x"], "-o cannot be used"),
                (["--long", "-t", "5s", "-o", "x"], "'--long' needs --query"),
                (["--stop", "-c", "c"], "'--stop' needs --attach"),
                (["--attach", "k", "-d"], "only a recording can go to the background"),
                (["--attach", "k", "--is_detached", "k"], "another key"),
                (["--attach="], "non-empty"),
                (["--detach", "k"], "needs a config"),
                (["--clone", "x", "-o", "x"], "bad session number 'x'"),
                (["--clone", "3"], "-o FILE"),
                (["--clone", "3", "--clone-by-name", "y", "-o", "x"], "cannot be combined"),
                (["--no-clobber", "-t", "5s"], "--no-clobber"),
                (["--add-attribute", "=x", "-t", "5s", "-o", "x"], "bad attribute"),
                (["--notify-fd", "x", "-t", "5s", "-o", "x"], "bad descriptor"),
                (["--upload", "-c", "c"], "exists on Android only"),
                (["--dropbox=tag", "-c", "c"], "'--dropbox' exists on Android only"),
                (["-t", "5s"], "-o FILE"),
                (["-c", "c"], "-o FILE"),
                (["-c", "c", "-o", "x", "--detach", "k"], "write_into_file: true"),
        ]:
            with self.subTest(argv=argv):
                done = self.perfetto(*argv, code=1, says=says)
                self.assertLessEqual(len(done.stderr.splitlines()), 2)
        self.assertFalse((self.dir / "x").exists())

    def test_configs_that_are_none(self):
        text = self.config("duration_ms: 1\nbufers { }\n")
        done = self.perfetto("-c", text, "--txt", "-o", "x", code=1, says=f"{text}:2:1 error: ")
        self.assertEqual(done.stderr.decode().splitlines()[1:], ["bufers { }", "^~~~~~"])
        self.perfetto("-c", text, "-o", "x", code=1, says="--txt")
        self.perfetto("-c", "-", "--txt", "-o", "x", code=1, says=":1:1 error", input=b"foo }")
        self.perfetto("-c", "absent", "-o", "x", code=1, says="absent: No such file")
        self.perfetto("-c", "/dev/null", "-o", "x", code=1, says="empty")
        (self.dir / "noise").write_bytes(bytes(range(1, 200)))
        self.perfetto("-c", "noise", "-o", "x", code=1, says="noise")
        self.assertFalse((self.dir / "x").exists())

    def test_outputs_that_cannot_be(self):
        (self.dir / "old").write_bytes(b"precious")
        self.perfetto("-t", "1s", "-o", "old", "--no-clobber", code=1, says="File exists")
        self.perfetto("-t", "1s", "-o", "no/such/folder", code=1, says="no/such/folder")
        clone = self.config(CONFIG + "trigger_config { trigger_mode: CLONE_SNAPSHOT trigger_timeout_ms: 9 }")
        self.perfetto("-c", clone, "--txt", "-o", "-", code=1, says="writes a file")
        path = self.config(CONFIG + 'write_into_file: true output_path: "/tmp/x"')
        self.perfetto("-c", path, "--txt", "-o", "x", code=1, says="output_path")
        self.assertEqual((self.dir / "old").read_bytes(), b"precious")

    def test_no_service(self):
        (self.dir / "old").write_bytes(b"precious")
        self.perfetto("-t", "1s", "-o", "x", code=1, says="start traced, or use tracebox")
        self.perfetto("-t", "1s", "-o", "old", code=1, says="no tracing service")
        self.perfetto("--query", code=1, says="no tracing service")
        self.perfetto("--is_detached", "k", code=1, says="no tracing service")
        self.perfetto("-D", "-t", "1s", "-o", "x", code=1, says="no tracing service")
        self.perfetto("-d", "-t", "1s", "-o", "x", says="no tracing service")
        self.assertFalse((self.dir / "x").exists(), "nothing came into it")
        self.assertEqual((self.dir / "old").read_bytes(), b"precious")
        done = self.run_program(TRIGGER, "t")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"is traced running?", done.stderr)
        done = self.run_program(TRIGGER)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"name at least one trigger", done.stderr)

    def test_something_else_that_answers(self):
        import socket
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
            listener.bind(str(self.dir / "c.sock"))
            listener.listen()
            client = self.start(PERFETTO, "--query", stderr=subprocess.PIPE)
            conn, _ = listener.accept()
            conn.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            conn.close()
            self.assertIn(b"no tracing service", client.communicate(timeout=30 * SLOW)[1])
            self.assertEqual(client.returncode, 1)

    def test_a_service_that_knows_less(self):
        """One of another version: it binds, but has none of the newer methods."""
        import socket
        import threading

        def field(number, data):
            return bytes([number << 3 | 2, len(data)]) + data

        def answer(conn, served):
            head = conn.recv(4)
            while len(head) == 4:
                request = conn.recv(struct.unpack("<I", head)[0])
                served.append(request)
                # The request's number is its field 2; the reply names EnableTracing alone.
                number = request[request.index(0x10) + 1:][:1]
                reply = b"\x10" + number + field(4, b"\x08\x01\x10\x01" + field(3, b"\x08\x01" + field(2, b"EnableTracing")))
                conn.sendall(struct.pack("<I", len(reply)) + reply)
                head = conn.recv(4)
            conn.close()

        for argv, says in [(["--query"], "does not support queries"), (["--clone", "1", "-o", "x"], "cannot clone"),
                           (["--query-raw"], "does not support queries"), (["--attach", "k"], "cannot attach"),
                           (["--clone-by-name", "n", "-o", "x"], "cannot clone"),
                           (["--is_detached", "k"], "cannot attach")]:
            with self.subTest(argv=argv), contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
                (self.dir / "c.sock").unlink(missing_ok=True)
                listener.bind(str(self.dir / "c.sock"))
                listener.listen()
                client = self.start(PERFETTO, *argv, stderr=subprocess.PIPE)
                served = []
                thread = threading.Thread(target=answer, args=(listener.accept()[0], served), daemon=True)
                thread.start()
                err = client.communicate(timeout=30 * SLOW)[1].decode()
                thread.join(10 * SLOW)
                self.assertEqual(client.returncode, 1, err)
                self.assertIn(says, err)
                self.assertEqual(len(err.splitlines()), 1, err)
                self.assertEqual(len(served), 1, "nothing was called that the service does not have")
        self.assertFalse((self.dir / "x").exists())

    def test_version(self):
        self.assertRegex(self.perfetto("--version").stdout.decode(), r"^Perfetto v\d+\.\d+")


class Recording(Perfetto):
    def setUp(self):
        super().setUp()
        self.traced = self.start_traced()

    def test_light_form(self):
        self.perfetto("-t", "200ms", "-o", "t", "sched", says="Wrote ")
        self.assertGreater(self.packets(self.dir / "t"), 3)
        self.assertEqual((self.dir / "t").stat().st_mode & 0o777, 0o600)

    def test_light_form_streamed(self):
        self.perfetto("-t", "200ms", "-s", "1mb", "-b", "128kb", "-o", "t", says="service has written")
        self.assertGreater(self.packets(self.dir / "t"), 3)

    def test_config_of_every_form(self):
        text = CONFIG + "duration_ms: 100\n"
        for argv, data in [(["-c", self.config(text), "--txt"], None), (["-c", "-", "--txt"], text.encode()),
                           (["-c", "-", "--txt-lossy"], (text + "novel_field: 3\n").encode())]:
            self.perfetto(*argv, "-o", "t", input=data)
            self.assertGreater(self.packets(self.dir / "t"), 3)
        (self.dir / "b").write_bytes(b"\x0a\x03\x08\x80\x02\x12\x05\x0a\x03\x0a\x01x\x18\x64")
        self.perfetto("-c", "b", "-o", "t")
        self.assertGreater(self.packets(self.dir / "t"), 3)

    def test_to_standard_output(self):
        done = self.perfetto("-c", "-", "--txt", "-o", "-", input=(CONFIG + "duration_ms: 100").encode(),
                             says="into standard output")
        (self.dir / "t").write_bytes(done.stdout)
        self.assertGreater(self.packets(self.dir / "t"), 3)

    def test_an_old_file_is_replaced_whole(self):
        (self.dir / "t").write_bytes(b"x" * 1000000)
        self.perfetto("-t", "100ms", "-o", "t")
        self.assertGreater(self.packets(self.dir / "t"), 3)

    def test_a_refused_session(self):
        path = self.config("buffers { size_kb: 0 }\n" + CONFIG)
        self.perfetto("-c", path, "--txt", "-o", "t", code=1, says="the service says: ")
        self.perfetto("-D", "-c", path, "--txt", "-o", "t", code=1)
        self.assertFalse((self.dir / "t").exists())

    def test_a_signal_ends_it_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            p = self.start(PERFETTO, "-c", self.config(CONFIG), "--txt", "-o", "t", stderr=subprocess.PIPE)
            self.wait_for_session()
            p.send_signal(number)
            err = p.communicate(timeout=30 * SLOW)[1]
            self.assertEqual(p.returncode, 0, err)
            self.assertGreater(self.packets(self.dir / "t"), 3)

    def test_a_second_signal_ends_it_at_once(self):
        p = self.start(PERFETTO, "-c", self.config(CONFIG), "--txt", "-o", "t", stderr=subprocess.PIPE)
        self.wait_for_session()
        self.traced.send_signal(signal.SIGSTOP)  # the flush gets no answer
        p.send_signal(signal.SIGINT)
        self.assertIn(b"stopping", p.stderr.readline())
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), -signal.SIGINT)
        self.assertFalse((self.dir / "t").exists())
        self.traced.send_signal(signal.SIGCONT)

    def test_the_service_goes_away(self):
        for more, stays in (("", False), ("write_into_file: true file_write_period_ms: 100", True)):
            p = self.start(PERFETTO, "-c", self.config(CONFIG + more), "--txt", "-o", "t", stderr=subprocess.PIPE)
            self.wait_for_session()
            if stays:
                self.wait_for("data in the file", lambda: (self.dir / "t").stat().st_size > 0)
            self.traced.kill()
            self.traced.wait()  # until its sockets are closed
            err = p.communicate(timeout=30 * SLOW)[1]
            self.assertEqual(p.returncode, 1)
            self.assertIn(b"the service is gone", err)
            self.assertEqual((self.dir / "t").exists(), stays)
            self.traced = self.start_traced()

    def test_nobody_reads_the_output(self):
        r, w = os.pipe()
        os.close(r)
        p = self.start(PERFETTO, "-t", "100ms", "-o", "-", stdout=w, stderr=subprocess.PIPE)
        os.close(w)
        err = p.communicate(timeout=30 * SLOW)[1]
        self.assertEqual(p.returncode, 1)
        self.assertIn(b"Broken pipe", err)

    def test_in_the_background(self):
        done = self.perfetto("-d", "-c", self.config(CONFIG), "--txt", "-o", "t")
        pid = int(done.stdout)
        self.addCleanup(lambda: contextlib.suppress(ProcessLookupError) or os.kill(pid, signal.SIGKILL)
                        if pathlib.Path(f"/proc/{pid}").exists() else None)
        self.wait_for_session()
        os.kill(pid, signal.SIGTERM)
        self.wait_for("the trace", lambda: (self.dir / "t").exists() and (self.dir / "t").stat().st_size)
        self.wait_for("its end", lambda: "0, of these 0" in self.sessions())
        self.assertGreater(self.packets(self.dir / "t"), 3)

    def test_in_the_background_when_it_has_started(self):
        done = self.perfetto("-D", "-c", self.config(CONFIG + "duration_ms: 300"), "--txt", "-o", "t")
        self.assertRegex(done.stdout, rb"^\d+\n$")
        self.wait_for("the trace", lambda: (self.dir / "t").exists() and (self.dir / "t").stat().st_size)

    def test_a_byte_when_it_has_started(self):
        for size_kb, expected in ((64, b"\0"), (0, b"\1")):
            r, w = os.pipe()
            p = self.start(PERFETTO, "-c", self.config(f"buffers {{ size_kb: {size_kb} }} {CONFIG} duration_ms: 200"),
                           "--txt", "-o", "t", "--notify-fd", w, pass_fds=[w], stderr=subprocess.DEVNULL)
            os.close(w)
            with os.fdopen(r, "rb") as f:
                self.assertEqual(f.read(), expected)
            p.wait(30 * SLOW)

    def test_attributes(self):
        self.perfetto("-c", self.config(CONFIG + "duration_ms: 100"), "--txt", "-o", "t",
                      "--add-attribute", "run=17", "--add-attribute", "nightly")
        data = (self.dir / "t").read_bytes()
        self.assertIn(b"\x0a\x03run\x1a\x0217", data)
        self.assertIn(b"\x0a\x07nightly", data)

    def test_query_of_a_session(self):
        self.start(PERFETTO, "-c", self.config(CONFIG + 'unique_session_name: "mine"'), "--txt", "-o", "t",
                   stderr=subprocess.DEVNULL)
        self.wait_for_session("mine")
        text = self.sessions()
        self.assertIn("1 (256)", text)
        raw = self.perfetto("--query-raw").stdout
        self.assertIn(b"mine", raw)


if __name__ == "__main__":
    main()
