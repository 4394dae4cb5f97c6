/* Any text as the name of a Rust symbol. (C++ is the runtime library's.) */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "processor/symbols/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = malloc(size + 3);

    if (!name)
        return 0;
    memcpy(name, "_R", 2);
    if (size)
        memcpy(name + 2, data, size);
    name[size + 2] = 0;
    free(orma_demangle(name));
    free(name);
    return 0;
}
