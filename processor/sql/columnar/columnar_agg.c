/*
 * The columns' side of columnar.h: a scan gives blocks of rows; each row gets
 * the number of its group; each column that an aggregate asks for is loaded
 * into a block of 64-bit integers (or doubles), without NULLs, and folded.
 *
 *   rows  ──keys──►  groups[]  ┐
 *   rows  ──load──►  values[]  ┴──fold──►  count, sum, min, max of each group
 *
 * Sums are kept as SQLite keeps them: integers exact; averages as doubles added
 * row by row. As long as the sum of all magnitudes stays below 2^53 both are
 * the same, and only integers are added; from there on doubles are added too.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif
#include <stdlib.h>

#include "processor/sql/base/kbn.h"
#include "processor/sql/base/values.h"
#include "processor/sql/columnar/columnar_keys.h"
#include "sdk/base/assert.h"
#include "sdk/base/search.h"

#define BLOCK ORMA_SQL_SCAN_BLOCK
#define EXACT (UINT64_C(1) << 53)
#define LARGEST (UINT64_C(1) << 62)

enum value_kind {
    INTEGERS,
    DOUBLES,
    TEXTS,
};

struct orma_columnar_input {
    unsigned col;
    enum value_kind kind;
    bool real; /* integers that SQL sees as doubles */
    bool want_sum, want_avg, want_min, want_max, want_distinct;
    uint64_t magnitude;  /* sum of |value| so far */
    bool adding_doubles; /* `real` ones, since their sum may be no integer that a double holds */
    /* By group. */
    int64_t *counts, *sums;
    struct orma_kbn *real_sums;
    int64_t *mins, *maxs; /* bits of doubles; ids of texts */
    int64_t *distincts;
    struct orma_columnar_keys *set; /* (group, value) seen, for `distincts` */
};

/* ---- folding ---- */

static void fold_sum(struct orma_columnar_input *in, const int64_t *values, uint32_t num)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < num; i++)
        sum += (uint64_t)values[i];
    in->sums[0] = (int64_t)((uint64_t)in->sums[0] + sum);
}

/* The sum of magnitudes, at least; UINT64_MAX: beyond what is added here. */
static uint64_t magnitude(const int64_t *values, uint32_t num)
{
    uint64_t seen = 0, sum = num;

    for (uint32_t i = 0; i < num; i++) {
        uint64_t v = (uint64_t)(values[i] < 0 ? ~values[i] : values[i]);

        seen |= v;
        sum += v;
    }
    return seen < EXACT ? sum : UINT64_MAX;
}

static void add_doubles(struct orma_columnar_input *in, const int64_t *values,
                        const uint32_t *groups, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++)
        orma_kbn_add(&in->real_sums[groups ? groups[i] : 0], (double)values[i]);
}

/* False: the sums may not fit. */
static bool sum_integers(struct orma_columnar_input *in, const int64_t *values,
                         const uint32_t *groups, uint32_t num, uint32_t groups_num)
{
    uint64_t more = magnitude(values, num);

    if (more >= LARGEST || in->magnitude + more >= LARGEST)
        return false;
    in->magnitude += more;
    if (in->real && in->magnitude >= EXACT && !in->adding_doubles) {
        in->adding_doubles = true;
        for (uint32_t g = 0; g < groups_num; g++)
            in->real_sums[g] = (struct orma_kbn){.sum = (double)in->sums[g]};
    }
    if (in->adding_doubles)
        add_doubles(in, values, groups, num);
    if (!groups) {
        fold_sum(in, values, num);
        return true;
    }
    for (uint32_t i = 0; i < num; i++)
        in->sums[groups[i]] += values[i];
    return true;
}

static double double_of(int64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

static void sum_doubles(struct orma_columnar_input *in, const int64_t *values,
                        const uint32_t *groups, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++)
        orma_kbn_add(&in->real_sums[groups ? groups[i] : 0], double_of(values[i]));
}

static bool is_less(const struct orma_columnar_input *in, const struct orma_strpool *pool,
                    int64_t a, int64_t b)
{
    switch (in->kind) {
    case DOUBLES:
        return double_of(a) < double_of(b);
    case TEXTS:
        return a != b && orma_sort_compare_text(pool, (uint32_t)a, (uint32_t)b) < 0;
    case INTEGERS:
        break;
    }
    return a < b;
}

/* Bounds of a block of integers, when there are no groups. */
static void fold_bounds(struct orma_columnar_input *in, const int64_t *values, uint32_t num)
{
    int64_t min = values[0], max = values[0];

    for (uint32_t i = 1; i < num; i++) {
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
    }
    in->mins[0] = in->counts[0] && in->mins[0] < min ? in->mins[0] : min;
    in->maxs[0] = in->counts[0] && in->maxs[0] > max ? in->maxs[0] : max;
}

/* `counts` are those before this block. */
static void bounds(struct orma_columnar_input *in, const struct orma_strpool *pool,
                   const int64_t *values, const uint32_t *groups, uint32_t num)
{
    if (!groups && in->kind == INTEGERS) {
        if (num)
            fold_bounds(in, values, num);
        return;
    }
    for (uint32_t i = 0; i < num; i++) {
        uint32_t g = groups ? groups[i] : 0;
        bool first = !in->counts[g];

        if (first || is_less(in, pool, values[i], in->mins[g]))
            in->mins[g] = values[i];
        if (first || is_less(in, pool, in->maxs[g], values[i]))
            in->maxs[g] = values[i];
        in->counts[g]++;
    }
}

/* Counts values that a group has not had before. False: memory is out. */
static bool fold_distinct(struct orma_columnar_input *in, const int64_t *values,
                          const uint32_t *groups, uint32_t num)
{
    for (uint32_t i = 0; i < num && !in->set->failed; i++) {
        uint32_t group = groups ? groups[i] : 0, known = in->set->next;

        in->distincts[group] +=
            orma_columnar_keys_find(in->set, group, (uint64_t)values[i], false) == known;
    }
    return !in->set->failed;
}

static void fold(const struct orma_columnar_plan *plan, struct orma_columnar_result *res,
                 struct orma_columnar_input *in, const struct orma_block_rows *r,
                 const uint32_t *groups)
{
    int64_t values[BLOCK];
    uint32_t kept_groups[BLOCK];
    uint32_t num = orma_columnar_load_block(plan->table, in->col, r, values, groups, kept_groups);
    bool counted = false;

    if (groups)
        groups = kept_groups;
    if (in->want_sum && in->kind == DOUBLES)
        sum_doubles(in, values, groups, num);
    else if (in->want_sum && !sum_integers(in, values, groups, num, res->num))
        res->inexact = true;
    if (in->want_distinct && !fold_distinct(in, values, groups, num))
        res->failed = true;
    if (in->want_min || in->want_max) {
        bounds(in, &plan->sql->storage->pool, values, groups, num);
        counted = groups || in->kind != INTEGERS;
    }
    if (counted)
        return;
    if (!groups)
        in->counts[0] += num;
    for (uint32_t i = 0; groups && i < num; i++)
        in->counts[groups[i]]++;
}

/* ---- the run ---- */

static bool grow(int64_t **array, uint32_t old, uint32_t cap)
{
    int64_t *grown = realloc(*array, cap * sizeof(*grown));

    if (!grown)
        return false;
    memset(grown + old, 0, (cap - old) * sizeof(*grown));
    *array = grown;
    return true;
}

static bool grow_doubles(struct orma_kbn **array, uint32_t old, uint32_t cap)
{
    struct orma_kbn *grown = realloc(*array, cap * sizeof(*grown));

    if (!grown)
        return false;
    for (uint32_t i = old; i < cap; i++)
        grown[i] = (struct orma_kbn){0};
    *array = grown;
    return true;
}

/* Room for `num` groups. */
static bool reserve(struct orma_columnar_result *res, uint32_t num)
{
    uint32_t old = res->cap, cap = ORMA_MAX(old, 16u);

    if (num <= old)
        return true;
    while (cap < num)
        cap *= 2;
    uint32_t *rows = realloc(res->first_row, cap * sizeof(*rows));
    if (rows)
        res->first_row = rows;
    bool ok = rows && grow(&res->counts, old, cap);
    for (unsigned i = 0; i < res->inputs_num && ok; i++) {
        struct orma_columnar_input *in = &res->inputs[i];

        ok = grow(&in->counts, old, cap) && (!in->want_sum || grow(&in->sums, old, cap)) &&
             (!in->want_sum || grow_doubles(&in->real_sums, old, cap)) &&
             (!in->want_distinct || grow(&in->distincts, old, cap)) &&
             (!(in->want_min || in->want_max) ||
              (grow(&in->mins, old, cap) && grow(&in->maxs, old, cap)));
    }
    if (ok)
        res->cap = cap;
    res->failed |= !ok;
    return ok;
}

static struct orma_columnar_input *input_of(const struct orma_columnar_result *res, unsigned col)
{
    for (unsigned i = 0; i < res->inputs_num; i++) {
        if (res->inputs[i].col == col)
            return &res->inputs[i];
    }
    return NULL;
}

static bool make_inputs(const struct orma_columnar_plan *plan, struct orma_columnar_result *res)
{
    res->inputs = calloc(plan->aggs_num + 1, sizeof(*res->inputs));
    for (unsigned i = 0; res->inputs && i < plan->aggs_num; i++) {
        const struct orma_column *col = &plan->table->columns[plan->aggs[i].col];
        struct orma_columnar_input *in = input_of(res, plan->aggs[i].col);

        if (plan->aggs[i].agg == ORMA_AGG_COUNT_ALL)
            continue;
        if (!in)
            in = &res->inputs[res->inputs_num++];
        in->col = plan->aggs[i].col;
        in->kind = col->kind == ORMA_COL_STRING      ? TEXTS
                   : col->width == ORMA_WIDTH_DOUBLE ? DOUBLES
                                                     : INTEGERS;
        in->real = col->kind == ORMA_COL_DOUBLE;
        in->want_sum |= plan->aggs[i].agg == ORMA_AGG_SUM || plan->aggs[i].agg == ORMA_AGG_AVG;
        in->want_avg |= plan->aggs[i].agg == ORMA_AGG_AVG || in->real;
        if (plan->aggs[i].agg == ORMA_AGG_COUNT_DISTINCT && !in->set) {
            in->want_distinct = true;
            in->set = calloc(1, sizeof(*in->set));
            if (!in->set || !orma_columnar_keys_resize(in->set, 1024))
                return false;
        }
        in->want_min |= plan->aggs[i].agg == ORMA_AGG_MIN;
        in->want_max |= plan->aggs[i].agg == ORMA_AGG_MAX;
    }
    return res->inputs;
}

/* The groups of a block; new ones get their first row. */
static bool group_block(const struct orma_columnar_plan *plan, struct orma_columnar_result *res,
                        struct orma_columnar_keys *keys, const struct orma_block_rows *r,
                        uint32_t *groups)
{
    int64_t values[BLOCK];

    for (unsigned i = 0; i < plan->keys_num; i++) {
        orma_columnar_keys_code(&keys[i], plan->table, r, values, groups, i == 0);
        if (keys[i].failed)
            return false;
        if (keys[i].inexact) {
            res->inexact = true;
            return true;
        }
    }
    uint32_t num = keys[plan->keys_num - 1].next;
    if (!reserve(res, num))
        return false;
    for (uint32_t i = 0; i < r->num && res->num < num; i++) {
        if (groups[i] == res->num)
            res->first_row[res->num++] = orma_block_row(r, i);
    }
    for (uint32_t i = 0; i < r->num; i++)
        res->counts[groups[i]]++;
    return true;
}

static void run_block(const struct orma_columnar_plan *plan, struct orma_columnar_result *res,
                      struct orma_columnar_keys *keys, const struct orma_block_rows *r)
{
    uint32_t groups[BLOCK];

    if (plan->keys_num) {
        if (!group_block(plan, res, keys, r, groups)) {
            res->failed = true;
            return;
        }
        if (res->inexact)
            return;
    } else {
        res->counts[0] += r->num;
    }
    for (unsigned i = 0; i < res->inputs_num; i++)
        fold(plan, res, &res->inputs[i], r, plan->keys_num ? groups : NULL);
}

struct in_values {
    sqlite3_value **at;
};

static sqlite3_value *next_value(void *data)
{
    struct in_values *v = data;

    return *v->at ? *v->at++ : NULL;
}

static bool begin(const struct orma_columnar_plan *plan, struct orma_rowscan *scan)
{
    static const struct orma_rowscan_order order = {.limit = ORMA_SQL_SCAN_NO_LIMIT};
    struct orma_storage *st = plan->sql->storage;
    bool ok = true;

    orma_vtab_start_scan(plan->sql, plan->table, plan->proj, scan);
    for (unsigned i = 0; i < plan->filters_num && ok; i++) {
        struct orma_filter *f = orma_rowscan_new_filter(scan);
        unsigned col = plan->filters[i].col;
        struct in_values values = {plan->filters[i].values};

        if (plan->filters[i].op == ORMA_FILTER_OP_IN)
            ok = orma_filter_init_in(f, st, &plan->table->def->columns[col], col, next_value,
                                     &values);
        else
            ok = orma_filter_init(f, st, &plan->table->def->columns[col], col, plan->filters[i].op,
                                  plan->filters[i].val);
    }
    if (ok)
        orma_rowscan_begin(scan, &order);
    return ok && !scan->failed;
}

static void scan_all(const struct orma_columnar_plan *plan, struct orma_columnar_result *res,
                     struct orma_rowscan *scan, struct orma_columnar_keys *keys)
{
    if (orma_rowscan_is_plain(scan)) {
        if (!plan->keys_num && !res->inputs_num) {
            res->counts[0] = scan->hi - scan->lo;
            return;
        }
        for (uint32_t at = scan->lo; at < scan->hi && !res->failed && !res->inexact; at += BLOCK) {
            struct orma_block_rows r = {NULL, at, ORMA_MIN(scan->hi - at, (uint32_t)BLOCK)};

            if (orma_sql_is_interrupted(plan->sql))
                return;
            run_block(plan, res, keys, &r);
            if (scan->hi - at <= BLOCK) /* the sum may not fit */
                return;
        }
        return;
    }
    while (!res->failed && !res->inexact && !orma_sql_is_interrupted(plan->sql) &&
           orma_rowscan_next(scan)) {
        struct orma_block_rows r = {scan->block, 0, scan->block_num};

        run_block(plan, res, keys, &r);
    }
    res->failed |= scan->failed;
}

static uint32_t group_of_row(const struct orma_columnar_result *res, uint32_t row)
{
    /* Groups are numbered as they appear: their first rows rise. */
    uint32_t group = ORMA_LOWER_BOUND(res->first_row, res->num, , row);

    ORMA_ASSERT_HOT(group < res->num && res->first_row[group] == row);
    return group;
}

/* Sorts first rows of groups by a key with an operator, NULLs first. */
static bool sort_by_expression(const struct orma_columnar_plan *plan,
                               const struct orma_columnar_key *key, uint32_t *rows, uint32_t num)
{
    uint64_t *keys = malloc(num * sizeof(*keys));
    bool ok = keys;

    for (unsigned pass = 0; ok && pass < 2; pass++) {
        for (uint32_t i = 0; i < num; i++) {
            bool null = orma_sort_is_null(plan->table, key->col, rows[i]);
            int64_t val = 0;

            if (!null) /* it fitted before */
                (void)orma_columnar_key_value(key, orma_table_int(plan->table, key->col, rows[i]),
                                              &val);
            keys[i] = pass ? !null : (uint64_t)val ^ 1ull << 63;
            keys[i] = key->desc ? ~keys[i] : keys[i];
        }
        ok = orma_sort_by_keys(plan->sql, keys, rows, num);
    }
    free(keys);
    return ok;
}

static void order_groups(const struct orma_columnar_plan *plan, struct orma_columnar_result *res)
{
    bool ok = true;

    if (plan->first_order || res->num < 2 || res->inexact)
        return;
    res->order = malloc(res->num * sizeof(*res->order));
    if (!res->order) {
        res->failed = true;
        return;
    }
    memcpy(res->order, res->first_row, res->num * sizeof(*res->order));
    for (unsigned i = plan->keys_num; i-- > 0 && ok;) {
        struct orma_sort_key key = {plan->keys[i].col, plan->keys[i].desc};

        ok = plan->keys[i].op
                 ? sort_by_expression(plan, &plan->keys[i], res->order, res->num)
                 : orma_sort_rows(plan->sql, plan->table, &key, 1, res->order, res->num);
    }
    res->failed |= !ok;
    for (uint32_t i = 0; i < res->num; i++)
        res->order[i] = group_of_row(res, res->order[i]);
}

int orma_columnar_run(const struct orma_columnar_plan *plan, struct orma_columnar_result *res)
{
    struct orma_rowscan *scan = malloc(sizeof(*scan));
    struct orma_columnar_keys keys[ORMA_COLUMNAR_KEYS_MAX];
    unsigned keys_num = 0;
    bool ok = scan && (!plan->args || !orma_sql_settle_args(plan->sql)) &&
              make_inputs(plan, res) && reserve(res, 1);

    for (; ok && keys_num < plan->keys_num; keys_num++)
        ok = orma_columnar_keys_init(&keys[keys_num], plan, keys_num);
    if (scan)
        orma_rowscan_init(scan);
    if (ok && begin(plan, scan)) {
        res->num = plan->grouped ? 0 : 1;
        scan_all(plan, res, scan, keys);
        order_groups(plan, res);
    } else {
        res->failed = true;
    }
    for (unsigned i = 0; i < keys_num; i++)
        orma_columnar_keys_fini(&keys[i]);
    if (scan)
        orma_rowscan_fini(scan);
    free(scan);
    if (orma_sql_is_interrupted(plan->sql))
        return SQLITE_INTERRUPT;
    return res->failed ? SQLITE_NOMEM : SQLITE_OK;
}

void orma_columnar_result_fini(struct orma_columnar_result *self)
{
    for (unsigned i = 0; i < self->inputs_num; i++) {
        struct orma_columnar_input *in = &self->inputs[i];

        free(in->counts);
        free(in->sums);
        free(in->real_sums);
        free(in->mins);
        free(in->distincts);
        if (in->set)
            orma_columnar_keys_fini(in->set);
        free(in->set);
        free(in->maxs);
    }
    free(self->inputs);
    free(self->counts);
    free(self->first_row);
    free(self->order);
    *self = (struct orma_columnar_result){0};
}

static void put_value(const struct orma_columnar_plan *plan, const struct orma_columnar_input *in,
                      int64_t val, sqlite3_context *ctx)
{
    switch (in->kind) {
    case DOUBLES:
        sqlite3_result_double(ctx, double_of(val));
        break;
    case TEXTS:
        orma_result_pool(ctx, &plan->sql->storage->pool, (uint32_t)val);
        break;
    case INTEGERS:
        if (in->real)
            sqlite3_result_double(ctx, (double)val);
        else
            sqlite3_result_int64(ctx, val);
    }
}

static double real_sum(const struct orma_columnar_input *in, uint32_t g)
{
    return in->kind == DOUBLES || in->adding_doubles ? orma_kbn_value(&in->real_sums[g])
                                                     : (double)in->sums[g];
}

void orma_columnar_put(const struct orma_columnar_plan *plan,
                       const struct orma_columnar_result *res, unsigned agg, uint32_t g,
                       sqlite3_context *ctx)
{
    const struct orma_columnar_input *in = input_of(res, plan->aggs[agg].col);

    if (plan->aggs[agg].agg == ORMA_AGG_COUNT_ALL) {
        sqlite3_result_int64(ctx, res->counts[g]);
        return;
    }
    if (plan->aggs[agg].agg == ORMA_AGG_COUNT) {
        sqlite3_result_int64(ctx, in->counts[g]);
        return;
    }
    if (plan->aggs[agg].agg == ORMA_AGG_COUNT_DISTINCT) {
        sqlite3_result_int64(ctx, in->distincts[g]);
        return;
    }
    if (!in->counts[g])
        return;
    switch (plan->aggs[agg].agg) {
    case ORMA_AGG_SUM:
        if (in->kind == INTEGERS && !in->real)
            sqlite3_result_int64(ctx, in->sums[g]);
        else
            sqlite3_result_double(ctx, real_sum(in, g));
        break;
    case ORMA_AGG_AVG:
        sqlite3_result_double(ctx, real_sum(in, g) / (double)in->counts[g]);
        break;
    case ORMA_AGG_MIN:
        put_value(plan, in, in->mins[g], ctx);
        break;
    case ORMA_AGG_MAX:
        put_value(plan, in, in->maxs[g], ctx);
        break;
    case ORMA_AGG_COUNT_ALL:
    case ORMA_AGG_COUNT:
    case ORMA_AGG_COUNT_DISTINCT:
        break;
    }
}
