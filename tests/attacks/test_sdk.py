"""Programs with the SDK in bad company: a service that is stopped, handlers of signals, forks, crowds of threads,
short lives, a plug-in that is unloaded. The program never hangs or crashes, and of what it counted itself
every event is in the trace or in its loss ledger."""
from attack import *

CONFIG = """buffers { size_kb: 65536 } data_sources { config { name: "track_event" } }
write_into_file: true file_write_period_ms: 100 flush_period_ms: %d data_source_stop_timeout_ms: 3000"""

# What the table `loss` says of programs that could not say what they lost.
UNKNOWN = {"unreported", "killed", "not counted"}


class Counts:
    """The 16 numbers that the program keeps."""
    def __init__(self, path):
        path.write_bytes(bytes(4096))
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 4096)

    def __getitem__(self, i):
        return struct.unpack_from("<q", self.map, 8 * i)[0]

    def __setitem__(self, i, value):
        struct.pack_into("<q", self.map, 8 * i, value)

    @property
    def emitted(self):
        return sum(self[i] for i in range(8)) + self[14]


class Sdk(Attack):
    def setUp(self):
        super().setUp()
        self.start_traced()

    def record(self, flush_ms=500):
        (self.dir / "config").write_text(CONFIG % flush_ms)
        self.trace = self.dir / "trace"
        self.recorder = self.start(ORMA, "record", "-f", "-q", "-c", self.dir / "config", "-o", self.trace,
                                   stderr=subprocess.PIPE)
        c = self.consumer()
        self.wait_for("the session", lambda: b"STARTED" in b"".join(
            v for f, v in decode(last(c.ask("state")[2], 1, b"")) if f == 6))
        self.drop_clients()

    def app(self, mode, *args, counts="counts"):
        path = self.dir / counts
        numbers = Counts(path)
        return self.start(TOOLS / "attack_app", path, mode, *args), numbers

    def end_recording(self):
        self.recorder.send_signal(signal.SIGINT)
        self.recorder.wait(30 * SLOW)

    def ledger(self):
        """emitted, delivered and lost packets of track events, by their own account."""
        rows = self.query(self.trace, "select reason, coalesce(sum(packets), 0) as n from __intrinsic_loss group by 1")
        return {r["reason"]: int(r["n"]) for r in rows}

    def check_ledger(self, counts, exact=True):
        """What the program counted is here, or lost by a row that says so."""
        ledger = self.ledger()
        unreported = "unreported" in ledger  # a writer ended without its last report, and the row says so
        emitted = ledger.pop("emitted", 0)
        delivered = ledger.pop("delivered", 0)
        lost = sum(ledger.values())
        said = f"{ledger}, {emitted} emitted, {delivered} delivered, {counts.emitted} counted by the program"
        self.assertEqual(emitted, delivered + lost, said)
        if exact:
            self.assertFalse(unreported, said)
        if not unreported:  # a few packets more: descriptors of tracks, clocks
            self.assertGreaterEqual(emitted + counts[15], counts.emitted, said)
        return delivered, lost

    def slices(self):
        return int(self.one(self.trace, "select count(*) from slice"))

    def finish(self, program, seconds=60):
        try:
            self.assertEqual(program.wait(seconds * SLOW), 0)
        except subprocess.TimeoutExpired:
            self.fail("the program hangs")

    def test_signals(self):
        self.record()
        program, counts = self.app("signals", times(1, 30))
        self.finish(program)
        self.end_recording()
        self.assertGreater(counts[14], 10, "no handler ran")
        self.check_ledger(counts)
        self.assert_ends()

    def test_forks(self):
        self.record()
        program, counts = self.app("forks", times(1, 20))
        self.finish(program)
        self.end_recording()
        self.assertEqual((counts[12], counts[13]), (0, 0), "children that crashed, and that hung")
        self.assertGreater(counts[4], 0)
        self.assert_ends()

    def test_crowds_of_threads(self):
        self.record()
        program, counts = self.app("threads", times(200, 2000))
        self.finish(program)
        self.end_recording()
        self.check_ledger(counts)
        self.assert_ends()

    def stopped_service(self, policy, events, resume):
        self.record()
        program, counts = self.app("burst", policy, events)
        self.wait_for("the program", lambda: counts[8] == 1)
        self.stop_service()
        counts[8] = 2
        self.wait_for("the end of the burst", lambda: counts[8] == 3, 60)
        self.assertLess(counts[10], 4000 * SLOW, "orma_flush(2000) in milliseconds")
        if not resume:
            self.finish(program)
        os.kill(self.traced.pid, signal.SIGCONT)
        self.finish(program)
        self.wait_for("the program to be gone", lambda: self.producers() == 0)
        self.end_recording()
        return counts

    def producers(self):
        c = self.consumer()
        _, _, fields = c.ask("state")
        self.drop_clients()
        return sum(f == 1 and b"attack_app" in v for f, v in decode(last(fields, 1, b"")))

    def check_stopped(self, policy, events, resume):
        counts = self.stopped_service(policy, events, resume)
        self.assertTrue(self.ledger(), f"{counts.emitted} events were emitted, and no row says what became of them")
        delivered, _ = self.check_ledger(counts, exact=False)
        if resume:
            self.assertGreater(delivered, 0)
        self.assert_ends()

    def test_stopped_service_few_events(self):
        self.check_stopped("drop", 2000, True)

    def test_stopped_service_few_events_of_a_program_that_ended(self):
        self.check_stopped("drop", 2000, False)

    def test_stopped_service_many_events(self):
        self.check_stopped("drop", times(60000, 300000), True)

    def test_stopped_service_many_events_of_a_program_that_ended(self):
        self.check_stopped("drop", times(60000, 300000), False)

    def test_stopped_service_stall_then_drop(self):
        self.check_stopped("std", times(60000, 300000), True)

    def test_short_lives(self):
        """Programs of a moment, flushes all the while: each event is there."""
        self.record(20)
        total = 0
        for _ in range(times(15, 200)):
            programs = [self.app("count", 1, 20000, "0.02", counts=f"counts{k}") for k in range(4)]
            for program, counts in programs:
                self.finish(program)
                total += counts.emitted
        self.end_recording()
        lost = sum(n for reason, n in self.ledger().items() if reason not in ("emitted", "delivered"))
        self.assertEqual(self.slices() + lost, total)
        self.assert_ends()

    @unittest.skipIf(SLOW > 1, "the address sanitizer does not see that threads which are cancelled leave their stack")
    def test_threads_that_are_cancelled(self):
        """While they flush, or wait for a session: no lock stays behind, and what they wrote is there."""
        self.record(50)
        program, counts = self.app("cancels", times(200, 5000))
        self.finish(program)
        self.end_recording()
        self.assertEqual(counts[11], 0, "the last flush of the program")
        self.check_ledger(counts)
        self.assert_ends()

    def test_a_clock_that_is_set_back(self):
        """A wait of 300 ms is no wait of an hour."""
        program, counts = self.app("clock", "-")
        self.finish(program)
        self.assertLess(counts[10], 10000 * SLOW)

    def test_descriptors_that_the_program_closed(self):
        """Numbers of ours are its own files and sockets now: nothing is written there, nothing read, nothing closed."""
        self.record(50)
        folder = self.dir / "files"
        folder.mkdir()
        self.finish(self.app("closes", folder)[0])
        self.end_recording()
        self.assertEqual([f.stat().st_size for f in folder.iterdir()], [0] * 8)
        self.assertTrue(UNKNOWN & self.reasons(), "what was on its way is lost, and who knows how much")
        self.assert_ends()

    def test_descriptors_that_the_program_replaced(self):
        """By dup2(): the library waits for what is another file now. It ends with the program all the same."""
        self.record(50)
        for i in range(times(5, 50)):
            folder = self.dir / f"files{i}"
            folder.mkdir()
            self.finish(self.app("swaps", folder)[0])
        self.end_recording()
        self.assert_ends()

    def test_descriptors_replaced_before_the_first_event(self):
        """The service sees a program go away that has written nothing, which it does afterwards."""
        self.record(50)
        missing = 0
        for i in range(times(5, 50)):
            program, counts = self.app("swaps-first", "-", counts=f"counts{i}")
            self.finish(program)
            missing += counts.emitted
        self.end_recording()
        missing -= self.slices()
        if missing:
            self.assertTrue(UNKNOWN & self.reasons(), f"{missing} events")
        self.assertIn("killed", self.reasons(), "each goes on without its connection")
        self.assert_ends()

    def test_a_program_that_goes_on_without_the_library(self):
        """It has said all that it had to say."""
        self.record(50)
        program, counts = self.app("leaves", "-")
        self.finish(program)
        self.end_recording()
        self.check_ledger(counts)
        self.assertFalse(UNKNOWN & self.reasons())
        self.assert_ends()

    def test_a_program_that_dies_before_it_is_known(self):
        """... has written into memory that nobody can assign: what was lost is not known."""
        self.record()
        for _ in range(times(5, 50)):
            self.assertEqual(self.app("dies", "-")[0].wait(60 * SLOW), -signal.SIGKILL)
        self.end_recording()
        events = int(self.one(self.trace, "select count(*) from instant where name = 'last words'"))
        if events < times(5, 50):
            self.assertTrue(UNKNOWN & self.reasons(), f"{events} events")
        self.assert_ends()

    def reasons(self):
        return {r["reason"] for r in self.query(self.trace, "select reason from loss")}

    def test_a_plug_in_that_is_unloaded(self):
        self.record(20)
        for name, turns in (("attack_plugin", times(200, 5000)), ("attack_plugin_alone", times(50, 500))):
            self.finish(self.start(TOOLS / "attack_dlclose", next(TOOLS.glob(f"*{name}.so")), turns))
        self.end_recording()
        self.assertGreater(self.slices(), 0)
        self.assert_ends()


if __name__ == "__main__":
    main()
