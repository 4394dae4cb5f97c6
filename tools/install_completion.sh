#!/bin/sh
# Installs the completion for bash, under the name of every program that it serves.
#     tools/install_completion.sh SCRIPT FOLDER NAME...
set -eu
from=$1 to="${MESON_INSTALL_DESTDIR_PREFIX}/$2"
shift 2
mkdir -p "$to"
install -m 644 "$from" "$to/orma"
for name; do
    ln -sfn orma "$to/$name"
done
