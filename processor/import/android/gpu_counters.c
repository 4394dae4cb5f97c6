/*
 * Counters of graphics cards, the cards themselves, and what their drivers log.
 *
 * A sample is the value for the time up to it: it becomes the value of the track's previous row,
 * and a row with value 0 follows, which the next sample fills; unless its description says that it
 * is the value from there on. Descriptions are read at once, samples when their time has come.
 */
#include <stdio.h>
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "processor/read/seq.h"
#include "protos/fields/gpu.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "sdk/base/buf.h"
#include "sdk/base/vec.h"

/* Where a track stands: its last row is what the next sample fills. */
struct lane {
    uint32_t track;
    uint32_t last_row; /* + 1; 0: none */
};

struct gpu_counter {
    uint32_t lane; /* equal names of one card share a track */
    bool forwards; /* a sample is the value for the time behind it */
};

/* Counters that one description names. */
struct family {
    struct orma_map by_id; /* number → index into `counters` */
};

struct orma_android_gpu_counters {
    struct orma_map inlined; /* machine → family: descriptions in events hold for all sequences */
    struct orma_map by_track; /* → lane */
    struct family *families;  /* those of interned descriptions are in the cache of their entry */
    uint32_t families_num, families_cap;
    struct gpu_counter *counters;
    uint32_t num, cap;
    struct lane *lanes;
    uint32_t lanes_num, lanes_cap;
    struct orma_args_list args;
};

/* A description that is read: for which card, into which family. */
struct descr {
    struct orma_import_ctx *imp;
    struct orma_android_gpu_counters *st;
    uint16_t machine;
    uint32_t gpu, family;
    int64_t offset; /* of the packet */
    struct orma_str bytes;
    bool has_groups; /* it names groups */
};

static struct orma_android_gpu_counters *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->gpu_counters,
                           sizeof(struct orma_android_gpu_counters));
}

/* ---- units ---- */

static const char *unit_name(uint64_t unit)
{
    static const char *const names[] = {
        "",         "bit", "Kb",        "Mb",       "Gb",         "Tb",  "Pb",  "B",      "KB",
        "MB",       "GB",  "TB",        "PB",       "Hz",         "KHz", "MHz", "GHz",    "THz",
        "PHz",      "ns",  "us",        "ms",       "s",          "min", "h",   "Vertex", "Pixel",
        "Triangle", "mW",  "W",         "kW",       "J",          "V",   "A",   "C",      "F",
        "K",        "%",   "Primitive", "Fragment", "Instruction"};

    return unit < ORMA_ARRAY_LEN(names) ? names[unit] : "Unknown";
}

static void put_unit(struct orma_buf *text, bool first, uint64_t unit)
{
    orma_buf_printf(text, "%s%s", first ? "" : ":", unit_name(unit));
}

/* "Vertex:Pixel/s": what is counted before what it is divided by. 0: nothing was said. */
static uint32_t unit_text(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_buf over = {0}, under = {0};
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), packed;
    struct orma_pb_field f;
    bool has_over = false, has_under = false;
    uint32_t id = 0;
    uint64_t unit;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_NUMERATOR_UNITS)
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &unit); has_over = true)
                put_unit(&over, !has_over, unit);
        else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_DENOMINATOR_UNITS)
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &unit); has_under = true)
                if (unit)
                    put_unit(&under, !under.len, unit);
    }
    if (under.len)
        orma_buf_printf(&over, "/%.*s", ORMA_STR_ARG(orma_buf_str(&under)));
    if (has_over || has_under)
        id = orma_model_str(imp->model, orma_buf_str(&over));
    imp->model->storage->failed |= over.failed | under.failed;
    orma_buf_fini(&over);
    orma_buf_fini(&under);
    return id;
}

/* ---- descriptions ---- */

struct counter_spec {
    uint32_t id;
    bool has_id, forwards;
    struct orma_str name, description;
};

static uint32_t counter_track(const struct descr *d, uint32_t name, uint32_t unit,
                              struct orma_str description)
{
    struct orma_model *model = d->imp->model;
    struct orma_track_spec spec = {
        .type = "gpu_counter",
        .event = ORMA_TRACK_COUNTER,
        .machine = d->machine,
        .dims_num = 3,
        .dims = {orma_dim(orma_model_lit(model, "ugpu"),
                          orma_model_ugpu(model, d->machine, d->gpu)),
                 orma_dim(orma_model_lit(model, "gpu"), d->gpu),
                 orma_dim_str(model->known.name, name)},
        .name = name,
        .unit = unit,
        .parent = ORMA_TRACK_NONE,
        .source_args = &d->st->args,
    };

    orma_args_list_clear(&d->st->args);
    orma_args_put_str(&d->st->args, model->known.description,
                      description.len ? orma_model_str(model, description) : 0);
    return orma_tracks_get(&model->tracks, &spec);
}

static uint32_t lane_of(const struct descr *d, uint32_t track)
{
    struct orma_android_gpu_counters *st = d->st;
    uint64_t known = orma_map_get(&st->by_track, track);

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    if (ORMA_GROW(&st->lanes, &st->lanes_cap, st->lanes_num + (size_t)1) ||
        orma_map_put(&st->by_track, track, st->lanes_num)) {
        d->imp->model->storage->failed = true;
        return 0;
    }
    st->lanes[st->lanes_num] = (struct lane){.track = track};
    return st->lanes_num++;
}

/* ORMA_MAP_NONE: it was not described. */
static uint64_t find_counter(const struct orma_android_gpu_counters *st, uint32_t family,
                             uint32_t id)
{
    return orma_map_get(&st->families[family].by_id, id);
}

static void add_counter(const struct descr *d, const struct counter_spec *s, uint32_t track)
{
    struct orma_android_gpu_counters *st = d->st;
    uint32_t lane = lane_of(d, track);

    if (ORMA_GROW(&st->counters, &st->cap, st->num + (size_t)1) ||
        orma_map_put(&st->families[d->family].by_id, s->id, st->num)) {
        d->imp->model->storage->failed = true;
        return;
    }
    st->counters[st->num++] = (struct gpu_counter){.lane = lane, .forwards = s->forwards};
}

static void add_group(struct orma_import_ctx *imp, uint32_t track, uint32_t group, uint32_t name,
                      uint32_t description)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_GPU_COUNTER_GROUP);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_GPU_COUNTER_GROUP_GROUP_ID, row, (int32_t)group);
    orma_table_set(t, ORMA_GPU_COUNTER_GROUP_TRACK_ID, row, track);
    if (name)
        orma_table_set(t, ORMA_GPU_COUNTER_GROUP_NAME, row, name);
    if (description)
        orma_table_set(t, ORMA_GPU_COUNTER_GROUP_DESCRIPTION, row, description);
}

struct group {
    uint32_t id, name, description; /* texts as pool ids */
};

static struct group read_group(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct group g = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_GROUP_ID)
            g.id = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_NAME)
            g.name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_DESCRIPTION)
            g.description = orma_model_str(imp->model, orma_pb_str(&f));
    }
    return g;
}

/* What the driver calls a group; texts are 0 if it has no name for it. Of the groups of a
 * description that are looked at for each counter there are few. */
#define NAMED_GROUPS_MAX 64

static struct group find_group(const struct descr *d, uint32_t id)
{
    struct orma_pb_reader r = orma_pb_reader(d->bytes.data, d->bytes.len);
    struct orma_pb_field f;
    unsigned seen = 0;

    while (seen < NAMED_GROUPS_MAX && orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_GPU_COUNTER_DESCRIPTOR_COUNTER_GROUPS)
            continue;
        struct group g = read_group(d->imp, orma_pb_str(&f));
        seen++;
        if (g.id == id)
            return g;
    }
    return (struct group){.id = id};
}

static void put_group(const struct descr *d, uint32_t track, uint32_t id)
{
    struct group g = d->has_groups ? find_group(d, id) : (struct group){.id = id};

    add_group(d->imp, track, id, g.name, g.description);
}

static void add_groups(const struct descr *d, struct orma_str spec, uint32_t track)
{
    struct orma_pb_reader r = orma_pb_reader(spec.data, spec.len), packed;
    struct orma_pb_field f;
    bool any = false;
    uint64_t group;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_GROUPS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &group); any = true)
            put_group(d, track, (uint32_t)group);
    }
    if (!any)
        put_group(d, track, ORMA_PB_GPU_COUNTER_DESCRIPTOR_UNCLASSIFIED);
}

static struct counter_spec read_spec(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct counter_spec s = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_COUNTER_ID:
            s.id = orma_pb_u32(&f);
            s.has_id = true;
            break;
        case ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_NAME:
            s.name = orma_pb_str(&f);
            break;
        case ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_DESCRIPTION:
            s.description = orma_pb_str(&f);
            break;
        case ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_VALUE_DIRECTION:
            s.forwards =
                orma_pb_u32(&f) ==
                ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_VALUE_DIRECTION_FORWARDS_LOOKING;
            break;
        }
    }
    return s;
}

static void describe_counter(const struct descr *d, struct orma_str bytes)
{
    struct orma_model *model = d->imp->model;
    struct counter_spec s = read_spec(bytes);

    if (!s.has_id || !s.name.data) {
        orma_model_log(model, d->machine, ORMA_STAT_GPU_COUNTERS_INVALID_SPEC, INT64_MIN, d->offset,
                       NULL);
        return;
    }
    if (find_counter(d->st, d->family, s.id) != ORMA_MAP_NONE) { /* the first one stays */
        ORMA_MODEL_ARGS(args, model);
        orma_args_put_uint(args, orma_model_lit(model, "counter_id"), s.id);
        orma_args_put_str(args, orma_model_lit(model, "counter_name"),
                          orma_model_str(model, s.name));
        orma_model_log(model, d->machine, ORMA_STAT_GPU_COUNTERS_INVALID_SPEC, INT64_MIN, d->offset,
                       args);
        return;
    }
    uint32_t track =
        counter_track(d, orma_model_str(model, s.name), unit_text(d->imp, bytes), s.description);
    add_counter(d, &s, track);
    add_groups(d, bytes, track);
}

/* A group with the counters in it. */
static void describe_group(const struct descr *d, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), packed;
    struct group g = read_group(d->imp, bytes);
    struct orma_pb_field f;
    uint64_t counter;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_COUNTER_IDS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &counter);) {
            uint64_t idx = find_counter(d->st, d->family, (uint32_t)counter);

            if (idx != ORMA_MAP_NONE)
                add_group(d->imp, d->st->lanes[d->st->counters[idx].lane].track, g.id, g.name,
                          g.description);
        }
    }
}

static void describe(struct descr *d)
{
    struct orma_pb_reader r = orma_pb_reader(d->bytes.data, d->bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        d->has_groups |= f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_COUNTER_GROUPS;
    r = orma_pb_reader(d->bytes.data, d->bytes.len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_SPECS)
            describe_counter(d, orma_pb_str(&f));
    r = orma_pb_reader(d->bytes.data, d->bytes.len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_COUNTER_GROUPS)
            describe_group(d, orma_pb_str(&f));
}

/* UINT32_MAX: memory is out. */
static uint32_t new_family(struct orma_import_ctx *imp, struct orma_android_gpu_counters *st)
{
    if (ORMA_GROW(&st->families, &st->families_cap, st->families_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return UINT32_MAX;
    }
    st->families[st->families_num] = (struct family){0};
    return st->families_num++;
}

/* That of descriptions in events; made if `make`. UINT32_MAX: there is none. */
static uint32_t inlined_family(struct orma_import_ctx *imp, uint16_t machine, bool make)
{
    struct orma_android_gpu_counters *st = state_of(imp);
    uint64_t known = st ? orma_map_get(&st->inlined, machine) : ORMA_MAP_NONE;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    uint32_t family = st && make ? new_family(imp, st) : UINT32_MAX;
    if (family != UINT32_MAX && orma_map_put(&st->inlined, machine, family))
        imp->model->storage->failed = true;
    return family;
}

/* An interned description, read at its first use. UINT32_MAX: there is none. */
static uint32_t interned_family(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                                uint16_t machine, uint64_t iid, int64_t offset)
{
    struct orma_interned *e =
        gen ? orma_seq_gen_find(gen, ORMA_PB_INTERNED_DATA_GPU_COUNTER_DESCRIPTORS, iid) : NULL;
    struct descr d = {.imp = imp, .st = state_of(imp), .machine = machine, .offset = offset};

    if (!e || !d.st)
        return UINT32_MAX;
    if (e->cache)
        return e->cache - 1;
    d.family = new_family(imp, d.st);
    if (d.family == UINT32_MAX)
        return UINT32_MAX;
    e->cache = d.family + 1;
    struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
    struct orma_pb_field f;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INTERNED_GPU_COUNTER_DESCRIPTOR_GPU_ID)
            d.gpu = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_INTERNED_GPU_COUNTER_DESCRIPTOR_COUNTER_DESCRIPTOR)
            d.bytes = orma_pb_str(&f);
    }
    describe(&d);
    return d.family;
}

/* What stands around the samples of an event. */
struct head {
    uint32_t gpu;
    uint64_t iid;
    bool has_iid, has_samples;
    struct orma_str descriptor;
};

static struct head read_head(const void *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    struct head h = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_COUNTER_EVENT_GPU_ID) {
            h.gpu = orma_pb_u32(&f);
        } else if (f.id == ORMA_PB_GPU_COUNTER_EVENT_COUNTERS) {
            h.has_samples = true;
        } else if (f.id == ORMA_PB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR) {
            h.descriptor = orma_pb_str(&f);
        } else if (f.id == ORMA_PB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR_IID) {
            h.iid = orma_pb_u64(&f);
            h.has_iid = true;
        }
    }
    return h;
}

/* Descriptions hold from when they are read, samples have their time. */
static bool counters_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct head h = read_head(ctx->p->payload.data, ctx->p->payload.len);
    int64_t offset = orma_reader_offset(imp->reader, (const uint8_t *)ctx->p->bytes.data);

    if (h.descriptor.data) {
        struct descr d = {.imp = imp,
                          .st = state_of(imp),
                          .machine = ctx->machine,
                          .gpu = h.gpu,
                          .family = inlined_family(imp, ctx->machine, true),
                          .offset = offset,
                          .bytes = h.descriptor};

        if (d.family != UINT32_MAX)
            describe(&d);
    } else if (h.has_iid &&
               interned_family(imp, ctx->seq->gen, ctx->machine, h.iid, offset) == UINT32_MAX) {
        orma_model_log(imp->model, ctx->machine, ORMA_STAT_GPU_COUNTERS_INVALID_SPEC, INT64_MIN,
                       offset, NULL);
    }
    if (!h.has_samples || ctx->p->has_timestamp)
        return !h.has_samples;
    orma_model_log(imp->model, ctx->machine, ORMA_STAT_GPU_COUNTERS_MISSING_TIMESTAMP, INT64_MIN,
                   offset, NULL);
    return true;
}

/* ---- samples ---- */

static void push(struct orma_import_ctx *imp, const struct orma_item *item, uint64_t idx,
                 double value)
{
    struct orma_android_gpu_counters *st = state_of(imp);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_COUNTER);

    ORMA_ASSERT_HOT(idx < st->num && st->counters[idx].lane < st->lanes_num);
    const struct gpu_counter *c = &st->counters[idx];
    struct lane *lane = &st->lanes[c->lane];
    if (c->forwards) {
        orma_model_counter(imp->model, item->ts, lane->track, value);
    } else {
        if (lane->last_row)
            orma_table_set_double(t, ORMA_COUNTER_VALUE, lane->last_row - 1, value);
        orma_model_counter(imp->model, item->ts, lane->track, 0);
    }
    lane->last_row = t->rows;
}

static void sample(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t family,
                   bool interned, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t id = 0;
    double value = 0;
    bool has_id = false, has_value = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_COUNTER_EVENT_GPU_COUNTER_COUNTER_ID) {
            id = orma_pb_u32(&f);
            has_id = true;
        } else if (f.id == ORMA_PB_GPU_COUNTER_EVENT_GPU_COUNTER_INT_VALUE) {
            value = (double)orma_pb_i64(&f);
            has_value = true;
        } else if (f.id == ORMA_PB_GPU_COUNTER_EVENT_GPU_COUNTER_DOUBLE_VALUE) {
            value = orma_pb_double(&f);
            has_value = true;
        }
    }
    if (!has_id || !has_value)
        return;
    uint64_t idx = family == UINT32_MAX ? ORMA_MAP_NONE : find_counter(state_of(imp), family, id);
    if (idx != ORMA_MAP_NONE)
        push(imp, item, idx, value);
    else if (interned)
        orma_model_log(imp->model, item->machine, ORMA_STAT_GPU_COUNTERS_INVALID_SPEC, item->ts, -1,
                       NULL);
}

static void counters_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct head h = read_head(item->data, item->len);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t family = h.has_iid ? interned_family(imp, item->gen, item->machine, h.iid, -1)
                                : inlined_family(imp, item->machine, false);

    if (h.has_iid && family == UINT32_MAX)
        return; /* counted when it was read */
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GPU_COUNTER_EVENT_COUNTERS)
            sample(imp, item, family, h.has_iid, orma_pb_str(&f));
}

static void counters_fini(struct orma_import_ctx *imp)
{
    struct orma_android_gpu_counters *st = orma_android(imp)->gpu_counters;

    if (st) {
        for (uint32_t i = 0; i < st->families_num; i++)
            orma_map_fini(&st->families[i].by_id);
        orma_map_fini(&st->inlined);
        orma_map_fini(&st->by_track);
        free(st->families);
        free(st->counters);
        free(st->lanes);
        orma_args_list_fini(&st->args);
    }
}

static const uint16_t counters_fields[] = {ORMA_PB_TRACE_PACKET_GPU_COUNTER_EVENT, 0};
const struct orma_importer orma_android_gpu_counters_importer = {.name = "gpu_counters",
                                                                 .fields = counters_fields,
                                                                 .tokenize = counters_tokenize,
                                                                 .parse = counters_parse,
                                                                 .fini = counters_fini};

/* ---- cards ---- */

static uint32_t uuid_text(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_buf text = {0};
    uint32_t id;

    for (size_t i = 0; i < bytes.len && !text.failed; i++)
        orma_buf_printf(&text, "%02x", (unsigned char)bytes.data[i]);
    imp->model->storage->failed |= text.failed;
    id = orma_model_str(imp->model, orma_buf_str(&text));
    orma_buf_fini(&text);
    return id;
}

static void put_extra(struct orma_import_ctx *imp, struct orma_args_list *args,
                      struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_str key = {"", 0}, value = {"", 0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_INFO_GPU_KEY_VALUE_KEY)
            key = orma_pb_str(&f);
        else if (f.id == ORMA_PB_GPU_INFO_GPU_KEY_VALUE_VALUE)
            value = orma_pb_str(&f);
    }
    orma_args_put_str(args, orma_model_str(imp->model, key), orma_model_str(imp->model, value));
}

static void card(struct orma_import_ctx *imp, uint32_t row, struct orma_str bytes)
{
    static const uint8_t columns[] = {
        [ORMA_PB_GPU_INFO_GPU_NAME] = ORMA_GPU_NAME,
        [ORMA_PB_GPU_INFO_GPU_VENDOR] = ORMA_GPU_VENDOR,
        [ORMA_PB_GPU_INFO_GPU_MODEL] = ORMA_GPU_MODEL,
        [ORMA_PB_GPU_INFO_GPU_ARCHITECTURE] = ORMA_GPU_ARCHITECTURE,
        [ORMA_PB_GPU_INFO_GPU_PCI_BDF] = ORMA_GPU_PCI_BDF,
    };
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_GPU);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    ORMA_MODEL_ARGS(args, imp->model);
    while (orma_pb_next(&r, &f)) {
        if (f.wire != ORMA_PB_LEN || !orma_pb_str(&f).len)
            continue;
        if (f.id == ORMA_PB_GPU_INFO_GPU_UUID)
            orma_table_set(t, ORMA_GPU_UUID, row, uuid_text(imp, orma_pb_str(&f)));
        else if (f.id == ORMA_PB_GPU_INFO_GPU_EXTRA_INFO)
            put_extra(imp, args, orma_pb_str(&f));
        else if (f.id < ORMA_ARRAY_LEN(columns) && columns[f.id])
            orma_table_set(t, columns[f.id], row, orma_model_str(imp->model, orma_pb_str(&f)));
    }
    orma_storage_set_args(t, ORMA_GPU_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

static void info_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t gpu = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GPU_INFO_GPUS && gpu < 256)
            card(imp, orma_model_ugpu(imp->model, item->machine, gpu++), orma_pb_str(&f));
}

static const uint16_t info_fields[] = {ORMA_PB_TRACE_PACKET_GPU_INFO, 0};
const struct orma_importer orma_android_gpu_info_importer = {
    .name = "gpu_info", .fields = info_fields, .parse = info_parse};

/* ---- logs ---- */

static void log_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    static const char *const names[] = {"UNSPECIFIED", "VERBOSE", "DEBUG",
                                        "INFO",        "WARNING", "ERROR"};
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t severity = 0;

    ORMA_MODEL_ARGS(args, imp->model);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_LOG_SEVERITY)
            severity = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_GPU_LOG_TAG)
            orma_args_put_str(args, orma_model_lit(imp->model, "tag"),
                              orma_model_str(imp->model, orma_pb_str(&f)));
        else if (f.id == ORMA_PB_GPU_LOG_LOG_MESSAGE)
            orma_args_put_str(args, orma_model_lit(imp->model, "message"),
                              orma_model_str(imp->model, orma_pb_str(&f)));
    }
    uint32_t track = orma_model_slice_track(imp->model, item->machine, "gpu_log",
                                            orma_model_lit(imp->model, "GPU Log"), 0, NULL);
    orma_slices_complete(&imp->model->slices, item->ts, 0, track, 0,
                         severity < ORMA_ARRAY_LEN(names)
                             ? orma_model_lit(imp->model, names[severity])
                             : orma_model_lit(imp->model, "UNKNOWN_SEVERITY"),
                         args);
}

static const uint16_t log_fields[] = {ORMA_PB_TRACE_PACKET_GPU_LOG, 0};
const struct orma_importer orma_android_gpu_log_importer = {
    .name = "gpu_log", .fields = log_fields, .parse = log_parse};
