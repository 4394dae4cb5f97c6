#include "processor/read/detect.h"

#include <string.h>
#include <strings.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

#define TAR_MAGIC_AT 257
#define ENOUGH 4096

const char *const orma_format_names[ORMA_FORMATS_NUM] = {
    [ORMA_FORMAT_MORE] = "unknown",      [ORMA_FORMAT_UNKNOWN] = "unknown",
    [ORMA_FORMAT_PROTO] = "proto",       [ORMA_FORMAT_JSON] = "json",
    [ORMA_FORMAT_SYSTRACE] = "systrace", [ORMA_FORMAT_GZIP] = "gzip",
    [ORMA_FORMAT_ZSTD] = "zstd",         [ORMA_FORMAT_ZIP] = "zip",
    [ORMA_FORMAT_TAR] = "tar",           [ORMA_FORMAT_CTRACE] = "ctrace",
};

static bool has(const uint8_t *data, size_t len, size_t at, const char *magic, size_t magic_len)
{
    return len >= at + magic_len && !memcmp(data + at, magic, magic_len);
}

/* The text without blanks, as far as it takes to tell JSON. */
static bool is_json(const uint8_t *data, size_t len)
{
    char squeezed[4];
    unsigned n = 0;

    for (size_t i = 0; i < len && n < sizeof(squeezed); i++)
        if (!strchr(" \t\r\n", data[i]) || !data[i])
            squeezed[n++] = (char)data[i];
    if (n >= 2 && squeezed[0] == '{' && (squeezed[1] == '"' || squeezed[1] == '}'))
        return true;
    return (n >= 3 && squeezed[0] == '[' && squeezed[1] == '{' && squeezed[2] == '"') ||
           (n >= 2 && squeezed[0] == '[' && squeezed[1] == ']');
}

static bool is_systrace(const uint8_t *data, size_t len)
{
    const char *text = (const char *)data;

    if (len && (text[0] == ' ' || text[0] == '\t'))
        return true;
    if (len >= 14 && !strncasecmp(text, "<!doctype html", 14))
        return true;
    if (len >= 5 && !strncasecmp(text, "<html", 5))
        return true;
    return has(data, len, 0, "TRACE:\n", 7) || has(data, len, 0, "cpus=", 5) ||
           memmem(data, len, "# tracer", 8);
}

enum orma_format orma_detect_format(const uint8_t *data, size_t len, bool at_end)
{
    if (len < ENOUGH && !at_end)
        return ORMA_FORMAT_MORE;
    size_t look = ORMA_MIN(len, (size_t)ENOUGH);
    if (has(data, len, TAR_MAGIC_AT, "ustar", 5))
        return ORMA_FORMAT_TAR;
    if (has(data, len, 0, "PK\3\4", 4))
        return ORMA_FORMAT_ZIP;
    if (has(data, len, 0, "\x1f\x8b", 2))
        return ORMA_FORMAT_GZIP;
    if (has(data, len, 0, "\x28\xb5\x2f\xfd", 4))
        return ORMA_FORMAT_ZSTD;
    if (is_json(data, look))
        return ORMA_FORMAT_JSON;
    if (has(data, len, 0, "TRACE:\n", 7) && memmem(data, look, "\x78\x9c", 2))
        return ORMA_FORMAT_CTRACE;
    if (is_systrace(data, look))
        return ORMA_FORMAT_SYSTRACE;
    if (len && data[0] == 0x0a)
        return ORMA_FORMAT_PROTO;
    return ORMA_FORMAT_UNKNOWN;
}
