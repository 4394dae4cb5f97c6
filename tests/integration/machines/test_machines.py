"""Other machines: relays, recordings of several machines, and whether their times are in order.

Machines are network namespaces with clocks of their own (time namespaces, and a library that makes them run faster or slower), and
the network between them has delays (delays.py).
"""
import itertools
import re
import shutil
import socket
import sys

from orma_env import *

HERE = pathlib.Path(__file__).parent
PINGPONG = BUILD / "tests/integration/pingpong"
OTHER_CLOCK = BUILD / "tests/integration/libother_clock.so"
LONG = bool(os.environ.get("ORMA_LONG"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


class Machines(Case):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.relay_env = {"PERFETTO_PRODUCER_SOCK_NAME": str(self.dir / "relay.sock")}

    def relay(self, *argv, name="box", env=None, prefix=()):
        with open(self.dir / f"{name}.log", "a") as log:
            return self.start_with({**self.relay_env, **(env or {})}, *prefix, ORMA, "relay", "--name", name, *argv, stderr=log)

    def start_with(self, env, *argv, **more):
        p = subprocess.Popen([str(a) for a in argv], env={**self.env, **env}, cwd=self.dir, **more)
        self.addCleanup(self.end, p)
        return p

    def wait_for_relay(self, name="box", text="for the service"):
        self.wait_for("the relay", lambda: text in (self.dir / f"{name}.log").read_text())

    def demo(self, *argv):
        done = subprocess.run([DEMO, *argv], env={**self.env, **self.relay_env, "ORMA_CONNECT_WAIT_MS": "5000"},
                              cwd=self.dir, capture_output=True, timeout=60 * SLOW)
        self.assertEqual(done.returncode, 0, done.stderr)

    def rows(self, trace, sql):
        return self.orma("query", "--format", "rfc4180", trace, sql).stdout.decode().splitlines()[1:]

    def slices_by_machine(self, trace):
        return dict(r.split(",") for r in self.rows(trace, "SELECT machine_id, count(*) FROM slice JOIN thread_track t ON "
                                                           "track_id = t.id GROUP BY 1"))


class Relay(Machines):
    """The protocol: relay, service, programs."""

    def service(self):
        self.env["PERFETTO_PRODUCER_SOCK_NAME"] = f"{self.dir}/p.sock,127.0.0.1:{self.port}"
        self.start(TRACED, "--enable-relay-endpoint-on", f"127.0.0.1:{self.port}", stderr=subprocess.DEVNULL)
        self.wait_for("the service", lambda: (self.dir / "c.sock").exists())
        self.env["PERFETTO_PRODUCER_SOCK_NAME"] = f"{self.dir}/p.sock"

    def config(self, more=""):
        path = self.dir / "config"
        path.write_text('duration_ms: 20000 buffers { size_kb: 16384 } data_sources { config { name: "track_event" } }' + more)
        return path

    def record(self, *argv):
        p = self.start(ORMA, "record", "-q", *argv)
        self.wait_for("the session", lambda: f"orma-record-{p.pid}" in self.orma("status").stdout.decode())
        return p

    def stop(self, p, code=0):
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), code)

    def test_programs_of_another_machine_are_in_the_trace_if_it_asks_for_them(self):
        self.service()
        self.relay("--to", f"tcp:127.0.0.1:{self.port}")
        self.wait_for_relay()
        all_of_them = self.record("-c", self.config(" trace_all_machines: true"), "-o", "all")
        ours = self.record("-c", self.config(), "-o", "ours")
        self.demo("--threads", "2", "--iterations", "500")
        self.stop(all_of_them)
        self.stop(ours, code=1)  # nothing came
        self.assertEqual(self.rows("all", "SELECT id, name FROM machine WHERE id > 0"), ['1,box'])
        self.assertEqual(set(self.slices_by_machine("all")), {"1"})
        self.assertEqual(self.slices_by_machine("ours"), {})
        text = self.orma("stats", "all").stdout.decode()
        self.assertIn("Nothing was lost", text)
        # It is the same clock, in fact.
        self.assertRegex(text, r"clock of machine 'box' was [\d.]+ [mun]?s (ahead|behind); that is wrong by at most")
        for row in self.rows("all", "SELECT ahead_min, ahead, ahead_max FROM clock_round"):
            low, ahead, high = map(int, row.split(","))
            self.assertTrue(low <= 0 <= high and low <= ahead <= high, row)

    def test_it_waits_for_the_service_and_comes_back_to_it(self):
        self.relay("--to", f"tcp:127.0.0.1:{self.port}")
        self.wait_for_relay(text="trying again")
        self.assertIn("Connection refused; trying again", (self.dir / "box.log").read_text())
        demo = self.start_with(self.relay_env, DEMO, "--threads", "1", "--iterations", "100000000", stdout=subprocess.DEVNULL)
        self.service()
        self.wait_for_relay()
        self.wait_for("the program", lambda: str(demo.pid) in self.orma("status").stdout.decode(), 40)

    def test_a_service_without_relays_is_named(self):
        self.env["PERFETTO_PRODUCER_SOCK_NAME"] = f"127.0.0.1:{self.port}"
        self.start(TRACED, stderr=subprocess.DEVNULL)
        self.wait_for("the service", lambda: (self.dir / "c.sock").exists())
        self.assertEqual(self.relay("--to", f"tcp:127.0.0.1:{self.port}").wait(20 * SLOW), 1)
        self.assertIn("--enable-relay-endpoint", (self.dir / "box.log").read_text())

    def test_a_socket_that_is_in_use(self):
        self.start_traced()
        self.relay_env = {}
        self.assertEqual(self.relay("--to", f"tcp:127.0.0.1:{self.port}").wait(20 * SLOW), 1)
        self.assertIn("a service listens on", (self.dir / "box.log").read_text())


class Record(Machines):
    """orma record --machine."""

    def test_by_tcp(self):
        self.relay("--listen", f"tcp:{self.port}")
        p = self.start(ORMA, "record", "-t", "60s", "--machine", f"tcp:127.0.0.1:{self.port}", "-o", "t", "apps",
                       stderr=subprocess.PIPE)
        self.wait_for_relay()
        other = self.orma("record", "-t", "1s", "--machine", f"tcp:127.0.0.1:{self.port}", "-o", "other", "apps", code=1)
        self.assertIn("somebody else records it", other.stderr.decode())
        for _ in range(2):  # the second connection comes when the first has ended
            self.demo("--threads", "2", "--iterations", "500")
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0, p.stderr.read())
        self.assertEqual(set(self.slices_by_machine("t")), {"1"})
        self.assertIn("Nothing was lost", self.orma("stats", "t").stdout.decode())
        # And it can be recorded again.
        again = self.orma("record", "-t", "300ms", "--machine", f"tcp:127.0.0.1:{self.port}", "-o", "again", "apps", code=1)
        self.assertIn("no program wrote events", again.stderr.decode())

    def test_a_link_that_breaks_and_comes_back(self):
        relay = self.relay("--listen", f"tcp:{self.port}")
        with open(self.dir / "record.log", "w") as log:
            p = self.start(ORMA, "record", "-t", "60s", "--machine", f"tcp:127.0.0.1:{self.port}", "-o", "t", "apps", stderr=log)
        self.wait_for_relay()
        self.demo("--threads", "1", "--iterations", "300")
        relay.kill()
        relay.wait()
        self.wait_for("word of the loss", lambda: "connection is lost" in (self.dir / "record.log").read_text())
        (self.dir / "box.log").unlink()
        self.relay("--listen", f"tcp:{self.port}")
        self.wait_for_relay()
        self.demo("--threads", "1", "--iterations", "300")
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0)
        self.assertEqual(self.rows("t", "SELECT count(DISTINCT upid) FROM thread JOIN thread_track USING (utid) JOIN slice ON "
                                        "track_id = thread_track.id"), ["2"])

    def test_ctrl_c_while_it_waits(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", self.port))
            silent.listen()
            p = self.start(ORMA, "record", "--machine", f"tcp:127.0.0.1:{self.port}", "-o", "t", "apps", stderr=subprocess.PIPE)
            silent.accept()
            begun = time.monotonic()
            p.send_signal(signal.SIGINT)
            self.assertNotEqual(p.wait(20 * SLOW), 0)
            self.assertLess(time.monotonic() - begun, 5 * SLOW)
        self.assertFalse((self.dir / "t").exists())

    def test_who_calls_and_says_nothing_keeps_nobody_out(self):
        self.relay("--listen", f"tcp:{self.port}")
        self.wait_for("the relay", lambda: is_open(self.port))
        silent = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(40)]
        done = self.orma("record", "-t", "300ms", "--machine", f"tcp:127.0.0.1:{self.port}", "-o", "t", "apps", code=1)
        self.assertIn("no program wrote events", done.stderr.decode())
        for s in silent:
            s.close()

    def test_nobody_is_there(self):
        done = self.orma("record", "-t", "1s", "--machine", f"tcp:127.0.0.1:{self.port}", "-o", "t", "apps", code=1)
        self.assertIn("is 'orma relay --listen' running there?", done.stderr.decode())
        self.assertFalse((self.dir / "t").exists())
        for wrong in ("nowhere", "ssh:", "ssh:-oProxyCommand=x", "tcp:", "tcp:host:port"):
            self.orma("record", "--machine", wrong, "-o", "t", code=2)

    def test_two_probes_of_one_machine_are_not_two_machines(self):
        self.relay("--listen", f"tcp:{self.port}", "--probes")
        self.wait_for("the relay", lambda: is_open(self.port))
        self.start_with(self.relay_env, PROBES, stderr=subprocess.DEVNULL)
        done = self.orma("record", "-t", "1s", "--machine", f"tcp:127.0.0.1:{self.port}", "--machine", f"tcp:127.0.0.1:{free_port()}",
                         "-o", "t", "apps", code=1)
        self.assertIn("it did not come", done.stderr.decode())
        self.assertFalse((self.dir / "t").exists())

    def test_an_ssh_that_does_not_end(self):
        """Stopped, as by the terminal that it asks for a password; deaf to signals."""
        ssh = self.dir / "ssh"
        for script in ("kill -STOP $$", "trap '' TERM; while :; do sleep 0.2; done"):
            ssh.write_text(f"#!/bin/sh\necho $$ > {self.dir}/pid\n{script}\n")
            ssh.chmod(0o755)
            p = self.start_with({"ORMA_SSH": str(ssh)}, ORMA, "record", "-t", "60s", "--machine", "ssh:host", "-o", "t", "apps",
                                stderr=subprocess.DEVNULL)
            self.wait_for("ssh", lambda: (self.dir / "pid").exists() and (self.dir / "pid").read_text().endswith("\n"))
            pid = (self.dir / "pid").read_text().strip()
            (self.dir / "pid").unlink()
            try:
                p.send_signal(signal.SIGINT)
                self.assertNotEqual(p.wait(20 * SLOW), 0)
                self.assertFalse(pathlib.Path("/proc", pid).exists(), "ssh is gone")
            finally:
                if pathlib.Path("/proc", pid).exists():
                    os.kill(int(pid), signal.SIGKILL)

    def test_by_ssh(self):
        sshd = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not sshd or os.geteuid() != 0:
            self.skipTest("no sshd, or no root")
        os.makedirs("/run/sshd", exist_ok=True)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.dir / name], check=True)
        (self.dir / "sshd.conf").write_text(f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.dir}/host\n"
                                            f"AuthorizedKeysFile {self.dir}/user.pub\nStrictModes no\nPidFile none\nUsePAM no\n"
                                            "PermitRootLogin yes\n")
        ssh = self.dir / "ssh"
        ssh.write_text(f'#!/bin/sh\nexec ssh -F none -i {self.dir}/user -o UserKnownHostsFile={self.dir}/known '
                       '-o StrictHostKeyChecking=no -o LogLevel=ERROR "$@"\n')
        ssh.chmod(0o755)
        self.start(sshd, "-D", "-f", self.dir / "sshd.conf", stderr=subprocess.DEVNULL)
        self.wait_for("sshd", lambda: is_open(self.port))
        self.env.update(ORMA_SSH=str(ssh), ORMA_REMOTE=f"env PERFETTO_PRODUCER_SOCK_NAME={self.dir}/relay.sock {ORMA}")
        before = set(pathlib.Path("/tmp").glob("orma-relay-*"))
        with open(self.dir / "box.log", "w") as log:
            p = self.start(ORMA, "record", "-t", "60s", "--machine", f"ssh://127.0.0.1:{self.port}", "-o", "t", "apps", stderr=log)
        self.wait_for_relay()
        self.demo("--threads", "2", "--iterations", "500")
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0)
        self.assertEqual(set(self.slices_by_machine("t")), {"1"})
        self.assertEqual(set(pathlib.Path("/tmp").glob("orma-relay-*")), before)
        self.env["ORMA_REMOTE"] = "/nowhere/orma"
        done = self.orma("record", "-t", "1s", "--machine", f"ssh://127.0.0.1:{self.port}", "-o", "u", "apps", code=1)
        self.assertIn("no 'orma' there", done.stderr.decode())
        self.assertEqual(set(pathlib.Path("/tmp").glob("orma-relay-*")), before)


class Jumps(Machines):
    """What is said of a clock that was set, or whose machine was suspended, while it was read."""

    def said(self, aheads):
        """Rounds every half second, 20 us long, of a machine that is ahead by so many ns."""
        def exchange(theirs, ours):
            return (f"synced_clocks {{ client_clocks {{ clocks {{ clock_id: 6 timestamp: {theirs} }} }} "
                    f"host_clocks {{ clocks {{ clock_id: 6 timestamp: {ours} }} }} }}")

        text = ['packet { trusted_packet_sequence_id: 1 sequence_flags: 1 timestamp: 100 track_event { type: TYPE_INSTANT '
                'track_uuid: 5 name: "host" } }']
        for n, ahead in enumerate(aheads):
            t = 3600 * 10**9 + n * 500 * 10**6
            text.append("packet { trusted_packet_sequence_id: 2 machine_id: 77 remote_clock_sync { "
                        f"{exchange(t + ahead, t + 10000)} {exchange(t + 10000 + ahead, t + 20000)} }} }}")
        (self.dir / "t.txt").write_text("\n".join(text))
        self.orma("convert", "binary", "-f", "t.txt", "-o", "t.pftrace")
        return self.orma("stats", "t.pftrace").stdout.decode()

    def test_they_are_told_instead_of_a_drift(self):
        for ahead in (10**11, -10**11, 10**7, -2 * 10**6):
            text = self.said([0, 0, 0, ahead, ahead, ahead])
            self.assertRegex(text, r"(ahead|behind) at the end; that is wrong by at most [\d.]+ us\. It jumped 1 time, .*up to ")
            self.assertNotIn("it gains", text)
        self.assertIn("It jumped 4 times", self.said([0, 0, 10**9, 0, 10**9, 0, 0]))

    def test_drift_is_no_jump(self):
        text = self.said([n * 250 * 1000 for n in range(10)])  # 500 ppm
        self.assertNotIn("jumped", text)
        self.assertIn("it gains 500.0 ppm", text)


class Order(Machines):
    """Messages between two machines, neither of which has our clock: none arrives before it was sent."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not shutil.which("ip"):
            self.skipTest("network namespaces need root and iproute2")
        if subprocess.run(["unshare", "--time", "--boottime", "1", "true"], capture_output=True).returncode:
            self.skipTest("this kernel has no time namespaces")

    def network(self):
        """Two namespaces, 10.213.N.1 is our end of each, 10.213.N.2 the machine's."""
        for n in (1, 2):
            name = f"orma{os.getpid()}n{n}"
            if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode:
                self.skipTest("network namespaces cannot be made here")
            self.addCleanup(subprocess.run, ["ip", "netns", "del", name], capture_output=True)
            link = f"om{os.getpid() % 100000}{n}"
            self.addCleanup(subprocess.run, ["ip", "link", "del", link], capture_output=True)
            for command in (f"ip link add {link} type veth peer name eth0 netns {name}",
                            f"ip addr add 10.213.{n}.1/24 dev {link}", f"ip link set {link} up",
                            f"ip -n {name} addr add 10.213.{n}.2/24 dev eth0", f"ip -n {name} link set eth0 up",
                            f"ip -n {name} link set lo up"):
                if subprocess.run(command.split(), capture_output=True).returncode:
                    self.skipTest(f"not here: {command}")
            yield name

    def machine(self, namespace, ahead_s, ppm):
        """What begins each command there, and its environment."""
        since = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + ahead_s * 10**9
        return (["ip", "netns", "exec", namespace, "unshare", "--time", "--boottime", ahead_s, "--monotonic", ahead_s],
                {"LD_PRELOAD": str(OTHER_CLOCK), "CLOCK_PPM": str(ppm), "CLOCK_SINCE": str(since)})

    def talk(self, number, delay, jitter, ppms, window=64):
        names = list(self.network())
        there = [self.machine(n, ahead, ppm) for n, ahead, ppm in zip(names, (1000, 5000), ppms)]
        ports = [free_port() for _ in range(5)]
        routes = [f"tcp=127.0.0.1:{ports[n]}=10.213.{n + 1}.2:8039" for n in (0, 1)]
        routes.append("udp=0.0.0.0:9000=10.213.2.2:9000")
        net = self.start(sys.executable, HERE / "delays.py", delay, jitter, 1, *routes, stdout=subprocess.PIPE)
        self.assertEqual(net.stdout.readline(), b"ready\n")
        for n, (prefix, env) in enumerate(there):
            self.relay("--listen", f"tcp:10.213.{n + 1}.2:8039", name=f"m{n}", prefix=prefix,
                       env={**env, "PERFETTO_PRODUCER_SOCK_NAME": f"{self.dir}/m{n}.sock"})
        for n in (0, 1):
            self.wait_for_relay(f"m{n}", "connect to")

        def pingpong(n, *argv):
            prefix, env = there[n]
            return self.start_with({**env, "PERFETTO_PRODUCER_SOCK_NAME": f"{self.dir}/m{n}.sock"}, *prefix, PINGPONG, *argv,
                                   stdout=subprocess.PIPE)

        pingpong(1, "answer", "10.213.2.2", 9000)
        ask = pingpong(0, "ask", "10.213.1.1", 9000, number, window, 60000)
        machines = itertools.chain(*(("--machine", f"tcp:127.0.0.1:{ports[n]}") for n in (0, 1)))
        p = self.start(ORMA, "record", "-q", "-t", "600s", "-b", "64mb", *machines, "-o", "t", "apps")
        out, _ = ask.communicate(timeout=600 * SLOW)
        time.sleep(0.3)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(60 * SLOW), 0)
        self.assertGreater(int(out), number * 0.9)
        whole, turned, early = map(int, self.rows("t", f"""
            WITH e AS (SELECT ts, name, extract_arg(arg_set_id, 'debug.i') AS i FROM slice),
            m AS (SELECT i, max(iif(name = 'ask', ts, NULL)) AS ask, max(iif(name = 'got', ts, NULL)) AS got,
                  max(iif(name = 'answer', ts, NULL)) AS answer, max(iif(name = 'back', ts, NULL)) AS back FROM e GROUP BY i)
            SELECT total(got AND answer AND back), total(got < ask OR answer < got OR back < answer),
                   total(got < ask + {int(delay * 1e6 / 2)}) FROM m WHERE ask""")[0].replace(".0", "").split(","))
        self.assertGreater(whole, number * 0.9)
        self.assertEqual(turned, 0, f"of {whole}")
        return whole, early, self.orma("stats", "t").stdout.decode()

    def test_offsets_of_hours_and_delays(self):
        _, _, text = self.talk(100000 if LONG else 5000, 1, 2, (0, 0))
        self.assertIn("clock of machine 'm0' was 1000.0 s ahead", text)
        self.assertIn("clock of machine 'm1' was 5000.0 s ahead", text)

    def test_clocks_that_drift(self):
        # Some seconds, in which they go apart by more than a message takes.
        _, _, text = self.talk(100000 if LONG else 3000, 1, 2, (150, -150), window=64 if LONG else 2)
        gains = {}
        for n, ppm in ((0, 150), (1, -150)):
            gains[n], wrong = map(float, re.search(rf"'m{n}' .*it gains (-?[\d.]+) ppm, give or take ([\d.]+)\.", text).groups())
            self.assertLessEqual(abs(gains[n] - ppm), wrong, text)
        self.assertGreater(gains[0] - gains[1], 50, text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
