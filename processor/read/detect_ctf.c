/* Packets of metadata in either byte order, text of 1.x, and JSON of 2 behind its separator. */
#include "processor/read/detect_ctf.h"

#include <string.h>

#include "sdk/base/defs.h"

#define SEPARATOR 0x1e

bool orma_detect_ctf(const uint8_t *data, size_t len)
{
    static const char *const begins[] = {"\x57\x1d\xd1\x75", "\x75\xd1\x1d\x57", "/* CTF 1."};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(begins); i++)
        if (len >= strlen(begins[i]) && !memcmp(data, begins[i], strlen(begins[i])))
            return true;
    return len && data[0] == SEPARATOR &&
           memmem(data, ORMA_MIN(len, (size_t)ORMA_DETECT_CTF_BYTES), "\"preamble\"", 10);
}
