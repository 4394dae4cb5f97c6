#!/usr/bin/env bash
# Makes Debian packages of a build: orma (programs, libraries, headers, manual pages) and python3-orma.
set -eu
usage="Usage: tools/make_deb.sh BUILD_DIR [FOLDER]

Writes orma_VERSION_ARCH.deb and python3-orma_VERSION_all.deb to FOLDER (default: the current one). Files go where the
build says; for a package of a system that is: meson setup build --buildtype=release --prefix=/usr
  --libdir=lib/\$(dpkg-architecture -qDEB_HOST_MULTIARCH)
DEB_OPTIONS in the environment are for dpkg-deb: -Znone is fast."
case "${1-}" in
--help | -h) echo "$usage"; exit 0 ;;
"" | -*) echo "$usage" >&2; exit 2 ;;
esac
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
out=$(cd "${2-.}" && pwd)
for tool in dpkg-deb dpkg-shlibdeps meson; do
    command -v $tool >/dev/null || { echo "make_deb.sh: $tool is missing: install dpkg-dev and meson" >&2; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/orma
python=$scratch/python3-orma

meson install -C "$build" --no-rebuild --quiet --strip --destdir "$tree"
find "$tree" -name '*.a' -exec strip --strip-debug {} +
# The package of Python is one for all versions of it.
mkdir -p "$python/usr/lib/python3/dist-packages"
find "$tree" -depth -type d -path '*/python3*/*-packages/orma' -exec rm -r {} +
find "$tree" -depth -type d -empty -delete
cp -r "$source/tools/python/orma" "$python/usr/lib/python3/dist-packages/"
find "$python" -name __pycache__ -prune -exec rm -r {} +

version=$(sed -n "s/^project('orma', 'c', version: '\([^']*\)'.*/\1/p" "$source/meson.build")
arch=$(dpkg --print-architecture)
mkdir "$scratch/debian"
echo "Source: orma" >"$scratch/debian/control"
binaries=$(find "$tree" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF && echo "$1"' _ {} \;)
libdir=$(dirname "$(find "$tree" -name 'liborma*.so*' | head -n 1)")
# shellcheck disable=SC2086
depends=$(cd "$scratch" && dpkg-shlibdeps -O --ignore-missing-info -xorma ${libdir:+"-l$libdir"} $binaries 2>"$scratch/messages" |
    sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat "$scratch/messages" >&2; exit 1; }

# control FOLDER NAME ARCH DEPENDS TEXT [FIELD...]
control() {
    local folder=$1 name=$2 of=$3 needs=$4 text=$5; shift 5
    mkdir "$folder/DEBIAN"
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\nSection: devel\nPriority: optional\n' "$name" "$version" "$of"
        printf 'Maintainer: Orma <orma@localhost>\nInstalled-Size: %s\n' "$(du -sk "$folder" | cut -f1)"
        printf 'Depends: %s\n' "$needs"
        [ $# = 0 ] || printf "%s\n" "$@"
        printf 'Description: %s\n' "$text"
    } >"$folder/DEBIAN/control"
    [ "$of" = all ] || echo "activate-noawait ldconfig" >"$folder/DEBIAN/triggers"
    chmod -R u+rwX,go+rX,go-w "$folder"
    # shellcheck disable=SC2086
    dpkg-deb ${DEB_OPTIONS-} --root-owner-group --build "$folder" "$out/${name}_${version}_$of.deb"
}

control "$tree" orma "$arch" "$depends" "records what a machine does, and answers questions about it in SQL"
control "$python" python3-orma all "python3 (>= 3.8), orma (= $version)" "SQL over traces of Perfetto and others, in Python" \
    "Suggests: python3-numpy, python3-pandas"
