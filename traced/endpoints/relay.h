/*
 * Other machines: their names and ids, as their relays tell them, and the
 * clocks of theirs and ours at the same moments.
 *
 * A machine is known from the first InitRelay or SyncClock of a relay until the
 * service ends; there are at most TRACED_MACHINES_MAX (rule 83 of
 * docs/service.md). Threads: the service's loop.
 */
#ifndef ORMA_TRACED_ENDPOINTS_RELAY_H
#define ORMA_TRACED_ENDPOINTS_RELAY_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/list.h"
#include "sdk/ipc/frame.h"
#include "traced/sessions/snapshot.h"

struct traced_conn;
struct traced_service;

#define TRACED_MACHINES_MAX 64
#define TRACED_EXCHANGES_MAX 5
#define TRACED_REMOTE_CLOCKS_MAX 16

struct traced_exchange {
    struct {
        uint32_t id;
        uint64_t ts;
    } client[TRACED_REMOTE_CLOCKS_MAX];
    uint32_t client_num;
    struct traced_clocks host;
};

struct traced_machine {
    struct orma_list link; /* traced_service.machines */
    uint32_t id;           /* never 0 */
    struct orma_buf info;  /* SystemInfo as it came, and the machine's name */
    bool has_info;
    struct traced_exchange exchanges[TRACED_EXCHANGES_MAX]; /* the latest, oldest first */
    uint32_t exchanges_num;
};

/* A SetPeerIdentity frame; counts once, and not where the kernel knows better. */
void traced_relay_identify(struct traced_conn *conn, const struct orma_ipc_frame *frame);

void traced_machines_free(struct traced_service *service);

extern const struct traced_port traced_relay_port;
#endif
