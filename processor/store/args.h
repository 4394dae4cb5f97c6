/*
 * Argument sets: (key, value) lists shared by all rows that have equal ones.
 *
 * A set is built in an orma_args_list, one entry per leaf value, and committed
 * once: equal sets get the same id. Rows of a set lie together in
 * __intrinsic_args, in the order in which the keys were added, and the id of
 * the set is the id of its first row. Within a list a key is there once: the
 * value added last wins and keeps the place of the first.
 *
 * While an import logs its sets (args_log.h) what is committed gets a number
 * instead, which stands in the tables, until somebody asks for an id or an arg:
 * then orma_args_settle() makes rows of the sets and ids of the numbers.
 *
 *   STORED ──log()──► LOGGING ──log_end()──► WAITING
 *      ▲                 └────── settle() ──────┤
 *      └────────────────────────────────────────┘
 *
 * WAITING, whatever needs rows settles by itself; LOGGING, the import goes on with numbers, and
 * what it loads comes from the log. Whoever reads columns of ids settles before.
 *
 * An import may leave args where they are, in the bytes of the trace: a place in a list stands for
 * them (orma_args_put_place()) until the set is settled, or somebody needs to know what they are.
 * What the set is then is what it would have been at once.
 *
 * Sets can also come from a source that makes them when asked (ftrace events
 * keep theirs in the packet): see struct orma_args_source.
 */
#ifndef ORMA_PROCESSOR_STORE_ARGS_H
#define ORMA_PROCESSOR_STORE_ARGS_H
#include <stdbool.h>
#include <stdint.h>

#include "processor/store/args_log.h"
#include "processor/store/strpool.h"
#include "processor/store/table.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

enum orma_arg_type {
    ORMA_ARG_INT,
    ORMA_ARG_UINT,
    ORMA_ARG_STRING,
    ORMA_ARG_REAL,
    ORMA_ARG_POINTER,
    ORMA_ARG_BOOL,
    ORMA_ARG_JSON,
    ORMA_ARG_NULL,
};
#define ORMA_ARG_TYPES_NUM 8
/* What stands for the args of a place: no type that anybody else sees. */
#define ORMA_ARG_PLACE ORMA_ARG_TYPES_NUM
extern const char *const orma_arg_type_names[ORMA_ARG_TYPES_NUM];

struct orma_args_item {
    uint32_t flat_key, key; /* pool ids; of a place: the `context` and `len` of it */
    uint8_t type;           /* enum orma_arg_type */
    bool yields;            /* to one with the same key that is there already */
    union {
        int64_t i;
        double d;
        struct { /* the low half of i, on any machine */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            uint32_t high;
#endif
            uint32_t str; /* pool id */
        };
    };
};

/* Bytes with args, and whatever else their owner needs to decode them: numbers below
 * ORMA_ARGS_CONTEXT_MAX, with the owner added by orma_args_context(). */
struct orma_args_place {
    const uint8_t *bytes;
    uint32_t len, context;
};

/* Who leaves args in bytes: importers of packets, or of files of other formats. */
enum orma_args_owner { ORMA_ARGS_OF_PACKETS, ORMA_ARGS_OF_FILES, ORMA_ARGS_OWNERS_NUM };
#define ORMA_ARGS_CONTEXT_MAX 0x80000000u

static inline uint32_t orma_args_context(enum orma_args_owner owner, uint32_t number)
{
    return number | (uint32_t)owner << 31;
}

/* What lists that are known to be equal became when the first of them was committed. */
struct orma_args_memo {
    uint32_t set;   /* its number, while sets are logged, + 1; 0: none was committed yet */
    uint32_t stamp; /* changes when it is for other lists */
};

/* Reused from set to set. Zero-initialised is empty. */
struct orma_args_list {
    struct orma_args_item *args;
    uint32_t len, cap;
    uint32_t behind;  /* the last place; 0: there is none. Keys before it cannot be compared */
    bool failed;      /* memory was out: the set is incomplete */
    uint32_t *places; /* of keys by hash, + 1, in lists that are long; 0: free */
    uint32_t places_mask, places_cap;
    uint32_t placed; /* how many args are in `places`; 0: it means nothing */
    uint32_t memo_stamp;
    struct orma_args_memo *memo; /* of the list as it is, if it still has that stamp; NULL: none */
};

#define ORMA_ARG_SET_NONE UINT32_MAX

void orma_args_list_fini(struct orma_args_list *self);
static inline void orma_args_list_clear(struct orma_args_list *self)
{
    self->len = 0;
    self->behind = 0;
    self->placed = 0;
    self->failed = false;
    self->memo = NULL;
}

/* Adds, or replaces the value of an equal `key` unless it yields. */
void orma_args_put(struct orma_args_list *self, struct orma_args_item arg);

/* The same for a key that the list does not have, which is not looked for. */
void orma_args_put_new(struct orma_args_list *self, struct orma_args_item arg);

/* The list has what another one has, and nothing else. */
void orma_args_list_copy(struct orma_args_list *self, const struct orma_args_list *from);

static inline void orma_args_put_int(struct orma_args_list *self, uint32_t key, int64_t val)
{
    orma_args_put(self, (struct orma_args_item){key, key, ORMA_ARG_INT, false, {.i = val}});
}

static inline void orma_args_put_uint(struct orma_args_list *self, uint32_t key, uint64_t val)
{
    orma_args_put(self,
                  (struct orma_args_item){key, key, ORMA_ARG_UINT, false, {.i = (int64_t)val}});
}

static inline void orma_args_put_bool(struct orma_args_list *self, uint32_t key, bool val)
{
    orma_args_put(self, (struct orma_args_item){key, key, ORMA_ARG_BOOL, false, {.i = val}});
}

/* Without a text (0) it is a string that is NULL. */
static inline void orma_args_put_str(struct orma_args_list *self, uint32_t key, uint32_t str)
{
    orma_args_put(self, (struct orma_args_item){key, key, ORMA_ARG_STRING, false, {.i = str}});
}

static inline void orma_args_put_real(struct orma_args_list *self, uint32_t key, double val)
{
    orma_args_put(self, (struct orma_args_item){key, key, ORMA_ARG_REAL, false, {.d = val}});
}

/* Adds whatever args the bytes have, in the order in which decode() below would put them. */
void orma_args_put_place(struct orma_args_list *self, struct orma_args_place place);

/* Who decodes places. */
struct orma_args_places {
    void *data;
    /* Puts the args of the place. Nothing that it does must depend on when it is called. */
    void (*decode)(void *data, struct orma_args_place place, struct orma_args_list *ret);
    /* False: the bytes are no longer those that were imported. */
    bool (*still_there)(void *data);
    /* All of an import that has ended are decoded. */
    void (*done)(void *data);
};

/*
 * Sets made on demand, with ids from ORMA_ARG_SOURCE_FIRST on: the number of the
 * row they belong to, added to that. Sets that are equal have one id, that of
 * the first; settling which are equal costs a pass over the rows, once, when
 * somebody first reads an id.
 */
#define ORMA_ARG_SOURCE_FIRST 0x40000000u

struct orma_args_source {
    void *data;
    /* Appends the args of a row of the source's table to `ret` (cleared before). False: what they
     * are made of is no longer there, and `ret` means nothing. */
    bool (*decode)(void *data, uint32_t row, struct orma_args_list *ret);
    uint32_t (*rows)(void *data);
};

enum orma_args_state {
    ORMA_ARGS_STORED,  /* ids are ids */
    ORMA_ARGS_LOGGING, /* numbers of the log */
    ORMA_ARGS_WAITING, /* the same, and the import has ended */
};

/* Where a set begins. */
struct orma_args_store {
    enum orma_args_state state;
    struct orma_args_log log;
    struct orma_table *tables; /* all of the storage, with columns of ids; NULL: there are none */
    unsigned settled;          /* so many times; numbers from before mean nothing */
    /* Settling under way: ids of the first `ids_num` sets of the log, and where the next begins. */
    uint32_t *ids;
    uint32_t ids_num;
    struct orma_args_log_pos ids_pos;
    uint64_t looked_up;       /* sets of the log, by readers */
    struct orma_table *table; /* __intrinsic_args: key, flat_key, type and one int64 of value */
    struct orma_strpool *pool;
    struct orma_args_slot {
        uint32_t row; /* the first of the set, + 1; 0: free */
        uint32_t hash;
    } * slots; /* by hash of the set, which spares to read the sets that only lie near */
    uint32_t slots_mask, sets_num;
    uint32_t type_names[ORMA_ARG_TYPES_NUM]; /* pool ids */
    bool *failed;
    struct orma_args_places places[ORMA_ARGS_OWNERS_NUM]; /* .decode NULL: no list has any */
    struct orma_args_list spare;
    struct orma_args_source source; /* .decode NULL: there is none */
    /* Sets of the source: row → the first row with an equal set, or ORMA_ROW_NONE for an empty one.
     */
    uint32_t *canon;
    uint32_t canon_num;
    uint32_t *source_first; /* rows that are the first with their set, ascending */
    uint32_t *source_id;    /* and the number of their first arg among all args of the source */
    uint32_t source_first_num;
    uint32_t source_args;   /* args of all sets of the source */
    struct orma_table kept; /* rows of these args in an image; .def NULL: decode() makes them */
    bool source_unread;     /* it could not be settled: rows do not try again, one by one */
    bool source_mapped;     /* the arrays above are of that image: they are not freed */
    /* Sets that come again: row → first of `repeated_args`, shifted by 32, and how many. */
    struct orma_map repeated;
    ORMA_VEC(struct orma_args_item) repeated_args;
    uint32_t source_last; /* the row that was decoded last */
    struct orma_args_list scratch;
};

/* 0 or -ENOMEM. */
int orma_args_store_init(struct orma_args_store *self, struct orma_table *table,
                         struct orma_strpool *pool, bool *failed);
void orma_args_store_fini(struct orma_args_store *self);

/* The id of the set; ORMA_ARG_SET_NONE if it is empty (or memory is out). While sets are logged, a
 * number: equal sets may have several. */
uint32_t orma_args_commit(struct orma_args_store *self, const struct orma_args_list *list);

/* The same, but all equal sets that are interned have the same number until they are settled. */
uint32_t orma_args_intern(struct orma_args_store *self, const struct orma_args_list *list);

/* From now on sets are logged; without effect when there are rows already. */
void orma_args_log(struct orma_args_store *self);
void orma_args_log_end(struct orma_args_store *self);

/* Ids and rows from now on. False: memory is out, or sets are not decoded yet and the bytes of the
 * trace no longer those that were imported; all is as it was then. */
bool orma_args_settle(struct orma_args_store *self);

/* The same; false, too, when `stop` says so: the next call goes on there. */
bool orma_args_settle_until(struct orma_args_store *self, bool (*stop)(void *data), void *data);

/* Whether readers have looked up so many sets of the log that settling them all is cheaper. */
static inline bool orma_args_is_worth_settling(const struct orma_args_store *self)
{
    return self->looked_up > self->log.sets_num / 64;
}

/* False: readers may have seen other bytes than those that were imported. */
bool orma_args_is_there(const struct orma_args_store *self);

/* Decodes the places of a list. */
void orma_args_decode_places(struct orma_args_store *self, struct orma_args_list *list);

/* Whether a place would be decoded later. */
static inline bool orma_args_take_places(const struct orma_args_store *self,
                                         enum orma_args_owner owner)
{
    return self->state == ORMA_ARGS_LOGGING && self->places[owner].decode;
}

/* Whether columns have numbers where ids belong. */
static inline bool orma_args_unsettled(const struct orma_args_store *self)
{
    return self->state != ORMA_ARGS_STORED && self->log.sets_num;
}

/* Whether ids of sets are in a column: by its name. */
bool orma_args_is_set_column(const struct orma_column_def *def);

/*
 * The id of the set of a row of the source; ORMA_ARG_SET_NONE if it is empty.
 * The first call settles which sets are equal.
 */
uint32_t orma_args_source_set(struct orma_args_store *self, uint32_t row);

/* Settles it now. False: memory is out. */
bool orma_args_source_settle(struct orma_args_store *self);

/*
 * Makes rows of all args of the source, in order: row source_id[i] is the first of set i. `ret` is
 * an empty table like that of args. False: memory is out, or the source is no longer what it was.
 */
bool orma_args_source_store(struct orma_args_store *self, struct orma_table *ret);

/* From now on, those rows are the source: `kept` and what says where its sets begin are set. */
void orma_args_source_keep(struct orma_args_store *self);

/* The arg in a row of the table. */
struct orma_args_item orma_args_row(const struct orma_args_store *self, uint32_t row);

/* Fills `ret` (cleared before) with a committed set or one of the source. */
void orma_args_load(struct orma_args_store *self, uint32_t set, struct orma_args_list *ret);

/* The arg with this full key; false if there is none. */
bool orma_args_find(struct orma_args_store *self, uint32_t set, uint32_t key,
                    struct orma_args_item *ret);

/*
 * The same for many sets, mostly one behind the other: rows are read in windows, which grow while
 * they are of use. WAITING, sets are looked up in the log by their numbers, and nothing is settled;
 * what was found holds if orma_args_is_there() behind it. A reader is good as long as nothing is
 * written.
 */
#define ORMA_ARGS_WINDOW 256

struct orma_args_reader {
    struct orma_args_store *store;
    struct orma_args_log_cursor log;
    uint32_t first, num, hits; /* of the window */
    int64_t set[ORMA_ARGS_WINDOW], key[ORMA_ARGS_WINDOW], type[ORMA_ARGS_WINDOW],
        integer[ORMA_ARGS_WINDOW];
};

static inline void orma_args_reader_init(struct orma_args_reader *self,
                                         struct orma_args_store *store)
{
    self->store = store;
    self->log = (struct orma_args_log_cursor){0};
    self->first = self->num = self->hits = 0;
}

bool orma_args_reader_find(struct orma_args_reader *self, uint32_t set, uint32_t key,
                           struct orma_args_item *ret);
#endif
