#!/usr/bin/env bash
# README.md and docs/start.md, word for word, on a Debian that has nothing installed: a chroot made by mmdebstrap or
# debootstrap.
#     tests/integration/bare_machine.sh [SUITE]          # bookworm
# It takes ten minutes and more, and the network, so it runs in the long form only: ORMA_BARE=long. Needs root.
# ORMA_BARE_BASE=FILE names a tar of such a chroot: it is unpacked, or made and kept there.
# An ordinary user's quickstart must name a line that apt-get takes. Then root types what README shows, from top to bottom,
# and what docs/start.md shows. At the end the ordinary user's quickstart runs with the packages there.
# `make` is a stub: what it records is not the matter here.
set -eu
[ "${ORMA_BARE-}" = long ] || { echo "long form only: ORMA_BARE=long"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "needs root, for a chroot"; exit 77; }
suite=${1-bookworm}
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) root=$work/root
base=${ORMA_BARE_BASE-$work/base.tar}

leave() {
    for folder in sys/kernel/tracing sys proc dev; do
        ! mountpoint -q "$root/$folder" || umount "$root/$folder"
    done
    rm -rf --one-file-system "$work"
}
trap leave EXIT

mkdir "$root"
if [ ! -e "$base" ]; then
    if command -v mmdebstrap >/dev/null; then
        mmdebstrap --quiet --variant=apt --include=ca-certificates "$suite" "$base"
    elif command -v debootstrap >/dev/null; then
        debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/made" >/dev/null
        tar -C "$work/made" -cf "$base" .
    else
        echo "needs the package mmdebstrap or debootstrap"
        exit 77
    fi
fi
tar -C "$root" --exclude=./dev/* -xf "$base"
mkdir -p "$root/srv/orma"
git -C "$source" archive HEAD | tar -x -C "$root/srv/orma"
for folder in proc sys dev; do
    mount --bind /$folder "$root/$folder"
done
[ ! -e /sys/kernel/tracing/trace ] || mount --bind /sys/kernel/tracing "$root/sys/kernel/tracing"

# The lines of README before its section on tests, and all of docs/start.md; what a block is called is its file.
python3 - "$source" >"$root/root/steps.sh" <<'PY'
import re, shlex, sys
block = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)
print("set -eux")
for page, end in (("README.md", "\n## Tests"), ("docs/start.md", None)):
    text = open(f"{sys.argv[1]}/{page}").read()
    for language, name, body in block.findall(text[:text.index(end) if end else None]):
        if name.strip():
            print(f"printf %s {shlex.quote(body)} >{name.strip()}")
        elif language == "python":
            print(f"python3 -c {shlex.quote(body)}")
        elif language == "sh":
            if " diff before" in body: # the two traces to compare are made here
                for trace in ("before", "after"):
                    print(f"build/tools/orma record -t 1s -o {trace}.pftrace")
            if "cmake " in body:
                print("apt-get install -y -qq --no-install-recommends cmake >/dev/null")
            print(body)
PY
cat >>"$root/root/steps.sh" <<'SH'
orma --version
cd /tmp # no source tree around
/srv/orma/first
python3 -c "
from orma.trace_processor import TraceProcessor
rows = TraceProcessor(trace='/srv/orma/trace.pftrace').query('SELECT count(*) AS n FROM process')
assert next(iter(rows)).n > 0"
SH

# Before and after root has installed the packages.
cat >"$root/root/user.sh" <<'SH'
set -eux
id user >/dev/null 2>&1 || useradd -m user
chown -R user /srv/orma
cd /srv/orma
code=0
su user -c 'tools/quickstart.sh --seconds 1' >/tmp/said 2>&1 || code=$?
cat /tmp/said
case $1 in
before)
    test $code = 3
    sh -c "$(sed -n 's/^ *sudo apt-get install/apt-get install -s -qq/p' /tmp/said)" >/dev/null
    ;;
after) test $code = 0 ;;
esac
SH
mkdir "$root/root/stubs"
printf '#!/bin/bash\nexec -a make sleep 0.3\n' >"$root/root/stubs/make"
chmod +x "$root/root/stubs/make"
chroot "$root" env -i PATH=/root/stubs:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    sh -euc 'apt-get update -qq; sh /root/user.sh before; cd /srv/orma; sh /root/steps.sh; sh /root/user.sh after'
echo "README and the first steps work on $suite."
