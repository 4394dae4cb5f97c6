#!/bin/sh
# Ends an installation: tells the loader of new libraries, and says what would not be found, and what to set.
#     tools/install_check.sh LIBDIR PYTHON_FOLDER
# Packages are made with DESTDIR: nothing is done then.
set -eu
[ -z "${DESTDIR-}" ] || exit 0
[ -z "${MESON_INSTALL_DRY_RUN-}" ] || exit 0
lib=$MESON_INSTALL_PREFIX/$1 python=$MESON_INSTALL_PREFIX/$2
PATH=$PATH:/usr/sbin:/sbin

if [ "$(id -u)" -eq 0 ]; then
    ldconfig 2>/dev/null || true
fi

# Paths may have links in them: files are compared, not names.
is_loaded() {
    ldconfig -p | sed -n 's/.* => \(.*\/liborma\.so.*\)/\1/p' | {
        while read -r file; do
            if [ "$file" -ef "$lib/${file##*/}" ]; then exit 0; fi
        done
        exit 1
    }
}
if command -v ldconfig >/dev/null && ! is_loaded; then
    echo "The loader does not look into $lib: set LD_LIBRARY_PATH=$lib, or as root add it to /etc/ld.so.conf.d and run ldconfig."
fi
if command -v pkg-config >/dev/null && ! [ "$(pkg-config --variable=libdir orma 2>/dev/null)" -ef "$lib" ]; then
    echo "pkg-config does not look into $lib/pkgconfig: set PKG_CONFIG_PATH=$lib/pkgconfig."
fi
if command -v python3 >/dev/null; then
    found=$(cd / && python3 -c "import orma; print(orma.__file__)" 2>/dev/null || true)
    [ "$found" -ef "$python/orma/__init__.py" ] ||
        echo "python3 does not look into $python: set PYTHONPATH=$python."
fi
