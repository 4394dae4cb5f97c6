"""Traces that grow, made byte by byte: several writers that deliver late, and the words of the service."""
import random

BOOTTIME0 = 10**12


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def num(field, value):
    return varint(field << 3) + varint(value)


def blob(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def packet(ts, *fields, seq=0):
    body = num(8, ts) + (num(10, seq) if seq else b"") + b"".join(fields)
    return blob(1, body)


def service(ts, field, *more):
    return packet(ts, blob(69, b"".join((num(field, 1), *more))), seq=1)


def time_of(packet):
    """Its timestamp, the first field."""
    at = 1
    while packet[at] > 127:  # the length
        at += 1
    at += 2
    value = shift = 0
    while True:
        value |= (packet[at] & 127) << shift
        if packet[at] < 128:
            return value
        at, shift = at + 1, shift + 7


STARTED, FLUSHED, READ, DISABLED, FLUSH_BEGAN = 2, 3, 4, 5, 9


def trace(seed, events, end=True, step_ns=50_000, flush_every=400, marks=True):
    """A list of packets. Writers hand over 20 to 200 events at a time, so that times go back and forth; after a
    flush everything that was before its begin is there."""
    dice = random.Random(seed)
    writers = [2, 3, 4, 5]
    out = [service(BOOTTIME0, STARTED)]
    for w in writers:
        thread = num(1, 100) + num(2, 100 + w) + blob(5, f"writer-{w}")
        out.append(packet(BOOTTIME0, blob(60, num(1, 1000 + w) + blob(4, thread)), num(13, 3), seq=w))
    held, depth = {w: [] for w in writers}, {w: 0 for w in writers}
    ts = BOOTTIME0
    for n in range(events):
        ts += dice.randrange(1, step_ns)
        w = dice.choice(writers)
        begin = not depth[w] or (depth[w] < 4 and dice.random() < 0.5)
        depth[w] += 1 if begin else -1
        event = num(9, 1 if begin else 2) + num(11, 1000 + w)
        if begin:
            event += blob(23, f"step {dice.randrange(40)}")
        held[w].append(packet(ts, blob(11, event), seq=w))
        if len(held[w]) > dice.randrange(20, 200):
            out += held[w]
            held[w] = []
        if marks and n % flush_every == flush_every - 1:
            out.append(service(ts, FLUSH_BEGAN))
            for w in writers:
                out += held[w]
                held[w] = []
            out += [service(ts + 1, FLUSHED), service(ts + 2, READ)]
    for w in writers:
        out += held[w]
    if end:
        out += [service(ts + 3, DISABLED), service(ts + 4, READ)]
    return out
