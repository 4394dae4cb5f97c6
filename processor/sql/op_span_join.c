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
#include "processor/sql/natives.h"

#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "sdk/base/buf.h"

#define SIDES 2
#define UNUSED_COLUMN (-1)
/* Span joins that read from one another; far more than people write, far less than the stack. */
#define NESTING_MAX 16
#define CONSTRAINTS_MAX 64
/* Operator in a plan: a column of the sources is not smaller than the value. */
#define OP_SOURCE_GEQ SQLITE_INDEX_CONSTRAINT_FUNCTION

enum span_kind { SPAN_INNER, SPAN_LEFT, SPAN_OUTER };

static const char *const span_names[] = {"SPAN_JOIN", "SPAN_LEFT_JOIN", "SPAN_OUTER_JOIN"};

struct source_column {
    char *name, *type;
};

/* One input, as CREATE VIRTUAL TABLE describes it. */
struct source {
    char *table, *part; /* NULL: not partitioned */
    struct source_column *columns;
    int columns_num;
    int ts, dur, part_idx; /* columns; UNUSED_COLUMN: has none */
    bool gaps, absents;    /* pieces that are wanted beside the real ones */
};

/* A column of the output behind ts, dur and partition. */
struct out_column {
    int side, col;
};

struct span_vtab {
    sqlite3_vtab base;
    struct orma_sql *sql;
    enum span_kind kind;
    struct source sides[SIDES];
    const char *part; /* of either side, NULL: no partitions */
    bool mixed;       /* just one side has partitions */
    struct out_column *columns;
    int columns_num, first_column;
};

enum piece { PIECE_REAL, PIECE_GAP, PIECE_ABSENT, PIECE_END };

/* One side while it is read. */
struct side {
    const struct source *src;
    sqlite3_stmt *stmt;
    bool row; /* the statement stands on a row: the real piece, or the one after the gap */
    enum piece piece;
    int64_t ts, end;
    int64_t part_lo, part_hi;          /* both included */
    int64_t row_ts, row_end, row_part; /* of the row at hand */
};

struct span_cursor {
    sqlite3_vtab_cursor base;
    struct side sides[SIDES];
    int mixed_part_known; /* mixed: the other side was rewound for `mixed_part` */
    int64_t mixed_part;
    int next; /* the side that gives way next */
    bool eof;
};

/* ---- arguments ---- */

static int set_error(char **ret_error, const char *fmt, ...) ORMA_PRINTF(2, 3);
static int set_error(char **ret_error, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    sqlite3_free(*ret_error);
    *ret_error = sqlite3_vmprintf(fmt, args);
    va_end(args);
    return *ret_error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* A name as it stands in SQL, without its quotes. NULL: none, or no memory. */
static char *take_name(struct orma_str text, uint32_t *at)
{
    struct orma_token tok = orma_token_next_solid(text, *at);
    struct orma_str s = orma_token_text(text, tok);
    char *name;
    size_t n = 0;

    if (tok.kind != ORMA_TOK_WORD && tok.kind != ORMA_TOK_QUOTED && tok.kind != ORMA_TOK_STRING)
        return NULL;
    *at = tok.at + tok.len;
    if (tok.kind == ORMA_TOK_WORD)
        return orma_str_dup(s);
    name = malloc(s.len + 1);
    if (!name || s.len < 2) {
        free(name);
        return NULL;
    }
    for (size_t i = 1; i + 1 < s.len; i++) {
        name[n++] = s.data[i];
        i += s.data[i] == s.data[0] && i + 2 < s.len; /* doubled quotes */
    }
    name[n] = 0;
    return name;
}

static int parse_source(const struct span_vtab *v, struct source *src, const char *arg,
                        char **ret_error)
{
    struct orma_str text = orma_str_from(arg);
    uint32_t at = 0;
    struct orma_token tok;

    src->ts = src->dur = src->part_idx = UNUSED_COLUMN;
    src->table = take_name(text, &at);
    tok = orma_token_next_solid(text, at);
    if (src->table && orma_token_is(text, tok, "PARTITIONED")) {
        at = tok.at + tok.len;
        src->part = take_name(text, &at);
        if (!src->part)
            return set_error(ret_error, "%s: PARTITIONED needs the name of a column",
                             span_names[v->kind]);
        tok = orma_token_next_solid(text, at);
    }
    if (!src->table || tok.kind != ORMA_TOK_END)
        return set_error(ret_error, "%s: expected 'table' or 'table PARTITIONED column', got '%s'",
                         span_names[v->kind], arg);
    if (src->part && (!sqlite3_stricmp(src->part, "ts") || !sqlite3_stricmp(src->part, "dur")))
        return set_error(ret_error, "%s: the partition column of '%s' cannot be '%s'",
                         span_names[v->kind], src->table, src->part);
    return SQLITE_OK;
}

/* ---- columns ---- */

static int add_source_column(struct source *src, sqlite3_stmt *stmt)
{
    struct source_column *grown =
        realloc(src->columns, (size_t)(src->columns_num + 1) * sizeof(*grown));
    struct source_column *c;
    const char *name = (const char *)sqlite3_column_text(stmt, 1);
    const char *type = (const char *)sqlite3_column_text(stmt, 2);

    if (!grown)
        return SQLITE_NOMEM;
    src->columns = grown;
    c = &grown[src->columns_num++];
    *c = (struct source_column){strdup(name ? name : ""), strdup(type ? type : "")};
    if (!c->name || !c->type)
        return SQLITE_NOMEM;
    if (!sqlite3_stricmp(c->name, "ts"))
        src->ts = src->columns_num - 1;
    else if (!sqlite3_stricmp(c->name, "dur"))
        src->dur = src->columns_num - 1;
    else if (src->part && !sqlite3_stricmp(c->name, src->part))
        src->part_idx = src->columns_num - 1;
    return SQLITE_OK;
}

static int read_columns(struct span_vtab *v, struct source *src, char **ret_error)
{
    char *sql = sqlite3_mprintf("PRAGMA table_info(\"%w\")", src->table);
    sqlite3_stmt *stmt = NULL;
    int r = sql ? sqlite3_prepare_v2(v->sql->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    while (!r && sqlite3_step(stmt) == SQLITE_ROW)
        r = add_source_column(src, stmt);
    if (r == SQLITE_NOMEM) {
        (void)sqlite3_finalize(stmt); /* the error is known */
        return r;
    }
    if (sqlite3_finalize(stmt) || r)
        return set_error(ret_error, "%s: table '%s': %s", span_names[v->kind], src->table,
                         sqlite3_errmsg(v->sql->db));
    if (!src->columns_num)
        return set_error(ret_error, "%s: no such table: %s", span_names[v->kind], src->table);
    if (src->ts == UNUSED_COLUMN)
        return set_error(ret_error, "%s: table '%s' has no column 'ts'", span_names[v->kind],
                         src->table);
    if (src->part && src->part_idx == UNUSED_COLUMN)
        return set_error(ret_error, "%s: table '%s' has no column '%s' to be partitioned by",
                         span_names[v->kind], src->table, src->part);
    return SQLITE_OK;
}

static bool is_required(const struct source *src, int col)
{
    return col == src->ts || col == src->dur || col == src->part_idx;
}

static bool is_taken(const struct span_vtab *v, const char *name)
{
    if (v->part && !sqlite3_stricmp(v->part, name))
        return true;
    for (int i = 0; i < v->columns_num; i++) {
        const struct out_column *o = &v->columns[i];

        if (!sqlite3_stricmp(v->sides[o->side].columns[o->col].name, name))
            return true;
    }
    return false;
}

static int add_out_columns(struct span_vtab *v, int side, char **ret_error)
{
    const struct source *src = &v->sides[side];
    const char *what = span_names[v->kind];

    for (int i = 0; i < src->columns_num; i++) {
        const char *name = src->columns[i].name;

        if (is_required(src, i))
            continue;
        if (strpbrk(name, ",:"))
            return set_error(ret_error, "%s: column '%s' of '%s' has a ',' or ':' in its name",
                             what, name, src->table);
        if (is_taken(v, name))
            return set_error(ret_error, "%s: both tables have a column '%s': rename one in a view",
                             what, name);
        v->columns[v->columns_num++] = (struct out_column){side, i};
    }
    return SQLITE_OK;
}

static int declare(struct span_vtab *v, sqlite3 *db)
{
    struct orma_buf text = {0};
    int r;

    orma_buf_put_str(&text, "CREATE TABLE x(ts BIGINT, dur BIGINT");
    if (v->part) {
        char *part = sqlite3_mprintf(", \"%w\" BIGINT", v->part);

        orma_buf_put_str(&text, part ? part : "");
        sqlite3_free(part);
    }
    for (int i = 0; i < v->columns_num; i++) {
        const struct source_column *c = &v->sides[v->columns[i].side].columns[v->columns[i].col];
        char *column = sqlite3_mprintf(", \"%w\" %s", c->name, c->type);

        orma_buf_put_str(&text, column ? column : "");
        sqlite3_free(column);
    }
    orma_buf_put_str(&text, ")");
    r = text.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    return r;
}

static int settle_partitions(struct span_vtab *v, char **ret_error)
{
    const struct source *a = &v->sides[0], *b = &v->sides[1];

    if (a->part && b->part && sqlite3_stricmp(a->part, b->part))
        return set_error(ret_error,
                         "%s: the tables are partitioned by columns of different names: '%s', '%s'",
                         span_names[v->kind], a->part, b->part);
    v->part = a->part ? a->part : b->part;
    v->mixed = !a->part != !b->part;
    for (int i = 0; i < SIDES; i++) {
        struct source *src = &v->sides[i];

        /* A row of an outer join may lack either side, one of a left join the second. */
        src->gaps = v->kind == SPAN_OUTER || (v->kind == SPAN_LEFT && i == 1);
        src->absents = src->gaps && !(v->mixed && src->part);
    }
    return SQLITE_OK;
}

static int describe(struct span_vtab *v, sqlite3 *db, const char *const *args, char **ret_error)
{
    int r = SQLITE_OK;

    for (int i = 0; i < SIDES && !r; i++)
        r = parse_source(v, &v->sides[i], args[i], ret_error);
    if (!r)
        r = settle_partitions(v, ret_error);
    for (int i = 0; i < SIDES && !r; i++)
        r = read_columns(v, &v->sides[i], ret_error);
    if (r)
        return r;
    if (v->sides[0].dur == UNUSED_COLUMN && v->sides[1].dur == UNUSED_COLUMN)
        return set_error(ret_error, "%s: at least one of '%s' and '%s' needs a column 'dur'",
                         span_names[v->kind], v->sides[0].table, v->sides[1].table);
    v->columns =
        calloc((size_t)(v->sides[0].columns_num + v->sides[1].columns_num), sizeof(*v->columns));
    if (!v->columns)
        return SQLITE_NOMEM;
    v->first_column = v->part ? 3 : 2;
    for (int i = 0; i < SIDES && !r; i++)
        r = add_out_columns(v, i, ret_error);
    return r ? r : declare(v, db);
}

static void free_source(struct source *src)
{
    for (int i = 0; i < src->columns_num; i++) {
        free(src->columns[i].name);
        free(src->columns[i].type);
    }
    free(src->columns);
    free(src->table);
    free(src->part);
}

static int span_disconnect(sqlite3_vtab *base)
{
    struct span_vtab *v = (struct span_vtab *)base;

    free_source(&v->sides[0]);
    free_source(&v->sides[1]);
    free(v->columns);
    free(v);
    return SQLITE_OK;
}

static enum span_kind kind_of(const char *module)
{
    for (int i = 0; i < (int)ORMA_ARRAY_LEN(span_names); i++) {
        if (!sqlite3_stricmp(module, span_names[i]))
            return (enum span_kind)i;
    }
    return SPAN_INNER;
}

static int span_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct span_vtab *v = calloc(1, sizeof(*v));
    int r;

    if (!v)
        return SQLITE_NOMEM;
    v->sql = aux;
    v->kind = kind_of(argv[0]);
    if (argc != 3 + SIDES)
        r = set_error(ret_error, "%s: expected two tables, got %d", span_names[v->kind], argc - 3);
    else
        r = describe(v, db, argv + 3, ret_error);
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
static int column_for(const struct span_vtab *v, int side, int col, int op)
{
    const struct source *src = &v->sides[side];

    if (col == 0 && op == OP_SOURCE_GEQ)
        return src->ts;
    if (col == 0)
        return !src->gaps && (op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE)
                   ? src->ts
                   : UNUSED_COLUMN;
    if (col == 1)
        return op == OP_SOURCE_GEQ ? src->dur : UNUSED_COLUMN;
    if (col < v->first_column)
        return op == SQLITE_INDEX_CONSTRAINT_EQ || op == OP_SOURCE_GEQ ? src->part_idx
                                                                       : UNUSED_COLUMN;
    col -= v->first_column;
    /* A row that is taken away leaves a gap, whose NULL is refused when SQLite checks again. */
    return v->columns[col].side == side ? v->columns[col].col : UNUSED_COLUMN;
}

static bool in_order(const struct span_vtab *v, const sqlite3_index_info *info)
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
    struct span_vtab *v = (struct span_vtab *)base;
    struct orma_buf plan = {0};
    double cost = 1e6;
    int args = 0;

    orma_buf_printf(&plan, "%llu;", (unsigned long long)info->colUsed);
    for (int i = 0; i < info->nConstraint && args < CONSTRAINTS_MAX; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        const char *op;

        if (!c->usable || c->iColumn < 0 || !operator_text(c->op, &op))
            continue;
        if (c->op != OP_SOURCE_GEQ && column_for(v, 0, c->iColumn, c->op) == UNUSED_COLUMN &&
            column_for(v, 1, c->iColumn, c->op) == UNUSED_COLUMN)
            continue;
        if (sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY"))
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

/* ---- reading one side ---- */

static int side_fail(struct span_vtab *v)
{
    int code = sqlite3_extended_errcode(v->sql->db);

    if (code == SQLITE_NOMEM || (code & 0xff) == SQLITE_INTERRUPT)
        return code;
    return set_error(&v->base.zErrMsg, "%s", sqlite3_errmsg(v->sql->db));
}

static int64_t add_saturating(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Where a span ends: one that is still open has no length. */
static int64_t piece_end(const struct side *s)
{
    return s->ts != INT64_MIN && s->end == s->ts - 1 ? s->ts : s->end;
}

static int64_t part_of(const struct side *s)
{
    return s->src->part ? sqlite3_column_int64(s->stmt, s->src->part_idx) : 0;
}

static int check_integer(struct span_vtab *v, struct side *s, int col, bool nullable)
{
    int type = sqlite3_column_type(s->stmt, col);

    if (type == SQLITE_INTEGER || (nullable && type == SQLITE_NULL))
        return SQLITE_OK;
    return set_error(&v->base.zErrMsg, "%s: column '%s' of '%s' has a value that is no integer",
                     span_names[v->kind], s->src->columns[col].name, s->src->table);
}

/* The next row of the source whose partition is not NULL. */
static int fetch(struct span_vtab *v, struct side *s)
{
    const struct source *src = s->src;
    int r;

    v->sql->operators++;
    do {
        r = sqlite3_step(s->stmt);
    } while (r == SQLITE_ROW && src->part &&
             sqlite3_column_type(s->stmt, src->part_idx) == SQLITE_NULL);
    v->sql->operators--;
    s->row = r == SQLITE_ROW;
    if (r == SQLITE_DONE)
        return SQLITE_OK;
    if (!s->row)
        return side_fail(v);
    r = check_integer(v, s, src->ts, false);
    if (!r && src->part)
        r = check_integer(v, s, src->part_idx, false);
    if (!r && src->dur != UNUSED_COLUMN)
        r = check_integer(v, s, src->dur, true);
    s->row_ts = sqlite3_column_int64(s->stmt, src->ts);
    s->row_end = s->row_ts;
    if (src->dur != UNUSED_COLUMN)
        s->row_end = add_saturating(s->row_ts, sqlite3_column_int64(s->stmt, src->dur));
    s->row_part = part_of(s);
    return r;
}

static void gap_until_row(struct side *s, int64_t from)
{
    bool here = s->row && s->row_part == s->part_lo;

    s->piece = PIECE_GAP;
    s->ts = from;
    s->end = here ? s->row_ts : INT64_MAX;
}

/* Partitions between the one at hand and that of the next row; empty ones included. */
static void absent_until_row(struct side *s)
{
    s->piece = PIECE_ABSENT;
    s->part_lo = add_saturating(s->part_hi, 1);
    s->part_hi = s->row ? s->row_part - (s->row_part != INT64_MIN) : INT64_MAX;
    s->ts = INT64_MIN;
    s->end = INT64_MAX;
}

/* Whatever piece comes next, wanted or not. */
static int advance(struct span_vtab *v, struct side *s)
{
    int r = SQLITE_OK;

    switch (s->piece) {
    case PIECE_REAL: {
        int64_t from = piece_end(s);

        r = fetch(v, s);
        gap_until_row(s, from);
        break;
    }
    case PIECE_GAP:
        if (s->row && s->row_part == s->part_lo) {
            s->piece = PIECE_REAL;
            s->ts = s->row_ts;
            s->end = s->row_end;
        } else if (!s->src->part || s->part_hi == INT64_MAX) {
            s->piece = PIECE_END;
        } else {
            absent_until_row(s);
        }
        break;
    case PIECE_ABSENT:
        s->piece = PIECE_END;
        if (s->row) {
            s->part_lo = s->part_hi = s->row_part;
            gap_until_row(s, INT64_MIN);
        }
        break;
    case PIECE_END:
        break;
    }
    return r;
}

static bool is_wanted(const struct side *s)
{
    switch (s->piece) {
    case PIECE_GAP:
        return s->src->gaps && s->ts < s->end;
    case PIECE_ABSENT:
        return s->src->absents && s->part_lo <= s->part_hi;
    case PIECE_REAL:
    case PIECE_END:
        break;
    }
    return true;
}

static int side_next(struct span_vtab *v, struct side *s)
{
    int r;

    do {
        r = advance(v, s);
        if (!r && orma_sql_is_interrupted(v->sql))
            r = SQLITE_INTERRUPT;
    } while (!r && !is_wanted(s));
    return r;
}

/* To the first piece. */
static int side_rewind(struct span_vtab *v, struct side *s)
{
    int r;

    (void)sqlite3_reset(s->stmt); /* a failure was reported when it happened */
    r = fetch(v, s);
    if (r)
        return r;
    if (s->src->part) {
        s->part_hi = INT64_MIN; /* everything before the first row is absent */
        absent_until_row(s);
        s->part_lo = INT64_MIN;
        if (s->row && s->row_part == INT64_MIN)
            return side_next(v, s);
    } else {
        s->part_lo = s->part_hi = 0;
        gap_until_row(s, INT64_MIN);
    }
    return is_wanted(s) ? SQLITE_OK : side_next(v, s);
}

/* ---- the query of one side ---- */

static bool is_used(const struct span_vtab *v, int side, int col, sqlite3_uint64 used)
{
    const struct source *src = &v->sides[side];

    if (is_required(src, col))
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

static void put_select(const struct span_vtab *v, int side, struct orma_buf *text,
                       sqlite3_uint64 used)
{
    const struct source *src = &v->sides[side];

    for (int i = 0; i < src->columns_num; i++) {
        orma_buf_put_str(text, i ? ", " : "SELECT ");
        if (is_used(v, side, i, used))
            put_name(text, "%s", src->columns[i].name);
        else
            orma_buf_put_str(text, "NULL");
    }
    put_name(text, " FROM %s", src->table);
}

/* WHERE from the plan; argument i of the scan is ?i+1 of the statement. */
static void put_where(const struct span_vtab *v, int side, struct orma_buf *text, const char *plan,
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
        if (own == UNUSED_COLUMN || !operator_text(op, &sign))
            continue;
        orma_buf_put_str(text, glue);
        put_name(text, "%s", v->sides[side].columns[own].name);
        orma_buf_printf(text, " %s ?%d", sign, i + 1);
        glue = " AND ";
    }
}

static int prepare_side(struct span_vtab *v, struct span_cursor *c, int side, const char *plan,
                        int argc, sqlite3_value **argv)
{
    struct side *s = &c->sides[side];
    struct orma_buf text = {0};
    char *rest;
    sqlite3_uint64 used = strtoull(plan, &rest, 10);
    int r;

    *s = (struct side){.src = &v->sides[side]};
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
        return side_fail(v);
    for (int i = 0; i < argc && i < sqlite3_bind_parameter_count(s->stmt); i++)
        (void)sqlite3_bind_value(s->stmt, i + 1, argv[i]); /* unused numbers are fine */
    return SQLITE_OK;
}

/* ---- the join ---- */

static bool same_part(const struct span_vtab *v, const struct side *a, const struct side *b)
{
    if (!v->part || v->mixed)
        return true;
    return a->part_lo <= b->part_hi && b->part_lo <= a->part_hi;
}

/* Ends are not included, but two real pieces that begin together always meet. */
static bool overlap(const struct span_vtab *v, const struct side *a, const struct side *b)
{
    bool a_real = a->piece == PIECE_REAL, b_real = b->piece == PIECE_REAL;

    if ((!a_real && !b_real) || !same_part(v, a, b))
        return false;
    return (a->ts == b->ts && a_real && b_real) || (a->ts >= b->ts && a->ts < piece_end(b)) ||
           (b->ts >= a->ts && b->ts < piece_end(a));
}

/* Order of giving way: partition, end, shadows before real spans. */
static bool ends_first(const struct span_vtab *v, const struct side *a, const struct side *b)
{
    if (v->part && !v->mixed && a->part_hi != b->part_hi)
        return a->part_hi < b->part_hi;
    if (piece_end(a) != piece_end(b))
        return piece_end(a) < piece_end(b);
    return a->piece != PIECE_REAL && b->piece == PIECE_REAL;
}

/* Mixed: the side without partitions starts over for each one of the other. */
static int follow_partition(struct span_vtab *v, struct span_cursor *c)
{
    struct side *with = &c->sides[v->sides[0].part ? 0 : 1];
    struct side *without = &c->sides[v->sides[0].part ? 1 : 0];

    if (c->mixed_part_known && c->mixed_part == with->part_lo)
        return SQLITE_OK;
    c->mixed_part_known = 1;
    c->mixed_part = with->part_lo;
    return side_rewind(v, without);
}

static int find_row(struct span_vtab *v, struct span_cursor *c)
{
    struct side *a = &c->sides[0], *b = &c->sides[1];
    int r = SQLITE_OK;

    while (!r) {
        const struct side *with = v->sides[0].part ? a : b;

        c->eof =
            v->mixed ? with->piece == PIECE_END : a->piece == PIECE_END || b->piece == PIECE_END;
        if (c->eof)
            break;
        if (v->mixed) {
            r = follow_partition(v, c);
            if (r)
                break;
        }
        if (v->mixed && (a->piece == PIECE_END || b->piece == PIECE_END)) {
            c->next = a->piece == PIECE_END;
        } else {
            c->next = !ends_first(v, a, b);
            if (overlap(v, a, b))
                break;
        }
        r = side_next(v, &c->sides[c->next]);
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
    for (int i = 0; i < SIDES; i++) {
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
    struct span_vtab *v = (struct span_vtab *)base->pVtab;
    int r = SQLITE_OK;

    (void)num;
    if (v->sql->operators >= NESTING_MAX)
        return set_error(&v->base.zErrMsg, "%s: reads from itself, or too many of them nested",
                         span_names[v->kind]);
    finalize_sides(c);
    c->mixed_part_known = 0;
    for (int i = 0; i < SIDES && !r; i++)
        r = prepare_side(v, c, i, plan, argc, argv);
    for (int i = 0; i < SIDES && !r; i++)
        r = side_rewind(v, &c->sides[i]);
    if (!r)
        r = find_row(v, c);
    return r;
}

static int span_next(sqlite3_vtab_cursor *base)
{
    struct span_cursor *c = (struct span_cursor *)base;
    struct span_vtab *v = (struct span_vtab *)base->pVtab;
    int r = side_next(v, &c->sides[c->next]);

    return r ? r : find_row(v, c);
}

static int span_eof(sqlite3_vtab_cursor *base)
{
    return ((const struct span_cursor *)base)->eof;
}

static int64_t part_value(const struct span_vtab *v, const struct span_cursor *c)
{
    const struct side *a = &c->sides[0], *b = &c->sides[1];

    if (v->mixed)
        return v->sides[0].part ? a->part_lo : b->part_lo;
    return a->piece == PIECE_REAL ? a->part_lo : b->part_lo;
}

static int span_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct span_cursor *c = (const struct span_cursor *)base;
    const struct span_vtab *v = (const struct span_vtab *)base->pVtab;
    const struct side *a = &c->sides[0], *b = &c->sides[1];
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
        const struct out_column *o = &v->columns[idx - v->first_column];
        const struct side *s = &c->sides[o->side];

        if (s->piece == PIECE_REAL)
            sqlite3_result_value(ctx, sqlite3_column_value(s->stmt, o->col));
    }
    return SQLITE_OK;
}

static int span_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    const struct span_cursor *c = (const struct span_cursor *)base;

    *ret = ORMA_MAX(c->sides[0].ts, c->sides[1].ts);
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

const struct orma_sql_func orma_sql_funcs_span_join[] = {
    {.name = "source_geq",
     .args = 2,
     .scalar = source_geq_elsewhere,
     .usage = "(column, value) -> BOOL",
     .doc = "In the WHERE of a span join: both inputs are read from `column >= value` on."},
    {0},
};

const struct orma_sql_module orma_sql_modules_span_join[] = {
    {.name = "span_join",
     .module = &span_module,
     .usage = "(t1 [PARTITIONED col], t2 [PARTITIONED col])",
     .doc = "The parts that spans of both tables share, with the columns of both."},
    {.name = "span_left_join",
     .module = &span_module,
     .usage = "(t1 [PARTITIONED col], t2 [PARTITIONED col])",
     .doc = "The same, and what the first table has alone, the columns of the second being NULL."},
    {.name = "span_outer_join",
     .module = &span_module,
     .usage = "(t1 [PARTITIONED col], t2 [PARTITIONED col])",
     .doc = "The same, and what either table has alone."},
    {0},
};
