/*
 * The JSON parser over any text: what it accepts must print as JSON that it
 * accepts, and that prints the same again. First bytes as in fuzz_text.c.
 */
#include <stdlib.h>

#include "tests/fuzz/reflect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_buf out = {0}, error = {0};
    uint32_t msg = fuzz_message(&data, &size);
    uint32_t flags = size ? data[0] & 3 : 0;

    if (!size)
        return 0;
    struct orma_json_parse opts = {.flags = flags, .error = &error};
    int r = orma_json_parse(orma_schema_default(), msg,
                            (struct orma_str){(const char *)data + 1, size - 1}, &opts, &out);
    if ((r < 0 && out.len) || (r < 0) != (error.len > 0))
        abort();
    if (r == 0)
        fuzz_round_trips(msg, &out);
    orma_buf_fini(&out);
    orma_buf_fini(&error);
    return 0;
}
