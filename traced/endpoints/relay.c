#include "traced/endpoints/relay.h"

#include <errno.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "traced/sessions/machine.h"
#include "traced/sessions/registry.h"

#define INFO_MAX ((size_t)16 << 10)

static bool is_connected(const void *network, uint32_t machine_id)
{
    const struct traced_network *self = network;

    ORMA_LIST_EACH (struct traced_conn, c, (struct orma_list *)&self->conns, link)
        if (c->machine_id == machine_id && !c->ending)
            return true;
    return false;
}

/* NULL: it has not said who it is, or there are too many. */
static struct traced_machine *machine_of(const struct traced_conn *conn)
{
    struct traced_sessions *sessions = conn->network->context;
    struct traced_machine *m =
        traced_machine_get(&sessions->machines, conn->machine_id, is_connected, conn->network);

    if (!m && conn->machine_id && traced_loop_may_log(conn->network->loop))
        orma_log_warn("a machine behind a relay is not known: there are %d already",
                      TRACED_MACHINES_MAX);
    return m;
}

static int init_relay(struct traced_conn *conn, const struct traced_call *call)
{
    struct orma_pb_reader r = orma_pb_reader(call->args.data, call->args.len);
    struct traced_machine *m = machine_of(conn);
    struct orma_str info = {"", 0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INIT_RELAY_REQUEST_SYSTEM_INFO && f.data)
            info = orma_pb_str(&f);
    if (r.failed)
        return -EBADMSG;
    if (!m || info.len > INFO_MAX)
        return -EPERM;
    r = orma_pb_reader(info.data, info.len);
    while (orma_pb_next(&r, &f))
        continue;
    if (r.failed)
        return -EBADMSG;
    orma_buf_clear(&m->info);
    orma_buf_put(&m->info, info.data, info.len);
    if (conn->machine_name)
        orma_pb_put_cstr(&m->info, ORMA_PB_SYSTEM_INFO_MACHINE_NAME, conn->machine_name);
    m->has_info = !m->info.failed;
    traced_conn_ack(conn, call, true);
    return 0;
}

static bool parse_clock(const struct orma_pb_field *field, struct traced_exchange *to)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    uint32_t id = 0;
    uint64_t ts = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYNC_CLOCK_REQUEST_CLOCK_CLOCK_ID)
            id = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_SYNC_CLOCK_REQUEST_CLOCK_TIMESTAMP)
            ts = orma_pb_u64(&f);
    }
    if (r.failed)
        return false;
    if (to->client_num < TRACED_REMOTE_CLOCKS_MAX) {
        to->client[to->client_num].id = id;
        to->client[to->client_num++].ts = ts;
    }
    return true;
}

static int sync_clock(struct traced_conn *conn, const struct traced_call *call)
{
    struct traced_exchange now = {.host = traced_clocks_now()}; /* before anything else */
    struct orma_pb_reader r = orma_pb_reader(call->args.data, call->args.len);
    struct traced_machine *m = machine_of(conn);
    struct orma_pb_field f;
    bool is_ping = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYNC_CLOCK_REQUEST_CLOCKS && !parse_clock(&f, &now))
            return -EBADMSG;
        if (f.id == ORMA_PB_SYNC_CLOCK_REQUEST_PHASE)
            is_ping = orma_pb_u32(&f) == ORMA_PB_SYNC_CLOCK_REQUEST_PING;
    }
    if (r.failed)
        return -EBADMSG;
    if (!m)
        return -EPERM;
    traced_machine_add_exchange(m, conn, is_ping, &now);
    traced_conn_ack(conn, call, true);
    return 0;
}

static const char *const method_names[] = ORMA_RELAY_PORT_METHODS;
static const traced_method_fn methods[] = {
    [ORMA_RELAY_PORT_INIT_RELAY] = init_relay,
    [ORMA_RELAY_PORT_SYNC_CLOCK] = sync_clock,
};

const struct traced_port traced_relay_port = {
    .name = ORMA_RELAY_PORT_NAME,
    .method_names = method_names,
    .methods = methods,
    .methods_end = ORMA_RELAY_PORT_METHODS_END,
};
