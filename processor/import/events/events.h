/*
 * Track events: descriptors of tracks, and the events on them.
 *
 * Descriptors are noted as they are read (they may come after their use) and
 * resolved when the first event or descriptor asks: a uuid becomes a scope
 * (thread, process or the whole trace) and rows of the track table.
 *
 * Siblings that merge share a group of rows: a slice goes to the lowest row of
 * the group that is free, so overlapping ones lie side by side.
 */
#ifndef ORMA_PROCESSOR_IMPORT_EVENTS_EVENTS_H
#define ORMA_PROCESSOR_IMPORT_EVENTS_EVENTS_H
#include "processor/import/core/arrays.h"
#include "processor/import/core/places.h"
#include "processor/import/core/ports.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

struct orma_arg_key;
struct orma_lanes;
struct orma_events_batch;

/* Times of an event that were differences to the one before it. */
struct orma_event_extra {
    bool has_thread_ns, has_instructions;
    int64_t thread_ns, instructions;
    const double *sums; /* of incremental counters, by the number of the value; NULL: none */
};

enum orma_events_scope { ORMA_EVENTS_GLOBAL, ORMA_EVENTS_PROCESS, ORMA_EVENTS_THREAD };

enum orma_events_kind { ORMA_EVENTS_SLICES, ORMA_EVENTS_COUNTER, ORMA_EVENTS_STATE };

enum orma_events_merge {
    ORMA_EVENTS_MERGE_BY_NAME,
    ORMA_EVENTS_MERGE_BY_KEY,
    ORMA_EVENTS_MERGE_NOT,
};

struct orma_events_track {
    struct orma_events_track *below; /* on the way down while rows are made */
    uint64_t uuid;
    uint32_t trace; /* row of the file: others have tracks of the same uuid */
    uint64_t order; /* of the packet that described it: no earlier event knows it */
    /* As described. */
    bool described;
    bool reserved;        /* by a descriptor, not just by an event */
    uint64_t parent_uuid; /* 0: none */
    uint32_t name;
    bool has_process, has_thread, no_system_merge;
    uint32_t pid, tid;
    uint32_t trusted_pid; /* of who described it, as the service saw it; 0: not told */
    enum orma_events_kind kind;
    struct {
        bool incremental;
        uint32_t builtin; /* 1 thread time, 2 instruction count */
        int64_t multiplier;
        uint32_t unit, share_key;
    } counter;
    uint32_t category, description;
    struct {
        uint32_t child_ordering; /* pool id */
        bool has_rank;
        int32_t rank;
        bool of_processes, of_threads; /* the default track: their ranks count */
    } ranks;
    struct {
        enum orma_events_merge by;
        uint32_t key; /* as text; 0: none */
    } merging;
    bool saw_first; /* has_first_packet_on_sequence, of who made the rows */
    bool is_default;
    uint16_t machine;
    /* As resolved. */
    bool resolved, resolving;
    enum orma_events_scope scope;
    uint32_t utid, upid; /* ORMA_ID_NONE: none */
    bool is_root;        /* of its scope */
    uint32_t track;      /* ORMA_TRACK_NONE until it exists; unused when merged */
    bool has_rows;       /* the tracks exist */
    struct orma_lanes *group;
    struct {
        uint32_t open;               /* row of the state table, ORMA_ROW_NONE: none */
        struct orma_args_list *args; /* of that row, committed when it ends; NULL: had none yet */
    } state;
};

/* A process that was seen at a time. */
struct orma_events_sighting {
    uint32_t upid;
    int64_t ts;
};
ORMA_VEC_STRUCT(orma_events_sightings, struct orma_events_sighting);

/* Names of annotations whose keys are remembered at a time. */
#define ORMA_EVENTS_KEYS_NUM 256

/* Events whose args are remembered: up to so many bytes, and args. */
#define ORMA_EVENTS_MEMOS_NUM 128
#define ORMA_EVENTS_MEMO_BYTES 32
#define ORMA_EVENTS_MEMO_ARGS 2

/* The args of events that come again, byte by byte. */
struct orma_events_memo {
    const struct orma_seq *seq;
    uint32_t gen; /* its number; 0: there is nothing here */
    uint8_t len, args_num;
    uint8_t bytes[ORMA_EVENTS_MEMO_BYTES]; /* padded with zeros */
    struct orma_args_item args[ORMA_EVENTS_MEMO_ARGS];
    struct orma_args_memo set;
};

/* Short events that are remembered, by their hash. */

struct orma_events_state {
    struct orma_map by_uuid;                          /* → struct orma_events_track * */
    struct orma_events_track *last;                   /* found */
    struct orma_map thread_uuids, process_uuids;      /* utid, upid → uuid of its descriptor */
    ORMA_VEC(struct orma_events_track *) with_states; /* tracks that had a state */
    struct orma_arena arena;
    bool any_incremental;
    struct orma_args_list args;
    struct {
        uint32_t name, key;       /* pool ids of "x" and "debug.x"; 0, 0: none */
    } keys[ORMA_EVENTS_KEYS_NUM]; /* by the number of the name, the last one of equal remainder */
    /* DebugAnnotation and TrackEvent in the schema + 1; 0: not looked up */
    uint32_t annotation_msg, track_event_msg;
    /* The args of most counter samples: the thread that wrote them. */
    bool has_passthrough;
    uint32_t passthrough, passthrough_set;
    unsigned passthrough_settled; /* `settled` of the args when the set was made */

    struct orma_import_arrays arrays;               /* of the event under way */
    struct orma_map unknown_fields;                 /* of TrackEvent: number → how often */
    int64_t crop_start;                             /* where the range of interest begins */
    uint32_t chrome_bundles, chrome_packets;        /* with metadata of a Chrome; so far */
    struct orma_events_sightings described, active; /* chrome_processes.c */
    /* places.c: generations that places need, by their `kept`, and what is in the places. */
    ORMA_VEC(struct orma_seq_gen *) kept;
    uint64_t places_bytes;
    struct orma_import_shorts shorts;                     /* what is left of short events */
    struct orma_events_memo memos[ORMA_EVENTS_MEMOS_NUM]; /* by hash; plain.c */
    bool decoding;                /* what was left: nothing but args may come of it */
    const uint8_t *places_behind; /* where decoding let go of the file */
    struct orma_events_batch *batch; /* batch.c; NULL: not needed yet */
};

/* Where the track of a uuid of that file and machine is in `by_uuid`: programs make equal uuids of
 * equal names on two machines. */
static inline uint64_t orma_events_key(uint32_t trace, uint16_t machine, uint64_t uuid)
{
    const uint64_t of = (uint64_t)machine << 32 | trace;

    return uuid ^ (of ? orma_mix64(of) : 0);
}

struct orma_events_state *orma_events_state(struct orma_import_ctx *imp);

/* The track of a uuid, made (not described) if it is new. NULL when memory is out. */
struct orma_events_track *orma_events_find(struct orma_import_ctx *imp, uint64_t uuid,
                                           uint16_t machine);

/* Reads a TrackDescriptor into what is known of its uuid. False: it is of no use. */
bool orma_events_describe(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx);

/* Makes the scope of it known. False: its parents are nonsense. */
bool orma_events_resolve(struct orma_import_ctx *imp, struct orma_events_track *t);

/* The same for the track of an event: it is there from now on, whoever described it. */
bool orma_events_resolve_for_event(struct orma_import_ctx *imp, struct orma_events_track *t);

/* The tracks of it and of its parents, made by the first event, whose name it may take. False: its
 * parents are nonsense. */
bool orma_events_make_rows(struct orma_import_ctx *imp, struct orma_events_track *t, uint32_t name,
                           const struct orma_seq *seq);

/* What a counter of a kind that is built in is called; 0: it is none of those that are known. */
uint32_t orma_events_builtin_name(struct orma_import_ctx *imp, const struct orma_events_track *t);

/* Whether it shares its rows with others. */
bool orma_events_merges(const struct orma_events_track *t);

/* The rows to use. */
uint32_t orma_events_begin_track(struct orma_import_ctx *imp, struct orma_events_track *t,
                                 int64_t ts);
uint32_t orma_events_end_track(struct orma_import_ctx *imp, struct orma_events_track *t,
                               int64_t ts);
uint32_t orma_events_instant_track(struct orma_import_ctx *imp, struct orma_events_track *t,
                                   int64_t ts, int64_t dur);

/* ---- chrome_processes.c ---- */

/* A process describes itself; an ActiveProcesses message; those without a description, as rows. */
void orma_events_process_described(struct orma_import_ctx *imp, uint32_t upid, int64_t ts);
void orma_events_processes_active(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                  struct orma_str bytes);
void orma_events_find_missing(struct orma_import_ctx *imp);

/* ---- track_event/descr.c ---- */

/* A tid as processes.h takes it; the rows of the machine are not made before it needs them. */
uint32_t orma_events_tid(struct orma_import_ctx *imp, uint16_t machine, int64_t tid);

/* The thread that writes a sequence, and where its times count from. False: without pid and tid. */
bool orma_events_read_thread(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                             struct orma_str bytes);

/* A descriptor whose time has come: what it says of its process or thread. */
void orma_events_parse_descriptor(struct orma_import_ctx *imp, const struct orma_item *item);

/* Where the part of the trace begins that somebody cared for. */
void orma_events_read_range(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes);

/* ---- track_event/chrome_names.c ---- */

/* What Chrome calls processes and threads of a kind, as pool ids; 0: it has no name. */
uint32_t orma_events_chrome_process(struct orma_import_ctx *imp, uint64_t type);
uint32_t orma_events_chrome_thread(struct orma_import_ctx *imp, uint64_t type);

/* ---- args ---- */

/* A DebugAnnotation as args below `debug.`. True: it was of the commonest form, and nothing but an
 * arg that depends on these bytes alone came of it. */
bool orma_events_annotation(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                            struct orma_str bytes, struct orma_args_list *ret);

/* The same below the key that is given. False, and counted: it has no name, or refers to what is
 * not there. */
bool orma_events_annotation_at(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                               struct orma_arg_key *k, struct orma_str bytes,
                               struct orma_args_list *ret);

/* The text of an interned entry whose text is in `field`; 0 if there is none. */
uint32_t orma_events_interned_text(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                                   uint32_t kind, uint64_t iid, uint32_t field);

/* ---- places.c ---- */

/* Leaves the annotations of an event where they are, until somebody asks for args. False: they must
 * be read now, nothing was done. */
bool orma_events_leave_annotations(struct orma_import_ctx *imp, struct orma_seq_gen *gen,
                                   struct orma_str event, struct orma_args_list *ret);

/* The three parts of that: whether it is worth it, by what came before; whether nothing but args can
 * come of them, which any thread may ask while nothing is interned; and the place. */
bool orma_events_leaves_annotations(struct orma_import_ctx *imp, struct orma_str event);
bool orma_events_harmless(const struct orma_seq_gen *gen, struct orma_str event);
bool orma_events_put_place(struct orma_import_ctx *imp, struct orma_seq_gen *gen,
                           struct orma_str event, struct orma_args_list *ret);

/* Offers to decode them. */
int orma_events_start_places(struct orma_import_ctx *imp);
void orma_events_forget_places(struct orma_import_ctx *imp);

static inline struct orma_events_state *orma_events(const struct orma_import_ctx *imp)
{
    return imp->state;
}

extern const struct orma_import_module orma_events_module;
extern const struct orma_importer orma_events_chrome_events_importer,
    orma_events_chrome_metadata_importer, orma_events_track_event_importer;
#endif
