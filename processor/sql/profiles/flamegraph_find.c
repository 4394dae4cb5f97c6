/*
 * __intrinsic_flamegraph_find(): frames of a flame graph whose name matches.
 *
 * The graph is a table or view with (_tree_id, _tree_parent_id) or (id, parent_id) and
 * a name, parents before children: what a query of __intrinsic_flamegraph gave, kept in a
 * table; or that operator's virtual table itself, with its configuration.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/profiles/flamegraph.h"

enum { A_TABLE, A_PATTERN, A_FLAGS, A_CONFIG, A_NUM };
enum { O_ID, O_PARENT, O_NAME, O_DEPTH, O_SELF, O_CUMULATIVE, O_OUTERMOST };
enum { N_ID, N_AT, N_NUM }; /* words of an entry of the index */

struct finder {
    struct orma_tvf_call *call;
    sqlite3_stmt *stmt;
    int match, id, parent, name, depth, self, cumulative; /* columns of the query; -1: none */
    struct orma_ints index;                               /* N_NUM of each row, by id */
    struct orma_ints parents;                             /* ids; INT64_MIN: none */
    struct orma_ints matches;
};

static int find_column(sqlite3_stmt *stmt, const char *first, const char *second)
{
    int num = sqlite3_column_count(stmt), found = -1;

    for (int i = 1; i < num; i++) {
        if (!sqlite3_stricmp(sqlite3_column_name(stmt, i), first))
            return i;
        if (second && !sqlite3_stricmp(sqlite3_column_name(stmt, i), second))
            found = i;
    }
    return found;
}

static int prepare(struct finder *f)
{
    struct orma_tvf_call *call = f->call;
    void *config = call->argc > A_CONFIG
                       ? sqlite3_value_pointer(call->argv[A_CONFIG], ORMA_FG_CONFIG_POINTER)
                       : NULL;
    const char *table = (const char *)sqlite3_value_text(call->argv[A_TABLE]);
    char *sql = sqlite3_mprintf("SELECT coalesce(__intrinsic_regexp(?1, name, ?2), 0), * "
                                "FROM \"%w\"%s",
                                table ? table : "", config ? "(?3)" : "");
    int r = sql ? sqlite3_prepare_v2(call->sql->db, sql, -1, &f->stmt, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    if (r == SQLITE_NOMEM)
        return -ENOMEM;
    if (r)
        return orma_tvf_fail(call, "__intrinsic_flamegraph_find: %s",
                             sqlite3_errmsg(call->sql->db));
    sqlite3_bind_value(f->stmt, 1, call->argv[A_PATTERN]);
    if (call->argc > A_FLAGS && !orma_value_is_null(call->argv[A_FLAGS]))
        sqlite3_bind_value(f->stmt, 2, call->argv[A_FLAGS]);
    else
        sqlite3_bind_text(f->stmt, 2, "", 0, SQLITE_STATIC);
    if (config)
        sqlite3_bind_pointer(f->stmt, 3, config, ORMA_FG_CONFIG_POINTER, NULL);
    f->match = 0;
    f->id = find_column(f->stmt, "_tree_id", "id");
    f->parent = find_column(f->stmt, "_tree_parent_id", "parent_id");
    f->name = find_column(f->stmt, "name", NULL);
    f->depth = find_column(f->stmt, "depth", NULL);
    f->self = find_column(f->stmt, "self_value", "value");
    f->cumulative = find_column(f->stmt, "cumulative_value", NULL);
    if (f->id < 0 || f->parent < 0)
        return orma_tvf_fail(call,
                             "__intrinsic_flamegraph_find: %s must have the columns _tree_id and "
                             "_tree_parent_id, or id and parent_id",
                             table ? table : "NULL");
    return 0;
}

static void put_cell(struct finder *f, unsigned out, uint32_t row, int col)
{
    if (col >= 0)
        (void)orma_dataframe_put_value(f->call->frame, out, row,
                                       sqlite3_column_value(f->stmt, col));
}

static void put_match(struct finder *f)
{
    uint32_t row = orma_dataframe_add(f->call->frame);

    put_cell(f, O_ID, row, f->id);
    put_cell(f, O_PARENT, row, f->parent);
    put_cell(f, O_NAME, row, f->name);
    put_cell(f, O_DEPTH, row, f->depth);
    put_cell(f, O_SELF, row, f->self);
    put_cell(f, O_CUMULATIVE, row, f->cumulative);
}

static int read_graph(struct finder *f)
{
    int r;

    while ((r = sqlite3_step(f->stmt)) == SQLITE_ROW) {
        bool root = sqlite3_column_type(f->stmt, f->parent) == SQLITE_NULL;
        bool match = sqlite3_column_int(f->stmt, f->match) != 0;

        orma_ints_add(&f->index, sqlite3_column_int64(f->stmt, f->id));
        orma_ints_add(&f->index, (int64_t)f->matches.len);
        orma_ints_add(&f->parents, root ? INT64_MIN : sqlite3_column_int64(f->stmt, f->parent));
        orma_ints_add(&f->matches, match);
        if (match)
            put_match(f);
    }
    if (r == SQLITE_INTERRUPT)
        return -ECANCELED;
    if (r == SQLITE_NOMEM || f->index.failed || f->parents.failed || f->matches.failed)
        return -ENOMEM;
    if (r != SQLITE_DONE)
        return orma_tvf_fail(f->call, "__intrinsic_flamegraph_find: %s",
                             sqlite3_errmsg(f->call->sql->db));
    return 0;
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Bit 0 of `matches`: the frame itself; bit 1: a frame above it. Parents come first. */
static int mark_outermost(struct finder *f)
{
    uint32_t row = 0;

    for (size_t i = 0; i < f->matches.len; i++) {
        int64_t parent = f->parents.data[i];
        const int64_t *entry = parent == INT64_MIN
                                   ? NULL
                                   : bsearch(&parent, f->index.data, f->index.len / N_NUM,
                                             N_NUM * sizeof(int64_t), by_id);

        if (orma_sql_should_stop(f->call->sql, i + 1))
            return -ECANCELED;
        if (entry && entry[N_AT] < (int64_t)i && f->matches.data[entry[N_AT]])
            f->matches.data[i] |= 2;
        if (f->matches.data[i] & 1)
            orma_dataframe_put_int(f->call->frame, O_OUTERMOST, row++, !(f->matches.data[i] & 2));
    }
    return 0;
}

static int run_find(struct orma_tvf_call *call)
{
    struct finder f = {.call = call};
    int r;

    if (sqlite3_value_type(call->argv[A_TABLE]) != SQLITE_TEXT)
        return orma_tvf_fail(call, "__intrinsic_flamegraph_find: expected the name of a table and "
                                   "a pattern");
    if (orma_value_is_null(call->argv[A_PATTERN]))
        return 0;
    r = prepare(&f);
    if (r == 0)
        r = read_graph(&f);
    if (r == 0)
        r = orma_sql_sort(call->sql, f.index.data, f.index.len / N_NUM, N_NUM * sizeof(int64_t),
                          by_id);
    if (r == 0)
        r = mark_outermost(&f);
    sqlite3_finalize(f.stmt);
    orma_ints_fini(&f.index);
    orma_ints_fini(&f.parents);
    orma_ints_fini(&f.matches);
    return r;
}

const struct orma_tvf orma_profiles_tvf_flamegraph_find = {
    .name = "__intrinsic_flamegraph_find",
    .columns = {"id", "parent_id", "name", "depth", "self_value", "cumulative_value",
                "is_outermost"},
    .types = "IITI??I",
    .args = {"in_table", "in_pattern", "in_flags", "in_config"},
    .variadic = true,
    .required = 2,
    .run = run_find,
    .usage = "('table', 'pattern'[, 'flags'[, config]])",
    .doc = "The frames of a flame graph whose name matches the pattern (flags as for regexp). The "
           "graph is a table with _tree_id and _tree_parent_id, or id and parent_id, and name, "
           "parents before children; or one of __intrinsic_flamegraph with its configuration. "
           "is_outermost: no frame above it matches, so these can be summed up.",
};
