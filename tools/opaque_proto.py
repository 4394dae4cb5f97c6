#!/usr/bin/env python3
"""Copy .proto files for protobuf-c, without what the daemons' cold messages do not need.

    tools/opaque_proto.py FOLDER OPAQUE.proto MESSAGES ENUMS FILE.proto...

What they take from OPAQUE.proto becomes opaque, and the MESSAGES and ENUMS (names with commas between them) of other
files: messages become bytes, enums int32. The daemons pass such fields on and never look inside, so their code needs no
descriptors of them. And descriptors have
no names (CODE_SIZE), which nobody asks for. On the wire nothing changes. The schema of the text and
JSON formats has all.
"""
import pathlib
import re
import sys


def without_unused(text, folder):
    """Without imports of files, in the folder, of which nothing is left in it."""
    for name in re.findall(r'^import "[^"]*/(\S+)";', text, re.M):
        kinds = re.findall(r"^(?:message|enum) (\w+)", (folder / name).read_text(encoding="utf-8"), re.M)
        if not re.search(rf"^\s+(?:optional |repeated )?({'|'.join(kinds)})[ .]", text, re.M):
            text = re.sub(rf'^import "[^"]*/{name}";\n', "", text, flags=re.M)
    return text


def main():
    folder, opaque, *files = map(pathlib.Path, [*sys.argv[1:3], *sys.argv[5:]])
    kinds = re.findall(r"^(message|enum) (\w+)", opaque.read_text(encoding="utf-8"), re.M)
    kinds += [("message", name) for name in sys.argv[3].split(",")] + [("enum", name) for name in sys.argv[4].split(",")]
    for source in files:
        text = source.read_text(encoding="utf-8")
        text = re.sub(rf'^import "[^"]*/{opaque.name}";\n', "", text, flags=re.M)
        text = re.sub(r"^package ", "option optimize_for = CODE_SIZE;\n\npackage ", text, count=1, flags=re.M)
        for kind, name in kinds:
            plain = "bytes" if kind == "message" else "int32"
            text = re.sub(rf"^(\s+(?:optional |repeated )?){name} (\w+ = )", rf"\1{plain} \2", text, flags=re.M)
        (folder / source.name).write_text(without_unused(text, source.parent), encoding="utf-8")


if __name__ == "__main__":
    main()
