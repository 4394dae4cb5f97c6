/*
 * `orma record --auto-size`: sizes and periods of a config by what happens on this machine.
 *
 *   config ─► a trial of a second, in memory ─► orma_doctor_measure() ─► orma_doctor_choose() ─►
 * config output's disk ─────────┘
 *
 * A command that is recorded cannot be run twice: buffers are as large as the machine affords, and
 * at the end it is said what was needed (orma_doctor_auto_tell()).
 */
#ifndef ORMA_TOOLS_DOCTOR_AUTO_SIZE_H
#define ORMA_TOOLS_DOCTOR_AUTO_SIZE_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"

struct orma_doctor_auto {
    const char *program, *addr; /* of the service; NULL: that of this machine */
    int signal_fd;
    uint64_t hold_ms;     /* what a ring should hold */
    const char *out_path; /* NULL: no file */
    bool has_command;
    bool quiet;
};

/* Replaces `config`, encoded. -ECANCELED: a signal ended it; negative errno otherwise, said. */
int orma_doctor_auto_choose(const struct orma_doctor_auto *how, struct orma_buf *config);

/* After a recording with a command: what came, and what would have been enough for it. */
void orma_doctor_auto_tell(const struct orma_doctor_auto *how, bool streams, uint64_t bytes,
                           uint64_t duration_ns);
#endif
