"""What `perfetto` does with sessions of our own service: detach, attach, clone, triggers."""
import re

from orma_env import *

PERFETTO = BUILD / "compat/perfetto"
TRIGGER = BUILD / "compat/trigger_perfetto"
CONFIG = 'buffers { size_kb: 1024 }\ndata_sources { config { name: "track_event" } }\n'


class Sessions(Case):
    def setUp(self):
        super().setUp()
        self.start_traced()

    def perfetto(self, *argv, code=0, says="", **more):
        done = self.run_program(PERFETTO, *argv, **more)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{argv}\n{text}")
        self.assertIn(says, text)
        return done

    def config(self, text, name="config.pbtxt"):
        path = self.dir / name
        path.write_text(text)
        return path

    def state(self):
        return self.perfetto("--query").stdout.decode().partition("SESSIONS: ")[2]

    def wait_for_session(self, name=""):
        self.wait_for("the session", lambda: "STARTED" in self.state() and name in self.state())

    def wait_for_none(self):
        self.wait_for("the end of all sessions", lambda: "STARTED" not in self.state())

    def session_id(self):
        m = re.search(r"^\s*(\d+)\s.*STARTED|STARTED.*?\s(\d+)\s", self.state(), re.M)
        return next(filter(None, m.groups()))

    def demo(self):
        """A program that is recorded, to its end."""
        self.assertEqual(self.run_program(DEMO, "--threads", "2", "--iterations", "200").returncode, 0)

    def slices(self, path):
        return int(self.one(self.dir / path, "SELECT count(*) FROM slice"))


class Detached(Sessions):
    STREAM = CONFIG + "write_into_file: true file_write_period_ms: 200\n"

    def detach(self, key="k", more=""):
        self.perfetto("-c", self.config(self.STREAM + more), "--txt", "-o", "t", "--detach", key)

    def test_from_detach_to_stop(self):
        self.perfetto("--is_detached", "k", code=2)
        self.detach()
        self.perfetto("--is_detached", "k")
        self.perfetto("--is_detached", "other", code=2)
        self.demo()
        self.perfetto("--attach", "k", "--stop")
        self.perfetto("--is_detached", "k", code=2)
        self.wait_for_none()
        self.assertGreater(self.slices("t"), 100)

    def test_attach_waits_for_the_end(self):
        self.detach(more="duration_ms: 4000")
        self.demo()
        self.perfetto("--attach", "k", says="service has written")
        self.assertGreater(self.slices("t"), 100)

    def test_the_session_lives_without_its_client_and_ends_by_itself(self):
        self.detach(more="duration_ms: 600")
        self.wait_for_none()
        self.assertGreater((self.dir / "t").stat().st_size, 100)

    def test_a_key_that_is_taken_or_unknown(self):
        self.detach()
        done = self.perfetto("-c", self.config(self.STREAM), "--txt", "-o", "t2", "--detach", "k", code=1)
        self.assertIn(b"cannot detach", done.stderr)
        self.perfetto("--attach", "other", code=2, says="no detached session has the key 'other'")
        self.perfetto("--attach", "k", "--stop")


class Cloned(Sessions):
    def record(self, more=""):
        p = self.start(PERFETTO, "-c", self.config(CONFIG + 'unique_session_name: "mine" bugreport_score: 5\n' + more),
                       "--txt", "-o", "whole", stderr=subprocess.PIPE)
        self.wait_for_session("mine")
        self.demo()
        return p

    def test_by_number_by_name_and_for_a_report(self):
        p = self.record()
        for n, argv in enumerate((["--clone", self.session_id()], ["--clone-by-name", "mine"], ["--clone-for-bugreport"])):
            self.perfetto(*argv, "-o", f"part{n}", says="Wrote ")
            self.assertGreater(self.slices(f"part{n}"), 100)
        p.send_signal(signal.SIGINT)
        err = p.communicate(timeout=30 * SLOW)[1]
        self.assertEqual(p.returncode, 0, err)
        self.assertGreater(self.slices("whole"), 100, "a clone takes nothing away")

    def test_what_is_not_there(self):
        (self.dir / "old").write_bytes(b"precious")
        self.perfetto("--clone", "99", "-o", "x", code=1, says="the snapshot failed")
        self.perfetto("--clone-by-name", "nobody", "-o", "x", code=1, says="the snapshot failed")
        self.assertFalse((self.dir / "x").exists())
        self.perfetto("--clone", "99", "-o", "old", "--no-clobber", code=1, says="File exists")
        self.assertEqual((self.dir / "old").read_bytes(), b"precious")


class Triggered(Sessions):
    def triggers(self, mode, timeout_ms, name="now"):
        return (f'trigger_config {{ trigger_mode: {mode} trigger_timeout_ms: {timeout_ms} '
                f'triggers {{ name: "{name}" stop_delay_ms: 100 }} }}\n')

    def fire(self, *names):
        self.assertEqual(self.run_program(TRIGGER, *names).returncode, 0)

    def start_session(self, text):
        p = self.start(PERFETTO, "-c", self.config(CONFIG + text), "--txt", "-o", "t", stderr=subprocess.PIPE)
        self.wait_for("the session", lambda: "0, of these 0" not in self.state())
        return p

    def finish(self, p):
        err = p.communicate(timeout=60 * SLOW)[1].decode()
        self.assertEqual(p.returncode, 0, err)
        return err

    def test_one_that_ends_it(self):
        p = self.start_session(self.triggers("STOP_TRACING", 60000))
        self.wait_for_session()
        self.demo()
        self.fire("other", "now")
        self.finish(p)
        self.assertGreater(self.slices("t"), 100)

    def test_one_that_begins_it(self):
        p = self.start_session(self.triggers("START_TRACING", 60000))
        self.assertIn("CONFIGURED", self.state())
        self.fire("other")
        self.assertIn("CONFIGURED", self.state())
        self.fire("now")
        self.finish(p)
        self.assertEqual(self.one(self.dir / "t", "SELECT count(*) > 0 FROM metadata"), "1")

    def test_one_that_takes_snapshots(self):
        p = self.start_session(self.triggers("CLONE_SNAPSHOT", 60000))
        self.wait_for_session()
        self.demo()
        for n in range(2):
            self.fire("now")
            self.wait_for("the snapshot", lambda: (self.dir / f"t.{n}").exists() and self.whole(self.dir / f"t.{n}"))
        p.send_signal(signal.SIGINT)
        err = self.finish(p)
        self.assertIn("t.0", err)
        self.assertGreater(self.slices("t.0"), 100)
        self.assertFalse((self.dir / "t").exists(), "the session has no file of its own")

    def whole(self, path):
        done = self.run_program(SHELL, "-Q", "SELECT count(*) FROM slice", path)
        return done.returncode == 0 and int(done.stdout.split()[-1]) > 100

    def test_a_config_that_fires(self):
        p = self.start_session(self.triggers("STOP_TRACING", 60000))
        self.wait_for_session()
        self.perfetto("-c", self.config('activate_triggers: "now"', "fire.pbtxt"), "--txt")
        self.finish(p)


if __name__ == "__main__":
    main()
