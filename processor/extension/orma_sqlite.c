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
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "processor/extension/parts.h"
#include "processor/include/orma/processor.h"
#include "processor/sql/base/aux_terms.h"

/* Schemas that are there anyway: traces have no tables in them, but in the first. */
#define SCHEMA_DEFAULT "temp"

/* ---- traces ---- */

static void registry_unref(void *data)
{
    struct orma_extension_registry *r = data;

    if (--r->refs)
        return;
    while (r->traces) {
        struct orma_extension_trace *t = r->traces;

        r->traces = t->next;
        orma_extension_trace_unref(t);
    }
    free(r);
}

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

/* With the text of a trace's error, and its meaning. */
static void fail_function(sqlite3_context *ctx, int error, const char *text)
{
    sqlite3_result_error(ctx, text, -1);
    if (error == -ECANCELED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
}

static bool host_has(sqlite3 *db, const char *schema, const char *table)
{
    return sqlite3_table_column_metadata(db, schema, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

/* Makes tables of the host for all of the trace that it does not have yet. The number, -1: failed.
 */
static int add_tables(sqlite3_context *ctx, struct orma_extension_trace *t)
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
static int drop_tables(sqlite3_context *ctx, const struct orma_extension_trace *t)
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

static void close_trace(sqlite3_context *ctx, struct orma_extension_registry *registry,
                        struct orma_extension_trace **at)
{
    struct orma_extension_trace *t = *at;

    if (drop_tables(ctx, t))
        return; /* they are in use */
    if (!is_default(t->schema) && run_host(ctx, sqlite3_mprintf("DETACH \"%w\"", t->schema)))
        return;
    at = orma_extension_find_trace(registry, t->schema);
    *at = t->next;
    orma_extension_trace_unref(t);
}

static int should_end_load(void *db, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    return orma_extension_host_stops(db);
}

static int load(sqlite3_context *ctx, struct orma_extension_trace *t, const char *path,
                const char *cache)
{
    const struct orma_processor_config config = {.size = sizeof(config)};
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    int r = orma_processor_new(&config, &t->tp);

    if (!r)
        r = orma_processor_use_cache(t->tp, cache);
    if (!r)
        r = orma_processor_load_file(t->tp, path, should_end_load, db);
    if (!r) {
        orma_processor_ask_to_stop(t->tp, orma_extension_host_stops, db);
        return 0;
    }
    char *text =
        sqlite3_mprintf("%s: %s", path, t->tp ? orma_processor_error(t->tp) : strerror(-r));
    fail_function(ctx, r, text ? text : "out of memory");
    sqlite3_free(text);
    return r;
}

/* orma_open(PATH [, SCHEMA [, CACHE]]): the number of tables. */
static void open_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_extension_registry *registry = sqlite3_user_data(ctx);
    const char *path = text_of(argc, argv, 0), *schema = text_of(argc, argv, 1);
    struct orma_extension_trace **at;

    if (!schema)
        schema = SCHEMA_DEFAULT;
    at = orma_extension_find_trace(registry, schema);
    if (!path || *at) {
        sqlite3_result_error(ctx,
                             path ? "a trace is already open under this name: orma_close() it "
                                    "first, or choose another name"
                                  : "orma_open needs a path",
                             -1);
        return;
    }
    struct orma_extension_trace *t = calloc(1, sizeof(*t));
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
        orma_extension_trace_unref(t);
        return;
    }
    t->next = NULL;
    *orma_extension_find_trace(registry, schema) = t; /* its end */
    int num = add_tables(ctx, t);
    if (num < 0)
        close_trace(ctx, registry,
                    orma_extension_find_trace(registry, t->schema)); /* the first error stays */
    else
        sqlite3_result_int(ctx, num);
}

static struct orma_extension_trace **trace_argument(sqlite3_context *ctx, const char *schema)
{
    struct orma_extension_trace **at =
        orma_extension_find_trace(sqlite3_user_data(ctx), schema ? schema : SCHEMA_DEFAULT);

    if (*at)
        return at;
    sqlite3_result_error(ctx, "no trace is open under this name", -1);
    return NULL;
}

/* orma_close([SCHEMA]) */
static void close_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_extension_trace **at = trace_argument(ctx, text_of(argc, argv, 0));

    if (at)
        close_trace(ctx, sqlite3_user_data(ctx), at);
}

/* orma_run(SQL [, SCHEMA]): statements of PerfettoSQL; the number of tables that are new. */
static void run_function(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const char *sql = text_of(argc, argv, 0);
    struct orma_extension_trace **at = trace_argument(ctx, text_of(argc, argv, 1));
    struct orma_script_run *script = NULL;
    struct orma_query *q;

    if (!at)
        return;
    struct orma_extension_trace *t = *at;
    int r = orma_script_open(t->tp, sql ? sql : "", ORMA_WHOLE, NULL, &script);
    while (!r && (r = orma_script_step(script, &q)) == 1) {
        while ((r = orma_query_step(q)) == 1)
            ;
        orma_query_free(q);
    }
    orma_script_close(script);
    if (r < 0) {
        fail_function(ctx, r, orma_processor_error(t->tp));
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
    struct orma_extension_registry *registry = calloc(1, sizeof(*registry));
    if (!registry)
        return SQLITE_NOMEM;
    registry->db = db;
    registry->refs = 1;
    registry->aux_safe = orma_aux_terms_are_safe(NULL);
    int r = sqlite3_create_module_v2(db, "orma", &orma_extension_module, registry, registry_unref);
    for (size_t i = 0; !r && i < sizeof(functions) / sizeof(functions[0]); i++) {
        registry->refs++; /* given back also when it fails */
        /* Not from views and triggers of a database that somebody sent: files would be opened. */
        r = sqlite3_create_function_v2(db, functions[i].name, functions[i].argc,
                                       SQLITE_UTF8 | SQLITE_DIRECTONLY, registry, functions[i].run,
                                       NULL, NULL, registry_unref);
    }
    return r;
}
