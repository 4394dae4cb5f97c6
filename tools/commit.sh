#!/bin/sh
# Prints the commit that is built: of the checkout, or the one that `git archive` and `meson dist`
# wrote into tools/commit.txt; empty where nobody knows. "+" says that files were changed since.
#     tools/commit.sh
set -eu
cd "$(dirname "$0")/.."
commit=
if [ -e .git ] && command -v git >/dev/null; then # not the checkout of somebody else around us
    commit=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
    if [ -n "$commit" ] && ! git --no-optional-locks diff --quiet HEAD -- 2>/dev/null; then commit=$commit+; fi
else
    read -r commit <tools/commit.txt || true
    case "$commit" in *[!0-9a-f]*) commit= ;; esac # not filled in
    commit=$(printf %.12s "$commit")
fi
echo "$commit"
