/*
 * The text parser over any text: it must end, and give the same in one piece and
 * in many; what it accepts must print as a text that it accepts, and that prints
 * the same again.
 *
 * The first byte names the message, the second the flags: "00duration_ms: 5" is a TraceConfig.
 */
#include <stdlib.h>

#include "tests/fuzz/reflect.h"

struct drip {
    struct orma_str left;
    size_t step;
};

static ssize_t drip_read(void *ctx, void *to, size_t len)
{
    struct drip *d = ctx;
    size_t n = ORMA_MIN(ORMA_MIN(len, d->step), d->left.len);

    if (n)
        memcpy(to, d->left.data, n);
    d->left.data += n;
    d->left.len -= n;
    return (ssize_t)n;
}

static void check_stream(uint32_t msg, struct orma_str text, uint32_t flags, int whole_r,
                         const struct orma_buf *whole)
{
    struct drip d = {text, 1 + text.len % 13};
    struct orma_buf out = {0}, error = {0};
    struct orma_text_parse opts = {.flags = flags, .error = &error};
    int r = orma_text_parse_stream(orma_schema_default(), msg,
                                   (struct orma_reflect_source){drip_read, &d}, &opts,
                                   orma_reflect_sink_buf(&out));

    if (r != whole_r || (r < 0) != (error.len > 0))
        abort();
    if (r == 0 && (out.len != whole->len || (out.len && memcmp(out.data, whole->data, out.len))))
        abort();
    orma_buf_fini(&out);
    orma_buf_fini(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_buf out = {0};
    uint32_t msg = fuzz_message(&data, &size);
    uint32_t flags = size ? data[0] & 7 : 0;

    if (!size)
        return 0;
    struct orma_str text = {(const char *)data + 1, size - 1};
    struct orma_text_parse opts = {.flags = flags};
    int r = orma_text_parse(orma_schema_default(), msg, text, &opts, &out);
    if (r < 0 && out.len)
        abort();
    check_stream(msg, text, flags, r, &out);
    if (r == 0)
        fuzz_round_trips(msg, &out);
    orma_buf_fini(&out);
    return 0;
}
