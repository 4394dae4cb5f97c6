# Debian packages by purpose; sourced by tools/quickstart.sh and tools/test.sh.
ORMA_BUILD_PACKAGES="gcc libc6-dev meson ninja-build pkg-config python3 protobuf-c-compiler protobuf-compiler
libprotobuf-c-dev libevent-dev libsqlite3-dev zlib1g-dev libdeflate-dev libzstd-dev liblzma-dev libbz2-dev libseccomp-dev
libpcre2-dev libsystemd-dev libelf-dev libdw-dev libexpat1-dev libedit-dev"
ORMA_TEST_PACKAGES="$ORMA_BUILD_PACKAGES libcriterion-dev clang llvm
libclang-rt-14-dev libdebuginfod1 valgrind tmux python3-numpy python3-pandas sqlite3 chromium firefox-esr
clickhouse-server libcurl4 furo python3-myst-parser python3-sphinx
qemu-system-x86 busybox-static cpio iproute2
golang-go nodejs cargo librust-tracing-dev librust-tracing-subscriber-dev"

# orma_missing PACKAGE...: those that are not installed.
orma_missing() {
    for p in "$@"; do
        dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || echo "$p"
    done
}

# orma_install PACKAGE...: installs what is missing; an ordinary user is told what to type (exit 3).
orma_install() {
    command -v dpkg-query >/dev/null || return 0 # not Debian: the build says what it lacks
    missing=$(orma_missing "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "Some packages are missing. Install them with this line, then run me again:" >&2
        echo "  sudo apt-get install -y $missing" >&2
        exit 3
    fi
    echo "Installing: $missing" >&2
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
