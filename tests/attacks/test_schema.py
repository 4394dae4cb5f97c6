"""Configs and traces that are valid by the schema and make no sense otherwise. The service refuses a config or
runs it, and ends; a trace is loaded, every table of it can be read, and some of it converted."""
import re
import shutil

from schema import *

SCHEMA = compiled()
PACKAGE = ".perfetto.protos"


@unittest.skipIf(SCHEMA is None, "no protoc here")
class Configs(Attack):
    def setUp(self):
        super().setUp()
        (self.dir / "here").mkdir()
        self.start_traced(cwd=self.dir / "here")

    def start(self, *argv, cwd=None, **more):
        p = subprocess.Popen([str(a) for a in argv], env=self.env, cwd=cwd or self.dir, **more)
        self.addCleanup(self.end, p)
        return p

    @staticmethod
    def fix(field, dice):
        """Left out: what would touch the machine or wait; named: what is there."""
        if field in ("output_path", "lockdown_mode", "priority_boost", "exclusive_prio", "trigger_timeout_ms", "deferred_start"):
            return b""
        if field == "duration_ms":
            return dice.choice((1, 20, 100))
        if field == "size_kb":
            return dice.choice((0, 1, 4, 64, 1000, 65536, (1 << 32) - 1))
        if field == "name":
            return dice.choice(("x", "y", "track_event", "linux.sys_stats", "linux.process_stats", "linux.system_info", ""))
        return None

    def probes(self):
        p = self.start(PROBES, stderr=subprocess.DEVNULL)
        c = Consumer(self.consumer_path)
        self.wait_for("the probes", lambda: b"linux.sys_stats" in repr(c.ask("state")).encode())
        c.close()
        return p

    def test_random_configs(self):
        probes = self.probes()
        tally = {"run": 0, "refused": 0}
        for i in range(times(60, 20000)):
            p, c = self.producer(self.random.choice(WORDS)), self.consumer()
            p.register("x")
            p.register("track_event")
            body = SCHEMA.random(self.random, f"{PACKAGE}.TraceConfig", 6, 14, self.fix)
            if self.random.random() < .8:
                body += buffer(64) + source(self.random.choice(("x", "linux.sys_stats", "linux.process_stats")))
            fd = os.memfd_create("trace") if self.random.random() < .4 else None
            request = c.enable(body + num(3, 20), fd=fd)
            target = p.set_up(0.02)
            if target is not None:
                p.send("commit", move(target, chunk(0, 1, [packet(100)])), drop=True)
            for _ in range(self.random.randrange(4)):
                what = self.random.choice(("flush", "stats", "read", "start", "disable", "free", "clone", "change", "observe"))
                args = {"clone": num(1, 2**64 - 1), "flush": num(1, 10),
                        "change": sub(1, SCHEMA.random(self.random, f"{PACKAGE}.TraceConfig", 4, 8, self.fix))}.get(what, b"")
                c.send(what, args, drop=self.random.random() < .5)
            tally["run" if target is not None else "refused"] += 1
            if fd is not None:
                os.close(fd)
            del request
            self.drop_clients()
            self.assertIsNone(self.traced.poll(), self.said())
            if i % 20 == 0:
                self.assert_serves()
                self.assertIsNone(probes.poll(), "the probes are gone")
        print(f" [{tally}]", end="", file=sys.stderr, flush=True)
        self.assertGreater(tally["run"], 0)
        self.assert_serves()
        self.wait_for("the end of all sessions", lambda: self.fd_count() < 40, 30)
        self.assert_ends()
        probes.terminate()
        self.assertEqual(probes.wait(20 * SLOW), 0)




@unittest.skipIf(SCHEMA is None, "no protoc here")
class Traces(Attack):
    @staticmethod
    def fix(field, dice):
        if field in ("iid", "name_iid", "category_iids", "track_uuid", "uuid", "parent_uuid", "pid", "tid", "id", "callstack_iid", "frame_ids",
                     "mapping_id", "function_name_id", "utid", "build_id", "cpu"):
            return dice.randrange(4)
        if field in ("timestamp_clock_id", "trusted_packet_sequence_id", "clock_id"):
            return dice.choice((1, 2, 3, 6, 64, 65))
        if field == "sequence_flags":
            return dice.choice((0, 1, 2, 3))
        if field in ("compressed_packets", "compressed_packets_zstd", "ftrace_error_status"):  # the last ends a load
            return b""
        return None

    def packets(self):
        """Most have a time and a sequence, and payloads of the kinds that importers know."""
        kinds = [f for f in SCHEMA.messages[f"{PACKAGE}.TracePacket"] if f[2] == MESSAGE]
        favourites = [f for f in kinds if f[1] in ("track_event", "track_descriptor", "interned_data", "ftrace_events", "process_tree",
                                                   "profile_packet", "perf_sample", "clock_snapshot", "trace_packet_defaults", "heap_graph",
                                                   "streaming_profile_packet", "process_stats", "sys_stats", "trace_stats", "gpu_render_stage_event")]
        out, now = b"", 1000
        for _ in range(times(80, 300)):
            now += self.random.choice((0, 1, 10, 1000))
            body = num(8, now if self.random.random() < .9 else self.random.choice(NUMBERS)) if self.random.random() < .9 else b""
            body += num(10, self.random.randrange(1, 4)) + num(13, self.random.choice((0, 1, 2, 2, 2, 3)))
            for number, _, _, _, of in self.random.choices(favourites if self.random.random() < .7 else kinds, k=self.random.choice((1, 1, 2))):
                body += sub(number, SCHEMA.random(self.random, of, 6, 12, self.fix))
            out += sub(1, body)
        return out

    def check(self, done, what, trace):
        if done.returncode not in (0, 1) or b"runtime error" in done.stderr or b"ERROR: AddressSanitizer" in done.stderr:
            kept = pathlib.Path(os.environ.get("ORMA_ATTACK_KEEP", "/tmp")) / f"orma-attack-{os.getpid()}.pftrace"
            shutil.copy(trace, kept)
            self.fail(f"{what} of {kept}: {done.returncode}\n{done.stderr.decode(errors='replace')[-3000:]}")

    def test_random_traces(self):
        trace = self.dir / "trace"
        trace.write_bytes(b"")
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/tables.md").read_text()
        tables = re.findall(r"^\*\*(\w+)\*\*", page, re.M)
        everything = "; ".join(f"select count(*) from (select *, row_number() over () from {t})" for t in tables)
        loaded = 0
        for i in range(times(24, 20000)):
            trace.write_bytes(self.packets())
            done = self.run_program(SHELL, "-Q", everything if i % 4 == 0 else
                                    "select count(*) from slice; select count(extract_arg(arg_set_id, 'debug.x')) from slice; "
                                    "select sum(value) from counter; select count(*) from args", trace, timeout=120)
            self.check(done, "loading", trace)
            loaded += done.returncode == 0
            if i % 8 == 0:
                for form in ("json", "text", "systrace", "profile"):
                    self.check(self.run_program(ORMA, "convert", form, trace, self.dir / f"out-{i}", timeout=120), form, trace)
                self.check(self.run_program(ORMA, "stats", trace, timeout=120), "orma stats", trace)
        print(f" [{loaded} loaded, {len(tables)} tables]", end="", file=sys.stderr, flush=True)
        self.assertGreater(loaded, 0)


if __name__ == "__main__":
    main()
