/* Flame graphs: the frames of the source, and the properties of merged ones. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "processor/sql/profiles/flamegraph.h"
#include "sdk/base/buf.h"
#include "sdk/base/map.h"

#define NONE UINT32_MAX

/* ---- the source ---- */

bool orma_fg_is_property(const struct orma_fg_source *src, unsigned col)
{
    static const char *const taken[] = {"id",
                                        "parent_id",
                                        "name",
                                        "_tree_id",
                                        "_tree_parent_id",
                                        "depth",
                                        "self_value",
                                        "cumulative_value",
                                        "parent_cumulative_value",
                                        "x_start",
                                        "x_end",
                                        "config"};
    const char *name = src->rows->columns[col].name;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(taken); i++) {
        if (!sqlite3_stricmp(name, taken[i]))
            return false;
    }
    return orma_dataframe_find(src->rows, name) == (int)col;
}

int orma_fg_link(struct orma_fg_source *src, unsigned id, unsigned parent)
{
    const struct orma_table *t = &src->rows->table;
    struct orma_map rows = {0};
    int r = 0;

    src->parents = malloc(((size_t)t->rows + 1) * sizeof(*src->parents));
    if (!src->parents)
        return -ENOMEM;
    for (uint32_t row = 0; row < t->rows && r == 0; row++) {
        uint64_t key = (uint64_t)orma_table_int(t, id, row);

        src->parents[row] = NONE;
        if (!orma_table_is_null(t, parent, row)) {
            uint64_t up = orma_map_get(&rows, (uint64_t)orma_table_int(t, parent, row));

            if (up == ORMA_MAP_NONE)
                r = -EINVAL;
            else
                src->parents[row] = (uint32_t)up;
        }
        if (orma_table_is_null(t, id, row) || src->rows->columns[id].type != ORMA_DATAFRAME_INT ||
            orma_map_get(&rows, key) != ORMA_MAP_NONE)
            r = -EINVAL;
        if (r == 0 && orma_map_put(&rows, key, row) < 0)
            r = -ENOMEM;
    }
    orma_map_fini(&rows);
    return r;
}

double orma_fg_value(const struct orma_fg_source *src, unsigned col, uint32_t row)
{
    const struct orma_table *t = &src->rows->table;

    if (orma_table_is_null(t, col, row) || src->rows->columns[col].type == ORMA_DATAFRAME_TEXT)
        return 0;
    if (src->rows->columns[col].type == ORMA_DATAFRAME_DOUBLE)
        return orma_column_double(&t->columns[col], row);
    return (double)orma_table_int(t, col, row);
}

/* A cell as bits that are equal for equal cells. */
uint64_t orma_fg_bits(const struct orma_fg_source *src, unsigned col, uint32_t row)
{
    const struct orma_table *t = &src->rows->table;
    uint64_t bits = 0x8000000000000001u; /* NULL */

    if (orma_table_is_null(t, col, row))
        return bits;
    if (src->rows->columns[col].type == ORMA_DATAFRAME_DOUBLE) {
        double d = orma_column_double(&t->columns[col], row);

        memcpy(&bits, &d, sizeof(d));
        return bits;
    }
    return (uint64_t)orma_table_int(t, col, row);
}

void orma_fg_result_fini(struct orma_fg_result *self)
{
    free(self->rows);
    free(self->members);
    free(self->kinds);
    free(self->from);
    *self = (struct orma_fg_result){0};
}

/* ---- properties ---- */

static void put_cell(const struct orma_fg_source *src, struct orma_buf *out, unsigned col,
                     uint32_t row)
{
    const struct orma_table *t = &src->rows->table;

    if (src->rows->columns[col].type == ORMA_DATAFRAME_TEXT)
        orma_buf_put_str(out, orma_strpool_cstr(&src->sql->storage->pool,
                                                (uint32_t)orma_table_int(t, col, row)));
    else if (src->rows->columns[col].type == ORMA_DATAFRAME_DOUBLE)
        orma_buf_printf(out, "%g", orma_column_double(&t->columns[col], row));
    else
        orma_buf_printf(out, "%" PRId64, orma_table_int(t, col, row));
}

/* Distinct values: all of them with commas, or the first one and how many others there are. */
static void result_distinct(const struct orma_fg_source *src, const struct orma_fg_result *result,
                            uint32_t first, unsigned col, bool all, sqlite3_context *ctx)
{
    struct orma_map seen = {0};
    struct orma_buf out = {0};
    size_t num = 0;

    for (uint32_t m = first; m != NONE; m = result->members[2 * (size_t)m + 1]) {
        uint32_t row = result->members[2 * (size_t)m];
        uint64_t bits = orma_fg_bits(src, col, row);

        if (orma_table_is_null(&src->rows->table, col, row) ||
            orma_map_get(&seen, bits) != ORMA_MAP_NONE)
            continue;
        out.failed |= orma_map_put(&seen, bits, 0) < 0;
        if (all || !num) {
            orma_buf_put_str(&out, num ? "," : "");
            put_cell(src, &out, col, row);
        }
        num++;
    }
    if (!all && num > 1)
        orma_buf_printf(&out, " and %zu others", num - 1);
    orma_map_fini(&seen);
    if (num)
        orma_result_buf(ctx, &out, false);
    else
        orma_buf_fini(&out);
}

void orma_fg_result_property(const struct orma_fg_source *src, const struct orma_fg_result *result,
                             uint32_t row, unsigned col, sqlite3_context *ctx)
{
    uint32_t first = result->rows[row].first_member;
    unsigned from = result->from[col];
    double sum = 0;

    if (first == NONE)
        return;
    switch ((enum orma_fg_property)result->kinds[col]) {
    case ORMA_FG_NONE:
        break;
    case ORMA_FG_GROUP:
        orma_dataframe_result(src->rows, ctx, from, result->members[2 * (size_t)first]);
        break;
    case ORMA_FG_SUM:
        for (uint32_t m = first; m != NONE; m = result->members[2 * (size_t)m + 1])
            sum += orma_fg_value(src, from, result->members[2 * (size_t)m]);
        if (src->rows->columns[from].type == ORMA_DATAFRAME_DOUBLE)
            sqlite3_result_double(ctx, sum);
        else
            sqlite3_result_int64(ctx, (int64_t)sum);
        break;
    case ORMA_FG_ONE:
    case ORMA_FG_CONCAT:
        result_distinct(src, result, first, from, result->kinds[col] == ORMA_FG_CONCAT, ctx);
        break;
    }
}
