#!/usr/bin/env bash
# Installs what the tests need, builds, and runs the suites.
set -eu
cd "$(dirname "$0")/.."
. tools/packages.sh

usage() {
    cat <<TXT
Usage: tools/test.sh [--full] [--help]

Builds with gcc (warnings are errors) and runs all ordinary suites, then again with the address and
undefined-behaviour sanitizers. --full adds clang, the stress programs under the thread sanitizer,
valgrind and a foreign locale. Build folders: build-test-*.
TXT
}

full=no
case "${1-}" in
"") ;;
--full) full=yes ;;
--help | -h) usage; exit 0 ;;
*) echo "tools/test.sh: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
esac

# shellcheck disable=SC2086
orma_install $ORMA_TEST_PACKAGES

# configure DIR [MESON OPTION...]: makes or refreshes a build folder.
configure() {
    dir=$1; shift
    if [ -f "$dir/build.ninja" ]; then
        meson configure "$dir" "$@" >/dev/null
    else
        meson setup "$dir" "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; exit 1; }
        rm -f "$dir.log"
    fi
}

# suite DIR TITLE [TEST OPTION...]: builds and tests one folder.
suite() {
    dir=$1 title=$2; shift 2
    echo "== $title"
    ninja -C "$dir" --quiet
    meson test -C "$dir" --no-rebuild --print-errorlogs "$@"
}

export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

configure build-test-gcc -Dwerror=true --buildtype=release -Ddebug=true
suite build-test-gcc "gcc, release: all suites"
configure build-test-asan -Dwerror=true -Db_sanitize=address,undefined -Dtestpoints=true
suite build-test-asan "gcc: address and undefined-behaviour sanitizers" --timeout-multiplier 4

if [ $full = yes ]; then
    CC=clang configure build-test-clang -Dwerror=true
    suite build-test-clang "clang: all suites"
    CC=clang configure build-test-tsan -Db_sanitize=thread -Dtestpoints=true -Db_lundef=false
    suite build-test-tsan "thread sanitizer: stress programs" --suite stress --timeout-multiplier 8
    echo "== valgrind: unit tests"
    tests/valgrind.sh build-test-gcc
    echo "== a foreign locale"
    LC_ALL=C.UTF-8 LANG=tr_TR.UTF-8 meson test -C build-test-gcc --no-rebuild --print-errorlogs --suite unit
fi
echo "All suites passed."
