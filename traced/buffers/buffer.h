/*
 * Central buffer: where the chunks of many producers stay until they are read
 * or overwritten. One contiguous mapping of self-describing records:
 *
 *   [record][record]...[padding][......untouched......]
 *                               ^ write pointer          (first round)
 *   [record][new record][padding][old record][record]...
 *                       ^ write pointer                  (later rounds)
 *
 *   record:  16 bytes of header (struct traced_record), then the chunk's
 *            payload as it came, then zeros up to a multiple of 16.
 *
 * The mapping alone suffices to rebuild everything else: each header names
 * producer, writer, chunk, fragments and size, and carries a check. Beside it
 * an index is kept: for each sequence (one writer of one producer) a queue of
 * 16-byte references in the order of chunk ids. Writing a chunk costs one copy,
 * one look-up of its sequence and one of the sequence whose record it replaces,
 * whatever the number of sequences.
 *
 * A buffer that is read while it is written begins anew after each reading, before it is
 * filled for the first time (traced_buffer_rewind()).
 *
 * A ring overwrites its oldest records; names, clocks and the like that others refer to
 * are kept aside (kept.h). A discard buffer accepts no more once a
 * record with unread data would be overwritten, for ever.
 *
 * Reading goes sequence by sequence and yields whole packets, each once, in the
 * order of its sequence. A sequence is skipped for now (stalled) where a chunk is
 * missing, is still being written (it was scraped), or waits for patches. Where
 * nothing more can come (the producer is gone, or the session has ended:
 * "settled"), reading continues after such a place, and the loss is counted and
 * marked.
 *
 * Every packet is counted once, where it ends: delivered, overwritten,
 * discarded, invalid or unpatched (struct traced_ledger).
 *
 * Rules: docs/service.md, "Central buffer". Threads: none.
 */
#ifndef ORMA_TRACED_BUFFERS_BUFFER_H
#define ORMA_TRACED_BUFFERS_BUFFER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "traced/rescue/layout.h"
#include "traced/rescue/memory.h"

/* Record sizes are 16-bit numbers; larger chunks are refused. */
#define TRACED_RECORD_MAX 65520u
#define TRACED_RECORD_HEADER 16u
#define TRACED_TRAILER_MAX 40
#define TRACED_HISTOGRAM_BOUNDS 10

enum traced_policy { TRACED_RING, TRACED_DISCARD };

/* Why a packet before this one is missing: bits of previous_packet_dropped. */
enum traced_loss {
    TRACED_LOSS_PRESENT = 1,        /* always set together with one of the others */
    TRACED_LOSS_GAP = 2,            /* chunks that never came */
    TRACED_LOSS_CORRUPT = 4,        /* malformed, refused */
    TRACED_LOSS_ORPHAN = 8,         /* the end of a packet without its beginning */
    TRACED_LOSS_REASSEMBLY = 16,    /* a piece or a nested size is missing */
    TRACED_LOSS_BROKEN_CHAIN = 32,  /* the next chunk does not continue the packet */
    TRACED_LOSS_OVERWRITTEN = 64,   /* by the ring */
    TRACED_LOSS_WRITER_ABORT = 128, /* the writer's drop marker */
};

/* Packets of one sequence. Totals; see protos/orma_ext.proto. */
struct traced_ledger {
    uint64_t emitted; /* as the writer reported; UINT64_MAX: it does not report */
    uint64_t dropped; /* as the writer reported */
    uint64_t delivered;
    uint64_t overwritten;
    uint64_t discarded;
    uint64_t invalid;
    uint64_t unpatched;
    uint64_t cut;  /* see traced_seq_ledger() */
    uint64_t died; /* known to have been emitted, and not found after the service had died */
    uint64_t kept; /* packets for the reader made of overwritten ones (kept.h): beside all others */
    bool unreported; /* `emitted` and `dropped` lack what came after the last report */
};

/* A chunk in the index. `read` fragments are consumed, the next one begins at payload + pos. */
struct traced_ref {
    uint32_t chunk_id;
    uint32_t offset16; /* of the record, in units of 16 bytes */
    uint16_t read;
    uint16_t pos;
    uint8_t state; /* enum traced_ref_state */
    uint8_t pad;
    uint16_t ends; /* packets that end in it, if it is COUNTED; read or not */
};

/* A scraped chunk that was overwritten before its last version came: so much of it is settled. */
struct traced_partial {
    uint32_t chunk_id;
    uint16_t frags; /* 0: unused */
};

/*
 * How far a sequence was read when a block of the trace file was complete: all chunks before
 * `chunk_id`, and so many fragments of that one; with what reading had counted until then.
 */
struct traced_mark {
    uint64_t block; /* 0: unused */
    uint32_t chunk_id;
    uint16_t read;
    uint64_t delivered, invalid, unpatched, orphans;
};

/*
 * One writer of one producer in one buffer. Owned by the buffer. What writing a
 * chunk needs is in the first 64 bytes, and those are one cache line: with many
 * sequences that line is what a chunk costs. A buffer in a rescue folder has them in a file there,
 * as they are: so what is known of a sequence outlasts the service. `orma recover` reads numbers,
 * no pointers; whoever changes the struct changes TRACED_RESCUE_VERSION.
 */
struct traced_seq {
    struct traced_ref *refs; /* ring of `cap` (a power of two) */
    uint32_t cap, head, len;
    uint32_t rd;            /* first reference that is not consumed, 0..len */
    uint32_t last_chunk_id; /* newest */
    uint32_t next_id;       /* chunk id at which reading is */
    uint32_t gone_id;       /* newest that was overwritten, if has_gone */
    uint16_t producer_id, writer_id;
    bool has_last, has_gone;
    bool tail_open;               /* the newest chunk ends inside a packet */
    bool settled;                 /* the producer is gone */
    bool is_ready;                /* in traced_buffer.ready */
    bool has_partial;             /* one of `partial` is used */
    bool reports;                 /* the writer reports what it emits */
    uint64_t overwritten_at_most; /* not in the ledger yet: see evict() */
    struct traced_kept *kept;     /* of what was overwritten, see kept.h; or NULL */

    uint32_t sequence_id; /* trusted_packet_sequence_id */
    uint32_t loss;        /* enum traced_loss, for the next packet */
    struct traced_buffer *buf;
    struct orma_list link;          /* traced_buffer.seqs */
    struct orma_list ready_link;    /* traced_buffer.ready or .stalled, or in none */
    struct orma_list producer_link; /* for the owner of the identity; unlinked when freed */
    bool owes_report;               /* the writer has reported, and not for the last time */
    uint8_t trailer_len;
    uint8_t trailer[TRACED_TRAILER_MAX]; /* trusted fields, encoded: appended to each packet */
    struct traced_partial partial[2];
    struct traced_ledger ledger;
    /* Of what the writer reports, so much belongs to a buffer before this one. */
    uint64_t base_emitted, base_dropped;
    uint64_t histogram_counts[TRACED_HISTOGRAM_BOUNDS + 1];
    uint64_t histogram_sums[TRACED_HISTOGRAM_BOUNDS + 1];
    bool is_touched, in_rescue;
    uint8_t looks;    /* at packets of it since the last change of files: see next_file.c */
    uint32_t file_no; /* the number of the file that it writes into */
    uint32_t mark_id; /* chunks before it are in the trace file, if has_mark */
    bool has_mark;
    uint64_t orphans;            /* of `overwritten`: those that reading has found */
    struct orma_list touch_link; /* traced_buffer.just_read */
    struct traced_mark marks[2]; /* the newest, and the one before it */
};
_Static_assert(offsetof(struct traced_seq, sequence_id) <= 64, "one cache line");

/* As in TraceStats.BufferStats. */
struct traced_buffer_stats {
    uint64_t bytes_written, chunks_written;
    uint64_t bytes_overwritten, chunks_overwritten;
    uint64_t chunks_discarded, chunks_rewritten, chunks_committed_out_of_order;
    uint64_t write_wrap_count;
    uint64_t padding_bytes_written, padding_bytes_cleared;
    uint64_t patches_succeeded, patches_failed;
    uint64_t readaheads_succeeded, readaheads_failed;
    uint64_t abi_violations;
    uint64_t bytes_read, chunks_read;
    uint64_t trace_writer_packet_loss;
    uint64_t invalid_packets; /* not of BufferStats: the session sums them up */
    uint64_t kept_dropped;    /* nor is this: how often something was not kept for lack of space */
};

struct traced_slice {
    const uint8_t *data;
    size_t len;
};

struct traced_buffer {
    void *owner; /* of the session */
    uint8_t *base;
    size_t size;
    size_t wptr;
    size_t used;       /* bytes that have held a record; all of it after the first round */
    size_t touched;    /* bytes whose pages exist */
    size_t backed;     /* bytes that may be touched: all of them, unless it is in a rescue folder */
    size_t rewind_min; /* it begins anew when so much was written */
    enum traced_policy policy;
    bool discarding;    /* the discard buffer is full */
    bool settled;       /* the session has ended */
    bool paused;        /* see traced_buffer_read() */
    uint64_t read_at;   /* bytes that had been written when the last reading began */
    unsigned turn;      /* packets of the sequence that is being read, so far */
    uint64_t repeat_at; /* ... when its writers were last asked to repeat names and clocks */
    uint64_t trees_at;  /* ... when those that say all at once were */
    struct traced_buffer_stats stats;
    struct orma_map seqs_by_key;
    struct orma_map producers; /* ids of those that have a sequence -> 1 */
    struct orma_list seqs;     /* traced_seq.link */
    struct orma_list ready;    /* may have something to read */
    struct orma_list stalled;  /* had nothing in this pass */
    size_t seqs_num;
    struct traced_slice *slices; /* of the packet being put together */
    size_t slices_cap;
    uint8_t *scratch; /* TRACED_RECORD_MAX bytes: refused chunks are counted from a copy */
    struct traced_rescue_memory memory, seq_memory; /* in a rescue folder, or not mapped */
    struct traced_rescue_buffer *shared;            /* what others see of it; never NULL */
    struct traced_rescue_buffer unshared;           /* there, if it is in no folder */
    bool keeps_read;                                /* see traced_buffer_keep_read() */
    bool recovered;                                 /* its service died */
    struct orma_list just_read;                     /* sequences: traced_seq.touch_link */
    size_t kept_bytes; /* memory for what was overwritten and is still needed: kept.h */
};

/* A chunk as it comes in. `payload` may be memory that others change: it is copied once. */
struct traced_chunk {
    uint32_t chunk_id;
    uint16_t packets; /* count and flags, as in the chunk's header */
    bool complete;    /* false: scraped while the writer still holds it */
    const uint8_t *payload;
    uint32_t payload_size;
};

struct traced_packet {
    struct traced_seq *seq;
    const struct traced_slice *slices; /* valid until the next call on the buffer */
    size_t slices_num;
    size_t len;
    uint32_t loss; /* previous_packet_dropped: 0 or TRACED_LOSS_PRESENT | reasons */
    bool is_kept;  /* made of what was overwritten (kept.h): the ledger does not have it */
};

/* Size: whole KiB. -EINVAL, -ENOMEM. */
int traced_buffer_new(size_t size, enum traced_policy policy, struct traced_buffer **ret);
/*
 * The same, in files of a rescue folder with these names, if there is space there: it outlasts the
 * process. `folder` NULL: as above. `target`: the number that producers know it by.
 */
int traced_buffer_new_in(size_t size, enum traced_policy policy,
                         struct traced_rescue_folder *folder, const char *name,
                         const char *seqs_name, struct traced_buffer **ret);
/* What producers know it by, for who recovers it. */
void traced_buffer_note_target(struct traced_buffer *self, uint32_t target);
/* It is nobody's any more whose death would be a loss: a snapshot. */
void traced_buffer_leave_folder(struct traced_buffer *self);

/*
 * For a session with a file: what was read is needed until it is in that file, so it is not
 * overwritten while there is other space. traced_buffer_take_marks() says how far reading has come
 * since the last call: a block has that number; traced_seq_set_mark(), that the block is in the
 * file.
 */
void traced_buffer_keep_read(struct traced_buffer *self);
typedef int (*traced_mark_fn)(void *ctx, struct traced_seq *seq, const struct traced_mark *mark);
void traced_buffer_take_marks(struct traced_buffer *self, uint64_t block, traced_mark_fn fn,
                              void *ctx);
void traced_seq_set_mark(struct traced_seq *seq, const struct traced_mark *mark);

/*
 * Of a service that died: the records in `data` (of which `used` bytes are valid, and those from
 * wptr to busy are not), and what `seqs` tells; read up to where block `blocks` of the file ends
 * (0: there is no file; then everything is read that is still there). `spare` bytes are left for
 * chunks that come later. -EBADMSG: nothing that a service wrote.
 */
struct traced_remains {
    const struct traced_rescue_buffer *head;
    const uint8_t *data;
    const struct traced_seq *seqs; /* head->seqs_num at most; pointers in them mean nothing */
    size_t seqs_num;
    bool has_file;
    uint64_t blocks;
    size_t spare;
    uint64_t damaged_bytes; /* result: records that could not be read */
};
int traced_buffer_recover(struct traced_remains *remains, struct traced_buffer **ret);
void traced_buffer_free(struct traced_buffer *self);
/* Its memory, `size` bytes, to be unmapped by the caller; all that is left to do then is to free
 * it. */
void *traced_buffer_take_memory(struct traced_buffer *self);

/* The sequence, NULL if there is none. */
struct traced_seq *traced_buffer_find(const struct traced_buffer *self, uint16_t producer_id,
                                      uint16_t writer_id);
/* The sequence, made if there is none (then sequence_id and trailer are 0). NULL: too many for a
 * buffer of this size, or no memory. */
struct traced_seq *traced_buffer_seq(struct traced_buffer *self, uint16_t producer_id,
                                     uint16_t writer_id);
/* Copies the chunk in, or counts why not. */
void traced_buffer_write(struct traced_buffer *self, struct traced_seq *seq,
                         const struct traced_chunk *chunk);

/* A chunk of it will be written next but one. */
void traced_seq_prefetch(const struct traced_seq *seq);

/* One patch of four bytes at `offset` of the payload. */
struct traced_patch {
    uint32_t offset;
    uint8_t data[4];
};
/* seq NULL: unknown, counted as failed. */
void traced_buffer_patch(struct traced_buffer *self, struct traced_seq *seq, uint32_t chunk_id,
                         const struct traced_patch *patches, size_t num, bool more);

/*
 * For whoever has just read what there was: the next chunks go to the beginning again, so that the
 * buffer takes no more memory than it needs. Nothing that is needed is overwritten as long as the
 * buffer was not yet filled to its end.
 */
void traced_buffer_rewind(struct traced_buffer *self);

/* Makes pages ahead of the write pointer exist. For when there is nothing better to do. True: did.
 */
bool traced_buffer_touch_ahead(struct traced_buffer *self);

/* Starts a pass: stalled sequences are looked at again. */
void traced_buffer_read_begin(struct traced_buffer *self);
/* The next packet. False: nothing more in this pass; or, with `paused` set: not found so far. */
bool traced_buffer_read(struct traced_buffer *self, struct traced_packet *ret);

/* The packet just read does not go into the trace after all. */
void traced_buffer_undeliver(const struct traced_packet *packet);

/* Nothing more will come from this writer, or for the whole buffer. */
void traced_seq_settle(struct traced_seq *seq);
void traced_buffer_settle(struct traced_buffer *self);

/* The ledger at this moment; `cut` is what was begun and can't be whole any more. */
struct traced_ledger traced_seq_ledger(const struct traced_seq *seq);

/* More packets than any writer gets to; the sum over all writers of a service stays below 2^63. */
#define TRACED_SEQ_COUNT_MAX ((uint64_t)1 << 48)

/* The writer's own totals: what it has emitted, and how much of that it dropped. */
void traced_seq_report(struct traced_seq *seq, uint64_t emitted, uint64_t dropped);
/* That was its last report: the writer has ended. */
void traced_seq_reported(struct traced_seq *seq);
/* A further report will not come, whether the writer has ended or not. */
void traced_seq_lose_report(struct traced_seq *seq);

/* Upper bounds of the histogram of payload bytes per chunk. */
extern const uint32_t traced_buffer_histogram_bounds[TRACED_HISTOGRAM_BOUNDS];

/* Forgets all content, keeps sequences and statistics; what was unread counts as overwritten. */
void traced_buffer_clear(struct traced_buffer *self);

/*
 * A settled copy with the same content, read up to the same place; statistics of
 * reading begin anew, and so does `delivered` of the ledgers. -ENOMEM.
 */
int traced_buffer_clone(const struct traced_buffer *self, struct traced_buffer **ret);

/*
 * An empty buffer that continues where this one ends: it has the living
 * sequences (without their identities) and what of them is counted here. This
 * one becomes a snapshot like a clone and forgets the owners of its identities.
 * -ENOMEM: nothing changed.
 */
int traced_buffer_succeed(struct traced_buffer *self, struct traced_buffer **ret);
#endif
