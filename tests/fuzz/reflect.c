#include "tests/fuzz/reflect.h"

#include <errno.h>
#include <stdlib.h>

uint32_t fuzz_message(const uint8_t **data, size_t *size)
{
    static const char *const names[] = {
        "TraceConfig", "TracePacket",       "TrackEvent", "FtraceEventBundle",
        "TraceStats",  "CommitDataRequest", "SysStats",   "TraceSummarySpec",
    };
    uint8_t first = *size ? **data : 0;
    struct orma_buf full = {0};

    if (*size) {
        ++*data;
        --*size;
    }
    orma_buf_printf(&full, "perfetto.protos.%s", names[first % ORMA_ARRAY_LEN(names)]);
    uint32_t msg = orma_schema_find_msg(orma_schema_default(), orma_buf_str(&full));
    orma_buf_fini(&full);
    if (msg == ORMA_SCHEMA_NONE)
        abort();
    return msg;
}

static bool same(const struct orma_buf *a, const struct orma_buf *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

static void text_round_trip(uint32_t msg, const struct orma_buf *bytes)
{
    const struct orma_schema *s = orma_schema_default();
    struct orma_buf text = {0}, back = {0}, again = {0};
    struct orma_text_parse strict = {.flags = ORMA_TEXT_PARTIAL};
    struct orma_text_parse last = {.flags = ORMA_TEXT_PARTIAL | ORMA_TEXT_LAST_WINS};
    struct orma_text_parse all = {.flags = ORMA_TEXT_PARTIAL | ORMA_TEXT_KEEP_ALL};

    /* Of malformed bytes the good part is printed. */
    (void)orma_text_print(s, msg, bytes->data, bytes->len, NULL, &text);
    if (orma_text_parse(s, msg, orma_buf_str(&text), &all, &back) < 0 ||
        orma_text_print(s, msg, back.data, back.len, NULL, &again) < 0 || !same(&text, &again))
        abort();
    orma_buf_clear(&back);
    if (orma_text_parse(s, msg, orma_buf_str(&text), &strict, &back) < 0 && !all.kept)
        abort(); /* only what stands twice may be refused */
    orma_buf_clear(&back);
    if (orma_text_parse(s, msg, orma_buf_str(&text), &last, &back) < 0)
        abort();
    orma_buf_fini(&text);
    orma_buf_fini(&back);
    orma_buf_fini(&again);
}

static void json_round_trip(uint32_t msg, const struct orma_buf *bytes)
{
    const struct orma_schema *s = orma_schema_default();
    struct orma_buf json = {0}, back = {0}, again = {0};
    struct orma_json_print print = {.flags = bytes->len & 7};
    struct orma_json_parse parse = {.flags = ORMA_JSON_PARTIAL};
    int r = orma_json_print(s, msg, bytes->data, bytes->len, &print, &json);

    if (r == 0) {
        if (orma_json_parse(s, msg, orma_buf_str(&json), &parse, &back) < 0 ||
            orma_json_print(s, msg, back.data, back.len, &print, &again) < 0 ||
            !same(&json, &again))
            abort();
    } else if (r != -EBADMSG || json.len) {
        abort();
    }
    orma_buf_fini(&json);
    orma_buf_fini(&back);
    orma_buf_fini(&again);
}

void fuzz_round_trips(uint32_t msg, const struct orma_buf *bytes)
{
    text_round_trip(msg, bytes);
    json_round_trip(msg, bytes);
}
