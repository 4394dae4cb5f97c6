# Sourced by the tests: builds ./steps, a program with ten slices. With an argument it records itself into that file.
cd "${AUTOPKGTEST_TMP:-$(mktemp -d)}"
cat >steps.c <<'C'
#include <orma/orma.h>
#include <stddef.h>
#include <unistd.h>

ORMA_CATEGORY_DEFINE(work, "work", "What the program does", NULL);

int main(int argc, char **argv)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording = NULL;

    orma_init(NULL);
    args.path = argv[1];
    if (argc > 1 && orma_recording_start(&args, &recording) != 0)
        return 1;
    for (int i = 0; i < 10; i++) {
        ORMA_SLICE(work, "step", ORMA_ARG_INT("i", i));
        usleep(1000);
    }
    if (recording)
        orma_recording_stop(recording, NULL);
    return 0;
}
C
# shellcheck disable=SC2046
cc -Wall -Werror steps.c $(pkg-config --cflags --libs orma) -o steps

# ten COMMAND...: its last line must be 10.
ten() {
    said=$("$@" | tail -n 1 | tr -d '\r') # RFC 4180 ends lines with it
    [ "$said" = 10 ] || { echo "$*: '$said', not 10" >&2; exit 1; }
}
