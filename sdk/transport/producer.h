/*
 * Producer: connection of this process to the service, its data sources and
 * its shared memory.
 *
 * No thread and no loop of its own. The owner polls orma_producer_fd() and
 * orma_producer_wakeup_fd() for reading and calls orma_producer_dispatch();
 * all callbacks run inside that call, on that thread ("the loop thread").
 * thread.h offers a ready-made thread for those who have no loop.
 *
 * Life of the connection:
 *
 *   NEW --connect--> CONNECTED (bind, initialise, register) --dispatch error--> NEW
 *
 * When the connection breaks, every instance is stopped (stop callback), the
 * writers of that connection are detached (their packets are dropped and
 * counted) and the owner may connect again whenever it likes.
 *
 * Life of an instance: setup -> start -> [flush, clear]* -> stop.
 *
 * Threads: all calls from the loop thread, but for writers (writer.h) and
 * orma_producer_wakeup().
 */
#ifndef ORMA_SDK_TRANSPORT_PRODUCER_H
#define ORMA_SDK_TRANSPORT_PRODUCER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

struct orma_producer;

/* One running use of a data source by one session. Owned by the producer, valid from setup to stop.
 */
struct orma_ds_instance {
    uint64_t id;
    uint32_t target_buffer; /* for orma_writer_new() */
    struct orma_str config; /* DataSourceConfig as it came, unknown fields included */
    void *user;             /* the data source's own */
};

/* Any may be NULL. `ctx` is that of the data source. */
struct orma_ds_ops {
    void (*setup)(void *ctx, struct orma_ds_instance *inst);
    /* Answer with orma_producer_started() if will_notify_on_start; may be later. */
    void (*start)(void *ctx, struct orma_ds_instance *inst);
    /* Last chance to write. Answer with orma_producer_stopped() if will_notify_on_stop; may be
     * later: the instance stays valid until then. Without the flag, and when the connection
     * broke (then orma_producer_is_connected() is false), it ends when this returns. */
    void (*stop)(void *ctx, struct orma_ds_instance *inst);
    /* Write what is held back, flush the writers, then orma_producer_flushed(); may be later. */
    void (*flush)(void *ctx, struct orma_ds_instance *inst, uint64_t flush_id);
    /* Forget the incremental state: the next packet starts from scratch. */
    void (*clear)(void *ctx, struct orma_ds_instance *inst);
};

/* Name and flags as registered with the service. Must outlive the producer. */
struct orma_ds {
    const char *name;
    const struct orma_ds_ops *ops;
    void *ctx;
    bool will_notify_on_start;
    bool will_notify_on_stop;
    bool handles_incremental_state_clear;
    bool no_flush;
    /* Further fields of the DataSourceDescriptor, encoded; may be empty. */
    struct orma_str descriptor;
};

struct orma_producer_config {
    const char *name;             /* "perfetto.traced_probes", a process name ... */
    const char *addr;             /* NULL: orma_sock_producer_addr() at each connect */
    uint32_t shm_size_hint_bytes; /* 0: the service's default */
    uint32_t shm_page_hint_bytes; /* 0: the service's default */
    bool smb_scraping;            /* may the service read chunks that are being written? */
    uint32_t commit_delay_ms;     /* 0: a commit at the next turn of the loop */
    bool queues; /* sending never waits: poll for writing, too, see orma_producer_wants_write() */
};

/* `config` is copied, its strings too. -ENOMEM, -errno of the wake-up descriptor. */
int orma_producer_new(const struct orma_producer_config *config, struct orma_producer **ret);
void orma_producer_free(struct orma_producer *self);
ORMA_DEFINE_AUTO(struct orma_producer *, orma_producer_free)

/* Registers with the service now (if connected) and after each connect. -ENOSPC: too many. */
int orma_producer_add(struct orma_producer *self, const struct orma_ds *ds);

/* Tells the service that ds->descriptor has changed. */
void orma_producer_update(struct orma_producer *self, const struct orma_ds *ds);

/* Connects and sends the introduction; replies are handled by dispatch. -errno: try again later. */
int orma_producer_connect(struct orma_producer *self);
bool orma_producer_is_connected(const struct orma_producer *self);

/* -1 while not connected. */
int orma_producer_fd(const struct orma_producer *self);
/* Is it to be polled for writing? Then dispatch goes on sending. */
bool orma_producer_wants_write(const struct orma_producer *self);
/* Readable when writers have something to commit. -1: the program closed it, and there is no other
 * yet. Dispatch may change it. */
int orma_producer_wakeup_fd(const struct orma_producer *self);

/*
 * Handles everything that came, then sends what is to be committed. 0, or
 * -errno: the connection is over, all instances are stopped.
 */
int orma_producer_dispatch(struct orma_producer *self);

/* Milliseconds until dispatch is wanted although nothing came: for batched commits, and for a look
 * at whether the pipe is still ours. */
int orma_producer_timeout_ms(const struct orma_producer *self);

/* In a child of fork(): closes the descriptors, which are the parent's, and puts memory of its own over
 * the shared memory; nothing else is touched. */
void orma_producer_abandon(struct orma_producer *self);

/* Waits until the service has processed everything sent so far. -ETIMEDOUT, or the connection's
 * error. */
int orma_producer_sync(struct orma_producer *self, int timeout_ms);

/* The loop should look. From any thread. */
void orma_producer_wakeup(struct orma_producer *self);

/* Answers of data sources, see struct orma_ds_ops. Unknown ids are ignored. */
void orma_producer_started(struct orma_producer *self, uint64_t instance_id);
void orma_producer_stopped(struct orma_producer *self, uint64_t instance_id);
void orma_producer_flushed(struct orma_producer *self, uint64_t instance_id, uint64_t flush_id);

/* Names of triggers to fire. -EAGAIN: not connected. */
int orma_producer_trigger(struct orma_producer *self, const char *const *names, size_t num);
#endif
