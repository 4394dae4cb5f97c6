/*
 * Names of the interface behind which we have no data: measured power curves of devices, the
 * instruction traces of Arm's CoreSight. Libraries that read them load, and find no rows.
 */
#include <stdlib.h>
#include <string.h>

#include "processor/sql/operators/operators.h"

/* Columns as SQLite wants them; arguments are hidden columns. */
static const struct {
    const char *name, *columns;
} tables[] = {
    {"__intrinsic_wattson_curves_cpu_1d",
     "device TEXT, policy INTEGER, freq_khz INTEGER, static DOUBLE, active DOUBLE, idle0 DOUBLE, "
     "idle1 DOUBLE, _auto_id INTEGER HIDDEN"},
    {"__intrinsic_wattson_curves_cpu_2d",
     "device TEXT, policy INTEGER, freq_khz INTEGER, dep_policy INTEGER, dep_freq INTEGER, "
     "static DOUBLE, active DOUBLE, idle0 DOUBLE, idle1 DOUBLE, interconnect DOUBLE, "
     "_auto_id INTEGER HIDDEN"},
    {"__intrinsic_wattson_curves_gpu",
     "device TEXT, freq_khz INTEGER, active DOUBLE, idle1 DOUBLE, idle2 DOUBLE, "
     "_auto_id INTEGER HIDDEN"},
    {"__intrinsic_wattson_curves_l3",
     "device TEXT, freq_khz INTEGER, dep_policy INTEGER, dep_freq INTEGER, l3_hit DOUBLE, "
     "l3_miss DOUBLE, _auto_id INTEGER HIDDEN"},
    {"__intrinsic_wattson_curves_tpu",
     "device TEXT, cluster INTEGER, requests INTEGER, freq INTEGER, active DOUBLE, "
     "_auto_id INTEGER HIDDEN"},
    {"__intrinsic_etm_decode_chunk",
     "chunk_id INTEGER HIDDEN, chunk_index INTEGER, element_index INTEGER, element_type TEXT, "
     "timestamp INTEGER, cycle_count INTEGER, last_seen_timestamp INTEGER, "
     "cumulative_cycles INTEGER, exception_level INTEGER, context_id INTEGER, isa TEXT, "
     "start_address INTEGER, end_address INTEGER, mapping_id INTEGER, instruction_range HIDDEN"},
    {"__intrinsic_etm_iterate_instruction_range",
     "instruction_index INTEGER, address INTEGER, opcode INTEGER, type TEXT, "
     "branch_address INTEGER, is_conditional INTEGER, is_link INTEGER, sub_type TEXT, "
     "instruction_range HIDDEN"},
};

static int absent_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **ret, char **ret_error)
{
    struct orma_buf text = {0};
    int r = SQLITE_ERROR;

    (void)aux;
    (void)argc;
    (void)ret_error;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        if (!strcmp(argv[0], tables[i].name))
            orma_buf_printf(&text, "CREATE TABLE x(%s)", tables[i].columns);
    }
    if (text.len)
        r = text.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    if (r)
        return r;
    *ret = calloc(1, sizeof(**ret));
    return *ret ? SQLITE_OK : SQLITE_NOMEM;
}

static int absent_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

/* Whatever is asked for, nothing is there. */
static int absent_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    (void)base;
    info->estimatedCost = 1;
    info->estimatedRows = 1;
    return SQLITE_OK;
}

static int absent_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    (void)base;
    *ret = calloc(1, sizeof(**ret));
    return *ret ? SQLITE_OK : SQLITE_NOMEM;
}

static int absent_close(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

static int absent_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                         sqlite3_value **argv)
{
    (void)base;
    (void)num;
    (void)plan;
    (void)argc;
    (void)argv;
    return SQLITE_OK;
}

static int absent_eof(sqlite3_vtab_cursor *base)
{
    (void)base;
    return 1;
}

static int absent_next(sqlite3_vtab_cursor *base)
{
    (void)base;
    return SQLITE_OK;
}

static int absent_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    (void)base;
    (void)ctx;
    (void)idx;
    return SQLITE_OK;
}

static int absent_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    (void)base;
    *ret = 0;
    return SQLITE_OK;
}

static const sqlite3_module absent_module = {
    .xConnect = absent_connect,
    .xBestIndex = absent_best_index,
    .xDisconnect = absent_disconnect,
    .xOpen = absent_open,
    .xClose = absent_close,
    .xFilter = absent_filter,
    .xNext = absent_next,
    .xEof = absent_eof,
    .xColumn = absent_column,
    .xRowid = absent_rowid,
};

#define CURVES                                                                                     \
    .module = &absent_module, .usage = "",                                                         \
    .doc = "Power curves of devices: exists for SQL modules; always empty."
#define INSTRUCTIONS                                                                               \
    .module = &absent_module, .doc = "Instruction traces: exists for SQL modules; always empty."
const struct orma_sql_module orma_operators_absent_modules[] = {
    {.name = "__intrinsic_wattson_curves_cpu_1d", CURVES},
    {.name = "__intrinsic_wattson_curves_cpu_2d", CURVES},
    {.name = "__intrinsic_wattson_curves_gpu", CURVES},
    {.name = "__intrinsic_wattson_curves_l3", CURVES},
    {.name = "__intrinsic_wattson_curves_tpu", CURVES},
    {.name = "__intrinsic_etm_decode_chunk", INSTRUCTIONS, .usage = "(chunk_id)"},
    {.name = "__intrinsic_etm_iterate_instruction_range",
     INSTRUCTIONS,
     .usage = "(instruction_range)"},
    {0},
};
