/*
 * What the files of this module share. Private to processor/view.
 */
#ifndef ORMA_PROCESSOR_VIEW_VIEW_IMPL_H
#define ORMA_PROCESSOR_VIEW_VIEW_IMPL_H
#include <string.h>

#include "processor/api/query_impl.h"
#include "processor/store/large.h"
#include "processor/view/view.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

#define ORMA_VIEW_NONE UINT32_MAX
#define ORMA_VIEW_BLOCK_BYTES (512u << 10) /* of a block, before it is deflated, or little more */
#define ORMA_VIEW_LEVELS 16
#define ORMA_VIEW_DEPTH_MAX 1024 /* slices that are deeper stay alone */

/* Numbers of the format. */
enum orma_view_row_kind {
    ORMA_VIEW_GROUP = 0, /* nothing of its own: only a head for what is below it */
    ORMA_VIEW_PROCESS = 1,
    ORMA_VIEW_THREAD = 2,
    ORMA_VIEW_TRACK = 3,
    ORMA_VIEW_COUNTER = 4,
    ORMA_VIEW_CPU = 5,
    ORMA_VIEW_LOG = 6,
};

enum orma_view_chunk_kind {
    ORMA_VIEW_SLICES = 1,
    ORMA_VIEW_STATES = 2,
    ORMA_VIEW_SCHED = 3,
    ORMA_VIEW_VALUES = 4,
    ORMA_VIEW_LOGS = 5,
    ORMA_VIEW_SAMPLES = 6,
    ORMA_VIEW_LEVEL = 16, /* times 1 to 4 (slices to values) + n: these of level n */
};

enum orma_view_block_kind {
    ORMA_VIEW_BLOCK_ITEMS = 1,
    ORMA_VIEW_BLOCK_STRINGS = 2,
    ORMA_VIEW_BLOCK_ROWS = 3,
    ORMA_VIEW_BLOCK_ARGS = 4,
    ORMA_VIEW_BLOCK_FLOWS = 5,
    ORMA_VIEW_BLOCK_FRAMES = 6,
    ORMA_VIEW_BLOCK_OVERVIEW = 7,
    ORMA_VIEW_BLOCK_GAPS = 8,
    ORMA_VIEW_BLOCK_HEAPS = 9,
};

/*
 * Items may be many: where the memory of the process has no room for their arrays, they lie in
 * files (store/large.h). Such vectors grow, and are freed, with these only.
 */
int orma_view_grow(void *array, uint32_t *ret_cap, size_t need, size_t size);

#define ORMA_VIEW_RESERVE(vec, n)                                                                  \
    __extension__({                                                                                \
        __typeof__(vec) items_ = (vec);                                                            \
        size_t items_need_ = (size_t)items_->len + (n);                                            \
        ORMA_LIKELY(items_need_ <= items_->cap)                                                    \
        ? 0 : orma_view_grow(&items_->data, &items_->cap, items_need_, sizeof(*items_->data));     \
    })
#define ORMA_VIEW_PUSH(vec, ...)                                                                   \
    __extension__({                                                                                \
        __typeof__(vec) push_ = (vec);                                                             \
        int push_r_ = ORMA_VIEW_RESERVE(push_, 1);                                                 \
        if (!push_r_)                                                                              \
            push_->data[push_->len++] = (__VA_ARGS__);                                             \
        push_r_;                                                                                   \
    })
#define ORMA_VIEW_ITEMS_FINI(vec)                                                                  \
    do {                                                                                           \
        orma_large_free((vec)->data);                                                              \
        (vec)->data = NULL;                                                                        \
        (vec)->len = (vec)->cap = 0;                                                               \
    } while (0)

/* Texts, numbered in the order of their first use; 0 is "". */
struct orma_view_strings {
    struct orma_buf bytes; /* all of them, one behind the other */
    ORMA_VEC(size_t) ends;
    struct orma_map ids; /* hash → number; equal hashes are looked at by their bytes */
    bool failed;
};
void orma_view_strings_init(struct orma_view_strings *self);
void orma_view_strings_fini(struct orma_view_strings *self);
uint32_t orma_view_string(struct orma_view_strings *self, struct orma_str text);

struct orma_view_row {
    uint32_t parent; /* ORMA_VIEW_NONE: at the top */
    uint32_t name;
    uint32_t unit; /* of a counter: text */
    uint8_t kind;
    bool main_thread, kernel, used; /* used: it or a row below it has items */
    int64_t id;                     /* pid, tid, cpu; -1: none */
    uint32_t lanes;                 /* of slices */
    uint64_t items;
    bool has_states;
    int64_t until;  /* of a machine, if there are several: its last time that is known; -1 */
    uint8_t coarse; /* bits by kind of chunk: what the row has too much of to be read whole */
    double rank, by_slices; /* by_slices: what its slices are worth where there are no states */
};

/* Items begin with their time and their row. */
struct orma_view_slice {
    int64_t ts;
    uint32_t row, id;
    int64_t dur; /* -1: its end is not known */
    uint32_t name, args;
    uint32_t count; /* of a group of slices: how many; 0: it is one slice */
    uint32_t longest_id;
    uint16_t depth;
    int64_t busy, longest; /* of a group: sum and maximum of the durations */
};

struct orma_view_state {
    int64_t ts;
    uint32_t row, id;
    int64_t dur;
    uint32_t state; /* text */
    int32_t cpu;    /* -1: none */
    uint32_t waker; /* row; ORMA_VIEW_NONE: not known */
};

struct orma_view_value {
    int64_t ts;
    uint32_t row;
    double value;
};

/* Beside a state that stands for several: what these are. */
struct orma_view_share {
    uint32_t count;     /* 0: it is one alone */
    int64_t busy, most; /* how long it ran; how long it was in the state, or ran who is shown */
};

/* Beside a value that stands for several, the last of them. */
struct orma_view_range {
    double low, high;
};

struct orma_view_log {
    int64_t ts;
    uint32_t row, prio, tag, text;
};

struct orma_view_sample {
    int64_t ts;
    uint32_t row, callsite;
};

struct orma_view_flow {
    uint32_t from, to; /* ids of slices */
};

/* Something was lost between what the row has before `ts`, and `ts`. */
struct orma_view_gap {
    int64_t ts;
    uint32_t row, reason; /* reason: text */
};

struct orma_view_block {
    uint8_t kind;
    uint8_t turn;         /* when a page reads it: 0 at once, 1 for the first picture, 2 later */
    uint32_t first, last; /* ARGS: numbers of the first set and of the one behind the last */
    uint32_t raw;         /* bytes unpacked */
    uint32_t crc;         /* CRC-32 of these */
    struct orma_buf packed;
    uint64_t at, bytes; /* where it lies in the cache, if it was not read yet */
};

/* Where the items of a row lie: the block, and between which times. */
struct orma_view_chunk {
    uint32_t row, block, at, items;
    uint8_t kind;
    int64_t from, to;
};

/* Where the items of one kind are put while they are read: those of a row between two places. */
struct orma_view_places {
    uint32_t *begin, *next; /* by row; begin of the row behind: the end */
    size_t cap;
};

/* Lanes of a track in its row. */
struct orma_view_track {
    uint32_t depth; /* of its slices: the deepest, and one */
    uint32_t first; /* its first lane in the row */
    uint32_t row;   /* ORMA_VIEW_NONE: it is not shown */
    uint32_t count; /* slices */
};

/* What a picture of items that were not all read says of that. */
struct orma_view_partial {
    uint64_t read, all; /* items; all 0: it is no such picture */
    int64_t until;      /* up to this time all are there */
};

struct orma_view {
    struct orma_processor *tp;
    struct orma_view_config config;
    int64_t from, to; /* the range that is shown */
    int err;
    bool several; /* machines */
    bool hasty;   /* blocks are packed to know about how large they will be */
    int kept;     /* the file of the cache; -1: all is here */
    struct orma_view_strings strings;
    ORMA_VEC(struct orma_view_row) rows;
    ORMA_VEC(struct orma_view_slice) slices;
    struct {
        ORMA_VEC(struct orma_view_slice) slices[ORMA_VIEW_LEVELS]; /* the finest first */
        int64_t ns[ORMA_VIEW_LEVELS];
        unsigned num;
    } level;
    ORMA_VEC(struct orma_view_state)
    states, sched; /* sched: row is the core's, waker the thread's */
    ORMA_VEC(struct orma_view_value) values;
    ORMA_VEC(struct orma_view_log) logs;
    ORMA_VEC(struct orma_view_sample) samples;
    ORMA_VEC(struct orma_view_flow) flows;
    ORMA_VEC(struct orma_view_gap) gaps;
    ORMA_VEC(uint32_t) arg_sets; /* arg_set_id by the number that the blocks use */
    struct orma_map arg_ids;     /* and back */
    ORMA_VEC(struct orma_view_block) blocks;
    ORMA_VEC(struct orma_view_chunk) chunks;
    struct orma_buf info;
    struct orma_view_totals totals;
    /* Only while reading. */
    struct {
        struct orma_view_places places[ORMA_VIEW_SAMPLES + 1]; /* by kind */
        /* By kind, and the id of what has no end in its table: how long it lasted. */
        struct orma_map lasted[ORMA_VIEW_SCHED + 1];
        struct orma_map torn[ORMA_VIEW_SCHED + 1]; /* ids of what spans lost events */
        struct orma_view_track *lanes;             /* by track */
        size_t num_lanes;
    } reading;
    ORMA_VEC(uint32_t) texts; /* number of a text + 1 by that of the processor; 0: not known yet */
    struct orma_view_partial partial;
    uint64_t picture_ns; /* when the next picture is due; 0: reading did not begin */
    /* Of a picture: beside its states, who ran and its values. */
    ORMA_VEC(struct orma_view_share) shares[2];
    ORMA_VEC(struct orma_view_range) ranges;
    /* Rows by what the tables call them; only while packing. */
    struct {
        struct orma_map machines, processes, threads, cpus, tracks, children;
    } row_of;
};

/* ---- query.c: rows of a query; failure is sticky in `err` ---- */

struct orma_view_query {
    struct orma_view *view;
    struct orma_query *query;
    struct orma_query_row row;
};
struct orma_view_query orma_view_query(struct orma_view *self, const char *sql);
void orma_view_include(struct orma_view *self, const char *module); /* of the standard library */
/* False at the end and after a failure; the query is freed then. */
bool orma_view_next(struct orma_view_query *q);
bool orma_view_is_null(const struct orma_view_query *q, unsigned col);
int64_t orma_view_int(const struct orma_view_query *q, unsigned col); /* 0 for NULL */
/* Times of hostile traces are brought so near that no difference of two overflows. Durations end
 * in that range, too, and are -1 (no end is known) or not negative. */
int64_t orma_view_near(int64_t ts);
int64_t orma_view_time(const struct orma_view_query *q, unsigned col);
int64_t orma_view_duration(const struct orma_view_query *q, unsigned col, int64_t ts);
uint32_t orma_view_text(const struct orma_view_query *q, unsigned col); /* its number; 0 for NULL */
struct orma_str orma_view_bytes(const struct orma_view_query *q, unsigned col);
void orma_view_fail(struct orma_view *self, int err);

/* ---- rows.c ---- */

void orma_view_load_rows(struct orma_view *self);
/* The row of a track; `lane`: where its slices begin, if not NULL. ORMA_VIEW_NONE: there is none.
 */
uint32_t orma_view_row_of_track(struct orma_view *self, uint32_t track);
uint32_t orma_view_row_of_thread(const struct orma_view *self, int64_t utid);
uint32_t orma_view_row_of_process(const struct orma_view *self, int64_t upid);
#define ORMA_VIEW_MACHINE_CPUS 4096 /* ucpu: number of the machine times this, and of the core */
uint32_t orma_view_row_of_ucpu(struct orma_view *self, int64_t ucpu);
uint32_t orma_view_top_of(const struct orma_view *self, uint32_t row);
uint32_t orma_view_log_row(struct orma_view *self);
/* Once all items are there: which rows are of use, and their order. */
void orma_view_rank_rows(struct orma_view *self);
void orma_view_put_rows(struct orma_view *self, struct orma_buf *out);

/* ---- items.c ---- */

/* Called while items are read, and once more (all) when they were. */
typedef void orma_view_shown(struct orma_view *self, bool all);
void orma_view_load_items(struct orma_view *self, orma_view_shown *show);

/* ---- order.c: items in the order of their rows, and of their times within ---- */

static inline uint32_t orma_view_row_of_item(const void *item)
{
    uint32_t ret;

    memcpy(&ret, (const char *)item + sizeof(int64_t), sizeof(ret));
    return ret;
}

typedef int orma_view_compare(const void *a, const void *b);
int orma_view_compare_items(const void *a, const void *b);
int orma_view_compare_slices(const void *a, const void *b); /* of one time: the outer first */
/* Returns the array in its order, another one maybe: the old one is freed then. */
void *orma_view_order(struct orma_view *self, void *items, uint32_t *ret_cap, uint32_t len,
                      size_t size, orma_view_compare *compare);

/* ---- groups.c: merges the shortest slices until the rest fits the budget ---- */

void orma_view_group_slices(struct orma_view *self, uint64_t room);
/* The last slice or group of each lane of the row that is being looked at. */
struct orma_view_lanes {
    uint32_t last[ORMA_VIEW_DEPTH_MAX]; /* ORMA_VIEW_NONE: none yet */
    uint32_t used;                      /* lanes that may be not none; at first all */
};
/*
 * Puts slices, in the order of rows and times, into `to`, which has room for all, with those
 * shorter than q in groups: with gaps shorter than q between them, or (within) as long as all of
 * the group is shorter than q. How many slices and groups there are now.
 */
uint32_t orma_view_merge(const struct orma_view_slice *from, uint32_t num,
                         struct orma_view_slice *to, struct orma_view_lanes *lanes, int64_t q,
                         bool within);

/* ---- levels.c: coarser items of rows that have many, for views of more than their pixels ---- */

#define ORMA_VIEW_ROW_LEAST 8192 /* items: rows that have fewer are read whole */

void orma_view_choose_levels(struct orma_view *self); /* how wide they are */
void orma_view_make_levels(struct orma_view *self);   /* of slices */
/*
 * Items of one row, with those in groups that lie within less than q. Gives how many there are
 * then, or `most` + 1 as soon as they are more. Of several, a state is the one that took most of
 * their time, or the thread that ran most: `sums` has a 0 for each text and each row.
 */
uint32_t orma_view_merge_states(const struct orma_view_state *from, uint32_t num, int64_t q,
                                int64_t *sums, uint32_t running, struct orma_view_state *to,
                                struct orma_view_share *shares, uint32_t most);
uint32_t orma_view_merge_values(const struct orma_view_value *from, uint32_t num, int64_t q,
                                struct orma_view_value *to, struct orma_view_range *ranges,
                                uint32_t most);

/* ---- overview.c: how busy each row at the top was, in equal parts of the trace ---- */

void orma_view_put_overview(struct orma_view *self, struct orma_buf *out);

/* ---- chunks.c: the bytes ---- */

struct orma_view_packer {
    struct orma_view *view;
    struct orma_buf raw; /* of the block that is being filled */
    size_t at;           /* of the chunk that is written, in its block */
    uint8_t kind, turn;  /* of the chunks that come, and of their blocks */
    int64_t from, to;    /* of the items of the chunk */
    /* Of the first item that is packed and those behind it, if they are of a level. */
    const void *first;
    const struct orma_view_share *shares;
    const struct orma_view_range *ranges;
};

typedef void orma_view_put(struct orma_view_packer *p, const void *items, uint32_t num);

void orma_view_put_uint(struct orma_buf *out, uint64_t val);
void orma_view_put_int(struct orma_buf *out, int64_t val); /* small ones of either sign are short */
void orma_view_put_double(struct orma_buf *out, double val);
orma_view_put orma_view_put_slices, orma_view_put_states, orma_view_put_values, orma_view_put_logs,
    orma_view_put_samples;
/* Deflates what is in `raw`, if anything is, and empties it. */
void orma_view_end_block(struct orma_view *self, struct orma_buf *raw,
                         struct orma_view_block block);

/* ---- picture.c ---- */

/* Makes a picture of what was read so far, if one is due; all: that was the last of it. */
void orma_view_show(struct orma_view *self, bool all);

/* ---- kept.c ---- */

bool orma_view_open_kept(struct orma_view *self);
bool orma_view_read_block(const struct orma_view *self, struct orma_view_block *block);

/* ---- pack.c ---- */

void orma_view_pack(struct orma_view *self);
void orma_view_pack_picture(struct orma_view *self);

/* ---- info.c ---- */

void orma_view_make_info(struct orma_view *self);
#endif
