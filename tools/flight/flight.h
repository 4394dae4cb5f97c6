/*
 * A flight recorder: looks at what happens while a session records into its ring, and makes
 * snapshots of the moments that conditions name.
 *
 *   programs, kernel ─► the session (ring) ─────────────► snapshot ─► cut to the moment ─► FILE.N
 *                   └─► a second session, with what           ▲
 *                       conditions need, read all the         │ `after` later
 *                       while ─► conditions ──────────────────┘
 *   SQL:  the session ─► snapshot ─► import ─► rows? ─────────┘
 *
 * Of a recording in several files (--rotate) the snapshot is made of those that have the moment,
 * for which the recorder begins another one; SQL is asked of the
 * file that is written and the one before it.
 *
 * One snapshot is under way at a time; what conditions tell meanwhile belongs to it. Afterwards it
 * is quiet for a while (`pause_ms`). A condition of SQL that holds has to fail before it counts
 * again; one that takes longer than half a minute is no longer asked, and the end waits for none.
 * All of that is counted: told = taken + with another + paused + too many + failed.
 *
 * Threads: three of its own (conditions, SQL, one for each snapshot), started after signals were
 * blocked. start() and stop() are the owner's.
 */
#ifndef ORMA_TOOLS_FLIGHT_FLIGHT_H
#define ORMA_TOOLS_FLIGHT_FLIGHT_H
#include <stdbool.h>

#include "sdk/base/buf.h"
#include "tools/flight/condition.h"
#include "tools/flight/slices.h"

struct orma_record_handover;

struct orma_flight_plan {
    struct orma_flight_condition conditions[ORMA_FLIGHT_CONDITIONS_MAX];
    unsigned num;
    uint64_t before_ms, after_ms, pause_ms;
    const char *then; /* a command for the shell after each snapshot; NULL: none */
    unsigned max;     /* snapshots in all; 0: any number */
    /* Of the recording. */
    const char *program, *session, *addr; /* addr NULL: the service of this machine */
    const char *path;                     /* snapshots are PATH.N */
    bool force, quiet;
    struct orma_record_handover *handover; /* of its files; NULL: it is a ring */
};

struct orma_flight;

/* Once the session runs. 0, or -errno with a message. The plan must live until the end. */
int orma_flight_start(const struct orma_flight_plan *plan, struct orma_flight **ret);

struct orma_flight_result {
    unsigned taken, failed;
};

/* Before the session ends (of files: after that): a snapshot that is due later is made now. Says
 * what came of each condition. NULL is fine. Frees it. */
struct orma_flight_result orma_flight_stop(struct orma_flight *self);
#endif
