/*
 * Any bytes as a trace: containers, JSON, text, everything that is told by its content. The first
 * byte says how large the pieces are; in pieces or at once, the outcome must be the same.
 */
#include <stdlib.h>

#include "tests/fuzz/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t steps[] = {1, 3, 64, 1000, 4096, 70000};

    if (!size)
        return 0;
    int whole = fuzz_load(data + 1, size - 1, 0);
    int pieces = fuzz_load(data + 1, size - 1, steps[data[0] % 6]);
    if ((whole < 0) != (pieces < 0))
        abort();
    return 0;
}
