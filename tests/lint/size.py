#!/usr/bin/env python3
"""Programs and libraries of a release are small, stripped.

    tests/lint/size.py LIMIT FILE...

LIMIT is for all of them together, a little above what they are. Who passes it looks first at what is new (nm --size-sort),
then at what could be -Os (docs/HACKING.md, "Build"), and raises it where the bytes are worth it.
"""
import os
import subprocess
import sys
import tempfile


def stripped(path):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["strip", "-o", out.name, path], check=True)
        return os.stat(out.name).st_size


def main():
    limit, *paths = sys.argv[1:]
    sizes = {path: stripped(path) for path in paths}
    total = sum(sizes.values())
    for path, size in sizes.items():
        print(f"{size:>10,}  {path}")
    print(f"{total:>10,}  in all, of {int(limit):,}")
    return total > int(limit)


if __name__ == "__main__":
    sys.exit(main())
