#!/usr/bin/env bash
# Unit tests of a build folder under valgrind.
#
#     tests/valgrind.sh BUILD_DIR
#
# Criterion runs each test in a child and exits 0 whatever valgrind finds there, so each process logs
# to a file of its own and the error summaries decide. A planted error proves first that they do.
set -eu
build=${1:?usage: tests/valgrind.sh BUILD_DIR}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# check NAME PROGRAM [ARG...]: fails if any process of the program had an error.
check() {
    name=$1; shift
    mkdir -p "$logs/$name"
    valgrind --quiet --trace-children=yes --error-exitcode=0 --leak-check=no \
        --log-file="$logs/$name/%p" "$@" >"$logs/$name.out" 2>&1 || {
        echo "$name: failed under valgrind"; tail -20 "$logs/$name.out"; return 1
    }
    if grep -l . "$logs/$name"/* 2>/dev/null | grep -q .; then
        cat "$logs/$name"/*
        return 1
    fi
    echo "$name: clean"
}

if check planted "$build/tests/support/planted_error" --quiet >/dev/null 2>&1; then
    echo "the planted error was not found: this check proves nothing" >&2
    exit 1
fi
failed=0
for t in "$build"/tests/unit/*/test_*; do
    [ -f "$t" ] && [ -x "$t" ] || continue
    case $t in
    */test_traced_sandbox) echo "$(basename "$t"): left out, valgrind does not know seccomp()"; continue ;;
    esac
    check "$(basename "$t")" "$t" --quiet --jobs=2 || failed=1
done
exit $failed
