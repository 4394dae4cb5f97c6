/*
 * What each session of a living service holds and has lost, read from its rescue folder while it
 * goes on: without a word to the service, and without a lock. Numbers of one moment may not fit
 * each other exactly.
 *
 * Threads: any.
 */
#ifndef ORMA_TRACED_USAGE_H
#define ORMA_TRACED_USAGE_H
#include <stdint.h>

struct traced_usage {
    uint64_t session_id;
    uint64_t size, held; /* of its buffers; bytes of them that have held data */
    uint64_t delivered;  /* packets: read into the file, or by the consumer */
    uint64_t overwritten;
    uint64_t lost;       /* for any other reason */
    uint64_t file_bytes; /* that are in the file; 0: there is none */
    uint32_t files;      /* so many were before it: the recording rotates */
    char file_name[64];  /* then: its name without its folder, cut, without control characters */
};

/* Calls for each session. How many there were; -errno: the folder cannot be read. */
int traced_usage_each(const char *path, void (*fn)(void *ctx, const struct traced_usage *usage),
                      void *ctx);
#endif
