/*
 * Scans: the query of a plan, with its values, and the cells of its rows.
 */
#include "processor/extension/parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "processor/include/orma/processor.h"

/* Longer texts stay parameters. */
#define LITERAL_MAX 1000

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

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct orma_extension_table *t = (struct orma_extension_table *)base;
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
    return r < 0 ? orma_extension_fail((struct orma_extension_table *)base->pVtab, r) : SQLITE_OK;
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

    for (int i = 0; i < argc && i < ORMA_EXTENSION_LOOSE_MAX; i++) {
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
    static const char marks[] = {ORMA_EXTENSION_PLACE, ORMA_EXTENSION_LOOSE,
                                 ORMA_EXTENSION_LOOSE_END, 0};
    sqlite3_str *sql = sqlite3_str_new(NULL);

    while (*plan) {
        const char *end = plan + strcspn(plan, marks);

        sqlite3_str_append(sql, plan, (int)(end - plan));
        if (!*end)
            break;
        if (*end == ORMA_EXTENSION_LOOSE_END) {
            plan = end + 1;
            continue;
        }
        if (*end == ORMA_EXTENSION_LOOSE) {
            long which = strtol(end + 1, (char **)(uintptr_t)&plan, 10);

            if (numbers >> (which - 1) & 1) {
                sqlite3_str_appendf(sql, " (1 OR ?%ld)", which);
                plan = strchrnul(plan, ORMA_EXTENSION_LOOSE_END);
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
static const char *read_places(struct cursor *c, const struct orma_extension_table *t,
                               const char *plan)
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
static int set_plan(struct cursor *c, struct orma_extension_table *t, const char *plan, int argc,
                    sqlite3_value **argv)
{
    const uint64_t numbers = strchr(plan, ORMA_EXTENSION_LOOSE) ? look_like_numbers(argc, argv) : 0;
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
    struct orma_extension_table *t = (struct orma_extension_table *)base->pVtab;
    int r = set_plan(c, t, plan, argc, argv);

    (void)num;
    for (int i = 0; !r && !c->literal && i < argc; i++)
        r = bind(c->query, (unsigned)i + 1, argv[i]);
    c->row = -1;
    return r ? orma_extension_fail(t, r) : cursor_next(base);
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

const sqlite3_module orma_extension_module = {
    .xCreate = orma_extension_connect,
    .xConnect = orma_extension_connect,
    .xBestIndex = orma_extension_best_index,
    .xDisconnect = orma_extension_disconnect,
    .xDestroy = orma_extension_disconnect,
    .xOpen = cursor_open,
    .xClose = cursor_close,
    .xFilter = cursor_filter,
    .xNext = cursor_next,
    .xEof = cursor_eof,
    .xColumn = cursor_column,
    .xRowid = cursor_rowid,
};
