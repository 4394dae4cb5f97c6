#include "traced/endpoints/relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "traced/internal.h"
#include "traced/network/conn.h"
#ifdef __linux__
#include <linux/vm_sockets.h>
#endif

#define INFO_MAX ((size_t)16 << 10)
#define NAME_MAX_BYTES 256

/* ---- who is on the other end ---- */

/* The other end's address without its port: what is left of a machine that gives no hint. */
static uint64_t hash_of_address(const struct traced_conn *conn)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
        struct sockaddr_vm vm;
        struct sockaddr_storage room;
    } addr;
    socklen_t len = sizeof(addr);

    memset(&addr, 0, sizeof(addr));
    if (getpeername(conn->fd, &addr.any, &len) < 0)
        return ORMA_FNV1A_BASIS;
    switch (addr.any.sa_family) {
    case AF_INET:
        return orma_fnv1a(ORMA_FNV1A_BASIS, &addr.in.sin_addr, sizeof(addr.in.sin_addr));
    case AF_INET6:
        return orma_fnv1a(ORMA_FNV1A_BASIS, &addr.in6.sin6_addr, sizeof(addr.in6.sin6_addr));
    case AF_VSOCK:
        return orma_fnv1a(ORMA_FNV1A_BASIS, &addr.vm.svm_cid, sizeof(addr.vm.svm_cid));
    }
    return ORMA_FNV1A_BASIS;
}

void traced_relay_identify(struct traced_conn *conn, const struct orma_ipc_frame *frame)
{
    if (conn->is_unix || conn->identity_set || conn->producer)
        return;
    conn->identity_set = true;
    uint64_t hash =
        frame->machine_id_hint.len
            ? orma_fnv1a(ORMA_FNV1A_BASIS, frame->machine_id_hint.data, frame->machine_id_hint.len)
            : hash_of_address(conn);
    conn->uid = frame->peer_uid;
    conn->pid = frame->peer_pid;
    conn->machine_id = (uint32_t)hash ? (uint32_t)hash : 1;
    struct orma_str name = frame->machine_name;
    name.len = ORMA_MIN(name.len, (size_t)NAME_MAX_BYTES);
    if (name.len)
        conn->machine_name = orma_str_dup(name); /* no memory: a machine without a name */
}

/* ---- machines ---- */

static struct traced_machine *machine_of(const struct traced_conn *conn)
{
    struct traced_service *svc = conn->service;
    size_t num = 0;

    if (!conn->machine_id)
        return NULL; /* it has not said who it is */
    ORMA_LIST_EACH (struct traced_machine, m, &svc->machines, link) {
        if (m->id == conn->machine_id)
            return m;
        num++;
    }
    struct traced_machine *m = num < TRACED_MACHINES_MAX ? calloc(1, sizeof(*m)) : NULL;
    if (!m)
        return NULL;
    m->id = conn->machine_id;
    orma_list_insert(&svc->machines, &m->link);
    return m;
}

void traced_machines_free(struct traced_service *service)
{
    ORMA_LIST_EACH (struct traced_machine, m, &service->machines, link) {
        orma_list_remove(&m->link);
        orma_buf_fini(&m->info);
        free(m);
    }
}

/* ---- the port ---- */

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

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_SYNC_CLOCK_REQUEST_CLOCKS && !parse_clock(&f, &now))
            return -EBADMSG;
    if (r.failed)
        return -EBADMSG;
    if (!m)
        return -EPERM;
    if (m->exchanges_num == TRACED_EXCHANGES_MAX)
        memmove(&m->exchanges[0], &m->exchanges[1], sizeof(m->exchanges[0]) * --m->exchanges_num);
    m->exchanges[m->exchanges_num++] = now;
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
