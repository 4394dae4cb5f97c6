/*
 * Stacks as packets hold them: interned or inline, and the symbols that arrive later.
 *
 * An interned entry (mapping, frame, callstack) becomes a row at its first use. Rows are of a
 * process, since mappings are; so the entry caches the number of a struct orma_profile_entry, which
 * has the first process that used it, and the row. Those of others are in a map. So each is
 * resolved once per process and generation of the sequence:
 *
 *   callstack iid ─► frame iids ─► function name, mapping iid ─► path, build id
 *
 * ModuleSymbols messages name addresses in a module: the frames of the module's mappings are
 * indexed by their relative pc once per message, then each address sets the symbols of its frames.
 */
#include "processor/import/profile/profile.h"

#include <stdlib.h>

#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "sdk/base/buf.h"

#define PATH_PARTS_MAX 64

static void count(struct orma_import_ctx *imp, uint16_t machine, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(imp->model, machine), stat);
}

/* The entry, or NULL and two statistics: of ids in general, and of this kind. */
static struct orma_interned *find(struct orma_import_ctx *imp, uint16_t machine,
                                  const struct orma_seq_gen *gen, uint32_t kind, uint64_t iid,
                                  enum orma_stat missing)
{
    struct orma_interned *e = orma_seq_gen_find(gen, kind, iid);

    if (!e) {
        count(imp, machine, ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
        count(imp, machine, missing);
    }
    return e;
}

/* The row that the entry has for this process; ORMA_ROW_NONE: it must be made. */
static uint32_t cached(struct orma_import_ctx *imp, const struct orma_interned *e, uint32_t upid)
{
    const struct orma_profile_state *st = orma_profile(imp);

    if (!e->cache || e->cache > st->entries.len)
        return ORMA_ROW_NONE;
    if (st->entries.data[e->cache - 1].upid == upid)
        return st->entries.data[e->cache - 1].row;
    uint64_t row = orma_map_get(&st->entries_of_others, (uint64_t)e->cache << 32 | upid);
    return row == ORMA_MAP_NONE ? ORMA_ROW_NONE : (uint32_t)row;
}

static void cache(struct orma_import_ctx *imp, struct orma_interned *e, uint32_t upid, uint32_t row)
{
    struct orma_profile_state *st = orma_profile(imp);
    const struct orma_profile_entry entry = {upid, row};
    bool failed = false;

    if (e->cache && e->cache <= st->entries.len)
        failed = orma_map_put(&st->entries_of_others, (uint64_t)e->cache << 32 | upid, row) < 0;
    else if (ORMA_VEC_PUSH(&st->entries, entry))
        failed = true;
    else
        e->cache = st->entries.len;
    imp->model->storage->failed |= failed;
}

/* The text of an interned string; id 0 is none. False: there is no such id. */
static bool string_of(struct orma_import_ctx *imp, uint16_t machine, const struct orma_seq_gen *gen,
                      uint32_t kind, uint64_t iid, struct orma_str *ret)
{
    const struct orma_interned *e =
        iid ? find(imp, machine, gen, kind, iid, ORMA_STAT_STACKPROFILE_INVALID_STRING_ID) : NULL;
    struct orma_pb_reader r = orma_pb_reader(e ? e->data : NULL, e ? e->len : 0);
    struct orma_pb_field f;

    *ret = (struct orma_str){"", 0};
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INTERNED_STRING_STR)
            *ret = orma_pb_str(&f);
    return e || !iid;
}

/* Its pool id; 0: none. */
static uint32_t text_of(struct orma_import_ctx *imp, uint16_t machine,
                        const struct orma_seq_gen *gen, uint32_t kind, uint64_t iid)
{
    struct orma_str s;

    return string_of(imp, machine, gen, kind, iid, &s) && iid ? orma_model_str(imp->model, s) : 0;
}

/* Fields of a Mapping; ids of strings are left to the caller. */
static void read_mapping(const struct orma_pb_field *f, struct orma_mapping *m)
{
    switch (f->id) {
    case ORMA_PB_MAPPING_START_OFFSET:
        m->start_offset = orma_pb_u64(f);
        break;
    case ORMA_PB_MAPPING_START:
        m->start = orma_pb_u64(f);
        break;
    case ORMA_PB_MAPPING_END:
        m->end = orma_pb_u64(f);
        break;
    case ORMA_PB_MAPPING_LOAD_BIAS:
        m->load_bias = orma_pb_u64(f);
        break;
    case ORMA_PB_MAPPING_EXACT_OFFSET:
        m->exact_offset = orma_pb_u64(f);
        break;
    }
}

/* Its path, as far as its parts are known. */
static uint32_t path_of(struct orma_import_ctx *imp, uint16_t machine,
                        const struct orma_seq_gen *gen, struct orma_pb_reader r)
{
    uint32_t parts[PATH_PARTS_MAX];
    unsigned num = 0;
    struct orma_pb_field f;
    bool whole = true;

    while (whole && orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        if (f.id != ORMA_PB_MAPPING_PATH_STRING_IDS)
            continue;
        for (orma_pb_numbers(&f, &packed); whole && orma_pb_number(&f, &packed, &val);) {
            uint32_t part = text_of(imp, machine, gen, ORMA_PB_INTERNED_DATA_MAPPING_PATHS, val);

            whole = part && num < PATH_PARTS_MAX;
            if (whole)
                parts[num++] = part;
        }
    }
    return orma_callstacks_mapping_name(imp->model, parts, num);
}

uint32_t orma_profile_interned_mapping(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                                       const struct orma_seq_gen *gen, uint64_t iid)
{
    struct orma_interned *e = find(imp, machine, gen, ORMA_PB_INTERNED_DATA_MAPPINGS, iid,
                                   ORMA_STAT_STACKPROFILE_INVALID_MAPPING_ID);
    struct orma_pb_reader r = orma_pb_reader(e ? e->data : NULL, e ? e->len : 0);
    struct orma_pb_field f;
    struct orma_mapping m = {0};
    struct orma_str id;
    uint64_t build_id = 0;
    uint32_t row;

    if (!e)
        return ORMA_ROW_NONE;
    if ((row = cached(imp, e, upid)) != ORMA_ROW_NONE)
        return row;
    while (orma_pb_next(&r, &f)) {
        read_mapping(&f, &m);
        if (f.id == ORMA_PB_MAPPING_BUILD_ID)
            build_id = orma_pb_u64(&f);
    }
    if (!string_of(imp, machine, gen, ORMA_PB_INTERNED_DATA_BUILD_IDS, build_id, &id))
        return ORMA_ROW_NONE;
    if (build_id)
        m.build_id = orma_callstacks_build_id(imp->model, id);
    m.name = path_of(imp, machine, gen, orma_pb_reader(e->data, e->len));
    orma_callstacks_check_mapping(imp->model, machine, m.name, m.build_id);
    /* Memory of a process is its own, and what a state that was cleared said of it is over. */
    row = upid != ORMA_ID_NONE && m.start < m.end ? orma_callstacks_add_mapping(imp->model, &m)
                                                  : orma_callstacks_mapping(imp->model, &m);
    cache(imp, e, upid, row);
    return row;
}

/* Where interned code lies of which no address is known: one for all that was interned together. */
static uint32_t unplaced_mapping(struct orma_import_ctx *imp, const struct orma_seq_gen *gen)
{
    const struct orma_mapping m = {.name = ORMA_STR_EMPTY, .end = UINT64_MAX};

    if (!gen->interned->cache) {
        uint32_t row = orma_callstacks_add_mapping(imp->model, &m);

        if (row == ORMA_ROW_NONE)
            return row;
        gen->interned->cache = row + 1;
    }
    return gen->interned->cache - 1;
}

static uint32_t kind_text(struct orma_import_ctx *imp, uint64_t kind)
{
    static const char *const kinds[] = {NULL,  "native", "kernel", "interpreted",
                                        "jit", "gc",     "runtime"};

    return kind < ORMA_ARRAY_LEN(kinds) && kinds[kind] ? orma_model_cstr(imp->model, kinds[kind])
                                                       : 0;
}

uint32_t orma_profile_interned_frame(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                                     const struct orma_seq_gen *gen, uint64_t iid)
{
    struct orma_interned *e = find(imp, machine, gen, ORMA_PB_INTERNED_DATA_FRAMES, iid,
                                   ORMA_STAT_STACKPROFILE_INVALID_FRAME_ID);
    struct orma_pb_reader r = orma_pb_reader(e ? e->data : NULL, e ? e->len : 0);
    struct orma_pb_field f;
    struct orma_stack_frame frame = {0};
    uint64_t mapping = 0, name = 0, source = 0;
    uint32_t row;

    if (!e)
        return ORMA_ROW_NONE;
    if ((row = cached(imp, e, upid)) != ORMA_ROW_NONE)
        return row;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_FRAME_FUNCTION_NAME_ID:
            name = orma_pb_u64(&f);
            break;
        case ORMA_PB_FRAME_MAPPING_ID:
            mapping = orma_pb_u64(&f);
            break;
        case ORMA_PB_FRAME_REL_PC:
            frame.rel_pc = orma_pb_u64(&f);
            break;
        case ORMA_PB_FRAME_SOURCE_PATH_IID:
            source = orma_pb_u64(&f);
            break;
        case ORMA_PB_FRAME_LINE_NUMBER:
            frame.line = orma_pb_u32(&f);
            break;
        case ORMA_PB_FRAME_KIND:
            frame.type = kind_text(imp, orma_pb_u64(&f));
            break;
        case ORMA_PB_FRAME_KIND_STR:
            frame.type = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        }
    }
    frame.name = text_of(imp, machine, gen, ORMA_PB_INTERNED_DATA_FUNCTION_NAMES, name);
    if (name && !frame.name)
        return ORMA_ROW_NONE;
    if (source)
        frame.source = text_of(imp, machine, gen, ORMA_PB_INTERNED_DATA_SOURCE_PATHS, source);
    frame.mapping = mapping ? orma_profile_interned_mapping(imp, machine, upid, gen, mapping)
                            : unplaced_mapping(imp, gen);
    if (frame.mapping == ORMA_ROW_NONE)
        return ORMA_ROW_NONE;
    if (mapping) {
        row = orma_callstacks_frame(imp->model, &frame);
    } else { /* no address is known, but a name, which is its symbol */
        frame.rel_pc = 0;
        row = orma_callstacks_symbolized_frame(imp->model, &frame);
    }
    cache(imp, e, upid, row);
    return row;
}

uint32_t orma_profile_interned_callsite(struct orma_import_ctx *imp, uint16_t machine,
                                        uint32_t upid, const struct orma_seq_gen *gen, uint64_t iid)
{
    struct orma_interned *e = find(imp, machine, gen, ORMA_PB_INTERNED_DATA_CALLSTACKS, iid,
                                   ORMA_STAT_STACKPROFILE_INVALID_CALLSTACK_ID);
    struct orma_pb_reader r = orma_pb_reader(e ? e->data : NULL, e ? e->len : 0);
    struct orma_pb_field f;
    uint32_t callsite = ORMA_CALLSITE_NONE, row;

    if (!e)
        return ORMA_CALLSITE_NONE;
    if ((row = cached(imp, e, upid)) != ORMA_ROW_NONE)
        return row;
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        if (f.id != ORMA_PB_CALLSTACK_FRAME_IDS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);) {
            uint32_t frame = orma_profile_interned_frame(imp, machine, upid, gen, val);

            if (frame == ORMA_ROW_NONE)
                return ORMA_CALLSITE_NONE;
            callsite = orma_callstacks_callsite(imp->model, callsite, frame);
        }
    }
    if (callsite == ORMA_CALLSITE_NONE)
        count(imp, machine, ORMA_STAT_STACKPROFILE_EMPTY_CALLSTACK);
    else
        cache(imp, e, upid, callsite);
    return callsite;
}

/* A frame that stands in the packet itself. */
static struct orma_stack_frame inline_frame(struct orma_import_ctx *imp, struct orma_pb_reader r)
{
    struct orma_stack_frame frame = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INLINE_CALLSTACK_FRAME_FUNCTION_NAME)
            frame.name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_INLINE_CALLSTACK_FRAME_SOURCE_FILE)
            frame.source = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_INLINE_CALLSTACK_FRAME_LINE_NUMBER)
            frame.line = orma_pb_u32(&f);
    }
    return frame;
}

static uint32_t inline_callsite(struct orma_import_ctx *imp, const char *mapping,
                                struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t callsite = ORMA_CALLSITE_NONE;
    uint32_t where = orma_callstacks_dummy_mapping(imp->model, mapping);

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_INLINE_CALLSTACK_FRAMES)
            continue;
        struct orma_stack_frame frame = inline_frame(imp, orma_pb_sub(&f));
        frame.mapping = where;
        callsite = orma_callstacks_callsite(imp->model, callsite,
                                            orma_callstacks_symbolized_frame(imp->model, &frame));
    }
    return callsite;
}

uint32_t orma_profile_inline_callsite(struct orma_import_ctx *imp, struct orma_str bytes)
{
    return inline_callsite(imp, "track_event_inline", bytes);
}

uint32_t orma_profile_sample_callsite(struct orma_import_ctx *imp, struct orma_str bytes)
{
    return inline_callsite(imp, "stack_sample_inline", bytes);
}

/* ---- symbols ---- */

/* The lines of an address as symbols, innermost first. Their set, or ORMA_ROW_NONE. */
static uint32_t add_lines(struct orma_import_ctx *imp, struct orma_pb_reader r)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_STACK_PROFILE_SYMBOL);
    struct orma_pb_field f, g;
    uint32_t set = ORMA_ROW_NONE, last = ORMA_ROW_NONE;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);
        uint32_t name = ORMA_STR_EMPTY, source = 0, line = 0;

        if (f.id != ORMA_PB_ADDRESS_SYMBOLS_LINES)
            continue;
        while (orma_pb_next(&sub, &g)) {
            if (g.id == ORMA_PB_LINE_FUNCTION_NAME)
                name = orma_model_str(imp->model, orma_pb_str(&g));
            else if (g.id == ORMA_PB_LINE_SOURCE_FILE_NAME)
                source = orma_model_str(imp->model, orma_pb_str(&g));
            else if (g.id == ORMA_PB_LINE_LINE_NUMBER)
                line = orma_pb_u32(&g);
        }
        uint32_t row = orma_table_add(t);
        if (set == ORMA_ROW_NONE)
            set = row;
        if (last != ORMA_ROW_NONE)
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, last, 1);
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row, set);
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_NAME, row, name);
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row, 0);
        if (source && source != ORMA_STR_EMPTY) {
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, row, source);
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, row, line);
        }
        last = row;
    }
    return set;
}

/* Frames of the module's mappings by their place in it: (place) → first + 1 of a chain in `next`.
 */
struct module_frames {
    struct orma_map by_pc;
    uint32_t *next; /* by frame */
    bool has_mapping;
};

static bool is_of_module(const struct orma_table *t, uint32_t mapping, uint32_t path,
                         uint32_t build_id)
{
    return orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_NAME, mapping) == path &&
           orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_BUILD_ID, mapping) == build_id;
}

static void find_module(struct orma_import_ctx *imp, uint32_t path, uint32_t build_id,
                        struct module_frames *ret)
{
    const struct orma_table *mappings =
        orma_model_table(imp->model, ORMA_TABLE_STACK_PROFILE_MAPPING);
    const struct orma_table *frames = orma_model_table(imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);

    *ret = (struct module_frames){0};
    for (uint32_t i = 0; i < mappings->rows; i++)
        ret->has_mapping = ret->has_mapping || is_of_module(mappings, i, path, build_id);
    if (!ret->has_mapping || !frames->rows)
        return;
    ret->next = calloc(frames->rows, sizeof(*ret->next));
    imp->model->storage->failed |= !ret->next;
    for (uint32_t i = 0; ret->next && i < frames->rows; i++) {
        uint32_t mapping = (uint32_t)orma_table_int(frames, ORMA_STACK_PROFILE_FRAME_MAPPING, i);
        uint64_t pc = (uint64_t)orma_table_int(frames, ORMA_STACK_PROFILE_FRAME_REL_PC, i);

        if (!is_of_module(mappings, mapping, path, build_id))
            continue;
        uint64_t first = orma_map_get(&ret->by_pc, pc);
        ret->next[i] = first == ORMA_MAP_NONE ? 0 : (uint32_t)first;
        imp->model->storage->failed |= orma_map_put(&ret->by_pc, pc, i + 1) < 0;
    }
}

static void add_address(struct orma_import_ctx *imp, uint16_t machine,
                        const struct module_frames *m, struct orma_str bytes)
{
    struct orma_table *frames = orma_model_table(imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint64_t address = 0;
    uint32_t set = add_lines(imp, r);

    if (set == ORMA_ROW_NONE)
        return;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_ADDRESS_SYMBOLS_ADDRESS)
            address = orma_pb_u64(&f);
    uint64_t at = orma_map_get(&m->by_pc, address);
    if (at == ORMA_MAP_NONE) {
        count(imp, machine, ORMA_STAT_STACKPROFILE_INVALID_FRAME_ID);
        return;
    }
    for (; at; at = m->next[at - 1])
        orma_table_set(frames, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, (uint32_t)at - 1, set);
}

void orma_profile_symbols(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct module_frames m;
    uint32_t path = ORMA_STR_EMPTY, build_id = ORMA_STR_EMPTY;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_MODULE_SYMBOLS_PATH)
            path = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_MODULE_SYMBOLS_BUILD_ID)
            build_id = orma_callstacks_build_id(imp->model, orma_pb_str(&f));
    }
    find_module(imp, path, build_id, &m);
    if (!m.has_mapping)
        count(imp, machine, ORMA_STAT_STACKPROFILE_INVALID_MAPPING_ID);
    r = orma_pb_reader(bytes.data, bytes.len);
    while (m.has_mapping && orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_MODULE_SYMBOLS_ADDRESS_SYMBOLS)
            add_address(imp, machine, &m, orma_pb_str(&f));
    orma_map_fini(&m.by_pc);
    free(m.next);
}
