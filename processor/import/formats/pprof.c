/*
 * pprof: one message with samples, whose values are summed up for each call stack.
 *
 * Parts refer to each other by id, in any order; so the message is walked twice: strings,
 * functions and mappings first, then locations and samples.
 */
#include "processor/import/formats/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/model/callstacks.h"
#include "protos/fields/pprof.h"
#include "sdk/base/vec.h"

#define TYPES_MAX 16
#define STACK_MAX 4096

struct function {
    uint32_t name, file;
};

struct pprof {
    struct orma_import_ctx *imp;
    uint32_t *strings; /* pool ids */
    uint32_t strings_num, strings_cap;
    struct orma_map functions; /* id → name << 32 | file */
    struct orma_map mappings;  /* id → row */
    struct orma_map starts;    /* id of a mapping → start - offset */
    struct orma_map frames;    /* id of a location → row */
    struct orma_map sums;      /* profile << 32 | call site → row of a sample */
    uint32_t profiles[TYPES_MAX];
    unsigned types_num;
};

static void put(struct pprof *p, struct orma_map *map, uint64_t key, uint64_t val)
{
    p->imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

static uint32_t string(const struct pprof *p, uint64_t idx)
{
    return idx < p->strings_num ? p->strings[idx] : ORMA_STR_EMPTY;
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
    struct orma_pb_field f;
    uint64_t id = 0, name = 0, file = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PPROF_FUNCTION_ID)
            id = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_FUNCTION_NAME)
            name = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_FUNCTION_FILENAME)
            file = orma_pb_u64(&f);
    }
    put(p, &p->functions, id, (uint64_t)string(p, name) << 32 | string(p, file));
}

static void add_mapping(struct pprof *p, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    struct orma_mapping m = {0};
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
            m.name = string(p, val);
            break;
        case ORMA_PB_PPROF_MAPPING_BUILD_ID:
            m.build_id = string(p, val);
            break;
        }
    }
    put(p, &p->mappings, id, orma_callstacks_mapping(p->imp->model, &m));
    put(p, &p->starts, id, (m.start - m.exact_offset) & INT64_MAX);
}

/* ---- locations ---- */

/* The lines of a location as symbols, innermost first. Gives the set, and a name for the frame. */
static uint32_t add_lines(struct pprof *p, struct orma_pb_reader r, uint32_t *ret_name)
{
    struct orma_table *t = orma_model_table(p->imp->model, ORMA_TABLE_STACK_PROFILE_SYMBOL);
    struct orma_pb_field f, g;
    uint32_t set = ORMA_ROW_NONE;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);
        uint64_t function = 0, line = 0, found;

        if (f.id != ORMA_PB_PPROF_LOCATION_LINE)
            continue;
        while (orma_pb_next(&sub, &g)) {
            if (g.id == ORMA_PB_PPROF_LINE_FUNCTION_ID)
                function = orma_pb_u64(&g);
            else if (g.id == ORMA_PB_PPROF_LINE_LINE)
                line = orma_pb_u64(&g);
        }
        found = orma_map_get(&p->functions, function);
        if (found == ORMA_MAP_NONE)
            found = (uint64_t)ORMA_STR_EMPTY << 32 | ORMA_STR_EMPTY;
        uint32_t row = orma_table_add(t);
        if (set == ORMA_ROW_NONE) {
            set = row;
            *ret_name = (uint32_t)(found >> 32);
        } else {
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row - 1, 1);
        }
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row, set);
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_NAME, row, (uint32_t)(found >> 32));
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row, 0);
        if ((uint32_t)found != ORMA_STR_EMPTY) {
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, row, (uint32_t)found);
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, row, (uint32_t)line);
        }
    }
    return set;
}

static void add_location(struct pprof *p, struct orma_pb_reader r)
{
    struct orma_table *t = orma_model_table(p->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    struct orma_pb_reader lines = r;
    struct orma_pb_field f;
    struct orma_stack_frame frame = {.name = ORMA_STR_EMPTY};
    uint64_t id = 0, mapping = 0, address = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PPROF_LOCATION_ID)
            id = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_LOCATION_MAPPING_ID)
            mapping = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_LOCATION_ADDRESS)
            address = orma_pb_u64(&f);
    }
    uint64_t row = orma_map_get(&p->mappings, mapping);
    frame.mapping =
        row == ORMA_MAP_NONE ? orma_callstacks_dummy_mapping(p->imp->model, "") : (uint32_t)row;
    frame.rel_pc = address;
    if (row != ORMA_MAP_NONE && address >= orma_map_get(&p->starts, mapping))
        frame.rel_pc -= orma_map_get(&p->starts, mapping);
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
    uint64_t type = 0, unit = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PPROF_VALUE_TYPE_TYPE)
            type = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PPROF_VALUE_TYPE_UNIT)
            unit = orma_pb_u64(&f);
    }
    if (p->types_num == TYPES_MAX)
        return;
    uint32_t name =
        orma_strpool_addf(&p->imp->model->storage->pool, "pprof %s",
                          orma_strpool_cstr(&p->imp->model->storage->pool, string(p, type)));
    p->profiles[p->types_num++] = orma_callstacks_aggregate(p->imp->model, "pprof_file", name,
                                                            string(p, type), string(p, unit));
}

static void add_value(struct pprof *p, unsigned type, uint32_t callsite, int64_t value)
{
    struct orma_table *t = orma_model_table(p->imp->model, ORMA_TABLE_AGGREGATE_SAMPLE);
    uint64_t key = (uint64_t)p->profiles[type] << 32 | callsite;
    uint64_t have = orma_map_get(&p->sums, key);

    if (have == ORMA_MAP_NONE) {
        put(p, &p->sums, key, t->rows);
        orma_callstacks_aggregate_add(p->imp->model, p->profiles[type], callsite, (double)value);
        return;
    }
    const struct orma_column *col = &t->columns[ORMA_AGGREGATE_SAMPLE_VALUE];
    orma_table_set_double(t, ORMA_AGGREGATE_SAMPLE_VALUE, (uint32_t)have,
                          orma_column_double(col, (uint32_t)have) + (double)value);
}

static void add_sample(struct pprof *p, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    uint64_t stack[STACK_MAX], val;
    int64_t values[TYPES_MAX];
    unsigned depth = 0, num = 0;
    uint32_t callsite = ORMA_CALLSITE_NONE;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};

        if (f.id != ORMA_PB_PPROF_SAMPLE_LOCATION_ID && f.id != ORMA_PB_PPROF_SAMPLE_VALUE)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);) {
            if (f.id == ORMA_PB_PPROF_SAMPLE_LOCATION_ID && depth < STACK_MAX)
                stack[depth++] = val;
            else if (f.id == ORMA_PB_PPROF_SAMPLE_VALUE && num < TYPES_MAX)
                values[num++] = (int64_t)val;
        }
    }
    while (depth-- > 0) {
        uint64_t frame = orma_map_get(&p->frames, stack[depth]);

        if (frame != ORMA_MAP_NONE)
            callsite = orma_callstacks_callsite(p->imp->model, callsite, (uint32_t)frame);
    }
    for (unsigned i = 0; callsite != ORMA_CALLSITE_NONE && i < ORMA_MIN(num, p->types_num); i++)
        add_value(p, i, callsite, values[i]);
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

    (void)at_end; /* it is read once, whole */
    p->imp = file->imp;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PPROF_PROFILE_STRING_TABLE)
            add_string(p, orma_pb_str(&f));
    if (r.failed)
        orma_file_error(file, -EBADMSG, "the pprof file is corrupt or cut off (ERR:tp-corrupt)");
    r = orma_pb_reader(data, len);
    each(p, r, ORMA_PB_PPROF_PROFILE_SAMPLE_TYPE, add_type);
    each(p, r, ORMA_PB_PPROF_PROFILE_FUNCTION, add_function);
    each(p, r, ORMA_PB_PPROF_PROFILE_MAPPING, add_mapping);
    each(p, r, ORMA_PB_PPROF_PROFILE_LOCATION, add_location);
    each(p, r, ORMA_PB_PPROF_PROFILE_SAMPLE, add_sample);
    return len;
}

static void pprof_fini(struct orma_file *file)
{
    struct pprof *p = file->state;

    free(p->strings);
    orma_map_fini(&p->functions);
    orma_map_fini(&p->mappings);
    orma_map_fini(&p->starts);
    orma_map_fini(&p->frames);
    orma_map_fini(&p->sums);
}

const struct orma_format_ops orma_format_pprof = {
    .state_bytes = sizeof(struct pprof),
    .whole = true,
    .read = pprof_read,
    .fini = pprof_fini,
};
