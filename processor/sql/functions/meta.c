/* extract_metadata and its relatives: facts of the trace by name. */
#include "processor/sql/functions/functions.h"

#define ANY INT64_C(-1)

/* The first row of that name, machine and trace (ANY: whatever it says). */
static void extract(sqlite3_context *ctx, sqlite3_value *name, int64_t machine, int64_t trace)
{
    const struct orma_storage *st = orma_sql_of(ctx)->storage;
    const struct orma_table *t = &st->tables[ORMA_TABLE_METADATA];
    uint32_t want;

    if (sqlite3_value_type(name) != SQLITE_TEXT) {
        if (!orma_value_is_null(name))
            orma_result_error(ctx, "EXTRACT_METADATA: name must be string");
        return;
    }
    want = orma_strpool_find(&st->pool, orma_value_str(name));
    for (uint32_t row = 0; row < t->rows && want; row++) {
        if (orma_table_int(t, ORMA_METADATA_NAME, row) != want)
            continue;
        if (machine != ANY && (orma_table_is_null(t, ORMA_METADATA_MACHINE_ID, row) ||
                               orma_table_int(t, ORMA_METADATA_MACHINE_ID, row) != machine))
            continue;
        if (trace != ANY && (orma_table_is_null(t, ORMA_METADATA_TRACE_ID, row) ||
                             orma_table_int(t, ORMA_METADATA_TRACE_ID, row) != trace))
            continue;
        if (!orma_table_is_null(t, ORMA_METADATA_STR_VALUE, row))
            orma_result_pool(ctx, &st->pool,
                             (uint32_t)orma_table_int(t, ORMA_METADATA_STR_VALUE, row));
        else if (!orma_table_is_null(t, ORMA_METADATA_INT_VALUE, row))
            sqlite3_result_int64(ctx, orma_table_int(t, ORMA_METADATA_INT_VALUE, row));
        return;
    }
}

static void extract_metadata(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    extract(ctx, argv[0], ANY, ANY);
}

/* An id argument; NULL finds nothing. */
static bool read_id(sqlite3_context *ctx, sqlite3_value *val, int64_t *ret)
{
    *ret = sqlite3_value_int64(val);
    if (sqlite3_value_type(val) == SQLITE_INTEGER)
        return *ret >= 0;
    if (!orma_value_is_null(val))
        orma_result_error(ctx, "EXTRACT_METADATA: id must be an integer");
    return false;
}

static void extract_for_machine(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t machine;

    (void)argc;
    if (read_id(ctx, argv[0], &machine))
        extract(ctx, argv[1], machine, ANY);
}

static void extract_for_trace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t trace;

    (void)argc;
    if (read_id(ctx, argv[0], &trace))
        extract(ctx, argv[1], ANY, trace);
}

static void extract_exact(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t machine = ANY, trace = ANY;

    (void)argc;
    if (read_id(ctx, argv[0], &machine) && read_id(ctx, argv[1], &trace))
        extract(ctx, argv[2], machine, trace);
}

const struct orma_sql_func orma_functions_meta[] = {
    {.name = "extract_metadata",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = extract_metadata,
     .usage = "(name) -> ANY",
     .doc = "The string of a metadata row, or its number; NULL if there is none."},
    {.name = "extract_metadata_for_machine",
     .args = 2,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = extract_for_machine,
     .usage = "(machine_id, name) -> ANY",
     .doc = "The same for one machine."},
    {.name = "extract_metadata_for_trace",
     .args = 2,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = extract_for_trace,
     .usage = "(trace_id, name) -> ANY",
     .doc = "The same for one trace of several."},
    {.name = "extract_exact_metadata",
     .args = 3,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = extract_exact,
     .usage = "(machine_id, trace_id, name) -> ANY",
     .doc = "The same for one machine in one trace."},
    {0},
};
