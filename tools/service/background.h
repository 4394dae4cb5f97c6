/*
 * Going on in the background: the process that the user started waits until
 * the other reports that its work has begun, and ends.
 *
 *   user's process ── fork ──► detached process ── sends one status byte ──► goes on
 *        │                                               │
 *        └──────────── waits, exits with it ◄────────────┘
 */
#ifndef ORMA_TOOLS_SERVICE_BACKGROUND_H
#define ORMA_TOOLS_SERVICE_BACKGROUND_H
#include <stdbool.h>
#include <sys/types.h>

enum { ORMA_BACKGROUND_OK = 0, ORMA_BACKGROUND_ERROR = 1, ORMA_BACKGROUND_TIMEOUT = 2 };

struct orma_service_background {
    pid_t pid; /* of the other process, in the user's; 0 in the detached one */
    int fd;    /* the status pipe: read in the user's process, written in the detached one */
};

/*
 * Forks. The detached process leads a session of its own, with standard input
 * and output on /dev/null. Call it before there are threads. Negative errno:
 * nothing happened, or (in the detached process) it could not be detached.
 */
int orma_service_background_fork(struct orma_service_background *ret);

/* The user's process: waits for the status; ORMA_BACKGROUND_*, ERROR if the other died silently. */
int orma_service_background_wait(struct orma_service_background *self, int timeout_ms);

/* Sends the status to the reader of `*fd`, if there still is one, and closes it. -1: nothing. */
void orma_service_background_report(int *fd, char status);

/* The detached process: from here on its messages go nowhere. */
void orma_service_background_silence(void);
#endif
