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
#include "sdk/base/defs.h"
#include "sdk/wire/pb_reader.h"

static void read_sequence(struct orma_pb_reader r, struct orma_ledger *ret)
{
    struct orma_pb_field f;

    ret->has_ledger = true;
    while (orma_pb_next(&r, &f)) {
        enum orma_loss_reason reason = orma_loss_of_field(f.id);

        if (f.id == ORMA_COUNTS_DELIVERED)
            ret->delivered += f.num;
        else if (reason < ORMA_LOST_REASONS)
            ret->lost[reason] += f.num;
        else if (f.id == orma_loss_unreported.field)
            ret->unreported += f.num != 0;
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

void orma_ledger_read(struct orma_str trace_stats, struct orma_ledger *ret)
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
        sum += count_of(self, i);
    return sum;
}

uint64_t orma_ledger_aged_out(const struct orma_ledger *self)
{
    if (!self->ring)
        return 0;
    return self->has_ledger ? self->lost[ORMA_LOST_OVERWRITTEN] : self->chunks_overwritten;
}

bool orma_ledger_is_none(const struct orma_ledger *self)
{
    return !self->unknown && !self->unreported && !self->kernel_overrun && !orma_ledger_total(self);
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

/* Why the numbers are not all. */
static void put_reasons(struct text *out, const struct orma_ledger *self)
{
    bool one = self->unreported == 1;

    if (self->unknown)
        put(out, ": %s", self->unknown);
    if (self->unreported)
        put(out, "%s%" PRIu64 " writer%s ended without %s last report", self->unknown ? "; " : ": ",
            self->unreported, one ? "" : "s", one ? "its" : "their");
}

void orma_ledger_format(const struct orma_ledger *self, char *ret, size_t ret_size)
{
    uint64_t total = orma_ledger_total(self), kernel = self->kernel_overrun;
    bool known = !self->unknown && !self->unreported;
    struct text out = {ret, ret_size};

    if (!total && !kernel)
        put(&out, known ? "nothing lost" : "what was lost is not known");
    else
        put(&out, known ? "lost " : "lost at least ");
    if (total)
        put_packets(&out, self, total);
    if (kernel)
        put(&out, "%s%" PRIu64 " kernel event%s %s", total ? ", " : "", kernel,
            kernel == 1 ? "" : "s", orma_loss_overrun.name);
    put_reasons(&out, self);
}
