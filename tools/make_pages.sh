#!/bin/sh
# Writes manual pages and completions with the program that was built: one step for all, as a step each
# takes longer to start than to run.
#     tools/make_pages.sh FOLDER ORMA PAGE...
# FOLDER gets PAGE.1 of each, orma.bash, _orma and orma.fish.
set -eu
folder=$1 orma=$2
shift 2
for page; do
    "$orma" help --man "$page" >"$folder/$page.1"
done
"$orma" help --completion bash >"$folder/orma.bash"
"$orma" help --completion zsh >"$folder/_orma"
"$orma" help --completion fish >"$folder/orma.fish"
