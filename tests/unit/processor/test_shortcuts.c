/* Shortcuts of the import change no row: bursts of packets, plain events. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "processor/assembly/importers.h"
#include "processor/import/core/file.h"
#include "processor/import/core/import.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/both_ways.h"
#include "tests/support/leaks.h"

#define TRACES 500
#define CHOICES 8000

Test(processor_shortcuts, traces_of_all_sorts_are_the_same_both_ways, .timeout = 240)
{
    for (unsigned seed = 1; seed <= TRACES; seed++) {
        static uint8_t choices[CHOICES];
        struct orma_buf trace = {0};
        uint64_t state = seed;

        for (unsigned i = 0; i < CHOICES; i++)
            choices[i] = (uint8_t)(state = orma_mix64(state + i));
        both_ways_trace(&trace, choices, CHOICES);
        cr_assert(!trace.failed);
        const char *differ = both_ways_differ(trace.data, trace.len, seed % 4 ? 0 : 1000 + seed);
        cr_assert_null(differ, "seed %u: %s", seed, differ);
        orma_buf_fini(&trace);
    }
    orma_assert_no_leaks();
}

/* ---- that the short way is taken at all ---- */

static void put_instant(struct orma_buf *out, unsigned i, uint32_t pid)
{
    size_t packet = orma_pb_begin(out, 1);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 1000 + i);
    size_t e = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, 1);
    orma_pb_end(out, e);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 5);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PID, pid);
    orma_pb_end(out, packet);
}

/* How often packets in a row were read as one. */
static uint64_t bursts_of(const struct orma_buf *trace)
{
    static struct orma_storage storage;
    static struct orma_import import;

    cr_assert_eq(orma_storage_init(&storage), 0);
    cr_assert_eq(orma_import_init(&import, &storage, &orma_importers, NULL), 0);
    cr_assert_eq(orma_reader_map(&import.reader, trace->data, trace->len), trace->len);
    uint64_t ret = import.reader.burst.num;
    orma_import_finish(&import);
    cr_assert_eq(storage.tables[ORMA_TABLE_SLICE].rows, 100);
    orma_import_fini(&import);
    orma_storage_fini(&storage);
    return ret;
}

Test(processor_shortcuts, packets_of_a_writer_are_one_burst)
{
    struct orma_buf trace = {0};

    for (unsigned i = 0; i < 100; i++)
        put_instant(&trace, i, 7);
    cr_assert_eq(bursts_of(&trace), 1);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

Test(processor_shortcuts, another_tail_ends_a_burst_and_begins_one)
{
    struct orma_buf trace = {0};

    for (unsigned i = 0; i < 100; i++)
        put_instant(&trace, i, 7 + i / 25);
    cr_assert_eq(bursts_of(&trace), 4);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

/* ---- args that are left for later ---- */

static void put_annotated(struct orma_buf *out, unsigned i, uint64_t val, const char *text)
{
    size_t packet = orma_pb_begin(out, 1);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 1000 + i);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, i ? 2 : 3);
    size_t e = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, 0);
    size_t a = orma_pb_begin(out, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS);
    orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_NAME, "number");
    orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, val);
    orma_pb_end(out, a);
    a = orma_pb_begin(out, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS);
    orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_NAME, "text");
    orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE, text);
    orma_pb_end(out, a);
    orma_pb_end(out, e);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 5);
    orma_pb_end(out, packet);
}

/* Of how many events the args were not decoded at once. */
static uint32_t left_of(const struct orma_buf *trace)
{
    struct orma_storage *storage = calloc(1, sizeof(*storage));
    struct orma_import *import = calloc(1, sizeof(*import));

    cr_assert_eq(orma_storage_init(storage), 0);
    cr_assert_eq(orma_import_init(import, storage, &orma_importers, NULL), 0);
    orma_args_log(&storage->args);
    struct orma_file *file = orma_file_new(import, NULL, 0);
    orma_file_map_all(file, trace->data, trace->len);
    orma_file_finish(file);
    orma_import_finish(import);
    uint32_t ret = storage->args.log.places_num;
    orma_import_fini(import);
    orma_storage_fini(storage);
    free(import);
    free(storage);
    return ret;
}

Test(processor_shortcuts, args_are_left_that_are_long_or_mostly_differ)
{
    enum { EVENTS = 20000 };
    static const struct {
        unsigned values; /* that differ */
        const char *text;
        uint32_t at_least, at_most;
    } cases[] = {
        {EVENTS, "short", EVENTS * 9 / 10, EVENTS - 1},
        {10, "short", 0, 0},
        {EVENTS, "", EVENTS * 9 / 10, EVENTS - 1},
        {10, "a text that is long enough for the whole event not to be short", EVENTS, EVENTS},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf trace = {0};

        for (unsigned n = 0; n < EVENTS; n++)
            put_annotated(&trace, n, n % cases[i].values, cases[i].text);
        const uint32_t left = left_of(&trace);
        cr_assert(left >= cases[i].at_least && left <= cases[i].at_most, "%u: %u", i, left);
        const char *differ = both_ways_differ(trace.data, trace.len, 0);
        cr_assert_null(differ, "%u: %s", i, differ);
        orma_buf_fini(&trace);
    }
    orma_assert_no_leaks();
}

/* ---- args of JSON ---- */

static uint32_t next_of(uint32_t *seed, uint32_t num)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % num;
}

/* Values as writers make them, and now and then some that no writer should. */
static void put_json_value(struct orma_buf *out, uint32_t *seed, unsigned depth)
{
    static const char *const words[] = {
        "1",
        "-12",
        "3.5e2",
        "true",
        "false",
        "null",
        "\"short\"",
        "\"a text that is longer\"",
        "NaN",
        "1e400",
        "007",
        "{}",
        "[ ]",
        "\"\\u00e9 \\\" \\n\"",
        "123456789012345678901234",
        "\"\"",
    };
    static const char *const odd[] = {"broken",  "",  "tru",       "-",      "1 2",
                                      "\"\\x\"", "]", "{\"a\" 1}", "[1,,2,]"};
    const uint32_t kind = next_of(seed, 64);

    if (kind == 0) {
        orma_buf_put_str(out, odd[next_of(seed, ORMA_ARRAY_LEN(odd))]);
    } else if (kind < 16 && depth < 70) {
        const bool object = kind % 2;
        const uint32_t num = next_of(seed, 4);

        orma_buf_put_byte(out, object ? '{' : '[');
        for (uint32_t i = 0; i < num; i++) {
            orma_buf_put_str(out, i ? next_of(seed, 4) ? "," : " ,\n " : "");
            if (object)
                orma_buf_printf(out, "\"%s%u\"%s", next_of(seed, 9) ? "k" : "k[", next_of(seed, 5),
                                next_of(seed, 4) ? ":" : " : ");
            put_json_value(out, seed, depth + 1);
        }
        orma_buf_put_byte(out, object ? '}' : ']');
    } else {
        orma_buf_put_str(out, words[next_of(seed, ORMA_ARRAY_LEN(words))]);
    }
}

static void put_json_events(struct orma_buf *out, uint32_t seed, unsigned num)
{
    static const char *const phases[] = {"X", "B", "E", "i", "b", "e", "C"};

    orma_buf_put_str(out, "[");
    for (unsigned i = 0; i < num; i++) {
        orma_buf_printf(out,
                        "%s\n{\"ph\":\"%s\",\"ts\":%u,\"dur\":1,\"pid\":1,\"tid\":%u,\"id\":1,"
                        "\"cat\":\"c\",\"name\":\"n%u\",\"args\":{",
                        i ? "," : "", phases[next_of(&seed, ORMA_ARRAY_LEN(phases))], 10 * i,
                        next_of(&seed, 3), next_of(&seed, 3));
        for (uint32_t n = next_of(&seed, 4), at = 0; at < n; at++) {
            orma_buf_printf(out, "%s\"a%u\":", at ? "," : "", next_of(&seed, 3));
            put_json_value(out, &seed, 0);
        }
        orma_buf_put_str(out, "}}");
    }
    orma_buf_put_str(out, "]");
}

Test(processor_shortcuts, args_of_json_that_are_left_are_those_that_are_read_at_once)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct orma_buf trace = {0};

        put_json_events(&trace, seed, 40);
        const char *differ = both_ways_differ(trace.data, trace.len, seed % 3 ? seed : 0);
        cr_assert_null(differ, "%u: %s\n%s", seed, differ, orma_buf_cstr(&trace));
        orma_buf_fini(&trace);
    }
    orma_assert_no_leaks();
}

Test(processor_shortcuts, args_of_json_are_left_that_are_long_or_mostly_differ)
{
    enum { EVENTS = 20000 };
    static const struct {
        unsigned values; /* that differ */
        const char *text;
        uint32_t at_least, at_most;
    } cases[] = {
        {EVENTS, "short text", EVENTS * 9 / 10, EVENTS - 1},
        {10, "short text", 0, 0},
        {10, "a text that is long enough for all of the args not to be short", EVENTS, EVENTS},
        {EVENTS,
         "a text that can't be read as it ends with a broken \", \"value\": broken, \"x\": \"", 0,
         0},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf trace = {0};

        for (unsigned n = 0; n < EVENTS; n++)
            orma_buf_printf(&trace,
                            "%c\n{\"ph\":\"X\",\"ts\":%u,\"dur\":1,\"pid\":1,\"tid\":1,\"name\":"
                            "\"n\",\"args\":{\"number\":%u,\"text\":\"%s\"}}",
                            n ? ',' : '[', 10 * n, n % cases[i].values, cases[i].text);
        orma_buf_put_str(&trace, "]");
        const uint32_t left = left_of(&trace);
        cr_assert(left >= cases[i].at_least && left <= cases[i].at_most, "%u: %u", i, left);
        const char *differ = both_ways_differ(trace.data, trace.len, 0);
        cr_assert_null(differ, "%u: %s", i, differ);
        orma_buf_fini(&trace);
    }
    orma_assert_no_leaks();
}

/* ---- args that come again ---- */

/* `name`: what annotations with the number 1 are called from now on; NULL: as before. */
static void put_short(struct orma_buf *out, unsigned i, uint32_t seq, const char *name,
                      uint32_t type, unsigned val)
{
    size_t packet = orma_pb_begin(out, 1);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 1000 + i);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, name ? 3 : 2);
    if (name) {
        size_t interned = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA);
        size_t entry = orma_pb_begin(out, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES);
        orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_NAME__IID, 1);
        orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_NAME__NAME, name);
        orma_pb_end(out, entry);
        orma_pb_end(out, interned);
    }
    size_t e = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, type);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, 1);
    size_t a = orma_pb_begin(out, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS);
    orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_NAME_IID, 1);
    orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, val);
    orma_pb_end(out, a);
    orma_pb_end(out, e);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, seq);
    orma_pb_end(out, packet);
}

Test(processor_shortcuts, args_that_come_again_mean_what_their_writer_says_then)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    struct orma_buf trace = {0};
    size_t packet = orma_pb_begin(&trace, 1);
    size_t track = orma_pb_begin(&trace, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);

    orma_pb_put_u64(&trace, ORMA_PB_TRACK_DESCRIPTOR_UUID, 1);
    size_t thread = orma_pb_begin(&trace, ORMA_PB_TRACK_DESCRIPTOR_THREAD);
    orma_pb_put_u64(&trace, ORMA_PB_THREAD_DESCRIPTOR_PID, 2);
    orma_pb_put_u64(&trace, ORMA_PB_THREAD_DESCRIPTOR_TID, 3);
    orma_pb_end(&trace, thread);
    orma_pb_end(&trace, track);
    orma_pb_end(&trace, packet);
    for (unsigned i = 0; i < 600; i++) {
        const uint32_t seq = 5 + i % 2;
        const unsigned turn = i % 200;
        const char *name = turn < 2 ? names[i / 200 * 2 + turn] : NULL;
        /* Instants, and slices whose ends say more, or something else, of the same key. */
        uint32_t type = i % 5 == 2   ? ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN
                        : i % 5 == 4 ? ORMA_PB_TRACK_EVENT_TYPE_SLICE_END
                                     : ORMA_PB_TRACK_EVENT_TYPE_INSTANT;

        put_short(&trace, i, seq, name, type, i / 7 % 3);
    }
    const char *differ = both_ways_differ(trace.data, trace.len, 0);
    cr_assert_null(differ, "%s", differ);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}
