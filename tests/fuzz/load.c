#include "tests/fuzz/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/assembly/importers.h"
#include "processor/import/core/file.h"
#include "processor/store/storage.h"
#include "sdk/base/hash.h"
#include "tests/support/account.h"

/* Every cell once: columns that are made when they are asked for, args of every set. */
static uint64_t read_tables(struct orma_storage *storage)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        const struct orma_table *t = &storage->tables[i];

        for (uint32_t row = 0; !t->waits && row < t->rows; row++)
            for (unsigned col = 0; col < t->def->columns_num; col++)
                sum += (uint64_t)orma_table_int(t, col, row);
    }
    sum += orma_args_settle(&storage->args); /* what was left is decoded now */
    if (orma_args_source_settle(&storage->args)) {
        const struct orma_table *t = &storage->tables[ORMA_TABLE_FTRACE_EVENT];
        struct orma_args_list args = {0};

        for (uint32_t row = 0; row < t->rows; row++) {
            orma_args_load(&storage->args, orma_args_source_set(&storage->args, row), &args);
            sum += args.len;
        }
        orma_args_list_fini(&args);
    }
    return sum;
}

/* Whatever the bytes are, each unit of them was read or is counted. */
static void check_account(const struct orma_storage *storage)
{
    const char *wrong = account_wrong(storage);

    if (!wrong)
        return;
    fprintf(stderr, "%s\n", wrong);
    abort();
}

/* Somebody who writes over the bytes between two looks at them. */
struct meddler {
    uint8_t *data;
    size_t size;
    uint64_t state;
};

/* Writes over a few bytes, sometimes a range of them, as a page that is gone. */
static void meddle(struct meddler *m)
{
    for (unsigned i = 0; m && m->size && i < 8; i++) {
        uint64_t r = m->state = orma_mix64(m->state + 1);
        size_t at = (size_t)(r >> 16) % m->size;

        if (r % 16 == 0)
            memset(m->data + at, 0, ORMA_MIN((size_t)(r >> 8 & 0xff), m->size - at));
        else
            m->data[at] = (uint8_t)(r % 3 ? r >> 4 : 0xff);
    }
}

static void load_mapped(struct orma_file *file, const uint8_t *data, size_t size,
                        struct meddler *meddler)
{
    size_t pos = 0;

    for (size_t goal = 0; goal < size && !orma_file_failed(file); meddle(meddler)) {
        goal = ORMA_MIN(size, goal + size / 3 + 1);
        file->size = goal;
        pos += orma_file_map(file, data + pos, goal - pos, goal == size);
    }
}

static int run(const uint8_t *data, size_t size, size_t step, struct meddler *meddler)
{
    struct orma_storage *storage = calloc(1, sizeof(*storage));
    struct orma_import *imp = calloc(1, sizeof(*imp));
    struct orma_file *file = NULL;
    int r = storage && imp ? orma_storage_init(storage) : -1;

    if (!r)
        r = orma_import_init(imp, storage, &orma_importers, NULL);
    if (!r) {
        imp->late.always = meddler != NULL; /* what waits is looked at again long after */
        orma_args_log(&storage->args);
        file = orma_file_new(imp, NULL, 0);
    }
    if (file && meddler)
        load_mapped(file, data, size, meddler);
    for (size_t pos = 0, n; file && !meddler && pos < size && !orma_file_failed(file); pos += n) {
        n = step ? ORMA_MIN(step, size - pos) : size;
        orma_file_feed(file, data + pos, n);
    }
    if (file && !orma_file_failed(file))
        orma_file_finish(file);
    meddle(meddler);
    if (file && !orma_file_failed(file))
        orma_import_finish(imp);
    if (!r && (!file || orma_file_failed(file)))
        r = -1;
    if (!r) {
        check_account(storage);
        orma_storage_write_stats(storage, imp->model.machines_num);
        orma_args_log_end(&storage->args);
        meddle(meddler);
        (void)orma_storage_settle_all(storage); /* out of memory is no crash either */
        (void)read_tables(storage);             /* that it ends is all that is asked for */
    }
    if (imp && imp->table)
        orma_import_fini(imp);
    if (storage)
        orma_storage_fini(storage);
    free(imp);
    free(storage);
    return r;
}

int fuzz_load(const uint8_t *data, size_t size, size_t step)
{
    return run(data, size, step, NULL);
}

int fuzz_load_changing(const uint8_t *data, size_t size, uint64_t seed)
{
    struct meddler meddler = {malloc(size ? size : 1), size, seed};
    int r = -1;

    if (meddler.data && size)
        memcpy(meddler.data, data, size);
    if (meddler.data)
        r = run(meddler.data, size, 0, &meddler);
    free(meddler.data);
    return r;
}
