/*
 * Members are walked through up to one that tells. Large ones may come first, so the others may lie
 * behind what is at hand; of the one that is cut, its begin is known.
 */
#include "processor/read/detect_profile.h"

#include <string.h>

#include "protos/reflect/json_reader.h"
#include "sdk/base/defs.h"

/* So much of a value is looked at for what lies in it. */
#define LOOK ((size_t)4096)

enum {
    HAS_TIME = 1 << 0,    /* startTime or endTime: a number */
    HAS_NUMBERS = 1 << 1, /* samples or timeDeltas, which begin with a number */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct orma_str trim_left(struct orma_str s)
{
    while (s.len && is_blank(s.data[0]))
        s = (struct orma_str){s.data + 1, s.len - 1};
    return s;
}

/* Without that, and the blanks behind it; empty: it does not begin with it. */
static struct orma_str behind(struct orma_str s, const char *what)
{
    const size_t n = strlen(what);

    if (!orma_str_starts(s, (struct orma_str){what, n}))
        return (struct orma_str){0};
    return trim_left((struct orma_str){s.data + n, s.len - n});
}

static bool has(struct orma_str s, const char *what)
{
    s.len = ORMA_MIN(s.len, LOOK);
    return orma_str_find(s, orma_str_from(what)) != NULL;
}

static bool is_number(struct orma_str s)
{
    return s.len && (s.data[0] == '-' || (s.data[0] >= '0' && s.data[0] <= '9'));
}

/* The format of which the member is enough, or all that were `seen`; else UNKNOWN. */
static enum orma_format by_member(struct orma_str key, struct orma_str value, unsigned *seen)
{
    if (orma_json_name_is(key, "nodes") && behind(value, "[").len && has(value, "\"callFrame\""))
        return ORMA_FORMAT_V8_CPU;
    if (orma_json_name_is(key, "head") && behind(value, "{").len) {
        if (has(value, "\"selfSize\"") && has(value, "\"callFrame\""))
            return ORMA_FORMAT_V8_HEAP;
        if (has(value, "\"functionName\"") &&
            (has(value, "\"callUID\"") || has(value, "\"hitCount\"")))
            return ORMA_FORMAT_V8_CPU;
    }
    if (orma_json_name_is(key, "dhatFileVersion") && is_number(value))
        return ORMA_FORMAT_DHAT;
    if (orma_json_name_is(key, "$schema") && has(value, "speedscope.app/file-format-schema"))
        return ORMA_FORMAT_SPEEDSCOPE;
    if (orma_json_name_is(key, "shared") &&
        behind(behind(behind(value, "{"), "\"frames\""), ":").len)
        return ORMA_FORMAT_SPEEDSCOPE;
    if (orma_json_name_is(key, "profiles") && behind(behind(value, "["), "{").len &&
        (has(value, "\"evented\"") || has(value, "\"sampled\"")))
        return ORMA_FORMAT_SPEEDSCOPE;
    if ((orma_json_name_is(key, "startTime") || orma_json_name_is(key, "endTime")) &&
        is_number(value))
        *seen |= HAS_TIME;
    else if ((orma_json_name_is(key, "samples") || orma_json_name_is(key, "timeDeltas")) &&
             is_number(behind(value, "[")))
        *seen |= HAS_NUMBERS;
    return (*seen & HAS_TIME) && (*seen & HAS_NUMBERS) ? ORMA_FORMAT_V8_CPU : ORMA_FORMAT_UNKNOWN;
}

enum orma_format orma_detect_profile(const uint8_t *data, size_t len, bool at_end)
{
    const struct orma_str text = {(const char *)data, ORMA_MIN(len, (size_t)ORMA_DETECT_MAX)};
    struct orma_json j = orma_json(text);
    enum orma_format format = ORMA_FORMAT_UNKNOWN;
    struct orma_json_value v;
    struct orma_str key;
    unsigned seen = 0;

    if (!orma_json_enter(&j, '{'))
        return ORMA_FORMAT_UNKNOWN;
    /* Near the begin there may be events, too: then it is a trace. */
    while ((format == ORMA_FORMAT_UNKNOWN || (size_t)(j.pos - text.data) < LOOK) &&
           orma_json_name(&j, &key)) {
        const struct orma_str rest = {j.pos, (size_t)(j.end - j.pos)};

        if (orma_json_name_is(key, "traceEvents") || orma_json_name_is(key, "ph"))
            return ORMA_FORMAT_UNKNOWN;
        if (format == ORMA_FORMAT_UNKNOWN)
            format = by_member(key, trim_left(rest), &seen);
        if (!orma_json_read(&j, &v))
            break;
    }
    if (format != ORMA_FORMAT_UNKNOWN || !seen)
        return format;
    if (!at_end && len < ORMA_DETECT_MAX)
        return ORMA_FORMAT_MORE;
    return ORMA_FORMAT_UNKNOWN;
}
