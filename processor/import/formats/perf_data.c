/*
 * Records of perf.data: noted with their time, and handled in sorted order.
 *
 * perf_read() walks the records once; each is an event of the file at its own time, as bytes that
 * stay where they are. What a record does depends on its type:
 *
 *   MMAP, MMAP2   a range of addresses of the process (or the kernel) belongs to a mapping
 *   COMM          names a thread, and the process of a main thread
 *   FORK, EXIT    begins and ends one
 *   SWITCH        puts a thread on a CPU, and takes it off
 *   SAMPLE        resolves its addresses in those ranges, and becomes a sample with its stack
 *                 (perf_sample.c); those of tracepoints are events of the kernel, too
 *                 (perf_events.c)
 *
 * Compressed records (perf record -z) hold others, in one stream for the whole file; those
 * are in memory until the end. A record with an impossible size is damage: reading goes on where
 * several plausible records follow each other.
 */
#include "processor/import/formats/perf_data.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/model/callstacks.h"

enum record {
    RECORD_MMAP = 1,
    RECORD_LOST = 2,
    RECORD_COMM = 3,
    RECORD_THROTTLE = 5,
    RECORD_UNTHROTTLE = 6,
    RECORD_SAMPLE = ORMA_PERF_RECORD_SAMPLE,
    RECORD_MMAP2 = ORMA_PERF_RECORD_MMAP2,
    RECORD_ITRACE_START = 12,
    RECORD_LOST_SAMPLES = 13,
    RECORD_KERNEL_LAST = 40, /* of the kernel there are fewer yet */
    RECORD_TOOL_FIRST = 64,
    RECORD_FINISHED_ROUND = 68,
    RECORD_TIME_CONV = 79,
    RECORD_COMPRESSED = 81,
    RECORD_COMPRESSED2 = 83,
    RECORD_TOOL_LAST = 127,
};

#define HEADER 8
/* After damage, so many plausible records in a row are taken as records. */
#define CHAIN 3

static struct orma_perf_record_head read_record_header(struct orma_perf_cursor *c)
{
    struct orma_perf_record_head h;

    h.type = (uint32_t)orma_format_perf_number(c, 4);
    h.misc = (uint32_t)orma_format_perf_number(c, 2);
    h.size = (uint32_t)orma_format_perf_number(c, 2);
    return h;
}

/* ---- handling ---- */

static bool on_comm(struct orma_import_ctx *imp, struct orma_perf_cursor c)
{
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    uint32_t pid = (uint32_t)orma_format_perf_number(&c, 4),
             tid = (uint32_t)orma_format_perf_number(&c, 4);

    if (c.failed)
        return false;
    uint32_t name = orma_model_str(
        imp->model, (struct orma_str){(const char *)c.pos,
                                      strnlen((const char *)c.pos, (size_t)(c.end - c.pos))});
    uint32_t utid = orma_processes_thread_of(p, tid, pid);
    orma_processes_name_thread(p, utid, name, ORMA_THREAD_NAME_TREE);
    if (pid == tid)
        orma_processes_name_process(p, orma_processes_upid(p, utid), name, ORMA_PROCESS_NAME_OTHER);
    return true;
}

static struct orma_unit_end perf_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_perf_data *p = file->state;
    struct orma_perf_cursor c = {item->data, item->data + item->len, false};
    struct orma_perf_record_head h = read_record_header(&c);

    switch (h.type) {
    case RECORD_MMAP:
    case RECORD_MMAP2:
        if (!orma_format_perf_mapping(file->imp, p, c, &h))
            return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of mappings");
        break;
    case RECORD_COMM:
        if (!on_comm(file->imp, c))
            return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of names");
        break;
    case RECORD_SAMPLE:
        orma_format_perf_sample(file->imp, p, item->ts, c, &h);
        break;
    case ORMA_PERF_RECORD_SWITCH:
    case ORMA_PERF_RECORD_SWITCH_CPU_WIDE:
        return orma_format_perf_switch(file, p, item->ts, c, &h);
    case ORMA_PERF_RECORD_FORK:
    case ORMA_PERF_RECORD_EXIT:
        return orma_format_perf_life(file, p, item->ts, c, &h);
    }
    return orma_file_took(file);
}

/* ---- reading ---- */

/* Records whose contents are in no table, by what perf calls them. */
static struct orma_unit_end unread(struct orma_file *file, uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *kind;
    } kinds[] = {
        {8, "records of counts (READ)"},
        {11, "records of auxiliary data"},
        {16, "records of namespaces"},
        {17, "records of kernel symbols"},
        {18, "records of BPF programs"},
        {19, "records of cgroups"},
        {RECORD_COMPRESSED, "compressed records in compressed records"},
        {RECORD_COMPRESSED2, "compressed records in compressed records"},
        {71, "records of auxiliary data"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        if (kinds[i].type == type)
            return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, kinds[i].kind);
    return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "records of type %u", (unsigned)type);
}

/* What perf writes for its own reading, and when threads begin and end: that makes rows only beside
 * events of the kernel, since others who read such files count it as unknown. */
static bool makes_no_row(uint32_t type)
{
    static const uint32_t types[] = {
        RECORD_ITRACE_START,   RECORD_FINISHED_ROUND,         RECORD_TIME_CONV,
        ORMA_PERF_RECORD_EXIT, ORMA_PERF_RECORD_FORK,         ORMA_PERF_RECORD_TRACING_DATA,
        69 /* ID_INDEX */,     73 /* THREAD_MAP */,           74 /* CPU_MAP */,
        75 /* STAT_CONFIG */,  ORMA_PERF_RECORD_EVENT_UPDATE, 82 /* FINISHED_INIT */};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(types); i++)
        if (types[i] == type)
            return true;
    return false;
}

/* What the kernel could not write, by its own records of it. */
static struct orma_unit_end note_loss(struct orma_file *file, struct orma_stats *stats,
                                      struct orma_perf_cursor c, uint32_t type)
{
    uint64_t num = 1;

    if (type == RECORD_LOST)
        (void)orma_format_perf_number(&c, 8); /* of which event */
    if (type == RECORD_LOST || type == RECORD_LOST_SAMPLES)
        num = orma_format_perf_number(&c, 8);
    if (c.failed || num > INT64_MAX)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of lost events");
    if (type != RECORD_UNTHROTTLE) /* the end of what is counted */
        orma_stats_add(
            stats, type == RECORD_THROTTLE ? ORMA_STAT_PERF_THROTTLED : ORMA_STAT_PERF_LOST_EVENTS,
            (int64_t)num);
    return orma_file_took(file);
}

static struct orma_unit_end note_record(struct orma_file *file, struct orma_perf_data *p,
                                        const uint8_t *at, const struct orma_perf_record_head *h)
{
    struct orma_stats *stats = orma_model_stats(file->imp->model, file->imp->model->base);
    struct orma_perf_cursor c = {at + HEADER, at + h->size, false};
    struct orma_perf_trailer trailer;
    uint64_t time = 0;

    if ((h->type == ORMA_PERF_RECORD_FORK || h->type == ORMA_PERF_RECORD_EXIT) && p->formats.len) {
        c.pos += ORMA_MIN((size_t)(c.end - c.pos), (size_t)16);
        time = orma_format_perf_number(&c, 8);
        return c.failed ? orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of threads' lives")
                        : orma_file_add(file, (int64_t)(time & INT64_MAX), 0, at, h->size);
    }
    switch (h->type) {
    case RECORD_SAMPLE:
        if (!orma_format_perf_sample_time(p, c, &time)) {
            orma_stats_add_at(stats, ORMA_STAT_PERF_RECORD_SKIPPED, RECORD_SAMPLE, 1);
            return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "samples");
        }
        orma_format_perf_note_event(file, p, time, c);
        break;
    case RECORD_MMAP:
    case RECORD_MMAP2:
    case RECORD_COMM:
    case ORMA_PERF_RECORD_SWITCH:
    case ORMA_PERF_RECORD_SWITCH_CPU_WIDE:
        orma_format_perf_trailer(&p->attrs[0], c, &trailer);
        time = trailer.time;
        break;
    case RECORD_ITRACE_START:
    case RECORD_FINISHED_ROUND:
    case RECORD_TIME_CONV:
        return orma_file_took(file);
    case ORMA_PERF_RECORD_ATTR:
    case ORMA_PERF_RECORD_EVENT_TYPE:
    case ORMA_PERF_RECORD_EVENT_UPDATE:
    case ORMA_PERF_RECORD_FEATURE:
        if (p->piped)
            return orma_file_took(file); /* they were read first */
        __attribute__((fallthrough));
    default:
        orma_stats_add_at(stats, ORMA_STAT_PERF_UNKNOWN_RECORD_TYPE, (int32_t)h->type, 1);
        orma_stats_add_at(stats, ORMA_STAT_PERF_RECORD_SKIPPED, (int32_t)h->type, 1);
        if (h->type == RECORD_LOST || h->type == RECORD_LOST_SAMPLES ||
            h->type == RECORD_THROTTLE || h->type == RECORD_UNTHROTTLE)
            return note_loss(file, stats, c, h->type);
        return makes_no_row(h->type) ? orma_file_took(file) : unread(file, h->type);
    }
    return orma_file_add(file, (int64_t)(time & INT64_MAX), 0, at, h->size);
}

/* perf's own clock is a clock of its own; others are those of the system, by their number there. */
static uint32_t clock_of(int32_t clockid)
{
    switch (clockid) {
    case 0:
        return ORMA_CLOCK_REALTIME;
    case 1:
        return ORMA_CLOCK_MONOTONIC;
    case 4:
        return ORMA_CLOCK_MONOTONIC_RAW;
    case 7:
        return ORMA_CLOCK_BOOTTIME;
    default:
        return ORMA_CLOCK_PERF;
    }
}

static bool is_likely(const struct orma_perf_record_head *h)
{
    return h->size >= HEADER && h->size % 8 == 0 &&
           ((h->type && h->type <= RECORD_KERNEL_LAST) ||
            (h->type >= RECORD_TOOL_FIRST && h->type <= RECORD_TOOL_LAST));
}

/* Whether records lie here: CHAIN of them, one behind the other, or up to the end. */
static bool is_chain(const uint8_t *pos, const uint8_t *end)
{
    for (unsigned i = 0; i < CHAIN; i++) {
        struct orma_perf_cursor c = {pos, end, false};
        struct orma_perf_record_head h = read_record_header(&c);

        if (pos == end)
            return i > 0;
        if (c.failed || !is_likely(&h) || h.size > (size_t)(end - pos))
            return false;
        pos += h.size;
    }
    return true;
}

/* The record at `pos` has a size that can't be: goes to the next one that can, or to the end. */
static const uint8_t *skip_damage(struct orma_file *file, const uint8_t *pos, const uint8_t *end,
                                  const struct orma_perf_record_head *h)
{
    const uint8_t *at = pos + 8;

    while (end - at >= HEADER && !is_chain(at, end))
        at += 8;
    if (end - at < HEADER) {
        at = end;
        if (is_likely(h)) {
            orma_file_truncated(file, (uint64_t)(end - pos));
            return end;
        }
    }
    orma_model_damage(file->imp->model, orma_reader_offset(file->imp->reader, pos),
                      (uint64_t)(at - pos), "a record of perf.data has an impossible size");
    return at;
}

/* ---- compressed records ---- */

#define NO_ZSTD "compressed records (perf record -z; this build was made without Zstandard)"

static void sink(void *data, const uint8_t *bytes, size_t len)
{
    orma_buf_put(data, bytes, len);
}

/* The packed bytes of a record: all of it, or, in the newer form, as many as it says. */
static struct orma_str packed_bytes(struct orma_perf_cursor c, uint32_t type)
{
    uint64_t len = type == RECORD_COMPRESSED2 ? orma_format_perf_number(&c, 8) : UINT64_MAX;

    return (struct orma_str){(const char *)c.pos, ORMA_MIN(len, (uint64_t)(c.end - c.pos))};
}

/* Where the next bytes go: behind the last block, as long as nothing of it is a record, which stays
 * where it is; else a new one, which begins with what was left. NULL: memory is out. */
static struct orma_buf *add_block(struct orma_perf_packed *self)
{
    struct orma_buf *last = self->blocks.len ? &self->blocks.data[self->blocks.len - 1] : NULL;
    struct orma_buf block = {0};

    if (last && self->rest == last->len)
        return last;
    if (self->rest)
        orma_buf_put(&block, last->data + last->len - self->rest, self->rest);
    self->rest = 0;
    if (block.failed || ORMA_VEC_PUSH(&self->blocks, block)) {
        orma_buf_fini(&block);
        return NULL;
    }
    return &self->blocks.data[self->blocks.len - 1];
}

/* The records of a block. False: they make no sense. */
static bool read_block(struct orma_file *file, struct orma_perf_data *p,
                       const struct orma_buf *block)
{
    const uint8_t *pos = block->data, *end = block->data + block->len;

    while (end - pos >= HEADER && !orma_file_failed(file)) {
        struct orma_perf_cursor c = {pos, end, false};
        struct orma_perf_record_head h = read_record_header(&c);

        if (h.size < HEADER)
            return false;
        if (h.size > (size_t)(end - pos))
            break; /* it goes on in the next block */
        orma_file_unit(file, pos);
        (void)note_record(file, p, pos, &h);
        pos += h.size;
    }
    p->packed.rest = (size_t)(end - pos);
    return true;
}

static struct orma_unit_end unpack_record(struct orma_file *file, struct orma_perf_data *p,
                                          const uint8_t *at, const struct orma_perf_record_head *h)
{
    const struct orma_perf_cursor c = {at + HEADER, at + h->size, false};
    struct orma_unpacked *unpacked = &file->imp->reader->unpacked;
    struct orma_perf_packed *self = &p->packed;

    if (self->broken)
        return orma_file_damaged(file, "compressed records", at, h->size,
                                 "records are compressed behind a corrupt one");
    if (!self->inflater)
        self->inflater = orma_inflater_new(ORMA_INFLATE_ZSTD);
    struct orma_buf *block = self->inflater ? add_block(self) : NULL;
    if (!block) {
        file->imp->model->storage->failed = true;
        return orma_file_took(file);
    }
    const size_t before = block->len;
    orma_inflater_bound(self->inflater, orma_unpacked_left(unpacked));
    int r = orma_inflater_feed(self->inflater, packed_bytes(c, h->type), sink, block);
    if (r == -ENOTSUP)
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, NO_ZSTD);
    if (block->failed || r == -ENOMEM) {
        file->imp->model->storage->failed = true;
        return orma_file_took(file);
    }
    if (r == -EFBIG || !orma_unpacked_add(unpacked, block->len - before)) {
        orma_file_error(file, -EFBIG, "the stream of compressed records " ORMA_UNPACKED_BOMB);
        return orma_file_took(file);
    }
    const struct orma_unit_end ended =
        r < 0 ? orma_file_damaged(file, "compressed records", at, h->size,
                                  "a compressed record is corrupt")
              : orma_file_took(file);
    self->broken = r < 0;
    if (!read_block(file, p, block)) {
        self->broken = true;
        self->rest = 0;
        orma_file_damage(file, at, h->size, "what is in a compressed record is no record");
    }
    return ended;
}

static size_t perf_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_perf_data *p = file->state;
    const uint64_t cut_before = file->imp->model->damage.truncated;

    (void)at_end; /* it is read once, whole */
    if (!orma_format_perf_read_header(file, p, (struct orma_str){(const char *)data, len}))
        return len;
    const uint32_t clock = clock_of(p->attrs[0].clockid);

    orma_file_set_clock(file, clock);
    /* The usual clock of the format is related to the trace's once, also where records have
       another one: if that fails, the log shows why they cannot be joined with other traces. */
    if (clock == ORMA_CLOCK_PERF)
        orma_file_expect_clock(file, ORMA_CLOCK_MONOTONIC);
    const uint8_t *pos = (const uint8_t *)p->data.data, *end = pos + p->data.len;
    while (pos < end && !orma_file_failed(file)) {
        struct orma_perf_cursor c = {pos, end, false};
        struct orma_perf_record_head h = read_record_header(&c);

        if (c.failed) {
            orma_file_truncated(file, (uint64_t)(end - pos));
            break;
        }
        if (h.size < HEADER || h.size > (size_t)(end - pos)) {
            pos = skip_damage(file, pos, end, &h);
            continue;
        }
        c.end = pos + h.size;
        uint64_t behind = orma_format_perf_behind(h.type, c);
        orma_file_unit(file, pos);
        (void)(h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2
                   ? unpack_record(file, p, pos, &h)
                   : note_record(file, p, pos, &h));
        pos += h.size;
        if (behind > (size_t)(end - pos)) {
            orma_file_truncated(file, (uint64_t)(end - pos));
            break;
        }
        pos += behind;
    }
    orma_format_perf_put_events(file, p, (struct orma_str){(const char *)data, len});
    if (p->packed.rest)
        orma_file_truncated(file, p->packed.rest);
    if (p->cut_off && file->imp->model->damage.truncated == cut_before)
        orma_file_truncated(file, 1); /* between two records */
    return len;
}

static void perf_fini(struct orma_file *file)
{
    struct orma_perf_data *p = file->state;

    orma_format_perf_samples_fini(p);
    orma_map_fini(&p->ids);
    orma_map_fini(&p->build_ids);
    orma_map_fini(&p->running);
    ORMA_VEC_FINI(&p->events);
    orma_inflater_free(p->packed.inflater);
    for (size_t i = 0; i < p->packed.blocks.len; i++)
        orma_buf_fini(&p->packed.blocks.data[i]);
    ORMA_VEC_FINI(&p->packed.blocks);
}

const struct orma_format_ops orma_format_perf_data = {
    .state_bytes = sizeof(struct orma_perf_data),
    .unit = "record",
    .whole = true,
    .read = perf_read,
    .parse = perf_parse,
    .fini = perf_fini,
};
