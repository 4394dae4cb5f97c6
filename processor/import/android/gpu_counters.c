/*
 * Counters of graphics cards, the cards themselves, and what their drivers log.
 *
 * A sample is the value for the time up to it: it becomes the value of the previous row, and a row
 * with value 0 follows, which the next sample fills.
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

struct gpu_counter {
    uint32_t track;
    uint32_t last_row; /* + 1; 0: none */
};

struct orma_android_gpu_counters {
    struct orma_map by_id; /* machine, gpu and counter → index into `counters` */
    struct gpu_counter *counters;
    uint32_t num, cap;
    struct orma_args_list args;
};

static struct orma_android_gpu_counters *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->gpu_counters,
                           sizeof(struct orma_android_gpu_counters));
}

static uint64_t key_of(uint16_t machine, uint32_t gpu, uint32_t counter)
{
    return (uint64_t)machine << 56 | (uint64_t)(gpu & 0xffffff) << 32 | counter;
}

/* ---- descriptions ---- */

struct counter_spec {
    uint32_t id;
    bool has_id, has_groups;
    struct orma_str name, description;
    uint32_t unit;
};

/* "25:1/22": units by number, what is counted before what it is divided by. */
static uint32_t unit_text(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_buf over = {0}, under = {0};
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t id = 0;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed;
        uint64_t unit;

        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_NUMERATOR_UNITS)
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &unit);)
                orma_buf_printf(&over, "%s%d", over.len ? ":" : "", (int)unit);
        else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_DENOMINATOR_UNITS)
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &unit);)
                orma_buf_printf(&under, "%s%d", under.len ? ":" : "/", (int)unit);
    }
    if (over.len || under.len) {
        if (under.len)
            orma_buf_printf(&over, "%.*s", ORMA_STR_ARG(orma_buf_str(&under)));
        id = orma_model_str(imp->model, orma_buf_str(&over));
    }
    imp->model->storage->failed |= over.failed | under.failed;
    orma_buf_fini(&over);
    orma_buf_fini(&under);
    return id;
}

static uint32_t counter_track(struct orma_import_ctx *imp, uint16_t machine, uint32_t gpu,
                              uint32_t name, uint32_t unit, struct orma_str description)
{
    struct orma_android_gpu_counters *st = state_of(imp);
    struct orma_track_spec spec = {
        .type = "gpu_counter",
        .event = ORMA_TRACK_COUNTER,
        .machine = machine,
        .dims_num = 3,
        .dims = {orma_dim(orma_model_lit(imp->model, "ugpu"),
                          orma_model_ugpu(imp->model, machine, gpu)),
                 orma_dim(orma_model_lit(imp->model, "gpu"), gpu),
                 orma_dim_str(imp->model->known.name, name)},
        .name = name,
        .unit = unit,
        .parent = ORMA_TRACK_NONE,
    };

    if (description.data && st) {
        orma_args_list_clear(&st->args);
        orma_args_put_str(&st->args, imp->model->known.description,
                          orma_model_str(imp->model, description));
        spec.source_args = &st->args;
    }
    return orma_tracks_get(&imp->model->tracks, &spec);
}

static struct gpu_counter *add_counter(struct orma_import_ctx *imp, uint64_t key, uint32_t track)
{
    struct orma_android_gpu_counters *st = state_of(imp);

    if (!st)
        return NULL;
    if (ORMA_GROW(&st->counters, &st->cap, st->num + (size_t)1)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    if (orma_map_put(&st->by_id, key, st->num)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    st->counters[st->num] = (struct gpu_counter){.track = track};
    return &st->counters[st->num++];
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

static void add_groups(struct orma_import_ctx *imp, struct orma_str bytes, uint32_t track)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool any = false;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed;
        uint64_t group;

        if (f.id != ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_GROUPS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &group); any = true)
            add_group(imp, track, (uint32_t)group, 0, 0);
    }
    if (!any)
        add_group(imp, track, ORMA_PB_GPU_COUNTER_DESCRIPTOR_UNCLASSIFIED, 0, 0);
}

static void describe_counter(struct orma_import_ctx *imp, uint16_t machine, uint32_t gpu,
                             struct orma_str bytes)
{
    struct orma_android_gpu_counters *st = state_of(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct counter_spec s = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_COUNTER_ID) {
            s.id = orma_pb_u32(&f);
            s.has_id = true;
        } else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_NAME) {
            s.name = orma_pb_str(&f);
        } else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_SPEC_DESCRIPTION) {
            s.description = orma_pb_str(&f);
        }
    }
    /* Again, or after its first sample: too late. */
    if (!s.has_id || !s.name.data ||
        (st && orma_map_get(&st->by_id, key_of(machine, gpu, s.id)) != ORMA_MAP_NONE)) {
        orma_stats_inc(orma_model_stats(imp->model, machine), ORMA_STAT_GPU_COUNTERS_INVALID_SPEC);
        return;
    }
    uint32_t track = counter_track(imp, machine, gpu, orma_model_str(imp->model, s.name),
                                   unit_text(imp, bytes), s.description);
    if (add_counter(imp, key_of(machine, gpu, s.id), track))
        add_groups(imp, bytes, track);
}

/* A group that the driver made up, with a name. */
static void describe_group(struct orma_import_ctx *imp, uint16_t machine, uint32_t gpu,
                           struct orma_str bytes)
{
    struct orma_android_gpu_counters *st = state_of(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), again = r, packed;
    struct orma_pb_field f;
    uint32_t id = 0, name = 0, description = 0;
    uint64_t counter;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_GROUP_ID)
            id = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_NAME)
            name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_DESCRIPTION)
            description = orma_model_str(imp->model, orma_pb_str(&f));
    }
    while (st && orma_pb_next(&again, &f)) {
        if (f.id != ORMA_PB_GPU_COUNTER_DESCRIPTOR_GPU_COUNTER_GROUP_SPEC_COUNTER_IDS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &counter);) {
            uint64_t idx = orma_map_get(&st->by_id, key_of(machine, gpu, (uint32_t)counter));

            if (idx != ORMA_MAP_NONE)
                add_group(imp, st->counters[idx].track, id, name, description);
        }
    }
}

static void describe(struct orma_import_ctx *imp, uint16_t machine, uint32_t gpu,
                     struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), again = r;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_SPECS)
            describe_counter(imp, machine, gpu, orma_pb_str(&f));
    while (orma_pb_next(&again, &f))
        if (f.id == ORMA_PB_GPU_COUNTER_DESCRIPTOR_COUNTER_GROUPS)
            describe_group(imp, machine, gpu, orma_pb_str(&f));
}

/* An interned description, at its first use. */
static void describe_interned(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                              uint32_t gpu, uint64_t iid)
{
    struct orma_interned *e =
        orma_seq_gen_find(ctx->seq->gen, ORMA_PB_INTERNED_DATA_GPU_COUNTER_DESCRIPTORS, iid);

    if (!e) {
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                       ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
        return;
    }
    if (e->cache)
        return;
    e->cache = 1;
    struct orma_pb_reader r = orma_pb_reader(e->data, e->len), again = r;
    struct orma_pb_field f;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INTERNED_GPU_COUNTER_DESCRIPTOR_GPU_ID)
            gpu = orma_pb_u32(&f);
    while (orma_pb_next(&again, &f))
        if (f.id == ORMA_PB_INTERNED_GPU_COUNTER_DESCRIPTOR_COUNTER_DESCRIPTOR)
            describe(imp, ctx->machine, gpu, orma_pb_str(&f));
}

static uint32_t gpu_of(struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    uint32_t gpu = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GPU_COUNTER_EVENT_GPU_ID)
            gpu = orma_pb_u32(&f);
    return gpu;
}

static bool counters_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    uint32_t gpu = gpu_of(ctx->p->payload);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR)
            describe(imp, ctx->machine, gpu, orma_pb_str(&f));
        else if (f.id == ORMA_PB_GPU_COUNTER_EVENT_COUNTER_DESCRIPTOR_IID)
            describe_interned(imp, ctx, gpu, orma_pb_u64(&f));
    }
    return false;
}

/* ---- samples ---- */

static void push(struct orma_import_ctx *imp, const struct orma_item *item, struct gpu_counter *c,
                 double value)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_COUNTER);

    if (c->last_row)
        orma_table_set_double(t, ORMA_COUNTER_VALUE, c->last_row - 1, value);
    orma_model_counter(imp->model, item->ts, c->track, 0);
    c->last_row = t->rows;
}

static void sample(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t gpu,
                   struct orma_str bytes)
{
    struct orma_android_gpu_counters *st = state_of(imp);
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
    if (!has_id || !has_value || !st)
        return;
    uint64_t key = key_of(item->machine, gpu, id), idx = orma_map_get(&st->by_id, key);
    ORMA_ASSERT_HOT(idx == ORMA_MAP_NONE || idx < st->num);
    struct gpu_counter *c = idx == ORMA_MAP_NONE ? NULL : &st->counters[idx];
    if (!c) {
        uint32_t name = orma_strpool_addf(&imp->model->storage->pool, "gpu_counter(%u)", id);

        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_GPU_COUNTERS_MISSING_SPEC);
        c = add_counter(imp, key,
                        counter_track(imp, item->machine, gpu, name, 0, (struct orma_str){0}));
    }
    if (c)
        push(imp, item, c, value);
}

static void counters_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_str payload = {(const char *)item->data, item->len};
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    uint32_t gpu = gpu_of(payload);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GPU_COUNTER_EVENT_COUNTERS)
            sample(imp, item, gpu, orma_pb_str(&f));
}

static void counters_fini(struct orma_import_ctx *imp)
{
    struct orma_android_gpu_counters *st = orma_android(imp)->gpu_counters;

    if (st) {
        orma_map_fini(&st->by_id);
        free(st->counters);
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
    char text[80];
    size_t len = 0;

    for (size_t i = 0; i < bytes.len && len + 4 < sizeof(text); i++)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "%s%02x",
                             bytes.len == 16 && (i == 4 || i == 6 || i == 8 || i == 10) ? "-" : "",
                             (unsigned char)bytes.data[i]);
    return orma_model_str(imp->model, (struct orma_str){text, len});
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
