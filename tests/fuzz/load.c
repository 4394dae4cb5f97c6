#include "tests/fuzz/load.h"

#include <stdlib.h>

#include "processor/import/formats/file.h"
#include "processor/store/storage.h"

/* Every cell once: columns that are made when they are asked for, args of every set. */
static uint64_t read_tables(struct orma_storage *storage)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        const struct orma_table *t = &storage->tables[i];

        for (uint32_t row = 0; row < t->rows; row++)
            for (unsigned col = 0; col < t->def->columns_num; col++)
                sum += (uint64_t)orma_table_int(t, col, row);
    }
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

int fuzz_load(const uint8_t *data, size_t size, size_t step)
{
    struct orma_storage *storage = calloc(1, sizeof(*storage));
    struct orma_import *imp = calloc(1, sizeof(*imp));
    struct orma_file *file = NULL;
    int r = storage && imp ? orma_storage_init(storage) : -1;

    if (!r)
        r = orma_import_init(imp, storage);
    if (!r)
        file = orma_file_new(imp, NULL, 0);
    for (size_t pos = 0, n; file && pos < size && !orma_file_failed(file); pos += n) {
        n = step ? ORMA_MIN(step, size - pos) : size;
        orma_file_feed(file, data + pos, n);
    }
    if (file && !orma_file_failed(file))
        orma_file_finish(file);
    if (file && !orma_file_failed(file))
        orma_import_finish(imp);
    if (!r && (!file || orma_file_failed(file)))
        r = -1;
    if (!r) {
        orma_storage_write_stats(storage, imp->machines_num);
        (void)read_tables(storage); /* that it ends is all that is asked for */
    }
    if (imp && imp->storage)
        orma_import_fini(imp);
    if (storage)
        orma_storage_fini(storage);
    free(imp);
    free(storage);
    return r;
}
