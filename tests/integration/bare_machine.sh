#!/usr/bin/env bash
# The README, word for word, on a Debian that has nothing installed: a chroot made by mmdebstrap.
#     tests/integration/bare_machine.sh [SUITE]          # bookworm
# It takes some ten minutes and the network, so it runs in the long form only: ORMA_BARE=long. Needs root.
# What README shows is run from top to bottom: quickstart, commands, installation; then a program against the
# installed SDK, and Python with the installed package. `make` is a stub: what it records is not the matter here.
set -eu
[ "${ORMA_BARE-}" = long ] || { echo "long form only: ORMA_BARE=long"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "needs root, for a chroot"; exit 77; }
command -v mmdebstrap >/dev/null || { echo "needs the package mmdebstrap"; exit 77; }
suite=${1-bookworm}
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) root=

leave() {
    [ -z "$root" ] || for folder in sys/kernel/tracing sys proc dev; do
        ! mountpoint -q "$root/$folder" || umount "$root/$folder"
    done
    rm -rf --one-file-system "$work"
}
trap leave EXIT

mmdebstrap --quiet --variant=apt --include=ca-certificates "$suite" "$work/root"
root=$work/root
mkdir "$root/root/orma"
git -C "$source" archive HEAD | tar -x -C "$root/root/orma"
for folder in proc sys dev; do
    mount --bind /$folder "$root/$folder"
done
[ ! -e /sys/kernel/tracing/trace ] || mount --bind /sys/kernel/tracing "$root/sys/kernel/tracing"

# Lines of the ```sh blocks before the section on programs. The two traces to compare are made here.
python3 - "$source/README.md" >"$root/root/steps.sh" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
blocks = [(m.start(), m.group(1)) for m in re.finditer(r"^```sh\n(.*?)^```$", text, re.M | re.S)]
tests = text.index("## Tests")
print("set -eux")
for at, block in blocks:
    if at > tests:
        continue
    for line in block.splitlines():
        if " diff before" in line:
            for name in ("before", "after"):
                print(f"build/tools/orma record -t 1s -o {name}.pftrace")
        print(line)
PY
cat >>"$root/root/steps.sh" <<'SH'
cd /tmp
orma --version
printf '#include <orma/orma.h>\nint main(void) { return orma_init(NULL) < 0; }\n' >user.c
cc user.c -o user $(pkg-config --cflags --libs orma)
./user
python3 -c "
from orma.trace_processor import TraceProcessor
rows = TraceProcessor(trace='/root/orma/trace.pftrace').query('SELECT count(*) AS n FROM process')
assert next(iter(rows)).n > 0"
SH
mkdir "$root/root/stubs"
printf '#!/bin/bash\nexec -a make sleep 0.3\n' >"$root/root/stubs/make"
chmod +x "$root/root/stubs/make"
chroot "$root" env -i PATH=/root/stubs:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    sh -c 'apt-get update -qq && cd /root/orma && sh /root/steps.sh'
echo "README works on $suite."
