/*
 * Heap profiles: a dump lists for each call stack what was allocated and freed since the profile
 * began; rows are the differences between dumps.
 *
 * A dump may take several packets (`continued`). What they define (strings, mappings, frames,
 * stacks) is valid until the dump is complete; other ids are those of the sequence. A dump that is
 * never complete is counted, and gives no rows: its numbers are not of one time.
 *
 * The profiler counts per id of a stack. When a stack comes with a new id it counts from zero
 * again, so what its rows add up to by then is remembered with the id, and added to its numbers.
 */
#include "processor/import/profile/profile.h"

#include <stdlib.h>

#include "protos/fields/profiling.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

#define PATH_PARTS_MAX 64

/* One stack of a dump. */
struct alloc {
    int64_t ts;
    uint64_t pid, callstack;
    uint32_t heap;
    int64_t allocated, freed, allocs, frees;
};

/* What the rows of a stack add up to so far. */
struct totals {
    int64_t allocated, freed, allocs, frees;
};

struct orma_heap_sequence {
    bool has_index;
    uint64_t index;
    uint16_t machine;
    struct orma_seq_gen *gen;                     /* of the last packet */
    struct orma_map strings;                      /* iid → pool id */
    struct orma_map mappings, frames, callstacks; /* iid → row */
    struct alloc *allocs;
    uint32_t allocs_num, allocs_cap;
    struct orma_map totals_by; /* hash of (process, call site) → index */
    struct totals *totals;
    uint32_t totals_num, totals_cap;
    struct orma_map seen;         /* hash of (process, id of a stack, heap, call site) */
    struct orma_map corrected_by; /* id of a stack → index of what is added to its numbers */
    ORMA_VEC(struct totals) corrections;
    struct orma_map windows; /* hash of those that have a row */
};

static void put(struct orma_import_ctx *imp, struct orma_map *map, uint64_t key, uint64_t val)
{
    imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

static struct orma_heap_sequence *sequence_of(struct orma_import_ctx *imp,
                                              const struct orma_item *item)
{
    struct orma_profile_state *st = orma_profile(imp);
    uint64_t key = (uint64_t)item->machine << 32 | item->gen->seq->id;
    struct orma_heap_sequence *s = orma_map_get_ptr(&st->heaps, key);

    if (s || !st)
        return s;
    s = calloc(1, sizeof(*s));
    if (!s || orma_map_put_ptr(&st->heaps, key, s)) {
        free(s);
        imp->model->storage->failed = true;
        return NULL;
    }
    s->machine = item->machine;
    return s;
}

static void check_index(struct orma_import_ctx *imp, struct orma_heap_sequence *s, uint64_t index)
{
    if (s->has_index ? index != s->index + 1 : index != 0)
        orma_stats_inc(orma_model_stats(imp->model, s->machine),
                       ORMA_STAT_HEAPPROFD_MISSING_PACKET);
    s->has_index = true;
    s->index = index;
}

/* ---- what the packet defines ---- */

static void add_string(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                       struct orma_pb_reader r)
{
    struct orma_pb_field f;
    uint64_t iid = 0;
    struct orma_str text = {"", 0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INTERNED_STRING_IID)
            iid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_INTERNED_STRING_STR)
            text = orma_pb_str(&f);
    }
    put(imp, &s->strings, iid, orma_model_str(imp->model, text));
}

static uint32_t string_of(const struct orma_heap_sequence *s, uint64_t iid)
{
    uint64_t id = orma_map_get(&s->strings, iid);

    return id == ORMA_MAP_NONE ? ORMA_STR_EMPTY : (uint32_t)id;
}

static void add_mapping(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                        struct orma_pb_reader r)
{
    struct orma_pb_field f;
    struct orma_mapping m = {0};
    uint64_t iid = 0;
    uint32_t parts[PATH_PARTS_MAX];
    unsigned parts_num = 0;

    while (orma_pb_next(&r, &f)) {
        uint64_t val = orma_pb_u64(&f);

        switch (f.id) {
        case ORMA_PB_MAPPING_IID:
            iid = val;
            break;
        case ORMA_PB_MAPPING_BUILD_ID:
            m.build_id = orma_callstacks_build_id(
                imp->model, orma_strpool_get(&imp->model->storage->pool, string_of(s, val)));
            break;
        case ORMA_PB_MAPPING_START_OFFSET:
            m.start_offset = val;
            break;
        case ORMA_PB_MAPPING_START:
            m.start = val;
            break;
        case ORMA_PB_MAPPING_END:
            m.end = val;
            break;
        case ORMA_PB_MAPPING_LOAD_BIAS:
            m.load_bias = val;
            break;
        case ORMA_PB_MAPPING_EXACT_OFFSET:
            m.exact_offset = val;
            break;
        case ORMA_PB_MAPPING_PATH_STRING_IDS:
            if (parts_num < PATH_PARTS_MAX)
                parts[parts_num++] = string_of(s, val);
            break;
        }
    }
    m.name = orma_callstacks_mapping_name(imp->model, parts, parts_num);
    orma_callstacks_check_mapping(imp->model, s->machine, m.name, m.build_id);
    put(imp, &s->mappings, iid, orma_callstacks_mapping(imp->model, &m));
}

static void add_frame(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                      struct orma_pb_reader r)
{
    struct orma_pb_field f;
    struct orma_stack_frame frame = {.name = ORMA_STR_EMPTY};
    uint64_t iid = 0, mapping = ORMA_MAP_NONE;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FRAME_IID)
            iid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_FRAME_FUNCTION_NAME_ID)
            frame.name = string_of(s, orma_pb_u64(&f));
        else if (f.id == ORMA_PB_FRAME_MAPPING_ID)
            mapping = orma_map_get(&s->mappings, orma_pb_u64(&f));
        else if (f.id == ORMA_PB_FRAME_REL_PC)
            frame.rel_pc = orma_pb_u64(&f);
    }
    if (mapping == ORMA_MAP_NONE) {
        orma_stats_inc(orma_model_stats(imp->model, s->machine),
                       ORMA_STAT_STACKPROFILE_INVALID_MAPPING_ID);
        return;
    }
    frame.mapping = (uint32_t)mapping;
    put(imp, &s->frames, iid, orma_callstacks_frame(imp->model, &frame));
}

static void add_callstack(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                          struct orma_pb_reader r)
{
    struct orma_pb_field f;
    uint64_t iid = 0, val;
    uint32_t callsite = ORMA_CALLSITE_NONE;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};

        if (f.id == ORMA_PB_CALLSTACK_IID)
            iid = orma_pb_u64(&f);
        if (f.id != ORMA_PB_CALLSTACK_FRAME_IDS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);) {
            uint64_t frame = orma_map_get(&s->frames, val);

            if (frame == ORMA_MAP_NONE) {
                orma_stats_inc(orma_model_stats(imp->model, s->machine),
                               ORMA_STAT_STACKPROFILE_INVALID_FRAME_ID);
                return;
            }
            callsite = orma_callstacks_callsite(imp->model, callsite, (uint32_t)frame);
        }
    }
    if (callsite == ORMA_CALLSITE_NONE)
        orma_stats_inc(orma_model_stats(imp->model, s->machine),
                       ORMA_STAT_STACKPROFILE_EMPTY_CALLSTACK);
    else
        put(imp, &s->callstacks, iid, callsite);
}

/* ---- dumps ---- */

static struct alloc *new_alloc(struct orma_import_ctx *imp, struct orma_heap_sequence *s)
{
    if (ORMA_GROW(&s->allocs, &s->allocs_cap, s->allocs_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    s->allocs[s->allocs_num] = (struct alloc){0};
    return &s->allocs[s->allocs_num++];
}

struct dump {
    uint64_t pid;
    uint32_t heap;
    int64_t ts;
    bool exact_max; /* old recorders got the counts at the maximum wrong */
};

static void add_sample(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                       const struct dump *d, struct orma_pb_reader r)
{
    struct alloc *a = new_alloc(imp, s);
    struct orma_pb_field f;
    int64_t max = 0, max_count = 0;
    bool has_max = false;

    if (!a)
        return;
    a->ts = d->ts;
    a->pid = d->pid;
    a->heap = d->heap ? d->heap : orma_model_lit(imp->model, "unknown");
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_CALLSTACK_ID:
            a->callstack = orma_pb_u64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_SELF_ALLOCATED:
            a->allocated = orma_pb_i64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_SELF_FREED:
            a->freed = orma_pb_i64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_ALLOC_COUNT:
            a->allocs = orma_pb_i64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_FREE_COUNT:
            a->frees = orma_pb_i64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_SELF_MAX:
            max = orma_pb_i64(&f);
            has_max = true;
            break;
        case ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_SELF_MAX_COUNT:
            max_count = orma_pb_i64(&f);
            break;
        }
    }
    if (!has_max)
        return;
    a->allocated = max;
    a->allocs = d->exact_max ? max_count : 0;
    a->freed = a->frees = 0;
}

static void count_unwinding(struct orma_stats *stats, int32_t pid, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    int64_t time = 0, samples = 0, blocked = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROFILE_PACKET_PROCESS_STATS_TOTAL_UNWINDING_TIME_US)
            time = orma_pb_i64(&f);
        else if (f.id == ORMA_PB_PROFILE_PACKET_PROCESS_STATS_HEAP_SAMPLES)
            samples = orma_pb_i64(&f);
        else if (f.id == ORMA_PB_PROFILE_PACKET_PROCESS_STATS_CLIENT_SPINLOCK_BLOCKED_US)
            blocked = orma_pb_i64(&f);
    }
    orma_stats_set_at(stats, ORMA_STAT_HEAPPROFD_UNWIND_TIME_US, pid, time);
    orma_stats_set_at(stats, ORMA_STAT_HEAPPROFD_UNWIND_SAMPLES, pid, samples);
    orma_stats_set_at(stats, ORMA_STAT_HEAPPROFD_CLIENT_SPINLOCK_BLOCKED, pid, blocked);
}

/* What went wrong in the process, by field. */
static void count_trouble(struct orma_stats *stats, int32_t pid, const struct orma_pb_field *f)
{
    static const struct {
        uint32_t field;
        enum orma_stat stat;
    } troubles[] = {
        {ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_DISCONNECTED,
         ORMA_STAT_HEAPPROFD_CLIENT_DISCONNECTED},
        {ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_CORRUPTED,
         ORMA_STAT_HEAPPROFD_BUFFER_CORRUPTED},
        {ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_OVERRAN,
         ORMA_STAT_HEAPPROFD_BUFFER_OVERRAN},
        {ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_REJECTED_CONCURRENT,
         ORMA_STAT_HEAPPROFD_REJECTED_CONCURRENT},
        {ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_HIT_GUARDRAIL,
         ORMA_STAT_HEAPPROFD_HIT_GUARDRAIL},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(troubles); i++)
        if (troubles[i].field == f->id && orma_pb_bool(f))
            orma_stats_add_at(stats, troubles[i].stat, pid, 1);
    if (f->id == ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_CLIENT_ERROR)
        orma_stats_set_at(stats, ORMA_STAT_HEAPPROFD_CLIENT_ERROR, pid, orma_pb_i64(f));
}

/* A row for the window that the dump is about; one, in whatever many packets it comes. */
static void add_window(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                       const struct dump *d, int64_t start)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_HEAP_PROFILE);
    uint32_t upid =
        orma_processes_process(orma_model_processes(imp->model, s->machine), (uint32_t)d->pid);
    const uint64_t parts[] = {(uint64_t)d->ts, (uint64_t)start, upid, d->heap};
    uint64_t key = orma_fnv1a(ORMA_FNV1A_BASIS, parts, sizeof(parts));

    if (orma_map_get(&s->windows, key) != ORMA_MAP_NONE)
        return;
    put(imp, &s->windows, key, 0);
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_HEAP_PROFILE_TS, row, start);
    orma_table_set(t, ORMA_HEAP_PROFILE_TS_END, row, d->ts);
    orma_table_set(t, ORMA_HEAP_PROFILE_DUR, row, d->ts - start);
    orma_table_set(t, ORMA_HEAP_PROFILE_UPID, row, upid);
    if (d->heap)
        orma_table_set(t, ORMA_HEAP_PROFILE_HEAP_NAME, row, d->heap);
}

static void add_dump(struct orma_import_ctx *imp, struct orma_heap_sequence *s, int64_t ts,
                     struct orma_pb_reader bytes)
{
    struct orma_stats *stats = orma_model_stats(imp->model, s->machine);
    struct orma_pb_reader r = bytes;
    struct orma_pb_field f;
    struct dump d = {.heap = 0};
    struct orma_str process_stats = {0};
    uint64_t time = 0, begun = 0, interval = 0, wanted = 0;
    int64_t start;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_PID:
            d.pid = orma_pb_u64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_HEAP_NAME:
            d.heap = f.len ? orma_model_str(imp->model, orma_pb_str(&f)) : 0;
            break;
        case ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_TIMESTAMP:
            time = orma_pb_u64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_START_TIMESTAMP:
            begun = orma_pb_u64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_SAMPLING_INTERVAL_BYTES:
            interval = orma_pb_u64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_ORIG_SAMPLING_INTERVAL_BYTES:
            wanted = orma_pb_u64(&f);
            break;
        case ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_STATS:
            process_stats = orma_pb_str(&f);
            break;
        }
    }
    if (!orma_import_inner_time(imp, s->machine, ORMA_CLOCK_MONOTONIC_COARSE, (int64_t)time,
                                "dumps of heap profiles", &d.ts))
        return;
    d.exact_max = wanted > 0;
    int32_t pid = (int32_t)d.pid;
    orma_stats_set_at(stats, ORMA_STAT_HEAPPROFD_LAST_PROFILE_TIMESTAMP, pid, ts);
    if (wanted)
        orma_stats_set_at(stats, ORMA_STAT_HEAPPROFD_SAMPLING_INTERVAL_ADJUSTED, pid,
                          (int64_t)(interval - wanted));
    count_unwinding(stats, pid, orma_pb_reader(process_stats.data, process_stats.len));
    if (!begun || !orma_reader_to_trace_time(imp->reader, s->machine, ORMA_CLOCK_MONOTONIC_COARSE,
                                             (int64_t)begun, &start, NULL))
        start = d.ts;
    add_window(imp, s, &d, start);
    for (r = bytes; orma_pb_next(&r, &f);) {
        count_trouble(stats, pid, &f);
        if (f.id == ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_SAMPLES)
            add_sample(imp, s, &d, orma_pb_sub(&f));
    }
}

/* ---- rows ---- */

static struct totals *totals_of(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                                uint32_t upid, uint32_t callsite)
{
    uint64_t key = (uint64_t)upid << 32 | callsite;
    uint64_t have = orma_map_get(&s->totals_by, key);

    if (have != ORMA_MAP_NONE) {
        ORMA_ASSERT_HOT(have < s->totals_num);
        return &s->totals[have];
    }
    if (ORMA_GROW(&s->totals, &s->totals_cap, s->totals_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    put(imp, &s->totals_by, key, s->totals_num);
    s->totals[s->totals_num] = (struct totals){0};
    return &s->totals[s->totals_num++];
}

/* From now on `by` is added to the numbers of this id of a stack. */
static void set_correction(struct orma_import_ctx *imp, struct orma_heap_sequence *s, uint64_t iid,
                           struct totals by)
{
    uint64_t at = orma_map_get(&s->corrected_by, iid);

    if (at != ORMA_MAP_NONE) {
        ORMA_ASSERT_HOT(at < s->corrections.len);
        s->corrections.data[at] = by;
        return;
    }
    put(imp, &s->corrected_by, iid, s->corrections.len);
    if (ORMA_VEC_PUSH(&s->corrections, by))
        imp->model->storage->failed = true;
}

/* The numbers as if the stack had always had this id. */
static struct totals corrected(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                               const struct alloc *a, uint32_t upid, uint32_t callsite,
                               const struct totals *so_far)
{
    const uint64_t source[] = {upid, a->callstack, a->heap, callsite};
    uint64_t key = orma_fnv1a(ORMA_FNV1A_BASIS, source, sizeof(source));
    struct totals by = {0};

    if (orma_map_get(&s->seen, key) == ORMA_MAP_NONE) {
        put(imp, &s->seen, key, 0);
        set_correction(imp, s, a->callstack, *so_far);
    }
    uint64_t at = orma_map_get(&s->corrected_by, a->callstack);
    if (at < s->corrections.len)
        by = s->corrections.data[at];
    return (struct totals){
        .allocated = (int64_t)((uint64_t)a->allocated + (uint64_t)by.allocated),
        .freed = (int64_t)((uint64_t)a->freed + (uint64_t)by.freed),
        .allocs = (int64_t)((uint64_t)a->allocs + (uint64_t)by.allocs),
        .frees = (int64_t)((uint64_t)a->frees + (uint64_t)by.frees),
    };
}

static void add_row(struct orma_import_ctx *imp, const struct alloc *a, uint32_t upid,
                    uint32_t callsite, int64_t count, int64_t size)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_HEAP_PROFILE_ALLOCATION);

    if (!count && !size)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_TS, row, a->ts);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_UPID, row, upid);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_HEAP_NAME, row, a->heap);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_CALLSITE_ID, row, callsite);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_COUNT, row, count);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_SIZE, row, size);
}

static void commit(struct orma_import_ctx *imp, struct orma_heap_sequence *s, const struct alloc *a)
{
    uint32_t upid =
        orma_processes_process(orma_model_processes(imp->model, s->machine), (uint32_t)a->pid);
    uint64_t own = orma_map_get(&s->callstacks, a->callstack);
    uint32_t callsite = own != ORMA_MAP_NONE ? (uint32_t)own
                                             : orma_profile_interned_callsite(imp, s->machine, upid,
                                                                              s->gen, a->callstack);

    if (callsite == ORMA_CALLSITE_NONE)
        return;
    struct totals *t = totals_of(imp, s, upid, callsite);
    if (!t)
        return;
    struct totals now = corrected(imp, s, a, upid, callsite, t);
    if (now.allocs < t->allocs || now.allocated < t->allocated || now.frees < t->frees ||
        now.freed < t->freed) {
        orma_stats_add_at(orma_model_stats(imp->model, s->machine),
                          ORMA_STAT_HEAPPROFD_MALFORMED_PACKET, (int32_t)upid, 1);
        return;
    }
    add_row(imp, a, upid, callsite, now.allocs - t->allocs, now.allocated - t->allocated);
    /* ART does not report what it frees: its numbers are meaningless. */
    if (!orma_str_eq(orma_strpool_get(&imp->model->storage->pool, a->heap),
                     ORMA_STR("com.android.art")))
        add_row(imp, a, upid, callsite, t->frees - now.frees, t->freed - now.freed);
    *t = now;
}

/* The dump is complete, and its ids are forgotten. */
static void commit_dump(struct orma_import_ctx *imp, struct orma_heap_sequence *s)
{
    for (uint32_t i = 0; i < s->allocs_num; i++)
        commit(imp, s, &s->allocs[i]);
    s->allocs_num = 0;
    orma_map_clear(&s->strings);
    orma_map_clear(&s->mappings);
    orma_map_clear(&s->frames);
    orma_map_clear(&s->callstacks);
}

/* All entries of one field, in the order of the packet. */
static void each(struct orma_import_ctx *imp, struct orma_heap_sequence *s,
                 const struct orma_item *item, uint32_t field,
                 void (*fn)(struct orma_import_ctx *, struct orma_heap_sequence *,
                            struct orma_pb_reader))
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == field)
            fn(imp, s, orma_pb_sub(&f));
}

void orma_profile_heap_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_heap_sequence *s = sequence_of(imp, item);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint64_t index = 0;
    bool continued = false;

    if (!s)
        return;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROFILE_PACKET_INDEX)
            index = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PROFILE_PACKET_CONTINUED)
            continued = orma_pb_bool(&f);
    }
    check_index(imp, s, index);
    orma_seq_gen_ref(item->gen);
    orma_seq_gen_unref(s->gen);
    s->gen = item->gen;
    each(imp, s, item, ORMA_PB_PROFILE_PACKET_STRINGS, add_string);
    each(imp, s, item, ORMA_PB_PROFILE_PACKET_MAPPINGS, add_mapping);
    each(imp, s, item, ORMA_PB_PROFILE_PACKET_FRAMES, add_frame);
    each(imp, s, item, ORMA_PB_PROFILE_PACKET_CALLSTACKS, add_callstack);
    for (r = orma_pb_reader(item->data, item->len); orma_pb_next(&r, &f);)
        if (f.id == ORMA_PB_PROFILE_PACKET_PROCESS_DUMPS)
            add_dump(imp, s, item->ts, orma_pb_sub(&f));
    if (!continued)
        commit_dump(imp, s);
}

void orma_profile_heap_finish(struct orma_import_ctx *imp)
{
    struct orma_profile_state *st = orma_profile(imp);

    ORMA_MAP_EACH (slot, &st->heaps) {
        struct orma_heap_sequence *s = (struct orma_heap_sequence *)(uintptr_t)slot->val;

        if (s->allocs_num)
            orma_stats_inc(orma_model_stats(imp->model, s->machine),
                           ORMA_STAT_HEAPPROFD_NON_FINALIZED_PROFILE);
    }
}

void orma_profile_heap_fini(struct orma_import_ctx *imp)
{
    struct orma_profile_state *st = orma_profile(imp);

    ORMA_MAP_EACH (slot, &st->heaps) {
        struct orma_heap_sequence *s = (struct orma_heap_sequence *)(uintptr_t)slot->val;

        orma_map_fini(&s->strings);
        orma_map_fini(&s->mappings);
        orma_map_fini(&s->frames);
        orma_map_fini(&s->callstacks);
        orma_map_fini(&s->totals_by);
        orma_map_fini(&s->seen);
        orma_map_fini(&s->corrected_by);
        orma_map_fini(&s->windows);
        ORMA_VEC_FINI(&s->corrections);
        free(s->allocs);
        free(s->totals);
        orma_seq_gen_unref(s->gen);
        free(s);
    }
    orma_map_fini(&st->heaps);
}
