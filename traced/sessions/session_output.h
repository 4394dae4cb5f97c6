/*
 * Where a session's packets go: into its file, from time to time and at its end,
 * or to the consumer, in batches that a thread compresses if the config wants that.
 * Threads: the service's loop; the threads are inside output/file.h.
 */
#ifndef ORMA_TRACED_SESSIONS_SESSION_OUTPUT_H
#define ORMA_TRACED_SESSIONS_SESSION_OUTPUT_H
#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "traced/loop/turn.h"
#include "traced/sessions/next_file.h"

struct traced_file;
struct traced_session;

/* Part of a session. */
struct traced_session_output {
    struct traced_file *file; /* NULL: not write_into_file, or closed */
    int error;                /* -errno of the file */
    bool into_file;           /* write_into_file: IPC readers get nothing */
    bool reading;             /* on its way into the file */
    bool orphan;              /* nobody waits for the file: the session is freed when it is done */
    bool finished;            /* the file was handed everything, and accepts no more blocks */
    uint64_t bytes;           /* that the file was handed */
    struct traced_output_count count;
    struct traced_next_file next;
    bool closing; /* the file is complete, but not the one before */
    struct event *write_timer;
    struct traced_work read_work; /* a batch for the file */
    /* The file is complete, or has failed with `error`; it is closed already. Set by the owner. */
    void (*done)(struct traced_session *session);

    struct traced_file *squeezer; /* compresses what the consumer reads; NULL: nobody does */
    bool squeezing, squeezed_more;
};

/* -ENOMEM: to be freed with fini all the same. */
int traced_session_output_init(struct traced_session *session,
                               void (*done)(struct traced_session *));
void traced_session_output_fini(struct traced_session *session);

/* As the config wants it: the file, with `fd` (-1: none) or a path, or the thread that compresses
 * for a consumer. Takes fd in any case. */
int traced_session_output_open(struct traced_session *session, int fd, struct orma_buf *error);
/* The same for a clone; a file begins with what is in the source's file. */
int traced_session_output_open_clone(struct traced_session *session,
                                     const struct traced_session *source, int fd);

uint32_t traced_session_output_write_period_ms(const struct traced_session *session);
bool traced_session_output_flushes_before_write(const struct traced_session *session);
/* The periodic writing begins, if there is a file. */
void traced_session_output_start_timer(struct traced_session *session);

/* Producers have handed over data: the writing begins where a buffer fills up. */
void traced_session_output_note_data(struct traced_session *session);
/* What there is now goes into the file, batch by batch. Nothing happens without one. */
void traced_session_output_start_writing(struct traced_session *session);
/* Hands the file as much of what is left as it accepts now. True: nothing is left. */
bool traced_session_output_write_rest(struct traced_session *session);

/* Reports that the session is over, and why if its file failed. */
void traced_session_output_report_end(struct traced_session *session);

enum traced_batch { TRACED_BATCH_READY, TRACED_BATCH_NONE, TRACED_BATCH_LATER };
/*
 * The next packets for a consumer, of about `size` bytes. LATER: they are being
 * compressed, and the event `readable` comes when they are there.
 */
enum traced_batch traced_session_output_read_batch(struct traced_session *session, size_t size,
                                                   struct orma_buf *ret, bool *ret_more);
#endif
