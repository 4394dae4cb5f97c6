/*
 * Processes that are watched (`orma profile -p`): a descriptor tells when the last of them has
 * ended, as then there is nothing left to record. Threads: none.
 */
#ifndef ORMA_TOOLS_RECORD_WATCHED_H
#define ORMA_TOOLS_RECORD_WATCHED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orma_record_watched {
    int fd; /* readable: one has ended; -1: nothing to wait for */
    size_t left;
};

/* Those that run now. Without any, or where the kernel cannot tell, fd is -1. */
void orma_record_watched_open(struct orma_record_watched *self, const int32_t *pids, size_t num);
void orma_record_watched_close(struct orma_record_watched *self);

/* Asked when fd is readable: true once the last one has ended. */
bool orma_record_watched_ended(struct orma_record_watched *self);
#endif
