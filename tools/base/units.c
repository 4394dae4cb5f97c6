#include "tools/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

/* Smaller whole numbers are seconds. */
#define TIMESTAMP_MIN 1000000

struct unit {
    const char *name;
    double factor;
};

/* `plain`: the factor of a number without unit; 0: a unit must be there, but for 0. */
static bool parse(const char *text, const struct unit *units, size_t units_num, double plain,
                  uint64_t *ret)
{
    char *end;

    if (text[0] < '0' || text[0] > '9') /* no sign, no blank, no "inf" */
        return false;
    double val = strtod(text, &end);
    if (!*end && (val == 0 || plain > 0)) {
        val *= plain;
        if (!(val < 9e18))
            return false;
        *ret = (uint64_t)llround(val);
        return true;
    }
    for (size_t i = 0; i < units_num; i++) {
        if (strcasecmp(end, units[i].name))
            continue;
        val *= units[i].factor;
        if (!(val < 9e18))
            return false;
        *ret = (uint64_t)llround(val);
        return true;
    }
    return false;
}

static bool parse_time(const char *text, double plain, uint64_t *ret)
{
    static const struct unit units[] = {{"ms", 1},     {"s", 1e3},    {"m", 60e3},
                                        {"min", 60e3}, {"h", 3600e3}, {"d", 86400e3}};

    return parse(text, units, ORMA_ARRAY_LEN(units), plain, ret);
}

bool orma_units_parse_duration_ms(const char *text, uint64_t *ret)
{
    return parse_time(text, 0, ret);
}

bool orma_units_parse_time_ms(const char *text, uint64_t *ret)
{
    return parse_time(text, 1e3, ret);
}

bool orma_units_parse_time_ns(const char *text, uint64_t *ret)
{
    static const struct unit units[] = {{"ns", 1},   {"us", 1e3},   {"ms", 1e6},  {"s", 1e9},
                                        {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};

    return parse(text, units, ORMA_ARRAY_LEN(units), 1e9, ret);
}

int orma_units_read_trace_time(const char *program, const char *option, const char *text,
                               int64_t start, int64_t end, int64_t *ret)
{
    int64_t ts;
    uint64_t ns;

    if (orma_str_to_i64(orma_str_from(text), &ts) && ts >= start && ts <= end && ts > TIMESTAMP_MIN)
        *ret = ts;
    else if (!orma_units_parse_time_ns(text, &ns) || ns > INT64_MAX ||
             __builtin_add_overflow(start, (int64_t)ns, ret)) {
        fprintf(stderr,
                "%s: --%s %s: expected a time since the start of the trace, such as 1.5s or 300ms, "
                "or a timestamp of the trace (%" PRId64 " to %" PRId64 ")\n",
                program, option, text, start, end);
        return -EINVAL;
    }
    return 0;
}

bool orma_units_parse_size_bytes(const char *text, uint64_t *ret)
{
    return orma_str_parse_size(text, ret);
}

const char *orma_units_format_size(uint64_t bytes, char *ret)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double val = (double)bytes;
    size_t i = 0;

    while (val >= 1024 && i + 1 < ORMA_ARRAY_LEN(names)) {
        val /= 1024;
        i++;
    }
    snprintf(ret, ORMA_UNITS_TEXT_MAX, i ? "%.1f %s" : "%.0f %s", val, names[i]);
    return ret;
}

const char *orma_units_format_duration(uint64_t ns, char *ret)
{
    if (ns < 1000)
        snprintf(ret, ORMA_UNITS_TEXT_MAX, "%d ns", (int)ns);
    else if (ns < 1000000)
        snprintf(ret, ORMA_UNITS_TEXT_MAX, "%.1f us", (double)ns / 1e3);
    else if (ns < 1000000000)
        snprintf(ret, ORMA_UNITS_TEXT_MAX, "%.1f ms", (double)ns / 1e6);
    else
        snprintf(ret, ORMA_UNITS_TEXT_MAX, "%.1f s", (double)ns / 1e9);
    return ret;
}
