/*
 * Mappings, frames, call sites, tasks and execution contexts are interned: the numbers of a row are
 * hashed (find_or_add()), and equal ones share the row. A stack is built from its root: each call
 * site is the pair of its caller's row and a frame.
 */
#include "processor/model/callstacks.h"

#include "sdk/base/buf.h"
#include "sdk/base/hash.h"

/* Stacks share most of their frames with others nearby: most call sites are found here. */
#define RECENT 2048

struct orma_callstacks {
    struct orma_map mappings, frames, callsites, tasks, executions; /* hash of content → row */
    uint32_t counter_sets;
    struct {
        uint32_t upid, utid, async;
        uint32_t row;
        bool is_set;
    } last_task;
    struct {
        uint32_t ucpu, mode;
        uint32_t row;
        bool is_set;
    } last_execution;
    struct {
        uint64_t pair; /* parent and frame */
        uint32_t row;
        bool is_set;
    } recent[RECENT]; /* call sites */
};

static struct orma_callstacks *state(struct orma_model *model)
{
    return orma_model_lazy(model, (void **)&model->callstacks, sizeof(struct orma_callstacks));
}

/*
 * The row of these numbers, or one that is new: *ret_new. ORMA_ROW_NONE when memory is out.
 *
 * Found by a hash of them, and believed if a second one is the same: both begin with a secret, so
 * no file can choose frames that are taken for each other.
 */
static uint32_t find_or_add(struct orma_model *model, struct orma_map *map, const uint64_t *parts,
                            unsigned num, enum orma_table_id table, bool *ret_new)
{
    uint64_t key = orma_hash_seed(), check = ~key, have;

    for (unsigned i = 0; i < num; i++) {
        key = orma_mix64(key ^ parts[i]);
        check = orma_mix64(check + parts[i]);
    }
    *ret_new = false;
    for (check >>= 32; (have = orma_map_get(map, key)) != ORMA_MAP_NONE; key++)
        if (have >> 32 == check)
            return (uint32_t)have;
    uint32_t row = orma_table_add(orma_model_table(model, table));
    if (row == ORMA_ROW_NONE || orma_map_put(map, key, check << 32 | row)) {
        model->storage->failed = true;
        return ORMA_ROW_NONE;
    }
    *ret_new = true;
    return row;
}

/* ---- mappings ---- */

static void set_mapping(struct orma_table *t, uint32_t row, const struct orma_mapping *m)
{
    orma_table_set(t, ORMA_STACK_PROFILE_MAPPING_BUILD_ID, row,
                   m->build_id ? m->build_id : ORMA_STR_EMPTY);
    orma_table_set(t, ORMA_STACK_PROFILE_MAPPING_EXACT_OFFSET, row, (int64_t)m->exact_offset);
    orma_table_set(t, ORMA_STACK_PROFILE_MAPPING_START_OFFSET, row, (int64_t)m->start_offset);
    orma_table_set(t, ORMA_STACK_PROFILE_MAPPING_START, row, (int64_t)m->start);
    orma_table_set(t, ORMA_STACK_PROFILE_MAPPING_END, row, (int64_t)m->end);
    orma_table_set(t, ORMA_STACK_PROFILE_MAPPING_LOAD_BIAS, row, (int64_t)m->load_bias);
    orma_table_set(t, ORMA_STACK_PROFILE_MAPPING_NAME, row, m->name ? m->name : ORMA_STR_EMPTY);
}

uint32_t orma_callstacks_mapping(struct orma_model *model, const struct orma_mapping *m)
{
    struct orma_callstacks *st = state(model);
    const uint64_t parts[] = {m->name,  m->build_id, m->exact_offset, m->start_offset,
                              m->start, m->end,      m->load_bias};
    bool fresh;

    if (!st)
        return ORMA_ROW_NONE;
    uint32_t row = find_or_add(model, &st->mappings, parts, ORMA_ARRAY_LEN(parts),
                               ORMA_TABLE_STACK_PROFILE_MAPPING, &fresh);
    if (fresh)
        set_mapping(orma_model_table(model, ORMA_TABLE_STACK_PROFILE_MAPPING), row, m);
    return row;
}

uint32_t orma_callstacks_add_mapping(struct orma_model *model, const struct orma_mapping *m)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_STACK_PROFILE_MAPPING);
    uint32_t row = orma_table_add(t);

    if (row == ORMA_ROW_NONE)
        model->storage->failed = true;
    else
        set_mapping(t, row, m);
    return row;
}

uint32_t orma_callstacks_dummy_mapping(struct orma_model *model, const char *name)
{
    const struct orma_mapping m = {.name = orma_model_cstr(model, name), .end = UINT64_MAX};

    return orma_callstacks_mapping(model, &m);
}

uint32_t orma_callstacks_mapping_name(struct orma_model *model, const uint32_t *parts,
                                      unsigned parts_num)
{
    struct orma_buf name = {0};

    for (unsigned i = 0; i < parts_num; i++) {
        struct orma_str s = orma_strpool_get(&model->storage->pool, parts[i]);

        orma_buf_put_byte(&name, '/');
        orma_buf_put(&name, s.data, s.len);
    }
    struct orma_str all = orma_buf_str(&name);
    /* The whole path in one part, or "[vdso]". */
    if (all.len > 1 && (all.data[1] == '/' || all.data[1] == '['))
        all = (struct orma_str){all.data + 1, all.len - 1};
    uint32_t id = orma_model_str(model, all);
    model->storage->failed |= name.failed;
    orma_buf_fini(&name);
    return id;
}

void orma_callstacks_check_mapping(struct orma_model *model, uint16_t machine, uint32_t name,
                                   uint32_t build_id)
{
    if (orma_str_starts(orma_strpool_get(&model->storage->pool, name),
                        ORMA_STR("/data/local/tmp/")) &&
        (!build_id || build_id == ORMA_STR_EMPTY))
        orma_stats_inc(orma_model_stats(model, machine),
                       ORMA_STAT_SYMBOLIZATION_TMP_BUILD_ID_NOT_FOUND);
}

/* A breakpad module id is text already, and stays as it is; its last digit counts versions. */
#define BREAKPAD_LEN 33

uint32_t orma_callstacks_build_id(struct orma_model *model, struct orma_str bytes)
{
    static const char digits[] = "0123456789abcdef";
    struct orma_buf hex = {0};
    bool breakpad = bytes.len == BREAKPAD_LEN;

    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t c = (uint8_t)bytes.data[i];

        breakpad = breakpad && ((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f'));
        orma_buf_put_byte(&hex, (uint8_t)digits[c >> 4]);
        orma_buf_put_byte(&hex, (uint8_t)digits[c & 15]);
    }
    uint32_t id = orma_model_str(model, breakpad ? bytes : orma_buf_str(&hex));
    model->storage->failed |= hex.failed;
    orma_buf_fini(&hex);
    return id;
}

/* ---- frames and call sites ---- */

static void add_symbol(struct orma_model *model, uint32_t frame, const struct orma_stack_frame *f)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_STACK_PROFILE_SYMBOL);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row, row);
    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_NAME, row, f->name ? f->name : ORMA_STR_EMPTY);
    if (f->source)
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, row, f->source);
    if (f->line)
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, row, f->line);
    orma_table_set(orma_model_table(model, ORMA_TABLE_STACK_PROFILE_FRAME),
                   ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame, row);
}

static uint32_t find_frame(struct orma_model *model, const struct orma_stack_frame *f, bool symbol)
{
    struct orma_callstacks *st = state(model);
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_STACK_PROFILE_FRAME);
    const uint64_t parts[] = {f->mapping, f->rel_pc, f->name, f->source, f->line, f->type};
    bool fresh;

    if (!st)
        return ORMA_ROW_NONE;
    uint32_t row = find_or_add(model, &st->frames, parts, ORMA_ARRAY_LEN(parts),
                               ORMA_TABLE_STACK_PROFILE_FRAME, &fresh);
    if (!fresh)
        return row;
    if (f->name)
        orma_table_set(t, ORMA_STACK_PROFILE_FRAME_NAME, row, f->name);
    orma_table_set(t, ORMA_STACK_PROFILE_FRAME_MAPPING, row, f->mapping);
    orma_table_set(t, ORMA_STACK_PROFILE_FRAME_REL_PC, row, (int64_t)f->rel_pc);
    if (f->type)
        orma_table_set(t, ORMA_STACK_PROFILE_FRAME_TYPE, row, f->type);
    if (f->source || symbol)
        add_symbol(model, row, f);
    return row;
}

uint32_t orma_callstacks_frame(struct orma_model *model, const struct orma_stack_frame *f)
{
    return find_frame(model, f, false);
}

uint32_t orma_callstacks_symbolized_frame(struct orma_model *model,
                                          const struct orma_stack_frame *f)
{
    return find_frame(model, f, true);
}

uint32_t orma_callstacks_callsite(struct orma_model *model, uint32_t parent, uint32_t frame)
{
    struct orma_callstacks *st = state(model);
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_STACK_PROFILE_CALLSITE);
    const uint64_t pair = (uint64_t)parent << 32 | frame;
    const unsigned slot = (unsigned)(pair * 0x9e3779b97f4a7c15u >> 40) % RECENT;
    bool fresh;

    if (!st || frame == ORMA_ROW_NONE)
        return ORMA_CALLSITE_NONE;
    if (st->recent[slot].is_set && st->recent[slot].pair == pair)
        return st->recent[slot].row;
    uint32_t row =
        find_or_add(model, &st->callsites, &pair, 1, ORMA_TABLE_STACK_PROFILE_CALLSITE, &fresh);
    st->recent[slot].pair = pair;
    st->recent[slot].row = row;
    st->recent[slot].is_set = row != ORMA_ROW_NONE;
    if (!fresh)
        return row;
    orma_table_set(t, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, row, frame);
    if (parent == ORMA_CALLSITE_NONE)
        return row;
    orma_table_set(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row, parent);
    orma_table_set(t, ORMA_STACK_PROFILE_CALLSITE_DEPTH, row,
                   orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_DEPTH, parent) + 1);
    return row;
}

/* ---- samples ---- */

uint32_t orma_callstacks_session(struct orma_model *model, const char *source, uint32_t unit)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_PROFILER_SESSION);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_PROFILER_SESSION_SOURCE, row, orma_model_cstr(model, source));
    if (unit)
        orma_table_set(t, ORMA_PROFILER_SESSION_TIMEBASE_UNIT, row, unit);
    return row;
}

uint32_t orma_callstacks_task(struct orma_model *model, uint32_t upid, uint32_t utid,
                              uint32_t async)
{
    struct orma_callstacks *st = state(model);
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_PROFILER_TASK_CONTEXT);
    const uint64_t parts[] = {upid, utid, async};
    bool fresh;

    if (!st || (upid == ORMA_ID_NONE && utid == ORMA_ID_NONE && async == ORMA_ROW_NONE))
        return ORMA_ROW_NONE;
    if (st->last_task.is_set && st->last_task.upid == upid && st->last_task.utid == utid &&
        st->last_task.async == async)
        return st->last_task.row;
    uint32_t row = find_or_add(model, &st->tasks, parts, ORMA_ARRAY_LEN(parts),
                               ORMA_TABLE_PROFILER_TASK_CONTEXT, &fresh);
    st->last_task.upid = upid;
    st->last_task.utid = utid;
    st->last_task.async = async;
    st->last_task.row = row;
    st->last_task.is_set = row != ORMA_ROW_NONE;
    if (!fresh)
        return row;
    if (upid != ORMA_ID_NONE)
        orma_table_set(t, ORMA_PROFILER_TASK_CONTEXT_UPID, row, upid);
    if (utid != ORMA_ID_NONE)
        orma_table_set(t, ORMA_PROFILER_TASK_CONTEXT_UTID, row, utid);
    if (async != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_PROFILER_TASK_CONTEXT_ASYNC_CONTEXT_ID, row, async);
    return row;
}

uint32_t orma_callstacks_execution(struct orma_model *model, uint32_t ucpu, uint32_t mode)
{
    struct orma_callstacks *st = state(model);
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_PROFILER_EXECUTION_CONTEXT);
    const uint64_t pair = (uint64_t)ucpu << 32 | mode;
    bool fresh;

    if (!st || (ucpu == ORMA_ID_NONE && !mode))
        return ORMA_ROW_NONE;
    if (st->last_execution.is_set && st->last_execution.ucpu == ucpu &&
        st->last_execution.mode == mode)
        return st->last_execution.row;
    uint32_t row = find_or_add(model, &st->executions, &pair, 1,
                               ORMA_TABLE_PROFILER_EXECUTION_CONTEXT, &fresh);
    st->last_execution.ucpu = ucpu;
    st->last_execution.mode = mode;
    st->last_execution.row = row;
    st->last_execution.is_set = row != ORMA_ROW_NONE;
    if (!fresh)
        return row;
    if (ucpu != ORMA_ID_NONE)
        orma_table_set(t, ORMA_PROFILER_EXECUTION_CONTEXT_UCPU, row, ucpu);
    if (mode)
        orma_table_set(t, ORMA_PROFILER_EXECUTION_CONTEXT_CPU_MODE, row, mode);
    return row;
}

uint32_t orma_callstacks_sample(struct orma_model *model, const struct orma_sample *s)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_PROFILER_SAMPLE);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_PROFILER_SAMPLE_TS, row, s->ts);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_SOURCE, row, s->source);
    if (s->task != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_PROFILER_SAMPLE_TASK_CONTEXT_ID, row, s->task);
    if (s->exec != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_PROFILER_SAMPLE_EXECUTION_CONTEXT_ID, row, s->exec);
    if (s->callsite != ORMA_CALLSITE_NONE)
        orma_table_set(t, ORMA_PROFILER_SAMPLE_CALLSITE_ID, row, s->callsite);
    if (s->unwind_error)
        orma_table_set(t, ORMA_PROFILER_SAMPLE_UNWIND_ERROR, row, s->unwind_error);
    if (s->session != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_PROFILER_SAMPLE_SESSION_ID, row, s->session);
    if (s->counter_set != ORMA_COUNTER_SET_NONE)
        orma_table_set(t, ORMA_PROFILER_SAMPLE_COUNTER_SET_ID, row, s->counter_set);
    return row;
}

uint32_t orma_callstacks_stack(struct orma_model *model, int64_t ts, const char *source,
                               uint32_t utid, uint32_t callsite)
{
    const struct orma_sample s = {
        .ts = ts,
        .source = orma_model_cstr(model, source),
        .task = orma_callstacks_task(
            model, orma_processes_upid(orma_model_processes(model, model->base), utid), utid,
            ORMA_ROW_NONE),
        .exec = ORMA_ROW_NONE,
        .callsite = callsite,
        .session = ORMA_ROW_NONE,
        .counter_set = ORMA_COUNTER_SET_NONE,
    };

    return orma_callstacks_sample(model, &s);
}

uint32_t orma_callstacks_aggregate(struct orma_model *model, const char *scope, uint32_t name,
                                   uint32_t type, uint32_t unit)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_AGGREGATE_PROFILE);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_AGGREGATE_PROFILE_SCOPE, row, orma_model_cstr(model, scope));
    orma_table_set(t, ORMA_AGGREGATE_PROFILE_NAME, row, name);
    orma_table_set(t, ORMA_AGGREGATE_PROFILE_SAMPLE_TYPE_TYPE, row, type);
    orma_table_set(t, ORMA_AGGREGATE_PROFILE_SAMPLE_TYPE_UNIT, row, unit);
    return row;
}

void orma_callstacks_aggregate_add(struct orma_model *model, uint32_t profile, uint32_t callsite,
                                   double value)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_AGGREGATE_SAMPLE);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_AGGREGATE_SAMPLE_AGGREGATE_PROFILE_ID, row, profile);
    orma_table_set(t, ORMA_AGGREGATE_SAMPLE_CALLSITE_ID, row, callsite);
    orma_table_set_double(t, ORMA_AGGREGATE_SAMPLE_VALUE, row, value);
}

uint32_t orma_callstacks_counter_set(struct orma_model *model)
{
    struct orma_callstacks *st = state(model);

    return st ? st->counter_sets++ : ORMA_COUNTER_SET_NONE;
}

void orma_callstacks_add_counter(struct orma_model *model, uint32_t set, int64_t ts, uint32_t track,
                                 double value)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_PROFILER_COUNTER_SET);
    uint32_t counter = orma_model_table(model, ORMA_TABLE_COUNTER)->rows;

    orma_model_counter(model, ts, track, value);
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_PROFILER_COUNTER_SET_COUNTER_SET_ID, row, set);
    orma_table_set(t, ORMA_PROFILER_COUNTER_SET_COUNTER_ID, row, counter);
}

void orma_callstacks_fini(struct orma_model *model)
{
    struct orma_callstacks *st = model->callstacks;

    if (!st)
        return;
    orma_map_fini(&st->mappings);
    orma_map_fini(&st->frames);
    orma_map_fini(&st->callsites);
    orma_map_fini(&st->tasks);
    orma_map_fini(&st->executions);
}
