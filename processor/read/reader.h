/*
 * Reader of proto traces: cuts bytes into packets, keeps the state of the
 * sequences and the clocks, and hands packets with their time to the sorter.
 *
 * What a packet means is not known here. The owner's hooks are asked twice:
 * `early` for packets that are facts about the trace and have no place in time,
 * `tokenize` for those with a time that need more than waiting for their turn.
 *
 *   packet ─► sequence state ─► early? ─► time ─► tokenize? ─► sorter ─► emit
 *
 * Bytes given to orma_reader_map() stay where they are until orma_reader_fini().
 * Bytes given to orma_reader_feed() are copied. Threads: none.
 */
#ifndef ORMA_PROCESSOR_READ_READER_H
#define ORMA_PROCESSOR_READ_READER_H
#include "processor/read/damage.h"
#include "processor/read/inflate.h"
#include "processor/read/packet.h"
#include "processor/read/sorter.h"
#include "processor/read/strays.h"
#include "processor/read/timeline.h"
#include "processor/read/twice.h"
#include "processor/store/storage.h"
#include "sdk/base/mapped.h"

/* What is done with packets of a field, so that hooks are asked only where they have an answer. */
enum orma_field_use {
    ORMA_FIELD_WANTED = 1,
    ORMA_FIELD_EARLY = 2,
    ORMA_FIELD_TOKENIZE = 4,
    ORMA_FIELD_TOKENIZE_ODD = 8, /* only without a sequence or time, or if seq->tokenize_events */
};

/* Why a packet that is whole is not handed on. */
enum orma_packet_drop {
    ORMA_PACKET_UNWANTED,   /* no importer takes its payload */
    ORMA_PACKET_NO_CLOCK,   /* its time can't be converted */
    ORMA_PACKET_BAD_TIME,   /* its time is before zero, or before what was handed on already */
    ORMA_PACKET_LOST_STATE, /* what it refers to is not in the trace */
    ORMA_PACKET_DROPS_NUM,
};

struct orma_reader_hooks {
    void *data;
    uint8_t uses[ORMA_PACKET_FIELDS_MAX]; /* by field: enum orma_field_use */
    /* True: the packet is used up. `p->sequence` may be 0; seq is then NULL. */
    bool (*early)(void *data, const struct orma_read_packet *p, struct orma_seq *seq,
                  uint16_t machine, uint64_t order);
    /* True: the packet is used up, or was pushed in another form. */
    bool (*tokenize)(void *data, const struct orma_read_packet *p, struct orma_seq *seq,
                     uint16_t machine, int64_t ts, uint64_t order);
    /* A packet at `at`, or a part of it, is of no use: what it needs of its sequence (NULL: it has
     * none) is not there. */
    void (*skipped)(void *data, enum orma_stat stat, const struct orma_seq *seq, uint16_t machine,
                    const uint8_t *at);
    /* A packet of the file (row) is not handed on; one that was deferred is. May be NULL. */
    void (*dropped)(void *data, uint32_t file, enum orma_packet_drop why, uint32_t field,
                    int64_t offset);
    void (*took_late)(void *data, uint32_t file);
    /* Packets of a sequence are missing in front of this time. */
    void (*lost)(void *data, const struct orma_seq *seq, uint16_t machine, int64_t ts);
    /* A machine that was not seen before; if it was: it takes the host's place. */
    void (*new_machine)(void *data, uint16_t machine, uint64_t raw_id);
    /* A time of a clock (full keys) can't be converted. */
    void (*clock_failed)(void *data, uint16_t machine, enum orma_stat stat, uint64_t source,
                         int64_t ns, uint64_t target, int64_t offset);
    /* A packet (at that place of the file) is lost, since its clock is still unknown. */
    void (*undeferrable)(void *data, uint16_t machine, int64_t offset);
    struct orma_timeline_hooks timeline;
    /* Bytes that were skipped, and why; offset -1: not in the file as such. */
    void (*damaged)(void *data, int64_t offset, uint64_t bytes, const char *why);
    /* A field of a packet that is in no table: of this message, or malformed. */
    void (*stray)(void *data, const char *msg, uint32_t number, int64_t offset);
    /* The file ends in the middle of a packet. */
    void (*truncated)(void *data, uint64_t bytes);
    /* Every packet as it is cut; NULL: nobody wants to know. With `burst.off` only. */
    void (*look)(void *data, struct orma_str packet);
    void *look_data; /* of look */
};

/* What packets of a file call a machine, and the machine. */
struct orma_reader_machine {
    uint32_t raw;
    uint16_t machine;
};

/* What is known of a file before it is read. */
struct orma_reader_file {
    uint32_t row;                               /* in trace_file */
    uint16_t machine;                           /* of packets that name none */
    bool named;                                 /* somebody said which machines it is of: */
    const struct orma_reader_machine *machines; /* those that its packets name, if `named` */
    unsigned machines_num;
    const char *no_machines;  /* why its packets must not name machines; NULL: they may */
    const char *no_snapshots; /* the same for snapshots of clocks */
};

struct orma_reader {
    struct orma_storage *storage;
    struct orma_reader_hooks hooks;
    struct orma_sorter sorter;
    struct orma_seqs seqs;
    struct orma_timeline timeline;
    struct orma_clock_view *view; /* that was looked for last */
    uint32_t file;                /* row of the file that is read or emitted */
    uint64_t machine_raw[ORMA_MACHINES_MAX];
    uint16_t machines_num;
    struct orma_reader_file at; /* what is known of the file at hand */
    bool host_seen;             /* a packet of the machine that recorded it */
    bool adopts;                /* the first other machine may take the host's place */
    bool full_sort;
    uint32_t flushes; /* since the last extraction */
    uint64_t extract_limit;
    struct orma_seq *last_seq; /* of the packet before */
    struct {
        struct orma_str tail; /* what that packet ended with, see burst.h; empty: no burst */
        uint64_t num;         /* how many were read */
        bool off;             /* read each packet on the slow path: for tests */
    } burst;
    /* There are sums: track events that come late are tokenized from there on. */
    bool watches_order;
    uint64_t order; /* of the next packet */
    int64_t last_ts;
    struct orma_blob *blobs; /* copied and inflated bytes */
    struct {
        uint8_t *bytes; /* that are no packets yet, in blobs */
        size_t len, cap;
    } uncut;
    struct {
        struct deferred *packets; /* whose clock is not known yet */
        uint32_t num, cap;
    } waiting;
    bool behind;    /* those are being read: not in the order of the file */
    uint32_t depth; /* of compressed packets */
    struct orma_crew *crew;           /* unpacks them; the owner's; NULL: the reader alone */
    struct orma_inflate_ahead *ahead; /* those that are unpacked now; NULL: none */
    struct orma_damage damage;
    struct orma_strays strays;
    struct orma_twice twice;
    struct orma_unpacked unpacked; /* out of packets and of containers; the owner counts `in` */
    /* Packets with a payload that no importer takes, by field; larger numbers in the last one. */
    uint32_t unwanted[ORMA_PACKET_FIELDS_MAX];
    struct {
        uint64_t packets; /* that were cut so far */
        uint64_t took;    /* handed on or used up; the others are deferred, or hooks.dropped() or
                            damaged() was told */
        uint64_t broken;  /* of those that damaged() was told of */
        uint64_t data;    /* of this file, of sequences that are not the service's own */
    } counts;
    struct {
        struct orma_mapped *mapped; /* the whole one, where it is mapped; the owner's */
        bool gone;                  /* it is no longer what was read */
        uint32_t unchecked;         /* looks at it since somebody asked whether it is what it was */
    } source;
    const char *error;    /* why the trace can't be read on; NULL: fine */
    char error_text[240]; /* of `error`, where that is made */
};

void orma_reader_init(struct orma_reader *self, struct orma_storage *storage,
                      const struct orma_reader_hooks *hooks, orma_emit_fn *emit);
void orma_reader_fini(struct orma_reader *self);

/* Reads whole packets of bytes that stay; returns how many bytes were used. What is damaged is
 * skipped: see damage.h. */
size_t orma_reader_map(struct orma_reader *self, const uint8_t *data, size_t len);

/* Copies bytes and reads the packets that are whole by now. 0 or -ENOMEM. */
int orma_reader_feed(struct orma_reader *self, const uint8_t *data, size_t len);

/* All bytes of a file were given; `rest`: those that orma_reader_map() did not use. */
void orma_reader_end_file(struct orma_reader *self, struct orma_str rest);

/* Where in the mapped file a byte is; -1 for copied and unpacked ones. */
int64_t orma_reader_offset(const struct orma_reader *self, const uint8_t *at);

/* Before bytes are looked at long after they were read: false if the mapped file is no longer what
 * it was then. Asks the kernel now and then only, the first time after `unchecked` was set to 0. */
bool orma_reader_still_there(struct orma_reader *self);

/* What comes now is of another file: sequences begin anew. What `file` points to stays. */
void orma_reader_next_file(struct orma_reader *self, const struct orma_reader_file *file);

/* A machine that is known before its packets: its number. */
uint16_t orma_reader_add_machine(struct orma_reader *self, uint64_t raw_id);

/* The end of the file: deferred packets, then all that waits in the sorter. */
void orma_reader_finish(struct orma_reader *self);

/* "All data sources flushed" and "all buffers read": the marks that close a window. */
void orma_reader_note_flush(struct orma_reader *self);
void orma_reader_note_read(struct orma_reader *self);

/* How the file at hand sees a machine. NULL: memory is out. */
struct orma_clock_view *orma_reader_view(struct orma_reader *self, uint16_t machine);

/* A snapshot of clocks. `primary` 0: none named. Returns false if it is refused. */
bool orma_reader_add_clocks(struct orma_reader *self, uint16_t machine, struct orma_seq *seq,
                            const struct orma_clock_value *values, uint32_t num, uint64_t primary);

/* True: a time of this clock is one of the trace as it stands. */
bool orma_reader_is_trace_clock(struct orma_reader *self, uint16_t machine, uint64_t clock);

/* The trace can't be read on: a clock of a sequence, where there is no sequence. */
void orma_reader_refuse_clock(struct orma_reader *self, uint32_t id);

/* To trace time; on failure counts it by cause and returns false. */
bool orma_reader_to_trace_time(struct orma_reader *self, uint16_t machine, uint64_t clock,
                               int64_t ns, int64_t *ret, struct orma_clock_span *ret_span);

/* True if an item of this time may go to the sorter; counts why not. */
bool orma_reader_sortable(struct orma_reader *self, int64_t ts);

/* Bytes that live as long as the reader; NULL when memory is out. */
uint8_t *orma_reader_blob(struct orma_reader *self, size_t len);

static inline struct orma_stats *orma_reader_stats(struct orma_reader *self, uint16_t machine)
{
    return &self->storage->stats[machine];
}
#endif
