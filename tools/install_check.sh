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
if command -v ldconfig >/dev/null && ! ldconfig -p | grep -qF "$lib/liborma.so"; then
    echo "The loader does not look into $lib: set LD_LIBRARY_PATH=$lib, or as root add it to /etc/ld.so.conf.d and run ldconfig."
fi
if command -v pkg-config >/dev/null && [ "$(pkg-config --variable=libdir orma 2>/dev/null)" != "$lib" ]; then
    echo "pkg-config does not look into $lib/pkgconfig: set PKG_CONFIG_PATH=$lib/pkgconfig."
fi
if command -v python3 >/dev/null && ! (cd / && python3 -c "import orma; assert orma.__file__.startswith('$python/')") 2>/dev/null; then
    echo "python3 does not look into $python: set PYTHONPATH=$python."
fi
