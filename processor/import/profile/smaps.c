/*
 * Memory maps of processes, as /proc/pid/smaps sums them up.
 *
 * The trace has them in two forms: one message per map, or packed, one list per column. The tables
 * `texts` and `numbers` map the fields of both to columns of the row. Packed columns are read one
 * by one: the list of names makes the rows, the others fill them and must have the same length.
 */
#include "processor/import/profile/profile.h"

#include "protos/fields/profiling.h"
#include "sdk/base/vec.h"

#define DELETED ORMA_STR(" (deleted)")

/* Which column a field of SmapsEntry goes to, and which one of PackedSmaps. */
static const struct {
    uint32_t entry, packed;
    unsigned col;
} numbers[] = {
    {ORMA_PB_SMAPS_ENTRY_SIZE_KB, ORMA_PB_PACKED_SMAPS_SIZE_KB, ORMA_PROFILER_SMAPS_SIZE_KB},
    {ORMA_PB_SMAPS_ENTRY_PRIVATE_DIRTY_KB, ORMA_PB_PACKED_SMAPS_PRIVATE_DIRTY_KB,
     ORMA_PROFILER_SMAPS_PRIVATE_DIRTY_KB},
    {ORMA_PB_SMAPS_ENTRY_SWAP_KB, ORMA_PB_PACKED_SMAPS_SWAP_KB, ORMA_PROFILER_SMAPS_SWAP_KB},
    {ORMA_PB_SMAPS_ENTRY_START_ADDRESS, 0, ORMA_PROFILER_SMAPS_START_ADDRESS},
    {ORMA_PB_SMAPS_ENTRY_MODULE_TIMESTAMP, 0, ORMA_PROFILER_SMAPS_MODULE_TIMESTAMP},
    {ORMA_PB_SMAPS_ENTRY_PROTECTION_FLAGS, 0, ORMA_PROFILER_SMAPS_PROTECTION_FLAGS},
    {ORMA_PB_SMAPS_ENTRY_PRIVATE_CLEAN_RESIDENT_KB, ORMA_PB_PACKED_SMAPS_PRIVATE_CLEAN_KB,
     ORMA_PROFILER_SMAPS_PRIVATE_CLEAN_RESIDENT_KB},
    {ORMA_PB_SMAPS_ENTRY_SHARED_DIRTY_RESIDENT_KB, ORMA_PB_PACKED_SMAPS_SHARED_DIRTY_KB,
     ORMA_PROFILER_SMAPS_SHARED_DIRTY_RESIDENT_KB},
    {ORMA_PB_SMAPS_ENTRY_SHARED_CLEAN_RESIDENT_KB, ORMA_PB_PACKED_SMAPS_SHARED_CLEAN_KB,
     ORMA_PROFILER_SMAPS_SHARED_CLEAN_RESIDENT_KB},
    {ORMA_PB_SMAPS_ENTRY_LOCKED_KB, ORMA_PB_PACKED_SMAPS_LOCKED_KB, ORMA_PROFILER_SMAPS_LOCKED_KB},
    {ORMA_PB_SMAPS_ENTRY_PROPORTIONAL_RESIDENT_KB, ORMA_PB_PACKED_SMAPS_PSS_KB,
     ORMA_PROFILER_SMAPS_PROPORTIONAL_RESIDENT_KB},
    {0, ORMA_PB_PACKED_SMAPS_RSS_KB, ORMA_PROFILER_SMAPS_RSS_KB},
    {0, ORMA_PB_PACKED_SMAPS_ANONYMOUS_KB, ORMA_PROFILER_SMAPS_ANONYMOUS_KB},
    {0, ORMA_PB_PACKED_SMAPS_PSS_DIRTY_KB, ORMA_PROFILER_SMAPS_PSS_DIRTY_KB},
    {0, ORMA_PB_PACKED_SMAPS_SWAP_PSS_KB, ORMA_PROFILER_SMAPS_SWAP_PSS_KB},
    {0, ORMA_PB_PACKED_SMAPS_AGGREGATE_COUNT, ORMA_PROFILER_SMAPS_AGGREGATE_COUNT},
};

static const struct {
    uint32_t entry;
    unsigned col;
} texts[] = {
    {ORMA_PB_SMAPS_ENTRY_FILE_NAME, ORMA_PROFILER_SMAPS_FILE_NAME},
    {ORMA_PB_SMAPS_ENTRY_MODULE_DEBUGID, ORMA_PROFILER_SMAPS_MODULE_DEBUGID},
    {ORMA_PB_SMAPS_ENTRY_MODULE_DEBUG_PATH, ORMA_PROFILER_SMAPS_MODULE_DEBUG_PATH},
};

static uint32_t add_row(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t upid)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROFILER_SMAPS);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_PROFILER_SMAPS_UPID, row, upid);
    orma_table_set(t, ORMA_PROFILER_SMAPS_TS, row, item->ts);
    orma_table_set(t, ORMA_PROFILER_SMAPS_AGGREGATE_COUNT, row, 1);
    return row;
}

static void set_path(struct orma_import_ctx *imp, uint32_t row, struct orma_str path)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROFILER_SMAPS);
    bool deleted = path.len >= DELETED.len &&
                   !memcmp(path.data + path.len - DELETED.len, DELETED.data, DELETED.len);

    orma_table_set(t, ORMA_PROFILER_SMAPS_PATH, row, orma_model_str(imp->model, path));
    orma_table_set(t, ORMA_PROFILER_SMAPS_IS_DELETED, row, deleted);
    if (deleted)
        path.len -= DELETED.len;
    orma_table_set(t, ORMA_PROFILER_SMAPS_PATH_TRIMMED, row, orma_model_str(imp->model, path));
}

static void entry(struct orma_import_ctx *imp, uint32_t row, struct orma_pb_reader r)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROFILER_SMAPS);
    struct orma_pb_field f;

    set_path(imp, row, ORMA_STR(""));
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SMAPS_ENTRY_PATH)
            set_path(imp, row, orma_pb_str(&f));
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++)
            if (texts[i].entry == f.id)
                orma_table_set(t, texts[i].col, row, orma_model_str(imp->model, orma_pb_str(&f)));
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(numbers); i++)
            if (numbers[i].entry && numbers[i].entry == f.id)
                orma_table_set(t, numbers[i].col, row, orma_pb_i64(&f));
    }
}

ORMA_VEC_STRUCT(texts, struct orma_str);

/* The packet's table of texts. */
static void read_texts(struct orma_import_ctx *imp, struct orma_pb_reader r, struct texts *ret)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PACKED_SMAPS_STRING_TABLE && ORMA_VEC_PUSH(ret, orma_pb_str(&f)))
            imp->model->storage->failed = true;
}

/* Columns instead of entries: each field is a list with a number per map. */
static void packed(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t upid,
                   struct orma_pb_reader bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROFILER_SMAPS);
    struct orma_pb_reader r = bytes;
    struct orma_pb_field f;
    uint32_t first = t->rows, num = 0;
    struct texts names = {0};
    uint64_t val;

    read_texts(imp, bytes, &names);
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader list = {0};

        if (f.id != ORMA_PB_PACKED_SMAPS_NAME_ID)
            continue;
        for (orma_pb_numbers(&f, &list); orma_pb_number(&f, &list, &val); num++)
            set_path(imp, add_row(imp, item, upid),
                     val < names.len ? names.data[val] : ORMA_STR(""));
    }
    ORMA_VEC_FINI(&names);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(numbers); i++) {
        uint32_t n = 0;

        for (r = bytes; numbers[i].packed && orma_pb_next(&r, &f);) {
            struct orma_pb_reader list = {0};

            if (f.id != numbers[i].packed)
                continue;
            for (orma_pb_numbers(&f, &list); orma_pb_number(&f, &list, &val); n++)
                if (n < num)
                    orma_table_set(t, numbers[i].col, first + n, (int64_t)val);
        }
        if (n && n != num) {
            orma_stats_inc(orma_model_stats(imp->model, item->machine),
                           ORMA_STAT_SMAPS_PARSER_ERRORS);
            return;
        }
    }
}

void orma_profile_smaps_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_SMAPS_PACKET_PID)
            pid = orma_pb_u32(&f);
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, item->machine), pid);
    for (r = orma_pb_reader(item->data, item->len); orma_pb_next(&r, &f);) {
        if (f.id == ORMA_PB_SMAPS_PACKET_ENTRIES)
            entry(imp, add_row(imp, item, upid), orma_pb_sub(&f));
        else if (f.id == ORMA_PB_SMAPS_PACKET_PACKED_ENTRIES)
            packed(imp, item, upid, orma_pb_sub(&f));
    }
}
