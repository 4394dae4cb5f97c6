"""Random messages that are valid by the schema: the committed .proto files, compiled by protoc into descriptors."""
import shutil

from attack import *

PROTOS = pathlib.Path(__file__).resolve().parents[2] / "protos"
# Kinds of fields, as descriptors number them.
DOUBLE, FLOAT, FIXED64, FIXED32, BOOL, STRING, MESSAGE, BYTES, ENUM = 1, 2, 6, 7, 8, 9, 11, 12, 14
SFIXED32, SFIXED64, SINT32, SINT64 = 15, 16, 17, 18
NUMBERS = (0, 1, 2, 3, 7, 8, 10, 63, 64, 100, 127, 128, 255, 1000, 4095, 4096, 65535, 65536, 1 << 20, 1 << 31, (1 << 32) - 1, 1 << 32,
           (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
WORDS = ("", "x", "a.b", "*", "%s", "/", "../..", "track_event", "sched/sched_switch", "linux.sys_stats", "name", "0", "-1", "[0]", "\u00e4", "a\nb",
         "'", "x" * 300)


def compiled():
    """{message: [(number, name, kind, repeated, type of message or enum)]}; None without protoc."""
    if not shutil.which("protoc"):
        return None
    done = subprocess.run(["protoc", "--descriptor_set_out=/dev/stdout", f"-I{PROTOS.parent}",
                           *map(str, sorted((PROTOS / "perfetto").glob("*.proto")))], capture_output=True)
    if done.returncode:
        return None
    messages, enums = {}, {}

    def take(prefix, fields):
        name = f"{prefix}.{last(fields, 1).decode()}"
        messages[name] = []
        for f, v in fields:
            if f in (2, 3):  # a field; or a nested message
                inner = decode(v)
                if f == 3:
                    take(name, inner)
                else:
                    messages[name].append((last(inner, 3), last(inner, 1).decode(), last(inner, 5), last(inner, 4) == 3,
                                           last(inner, 6, b"").decode()))
            elif f == 4:
                take_enum(name, decode(v))

    def take_enum(prefix, fields):
        enums[f"{prefix}.{last(fields, 1).decode()}"] = [last(decode(v), 2, 0) for f, v in fields if f == 2]

    for f, file in decode(done.stdout):
        fields = decode(file)
        package = last(fields, 2, b"").decode()
        for number, v in fields:
            if number == 4:
                take(f".{package}", decode(v))
            elif number == 5:
                take_enum(f".{package}", decode(v))
    return Schema(messages, enums)


class Schema:
    def __init__(self, messages, enums):
        self.messages, self.enums = messages, enums

    def random(self, dice, name, depth=5, fields=12, fix=None):
        """A message of this type; fix(name of field, dice) may give its bytes or None for 'leave it out'."""
        known = self.messages[name]
        out = b""
        for _ in range(dice.randrange(1, fields) if known else 0):
            number, field, kind, repeated, of = dice.choice(known)
            if kind == MESSAGE and depth == 0:
                continue
            for _ in range(dice.choice((1, 1, 1, 2, 5)) if repeated else 1):
                out += self.field(dice, number, field, kind, of, depth, fields, fix)
        return out

    def field(self, dice, number, field, kind, of, depth, fields, fix):
        value = fix(field, dice) if fix else None
        if value == b"":
            return b""
        if isinstance(value, str) and kind == STRING:
            return sub(number, value)
        if isinstance(value, int) and kind not in (STRING, BYTES, MESSAGE, DOUBLE, FLOAT, FIXED64, FIXED32, SFIXED64, SFIXED32):
            return num(number, value)
        if kind == MESSAGE:
            return sub(number, self.random(dice, of, depth - 1, fields, fix))
        if kind in (STRING, BYTES):
            return sub(number, dice.choice(WORDS) if kind == STRING or dice.random() < .5 else dice.randbytes(dice.choice((0, 1, 8, 50))))
        if kind in (DOUBLE, FIXED64, SFIXED64):
            return varint(number << 3 | 1) + struct.pack("<Q", dice.choice((0, dice.choice(NUMBERS), dice.randrange(1 << 64))))
        if kind in (FLOAT, FIXED32, SFIXED32):
            return varint(number << 3 | 5) + struct.pack("<I", dice.randrange(1 << 32))
        if kind == ENUM:
            return num(number, dice.choice(self.enums.get(of) or [0]) if dice.random() < .9 else dice.choice(NUMBERS))
        if kind == BOOL:
            return num(number, dice.randrange(2))
        return num(number, dice.choice((dice.randrange(10), dice.randrange(1000), dice.choice(NUMBERS))))


__all__ = [n for n in dir() if not n.startswith("_")]
