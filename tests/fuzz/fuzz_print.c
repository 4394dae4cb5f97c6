/*
 * The text and JSON printers over any bytes: what they print must read back. The
 * first byte names the message, as in fuzz_text.c.
 */
#include "tests/fuzz/reflect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_buf bytes = {0};
    uint32_t msg = fuzz_message(&data, &size);

    orma_buf_put(&bytes, data, size);
    fuzz_round_trips(msg, &bytes);
    orma_buf_fini(&bytes);
    return 0;
}
