/*
 * Text and JSON beside what they can't do without: the printers beside a walk over
 * every field of the same bytes, the parsers beside one look at every byte of the
 * same text. And what a schema costs: a copy of the default one, and a set added.
 */
#include <stdlib.h>

#include "protos/reflect/json.h"
#include "protos/reflect/text.h"
#include "protos/reflect/walk.h"
#include "sdk/wire/pb_writer.h"
#include "tests/bench/bench.h"

#define PACKETS 20000

static const struct orma_schema *schema;
static uint32_t trace_msg;
static struct orma_buf trace, text, json, set;

static void check(bool ok)
{
    if (!ok)
        abort();
}

/* Slices with a name and an annotation, and scheduling in the compact form. */
static void make_trace(void)
{
    struct orma_buf one = {0};

    for (unsigned i = 0; i < PACKETS; i++) {
        orma_buf_clear(&one);
        orma_buf_printf(&one,
                        "packet { timestamp: %u trusted_packet_sequence_id: 2 track_event { "
                        "type: TYPE_SLICE_BEGIN category_iids: 1 name: \"slice %u\" "
                        "debug_annotations { name: \"arg\" int_value: %u } } } ",
                        1000000 + 17 * i, i % 50, i);
        if (i % 10 == 0)
            orma_buf_printf(&one,
                            "packet { ftrace_events { cpu: 1 compact_sched { switch_timestamp: "
                            "[%u, 500, 700, 900] switch_prev_state: [1, 1, 2, 1] "
                            "switch_next_pid: [5, 6, 7, 8] } } } ",
                            i);
        check(orma_text_parse(schema, trace_msg, orma_buf_str(&one), NULL, &trace) == 0);
    }
    check(orma_text_print(schema, trace_msg, trace.data, trace.len, NULL, &text) == 0);
    check(orma_json_print(schema, trace_msg, trace.data, trace.len, NULL, &json) == 0);
    orma_buf_fini(&one);
}

/* One extension of TrackEvent: FileDescriptorSet { file { package, extension } } */
static void make_set(void)
{
    size_t file = orma_pb_begin(&set, 1);

    orma_pb_put_cstr(&set, 2, "bench");
    size_t extension = orma_pb_begin(&set, 7);
    orma_pb_put_cstr(&set, 1, "added");
    orma_pb_put_cstr(&set, 2, ".perfetto.protos.TrackEvent");
    orma_pb_put_u64(&set, 3, 9900);
    orma_pb_put_u64(&set, 4, 1);
    orma_pb_put_u64(&set, 5, ORMA_TYPE_INT32);
    orma_pb_end(&set, extension);
    orma_pb_end(&set, file);
}

static int sum_value(void *ctx, const struct orma_walk_item *item)
{
    *(uint64_t *)ctx += item->u64;
    return 0;
}

static void run_walk(void *ctx, uint64_t ops)
{
    uint64_t sum = 0;
    struct orma_walk walk = {.value = sum_value, .ctx = &sum};

    (void)ctx, (void)ops;
    check(orma_walk(schema, trace_msg, trace.data, trace.len, &walk) == 0);
    BENCH_USE(sum);
}

/* A look at each byte, by class, as any scanner must. */
static void run_look(void *ctx, uint64_t ops)
{
    const struct orma_buf *in = ctx;
    uint64_t words = 0;
    bool inside = false;

    (void)ops;
    for (size_t i = 0; i < in->len; i++) {
        uint8_t c = in->data[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';

        words += word && !inside;
        inside = word;
    }
    BENCH_USE(words);
}

static void run_text_print(void *ctx, uint64_t ops)
{
    struct orma_buf out = {0};

    (void)ctx, (void)ops;
    check(orma_text_print(schema, trace_msg, trace.data, trace.len, NULL, &out) == 0);
    orma_buf_fini(&out);
}

static void run_json_print(void *ctx, uint64_t ops)
{
    struct orma_buf out = {0};

    (void)ctx, (void)ops;
    check(orma_json_print(schema, trace_msg, trace.data, trace.len, NULL, &out) == 0);
    orma_buf_fini(&out);
}

static void run_text_parse(void *ctx, uint64_t ops)
{
    struct orma_buf out = {0};

    (void)ctx, (void)ops;
    check(orma_text_parse(schema, trace_msg, orma_buf_str(&text), NULL, &out) == 0);
    orma_buf_fini(&out);
}

static void run_json_parse(void *ctx, uint64_t ops)
{
    struct orma_buf out = {0};

    (void)ctx, (void)ops;
    check(orma_json_parse(schema, trace_msg, orma_buf_str(&json), NULL, &out) == 0);
    orma_buf_fini(&out);
}

static void run_copy(void *ctx, uint64_t ops)
{
    (void)ctx;
    for (uint64_t i = 0; i < ops; i++) {
        struct orma_schema *copy;

        check(orma_schema_new(schema, &copy) == 0);
        orma_schema_free(copy);
    }
}

static void run_add(void *ctx, uint64_t ops)
{
    (void)ctx;
    for (uint64_t i = 0; i < ops; i++) {
        struct orma_schema *copy;

        check(orma_schema_new(schema, &copy) == 0);
        check(orma_schema_add(copy, set.data, set.len, NULL) == 0);
        orma_schema_free(copy);
    }
}

int main(void)
{
    schema = orma_schema_default();
    trace_msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.Trace"));
    check(trace_msg != ORMA_SCHEMA_NONE);
    make_trace();
    make_set();
    double wire = (double)trace.len / PACKETS, txt = (double)text.len / PACKETS,
           js = (double)json.len / PACKETS;

    bench_title("Printing a trace, per packet (bytes: of the trace)");
    struct bench_result floor = bench_run(run_walk, NULL, PACKETS);
    bench_print("walk over every field", floor, NULL, wire);
    bench_print("as text", bench_run(run_text_print, NULL, PACKETS), &floor, wire);
    bench_print("as JSON", bench_run(run_json_print, NULL, PACKETS), &floor, wire);

    bench_title("Parsing a trace, per packet (bytes: of the text)");
    floor = bench_run(run_look, &text, PACKETS);
    bench_print("a look at every byte of the text", floor, NULL, txt);
    bench_print("text", bench_run(run_text_parse, NULL, PACKETS), &floor, txt);
    floor = bench_run(run_look, &json, PACKETS);
    bench_print("a look at every byte of the JSON", floor, NULL, js);
    bench_print("JSON", bench_run(run_json_parse, NULL, PACKETS), &floor, js);

    bench_title("Schemas");
    floor = bench_run(run_copy, NULL, 200);
    bench_print("copy of the default schema", floor, NULL, 0);
    bench_print("the same, and an extension added", bench_run(run_add, NULL, 200), &floor, 0);
    orma_buf_fini(&trace);
    orma_buf_fini(&text);
    orma_buf_fini(&json);
    orma_buf_fini(&set);
    return 0;
}
