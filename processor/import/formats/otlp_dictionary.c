/*
 * Dictionaries of profiles, list by list: each list is of what stands before it here.
 *
 *   strings ─► attributes, functions ─► mappings ─► locations (frames) ─► stacks (call sites)
 */
#include "processor/import/formats/otlp_profiles.h"

#include <inttypes.h>

#include "processor/model/callstacks.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

static void no_memory(const struct orma_otlp_dictionary *self)
{
    self->file->imp->model->storage->failed = true;
}

/* A number that stands for nothing in the dictionary. */
static void lacks(const struct orma_otlp_dictionary *self, const char *kind)
{
    orma_file_part(self->file, ORMA_ACCOUNT_DAMAGED, kind, NULL);
}

uint32_t orma_otlp_dictionary_text(const struct orma_otlp_dictionary *self, uint64_t number)
{
    if (number < self->strings.len)
        return self->strings.data[number];
    if (number)
        lacks(self, "names missing from the string table");
    return ORMA_STR_EMPTY;
}

/* ---- attributes ---- */

static void read_value(const struct orma_otlp_dictionary *self, struct orma_pb_reader r,
                       struct orma_otlp_attribute *ret)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_VALUE_STRING && f.wire == ORMA_PB_LEN)
            ret->text = orma_model_str(self->file->imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_OTLP_VALUE_STRING_NUMBER && f.wire == ORMA_PB_VARINT)
            ret->text = orma_otlp_dictionary_text(self, orma_pb_u64(&f));
        else if (f.id == ORMA_OTLP_VALUE_INT && f.wire == ORMA_PB_VARINT) {
            ret->number = orma_pb_i64(&f);
            ret->has_number = true;
        }
    }
}

static void add_attribute(struct orma_otlp_dictionary *self, struct orma_pb_reader r)
{
    struct orma_otlp_attribute a = {.key = ORMA_STR_EMPTY};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_ATTRIBUTE_KEY)
            a.key = orma_otlp_dictionary_text(self, orma_pb_u64(&f));
        else if (f.id == ORMA_OTLP_ATTRIBUTE_VALUE && f.wire == ORMA_PB_LEN)
            read_value(self, orma_pb_sub(&f), &a);
    }
    if (ORMA_VEC_PUSH(&self->attributes, a))
        no_memory(self);
}

/* The attributes that a field lists: the text of the one of that key; 0: there is none. */
static uint32_t listed_text(const struct orma_otlp_dictionary *self, const struct orma_pb_field *f,
                            uint32_t key)
{
    struct orma_pb_reader packed = {0};
    uint32_t ret = 0;
    uint64_t i;

    for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &i);) {
        if (i >= self->attributes.len)
            lacks(self, "attributes missing from the dictionary");
        else if (self->attributes.data[i].key == key)
            ret = self->attributes.data[i].text;
    }
    return ret;
}

/* One pair of a Resource, with the texts that its numbers stand for. */
static void put_pair(const struct orma_otlp_dictionary *self, struct orma_pb_reader r,
                     struct orma_buf *out)
{
    const struct orma_strpool *pool = &self->file->imp->model->storage->pool;
    const size_t begun = orma_pb_begin(out, ORMA_OTLP_RESOURCE_ATTRIBUTES);
    struct orma_pb_field f, v;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_KEY_VALUE_KEY && f.wire == ORMA_PB_LEN) {
            orma_pb_put_str(out, ORMA_OTLP_KEY_VALUE_KEY, orma_pb_str(&f));
        } else if (f.id == ORMA_OTLP_KEY_VALUE_KEY_NUMBER && f.wire == ORMA_PB_VARINT) {
            const uint32_t key = orma_otlp_dictionary_text(self, orma_pb_u64(&f));

            orma_pb_put_str(out, ORMA_OTLP_KEY_VALUE_KEY, orma_strpool_get(pool, key));
        } else if (f.id == ORMA_OTLP_KEY_VALUE_VALUE && f.wire == ORMA_PB_LEN) {
            struct orma_pb_reader value = orma_pb_sub(&f);
            bool numbered = orma_pb_next(&value, &v) && v.id == ORMA_OTLP_VALUE_STRING_NUMBER &&
                            v.wire == ORMA_PB_VARINT;

            if (numbered) {
                const uint32_t text = orma_otlp_dictionary_text(self, orma_pb_u64(&v));
                const size_t inner = orma_pb_begin(out, ORMA_OTLP_KEY_VALUE_VALUE);

                orma_pb_put_str(out, ORMA_OTLP_VALUE_STRING, orma_strpool_get(pool, text));
                orma_pb_end(out, inner);
            } else {
                orma_pb_put_str(out, ORMA_OTLP_KEY_VALUE_VALUE, orma_pb_str(&f));
            }
        }
    }
    orma_pb_end(out, begun);
}

struct orma_str orma_otlp_dictionary_resource(const struct orma_otlp_dictionary *self,
                                              struct orma_str resource)
{
    struct orma_otlp *state = self->file->state;
    struct orma_pb_reader r = orma_pb_reader(resource.data, resource.len);
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_RESOURCE_ATTRIBUTES && f.wire == ORMA_PB_LEN)
            put_pair(self, orma_pb_sub(&f), &out);
    const char *copy = out.len ? orma_arena_strdup(&state->arena, orma_buf_str(&out)) : "";
    if (!copy || out.failed) {
        no_memory(self);
        return (struct orma_str){"", 0};
    }
    return (struct orma_str){copy, out.len};
}

/* ---- the other lists ---- */

static void add_string(struct orma_otlp_dictionary *self, const struct orma_pb_field *f)
{
    if (ORMA_VEC_PUSH(&self->strings, orma_model_str(self->file->imp->model, orma_pb_str(f))))
        no_memory(self);
}

static void add_function(struct orma_otlp_dictionary *self, struct orma_pb_reader r)
{
    struct orma_otlp_function fn = {.name = ORMA_STR_EMPTY};
    uint32_t system_name = ORMA_STR_EMPTY;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        const uint64_t val = orma_pb_u64(&f);

        if (f.id == ORMA_OTLP_FUNCTION_NAME)
            fn.name = orma_otlp_dictionary_text(self, val);
        else if (f.id == ORMA_OTLP_FUNCTION_SYSTEM_NAME)
            system_name = orma_otlp_dictionary_text(self, val);
        else if (f.id == ORMA_OTLP_FUNCTION_FILENAME)
            fn.source = orma_otlp_dictionary_text(self, val);
        else if (f.id == ORMA_OTLP_FUNCTION_START_LINE && val <= INT32_MAX)
            fn.line = (uint32_t)val;
    }
    fn.name = fn.name == ORMA_STR_EMPTY ? system_name : fn.name;
    fn.source = fn.source == ORMA_STR_EMPTY ? 0 : fn.source;
    if (ORMA_VEC_PUSH(&self->functions, fn))
        no_memory(self);
}

static uint32_t id_of(const struct orma_otlp_dictionary *self, const struct orma_pb_field *f,
                      size_t len)
{
    bool is_set = false;
    char text[33];

    if (f->wire != ORMA_PB_LEN || f->len != len)
        return 0;
    for (size_t i = 0; i < len; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", f->data[i]);
        is_set |= f->data[i] != 0;
    }
    return is_set ? orma_model_cstr(self->file->imp->model, text) : 0;
}

static void add_link(struct orma_otlp_dictionary *self, struct orma_pb_reader r)
{
    struct orma_otlp_link link = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_PROFILES_LINK_TRACE_ID)
            link.trace = id_of(self, &f, 16);
        else if (f.id == ORMA_OTLP_PROFILES_LINK_SPAN_ID)
            link.span = id_of(self, &f, 8);
    }
    if (ORMA_VEC_PUSH(&self->links, link))
        no_memory(self);
}

static void add_mapping(struct orma_otlp_dictionary *self, struct orma_pb_reader r)
{
    static const char *const ids[] = {"process.executable.build_id.gnu",
                                      "process.executable.build_id.go",
                                      "process.executable.build_id.htlhash"};
    struct orma_model *model = self->file->imp->model;
    struct orma_mapping m = {.name = ORMA_STR_EMPTY};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        const uint64_t val = orma_pb_u64(&f);

        if (f.id == ORMA_OTLP_MAPPING_START)
            m.start = val;
        else if (f.id == ORMA_OTLP_MAPPING_LIMIT)
            m.end = val;
        else if (f.id == ORMA_OTLP_MAPPING_OFFSET)
            m.exact_offset = val;
        else if (f.id == ORMA_OTLP_MAPPING_FILENAME)
            m.name = orma_otlp_dictionary_text(self, val);
        for (unsigned i = 0; f.id == ORMA_OTLP_MAPPING_ATTRIBUTES && i < ORMA_ARRAY_LEN(ids); i++) {
            uint32_t text = listed_text(self, &f, orma_model_cstr(model, ids[i]));

            m.build_id = m.build_id ? m.build_id : text;
        }
    }
    if (m.name == ORMA_STR_EMPTY)
        m.name = orma_model_lit(model, "[unknown]");
    if (ORMA_VEC_PUSH(&self->mappings, orma_callstacks_mapping(model, &m)))
        no_memory(self);
}

/* ---- locations ---- */

/* One of several functions of a frame, of which all but the last are inlined. Gives the set. */
static uint32_t add_symbol(const struct orma_otlp_dictionary *self, uint32_t set,
                           const struct orma_otlp_function *fn, uint32_t line)
{
    struct orma_table *t =
        orma_model_table(self->file->imp->model, ORMA_TABLE_STACK_PROFILE_SYMBOL);
    const uint32_t row = orma_table_add(t);

    if (set != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row - 1, 1);
    set = set == ORMA_ROW_NONE ? row : set;
    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row, set);
    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_NAME, row, fn->name);
    orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row, 0);
    if (fn->source)
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SOURCE_FILE, row, fn->source);
    if (line || fn->line)
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, row, line ? line : fn->line);
    return set;
}

/* A Line: its function; NULL, which is told, when it is not there. */
static const struct orma_otlp_function *read_line(const struct orma_otlp_dictionary *self,
                                                  const struct orma_pb_field *field,
                                                  uint32_t *ret_line)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    uint64_t number = 0, line = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_LINE_FUNCTION)
            number = orma_pb_u64(&f);
        else if (f.id == ORMA_OTLP_LINE_LINE)
            line = orma_pb_u64(&f);
    }
    *ret_line = line <= INT32_MAX ? (uint32_t)line : 0;
    if (number && number < self->functions.len)
        return &self->functions.data[number];
    lacks(self, "lines of locations whose function is not in the dictionary");
    return NULL;
}

/* The first function, and how many there are. */
static unsigned read_first(const struct orma_otlp_dictionary *self, struct orma_pb_reader r,
                           struct orma_stack_frame *frame)
{
    const struct orma_otlp_function *fn;
    struct orma_pb_field f;
    unsigned num = 0;
    uint32_t line;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_OTLP_LOCATION_LINES || f.wire != ORMA_PB_LEN ||
            !(fn = read_line(self, &f, &line)) || num++)
            continue;
        frame->name = fn->name;
        frame->source = fn->source;
        frame->line = line ? line : fn->line;
    }
    return num;
}

static void add_symbols(const struct orma_otlp_dictionary *self, struct orma_pb_reader r,
                        uint32_t frame)
{
    struct orma_table *t = orma_model_table(self->file->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    const struct orma_otlp_function *fn;
    uint32_t set = ORMA_ROW_NONE, line;
    struct orma_pb_field f;

    if (frame == ORMA_ROW_NONE ||
        !orma_table_is_null(t, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame))
        return; /* as another message had it */
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_LOCATION_LINES && f.wire == ORMA_PB_LEN &&
            (fn = read_line(self, &f, &line)))
            set = add_symbol(self, set, fn, line);
    orma_table_set(t, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame, set);
}

static void add_location(struct orma_otlp_dictionary *self, struct orma_pb_reader r)
{
    struct orma_model *model = self->file->imp->model;
    const struct orma_table *mappings = orma_model_table(model, ORMA_TABLE_STACK_PROFILE_MAPPING);
    const uint32_t type = orma_model_lit(model, "profile.frame.type");
    struct orma_stack_frame frame = {.name = orma_model_lit(model, "[unknown]")};
    struct orma_pb_reader lines = r;
    struct orma_pb_field f;
    uint64_t mapping = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_LOCATION_MAPPING)
            mapping = orma_pb_u64(&f);
        else if (f.id == ORMA_OTLP_LOCATION_ADDRESS)
            frame.rel_pc = orma_pb_u64(&f);
        else if (f.id == ORMA_OTLP_LOCATION_ATTRIBUTES) {
            uint32_t text = listed_text(self, &f, type);

            frame.type = text ? text : frame.type;
        }
    }
    if (mapping >= self->mappings.len && mapping)
        lacks(self, "mappings missing from the dictionary");
    frame.mapping = mapping && mapping < self->mappings.len
                        ? self->mappings.data[mapping]
                        : orma_callstacks_dummy_mapping(model, "[unknown]");
    if (frame.mapping == ORMA_ROW_NONE) {
        no_memory(self);
        return;
    }
    uint64_t start =
        (uint64_t)orma_table_int(mappings, ORMA_STACK_PROFILE_MAPPING_START, frame.mapping);
    if (frame.rel_pc >= start)
        frame.rel_pc -= start;
    const unsigned num = read_first(self, lines, &frame);
    uint32_t row;
    if (num > 1) {
        frame.source = 0; /* its symbols are several */
        row = orma_callstacks_frame(model, &frame);
        add_symbols(self, lines, row);
    } else {
        row = num ? orma_callstacks_symbolized_frame(model, &frame)
                  : orma_callstacks_frame(model, &frame);
    }
    if (ORMA_VEC_PUSH(&self->frames, row))
        no_memory(self);
}

/* ---- stacks ---- */

static void add_stack(struct orma_otlp_dictionary *self, struct orma_pb_reader r)
{
    ORMA_VEC(uint64_t) stack = {0};
    uint32_t callsite = ORMA_CALLSITE_NONE;
    struct orma_pb_field f;
    uint64_t number;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};

        if (f.id != ORMA_OTLP_STACK_LOCATIONS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &number);)
            if (ORMA_VEC_PUSH(&stack, number))
                no_memory(self);
    }
    for (uint32_t i = stack.len; i-- > 0;) { /* innermost first */
        const uint64_t at = stack.data[i];

        if (at && at < self->frames.len)
            callsite =
                orma_callstacks_callsite(self->file->imp->model, callsite, self->frames.data[at]);
        else
            lacks(self, "frames of stacks whose location is not in the dictionary");
    }
    ORMA_VEC_FINI(&stack);
    if (ORMA_VEC_PUSH(&self->stacks, callsite))
        no_memory(self);
}

/* ---- all ---- */

void orma_otlp_dictionary_read(struct orma_otlp_dictionary *self, struct orma_file *file,
                               struct orma_str bytes)
{
    static const struct {
        uint32_t field;
        void (*add)(struct orma_otlp_dictionary *self, struct orma_pb_reader r);
    } lists[] = {
        {ORMA_OTLP_DICTIONARY_ATTRIBUTES, add_attribute},
        {ORMA_OTLP_DICTIONARY_LINKS, add_link},
        {ORMA_OTLP_DICTIONARY_FUNCTIONS, add_function},
        {ORMA_OTLP_DICTIONARY_MAPPINGS, add_mapping},
        {ORMA_OTLP_DICTIONARY_LOCATIONS, add_location},
        {ORMA_OTLP_DICTIONARY_STACKS, add_stack},
    };
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    self->file = file;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_DICTIONARY_STRINGS && f.wire == ORMA_PB_LEN)
            add_string(self, &f);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(lists); i++) {
        r = orma_pb_reader(bytes.data, bytes.len);
        while (!orma_file_failed(file) && orma_pb_next(&r, &f))
            if (f.id == lists[i].field && f.wire == ORMA_PB_LEN)
                lists[i].add(self, orma_pb_sub(&f));
    }
    if (r.failed)
        orma_file_damage(file, bytes.data, bytes.len, "a malformed dictionary");
}

void orma_otlp_dictionary_fini(struct orma_otlp_dictionary *self)
{
    ORMA_VEC_FINI(&self->strings);
    ORMA_VEC_FINI(&self->attributes);
    ORMA_VEC_FINI(&self->functions);
    ORMA_VEC_FINI(&self->links);
    ORMA_VEC_FINI(&self->mappings);
    ORMA_VEC_FINI(&self->frames);
    ORMA_VEC_FINI(&self->stacks);
}
