/*
 * One recording from start to end: starts the session, waits for its end or
 * for a reason to end it, and brings the data into the file. What the commands
 * `orma record` and `orma profile` share.
 */
#ifndef ORMA_TOOLS_RECORDER_H
#define ORMA_TOOLS_RECORDER_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "tools/base/ledger.h"

struct orma_consumer;
struct orma_record_child;
struct orma_record_rotation;
struct orma_record_watched;

struct orma_recorder {
    /* Set by the caller. */
    struct orma_consumer *consumer;
    const char *program;                /* in front of messages */
    struct orma_str config;             /* encoded TraceConfig */
    int out_fd;                         /* where the trace goes; the caller's */
    /* Then out_fd is another one at the end, and those before it were closed. NULL: one file. */
    struct orma_record_rotation *rotation;
    bool service_writes;                /* write_into_file: the service fills out_fd */
    uint32_t duration_ms;               /* of the config, for the live line; 0: until stopped */
    bool progress;                      /* a live line on stderr */
    char *const *command;               /* NULL: none */
    bool note_command;                  /* the trace says which one it was made for */
    struct orma_record_child *prepared; /* NULL: the command gets its process when it is run */
    const char *child_producer_addr, *child_consumer_addr;
    int signal_fd;                       /* signalfd of SIGINT, SIGTERM, SIGHUP, SIGCHLD */
    struct orma_record_watched *watched; /* it ends with the last of these; NULL: it does not */
    /* Called once, when all data sources have started (or took too long to). May be NULL. */
    void (*on_started)(void *ctx);
    /* Asked then: is it worth going on, or is something missing? It has been said. NULL: always. */
    bool (*may_begin)(void *ctx);
    /* Called once after on_started(), before the session is told to end. May be NULL. */
    void (*on_stopping)(void *ctx);
    /* trigger_mode CLONE_SNAPSHOT: called for what triggers ask for, an encoded
     * CloneSessionRequest; the session itself is not read, but its connection has to be, all the
     * while (orma_consumer_keep()). NULL: the session is read. */
    void (*on_snapshot)(void *ctx, struct orma_consumer *session, const struct orma_buf *request,
                        const char *trigger);
    unsigned snapshots_max; /* how many in all; 0: any number */
    void *ctx;
    /* With all of the service's that was written to out_fd, in its order; perhaps on another
     * thread, which has ended when orma_recorder_run() returns. Files that the service fills are
     * not followed. NULL: nobody listens. */
    void (*on_written)(void *ctx, const void *data, size_t len);
    void *written_ctx;

    /* Results. */
    uint64_t bytes;       /* of the trace */
    uint64_t duration_ns; /* from start to end */
    struct orma_ledger loss;
    bool has_loss;
    unsigned snapshots_skipped; /* that triggers asked for: too many at once */
    int child_code;             /* -1: the command was not run or has not ended */
    bool not_spawned;           /* the command was not started: there is nothing to keep */
    bool ended_by_itself;       /* the service ended it: time over, file full */
    bool reader_left;           /* nobody reads out_fd any more */
    /* Names of the data sources that took part, one a line; orma_buf_fini(). */
    struct orma_buf sources;
};

/* Did a data source of this name take part? */
bool orma_recorder_had_source(const struct orma_recorder *self, const char *name);

/*
 * 0: a trace was recorded (also when stopped by a signal). Negative errno:
 * failed, and a message was printed; what was written so far is whole packets.
 */
int orma_recorder_run(struct orma_recorder *self);

/* Blocks the signals that end a recording and gives the descriptor for signal_fd, or -errno with a
 * message of `program`. Before threads are started. */
int orma_recorder_signals(const char *program);
#endif
