/*
 * The first slices: a program that records itself into a file.
 *
 *   first FILE          then: orma query FILE "SELECT name, dur FROM slice"
 */
#include <orma/orma.h>

#include <stdio.h>

ORMA_CATEGORY_DEFINE(kitchen, "kitchen", "What the cook does", NULL);

static void chop(int onions)
{
    ORMA_SLICE(kitchen, "chop", ORMA_ARG_INT("onions", onions)); /* ends with the function */
    for (volatile int i = 0; i < onions * 1000; i++)
        ;
}

int main(int argc, char **argv)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;

    if (argc != 2) {
        fprintf(stderr, "usage: first FILE\n");
        return 2;
    }
    args.path = argv[1];
    if (orma_recording_start(&args, &recording) < 0) {
        fprintf(stderr, "first: cannot write %s\n", argv[1]);
        return 1;
    }
    ORMA_SLICE_BEGIN(kitchen, "dinner");
    for (int i = 1; i <= 3; i++) {
        chop(i);
        ORMA_COUNTER(kitchen, "onions left", 3 - i);
    }
    ORMA_INSTANT(kitchen, "served", ORMA_ARG_STR("to", "everybody"));
    ORMA_SLICE_END(kitchen);
    return orma_recording_stop(recording, NULL) < 0;
}
