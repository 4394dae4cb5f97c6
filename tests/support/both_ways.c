#include "tests/support/both_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/assembly/importers.h"
#include "processor/import/core/file.h"

struct loaded {
    struct orma_storage storage;
    struct orma_import import;
};

enum way { LONG_WAY, SHORT_WAY, SHORT_WAY_BESIDE };

static struct loaded *load(const uint8_t *data, size_t len, size_t step, enum way way)
{
    struct loaded *l = calloc(1, sizeof(*l));
    struct orma_file *file = NULL;

    if (!l || orma_storage_init(&l->storage) ||
        orma_import_init(&l->import, &l->storage, &orma_importers, NULL))
        return l;
    if (way == LONG_WAY) {
        l->import.reader.no_bursts = l->import.options.no_plain_events = true;
        l->import.reader.sorter.read_plain = NULL;
    }
    l->import.reader.sorter.threads = way == SHORT_WAY_BESIDE;
    l->import.reader.sorter.threads_from = len % 2 ? 1 : 16; /* and mostly given up soon */
    file = orma_file_new(&l->import, NULL, 0);
    for (size_t pos = 0, n; file && pos < len && !orma_file_failed(file); pos += n) {
        n = step ? ORMA_MIN(step, len - pos) : len;
        orma_file_feed(file, data + pos, n);
    }
    if (file && !orma_file_failed(file))
        orma_file_finish(file);
    orma_import_finish(&l->import);
    return l;
}

static void unload(struct loaded *l)
{
    if (!l)
        return;
    if (l->import.table)
        orma_import_fini(&l->import);
    orma_storage_fini(&l->storage);
    free(l);
}

static char where[200];

static bool is_same_cell(const struct orma_table *a, const struct orma_table *b, unsigned col,
                         uint32_t row)
{
    if (orma_table_int(a, col, row) != orma_table_int(b, col, row) ||
        orma_table_is_null(a, col, row) != orma_table_is_null(b, col, row))
        return false;
    return a->def->columns[col].kind != ORMA_COL_DOUBLE ||
           orma_column_double(&a->columns[col], row) == orma_column_double(&b->columns[col], row);
}

static const char *table_differs(const struct orma_table *a, const struct orma_table *b)
{
    if (a->rows != b->rows) {
        snprintf(where, sizeof(where), "%s: %u and %u rows", a->def->name, a->rows, b->rows);
        return where;
    }
    for (uint32_t row = 0; row < a->rows; row++)
        for (unsigned col = 0; col < a->def->columns_num; col++)
            if (!is_same_cell(a, b, col, row)) {
                snprintf(where, sizeof(where), "%s.%s of row %u", a->def->name,
                         a->def->columns[col].name, row);
                return where;
            }
    return NULL;
}

static const char *storage_differs(const struct orma_storage *a, const struct orma_storage *b)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (table_differs(&a->tables[i], &b->tables[i]))
            return where;
    if (a->pool.len != b->pool.len)
        return "number of texts";
    for (uint32_t i = 0; i < a->pool.len; i++)
        if (!orma_str_eq(orma_strpool_get(&a->pool, i), orma_strpool_get(&b->pool, i)))
            return "texts";
    for (unsigned m = 0; m < ORMA_MACHINES_MAX; m++)
        for (unsigned i = 0; i < ORMA_STATS_NUM; i++)
            if (a->stats[m].single[i] != b->stats[m].single[i] &&
                !strstr(orma_stat_defs[i].name, "duration")) {
                snprintf(where, sizeof(where), "statistic %s", orma_stat_defs[i].name);
                return where;
            }
    return a->failed != b->failed ? "out of memory" : NULL;
}

const char *both_ways_differ(const uint8_t *data, size_t len, size_t step)
{
    struct loaded *expected = load(data, len, step, LONG_WAY);
    const char *ret = NULL;

    for (enum way way = SHORT_WAY; way <= SHORT_WAY_BESIDE && !ret; way++) {
        struct loaded *got = load(data, len, step, way);

        ret =
            expected && got ? storage_differs(&got->storage, &expected->storage) : "out of memory";
        unload(got);
    }
    unload(expected);
    return ret;
}
