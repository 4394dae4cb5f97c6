"""Traces that grow: what --follow answers is what a load of the bytes so far says."""
import random
import re

from growing import *
from orma_env import *

MOMENTS = int(os.environ.get("ORMA_FOLLOW_MOMENTS", "60"))
SQL = """SELECT count(*), sum(dur), min(ts), max(ts), sum(track_id), sum(depth), count(DISTINCT name), sum(dur = -1) FROM slice;
SELECT name, count(*), sum(dur) FROM slice GROUP BY name ORDER BY name;
SELECT tid, name FROM thread ORDER BY tid;
SELECT a.id, b.id FROM slice a JOIN slice b ON b.parent_id = a.id WHERE a.id % 97 = 0;
SELECT name, idx, value FROM stats WHERE value <> 0 AND name NOT LIKE '%duration%' ORDER BY name, idx"""
HEAD = re.compile(r"^orma query: growing: answer (\d+) of (\d+) bytes \([^)]*\), [^,\n]*(?:, complete up to ([^;\n]*))?(; the recording has ended)?$",
                  re.M)


class Follow(Case):
    def follow(self, *options, sql=SQL, name="growing"):
        return self.start(ORMA, "query", "--follow", *options, name, sql, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def answers(self, text):
        """bytes, watermark, whether it is the last, rows"""
        heads = list(HEAD.finditer(text))
        ends = [h.start() for h in heads[1:]] + [len(text)]
        return [(int(h[2]), h[3], bool(h[4]), text[h.end() + 1:end]) for h, end in zip(heads, ends)]

    def test_answers_are_those_of_the_bytes_so_far(self):
        dice = random.Random(36)
        data = b"".join(trace(36, 200 * MOMENTS))
        path = self.dir / "growing"
        path.write_bytes(data[:1])  # not even one packet
        said = self.dir / "said"  # a pipe would hold it up
        with said.open("wb") as f:
            p = self.start(ORMA, "query", "--follow", "--every", "50ms", path.name, SQL, stdout=f, stderr=f)
        at, step = 1, 2 * len(data) // MOMENTS
        with path.open("ab") as f:
            while at < len(data):
                n = dice.randrange(1, step)
                f.write(data[at:at + n])  # ends anywhere in a packet
                f.flush()
                at += n
                time.sleep(0.1 * SLOW)
        self.assertEqual(p.wait(60 * SLOW), 0, said.read_text()[-2000:])
        answers = self.answers(said.read_text())
        self.assertGreater(len(answers), MOMENTS // 3)
        self.assertEqual(answers[-1][0], len(data))
        self.assertTrue(answers[-1][2])
        marks = 0
        for size, mark, _, rows in answers:
            (self.dir / "prefix").write_bytes(data[:size])
            self.assertEqual(rows, self.orma("query", "prefix", SQL).stdout.decode(), size)
            marks += mark is not None
        self.assertGreater(marks, len(answers) // 2)

    def test_the_watermark_is_where_the_last_flush_began(self):
        packets = trace(1, 2000, end=False)
        path = self.dir / "growing"
        for cut in range(500, len(packets), 311):
            path.write_bytes(b"".join(packets[:cut]))
            began = done = mark = 0
            for p in packets[:cut]:
                if p.endswith(blob(69, num(FLUSH_BEGAN, 1))):
                    began = time_of(p)
                if p.endswith(blob(69, num(FLUSHED, 1))):
                    done = began
                if p.endswith(blob(69, num(READ, 1))):
                    mark = done
            p = self.follow("--every", "50ms", sql="SELECT start_ts FROM trace_bounds")
            lines = [p.stdout.readline().decode() for _ in range(3)]
            self.end(p)
            _, text, _, _ = self.answers(lines[0])[0]
            self.assertEqual(text is not None, mark > 0, lines)
            if mark:
                value, unit = text.split()
                ns = float(value) * {"us": 1e3, "ms": 1e6, "s": 1e9}[unit]
                self.assertAlmostEqual(ns, mark - int(lines[2]), delta=ns * 0.1 + 1e5)

    def test_a_flush_that_was_given_up_is_no_watermark(self):
        t = BOOTTIME0
        for seconds, more in (6, ()), (2, (num(90001, 1),)):  # it took too long, or the service says so
            packets = trace(2, 300, end=False, marks=False) + [
                service(t + 10**9, FLUSH_BEGAN), service(t + (1 + seconds) * 10**9, FLUSHED, *more), service(t + 7 * 10**9, READ)]
            (self.dir / "growing").write_bytes(b"".join(packets))
            p = self.follow(sql="SELECT 1")
            line = p.stdout.readline().decode() + p.stdout.readline().decode()
            self.end(p)
            self.assertIn("answer 1", line)
            self.assertNotIn("complete", line)

    def test_a_file_that_is_cut_or_replaced_is_read_anew(self):
        path = self.dir / "growing"
        path.write_bytes(b"".join(trace(3, 3000, end=False)))
        p = self.follow("--every", "50ms", sql="SELECT count(*) AS n FROM slice WHERE name <> ''")
        os.set_blocking(p.stdout.fileno(), False)
        seen = ""

        def says(text):
            nonlocal seen
            seen += (p.stdout.read() or b"").decode()
            return text in seen

        self.wait_for("the first answer", lambda: says("answer 1"))
        short = b"".join(trace(4, 100, end=False))
        path.write_bytes(short)
        self.wait_for("the cut file", lambda: says("cut or replaced") and says(f"of {len(short)} bytes"))
        seen = ""
        other = self.dir / "other"
        other.write_bytes(b"".join(trace(5, 4000)))
        other.rename(path)
        self.wait_for("the other file", lambda: says("cut or replaced") and says("the recording has ended"))
        self.assertEqual(p.wait(10 * SLOW), 0)

    def test_what_cannot_be_followed(self):
        os.mkfifo(self.dir / "pipe")
        (self.dir / "text").write_text("{}")
        (self.dir / "growing").write_bytes(b"".join(trace(6, 10)))
        for name, what in (("pipe", "only files that grow"), ("text", "only traces of packets"), ("nothing", "no session: no service answers")):
            self.assertIn(what, self.orma("query", "--follow", name, "SELECT 1", code=1).stderr.decode())
        for options, what in ((["--every", "1s"], "needs --follow"), (["--follow", "--every", "1ms"], "bad time"),
                              (["--follow", "text"], "needs one file")):
            self.assertIn(what, self.orma("query", *options, "growing", "SELECT 1", code=2).stderr.decode())
        self.assertIn("no such table", self.orma("query", "--follow", "growing", "SELECT * FROM nowhere", code=1).stderr.decode())
        self.assertIn("cannot be combined", self.orma("report", "--follow", "--html=x", "growing", code=2).stderr.decode())

    def test_a_recording_is_followed_to_its_end(self):
        p = self.start(ORMA, "record", "--private", "--live", "-q", "-o", "growing", "apps", "--", DEMO, "--threads", "2",
                       "--iterations", "2000", stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.wait_for("the file", lambda: p.poll() is not None or (self.dir / "growing").exists() and (self.dir / "growing").stat().st_size)
        out, _ = self.follow("--every", "50ms", sql="SELECT count(*) AS n FROM slice").communicate(timeout=60 * SLOW)
        self.assertEqual(p.wait(30 * SLOW), 0, p.stderr.read())
        size, _, ended, rows = self.answers(out.decode())[-1]
        self.assertTrue(ended, out)
        self.assertEqual(size, (self.dir / "growing").stat().st_size)
        self.assertEqual(rows, self.orma("query", "growing", "SELECT count(*) AS n FROM slice").stdout.decode())
        done = self.orma("report", "--follow", "growing", "slices")  # of one that has ended: one answer
        self.assertIn("answer 1", done.stderr.decode())
        self.assertEqual(done.stdout, self.orma("report", "growing", "slices").stdout)

    def test_a_packed_recording_is_followed_to_its_end(self):
        (self.dir / "config").write_text("""buffers { size_kb: 4096 } data_sources { config { name: "track_event" } }
            write_into_file: true file_write_period_ms: 100 duration_ms: 1000 compression_type: COMPRESSION_TYPE_DEFLATE""")
        p = self.start(ORMA, "record", "--private", "-q", "-f", "-c", "config", "-o", "growing", stderr=subprocess.PIPE)
        self.wait_for("the file", lambda: p.poll() is not None or (self.dir / "growing").exists() and (self.dir / "growing").stat().st_size)
        out, _ = self.follow("--every", "50ms", sql="SELECT count(*) AS n FROM slice").communicate(timeout=30 * SLOW)
        self.assertEqual(p.wait(30 * SLOW), 0, p.stderr.read())
        size, ended = re.findall(r"of (\d+) bytes \([^)]*\), [^;\n]*(; the recording has ended)?\n", out.decode())[-1]
        self.assertTrue(ended, out)
        self.assertEqual(int(size), (self.dir / "growing").stat().st_size)

    def test_a_session_is_followed_to_its_end(self):
        self.start_traced()
        go = self.dir / "go"
        p = self.start(ORMA, "record", "-q", "--ring", "-o", "ring", "apps", "--", "sh", "-c",
                       f"{DEMO} --threads 2 --iterations 500 > /dev/null; until [ -e {go} ]; do sleep 0.05; done")
        name = f"orma-record-{p.pid}"
        self.wait_for("the session", lambda: name in self.orma("status").stdout.decode())
        follow = self.follow("--every", "100ms", name=name, sql="SELECT count(*) AS n FROM slice")
        last, end = "", time.monotonic() + 30 * SLOW
        while int((re.findall(r"^(\d+)$", last, re.M) or [0])[-1]) < 2 * 500 * 4 + 100:  # all that the demo writes
            last = follow.stdout.readline().decode()
            self.assertTrue(last and time.monotonic() < end, "it went on")
        go.touch()
        rest = follow.communicate(timeout=30 * SLOW)[0].decode()
        self.assertEqual(follow.returncode, 0, rest)
        self.assertEqual(p.wait(30 * SLOW), 0)
        self.assertEqual(last, self.orma("query", "ring", "SELECT count(*) AS n FROM slice").stdout.decode().split("\n")[1] + "\n")
        self.assertIn("no", self.orma("query", "--follow", "nobody", "SELECT 1", code=1).stderr.decode())

    def test_live_is_for_streams(self):
        self.assertIn("--live is for", self.orma("record", "--live", "--ring", code=2).stderr.decode())
        self.assertIn("write_flush_mode: WRITE_FLUSH_ENABLED", self.orma("record", "--live", "--explain", "apps").stdout.decode())


if __name__ == "__main__":
    main()
