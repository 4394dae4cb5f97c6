/*
 * Traces that are open, and their tables in the host: which columns each has.
 */
#include "processor/extension/parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "processor/include/orma/processor.h"

#define COLUMNS_MAX 2000 /* of a table: as SQLite's own limit */

const sqlite3_api_routines *sqlite3_api;

/* ---- traces ---- */

void orma_extension_trace_unref(struct orma_extension_trace *t)
{
    if (!t || --t->refs)
        return;
    orma_processor_free(t->tp);
    sqlite3_free(t->schema);
    free(t);
}

struct orma_extension_trace **orma_extension_find_trace(struct orma_extension_registry *r,
                                                        const char *schema)
{
    struct orma_extension_trace **at = &r->traces;

    while (*at && sqlite3_stricmp((*at)->schema, schema))
        at = &(*at)->next;
    return at;
}

/* ---- columns ---- */

int orma_extension_fail_table(struct orma_extension_table *t, const char *text)
{
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("%s", text);
    return SQLITE_ERROR;
}

/* The flag can be asked only since SQLite 3.41; in all versions a statement that runs inside of
 * another fails while it is set. The first one that runs clears it, so that must not be ours: while
 * the host only prepares, it asks by itself. */
int orma_extension_host_stops(void *db)
{
    sqlite3_stmt *stmt = NULL;

    while ((stmt = sqlite3_next_stmt(db, stmt)) && !sqlite3_stmt_busy(stmt))
        ;
    return stmt && sqlite3_exec(db, "SELECT 1", NULL, NULL, NULL) == SQLITE_INTERRUPT;
}

int orma_extension_fail(struct orma_extension_table *t, int error)
{
    if (error == -ENOMEM && !*orma_processor_error(t->trace->tp))
        return SQLITE_NOMEM;
    (void)orma_extension_fail_table(t, orma_processor_error(t->trace->tp));
    return error == -ECANCELED ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

static void table_free(struct orma_extension_table *t)
{
    for (int i = 0; i < t->columns; i++)
        sqlite3_free(t->names[i]);
    free(t->names);
    free(t->numeric);
    sqlite3_free(t->name);
    orma_extension_trace_unref(t->trace);
    free(t);
}

/* The types that tables of traces have. */
static bool is_numeric(const char *type)
{
    return strstr(type, "INT") || strstr(type, "DOUB") || strstr(type, "REAL") ||
           !strcmp(type, "LONG") || !strcmp(type, "BOOL");
}

/* Reads the columns of the table, and writes the declaration of them. */
static int read_columns(struct orma_extension_table *t, sqlite3_str *declaration)
{
    struct orma_query *q;
    int r = orma_query_prepare(t->trace->tp, "SELECT name, type FROM pragma_table_info(?)",
                               ORMA_WHOLE, &q, NULL);

    if (r)
        return orma_extension_fail(t, r);
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
    return r < 0 ? orma_extension_fail(t, r) : SQLITE_OK;
}

int orma_extension_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                           sqlite3_vtab **ret, char **ret_error)
{
    struct orma_extension_registry *registry = data;
    struct orma_extension_trace *trace = *orma_extension_find_trace(registry, argv[1]);
    struct orma_extension_table *t = calloc(1, sizeof(*t));

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
    t->rows = ORMA_EXTENSION_ROWS_GUESS;
    t->name = sqlite3_mprintf("%s", argv[2]);
    sqlite3_str *text = sqlite3_str_new(db);
    sqlite3_str_appendall(text, "CREATE TABLE t(");
    int r = t->name ? read_columns(t, text) : SQLITE_NOMEM;
    if (!r && !t->columns)
        r = orma_extension_fail_table(t, "the trace has no such table");
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

int orma_extension_disconnect(sqlite3_vtab *base)
{
    table_free((struct orma_extension_table *)base);
    return SQLITE_OK;
}
