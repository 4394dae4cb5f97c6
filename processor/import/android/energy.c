/*
 * Energy: what power rails have delivered, and what each part of the system, and each user of it,
 * is estimated to have used. Both count microwatt-seconds.
 *
 * A packet of rails has many samples, each with a timestamp of its own, so each goes to the sorter
 * as an item. Estimates name a consumer by an id; the first packet describes all consumers, and the
 * description is found by (machine, id).
 */

#include "processor/import/android/android.h"

#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

#define RAIL_INDEX_MAX 256

/* ---- rails ---- */

/* What a sample needs from its packet. */
struct rail_packet {
    int64_t ts;
    uint64_t session;
};

/* Rails whose names need a readable form. */
static const struct {
    const char *raw, *friendly;
} rail_names[] = {
    {"S4M_VDD_CPUCL0", "cpu.little"},    {"S3M_VDD_CPUCL1", "cpu.mid"},
    {"S2M_VDD_CPUCL2", "cpu.big"},       {"S2S_VDD_G3D", "gpu"},
    {"S1M_VDD_MIF", "memory.interface"}, {"S5M_VDD_INT", "system.fabric"},
    {"S9S_VDD_AOC", "aoc.logic"},        {"L2S_VDD_AOC_RET", "aoc.memory"},
    {"S5S_VDDQ_MEM", "ddr.a"},           {"S10S_VDD2L", "ddr.b"},
    {"S4S_VDD2H_MEM", "ddr.c"},          {"VSYS_PWR_MODEM", "modem"},
    {"VSYS_PWR_RFFE", "radio.frontend"}, {"VSYS_PWR_WLAN_BT", "wifi.bt"},
    {"VSYS_PWR_DISPLAY", "display"},     {"S10M_VDD_TPU", "tpu"},
    {"L9S_GNSS_CORE", "gps"},
};

static uint64_t rail_key(uint16_t machine, uint64_t session, uint32_t index)
{
    return orma_mix64(orma_mix64(session) ^ ((uint64_t)machine << 32 | index));
}

static const char *friendly_name(struct orma_str raw)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rail_names); i++)
        if (orma_str_eq_c(raw, rail_names[i].raw))
            return rail_names[i].friendly;
    return NULL;
}

static uint32_t text_or_null(struct orma_import_ctx *imp, struct orma_str text)
{
    return text.len ? orma_model_str(imp->model, text) : 0;
}

static uint32_t rail_track(struct orma_import_ctx *imp, uint16_t machine, uint64_t session,
                           struct orma_str raw, struct orma_str subsystem)
{
    ORMA_MODEL_ARGS(args, imp->model);
    const char *friendly = friendly_name(raw);
    uint32_t raw_name = text_or_null(imp, raw);
    struct orma_track_spec spec = {
        .type = "power_rails",
        .event = ORMA_TRACK_COUNTER,
        .machine = machine,
        .dims_num = 2,
        .dims = {orma_dim_str(imp->model->known.name, raw_name),
                 orma_dim(orma_model_lit(imp->model, "session_uuid"), (int64_t)session)},
        .name = friendly ? orma_strpool_addf(&imp->model->storage->pool, "power.rails.%s", friendly)
                         : orma_strpool_addf(&imp->model->storage->pool, "power.%.*s_uws",
                                             ORMA_STR_ARG(raw)),
        .parent = ORMA_TRACK_NONE,
        .source_args = args,
    };

    orma_args_put_str(args, orma_model_lit(imp->model, "raw_name"), raw_name);
    orma_args_put_str(args, orma_model_lit(imp->model, "subsystem_name"),
                      text_or_null(imp, subsystem));
    return orma_tracks_get(&imp->model->tracks, &spec);
}

static void describe_rail(struct orma_import_ctx *imp, uint16_t machine, uint64_t session,
                          struct orma_str bytes)
{
    struct orma_android_state *st = orma_android_state(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_str raw = {"", 0}, subsystem = {"", 0};
    struct orma_pb_field f;
    uint32_t index = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_POWER_RAILS_RAIL_DESCRIPTOR_INDEX)
            index = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_POWER_RAILS_RAIL_DESCRIPTOR_RAIL_NAME)
            raw = orma_pb_str(&f);
        else if (f.id == ORMA_PB_POWER_RAILS_RAIL_DESCRIPTOR_SUBSYS_NAME)
            subsystem = orma_pb_str(&f);
    }
    if (index > RAIL_INDEX_MAX)
        return;
    if (!st || orma_map_put(&st->rails, rail_key(machine, session, index),
                            rail_track(imp, machine, session, raw, subsystem)))
        imp->model->storage->failed = true;
}

static void push_sample(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                        const struct rail_packet *packet, uint64_t order, struct orma_str bytes)
{
    struct orma_item item = {
        .ts = ctx->ts,
        .order = order,
        .data = (const uint8_t *)bytes.data,
        .len = (uint32_t)bytes.len,
        .field = ORMA_PB_TRACE_PACKET_POWER_RAILS,
        .kind = ORMA_ITEM_PACKET,
        .machine = ctx->machine,
        .gen = ctx->seq->gen,
        .aux = (uintptr_t)packet,
    };
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    int64_t ns;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_POWER_RAILS_ENERGY_DATA_TIMESTAMP_MS)
            continue;
        if (__builtin_mul_overflow(orma_pb_i64(&f), 1000000, &ns))
            return;
        if (!orma_import_inner_time(imp, ctx->machine, ORMA_CLOCK_BOOTTIME, ns,
                                    "values of power rails", &item.ts))
            return;
    }
    if (orma_reader_sortable(imp->reader, item.ts))
        orma_sorter_push(&imp->reader->sorter, &item);
}

static bool rails_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len), again = r;
    struct rail_packet *packet = orma_arena_alloc(&imp->reader->sorter.arena, sizeof(*packet));
    struct orma_pb_field f;
    uint64_t order = ctx->order;
    bool any = false;

    if (!packet) {
        imp->model->storage->failed = true;
        return true;
    }
    *packet = (struct rail_packet){.ts = ctx->ts};
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_POWER_RAILS_SESSION_UUID)
            packet->session = orma_pb_u64(&f);
    while (orma_pb_next(&again, &f)) {
        if (f.id == ORMA_PB_POWER_RAILS_RAIL_DESCRIPTOR)
            describe_rail(imp, ctx->machine, packet->session, orma_pb_str(&f));
        else if (f.id == ORMA_PB_POWER_RAILS_ENERGY_DATA)
            push_sample(imp, ctx, packet, ORMA_MIN(order++, ctx->order + ORMA_ORDER_STEP - 1),
                        orma_pb_str(&f));
        any |=
            f.id == ORMA_PB_POWER_RAILS_RAIL_DESCRIPTOR || f.id == ORMA_PB_POWER_RAILS_ENERGY_DATA;
    }
    if (!any)
        orma_model_log(imp->model, ctx->machine, ORMA_STAT_POWER_RAIL_EMPTY_PACKET, ctx->ts, -1,
                       NULL);
    return true;
}

static void sample(struct orma_import_ctx *imp, const struct orma_item *item)
{
    const struct rail_packet *packet = (const struct rail_packet *)(uintptr_t)item->aux;
    struct orma_android_state *st = orma_android_state(imp);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t index = 0;
    uint64_t energy = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_POWER_RAILS_ENERGY_DATA_INDEX)
            index = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_POWER_RAILS_ENERGY_DATA_ENERGY)
            energy = orma_pb_u64(&f);
    }
    uint64_t track = st ? orma_map_get(&st->rails, rail_key(item->machine, packet->session, index))
                        : ORMA_MAP_NONE;
    if (track == ORMA_MAP_NONE) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_POWER_RAIL_UNKNOWN_INDEX);
        return;
    }
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_COUNTER);
    uint32_t row = t->rows;
    orma_model_counter(imp->model, item->ts, (uint32_t)track, (double)energy);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, orma_model_lit(imp->model, "packet_ts"), (uint64_t)packet->ts);
    orma_storage_set_args(t, ORMA_COUNTER_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

static const uint16_t rail_fields[] = {ORMA_PB_TRACE_PACKET_POWER_RAILS, 0};
const struct orma_importer orma_android_power_rails_importer = {
    .name = "power_rails", .fields = rail_fields, .tokenize = rails_tokenize, .parse = sample};

/* ---- consumers ---- */

enum { CONSUMERS = 1, CONSUMER_ID, CONSUMER_ENERGY, CONSUMER_PER_UID };
enum { DESCR_ID = 1, DESCR_ORDINAL, DESCR_TYPE, DESCR_NAME };
enum { UID_UID = 1, UID_ENERGY };

static uint64_t consumer_key(const struct orma_item *item, int32_t id)
{
    return (uint64_t)item->machine << 32 | (uint32_t)id;
}

static void describe_consumer(struct orma_import_ctx *imp, const struct orma_item *item,
                              struct orma_str bytes)
{
    struct orma_android_state *st = orma_android_state(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_android_consumer c = {0};
    struct orma_pb_field f;
    bool has_id = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == DESCR_ID) {
            c.id = orma_pb_i32(&f);
            has_id = true;
        } else if (f.id == DESCR_ORDINAL) {
            c.ordinal = orma_pb_i32(&f);
        } else if (f.id == DESCR_TYPE) {
            c.type = orma_model_str(imp->model, orma_pb_str(&f));
        } else if (f.id == DESCR_NAME) {
            c.name = orma_model_str(imp->model, orma_pb_str(&f));
        }
    }
    if (!has_id) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_ENERGY_DESCRIPTOR_INVALID);
        return;
    }
    if (!st)
        return;
    if (ORMA_GROW(&st->consumer_rows, &st->consumers_cap, st->consumers_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return;
    }
    st->consumer_rows[st->consumers_num] = c;
    if (orma_map_put(&st->consumers, consumer_key(item, c.id), st->consumers_num++))
        imp->model->storage->failed = true;
}

static void describe_consumers(struct orma_import_ctx *imp, const struct orma_item *item,
                               struct orma_str bytes)
{
    enum { CONSUMER = 1 };
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == CONSUMER)
            describe_consumer(imp, item, orma_pb_str(&f));
}

static void push_energy(struct orma_import_ctx *imp, const struct orma_item *item,
                        const struct orma_android_consumer *c, const int32_t *uid, int64_t energy)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_track_spec spec = {
        .type = uid ? "android_energy_estimation_breakdown_per_uid"
                    : "android_energy_estimation_breakdown",
        .event = ORMA_TRACK_COUNTER,
        .machine = item->machine,
        .dims_num = uid ? 2 : 1,
        .dims = {orma_dim(orma_model_lit(imp->model, "energy_consumer_id"), c->id)},
        .name = c->name,
        .parent = ORMA_TRACK_NONE,
        .source_args = uid ? NULL : args,
    };

    if (uid)
        spec.dims[1] = orma_dim(orma_model_lit(imp->model, "uid"), *uid);
    orma_args_put_str(args, orma_model_lit(imp->model, "consumer_type"), c->type);
    orma_args_put_int(args, orma_model_lit(imp->model, "ordinal"), c->ordinal);
    orma_model_counter(imp->model, item->ts, orma_tracks_get(&imp->model->tracks, &spec),
                       (double)energy);
}

/* One (uid, energy) pair; false if either is missing. */
static bool read_uid(struct orma_str bytes, int32_t *ret_uid, int64_t *ret_energy)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool has_uid = false, has_energy = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == UID_UID) {
            *ret_uid = orma_pb_i32(&f);
            has_uid = true;
        } else if (f.id == UID_ENERGY) {
            *ret_energy = orma_pb_i64(&f);
            has_energy = true;
        }
    }
    return has_uid && has_energy;
}

static void per_uid(struct orma_import_ctx *imp, const struct orma_item *item,
                    const struct orma_android_consumer *c)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    int32_t uid = 0;
    int64_t energy = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != CONSUMER_PER_UID)
            continue;
        if (read_uid(orma_pb_str(&f), &uid, &energy))
            push_energy(imp, item, c, &uid, energy);
        else
            orma_stats_inc(orma_model_stats(imp->model, item->machine),
                           ORMA_STAT_ENERGY_UID_BREAKDOWN_MISSING_VALUES);
    }
}

static void breakdown(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_android_state *st = orma_android_state(imp);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    int64_t energy = 0;
    int32_t id = 0;
    bool has_id = false, has_energy = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == CONSUMERS) {
            describe_consumers(imp, item, orma_pb_str(&f));
        } else if (f.id == CONSUMER_ID) {
            id = orma_pb_i32(&f);
            has_id = true;
        } else if (f.id == CONSUMER_ENERGY) {
            energy = orma_pb_i64(&f);
            has_energy = true;
        }
    }
    uint64_t idx = st && has_id && has_energy ? orma_map_get(&st->consumers, consumer_key(item, id))
                                              : ORMA_MAP_NONE;
    if (idx == ORMA_MAP_NONE) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_ENERGY_BREAKDOWN_MISSING_VALUES);
        return;
    }
    ORMA_ASSERT_HOT(idx < st->consumers_num);
    const struct orma_android_consumer c = st->consumer_rows[idx];
    push_energy(imp, item, &c, NULL, energy);
    per_uid(imp, item, &c);
}

static const uint16_t breakdown_fields[] = {
    ORMA_PB_TRACE_PACKET_ANDROID_ENERGY_ESTIMATION_BREAKDOWN, 0};
const struct orma_importer orma_android_energy_importer = {
    .name = "energy_breakdown", .fields = breakdown_fields, .parse = breakdown};
