/* Traces of track events as the input chooses them, loaded the short way and the long one: the rows
 * must be the same. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/both_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_buf trace = {0};

    if (size > 4096)
        return 0;
    both_ways_trace(&trace, data, size);
    const char *differ =
        trace.failed ? NULL : both_ways_differ(trace.data, trace.len, size % 3 * 97);
    if (differ) {
        fprintf(stderr, "%s\n", differ);
        abort();
    }
    orma_buf_fini(&trace);
    return 0;
}
