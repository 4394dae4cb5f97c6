#!/bin/sh
# Links in BUILD/compat under the names that scripts and other tools expect.
#     tools/compat.sh BUILD STAMP links|programs
# With `links` the daemons are links to orma, too.
set -eu
mkdir -p "$1/compat"
for name in trace_processor_shell trace_processor perfetto trigger_perfetto traceconv tracebox cpu_profile websocket_bridge; do
    ln -sfn ../tools/orma "$1/compat/$name"
done
if [ "$3" = programs ]; then
    ln -sfn ../traced/traced "$1/compat/traced"
    ln -sfn ../probes/traced_probes "$1/compat/traced_probes"
else
    ln -sfn ../tools/orma "$1/compat/traced"
    ln -sfn ../tools/orma "$1/compat/traced_probes"
fi
: >"$2"
