"""orma profile and cpu_profile: samples of real programs, as traces and as pprof files."""
import re
import shutil

from orma_env import *

CPU_PROFILE = BUILD / "compat/cpu_profile"
BUSY = ["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]


def varint(data, at):
    val = shift = 0
    while True:
        val |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return val, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            val, at = varint(data, at)
        else:
            size, at = varint(data, at)
            val, at = data[at:at + size], at + size
        yield tag >> 3, val


class Pprof:
    """What the tests need of a profile.proto; references that lead nowhere raise KeyError."""

    def __init__(self, data):
        self.labels = []
        self.strings, self.samples, self.locations, self.functions, self.mappings = [], [], {}, {}, {}
        for field, val in fields(data):
            if field == 6:
                self.strings.append(val.decode())
            elif field == 2:
                parts = list(fields(val))
                self.samples.append(([v for f, v in parts if f == 1], [v for f, v in parts if f == 2]))
                self.labels.append([dict(fields(v)) for f, v in parts if f == 3])
            elif field in (3, 4, 5):
                parts = dict(fields(val))
                table = {3: self.mappings, 4: self.locations, 5: self.functions}[field]
                table[parts[1]] = val

    def names(self, location):
        """Functions of a location, inlined ones first."""
        parts = list(fields(self.locations[location]))
        for mapping in (v for f, v in parts if f == 2):
            self.mappings[mapping]
        lines = [dict(fields(v)) for f, v in parts if f == 4]
        return [self.strings[dict(fields(self.functions[line[1]]))[2]] for line in lines]


class Profile(Case):
    def setUp(self):
        super().setUp()
        self.out = self.dir / "out"
        self.out.mkdir()

    def fails(self, *argv, says, code=1):
        done = self.run_program(*argv)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(says, done.stderr.decode())
        self.assertEqual(list(self.out.iterdir()), [], "nothing half-written")

    def record(self, *argv):
        done = self.run_program(ORMA, "profile", "--per-process", "-o", self.out, *argv)
        if done.returncode and b"perf_event_paranoid" in done.stderr:
            self.skipTest("perf events of other processes are not allowed here")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def test_a_command_in_functions(self):
        listing = self.record("-f", "1000", "-k", "--", *BUSY)
        trace = self.out / "raw-trace"
        rows = self.query(trace, """
            SELECT pid, count(*) AS n FROM perf_sample JOIN thread USING (utid) JOIN process USING (upid)
            WHERE callsite_id IS NOT NULL GROUP BY upid ORDER BY n DESC""")
        self.assertGreater(len(rows), 0)
        told = dict(re.findall(r"profile\.(\d+)\.pb: (\d+) samples", listing))
        for row in rows:
            if sum(r["pid"] == row["pid"] for r in rows) == 1:
                self.assertEqual(told[row["pid"]], row["n"])
        self.assertEqual(self.one(trace, """
            SELECT count(*) FROM stats WHERE severity IN ('error', 'data_loss') AND value != 0
            AND name != 'config_write_into_file_no_flush'"""), "0")

    def test_without_samples_nothing_is_left(self):
        """One sample a second: a moment has none, unless it happens to be the one."""
        temporary = self.dir / "tmp"
        temporary.mkdir()
        self.env["TMPDIR"] = str(temporary)
        for _ in range(5):
            done = self.run_program(ORMA, "profile", "-f", "1", "--", "true")
            if not done.stdout:
                self.assertRegex(done.stderr, b"no samples: 'true' used [0-9.]+ ms of CPU time|perf_event_paranoid")
                self.assertEqual(list(temporary.iterdir()), [])
                return
        self.skipTest("there was a sample each time")

    def test_profiles_are_whole(self):
        self.record("-f", "1000", "-k", "--", *BUSY)
        files = sorted(self.out.glob("profile.*.pb"))
        self.assertGreater(len(files), 0)
        total = 0
        functions = set()
        for file in files:
            profile = Pprof(file.read_bytes())
            self.assertEqual(profile.strings[0], "")
            for locations, values in profile.samples:
                self.assertGreater(len(locations), 0)
                self.assertEqual(len(values), 1)
                total += values[0]
                for location in locations:
                    functions.update(profile.names(location))
        self.assertGreater(len(functions), 3)
        one = Pprof((self.out / "profile.pb").read_bytes())
        self.assertEqual(sum(values[0] for _, values in one.samples), total)
        for labels in one.labels:
            keys = {one.strings[label[1]] for label in labels}
            self.assertLessEqual({"pid", "tid", "thread"}, keys)

    def test_convert_makes_the_same_files(self):
        self.record("-f", "1000", "--", *BUSY)
        again = self.dir / "again"
        again.mkdir()
        self.env["PERFETTO_BINARY_PATH"] = "/"  # a recording knows that it is of this machine
        self.orma("convert", "--output-dir", again, "profile", self.out / "raw-trace")
        for file in self.out.glob("profile.*.pb"):
            self.assertEqual(file.read_bytes(), (again / file.name).read_bytes())
        pid = next(self.out.glob("profile.*.pb")).name.split(".")[1]
        shutil.rmtree(again)
        again.mkdir()
        self.orma("convert", "--pid", pid, "--output-dir", again, "profile", self.out / "raw-trace")
        self.assertEqual({f.name.split(".")[1] for f in again.iterdir()}, {pid})

    def test_the_config_is_printed(self):
        done = self.run_program(CPU_PROFILE, "--print-config", "-f", "250", "-d", "1500", "-k",
                                "-e", "HW_CACHE_MISSES", "-e", "HW_INSTRUCTIONS")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        for part in ("duration_ms: 1500", "frequency: 250", "counter: HW_CACHE_MISSES", "counter: HW_INSTRUCTIONS",
                     "kernel_frames: true", 'name: "linux.perf"'):
            self.assertIn(part, text)
        config = self.dir / "c.pbtxt"
        config.write_text(text)
        explained = self.orma("record", "--explain", "-c", config).stdout.decode()
        self.assertIn("HW_CACHE_MISSES", explained)

    def test_names(self):
        sleeper = self.start("sleep", "1000")
        done = self.run_program(CPU_PROFILE, "--print-config", "-n", "sleep")
        self.assertIn(b'target_cmdline: "sleep"', done.stdout)
        done = self.run_program(CPU_PROFILE, "--print-config", "-p", "-n", "nobody-has-this-name,slee")
        self.assertIn(b'target_cmdline: "sleep"', done.stdout)
        self.assertIsNone(sleeper.poll())
        self.fails(CPU_PROFILE, "-n", "nobody-has-this-name", "-o", self.out, says="no running process is named")

    def test_wrong_usage(self):
        for argv, says in (["-f", "0"], "samples a second"), (["-e", "HW_MAGIC"], "unknown event"), \
                (["-p"], "needs --name"), (["-c", "x", "-k"], "-c can be combined only"), (["sleep"], "follows '--'"):
            self.fails(CPU_PROFILE, *argv, says=says, code=2)
        self.fails(CPU_PROFILE, "-o", self.dir / "missing" / "too", says="must exist")
        full = self.dir / "full"
        full.mkdir()
        (full / "file").write_text("precious")
        self.fails(CPU_PROFILE, "-o", full, says="not empty")
        self.assertEqual([f.name for f in full.iterdir()], ["file"])


if __name__ == "__main__":
    main()
