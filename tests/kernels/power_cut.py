#!/usr/bin/env python3
"""Cuts the power of an emulated machine that records with its rescue folder on a disk (ext4), at random moments: what had been brought to
the disk (sync) is in the recovered trace, and no event is torn.

    power_cut.py --build BUILD --folder FOLDER [--rounds N] [--seed N]

FOLDER is that of tests/kernels/run, which fetches the kernel. Exit code 77: nothing could be tried.
"""
import argparse
import base64
import csv
import io
import os
import pathlib
import random
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time

MODULES = "crc16 crc32c_generic libcrc32c mbcache jbd2 ext4 virtio_blk".split()
THREADS, LARGEST = 3, 9000
# The disk is at the same place there and here: the rescue folder names the trace by its path.
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
mkdir -p /dev/shm; mount -t tmpfs shm /dev/shm
for m in MODULES; do insmod /modules/$m.ko 2>/dev/null; done
mkdir -p MOUNT; mount -t ext4 /dev/vda MOUNT || echo "no disk"
export ORMA_RESCUE_FOLDER=MOUNT
head -c 512 /dev/zero >/tmp/oracle
orma record -q --private -c /config -o MOUNT/trace -- /bin/rescue_app /tmp/oracle 3 300 &
while :; do
    n=$(head -c 24 /tmp/oracle | base64)
    usleep 700000
    sync
    echo "synced $n"
done
"""
CONFIG = """buffers { size_kb: 32768 }
flush_period_ms: 200
data_sources { config { name: "track_event" buffer_exhausted_policy: BUFFER_EXHAUSTED_STALL_THEN_ABORT } }
"""
KINDS = {"ring": CONFIG, "file": CONFIG + "write_into_file: true\nfile_write_period_ms: 100\n"}


def skip(why):
    print(f"power_cut: skipped: {why}", file=sys.stderr)
    sys.exit(77)


def unpack(folder, into):
    """The kernel, and the modules that it needs for a disk with ext4."""
    for listed in sorted(folder.glob("*.packages")):
        name, *packages = listed.read_text().split()
        packages = [folder / "packages" / pathlib.Path(p).name for p in packages]
        kernel = folder / f"kernel-{name}/vmlinuz"
        if "amd64" not in name or not kernel.exists() or not all(p.exists() for p in packages):
            continue
        for p in packages:
            tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", p], stdout=subprocess.PIPE)
            subprocess.run(["tar", "-x", "-C", into, "--wildcards", *(f"*/{m.replace('_', '?')}.ko*" for m in MODULES)], stdin=tar.stdout,
                           stderr=subprocess.DEVNULL)
            tar.wait()
        return kernel
    skip(f"no kernel in {folder}: run tests/kernels/run -d {folder} 6.12")


def make_machine(build, folder, top, config):
    root = top / "root"
    for name in "bin proc sys dev tmp modules etc".split():
        (root / name).mkdir(parents=True)
    kernel = unpack(folder, top)
    for packed in top.glob("lib/**/*.ko*"):
        shutil.copy(packed, root / "modules")
    for packed in (root / "modules").glob("*.xz"):
        subprocess.run(["xz", "-d", packed], check=True)
    shutil.copy(shutil.which("busybox"), root / "bin/busybox")
    for program in (build / "tools/orma", build / "tests/integration/traced/rescue_app"):
        shutil.copy(program, root / "bin")
        subprocess.run(["strip", root / "bin" / program.name], check=True)
        for library in re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", program], capture_output=True, text=True).stdout):
            to = root / library[1:]
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.realpath(library), to)
    (root / "init").write_text(INIT.replace("MODULES", " ".join(MODULES)).replace("MOUNT", str(top / "mount")))
    (root / "init").chmod(0o755)
    (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\n")
    (root / "config").write_text(config)
    with open(top / "initrd", "wb") as f:
        subprocess.run("find . | sed 1d | cpio --quiet -o -H newc -R 0:0 | gzip -1", shell=True, cwd=root, stdout=f, check=True)
    return kernel


def run_until_cut(kernel, top, rng):
    """What had been synced when the power went."""
    disk = top / "disk"
    with open(disk, "wb") as f:
        f.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", disk], check=True)
    p = subprocess.Popen(["qemu-system-x86_64", "-cpu", "max,-la57", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "1024", "-nodefaults",
                          "-display", "none", "-no-reboot", "-serial", "stdio", "-kernel", kernel, "-initrd", top / "initrd", "-append",
                          "console=ttyS0 quiet panic=-1 nokaslr mitigations=off", "-drive",
                          f"file={disk},format=raw,if=none,id=disk,cache=unsafe", "-device", "virtio-blk-pci,drive=disk"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    synced, text, left = None, b"", rng.randrange(2, 6)
    end, cut = time.monotonic() + 180, None
    try:
        while time.monotonic() < (cut or end):
            if select.select([p.stdout], [], [], 0.01)[0]:
                got = os.read(p.stdout.fileno(), 4096)
                if not got:
                    break
                text += got
            lines = re.findall(rb"synced (\S{32})\r?\n", text)
            if lines:
                synced = struct.unpack("3Q", base64.b64decode(lines[-1]))
            if synced and all(synced) and len(lines) >= left and not cut:
                cut = time.monotonic() + rng.random() * 2
    finally:
        p.kill()
        p.wait()
    if not cut:
        sys.exit(f"the machine did not record:\n{text.decode(errors='replace')[-3000:]}")
    return synced


def query(orma, trace, sql):
    done = subprocess.run([orma, "query", "--format", "rfc4180", trace, sql], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{sql}: {done.stderr}")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def recover(orma, top):
    mount, out = top / "mount", top / "recovered"
    mount.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", top / "disk", mount], check=True)
    try:
        done = subprocess.run([orma, "recover", "--force", "-o", out], env={**os.environ, "ORMA_RESCUE_FOLDER": str(mount)}, capture_output=True, text=True)
        return out, done.stderr
    finally:
        subprocess.run(["umount", mount], check=True)


def judge(orma, trace, synced):
    """Texts of what is wrong."""
    found, wrong = {}, []
    for row in query(orma, trace, "select extract_arg(arg_set_id, 'debug.t') as t, extract_arg(arg_set_id, 'debug.n') as n, "
                                  "length(extract_arg(arg_set_id, 'debug.x')) as x from slice where name = 'n'"):
        t, n, x = (int(row[k]) if row[k].isdigit() else 0 for k in "tnx")
        if x != (LARGEST if n % 257 == 0 else n * 7919 % 61) or t >= THREADS:
            wrong.append(f"event {n} of thread {t} is torn")
        found.setdefault(t, []).append(n)
    for t, numbers in found.items():
        if len(numbers) != len(set(numbers)):
            wrong.append(f"thread {t}: events are there twice")
    for t in range(THREADS):
        missing = set(range(1, synced[t] + 1)) - set(found.get(t, []))
        if missing:
            wrong.append(f"thread {t}: {len(missing)} of {synced[t]} that were on the disk are missing, from {min(missing)} on")
    bad = query(orma, trace, "select name, value from stats where severity = 'error' and value > 0")
    return wrong[:10] + [f"{row['name']}: {row['value']}" for row in bad], {t: max(n) for t, n in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=lambda p: pathlib.Path(p).resolve(), default=pathlib.Path("build").resolve())
    parser.add_argument("--folder", type=lambda p: pathlib.Path(p).resolve(), default=pathlib.Path("build-kernels").resolve())
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for need in ("qemu-system-x86_64", "busybox", "mkfs.ext4", "dpkg-deb", "cpio", "xz", "ldd"):
        if not shutil.which(need):
            skip(f"no {need}")
    if os.geteuid():
        skip("the disk can be looked at by root only")
    failed, rng, orma = 0, random.Random(args.seed), args.build / "tools/orma"
    for kind, config in KINDS.items():
        with tempfile.TemporaryDirectory(prefix="orma-power-") as top:
            top = pathlib.Path(top)
            kernel = make_machine(args.build, args.folder, top, config)
            for i in range(args.rounds):
                synced = run_until_cut(kernel, top, rng)
                trace, said = recover(orma, top)
                wrong, last = judge(orma, trace, synced) if trace.exists() else ([f"nothing was recovered: {said}"], {})
                print(f"{kind} {i}: {sum(synced)} events were on the disk, {sum(last.values())} are there: {'; '.join(wrong) or 'fine'}", flush=True)
                failed += bool(wrong)
                if wrong and os.environ.get("ORMA_POWER_KEEP"):
                    shutil.copytree(top, f"{os.environ['ORMA_POWER_KEEP']}/{kind}-{i}", dirs_exist_ok=True)
                trace.unlink(missing_ok=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
