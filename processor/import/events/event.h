/*
 * A track event under way: what was read of it, and where it belongs.
 *
 *   read ─► name, category ─► place (track, thread, process) ─► counters ─► slice, state
 *
 * Most events lie on the track that they name. Events in Chrome's older form
 * (legacy phases) lie on the thread of their sequence, or where their ids say.
 */
#ifndef ORMA_PROCESSOR_IMPORT_EVENTS_EVENT_H
#define ORMA_PROCESSOR_IMPORT_EVENTS_EVENT_H
#include "processor/import/events/events.h"

#define ORMA_EVENTS_CATEGORIES_MAX 16

/* TrackEvent.legacy_event. */
struct orma_events_legacy {
    uint64_t name_iid, unscoped_id, local_id, global_id, bind_id;
    int64_t duration_us, thread_duration_us, thread_instruction_delta;
    struct orma_str id_scope;
    int32_t pid, tid;
    uint32_t direction, scope;
    char phase;
    bool has_phase, has_unscoped, has_local, has_global, has_bind, has_direction, has_pid, has_tid;
    bool has_duration, has_thread_duration, has_instruction_delta, bind_to_enclosing, async_tts;
};

/* Whose track it is on. */
enum orma_events_place {
    ORMA_EVENTS_ON_DESCRIBED, /* `t` */
    ORMA_EVENTS_ON_THREAD,    /* that of `utid`, which the sequence or the event names */
    ORMA_EVENTS_ON_ASYNC,     /* found by `source_id`, which is kept as an arg */
    ORMA_EVENTS_ON_PROCESS,   /* instants of a process */
    ORMA_EVENTS_ON_TRACE,     /* and of the whole trace */
};

/* Lists of flows. */
enum {
    ORMA_EVENTS_FLOWS = 1,
    ORMA_EVENTS_FLOWS_OLD = 2,
    ORMA_EVENTS_FLOW_ENDS = 4,
    ORMA_EVENTS_FLOW_ENDS_OLD = 8,
};

/* Values of counters that came along with an event: integers, and doubles. */
struct orma_events_extras {
    uint64_t uuids[2][ORMA_SEQ_EXTRA_COUNTERS];
    uint64_t values[2][ORMA_SEQ_EXTRA_COUNTERS];
    struct orma_events_track *tracks[2][ORMA_SEQ_EXTRA_COUNTERS]; /* when it is checked */
    bool of_sequence[2]; /* the uuids are those that the sequence has for all events */
};

/* Read in one pass; other lists are read again when they are there at all. */
struct orma_events_record {
    bool stacked; /* a call stack came with it: see `sample` */
    /* Zero until the field comes. */
    uint32_t type;
    struct {
        bool type, track, name_iid, name, value, double_value, legacy;
    } has;
    bool annotated, typed;
    bool timed;              /* has times of the older form */
    uint8_t flows;           /* the lists of them that are there */
    uint8_t text_categories; /* 2: two or more */
    bool has_extras, too_many_extras;
    uint8_t uuids_num[2], values_num[2]; /* of the extras */
    bool has_thread_ns, has_instructions;
    bool malformed;    /* from some field on */
    uint32_t unfit_id; /* a known field that is a number where it should be bytes, or vice versa */
    enum orma_events_place place;
    bool of_process; /* an async one, whose id is of the process */
    uint8_t category_iids_num;
    uint64_t name_iid;
    /* Where it belongs. */
    struct orma_events_track *t; /* the described track */
    struct {
        uint32_t utid, upid;  /* ORMA_ID_NONE: none */
        uint32_t passthrough; /* the thread that wrote an event of another track */
    } owner;
    uint32_t name_id, category_id;
    /* From here on only what the flags say was there. */
    uint64_t track_uuid;
    struct orma_str name, category;
    int64_t value;
    double double_value;
    struct {
        int64_t ns, instructions; /* of the thread, at the event */
    } thread;
    struct {
        int64_t source_id;
        uint32_t scope; /* pool id */
    } async;
    uint64_t category_iids[ORMA_EVENTS_CATEGORIES_MAX];
    struct orma_events_legacy legacy; /* if has.legacy */
    struct orma_events_extras extras; /* if has_extras */
    struct {
        uint32_t callsite;
        bool has_weight;
        double weight;
    } sample; /* if stacked */
    struct orma_str bytes;
    const struct orma_item *item;
};

/* The track on which a slice begins, ends, or lies as a whole; made if it is not there yet. None:
 * memory has run out. */
uint32_t orma_events_track_begin(struct orma_import_ctx *imp, const struct orma_events_record *e);
uint32_t orma_events_track_end(struct orma_import_ctx *imp, const struct orma_events_record *e);
uint32_t orma_events_track_whole(struct orma_import_ctx *imp, const struct orma_events_record *e,
                                 int64_t dur);

/* True, and counted: it is before what somebody cared for. */
static inline bool orma_events_is_cropped(struct orma_import_ctx *imp, uint16_t machine, int64_t ts)
{
    if (ORMA_LIKELY(!imp->options->crop_track_events || ts >= orma_events(imp)->crop_start))
        return false;
    orma_stats_inc(orma_model_stats(imp->model, machine),
                   ORMA_STAT_TRACK_EVENT_DROPPED_PACKETS_OUTSIDE_OF_RANGE_OF_INTEREST);
    return true;
}

/* Before the args of an event: the set they go to has `before`, or nothing (NULL). */
static inline void orma_events_start_args(struct orma_import_ctx *imp,
                                          const struct orma_args_list *before)
{
    orma_import_arrays_start(&orma_events(imp)->arrays, before);
}

/* What the event says, as far as it can be read in one pass. */
void orma_events_read(const struct orma_item *item, struct orma_events_record *e);

/* Adds the args of the event. `leave`: annotations may become a place, decoded later. */
void orma_events_collect_args(struct orma_import_ctx *imp, struct orma_args_list *args,
                              struct orma_events_record *e, bool leave);

/* The thread that wrote an event of a process or of the whole trace (e->t). */
void orma_events_find_passthrough(struct orma_import_ctx *imp, struct orma_events_record *e);

/* Begin, end, and a slice of known length, with args, flows and thread time. `phase`: a letter to
 * keep as an arg, or 0. */
void orma_events_begin(struct orma_import_ctx *imp, struct orma_events_record *e, char phase);
void orma_events_end(struct orma_import_ctx *imp, struct orma_events_record *e);
void orma_events_whole(struct orma_import_ctx *imp, struct orma_events_record *e, int64_t dur,
                       char phase);

/* An event of the commonest kind (track_event/plain.c). False: it is another one, nothing was
 * done. */
bool orma_events_parse_plain(struct orma_import_ctx *imp, const struct orma_item *item);
/* Its two halves, for the sorter (read/sorter.h). */
bool orma_events_read_plain(const struct orma_item *item, struct orma_plain *ret);
bool orma_events_use_plain(void *imp, int64_t ts, struct orma_seq_gen *gen,
                           const struct orma_plain *plain, struct orma_str bytes);

/* ---- batch.c: for the sorter (read/sorter.h) ---- */

struct orma_forwarded;
size_t orma_events_use_batch(void *imp, struct orma_crew *crew, const struct orma_forwarded *items,
                             size_t num);
bool orma_events_use_aside(void *imp, const struct orma_item *item);
void orma_events_batch_free(struct orma_events_batch *self);

/* ---- track_event/counter.c ---- */

/*
 * Sums of incremental counters up to an event as it is read. Where the event goes into the run of
 * its sequence (`in_run`) they are kept until it comes from there, and NULL is returned.
 */
const double *orma_events_sum_read(struct orma_import_ctx *imp, struct orma_seq *seq,
                                   struct orma_events_record *e, bool in_run);

void orma_events_counter(struct orma_import_ctx *imp, struct orma_events_record *e, uint64_t uuid,
                         bool has_track);
/* The same of a sample without args on a track that has its rows: it makes a row of a counter, and
 * nothing else of the storage is touched. False: it is another one, nothing was done. */
bool orma_events_counter_aside(struct orma_import_ctx *imp, struct orma_events_record *e);
/* Values that came along with an event. False: they make no sense, the event is dropped. */
bool orma_events_check_extras(struct orma_import_ctx *imp, struct orma_events_record *e);
void orma_events_extra_counters(struct orma_import_ctx *imp, struct orma_events_record *e);
/* Thread time and instructions in the older form: also counters. */
void orma_events_thread_counters(struct orma_import_ctx *imp, const struct orma_events_record *e);

/* ---- track_event/legacy.c ---- */

void orma_events_read_legacy(struct orma_str bytes, struct orma_events_legacy *ret);
/* Where an event of a sequence without a track is. False: on no thread at all. */
bool orma_events_place_on_thread(struct orma_import_ctx *imp, struct orma_events_record *e);
/* What the phase says about the place. False: nonsense, the event is dropped. */
bool orma_events_place_legacy(struct orma_import_ctx *imp, struct orma_events_record *e);
/* Samples of a profile have their data in annotations whose names are known by number: others are
 * counted. */
void orma_events_read_sample(struct orma_import_ctx *imp, const struct orma_events_record *e);
void orma_events_parse_legacy(struct orma_import_ctx *imp, struct orma_events_record *e);
/* Reads the times of an event in the older form, if it has them, and pushes it if it can be in no
 * run. True: it is used up. */
bool orma_events_tokenize_legacy(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx);

/* ---- track_event/typed.c: fields with a meaning of their own, as args ---- */

struct orma_proto_args;

void orma_events_typed_args(struct orma_import_ctx *imp, const struct orma_events_record *e,
                            struct orma_args_list *ret);
/* A walk through a message that knows what track events hold. */
void orma_events_proto_args(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                            struct orma_args_list *ret_list, struct orma_proto_args *ret);
/* callstack.c: reads the call stack that came with the event, once it is known where it belongs.
 * False: it is not known, and that is counted. Then: the row of it for the event's slice. */
void orma_events_read_callstack(struct orma_import_ctx *imp, struct orma_events_record *e);
void orma_events_callstack(struct orma_import_ctx *imp, const struct orma_events_record *e,
                           uint32_t slice, bool at_end);
#endif
