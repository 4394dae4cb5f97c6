#!/usr/bin/env bash
# Makes Debian packages of the checkout, as debian/ says: source package and binary packages.
set -eu
usage="Usage: tools/make_deb.sh [-b] [FOLDER]

Builds the packages of debian/control from the files of this checkout, and writes them to FOLDER (default: ../orma-packages).
Nothing of the checkout is changed. The packages that the build needs: apt-get build-dep ./ as root.

  -b   binary packages only

DEB_BUILD_OPTIONS=nocheck leaves out the cases with expected rows (a minute); dpkg-buildpackage(1) has more of these."
what=
case "${1-}" in
--help | -h) echo "$usage"; exit 0 ;;
-b) what=-b; shift ;;
-*) echo "$usage" >&2; exit 2 ;;
esac
source=$(cd "$(dirname "$0")/.." && pwd)
for tool in dpkg-buildpackage dh; do
    command -v $tool >/dev/null || { echo "make_deb.sh: $tool is missing: apt-get build-dep ./ (as root) installs all that the build needs" >&2; exit 1; }
done
cd "$source"
dpkg-checkbuilddeps || { echo "make_deb.sh: install what is missing: apt-get build-dep ./ (as root)" >&2; exit 1; }
out=${1-../orma-packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

version=$(dpkg-parsechangelog -S Version)
upstream=${version%-*}
tree=$scratch/orma-$upstream
mkdir "$tree"
if [ -e .git ]; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
        [ ! -e "$file" ] || printf '%s\0' "$file"
    done | tar --null --files-from=- -cf - | tar -C "$tree" -xf -
    tools/commit.sh >"$tree/tools/commit.txt"
else # unpacked from an archive
    tar --exclude='./build*' --exclude='./obj-*' --exclude=./debian/files -cf - . | tar -C "$tree" -xf -
fi
# The mode bits of whoever has the checkout are no part of the package.
chmod -R u+rwX,go+rX,go-w "$tree"
[ -n "$what" ] || tar -C "$scratch" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(dpkg-parsechangelog -S Timestamp)" \
    --exclude="orma-$upstream/debian" -cJf "$scratch/orma_$upstream.orig.tar.xz" "orma-$upstream"
(cd "$tree" && dpkg-buildpackage -us -uc $what)
find "$scratch" -maxdepth 1 -type f -exec mv -t "$out" {} +
ls "$out"
