/*
 * One line of a system's log, from wherever it came: the journal of systemd or
 * the kernel's own ring (/dev/kmsg).
 */
#ifndef ORMA_PROBES_JOURNAL_ENTRY_H
#define ORMA_PROBES_JOURNAL_ENTRY_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* Bits of orma_journal_entry.present. */
enum { ORMA_JOURNAL_PID = 1, ORMA_JOURNAL_TID = 2, ORMA_JOURNAL_UID = 4, ORMA_JOURNAL_GID = 8 };

/* The texts point into the bytes of the source; empty: unknown. */
struct orma_journal_entry {
    uint64_t monotonic_ns;
    uint32_t present, pid, tid, uid, gid;
    uint32_t prio; /* 0 (emergency) to 7 (debug) */
    struct orma_str tag, message, comm, exe, unit, hostname, transport;
};

/*
 * The next record of what was read from /dev/kmsg, removed from *rest:
 *
 *   6,339,5140900,-,caller=T17;message, with \x0a for what cannot be printed
 *    KEY=value                       (of a device; left out)
 *
 * The message is unescaped in place. False: nothing is left; a record that
 * makes no sense gives an entry with a NULL message.
 */
bool orma_journal_kmsg_next(char **rest, size_t *rest_len, struct orma_journal_entry *ret);

/* Appends a whole TracePacket. */
void orma_journal_put(struct orma_buf *out, const struct orma_journal_entry *entry);
#endif
