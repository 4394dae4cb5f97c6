/*
 * The log is stored in the order in which its sets came, so ids are those that they would have got
 * at once, and each column of ids is gone through once. What is not logged is stored when it comes:
 *
 * A list is hashed over its keys and values; the table of hashes gives the sets that may be
 * equal, which are compared row by row, and only a new one is stored. Sets of a source have
 * ids from ORMA_ARG_SOURCE_FIRST on and no rows: their first ids are counted when somebody
 * asks for all of them.
 */
#include "processor/store/args.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/store/large.h"
#include "sdk/base/hash.h"
#include "sdk/base/libc.h"
#include "sdk/base/search.h"

#define REPEATED_MAX (1u << 20) /* args of sets of the source that are kept */
#define SLOTS_FIRST 1024
/* What settling more sets leaves in malloc's hands is given back. */
#define SETS_LARGE (1u << 16)
/* Sets between two looks whether settling shall stop. */
#define STOP_EVERY 1024

const char *const orma_arg_type_names[ORMA_ARG_TYPES_NUM] = {
    [ORMA_ARG_INT] = "int",   [ORMA_ARG_UINT] = "uint",       [ORMA_ARG_STRING] = "string",
    [ORMA_ARG_REAL] = "real", [ORMA_ARG_POINTER] = "pointer", [ORMA_ARG_BOOL] = "bool",
    [ORMA_ARG_JSON] = "json", [ORMA_ARG_NULL] = "null",
};

int orma_args_store_init(struct orma_args_store *self, struct orma_table *table,
                         struct orma_strpool *pool, bool *failed)
{
    *self = (struct orma_args_store){.table = table, .pool = pool, .failed = failed};
    self->slots = calloc(SLOTS_FIRST, sizeof(*self->slots));
    self->slots_mask = SLOTS_FIRST - 1;
    for (unsigned i = 0; i < ORMA_ARG_TYPES_NUM; i++)
        self->type_names[i] = orma_strpool_add_c(pool, orma_arg_type_names[i]);
    return self->slots && !*failed ? 0 : -ENOMEM;
}

static void source_fini(struct orma_args_store *self)
{
    if (!self->source_mapped) {
        free(self->canon);
        free(self->source_first);
        free(self->source_id);
    }
    self->source_mapped = false;
    orma_map_fini(&self->repeated);
    ORMA_VEC_FINI(&self->repeated_args);
}

void orma_args_store_fini(struct orma_args_store *self)
{
    orma_args_log_fini(&self->log);
    free(self->ids);
    free(self->slots);
    orma_args_list_fini(&self->scratch);
    orma_args_list_fini(&self->spare);
    source_fini(self);
    if (self->kept.def)
        orma_table_fini(&self->kept);
    *self = (struct orma_args_store){0};
}

static uint64_t hash_arg(uint64_t hash, const struct orma_args_item *arg)
{
    hash = orma_mix64(hash ^ ((uint64_t)arg->key << 32 | arg->flat_key));
    return orma_mix64(hash ^ (uint64_t)arg->i ^ (uint64_t)arg->type << 56);
}

static uint64_t hash_list(const struct orma_args_list *list)
{
    uint64_t hash = list->len;

    for (uint32_t i = 0; i < list->len; i++)
        hash = hash_arg(hash, &list->args[i]);
    return hash;
}

static struct orma_args_item row_of(const struct orma_args_store *self, const struct orma_table *t,
                                    uint32_t row)
{
    struct orma_args_item arg = {
        .flat_key = (uint32_t)orma_table_int(t, ORMA_ARGS_FLAT_KEY, row),
        .key = (uint32_t)orma_table_int(t, ORMA_ARGS_KEY, row),
        .type = (uint8_t)(orma_table_int(t, ORMA_ARGS_VALUE_TYPE, row) - self->type_names[0]),
        .i = 0,
    };

    switch (arg.type) {
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
        arg.i = orma_table_int(t, ORMA_ARGS_STRING_VALUE, row);
        break;
    case ORMA_ARG_REAL:
        arg.d = orma_column_double(&t->columns[ORMA_ARGS_REAL_VALUE], row);
        break;
    case ORMA_ARG_NULL:
        break;
    default:
        arg.i = orma_table_int(t, ORMA_ARGS_INT_VALUE, row);
    }
    if (ORMA_UNLIKELY(arg.type >= ORMA_ARG_TYPES_NUM))
        arg.type = ORMA_ARG_NULL; /* of an image that was tampered with */
    return arg;
}

struct orma_args_item orma_args_row(const struct orma_args_store *self, uint32_t row)
{
    return row_of(self, self->table, row);
}

static uint32_t set_len(const struct orma_args_store *self, uint32_t set)
{
    const struct orma_table *t = self->table;
    uint32_t row = set;

    while (row < t->rows && orma_table_int(t, ORMA_ARGS_ARG_SET_ID, row) == set)
        row++;
    return row - set;
}

/* The args of a stored set. */
static void list_of(const struct orma_args_store *self, uint32_t set, struct orma_args_list *ret)
{
    uint32_t len = set < self->table->rows ? set_len(self, set) : 0;

    orma_args_list_clear(ret);
    for (uint32_t i = 0; i < len; i++)
        orma_args_put(ret, orma_args_row(self, set + i));
}

static bool same(const struct orma_args_store *self, uint32_t set,
                 const struct orma_args_list *list)
{
    const struct orma_table *t = self->table;

    if (list->len > t->rows - set ||
        orma_table_int(t, ORMA_ARGS_ARG_SET_ID, set + list->len - 1) != set ||
        (set + list->len < t->rows &&
         orma_table_int(t, ORMA_ARGS_ARG_SET_ID, set + list->len) == set))
        return false;
    for (uint32_t i = 0; i < list->len; i++) {
        struct orma_args_item have = orma_args_row(self, set + i);
        const struct orma_args_item *want = &list->args[i];

        if (have.key != want->key || have.flat_key != want->flat_key || have.type != want->type ||
            have.i != want->i)
            return false;
    }
    return true;
}

static bool rehash(struct orma_args_store *self)
{
    uint32_t mask = self->slots_mask * 2 + 1;
    struct orma_args_slot *slots = calloc((size_t)mask + 1, sizeof(*slots));

    if (!slots)
        return false;
    for (uint32_t i = 0; i <= self->slots_mask; i++) {
        uint32_t at = self->slots[i].hash & mask;

        if (!self->slots[i].row)
            continue;
        while (slots[at].row)
            at = (at + 1) & mask;
        slots[at] = self->slots[i];
    }
    free(self->slots);
    self->slots = slots;
    self->slots_mask = mask;
    return true;
}

static void store(const struct orma_args_store *self, struct orma_table *t, uint32_t set,
                  const struct orma_args_item *arg)
{
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_ARGS_ARG_SET_ID, row, set);
    orma_table_set(t, ORMA_ARGS_FLAT_KEY, row, arg->flat_key);
    orma_table_set(t, ORMA_ARGS_KEY, row, arg->key);
    orma_table_set(t, ORMA_ARGS_VALUE_TYPE, row, self->type_names[arg->type]);
    switch ((enum orma_arg_type)arg->type) {
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
        orma_table_set(t, ORMA_ARGS_STRING_VALUE, row, arg->str);
        break;
    case ORMA_ARG_REAL:
        orma_table_set_double(t, ORMA_ARGS_REAL_VALUE, row, arg->d);
        break;
    case ORMA_ARG_NULL:
        break;
    case ORMA_ARG_INT:
    case ORMA_ARG_UINT:
    case ORMA_ARG_POINTER:
    case ORMA_ARG_BOOL:
        orma_table_set(t, ORMA_ARGS_INT_VALUE, row, arg->i);
        break;
    }
}

/* Hashes of the sets of a table that came from an image. */
ORMA_COLD static bool index_sets(struct orma_args_store *self)
{
    struct orma_args_list list = {0};
    bool ok = true;

    for (uint32_t set = 0; ok && set < self->table->rows; set += ORMA_MAX(list.len, 1u)) {
        list_of(self, set, &list);
        uint32_t hash = (uint32_t)hash_list(&list), at = hash & self->slots_mask;

        while (self->slots[at].row)
            at = (at + 1) & self->slots_mask;
        self->slots[at] = (struct orma_args_slot){set + 1, hash};
        ok = !list.failed && (++self->sets_num < self->slots_mask / 3 * 2 || rehash(self));
    }
    orma_args_list_fini(&list);
    return ok;
}

/* The id of a set that is not empty, whose rows are there afterwards. */
static uint32_t store_set(struct orma_args_store *self, const struct orma_args_list *list)
{
    if (!self->sets_num && self->table->rows && !index_sets(self)) {
        *self->failed = true;
        return ORMA_ARG_SET_NONE;
    }
    if (self->sets_num >= self->slots_mask / 3 * 2 && !rehash(self)) {
        *self->failed = true;
        return ORMA_ARG_SET_NONE;
    }
    uint32_t hash = (uint32_t)hash_list(list), at = hash & self->slots_mask;

    for (; self->slots[at].row; at = (at + 1) & self->slots_mask)
        if (self->slots[at].hash == hash && same(self, self->slots[at].row - 1, list))
            return self->slots[at].row - 1;
    uint32_t set = self->table->rows;
    for (uint32_t i = 0; i < list->len; i++)
        store(self, self->table, set, &list->args[i]);
    if (*self->failed)
        return ORMA_ARG_SET_NONE;
    self->slots[at] = (struct orma_args_slot){set + 1, hash};
    self->sets_num++;
    return set;
}

/* ---- places ---- */

static void decode_place(struct orma_args_store *self, struct orma_args_place place,
                         struct orma_args_list *ret)
{
    const struct orma_args_places *owner = &self->places[place.context / ORMA_ARGS_CONTEXT_MAX];

    place.context %= ORMA_ARGS_CONTEXT_MAX;
    owner->decode(owner->data, place, ret);
}

void orma_args_decode_places(struct orma_args_store *self, struct orma_args_list *list)
{
    const struct orma_args_list left = *list;

    if (ORMA_LIKELY(!left.behind))
        return;
    *list = self->spare;
    orma_args_list_clear(list);
    list->failed = left.failed;
    for (uint32_t i = 0; i < left.len; i++) {
        const struct orma_args_item *a = &left.args[i];

        if (a->type == ORMA_ARG_PLACE)
            decode_place(self,
                         (struct orma_args_place){.bytes = (const uint8_t *)(uintptr_t)a->i,
                                                  .len = a->key,
                                                  .context = a->flat_key},
                         list);
        else
            orma_args_put(list, *a);
    }
    self->spare = left;
}

/* ---- from the log to rows ---- */

/* "arg_set_id", "source_arg_set_id" ... */
bool orma_args_is_set_column(const struct orma_column_def *def)
{
    static const char end[] = "arg_set_id";
    size_t len = strlen(def->name);

    return def->kind == ORMA_COL_INT && len >= sizeof(end) - 1 &&
           !strcmp(def->name + len - (sizeof(end) - 1), end);
}

/* The id of each number, from where it stopped the last time. False: it was told to stop. */
static bool store_sets(struct orma_args_store *self, bool (*stop)(void *data), void *data)
{
    const struct orma_args_log *log = &self->log;
    struct orma_args_list list = {0};
    bool stopped = false;

    if (!self->ids)
        self->ids = malloc(log->sets_num * sizeof(*self->ids));
    *self->failed |= !self->ids;
    while (self->ids_num < log->sets_num && !*self->failed && !stopped) {
        orma_args_list_clear(&list);
        *self->failed |= !orma_args_log_read(log, &self->ids_pos, &list);
        orma_args_decode_places(self, &list);
        *self->failed |= list.failed;
        self->ids[self->ids_num++] =
            *self->failed || !list.len ? ORMA_ARG_SET_NONE : store_set(self, &list);
        stopped = stop && self->ids_num % STOP_EVERY == 0 && stop(data);
    }
    orma_args_list_fini(&list);
    return !stopped;
}

static void forget_ids(struct orma_args_store *self)
{
    free(self->ids);
    self->ids = NULL;
    self->ids_num = 0;
    self->ids_pos = (struct orma_args_log_pos){0};
}

static void renumber(struct orma_args_store *self, const uint32_t *ids, uint32_t num)
{
    for (unsigned i = 0; self->tables && i < ORMA_TABLES_NUM; i++) {
        struct orma_table *t = &self->tables[i];

        for (unsigned col = 0; t != self->table && col < t->def->columns_num; col++)
            if (orma_args_is_set_column(&t->def->columns[col]))
                orma_table_renumber(t, col, ids, num);
    }
}

/* Hashes of sets; they are made again when a set is added to those that are there. */
static void forget_hashes(struct orma_args_store *self)
{
    struct orma_args_slot *less = realloc(self->slots, SLOTS_FIRST * sizeof(*less));

    if (less) {
        self->slots = less;
        self->slots_mask = SLOTS_FIRST - 1;
    }
    memset(self->slots, 0, ((size_t)self->slots_mask + 1) * sizeof(*self->slots));
    self->sets_num = 0;
}

/* Nothing is settled: there were no rows before. */
ORMA_COLD static void take_back(struct orma_args_store *self)
{
    orma_table_truncate(self->table, 0);
    forget_hashes(self);
    forget_ids(self);
}

bool orma_args_is_there(const struct orma_args_store *self)
{
    for (unsigned i = 0; self->log.places_num && i < ORMA_ARGS_OWNERS_NUM; i++)
        if (self->places[i].decode && !self->places[i].still_there(self->places[i].data))
            return false;
    return true;
}

bool orma_args_settle(struct orma_args_store *self)
{
    return orma_args_settle_until(self, NULL, NULL);
}

bool orma_args_settle_until(struct orma_args_store *self, bool (*stop)(void *data), void *data)
{
    struct orma_args_log *log = &self->log;

    if (self->state == ORMA_ARGS_STORED)
        return !*self->failed;
    if (self->state == ORMA_ARGS_LOGGING && !log->sets_num)
        return true;                                     /* nobody has a number */
    const bool ended = self->state == ORMA_ARGS_WAITING; /* else lists may still have places */
    orma_large_drop();                                   /* memory is needed for other things */
    bool whole = orma_args_is_there(self) && store_sets(self, stop, data);
    if (!orma_args_is_there(self)) {
        take_back(self);
        return false;
    }
    if (!whole)
        return false;
    self->state = ORMA_ARGS_STORED;
    self->settled++;
    if (!*self->failed)
        renumber(self, self->ids, log->sets_num);
    forget_ids(self);
    for (unsigned i = 0; log->places_num && ended && i < ORMA_ARGS_OWNERS_NUM; i++)
        if (self->places[i].decode)
            self->places[i].done(self->places[i].data);
    const bool large = log->sets_num > SETS_LARGE;
    orma_args_log_fini(log);
    if (ended)
        forget_hashes(self); /* few sets come later, most often none */
    if (large)
        orma_libc_trim();
    return !*self->failed;
}

/* ---- what is committed ---- */

/* Sets were settled while this one was being made. */
ORMA_COLD static uint32_t store_decoded(struct orma_args_store *self,
                                        const struct orma_args_list *list)
{
    struct orma_args_list copy = {0};

    for (uint32_t i = 0; i < list->len; i++)
        orma_args_put(&copy, list->args[i]);
    orma_args_decode_places(self, &copy);
    *self->failed |= copy.failed;
    uint32_t set = *self->failed || !copy.len ? ORMA_ARG_SET_NONE : store_set(self, &copy);
    orma_args_list_fini(&copy);
    return set;
}

static inline uint32_t commit(struct orma_args_store *self, const struct orma_args_list *list,
                              uint32_t (*log)(struct orma_args_log *,
                                              const struct orma_args_list *))
{
    struct orma_args_memo *memo = list->memo;
    uint32_t set;

    if (list->failed)
        *self->failed = true;
    if (!list->len || *self->failed)
        return ORMA_ARG_SET_NONE;
    if (self->state == ORMA_ARGS_LOGGING) {
        if (memo && memo->stamp != list->memo_stamp)
            memo = NULL;
        if (memo && memo->set)
            return memo->set - 1;
        set = log(&self->log, list);
        *self->failed |= set == ORMA_ARGS_LOG_NONE;
        if (memo)
            memo->set = set + 1;
        return set;
    }
    if (!orma_args_settle(self))
        return ORMA_ARG_SET_NONE;
    return ORMA_UNLIKELY(list->behind) ? store_decoded(self, list) : store_set(self, list);
}

uint32_t orma_args_commit(struct orma_args_store *self, const struct orma_args_list *list)
{
    return commit(self, list, orma_args_log_add);
}

uint32_t orma_args_intern(struct orma_args_store *self, const struct orma_args_list *list)
{
    return commit(self, list, orma_args_log_intern);
}

void orma_args_log(struct orma_args_store *self)
{
    if (self->state == ORMA_ARGS_STORED && !self->table->rows)
        self->state = ORMA_ARGS_LOGGING;
}

void orma_args_log_end(struct orma_args_store *self)
{
    if (self->state == ORMA_ARGS_LOGGING)
        self->state = ORMA_ARGS_WAITING;
}

/* Sets by number, if that is what the import has, else by id. False: there is neither. */
static bool settle_to_read(struct orma_args_store *self)
{
    return self->state == ORMA_ARGS_LOGGING || orma_args_settle(self);
}

/* ---- sets of the source ---- */

/* Two hashes of different seeds: equal by both means equal, short of an accident of 2^-64 or so. */
struct set_hash {
    uint64_t a, b;
    uint32_t row; /* + 1; 0: free */
};

static struct set_hash hash_source(const struct orma_args_list *list, uint32_t row)
{
    struct set_hash h = {.a = list->len, .b = 0x9e3779b97f4a7c15u, .row = row + 1};

    for (uint32_t i = 0; i < list->len; i++) {
        h.a = hash_arg(h.a, &list->args[i]);
        h.b = hash_arg(h.b, &list->args[i]);
    }
    return h;
}

/* The row that had the same set first; grows the table by hand, since all of it goes away again. */
static uint32_t first_with(struct set_hash **table, uint32_t *mask, uint32_t used,
                           struct set_hash h)
{
    if (used >= *mask / 2) {
        uint32_t more = *mask * 2 + 1;
        struct set_hash *grown = calloc((size_t)more + 1, sizeof(*grown));

        if (!grown)
            return ORMA_ROW_NONE;
        for (uint32_t i = 0; i <= *mask; i++) {
            uint32_t at = (uint32_t)(*table)[i].a & more;

            if (!(*table)[i].row)
                continue;
            while (grown[at].row)
                at = (at + 1) & more;
            grown[at] = (*table)[i];
        }
        free(*table);
        *table = grown;
        *mask = more;
    }
    uint32_t at = (uint32_t)h.a & *mask;
    for (; (*table)[at].row; at = (at + 1) & *mask)
        if ((*table)[at].a == h.a && (*table)[at].b == h.b)
            return (*table)[at].row - 1;
    (*table)[at] = h;
    return h.row - 1;
}

static bool settle_rows(struct orma_args_store *self, uint32_t rows, struct set_hash **table)
{
    uint32_t mask = 1023;

    *table = calloc((size_t)mask + 1, sizeof(**table));
    for (uint32_t row = 0; *table && row < rows; row++) {
        orma_args_list_clear(&self->scratch);
        if (!self->source.decode(self->source.data, row, &self->scratch))
            return false;
        if (!self->scratch.len) {
            self->canon[row] = ORMA_ROW_NONE;
            continue;
        }
        self->canon[row] =
            first_with(table, &mask, self->source_first_num, hash_source(&self->scratch, row));
        if (self->canon[row] == ORMA_ROW_NONE)
            return false;
        if (self->canon[row] == row) {
            self->source_first[self->source_first_num] = row;
            self->source_id[self->source_first_num++] = self->source_args;
            self->source_args += self->scratch.len;
        }
    }
    return *table;
}

bool orma_args_source_settle(struct orma_args_store *self)
{
    uint32_t rows = self->source.rows ? self->source.rows(self->source.data) : 0;
    struct set_hash *table = NULL;

    if (self->canon_num == rows)
        return true;
    source_fini(self);
    self->source_first_num = self->source_args = self->canon_num = 0;
    self->canon = malloc(rows * sizeof(*self->canon));
    self->source_first = malloc(rows * sizeof(*self->source_first));
    self->source_id = malloc(rows * sizeof(*self->source_id));
    bool ok =
        self->canon && self->source_first && self->source_id && settle_rows(self, rows, &table);
    free(table);
    self->source_unread = !ok;
    if (ok)
        self->canon_num = rows;
    return ok;
}

bool orma_args_source_store(struct orma_args_store *self, struct orma_table *ret)
{
    if (!orma_args_source_settle(self))
        return false;
    for (uint32_t i = 0; i < self->source_first_num && !*ret->failed; i++) {
        orma_args_list_clear(&self->scratch);
        if (!self->source.decode(self->source.data, self->source_first[i], &self->scratch))
            return false;
        for (uint32_t k = 0; k < self->scratch.len; k++)
            store(self, ret, self->source_id[i], &self->scratch.args[k]);
    }
    return !*ret->failed && ret->rows == self->source_args;
}

/* Nothing is promised about the numbers: somebody else may have written the image. */
static bool decode_kept(void *data, uint32_t row, struct orma_args_list *ret)
{
    struct orma_args_store *self = data;
    uint32_t num = self->source_first_num, first = row < self->canon_num ? self->canon[row] : num;
    uint32_t at = ORMA_LOWER_BOUND(self->source_first, num, , first);

    if (at >= num || self->source_first[at] != first)
        return true; /* an empty set */
    uint32_t end = at + 1 < num ? self->source_id[at + 1] : self->kept.rows;
    for (uint32_t i = self->source_id[at]; i < end && i < self->kept.rows; i++)
        orma_args_put(ret, row_of(self, &self->kept, i));
    return true;
}

static uint32_t rows_kept(void *data)
{
    return ((const struct orma_args_store *)data)->canon_num;
}

void orma_args_source_keep(struct orma_args_store *self)
{
    self->source =
        (struct orma_args_source){.data = self, .decode = decode_kept, .rows = rows_kept};
    self->source_mapped = true;
}

uint32_t orma_args_source_set(struct orma_args_store *self, uint32_t row)
{
    /* What cannot be read, which it says, is not walked through again for each row. */
    if (self->source_unread && !self->source.decode(self->source.data, row, &self->scratch))
        return ORMA_ARG_SET_NONE;
    if (!orma_args_source_settle(self) || row >= self->canon_num ||
        self->canon[row] == ORMA_ROW_NONE)
        return ORMA_ARG_SET_NONE;
    return ORMA_ARG_SOURCE_FIRST + self->canon[row];
}

static bool find_repeated(const struct orma_args_store *self, uint32_t row,
                          struct orma_args_list *ret)
{
    uint64_t at = orma_map_get(&self->repeated, row);

    for (uint32_t i = 0; at != ORMA_MAP_NONE && i < (uint32_t)at; i++)
        orma_args_put(ret, self->repeated_args.data[(at >> 32) + i]);
    return at != ORMA_MAP_NONE;
}

/* Not kept, for want of memory: it is decoded again. */
static void keep_repeated(struct orma_args_store *self, uint32_t row,
                          const struct orma_args_list *list)
{
    uint64_t at = self->repeated_args.len;

    if (list->failed || list->len > REPEATED_MAX - at)
        return;
    for (uint32_t i = 0; i < list->len; i++) {
        if (ORMA_VEC_PUSH(&self->repeated_args, list->args[i]) < 0)
            return;
    }
    (void)orma_map_put(&self->repeated, row, at << 32 | list->len);
}

/*
 * The source walks, which is quick for rows that follow each other. A set that came before is that
 * of its first row, far behind: it is kept, lest the source begins anew for each that is equal.
 */
static void load_source(struct orma_args_store *self, uint32_t row, struct orma_args_list *ret)
{
    bool behind = row < self->source_last;

    if (behind && find_repeated(self, row, ret))
        return;
    if (!self->source.decode(self->source.data, row, ret))
        return; /* the source remembers that it is gone */
    if (behind)
        keep_repeated(self, row, ret);
    else
        self->source_last = row;
}

void orma_args_load(struct orma_args_store *self, uint32_t set, struct orma_args_list *ret)
{
    orma_args_list_clear(ret);
    if (set >= ORMA_ARG_SOURCE_FIRST) {
        uint32_t row = set - ORMA_ARG_SOURCE_FIRST;

        if (self->source.decode && row < self->source.rows(self->source.data))
            load_source(self, row, ret);
        return;
    }
    if (!settle_to_read(self))
        return;
    if (self->state == ORMA_ARGS_LOGGING) {
        struct orma_args_log_cursor at = {0};

        (void)orma_args_log_load(&self->log, &at, set, ret); /* no such set: none of its args */
        orma_args_decode_places(self, ret);
        return;
    }
    list_of(self, set, ret);
}

static bool find_in(const struct orma_args_list *list, uint32_t key, struct orma_args_item *ret)
{
    for (uint32_t i = 0; i < list->len; i++) {
        if (list->args[i].key == key) {
            *ret = list->args[i];
            return true;
        }
    }
    return false;
}

bool orma_args_find(struct orma_args_store *self, uint32_t set, uint32_t key,
                    struct orma_args_item *ret)
{
    struct orma_table *t = self->table;

    if (set < ORMA_ARG_SOURCE_FIRST && !settle_to_read(self))
        return false;
    if (set < ORMA_ARG_SOURCE_FIRST && self->state == ORMA_ARGS_STORED) {
        for (uint32_t row = set;
             row < t->rows && orma_table_int(t, ORMA_ARGS_ARG_SET_ID, row) == set; row++) {
            if (orma_table_int(t, ORMA_ARGS_KEY, row) == key) {
                *ret = orma_args_row(self, row);
                return true;
            }
        }
        return false;
    }
    orma_args_load(self, set, &self->scratch);
    return find_in(&self->scratch, key, ret);
}

static bool find_in_log(struct orma_args_reader *self, uint32_t set, uint32_t key,
                        struct orma_args_item *ret)
{
    struct orma_args_store *store = self->store;

    store->looked_up++;
    orma_args_list_clear(&store->scratch);
    if (!orma_args_log_load(&store->log, &self->log, set, &store->scratch))
        return false;
    orma_args_decode_places(store, &store->scratch);
    return find_in(&store->scratch, key, ret);
}

/* A window that was of little use is followed by a small one, which costs what looking up one set
 * does. */
static void read_window(struct orma_args_reader *self, uint32_t row)
{
    const struct orma_table *t = self->store->table;
    const uint32_t size = self->hits * 8 >= self->num ? self->num * 2 : 0;

    self->first = row;
    self->num = ORMA_MIN(ORMA_MAX(16u, ORMA_MIN(size, ORMA_ARGS_WINDOW)), t->rows - row);
    self->hits = 0;
    orma_column_read(&t->columns[ORMA_ARGS_ARG_SET_ID], row, self->num, self->set);
    orma_column_read(&t->columns[ORMA_ARGS_KEY], row, self->num, self->key);
    orma_column_read(&t->columns[ORMA_ARGS_VALUE_TYPE], row, self->num, self->type);
    orma_column_read(&t->columns[ORMA_ARGS_INT_VALUE], row, self->num, self->integer);
}

bool orma_args_reader_find(struct orma_args_reader *self, uint32_t set, uint32_t key,
                           struct orma_args_item *ret)
{
    struct orma_args_store *store = self->store;

    if (set < ORMA_ARG_SOURCE_FIRST && store->state == ORMA_ARGS_WAITING)
        return find_in_log(self, set, key, ret);
    if (set >= ORMA_ARG_SOURCE_FIRST || store->state != ORMA_ARGS_STORED)
        return orma_args_find(store, set, key, ret);
    for (uint32_t row = set; row < store->table->rows; row++) {
        uint32_t at = row - self->first;

        if (at >= self->num) {
            read_window(self, row);
            at = 0;
        }
        self->hits++;
        if (self->set[at] != set)
            return false;
        if (self->key[at] != key)
            continue;
        const int64_t type = self->type[at] - store->type_names[0];
        if (type == ORMA_ARG_INT || type == ORMA_ARG_UINT || type == ORMA_ARG_BOOL)
            *ret =
                (struct orma_args_item){.key = key, .type = (uint8_t)type, .i = self->integer[at]};
        else
            *ret = orma_args_row(store, row);
        return true;
    }
    return false;
}
