/*
 * perfetto_table_info() and perfetto_tables: what tables there are, and their columns.
 *
 * The type of a column is the one that the interface declares; for tables made by
 * queries, the narrowest integer that holds all values, which takes a scan.
 */
#include <errno.h>

#include "processor/sql/inspect/inspect.h"
#include "processor/sql/tables/dataframe_tables.h"
#include "processor/sql/tables/proj.h"

enum { SORTED_ID = 0, SORTED = 2, UNSORTED = 3 };

/* What the interface declares of a stored table's integers. */
static const char *declared_width(uint8_t flags)
{
    return flags & ORMA_COL_U32 ? "uint32" : flags & ORMA_COL_I32 ? "int32" : "int64";
}

static const char *column_type(const struct orma_dataframe *frame, const struct orma_table *t,
                               unsigned i)
{
    const struct orma_column *col = &t->columns[i];

    switch ((enum orma_column_kind)col->kind) {
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
        return "id";
    case ORMA_COL_STRING:
        return "string";
    case ORMA_COL_DOUBLE:
        return "double";
    case ORMA_COL_COMPUTED:
        return "uint32";
    case ORMA_COL_INT:
        break;
    }
    if (!frame)
        return declared_width(t->def->columns[i].flags);
    int64_t min = 0, max = 0;
    for (uint32_t row = 0; row < t->rows && col->width; row++) {
        int64_t val = orma_column_int(col, row);

        min = ORMA_MIN(min, val);
        max = ORMA_MAX(max, val);
    }
    if (min >= 0 && max <= UINT32_MAX)
        return "uint32";
    return min >= INT32_MIN && max <= INT32_MAX ? "int32" : "int64";
}

static int sortedness(const struct orma_dataframe *frame, const struct orma_table *t, unsigned i)
{
    if (t->columns[i].kind <= ORMA_COL_ALIAS)
        return SORTED_ID;
    if (frame)
        return frame->columns[i].sorted && t->rows ? SORTED : UNSORTED;
    return t->def->columns[i].flags & ORMA_COL_TIME && !t->columns[i].unsorted ? SORTED : UNSORTED;
}

static int table_info(struct orma_tvf_call *call)
{
    const char *name = (const char *)sqlite3_value_text(call->argv[0]);
    const struct orma_dataframe_table *made =
        name ? orma_dataframe_tables_find(call->sql, name) : NULL;
    const struct orma_dataframe *frame = made ? made->frame : NULL;
    const struct orma_table *t = frame ? &frame->table : NULL;
    struct orma_dataframe *out = call->frame;

    for (unsigned i = 0; i < ORMA_TABLES_NUM && !t && name; i++) {
        if (!sqlite3_stricmp(orma_table_defs[i].name, name))
            t = &call->sql->storage->tables[i];
    }
    if (t && orma_sql_settle(call->sql, t))
        return -ECANCELED;
    if (!t)
        return orma_tvf_fail(call, "perfetto_table_info: table '%s' not found", name ? name : "");
    for (unsigned i = 0; i < t->def->columns_num; i++) {
        uint32_t row = orma_dataframe_add(out);

        orma_dataframe_put_text(out, 0, row, orma_str_from(t->def->columns[i].name));
        orma_dataframe_put_text(out, 1, row, orma_str_from(column_type(frame, t, i)));
        orma_dataframe_put_int(out, 2, row, (t->columns[i].flags & ORMA_COL_NULLABLE) != 0);
        orma_dataframe_put_int(out, 3, row, sortedness(frame, t, i));
    }
    return 0;
}

const struct orma_tvf orma_inspect_tvf_table_info = {
    .name = "perfetto_table_info",
    .numbered = true,
    .echo = 1,
    .columns = {"name", "col_type", "nullable", "sorted"},
    .types = "TTII",
    .args = {"table_name"},
    .run = table_info,
    .usage = "(table_name STRING)",
    .doc = "The columns of a table made by CREATE PERFETTO TABLE, or of a built-in table.",
};

static int run_tables(struct orma_tvf_call *call)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        orma_dataframe_put_text(call->frame, 0, orma_dataframe_add(call->frame),
                                orma_str_from(orma_table_defs[i].name));
    return 0;
}

static void put_name(struct orma_tvf_call *call, const char *type, const char *name)
{
    uint32_t row = orma_dataframe_add(call->frame);

    orma_dataframe_put_text(call->frame, 0, row, orma_str_from(type));
    orma_dataframe_put_text(call->frame, 1, row, orma_str_from(name));
}

/* What is there from the start: stored tables, and as views what people query of them. */
static int run_names(struct orma_tvf_call *call)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        if (strncmp(orma_table_defs[i].name, "_orma_", 6) != 0)
            put_name(call, "table", orma_table_defs[i].name);
    }
    for (const struct orma_proj *p = orma_vtab_projs; p->name; p++)
        put_name(call, "view", p->name);
    put_name(call, "view", "args");
    return 0;
}

/* For queries of sqlite_master: dialect/compat.c. */
const struct orma_tvf orma_inspect_tvf_names = {
    .name = "__orma_names",
    .columns = {"type", "name"},
    .types = "TT",
    .run = run_names,
};

const struct orma_tvf orma_inspect_tvf_tables = {
    .name = "perfetto_tables",
    .columns = {"name"},
    .types = "T",
    .run = run_tables,
    .usage = "",
    .doc = "The names of all built-in tables.",
};
