/*
 * TraceStats -> sums: writer reports by sequence (emitted, lost per reason), buffers by
 * their policy (what a ring overwrites is no loss). format() joins the parts that are not
 * zero into one line.
 */
#include "tools/base/ledger.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "protos/fields/common.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/wire/pb_reader.h"

static void add(uint64_t *sum, uint64_t num)
{
    *sum = orma_ledger_sum(*sum, num);
}

static void read_sequence(struct orma_pb_reader r, struct orma_ledger *ret)
{
    struct orma_pb_field f;

    ret->has_ledger = true;
    while (orma_pb_next(&r, &f)) {
        enum orma_loss_reason reason = orma_loss_of_field(f.id);

        if (f.id == ORMA_COUNTS_DELIVERED)
            add(&ret->delivered, f.num);
        else if (reason < ORMA_LOST_REASONS)
            add(&ret->lost[reason], f.num);
        else if (f.id == orma_loss_unreported.field)
            ret->unreported += f.num; /* 1, or in a sum how many */
    }
}

static void read_buffer(struct orma_pb_reader r, struct orma_ledger *ret)
{
    struct orma_pb_field f;
    uint64_t size = 0, in = 0, out = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_BUFFER_SIZE:
            size = f.num;
            break;
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_WRITTEN:
            ret->bytes_written += f.num;
            in += f.num;
            break;
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_PADDING_BYTES_WRITTEN:
            in += f.num;
            break;
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_READ:
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_OVERWRITTEN:
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_PADDING_BYTES_CLEARED:
            out += f.num;
            break;
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_OVERWRITTEN:
            ret->chunks_overwritten += f.num;
            break;
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_DISCARDED:
            ret->chunks_discarded += f.num;
            break;
        case ORMA_PB_TRACE_STATS_BUFFER_STATS_TRACE_WRITER_PACKET_LOSS:
            ret->writer_losses += f.num;
            break;
        }
    }
    ret->buffer_bytes += size;
    ret->buffer_used += in > out ? ORMA_MIN(in - out, size) : 0;
}

void orma_ledger_add_incident(struct orma_ledger *self, struct orma_str text, uint32_t kind)
{
    size_t used = strlen(self->incidents), left = sizeof(self->incidents) - used;
    const char *sep = self->incidents_num ? "; " : "";
    bool full = used > 3 && !strcmp(self->incidents + used - 3, "...");

    self->incidents_num++;
    self->incident_is_loss |= orma_incident_is_loss(kind);
    self->incident_is_doubt |= !orma_incident_is_loss(kind);
    if (full)
        return; /* a short one would fit, but not stand behind the dots */
    if (strlen(sep) + text.len < left - 4) /* whole, with room for the dots */
        (void)snprintf(self->incidents + used, left, "%s%.*s", sep, ORMA_STR_ARG(text)); /* fits */
    else
        (void)snprintf(self->incidents + used, left, "..."); /* fits */
}

void orma_ledger_read_incident(struct orma_ledger *self, struct orma_pb_reader message,
                               uint64_t start_ns)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_incident incident;

    orma_incident_read(message, &incident);
    orma_incident_put_text(&text, &incident, start_ns);
    orma_ledger_add_incident(self, orma_buf_str(&text), incident.kind);
}

void orma_ledger_read(struct orma_str trace_stats, uint64_t start_ns, struct orma_ledger *ret)
{
    struct orma_pb_reader r = orma_pb_reader(trace_stats.data, trace_stats.len);
    struct orma_pb_field f;

    *ret = (struct orma_ledger){0};
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_STATS_BUFFER_STATS)
            read_buffer(orma_pb_sub(&f), ret);
        else if (f.id == ORMA_TRACE_STATS_SEQUENCE_COUNTS)
            read_sequence(orma_pb_sub(&f), ret);
        else if (f.id == ORMA_PB_TRACE_STATS_FLUSHES_FAILED)
            ret->flushes_failed = f.num;
        else if (f.id == ORMA_PB_TRACE_STATS_ORMA_INCIDENTS)
            orma_ledger_read_incident(ret, orma_pb_sub(&f), start_ns);
    }
}

enum orma_loss_reason orma_ledger_of_name(const char *name)
{
    unsigned i = 0;

    while (i < ORMA_LOST_REASONS && strcmp(orma_loss_words[i].name, name))
        i++;
    return (enum orma_loss_reason)i;
}

/* By reason, in packets or chunks; what a ring was told to overwrite left out. */
static uint64_t count_of(const struct orma_ledger *self, unsigned reason)
{
    if (reason == ORMA_LOST_OVERWRITTEN && self->ring)
        return 0;
    if (self->has_ledger)
        return self->lost[reason];
    switch (reason) {
    case ORMA_LOST_DROPPED:
        return self->writer_losses;
    case ORMA_LOST_OVERWRITTEN:
        return self->chunks_overwritten;
    case ORMA_LOST_DISCARDED:
        return self->chunks_discarded;
    }
    return 0;
}

uint64_t orma_ledger_total(const struct orma_ledger *self)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ORMA_LOST_REASONS; i++)
        add(&sum, count_of(self, i));
    return sum;
}

uint64_t orma_ledger_aged_out(const struct orma_ledger *self)
{
    if (!self->ring)
        return 0;
    return self->has_ledger ? self->lost[ORMA_LOST_OVERWRITTEN] : self->chunks_overwritten;
}

/* What is counted in other units than packets. */
static bool has_others(const struct orma_ledger *self)
{
    return self->kernel_overrun || self->kprobes_missed || self->perf_lost || self->perf_skipped ||
           self->unreadable;
}

static bool is_known(const struct orma_ledger *self)
{
    return !self->unknown && !self->unreported && !self->incident_is_doubt;
}

bool orma_ledger_is_none(const struct orma_ledger *self)
{
    return is_known(self) && !self->incident_is_loss && !has_others(self) &&
           !orma_ledger_total(self);
}

struct text {
    char *at;
    size_t left;
};

static void ORMA_PRINTF(2, 3) put(struct text *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(out->at, out->left, fmt, args);
    va_end(args);
    size_t len = n > 0 ? ORMA_MIN((size_t)n, out->left - 1) : 0;
    out->at += len;
    out->left -= len;
}

static void put_packets(struct text *out, const struct orma_ledger *self, uint64_t total)
{
    const char *sep = " (";

    put(out, "%" PRIu64 " %s%s", total, self->has_ledger ? "packet" : "chunk",
        total == 1 ? "" : "s");
    for (unsigned i = 0; i < ORMA_LOST_REASONS; i++) {
        uint64_t num = count_of(self, i);

        if (!num)
            continue;
        put(out, "%s%" PRIu64 " %s", sep, num, orma_loss_words[i].name);
        sep = ", ";
    }
    put(out, ")");
}

/* Why the numbers are not all, and what is missing without a number. */
static void put_reasons(struct text *out, const struct orma_ledger *self)
{
    const char *sep = ": ";
    bool one = self->unreported == 1;

    if (self->unknown) {
        put(out, "%s%s", sep, self->unknown);
        sep = "; ";
    }
    if (self->unreported) {
        put(out, "%s%" PRIu64 " writer%s ended without %s last report", sep, self->unreported,
            one ? "" : "s", one ? "its" : "their");
        sep = "; ";
    }
    if (self->incidents_num)
        put(out, "%s%s", sep, self->incidents);
    else if (self->flushes_failed) /* who did not answer is an incident, if it mattered */
        put(out, "; %" PRIu64 " flush%s not answered in time", self->flushes_failed,
            self->flushes_failed == 1 ? " was" : "es were");
}

static void put_others(struct text *out, const struct orma_ledger *self, const char *sep)
{
    const struct {
        uint64_t num;
        const char *one, *many, *text;
    } others[] = {
        {self->kernel_overrun, "kernel event", "kernel events", orma_loss_overrun.name},
        {self->kprobes_missed, "hit of a kprobe", "hits of kprobes", "missed"},
        {self->perf_lost, "record of perf", "records of perf", "overrun"},
        {self->perf_skipped, "stack", "stacks", "not unwound in time"},
        {self->unreadable, "packet", "packets",
         "that cannot be read (names and clocks that they refer to were lost)"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++) {
        if (!others[i].num)
            continue;
        put(out, "%s%" PRIu64 " %s %s", sep, others[i].num,
            others[i].num == 1 ? others[i].one : others[i].many, others[i].text);
        sep = ", ";
    }
}

void orma_ledger_format(const struct orma_ledger *self, char *ret, size_t ret_size)
{
    uint64_t total = orma_ledger_total(self);
    bool known = is_known(self);
    struct text out = {ret, ret_size};

    if (total || has_others(self))
        put(&out, known ? "lost " : "lost at least ");
    else if (self->incident_is_loss)
        put(&out, "incomplete");
    else
        put(&out, !known             ? "what was lost is not known"
                  : self->has_ledger ? "nothing lost"
                                     : "no loss was counted"); /* by a service that counts little */
    if (total)
        put_packets(&out, self, total);
    put_others(&out, self, total ? ", " : "");
    put_reasons(&out, self);
}

const char *orma_ledger_remedy(const struct orma_ledger *self)
{
    if (self->unreadable && self->ring)
        return "The ring was overwritten faster than programs repeated names and clocks: make the "
               "buffer larger (-b, or size_kb in the config)";
    if (self->unreadable)
        return "Names and clocks were lost together with other data: a larger buffer helps";
    if (self->perf_lost || self->perf_skipped)
        return "Samples arrive faster than they are read: lower the frequency (-F), or choose "
               "fewer processes";
    return NULL;
}
