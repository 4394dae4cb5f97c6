/*
 * A tracing session: one config, its central buffers, and the data sources
 * that write into them.
 *
 *                    deferred_start                    all stopped, or timeout
 *   (enable) ──► CONFIGURED ──start──► STARTED ──disable──► STOPPING ──► DISABLED ──► (free)
 *                    │                                                      ▲
 *                    └───────────────────────disable────────────────────────┘
 *   Between STOPPING and DISABLED is a round of gather.h: what producers have
 *   handed over is read, whatever became of them.
 *   (clone) ──► CLONED ──► (free)          made by clone.c; read only
 *
 * Owned by the service, used by at most one consumer; a session whose consumer
 * goes away is freed, unless it was detached. Buffers stay readable until the
 * session is freed.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_SESSION_H
#define ORMA_TRACED_SESSIONS_SESSION_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"
#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "traced/buffers/buffer.h"
#include "traced/config/config.h"
#include "traced/sessions/gather.h"
#include "traced/sessions/snapshot.h"

struct traced_consumer;
struct traced_data_source;
struct traced_file;
struct traced_producer;
struct traced_service;
struct traced_session;
struct traced_entry_config;
struct traced_instance_config;
struct traced_wanted;

enum traced_session_state {
    TRACED_CONFIGURED,
    TRACED_STARTED,
    TRACED_STOPPING, /* waits for producers to confirm that they stopped */
    TRACED_DISABLED,
    TRACED_CLONED,
};

enum traced_instance_state {
    TRACED_INSTANCE_CONFIGURED,
    TRACED_INSTANCE_STARTING,
    TRACED_INSTANCE_STARTED,
    TRACED_INSTANCE_STOPPING,
    TRACED_INSTANCE_STOPPED,
};

/* One data source of one producer at work for one session. */
struct traced_instance {
    struct orma_list session_link, producer_link;
    struct traced_session *session;
    struct traced_producer *producer;
    uint64_t id;
    enum traced_instance_state state;
    uint64_t ds_serial;
    uint32_t entry;                        /* of the config's data_sources */
    uint32_t target;                       /* buffer of the config */
    const char *name;                      /* of the data source; the session's config has it */
    struct traced_instance_config *config; /* as the producer gets it; a reference */
    bool will_notify_on_start, will_notify_on_stop;
    bool handles_incremental_state_clear, no_flush;
};

struct traced_session_buffer {
    struct traced_session *session;
    struct traced_buffer *buf;
    uint32_t index; /* in the config */
    uint16_t id;    /* what producers know it by */
};

enum traced_flush_outcome { TRACED_FLUSH_NONE, TRACED_FLUSH_OK, TRACED_FLUSH_FAILED };

/* Whom a flush asks: those who write into buffers that a clone takes away, or stay, or all. */
enum traced_flush_scope { TRACED_FLUSH_ALL, TRACED_FLUSH_TRANSFER, TRACED_FLUSH_STAY };

/* `ok`: all producers answered in time. Called once, also when the session is freed before. */
typedef void (*traced_flush_fn)(struct traced_session *session, bool ok, void *ctx);

/* The trigger that the consumer made a clone for. */
struct traced_clone_trigger {
    bool present;
    uint64_t ts;
    char *name, *producer_name; /* owned */
    int32_t producer_uid;
    uint64_t stop_delay_ms;
};

struct traced_session {
    struct orma_list link; /* traced_service.sessions */
    struct traced_service *service;
    struct traced_consumer *consumer; /* NULL: detached, or on its way out */
    char *detach_key;                 /* NULL: not detached */
    uint64_t id;
    int32_t uid; /* of the consumer */
    enum traced_session_state state;
    enum traced_trigger_mode mode;
    bool freeing;                 /* flushes that end now, end for that reason */
    struct orma_buf config_bytes; /* TraceConfig as it goes into the trace */
    Perfetto__Protos__TraceConfig *config;
    struct traced_session_buffer *buffers;
    size_t buffers_num;
    struct traced_wanted *wanted; /* the config, arranged for looking up; NULL: a clone */
    struct traced_entry_config
        *entry_configs;                  /* by entry, once they are asked for; NULL: not yet */
    struct orma_map at_work;             /* data source and entry -> instance, see instance.c */
    struct traced_data_source *sweep_at; /* the next to be matched; NULL: all have been */
    struct traced_work sweep;
    bool warned_config, warned_patterns;
    struct orma_list instances; /* traced_instance.session_link */
    struct traced_gather gather;
    struct traced_gather_wait end; /* in state STOPPING: waits for nothing else any more */
    struct orma_list flushes;      /* flush.link, see flush.c */
    size_t flushes_num;
    struct orma_list triggers; /* traced_trigger.link, in the order of arrival */
    size_t triggers_num;
    uint32_t duration_ms; /* as producers are told; with stop triggers their timeout */
    bool all_started_told;
    bool all_started_observed; /* a consumer was told, and is not told again */
    uint64_t start_realtime_ns;
    int64_t uuid_msb, uuid_lsb;

    int duration_fd; /* timerfd that goes on while the machine sleeps; -1: an ordinary timer */
    struct event *duration_timer, *stop_timer, *snapshot_timer, *flush_timer, *clear_timer,
        *write_timer, *slow_start_timer;
    struct traced_work read_work; /* a batch for the file */
    struct traced_file *file;     /* NULL: not write_into_file, or closed */
    struct traced_file *squeezer; /* compresses what the consumer reads; NULL: nobody does */
    bool squeezing, squeezed_more;
    bool into_file;   /* write_into_file: IPC readers get nothing */
    bool reading;     /* on its way into the file */
    bool orphan;      /* to be freed when the file is complete */
    int file_error;   /* -errno */
    bool rest_queued; /* finish.c: the file was handed everything */
    /* Of a clone: why it was made, and a reply that waits for its file. */
    struct traced_clone_trigger trigger;
    bool clone_reply_due;
    uint64_t clone_request_id;
    uint64_t file_bytes;

    struct orma_buf concurrent; /* packets about other sessions, if the config wants them */
    struct traced_snapshots snapshots;
    struct orma_map machines_told; /* machine id -> enum of what read.c has told about it */
    struct orma_map sequence_ids;  /* producer << 16 | writer -> sequence id */
    uint32_t last_sequence_id;
    bool head_emitted; /* config, uuid, provenance, system info */
    bool initial_snapshot_emitted;
    bool stats_due, sync_marker_due;
    uint64_t flushes_requested, flushes_succeeded, flushes_failed;
    enum traced_flush_outcome final_flush;
    size_t read_buffer; /* buffer at which the current pass is */
    bool in_pass;
    bool last_pass; /* it began after the end of the session: nothing comes behind it */
};

/*
 * Checks the config and makes a session in state CONFIGURED, or STARTED. The
 * bytes are copied. `file_fd` (-1: none) is taken in any case. On failure
 * `error` says why, in the words that clients know.
 */
int traced_session_new(struct traced_service *service, struct traced_consumer *consumer,
                       struct orma_str config, int file_fd, struct traced_session **ret,
                       struct orma_buf *error);
void traced_session_free(struct traced_session *self);
/*
 * A read-only session with what the source has besides its buffers, and these.
 * Takes the buffers and fd (-1: none) in any case. -ENOMEM, -errno of the file.
 */
int traced_session_clone(struct traced_session *source, struct traced_consumer *consumer,
                         struct traced_buffer **buffers, int fd, struct traced_session **ret);
/* The consumer is done with it: freed now, or when its file is complete. */
void traced_session_release(struct traced_session *self);

void traced_session_start(struct traced_session *self);
/* How long it is to run, also in the config that goes into the trace. */
void traced_session_set_duration(struct traced_session *self, uint32_t ms);
/* Producers that are named by a filter of `config` and were not before. -EBADMSG, -ENOMEM. */
int traced_session_change_config(struct traced_session *self, struct orma_str config);
/* Stops the data sources; ends in DISABLED at once, or when they have confirmed. */
void traced_session_disable(struct traced_session *self);

/*
 * Sets up the data source for those entries of the config that want it and do not
 * have it yet, and starts what is set up if the session has started.
 */
void traced_session_match(struct traced_session *self, struct traced_data_source *ds);
/*
 * The same with all data sources that there are, in slices of the loop's turns;
 * the first slice at once if nobody waits. New ones need not be matched while sweep_at is set.
 */
void traced_session_begin_sweep(struct traced_session *self);
void traced_session_source_gone(struct traced_session *self, const struct traced_data_source *ds);
/* What producers are sent is encoded again: the config, or what the service puts in, is another. */
void traced_session_forget_configs(struct traced_session *self);
/* After a change of an instance: all started? all stopped? */
void traced_session_instance_started(struct traced_instance *instance);
void traced_session_instance_stopped(struct traced_instance *instance);
/* Its producer is gone, or has taken the data source back. */
void traced_instance_free(struct traced_instance *instance);
void traced_instance_start(struct traced_instance *instance);
void traced_instance_stop(struct traced_instance *instance);
/* Called by instance.c: has the last one been waited for? */
void traced_session_check_started(struct traced_session *self);
void traced_session_check_stopped(struct traced_session *self);

/* Will it be DISABLED within a few turns of the loop? Who reads waits for that. */
bool traced_session_is_ending(const struct traced_session *self);

uint32_t traced_session_stop_timeout_ms(const struct traced_session *self);
/* Remembers the clocks for the next read, unless the config does not want that. */
void traced_session_snapshot_clocks(struct traced_session *self);

enum traced_batch { TRACED_BATCH_READY, TRACED_BATCH_NONE, TRACED_BATCH_LATER };
/*
 * The next packets for a consumer, of about `size` bytes. LATER: they are being
 * compressed, and traced_consumer_pump() is called when they are there.
 */
enum traced_batch traced_session_read_batch(struct traced_session *self, size_t size,
                                            struct orma_buf *ret, bool *ret_more);

/* The file is complete, or could not be written (error: negative errno). From file.c's callback. */
void traced_session_file_done(struct traced_session *self, int error);
/* Tells the consumer that the session is over, and why if it failed. */
void traced_session_tell_end(struct traced_session *self);

/* flush.c */
void traced_session_flush(struct traced_session *self, enum traced_flush_scope scope,
                          uint32_t timeout_ms, uint64_t flags, traced_flush_fn fn, void *ctx);
/* All flushes up to this id are done for this producer. */
void traced_flush_ack(struct traced_producer *producer, uint64_t id);
void traced_flush_producer_gone(struct traced_producer *producer);
void traced_flush_cancel_all(struct traced_session *self);

/* Identity of a new sequence: its id and the trusted fields. */
void traced_session_name_seq(struct traced_session *self, struct traced_producer *producer,
                             struct traced_seq *seq);

/* Flags of a flush: reason and who asked. */
#define TRACED_FLUSH_PERIODIC (1u | 1u << 4)
#define TRACED_FLUSH_STOP (2u | 1u << 4)
#define TRACED_FLUSH_CLONE (3u | 1u << 4)
#endif
