/*
 * Packets of the network, as the device accounts them to apps: slices of interfaces and directions,
 * and rows that name them.
 *
 * What packets have in common stands beside them or is interned. A bundle is only the sum of its
 * packets, or several of them; these are cut apart as they are read, since they may be later than
 * what follows in the file.
 */
#include "processor/import/android/android.h"
#include "processor/import/core/msg.h"
#include "processor/model/async.h"
#include "processor/read/seq.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"

enum {
    BUNDLE_IID = 1,
    BUNDLE_CTX,
    BUNDLE_TIMES,
    BUNDLE_LENGTHS,
    BUNDLE_PACKETS,
    BUNDLE_DURATION,
    BUNDLE_LENGTH
};
enum { CONTEXT_CTX = 2 };
/* In item->aux: `data` is the context of a packet out of a bundle; its length is the rest. */
#define FROM_BUNDLE ((uint64_t)1 << 63)
enum {
    EVENT_DIRECTION = 1,
    EVENT_INTERFACE,
    EVENT_LENGTH,
    EVENT_UID,
    EVENT_TAG,
    EVENT_PROTOCOL,
    EVENT_TCP_FLAGS,
    EVENT_LOCAL_PORT,
    EVENT_REMOTE_PORT,
    EVENT_ICMP_TYPE,
    EVENT_ICMP_CODE,
    EVENT_FIELDS
};

struct event {
    uint32_t interface; /* pool id */
    uint64_t num[EVENT_FIELDS];
    bool has[EVENT_FIELDS];
};

static struct event read_event(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct event e = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == EVENT_INTERFACE) {
            e.interface = orma_model_str(imp->model, orma_pb_str(&f));
        } else if (f.id < EVENT_FIELDS) {
            e.num[f.id] = orma_pb_u64(&f);
            e.has[f.id] = true;
        }
    }
    return e;
}

static const char *direction_of(const struct event *e)
{
    return e->num[EVENT_DIRECTION] == 1   ? "Received"
           : e->num[EVENT_DIRECTION] == 2 ? "Transmitted"
                                          : "DIR_UNKNOWN";
}

static uint32_t transport_of(struct orma_import_ctx *imp, const struct event *e)
{
    switch (e->num[EVENT_PROTOCOL]) {
    case 1:
        return orma_model_lit(imp->model, "IPPROTO_ICMP");
    case 6:
        return orma_model_lit(imp->model, "IPPROTO_TCP");
    case 17:
        return orma_model_lit(imp->model, "IPPROTO_UDP");
    case 58:
        return orma_model_lit(imp->model, "IPPROTO_ICMPV6");
    }
    return orma_strpool_addf(&imp->model->storage->pool, "IPPROTO (%llu)",
                             (unsigned long long)e->num[EVENT_PROTOCOL]);
}

static uint32_t flags_text(struct orma_import_ctx *imp, uint64_t flags)
{
    char text[] = "fsrpauec";

    for (unsigned i = 0; i < 8; i++)
        if (!(flags >> i & 1))
            text[i] = '.';
    return orma_model_str(imp->model, (struct orma_str){text, 8});
}

static uint32_t lane(struct orma_import_ctx *imp, const struct orma_item *item,
                     const struct event *e, int64_t ts, int64_t dur)
{
    struct orma_strpool *pool = &imp->model->storage->pool;
    const char *direction = direction_of(e);
    const struct orma_track_spec spec = {
        .type = "network_packets",
        .event = ORMA_TRACK_SLICES,
        .machine = item->machine,
        .dims_num = 2,
        .dims = {orma_dim_str(orma_model_lit(imp->model, "net_interface"), e->interface),
                 orma_dim_str(orma_model_lit(imp->model, "net_direction"),
                              orma_model_lit(imp->model, direction))},
        .name = orma_strpool_addf(pool, "%s %s", orma_strpool_cstr(pool, e->interface), direction),
        .parent = ORMA_TRACK_NONE,
    };

    return orma_async_instant(imp->model, &spec, ts, dur);
}

static void put_args(struct orma_import_ctx *imp, struct orma_args_list *args,
                     const struct event *e, uint64_t length, uint64_t count, uint32_t tag)
{
    static const struct {
        uint8_t field;
        const char *key;
    } optional[] = {{EVENT_LOCAL_PORT, "local_port"},
                    {EVENT_REMOTE_PORT, "remote_port"},
                    {EVENT_ICMP_TYPE, "packet_icmp_type"},
                    {EVENT_ICMP_CODE, "packet_icmp_code"}};
    struct orma_model *model = imp->model;

    orma_args_put_str(args, orma_model_lit(model, "packet_transport"), transport_of(imp, e));
    orma_args_put_int(args, orma_model_lit(model, "socket_uid"), (int64_t)e->num[EVENT_UID]);
    orma_args_put_str(args, orma_model_lit(model, "socket_tag"), tag);
    if (e->has[EVENT_TCP_FLAGS])
        orma_args_put_str(args, orma_model_lit(model, "packet_tcp_flags"),
                          flags_text(imp, e->num[EVENT_TCP_FLAGS]));
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(optional); i++)
        if (e->has[optional[i].field])
            orma_args_put_int(args, orma_model_lit(model, optional[i].key),
                              (int64_t)e->num[optional[i].field]);
    orma_args_put_int(args, orma_model_lit(model, "packet_length"), (int64_t)length);
    orma_args_put_int(args, orma_model_lit(model, "packet_count"), (int64_t)count);
}

static void add_row(struct orma_import_ctx *imp, const struct event *e, uint32_t slice,
                    uint64_t length, uint64_t count, uint32_t tag)
{
    static const struct {
        uint8_t field, column;
    } optional[] = {{EVENT_LOCAL_PORT, ORMA_ANDROID_NETWORK_PACKETS_LOCAL_PORT},
                    {EVENT_REMOTE_PORT, ORMA_ANDROID_NETWORK_PACKETS_REMOTE_PORT},
                    {EVENT_ICMP_TYPE, ORMA_ANDROID_NETWORK_PACKETS_PACKET_ICMP_TYPE},
                    {EVENT_ICMP_CODE, ORMA_ANDROID_NETWORK_PACKETS_PACKET_ICMP_CODE},
                    {EVENT_TCP_FLAGS, ORMA_ANDROID_NETWORK_PACKETS_PACKET_TCP_FLAGS}};
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_NETWORK_PACKETS);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_ID, row, slice);
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_IFACE, row, e->interface);
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_DIRECTION, row,
                   orma_model_lit(imp->model, direction_of(e)));
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_PACKET_TRANSPORT, row, transport_of(imp, e));
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_PACKET_LENGTH, row, (int64_t)length);
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_PACKET_COUNT, row, (int64_t)count);
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_SOCKET_TAG, row, (uint32_t)e->num[EVENT_TAG]);
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_SOCKET_TAG_STR, row, tag);
    orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_SOCKET_UID, row, (uint32_t)e->num[EVENT_UID]);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(optional); i++)
        if (e->has[optional[i].field])
            orma_table_set(t, optional[i].column, row, (uint32_t)e->num[optional[i].field]);
    if (e->has[EVENT_TCP_FLAGS])
        orma_table_set(t, ORMA_ANDROID_NETWORK_PACKETS_PACKET_TCP_FLAGS_STR, row,
                       flags_text(imp, e->num[EVENT_TCP_FLAGS]));
}

/* The package that has the number, or the number. */
static uint32_t name_of(struct orma_import_ctx *imp, const struct event *e)
{
    uint32_t uid = (uint32_t)e->num[EVENT_UID];
    uint32_t package = uid ? orma_android_package(imp, uid % 100000) : 0;

    return package ? package
                   : orma_strpool_addf(&imp->model->storage->pool, "uid=%u", (unsigned)uid);
}

static void packet(struct orma_import_ctx *imp, const struct orma_item *item, const struct event *e,
                   int64_t ts, uint64_t dur, uint64_t length, uint64_t count)
{
    uint32_t tag = orma_strpool_addf(&imp->model->storage->pool, "0x%llx",
                                     (unsigned long long)(uint32_t)e->num[EVENT_TAG]);
    int64_t lasts = (int64_t)ORMA_MIN(dur, (uint64_t)INT64_MAX);

    ORMA_MODEL_ARGS(args, imp->model);
    put_args(imp, args, e, length, count, tag);
    uint32_t slice = orma_slices_complete(&imp->model->slices, ts, lasts,
                                          lane(imp, item, e, ts, lasts), 0, name_of(imp, e), args);
    if (slice != ORMA_SLICE_NONE)
        add_row(imp, e, slice, length, count, tag);
}

/* ---- bundles ---- */

/* What one says of all its packets. */
struct bundle {
    struct orma_str context;
    uint64_t num[BUNDLE_LENGTH + 1];
    bool summed;
};

/* The context that is interned under `iid`, as bytes. */
static struct orma_str interned(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                                uint16_t machine, uint64_t iid)
{
    const struct orma_interned *entry =
        gen ? orma_seq_gen_find(gen, ORMA_PB_INTERNED_DATA_PACKET_CONTEXT, iid) : NULL;
    struct orma_stats *stats = orma_model_stats(imp->model, machine);
    struct orma_str ret = {0};
    struct orma_pb_field f;

    if (!entry) {
        orma_stats_inc(stats, ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
        orma_stats_inc(stats, ORMA_STAT_NETWORK_TRACE_INTERN_ERRORS);
        return ret;
    }
    struct orma_pb_reader r = orma_pb_reader(entry->data, entry->len);
    while (orma_pb_next(&r, &f))
        if (f.id == CONTEXT_CTX)
            ret = orma_pb_str(&f);
    return ret;
}

static struct bundle read_bundle(struct orma_import_ctx *imp, struct orma_str bytes,
                                 const struct orma_seq_gen *gen, uint16_t machine)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct bundle b = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == BUNDLE_CTX)
            b.context = orma_pb_str(&f);
        else if (f.id == BUNDLE_IID)
            b.context = interned(imp, gen, machine, orma_pb_u64(&f));
        else if (f.id >= BUNDLE_PACKETS && f.id <= BUNDLE_LENGTH)
            b.num[f.id] = orma_pb_u64(&f);
        b.summed |= f.id == BUNDLE_LENGTH;
    }
    return b;
}

/* One time and one length make a packet, which takes its own place in time. */
static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    const struct orma_str bytes = ctx->p->payload;
    struct orma_msg_numbers times = orma_msg_numbers(bytes, BUNDLE_TIMES);
    struct orma_msg_numbers lengths = orma_msg_numbers(bytes, BUNDLE_LENGTHS);
    uint64_t offset, length, order = 0;

    if (ctx->p->field != ORMA_PB_TRACE_PACKET_NETWORK_PACKET_BUNDLE)
        return false;
    const struct bundle b = read_bundle(imp, bytes, ctx->seq->gen, ctx->machine);
    if (b.summed)
        return false;
    while (orma_msg_next_number(&times, &offset) && orma_msg_next_number(&lengths, &length)) {
        const struct orma_item item = {.ts = (int64_t)((uint64_t)ctx->ts + offset),
                                       .order = ctx->order + ORMA_MIN(order++, ORMA_ORDER_STEP - 1),
                                       .kind = ORMA_ITEM_PACKET,
                                       .field = ctx->p->field,
                                       .machine = ctx->machine,
                                       .data = (const uint8_t *)b.context.data,
                                       .len = (uint32_t)b.context.len,
                                       .gen = ctx->seq->gen,
                                       .aux = FROM_BUNDLE | (uint32_t)length};

        if (orma_reader_sortable(imp->reader, item.ts))
            orma_sorter_push(&imp->reader->sorter, &item);
    }
    return true;
}

static void summed(struct orma_import_ctx *imp, const struct orma_item *item, struct orma_str bytes)
{
    const struct bundle b = read_bundle(imp, bytes, item->gen, item->machine);
    const struct event e = read_event(imp, b.context);

    packet(imp, item, &e, item->ts, b.num[BUNDLE_DURATION], b.num[BUNDLE_LENGTH],
           b.num[BUNDLE_PACKETS]);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    const struct orma_str bytes = {(const char *)item->data, item->len};
    bool cut_out = item->aux & FROM_BUNDLE;

    if (item->field == ORMA_PB_TRACE_PACKET_NETWORK_PACKET_BUNDLE && !cut_out) {
        summed(imp, item, bytes);
        return;
    }
    const struct event e = read_event(imp, bytes);
    packet(imp, item, &e, item->ts, 0, cut_out ? (uint32_t)item->aux : e.num[EVENT_LENGTH], 1);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_NETWORK_PACKET,
                                  ORMA_PB_TRACE_PACKET_NETWORK_PACKET_BUNDLE, 0};
const struct orma_importer orma_android_network_importer = {
    .name = "network", .fields = fields, .tokenize = tokenize, .parse = parse};
