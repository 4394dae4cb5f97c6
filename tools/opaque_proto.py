#!/usr/bin/env python3
"""Copy a .proto file and make opaque what it takes from others: messages become bytes, enums int32.

    tools/opaque_proto.py FROM.proto TO.proto OPAQUE.proto...

For protobuf-c: the daemons pass such fields on and never look inside, so their code needs no
descriptors of them. On the wire nothing changes. The schema of the text and JSON formats has all.
"""
import pathlib
import re
import sys


def main():
    source, target, *opaque = map(pathlib.Path, sys.argv[1:])
    text = source.read_text(encoding="utf-8")
    for other in opaque:
        text = re.sub(rf'^import "[^"]*/{other.name}";\n', "", text, flags=re.M)
        for kind, name in re.findall(r"^(message|enum) (\w+)", other.read_text(encoding="utf-8"), re.M):
            plain = "bytes" if kind == "message" else "int32"
            text = re.sub(rf"^(\s+(?:optional |repeated )?){name} (\w+ = )", rf"\1{plain} \2", text, flags=re.M)
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
