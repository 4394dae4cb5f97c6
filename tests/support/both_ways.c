#include "tests/support/both_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/assembly/importers.h"
#include "processor/import/core/file.h"
#include "processor/threads/crew.h"
#include "tests/support/account.h"

struct loaded {
    struct orma_storage storage;
    struct orma_import import;
    const char *account; /* what is wrong with it */
    bool late;           /* decoding args did more than make args */
};

/* LATER: args are decoded when all else is there, which makes the numbers of texts others. */
enum way { LONG_WAY, SHORT_WAY, SHORT_WAY_BESIDE, LATER, LATER_BESIDE };

static uint64_t sum_of_effects(const struct orma_storage *s)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        sum += i == ORMA_TABLE_ARGS ? 0 : s->tables[i].rows;
    for (unsigned m = 0; m < ORMA_MACHINES_MAX; m++)
        for (unsigned i = 0; i < ORMA_STATS_NUM; i++)
            sum += (uint64_t)s->stats[m].single[i];
    return sum;
}

static void settle(struct loaded *l)
{
    const uint64_t before = sum_of_effects(&l->storage);

    (void)orma_args_settle(&l->storage.args); /* no memory: that is seen below */
    l->late = sum_of_effects(&l->storage) != before;
}

/* `crew`: NULL, or who may unpack, and make rows. */
static struct loaded *load(const uint8_t *data, size_t len, size_t step, enum way way,
                           struct orma_crew *crew)
{
    struct loaded *l = calloc(1, sizeof(*l));
    struct orma_file *file = NULL;

    if (!l || orma_storage_init(&l->storage) ||
        orma_import_init(&l->import, &l->storage, &orma_importers, NULL))
        return l;
    if (way == LONG_WAY) {
        l->import.reader.burst.off = l->import.options.no_plain_events = true;
        l->import.reader.sorter.read_plain = NULL;
    }
    if (way >= LATER)
        orma_args_log(&l->storage.args);
    l->import.reader.crew = crew;
    l->import.reader.sorter.threads = way == SHORT_WAY_BESIDE || way == LATER_BESIDE;
    l->import.reader.sorter.threads_from = len % 2 ? 1 : 16; /* and mostly given up soon */
    if (crew) {
        l->import.reader.sorter.threads_from = len % 5 ? 1 : 64;
        l->import.reader.sorter.batch_from = 1 + len % 7;
    }
    file = orma_file_new(&l->import, NULL, 0);
    for (size_t pos = 0, n; file && pos < len && !orma_file_failed(file); pos += n) {
        n = step ? ORMA_MIN(step, len - pos) : len;
        orma_file_feed(file, data + pos, n);
    }
    if (file && !orma_file_failed(file))
        orma_file_finish(file);
    orma_import_finish(&l->import);
    l->account = file && !orma_file_failed(file) ? account_wrong(&l->storage) : NULL;
    orma_args_log_end(&l->storage.args);
    settle(l);
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

static struct orma_str text_at(const struct orma_storage *s, enum orma_table_id table, unsigned col,
                               uint32_t row)
{
    return orma_strpool_get(&s->pool, (uint32_t)orma_table_int(&s->tables[table], col, row));
}

/* NaN is NaN. */
static bool is_same_double(double a, double b)
{
    return a == b || (a != a && b != b);
}

static bool is_same_cell(const struct orma_storage *x, const struct orma_storage *y,
                         enum orma_table_id table, unsigned col, uint32_t row)
{
    const struct orma_table *a = &x->tables[table], *b = &y->tables[table];

    if (orma_table_is_null(a, col, row) != orma_table_is_null(b, col, row))
        return false;
    if (orma_table_is_null(a, col, row))
        return true;
    if (a->def->columns[col].kind == ORMA_COL_STRING)
        return orma_str_eq(text_at(x, table, col, row), text_at(y, table, col, row));
    return orma_table_int(a, col, row) == orma_table_int(b, col, row) &&
           (a->def->columns[col].kind != ORMA_COL_DOUBLE ||
            is_same_double(orma_column_double(&a->columns[col], row),
                           orma_column_double(&b->columns[col], row)));
}

static const char *table_differs(const struct orma_storage *x, const struct orma_storage *y,
                                 enum orma_table_id table)
{
    const struct orma_table *a = &x->tables[table], *b = &y->tables[table];

    if (a->rows != b->rows) {
        snprintf(where, sizeof(where), "%s: %u and %u rows", a->def->name, a->rows, b->rows);
        return where;
    }
    for (uint32_t row = 0; row < a->rows; row++)
        for (unsigned col = 0; col < a->def->columns_num; col++)
            if (!is_same_cell(x, y, table, col, row)) {
                snprintf(where, sizeof(where), "%s.%s of row %u", a->def->name,
                         a->def->columns[col].name, row);
                fprintf(stderr, "%ld %ld kind %.*s\n", (long)orma_table_int(a, col, row),
                        (long)orma_table_int(b, col, row), ORMA_STR_ARG(text_at(x, table, 4, row)));
                return where;
            }
    return NULL;
}

/* Args that were left and that no row has bring no texts. */
static bool has_same_texts(const struct orma_storage *a, const struct orma_storage *b,
                           bool in_order)
{
    for (uint32_t i = 1; i < a->pool.len; i++) {
        struct orma_str text = orma_strpool_get(&a->pool, i);
        uint32_t found = orma_strpool_find(&b->pool, text);

        if (in_order ? found != i : !found)
            return false;
    }
    return in_order ? a->pool.len == b->pool.len : a->pool.len <= b->pool.len;
}

static const char *storage_differs(const struct orma_storage *a, const struct orma_storage *b,
                                   enum way way)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (table_differs(a, b, (enum orma_table_id)i))
            return where;
    if (!has_same_texts(a, b, way != LATER))
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
    struct loaded *expected = load(data, len, step, LONG_WAY, NULL);
    const char *ret = NULL;

    for (enum way way = SHORT_WAY; way <= LATER && !ret; way++) {
        struct loaded *got = load(data, len, step, way, NULL);

        ret = !expected || !got ? "out of memory"
              : got->account    ? got->account
                                : storage_differs(&got->storage, &expected->storage, way);
        if (!ret && got->late)
            ret = "rows or statistics that came with args";
        unload(got);
    }
    unload(expected);
    return ret;
}

/* By a crew, and not. */
static const char *crew_differs(const uint8_t *data, size_t len, size_t step, enum way way,
                                const struct loaded *expected, unsigned threads)
{
    struct orma_crew *crew = orma_crew_new(threads);
    struct loaded *got = load(data, len, step, way, crew);
    const char *ret = !expected || !got || !crew ? "out of memory"
                      : got->account             ? got->account
                                     : storage_differs(&got->storage, &expected->storage, SHORT_WAY);

    if (!ret && strcmp(got->import.reader.error ? got->import.reader.error : "",
                       expected->import.reader.error ? expected->import.reader.error : ""))
        ret = "error";
    unload(got);
    orma_crew_free(crew);
    return ret;
}

const char *both_ways_threads_differ(const uint8_t *data, size_t len, size_t step)
{
    static const unsigned threads[] = {2, 3, 8};
    struct loaded *expected = load(data, len, step, SHORT_WAY, NULL);
    struct loaded *later = load(data, len, step, LATER, NULL);
    const char *ret = NULL;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(threads) && !ret; i++) {
        ret = crew_differs(data, len, step, SHORT_WAY_BESIDE, expected, threads[i]);
        if (!ret)
            ret = crew_differs(data, len, step, LATER_BESIDE, later, threads[i]);
    }
    unload(expected);
    unload(later);
    return ret;
}
