#include "tools/loss.h"

#include <stdio.h>
#include <string.h>

#include "protos/fields/common.h"
#include "sdk/base/defs.h"
#include "sdk/wire/pb_reader.h"

/* protos/orma_ext.proto */
#define TRACE_STATS_SEQUENCE_COUNTS 90001
enum {
    COUNTS_DELIVERED = 6,
    COUNTS_DROPPED = 7,
    COUNTS_OVERWRITTEN = 8,
    COUNTS_DISCARDED = 9,
    COUNTS_INVALID = 10,
    COUNTS_UNPATCHED = 11,
    COUNTS_CUT = 12,
    COUNTS_UNREPORTED = 13,
};

static void read_sequence(struct orma_pb_reader r, struct orma_loss *ret)
{
    struct orma_pb_field f;

    ret->has_ledger = true;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case COUNTS_DELIVERED:
            ret->delivered += f.num;
            break;
        case COUNTS_DROPPED:
            ret->dropped += f.num;
            break;
        case COUNTS_OVERWRITTEN:
            ret->overwritten += f.num;
            break;
        case COUNTS_DISCARDED:
            ret->discarded += f.num;
            break;
        case COUNTS_INVALID:
        case COUNTS_UNPATCHED:
        case COUNTS_CUT:
            ret->broken += f.num;
            break;
        case COUNTS_UNREPORTED:
            ret->unreported += f.num != 0;
            break;
        }
    }
}

static void read_buffer(struct orma_pb_reader r, struct orma_loss *ret)
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

void orma_loss_read(struct orma_str trace_stats, struct orma_loss *ret)
{
    struct orma_pb_reader r = orma_pb_reader(trace_stats.data, trace_stats.len);
    struct orma_pb_field f;

    *ret = (struct orma_loss){0};
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_STATS_BUFFER_STATS)
            read_buffer(orma_pb_sub(&f), ret);
        else if (f.id == TRACE_STATS_SEQUENCE_COUNTS)
            read_sequence(orma_pb_sub(&f), ret);
        else if (f.id == ORMA_PB_TRACE_STATS_FLUSHES_FAILED)
            ret->flushes_failed = f.num;
    }
}

uint64_t orma_loss_total(const struct orma_loss *self)
{
    if (self->has_ledger)
        return self->dropped + self->overwritten + self->discarded + self->broken;
    return self->chunks_overwritten + self->chunks_discarded + self->writer_losses;
}

static void format_known(const struct orma_loss *self, char *ret, size_t ret_size)
{
    const struct {
        uint64_t num;
        const char *what;
    } parts[] = {
        {self->has_ledger ? self->overwritten : self->chunks_overwritten, "overwritten"},
        {self->has_ledger ? self->discarded : self->chunks_discarded, "discarded"},
        {self->has_ledger ? self->dropped : self->writer_losses, "dropped by writers"},
        {self->has_ledger ? self->broken : 0, "broken"},
    };
    uint64_t total = orma_loss_total(self);
    const char *sep = " (";
    int n;

    if (!total) {
        snprintf(ret, ret_size, "nothing lost");
        return;
    }
    n = snprintf(ret, ret_size, "lost %llu %s%s", (unsigned long long)total,
                 self->has_ledger ? "packet" : "chunk", total == 1 ? "" : "s");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(parts); i++) {
        if (!parts[i].num || n < 0 || (size_t)n >= ret_size)
            continue;
        n += snprintf(ret + n, ret_size - (size_t)n, "%s%llu %s", sep,
                      (unsigned long long)parts[i].num, parts[i].what);
        sep = ", ";
    }
    if (n > 0 && (size_t)n < ret_size)
        snprintf(ret + n, ret_size - (size_t)n, ")");
}

void orma_loss_format(const struct orma_loss *self, char *ret, size_t ret_size)
{
    format_known(self, ret, ret_size);
    size_t len = strlen(ret);
    if (self->unreported)
        snprintf(ret + len, ret_size - len,
                 "; %llu writer%s ended without %s last report: what %s dropped is not known",
                 (unsigned long long)self->unreported, self->unreported == 1 ? "" : "s",
                 self->unreported == 1 ? "its" : "their", self->unreported == 1 ? "it" : "they");
}
