"""What is left when processes are killed, and what `orma recover` makes of it. A program tells in shared memory
which of its calls have returned (rescue_app.c); what had returned before another process was killed is in the
recovered trace, whole and once.

    test_rescue.py            # a few kills of each kind
    ORMA_RESCUE_KILLS=300 ... # so many of each kind; ORMA_TEST_SEED=2 for other moments
"""
import mmap
import random
import re
import resource
import struct
import tempfile

from orma_env import *

APP = BUILD / "tests/integration/traced/rescue_app"
KILLS = int(os.environ.get("ORMA_RESCUE_KILLS", "4"))
SEED = os.environ.get("ORMA_TEST_SEED", "")
THREADS = 3
LARGEST = 9000
CONFIG = """
buffers {{ size_kb: {kb} fill_policy: {policy} }}
data_sources {{ config {{ name: "track_event" buffer_exhausted_policy: BUFFER_EXHAUSTED_STALL_THEN_ABORT }} }}
{more}
"""
FILE = "write_into_file: true\nfile_write_period_ms: 100\n"


class Rescue(Case):
    def setUp(self):
        super().setUp()
        self.oracle_path = self.dir / "oracle"
        self.oracle_path.write_bytes(bytes(8 * 64))
        self.runs = 0

    def root(self):
        return self.rescue / f"orma-rescue-{os.geteuid()}"

    def folders(self):
        return sorted(self.root().iterdir()) if self.root().exists() else []

    def config(self, kb=8192, policy="RING_BUFFER", more=""):
        path = self.dir / "config"
        path.write_text(CONFIG.format(kb=kb, policy=policy, more=more))
        return path

    def record(self, config, trace, *more):
        return self.start(ORMA, "record", "-q", "-c", config, "-o", trace, *more, stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL)

    def app(self, pause_us=20, threads=THREADS):
        self.oracle_path.write_bytes(bytes(8 * 64))
        p = self.start(APP, self.oracle_path, threads, pause_us, stderr=subprocess.DEVNULL)
        self.wait_for("events", lambda: all(self.oracle()[:threads]))
        return p

    def oracle(self):
        return struct.unpack("64Q", self.oracle_path.read_bytes())

    def recover(self, *more, code=0):
        out = self.dir / f"recovered-{self.runs}.pftrace"
        self.runs += 1
        done = self.orma("recover", "-o", out, *more, code=code)
        return out, done.stderr.decode()

    def numbers(self, trace):
        """Of each thread, the numbers of its events; each with the text that belongs to it."""
        rows = self.query(trace, "select extract_arg(arg_set_id, 'debug.t') as t, extract_arg(arg_set_id, 'debug.n') as n, "
                                 "length(extract_arg(arg_set_id, 'debug.x')) as x from slice where name = 'n' order by id")
        found = {}
        for row in rows:
            n = int(row["n"])
            self.assertEqual(int(row["x"] if row["x"] != "[NULL]" else 0),
                             LARGEST if n % 257 == 0 else n * 7919 % 61, f"event {n} is torn")
            found.setdefault(int(row["t"]), []).append(n)
        for numbers in found.values():
            self.assertEqual(len(numbers), len(set(numbers)), "no event is there twice")
        return found

    def check(self, trace, oracle, whole=True):
        found = self.numbers(trace)
        for t in range(THREADS):
            if not oracle[t]:
                continue
            have = set(found.get(t, []))
            first = 1 if whole else min(have)
            missing = [n for n in range(first, oracle[t] + 1) if n not in have]
            self.assertEqual(missing, [], f"thread {t}: {len(missing)} of {oracle[t]} are missing")
        self.assertEqual(self.one(trace, "select count(*) from stats where severity = 'error' and value > 0 and name not like "
                                         "'traced_buf%'"), "0")
        self.assertEqual(self.one(trace, "select count(*) from loss where reason = 'recovered'"), "1")
        self.assertEqual(self.one(trace, "select count(*) from (select sum(iif(reason = 'emitted', packets, 0)) as e, "
                                         "sum(iif(reason not in ('emitted', 'unreported'), packets, 0)) as rest, count(*) as n "
                                         "from loss where text is null group by sequence_id) where e > 0 and e != rest"), "0",
                         "the equation holds for every sequence")
        return found

    def start_all(self, config, trace=None):
        service = self.start_traced()
        recorder = self.record(config, trace or self.dir / "trace", "--force")
        self.wait_for("a session", lambda: b"STARTED" in self.run_program(ORMA, "status").stdout.upper())
        return service, recorder, self.app()

    def kill(self, *processes):
        oracle = self.oracle()
        for p in processes:
            p.kill()
        for p in processes:
            p.wait()
        return oracle

    def stop(self, *processes):
        for p in processes:
            p.kill()
            p.wait()

    def rounds(self, name, config, whole, order):
        """Kills in `order` at random moments, KILLS times."""
        rng = random.Random(name + SEED)
        for i in range(KILLS):
            with self.subTest(f"{name} {i}"):
                service, recorder, app = self.start_all(config)
                time.sleep(rng.random() * 0.4)
                victims = [{"service": service, "recorder": recorder, "app": app}[v] for v in order]
                oracle = self.kill(*victims)
                self.stop(*(p for p in (service, recorder, app) if p not in victims))
                trace, _ = self.recover()
                self.check(trace, oracle, whole)
                self.assertEqual(self.folders(), [], "what was recovered is gone")
                trace.unlink()  # of thousands

    def test_the_service_is_killed_while_it_streams(self):
        self.rounds("stream", self.config(more=FILE), True, ["service"])

    def test_the_service_is_killed_with_a_ring(self):
        self.rounds("ring", self.config(kb=512), False, ["service"])

    def test_the_service_is_killed_with_a_buffer_that_keeps_the_oldest(self):
        self.rounds("discard", self.config(kb=65536, policy="DISCARD"), True, ["service"])

    def test_all_are_killed_at_once(self):
        self.rounds("all", self.config(more=FILE), True, ["service", "recorder", "app"])

    def test_the_program_first_then_the_service(self):
        self.rounds("program", self.config(kb=65536), True, ["app", "service", "recorder"])

    def test_what_waits_for_the_disk_is_in_memory_once(self):
        service = self.start_traced()

        def kilobytes(what):
            status = pathlib.Path(f"/proc/{service.pid}/status").read_text()
            return int(re.search(rf"{what}:\s+(\d+)", status)[1])

        config = self.config(kb=131072, more=FILE)
        recorder = self.start(ORMA, "record", "-q", "-c", config, "-o", "-", stdout=subprocess.PIPE,  # nobody reads
                              stderr=subprocess.DEVNULL)
        self.wait_for("a session", lambda: b"STARTED" in self.run_program(ORMA, "status").stdout.upper())
        anonymous, shared = kilobytes("RssAnon"), kilobytes("RssShmem")
        app = self.app(pause_us=0, threads=1)
        self.wait_for("24 MiB", lambda: kilobytes("RssShmem") - shared > 24 << 10)
        oracle = self.kill(app)
        self.assertLess(kilobytes("RssAnon") - anonymous, 8 << 10)
        self.kill(service)
        recorder.kill()
        self.check(self.recover()[0], oracle)

    def test_a_recording_that_is_its_own_service(self):
        """`orma record` with its program in one group, all of it killed."""
        rng = random.Random("own" + SEED)
        config = self.config(more=FILE)
        for i in range(KILLS):
            with self.subTest(i):
                self.oracle_path.write_bytes(bytes(8 * 64))
                p = self.start(ORMA, "record", "-q", "--private", "--force", "-c", config, "-o", self.dir / "trace", "--", APP,
                               self.oracle_path, THREADS, 20, start_new_session=True, stderr=subprocess.DEVNULL)
                self.wait_for("events", lambda: all(self.oracle()[:THREADS]))
                time.sleep(rng.random() * 0.4)
                oracle = self.oracle()
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                trace, _ = self.recover()
                self.check(trace, oracle)
                trace.unlink()

    def test_a_clean_end_leaves_nothing(self):
        service, recorder, app = self.start_all(self.config(more=FILE))
        self.assertEqual(len(self.folders()), 1)
        time.sleep(0.2)
        self.end(app)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(20 * SLOW)
        self.wait_for("nothing of the session", lambda: {f.name for f in self.folders()[0].iterdir()} == {"lock"})
        self.end(service)
        self.assertFalse(self.root().exists())
        self.assertIn(b"Nothing to recover", self.orma("recover").stdout)
        self.assertIn(b"nothing to recover", self.orma("recover", "-o", "x", code=1).stderr)

    def test_the_status_has_what_sessions_cost(self):
        service, recorder, app = self.start_all(self.config(more=FILE))
        costs = lambda: re.findall(r"^  (\d+) +[\d.]+ \w+ of 8\.0 MiB +(\d+) +(\d+) +(\d+) +[\d.]+ \w+$",
                                   self.orma("status").stdout.decode(), re.M)
        self.wait_for("packets in the file", lambda: costs() and int(costs()[0][1]) > 100)
        first, = costs()
        self.assertEqual((first[2], first[3]), ("0", "0"), "nothing was overwritten or lost")
        self.assertIn(f"COSTS of the process with pid {service.pid}: ", self.orma("status").stdout.decode())
        watch = self.start(ORMA, "status", "--watch", stdout=subprocess.PIPE)
        time.sleep(2.5)
        watch.send_signal(signal.SIGINT)
        said = watch.communicate(timeout=20)[0].decode()
        self.assertGreaterEqual(said.count("COSTS of"), 2)
        self.assertRegex(said, r"of CPU, [\d.]+ % now \(of the whole process, not of one session\)\n")
        self.assertEqual(watch.returncode, 0)
        self.stop(recorder, app)

    def test_the_status_has_the_costs_of_recordings_that_are_their_own_service(self):
        recorder = self.start(ORMA, "record", "--private", "-q", "--ring", "-o", "own", "apps")
        self.wait_for("the recording", lambda: b"COSTS of" in self.orma("status", code=1).stdout)
        done = self.orma("status", code=1)
        self.assertIn(f"COSTS of the process with pid {recorder.pid}: ", done.stdout.decode())
        self.assertIn(b"no service on", done.stderr)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(20 * SLOW)
        self.assertNotIn(b"COSTS", self.orma("status", code=1).stdout)

    def test_the_status_is_not_held_up_by_a_hole(self):
        """A file without a byte in it that says it has more sequences than could be read in a day."""
        service, recorder, app = self.start_all(self.config(more=FILE))
        self.addCleanup(self.stop, recorder, app)
        folder, = self.folders()
        buffer, seqs = folder.glob("s*.b0"), folder.glob("s*.q0")
        with open(next(buffer), "r+b") as f:
            f.seek(64)
            f.write(struct.pack("Q", 1 << 60))
        path = next(seqs)
        path.unlink()
        with open(path, "wb") as f:
            f.truncate(1 << 43)
        done = subprocess.run([ORMA, "status"], env=self.env, capture_output=True, timeout=10 * SLOW)
        self.assertIn(b"COSTS of", done.stdout)

    def test_the_next_service_says_that_something_is_there(self):
        service, recorder, app = self.start_all(self.config(more=FILE))
        self.kill(service)
        self.stop(recorder, app)
        said = self.orma("record", "--private", "-c", self.config(more="duration_ms: 100"), "-o", self.dir / "next", code=None).stderr
        self.assertIn(b"orma recover", said)
        listed = self.orma("recover").stdout.decode()
        self.assertIn("that died", listed)
        self.assertIn(f"written into {self.dir / 'trace'}", listed)

    def test_a_folder_is_recovered_once_and_by_one(self):
        service, recorder, app = self.start_all(self.config())
        folder, = self.folders()
        busy = self.orma("recover", folder, "-o", "x", code=1).stderr
        self.assertIn(b"its service is running", busy)
        oracle = self.kill(service)
        self.stop(recorder)  # the program goes on writing into its memory
        first, _ = self.recover("--keep")
        second, _ = self.recover(folder, "--keep")
        self.stop(app)
        self.check(first, oracle)
        self.check(second, oracle)
        self.recover()
        self.assertIn(b"No such file", self.orma("recover", folder, "-o", "x", code=1).stderr)

    def test_other_versions_and_other_things_are_refused(self):
        service, recorder, app = self.start_all(self.config())
        self.kill(service)
        self.stop(recorder, app)
        folder, = self.folders()
        lock = folder / "lock"
        text = lock.read_text()
        lock.write_text(text.replace("orma-rescue 4", "orma-rescue 0"))
        self.assertIn(b"another version", self.orma("recover", folder, "-o", "x", code=1).stderr)
        lock.write_text(text)
        self.assertIn(b"not a rescue folder", self.orma("recover", self.dir, "-o", "x", code=1).stderr)
        for path in folder.iterdir():  # damaged in any way: refused or read, no more
            whole = path.read_bytes()
            for damage in (b"", whole[:100], whole[:5000], b"\xff" * len(whole), whole[:64] + b"\xff" * 512 + whole[576:],
                           whole[:4096] + bytes(random.Random(1).randbytes(max(0, min(len(whole), 1 << 20) - 4096)))):
                path.write_bytes(damage)
                done = self.run_program(ORMA, "recover", folder, "--keep", "--force", "-o", self.dir / "damaged")
                self.assertIn(done.returncode, (0, 1), f"{path.name}: {done.stderr}")
            path.write_bytes(whole)
        self.recover()

    def abandoned(self, more=FILE):
        """The folder of a service that was killed while it recorded."""
        service, recorder, app = self.start_all(self.config(more=more))
        if FILE in more:
            self.wait_for("a file", lambda: (self.dir / "trace").stat().st_size > 20000)
        oracle = self.kill(service)
        self.stop(recorder, app)
        folder, = self.folders()
        return folder, oracle

    def change_state(self, folder, file, dev=None):
        """As if the session had been written into `file`, from its first byte on."""
        path, = folder.glob("s*.state")
        data, st, name = bytearray(path.read_bytes()), os.stat(file), os.fsencode(file)
        data[64:128] = 2 * struct.pack("3QII", 1, st.st_size, 0, 0, 0)
        data[136:160] = struct.pack("3Q", st.st_dev if dev is None else dev, st.st_ino, 0)
        data[160:161 + len(name)] = name + b"\0"
        path.write_bytes(data)

    def test_an_existing_file_is_overwritten_on_request(self):
        folder, oracle = self.abandoned()
        out = self.dir / "there"
        out.write_bytes(b"something else")
        self.assertIn(b"exists", self.orma("recover", "--keep", "-o", out, code=1).stderr)
        self.orma("recover", "--keep", "--force", "-o", out)
        self.check(out, oracle)
        self.assertIn(b"also an input", self.orma("recover", "--keep", "--force", "-o", self.dir / "trace", code=1).stderr)

    def test_a_service_that_dies_between_the_file_and_its_note(self):
        """The file has the head of the trace, and the note still says that it is to come."""
        folder, oracle = self.abandoned()
        path, = folder.glob("s*.state")
        data = bytearray(path.read_bytes())
        note, noted = struct.unpack_from("I", data, 52)[0], struct.unpack_from("Q", data, 3896)[0]
        self.assertEqual((note, noted), (0, 2 * 1 + 1), "the first note is the second file, and was in the first block")
        self.assertGreater(len(next(folder.glob("s*.note1")).read_bytes()), 100)
        struct.pack_into("I", data, 52, 1)
        path.write_bytes(data)
        trace, _ = self.recover("--keep")
        self.check(trace, oracle)
        struct.pack_into("Q", data, 3896, 0)  # as before there was such a mark
        path.write_bytes(data)
        twice, _ = self.recover()
        self.assertEqual(self.one(twice, "select value from stats where name = 'invalid_clock_snapshots'"), "1")

    def test_a_file_that_is_another_recording_by_now(self):
        """The number of a file is given to the next one: what is in it tells whose it is."""
        folder, _ = self.abandoned()
        other = self.dir / "other"
        self.orma("record", "--private", "-t", "100ms", "-o", other, "apps", code=None)
        self.assertGreater(other.stat().st_size, 100)
        self.change_state(folder, other)
        trace, said = self.recover("--keep")
        self.assertIn("is not there any more, or not as it was", said)
        self.change_state(folder, self.dir / "trace", dev=7)  # that of a disk may change, the id of the trace does not
        self.assertNotIn("is not there any more", self.recover("--keep")[1])
        plain = self.dir / "plain"
        plain.write_bytes(b"\x0a\x04\x5a\x02\x01\x01" * 100)  # it says nothing
        self.change_state(folder, plain, dev=7)
        self.assertIn("is not there any more", self.recover("--keep")[1])
        self.change_state(folder, plain)
        self.assertNotIn("is not there any more", self.recover("--keep")[1])

    def test_a_file_that_is_a_hole_takes_no_memory(self):
        folder, _ = self.abandoned()
        hole = self.dir / "hole"
        with open(hole, "wb") as f:
            f.truncate(1 << 40)
        self.change_state(folder, hole)
        limit = (lambda: resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))) if SLOW == 1 else None
        done = subprocess.run([ORMA, "recover", "-o", self.dir / "out"], env=self.env, capture_output=True, timeout=100 * SLOW,
                              preexec_fn=limit)
        self.assertIn(b"is not there any more, or not as it was", done.stderr)
        self.assertEqual(done.returncode, 0)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_root_believes_no_paths_of_others(self):
        folder, _ = self.abandoned()
        secret = self.dir / "secret"
        secret.write_bytes(b"\x0a\x08secret!\n" * 100)
        self.change_state(folder, secret)
        self.assertIn(b"secret!", self.recover("--keep")[0].read_bytes())
        for path in (self.root(), folder):
            os.chown(path, 65534, 65534)
        trace, said = self.recover(folder, "--keep")
        self.assertNotIn(b"secret!", trace.read_bytes())
        self.assertIn("is not there any more, or not as it was", said)
        config, = folder.glob("s*.config")
        note = max(folder.glob("s*.note*"))
        note.unlink()
        note.symlink_to(secret)
        self.assertNotIn(b"secret!", self.recover(folder, "--keep")[0].read_bytes())
        config.unlink()
        os.mkfifo(config)  # nobody writes into it
        self.assertNotEqual(subprocess.run([ORMA, "recover", folder, "--keep", "-o", self.dir / "fifo"], env=self.env,
                                           capture_output=True, timeout=20 * SLOW).returncode, 0)

    def test_names_of_files_begin_no_line(self):
        folder, _ = self.abandoned()
        strange = self.dir / "a\n\x1b[31mb"
        strange.write_bytes(b"\x0a\x00")
        self.change_state(folder, strange)
        for said in (self.orma("recover").stdout.decode(), self.recover("--keep")[1]):
            self.assertIn(f"{self.dir}/a??[31mb", said)

    def test_a_buffer_that_had_no_space_costs_no_others(self):
        folder, oracle = self.abandoned(FILE + "buffers { size_kb: 64 }\n")
        for path in folder.glob("s*.[bq]1"):
            path.unlink()
        trace, said = self.recover("--keep")
        self.assertIn("; 1 of its buffers were not there", said)
        self.check(trace, oracle)
        for path in folder.glob("s*.[bq]0"):
            path.unlink()
        trace, said = self.recover()
        self.assertIn("2 of its buffers were not there", said)
        self.assertIn("from " + str(self.dir / "trace"), said)
        self.assertTrue(any(self.numbers(trace).values()))
        self.assertEqual(self.folders(), [])

    def test_packets_of_a_session_that_is_not_known_are_kept(self):
        """What it was is not there any more, or is damaged: nothing says that there was none."""
        for spoil in (lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:40])):
            folder, _ = self.abandoned()
            spoil(next(folder.glob("s*.state")))
            self.assertIn("1 buffer of no session that is known", self.orma("recover").stdout.decode())
            said = self.orma("recover", "-o", self.dir / "none", code=1).stderr.decode()
            self.assertIn("1 buffer with packets cannot be read", said)
            self.assertTrue(folder.is_dir())
            self.orma("recover", str(folder), "--discard")
            self.assertEqual(self.folders(), [])

    def test_records_of_nobody_are_damaged_ones(self):
        service, recorder, app = self.start_all(self.config())
        folder, = self.folders()
        used = lambda: struct.unpack_from("Q", next(folder.glob("s*.b0")).read_bytes(), 40)[0]
        self.wait_for("records", lambda: used() > 100000)
        self.kill(service)
        self.stop(recorder, app)
        next(folder.glob("s*.q0")).write_bytes(b"")
        self.assertRegex(self.recover()[1], r"packets from memory; [\d.]+ [KM]iB were damaged")

    def test_a_folder_is_removed_where_it_is(self):
        """By another name of it, and not an empty one that took its place."""
        folder, _ = self.abandoned()
        self.orma("recover", str(folder) + "//", "--discard")
        self.assertEqual(self.folders(), [])
        folder, _ = self.abandoned()
        link = self.dir / "link"
        link.symlink_to(folder)
        self.orma("recover", link, "--discard", code=1)
        self.assertTrue(link.is_symlink())

    def test_hostile_folders_are_not_used(self):
        self.root().mkdir(mode=0o777)
        self.root().chmod(0o777)
        p = self.start(TRACED, stderr=subprocess.PIPE)
        self.wait_for("the socket", lambda: (self.dir / "c.sock").exists())
        self.end_and_read(p, b"others made it or may use it")
        self.root().rmdir()
        self.root().symlink_to(self.dir)
        before = set(self.dir.iterdir())
        p = self.start(TRACED, stderr=subprocess.PIPE)
        self.wait_for("the socket", lambda: (self.dir / "c.sock").exists())
        self.end_and_read(p, None)
        self.assertEqual({x for x in self.dir.iterdir() if x.suffix != ".sock"}, {x for x in before if x.suffix != ".sock"})

    def end_and_read(self, p, text):
        p.terminate()
        said = p.communicate(timeout=20)[1]
        if text:
            self.assertIn(text, said)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_folders_of_another_user(self):
        service, recorder, app = self.start_all(self.config())
        self.kill(service)
        self.stop(recorder, app)
        folder, = self.folders()
        for path in (self.rescue, self.root()):
            path.chmod(0o755)
        done = self.run_program(ORMA, "recover", folder, "-o", "/tmp/x", user=65534, group=65534, extra_groups=[])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, b"Permission denied|belongs to you alone")
        self.root().chmod(0o700)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_a_full_tmpfs(self):
        small = self.dir / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", small], capture_output=True).returncode:
            self.skipTest("no mounts here")
        self.addCleanup(subprocess.run, ["umount", "-l", small])
        self.env["ORMA_RESCUE_FOLDER"] = str(small)
        service, recorder, app = self.start_all(self.config(kb=65536))
        time.sleep(2)
        self.assertIsNone(service.poll(), "the service goes on")
        self.assertIsNone(app.poll())
        self.end(app)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(20 * SLOW)
        found = self.numbers(self.dir / "trace")  # nothing is lost but what a crash would have cost
        for t in range(THREADS):
            self.assertEqual(found[t], list(range(1, len(found[t]) + 1)))
        service2, recorder2, app2 = service, *self.second(65536)
        time.sleep(2)
        self.kill(service2)
        self.stop(recorder2, app2)
        found = self.numbers(self.recover()[0])
        self.assertTrue(any(found.values()))

    def second(self, kb):
        recorder = self.record(self.config(kb=kb), self.dir / "trace2")
        self.wait_for("a session", lambda: b"STARTED" in self.run_program(ORMA, "status").stdout.upper())
        return recorder, self.app()

    def test_without_a_folder_all_goes_on(self):
        self.env["ORMA_RESCUE_FOLDER"] = "none"
        service, recorder, app = self.start_all(self.config(more=FILE))
        self.assertEqual(self.folders(), [])
        self.end(app)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(20 * SLOW)
        self.assertTrue(self.numbers(self.dir / "trace"))

    def test_a_folder_on_a_disk(self):
        disk = self.dir / "disk"
        disk.mkdir()
        self.env["ORMA_RESCUE_FOLDER"] = str(disk)
        service, recorder, app = self.start_all(self.config(kb=65536))
        time.sleep(0.3)
        oracle = self.oracle()
        time.sleep(1.5)  # shared memory is not there: what was committed is
        self.kill(service)
        self.stop(recorder, app)
        self.check(self.recover()[0], oracle)


if __name__ == "__main__":
    main()
