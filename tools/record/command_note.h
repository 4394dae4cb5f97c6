/*
 * Says behind a trace which command it was recorded for, so that reports can be about it and what
 * it started (`ProcessTree.orma_command`).
 */
#ifndef ORMA_TOOLS_RECORD_COMMAND_NOTE_H
#define ORMA_TOOLS_RECORD_COMMAND_NOTE_H
#include <stdint.h>
#include <sys/types.h>

#include "sdk/base/buf.h"

struct orma_record_command {
    pid_t pid;           /* 0: it was not started */
    uint64_t started_ns; /* boot clock, before it had a process */
    char *const *argv;
};

/* One whole packet of a trace file. */
void orma_record_command_put(struct orma_buf *out, const struct orma_record_command *command);
#endif
