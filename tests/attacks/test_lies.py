"""What a recording says of its losses, where a program that takes part in it lies: any producer can write the packets in
which the probes count what the kernel lost. It may add losses of its own; those of others stay in the sentence."""
import re

from attack import *

FTRACE_STATS, PERF_SAMPLE = 34, 66
START, END = 1, 2


def ftrace_stats(phase, overrun, cpus=2):
    return sub(FTRACE_STATS, num(1, phase) + b"".join(sub(2, num(1, cpu) + num(3, overrun)) for cpu in range(cpus)))


class Lies(Attack):
    CONFIG = """buffers {{ size_kb: 4096 }} data_sources {{ config {{ name: "linux.ftrace" }} }}
        data_sources {{ config {{ name: "liar" }} }} flush_timeout_ms: 5000 data_source_stop_timeout_ms: 5000 {}"""

    def setUp(self):
        super().setUp()
        self.start_traced()

    def counts(self, target, writer, emitted):
        return sub(90001, num(1, writer) + num(2, target) + num(3, emitted))

    def write(self, producer, target, packets):
        """Each by a writer of its own, which says what it emitted."""
        for packet in packets:
            producer.writer = getattr(producer, "writer", 0) + 1
            producer.ask("commit", move(target, chunk(0, producer.writer, [packet])) + self.counts(target, producer.writer, 1))
            producer.ask("no_writer", num(1, producer.writer))

    def write_as_one(self, producer, target, packets):
        for i, packet in enumerate(packets):
            producer.ask("commit", move(target, chunk(i, 1000, [packet])) + self.counts(target, 1000, i + 1))
        producer.ask("no_writer", num(1, 1000))

    def serve(self, producers, ended):
        """Answers flushes until the recorder has ended."""
        while ended.poll() is None:
            ready, _, _ = select.select([p.socket for p in producers], [], [], 0.05)
            for p in producers:
                if p.socket not in ready:
                    continue
                seen = len(p.commands)
                p.pump()
                for field, value in p.commands[seen:]:
                    if field == 5:  # Flush
                        p.send("commit", num(3, last(decode(value), 2, 0)), drop=True)

    def record(self, honest, lies, first="honest", more="", out="t"):
        """What `orma record` says, and `orma stats` of the trace."""
        (self.dir / "c.txt").write_text(self.CONFIG.format(more))
        kernel, liar = self.producer("kernel"), self.producer("liar")
        kernel.register("linux.ftrace")
        liar.register("liar")
        with open(self.dir / "piped", "wb") as piped:
            p = self.start(ORMA, "record", "-c", "c.txt", "-o", out, "--force", stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            reader = threading.Thread(target=lambda: piped.write(p.stdout.read()))
            reader.start()
            kernel_target, liar_target = kernel.set_up(), liar.set_up()
            if first == "honest":
                self.write_as_one(kernel, kernel_target, honest)
            self.write(liar, liar_target, lies)
            if first != "honest":
                self.write_as_one(kernel, kernel_target, honest)
            p.send_signal(signal.SIGINT)
            self.serve([kernel, liar], p)
            reader.join()
        said = p.stderr.read().decode()
        self.assertEqual(p.returncode in (0, 1), True, said)
        self.drop_clients()
        stats = self.orma("stats", "piped" if out == "-" else out).stdout.decode()
        return said, stats

    HONEST = [ftrace_stats(START, 7), ftrace_stats(END, 1007)]

    def test_honest(self):
        for said in self.record(self.HONEST, []):
            self.assertRegex(said, "[Ll]ost 2000 kernel events overrun")

    def test_counts_of_the_kernel(self):
        """Later, earlier, larger at the start, smaller at the end, in one packet or in two."""
        lies = {
            "starts high": [ftrace_stats(START, 1 << 62)],
            "ends low": [ftrace_stats(END, 0)],
            "both": [ftrace_stats(START, 1 << 62), ftrace_stats(END, 1 << 62)],
            "negative": [ftrace_stats(START, 0), ftrace_stats(END, (1 << 64) - 1000)],
            "nothing": [sub(FTRACE_STATS, num(1, START)), sub(FTRACE_STATS, num(1, END))],
        }
        for what, packets in lies.items():
            for first in "honest", "liar":
                with self.subTest(f"{what}, {first} first"):
                    for said in self.record(self.HONEST, packets, first):
                        found = re.search("[Ll]ost (at least )?([0-9]+) kernel events overrun", said)
                        self.assertTrue(found, said)
                        self.assertGreaterEqual(int(found[2]), 2000, said)

    def test_more_sources_than_one_looks_for(self):
        """The incident of the last of many is in the sentence, too."""
        incident = sub(90001, num(1, 1))  # of a kind that there is
        honest = [sub(FTRACE_STATS, num(1, END) + incident)]
        without, _ = self.record(honest, [])
        self.assertNotIn("nothing lost", without)
        said, stats = self.record(honest, [sub(FTRACE_STATS, num(1, START))] * 40, "liar")
        self.assertNotIn("nothing lost", said)
        self.assertNotIn("Nothing lost", stats)

    def test_records_of_perf(self):
        """-1000 is no number of records."""
        def lost(number):
            return num(8, 1) + sub(PERF_SAMPLE, num(1, 0) + num(17, number))

        for number in (1 << 64) - 1000, (1 << 63) - 1, (1 << 63) + 7, (1 << 64) - 1:
            for first in "honest", "liar":
                with self.subTest(f"{number}, {first} first"):
                    for said in self.record([lost(1000)], [lost(number)], first):
                        found = re.search("[Ll]ost (at least )?([0-9]+) records of perf overrun", said)
                        self.assertTrue(found, said)
                        self.assertGreaterEqual(int(found[2]), 1000, said)

    def test_traces_that_nobody_looks_into(self):
        """A pipe, and compressed packets: it is not said that nothing was lost, when nobody has looked."""
        for more, out in (("", "-"), ("write_into_file: true file_write_period_ms: 100", "-"),
                          ("compression_type: COMPRESSION_TYPE_DEFLATE", "t"), ("compression_type: COMPRESSION_TYPE_DEFLATE", "-")):
            with self.subTest(f"{more} {out}"):
                said, stats = self.record(self.HONEST, [], more=more, out=out)
                self.assertNotIn("nothing lost", said)
                self.assertIn("ost 2000 kernel events overrun", stats)
                if out == "-" and "DEFLATE" in more:
                    self.assertIn("what was lost is not known: what the kernel lost is counted in the trace only", said)
                else:
                    self.assertIn("lost 2000 kernel events overrun", said)

    def test_a_source_that_never_starts(self):
        """Another program offers the same data source, and never says that it has started: the command begins all the same."""
        (self.dir / "c.txt").write_text("""buffers { size_kb: 1024 } data_sources { config { name: "linux.ftrace" } }
            flush_timeout_ms: 200 data_source_stop_timeout_ms: 200""")
        honest, silent = self.producer("honest"), self.producer("silent")
        honest.register("linux.ftrace")
        silent.ask("register", sub(1, sub(1, "linux.ftrace") + num(2, 1) + num(3, 1)))
        begun = time.monotonic()
        p = self.start(ORMA, "record", "-c", "c.txt", "-o", "t", "--", "touch", "began", stderr=subprocess.PIPE)
        self.write_as_one(honest, honest.set_up(), self.HONEST)
        self.wait_for("the command", (self.dir / "began").exists, 9)
        self.assertLess(time.monotonic() - begun, 6 * SLOW)
        self.serve([honest], p)
        said = p.stderr.read().decode()
        self.assertIn("'linux.ftrace' of 'silent'", said)
        self.assertIn("never said that it had started", said)


if __name__ == "__main__":
    main()
