#!/bin/sh
# Writes manual pages and completions with the program that was built: one step for all, as a step each
# takes longer to start than to run.
#     tools/make_pages.sh FOLDER PAGE... -- [EMULATOR...] ORMA
# FOLDER gets PAGE.1 of each, orma.bash, _orma and orma.fish.
set -eu
folder=$1 pages=
shift
while [ "$1" != -- ]; do
    pages="$pages $1"
    shift
done
shift
for page in $pages; do
    "$@" help --man "$page" >"$folder/$page.1"
done
"$@" help --completion bash >"$folder/orma.bash"
"$@" help --completion zsh >"$folder/_orma"
"$@" help --completion fish >"$folder/orma.fish"
