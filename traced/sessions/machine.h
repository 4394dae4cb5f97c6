/*
 * Other machines: their names and ids, as their relays report them, and the
 * clocks of theirs and ours at the same moments.
 *
 * A machine is known from the first InitRelay or SyncClock of a relay until the
 * service ends, or its place is needed and no connection of it is left; there are
 * at most TRACED_MACHINES_MAX (rule 83 of docs/service.md). Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_MACHINE_H
#define ORMA_TRACED_SESSIONS_MACHINE_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/list.h"
#include "traced/sessions/snapshot.h"

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
    struct orma_list link; /* traced_sessions.machines */
    uint32_t id;           /* never 0 */
    struct orma_buf info;  /* SystemInfo as it came, and the machine's name */
    bool has_info;
    struct traced_exchange exchanges[TRACED_EXCHANGES_MAX]; /* the latest, oldest first */
    uint32_t exchanges_num;
};

/*
 * The machine with this id, made if there is none: in the place of the oldest one that is_here()
 * does not know, if there are too many. NULL: id 0, all of them are here, or no memory.
 */
struct traced_machine *traced_machine_get(struct orma_list *machines, uint32_t id,
                                          bool (*is_here)(const void *ctx, uint32_t id),
                                          const void *ctx);
/* The latest exchange of clocks; the oldest goes if there are too many. */
void traced_machine_add_exchange(struct traced_machine *self, const struct traced_exchange *now);

void traced_machines_free(struct orma_list *machines);
#endif
