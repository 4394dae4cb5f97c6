#!/usr/bin/env bash
# Installs what the tests need, builds, and runs the suites.
set -eu
cd "$(dirname "$0")/.."
. tools/packages.sh

usage() {
    cat <<TXT
Usage: tools/test.sh [--long | --full] [--help]

gcc, as released, warnings are errors: all suites but the tests that tests/long.txt lists. This takes a quarter of an hour on
two cores, and is what continuous integration runs.

--long, before landing what is more than a line or two:
1. gcc, as released: all suites.
2. gcc, with the address and undefined-behaviour sanitizers: all suites but the lints, what sanitizers cannot judge, and the
   suite "full" (docs/HACKING.md); a fourth of the cases with expected rows.
3. clang, with the thread sanitizer: everything is built, the stress programs run.

--full, before a release: --long, and the suite "full" and all cases under sanitizers, all suites with clang and its
sanitizers, and with clang as released, and the unit tests under valgrind and in a foreign locale.

Warnings are errors everywhere. A test that fails runs once more, alone; if it passes then, the report names it, and it counts
as passed. The end of the output lists what failed, what was skipped and why, and what took long. Build folders: build-test-*.
TXT
}

form=short
case "${1-}" in
"") ;;
--long) form=long ;;
--full) form=full ;;
--help | -h) usage; exit 0 ;;
*) echo "tools/test.sh: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
esac

# shellcheck disable=SC2086
orma_install $ORMA_TEST_PACKAGES

# The interpreter itself: what version managers put into PATH starts a shell or two for each of some thousand programs.
PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH

# Other people's readers and a newer SQLite, where npm is: tests that want one skip without it.
if command -v npm >/dev/null; then
    npm install --prefix tests/npm --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error >/dev/null &&
        export ORMA_NODE_MODULES=$PWD/tests/npm/node_modules || echo "npm: readers could not be installed" >&2
fi

failed='' reports=''

# configure DIR [MESON OPTION...]: makes or refreshes a build folder.
configure() {
    local dir=$1; shift
    if [ -f "$dir/build.ninja" ]; then
        meson configure "$dir" "$@" >/dev/null
    else
        meson setup "$dir" "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; exit 1; }
        rm -f "$dir.log"
    fi
}

# part TITLE COMMAND...: runs it, prints how long it took, and keeps a failure in mind.
part() {
    local title=$1 begin=$SECONDS ok=yes; shift
    echo "== $title"
    "$@" || ok=no
    [ $ok = yes ] || failed="$failed  $title"$'\n'
    echo "== $title: $((SECONDS - begin)) s"
    [ $ok = yes ]
}

# Many tests wait most of the time: two more at once than there are cpus.
jobs=$(($(nproc) + 2))

# suite DIR TITLE TARGET [TEST OPTION...]: builds a target and tests one folder. A failure does not stop the parts after it.
suite() {
    local dir=$1 title=$2 target=$3; shift 3
    part "$title: build" ninja -C "$dir" --quiet "$target" || return 0
    reports="$reports $dir"
    part "$title: tests" tests "$dir" "$@" || return 0
}

# tests DIR [TEST OPTION...]: what fails runs once more, alone, and the report names it: a machine that stands still for some
# seconds fails nothing, and nothing is hidden.
tests() {
    local dir=$1 again; shift
    rm -f "$dir/meson-logs/again.json"
    meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes $jobs "$@" && return
    again=$(python3 tools/test_report.py --failed "$dir") || return 1
    echo "-- once more, alone: $again"
    # shellcheck disable=SC2086
    meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes 1 --logbase again --timeout-multiplier 8 $again
}

# short_names DIR: the names of the tests that tests/long.txt does not list. A name there that no test has is an error.
short_names() {
    local all long
    # A name that two suites have, given twice, runs twice, and meson fails at the end of it.
    all=$(meson test -C "$1" --list --no-rebuild | sed -n 's|.* / ||p' | sort -u) || return
    long=$(sed '/^#/d; s/ .*//' tests/long.txt)
    if grep -Fvx "$all" <<<"$long" >&2; then
        echo "tests/long.txt: no test has these names" >&2
        return 1
    fi
    grep -Fvx "$long" <<<"$all"
}

export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

configure build-test-gcc -Dwerror=true --buildtype=release -Ddebug=true
# The newer SQLite of the tests takes half a minute: beside the build nobody waits for it.
python3 tests/support/newer_sqlite.py build-test-gcc exitcode true >/dev/null &
names=''
if [ $form = short ]; then
    names=$(short_names build-test-gcc) || exit 1
fi
# shellcheck disable=SC2086
suite build-test-gcc "gcc, release" all --timeout-multiplier 4 $names # machines have slow hours

if [ $form != short ]; then
    left_out='--no-suite full'
    [ $form = long ] || left_out=''
    configure build-test-gcc-asan -Dwerror=true --buildtype=debug -Doptimization=1 -Dc_args=-g1 -Db_sanitize=address,undefined -Dtestpoints=true
    # shellcheck disable=SC2086
    suite build-test-gcc-asan "gcc, address and undefined-behaviour sanitizers" all --no-suite lint $left_out --timeout-multiplier 8
    CC=clang configure build-test-tsan -Dwerror=true --buildtype=debug -Db_sanitize=thread -Db_lundef=false -Dtestpoints=true
    suite build-test-tsan "clang, thread sanitizer" all --suite stress --timeout-multiplier 8
fi

if [ $form = full ]; then
    part "gcc, sanitizers: all samples of others" env ORMA_CONFORMANCE=long meson test -C build-test-gcc-asan --no-rebuild \
        --print-errorlogs --suite conformance --timeout-multiplier 4 --logbase long || true
    part "gcc, sanitizers: all golden cases" tools/diff_test --shell build-test-gcc-asan/compat/trace_processor_shell \
        tests/golden/processor tests/golden/sql tests/golden/track_event || true
    export ORMA_CONFORMANCE=long
    CC=clang configure build-test-clang-asan -Dwerror=true --buildtype=debug -Db_sanitize=address,undefined -Db_lundef=false -Dtestpoints=true
    suite build-test-clang-asan "clang, sanitizers" all --timeout-multiplier 4
    CC=clang configure build-test-clang -Dwerror=true --buildtype=release -Ddebug=true
    suite build-test-clang "clang, release" all
    part "valgrind: unit tests" tests/valgrind.sh build-test-gcc || true
    part "a foreign locale: unit tests" env LC_ALL=C.UTF-8 LANG=tr_TR.UTF-8 meson test -C build-test-gcc --no-rebuild \
        --print-errorlogs --suite unit --logbase locale || true
fi

echo "== What was not tested"
# shellcheck disable=SC2086
python3 tools/test_report.py $reports || failed="$failed  programs without a test, or too many skips on a busy machine"$'\n'
[ $form != short ] || echo "left out, in tools/test.sh --long: the tests of tests/long.txt ($(sed '/^#/d' tests/long.txt | wc -l)), and all sanitizers"
[ $form = full ] || cat <<TXT
left out, in tools/test.sh --full: the suite "full" and three of four cases under sanitizers, the suites with clang and its sanitizers, clang as released, valgrind, a foreign locale
TXT
echo "left out, on demand: fuzzers beyond their corpus, long attacks, benchmarks (docs/HACKING.md)"
if [ -n "$failed" ]; then
    printf 'Failed after %s s:\n%s' "$SECONDS" "$failed"
    exit 1
fi
echo "All suites passed in $SECONDS s."
