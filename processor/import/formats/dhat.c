/*
 * Heap profiles of DHAT (`valgrind --tool=dhat`, the dhat crate of Rust):
 *
 *   {"dhatFileVersion": 2, "mode", "tu", "cmd", "pid",
 *    "pps": [{"tb", "tbk", "gb", "gbk", ..., "fs": [indices, innermost first]}],
 *    "ftbl": ["[root]", "0x109219: main (c.c:6)", "0x4A: malloc (in /usr/lib/libc.so)"]}
 *
 * A place that allocates is a stack with up to a dozen values, each of a profile of its own. The
 * table of frames comes last, so members are found first.
 */
#include "processor/import/formats/formats.h"
#include "processor/import/formats/json_profile.h"
#include "processor/model/callstacks.h"
#include "sdk/base/vec.h"

#define SOURCE "dhat"

/* What places have values of. */
enum unit { UNIT_BYTES, UNIT_BLOCKS, UNIT_TIME, UNIT_ACCESS };

static const struct kind {
    const char *key, *type, *name;
    enum unit unit;
} kinds[] = {
    {"tb", "total", "DHAT total", UNIT_BYTES},
    {"tbk", "total_blocks", "DHAT total blocks", UNIT_BLOCKS},
    {"gb", "at_t_gmax", "DHAT at t-gmax", UNIT_BYTES},
    {"gbk", "at_t_gmax_blocks", "DHAT blocks at t-gmax", UNIT_BLOCKS},
    {"eb", "at_t_end", "DHAT at t-end", UNIT_BYTES},
    {"ebk", "at_t_end_blocks", "DHAT blocks at t-end", UNIT_BLOCKS},
    {"mb", "maximum", "DHAT maximum of each place", UNIT_BYTES},
    {"mbk", "maximum_blocks", "DHAT blocks at the maximum of each place", UNIT_BLOCKS},
    {"tl", "lifetimes", "DHAT lifetimes", UNIT_TIME},
    {"rb", "reads", "DHAT reads", UNIT_ACCESS},
    {"wb", "writes", "DHAT writes", UNIT_ACCESS},
};

struct dhat {
    struct orma_formats_profile base;
    uint32_t profiles[ORMA_ARRAY_LEN(kinds)]; /* + 1; 0: not made yet */
    uint32_t units[UNIT_ACCESS + 1];
    ORMA_VEC(uint32_t) frames; /* by index in the table */
    ORMA_VEC(uint32_t) stack;  /* of the place at hand */
};

struct members {
    struct orma_formats_span places, frames, time, bytes, blocks, cmd, pid;
};

static void out_of_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

/* ---- frames ---- */

/* "file.c:6" or "file.rs:6:5" in its parts. */
static uint32_t cut_line(struct orma_str *source)
{
    uint64_t line = 0, number;

    for (unsigned i = 0; i < 2; i++) {
        const char *colon = source->len ? memrchr(source->data, ':', source->len) : NULL;

        if (!colon || colon == source->data)
            break;
        const size_t at = (size_t)(colon - source->data);
        const struct orma_str digits = {colon + 1, source->len - at - 1};
        if (!digits.len || !orma_str_to_u64(digits, &number))
            break;
        line = number; /* a column is behind the line */
        source->len = at;
    }
    return line <= INT32_MAX ? (uint32_t)line : 0;
}

/* "0x109219: main (c.c:6)" */
static uint32_t frame_of(struct orma_file *file, struct orma_str text)
{
    struct orma_model *m = file->imp->model;
    struct orma_stack_frame frame = {0};
    struct orma_mapping mapping = {.name = ORMA_STR_EMPTY, .end = UINT64_MAX};
    struct orma_str place = {0};
    const char *mark =
        orma_str_starts(text, ORMA_STR("0x")) ? orma_str_find(text, ORMA_STR(": ")) : NULL;

    if (mark) {
        const struct orma_str address = {text.data, (size_t)(mark - text.data)};

        if (orma_str_to_u64(address, &frame.rel_pc))
            text = (struct orma_str){mark + 2, text.len - (size_t)(mark - text.data) - 2};
    }
    for (size_t at = text.len; at-- > 1 && text.data[text.len - 1] == ')';) {
        if (text.data[at] != '(' || text.data[at - 1] != ' ')
            continue;
        place = (struct orma_str){text.data + at + 1, text.len - at - 2};
        text.len = at - 1;
        break;
    }
    if (orma_str_starts(place, ORMA_STR("in "))) {
        mapping.name = orma_model_str(m, (struct orma_str){place.data + 3, place.len - 3});
    } else if (place.len) {
        frame.line = cut_line(&place);
        frame.source = orma_model_str(m, place);
    }
    frame.mapping = orma_callstacks_mapping(m, &mapping);
    frame.name = orma_model_str(m, text);
    return orma_callstacks_symbolized_frame(m, &frame);
}

static void read_frames(struct orma_file *file, const struct orma_formats_span *list)
{
    struct dhat *d = file->state;
    struct orma_json j = orma_formats_span_inside(list);
    struct orma_formats_span v;

    while (list->v.type == ORMA_JSON_ARRAY && !orma_file_failed(file) &&
           orma_formats_span_element(file, &j, &v)) {
        const bool well = v.v.type == ORMA_JSON_STRING;
        const struct orma_str text =
            well ? orma_json_text(&v.v, &d->base.scratch) : ORMA_STR("[unknown]");

        if (!well)
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "frames that are no text", v.v.raw.data);
        if (ORMA_VEC_PUSH(&d->frames, frame_of(file, text)))
            out_of_memory(file);
    }
}

/* ---- places ---- */

/* What has no stack is below the root, as DHAT shows it. */
static uint32_t callsite_of(struct orma_file *file, const struct orma_json_value *list)
{
    struct dhat *d = file->state;
    struct orma_json j = orma_json_inside(list);
    uint32_t callsite = ORMA_CALLSITE_NONE;
    struct orma_json_value v;

    d->stack.len = 0;
    while (list->type == ORMA_JSON_ARRAY && orma_json_element(&j, &v)) {
        if (v.type != ORMA_JSON_INT || v.integer < 0 || v.integer >= d->frames.len)
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "frames missing from the table", v.raw.data);
        else if (ORMA_VEC_PUSH(&d->stack, d->frames.data[v.integer]))
            out_of_memory(file);
    }
    for (uint32_t i = d->stack.len; i-- > 0;)
        callsite = orma_callstacks_callsite(file->imp->model, callsite, d->stack.data[i]);
    if (callsite == ORMA_CALLSITE_NONE)
        callsite = orma_callstacks_callsite(file->imp->model, callsite,
                                            frame_of(file, ORMA_STR("[root]")));
    return callsite;
}

static void add_value(struct orma_file *file, unsigned kind, uint32_t callsite, double value)
{
    struct orma_model *m = file->imp->model;
    struct dhat *d = file->state;

    if (!d->profiles[kind])
        d->profiles[kind] =
            1 + orma_callstacks_aggregate(m, SOURCE, orma_model_lit(m, kinds[kind].name),
                                          orma_model_lit(m, kinds[kind].type),
                                          d->units[kinds[kind].unit]);
    if (value > 0)
        orma_callstacks_aggregate_add(m, d->profiles[kind] - 1, callsite, value);
}

static struct orma_unit_end read_place(struct orma_file *file, const struct orma_json_value *place)
{
    struct orma_json j = orma_json_inside(place);
    double values[ORMA_ARRAY_LEN(kinds)];
    bool has[ORMA_ARRAY_LEN(kinds)] = {false}, any = false;
    struct orma_json_value v, stack = {0};
    struct orma_str key;

    while (orma_json_member(&j, &key, &v)) {
        unsigned i = 0;

        if (orma_json_name_is(key, "fs"))
            stack = v;
        else if (orma_json_name_is(key, "acc"))
            orma_file_part(file, ORMA_ACCOUNT_NOT_READ, "counts of accesses byte by byte",
                           v.raw.data);
        while (i < ORMA_ARRAY_LEN(kinds) && !orma_json_name_is(key, kinds[i].key))
            i++;
        if (i == ORMA_ARRAY_LEN(kinds))
            continue;
        has[i] = orma_formats_profile_number(&v, &values[i]) && values[i] >= 0;
        any |= has[i];
        if (!has[i])
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "values that are no numbers", v.raw.data);
    }
    if (j.failed || !any)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "places without a value");
    const uint32_t callsite = callsite_of(file, &stack);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        if (has[i])
            add_value(file, i, callsite, values[i]);
    return orma_file_took(file);
}

static void read_places(struct orma_file *file, const struct orma_formats_span *list)
{
    struct orma_json j = orma_formats_span_inside(list);
    struct orma_formats_span v;

    while (list->v.type == ORMA_JSON_ARRAY && !orma_file_failed(file) &&
           orma_formats_span_element(file, &j, &v)) {
        if (v.cut) {
            orma_formats_span_broken(file, &j);
            break;
        }
        orma_file_unit(file, v.v.raw.data);
        if (v.v.type == ORMA_JSON_OBJECT)
            (void)read_place(file, &v.v);
        else
            (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "places that are no objects");
    }
}

/* ---- all ---- */

static uint32_t text_or(struct orma_file *file, const struct orma_formats_span *span,
                        const char *otherwise)
{
    const uint32_t text = orma_formats_profile_text(file, &span->v);

    return text ? text : orma_model_lit(file->imp->model, otherwise);
}

static void name_process(struct orma_file *file, const struct members *of)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    const uint32_t cmd = orma_formats_profile_text(file, &of->cmd.v);
    const int64_t pid = of->pid.v.type == ORMA_JSON_INT ? of->pid.v.integer : 0;

    if (cmd && pid > 0 && pid <= INT32_MAX)
        orma_processes_name_process(p, orma_processes_process(p, (uint32_t)pid), cmd,
                                    ORMA_PROCESS_NAME_OTHER);
}

static size_t dhat_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct dhat *d = file->state;
    struct members of = {0};
    const struct {
        const char *name;
        struct orma_formats_span *span;
    } names[] = {
        {"pps", &of.places},  {"ftbl", &of.frames}, {"tu", &of.time}, {"bsu", &of.bytes},
        {"bksu", &of.blocks}, {"cmd", &of.cmd},     {"pid", &of.pid},
    };
    struct orma_formats_span v;
    struct orma_str key;
    struct orma_json j;

    (void)at_end; /* it is read once, whole */
    d->base.source = SOURCE;
    if (!orma_formats_profile_enter(file, data, len, &j))
        return len;
    while (orma_formats_profile_member(file, &j, &key, &v))
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
            if (orma_json_name_is(key, names[i].name))
                orma_formats_span_set(file, names[i].span, &v);
    d->units[UNIT_BYTES] = text_or(file, &of.bytes, "bytes");
    d->units[UNIT_BLOCKS] = text_or(file, &of.blocks, "blocks");
    d->units[UNIT_TIME] = text_or(file, &of.time, "time");
    d->units[UNIT_ACCESS] = orma_model_lit(file->imp->model, "bytes");
    name_process(file, &of);
    read_frames(file, &of.frames);
    read_places(file, &of.places);
    return len;
}

static void dhat_fini(struct orma_file *file)
{
    struct dhat *d = file->state;

    orma_formats_profile_fini(&d->base);
    ORMA_VEC_FINI(&d->frames);
    ORMA_VEC_FINI(&d->stack);
}

const struct orma_format_ops orma_format_dhat = {
    .state_bytes = sizeof(struct dhat),
    .unit = "program point",
    .whole = true,
    .read = dhat_read,
    .fini = dhat_fini,
};
