/*
 * What simpleperf's report-sample writes: "SIMPLEPERF", a version, then messages, each after its
 * size, up to a size of 0. Files with their symbols and threads may come after the samples that
 * need them, so it is walked twice.
 */
#include "processor/import/formats/formats.h"

#include <errno.h>

#include "processor/model/callstacks.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"

#define MAGIC_LEN 10
#define VERSION 1

/* Field numbers of cmd_report_sample.proto. */
enum { RECORD_SAMPLE = 1, RECORD_LOST = 2, RECORD_FILE = 3, RECORD_THREAD = 4 };
enum { SAMPLE_TIME = 1, SAMPLE_THREAD = 2, SAMPLE_CALLCHAIN = 3 };
enum { ENTRY_ADDRESS = 1, ENTRY_FILE = 2, ENTRY_SYMBOL = 3 };
enum { FILE_ID = 1, FILE_PATH = 2, FILE_SYMBOL = 3 };
enum { THREAD_ID = 1, THREAD_PROCESS = 2, THREAD_NAME = 3 };

struct simpleperf {
    struct orma_map files;     /* id → row of a mapping */
    struct orma_map symbols;   /* id of a file << 32 | index → pool id */
    ORMA_VEC(uint32_t) frames; /* of the sample at hand, innermost first */
    struct orma_arena arena;
};

/* A sample at rest. */
struct event {
    uint32_t tid, callsite;
};

static void put(struct orma_file *file, struct orma_map *map, uint64_t key, uint64_t val)
{
    file->imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

static struct orma_unit_end read_file(struct orma_file *file, struct orma_pb_reader r)
{
    struct simpleperf *s = file->state;
    struct orma_pb_reader again = r;
    struct orma_mapping m = {0};
    struct orma_pb_field f;
    uint32_t id = 0, num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == FILE_ID)
            id = (uint32_t)orma_pb_u64(&f);
        else if (f.id == FILE_PATH)
            m.name = orma_model_str(file->imp->model, orma_pb_str(&f));
    }
    if (r.failed)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of files");
    put(file, &s->files, id, orma_callstacks_add_mapping(file->imp->model, &m));
    while (orma_pb_next(&again, &f))
        if (f.id == FILE_SYMBOL)
            put(file, &s->symbols, (uint64_t)id << 32 | num++,
                orma_model_str(file->imp->model, orma_pb_str(&f)));
    return orma_file_took(file);
}

static struct orma_unit_end read_thread(struct orma_file *file, struct orma_pb_reader r)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct orma_str name = {0};
    struct orma_pb_field f;
    uint32_t tid = 0, pid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == THREAD_ID)
            tid = (uint32_t)orma_pb_u64(&f);
        else if (f.id == THREAD_PROCESS)
            pid = (uint32_t)orma_pb_u64(&f);
        else if (f.id == THREAD_NAME)
            name = orma_pb_str(&f);
    }
    if (r.failed)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of threads");
    uint32_t utid = orma_processes_thread_of(p, tid, pid);
    if (name.len) /* of the thread: the process is named nowhere */
        orma_processes_name_thread(p, utid, orma_model_str(file->imp->model, name),
                                   ORMA_THREAD_NAME_OTHER);
    return orma_file_took(file);
}

static uint32_t read_frame(struct orma_file *file, struct orma_pb_reader r)
{
    struct simpleperf *s = file->state;
    struct orma_stack_frame frame = {0};
    struct orma_pb_field f;
    uint32_t id = 0;
    int32_t symbol = -1;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ENTRY_ADDRESS)
            frame.rel_pc = orma_pb_u64(&f);
        else if (f.id == ENTRY_FILE)
            id = (uint32_t)orma_pb_u64(&f);
        else if (f.id == ENTRY_SYMBOL)
            symbol = (int32_t)orma_pb_i64(&f);
    }
    if (r.failed)
        return ORMA_ROW_NONE;
    uint64_t mapping = orma_map_get(&s->files, id);
    if (mapping == ORMA_MAP_NONE) {
        orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                       ORMA_STAT_SIMPLEPERF_MISSING_FILE_MAPPING);
        return ORMA_ROW_NONE;
    }
    uint64_t name = symbol < 0 ? ORMA_MAP_NONE
                               : orma_map_get(&s->symbols, (uint64_t)id << 32 | (uint32_t)symbol);
    if (symbol >= 0 && name == ORMA_MAP_NONE)
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "names of frames missing from their file",
                       file->unit_at);
    frame.mapping = (uint32_t)mapping;
    frame.name = name == ORMA_MAP_NONE ? 0 : (uint32_t)name;
    return orma_callstacks_frame(file->imp->model, &frame);
}

/* Innermost first, as it is written. A stack of which a frame is not known is none. */
static struct orma_unit_end read_sample(struct orma_file *file, struct orma_pb_reader r)
{
    struct simpleperf *s = file->state;
    struct event e = {.callsite = ORMA_CALLSITE_NONE}, *kept;
    struct orma_pb_field f;
    bool broken = false, has_ts = false, has_tid = false;
    int64_t ts = 0;

    s->frames.len = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == SAMPLE_TIME) {
            ts = orma_pb_i64(&f);
            has_ts = true;
        } else if (f.id == SAMPLE_THREAD) {
            e.tid = (uint32_t)orma_pb_u64(&f);
            has_tid = true;
        } else if (f.id == SAMPLE_CALLCHAIN && !broken) {
            uint32_t frame = read_frame(file, orma_pb_sub(&f));

            broken = frame == ORMA_ROW_NONE;
            file->imp->model->storage->failed |= !broken && ORMA_VEC_PUSH(&s->frames, frame);
        }
    }
    if (r.failed)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "samples");
    if (!has_ts || !has_tid)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "samples without a time or thread");
    for (uint32_t i = broken ? 0 : s->frames.len; i-- > 0;)
        e.callsite = orma_callstacks_callsite(file->imp->model, e.callsite, s->frames.data[i]);
    if (e.callsite == ORMA_CALLSITE_NONE)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED,
                                 "samples without a stack, or in files without a record");
    kept = orma_arena_alloc(&s->arena, sizeof(*kept));
    if (!kept) {
        file->imp->model->storage->failed = true;
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "samples"); /* memory is out */
    }
    *kept = e;
    return orma_file_add(file, ts, 0, (const uint8_t *)kept, sizeof(*kept));
}

/* What a record holds; records of samples are read last, all others are counted before. */
static struct orma_unit_end read_field(struct orma_file *file, const struct orma_pb_field *f,
                                       bool samples)
{
    if (samples != (f->id == RECORD_SAMPLE))
        return (struct orma_unit_end){false}; /* read in the other turn */
    orma_file_unit(file, f->data);
    switch (f->id) {
    case RECORD_SAMPLE:
        return read_sample(file, orma_pb_sub(f));
    case RECORD_FILE:
        return read_file(file, orma_pb_sub(f));
    case RECORD_THREAD:
        return read_thread(file, orma_pb_sub(f));
    case RECORD_LOST:
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "records of lost samples");
    default:
        return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "records of field %u", f->id);
    }
}

/* False where the file ends too early. */
static bool each(struct orma_file *file, const uint8_t *data, size_t len, bool samples)
{
    struct orma_pb_field f;

    for (size_t at = MAGIC_LEN + 2, size; at + 4 <= len; at += size) {
        size = data[at] | data[at + 1] << 8 | data[at + 2] << 16 | (size_t)data[at + 3] << 24;
        at += 4;
        if (!size) {
            if (samples && at < len)
                orma_file_damage(file, data + at, len - at, "bytes after the last record");
            return true;
        }
        if (size > len - at)
            return false;
        struct orma_pb_reader r = orma_pb_reader(data + at, size);
        while (orma_pb_next(&r, &f)) {
            (void)read_field(file, &f, samples);
        }
        if (r.failed)
            return false;
    }
    return false;
}

static size_t simpleperf_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    (void)at_end; /* it is read once, whole */
    if (len < MAGIC_LEN + 2 || (data[MAGIC_LEN] | data[MAGIC_LEN + 1] << 8) != VERSION) {
        orma_file_error(file, -EBADMSG, "simpleperf: only version %d can be read (ERR:tp-corrupt)",
                        VERSION);
        return len;
    }
    if (!each(file, data, len, false) || !each(file, data, len, true))
        orma_file_error(file, -EBADMSG,
                        "Unexpected end of simpleperf_proto file (ERR:tp-corrupt): it is "
                        "truncated, or a record in it is malformed");
    return len;
}

static struct orma_unit_end simpleperf_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct event e;

    memcpy(&e, item->data, sizeof(e));
    orma_callstacks_stack(file->imp->model, item->ts, "simpleperf", orma_processes_thread(p, e.tid),
                          e.callsite);
    return orma_file_took(file);
}

static void simpleperf_fini(struct orma_file *file)
{
    struct simpleperf *s = file->state;

    orma_map_fini(&s->files);
    orma_map_fini(&s->symbols);
    ORMA_VEC_FINI(&s->frames);
    orma_arena_fini(&s->arena);
}

const struct orma_format_ops orma_format_simpleperf = {
    .state_bytes = sizeof(struct simpleperf),
    .clock = ORMA_CLOCK_MONOTONIC,
    .unit = "record",
    .whole = true,
    .read = simpleperf_read,
    .parse = simpleperf_parse,
    .fini = simpleperf_fini,
};
