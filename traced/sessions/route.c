#include "traced/sessions/route.h"

#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "traced/sessions/session.h"

/* A sequence of which so many packets refer to no state has none. */
#define LOOKS 16

/* ---- which file? ---- */

enum { SAYS_CLEARED = 1, SAYS_NEEDED = 2 };

static unsigned flags_of(const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f, in;
    unsigned flags = 0;
    bool cleared = false; /* by the older field */

    if (!orma_pb_next(&r, &f))
        return 0; /* cannot be: these are our own bytes */
    for (struct orma_pb_reader packet = orma_pb_sub(&f); orma_pb_next(&packet, &in);) {
        if (in.id == ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS)
            flags = orma_pb_u32(&in);
        else if (in.id == ORMA_PB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED)
            cleared = orma_pb_bool(&in);
    }
    return (cleared || flags & ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED ? SAYS_CLEARED
                                                                                  : 0) |
           (flags & ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE ? SAYS_NEEDED : 0);
}

void traced_next_file_route(struct traced_session *s, struct traced_seq *seq, struct orma_buf *out,
                            size_t at)
{
    struct traced_next_file *next = &s->output.next;
    unsigned flags = flags_of(out->data + at, out->len - at);

    if (flags & SAYS_CLEARED) {
        seq->file_no = next->number;
        seq->looks = 0;
    } else if (next->routing) {
        orma_buf_put(&next->block, out->data + at, out->len - at);
        if (next->block.failed)
            return; /* it stays where it can at least be found */
        out->len = at;
        next->before++;
    } else if (flags & SAYS_NEEDED) {
        next->behind++;
    } else if (++seq->looks >= LOOKS) {
        seq->file_no = next->number;
        seq->looks = 0;
    }
}

/* ---- statistics ---- */

uint64_t traced_next_file_delivered(const struct traced_session *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->buffers_num; i++)
        ORMA_LIST_EACH (struct traced_seq, seq, &s->buffers[i].buf->seqs, link)
            sum += seq->ledger.delivered + seq->ledger.kept;
    return sum;
}

void traced_next_file_put_stats(struct orma_buf *out, const struct traced_session *s, bool of_old)
{
    const struct traced_next_file *next = &s->output.next;

    if (!next->number)
        return;
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_ORMA_PACKETS_BEFORE,
                    of_old ? next->old_before : next->before);
    if (of_old)
        orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_ORMA_PACKETS_AFTER,
                        traced_next_file_delivered(s) - next->before);
}
