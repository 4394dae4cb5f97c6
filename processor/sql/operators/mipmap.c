/*
 * What a screen can show of many rows: counters and slices in buckets.
 *
 *     CREATE VIRTUAL TABLE t USING __intrinsic_counter_mipmap((SELECT ts, value FROM ...));
 *     SELECT * FROM t(start, end, step);
 *
 * The rows of the query are kept as long as the table is there, in order of (depth, ts): SQLite
 * connects to a table again whenever it reads the schema anew, and what the query read may be gone
 * by then. A scan goes through them once and gives a row for each bucket that has any, so that it
 * costs no more than the rows it passes, however many buckets are empty.
 */
#include <stdlib.h>

#include "processor/sql/operators/operators.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

/* ---- rows of the source ---- */

struct point {
    int64_t ts, end; /* counters: end is not used */
    union {
        int64_t id;
        double value;
    };
    int64_t depth; /* counters: 0 */
};

struct mip_kind {
    const char *name, *declaration;
    const char *needs[4]; /* columns of the query, by place in struct point */
    bool slices;
};

static const struct mip_kind counter_kind = {
    "__intrinsic_counter_mipmap",
    "CREATE TABLE x(min_value DOUBLE, max_value DOUBLE, last_ts INTEGER, last_value DOUBLE, "
    "in_window_start INTEGER HIDDEN, in_window_end INTEGER HIDDEN, in_window_step INTEGER HIDDEN)",
    {"ts", "value"},
    false,
};

static const struct mip_kind slice_kind = {
    "__intrinsic_slice_mipmap",
    "CREATE TABLE x(ts INTEGER, id INTEGER, count INTEGER, dur INTEGER, depth INTEGER, "
    "in_window_start INTEGER HIDDEN, in_window_end INTEGER HIDDEN, in_window_step INTEGER HIDDEN)",
    {"ts", "id", "dur", "depth"},
    true,
};

enum { ARGS = 3, COUNTER_COLUMNS = 4, SLICE_COLUMNS = 5 };
enum { W_START, W_END, W_STEP };

/* Rows of a table, in the list of the engine until it is dropped. */
struct orma_mipmap_rows {
    struct orma_mipmap_rows *next;
    char *name;    /* of the table */
    unsigned refs; /* of the list, and of connections to the table */
    struct point *points;
    size_t len, cap;
};

struct mip_vtab {
    sqlite3_vtab base;
    struct orma_sql *sql;
    const struct mip_kind *kind;
    struct orma_mipmap_rows *rows;
};

struct mip_cursor {
    sqlite3_vtab_cursor base;
    int64_t window[ARGS];
    size_t at, to; /* the bucket at hand: points[at .. to) */
    bool first;    /* of its depth: what lies before the window counts for the first bucket */
    bool eof;
    /* Of the bucket. */
    double min, max;
    size_t longest;
};

static void rows_unref(struct orma_mipmap_rows *self)
{
    if (!self || --self->refs)
        return;
    sqlite3_free(self->name);
    free(self->points);
    free(self);
}

/* Where the rows of a table are in the list, or its end. */
static struct orma_mipmap_rows **find_rows(struct orma_sql *sql, const char *name)
{
    struct orma_mipmap_rows **at = &sql->mipmaps;

    while (*at && sqlite3_stricmp((*at)->name, name))
        at = &(*at)->next;
    return at;
}

static void forget_rows(struct orma_sql *sql, const char *name)
{
    struct orma_mipmap_rows **at = find_rows(sql, name), *gone = *at;

    if (gone)
        *at = gone->next;
    rows_unref(gone);
}

void orma_operators_mipmaps_fini(struct orma_sql *sql)
{
    while (sql->mipmaps)
        forget_rows(sql, sql->mipmaps->name);
}

static struct point *add_point(struct mip_vtab *v)
{
    struct orma_mipmap_rows *rows = v->rows;

    if (ORMA_GROW(&rows->points, &rows->cap, rows->len + (size_t)1))
        return NULL;
    return &rows->points[rows->len++];
}

/* What stands for a query without rows: viewers read the first row of any answer. */
static bool add_zeros(struct mip_vtab *v)
{
    struct point *p = add_point(v);

    if (p)
        *p = (struct point){0};
    return p != NULL;
}

static int take_point(struct mip_vtab *v, sqlite3_stmt *stmt, const int *cols, char **ret_error)
{
    struct point *p = add_point(v);
    int64_t dur;

    if (!p)
        return SQLITE_NOMEM;
    if (sqlite3_column_type(stmt, cols[0]) != SQLITE_INTEGER)
        return orma_result_vtab_error(ret_error, "%s: ts must be an integer", v->kind->name);
    *p = (struct point){.ts = sqlite3_column_int64(stmt, cols[0])};
    if (!v->kind->slices) {
        p->value = sqlite3_column_double(stmt, cols[1]);
        return SQLITE_OK;
    }
    p->id = sqlite3_column_int64(stmt, cols[1]);
    p->depth = sqlite3_column_int64(stmt, cols[3]);
    dur = sqlite3_column_int64(stmt, cols[2]);
    if (dur < 0 || __builtin_add_overflow(p->ts, dur, &p->end))
        p->end = INT64_MAX; /* still open */
    return SQLITE_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct point *x = a, *y = b;

    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static int find_columns(const struct mip_vtab *v, sqlite3_stmt *stmt, int *cols, char **ret_error)
{
    for (int i = 0; i < 4 && v->kind->needs[i]; i++) {
        cols[i] = -1;
        for (int k = 0; k < sqlite3_column_count(stmt) && cols[i] < 0; k++) {
            if (!sqlite3_stricmp(sqlite3_column_name(stmt, k), v->kind->needs[i]))
                cols[i] = k;
        }
        if (cols[i] < 0)
            return orma_result_vtab_error(ret_error, "%s: the query has no column '%s'",
                                          v->kind->name, v->kind->needs[i]);
    }
    return SQLITE_OK;
}

/* `query` is what stands in the parentheses of CREATE VIRTUAL TABLE: one query, or nothing. */
static int read_points(struct mip_vtab *v, const char *query, char **ret_error)
{
    char *sql = sqlite3_mprintf("SELECT * FROM %s", query);
    const char *tail = "";
    sqlite3_stmt *stmt = NULL;
    int cols[4] = {0};
    int r = sql ? sqlite3_prepare_v2(v->sql->db, sql, -1, &stmt, &tail) : SQLITE_NOMEM;

    if (!r && (!stmt || *tail || !sqlite3_stmt_readonly(stmt)))
        r = orma_result_vtab_error(ret_error, "%s: expected one query in parentheses",
                                   v->kind->name);
    else if (r && r != SQLITE_NOMEM)
        r = orma_result_vtab_error(ret_error, "%s: %s", v->kind->name, sqlite3_errmsg(v->sql->db));
    sqlite3_free(sql);
    if (!r)
        r = find_columns(v, stmt, cols, ret_error);
    while (!r && (r = sqlite3_step(stmt)) == SQLITE_ROW)
        r = take_point(v, stmt, cols, ret_error);
    if (r == SQLITE_DONE)
        r = v->rows->len || add_zeros(v) ? SQLITE_OK : SQLITE_NOMEM;
    else if (r && !*ret_error)
        r = orma_result_vtab_error(ret_error, "%s: %s", v->kind->name, sqlite3_errmsg(v->sql->db));
    (void)sqlite3_finalize(stmt); /* its error was reported */
    if (!r && orma_sql_sort(v->sql, v->rows->points, v->rows->len, sizeof(*v->rows->points),
                            by_place) < 0)
        r = orma_sql_is_interrupted(v->sql) ? SQLITE_INTERRUPT : SQLITE_NOMEM;
    return r;
}

static int mip_disconnect(sqlite3_vtab *base)
{
    rows_unref(((struct mip_vtab *)base)->rows);
    free(base);
    return SQLITE_OK;
}

static int mip_destroy(sqlite3_vtab *base)
{
    const struct mip_vtab *v = (const struct mip_vtab *)base;

    forget_rows(v->sql, v->rows->name);
    return mip_disconnect(base);
}

/* Rows that belong to no list yet. */
static struct orma_mipmap_rows *rows_new(const char *name)
{
    struct orma_mipmap_rows *rows = calloc(1, sizeof(*rows));

    if (!rows)
        return NULL;
    rows->refs = 1;
    rows->name = sqlite3_mprintf("%s", name);
    if (rows->name)
        return rows;
    rows_unref(rows);
    return NULL;
}

/* Reads the rows of a table that has none, and puts them on the list. */
static int make_rows(struct mip_vtab *v, const char *query, char **ret_error)
{
    int r = read_points(v, query, ret_error);

    if (r)
        return r;
    forget_rows(v->sql, v->rows->name);
    v->rows->next = v->sql->mipmaps;
    v->sql->mipmaps = v->rows;
    v->rows->refs++;
    return SQLITE_OK;
}

static int connect_to(sqlite3 *db, struct orma_sql *sql, const char *const *argv,
                      struct orma_mipmap_rows *known, sqlite3_vtab **ret, char **ret_error)
{
    struct mip_vtab *v = calloc(1, sizeof(*v));
    int r = SQLITE_NOMEM;

    if (!v)
        return r;
    v->sql = sql;
    v->kind = sqlite3_stricmp(argv[0], slice_kind.name) ? &counter_kind : &slice_kind;
    v->rows = known ? known : rows_new(argv[2]);
    if (known)
        known->refs++;
    if (v->rows)
        r = sqlite3_declare_vtab(db, v->kind->declaration);
    if (!r && !known)
        r = make_rows(v, argv[3], ret_error);
    if (r)
        (void)mip_disconnect(&v->base); /* cannot fail */
    else
        *ret = &v->base;
    return r;
}

static int mip_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **ret, char **ret_error)
{
    if (argc != 4)
        return orma_result_vtab_error(ret_error, "%s: expected one query in parentheses", argv[0]);
    return connect_to(db, aux, argv, *find_rows(aux, argv[2]), ret, ret_error);
}

/* Another function than connect: without a query there is no table. */
static int mip_create(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
                      char **ret_error)
{
    if (argc != 4)
        return orma_result_vtab_error(ret_error, "%s: expected one query in parentheses", argv[0]);
    return connect_to(db, aux, argv, NULL, ret, ret_error);
}

int orma_operators_need_args(sqlite3_vtab *base, sqlite3_index_info *info, int first, int num,
                             const char *name)
{
    unsigned given = 0;

    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        int arg = c->iColumn - first;

        if (arg < 0 || arg >= num || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!c->usable)
            return SQLITE_CONSTRAINT; /* another order of the tables will do */
        if (given >> arg & 1)
            continue;
        given |= 1u << arg;
        info->aConstraintUsage[i].argvIndex = arg + 1;
        info->aConstraintUsage[i].omit = 1;
    }
    info->estimatedCost = 1000;
    info->estimatedRows = 1000;
    if (given == (1u << num) - 1)
        return SQLITE_OK;
    return orma_result_vtab_error(&base->zErrMsg, "%s: expected %d arguments", name, num);
}

static int mip_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct mip_kind *kind = ((struct mip_vtab *)base)->kind;

    return orma_operators_need_args(base, info, kind->slices ? SLICE_COLUMNS : COUNTER_COLUMNS,
                                    ARGS, kind->name);
}

static int mip_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct mip_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static int mip_close(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

/* ---- buckets ---- */

/* First point at or behind `from` that does not come before (depth, ts). */
static size_t lower(const struct mip_vtab *v, size_t from, int64_t depth, int64_t ts)
{
    struct point key = {.ts = ts, .depth = depth};

    return ORMA_PARTITION_POINT(i, from, v->rows->len, by_place(&v->rows->points[i], &key) < 0);
}

/*
 * Where the window begins in the depth of points[from], which is its first: with the point before
 * it, unless one lies at its very start. Viewers draw that one as far as it reaches.
 */
static size_t enter_depth(const struct mip_vtab *v, size_t from, int64_t start)
{
    int64_t depth = v->rows->points[from].depth;
    size_t at = lower(v, from, depth, start);

    if (at > from && (at == v->rows->len || v->rows->points[at].depth != depth ||
                      v->rows->points[at].ts != start))
        at--;
    return at;
}

/* The end of the bucket that holds `ts`. */
static int64_t bucket_end(const int64_t *window, int64_t ts)
{
    uint64_t step = (uint64_t)window[W_STEP];
    uint64_t past = ts > window[W_START] ? (uint64_t)ts - (uint64_t)window[W_START] : 0;
    uint64_t end = past / step * step + step;
    uint64_t all = (uint64_t)window[W_END] - (uint64_t)window[W_START];

    return end >= all ? window[W_END] : (int64_t)((uint64_t)window[W_START] + end);
}

static void sum_up(const struct mip_vtab *v, struct mip_cursor *c)
{
    c->longest = c->at;
    c->min = c->max = v->rows->points[c->at].value;
    for (size_t i = c->at; i < c->to; i++) {
        const struct point *p = &v->rows->points[i], *best = &v->rows->points[c->longest];

        if (!v->kind->slices) {
            c->min = ORMA_MIN(c->min, p->value);
            c->max = ORMA_MAX(c->max, p->value);
        } else if ((uint64_t)p->end - (uint64_t)p->ts > (uint64_t)best->end - (uint64_t)best->ts) {
            c->longest = i;
        }
    }
}

/* The bucket that begins with points[c->at], or the first one of a later depth. */
static void find_bucket(const struct mip_vtab *v, struct mip_cursor *c)
{
    while (c->at < v->rows->len) {
        int64_t depth = v->rows->points[c->at].depth;

        if (c->first)
            c->at = enter_depth(v, c->at, c->window[W_START]);
        c->first = false;
        if (c->at < v->rows->len && v->rows->points[c->at].depth == depth &&
            v->rows->points[c->at].ts < c->window[W_END]) {
            c->to = lower(v, c->at, depth, bucket_end(c->window, v->rows->points[c->at].ts));
            sum_up(v, c);
            return;
        }
        c->at = depth == INT64_MAX ? v->rows->len : lower(v, c->at, depth + 1, INT64_MIN);
        c->first = true;
    }
    c->eof = true;
}

static int mip_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                      sqlite3_value **argv)
{
    struct mip_cursor *c = (struct mip_cursor *)base;
    const struct mip_vtab *v = (struct mip_vtab *)base->pVtab;

    (void)num;
    (void)plan;
    for (int i = 0; i < argc && i < ARGS; i++)
        c->window[i] = sqlite3_value_int64(argv[i]);
    if (c->window[W_STEP] <= 0)
        return orma_result_vtab_error(&base->pVtab->zErrMsg, "%s: the step must be positive",
                                      v->kind->name);
    c->at = 0;
    c->first = true;
    c->eof = c->window[W_END] <= c->window[W_START];
    if (!c->eof)
        find_bucket(v, c);
    return SQLITE_OK;
}

static int mip_next(sqlite3_vtab_cursor *base)
{
    struct mip_cursor *c = (struct mip_cursor *)base;

    c->at = c->to;
    /* The next point may be of another depth. */
    const struct mip_vtab *v = (struct mip_vtab *)base->pVtab;
    c->first =
        c->at < v->rows->len && v->rows->points[c->at].depth != v->rows->points[c->at - 1].depth;
    find_bucket(v, c);
    return SQLITE_OK;
}

static int mip_eof(sqlite3_vtab_cursor *base)
{
    return ((const struct mip_cursor *)base)->eof;
}

static void counter_column(const struct mip_vtab *v, const struct mip_cursor *c,
                           sqlite3_context *ctx, int idx)
{
    const struct point *last = &v->rows->points[c->to - 1];

    switch (idx) {
    case 0:
        sqlite3_result_double(ctx, c->min);
        break;
    case 1:
        sqlite3_result_double(ctx, c->max);
        break;
    case 2:
        sqlite3_result_int64(ctx, last->ts);
        break;
    case 3:
        sqlite3_result_double(ctx, last->value);
        break;
    }
}

static void slice_column(const struct mip_vtab *v, const struct mip_cursor *c, sqlite3_context *ctx,
                         int idx)
{
    const struct point *p = &v->rows->points[c->longest];

    switch (idx) {
    case 0:
        sqlite3_result_int64(ctx, p->ts);
        break;
    case 1:
        sqlite3_result_int64(ctx, p->id);
        break;
    case 2:
        sqlite3_result_int64(ctx, (int64_t)(c->to - c->at));
        break;
    case 3:
        sqlite3_result_int64(ctx, p->end == INT64_MAX ? -1 : p->end - p->ts);
        break;
    case 4:
        sqlite3_result_int64(ctx, p->depth);
        break;
    }
}

static int mip_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct mip_cursor *c = (const struct mip_cursor *)base;
    const struct mip_vtab *v = (const struct mip_vtab *)base->pVtab;
    int first = v->kind->slices ? SLICE_COLUMNS : COUNTER_COLUMNS;

    if (idx >= first)
        sqlite3_result_int64(ctx, c->window[idx - first]);
    else if (v->kind->slices)
        slice_column(v, c, ctx, idx);
    else
        counter_column(v, c, ctx, idx);
    return SQLITE_OK;
}

static int mip_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = (sqlite3_int64)((const struct mip_cursor *)base)->at;
    return SQLITE_OK;
}

static int mip_rename(sqlite3_vtab *base, const char *name)
{
    struct orma_mipmap_rows *rows = ((struct mip_vtab *)base)->rows;
    char *copy = sqlite3_mprintf("%s", name);

    if (!copy)
        return SQLITE_NOMEM;
    sqlite3_free(rows->name);
    rows->name = copy;
    return SQLITE_OK;
}

static const sqlite3_module mip_module = {
    .xCreate = mip_create,
    .xConnect = mip_connect,
    .xBestIndex = mip_best_index,
    .xDisconnect = mip_disconnect,
    .xDestroy = mip_destroy,
    .xOpen = mip_open,
    .xClose = mip_close,
    .xFilter = mip_filter,
    .xNext = mip_next,
    .xEof = mip_eof,
    .xColumn = mip_column,
    .xRowid = mip_rowid,
    .xRename = mip_rename,
};

const struct orma_sql_module orma_operators_mipmap_modules[] = {
    {.name = "__intrinsic_counter_mipmap",
     .module = &mip_module,
     .usage = "((SELECT ts, value ...)), then (start, end, step)",
     .doc = "min_value, max_value, last_ts, last_value of each bucket that has samples; the "
            "sample before `start` counts for the first."},
    {.name = "__intrinsic_slice_mipmap",
     .module = &mip_module,
     .usage = "((SELECT id, ts, dur, depth ...)), then (start, end, step)",
     .doc = "ts, id, count, dur, depth: of each depth and bucket the longest slice, and how many "
            "there are; the slice before `start` counts for the first."},
    {0},
};
