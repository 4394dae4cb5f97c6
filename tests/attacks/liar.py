"""A service that lies: it speaks the protocol, and gives producers and consumers what no service should."""
import fcntl

from attack import *

SEALS = 1 | 2 | 4  # of the seals, of shrinking, of growing
PRODUCER_NAMES = ("InitializeConnection", "RegisterDataSource", "UnregisterDataSource", "CommitData", "GetAsyncCommand",
                  "RegisterTraceWriter", "UnregisterTraceWriter", "NotifyDataSourceStarted", "NotifyDataSourceStopped",
                  "ActivateTriggers", "Sync", "UpdateDataSource")
CONSUMER_NAMES = ("EnableTracing", "DisableTracing", "ReadBuffers", "FreeBuffers", "Flush", "StartTracing", "ChangeTraceConfig",
                  "Detach", "Attach", "GetTraceStats", "ObserveEvents", "QueryServiceState", "QueryCapabilities",
                  "SaveTraceForBugreport", "CloneSession")
START, STOP, SETUP_TRACING, FLUSH, SETUP, CLEAR = 1, 2, 3, 5, 6, 7


def answer(request, message=b"", more=0, ok=1):
    return frame(num(2, request) + sub(6, num(1, ok) + num(2, more) + sub(3, message)))


def memory(size, seals=SEALS):
    fd = os.memfd_create("liar", os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    if seals:
        fcntl.fcntl(fd, 1033, seals)
    return fd


class Liar:
    """Listens at `path`; `tell(connection)` says what a client gets once it has registered its first data source."""
    def __init__(self, path, names, tell=None, reply=None):
        self.names, self.tell, self.reply, self.connections = names, tell, reply, 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                s, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=Connection(self, s).run, daemon=True).start()

    def close(self):
        self.socket.close()


class Connection:
    def __init__(self, liar, s):
        self.liar, self.socket, self.commands, self.sources = liar, s, None, []

    def run(self):
        data = b""
        try:
            while True:
                got = self.socket.recv(1 << 16)
                if not got:
                    break
                data += got
                while len(data) >= 4 and len(data) - 4 >= struct.unpack("<I", data[:4])[0]:
                    size = 4 + struct.unpack("<I", data[:4])[0]
                    self.take(decode(data[4:size]))
                    data = data[size:]
        except (OSError, IndexError, struct.error):
            pass
        self.socket.close()

    def take(self, fields):
        request = last(fields, 2, 0)
        if last(fields, 3) is not None:
            self.socket.sendall(frame(num(2, request) + sub(4, num(1, 1) + num(2, 1) + b"".join(
                sub(3, num(1, i + 1) + sub(2, name)) for i, name in enumerate(self.liar.names)))))
            return
        call = decode(last(fields, 5, b""))
        method = last(call, 2, 0)
        if self.liar.reply:
            self.liar.reply(self, request, method)
        elif method == PRODUCER["async"]:
            self.commands = request
        elif method == PRODUCER["register"]:
            self.sources.append(last(decode(last(decode(last(call, 3, b"")), 1, b"")), 1, b"?"))
            self.socket.sendall(answer(request))
            if len(self.sources) == 1:
                threading.Timer(0.2, self.go).start()
        else:
            self.socket.sendall(answer(request, num(2, 1) if method == PRODUCER["init"] else b""))

    def go(self):
        try:
            self.liar.tell(self)
        except OSError:
            pass

    def command(self, field, message, fd=None):
        data = answer(self.commands, sub(field, message), 1)
        sent = self.socket.sendmsg([data], fds(fd)) if fd is not None else 0
        self.socket.sendall(data[sent:])

    def start(self, more=b""):
        """All data sources that it has offered, into buffer 1."""
        for i, name in enumerate(self.sources):
            what = num(1, i + 1) + sub(2, sub(1, name) + num(2, 1) + more)
            self.command(SETUP, what)
            self.command(START, what)


__all__ = [n for n in dir() if not n.startswith("_")]
