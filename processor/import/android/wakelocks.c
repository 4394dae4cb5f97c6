/*
 * Wakelocks: what keeps a device from going to sleep.
 *
 * The kernel's are polled. A packet names the ones that are new under numbers of the sequence's
 * state, and says for how long each was held: first since the device started, later what was added.
 * They are counters, of which only those that grew get a value.
 *
 * Those of apps come as they are taken and given back, in bundles: an interned description each,
 * and a time since the packet's, whose lowest bit is 1 for taking. Each becomes an event of its own
 * place in time, and two of them a slice.
 */
#include "processor/import/android/android.h"
#include "processor/import/core/msg.h"
#include "processor/model/async.h"
#include "processor/read/reader.h"
#include "processor/read/seq.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"

static void inc(struct orma_import_ctx *imp, uint16_t machine, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(imp->model, machine), stat);
}

/* ---- of the kernel ---- */

enum { WAKELOCK = 1, WAKELOCK_IDS, TIMES_HELD, ERROR_FLAGS };
enum { WAKELOCK_ID = 1, WAKELOCK_NAME, WAKELOCK_TYPE, WAKELOCK_FIELDS };
enum { ZERO_VALUE = 1, NOT_MONOTONIC = 2, TOO_LARGE = 4 };

/* What numbers stand for holds for the state of a sequence: `state` counts them. */
static uint64_t key_of(const struct orma_item *item, uint64_t state, uint64_t id)
{
    const uint64_t parts[] = {item->machine, item->gen->seq->id, state, id};

    return orma_fnv1a(ORMA_FNV1A_BASIS, parts, sizeof(parts));
}

static uint64_t state_of(struct orma_import_ctx *imp, const struct orma_item *item)
{
    static const char packets[] = "packets of wakelocks";
    struct orma_android_state *st = orma_android_state(imp);
    uint64_t sequence = key_of(item, 0, UINT64_MAX), state = orma_map_get(&st->wakelocks, sequence);
    uint64_t counter = orma_hash_bytes(packets, sizeof(packets));

    if (orma_seq_gen_sum(item->gen, counter, 1) > 1 && state != ORMA_MAP_NONE)
        return state;
    state = state == ORMA_MAP_NONE ? 1 : state + 1;
    if (orma_map_put(&st->wakelocks, sequence, state))
        imp->model->storage->failed = true;
    return state;
}

static const char *type_of(uint64_t type)
{
    return type == 1 ? "kernel" : type == 2 ? "native" : "unknown";
}

static void name_lock(struct orma_import_ctx *imp, const struct orma_item *item, uint64_t state,
                      struct orma_str bytes)
{
    struct orma_android_state *st = orma_android_state(imp);
    struct orma_pb_field f[WAKELOCK_FIELDS];

    orma_msg_read(bytes, f, WAKELOCK_FIELDS);
    uint64_t key = key_of(item, state, orma_pb_u32(&f[WAKELOCK_ID]));
    if (orma_map_get(&st->wakelocks, key) != ORMA_MAP_NONE) {
        inc(imp, item->machine, ORMA_STAT_KERNEL_WAKELOCK_REUSED_ID);
        return;
    }
    uint32_t name = orma_model_str(imp->model, orma_pb_str(&f[WAKELOCK_NAME]));
    const struct orma_track_dim dims[] = {
        orma_dim_str(orma_model_lit(imp->model, "wakelock_name"), name),
        orma_dim_str(orma_model_lit(imp->model, "wakelock_type"),
                     orma_model_lit(imp->model, type_of(orma_pb_u64(&f[WAKELOCK_TYPE]))))};
    uint32_t track = orma_model_counter_track(imp->model, item->machine, "android_kernel_wakelock",
                                              name, "ms", ORMA_ARRAY_LEN(dims), dims);

    if (orma_map_put(&st->wakelocks, key, track))
        imp->model->storage->failed = true;
}

static void held(struct orma_import_ctx *imp, const struct orma_item *item, uint64_t state,
                 uint64_t id, uint64_t ms)
{
    const struct orma_android_state *st = orma_android_state(imp);
    uint64_t key = key_of(item, state, (uint32_t)id), track = orma_map_get(&st->wakelocks, key);

    if (track == ORMA_MAP_NONE)
        inc(imp, item->machine, ORMA_STAT_KERNEL_WAKELOCK_UNKNOWN_ID);
    else
        orma_model_counter(imp->model, item->ts, (uint32_t)track,
                           orma_seq_gen_sum(item->gen, key, (double)ms));
}

static void kernel(struct orma_import_ctx *imp, const struct orma_item *item)
{
    const struct orma_str bytes = orma_msg_item(item);
    struct orma_msg_numbers ids = orma_msg_numbers(bytes, WAKELOCK_IDS);
    struct orma_msg_numbers times = orma_msg_numbers(bytes, TIMES_HELD);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint64_t id, ms, flags = 0;

    if (!item->gen || !orma_android_state(imp))
        return;
    uint64_t state = state_of(imp, item);
    while (orma_pb_next(&r, &f)) {
        if (f.id == WAKELOCK)
            name_lock(imp, item, state, orma_pb_str(&f));
        else if (f.id == ERROR_FLAGS)
            flags = orma_pb_u64(&f);
    }
    while (orma_msg_next_number(&ids, &id) && orma_msg_next_number(&times, &ms))
        held(imp, item, state, id, ms);
    if (flags & ZERO_VALUE)
        inc(imp, item->machine, ORMA_STAT_KERNEL_WAKELOCK_ZERO_VALUE_REPORTED);
    if (flags & NOT_MONOTONIC)
        inc(imp, item->machine, ORMA_STAT_KERNEL_WAKELOCK_NON_MONOTONIC_VALUE_REPORTED);
    if (flags & TOO_LARGE)
        inc(imp, item->machine, ORMA_STAT_KERNEL_WAKELOCK_IMPLAUSIBLY_LARGE_VALUE_REPORTED);
}

/* ---- of apps ---- */

enum { BUNDLE_IDS = 1, BUNDLE_TIMES, BUNDLE_INFO, BUNDLE_ACQUIRED, BUNDLE_FIELDS };
enum { INFO_TAG = 2, INFO_FLAGS, INFO_PID, INFO_UID, INFO_WORK_UID, INFO_FIELDS };
/* In item->aux: data is a description, taken out of a bundle; the lowest bit: it was taken. */
#define FROM_BUNDLE 2u

static void put_args(struct orma_import_ctx *imp, const struct orma_pb_field *f,
                     struct orma_args_list *args)
{
    static const struct {
        uint8_t field;
        const char *key;
    } keys[] = {{INFO_FLAGS, "flags"},
                {INFO_PID, "owner_pid"},
                {INFO_UID, "owner_uid"},
                {INFO_WORK_UID, "work_uid"}};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(keys); i++)
        if (f[keys[i].field].id)
            orma_args_put_int(args, orma_model_lit(imp->model, keys[i].key),
                              orma_pb_i32(&f[keys[i].field]));
}

static void taken_or_given(struct orma_import_ctx *imp, const struct orma_item *item,
                           struct orma_str info, bool taken)
{
    const struct orma_track_spec spec = {
        .type = "app_wakelock_events",
        .event = ORMA_TRACK_SLICES,
        .machine = item->machine,
        .name = orma_model_lit(imp->model, "app_wakelock_events"),
        .parent = ORMA_TRACK_NONE,
    };
    uint64_t cookie = orma_hash_bytes(info.data ? info.data : "", info.len);
    struct orma_pb_field f[INFO_FIELDS];

    orma_msg_read(info, f, INFO_FIELDS);
    uint32_t name = orma_msg_text(imp, &f[INFO_TAG]);
    if (!taken) {
        uint32_t track = orma_async_end(imp->model, &spec, cookie, item->ts);

        orma_slices_end(&imp->model->slices, item->ts, track, 0, name, NULL);
        return;
    }
    ORMA_MODEL_ARGS(args, imp->model);
    put_args(imp, f, args);
    orma_slices_begin(&imp->model->slices, item->ts,
                      orma_async_begin(imp->model, &spec, cookie, item->ts, false), 0, name, args);
}

/* The fields of a description that tell one from another: all but its number. */
static struct orma_str without_number(struct orma_str info)
{
    struct orma_pb_reader r = orma_pb_reader(info.data, info.len);
    struct orma_pb_field f;

    if (!info.len || !orma_pb_next(&r, &f) || f.id != 1)
        return info;
    return (struct orma_str){(const char *)r.pos, (size_t)(r.end - r.pos)};
}

static void push(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx, uint64_t index,
                 uint64_t iid, uint64_t when)
{
    const struct orma_interned *entry =
        ctx->seq->gen
            ? orma_seq_gen_find(ctx->seq->gen, ORMA_PB_INTERNED_DATA_APP_WAKELOCK_INFO, iid)
            : NULL;
    struct orma_item item = {.ts = (int64_t)((uint64_t)ctx->ts + (when >> 1)),
                             .order = ctx->order + ORMA_MIN(index, ORMA_ORDER_STEP - 1),
                             .field = ctx->p->field,
                             .kind = ORMA_ITEM_PACKET,
                             .machine = ctx->machine,
                             .gen = ctx->seq->gen,
                             .aux = FROM_BUNDLE | (when & 1)};

    if (!entry) {
        inc(imp, ctx->machine, ORMA_STAT_APP_WAKELOCK_UNKNOWN_ID);
        return;
    }
    item.data = entry->data;
    item.len = entry->len;
    if (orma_reader_sortable(imp->reader, item.ts))
        orma_sorter_push(&imp->reader->sorter, &item);
}

static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_msg_numbers ids = orma_msg_numbers(ctx->p->payload, BUNDLE_IDS);
    struct orma_msg_numbers times = orma_msg_numbers(ctx->p->payload, BUNDLE_TIMES);
    uint64_t id, when, num = 0;

    if (ctx->p->field != ORMA_PB_TRACE_PACKET_APP_WAKELOCK_BUNDLE)
        return false;
    while (orma_msg_next_number(&ids, &id)) {
        if (!orma_msg_next_number(&times, &when)) {
            inc(imp, ctx->machine, ORMA_STAT_APP_WAKELOCK_PARSE_ERROR);
            return true;
        }
        push(imp, ctx, num++, id, when);
    }
    return num; /* without any it describes one itself */
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_field f[BUNDLE_FIELDS];

    if (item->field == ORMA_PB_TRACE_PACKET_KERNEL_WAKELOCK_DATA) {
        kernel(imp, item);
        return;
    }
    if (item->aux & FROM_BUNDLE) {
        taken_or_given(imp, item, without_number(orma_msg_item(item)), item->aux & 1);
        return;
    }
    orma_msg_read(orma_msg_item(item), f, BUNDLE_FIELDS);
    if (f[BUNDLE_INFO].id)
        taken_or_given(imp, item, without_number(orma_pb_str(&f[BUNDLE_INFO])),
                       orma_pb_bool(&f[BUNDLE_ACQUIRED]));
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_KERNEL_WAKELOCK_DATA,
                                  ORMA_PB_TRACE_PACKET_APP_WAKELOCK_BUNDLE, 0};
const struct orma_importer orma_android_wakelocks_importer = {
    .name = "wakelocks", .fields = fields, .tokenize = tokenize, .parse = parse};
