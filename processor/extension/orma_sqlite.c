/*
 * orma_sqlite.so: traces as tables of any SQLite.
 *
 *     .load orma_sqlite.so
 *     SELECT orma_open('a.pftrace');                tables slice, thread, ... in the schema temp
 *     SELECT orma_open('b.pftrace', 'b');           the same as b.slice, b.thread, ...
 *     SELECT orma_open('b.pftrace', 'b', 'off');    and without the cache
 *     SELECT orma_run('INCLUDE PERFETTO MODULE slices.with_context', 'b');  and what that makes
 *     SELECT orma_close('b');
 *
 * A table of a trace is a virtual table: xBestIndex writes the query that gives its rows (columns
 * that are used, WHERE, ORDER BY, LIMIT), xFilter runs it on the trace's own processor, xColumn
 * hands its cells over. So there is one engine and one meaning of every row; the host joins,
 * groups, and checks again what was pushed down.
 *
 * A plan is such a query with places for values. In the first scan of a cursor the values are
 * written into it, since the processor runs statements without parameters by columns, which is
 * fast for many rows; if scans follow, as they do inside of joins, it is prepared once more with
 * parameters, and then only begun again.
 *
 *   connection ─► registry ─► traces by schema ◄─ tables ◄─ cursors ─► queries
 *
 * The host may take rows of several scans for one by their rowid (WHERE a OR b). A table whose ids
 * are whole numbers and unique has them as rowids; others have row numbers, which differ from scan
 * to scan, so their scans never get cheaper by constraints: then the host has no reason to take
 * several.
 *
 * Threads: those of the connection. All of it belongs to the connection and goes with it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3ext.h>

#include "processor/include/orma/processor.h"

/* The functions of the host, whose SQLite need not be the one that the processor has. */
static const sqlite3_api_routines *sqlite3_api;

#include "processor/sql/base/aux_terms.h"

/* Schemas that are there anyway: traces have no tables in them, but in the first. */
#define SCHEMA_DEFAULT "temp"
#define COLUMNS_MAX 2000 /* of a table: as SQLite's own limit */
/* Before the number of a value in a plan. */
#define PLACE '\1'
/* Around a comparison that holds by the affinity of texts only: LOOSE, number of its value, space,
 * comparison, LOOSE_END. */
#define LOOSE '\2'
#define LOOSE_END '\3'
#define LOOSE_MAX 64
/* Longer texts stay parameters. */
#define LITERAL_MAX 1000
/* The cost of starting a scan, and of a row, in units of the planner. */
#define COST_SCAN 20.0
#define ROWS_GUESS 100000.0

struct trace {
    struct trace *next;
    struct orma_processor *tp;
    char *schema;
    unsigned refs; /* of the registry, and of its tables */
};

struct registry {
    sqlite3 *db;
    struct trace *traces;
    unsigned refs; /* of functions and modules */
    bool aux_safe; /* processor/sql/base/aux_terms.h: of the host */
};

struct table {
    sqlite3_vtab base;
    struct trace *trace;
    char *name;
    int columns;
    char **names;
    bool *numeric;  /* the column compares as numbers */
    bool aux_safe;  /* as of the registry */
    int id;         /* the column `id`; -1: there is none */
    bool looked;    /* the next two are known */
    bool id_unique; /* whole numbers, each once */
    double rows;
};

struct cursor {
    sqlite3_vtab_cursor base;
    char *plan; /* that `query` was made of */
    struct orma_query *query;
    bool literal;     /* `query` has the values of the scan in its text */
    uint64_t numbers; /* which of them look like numbers: bits */
    int *place;       /* of each column of the table in the query; -1: not there */
    int id_place;
    unsigned cells_num;
    struct orma_cell *cells; /* of the row */
    int64_t row;
    bool eof;
};

/* ---- traces ---- */

static void trace_unref(struct trace *t)
{
    if (!t || --t->refs)
        return;
    orma_processor_free(t->tp);
    sqlite3_free(t->schema);
    free(t);
}

static struct trace **find_trace(struct registry *r, const char *schema)
{
    struct trace **at = &r->traces;

    while (*at && sqlite3_stricmp((*at)->schema, schema))
        at = &(*at)->next;
    return at;
}

static void registry_unref(void *data)
{
    struct registry *r = data;

    if (--r->refs)
        return;
    while (r->traces) {
        struct trace *t = r->traces;

        r->traces = t->next;
        trace_unref(t);
    }
    free(r);
}

/* ---- tables: what columns they have ---- */

static int fail_table(struct table *t, const char *text)
{
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("%s", text);
    return SQLITE_ERROR;
}

static int fail_trace(struct table *t, int error)
{
    if (error == -ENOMEM && !*orma_processor_error(t->trace->tp))
        return SQLITE_NOMEM;
    (void)fail_table(t, orma_processor_error(t->trace->tp));
    return error == -ECANCELED ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

static void table_free(struct table *t)
{
    for (int i = 0; i < t->columns; i++)
        sqlite3_free(t->names[i]);
    free(t->names);
    free(t->numeric);
    sqlite3_free(t->name);
    trace_unref(t->trace);
    free(t);
}

/* The types that tables of traces have. */
static bool is_numeric(const char *type)
{
    return strstr(type, "INT") || strstr(type, "DOUB") || strstr(type, "REAL") ||
           !strcmp(type, "LONG") || !strcmp(type, "BOOL");
}

/* Reads the columns of the table, and writes the declaration of them. */
static int read_columns(struct table *t, sqlite3_str *declaration)
{
    struct orma_query *q;
    int r = orma_query_prepare(t->trace->tp, "SELECT name, type FROM pragma_table_info(?)",
                               ORMA_WHOLE, &q, NULL);

    if (r)
        return fail_trace(t, r);
    r = orma_query_bind_text(q, 1, t->name, ORMA_WHOLE);
    while (!r && (r = orma_query_step(q)) == 1 && t->columns < COLUMNS_MAX) {
        const char *name = orma_query_text(q, 0), *type = orma_query_text(q, 1);
        char **names = realloc(t->names, (size_t)(t->columns + 1) * sizeof(*names));
        bool *numeric = realloc(t->numeric, (size_t)(t->columns + 1) * sizeof(*numeric));

        if (numeric)
            t->numeric = numeric;
        r = names && numeric ? 0 : -ENOMEM;
        if (names)
            t->names = names;
        if (!r) {
            numeric[t->columns] = is_numeric(type);
            names[t->columns] = sqlite3_mprintf("%s", name);
            r = names[t->columns] ? 0 : -ENOMEM;
        }
        if (!r) {
            if (!strcmp(name, "id"))
                t->id = t->columns;
            sqlite3_str_appendf(declaration, "%s\"%w\" %s", t->columns++ ? ", " : "", name,
                                strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(type) ? type
                                                                                           : "");
        }
    }
    orma_query_free(q);
    return r < 0 ? fail_trace(t, r) : SQLITE_OK;
}

static int table_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                         sqlite3_vtab **ret, char **ret_error)
{
    struct registry *registry = data;
    struct trace *trace = *find_trace(registry, argv[1]);
    struct table *t = calloc(1, sizeof(*t));

    (void)argc; /* names of module, schema and table are always there */
    if (!trace || !t) {
        free(t);
        *ret_error = trace
                         ? NULL
                         : sqlite3_mprintf("no trace is open as '%s': SELECT orma_open(PATH, '%s')",
                                           argv[1], argv[1]);
        return trace ? SQLITE_NOMEM : SQLITE_ERROR;
    }
    t->trace = trace;
    trace->refs++;
    t->aux_safe = registry->aux_safe;
    t->id = -1;
    t->rows = ROWS_GUESS;
    t->name = sqlite3_mprintf("%s", argv[2]);
    sqlite3_str *text = sqlite3_str_new(db);
    sqlite3_str_appendall(text, "CREATE TABLE t(");
    int r = t->name ? read_columns(t, text) : SQLITE_NOMEM;
    if (!r && !t->columns)
        r = fail_table(t, "the trace has no such table");
    sqlite3_str_appendall(text, ")");
    char *declaration = sqlite3_str_finish(text);
    if (!r)
        r = declaration ? sqlite3_declare_vtab(db, declaration) : SQLITE_NOMEM;
    sqlite3_free(declaration);
    if (r) {
        *ret_error = t->base.zErrMsg;
        table_free(t);
        return r;
    }
    *ret = &t->base;
    return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *base)
{
    table_free((struct table *)base);
    return SQLITE_OK;
}

/* The number that a query of the table gives; -1: none. If one fails, so will the scan. */
static int64_t ask(const struct table *t, const char *form)
{
    struct orma_query *q = NULL;
    char *sql = sqlite3_mprintf(form, t->name);
    int64_t val = -1;

    if (sql && !orma_query_prepare(t->trace->tp, sql, ORMA_WHOLE, &q, NULL) &&
        orma_query_step(q) == 1)
        val = orma_query_int64(q, 0);
    orma_query_free(q);
    sqlite3_free(sql);
    return val;
}

/* How many rows there are, and whether ids are as they should be: asked once, when it matters. */
static void look(struct table *t)
{
    if (t->looked)
        return;
    t->looked = true;
    int64_t rows = ask(t, "SELECT count(*) FROM \"%w\"");
    if (rows >= 0)
        t->rows = (double)rows;
    t->id_unique = t->id >= 0 &&
                   ask(t, "SELECT count(*) FROM (SELECT id FROM \"%w\" GROUP BY id)") == rows &&
                   ask(t, "SELECT count(*) FROM \"%w\" WHERE typeof(id) != 'integer'") == 0;
}

/* ---- plans ---- */

/* What follows the name of the column; %d is the parameter. NULL: not pushed down. */
static const char *operator_of(int op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return "=";
    case SQLITE_INDEX_CONSTRAINT_GT:
        return ">";
    case SQLITE_INDEX_CONSTRAINT_LE:
        return "<=";
    case SQLITE_INDEX_CONSTRAINT_LT:
        return "<";
    case SQLITE_INDEX_CONSTRAINT_GE:
        return ">=";
    case SQLITE_INDEX_CONSTRAINT_NE:
        return "!=";
    case SQLITE_INDEX_CONSTRAINT_IS:
        return "IS";
    case SQLITE_INDEX_CONSTRAINT_ISNOT:
        return "IS NOT";
    case SQLITE_INDEX_CONSTRAINT_GLOB:
        return "GLOB";
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return "LIKE";
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
        return "IS NULL";
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return "IS NOT NULL";
    }
    return NULL;
}

static bool takes_value(int op)
{
    return op != SQLITE_INDEX_CONSTRAINT_ISNULL && op != SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
}

static bool is_limit(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

/* The share of rows that is left. */
static double share_of(const struct table *t, const struct sqlite3_index_constraint *c)
{
    switch (c->op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
        return c->iColumn == t->id && t->id_unique ? 1 / (t->rows + 1) : 0.02;
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_ISNOT:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return 0.9;
    }
    return 0.25;
}

/* Where in the query each column stands: those that are used, and the id where it is the rowid. */
static bool is_used(const struct table *t, const sqlite3_index_info *info, int col)
{
    const sqlite3_uint64 bit = (sqlite3_uint64)1 << (col < 63 ? col : 63);

    return info->colUsed & bit || (t->id_unique && col == t->id);
}

static void put_columns(const struct table *t, const sqlite3_index_info *info, sqlite3_str *plan)
{
    const char *between = "";

    for (int i = 0; i < t->columns; i++) {
        if (is_used(t, info, i)) {
            sqlite3_str_appendf(plan, "%s%d", between, i);
            between = ",";
        }
    }
    sqlite3_str_appendall(plan, ";SELECT ");
    if (!*between)
        sqlite3_str_appendall(plan, "1");
    between = "";
    for (int i = 0; i < t->columns; i++) {
        if (is_used(t, info, i)) {
            sqlite3_str_appendf(plan, "%s\"%w\"", between, t->names[i]);
            between = ", ";
        }
    }
    sqlite3_str_appendf(plan, " FROM \"%w\"", t->name);
}

/*
 * Whether a comparison means the same there and in the host: numbers are compared as such, texts
 * with what is known to be a text, patterns as a whole. Of equality with anything else the value
 * decides, in write_query(): *ret_loose.
 */
static bool means_the_same(const struct table *t, sqlite3_index_info *info, int i, int args,
                           bool *ret_loose)
{
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    sqlite3_value *val = NULL;

    *ret_loose = false;
    if (orma_aux_is_auxiliary(c->op) && !t->aux_safe)
        return false;
    if (t->numeric[c->iColumn] || !takes_value(c->op) || c->op == SQLITE_INDEX_CONSTRAINT_LIKE ||
        c->op == SQLITE_INDEX_CONSTRAINT_GLOB)
        return true;
    if (!sqlite3_vtab_rhs_value(info, i, &val) && val && sqlite3_value_type(val) == SQLITE_TEXT)
        return true;
    *ret_loose = true;
    return (c->op == SQLITE_INDEX_CONSTRAINT_EQ || c->op == SQLITE_INDEX_CONSTRAINT_IS) &&
           args < LOOSE_MAX;
}

/* False: not all constraints are in the query, so a limit must not be. */
static bool put_where(const struct table *t, sqlite3_index_info *info, sqlite3_str *plan, int *args,
                      double *share)
{
    const char *before = " WHERE ";
    bool all = true;

    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        const char *op = operator_of(c->op);

        if (is_limit(c->op))
            continue;
        bool loose;

        if (!c->usable || !op || c->iColumn < 0 ||
            strcmp(sqlite3_vtab_collation(info, i), "BINARY") ||
            !means_the_same(t, info, i, *args, &loose)) {
            all = false;
            continue;
        }
        /* These can mean something else in the host, which checks them again: it may need more
         * rows. */
        all = all && !loose && c->op != SQLITE_INDEX_CONSTRAINT_LIKE &&
              c->op != SQLITE_INDEX_CONSTRAINT_GLOB;
        sqlite3_str_appendall(plan, before);
        if (loose)
            sqlite3_str_appendf(plan, "%c%d ", LOOSE, *args + 1);
        sqlite3_str_appendf(plan, "\"%w\" %s", t->names[c->iColumn], op);
        before = " AND ";
        /* Each has its argument, needed or not: only then SQLite keeps to what the term depends on.
         */
        sqlite3_str_appendf(plan, takes_value(c->op) ? " %c%d" : " AND (1 OR %c%d)", PLACE,
                            ++*args);
        info->aConstraintUsage[i].argvIndex = *args;
        info->aConstraintUsage[i].omit = c->op == SQLITE_INDEX_CONSTRAINT_EQ && !loose;
        if (loose)
            sqlite3_str_appendchar(plan, 1, LOOSE_END);
        *share *= share_of(t, c);
    }
    return all;
}

static void put_order(const struct table *t, sqlite3_index_info *info, sqlite3_str *plan)
{
    for (int i = 0; i < info->nOrderBy; i++) {
        if (info->aOrderBy[i].iColumn < 0)
            return;
    }
    for (int i = 0; i < info->nOrderBy; i++)
        sqlite3_str_appendf(plan, "%s\"%w\"%s", i ? ", " : " ORDER BY ",
                            t->names[info->aOrderBy[i].iColumn],
                            info->aOrderBy[i].desc ? " DESC" : "");
    info->orderByConsumed = info->nOrderBy > 0;
}

/* The host skips OFFSET rows itself unless it is told not to: so the limit is pushed with the
 * offset, or not at all. Without an order the host stops early enough. */
static void put_limit(sqlite3_index_info *info, sqlite3_str *plan, int *args)
{
    int limit = -1, offset = -1;

    for (int i = 0; i < info->nConstraint; i++) {
        if (!is_limit(info->aConstraint[i].op))
            continue;
        if (!info->aConstraint[i].usable)
            return;
        *(info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT ? &limit : &offset) = i;
    }
    if (limit < 0 || (!info->nOrderBy && offset < 0))
        return;
    sqlite3_str_appendf(plan, " LIMIT %c%d", PLACE, ++*args);
    info->aConstraintUsage[limit].argvIndex = *args;
    info->aConstraintUsage[limit].omit = 1;
    if (offset < 0)
        return;
    sqlite3_str_appendf(plan, " OFFSET %c%d", PLACE, ++*args);
    info->aConstraintUsage[offset].argvIndex = *args;
    info->aConstraintUsage[offset].omit = 1;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct table *t = (struct table *)base;
    double share = 1;
    int args = 0;

    for (int i = 0; i < info->nConstraint; i++) {
        if (!is_limit(info->aConstraint[i].op))
            look(t);
    }
    sqlite3_str *plan = sqlite3_str_new(NULL);
    put_columns(t, info, plan);
    bool all = put_where(t, info, plan, &args, &share);
    put_order(t, info, plan);
    if (all && (!info->nOrderBy || info->orderByConsumed))
        put_limit(info, plan, &args);
    for (int i = 0; i < info->nConstraint; i++) {
        const int op = info->aConstraint[i].op;

        if (!info->aConstraint[i].usable || is_limit(op))
            continue;
        if (op == SQLITE_INDEX_CONSTRAINT_EQ && info->aConstraintUsage[i].argvIndex) {
            if (t->id_unique && info->aConstraint[i].iColumn == t->id)
                info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
        }
    }
    info->estimatedRows = (sqlite3_int64)(t->rows * share) + 1;
    info->estimatedCost = COST_SCAN + (t->id_unique ? t->rows * share : t->rows);
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- scans ---- */

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct table *t = (struct table *)base;
    struct cursor *c = calloc(1, sizeof(*c));

    if (c) {
        c->place = calloc((size_t)t->columns, sizeof(*c->place));
        c->cells = calloc((size_t)t->columns, sizeof(*c->cells));
    }
    if (!c || !c->place || !c->cells) {
        if (c) {
            free(c->place);
            free(c->cells);
        }
        free(c);
        return SQLITE_NOMEM;
    }
    *ret = &c->base;
    return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;

    orma_query_free(c->query);
    sqlite3_free(c->plan);
    free(c->place);
    free(c->cells);
    free(c);
    return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;
    int r = orma_query_step(c->query);

    c->eof = r != 1;
    c->row++;
    if (r == 1)
        orma_query_cells(c->query, c->cells_num, c->cells);
    return r < 0 ? fail_trace((struct table *)base->pVtab, r) : SQLITE_OK;
}

/* Whether a value can be written into SQL as it is. The digits of the least number, without the
 * minus, are no whole number. */
static bool is_literal(sqlite3_value *value)
{
    const char *text;

    if (sqlite3_value_type(value) == SQLITE_NULL)
        return true;
    if (sqlite3_value_type(value) == SQLITE_INTEGER)
        return sqlite3_value_int64(value) != INT64_MIN;
    return sqlite3_value_type(value) == SQLITE_TEXT &&
           (text = (const char *)sqlite3_value_text(value)) &&
           sqlite3_value_bytes(value) <= LITERAL_MAX &&
           strlen(text) == (size_t)sqlite3_value_bytes(value);
}

static bool are_literals(int argc, sqlite3_value **argv)
{
    while (argc && is_literal(argv[argc - 1]))
        argc--;
    return !argc;
}

/* Which values are numbers, or texts that look like one: bits. A text may be equal to them that is
 * another text. */
static uint64_t look_like_numbers(int argc, sqlite3_value **argv)
{
    uint64_t bits = 0;

    for (int i = 0; i < argc && i < LOOSE_MAX; i++) {
        int type = sqlite3_value_type(argv[i]);
        const char *text = type == SQLITE_TEXT ? (const char *)sqlite3_value_text(argv[i]) : "";
        bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT ||
                      (text && *text && strchr("0123456789+-. \t\n\v\f\r", *text));

        bits |= (uint64_t)number << i;
    }
    return bits;
}

/* The query of a plan: with values or, where `argv` is NULL, with parameters. Of `numbers` no text
 * is asked for equality: the host does that. */
static char *write_query(const char *plan, int argc, sqlite3_value **argv, uint64_t numbers)
{
    static const char marks[] = {PLACE, LOOSE, LOOSE_END, 0};
    sqlite3_str *sql = sqlite3_str_new(NULL);

    while (*plan) {
        const char *end = plan + strcspn(plan, marks);

        sqlite3_str_append(sql, plan, (int)(end - plan));
        if (!*end)
            break;
        if (*end == LOOSE_END) {
            plan = end + 1;
            continue;
        }
        if (*end == LOOSE) {
            long which = strtol(end + 1, (char **)(uintptr_t)&plan, 10);

            if (numbers >> (which - 1) & 1) {
                sqlite3_str_appendf(sql, " (1 OR ?%ld)", which);
                plan = strchrnul(plan, LOOSE_END);
            }
            continue;
        }
        long at = strtol(end + 1, (char **)(uintptr_t)&plan, 10);
        if (!argv || at < 1 || at > argc)
            sqlite3_str_appendf(sql, "?%ld", at);
        else if (sqlite3_value_type(argv[at - 1]) == SQLITE_NULL)
            sqlite3_str_appendall(sql, "NULL");
        else if (sqlite3_value_type(argv[at - 1]) == SQLITE_INTEGER)
            sqlite3_str_appendf(sql, "%lld", sqlite3_value_int64(argv[at - 1]));
        else
            sqlite3_str_appendf(sql, "%Q", sqlite3_value_text(argv[at - 1]));
    }
    return sqlite3_str_finish(sql);
}

/* Where the columns are, which stand in front of the query; the rest of the plan. */
static const char *read_places(struct cursor *c, const struct table *t, const char *plan)
{
    c->cells_num = 0;
    for (int i = 0; i < t->columns; i++)
        c->place[i] = -1;
    while (*plan && *plan != ';') {
        char *end;
        long col = strtol(plan, &end, 10);

        c->place[col] = (int)c->cells_num++;
        plan = end + (*end == ',');
    }
    c->id_place = t->id_unique ? c->place[t->id] : -1;
    return plan + 1;
}

/* Makes the query of a plan; one with parameters that was made before only begins again. */
static int set_plan(struct cursor *c, struct table *t, const char *plan, int argc,
                    sqlite3_value **argv)
{
    const uint64_t numbers = strchr(plan, LOOSE) ? look_like_numbers(argc, argv) : 0;
    bool again = c->plan && !strcmp(c->plan, plan) && c->numbers == numbers;
    int r;

    if (again && (!c->literal || !argc))
        return orma_query_reset(c->query);
    orma_query_free(c->query);
    c->query = NULL;
    if (!again) {
        sqlite3_free(c->plan);
        c->plan = sqlite3_mprintf("%s", plan);
        if (!c->plan)
            return -ENOMEM;
    }
    c->numbers = numbers;
    c->literal = !again && !numbers && are_literals(argc, argv);
    char *sql = write_query(read_places(c, t, plan), argc, c->literal ? argv : NULL, numbers);
    r = sql ? orma_query_prepare(t->trace->tp, sql, ORMA_WHOLE, &c->query, NULL) : -ENOMEM;
    sqlite3_free(sql);
    if (r) {
        sqlite3_free(c->plan);
        c->plan = NULL;
    }
    return r > 0 ? -EINVAL : r;
}

static int bind(struct orma_query *q, unsigned param, sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return orma_query_bind_int64(q, param, sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return orma_query_bind_double(q, param, sqlite3_value_double(value));
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_value_text(value);

        return text ? orma_query_bind_text(q, param, text, (size_t)sqlite3_value_bytes(value))
                    : -ENOMEM;
    }
    case SQLITE_BLOB:
        return orma_query_bind_blob(q, param, sqlite3_value_blob(value),
                                    (size_t)sqlite3_value_bytes(value));
    }
    return orma_query_bind_null(q, param);
}

static int cursor_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                         sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;
    struct table *t = (struct table *)base->pVtab;
    int r = set_plan(c, t, plan, argc, argv);

    (void)num;
    for (int i = 0; !r && !c->literal && i < argc; i++)
        r = bind(c->query, (unsigned)i + 1, argv[i]);
    c->row = -1;
    return r ? fail_trace(t, r) : cursor_next(base);
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    return ((struct cursor *)base)->eof;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int col)
{
    const struct cursor *c = (const struct cursor *)base;

    if (c->place[col] < 0)
        return SQLITE_OK; /* NULL: nobody looks at it */
    const struct orma_cell *cell = &c->cells[c->place[col]];
    /* The trace outlives its tables, and these the statements that look at them. */
    sqlite3_destructor_type copy = cell->stays ? SQLITE_STATIC : SQLITE_TRANSIENT;

    switch (cell->type) {
    case ORMA_VALUE_NULL:
        break;
    case ORMA_VALUE_INT64:
        sqlite3_result_int64(ctx, cell->whole);
        break;
    case ORMA_VALUE_DOUBLE:
        sqlite3_result_double(ctx, cell->real);
        break;
    case ORMA_VALUE_TEXT:
        if (!cell->data)
            return SQLITE_NOMEM;
        /* What is known to be terminated is not copied by who asks for it. */
        if (strlen(cell->data) == cell->bytes)
            sqlite3_result_text(ctx, cell->data, -1, copy);
        else
            sqlite3_result_text64(ctx, cell->data, cell->bytes, copy, SQLITE_UTF8);
        break;
    case ORMA_VALUE_BLOB:
        if (cell->bytes)
            sqlite3_result_blob64(ctx, cell->data, cell->bytes, copy);
        else
            sqlite3_result_zeroblob(ctx, 0);
        break;
    }
    return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    const struct cursor *c = (const struct cursor *)base;

    *ret = c->id_place >= 0 ? c->cells[c->id_place].whole : c->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xCreate = table_connect,
    .xConnect = table_connect,
    .xBestIndex = table_best_index,
    .xDisconnect = table_disconnect,
    .xDestroy = table_disconnect,
    .xOpen = cursor_open,
    .xClose = cursor_close,
    .xFilter = cursor_filter,
    .xNext = cursor_next,
    .xEof = cursor_eof,
    .xColumn = cursor_column,
    .xRowid = cursor_rowid,
};

/* ---- functions ---- */

/* Runs SQL of the host; its error is that of the function. */
static int run_host(sqlite3_context *ctx, char *sql)
{
    char *error = NULL;
    int r =
        sql ? sqlite3_exec(sqlite3_context_db_handle(ctx), sql, NULL, NULL, &error) : SQLITE_NOMEM;

    if (r)
        sqlite3_result_error(ctx, error ? error : "out of memory", -1);
    sqlite3_free(error);
    sqlite3_free(sql);
    return r;
}

static bool host_has(sqlite3 *db, const char *schema, const char *table)
{
    return sqlite3_table_column_metadata(db, schema, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

/* Makes tables of the host for all of the trace that it does not have yet. The number, -1: failed.
 */
static int add_tables(sqlite3_context *ctx, struct trace *t)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    struct orma_query *q;
    int num = 0;
    int r = orma_query_prepare(t->tp,
                               "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND "
                               "name NOT GLOB 'sqlite_*' ORDER BY name",
                               ORMA_WHOLE, &q, NULL);

    while (!r && (r = orma_query_step(q)) == 1) {
        const char *name = orma_query_text(q, 0);

        r = 0;
        if (host_has(db, t->schema, name))
            continue;
        if (run_host(ctx, sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\".\"%w\" USING orma",
                                          t->schema, name))) {
            orma_query_free(q);
            return -1;
        }
        num++;
    }
    if (r < 0)
        sqlite3_result_error(ctx, orma_processor_error(t->tp), -1);
    orma_query_free(q);
    return r < 0 ? -1 : num;
}

/* Drops what add_tables() made. */
static int drop_tables(sqlite3_context *ctx, const struct trace *t)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    sqlite3_stmt *list = NULL;
    char *sql = sqlite3_mprintf(
        "SELECT name FROM \"%w\".sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE %% USING orma'",
        t->schema);
    char *drops = NULL;
    int r = sql ? sqlite3_prepare_v2(db, sql, -1, &list, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    while (!r && sqlite3_step(list) == SQLITE_ROW) {
        char *more = sqlite3_mprintf("%z DROP TABLE \"%w\".\"%w\";", drops, t->schema,
                                     sqlite3_column_text(list, 0));

        drops = more;
        r = more ? SQLITE_OK : SQLITE_NOMEM;
    }
    (void)sqlite3_finalize(list);
    if (r)
        sqlite3_result_error_code(ctx, r);
    if (r || !drops) {
        sqlite3_free(drops);
        return r;
    }
    return run_host(ctx, drops);
}

static bool is_default(const char *schema)
{
    return !sqlite3_stricmp(schema, SCHEMA_DEFAULT);
}

static const char *text_of(int argc, sqlite3_value **argv, int at)
{
    return at < argc ? (const char *)sqlite3_value_text(argv[at]) : NULL;
}

static void close_trace(sqlite3_context *ctx, struct registry *registry, struct trace **at)
{
    struct trace *t = *at;

    if (drop_tables(ctx, t))
        return; /* they are in use */
    if (!is_default(t->schema) && run_host(ctx, sqlite3_mprintf("DETACH \"%w\"", t->schema)))
        return;
    at = find_trace(registry, t->schema);
    *at = t->next;
    trace_unref(t);
}

static int load(sqlite3_context *ctx, struct trace *t, const char *path, const char *cache)
{
    const struct orma_processor_config config = {.size = sizeof(config)};
    int r = orma_processor_new(&config, &t->tp);

    if (!r)
        r = orma_processor_use_cache(t->tp, cache);
    if (!r)
        r = orma_processor_load_file(t->tp, path, NULL, NULL);
    if (!r)
        return 0;
    char *text =
        sqlite3_mprintf("%s: %s", path, t->tp ? orma_processor_error(t->tp) : strerror(-r));
    sqlite3_result_error(ctx, text ? text : "out of memory", -1);
    sqlite3_free(text);
    return r;
}

/* orma_open(PATH [, SCHEMA [, CACHE]]): the number of tables. */
static void open_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct registry *registry = sqlite3_user_data(ctx);
    const char *path = text_of(argc, argv, 0), *schema = text_of(argc, argv, 1);
    struct trace **at;

    if (!schema)
        schema = SCHEMA_DEFAULT;
    at = find_trace(registry, schema);
    if (!path || *at) {
        sqlite3_result_error(ctx,
                             path ? "a trace is already open under this name: orma_close() it "
                                    "first, or choose another name"
                                  : "orma_open needs a path",
                             -1);
        return;
    }
    struct trace *t = calloc(1, sizeof(*t));
    if (t)
        t->schema = sqlite3_mprintf("%s", schema);
    if (!t || !t->schema) {
        free(t);
        sqlite3_result_error_nomem(ctx);
        return;
    }
    t->refs = 1;
    if (load(ctx, t, path, text_of(argc, argv, 2)) ||
        (!is_default(schema) &&
         run_host(ctx, sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"", schema)))) {
        trace_unref(t);
        return;
    }
    t->next = NULL;
    *find_trace(registry, schema) = t; /* its end */
    int num = add_tables(ctx, t);
    if (num < 0)
        close_trace(ctx, registry, find_trace(registry, t->schema)); /* the first error stays */
    else
        sqlite3_result_int(ctx, num);
}

static struct trace **trace_argument(sqlite3_context *ctx, const char *schema)
{
    struct trace **at = find_trace(sqlite3_user_data(ctx), schema ? schema : SCHEMA_DEFAULT);

    if (*at)
        return at;
    sqlite3_result_error(ctx, "no trace is open under this name", -1);
    return NULL;
}

/* orma_close([SCHEMA]) */
static void close_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct trace **at = trace_argument(ctx, text_of(argc, argv, 0));

    if (at)
        close_trace(ctx, sqlite3_user_data(ctx), at);
}

/* orma_run(SQL [, SCHEMA]): statements of PerfettoSQL; the number of tables that are new. */
static void run_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const char *sql = text_of(argc, argv, 0);
    struct trace **at = trace_argument(ctx, text_of(argc, argv, 1));
    struct orma_script_run *script = NULL;
    struct orma_query *q;

    if (!at)
        return;
    struct trace *t = *at;
    int r = orma_script_open(t->tp, sql ? sql : "", ORMA_WHOLE, NULL, &script);
    while (!r && (r = orma_script_step(script, &q)) == 1) {
        while ((r = orma_query_step(q)) == 1)
            ;
        orma_query_free(q);
    }
    orma_script_close(script);
    if (r < 0) {
        sqlite3_result_error(ctx, orma_processor_error(t->tp), -1);
        return;
    }
    int num = add_tables(ctx, t);
    if (num >= 0)
        sqlite3_result_int(ctx, num);
}

__attribute__((visibility("default"))) int sqlite3_ormasqlite_init(sqlite3 *db, char **ret_error,
                                                                   const sqlite3_api_routines *api);

int sqlite3_ormasqlite_init(sqlite3 *db, char **ret_error, const sqlite3_api_routines *api)
{
    static const struct {
        const char *name;
        int argc;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"orma_open", 1, open_function},   {"orma_open", 2, open_function},
        {"orma_open", 3, open_function},   {"orma_close", 0, close_function},
        {"orma_close", 1, close_function}, {"orma_run", 1, run_function},
        {"orma_run", 2, run_function},
    };
    SQLITE_EXTENSION_INIT2(api);
    if (sqlite3_libversion_number() < 3038000) { /* LIMIT in xBestIndex */
        *ret_error = sqlite3_mprintf("orma needs SQLite 3.38 or newer, and this is %s",
                                     sqlite3_libversion());
        return SQLITE_ERROR;
    }
    struct registry *registry = calloc(1, sizeof(*registry));
    if (!registry)
        return SQLITE_NOMEM;
    registry->db = db;
    registry->refs = 1;
    registry->aux_safe = orma_aux_terms_are_safe(NULL);
    int r = sqlite3_create_module_v2(db, "orma", &module, registry, registry_unref);
    for (size_t i = 0; !r && i < sizeof(functions) / sizeof(functions[0]); i++) {
        registry->refs++; /* given back also when it fails */
        /* Not from views and triggers of a database that somebody sent: files would be opened. */
        r = sqlite3_create_function_v2(db, functions[i].name, functions[i].argc,
                                       SQLITE_UTF8 | SQLITE_DIRECTONLY, registry, functions[i].run,
                                       NULL, NULL, registry_unref);
    }
    return r;
}
