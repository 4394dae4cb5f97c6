/*
 * The answer to QueryServiceState is kept encoded and printed by walking it: producers,
 * data sources with their descriptors, sessions. Columns are as wide as their longest
 * value.
 */
#include "tools/service/state.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/base/shown.h"
#include "sdk/ipc/methods.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define TIMEOUT_MS 10000
/* Widest text in a column; longer text takes the room that it needs. */
#define NAME_WIDTH 40
#define PRODUCER_WIDTH 30

int orma_service_state_query(struct orma_consumer *consumer, struct orma_buf *ret)
{
    static const char *const methods[] = ORMA_CONSUMER_PORT_METHODS;
    struct orma_buf args = {0}, reply = {0};
    struct orma_pb_field f;

    orma_pb_put_u64(&args, ORMA_PB_QUERY_SERVICE_STATE_REQUEST_SESSIONS_ONLY, 0);
    int r = orma_consumer_call(consumer, methods[ORMA_CONSUMER_PORT_QUERY_SERVICE_STATE], &args, -1,
                               TIMEOUT_MS, &reply);
    struct orma_pb_reader reader = orma_pb_reader(reply.data, reply.len);
    /* Every part is a message; one behind the other they are the whole. */
    while (r == 0 && orma_pb_next(&reader, &f)) {
        if (f.id == ORMA_PB_QUERY_SERVICE_STATE_RESPONSE_SERVICE_STATE)
            orma_buf_put(ret, f.data, f.len);
    }
    orma_buf_fini(&args);
    orma_buf_fini(&reply);
    return r == 0 && ret->failed ? -ENOMEM : r;
}

/* ---- cells ---- */

/* Text of others: it begins no line. */
static void put_plain(FILE *out, struct orma_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        fputc(c < ' ' || c == 0x7f ? '?' : c, out);
    }
}

/* In at least `width` columns, followed by a blank. */
static void cell(FILE *out, struct orma_str text, size_t width)
{
    put_plain(out, text);
    fprintf(out, "%*s ", (int)(text.len < width ? width - text.len : 0), "");
}

static void number_cell(FILE *out, int64_t val, int width)
{
    fprintf(out, "%-*" PRId64 " ", width, val);
}

struct producer {
    int32_t id, uid, pid;
    uint32_t machine_id;
    bool frozen;
    struct orma_str name, sdk, machine;
};

static struct producer read_producer(struct orma_pb_reader r)
{
    struct producer p = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_ID:
            p.id = orma_pb_i32(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_NAME:
            p.name = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_UID:
            p.uid = orma_pb_i32(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_SDK_VERSION:
            p.sdk = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_PID:
            p.pid = orma_pb_i32(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_FROZEN:
            p.frozen = orma_pb_bool(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_MACHINE_ID:
            p.machine_id = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_PRODUCER_MACHINE_NAME:
            p.machine = orma_pb_str(&f);
            break;
        }
    }
    return p;
}

static bool find_producer(struct orma_str state, int32_t id, struct producer *ret)
{
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACING_SERVICE_STATE_PRODUCERS)
            continue;
        *ret = read_producer(orma_pb_sub(&f));
        if (ret->id == id)
            return true;
    }
    return false;
}

static void print_producers(struct orma_str state, FILE *out)
{
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);
    struct orma_pb_field f;

    fprintf(out, "\nPRODUCERS CONNECTED:\n\n%-6s %-8s %-8s %-8s %-*s %s\n", "ID", "PID", "UID",
            "FLAGS", NAME_WIDTH, "NAME", "SDK");
    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACING_SERVICE_STATE_PRODUCERS)
            continue;
        struct producer p = read_producer(orma_pb_sub(&f));
        number_cell(out, p.id, 6);
        number_cell(out, p.pid, 8);
        number_cell(out, p.uid, 8);
        cell(out, p.frozen ? ORMA_STR("frozen") : ORMA_STR("-"), 8);
        cell(out, p.name, NAME_WIDTH);
        cell(out, p.sdk, 0);
        if (p.machine_id) {
            fprintf(out, "machine %" PRIu32 " ", p.machine_id);
            cell(out, p.machine, 0);
        }
        fputc('\n', out);
    }
}

/* ---- data sources ---- */

static void print_category(struct orma_pb_reader r, bool first, FILE *out)
{
    struct orma_pb_field f;

    if (!first)
        fputs(", ", out);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_CATEGORY_NAME)
            put_plain(out, orma_pb_str(&f));
    }
}

struct category_fn {
    void (*fn)(void *ctx, const char *name, const char *text);
    void *ctx;
};

static void call_category(struct orma_pb_reader r, const struct category_fn *fn)
{
    char name[ORMA_SERVICE_NAME_MAX] = "", text[512] = "";
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_CATEGORY_NAME)
            snprintf(name, sizeof(name), "%.*s", (int)f.len, (const char *)f.data);
        else if (f.id == ORMA_PB_TRACK_EVENT_CATEGORY_DESCRIPTION)
            snprintf(text, sizeof(text), "%.*s", (int)f.len, (const char *)f.data);
    }
    if (*name)
        fn->fn(fn->ctx, name, text);
}

/* A chain of fields to the categories: state, data source, descriptor, track events, category. */
static void call_categories(struct orma_pb_reader r, const struct category_fn *fn, unsigned level)
{
    static const uint32_t chain[] = {
        ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCES,
        ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_DS_DESCRIPTOR,
        ORMA_PB_DATA_SOURCE_DESCRIPTOR_TRACK_EVENT_DESCRIPTOR,
        ORMA_PB_TRACK_EVENT_DESCRIPTOR_AVAILABLE_CATEGORIES,
    };
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != chain[level])
            continue;
        if (level + 1 == ORMA_ARRAY_LEN(chain))
            call_category(orma_pb_sub(&f), fn);
        else
            call_categories(orma_pb_sub(&f), fn, level + 1);
    }
}

void orma_service_state_categories(struct orma_str state,
                                   void (*fn)(void *ctx, const char *name, const char *text),
                                   void *ctx)
{
    const struct category_fn call = {fn, ctx};

    call_categories(orma_pb_reader(state.data, state.len), &call, 0);
}

/* Names in the descriptor that can be put into a config: categories of track events, of atrace. */
static void print_details(struct orma_pb_reader r, FILE *out)
{
    struct orma_pb_field f, sub;
    bool first = true;

    while (orma_pb_next(&r, &f)) {
        uint32_t list;

        if (f.id == ORMA_PB_DATA_SOURCE_DESCRIPTOR_TRACK_EVENT_DESCRIPTOR)
            list = ORMA_PB_TRACK_EVENT_DESCRIPTOR_AVAILABLE_CATEGORIES;
        else if (f.id == ORMA_PB_DATA_SOURCE_DESCRIPTOR_FTRACE_DESCRIPTOR)
            list = ORMA_PB_FTRACE_DESCRIPTOR_ATRACE_CATEGORIES;
        else
            continue;
        struct orma_pb_reader inner = orma_pb_sub(&f);
        while (orma_pb_next(&inner, &sub)) {
            if (sub.id != list)
                continue;
            print_category(orma_pb_sub(&sub), first, out);
            first = false;
        }
    }
}

static void print_source(struct orma_str state, struct orma_pb_reader r, bool details, FILE *out)
{
    struct orma_str name = {0};
    struct orma_pb_reader descriptor = {0};
    struct producer producer = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_DS_DESCRIPTOR)
            descriptor = orma_pb_sub(&f);
        else if (f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_PRODUCER_ID &&
                 !find_producer(state, orma_pb_i32(&f), &producer))
            producer.id = orma_pb_i32(&f);
    }
    for (struct orma_pb_reader d = descriptor; orma_pb_next(&d, &f);) {
        if (f.id == ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME)
            name = orma_pb_str(&f);
    }
    cell(out, name, NAME_WIDTH);
    cell(out, producer.name, 0);
    fprintf(out, "(%" PRId32 ")", producer.id);
    if (details) {
        fprintf(out, "%*s",
                (int)(producer.name.len < PRODUCER_WIDTH ? PRODUCER_WIDTH - producer.name.len : 1),
                "");
        print_details(descriptor, out);
    }
    fputc('\n', out);
}

static void print_sources(struct orma_str state, bool details, FILE *out)
{
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);
    struct orma_pb_field f;

    fprintf(out, "\nDATA SOURCES:\n\n%-*s %s\n", NAME_WIDTH, "NAME", "PRODUCER");
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCES)
            print_source(state, orma_pb_sub(&f), details, out);
    }
}

/* ---- sessions ---- */

static void print_session(struct orma_pb_reader r, FILE *out)
{
    uint64_t id = 0, duration_ms = 0, sources = 0, buffers = 0, buffer_kb = 0;
    int64_t uid = 0, start_ns = 0;
    struct orma_str state = {0}, name = {0};
    struct orma_pb_field f;
    char text[32];

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_ID:
            id = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_CONSUMER_UID:
            uid = orma_pb_i32(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_STATE:
            state = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_UNIQUE_SESSION_NAME:
            name = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_BUFFER_SIZE_KB: {
            struct orma_pb_reader packed;
            uint64_t val;

            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val); buffers++)
                buffer_kb += val;
            break;
        }
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_DURATION_MS:
            duration_ms = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_NUM_DATA_SOURCES:
            sources = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSION_START_REALTIME_NS:
            start_ns = orma_pb_i64(&f);
            break;
        }
    }
    number_cell(out, (int64_t)id, 6);
    number_cell(out, uid, 8);
    cell(out, state, 18);
    snprintf(text, sizeof(text), "%" PRIu64 " (%" PRIu64 ")", buffers, buffer_kb);
    cell(out, orma_str_from(text), 14);
    if (duration_ms)
        snprintf(text, sizeof(text), "%.1f", (double)duration_ms / 1e3);
    cell(out, duration_ms ? orma_str_from(text) : ORMA_STR("-"), 10);
    number_cell(out, (int64_t)sources, 7);
    int64_t now_ns = (int64_t)orma_clock_now(ORMA_CLOCK_REALTIME);
    snprintf(text, sizeof(text), "%.1f s ago", (double)(now_ns - start_ns) / 1e9);
    cell(out, start_ns ? orma_str_from(text) : ORMA_STR("-"), 14);
    cell(out, name, 0);
    fputc('\n', out);
}

static void print_sessions(struct orma_str state, FILE *out)
{
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);
    struct orma_pb_field f;
    int64_t num = 0, started = 0;
    bool head = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_NUM_SESSIONS)
            num = orma_pb_i32(&f);
        else if (f.id == ORMA_PB_TRACING_SERVICE_STATE_NUM_SESSIONS_STARTED)
            started = orma_pb_i32(&f);
    }
    fprintf(out, "\nSESSIONS: %" PRId64 ", of these %" PRId64 " started\n", num, started);
    r = orma_pb_reader(state.data, state.len);
    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACING_SERVICE_STATE_TRACING_SESSIONS)
            continue;
        if (!head)
            fprintf(out, "\n%-6s %-8s %-18s %-14s %-10s %-7s %-14s %s\n", "ID", "UID", "STATE",
                    "BUFFERS (KB)", "SECONDS", "SOURCES", "STARTED", "NAME");
        head = true;
        print_session(orma_pb_sub(&f), out);
    }
}

static void print_state(struct orma_str state, bool details, FILE *out)
{
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);
    struct orma_str version = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_TRACING_SERVICE_VERSION)
            version = orma_pb_str(&f);
    }
    fputs("SERVICE: ", out);
    cell(out, version, 0);
    fputc('\n', out);
    print_producers(state, out);
    print_sources(state, details, out);
    print_sessions(state, out);
}

void orma_service_state_print(struct orma_str state, bool details, FILE *out)
{
    /* Producers say what they are called. */
    FILE *shown = isatty(fileno(out)) ? orma_shown_open(out, false) : NULL;

    print_state(state, details, shown ? shown : out);
    if (shown)
        (void)fclose(shown); /* main() looks whether all could be written */
}

/* The name in a TracingServiceState.DataSource; empty: it has none. */
static struct orma_str source_name(struct orma_pb_reader source)
{
    struct orma_str name = {0};
    struct orma_pb_field f, d;

    while (orma_pb_next(&source, &f)) {
        struct orma_pb_reader desc = orma_pb_sub(&f);

        if (f.id != ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCE_DS_DESCRIPTOR)
            continue;
        while (orma_pb_next(&desc, &d)) {
            if (d.id == ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME)
                name = orma_pb_str(&d);
        }
    }
    return name;
}

bool orma_service_state_has_source(struct orma_str state, const char *name)
{
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCES &&
            orma_str_eq_c(source_name(orma_pb_sub(&f)), name))
            return true;
    }
    return false;
}

size_t orma_service_state_sources(struct orma_str state, char (*ret)[ORMA_SERVICE_NAME_MAX],
                                  size_t max)
{
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);
    struct orma_pb_field f;
    size_t num = 0;

    while (num < max && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCES)
            snprintf(ret[num++], ORMA_SERVICE_NAME_MAX, "%.*s",
                     ORMA_STR_ARG(source_name(orma_pb_sub(&f)))); /* cut: no other is that long */
    }
    return num;
}
