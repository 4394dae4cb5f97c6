#include "probes/otel/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sdk/wire/pb_reader.h"

#define VERSION 2u
/* Fields of ProcessContext, Resource, KeyValue, AnyValue. */
#define CONTEXT_RESOURCE 1u
#define RESOURCE_ATTRIBUTES 1u
#define KEY_VALUE_KEY 1u
#define KEY_VALUE_VALUE 2u
enum { ANY_STRING = 1, ANY_BOOL, ANY_INT, ANY_DOUBLE };

struct header {
    char signature[8];
    uint32_t version, size;
    uint64_t published_ns, payload;
};
_Static_assert(sizeof(struct header) == 32, "as processes of 64 bits write it");

uint64_t orma_otel_process_find(struct orma_str maps)
{
    static const char *const names[] = {" /memfd:OTEL_CTX (deleted)", " /memfd:OTEL_CTX",
                                        " [anon:OTEL_CTX]", " [anon_shmem:OTEL_CTX]"};
    struct orma_str line;

    while (maps.len && orma_str_cut(&maps, '\n', &line)) {
        for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
            size_t len = strlen(names[i]);
            unsigned long long start;

            if (line.len > len && !memcmp(line.data + line.len - len, names[i], len) &&
                sscanf(line.data, "%llx-", &start) == 1)
                return start;
        }
    }
    return 0;
}

static bool read_header(const struct orma_otel_memory *memory, uint64_t mapping, struct header *ret)
{
    return memory->read(memory->ctx, mapping, ret, sizeof(*ret)) &&
           !memcmp(ret->signature, "OTEL_CTX", sizeof(ret->signature)) && ret->version == VERSION &&
           ret->published_ns && ret->size && ret->size <= ORMA_OTEL_PAYLOAD_MAX;
}

bool orma_otel_process_read(const struct orma_otel_memory *memory, uint64_t mapping,
                            uint64_t *ret_time, struct orma_buf *payload)
{
    struct header head, after;

    orma_buf_clear(payload);
    if (!read_header(memory, mapping, &head) || !orma_buf_reserve(payload, head.size) ||
        !memory->read(memory->ctx, head.payload, payload->data, head.size) ||
        !read_header(memory, mapping, &after) || after.published_ns != head.published_ns)
        return false;
    payload->len = head.size;
    *ret_time = head.published_ns;
    return true;
}

/* False: of a kind that is not shown. */
static bool value_of(struct orma_pb_reader r, char *text, size_t size, struct orma_str *ret)
{
    struct orma_pb_field f;
    bool found = false;

    while (orma_pb_next(&r, &f)) {
        int len = -1;

        switch (f.id) {
        case ANY_STRING:
            *ret = orma_pb_str(&f);
            found = true;
            break;
        case ANY_BOOL:
            len = snprintf(text, size, "%s", orma_pb_u64(&f) ? "true" : "false");
            break;
        case ANY_INT:
            len = snprintf(text, size, "%" PRId64, orma_pb_i64(&f));
            break;
        case ANY_DOUBLE:
            len = snprintf(text, size, "%.17g", orma_pb_double(&f));
            break;
        }
        if (len < 0)
            continue;
        *ret = (struct orma_str){text, (size_t)len};
        found = true;
    }
    return found && !r.failed;
}

static bool attribute_of(struct orma_pb_reader r, char *text, size_t size, struct orma_str *ret_key,
                         struct orma_str *ret_value)
{
    struct orma_pb_field f;
    bool found = false;

    *ret_key = (struct orma_str){0};
    while (orma_pb_next(&r, &f)) {
        if (f.id == KEY_VALUE_KEY)
            *ret_key = orma_pb_str(&f);
        else if (f.id == KEY_VALUE_VALUE)
            found = value_of(orma_pb_sub(&f), text, size, ret_value);
    }
    return found && ret_key->len && !r.failed;
}

void orma_otel_process_attributes(struct orma_str payload,
                                  void (*fn)(void *ctx, struct orma_str key, struct orma_str value),
                                  void *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len), resource;
    struct orma_pb_field f, in;
    unsigned num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != CONTEXT_RESOURCE)
            continue;
        resource = orma_pb_sub(&f);
        while (orma_pb_next(&resource, &in)) {
            struct orma_str key, value;
            char text[40];

            if (in.id == RESOURCE_ATTRIBUTES && num < ORMA_OTEL_ATTRIBUTES_MAX &&
                attribute_of(orma_pb_sub(&in), text, sizeof(text), &key, &value)) {
                fn(ctx, key, value);
                num++;
            }
        }
    }
}
