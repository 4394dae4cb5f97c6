#!/usr/bin/env python3
"""The unwinder on aarch64: built by a cross compiler, run in qemu's user mode; also whatever else knows that cpu compiles.

aarch64.py SOURCE_ROOT"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
CC, EMULATOR = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
SKIPPED = 77
BASE = [ROOT / "sdk/base" / (name + ".c") for name in ("buf", "fd", "map", "mapped", "mem", "standard", "str")]
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-DORMA_VERSION=\"0\"", "-D_FILE_OFFSET_BITS=64", "-fvisibility=hidden", f"-I{ROOT}", "-w",
         "-Werror=implicit-function-declaration"]
VARIANTS = (["-O0"], ["-O2"], ["-Os", "-fomit-frame-pointer"], ["-O2", "-mbranch-protection=standard"])

if not CC or not EMULATOR:
    print("no aarch64-linux-gnu-gcc, or no qemu-aarch64")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    for part in sorted((ROOT / "sdk/heap").glob("*.c")):
        subprocess.run([CC, *FLAGS, "-O2", "-fPIC", "-c", "-o", pathlib.Path(folder) / "heap.o", part], check=True)
    for flags in VARIANTS:
        program = pathlib.Path(folder) / "unwind_self"
        subprocess.run([CC, *FLAGS, *flags, "-funwind-tables", "-o", program, ROOT / "tests/unit/unwind/unwind_self.c",
                        *sorted((ROOT / "probes/unwind").glob("*.c")), *BASE, "-lpthread"], check=True)
        print(" ".join(flags), flush=True)
        subprocess.run([EMULATOR, "-L", "/usr/aarch64-linux-gnu", program], check=True)
