/*
 * Intersection of sets of intervals, partition by partition.
 *
 * __intrinsic_interval_tree_intervals_agg collects a set: intervals by partition,
 * each in order of ts. __intrinsic_interval_intersect intersects up to 15 of them,
 * one after the other: what two sets share is a list of pieces that remember the
 * intervals they came from, and is intersected with the third, and so on. Two
 * lists are merged by ts; of each, the intervals that are open are at hand, so
 * every piece of the result is found once, when the later of the two begins.
 *
 * An interval is [ts, ts + dur); one of length 0 is a point that lies in what
 * begins with it or covers it.
 */
#include "processor/sql/operators/operators.h"
#include "sdk/base/vec.h"

#include <errno.h>
#include <stdlib.h>

#define POINTER "orma_intervals"
#define SETS_MAX 15
#define PARTS_MAX 8
#define NONE UINT32_MAX

/* A value of a partition column. */
struct part_value {
    int type;     /* SQLITE_INTEGER, ... */
    int64_t bits; /* integer, string id, or the bits of a double */
};

struct interval {
    int64_t ts, end;
    int64_t id;
};

struct partition {
    struct part_value key[PARTS_MAX];
    struct interval *list;
    uint32_t len, cap;
    uint32_t next; /* of the same hash; NONE */
};

struct interval_set {
    unsigned parts_num;
    char *names[PARTS_MAX];
    struct partition *parts;
    uint32_t len, cap;
    uint32_t *buckets; /* partitions by hash; buckets_num is a power of two */
    uint32_t buckets_num;
    uint32_t last; /* the partition of the row before: usually that of this one, too */
    int64_t last_ts;
    bool failed; /* the error was reported */
};

static void set_free(void *data)
{
    struct interval_set *s = data;

    if (!s)
        return;
    for (uint32_t i = 0; i < s->len; i++)
        free(s->parts[i].list);
    for (unsigned i = 0; i < s->parts_num; i++)
        free(s->names[i]);
    free(s->parts);
    free(s->buckets);
    free(s);
}

/* ---- partitions ---- */

static uint64_t hash_key(const struct part_value *key, unsigned num)
{
    uint64_t h = 0x9e3779b97f4a7c15u;

    for (unsigned i = 0; i < num; i++)
        h = (h ^ (uint64_t)key[i].bits ^ (uint64_t)key[i].type << 60) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static bool same_key(const struct part_value *a, const struct part_value *b, unsigned num)
{
    for (unsigned i = 0; i < num; i++) {
        if (a[i].type != b[i].type || a[i].bits != b[i].bits)
            return false;
    }
    return true;
}

static uint32_t find_partition(const struct interval_set *s, const struct part_value *key)
{
    uint32_t at = NONE;

    if (s->buckets_num)
        at = s->buckets[hash_key(key, s->parts_num) & (s->buckets_num - 1)];
    while (at != NONE && !same_key(s->parts[at].key, key, s->parts_num))
        at = s->parts[at].next;
    return at;
}

static void link_partition(struct interval_set *s, uint32_t at)
{
    uint32_t *b = &s->buckets[hash_key(s->parts[at].key, s->parts_num) & (s->buckets_num - 1)];

    s->parts[at].next = *b;
    *b = at;
}

static bool grow_partitions(struct interval_set *s)
{
    uint32_t cap = s->cap ? 2 * s->cap : 16;
    struct partition *parts = realloc(s->parts, cap * sizeof(*parts));
    uint32_t *buckets;

    if (!parts)
        return false;
    s->parts = parts;
    buckets = malloc(cap * sizeof(*buckets));
    if (!buckets)
        return false;
    free(s->buckets);
    s->buckets = buckets;
    s->cap = s->buckets_num = cap;
    for (uint32_t i = 0; i < cap; i++)
        s->buckets[i] = NONE;
    for (uint32_t i = 0; i < s->len; i++)
        link_partition(s, i);
    return true;
}

/* Finds or makes it; NONE: no memory. */
static uint32_t partition_of(struct interval_set *s, const struct part_value *key)
{
    uint32_t at;

    if (s->len && same_key(s->parts[s->last].key, key, s->parts_num))
        return s->last;
    at = find_partition(s, key);
    if (at == NONE) {
        if (s->len == s->cap && !grow_partitions(s))
            return NONE;
        at = s->len++;
        s->parts[at] = (struct partition){0};
        memcpy(s->parts[at].key, key, sizeof(s->parts[at].key));
        link_partition(s, at);
    }
    return s->last = at;
}

static bool push_interval(struct partition *p, struct interval iv)
{
    if (ORMA_GROW(&p->list, &p->cap, p->len + (size_t)1))
        return false;
    p->list[p->len++] = iv;
    return true;
}

/* ---- the aggregate ---- */

static bool take_part_value(sqlite3_context *ctx, sqlite3_value *val, struct part_value *ret)
{
    *ret = (struct part_value){.type = sqlite3_value_type(val)};
    switch (ret->type) {
    case SQLITE_INTEGER:
        ret->bits = sqlite3_value_int64(val);
        return true;
    case SQLITE_FLOAT: {
        double d = sqlite3_value_double(val) + 0.0;

        memcpy(&ret->bits, &d, sizeof(d));
        return true;
    }
    case SQLITE_TEXT:
        ret->bits = orma_storage_str(orma_sql_of(ctx)->storage, orma_value_str(val));
        return true;
    case SQLITE_NULL:
        return true;
    }
    return false;
}

static struct interval_set *set_new(int argc, sqlite3_value **argv)
{
    struct interval_set *s = calloc(1, sizeof(*s));

    for (int i = 3; s && i < argc; i += 2) {
        struct orma_str name = orma_value_str(argv[i]);

        s->names[s->parts_num] = orma_str_dup(name);
        if (!s->names[s->parts_num++]) {
            set_free(s);
            return NULL;
        }
    }
    return s;
}

static const char *wrong_interval(const struct interval_set *s, sqlite3_value **argv)
{
    /* NULL is 0: tables of traces that lack something have such rows. */
    for (int i = 0; i < 3; i++) {
        if (sqlite3_value_type(argv[i]) != SQLITE_INTEGER && !orma_value_is_null(argv[i]))
            return "id, ts and dur must be integers.";
    }
    if (sqlite3_value_int64(argv[1]) < 0)
        return "Interval intersect only accepts positive `ts` values.";
    if (sqlite3_value_int64(argv[2]) < 0)
        return "Interval intersect only works on intervals with non negative duration. Leave out "
               "open intervals, or give them an end.";
    if (s->len && sqlite3_value_int64(argv[1]) < s->last_ts)
        return "Interval intersect requires intervals to be sorted by ts.";
    return NULL;
}

static const char *add_interval(sqlite3_context *ctx, struct interval_set *s, int argc,
                                sqlite3_value **argv)
{
    struct part_value key[PARTS_MAX] = {{0}};
    const char *wrong = wrong_interval(s, argv);
    int64_t ts = sqlite3_value_int64(argv[1]);
    struct interval iv = {.ts = ts, .id = sqlite3_value_int64(argv[0])};
    uint32_t at;

    if (wrong)
        return wrong;
    for (int i = 4; i < argc; i += 2) {
        if (!take_part_value(ctx, argv[i], &key[(i - 4) / 2]))
            return "a partition column cannot be a blob.";
    }
    if (__builtin_add_overflow(ts, sqlite3_value_int64(argv[2]), &iv.end))
        iv.end = INT64_MAX;
    s->last_ts = ts;
    at = partition_of(s, key);
    return at != NONE && push_interval(&s->parts[at], iv) ? NULL : "out of memory";
}

static void agg_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct interval_set **state = ORMA_AGG_STATE(ctx, struct interval_set *);
    const char *wrong;

    if (!state || (*state && (*state)->failed))
        return;
    if (argc < 3 || argc % 2 == 0 || argc > 3 + 2 * PARTS_MAX) {
        orma_result_error(ctx,
                          "__intrinsic_interval_tree_intervals_agg: expected id, ts, dur and "
                          "up to %d pairs of a name and a value",
                          PARTS_MAX);
        return;
    }
    if (!*state)
        *state = set_new(argc, argv);
    wrong = *state ? add_interval(ctx, *state, argc, argv) : "out of memory";
    if (wrong) {
        orma_result_error(ctx, "%s", wrong);
        if (*state)
            (*state)->failed = true;
    }
}

static void agg_final(sqlite3_context *ctx)
{
    struct interval_set **state = sqlite3_aggregate_context(ctx, 0);

    if (!state || !*state)
        return;
    if ((*state)->failed)
        set_free(*state);
    else
        sqlite3_result_pointer(ctx, *state, POINTER, set_free);
}

/* ---- the intersection ---- */

/* Pieces found so far: where, and one interval of each set that took part. */
struct pieces {
    struct interval *list; /* id: index of the first of `width` ids in `ids` */
    uint32_t len, cap;
    struct orma_ints ids;
    unsigned width;
};

static void pieces_fini(struct pieces *p)
{
    free(p->list);
    orma_ints_fini(&p->ids);
}

static bool pieces_add(struct pieces *p, int64_t ts, int64_t end, const int64_t *ids, int64_t last)
{
    int64_t first = (int64_t)p->ids.len;

    if (ORMA_GROW(&p->list, &p->cap, p->len + (size_t)1))
        return false;
    for (unsigned i = 0; i + 1 < p->width; i++)
        orma_ints_add(&p->ids, ids[i]);
    orma_ints_add(&p->ids, last);
    p->list[p->len++] = (struct interval){ts, end, first};
    return !p->ids.failed;
}

/* Indices of intervals of one list that are open. */
struct open_list {
    uint32_t *at;
    uint32_t len;
};

/* Forgets those that end before a point at `ts`. */
static void close_until(struct open_list *o, const struct interval *list, int64_t ts)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < o->len; i++) {
        const struct interval *iv = &list[o->at[i]];

        if (iv->end > ts || (iv->ts == ts && iv->end == ts))
            o->at[kept++] = o->at[i];
    }
    o->len = kept;
}

struct merge {
    struct orma_sql *sql;
    const struct pieces *left;
    const struct partition *right;
    struct open_list open[2];
    struct pieces *out;
};

/* One interval begins: pairs it with what is open on the other side. */
static int begin(struct merge *m, int side, uint32_t at)
{
    const struct interval *lists[2] = {m->left->list, m->right->list};
    const struct interval *iv = &lists[side][at];
    struct open_list *other = &m->open[!side];

    close_until(other, lists[!side], iv->ts);
    for (uint32_t i = 0; i < other->len; i++) {
        uint32_t l = side ? other->at[i] : at, r = side ? at : other->at[i];
        int64_t end = ORMA_MIN(m->left->list[l].end, m->right->list[r].end);

        if (orma_sql_should_stop(m->sql, m->out->len + 1))
            return -ECANCELED;
        if (!pieces_add(m->out, iv->ts, end, m->left->ids.data + m->left->list[l].id,
                        m->right->list[r].id))
            return -ENOMEM;
    }
    m->open[side].at[m->open[side].len++] = at;
    return 0;
}

static int merge_lists(struct merge *m)
{
    uint32_t l = 0, r = 0;
    int err = 0;

    while (!err && (l < m->left->len || r < m->right->len)) {
        bool left =
            r == m->right->len || (l < m->left->len && m->left->list[l].ts <= m->right->list[r].ts);

        /* The open ones of a side are thinned out when the other side moves on; here if it ended.
         */
        if (left ? r == m->right->len && !m->open[1].len : l == m->left->len && !m->open[0].len)
            break;
        err = left ? begin(m, 0, l++) : begin(m, 1, r++);
        if (!err && orma_sql_should_stop(m->sql, (uint64_t)l + r))
            err = -ECANCELED;
    }
    return err;
}

static int intersect_two(struct orma_sql *sql, const struct pieces *left,
                         const struct partition *right, struct pieces *out)
{
    struct merge m = {.sql = sql, .left = left, .right = right, .out = out};
    int r = -ENOMEM;

    m.open[0].at = malloc(((size_t)left->len + 1) * sizeof(uint32_t));
    m.open[1].at = malloc(((size_t)right->len + 1) * sizeof(uint32_t));
    if (m.open[0].at && m.open[1].at)
        r = merge_lists(&m);
    free(m.open[0].at);
    free(m.open[1].at);
    return r;
}

static int pieces_of(struct orma_sql *sql, const struct partition *p, struct pieces *ret)
{
    *ret = (struct pieces){.width = 1};
    for (uint32_t i = 0; i < p->len; i++) {
        if (orma_sql_should_stop(sql, i + UINT64_C(1)))
            return -ECANCELED;
        if (!pieces_add(ret, p->list[i].ts, p->list[i].end, NULL, p->list[i].id))
            return -ENOMEM;
    }
    return 0;
}

static void put_part_value(struct orma_dataframe *f, unsigned col, uint32_t row,
                           struct part_value v)
{
    double d;

    switch (v.type) {
    case SQLITE_INTEGER:
        orma_dataframe_put_int(f, col, row, v.bits);
        break;
    case SQLITE_FLOAT:
        memcpy(&d, &v.bits, sizeof(d));
        orma_dataframe_put_double(f, col, row, d);
        break;
    case SQLITE_TEXT:
        orma_dataframe_put_str(f, col, row, (uint32_t)v.bits);
        break;
    }
}

static int put_pieces(struct orma_sql *sql, struct orma_dataframe *f, const struct pieces *p,
                      const struct part_value *key, unsigned parts_num)
{
    for (uint32_t i = 0; i < p->len; i++) {
        if (orma_sql_should_stop(sql, i + UINT64_C(1)))
            return -ECANCELED;
        uint32_t row = orma_dataframe_add(f);
        unsigned col = 2;

        orma_dataframe_put_int(f, 0, row, p->list[i].ts);
        orma_dataframe_put_int(f, 1, row, p->list[i].end - p->list[i].ts);
        for (unsigned k = 0; k < p->width; k++)
            orma_dataframe_put_int(f, col++, row, p->ids.data[p->list[i].id + (int64_t)k]);
        for (unsigned k = 0; k < parts_num; k++)
            put_part_value(f, 2 + SETS_MAX + k, row, key[k]);
    }
    return 0;
}

/* One partition that all sets have. */
static int intersect_partition(struct orma_sql *sql, struct interval_set *const *sets, int num,
                               const struct partition *first, struct orma_dataframe *f)
{
    struct pieces now;
    int r = pieces_of(sql, first, &now);

    for (int i = 1; i < num && r == 0; i++) {
        struct pieces next = {.width = (unsigned)i + 1};
        uint32_t at = find_partition(sets[i], first->key);

        if (at != NONE)
            r = intersect_two(sql, &now, &sets[i]->parts[at], &next);
        pieces_fini(&now);
        now = next;
    }
    if (r == 0)
        r = put_pieces(sql, f, &now, first->key, sets[0]->parts_num);
    pieces_fini(&now);
    return r;
}

/* Columns of ids are as many as there can be, however many sets there are. */
static struct orma_dataframe *new_frame(struct orma_sql *sql, const struct interval_set *set)
{
    static const char *const ids[SETS_MAX] = {"id_0",  "id_1",  "id_2",  "id_3",  "id_4",
                                              "id_5",  "id_6",  "id_7",  "id_8",  "id_9",
                                              "id_10", "id_11", "id_12", "id_13", "id_14"};
    const char *names[2 + SETS_MAX + PARTS_MAX] = {"ts", "dur"};
    unsigned n = 2;

    for (unsigned i = 0; i < SETS_MAX; i++)
        names[n++] = ids[i];
    for (unsigned i = 0; set && i < set->parts_num; i++)
        names[n++] = set->names[i];
    return orma_dataframe_new(sql->storage, names, n, false);
}

/* 0: all there; 1: one is empty; -EINVAL. */
static int take_sets(sqlite3_context *ctx, int num, sqlite3_value **argv, struct interval_set **ret)
{
    int empty = 0;

    for (int i = 0; i < num; i++) {
        ret[i] = sqlite3_value_pointer(argv[i], POINTER);
        if (!ret[i] && sqlite3_value_type(argv[i]) != SQLITE_NULL) {
            orma_result_error(ctx, "interval intersection: argument %d is not a set of intervals",
                              i + 1);
            return -EINVAL;
        }
        empty |= !ret[i];
    }
    for (int i = 1; i < num && !empty; i++) {
        if (ret[i]->parts_num != ret[0]->parts_num) {
            orma_result_error(ctx,
                              "interval intersection: the sets have %u and %u partition "
                              "columns",
                              ret[0]->parts_num, ret[i]->parts_num);
            return -EINVAL;
        }
    }
    return empty;
}

static void intersect(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    struct interval_set *sets[SETS_MAX];
    int num = argc - 1, r; /* the last one names the partition columns, which the sets know */
    struct orma_dataframe *f;

    if (num < 1 || num > SETS_MAX) {
        orma_result_error(ctx, "interval intersection: expected 1 to %d sets, got %d", SETS_MAX,
                          num);
        return;
    }
    r = take_sets(ctx, num, argv, sets);
    if (r)
        return; /* no pointer, no rows */
    f = new_frame(sql, sets[0]);
    if (!f) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    for (uint32_t i = 0; i < sets[0]->len && r == 0; i++)
        r = intersect_partition(sql, sets, num, &sets[0]->parts[i], f);
    if (r == 0) {
        orma_dataframe_result_finished(ctx, f);
        return;
    }
    orma_dataframe_unref(f);
    orma_result_errno(ctx, r);
}

/* ---- starts and ends ---- */

#define TIMES_POINTER "orma_times"

static void times_free(void *data)
{
    struct orma_ints *t = data;

    if (t)
        orma_ints_fini(t);
    free(t);
}

static void times_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_ints **state = ORMA_AGG_STATE(ctx, struct orma_ints *);

    (void)argc;
    if (!state || orma_value_is_null(argv[0]))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "__intrinsic_timestamp_set_agg: ts must be an integer");
        return;
    }
    if (!*state)
        *state = calloc(1, sizeof(**state));
    if (*state)
        orma_ints_add(*state, sqlite3_value_int64(argv[0]));
    if (!*state || (*state)->failed)
        sqlite3_result_error_nomem(ctx);
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void times_final(sqlite3_context *ctx)
{
    struct orma_ints **state = sqlite3_aggregate_context(ctx, 0);

    if (!state || !*state)
        return;
    int r =
        orma_sql_sort(orma_sql_of(ctx), (*state)->data, (*state)->len, sizeof(int64_t), by_time);
    if (r == 0) {
        sqlite3_result_pointer(ctx, *state, TIMES_POINTER, times_free);
    } else {
        times_free(*state);
        orma_result_errno(ctx, r);
    }
}

static void create_intervals(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const names[] = {"ts", "dur"};
    const struct orma_ints *starts = sqlite3_value_pointer(argv[0], TIMES_POINTER);
    const struct orma_ints *ends = sqlite3_value_pointer(argv[1], TIMES_POINTER);
    struct orma_dataframe *f;
    size_t e = 0;

    (void)argc;
    if (!starts || !ends)
        return; /* no pointer, no rows */
    f = orma_dataframe_new(orma_sql_of(ctx)->storage, names, 2, false);
    if (!f) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    for (size_t s = 0; s < starts->len; s++) {
        uint32_t row;
        int64_t dur;

        while (e < ends->len && ends->data[e] <= starts->data[s])
            e++;
        if (e == ends->len)
            break;
        if (__builtin_sub_overflow(ends->data[e], starts->data[s], &dur))
            dur = INT64_MAX;
        row = orma_dataframe_add(f);
        orma_dataframe_put_int(f, 0, row, starts->data[s]);
        orma_dataframe_put_int(f, 1, row, dur);
    }
    orma_dataframe_result_finished(ctx, f);
}

const struct orma_sql_func orma_operators_intervals[] = {
    {.name = "__intrinsic_interval_tree_intervals_agg",
     .args = -1,
     .step = agg_step,
     .final = agg_final,
     .usage = "(id, ts, dur[, name, value, ...]) -> pointer",
     .doc = "Aggregate: a set of intervals in partitions, in order of ts; for "
            "__intrinsic_interval_intersect."},
    {.name = "__intrinsic_interval_intersect",
     .args = -1,
     .scalar = intersect,
     .usage = "(set1, ..., partition_columns STRING) -> pointer",
     .doc = "The intersection of up to 15 interval sets, in each partition that all of them have: ts, dur, id_0 ... id_14 "
            "(NULL beyond the number of sets), partition columns."},
    {.name = "__intrinsic_timestamp_set_agg",
     .args = 1,
     .step = times_step,
     .final = times_final,
     .usage = "(ts) -> pointer",
     .doc = "Aggregate: all times in order; NULL is skipped."},
    {.name = "__intrinsic_interval_create",
     .args = 2,
     .scalar = create_intervals,
     .usage = "(starts, ends) -> pointer",
     .doc = "ts, dur: each start with the first end after it; starts without one are dropped."},
    {0},
};
