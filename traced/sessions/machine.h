/*
 * Other machines: their names and ids, as their relays report them, and how their clocks and ours
 * are related.
 *
 * A relay reads its clocks and sends them, twice: before we read ours (a ping), and when our reply
 * has come (an update). The four readings, theirs, ours, theirs, ours, are a round. Each is
 * later than the one before, whatever the link does: so a round says how far their clock is ahead
 * at least, and at most. The narrowest bounds of many rounds, each a little wider for its age, are
 * what is known; the middle of them is taken for true. A tie is what readers of the trace are
 * given: a round as it would have been by the fastest ways. There is a new one when the middle has
 * moved by a 32nd of what is not known, or less
 * is unknown than three quarters of before.
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
#include "sdk/base/vec.h"
#include "traced/sessions/snapshot.h"

#define TRACED_MACHINES_MAX 64
#define TRACED_EXCHANGES_MAX 5
#define TRACED_REMOTE_CLOCKS_MAX 16
#define TRACED_TIES_MAX 256
#define TRACED_ROUNDS_MAX 64

struct traced_exchange {
    struct {
        uint32_t id;
        uint64_t ts;
    } client[TRACED_REMOTE_CLOCKS_MAX];
    uint32_t client_num;
    struct traced_clocks host;
};

/* How far their BOOTTIME is ahead of ours. */
struct traced_round {
    struct traced_exchange ping, update;
    uint64_t ns; /* our BOOTTIME at the ping */
    int64_t at_least, at_most;
};

struct traced_machine {
    struct orma_list link; /* traced_sessions.machines */
    uint32_t id;           /* never 0 */
    struct orma_buf info;  /* SystemInfo as it came, and the machine's name */
    bool has_info;
    struct traced_exchange exchanges[TRACED_EXCHANGES_MAX]; /* the latest, oldest first */
    uint32_t exchanges_num;
    struct traced_exchange ping;
    const void *ping_by;                           /* the connection; NULL: an update came since */
    struct traced_round rounds[TRACED_ROUNDS_MAX]; /* the latest, oldest first */
    uint32_t rounds_num;
    ORMA_VEC(struct traced_round) ties; /* oldest first */
    uint64_t ties_gone;                 /* so many older ones were dropped */
    struct traced_round known;          /* by the last round */
    bool has_known;
};

/*
 * The machine with this id, made if there is none: in the place of the oldest one that is_here()
 * does not know, if there are too many. NULL: id 0, all of them are here, or no memory.
 */
struct traced_machine *traced_machine_get(struct orma_list *machines, uint32_t id,
                                          bool (*is_here)(const void *ctx, uint32_t id),
                                          const void *ctx);
/* An exchange of clocks by one of its connections; the oldest goes if there are too many. */
void traced_machine_add_exchange(struct traced_machine *self, const void *by, bool is_ping,
                                 const struct traced_exchange *now);
/* The number of the tie that holds at this BOOTTIME of ours, counted from the first that there ever
 * was; without an earlier one the first. */
uint64_t traced_machine_tie_at(const struct traced_machine *self, uint64_t ns);

/* What is known of its clocks, at this moment; only if has_known. */
struct traced_round traced_machine_known_now(const struct traced_machine *self);

void traced_machines_free(struct orma_list *machines);
#endif
