/*
 * The inside of a producer: producer.c makes and ends the connection, commands.c
 * does what the service asks for; both send, and use the shared memory, by way of
 * producer_link.c.
 */
#ifndef ORMA_SDK_TRANSPORT_PRODUCER_IMPL_H
#define ORMA_SDK_TRANSPORT_PRODUCER_IMPL_H
#include <pthread.h>

#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "sdk/base/list.h"
#include "sdk/ipc/client.h"
#include "sdk/transport/commit.h"
#include "sdk/transport/pool.h"
#include "sdk/transport/producer.h"

#define ORMA_PRODUCER_SOURCES_MAX 64u

struct orma_producer {
    char *name;
    char *addr; /* NULL: the usual one */
    struct orma_producer_config config;
    /* A pipe: whoever writes knows by its number in the file system that it is ours. */
    int wakeup_fd, wakeup_in;
    struct orma_fd_id wakeup_id;

    const struct orma_ds *sources[ORMA_PRODUCER_SOURCES_MAX];
    size_t sources_num;
    struct orma_list instances; /* commands.c */
    size_t instances_num;
    struct orma_buf waits;           /* commands.c: flushes that are not finished */
    uint64_t flush_last;             /* latest flush begun */
    uint64_t flush_acked;            /* latest flush answered */
    uint64_t commit_due_ns;          /* 0: nothing waits */
    struct orma_committer committer; /* its ipc and pool are those of the connection */

    struct orma_ipc_client *ipc; /* NULL: not connected */
    bool introduced, initialised, emulated;
    int error; /* of a send within a callback */

    pthread_mutex_t pool_lock; /* of `pool`: writers are made by any thread */
    struct orma_pool *pool;
};

/* The pool of the present connection, referenced for the caller; NULL while there is none. Any
 * thread. */
struct orma_pool *orma_producer_ref_pool(struct orma_producer *self);

/* ---- producer_link.c ---- */

/* The pipe of orma_producer_wakeup(), made when there is none, and again when the program closed
 * it. 0 or -errno. */
int orma_producer_renew_wakeup(struct orma_producer *self);
void orma_producer_end_wakeup(struct orma_producer *self);
/* Takes what woke us. */
void orma_producer_drain_wakeup(const struct orma_producer *self);
/* A failure that ends the connection when the present dispatch is over. 0 is none. */
void orma_producer_note_error(struct orma_producer *self, int r);
/* Sends a request; `args` may be NULL, `fn` too. Failures are noted. */
void orma_producer_invoke(struct orma_producer *self, const char *method,
                          const struct orma_buf *args, orma_ipc_reply_fn fn);
/* Sends all that is listed. */
void orma_producer_commit(struct orma_producer *self);
/* fd -1: private memory, whose chunks travel as bytes. */
int orma_producer_map_pool(struct orma_producer *self, int fd, uint32_t page_size);
/* Closes the pool of before; NULL: there is none from now on. */
void orma_producer_set_pool(struct orma_producer *self, struct orma_pool *pool);

/* ---- commands.c, for producer.c ---- */

/* Reply to GetAsyncCommand; `ctx` is the producer. */
void orma_producer_on_command(void *ctx, bool success, bool has_more, struct orma_str reply);
/* Calls stop for every instance that runs; those that answer later stay. */
void orma_producer_stop_all(struct orma_producer *self);
/* Forgets all instances and flushes; stop was called. */
void orma_producer_forget_all(struct orma_producer *self);
#endif
