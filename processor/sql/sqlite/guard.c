/*
 * The tables come first, then their use. SQLite cannot be told to leave functions out: a
 * refused one is registered again, as one that fails. Modules are dropped by a list of those
 * to keep. Pragmas and ATTACH are decided by the authorizer, each time that a statement is
 * prepared.
 */
#include "processor/sql/sqlite/guard.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sdk/base/defs.h"

/* ---- the tables ---- */

#define NO_TEXT_SEARCH "full-text search is not available"
#define NO_RTREE "R-trees are not available"
#define VALUE_MAX (64 << 20)  /* one call of hex() can make one, and cannot be interrupted */
#define LIKE_PATTERN_MAX 1000 /* the time of LIKE grows with text times pattern */

// clang-format off
const struct orma_sqlite_guard_name orma_sqlite_guard_functions[] = {
    {"->", NULL}, {"->>", NULL}, {"abs", NULL}, {"acos", NULL}, {"acosh", NULL}, {"asin", NULL},
    {"asinh", NULL}, {"atan", NULL}, {"atan2", NULL}, {"atanh", NULL}, {"avg", NULL},
    {"bm25", NO_TEXT_SEARCH},
    {"ceil", NULL}, {"ceiling", NULL}, {"changes", NULL}, {"char", NULL}, {"coalesce", NULL},
    {"concat", NULL}, {"concat_ws", NULL}, {"cos", NULL}, {"cosh", NULL}, {"count", NULL},
    {"cume_dist", NULL}, {"current_date", NULL}, {"current_time", NULL},
    {"current_timestamp", NULL}, {"date", NULL}, {"datetime", NULL}, {"degrees", NULL},
    {"dense_rank", NULL}, {"exp", NULL}, {"first_value", NULL}, {"floor", NULL}, {"format", NULL},
    {"fts3_tokenizer", "it holds pointers into a module that is not available"},
    {"fts5", NO_TEXT_SEARCH},
    {"fts5_get_locale", NO_TEXT_SEARCH},
    {"fts5_insttoken", NO_TEXT_SEARCH},
    {"fts5_locale", NO_TEXT_SEARCH},
    {"fts5_source_id", NO_TEXT_SEARCH},
    {"geopoly_area", NO_RTREE}, {"geopoly_bbox", NO_RTREE}, {"geopoly_blob", NO_RTREE},
    {"geopoly_ccw", NO_RTREE}, {"geopoly_contains_point", NO_RTREE}, {"geopoly_debug", NO_RTREE},
    {"geopoly_group_bbox", NO_RTREE}, {"geopoly_json", NO_RTREE}, {"geopoly_overlap", NO_RTREE},
    {"geopoly_regular", NO_RTREE}, {"geopoly_svg", NO_RTREE}, {"geopoly_within", NO_RTREE},
    {"geopoly_xform", NO_RTREE},
    {"glob", NULL}, {"group_concat", NULL}, {"hex", NULL},
    {"highlight", NO_TEXT_SEARCH},
    {"icu_load_collation", "it loads files into the process"},
    {"if", NULL}, {"ifnull", NULL}, {"iif", NULL}, {"instr", NULL},
    {"json", NULL}, {"json_array", NULL}, {"json_array_insert", NULL}, {"json_array_length", NULL},
    {"json_error_position", NULL}, {"json_extract", NULL}, {"json_group_array", NULL},
    {"json_group_object", NULL}, {"json_insert", NULL}, {"json_object", NULL},
    {"json_patch", NULL}, {"json_pretty", NULL}, {"json_quote", NULL}, {"json_remove", NULL},
    {"json_replace", NULL}, {"json_set", NULL}, {"json_type", NULL}, {"json_valid", NULL},
    {"jsonb", NULL}, {"jsonb_array", NULL}, {"jsonb_array_insert", NULL}, {"jsonb_extract", NULL},
    {"jsonb_group_array", NULL}, {"jsonb_group_object", NULL}, {"jsonb_insert", NULL},
    {"jsonb_object", NULL}, {"jsonb_patch", NULL}, {"jsonb_remove", NULL},
    {"jsonb_replace", NULL}, {"jsonb_set", NULL},
    {"julianday", NULL}, {"lag", NULL}, {"last_insert_rowid", NULL}, {"last_value", NULL},
    {"lead", NULL}, {"length", NULL}, {"like", NULL}, {"likelihood", NULL}, {"likely", NULL},
    {"ln", NULL},
    {"load_extension", "it loads code into the process"},
    {"log", NULL}, {"log10", NULL}, {"log2", NULL}, {"lower", NULL}, {"ltrim", NULL},
    {"match", NO_TEXT_SEARCH},
    {"matchinfo", NO_TEXT_SEARCH},
    {"max", NULL}, {"median", NULL}, {"min", NULL}, {"mod", NULL}, {"nth_value", NULL},
    {"ntile", NULL}, {"nullif", NULL}, {"octet_length", NULL},
    {"offsets", NO_TEXT_SEARCH},
    {"optimize", NO_TEXT_SEARCH},
    {"percent_rank", NULL}, {"percentile", NULL}, {"percentile_cont", NULL},
    {"percentile_disc", NULL}, {"pi", NULL}, {"pow", NULL}, {"power", NULL}, {"printf", NULL},
    {"quote", NULL}, {"radians", NULL}, {"random", NULL}, {"randomblob", NULL}, {"rank", NULL},
    {"replace", NULL}, {"round", NULL}, {"row_number", NULL},
    {"rtreecheck", NO_RTREE}, {"rtreedepth", NO_RTREE}, {"rtreenode", NO_RTREE},
    {"rtrim", NULL}, {"sign", NULL}, {"sin", NULL}, {"sinh", NULL},
    {"snippet", NO_TEXT_SEARCH},
    {"soundex", NULL}, {"sqlite_compileoption_get", NULL}, {"sqlite_compileoption_used", NULL},
    {"sqlite_log", "it writes to the log of the process"},
    {"sqlite_offset", NULL}, {"sqlite_source_id", NULL}, {"sqlite_version", NULL}, {"sqrt", NULL},
    {"strftime", NULL}, {"string_agg", NULL}, {"substr", NULL}, {"substring", NULL},
    {"subtype", NULL}, {"sum", NULL}, {"tan", NULL}, {"tanh", NULL}, {"time", NULL},
    {"timediff", NULL}, {"total", NULL}, {"total_changes", NULL}, {"trim", NULL}, {"trunc", NULL},
    {"typeof", NULL}, {"unhex", NULL}, {"unicode", NULL}, {"unistr", NULL},
    {"unistr_quote", NULL}, {"unixepoch", NULL},
    {"unknown", "it refers to functions that are not available"},
    {"unlikely", NULL}, {"upper", NULL}, {"zeroblob", NULL},
    {NULL, NULL},
};

const struct orma_sqlite_guard_name orma_sqlite_guard_modules[] = {
    {"bytecode", "it shows how other users' statements run"},
    {"carray", "it reads memory by address"},
    {"dbstat", "there is no file to show"},
    {"fts3", NO_TEXT_SEARCH}, {"fts3tokenize", NO_TEXT_SEARCH}, {"fts4", NO_TEXT_SEARCH},
    {"fts4aux", NO_TEXT_SEARCH}, {"fts5", NO_TEXT_SEARCH}, {"fts5vocab", NO_TEXT_SEARCH},
    {"geopoly", NO_RTREE},
    {"json_each", NULL}, {"json_tree", NULL}, {"jsonb_each", NULL}, {"jsonb_tree", NULL},
    {"rtree", NO_RTREE}, {"rtree_i32", NO_RTREE},
    {"sqlite_dbdata", "it reads raw pages"}, {"sqlite_dbpage", "it reads and writes raw pages"},
    {"sqlite_dbptr", "it reads raw pages"},
    {"sqlite_stmt", "it shows other users' statements"},
    {"tables_used", "it shows how other users' statements run"},
    {NULL, NULL},
};

const struct orma_sqlite_guard_pragma orma_sqlite_guard_pragmas[] = {
    {"analysis_limit", ORMA_PRAGMA_READ},
    {"application_id", ORMA_PRAGMA_FILE},
    {"auto_vacuum", ORMA_PRAGMA_FILE},
    {"automatic_index", ORMA_PRAGMA_READ},
    {"busy_timeout", ORMA_PRAGMA_READ},
    {"cache_size", ORMA_PRAGMA_FILE},
    {"cache_spill", ORMA_PRAGMA_READ},
    {"case_sensitive_like", ORMA_PRAGMA_REFUSED}, /* LIKE of everybody */
    {"cell_size_check", ORMA_PRAGMA_READ},
    {"checkpoint_fullfsync", ORMA_PRAGMA_READ},
    {"collation_list", ORMA_PRAGMA_READ},
    {"compile_options", ORMA_PRAGMA_READ},
    {"count_changes", ORMA_PRAGMA_READ},
    {"data_store_directory", ORMA_PRAGMA_REFUSED}, /* of the process */
    {"data_version", ORMA_PRAGMA_READ},
    {"database_list", ORMA_PRAGMA_READ},
    {"default_cache_size", ORMA_PRAGMA_READ},
    {"defer_foreign_keys", ORMA_PRAGMA_READ},
    {"empty_result_callbacks", ORMA_PRAGMA_READ},
    {"encoding", ORMA_PRAGMA_READ},
    {"foreign_key_check", ORMA_PRAGMA_ASK},
    {"foreign_key_list", ORMA_PRAGMA_ASK},
    {"foreign_keys", ORMA_PRAGMA_READ},
    {"freelist_count", ORMA_PRAGMA_READ},
    {"full_column_names", ORMA_PRAGMA_READ},
    {"fullfsync", ORMA_PRAGMA_READ},
    {"function_list", ORMA_PRAGMA_READ},
    {"hard_heap_limit", ORMA_PRAGMA_REFUSED}, /* of the process, and only ever lowered */
    {"ignore_check_constraints", ORMA_PRAGMA_READ},
    {"incremental_vacuum", ORMA_PRAGMA_ASK},
    {"index_info", ORMA_PRAGMA_ASK},
    {"index_list", ORMA_PRAGMA_ASK},
    {"index_xinfo", ORMA_PRAGMA_ASK},
    {"integrity_check", ORMA_PRAGMA_ASK},
    {"journal_mode", ORMA_PRAGMA_FILE},
    {"journal_size_limit", ORMA_PRAGMA_FILE},
    {"legacy_alter_table", ORMA_PRAGMA_READ},
    {"locking_mode", ORMA_PRAGMA_FILE},
    {"max_page_count", ORMA_PRAGMA_FILE},
    {"mmap_size", ORMA_PRAGMA_READ},
    {"module_list", ORMA_PRAGMA_READ},
    {"optimize", ORMA_PRAGMA_ASK},
    {"page_count", ORMA_PRAGMA_READ},
    {"page_size", ORMA_PRAGMA_FILE},
    {"pragma_list", ORMA_PRAGMA_READ},
    {"query_only", ORMA_PRAGMA_READ},
    {"quick_check", ORMA_PRAGMA_ASK},
    {"read_uncommitted", ORMA_PRAGMA_READ},
    {"recursive_triggers", ORMA_PRAGMA_READ},
    {"reverse_unordered_selects", ORMA_PRAGMA_READ},
    {"schema_version", ORMA_PRAGMA_READ},
    {"secure_delete", ORMA_PRAGMA_FILE},
    {"short_column_names", ORMA_PRAGMA_READ},
    {"shrink_memory", ORMA_PRAGMA_ASK},
    {"soft_heap_limit", ORMA_PRAGMA_REFUSED}, /* of the process */
    {"synchronous", ORMA_PRAGMA_FILE},
    {"table_info", ORMA_PRAGMA_ASK},
    {"table_list", ORMA_PRAGMA_ASK},
    {"table_xinfo", ORMA_PRAGMA_ASK},
    {"temp_store", ORMA_PRAGMA_READ},
    {"temp_store_directory", ORMA_PRAGMA_REFUSED}, /* of the process */
    {"threads", ORMA_PRAGMA_READ},
    {"trusted_schema", ORMA_PRAGMA_READ},
    {"user_version", ORMA_PRAGMA_FILE},
    {"wal_autocheckpoint", ORMA_PRAGMA_READ},
    {"wal_checkpoint", ORMA_PRAGMA_FILE},
    {"writable_schema", ORMA_PRAGMA_READ},
    {NULL, ORMA_PRAGMA_REFUSED},
};
// clang-format on

/* Rows of both kinds begin with their name. */
static int compare_names(const void *name, const void *row)
{
    return strcasecmp(name, *(const char *const *)row);
}

const struct orma_sqlite_guard_name *orma_sqlite_guard_find_function(const char *name)
{
    return bsearch(name, orma_sqlite_guard_functions,
                   ORMA_ARRAY_LEN(orma_sqlite_guard_functions) - 1,
                   sizeof(orma_sqlite_guard_functions[0]), compare_names);
}

const struct orma_sqlite_guard_pragma *orma_sqlite_guard_find_pragma(const char *name)
{
    return bsearch(name, orma_sqlite_guard_pragmas, ORMA_ARRAY_LEN(orma_sqlite_guard_pragmas) - 1,
                   sizeof(orma_sqlite_guard_pragmas[0]), compare_names);
}

/* ---- functions and modules ---- */

/* The reason, from the table: a newer SQLite may have functions that nobody has looked at. */
static void refuse_call(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const char *name = sqlite3_user_data(ctx);
    const struct orma_sqlite_guard_name *known = orma_sqlite_guard_find_function(name);
    char *text = sqlite3_mprintf("%s(): this function of SQLite is refused: %s", name,
                                 known && known->refused ? known->refused
                                                         : "this version of Orma does not know it");

    (void)argc;
    (void)argv;
    if (text)
        sqlite3_result_error(ctx, text, -1);
    else
        sqlite3_result_error_nomem(ctx);
    sqlite3_free(text);
}

/* Whatever it was: an exact match of name and number of arguments hides it. */
static int hide(sqlite3 *db, const char *name, int args)
{
    char *copy = sqlite3_mprintf("%s", name); /* the destructor's, also when registering fails */

    if (!copy)
        return SQLITE_NOMEM;
    return sqlite3_create_function_v2(db, name, args, SQLITE_UTF8, copy, refuse_call, NULL, NULL,
                                      sqlite3_free);
}

struct refused {
    char *name;
    int args;
    struct refused *next;
};

/* All of the connection that the table does not allow, some twice. SQLite must not be asked
 * meanwhile. */
static int list_refused(sqlite3 *db, struct refused **ret)
{
    sqlite3_stmt *stmt = NULL;
    int r = sqlite3_prepare_v2(db, "SELECT name, narg FROM pragma_function_list", -1, &stmt, NULL);

    while (!r && (r = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        const struct orma_sqlite_guard_name *known =
            name ? orma_sqlite_guard_find_function(name) : NULL;

        r = SQLITE_OK;
        if (!name || (known && !known->refused))
            continue;
        struct refused *one = calloc(1, sizeof(*one));
        if (one)
            *one = (struct refused){strdup(name), sqlite3_column_int(stmt, 1), *ret};
        if (!one || !one->name) {
            free(one);
            r = SQLITE_NOMEM;
        } else {
            *ret = one;
        }
    }
    sqlite3_finalize(stmt);
    return r == SQLITE_DONE ? SQLITE_OK : r;
}

static int hide_refused(sqlite3 *db)
{
    struct refused *list = NULL;
    int r = list_refused(db, &list);

    while (list) {
        struct refused *one = list;

        list = one->next;
        if (!r)
            r = hide(db, one->name, one->args);
        free(one->name);
        free(one);
    }
    return r;
}

static void drop_modules(sqlite3 *db)
{
    const char *keep[16];
    size_t num = 0;

    for (const struct orma_sqlite_guard_name *m = orma_sqlite_guard_modules; m->name; m++) {
        if (!m->refused && num < ORMA_ARRAY_LEN(keep) - 1)
            keep[num++] = m->name;
    }
    keep[num] = NULL;
    (void)sqlite3_drop_modules(db, keep); /* cannot fail */
}

int orma_sqlite_guard_apply(struct orma_sql *sql)
{
    int r = hide_refused(sql->db);

    drop_modules(sql->db);
    (void)sqlite3_limit(sql->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
    (void)sqlite3_limit(sql->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LIKE_PATTERN_MAX);
    return r;
}

/* ---- the authorizer ---- */

static int refuse_pragma(struct orma_sql *sql, const char *name, const char *why)
{
    orma_sql_error_set(&sql->error, NULL, 0, "PRAGMA %s is refused: %s", name, why);
    return SQLITE_DENY;
}

static bool is_attached(const char *db)
{
    return db && strcasecmp(db, "main") && strcasecmp(db, "temp");
}

static int check_pragma(struct orma_sql *sql, const char *name, const char *arg, const char *db)
{
    const struct orma_sqlite_guard_pragma *p = orma_sqlite_guard_find_pragma(name);

    if (!p)
        return refuse_pragma(sql, name, "unknown, or not known to be safe");
    switch (p->use) {
    case ORMA_PRAGMA_ASK:
        return SQLITE_OK;
    case ORMA_PRAGMA_READ:
        break;
    case ORMA_PRAGMA_FILE:
        if (sql->given.file_access && is_attached(db))
            return SQLITE_OK;
        break;
    case ORMA_PRAGMA_REFUSED:
        return refuse_pragma(sql, name,
                             "it would change the results of all queries in this process");
    }
    return arg ? refuse_pragma(sql, name,
                               "it can be read but not set, because the connection is shared")
               : SQLITE_OK;
}

/* For who resolves names himself, and for plans: SQLite 3.40 does not tell them of row numbers. */
static void note_read(struct orma_sql *sql, const char *table, const char *column)
{
    if (column && !sqlite3_stricmp(column, "ROWID"))
        sql->planner.rowids = true;
    if (sql->planner.reads.on && table && column)
        orma_sql_reads_add(&sql->planner.reads, orma_str_from(table), orma_str_from(column));
}

static int authorize(void *data, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    struct orma_sql *self = data;

    (void)d;
    if (action == SQLITE_ATTACH && !self->given.file_access)
        return SQLITE_DENY;
    if (action == SQLITE_PRAGMA)
        return check_pragma(self, a, b, c);
    if (action == SQLITE_READ)
        note_read(self, a, b);
    return SQLITE_OK;
}

void orma_sqlite_guard_authorize(struct orma_sql *sql)
{
    sqlite3_set_authorizer(sql->db, authorize, sql);
}
