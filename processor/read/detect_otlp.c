/*
 * Spans and profiles of OpenTelemetry: { ResourceSpans { Resource, ScopeSpans { Scope, Span } } },
 * as a message, with a length in front, or in JSON. Of a Span the ids tell, which no other message
 * has there: 16 and 8 bytes. Jaeger and Zipkin have the same spans in JSON of their own. Messages
 * may go on behind the bytes at hand.
 */
#include "processor/read/detect_otlp.h"

#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

/* So much of JSON is looked at. */
#define LOOK ((size_t)4096)
#define TAG(id) ((id) << 3 | ORMA_PB_LEN)

struct part {
    const uint8_t *at, *end;
};

/* What is in the next field, cut where the bytes end; the part goes on behind it. 0: it is none. */
static uint8_t take(struct part *p, struct part *ret)
{
    uint64_t size;

    if (p->at >= p->end)
        return 0;
    uint8_t tag = *p->at++;
    if ((tag & 7) != ORMA_PB_LEN || !orma_pb_varint_at(&p->at, p->end, &size))
        return 0;
    size_t there = (size_t)ORMA_MIN(size, (uint64_t)(p->end - p->at));
    *ret = (struct part){p->at, p->at + there};
    p->at += there;
    return tag;
}

/* The first field with that tag; others before it may be there up to `max`. */
static bool enter(struct part *p, uint8_t tag, uint8_t max)
{
    struct part in;
    uint8_t got;

    while ((got = take(p, &in)) && got <= TAG(max)) {
        if (got == tag) {
            *p = in;
            return true;
        }
    }
    return false;
}

static bool is_message(const uint8_t *data, size_t len)
{
    struct part p = {data, data + len}, id;

    return len && data[0] == TAG(1) && enter(&p, TAG(1), 1) && enter(&p, TAG(2), 3) &&
           enter(&p, TAG(2), 3) && take(&p, &id) == TAG(1) && id.end - id.at == 16 &&
           take(&p, &id) == TAG(2) && id.end - id.at == 8;
}

/* ValueType { type = 1, unit = 2 }: numbers, each of which may be left out. */
static bool is_value_type(struct part p)
{
    uint64_t number;

    while (p.at < p.end) {
        const uint8_t tag = *p.at++;

        if ((tag != (1 << 3 | ORMA_PB_VARINT) && tag != (2 << 3 | ORMA_PB_VARINT)) ||
            !orma_pb_varint_at(&p.at, p.end, &number))
            return false;
    }
    return true;
}

/*
 * Profiles: { ResourceProfiles { Resource, ScopeProfiles { Scope, Profile } }, dictionary }. A
 * Profile begins with the type of its values, or with samples, which refer to a stack; metrics have
 * a name there, logs a time, spans an id. The dictionary may come first: its first mapping is
 * empty.
 */
bool orma_detect_otlp_profiles(const uint8_t *data, size_t len)
{
    struct part p = {data, data + len}, field, stack;

    if (len > 4 && data[0] == TAG(2))
        return take(&p, &field) && take(&field, &stack) == TAG(1) && stack.at == stack.end &&
               field.at < field.end && (take(&field, &stack) & 0xc0) == 0;
    if (!len || data[0] != TAG(1) || !enter(&p, TAG(1), 1) || !enter(&p, TAG(2), 3) ||
        !enter(&p, TAG(2), 3) || p.at == p.end)
        return false;
    switch (take(&p, &field)) {
    case TAG(1):
        return is_value_type(field) && (p.at == p.end || *p.at == TAG(2) || *p.at == (3 << 3 | 1));
    case TAG(2): /* the type is the default, which says nothing */
        return field.at < field.end && *field.at == (1 << 3 | ORMA_PB_VARINT);
    default:
        return false;
    }
}

static bool is_json(const uint8_t *data, size_t len)
{
    static const char *const begins[] = {"{\"resourceSpans\":[",
                                         "{\"resource_spans\":[",
                                         "{\"resourceProfiles\":[",
                                         "{\"dictionary\":{\"mappingTable\":",
                                         "{\"dictionary\":{\"stringTable\":",
                                         "{\"batches\":[{\"resource\":",
                                         "{\"data\":[{\"traceID\":"};
    char squeezed[64] = "";
    size_t n = 0;

    for (size_t i = 0; i < len && i < LOOK && n < sizeof(squeezed) - 1; i++)
        if (data[i] && !strchr(" \t\r\n", data[i]))
            squeezed[n++] = (char)data[i];
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(begins); i++)
        if (!strncmp(squeezed, begins[i], strlen(begins[i])))
            return true;
    /* Spans of Zipkin, whose members come in any order. */
    const struct orma_str look = {(const char *)data, ORMA_MIN(len, LOOK)};
    if (squeezed[0] == '[' && (squeezed[1] == '{' || squeezed[1] == '[') &&
        orma_str_find(look, ORMA_STR("\"traceId\"")) &&
        orma_str_find(look, ORMA_STR("\"localEndpoint\"")) &&
        !orma_str_find(look, ORMA_STR("\"ph\"")))
        return true;
    /* Collectors may write metrics and logs into the same file, line by line. */
    const struct orma_str head = {(const char *)data, len};
    return !strncmp(squeezed, "{\"resource", 10) &&
           (orma_str_find(head, ORMA_STR("\n{\"resourceSpans\":[")) ||
            orma_str_find(head, ORMA_STR("\n{\"resourceProfiles\":[")));
}

bool orma_detect_otlp(const uint8_t *data, size_t len)
{
    return is_message(data, len) || orma_detect_otlp_profiles(data, len) ||
           (len > 4 && !data[0] &&
            (is_message(data + 4, len - 4) || orma_detect_otlp_profiles(data + 4, len - 4))) ||
           is_json(data, len);
}
