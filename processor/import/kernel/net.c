/*
 * Network devices and TCP connections.
 *
 * Bytes received and sent are running sums by device, shown in KiB. A connection is found by the
 * address of its socket, and gets a number when it is first seen. Its states are slices on the
 * connection's track: each event ends the old state and begins the new one.
 */

#include "processor/import/kernel/fields.h"

#include "protos/fields/ftrace.h"

#define PROTOCOL_TCP 6
#define ETHERTYPE_IP 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define KIB 1024
#define FAMILY_INET 2
#define FAMILY_INET6 10

static const char *const tcp_states[] = {
    NULL,
    "TCP_ESTABLISHED",
    "TCP_SYN_SENT",
    "TCP_SYN_RECV",
    "TCP_FIN_WAIT1",
    "TCP_FIN_WAIT2",
    "TCP_TIME_WAIT",
    "TCP_CLOSE",
    "TCP_CLOSE_WAIT",
    "TCP_LAST_ACK",
    "TCP_LISTEN",
    "TCP_CLOSING",
    "TCP_NEW_SYN_RECV",
};
enum { TCP_ESTABLISHED = 1, TCP_SYN_SENT = 2, TCP_CLOSE = 7 };

/* Sums of bytes by device, and the number of each connection by its socket's address. */
struct orma_kernel_net {
    struct orma_map received, sent; /* by pool id of the device's name */
    struct orma_map streams;
    uint32_t streams_num;
    uint32_t freed;
};

static struct orma_kernel_net *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->net,
                           sizeof(struct orma_kernel_net));
}

static void add_bytes(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct orma_map *sums, const char *type, struct orma_str device,
                      const char *what, int64_t len)
{
    uint32_t name = orma_model_str(imp->model, device);
    uint64_t sum = orma_map_get(sums, name);
    const struct orma_track_dim dim =
        orma_dim_str(orma_model_lit(imp->model, "network_interface"), name);

    sum = (sum == ORMA_MAP_NONE ? 0 : sum) + (uint64_t)len;
    if (orma_map_put(sums, name, sum == ORMA_MAP_NONE ? 0 : sum)) /* no value of a map */
        imp->model->storage->failed = true;
    uint32_t track = orma_model_counter_track(
        imp->model, e->machine, type,
        orma_strpool_addf(&imp->model->storage->pool, "%.*s %s KB", ORMA_STR_ARG(device), what),
        NULL, 1, &dim);
    uint32_t row = orma_model_table(imp->model, ORMA_TABLE_COUNTER)->rows;
    orma_model_counter(imp->model, e->ts, track, (double)(sum / KIB));
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, imp->model->known.cpu, e->cpu);
    orma_args_put_uint(args, orma_model_lit(imp->model, "len"), (uint64_t)len);
    orma_model_add_args(imp->model, ORMA_TABLE_COUNTER, ORMA_COUNTER_ARG_SET_ID, row, args);
}

static void receive(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    struct orma_kernel_net *st = state_of(imp);

    orma_event_fields_read(&f, e->payload);
    if (st)
        add_bytes(imp, e, &st->received, "net_receive",
                  f.str[ORMA_PB_NETIF_RECEIVE_SKB_FTRACE_EVENT_NAME], "Received",
                  f.num[ORMA_PB_NETIF_RECEIVE_SKB_FTRACE_EVENT_LEN]);
}

static void transmit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    struct orma_kernel_net *st = state_of(imp);

    orma_event_fields_read(&f, e->payload);
    if (st && !f.num[ORMA_PB_NET_DEV_XMIT_FTRACE_EVENT_RC]) /* other than 0: it was not sent */
        add_bytes(imp, e, &st->sent, "net_transmit", f.str[ORMA_PB_NET_DEV_XMIT_FTRACE_EVENT_NAME],
                  "Transmitted", f.num[ORMA_PB_NET_DEV_XMIT_FTRACE_EVENT_LEN]);
}

static void freed(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    struct orma_kernel_net *st = state_of(imp);
    uint32_t row = orma_model_table(imp->model, ORMA_TABLE_COUNTER)->rows;

    orma_event_fields_read(&f, e->payload);
    int64_t protocol = f.num[ORMA_PB_KFREE_SKB_FTRACE_EVENT_PROTOCOL];
    if (!st || (protocol != ETHERTYPE_IP && protocol != ETHERTYPE_IPV6))
        return;
    orma_model_counter(imp->model, e->ts,
                       orma_model_counter_track(imp->model, e->machine, "net_kfree_skb",
                                                orma_model_lit(imp->model, "Kfree Skb IP Prot"),
                                                NULL, 0, NULL),
                       ++st->freed);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(args, orma_model_lit(imp->model, "protocol"),
                      orma_model_cstr(imp->model, protocol == ETHERTYPE_IP ? "IP" : "IPV6"));
    orma_model_add_args(imp->model, ORMA_TABLE_COUNTER, ORMA_COUNTER_ARG_SET_ID, row, args);
}

static void retransmit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t name =
        orma_strpool_addf(&imp->model->storage->pool, "sport=%lld,dport=%lld",
                          (long long)f.num[ORMA_PB_TCP_RETRANSMIT_SKB_FTRACE_EVENT_SPORT],
                          (long long)f.num[ORMA_PB_TCP_RETRANSMIT_SKB_FTRACE_EVENT_DPORT]);
    uint32_t track =
        orma_model_slice_track(imp->model, e->machine, "net_tcp_retransmit_skb",
                               orma_model_lit(imp->model, "TCP Retransmit Skb"), 0, NULL);
    orma_slices_complete(&imp->model->slices, e->ts, 0, track,
                         orma_model_lit(imp->model, "tcp_event"), name, NULL);
}

static uint32_t state_name(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           const struct orma_event_fields *f, int64_t state)
{
    if (state == TCP_SYN_SENT)
        return orma_strpool_addf(&imp->model->storage->pool, "%s(pid=%u)", tcp_states[state],
                                 e->pid);
    if (state == TCP_ESTABLISHED)
        return orma_strpool_addf(&imp->model->storage->pool, "%s(sport=%lld,dport=%lld)",
                                 tcp_states[state],
                                 (long long)f->num[ORMA_PB_INET_SOCK_SET_STATE_FTRACE_EVENT_SPORT],
                                 (long long)f->num[ORMA_PB_INET_SOCK_SET_STATE_FTRACE_EVENT_DPORT]);
    return orma_model_cstr(imp->model, tcp_states[state]);
}

static void set_state(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;
    struct orma_kernel_net *st = state_of(imp);

    orma_event_fields_read(&f, e->payload);
    int64_t family = f.num[ORMA_PB_INET_SOCK_SET_STATE_FTRACE_EVENT_FAMILY];
    int64_t state = f.num[ORMA_PB_INET_SOCK_SET_STATE_FTRACE_EVENT_NEWSTATE];
    uint64_t socket = (uint64_t)f.num[ORMA_PB_INET_SOCK_SET_STATE_FTRACE_EVENT_SKADDR];
    if (!st || f.num[ORMA_PB_INET_SOCK_SET_STATE_FTRACE_EVENT_PROTOCOL] != PROTOCOL_TCP ||
        (family != FAMILY_INET && family != FAMILY_INET6) || state <= 0 ||
        state >= (int64_t)ORMA_ARRAY_LEN(tcp_states))
        return;
    uint64_t stream = orma_map_get(&st->streams, socket);
    if (stream == ORMA_MAP_NONE) {
        stream = ++st->streams_num;
        if (orma_map_put(&st->streams, socket, stream))
            imp->model->storage->failed = true;
    }
    const struct orma_track_dim dim =
        orma_dim(orma_model_lit(imp->model, "tcp_stream_idx"), (int64_t)stream);
    uint32_t track = orma_model_slice_track(
        imp->model, e->machine, "net_socket_set_state",
        orma_strpool_addf(&imp->model->storage->pool, "TCP stream#%u", (unsigned)stream), 1, &dim);
    orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
    orma_slices_begin(&imp->model->slices, e->ts, track, orma_model_lit(imp->model, "tcp_state"),
                      state_name(imp, e, &f, state), NULL);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_kernel_net *st = orma_kernel(imp)->net;

    if (st) {
        orma_map_fini(&st->received);
        orma_map_fini(&st->sent);
        orma_map_fini(&st->streams);
    }
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_net_importer = {
    .name = "net", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_net_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_NETIF_RECEIVE_SKB, receive},
    {ORMA_PB_FTRACE_EVENT_NET_DEV_XMIT, transmit},
    {ORMA_PB_FTRACE_EVENT_KFREE_SKB, freed},
    {ORMA_PB_FTRACE_EVENT_TCP_RETRANSMIT_SKB, retransmit},
    {ORMA_PB_FTRACE_EVENT_INET_SOCK_SET_STATE, set_state},
    {0, NULL},
};
