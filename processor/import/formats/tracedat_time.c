/*
 * The times of a trace.dat: those of the pages, or what trace-cmd makes of them.
 *
 *   page ─► those of the host, in a guest ─► ns, if they are ticks ─► + OFFSET and DATE
 *
 * A guest's CPU has pairs of its clock and the host's: an offset and a scaling each, as a number
 * and the bits of its fraction. Between two pairs the offset may go from one to the other.
 */
#include "processor/import/formats/tracedat.h"

#include "sdk/base/wide.h"

/* The name of the clock that is chosen: "[local] global"; or the name alone. */
static struct orma_str chosen_clock(struct orma_str text)
{
    const char *open = text.len ? memchr(text.data, '[', text.len) : NULL;
    const char *close = open ? memchr(open, ']', text.len - (size_t)(open - text.data)) : NULL;

    return close ? (struct orma_str){open + 1, (size_t)(close - open - 1)} : orma_str_trim(text);
}

uint32_t orma_tracedat_clock(const struct orma_tracedat *self, struct orma_str name)
{
    static const struct {
        const char *name;
        uint32_t clock;
    } clocks[] = {
        {"boot", ORMA_CLOCK_BOOTTIME},
        {"mono", ORMA_CLOCK_MONOTONIC},
        {"mono_raw", ORMA_CLOCK_MONOTONIC_RAW},
    };

    if (self->has_date)
        return ORMA_CLOCK_REALTIME;
    name = chosen_clock(name);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(clocks); i++)
        if (!self->added_ns && !self->tsc.mult && !self->shifts.len &&
            orma_str_eq_c(name, clocks[i].name))
            return clocks[i].clock;
    return ORMA_CLOCK_TRACE_FILE;
}

bool orma_tracedat_has_other_times(const struct orma_tracedat *self)
{
    return self->added_ns || self->tsc.mult || self->shifts.len;
}

static uint64_t at(const struct orma_tracedat *t, const uint8_t *list, uint32_t i)
{
    return list ? orma_tracedat_number(t, list + (size_t)i * 8, 8) : 0;
}

static uint64_t scaled(uint64_t ts, uint64_t scaling, uint64_t fraction)
{
    return fraction > 63 ? ts : orma_wide_bits(orma_wide_mul(ts, scaling), (unsigned)fraction);
}

/* The offset at a time between two pairs. */
static uint64_t between(uint64_t ts, uint64_t from_ts, uint64_t from, uint64_t to_ts, uint64_t to)
{
    const struct orma_wide step =
        orma_wide_mul_signed((int64_t)(ts - from_ts), (int64_t)(to - from));
    const int64_t way = (int64_t)(to_ts - from_ts);

    return way > 0 ? from + orma_wide_div(step, (uint64_t)way).low : from;
}

/* The last of the pairs that is not behind the time, but for the last one of all. */
static uint32_t pair_of(const struct orma_tracedat *t, const struct orma_tracedat_shift *s,
                        uint64_t ts)
{
    uint32_t low = 0, high = s->num - 1;

    while (low + 1 < high) {
        uint32_t mid = low + (high - low) / 2;

        if (at(t, s->times, mid) <= ts)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static uint64_t host_time(const struct orma_tracedat *t, const struct orma_tracedat_shift *s,
                          uint64_t ts)
{
    if (!s->num)
        return ts;
    if (s->num == 1)
        return ts + at(t, s->offsets, 0);
    uint32_t i = pair_of(t, s, ts);
    uint64_t offset = at(t, s->offsets, i);
    if (t->interpolates)
        offset = between(ts, at(t, s->times, i), offset, at(t, s->times, i + 1),
                         at(t, s->offsets, i + 1));
    return scaled(ts, at(t, s->scalings, i), at(t, s->fractions, i)) + offset;
}

uint64_t orma_tracedat_time(const struct orma_tracedat *self, uint32_t cpu, uint64_t ts)
{
    if (cpu < self->shifts.len)
        ts = host_time(self, &self->shifts.data[cpu], ts);
    if (self->tsc.mult)
        ts = orma_wide_bits(orma_wide_mul(ts, self->tsc.mult), self->tsc.shift);
    return ts + (uint64_t)self->added_ns;
}
