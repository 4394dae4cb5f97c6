/*
 * Packets of the network, as the device accounts them to apps: slices of interfaces and directions,
 * and rows that name them.
 *
 * What packets have in common stands beside them or is interned; a bundle is several of them, or
 * only their sum.
 */
#include "processor/import/android/android.h"
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

/* What the packets of a bundle have in common, from its context. */
static struct event read_interned(struct orma_import_ctx *imp, const struct orma_item *item,
                                  uint64_t iid)
{
    const struct orma_interned *entry =
        item->gen ? orma_seq_gen_find(item->gen, ORMA_PB_INTERNED_DATA_PACKET_CONTEXT, iid) : NULL;
    struct event e = {0};
    struct orma_pb_field f;

    if (!entry) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
        return e;
    }
    struct orma_pb_reader r = orma_pb_reader(entry->data, entry->len);
    while (orma_pb_next(&r, &f))
        if (f.id == CONTEXT_CTX)
            e = read_event(imp, orma_pb_str(&f));
    return e;
}

/* One entry of each list makes a packet; both are read side by side. */
static void packets(struct orma_import_ctx *imp, const struct orma_item *item,
                    const struct event *e)
{
    struct orma_pb_reader times = orma_pb_reader(item->data, item->len), lengths = times;
    struct orma_pb_reader time_list = {0}, length_list = {0};
    struct orma_pb_field tf = {0}, lf = {0};
    uint64_t offset, length;
    bool has_times = false, has_lengths = false;

    for (;;) {
        while (!has_times || !orma_pb_number(&tf, &time_list, &offset)) {
            do
                if (!orma_pb_next(&times, &tf))
                    return;
            while (tf.id != BUNDLE_TIMES);
            orma_pb_numbers(&tf, &time_list);
            has_times = true;
        }
        while (!has_lengths || !orma_pb_number(&lf, &length_list, &length)) {
            do
                if (!orma_pb_next(&lengths, &lf))
                    return;
            while (lf.id != BUNDLE_LENGTHS);
            orma_pb_numbers(&lf, &length_list);
            has_lengths = true;
        }
        packet(imp, item, e, (int64_t)((uint64_t)item->ts + offset), 0, length, 1);
    }
}

static void bundle(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct event e = {0};
    uint64_t num[BUNDLE_LENGTH + 1] = {0};
    bool summed = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == BUNDLE_CTX)
            e = read_event(imp, orma_pb_str(&f));
        else if (f.id == BUNDLE_IID)
            e = read_interned(imp, item, orma_pb_u64(&f));
        else if (f.id >= BUNDLE_PACKETS && f.id <= BUNDLE_LENGTH)
            num[f.id] = orma_pb_u64(&f);
        summed |= f.id == BUNDLE_LENGTH;
    }
    if (summed)
        packet(imp, item, &e, item->ts, num[BUNDLE_DURATION], num[BUNDLE_LENGTH],
               num[BUNDLE_PACKETS]);
    else
        packets(imp, item, &e);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    if (item->field == ORMA_PB_TRACE_PACKET_NETWORK_PACKET_BUNDLE) {
        bundle(imp, item);
        return;
    }
    const struct event e = read_event(imp, (struct orma_str){(const char *)item->data, item->len});
    packet(imp, item, &e, item->ts, 0, e.num[EVENT_LENGTH], 1);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_NETWORK_PACKET,
                                  ORMA_PB_TRACE_PACKET_NETWORK_PACKET_BUNDLE, 0};
const struct orma_importer orma_android_network_importer = {
    .name = "network", .fields = fields, .parse = parse};
