"""Servers of ClickHouse on ports of their own, in a folder of the test; and a way in front of one that breaks when asked."""
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

PROGRAM = shutil.which("clickhouse-server") or shutil.which("clickhouse")
WHY_NOT = None if PROGRAM else "no server: Debian has it as clickhouse-server"

CONFIG = """<yandex>
 <logger><level>error</level><log>{dir}/log</log><errorlog>{dir}/errors</errorlog></logger>
 <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
 <path>{dir}/data/</path><tmp_path>{dir}/tmp/</tmp_path>
 <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
 <mark_cache_size>67108864</mark_cache_size>
 <remote_servers><fleet>{shards}</fleet></remote_servers>
 <dictionaries_config>*_dictionary.xml</dictionaries_config>
</yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """<yandex><profiles><default><enable_optimize_predicate_expression>1</enable_optimize_predicate_expression></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<guarded><password>a:b@c/d%</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></guarded></users>
<quotas><default/></quotas></yandex>
"""


def free_ports(num):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(num)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Server:
    def __init__(self, folder, http, tcp, cluster):
        self.dir, self.http, self.process = pathlib.Path(folder), http, None
        for name in ("data", "tmp"):
            (self.dir / name).mkdir(parents=True, exist_ok=True)
        shards = "".join(SHARD.format(port) for port in cluster)
        (self.dir / "config.xml").write_text(CONFIG.format(dir=self.dir, http=http, tcp=tcp, shards=shards))
        (self.dir / "users.xml").write_text(USERS)

    def start(self):
        argv = [PROGRAM] + ([] if PROGRAM.endswith("-server") else ["server"]) + [f"--config-file={self.dir}/config.xml"]
        with open(self.dir / "out", "ab") as out:
            self.process = subprocess.Popen(argv, stdout=out, stderr=out, cwd=self.dir, env=dict(os.environ, TZ="UTC"))
        for _ in range(1200):
            try:
                self.ask("SELECT 1")
                return self
            except OSError:
                if self.process.poll() is not None:
                    raise AssertionError((self.dir / "out").read_text(errors="replace")[-3000:]) from None
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def ask(self, sql, body=b"", **settings):
        """Rows as lists of texts."""
        query = urllib.parse.urlencode({"query": sql, **settings})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.http}/?{query}", data=body, timeout=60) as r:
                text = r.read().decode("utf-8", "surrogateescape")
        except urllib.error.HTTPError as e:
            raise AssertionError(f"{sql}: {e.read().decode(errors='replace')}") from None
        return [line.split("\t") for line in text.splitlines()]

    def number(self, sql):
        return int(self.ask(sql)[0][0])


def servers(folder, num):
    """So many servers that know each other as the cluster `fleet`."""
    ports = free_ports(2 * num)
    made = [Server(pathlib.Path(folder) / str(i), ports[i], ports[num + i], ports[num:]) for i in range(num)]
    return [s.start() for s in made]


class Way:
    """Passes on to a server; `verdict(head)` of each request says how: None (as it is), "cut" (in the middle of the request), "deaf" (the
    server gets all of it, the answer is lost), "refuse", "keep" (passed on, and in `kept` by table), or the bytes of an answer to give instead."""

    def __init__(self, port, tls=None):
        """`tls`: the context of who is talked to by TLS."""
        self.tls = tls
        self.to, self.verdict, self.kept = port, lambda head: None, {}
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(client,), daemon=True).start()

    def one(self, client):
        try:
            client = self.tls.wrap_socket(client, server_side=True) if self.tls else client
            with client, socket.create_connection(("127.0.0.1", self.to)) as server:
                self.passing(client, server)
        except OSError:
            pass

    def passing(self, client, server):
        client.settimeout(30)
        server.settimeout(30)
        request = bytearray()
        while not self.is_whole(request):
            data = client.recv(1 << 20)
            if not data:
                return
            request += data
        end = request.index(b"\r\n\r\n")
        text = urllib.parse.unquote_plus(request[:end].decode(errors="replace"))
        verdict = self.verdict(text)
        if verdict == "refuse":
            return
        if isinstance(verdict, bytes):
            client.sendall(verdict)
            return
        request[end:end] = b"\r\nConnection: close"  # so that the end of the answer is seen
        if verdict == "keep":
            self.kept.setdefault(text.partition("INSERT INTO ")[2].partition(" ")[0], []).append(bytes(request))
        if verdict == "cut":
            server.sendall(request[:end + 30 + (len(request) - end) // 2])
            return
        server.sendall(request)
        while data := server.recv(1 << 20):
            if verdict != "deaf":
                client.sendall(data)

    @staticmethod
    def is_whole(request):
        end = request.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(request[:end]).lower()
        if b"transfer-encoding: chunked" in head:
            return request.endswith(b"\r\n0\r\n\r\n")
        length = head.partition(b"content-length: ")[2].partition(b"\r")[0]
        return len(request) >= end + 4 + int(length or 0)

    def close(self):
        self.socket.close()
