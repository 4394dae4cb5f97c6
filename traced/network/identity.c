/* Who is on the other end of a connection: the kernel's word, or that of a relay. See conn.h. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "sdk/base/hash.h"
#include "sdk/ipc/frame.h"
#include "traced/network/conn.h"
#ifdef __linux__
#include <linux/vm_sockets.h>
#endif

/* Of a machine's name: it is copied into each trace. */
#define NAME_MAX_BYTES 256

void traced_conn_find_peer(struct traced_conn *self)
{
    struct sockaddr_storage addr;
    socklen_t len = sizeof(addr);
    struct ucred cred;

    self->is_unix =
        getsockname(self->fd, (struct sockaddr *)&addr, &len) == 0 && addr.ss_family == AF_UNIX;
    len = sizeof(cred);
    if (self->is_unix && getsockopt(self->fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0) {
        self->uid = (int32_t)cred.uid;
        self->pid = cred.pid;
    } else if (self->is_unix) {
        self->uid = -1; /* nobody: 0 would be root */
    }
}

/* The other end's address without its port: all that identifies a machine that gives no hint. */
static uint64_t hash_of_address(const struct traced_conn *conn)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
        struct sockaddr_vm vm;
        struct sockaddr_storage storage;
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

void traced_conn_identify(struct traced_conn *self, const struct orma_ipc_frame *frame)
{
    bool may_say = !self->is_unix || (self->endpoint->relays && self->user->trusted);

    if (!may_say || self->identity_fixed)
        return;
    self->identity_fixed = true;
    uint64_t hash =
        frame->machine_id_hint.len
            ? orma_fnv1a(ORMA_FNV1A_BASIS, frame->machine_id_hint.data, frame->machine_id_hint.len)
            : hash_of_address(self);
    self->uid = frame->peer_uid;
    self->pid = frame->peer_pid;
    self->machine_id = (uint32_t)hash ? (uint32_t)hash : 1;
    struct orma_str name = frame->machine_name;
    name.len = ORMA_MIN(name.len, (size_t)NAME_MAX_BYTES);
    if (name.len && !orma_str_has_zero(name))
        self->machine_name = orma_str_dup(name); /* no memory: a machine without a name */
}
