#!/bin/sh
# Links in BUILD/compat under the names that scripts and other tools expect.
#     tools/compat.sh BUILD STAMP
set -eu
mkdir -p "$1/compat"
for name in trace_processor_shell trace_processor perfetto trigger_perfetto traceconv tracebox cpu_profile websocket_bridge; do
    ln -sfn ../tools/orma "$1/compat/$name"
done
ln -sfn ../traced/traced "$1/compat/traced"
ln -sfn ../probes/traced_probes "$1/compat/traced_probes"
: >"$2"
