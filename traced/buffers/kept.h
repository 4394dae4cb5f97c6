/*
 * What the packets that are left in a ring refer to, of packets that the ring has overwritten.
 *
 * Packets of a sequence build on earlier ones: numbers stand for names, times are differences, an
 * event names a track that was described once. When a ring overwrites a packet that nobody has
 * read, that part of it is kept aside, and given to the reader before the first packet that is
 * left:
 *
 *   [c3 overwritten] [c4 overwritten] │ [c5] [c6: state cleared, names] [c7]
 *        names 1, 2      name 3       │  └ needs names 1 to 3: given as packets before it
 *
 *   state   interned data, defaults, the last clock snapshot, sums of differences: since the writer
 *           last began anew (incremental state cleared). When that packet is overwritten, too, what
 *           was before it is not needed any more. Given only if no packet since then is missing.
 *   facts   descriptions of tracks, processes, the machine: packets of other sequences may refer to
 *           them. The same, but given in any case; of a writer that never begins anew the newest.
 *
 * Packets made of it carry the sequence's identity and are not counted in its ledger: the ones that
 * they were made of are, as overwritten. The first of them has the sequence's loss, so that
 * what follows is not taken for data without its state.
 *
 * All that is kept for a buffer is bounded by its size (TRACED_KEPT_MAX); what is dropped because
 * of that is counted. Threads: none.
 */
#ifndef ORMA_TRACED_BUFFERS_KEPT_H
#define ORMA_TRACED_BUFFERS_KEPT_H
#include "traced/buffers/buffer_internal.h"

struct traced_kept;

/* Bytes that a buffer of this size may keep. */
#define TRACED_KEPT_MAX(size) ((size) / 4 + ((size_t)256 << 10))

/* The record goes away unread, from fragment ref->read on. */
void traced_kept_fold(struct traced_buffer *buf, struct traced_seq *seq,
                      const struct traced_ref *ref, const struct traced_record *rec);

/* The record goes away after it was read: what it says is in the trace. */
void traced_kept_skip(struct traced_seq *seq, const struct traced_record *rec);

/* The reader has met the rest of a packet whose beginning was overwritten. */
void traced_kept_join(struct traced_seq *seq, const struct traced_slice *rest, bool ends);

/* Is there anything to give to the reader? `alone`: no packet of the sequence is left. */
bool traced_kept_any(const struct traced_seq *seq, bool alone);
/* The next packet made of what was kept, valid until the next call. False: that was all. */
bool traced_kept_next(struct traced_seq *seq, bool alone, struct traced_slice *ret);

/* A copy for the copy of a sequence. False: no memory. */
bool traced_kept_copy(struct traced_seq *to, const struct traced_seq *from);
void traced_kept_free(struct traced_seq *seq);
#endif
