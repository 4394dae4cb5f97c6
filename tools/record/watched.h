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
    int fd;   /* readable: one has ended; -1: nobody can say */
    int *fds; /* one for each process; -1: it has ended */
    size_t num, left;
};

/* Where the kernel cannot tell, or without processes, fd is -1. */
void orma_record_watched_open(struct orma_record_watched *self, const int32_t *pids, size_t num);

/* As often as one likes. */
void orma_record_watched_close(struct orma_record_watched *self);

/* Asked at first, and when fd is readable: has the last one ended, before or since? */
bool orma_record_watched_ended(struct orma_record_watched *self);
#endif
