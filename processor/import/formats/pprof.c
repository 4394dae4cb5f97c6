/*
 * pprof: one message with samples, each of which has a call stack and a value of every type.
 *
 * Parts refer to each other by id, and come in any order; so the message is walked once for each
 * kind: strings first, then what refers to them, samples last. One that is truncated is read as far
 * as its fields are whole.
 */
#include "processor/import/formats/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/model/callstacks.h"
#include "protos/fields/pprof.h"
#include "sdk/base/vec.h"

struct function {
    uint32_t name, file; /* pool ids */
    uint64_t line;       /* of its begin, 0: not told */
};

struct pprof {
    struct orma_file *file;
    struct orma_import_ctx *imp;
    uint32_t *strings; /* pool ids */
    uint32_t strings_num, strings_cap;
    struct function *functions;
    uint32_t functions_num, functions_cap;
    struct orma_map functions_by; /* id → index */
    struct orma_map mappings;     /* id → row */
    struct orma_map frames;       /* id of a location → row */
    ORMA_VEC(uint32_t) profiles;  /* by type of value */
    ORMA_VEC(uint64_t) stack;     /* of the sample at hand: ids of locations, innermost first */
    ORMA_VEC(int64_t) values;     /* the same */
};

static void put(struct pprof *p, struct orma_map *map, uint64_t key, uint64_t val)
{
    p->imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

/* What parts refer to, and the profile does not have. */
static void lacks(struct pprof *p, const char *kind, const uint8_t *at)
{
    orma_file_part(p->file, ORMA_ACCOUNT_DAMAGED, kind, at);
}

/* The text that a field refers to; the default where it refers to none. */
static uint32_t string_or(struct pprof *p, const struct orma_pb_field *f, uint32_t otherwise)
{
    uint64_t idx = orma_pb_u64(f);

    if (idx < p->strings_num)
        return p->strings[idx];
    lacks(p, "names missing from the string table", f->data);
    return otherwise;
}

static uint32_t string(struct pprof *p, const struct orma_pb_field *f)
{
    return string_or(p, f, ORMA_STR_EMPTY);
}

static void add_string(struct pprof *p, struct orma_str s)
{
    if (ORMA_GROW(&p->strings, &p->strings_cap, p->strings_num + (size_t)1)) {
        p->imp->model->storage->failed = true;
        return;
    }
    p->strings[p->strings_num++] = orma_model_str(p->imp->model, s);
}

static void add_function(struct pprof *p, struct orma_pb_reader r)
{
    struct function fn = {.name = ORMA_STR_EMPTY};
    struct orma_pb_field f;
    uint64_t id = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PPROF_FUNCTION_ID)
            id = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_FUNCTION_NAME)
            fn.name = string(p, &f);
        else if (f.id == ORMA_PB_PPROF_FUNCTION_FILENAME)
            fn.file = string(p, &f);
        else if (f.id == ORMA_PB_PPROF_FUNCTION_START_LINE)
            fn.line = orma_pb_u64(&f);
    }
    put(p, &p->functions_by, id, p->functions_num);
    if (ORMA_GROW(&p->functions, &p->functions_cap, p->functions_num + (size_t)1))
        p->imp->model->storage->failed = true;
    else
        p->functions[p->functions_num++] = fn;
}

static const struct function *function_of(const struct pprof *p, uint64_t id)
{
    uint64_t at = orma_map_get(&p->functions_by, id);

    return at < p->functions_num ? &p->functions[at] : NULL;
}

static void add_mapping(struct pprof *p, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    const uint32_t unknown = orma_model_lit(p->imp->model, "[unknown]");
    struct orma_mapping m = {.name = unknown};
    uint64_t id = 0;

    while (orma_pb_next(&r, &f)) {
        uint64_t val = orma_pb_u64(&f);

        switch (f.id) {
        case ORMA_PB_PPROF_MAPPING_ID:
            id = val;
            break;
        case ORMA_PB_PPROF_MAPPING_MEMORY_START:
            m.start = val;
            break;
        case ORMA_PB_PPROF_MAPPING_MEMORY_LIMIT:
            m.end = val;
            break;
        case ORMA_PB_PPROF_MAPPING_FILE_OFFSET:
            m.exact_offset = val;
            break;
        case ORMA_PB_PPROF_MAPPING_FILENAME:
            m.name = string_or(p, &f, unknown);
            break;
        case ORMA_PB_PPROF_MAPPING_BUILD_ID:
            m.build_id = string(p, &f);
            break;
        }
    }
    put(p, &p->mappings, id, orma_callstacks_mapping(p->imp->model, &m));
}

/* ---- locations ---- */

static uint32_t add_symbol(struct pprof *p, uint32_t set, const struct function *fn, uint64_t line)
{
    struct orma_table *t = orma_model_table(p->imp->model, ORMA_TABLE_STACK_PROFILE_SYMBOL);
    uint32_t row = orma_table_add(t);

    if (set == ORMA_ROW_NONE)
        set = row;
    else
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row - 1, 1);
    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row, set);
    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_NAME, row, fn->name);
    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row, 0);
    if (fn->file && fn->file != ORMA_STR_EMPTY)
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, row, fn->file);
    if (line || fn->line)
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, row,
                       (uint32_t)(line ? line : fn->line));
    return set;
}

/* The lines of a location whose functions are known as symbols, innermost first. Gives the set,
 * and a name for the frame. */
static uint32_t add_lines(struct pprof *p, struct orma_pb_reader r, uint32_t *ret_name)
{
    struct orma_pb_field f, g;
    uint32_t set = ORMA_ROW_NONE;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);
        uint64_t id = 0, line = 0;

        if (f.id != ORMA_PB_PPROF_LOCATION_LINE)
            continue;
        while (orma_pb_next(&sub, &g)) {
            if (g.id == ORMA_PB_PPROF_LINE_FUNCTION_ID)
                id = orma_pb_u64(&g);
            else if (g.id == ORMA_PB_PPROF_LINE_LINE)
                line = orma_pb_u64(&g);
        }
        const struct function *fn = function_of(p, id);
        if (!fn) {
            lacks(p, "lines of locations whose function is not in the profile", f.data);
            continue;
        }
        if (set == ORMA_ROW_NONE)
            *ret_name = fn->name;
        set = add_symbol(p, set, fn, line);
    }
    return set;
}

/* Of each location that lies in no mapping, a new one: such locations never are the same frame. */
static uint32_t unknown_mapping(struct pprof *p)
{
    const struct orma_mapping m = {.name = orma_model_lit(p->imp->model, "[unknown]"),
                                   .end = UINT64_MAX};

    return orma_callstacks_add_mapping(p->imp->model, &m);
}

static void add_location(struct pprof *p, struct orma_pb_reader r)
{
    const struct orma_table *mappings =
        orma_model_table(p->imp->model, ORMA_TABLE_STACK_PROFILE_MAPPING);
    struct orma_table *t = orma_model_table(p->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    struct orma_pb_reader lines = r;
    struct orma_pb_field f;
    struct orma_stack_frame frame = {.name = orma_model_lit(p->imp->model, "[unknown]")};
    uint64_t id = 0, mapping = 0;

    if (r.pos == r.end)
        return; /* it has no number, so no sample is there */
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PPROF_LOCATION_ID)
            id = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_LOCATION_MAPPING_ID)
            mapping = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_LOCATION_ADDRESS)
            frame.rel_pc = orma_pb_u64(&f);
    }
    uint64_t row = orma_map_get(&p->mappings, mapping);
    frame.mapping = row == ORMA_MAP_NONE ? unknown_mapping(p) : (uint32_t)row;
    if (frame.mapping == ORMA_ROW_NONE)
        return; /* memory is out */
    uint64_t start =
        (uint64_t)orma_table_int(mappings, ORMA_STACK_PROFILE_MAPPING_START, frame.mapping);
    if (frame.rel_pc >= start)
        frame.rel_pc -= start;
    uint32_t set = add_lines(p, lines, &frame.name);
    uint32_t at = orma_callstacks_frame(p->imp->model, &frame);
    if (set != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, at, set);
    put(p, &p->frames, id, at);
}

/* ---- samples ---- */

static void add_type(struct pprof *p, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    uint32_t type = orma_model_lit(p->imp->model, "unknown");
    uint32_t unit = orma_model_lit(p->imp->model, "count");

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PPROF_VALUE_TYPE_TYPE)
            type = string_or(p, &f, type);
        else if (f.id == ORMA_PB_PPROF_VALUE_TYPE_UNIT)
            unit = string_or(p, &f, unit);
    }
    uint32_t name = orma_strpool_addf(&p->imp->model->storage->pool, "pprof %s",
                                      orma_strpool_cstr(&p->imp->model->storage->pool, type));
    if (ORMA_VEC_PUSH(&p->profiles,
                      orma_callstacks_aggregate(p->imp->model, "pprof_file", name, type, unit)))
        p->imp->model->storage->failed = true;
}

/* The numbers of a sample. False: its bytes mean nothing. */
static bool read_sample(struct pprof *p, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    uint64_t val;

    p->stack.len = p->values.len = 0;
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};

        if (f.id != ORMA_PB_PPROF_SAMPLE_LOCATION_ID && f.id != ORMA_PB_PPROF_SAMPLE_VALUE)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);) {
            if (f.id == ORMA_PB_PPROF_SAMPLE_LOCATION_ID ? ORMA_VEC_PUSH(&p->stack, val)
                                                         : ORMA_VEC_PUSH(&p->values, (int64_t)val))
                p->imp->model->storage->failed = true;
        }
        if (packed.failed)
            return false;
    }
    return !r.failed;
}

static struct orma_unit_end add_sample(struct orma_file *file, struct pprof *p,
                                       struct orma_pb_reader r)
{
    const uint8_t *at = r.pos;
    uint32_t callsite = ORMA_CALLSITE_NONE;

    if (!read_sample(p, r))
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "samples");
    for (uint32_t i = p->stack.len; i-- > 0;) {
        uint64_t frame = orma_map_get(&p->frames, p->stack.data[i]);

        if (frame != ORMA_MAP_NONE)
            callsite = orma_callstacks_callsite(p->imp->model, callsite, (uint32_t)frame);
        else
            lacks(p, "frames of samples whose location is not in the profile", at);
    }
    if (callsite == ORMA_CALLSITE_NONE)
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "samples without a stack");
    const uint32_t num = ORMA_MIN(p->values.len, p->profiles.len);
    if (!num)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "samples without a value");
    for (uint32_t i = 0; i < num; i++)
        orma_callstacks_aggregate_add(p->imp->model, p->profiles.data[i], callsite,
                                      (double)p->values.data[i]);
    if (p->values.len != p->profiles.len)
        lacks(p, "lists of values without one value of each type", at);
    return orma_file_took(file);
}

static void add_samples(struct orma_file *file, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_PPROF_PROFILE_SAMPLE)
            continue;
        orma_file_unit(file, f.data);
        (void)add_sample(file, file->state, orma_pb_sub(&f));
    }
}

static void each(struct pprof *p, struct orma_pb_reader r, uint32_t id,
                 void (*fn)(struct pprof *, struct orma_pb_reader))
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == id)
            fn(p, orma_pb_sub(&f));
}

static size_t pprof_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct pprof *p = file->state;
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    const uint8_t *good;

    (void)at_end; /* it is read once, whole */
    p->file = file;
    p->imp = file->imp;
    for (good = r.pos; orma_pb_next(&r, &f); good = r.pos)
        if (f.id == ORMA_PB_PPROF_PROFILE_STRING_TABLE)
            add_string(p, orma_pb_str(&f));
    if (r.failed) /* what is before it is read */
        orma_file_truncated(file, (uint64_t)(data + len - good));
    if (!p->strings_num) {
        orma_file_error(file, -EBADMSG, "Invalid pprof: empty string table (ERR:tp-corrupt)");
        return len;
    }
    r = orma_pb_reader(data, len);
    each(p, r, ORMA_PB_PPROF_PROFILE_SAMPLE_TYPE, add_type);
    each(p, r, ORMA_PB_PPROF_PROFILE_FUNCTION, add_function);
    each(p, r, ORMA_PB_PPROF_PROFILE_MAPPING, add_mapping);
    each(p, r, ORMA_PB_PPROF_PROFILE_LOCATION, add_location);
    add_samples(file, r);
    return len;
}

static void pprof_fini(struct orma_file *file)
{
    struct pprof *p = file->state;

    free(p->strings);
    free(p->functions);
    orma_map_fini(&p->functions_by);
    orma_map_fini(&p->mappings);
    orma_map_fini(&p->frames);
    ORMA_VEC_FINI(&p->profiles);
    ORMA_VEC_FINI(&p->stack);
    ORMA_VEC_FINI(&p->values);
}

const struct orma_format_ops orma_format_pprof = {
    .state_bytes = sizeof(struct pprof),
    .unit = "sample",
    .whole = true,
    .read = pprof_read,
    .fini = pprof_fini,
};
