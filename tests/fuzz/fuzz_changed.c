/*
 * Any bytes as a trace in a mapped file that others write over meanwhile: what was checked when it
 * was read first may be anything when it is read again. The first byte says which bytes change.
 */
#include "tests/fuzz/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    for (uint64_t i = 0; i < 8; i++)
        (void)fuzz_load_changing(data + 1, size - 1, data[0] * UINT64_C(8) + i);
    return 0;
}
