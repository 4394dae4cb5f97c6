#include "tests/support/rows.h"

#include <stdio.h>
#include <string.h>

#include "sdk/base/buf.h"

static void put_text(struct orma_buf *out, const char *text)
{
    bool quoted = !*text || strchr(text, ' ');

    orma_buf_printf(out, "%s%s%s", quoted ? "'" : "", text, quoted ? "'" : "");
}

static void put_arg(struct orma_buf *out, const struct orma_storage *storage,
                    const struct orma_args_item *arg)
{
    orma_buf_printf(out, "%s=", orma_strpool_cstr(&storage->pool, arg->key));
    switch ((enum orma_arg_type)arg->type) {
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
        put_text(out, arg->str ? orma_strpool_cstr(&storage->pool, arg->str) : "-");
        break;
    case ORMA_ARG_REAL:
        orma_buf_printf(out, "%g", arg->d);
        break;
    case ORMA_ARG_BOOL:
        orma_buf_printf(out, "%s", arg->i ? "true" : "false");
        break;
    case ORMA_ARG_POINTER:
        orma_buf_printf(out, "0x%llx", (unsigned long long)arg->i);
        break;
    case ORMA_ARG_NULL:
        orma_buf_printf(out, "-");
        break;
    case ORMA_ARG_INT:
    case ORMA_ARG_UINT:
        orma_buf_printf(out, "%lld", (long long)arg->i);
        break;
    }
}

static void put_args(struct orma_buf *out, struct orma_storage *storage, uint32_t set)
{
    struct orma_args_list list = {0};

    orma_args_load(&storage->args, set, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        if (i)
            orma_buf_put_byte(out, ',');
        put_arg(out, storage, &list.args[i]);
    }
    orma_args_list_fini(&list);
}

static unsigned find_column(const struct orma_table *t, struct orma_str name)
{
    for (unsigned i = 0; i < t->def->columns_num; i++)
        if (orma_str_eq_c(name, t->def->columns[i].name))
            return i;
    fprintf(stderr, "table %s has no column %.*s\n", t->def->name, ORMA_STR_ARG(name));
    abort();
}

static const struct orma_table *find_table(const struct orma_storage *storage, const char *name)
{
    static const char prefix[] = "__intrinsic_";

    for (unsigned i = 0; name && i < ORMA_TABLES_NUM; i++) {
        const char *other = storage->tables[i].def->name;

        if (!strcmp(other, name) || (!strncmp(other, prefix, sizeof(prefix) - 1) &&
                                     !strcmp(other + sizeof(prefix) - 1, name)))
            return &storage->tables[i];
    }
    fprintf(stderr, "no table %s\n", name ? name : "behind this column");
    abort();
}

/* The table that a column refers to. */
static const struct orma_table *referred(const struct orma_storage *storage,
                                         const struct orma_table *t, unsigned col)
{
    static const struct {
        const char *column, *table; /* NULL: its own */
    } all[] = {
        {"callsite_id", "stack_profile_callsite"},
        {"frame_id", "stack_profile_frame"},
        {"machine_id", "machine"},
        {"mapping", "stack_profile_mapping"},
        {"parent_id", NULL},
        {"parent_upid", NULL},
        {"slice_in", "slice"},
        {"slice_out", "slice"},
        {"track_id", "track"},
        {"upid", "process"},
        {"utid", "thread"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(all); i++)
        if (!strcmp(t->def->columns[col].name, all[i].column))
            return all[i].table ? find_table(storage, all[i].table) : t;
    return find_table(storage, NULL);
}

static void put_cell(struct orma_buf *out, struct orma_storage *storage, const struct orma_table *t,
                     uint32_t row, struct orma_str path, bool is_args)
{
    struct orma_str first;

    (void)orma_str_cut(&path, '.', &first);
    unsigned at = find_column(t, first);
    const struct orma_column *col = &t->columns[at];
    int64_t val = orma_table_int(t, at, row);

    if (orma_table_is_null(t, at, row))
        orma_buf_put_byte(out, '-');
    else if (path.len)
        put_cell(out, storage, referred(storage, t, at), (uint32_t)val, path, is_args);
    else if (is_args)
        put_args(out, storage, (uint32_t)val);
    else if (col->kind == ORMA_COL_STRING)
        put_text(out, orma_strpool_cstr(&storage->pool, (uint32_t)val));
    else if (col->kind == ORMA_COL_DOUBLE)
        orma_buf_printf(out, "%.10g", orma_column_double(col, row));
    else
        orma_buf_printf(out, "%lld", (long long)val);
}

char *rows_text(struct orma_storage *storage, enum orma_table_id table, const char *columns)
{
    const struct orma_table *t = &storage->tables[table];
    struct orma_buf out = {0};

    for (uint32_t row = 0; row < t->rows; row++) {
        struct orma_str rest = orma_str_from(columns), path;

        for (unsigned i = 0; orma_str_cut(&rest, ' ', &path); i++) {
            if (i)
                orma_buf_put_byte(&out, ' ');
            bool is_args = path.len > 2 && path.data[0] == '{';
            if (is_args)
                path = (struct orma_str){path.data + 1, path.len - 2};
            put_cell(&out, storage, t, row, path, is_args);
        }
        orma_buf_put_byte(&out, '\n');
    }
    char *text = strdup(orma_buf_cstr(&out));
    orma_buf_fini(&out);
    return text;
}
