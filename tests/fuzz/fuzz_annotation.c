/*
 * The JSON text of an annotation, as a value of an event in a trace. And the two ways of the reader
 * against each other: what a cursor takes to the letter means the same when it is read as spans.
 */
#include <stdlib.h>
#include <string.h>

#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "protos/reflect/json_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/fuzz/load.h"

static void same(struct orma_json_cursor *c, const struct orma_json_value *a,
                 const struct orma_json_value *b);

static void must(bool promise)
{
    if (!promise)
        abort();
}

static void same_text(const struct orma_json_cursor *c, const struct orma_json_value *a,
                      const struct orma_json_value *b)
{
    struct orma_buf one = {0}, other = {0};

    must(orma_str_eq(a->raw, b->raw));
    must(orma_str_eq(orma_json_cursor_text(c, a, &one), orma_json_text(b, &other)));
    orma_buf_fini(&one);
    orma_buf_fini(&other);
}

static void same_entries(struct orma_json_cursor *c, const struct orma_json_value *container)
{
    struct orma_json in = orma_json_inside(container);
    struct orma_json_value a, key, b;
    struct orma_str name;

    if (container->type == ORMA_JSON_ARRAY) {
        while (orma_json_cursor_element(c, &a)) {
            must(orma_json_element(&in, &b));
            same(c, &a, &b);
        }
        must(!orma_json_element(&in, &b));
    } else {
        while (orma_json_cursor_key(c, &key) && orma_json_cursor_value(c, &a)) {
            must(orma_json_member(&in, &name, &b) && orma_str_eq(name, key.raw));
            same(c, &a, &b);
        }
        must(!orma_json_member(&in, &name, &b));
    }
    must(!in.failed && !c->failed);
}

static void same(struct orma_json_cursor *c, const struct orma_json_value *a,
                 const struct orma_json_value *b)
{
    double x = orma_json_number(a), y = orma_json_number(b);

    must(a->type == b->type && a->integer == b->integer && a->boolean == b->boolean);
    must(!memcmp(&x, &y, sizeof(x)));
    if (a->type == ORMA_JSON_STRING)
        same_text(c, a, b);
    else if (a->type == ORMA_JSON_ARRAY || a->type == ORMA_JSON_OBJECT)
        same_entries(c, b);
}

static void both_ways(struct orma_str text)
{
    static const struct orma_json_rules rules = {.word_max = 63, .depth_max = 64};
    struct orma_buf error = {0};
    struct orma_json_cursor c = orma_json_cursor(text, rules, &error);
    struct orma_json j = orma_json(text);
    struct orma_json_value a, b;

    bool whole = orma_json_cursor_read(&c, &a) && orma_json_cursor_skip(&c, &a, 0) &&
                 orma_json_cursor_end(&c, "the end");
    must(whole == !c.failed && whole == !error.len);
    must(whole || (c.failed_at.data >= text.data &&
                   c.failed_at.data + c.failed_at.len <= text.data + text.len));
    if (whole) {
        c = orma_json_cursor(text, rules, NULL);
        must(orma_json_cursor_read(&c, &a) && orma_json_read(&j, &b));
        same(&c, &a, &b);
        must(!orma_json_read(&j, &b) && !j.failed);
    }
    orma_buf_fini(&error);
}

static void as_annotation(struct orma_str text)
{
    static const char padding[600]; /* so that no bytes of the text make another format of it */
    struct orma_buf out = {0};
    size_t packet = orma_pb_begin(&out, ORMA_PB_TRACE_PACKET);

    orma_pb_put_str(&out, ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS + 900,
                    (struct orma_str){padding, sizeof(padding)});
    orma_pb_end(&out, packet);
    packet = orma_pb_begin(&out, ORMA_PB_TRACE_PACKET);
    orma_pb_put_u64(&out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 5);
    orma_pb_put_u64(&out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 1);
    orma_pb_put_u64(&out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
    size_t event = orma_pb_begin(&out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(&out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
    orma_pb_put_u64(&out, ORMA_PB_TRACK_EVENT_TRACK_UUID, 0);
    size_t annotation = orma_pb_begin(&out, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS);
    orma_pb_put_str(&out, ORMA_PB_DEBUG_ANNOTATION_NAME, ORMA_STR("j"));
    orma_pb_put_str(&out, ORMA_PB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE, text);
    orma_pb_end(&out, annotation);
    orma_pb_end(&out, event);
    orma_pb_end(&out, packet);
    must(fuzz_load(out.data, out.len, 0) == 0);
    orma_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_str text = {size ? (const char *)data : "", size};

    both_ways(text);
    as_annotation(text);
    return 0;
}
