/*
 * SPAN_JOIN, SPAN_LEFT_JOIN, SPAN_OUTER_JOIN: two tables of spans become one,
 * cut where either of them changes.
 *
 *     CREATE VIRTUAL TABLE out USING SPAN_JOIN(t1 PARTITIONED cpu, t2 PARTITIONED cpu);
 *
 * Each side is read in order of (partition, ts) and seen as pieces that cover all
 * time of all partitions without a hole:
 *
 *     partition 1:   [ gap )[ real )[ gap )[ real )[   gap   ...
 *     2 .. 6:        [ absent                                ...
 *     partition 7:   [ gap )[ real )[   gap                  ...
 *
 * The join walks both streams of pieces; where two overlap and at least one is
 * real, there is a row. Pieces that the kind of join does not want are left out
 * of the stream. The piece that ends first gives way to the next of its side.
 */
#include "processor/sql/operators/span_join.h"

#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/base/aux_terms.h"
#include "processor/sql/base/trials.h"
#include "sdk/base/buf.h"

/* Span joins that read from one another; far more than people write, far less than the stack. */
#define NESTING_MAX 16
#define CONSTRAINTS_MAX 64
/* Keeps rows of one time in several partitions apart. */
#define PART_MIX 0x9e3779b97f4a7c15u
/* Operator in a plan: a column of the sources is not smaller than the value. */
#define OP_SOURCE_GEQ SQLITE_INDEX_CONSTRAINT_FUNCTION

struct span_cursor {
    sqlite3_vtab_cursor base;
    struct orma_span_side sides[ORMA_SPAN_SIDES];
    int mixed_part_known; /* mixed: the other side was rewound for `mixed_part` */
    int64_t mixed_part;
    int next; /* the side that gives way next */
    bool eof;
};

static int span_disconnect(sqlite3_vtab *base)
{
    struct orma_span *v = (struct orma_span *)base;

    orma_span_fini(v);
    free(v);
    return SQLITE_OK;
}

static enum orma_span_kind kind_of(const char *module)
{
    for (int i = 0; i < (int)ORMA_ARRAY_LEN(orma_span_names); i++) {
        if (!sqlite3_stricmp(module, orma_span_names[i]))
            return (enum orma_span_kind)i;
    }
    return ORMA_SPAN_INNER;
}

static int span_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct orma_span *v = calloc(1, sizeof(*v));
    int r;

    if (!v)
        return SQLITE_NOMEM;
    v->sql = aux;
    v->kind = kind_of(argv[0]);
    if (argc != 3 + ORMA_SPAN_SIDES)
        r = orma_result_vtab_error(ret_error, "%s: expected two tables, got %d",
                                   orma_span_names[v->kind], argc - 3);
    else
        r = orma_span_describe(v, db, argv + 3, ret_error);
    if (r) {
        (void)span_disconnect(&v->base); /* cannot fail */
        return r;
    }
    *ret = &v->base;
    return SQLITE_OK;
}

/* Another function than connect: without arguments there is no table. */
static int span_create(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **ret, char **ret_error)
{
    return span_connect(db, aux, argc, argv, ret, ret_error);
}

/* ---- planning ---- */

static bool operator_text(int op, const char **ret)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        *ret = "=";
        return true;
    case SQLITE_INDEX_CONSTRAINT_GT:
        *ret = ">";
        return true;
    case SQLITE_INDEX_CONSTRAINT_GE:
    case OP_SOURCE_GEQ:
        *ret = ">=";
        return true;
    case SQLITE_INDEX_CONSTRAINT_LT:
        *ret = "<";
        return true;
    case SQLITE_INDEX_CONSTRAINT_LE:
        *ret = "<=";
        return true;
    case SQLITE_INDEX_CONSTRAINT_NE:
        *ret = "<>";
        return true;
    }
    return false;
}

/*
 * The column of a side to which a comparison of an output column can be passed on.
 *
 * A row begins where the later of its pieces does: one that begins too late for the
 * output is of no use, as long as it does not end a gap that is wanted.
 */
static int column_for(const struct orma_span *v, int side, int col, int op)
{
    const struct orma_span_source *src = &v->sides[side];

    if (col == 0 && op == OP_SOURCE_GEQ)
        return src->ts;
    if (col == 0)
        return !src->gaps && (op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE)
                   ? src->ts
                   : ORMA_SPAN_NONE;
    if (col == 1)
        return op == OP_SOURCE_GEQ ? src->dur : ORMA_SPAN_NONE;
    if (col < v->first_column)
        return op == SQLITE_INDEX_CONSTRAINT_EQ || op == OP_SOURCE_GEQ ? src->part_idx
                                                                       : ORMA_SPAN_NONE;
    col -= v->first_column;
    /* A row that is taken away leaves a gap, whose NULL is refused when SQLite checks again. */
    return v->columns[col].side == side ? v->columns[col].col : ORMA_SPAN_NONE;
}

/* SQLite's rules of affinity, for the names of types. */
static bool is_text(const char *type)
{
    return !strcasestr(type, "INT") &&
           (strcasestr(type, "CHAR") || strcasestr(type, "CLOB") || strcasestr(type, "TEXT"));
}

static bool is_numeric(const char *type)
{
    return *type && !is_text(type) && (strcasestr(type, "INT") || !strcasestr(type, "BLOB"));
}

/* Whether a comparison with an output column is one of numbers, whatever the other side is. */
static bool compares_numbers(const struct orma_span *v, int col)
{
    const struct orma_span_out *o = &v->columns[col - v->first_column];

    return col < v->first_column || is_numeric(v->sides[o->side].columns[o->col].type);
}

/*
 * Whether the sides understand a comparison as SQLite does for the output: they see a value, and
 * not the affinity of what it was compared with. Numbers are compared by number in any case; texts
 * as such only with what is known to be a text.
 */
static bool means_the_same(const struct orma_span *v, sqlite3_index_info *info, int i)
{
    const int col = info->aConstraint[i].iColumn, op = info->aConstraint[i].op;
    sqlite3_value *val = NULL;

    if (op == OP_SOURCE_GEQ)
        return true;
    if (orma_aux_is_auxiliary(op) && orma_sql_trial(ORMA_TRIAL_SPREADS_TERMS))
        return false;
    if (compares_numbers(v, col)) {
        for (int side = 0; side < ORMA_SPAN_SIDES; side++) {
            int own = column_for(v, side, col, op);

            if (own != ORMA_SPAN_NONE && is_text(v->sides[side].columns[own].type))
                return false;
        }
        return true;
    }
    const struct orma_span_out *o = &v->columns[col - v->first_column];
    return is_text(v->sides[o->side].columns[o->col].type) &&
           !sqlite3_vtab_rhs_value(info, i, &val) && val && sqlite3_value_type(val) == SQLITE_TEXT;
}

static bool in_order(const struct orma_span *v, const sqlite3_index_info *info)
{
    int ts_at = v->part ? 1 : 0; /* rows come in order of (partition, ts) */

    if (!info->nOrderBy || info->nOrderBy > ts_at + 1)
        return false;
    for (int i = 0; i < info->nOrderBy; i++) {
        if (info->aOrderBy[i].desc || info->aOrderBy[i].iColumn != (i == ts_at ? 0 : 2))
            return false;
    }
    return true;
}

/* The plan: which columns are read, and "op,column of the output;" for each argument. */
static int span_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct orma_span *v = (struct orma_span *)base;
    struct orma_buf plan = {0};
    double cost = 1e6;
    int args = 0;

    orma_buf_printf(&plan, "%llu;", (unsigned long long)info->colUsed);
    for (int i = 0; i < info->nConstraint && args < CONSTRAINTS_MAX; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        const char *op;

        if (!c->usable || c->iColumn < 0 || !operator_text(c->op, &op))
            continue;
        if (c->op != OP_SOURCE_GEQ && column_for(v, 0, c->iColumn, c->op) == ORMA_SPAN_NONE &&
            column_for(v, 1, c->iColumn, c->op) == ORMA_SPAN_NONE)
            continue;
        if (sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") ||
            !means_the_same(v, info, i))
            continue;
        orma_buf_printf(&plan, "%d,%d;", c->op, c->iColumn);
        info->aConstraintUsage[i].argvIndex = ++args;
        info->aConstraintUsage[i].omit = c->op == OP_SOURCE_GEQ;
        cost /= c->op == SQLITE_INDEX_CONSTRAINT_EQ ? 10 : 2;
    }
    info->orderByConsumed = in_order(v, info);
    info->estimatedCost = ORMA_MAX(cost, 10.0);
    info->estimatedRows = (sqlite3_int64)ORMA_MAX(cost, 10.0);
    info->idxStr = plan.failed ? NULL : sqlite3_mprintf("%s", orma_buf_cstr(&plan));
    info->needToFreeIdxStr = 1;
    orma_buf_fini(&plan);
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- the query of one side ---- */

static bool is_used(const struct orma_span *v, int side, int col, sqlite3_uint64 used)
{
    const struct orma_span_source *src = &v->sides[side];

    if (orma_span_is_required(src, col))
        return true;
    for (int i = 0; i < v->columns_num; i++) {
        int bit = ORMA_MIN(i + v->first_column, 63); /* the last bit stands for all others */

        if (v->columns[i].side == side && v->columns[i].col == col)
            return used >> bit & 1;
    }
    return false;
}

static void put_name(struct orma_buf *text, const char *fmt, const char *name)
{
    char *quoted = sqlite3_mprintf("\"%w\"", name);

    if (!quoted)
        text->failed = true;
    else
        orma_buf_printf(text, fmt, quoted);
    sqlite3_free(quoted);
}

static void put_select(const struct orma_span *v, int side, struct orma_buf *text,
                       sqlite3_uint64 used)
{
    const struct orma_span_source *src = &v->sides[side];

    for (int i = 0; i < src->columns_num; i++) {
        orma_buf_put_str(text, i ? ", " : "SELECT ");
        if (is_used(v, side, i, used))
            put_name(text, "%s", src->columns[i].name);
        else
            orma_buf_put_str(text, "NULL");
    }
    put_name(text, " FROM %s", src->table);
}

/* Texts that look like numbers become numbers where they are compared as such. */
static void read_numbers(const struct orma_span *v, const char *plan, int argc,
                         sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++) {
        int op, col, len = 0;

        if (sscanf(plan, "%d,%d;%n", &op, &col, &len) != 2 || !len)
            return;
        plan += len;
        if (compares_numbers(v, col))
            (void)sqlite3_value_numeric_type(argv[i]); /* for what it does to the value */
    }
}

/* WHERE from the plan; argument i of the scan is ?i+1 of the statement. */
static void put_where(const struct orma_span *v, int side, struct orma_buf *text, const char *plan,
                      int argc)
{
    const char *glue = " WHERE ";

    for (int i = 0; i < argc; i++) {
        int op, col, len = 0, own;
        const char *sign;

        if (sscanf(plan, "%d,%d;%n", &op, &col, &len) != 2 || !len)
            return;
        plan += len;
        own = column_for(v, side, col, op);
        if (own == ORMA_SPAN_NONE || !operator_text(op, &sign))
            continue;
        orma_buf_put_str(text, glue);
        put_name(text, "%s", v->sides[side].columns[own].name);
        orma_buf_printf(text, " %s ?%d", sign, i + 1);
        glue = " AND ";
    }
}

static int prepare_side(struct orma_span *v, struct span_cursor *c, int side, const char *plan,
                        int argc, sqlite3_value **argv)
{
    struct orma_span_side *s = &c->sides[side];
    struct orma_buf text = {0};
    char *rest;
    sqlite3_uint64 used = strtoull(plan, &rest, 10);
    int r;

    *s = (struct orma_span_side){.src = &v->sides[side]};
    put_select(v, side, &text, used);
    put_where(v, side, &text, rest + 1, argc);
    if (s->src->part) {
        put_name(&text, " ORDER BY %s", s->src->part);
        put_name(&text, ", %s", s->src->columns[s->src->ts].name);
    } else {
        put_name(&text, " ORDER BY %s", s->src->columns[s->src->ts].name);
    }
    if (text.failed) {
        orma_buf_fini(&text);
        return SQLITE_NOMEM;
    }
    r = sqlite3_prepare_v2(v->sql->db, orma_buf_cstr(&text), -1, &s->stmt, NULL);
    orma_buf_fini(&text);
    if (r)
        return orma_span_fail(v);
    for (int i = 0; i < argc && i < sqlite3_bind_parameter_count(s->stmt); i++)
        (void)sqlite3_bind_value(s->stmt, i + 1, argv[i]); /* unused numbers are fine */
    return SQLITE_OK;
}

/* ---- the join ---- */

static bool same_part(const struct orma_span *v, const struct orma_span_side *a,
                      const struct orma_span_side *b)
{
    if (!v->part || v->mixed)
        return true;
    return a->part_lo <= b->part_hi && b->part_lo <= a->part_hi;
}

/* Ends are not included, but two real pieces that begin together always meet. */
static bool overlap(const struct orma_span *v, const struct orma_span_side *a,
                    const struct orma_span_side *b)
{
    bool a_real = a->piece == ORMA_PIECE_REAL, b_real = b->piece == ORMA_PIECE_REAL;

    if ((!a_real && !b_real) || !same_part(v, a, b))
        return false;
    return (a->ts == b->ts && a_real && b_real) || (a->ts >= b->ts && a->ts < orma_span_end(b)) ||
           (b->ts >= a->ts && b->ts < orma_span_end(a));
}

/* Order of giving way: partition, end, shadows before real spans. */
static bool ends_first(const struct orma_span *v, const struct orma_span_side *a,
                       const struct orma_span_side *b)
{
    if (v->part && !v->mixed && a->part_hi != b->part_hi)
        return a->part_hi < b->part_hi;
    if (orma_span_end(a) != orma_span_end(b))
        return orma_span_end(a) < orma_span_end(b);
    return a->piece != ORMA_PIECE_REAL && b->piece == ORMA_PIECE_REAL;
}

/* Mixed: the side without partitions starts over for each one of the other. */
static int follow_partition(struct orma_span *v, struct span_cursor *c)
{
    struct orma_span_side *with = &c->sides[v->sides[0].part ? 0 : 1];
    struct orma_span_side *without = &c->sides[v->sides[0].part ? 1 : 0];

    if (c->mixed_part_known && c->mixed_part == with->part_lo)
        return SQLITE_OK;
    c->mixed_part_known = 1;
    c->mixed_part = with->part_lo;
    return orma_span_rewind(v, without);
}

static int find_row(struct orma_span *v, struct span_cursor *c)
{
    struct orma_span_side *a = &c->sides[0], *b = &c->sides[1];
    int r = SQLITE_OK;

    while (!r) {
        const struct orma_span_side *with = v->sides[0].part ? a : b;

        c->eof = v->mixed ? with->piece == ORMA_PIECE_END
                          : a->piece == ORMA_PIECE_END || b->piece == ORMA_PIECE_END;
        if (c->eof)
            break;
        if (v->mixed) {
            r = follow_partition(v, c);
            if (r)
                break;
        }
        if (v->mixed && (a->piece == ORMA_PIECE_END || b->piece == ORMA_PIECE_END)) {
            c->next = a->piece == ORMA_PIECE_END;
        } else {
            c->next = !ends_first(v, a, b);
            if (overlap(v, a, b))
                break;
        }
        r = orma_span_next(v, &c->sides[c->next]);
    }
    return r;
}

static int span_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct span_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static void finalize_sides(struct span_cursor *c)
{
    for (int i = 0; i < ORMA_SPAN_SIDES; i++) {
        (void)sqlite3_finalize(c->sides[i].stmt); /* its errors were reported */
        c->sides[i].stmt = NULL;
    }
}

static int span_close(sqlite3_vtab_cursor *base)
{
    struct span_cursor *c = (struct span_cursor *)base;

    finalize_sides(c);
    free(c);
    return SQLITE_OK;
}

static int span_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                       sqlite3_value **argv)
{
    struct span_cursor *c = (struct span_cursor *)base;
    struct orma_span *v = (struct orma_span *)base->pVtab;
    int r = SQLITE_OK;

    (void)num;
    if (v->sql->run.operators >= NESTING_MAX)
        return orma_result_vtab_error(&v->base.zErrMsg,
                                      "%s: reads from itself, or is nested too deeply",
                                      orma_span_names[v->kind]);
    finalize_sides(c);
    c->mixed_part_known = 0;
    read_numbers(v, strchr(plan, ';') + 1, argc, argv);
    for (int i = 0; i < ORMA_SPAN_SIDES && !r; i++)
        r = prepare_side(v, c, i, plan, argc, argv);
    for (int i = 0; i < ORMA_SPAN_SIDES && !r; i++)
        r = orma_span_rewind(v, &c->sides[i]);
    if (!r)
        r = find_row(v, c);
    return r;
}

static int span_next(sqlite3_vtab_cursor *base)
{
    struct span_cursor *c = (struct span_cursor *)base;
    struct orma_span *v = (struct orma_span *)base->pVtab;
    int r = orma_span_next(v, &c->sides[c->next]);

    return r ? r : find_row(v, c);
}

static int span_eof(sqlite3_vtab_cursor *base)
{
    return ((const struct span_cursor *)base)->eof;
}

static int64_t part_value(const struct orma_span *v, const struct span_cursor *c)
{
    const struct orma_span_side *a = &c->sides[0], *b = &c->sides[1];

    if (v->mixed)
        return v->sides[0].part ? a->part_lo : b->part_lo;
    return a->piece == ORMA_PIECE_REAL ? a->part_lo : b->part_lo;
}

static int span_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct span_cursor *c = (const struct span_cursor *)base;
    const struct orma_span *v = (const struct orma_span *)base->pVtab;
    const struct orma_span_side *a = &c->sides[0], *b = &c->sides[1];
    int64_t ts = ORMA_MAX(a->ts, b->ts);

    if (idx == 0) {
        sqlite3_result_int64(ctx, ts);
    } else if (idx == 1) {
        int64_t dur;

        if (__builtin_sub_overflow(ORMA_MIN(a->end, b->end), ts, &dur))
            dur = INT64_MAX;
        sqlite3_result_int64(ctx, dur);
    } else if (idx < v->first_column) {
        sqlite3_result_int64(ctx, part_value(v, c));
    } else {
        const struct orma_span_out *o = &v->columns[idx - v->first_column];
        const struct orma_span_side *s = &c->sides[o->side];

        if (s->piece == ORMA_PIECE_REAL)
            orma_result_value(ctx, sqlite3_column_value(s->stmt, o->col));
    }
    return SQLITE_OK;
}

static int span_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    const struct span_cursor *c = (const struct span_cursor *)base;
    const struct orma_span *v = (const struct orma_span *)base->pVtab;

    /* Of the same row the same in each scan, whatever was pushed down: joins go by it. */
    uint64_t part = v->part ? (uint64_t)part_value(v, c) : 0;
    *ret = (int64_t)((uint64_t)ORMA_MAX(c->sides[0].ts, c->sides[1].ts) + part * PART_MIX);
    return SQLITE_OK;
}

/* What was passed on to the sources holds. */
static void source_geq(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_int(ctx, 1);
}

static int span_find_function(sqlite3_vtab *base, int argc, const char *name,
                              void (**ret)(sqlite3_context *, int, sqlite3_value **), void **data)
{
    (void)base;
    (void)data;
    if (argc != 2 || sqlite3_stricmp(name, "source_geq"))
        return 0;
    *ret = source_geq;
    return OP_SOURCE_GEQ;
}

static int span_rename(sqlite3_vtab *base, const char *name)
{
    (void)base;
    (void)name;
    return SQLITE_OK;
}

static const sqlite3_module span_module = {
    .xCreate = span_create,
    .xConnect = span_connect,
    .xBestIndex = span_best_index,
    .xDisconnect = span_disconnect,
    .xDestroy = span_disconnect,
    .xOpen = span_open,
    .xClose = span_close,
    .xFilter = span_filter,
    .xNext = span_next,
    .xEof = span_eof,
    .xColumn = span_column,
    .xRowid = span_rowid,
    .xFindFunction = span_find_function,
    .xRename = span_rename,
};

static void source_geq_elsewhere(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_error(ctx, "source_geq: the column must be one of a span join", -1);
}

const struct orma_sql_func orma_operators_span_join[] = {
    {.name = "source_geq",
     .args = 2,
     .scalar = source_geq_elsewhere,
     .usage = "(column, value) -> BOOL",
     .doc = "In the WHERE of a span join: both inputs are read from `column >= value` on."},
    {0},
};

const struct orma_sql_module orma_operators_span_join_modules[] = {
    {.name = "span_join",
     .module = &span_module,
     .usage = "(t1 [PARTITIONED col], t2 [PARTITIONED col])",
     .doc = "The intersections of the spans of both tables, with the columns of both."},
    {.name = "span_left_join",
     .module = &span_module,
     .usage = "(t1 [PARTITIONED col], t2 [PARTITIONED col])",
     .doc =
         "The same, plus spans of only the first table, with NULL for the columns of the second."},
    {.name = "span_outer_join",
     .module = &span_module,
     .usage = "(t1 [PARTITIONED col], t2 [PARTITIONED col])",
     .doc = "The same, plus spans of only one of the tables."},
    {0},
};
