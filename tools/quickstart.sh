#!/usr/bin/env bash
# A first trace: builds Orma, records this machine for five seconds together with a small instrumented
# program, and asks the trace a few questions.
set -eu
cd "$(dirname "$0")/.."
. tools/packages.sh

usage() {
    cat <<TXT
Usage: tools/quickstart.sh [--seconds N] [--output FILE] [--help]

Installs what the build needs (as root; otherwise prints the line to run and exits 3), builds into
build/, records N seconds (default 5) of this machine and of the demo program, and prints what was
seen. As root it records the kernel, too; otherwise what the kernel allows.
TXT
}

seconds=5
output=
while [ $# -gt 0 ]; do
    case "$1" in
    --seconds) seconds=${2-}; shift 2 || { usage >&2; exit 2; } ;;
    --output) output=${2-}; shift 2 || { usage >&2; exit 2; } ;;
    --help | -h) usage; exit 0 ;;
    *) echo "tools/quickstart.sh: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
    esac
done
case "$seconds" in
'' | *[!0-9]*) echo "tools/quickstart.sh: --seconds takes a whole number, not '$seconds'" >&2; exit 2 ;;
esac

# shellcheck disable=SC2086
orma_install $ORMA_BUILD_PACKAGES

build=build
if [ ! -f $build/build.ninja ]; then
    echo "Configuring ..." >&2
    meson setup $build --buildtype=release >$build.log 2>&1 || { cat $build.log >&2; exit 1; }
    rm -f $build.log
fi
echo "Building (one to four minutes the first time) ..." >&2
ninja -C $build tools/orma tools/compat.stamp sdk/orma_demo sdk/heap/liborma_heap.so >&2 # it shows how far it is

if [ "$(id -u)" -eq 0 ] && [ ! -e /sys/kernel/tracing/trace ]; then
    mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null ||
        echo "tracefs could not be mounted: recording without the kernel's events." >&2
fi

[ -n "$output" ] || output=$(mktemp -d "${TMPDIR:-/tmp}/orma-XXXXXX")/quickstart.pftrace
orma=$build/tools/orma

echo "Recording $seconds seconds ..." >&2
# The demo works in the background while the machine is watched for the whole time.
$orma record -o "$output" -- sh -c "$build/sdk/orma_demo --threads 4 --iterations 2000 --spin 50000 & sleep $seconds; wait"

echo "Trace: $output"
$orma report "$output" --all overview threads latency
echo
$orma report "$output" slices --process orma_demo 2>/dev/null || echo "(no slices of the demo)"
echo
echo "All sections: $orma report --all $output"
html=${output%.*}.html
$orma report "$output" --all --html "$html" 2>/dev/null && echo "Report with the timeline, for a browser: $html"
