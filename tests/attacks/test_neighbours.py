"""Another user was first in /tmp: nobody's programs trust his sockets, nor write or kill by his files.

Each test runs in a mount namespace of its own, with an empty /tmp and /run, so it needs root.
"""
import shutil

from attack import *

PRELUDE = """
mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -t tmpfs -o mode=755 tmpfs /run || exit 77
unset XDG_RUNTIME_DIR TMPDIR PERFETTO_PRODUCER_SOCK_NAME PERFETTO_CONSUMER_SOCK_NAME
N="setpriv --reuid=12345 --regid=12345 --clear-groups"; B=/mnt/bin; cd /tmp
"""


@unittest.skipIf(os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"),
                 "acting as two users with a /tmp of their own needs root, unshare and setpriv")
class Neighbours(Attack):
    def in_a_world(self, script):
        bind = f"mkdir -p /mnt && mount -t tmpfs tmpfs /mnt && mkdir /mnt/bin && mount --bind {BUILD}/tools /mnt/bin || exit 77\n"
        links = "mkdir /mnt/as && for n in traced traced_probes perfetto trace_processor_shell; do ln -s /mnt/bin/orma /mnt/as/$n; done\n"
        done = self.run_program("unshare", "-m", "--propagation", "private", "bash", "-c", bind + links + PRELUDE + script,
                                stdin=subprocess.DEVNULL)
        if done.returncode == 77:
            self.skipTest("no mount namespace can be made here")
        return done.stdout.decode() + done.stderr.decode()

    def test_sockets_of_another_user(self):
        """Without /run/perfetto the service's places are in /tmp, where anybody may listen."""
        said = self.in_a_world("""
            $N /mnt/as/traced --set-socket-permissions :0777::0777 & E=$!
            while [ ! -S /tmp/perfetto-consumer ]; do sleep 0.05; done
            /mnt/as/traced_probes 2>/tmp/probes.log & P=$!
            for i in $(seq 100); do grep -q "is not used" /tmp/probes.log && break; sleep 0.05; done
            echo "probes: $(cat /tmp/probes.log)"; kill $P
            echo "status: $($B/orma status 2>&1)"
            echo "perfetto: $(/mnt/as/perfetto -t 100ms -o /tmp/x 2>&1)"
            echo "record: $($B/orma record -t 200ms -o /tmp/root.pftrace cpu 2>&1); code $?"
            $N $B/orma status | grep -c "traced_probes" | sed 's/^/probes seen: /'
            kill $E; wait""")
        for who in ("probes", "status", "perfetto", "record"):
            self.assertRegex(said, f"{who}: .*a program of another user, which is not trusted, listens there", said)
        self.assertIn("code 0", said)  # by a private service
        self.assertIn("probes seen: 0", said)

    def test_ones_own_sockets_in_tmp(self):
        said = self.in_a_world("""
            $N /mnt/as/traced & E=$!
            while [ ! -S /tmp/perfetto-consumer ]; do sleep 0.05; done
            echo "own: $($N $B/orma status 2>&1 | head -1)"
            kill $E; wait""")
        self.assertIn("own: SERVICE", said)

    def test_the_folder_of_servers(self):
        """/tmp/perfetto of another user: no file there is written, no process that it names is killed."""
        said = self.in_a_world("""
            echo '{"traceEvents":[]}' > /run/t.json; echo precious > /run/precious; sleep 100 & V=$!
            $N sh -c "mkdir -m 755 /tmp/perfetto && ln -s /run/precious /tmp/perfetto/work.pid && echo $V > /tmp/perfetto/victim.pid"
            $N python3 -c "import socket,time; s=socket.socket(socket.AF_UNIX); s.bind('/tmp/perfetto/victim.sock'); s.listen(5); time.sleep(20)" & L=$!
            while [ ! -S /tmp/perfetto/victim.sock ]; do sleep 0.05; done
            timeout 5 /mnt/as/trace_processor_shell server unix --name work /run/t.json; echo "named: $?"
            timeout 5 /mnt/as/trace_processor_shell server kill victim; echo "kill: $?"
            timeout 5 /mnt/as/trace_processor_shell server kill /tmp/perfetto/victim.sock; echo "kill by path: $?"
            echo "file: $(cat /run/precious)"
            kill -0 $V && echo "victim lives"; kill -0 $L && echo "listener lives"; kill $V $L; wait""")
        for text in ("named: 1", "kill: 1", "kill by path: 1", "file: precious", "victim lives", "listener lives"):
            self.assertIn(text, said)
        self.assertIn("belongs to another user", said)

    def test_the_pid_file(self):
        """By a path in a folder of others: what lies where the pid goes is not followed; the server ends by `kill`."""
        said = self.in_a_world("""
            echo '{"traceEvents":[]}' > /run/t.json; echo precious > /run/precious; ln -s /run/precious /tmp/s.pid
            /mnt/as/trace_processor_shell server unix --path /tmp/s.sock /run/t.json & S=$!
            while [ ! -s /tmp/s.pid ] || [ -L /tmp/s.pid ]; do sleep 0.05; kill -0 $S || break; done
            echo "mode: $(stat -c %a /tmp/s.sock)"
            /mnt/as/trace_processor_shell server kill /tmp/s.sock; echo "kill: $?"
            wait $S; echo "file: $(cat /run/precious)"; ls /tmp
            /mnt/as/trace_processor_shell server unix --daemonize --name d /run/t.json
            /mnt/as/trace_processor_shell server kill d; echo "daemon: $?"; wait""")
        for text in ("mode: 600", "kill: 0", "file: precious", "daemon: 0"):
            self.assertIn(text, said)
        self.assertNotIn("s.pid", said.split("file: precious")[1])

    def test_the_run_time_folder_of_another_user(self):
        """su and sudo -E keep XDG_RUNTIME_DIR: its owner puts links in the place of folders that root makes there."""
        said = self.in_a_world("""
            mkdir -m 700 /tmp/run; chown 12345 /tmp/run; mkdir /run/precious
            for n in lock producer.sock consumer.sock work.pid; do echo kept > /run/precious/$n; done
            export XDG_RUNTIME_DIR=/tmp/run
            $B/orma record --private --allow-unknown -t 1500ms -o /run/t.pftrace cpu & R=$!
            for i in $(seq 60); do $N sh -c 'cd /tmp/run; for n in *; do
                [ -e "$n" ] && [ ! -L "$n" ] && mv "$n" ".$n" && ln -s /run/precious "$n"; done'; sleep 0.02; done
            wait $R
            echo '{"traceEvents":[]}' > /run/t.json
            timeout 2 /mnt/as/trace_processor_shell server unix --name work /run/t.json & S=$!
            for i in $(seq 60); do $N sh -c 'cd /tmp/run; [ -d perfetto ] && [ ! -L perfetto ] && mv perfetto .p && ln -s /run/precious perfetto'
                sleep 0.02; done
            wait $S
            $B/orma status --repair
            for n in lock producer.sock consumer.sock work.pid; do cat /run/precious/$n; done; ls /run/precious""")
        self.assertEqual(said.count("kept"), 4, said)
        self.assertIn("consumer.sock\nlock\nproducer.sock\nwork.pid\n", said)

    def test_links_to_descriptors(self):
        """A link of another user where root writes: it would choose among what root has open."""
        said = self.in_a_world("""
            for target in /proc/self/fd/3 /dev/fd/3 /dev/stdout /proc/self/fd/2; do
                echo precious-precious > /run/open
                $N ln -sfn $target /tmp/t.pftrace; [ $target = /dev/fd/3 ] && $N ln -sfn /dev/fd/3 /tmp/t.pftrace
                $B/orma record --private --allow-unknown -t 100ms -o /tmp/t.pftrace cpu 3<>/run/open >/run/out 2>/run/err
                echo "$target: code $? $(head -c 17 /run/open | tr -cd a-z-) $(stat -c %s /run/out)"
            done
            ln -s /proc/self/fd/3 /run/ours
            $B/orma record --private --allow-unknown -t 100ms -o /run/ours cpu 3>/run/open >/run/out 2>/run/err
            echo "ours: code $? $(stat -c %s /run/open)" """)
        self.assertEqual(said.count(" precious-precious 0\n"), 4, said)
        self.assertNotIn("code 0 precious", said)
        self.assertRegex(said, "ours: code [01] [1-9]")


if __name__ == "__main__":
    unittest.main()
