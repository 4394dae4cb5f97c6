/*
 * Sorter: brings everything that an import has read into order of time.
 *
 * Input comes in runs that are in order already: the packets of a sequence, the
 * events of a cpu. A run is not stored packet by packet. It is a list of
 * segments, each a range of the file whose packets follow each other, and is
 * decoded again, one packet ahead, while runs are merged:
 *
 *   run of a sequence   [segment: 310 packets][segment: 1 packet] ...
 *   run of a cpu        [bundle][bundle] ...              (one run per kind of event)
 *   loose items         one entry each: what came late, or has no place in a run
 *
 *   heads of all runs ──► merged by (time, order of arrival) ──► emit()
 *
 * Where times are equal it matters who comes first. A cpu has three queues: its
 * switches and wakings in compact form, and its events. Track events are another,
 * before those of the cpus, and all else of a machine is the first one. Inside a queue what came
 * first goes first. Of queues the lowest goes first, and goes on while no other has an earlier
 * time: so do others, and rows are numbered in this order.
 *
 * So an event costs no memory here as long as its source is in order, and the
 * two walks over its packet are cheap: the first one only reads the head.
 *
 * Times are in trace time. `order` says which of two items of equal time came
 * first: packets are numbered in steps of ORMA_ORDER_STEP, parts of a packet
 * lie between. Threads: none.
 */
#ifndef ORMA_PROCESSOR_READ_SORTER_H
#define ORMA_PROCESSOR_READ_SORTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processor/read/packet.h"
#include "processor/read/seq.h"
#include "processor/store/storage.h"
#include "sdk/base/arena.h"

#define ORMA_ORDER_STEP ((uint64_t)1 << 24)

enum orma_item_kind {
    ORMA_ITEM_PACKET,       /* data: the payload, field: its number */
    ORMA_ITEM_FTRACE_EVENT, /* data: the FtraceEvent, bundle and index say where */
    ORMA_ITEM_SCHED_SWITCH, /* compact: `sched` */
    ORMA_ITEM_SCHED_WAKING,
    ORMA_ITEM_OTHER, /* of another format: aux belongs to its importer */
    ORMA_ITEM_KINDS_NUM,
};

struct orma_compact_sched {
    uint32_t pid; /* next or woken */
    int32_t prio;
    uint32_t target_cpu;
    uint32_t common_flags;
    int64_t prev_state;
    uint32_t comm_index; /* into the bundle's table */
};

/* What an event of the ordinary list says of itself (bundle.h). */
struct orma_kernel_head {
    struct orma_str payload; /* the event itself, */
    uint32_t field;          /* and its number in FtraceEvent; 0: there is none */
    uint32_t pid, common_flags;
    bool is_read; /* else nothing of this counts */
    bool has_pid, has_flags, malformed;
};

struct orma_item {
    int64_t ts;
    uint64_t order;
    const uint8_t *data;
    uint32_t len;
    uint32_t field;
    uint32_t before; /* packets: how far into the packet `data` begins */
    uint8_t kind;    /* enum orma_item_kind */
    uint8_t format;  /* whose ORMA_ITEM_OTHER it is */
    uint16_t machine;
    uint32_t bundle;                      /* ftrace: into orma_sorter.bundles */
    uint32_t index;                       /* ftrace: which of its list in the bundle */
    struct orma_seq_gen *gen;             /* NULL: of no sequence */
    const struct orma_event_extra *extra; /* track events read the slow way */
    union {
        uint64_t aux;
        struct orma_compact_sched sched;
        struct orma_kernel_head event; /* ftrace: read ahead, or not */
    };
};

/* A bundle of kernel events of one cpu. Stays for the life of the import: args are decoded later.
 */
struct orma_kernel_bundle {
    struct orma_str event_bytes; /* the bundle */
    struct orma_str compact;     /* its CompactSched, may be empty */
    uint64_t order;
    int64_t clock_offset;
    struct orma_seq_gen *gen;
    uint32_t *comms; /* pool ids of the names in `compact`, once somebody asked */
    uint32_t comms_num;
    uint32_t from, to; /* events of a list that this entry stands for: usually all */
    uint32_t cpu;
    uint16_t machine;
};

typedef void orma_emit_fn(void *data, const struct orma_item *item);

/* A track event of the commonest kind, decoded. */
struct orma_plain {
    uint64_t track_uuid; /* if has_track */
    uint32_t name_iid, category_iid;
    uint8_t type;
    bool has_track, has_category;
    bool annotated; /* has args, which are read when it is imported */
};

/* Decodes an item; false: it is something else. Called on either thread, so it looks at nothing but
 * the item and its bytes. */
typedef bool orma_read_plain_fn(const struct orma_item *item, struct orma_plain *ret);
/* Imports it; false, and nothing was done: it must be emitted. `bytes`: of the event. */
typedef bool orma_use_plain_fn(void *data, int64_t ts, struct orma_seq_gen *gen,
                               const struct orma_plain *plain, struct orma_str bytes);

/* Imports the first of these, which are plain, in several threads: how many. The next one must be
 * emitted, or used alone. */
struct orma_crew;
struct orma_forwarded;
typedef size_t orma_use_batch_fn(void *data, struct orma_crew *crew,
                                 const struct orma_forwarded *items, size_t num);
/* Imports an item before plain events that come before it, where that makes no difference. False:
 * nothing was done. */
typedef bool orma_use_aside_fn(void *data, const struct orma_item *item);

struct orma_merge_key {
    int64_t ts;
    uint64_t order;
};

struct orma_sorter {
    struct orma_queue {
        uint32_t key;
        uint32_t winner; /* the leaf with the earliest head */
        struct orma_leaf {
            struct orma_stream *stream;
            struct orma_merge_key key; /* of its head */
            uint32_t loser;            /* of the match at the node of this number: see merge.c */
        } * leaves;
        uint32_t len, cap;
    } * queues;
    uint32_t queues_num, queues_cap;
    struct orma_queue **tops; /* queues that are not empty, a heap by (ts, key) */
    uint32_t tops_len;
    struct orma_stream *streams; /* all, for the end */
    /* Items of their own, by machine; track events in the second stream. */
    struct orma_stream *loose[ORMA_MACHINES_MAX][2];
    struct orma_kernel_bundle *bundles;
    uint32_t bundles_num, bundles_cap;
    struct orma_map cpu_streams; /* machine, cpu, kind → stream */
    struct orma_arena arena;     /* for extras */
    bool threads;                /* merging may use a thread of its own */
    uint64_t threads_from;       /* if so many items wait */
    bool has_sources;            /* their importers do not expect that */
    uint64_t waiting;            /* about how many items were pushed since the last extraction */
    int64_t max_ts;              /* largest time pushed */
    orma_emit_fn *emit;
    orma_read_plain_fn *read_plain; /* NULL: there are no plain events */
    orma_use_plain_fn *use_plain;
    orma_use_batch_fn *use_batch; /* NULL: there are no batches */
    orma_use_aside_fn *use_aside;
    void *emit_data, *plain_data; /* of use_plain, use_batch, use_aside */
    struct orma_crew *crew;       /* for batches; the owner's; NULL: there are none */
    size_t batch_from;            /* fewer plain events are no batch */
    struct orma_mapped *mapped;   /* what runs are read from, if it is a mapped file; */
    const uint8_t *behind;        /* of it: up to where it was let go, */
    const uint8_t *let_go_from;   /* and where to look again how far all have come */
    bool failed;
    /* What emitting writes for each item lies apart from what the merging thread reads. */
    char apart[ORMA_CACHE_LINE];
    int64_t last_emitted;
    bool emitted_any;
    uint64_t budget; /* without the second thread: how many more may be emitted */
    char apart_too[ORMA_CACHE_LINE];
};

void orma_sorter_init(struct orma_sorter *self, orma_emit_fn *emit, void *data);
void orma_sorter_fini(struct orma_sorter *self);

/* True if an item of this time may still be pushed: not older than what was emitted. */
static inline bool orma_sorter_accepts(const struct orma_sorter *self, int64_t ts)
{
    return !self->emitted_any || ts >= self->last_emitted;
}

/* An item of its own. item->gen is counted. */
void orma_sorter_push(struct orma_sorter *self, const struct orma_item *item);

/* The time of a packet, and how to find it again: (timestamp [+ raw]) * unit + offset. */
struct orma_packet_time {
    int64_t ts;
    int64_t raw; /* incremental: the sum before this packet */
    int64_t unit, offset;
    bool incremental;
};

/*
 * The packet that begins at `record` (its tag in the file). When it follows the
 * packet pushed last of its sequence it costs nothing; out of order it becomes a
 * loose item.
 */
void orma_sorter_push_packet(struct orma_sorter *self, struct orma_seq *seq,
                             const struct orma_read_packet *p, const uint8_t *record,
                             const struct orma_packet_time *time, uint64_t order);

/* True: track events of the sequence that came before are of later times. */
bool orma_sorter_is_late(const struct orma_seq *seq, int64_t ts);

/* The track events of a sequence that wait in its run, in the order of the file. Not while items
 * are extracted. */
void orma_sorter_walk_run(const struct orma_seq *seq,
                          void (*each)(void *data, const struct orma_item *item), void *data);

/*
 * A bundle. Its index, or UINT32_MAX when memory is out. Events that are not in order, or whose
 * clock does not run evenly, come as several entries with a range of the list each.
 */
uint32_t orma_sorter_add_bundle(struct orma_sorter *self, const struct orma_kernel_bundle *bundle);

/*
 * A stream of another format: `next` fills *ret with the item that follows, in order of (ts,
 * order), or gives false at the end. It is asked while items are extracted.
 */
void orma_sorter_push_source(struct orma_sorter *self,
                             bool (*next)(void *data, struct orma_item *ret), void *data);

/* Which lists of the bundle to merge; a list with no event is left out. `first`, `last`: its times.
 */
void orma_sorter_push_bundle(struct orma_sorter *self, uint32_t bundle, enum orma_item_kind kind,
                             int64_t first, int64_t last);

/* Queues of a machine: packets, but for track events; these; then for each cpu switches, wakings in
 * compact form, and events. */
#define ORMA_QUEUE_PACKETS(machine) ((uint32_t)(machine) << 16)
#define ORMA_QUEUE_EVENTS(machine) (ORMA_QUEUE_PACKETS(machine) + 1)
uint32_t orma_sorter_queue_of_cpu(uint32_t machine, uint32_t cpu, enum orma_item_kind kind);

/* Emits in order until an item with order >= limit would come. */
void orma_sorter_extract(struct orma_sorter *self, uint64_t limit);
#endif
