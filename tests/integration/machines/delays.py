"""A network with delays: delays.py MS JITTER_MS SEED (tcp|udp)=HOST:PORT=HOST:PORT...

What comes to the first address goes on to the second, and answers come back, each after MS and a part of JITTER_MS. Bytes of a
connection keep their order; datagrams overtake each other.
"""
import asyncio
import random
import sys

DELAY, JITTER = float(sys.argv[1]) / 1000, float(sys.argv[2]) / 1000
dice = random.Random(int(sys.argv[3]))


def delay():
    return DELAY + dice.random() * JITTER


async def pour(reader, writer):
    """In order: each piece has a time, and none goes before the one in front of it."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue()

    async def read():
        while data := await reader.read(65536):
            queue.put_nowait((loop.time() + delay(), data))
        queue.put_nowait((loop.time() + delay(), None))

    reading = asyncio.create_task(read())
    try:
        while True:
            due, data = await queue.get()
            if (rest := due - loop.time()) > 0:
                await asyncio.sleep(rest)
            if data is None:
                writer.write_eof()
                break
            writer.write(data)
            await writer.drain()
        await reading
    except OSError:
        writer.close()


async def serve_tcp(at, to):
    async def connected(reader, writer):
        try:
            there_reader, there_writer = await asyncio.open_connection(*to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pour(reader, there_writer), pour(there_reader, writer))
        writer.close()
        there_writer.close()

    await asyncio.start_server(connected, *at)


class Datagrams(asyncio.DatagramProtocol):
    """One partner on the near side is enough here."""

    def __init__(self, to):
        self.to, self.far, self.near = to, None, None

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        loop = asyncio.get_running_loop()
        if addr == self.to:
            loop.call_later(delay(), self.transport.sendto, data, self.near)
        else:
            self.near = addr
            loop.call_later(delay(), self.transport.sendto, data, self.to)


async def main():
    loop = asyncio.get_running_loop()
    for route in sys.argv[4:]:
        kind, *ends = route.split("=")
        at, to = [(host, int(port)) for host, port in (e.rsplit(":", 1) for e in ends)]
        if kind == "tcp":
            await serve_tcp(at, to)
        else:
            await loop.create_datagram_endpoint(lambda: Datagrams(to), local_addr=at)
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
