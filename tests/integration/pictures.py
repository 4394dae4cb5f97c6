"""Pictures of pages as PNG files, and how alike two are."""
import zlib


def pixels(png):
    """Rows of an 8-bit PNG without interlacing, as Chromium writes them."""
    at, data, head = 8, b"", None
    while at < len(png):
        size, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        if kind == b"IHDR":
            head = png[at + 8:at + 8 + size]
        elif kind == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += size + 12
    width, channels = int.from_bytes(head[:4], "big"), {2: 3, 6: 4}[head[9]]
    raw, stride, rows, last = zlib.decompress(data), width * channels, [], None
    for y in range(len(raw) // (stride + 1)):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        last = last or bytearray(stride)
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            up, corner = last[i], last[i - channels] if i >= channels else 0
            if kind == 4:
                p = left + up - corner
                near = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, near if kind == 4 else 0)[kind]) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, stride, channels)])
        last = line
    return rows


CELL = 20  # pixels of a side


def coarse(rows):
    """Means of squares of pixels: fonts and their smoothing differ from machine to machine, what stands where does not."""
    return [[tuple(sum(rows[y + j][x + i][c] for j in range(0, CELL, 2) for i in range(0, CELL, 2)) // (CELL // 2) ** 2 for c in range(3))
             for x in range(0, len(rows[0]) - CELL + 1, CELL)] for y in range(0, len(rows) - CELL + 1, CELL)]


def png(rows):
    """Pixels as a file."""
    part = lambda kind, data: len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    head = len(rows[0]).to_bytes(4, "big") + len(rows).to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(v for p in row for v in p) for row in rows), 9))
            + part(b"IEND", b""))
