/*
 * What clients ask of the RPC, carried out on a thread of its own, one job after the
 * other in the order in which they came. So the loop that talks to the clients goes on
 * during a long query: it sees who leaves, and answers what needs no query.
 *
 *   loop                                   worker
 *   orma_jobs_add() ──── queue ──────────► job->run(job, rpc)
 *   orma_jobs_take() ◄── job->out ──────── orma_job_send(), waits while much is there
 *   orma_jobs_cancel() ── a flag ────────► orma_job_send() says false, the query is interrupted
 *
 * A job belongs to the loop until it is added, then to both; orma_jobs_take() gives it
 * back when it is done, orma_jobs_cancel() never does.
 *
 * Threads: one loop calls everything here but orma_job_send*(), which jobs call.
 */
#ifndef ORMA_PROCESSOR_SERVE_JOBS_H
#define ORMA_PROCESSOR_SERVE_JOBS_H
#include "processor/serve/rpc.h"

#define ORMA_JOBS_GIVE_WAY_MS 10000

struct orma_jobs;

struct orma_job {
    /* Set by whoever makes it. */
    void (*run)(struct orma_job *self, struct orma_rpc *rpc);
    struct orma_buf in;   /* the request; freed with the job */
    struct orma_str body; /* what of it the job is about */
    struct orma_rpc_stream stream;
    uint32_t method;
    struct orma_buf origin; /* that may read the answer; empty: none is named */
    bool favoured;          /* of whoever runs the server: before those of others */
    int direct_fd;          /* >= 0: output is written there, by the job, as long as it takes */
    /* Results, of the job until it is done. */
    bool close_after; /* the connection ends when all is sent */
    bool cut;         /* the answer could not be ended: the connection ends as it is */
    /* Of jobs.c, under its lock. */
    struct orma_jobs *jobs;
    struct orma_buf out;
    bool done, cancelled, blocked, gives_way;
    uint64_t since_ms; /* when it was added, then when it began to run */
    struct orma_job *next;
};

/* Empty, for `run`. NULL: out of memory. */
struct orma_job *orma_job_new(void (*run)(struct orma_job *self, struct orma_rpc *rpc));

/* One that was never added, or that orma_jobs_take() gave back. NULL is fine. */
void orma_job_free(struct orma_job *self);

/*
 * For jobs: more of the answer. Waits while the loop has not fetched what was sent before; false:
 * nobody wants it any more.
 */
bool orma_job_send(struct orma_job *self, const void *data, size_t len);

/* The same for several at once: nothing of the loop's own comes between them. */
bool orma_job_send_parts(struct orma_job *self, const struct orma_str *parts, size_t num);

/* Starts the thread. It inherits the signal mask. The RPC is the worker's until the end. */
int orma_jobs_new(struct orma_rpc *rpc, struct orma_jobs **ret);

/*
 * Cancels everything and waits for the thread, `wait_ms` at most. False: it does not end, in a
 * call that cannot be interrupted; then the jobs and the RPC must stay as they are.
 */
bool orma_jobs_stop(struct orma_jobs *self, unsigned wait_ms);

/* After orma_jobs_stop(). NULL is fine. */
void orma_jobs_free(struct orma_jobs *self);

/* Readable when a job has output, or is done; orma_jobs_woken() makes it unreadable. */
int orma_jobs_wake_fd(const struct orma_jobs *self);
void orma_jobs_woken(struct orma_jobs *self);

void orma_jobs_add(struct orma_jobs *self, struct orma_job *job);

/* It may run or wait already. */
void orma_jobs_favour(struct orma_jobs *self, struct orma_job *job);

/* Appends the output so far. True: the job is done, and the caller's again. */
bool orma_jobs_take(struct orma_jobs *self, struct orma_job *job, struct orma_buf *out);

/* Nobody waits for it any more. It ends soon, and is freed then. */
void orma_jobs_cancel(struct orma_jobs *self, struct orma_job *job);

/* A cancelled job may begin its query just then: call it now and then while jobs are busy. Also, a
 * job that is not favoured ends after ORMA_JOBS_GIVE_WAY_MS, if one that is waits for so long. */
void orma_jobs_tick(struct orma_jobs *self);

struct orma_jobs_state {
    bool busy;                /* something runs, or waits */
    bool waiting;             /* something waits behind what runs */
    struct orma_job *blocked; /* runs, and waits for orma_jobs_take(); NULL: does not */
};

struct orma_jobs_state orma_jobs_look(struct orma_jobs *self);

/* The answer to /status, as it was after the last job. */
void orma_jobs_status(struct orma_jobs *self, struct orma_buf *out);
#endif
