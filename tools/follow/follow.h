/*
 * The same question again and again, of a trace that grows: a file that is being recorded, or a
 * session of the service.
 *
 *   file:     bytes ─► one import that never ends ─► fork ─► (copy) end of the import ─► answer
 *   session:  fork ─► (copy) snapshot of the session ─► import ─► answer
 *
 * An import can be ended once only, so each answer is given by a copy of the process, which ends
 * the import of its own and is gone afterwards: what it says is what a load of the bytes so far
 * says, and the original has nothing to undo. Events that wait for others to be sorted in are what
 * an answer still has to import: those since the last two flushes.
 *
 * The whole file is held in memory, and its tables. Threads: none, and none may run when
 * orma_follow_run() is called.
 */
#ifndef ORMA_TOOLS_FOLLOW_FOLLOW_H
#define ORMA_TOOLS_FOLLOW_FOLLOW_H
#include <stdbool.h>
#include <stdint.h>

#include "processor/processor.h"
#include "tools/base/cli.h"

struct orma_follow_state {
    const char *name;
    int ready_fd;       /* of a copy that stays */
    unsigned answer;    /* which one it is, from 1 on */
    bool session;       /* it is a snapshot of one */
    bool ended;         /* the recording is over: it is the last answer */
    uint64_t asked_ns;  /* MONOTONIC: when it was asked */
    uint64_t bytes;     /* of the trace that is loaded */
    uint64_t watermark; /* up to here (BOOTTIME) all writers have delivered; 0: unknown */
};

struct orma_follow {
    const char *program; /* in messages */
    const char *name;    /* a file, or a session: its number in `orma status`, or its unique name */
    uint64_t every_ms;   /* between two answers, at least; 0: ORMA_FOLLOW_EVERY_MS */
    unsigned times;      /* so many answers; 0: until the recording or the user ends it */
    struct orma_processor_config config;
    /* In the copy: `tp` has what there is so far. An exit code (enum orma_exit): anything but
     * ORMA_EXIT_OK is the last one. */
    int (*answer)(void *ctx, struct orma_processor *tp, const struct orma_follow_state *state);
    /* The copy stays (a server): it writes a byte to state->ready_fd, and then the one before gets
     * a SIGTERM. The last one stays until a signal asks for the end. */
    bool stays;
    void *ctx;
};

#define ORMA_FOLLOW_EVERY_MS 1000
#define ORMA_FOLLOW_EVERY_MIN_MS 50

/* Until the recording has ended, a signal asks for the end, or an answer fails. An exit code. */
int orma_follow_run(const struct orma_follow *self);

/* The rows of a command's options. */
#define ORMA_FOLLOW_OPTIONS(follow, every)                                                         \
    {(follow), 0, "follow", NULL,                                                                  \
     "Answer again and again while the trace grows: TRACE is a file that is being recorded, or a " \
     "session of the service, by its number or name as in 'orma status'."},                        \
    {                                                                                              \
        (every), 0, "every", "TIME",                                                               \
            "With --follow: time between two answers (1s, at least 50ms)."                         \
    }

/* The value of --every: ORMA_EXIT_OK, or the usage error. */
int orma_follow_take_every(const struct orma_cli *cli, uint64_t *ret_ms);

/* In front of an answer: on a terminal the screen is emptied; a line says how far it reaches, on
 * `out` if that is a terminal, else on stderr. */
void orma_follow_head(struct orma_processor *tp, const struct orma_follow_state *state,
                      const char *program);
#endif
