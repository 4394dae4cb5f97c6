"""Nothing is silently wrong: names that mean nothing are errors, losses have the same words everywhere, and
a recording that has captured nothing says why."""
import pty
import re
import struct

from orma_env import *

NO_TRACEFS = have_tracefs()
COMPAT = BUILD / "compat"


SYS_STATS = 104  # DataSourceConfig.sys_stats_config


def field(number, value):
    """Of a message: a number, or bytes."""
    def varint(n):
        return bytes([n]) if n < 0x80 else bytes([n & 0x7f | 0x80]) + varint(n >> 7)

    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def binary_config(source):
    """A TraceConfig of 200 ms with this DataSourceConfig."""
    return field(1, field(1, 64)) + field(2, field(1, source)) + field(3, 200)


class Trust(Case):
    def config(self, text, name="c.pbtxt"):
        path = self.dir / name
        path.write_text(text)
        return path

    def refused(self, *argv, says):
        """Fails before anything is recorded, with these words."""
        done = self.orma("record", *argv, "-o", "t.pftrace", code=1)
        text = done.stderr.decode()
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, text)
        self.assertFalse((self.dir / "t.pftrace").exists(), "nothing was recorded")
        return text


class Names(Trust):
    def test_a_data_source_that_nobody_offers(self):
        c = self.config('buffers { size_kb: 64 } data_sources { config { name: "linux.ftrac" } } duration_ms: 200')
        self.refused("-c", c, says="no producer offers the data source 'linux.ftrac'; did you mean 'linux.ftrace'?")
        done = self.orma("record", "--allow-unknown", "-c", c, "-o", "a.pftrace", code=1)
        self.assertIn(b"no producer offered the data source 'linux.ftrac'", done.stderr.splitlines()[0])
        self.assertIn(b"nothing was recorded: no producer offered a data source that was asked for", done.stderr)

    def test_the_same_in_a_binary_config(self):
        c = self.config('buffers { size_kb: 64 } data_sources { config { name: "linux.proces_stats" } } duration_ms: 200')
        binary = self.dir / "c.bin"
        binary.write_bytes(binary_config(field(1, b"linux.proces_stats")))
        self.refused("-c", binary, says="did you mean 'linux.process_stats'?")
        self.refused("-c", c, says="did you mean 'linux.process_stats'?")

    def test_numbers_that_are_no_value_of_an_enum(self):
        binary = self.dir / "c.bin"
        binary.write_bytes(binary_config(field(1, b"linux.sys_stats") + field(SYS_STATS, field(2, 9999))))
        self.refused("-c", binary, says="'meminfo_counters' has no value 9999")

    def test_a_config_without_any_source(self):
        self.refused("-c", self.config("duration_ms: 200"), says="names no data source")

    def test_a_running_service_is_asked_what_it_offers(self):
        self.start_traced()
        c = self.config('buffers { size_kb: 64 } data_sources { config { name: "linux.process_stats" } } duration_ms: 200')
        self.refused("-c", c, says=["no producer offers the data source 'linux.process_stats'", "traced_probes is not running"])
        done = self.orma("record", "-t", "200ms", "apps", "-o", "t.pftrace", code=1)
        self.assertIn(b"nothing was recorded: no program wrote events", done.stderr)
        self.assertIn(b"left out linux.process_stats: the running service does not offer it", done.stderr)

    def test_a_source_that_a_command_might_have_offered(self):
        c = self.config('buffers { size_kb: 64 } data_sources { config { name: "my.own.source" } } duration_ms: 5000')
        done = self.orma("record", "-c", c, "-o", "t.pftrace", "--", "true", code=1)
        self.assertIn(b"no producer offered the data source 'my.own.source'", done.stderr)
        done = self.orma("record", "--allow-unknown", "-c", c, "-o", "u.pftrace", "--", "true", code=1)
        self.assertIn(b"nothing was recorded", done.stderr)

    def test_the_compatible_name_goes_on_but_prints_a_warning(self):
        self.start_traced()
        c = self.config('buffers { size_kb: 64 } data_sources { config { name: "linux.ftrac" } } duration_ms: 200')
        done = self.run_program(COMPAT / "perfetto", "--txt", "-c", c, "-o", self.dir / "t.pftrace")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"no producer offers the data source 'linux.ftrac'; did you mean 'linux.ftrace'?", done.stderr)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_kernel_events_that_this_kernel_lacks(self):
        self.refused("sched/sched_swich", says="no event 'sched/sched_swich'; did you mean 'sched/sched_switch'?")
        self.refused("shced/*", says="no event 'shced/*'; did you mean 'sched/*'?")
        self.refused("sched/nosuch", says="no event 'sched/nosuch'")
        c = self.config("""buffers { size_kb: 64 } data_sources { config { name: "linux.ftrace" ftrace_config {
            ftrace_events: "sched_swich" ftrace_events: "sched/sched_waking if prio < 100"
            syscall_events: "sys_opnat" atrace_categories: "schd" atrace_categories: "gfx" } } } duration_ms: 200""")
        text = self.refused("-c", c, says=["no event 'sched_swich'; did you mean 'sched_switch'?",
                                           "no system call 'sys_opnat'; did you mean 'openat'?",
                                           "no atrace category 'schd'; did you mean 'sched'?"])
        self.assertNotIn("waking", text)
        self.assertNotIn("gfx", text)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_events_that_are_allowed_to_be_missing(self):
        done = self.orma("record", "--allow-unknown", "-t", "200ms", "sched/nosuch", "sched", "-o", "t.pftrace")
        self.assertNotIn(b"nosuch", done.stderr)
        done = self.orma("stats", "t.pftrace")
        self.assertIn(b"sched/nosuch", done.stdout, "the trace says what is missing in it")

    def test_events_of_the_kernel_are_listed(self):
        if NO_TRACEFS:
            self.skipTest(NO_TRACEFS)
        out = self.orma("help", "events", "sched/").stdout.decode().split()
        self.assertIn("sched/sched_switch", out)
        self.assertTrue(all(x.startswith("sched/") for x in out))
        self.orma("help", "events", "nogroup", code=1)


class Captured(Trust):
    def test_a_command_that_is_not_there(self):
        text = self.orma("record", "-o", "t.pftrace", "apps", "--", "nosuchcmd", code=127).stderr.decode()
        self.assertIn("nosuchcmd: No such file or directory", text)
        self.assertNotIn("nothing lost", text)
        self.assertFalse((self.dir / "t.pftrace").exists())

    def test_a_command_that_cannot_be_started(self):
        (self.dir / "data").write_text("no program")
        text = self.orma("record", "-o", "t.pftrace", "apps", "--", "./data", code=126).stderr.decode()
        self.assertNotIn("nothing lost", text)
        self.assertFalse((self.dir / "t.pftrace").exists())

    @unittest.skipIf(os.geteuid() != 0, "becoming an ordinary user needs root")
    def test_kernel_events_without_the_right_to_them(self):
        os.chmod(self.dir, 0o777)
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        done = self.run_program(ORMA, "--version", **user)
        if done.returncode:
            self.skipTest("the build folder is not readable for others")
        done = self.run_program(ORMA, "record", "-t", "200ms", "sched", "irq", "-o", self.dir / "t.pftrace", **user)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 1, text)
        self.assertIn("nothing that was asked for can be recorded", text)
        self.assertFalse((self.dir / "t.pftrace").exists())
        done = self.run_program(ORMA, "record", "-t", "1500ms", "-o", self.dir / "u.pftrace", **user)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"left out linux.ftrace", done.stderr)
        self.assertGreater(int(self.one(self.dir / "u.pftrace", "SELECT count(*) FROM counter")), 0,
                           "the counters of /proc instead")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_kernel_events_that_could_not_be_set_up(self):
        c = self.config('''buffers { size_kb: 64 } duration_ms: 200 data_sources { config { name: "linux.ftrace"
            ftrace_config { ftrace_events: "sched/sched_switch" instance_name: "orma-nosuch" } } }''')
        done = self.orma("record", "-c", c, "-o", "t.pftrace", code=1)
        self.assertRegex(done.stderr.decode(), "no kernel events: .*orma-nosuch")
        out = self.orma("stats", "t.pftrace").stdout.decode()
        self.assertIn("Asked for, but not recorded:", out)
        self.assertIn("orma-nosuch", out)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_names_that_only_the_service_can_judge(self):
        """It runs as root, its user may not read tracefs: then the trace tells at the end."""
        os.chmod(self.dir, 0o777)
        self.start_traced()
        self.start(PROBES, stderr=subprocess.DEVNULL)
        self.wait_for("the probes", lambda: b"linux.ftrace" in self.orma("status").stdout)
        for sock in ("p.sock", "c.sock"):
            os.chmod(self.dir / sock, 0o666)
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        if self.run_program(ORMA, "--version", **user).returncode:
            self.skipTest("the build folder is not readable for others")
        for events, code in ((["sched/sched_switch", "sched/nosuch"], 1), (["sched"], 0)):
            done = self.run_program(ORMA, "record", "-f", "-t", "300ms", *events, "-o", self.dir / "t.pftrace", **user)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(b"this kernel has no event 'sched/nosuch'" in done.stderr, code == 1, done.stderr)

    @unittest.skipIf(os.geteuid() != 0, "becoming an ordinary user needs root")
    def test_a_service_that_one_may_not_use(self):
        os.chmod(self.dir, 0o755)
        self.start_traced()
        os.chmod(self.dir / "c.sock", 0o600)
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        if self.run_program(ORMA, "--version", **user).returncode:
            self.skipTest("the build folder is not readable for others")
        done = self.run_program(ORMA, "status", **user)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no permission to use the service", done.stderr)
        self.assertNotIn(b"no service", done.stderr)
        done = self.run_program(ORMA, "record", "-t", "200ms", "apps", "-o", "/dev/null", "-f", **user)
        self.assertIn(b"with a private service", done.stderr)


class Losses(Trust):
    def words(self, text):
        """What was lost: 'lost N packets (...)', 'lost N kernel events ...' (on a busy machine), 'nothing lost', ..."""
        found = re.search(r"(?i)lost (at least )?\d+ ([^;.,]*\([^)]*\)|kernel events? \w+)|nothing lost|"
                          "what was lost is not known", text)
        self.assertTrue(found, text)
        return found.group().lower()

    def both(self, *argv, code=0):
        """What `record` and `stats --brief` say of the same trace."""
        done = self.orma("record", "-o", "t.pftrace", *argv, code=code)
        record = done.stderr.decode()
        stats = self.orma("stats", "--brief", "t.pftrace").stdout.decode()
        self.assertEqual(self.words(record), self.words(stats), record + stats)
        return record, stats

    def sum_of_losses(self):
        return int(self.one(self.dir / "t.pftrace",
                            "SELECT sum(packets) FROM loss WHERE reason NOT IN ('emitted', 'delivered')"))

    def test_a_file_that_reached_its_size(self):
        record, _ = self.both("--max-size", "100kb", "apps", "--", DEMO, "--threads", "2", "--iterations", "3000")
        self.assertIn("(--max-size reached)", record)
        lost = int(re.search(r"lost (?:at least )?(\d+) packets", record).group(1))  # at least: probes that are slow
        self.assertEqual(lost, self.sum_of_losses())
        self.assertGreater(lost, 0)
        self.assertLess((self.dir / "t.pftrace").stat().st_size, 100 << 10)
        self.assertEqual(self.one(self.dir / "t.pftrace", """
            SELECT sum(CASE reason WHEN 'emitted' THEN packets ELSE -packets END) FROM loss
            WHERE sequence_id IN (SELECT sequence_id FROM loss WHERE reason = 'emitted')"""), "0")

    def test_a_ring_that_kept_the_newest_is_not_lossy(self):
        record, stats = self.both("--ring", "-b", "1mb", "apps", "--", DEMO, "--threads", "1", "--iterations", "3000")
        self.assertIn("nothing lost", record)
        full = self.orma("stats", "t.pftrace").stdout.decode()
        self.assertNotIn("Data losses", full)
        self.assertNotIn("Packets that were lost", full)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_a_ring_says_how_much_time_it_holds(self):
        record, stats = self.both("--ring", "-b", "128kb", "-t", "3s", "sched", "syscalls")
        kept = re.search(r"the ring kept the newest [\d.]+ \w+", record).group()
        self.assertIn(kept, stats)
        self.assertIn(kept[1:], self.orma("stats", "t.pftrace").stdout.decode())

    def test_a_ring_that_is_larger_than_the_memory(self):
        old = pathlib.Path("/sys/fs/cgroup/memory")
        group = (old if old.is_dir() else pathlib.Path("/sys/fs/cgroup")) / f"orma-test-{os.getpid()}"
        try:
            group.mkdir()
            self.addCleanup(group.rmdir)
            (group / ("memory.limit_in_bytes" if old.is_dir() else "memory.max")).write_text(str(400 << 20))
        except OSError as e:
            self.skipTest(f"no control groups of memory here: {e}")
        for size, warns in ("1gb", True), ("8mb", False):
            done = self.start(ORMA, "record", "--private", "-f", "-o", "t.pftrace", "--ring", "-b", size, "apps", "--", DEMO, "--threads",
                              "1", "--iterations", "10", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=lambda: (group / "cgroup.procs").write_text("0"))
            said = done.communicate(timeout=30 * SLOW)[1].decode()
            self.assertEqual("is larger than the memory" in said, warns, said)

    def test_a_tiny_ring(self):
        done = self.orma("record", "-o", "t.pftrace", "--ring", "-b", "8kb", "apps", "--", DEMO, "--threads", "4", "--iterations", "5000", code=None)
        record, stats = done.stderr.decode(), self.orma("stats", "--brief", "t.pftrace").stdout.decode()
        slices, unread = (int(self.one("t.pftrace", sql)) for sql in (
            "SELECT count(*) FROM slice WHERE name IS NOT NULL",
            "SELECT ifnull(sum(value), 0) FROM stats WHERE name GLOB '*skipped*' OR name GLOB '*incremental_sequences_dropped'"))
        # Names are kept for what is left, if there is room for them; otherwise it is said.
        self.assertEqual("nothing lost" in record, done.returncode == 0 and not unread and slices > 0, record)
        if unread:
            self.assertIn("packets that cannot be read" if done.returncode == 0 else "nothing in the ring can be read", record)
            self.assertRegex(stats, "kept nothing|packets that cannot be read")

    @unittest.skipIf(os.geteuid() != 0, "mounting a small file system needs root")
    def test_a_full_disk(self):
        small = self.dir / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], capture_output=True).returncode:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", small])
        done = self.orma("record", "-o", small / "t.pftrace", "apps", "--", DEMO, "--threads", "4", "--iterations", "20000", code=1)
        self.assertEqual(self.words(done.stderr.decode()), "what was lost is not known")
        self.assertEqual(self.words(self.orma("stats", small / "t.pftrace").stdout.decode()), "what was lost is not known")
        self.assertEqual(done.stderr.count(b"No space left"), 1, done.stderr)

    def test_a_trace_that_was_cut_knows_no_losses(self):
        self.orma("record", "-o", "t.pftrace", "apps", "--", DEMO, "--threads", "2", "--iterations", "200")
        whole = (self.dir / "t.pftrace").read_bytes()
        self.assertIn(b"Nothing was lost", self.orma("stats", "t.pftrace").stdout)
        (self.dir / "cut.pftrace").write_bytes(whole[:len(whole) // 2])
        out = self.orma("stats", "cut.pftrace").stdout.decode()
        self.assertNotIn("Nothing was lost", out)
        # A recording that took long has statistics in its first half, too.
        if "the trace ends before its last statistics" not in out:
            self.assertIn("hat was lost is not known", out)
            self.assertEqual(self.one(self.dir / "cut.pftrace", "SELECT count(*) FROM loss WHERE reason = 'unreported'"), "1")

    def test_a_format_that_says_nothing_of_losses(self):
        (self.dir / "t.json").write_text('[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]')
        out = self.orma("stats", "t.json").stdout.decode()
        self.assertIn("What was lost is not known", out)
        self.assertIn("the trace holds no statistics of its recording", out)

    def test_every_word_is_explained(self):
        topic = self.orma("help", "loss").stdout.decode()
        for word in ("dropped", "overwritten", "discarded", "invalid", "unpatched", "cut", "overrun", "unreported"):
            self.assertRegex(topic, rf"(?m)^  {word} ", word)
        self.assertIn("141", self.orma("help", "exit-codes").stdout.decode())


class Pipes(Trust):
    def head(self, *argv, take=50):
        """Reads a little and goes away. Exit code and messages."""
        p = self.start(*argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdout.read(take)
        p.stdout.close()
        err = p.stderr.read()
        return p.wait(60 * SLOW), err

    def test_a_reader_that_leaves_is_no_news(self):
        self.orma("record", "-o", "t.pftrace", "apps", "--", DEMO, "--threads", "4", "--iterations", "3000")
        many = "SELECT a.id, a.name FROM slice a, (SELECT 1 FROM slice LIMIT 10)"
        for argv in ([ORMA, "query", "t.pftrace", many], [ORMA, "query", "--csv=json", "t.pftrace", many],
                     [ORMA, "convert", "text", "t.pftrace"], [ORMA, "convert", "json", "t.pftrace"],
                     [COMPAT / "traceconv", "text", "t.pftrace"]):
            with self.subTest(argv=argv):
                code, err = self.head(*argv)
                self.assertEqual((code, err), (141, b""))

    def test_a_recording_whose_reader_leaves(self):
        code, err = self.head(ORMA, "record", "-o", "-", "apps", "--", DEMO, "--threads", "4", "--iterations", "20000")
        self.assertEqual(code, 141)
        self.assertNotIn(b"roken pipe", err)

    def test_the_size_that_went_through_a_pipe(self):
        p = self.start(ORMA, "record", "-t", "200ms", "-o", "-", "apps", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        data = p.stdout.read()
        err = p.stderr.read().decode()
        self.assertEqual(p.wait(30 * SLOW), 0, err)
        said = re.search(r"standard output: ([\d.]+) (B|KiB)", err)
        factor = {"B": 1, "KiB": 1024}[said.group(2)]
        self.assertAlmostEqual(float(said.group(1)) * factor, len(data), delta=factor)


class Small(Trust):
    def test_a_time_without_unit_is_seconds(self):
        self.orma("record", "-t", "0.2", "cpu", "-o", "t.pftrace")

    def test_an_output_that_is_a_folder(self):
        for argv in (["record", "-t", "1", "apps"], ["record", "-f", "-t", "1", "apps"]):
            done = self.orma(*argv, "-o", self.dir, code=1)
            self.assertIn(b": Is a directory", done.stderr)
            self.assertNotIn(b"--force", done.stderr)

    def test_sessions_have_the_name_of_their_recorder(self):
        self.start_traced()
        p = self.start(ORMA, "record", "apps", "-o", "t.pftrace", stderr=subprocess.PIPE)
        name = f"orma-record-{p.pid}"
        self.wait_for("the session", lambda: name.encode() in self.orma("status").stdout)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(20 * SLOW), 1)
        self.assertIn(b"nothing was recorded: no program wrote events", p.stderr.read())

    def test_the_version_is_in_the_overview(self):
        version = " ".join(self.orma("--version").stdout.decode().split()[:2])
        self.assertRegex(version, r"^orma \d+\.\d+\.\d+$")
        self.assertIn(version, self.orma("help").stdout.decode())

    def test_errors_of_configs_end_where_they_end(self):
        for text, says in (("buffers { size_kb: 1024 \n", ":2:1 error: the text ends inside the message that was opened at 1:9\n"),
                           ("buffers { }\nfoo: 3\n", "foo: 3\n^~~\n")):
            done = self.orma("record", "-c", self.config(text), code=1)
            self.assertTrue(done.stderr.decode().endswith(says), done.stderr)
            self.assertNotIn(b"\n\n", done.stderr)

    def test_errors_of_sql_are_below_the_name(self):
        (self.dir / "t.json").write_text("[]")
        (self.dir / "q.sql").write_text("select 1;\nselect nam\nfrom slice")
        for argv, says in ((("select * from slcie",), "SQL line 1 col 15\n    select * from slcie\n                  ^\nno such table: slcie; did you mean 'slice'?\n"),
                           (("-f", "q.sql"), "q.sql line 2 col 8\n    select nam\n           ^\nno such column: nam; did you mean 'name'?\n")):
            done = self.orma("query", "t.json", *argv, code=1)
            self.assertIn(says, done.stderr.decode())
            self.assertNotIn(b"stdin", done.stderr)

    def test_a_file_of_no_known_format(self):
        (self.dir / "hello.txt").write_text("hello world\n" * 20)
        for argv in (["convert", "json", "hello.txt"], ["query", "hello.txt", "select 1"], ["stats", "hello.txt"]):
            text = self.orma(*argv, code=1).stderr.decode()
            self.assertIn("hello.txt: not a trace of a known format", text)
            self.assertIn("proto, json", text)
            self.assertNotIn("ERR:fmt", text)

    def test_a_trace_without_samples_makes_no_profile(self):
        (self.dir / "t.json").write_text("[]")
        done = self.orma("convert", "firefox", "t.json", "out.json", code=1)
        self.assertIn(b"no samples with stacks", done.stderr)
        self.assertFalse((self.dir / "out.json").exists())
        self.assertEqual(self.run_program(COMPAT / "traceconv", "firefox", "t.json", "out.json").returncode, 0)

    def test_the_form_of_a_result_is_its_format(self):
        (self.dir / "t.json").write_text("[]")
        for option in ("--format=json", "--csv=json"):
            done = self.orma("query", option, "t.json", "SELECT 1 AS a")
            self.assertEqual(done.stdout.decode().strip(), '[{"a": 1}]', option)

    def test_statistics_have_units(self):
        self.orma("record", "-t", "0.2", "cpu", "-o", "t.pftrace")
        out = self.orma("stats", "-a", "t.pftrace").stdout.decode()
        self.assertRegex(out, r"traced_buf_bytes_written +0 +info +\d+ +bytes")
        self.assertRegex(out, r"traced_buf_chunks_written +0 +info +\d+ +chunks")

    def test_records_of_perf_that_carry_nothing_are_no_trouble(self):
        """FORK and EXIT, also alone: they are understood, and make no row; an unknown record is not."""
        head = struct.pack("<8s12Q", b"PERFILE2", 104, 128, 104, 128, 232, 0, 0, 0, 0, 0, 0, 0)
        attr = struct.pack("<IIQQQQQ", 1, 112, 1, 4000, 0, 0, 1 << 10 | 1 << 18).ljust(112, b"\0") + struct.pack("<QQ", 0, 0)

        def trace(*types):
            data = b"".join(struct.pack("<IHH24x", kind, 0, 32) for kind in types)
            size = struct.pack("<Q", len(data))
            path = self.dir / "perf.data"
            path.write_bytes(head[:48] + size + head[56:] + attr + data)
            return self.orma("stats", path).stdout.decode()

        known = trace(7, 4, 7, 4)
        self.assertNotIn("perf_record_skipped", known)
        self.assertNotIn("could not be read", known.lower())
        unknown = trace(7, 99)
        self.assertIn("perf_record_skipped", unknown)
        self.assertIn("1 record of type 99", unknown)

    def on_terminal(self, *argv):
        """Everything that the program writes to a terminal as its stderr."""
        lead, side = pty.openpty()
        p = self.start(*argv, stdout=subprocess.PIPE, stderr=side)
        os.close(side)
        seen = b""
        while True:
            try:
                part = os.read(lead, 4096)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(lead)
        self.assertEqual(p.wait(60 * SLOW), 0, seen)
        return seen.decode()

    def test_loading_shows_how_far_it_is(self):
        """A file that is large enough to take its time: the same packets again and again."""
        self.orma("record", "-o", "t.pftrace", "apps", "--", DEMO, "--threads", "2", "--iterations", "500")
        part = (self.dir / "t.pftrace").read_bytes()
        with open(self.dir / "large.pftrace", "wb") as f:
            for _ in range((20 << 20) // len(part) + 1):
                f.write(part)
        for argv in (["stats", "--brief", "large.pftrace"], ["query", "large.pftrace", "select 1"]):
            text = self.on_terminal(ORMA, *argv)
            self.assertRegex(text, r"Loading: \d+ MB, \d+%, \d+ MB/s")
            self.assertIn("\x1b[K", text.rpartition("Loading:")[2], "it is erased at the end")

    def test_the_time_of_a_query_is_not_that_of_its_reader(self):
        """On a terminal the shell stops after each page; here the reader takes a second."""
        (self.dir / "t.json").write_text("[]")
        lead, side = pty.openpty()
        p = self.start(SHELL, "t.json", stdin=side, stdout=side, stderr=side)
        os.close(side)
        seen = b""

        def until(text):
            nonlocal seen
            while text not in seen:
                seen += os.read(lead, 4096)

        until(b"> ")
        start = time.monotonic()
        os.write(lead, b"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT i FROM n;\r")
        until(b"Type 'q' to stop")
        time.sleep(1)
        os.write(lead, b"q\r")
        until(b"Query executed in")
        until(b" ms")
        took = float(re.search(rb"executed in ([\d.]+) ms", seen).group(1)) / 1e3
        self.assertLess(took, time.monotonic() - start - 1)
        os.write(lead, b".quit\r")
        os.close(lead)
        p.kill()

    def test_a_recording_with_an_end_shows_what_is_left(self):
        self.env["TERM"] = "xterm"
        self.assertRegex(self.on_terminal(ORMA, "record", "-t", "1s", "cpu", "-o", "t.pftrace"), r"\d\.\d s left")

    def test_nothing_is_drawn_over_what_a_command_writes_nor_on_a_dumb_terminal(self):
        for term, argv in (("xterm", ["--", "sh", "-c", "sleep 0.6; echo compiled >&2"]), ("dumb", ["-t", "1s"])):
            self.env["TERM"] = term
            seen = self.on_terminal(ORMA, "record", "--force", "-o", "t.pftrace", "cpu", *argv)
            self.assertNotIn("\x1b", seen)
            self.assertNotRegex(seen.replace("\r\n", "\n"), "\r")


if __name__ == "__main__":
    main()
