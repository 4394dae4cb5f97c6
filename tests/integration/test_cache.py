"""The second opening of a trace: from an image in the user's cache, with the same answers."""
import mmap
import random
import re
import shutil
import stat

from orma_env import *

SQL = "SELECT count(*), sum(dur), min(name) FROM slice; SELECT count(*), sum(int_value) FROM args"


def trace_text(slices):
    """JSON, so that a test can write and change it."""
    events = (f'{{"ph":"X","pid":1,"tid":{i % 9},"ts":{i * 10},"dur":5,"name":"n{i % 77}","args":{{"a":{i % 1000}}}}}'
              for i in range(slices))
    return '{"traceEvents":[' + ",\n".join(events) + "]}"


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.dir / "xdg/orma"
        del self.env["ORMA_CACHE"]
        self.env.update(XDG_CACHE_HOME=str(self.dir / "xdg"), ORMA_CACHE_LOG="1")
        self.trace = self.dir / "t.json"
        self.write(trace_text(2000))

    def write(self, text):
        self.trace.write_text(text)
        time.sleep(0.15)  # a file that was changed a moment ago is not trusted

    def images(self, folder=None):
        folder = folder or self.folder
        return sorted(p for p in folder.glob("[0-9a-f]*.orma")) if folder.is_dir() else []

    def ask(self, *options, taken, path=None):
        """The answer; from the cache, or not."""
        done = self.orma("query", "--format=plain", *options, path or self.trace, SQL)
        self.assertEqual("taken instead" in done.stderr.decode(), taken, done.stderr.decode())
        return done.stdout

    def fill(self, *options, folder=None, num=1):
        answer = self.ask(*options, taken=False)
        self.wait_for("the image", lambda: len(self.images(folder)) >= num, 30)
        return answer

    def here(self):
        """The option that keeps even what loads fast."""
        return f"--cache={self.folder}"

    def test_the_second_time(self):
        first = self.fill(self.here())
        image, = self.images()
        self.assertEqual(stat.S_IMODE(image.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.folder.stat().st_mode), 0o700)
        self.assertEqual(self.ask(self.here(), taken=True), first)
        self.assertEqual(self.ask(taken=True), first, "auto is that folder")
        self.assertEqual(self.ask("--cache=off", taken=False), first)
        self.assertEqual(self.images(), [image])

    def test_a_kernel_trace(self):
        """Args of its events are read from the trace when somebody asks: here from the image."""
        switches = "".join(
            f"event {{ timestamp: {1000 + 700 * i} pid: {10 + i % 3} sched_switch {{ prev_comm: \"t{i % 3}\" prev_pid: {10 + i % 3} "
            f"prev_state: 1 next_comm: \"t{(i + 1) % 3}\" next_pid: {10 + (i + 1) % 3} next_prio: {i % 140} }} }}\n"
            for i in range(3000))
        text = "".join(f"packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: {cpu} {switches} }} }}\n" for cpu in (0, 1))
        self.write(text)
        trace = self.dir / "k.pftrace"
        self.orma("convert", "binary", self.trace, trace)
        time.sleep(0.15)
        sql = "SELECT count(*), sum(extract_arg(arg_set_id, 'next_prio')) FROM ftrace_event; SELECT count(*) FROM args"
        answers = []
        for taken in (False, True):
            done = self.orma("query", "--format=plain", self.here(), trace, sql)
            self.assertEqual("taken instead" in done.stderr.decode(), taken, done.stderr.decode())
            answers.append(done.stdout)
            self.wait_for("the image", self.images, 30)
        self.assertEqual(*answers)
        self.assertIn(b"6000", answers[0])

    def test_slow_loads_only(self):
        self.ask(taken=False)
        time.sleep(0.5)
        self.assertEqual(self.images(), [], "it loads fast")

    def test_every_command(self):
        self.fill(self.here())
        for argv in (["stats", "-a"], ["report", "--cache=auto"], ["diff", self.trace], ["export", "-o", "o.db"],
                     ["view", "-o", "v.html"], ["convert", "json"]):
            with self.subTest(argv=argv[0]):
                done = self.run_program(ORMA, *argv, self.trace)
                self.assertIn(b"taken instead", done.stderr, done.stderr)
        done = self.run_program(SHELL, "-Q", SQL, self.trace)
        self.assertNotIn(b"taken instead", done.stderr, "compatible names have none unless asked")
        self.env["ORMA_CACHE"] = "auto"
        self.assertIn(b"taken instead", self.run_program(SHELL, "-Q", SQL, self.trace).stderr)

    def test_a_changed_trace(self):
        self.fill(self.here())
        for text in (trace_text(2001), trace_text(2000), trace_text(2000).replace("n5", "m5")):
            self.write(text)
            expected = self.ask("--cache=off", taken=False)
            have = len(self.images())
            self.assertEqual(self.fill(self.here(), num=have + 1), expected)
            self.assertEqual(self.ask(self.here(), taken=True), expected)
        before = self.trace.stat()
        text = self.trace.read_text()
        self.write(text.replace("m5", "k5"))  # of equal length, with the times of before
        os.utime(self.trace, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(self.ask(self.here(), taken=False), self.ask("--cache=off", taken=False))

    def change_in_mapping(self, memory):
        """Away from the ends and from any 64th of it, where a large file is looked at."""
        at = memory.find(b'"dur":5', len(memory) // 128 * 65)
        memory[at:at + 7] = b'"dur":6'

    def test_a_trace_that_is_changed_again_in_a_mapping(self):
        """On a disk, the times see the first write to a page, and no other until it was written back."""
        self.write(trace_text(40000))
        with open(self.trace, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            self.change_in_mapping(memory)
            time.sleep(0.15)
            self.fill(self.here())
            self.change_in_mapping(memory)
            self.assertEqual(self.ask(self.here(), taken=False), self.ask("--cache=off", taken=False))

    def test_a_trace_that_is_changed_in_memory(self):
        """On a file system in memory nobody notes when a page that somebody has mapped is written."""
        disk = self.dir / "disk"
        disk.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "none", str(disk)], capture_output=True)
        if done.returncode:
            self.skipTest("no file systems can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=True)
        self.trace = disk / "t.json"
        self.write(trace_text(40000))
        size = self.trace.stat().st_size
        self.assertGreater(size, 2 << 20)
        with open(self.trace, "r+b") as file, mmap.mmap(file.fileno(), size) as memory:
            self.fill(self.here())
            before = self.trace.stat()
            self.change_in_mapping(memory)
            self.assertEqual(self.trace.stat().st_mtime_ns, before.st_mtime_ns, "or there would be nothing to test")
            self.assertEqual(self.ask(self.here(), taken=False), self.ask("--cache=off", taken=False))
            # Four words are hashed side by side: none of them is left out.
            lanes = {digit.start() // 8 % 4: digit.start() for digit in re.finditer(rb'(?<="dur":)5', memory)}
            self.assertEqual(len(lanes), 4)
            for at in lanes.values():
                memory[at] += 1
                self.ask(self.here(), taken=False)
                memory[at] -= 1

    def test_another_build(self):
        other = self.dir / "orma"
        data = bytearray(ORMA.read_bytes())
        notes = subprocess.run(["readelf", "-n", ORMA], capture_output=True, text=True).stdout
        if "Build ID: " not in notes:
            self.skipTest("no build id, or no readelf")
        build_id = bytes.fromhex(notes.split("Build ID: ")[1].split()[0])
        at = data.index(build_id)
        data[at] ^= 1
        other.write_bytes(data)
        other.chmod(0o755)
        first = self.fill(self.here())
        done = self.run_program(other, "query", "--format=plain", self.here(), self.trace, SQL)
        self.assertNotIn(b"taken instead", done.stderr)
        self.assertEqual(done.stdout, first)
        self.wait_for("an image of the other", lambda: len(self.images()) == 2, 30)

    def test_damaged_images(self):
        first = self.fill(self.here())
        image, = self.images()
        good, rand = image.read_bytes(), random.Random(1)

        def bad(data):
            image.write_bytes(data)
            done = self.orma("query", "--format=plain", self.here(), self.trace, SQL)
            self.assertEqual(done.stdout, first)
            self.assertIn("deleted", done.stderr.decode())
            self.wait_for("a new image", lambda: image.exists() and image.read_bytes()[:8] == good[:8], 30)

        bad(b"")
        bad(b"\0" * len(good))
        bad(good[:len(good) // 2])
        bad(good + b"more")
        for _ in range(3):
            turned = bytearray(good)
            turned[rand.randrange(4096, len(good))] ^= 1 << rand.randrange(8)
            image.write_bytes(turned)
            done = self.orma("query", "--format=plain", self.here(), self.trace, SQL)
            self.assertEqual(done.stdout, first)
            self.wait_for("an image", image.exists, 30)

    def test_files_of_others(self):
        first = self.fill(self.here())
        image, = self.images()
        kept = self.dir / "elsewhere"
        shutil.copy(image, kept)
        image.unlink()
        image.symlink_to(kept)
        self.assertEqual(self.ask(self.here(), taken=False), first)
        self.assertTrue(kept.exists(), "links are not followed")
        self.wait_for("an image", lambda: image.exists() and not image.is_symlink(), 30)
        image.chmod(0o644)
        self.assertEqual(self.ask(self.here(), taken=False), first)
        self.wait_for("an image", lambda: image.exists() and not image.stat().st_mode & 0o77, 30)
        self.folder.chmod(0o777)
        self.assertEqual(self.ask(self.here(), taken=False), first)
        self.folder.chmod(0o700)
        self.assertEqual(self.ask(self.here(), taken=True), first)

    def test_several_at_once(self):
        expected = self.ask("--cache=off", taken=False)
        many = [self.start(ORMA, "query", "--format=plain", self.here(), self.trace, SQL,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(6)]
        for p in many:
            self.assertEqual(p.communicate(timeout=60 * SLOW)[0], expected)
        self.wait_for("the image", self.images, 30)
        time.sleep(0.3)
        self.assertEqual(len(list(self.folder.iterdir())), 1, "nothing is left over")
        self.assertEqual(self.ask(self.here(), taken=True), expected)

    def test_least_recently_used_goes(self):
        self.env["ORMA_CACHE_LIMIT"] = "250kb"
        own = [self.folder / "mine.orma", self.folder / ".new-things"]
        self.folder.mkdir(mode=0o700, parents=True)
        for path in own:
            path.write_bytes(bytes(300 << 10))
        traces = []
        for i in range(6):
            trace = self.dir / f"t{i}.json"
            trace.write_text(trace_text(2000 + i))
            traces.append(trace)
        time.sleep(0.15)
        for i, trace in enumerate(traces):
            self.ask(self.here(), taken=False, path=trace)
            self.wait_for("its image", lambda: self.is_kept(trace), 30)
            if i:
                self.ask(self.here(), taken=True, path=traces[0])  # it is used all the time
            self.assertLessEqual(sum(p.stat().st_size for p in self.images()), 250 << 10)
        self.ask(self.here(), taken=False, path=traces[1])
        self.assertTrue(all(path.exists() for path in own), "other files are not ours to delete")

    def is_kept(self, trace):
        return b"taken instead" in self.orma("query", self.here(), trace, "SELECT 1").stderr

    def test_places_that_cannot_be_written(self):
        expected = self.ask("--cache=off", taken=False)
        for place in ("/proc/orma", "/dev/null/x", str(self.trace / "x")):
            self.assertEqual(self.ask(f"--cache={place}", taken=False), expected)
        self.env["ORMA_CACHE_LIMIT"] = "4k"
        self.ask(self.here(), taken=False)
        time.sleep(0.5)
        self.assertEqual(self.images(), [], "larger than the limit")
        done = self.orma("query", "--cache=on", self.trace, SQL, code=1)
        self.assertIn(b"expected auto, off, or a folder", done.stderr)
        self.env["ORMA_CACHE_LIMIT"] = "4 sheep"
        done = self.orma("query", self.here(), self.trace, SQL, code=1)
        self.assertIn(b"ORMA_CACHE_LIMIT=4 sheep: expected a size", done.stderr)
        self.env.pop("ORMA_CACHE_LIMIT")
        self.env.pop("XDG_CACHE_HOME")
        self.env.pop("HOME", None)
        self.ask(taken=False)

    def test_a_full_disk(self):
        disk = self.dir / "disk"
        disk.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k,mode=700", "none", str(disk)], capture_output=True)
        if done.returncode:
            self.skipTest("no file systems can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=True)
        self.assertEqual(self.ask(f"--cache={disk}", taken=False), self.ask("--cache=off", taken=False))
        time.sleep(0.5)
        self.assertEqual(list(disk.iterdir()), [])

    def test_nobody_waits_for_the_writer(self):
        """Its end of a pipe is closed, and it has no open files of ours."""
        done = self.run_program("sh", "-c", f"{ORMA} query {self.here()} {self.trace} 'SELECT 1' | cat", timeout=20)
        self.assertEqual(done.returncode, 0)
        self.wait_for("the image", self.images, 30)


if __name__ == "__main__":
    main()
