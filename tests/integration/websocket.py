"""The client's side of WebSocket, as far as tests need it."""
import socket
import struct

KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def frame(code, data):
    """A masked frame: 2 bytes of the RPC or IPC, 8 close, 9 ping."""
    mask = b"\x11\x22\x33\x44"
    size = bytes([0x80 | len(data)]) if len(data) < 126 else \
        b"\xfe" + struct.pack(">H", len(data)) if len(data) < 65536 else b"\xff" + struct.pack(">Q", len(data))
    return bytes([0x80 | code]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data))


def read_frame(s):
    """(code, payload); EOFError when the connection has ended."""
    def exactly(n):
        out = b""
        while len(out) < n:
            more = s.recv(n - len(out))
            if not more:
                raise EOFError(out)
            out += more
        return out
    first, size = exactly(2)
    if size >= 126:
        size = struct.unpack(">H" if size == 126 else ">Q", exactly(2 if size == 126 else 8))[0]
    return first & 15, exactly(size)


def connect(port, path, timeout, origin="https://ui.perfetto.dev", version="13", key=KEY):
    """(socket, head of the answer)"""
    s = socket.create_connection(("127.0.0.1", port), timeout)
    s.sendall(f"GET {path} HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: {origin}\r\n"
              f"Sec-WebSocket-Version: {version}\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        more = s.recv(1)
        if not more:
            raise EOFError(head)
        head += more
    return s, head.decode()
