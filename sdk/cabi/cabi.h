/*
 * libperfetto_c.so, inside. Programs that were compiled for that library run on
 * our transport instead:
 *
 *   type      a kind of data source, or the track events; never freed
 *   slot      0..7 of a type: where an instance (its use by one session) is
 *   thread    a thread of the program that has come to a trace point
 *   tracer    what one thread writes into one instance: a writer, and the states
 *             that the program keeps there
 *   home      where instances come from: the service of the machine (system.c), or
 *             the one in this process (service.c)
 *   loop      the one thread of the library (loop.c); callbacks run there
 *
 * A tracer is its thread's alone: nobody else touches it, so a trace point takes
 * no lock. Instances are found by serial numbers, which never come again:
 *
 *   type.active    a bit for each slot whose instance has started
 *   slot.serial    of the instance there
 *   tracer.serial  of the instance that it was made for
 *
 * When an instance ends, its bit and its serial go; what a thread is writing then
 * goes on, into memory that the tracer holds a reference to. The services read
 * chunks that are being written, so nobody has to wait for the thread. The thread
 * frees such tracers at its next trace point, or when it ends.
 *
 * Signal handlers: `inside` makes a trace point in a handler do nothing if it has
 * interrupted one of the same thread; it is counted (orma_cabi_missed()). A handler
 * that has interrupted something else of ours finds the guard up (guard.h).
 *
 * Lock order: categories.lock, a slot's, g.lock, then a pool's. Callbacks of the
 * program are called with none of them but categories.lock.
 */
#ifndef ORMA_SDK_CABI_CABI_H
#define ORMA_SDK_CABI_CABI_H
#include <pthread.h>
#include <stdatomic.h>

#include "sdk/base/buf.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/base/list.h"
#include "sdk/base/str.h"
#include "sdk/cabi/abi.h"
#include "sdk/events/tsc.h"
#include "sdk/transport/producer.h"
#include "sdk/transport/writer_impl.h"

#define ORMA_CABI_TYPES 32u
#define ORMA_CABI_SLOTS 8u
/* The first type is that of track events. */
#define ORMA_CABI_TE 0u

struct pollfd;
struct orma_cabi_te;
struct orma_cabi_te_config;

/* ---- loop.c ---- */

/* Runs fn(arg) on the loop, after all that was posted before. Lost without memory: false. */
bool orma_cabi_post(void (*fn)(void *arg), void *arg);
bool orma_cabi_on_loop(void);
/* The loop should look. Any thread; neither blocks nor calls back. */
void orma_cabi_wake(void);
/* What has turns of its own on the loop; any may be NULL. */
struct orma_cabi_part {
    /* At each turn of the loop. Milliseconds until the next is wanted anyway; -1: no need. */
    int (*turn)(void);
    /* Fills in at most `max` descriptors to poll; with fds NULL it counts them. */
    size_t (*poll)(struct pollfd *fds, size_t max);
    void (*after_fork)(void); /* in a child */
};

/* Begins the loop, once; the parts are kept. `revival`: see orma_cabi_revive(). */
void orma_cabi_begin(const struct orma_cabi_part *parts, size_t num, void (*revival)(void));
bool orma_cabi_has_begun(void);
/* The same for calls of the program: in a child of fork() it begins anew first. */
bool orma_cabi_is_ready(void);
/* In a child of fork(): begins anew what the parent had begun. */
void orma_cabi_revive(void);

/* ---- instances ---- */

struct orma_cabi_instance;

/* Answers to the home; on the loop. */
struct orma_cabi_home_ops {
    void (*stopped)(void *ctx, uint64_t id);
    void (*flushed)(void *ctx, uint64_t id, uint64_t flush_id);
    /* fn(user), if any, when the home has all that was written so far. */
    void (*sync)(void (*fn)(void *user), void *user);
};

/* Who wants what an instance does. `life` differs for each connection, so that late answers go
 * nowhere. */
struct orma_cabi_home {
    const struct orma_cabi_home_ops *ops;
    void *ctx;
    const uint64_t *life;
    uint64_t my_life;
};

struct orma_cabi_slot {
    _Atomic uint64_t serial;             /* 0: no instance, or one that has stopped */
    _Atomic uint32_t clears;             /* counts requests to clear the incremental state */
    pthread_mutex_t lock;                /* recursive; the instance is not destroyed meanwhile */
    struct orma_cabi_instance *instance; /* changes with both locks */
};

struct orma_cabi_type {
    orma_cabi_flag enabled;
    _Atomic uint32_t active;
    uint32_t idx;
    struct orma_cabi_slot slots[ORMA_CABI_SLOTS];

    orma_cabi_setup_fn on_setup;
    orma_cabi_event_fn on_start, on_stop, on_flush;
    orma_cabi_destroy_fn on_destroy;
    orma_cabi_create_fn create_tls, create_incr;
    orma_cabi_delete_fn delete_tls, delete_incr;
    orma_cabi_clear_fn clear_incr;
    void *user;
    enum orma_policy policy;
    bool policy_by_config;
    bool registered;

    /* The loop's, once registered: */
    char *name;
    struct orma_buf descriptor; /* further fields, for the service */
    bool notify_stop;
    struct orma_ds ds;
};

struct orma_cabi_instance {
    struct orma_cabi_type *type;
    uint32_t slot;
    uint64_t serial;
    struct orma_cabi_home home;
    uint64_t id;
    struct orma_pool *pool;
    uint32_t target_buffer;
    enum orma_policy policy;
    void *ctx;
    struct orma_buf config;
    struct orma_cabi_te_config *te; /* of track events */
    bool stopping;
};

/* state.c */

/* Makes its locks. */
void orma_cabi_type_init(struct orma_cabi_type *type);
void orma_cabi_state_after_fork(void);
struct orma_cabi_type *orma_cabi_type_at(uint32_t idx); /* NULL: none */
struct orma_cabi_type *orma_cabi_type_named(struct orma_str name, uint32_t from);

/* types.c */
void orma_cabi_type_describe(struct orma_cabi_type *type, struct orma_str descriptor);
int orma_cabi_type_add(struct orma_cabi_type *type, struct orma_str descriptor);

/* instances.c; all on the loop. */
struct orma_cabi_instance *orma_cabi_instance_new(struct orma_cabi_type *type,
                                                  const struct orma_cabi_home *home, uint64_t id,
                                                  struct orma_str config, struct orma_pool *pool,
                                                  uint32_t target_buffer);
void orma_cabi_instance_start(struct orma_cabi_instance *self);
/* Then home.stopped() comes, now or when the program says so. */
void orma_cabi_instance_stop(struct orma_cabi_instance *self);
/* Then home.flushed(). */
void orma_cabi_instance_flush(struct orma_cabi_instance *self, uint64_t flush_id);
void orma_cabi_instance_clear(struct orma_cabi_instance *self);

/* ---- tracers: threads.c, packet.c ---- */

/* What a stream writes into: the first member of its `impl`. */
enum orma_cabi_sink { ORMA_CABI_HEAP, ORMA_CABI_TRACER };

struct orma_cabi_patch;

struct orma_cabi_tracer {
    enum orma_cabi_sink sink;
    struct orma_writer *writer;
    uint64_t serial;
    struct orma_cabi_type *type;
    uint32_t slot;
    uint32_t clears; /* of the slot, when the incremental state was made */
    struct orma_cabi_tracer *next;
    void *tls, *incr;
    struct orma_cabi_te *te; /* of track events */
    struct orma_cabi_home home;

    /* The packet in the making: packet.c. */
    bool in_packet, spans, lost;
    bool orphan; /* the parent's, in a child of fork(): nothing is kept */
    uint8_t *size_at;
    struct orma_cabi_patch *patches, **patches_end;
    uint8_t *scratch; /* where lost packets go */
};

struct orma_cabi_thread {
    bool inside;
    uint32_t swept; /* of orma_cabi.ended */
    struct orma_tsc_anchor clock;
    struct orma_buf event, interned; /* scratch */
    struct orma_cabi_tracer *list;
    int32_t tid;
    _Atomic(struct orma_cabi_tracer *) tracers[ORMA_CABI_TYPES][ORMA_CABI_SLOTS];
};

struct orma_cabi_globals {
    pthread_mutex_t lock;
    struct orma_cabi_type *types[ORMA_CABI_TYPES];
    uint32_t types_num;
    uint64_t last_serial;
    _Atomic uint32_t ended;  /* counts instances that have ended */
    _Atomic uint64_t missed; /* events inside of trace points */
};
extern struct orma_cabi_globals orma_cabi;
extern __thread struct orma_cabi_thread *orma_cabi_self __attribute__((tls_model("initial-exec")));

/* The calling thread, registered. NULL: no memory, or a handler came at a bad moment. */
struct orma_cabi_thread *orma_cabi_thread_new(void);
/* Frees tracers of instances that have ended. */
void orma_cabi_thread_sweep(struct orma_cabi_thread *self);
/* The tracer of a slot, made if there is none. NULL: the instance has ended, or no memory. */
struct orma_cabi_tracer *orma_cabi_tracer_make(struct orma_cabi_thread *self,
                                               struct orma_cabi_type *type, uint32_t slot);
void orma_cabi_tracer_begin_packet(struct orma_cabi_tracer *self, struct orma_cabi_stream *ret);
void orma_cabi_tracer_next_chunk(struct orma_cabi_tracer *self, struct orma_cabi_stream *w);
uint8_t *orma_cabi_tracer_patch(struct orma_cabi_tracer *self, uint8_t *at);
void orma_cabi_tracer_fini_packet(struct orma_cabi_tracer *self);
void orma_cabi_tracer_flush(struct orma_cabi_tracer *self, void (*fn)(void *user), void *user);
void orma_cabi_missed(void);
/* The program ends: what the calling thread wrote is complete. Later events begin anew. */
void orma_cabi_thread_at_exit(void);
void orma_cabi_threads_after_fork(void);

/* Enters a trace point. NULL: this thread is inside one, or there is no memory. */
static inline struct orma_cabi_thread *orma_cabi_enter(void)
{
    (void)orma_fork_check(); /* then there is no thread */
    struct orma_cabi_thread *self = orma_cabi_self;

    if (ORMA_UNLIKELY(!self) && !(self = orma_cabi_thread_new()))
        return NULL;
    if (ORMA_UNLIKELY(self->inside)) {
        orma_cabi_missed();
        return NULL;
    }
    self->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    /* Relaxed: a thread that sees it late sweeps at its next trace point. */
    if (ORMA_UNLIKELY(self->swept != atomic_load_explicit(&orma_cabi.ended, memory_order_relaxed)))
        orma_cabi_thread_sweep(self);
    return self;
}

static inline void orma_cabi_leave(struct orma_cabi_thread *self)
{
    atomic_signal_fence(memory_order_seq_cst);
    self->inside = false;
}

static inline struct orma_cabi_tracer *
orma_cabi_tracer_of(struct orma_cabi_thread *self, struct orma_cabi_type *type, uint32_t slot)
{
    struct orma_cabi_tracer *t =
        atomic_load_explicit(&self->tracers[type->idx][slot], memory_order_relaxed);

    /* Relaxed: only whether it is still the same number. */
    if (ORMA_LIKELY(t && t->serial ==
                             atomic_load_explicit(&type->slots[slot].serial, memory_order_relaxed)))
        return t;
    return orma_cabi_tracer_make(self, type, slot);
}

/* ---- homes: system.c, service.c; all on the loop, but for begin ---- */

struct orma_cabi_args {
    uint32_t shm_kb;
    uint32_t machine_id;
};

void orma_cabi_system_begin(const struct orma_cabi_args *args);
void orma_cabi_system_add(struct orma_cabi_type *type);
void orma_cabi_system_update(struct orma_cabi_type *type);
void orma_cabi_system_trigger(const char *names, size_t len, uint64_t until_ns);
size_t orma_cabi_system_poll(struct pollfd *fds, size_t max);
int orma_cabi_system_turn(void);
/* Sends what there is, with the counts of all writers. */
void orma_cabi_system_report(void);
void orma_cabi_system_after_fork(void);

void orma_cabi_service_begin(const struct orma_cabi_args *args);
void orma_cabi_service_add(struct orma_cabi_type *type);
void orma_cabi_service_trigger(const char *names, size_t len, uint64_t until_ns);
int orma_cabi_service_turn(void);
void orma_cabi_service_after_fork(void);

/* ---- sessions: session.c; what each kind does, on the loop ---- */

struct orma_cabi_session;

struct orma_cabi_session_ops {
    int (*setup)(struct orma_cabi_session *s); /* a deferred one is created */
    void (*start)(struct orma_cabi_session *s);
    void (*stop)(struct orma_cabi_session *s);
    void (*flush)(struct orma_cabi_session *s, uint32_t timeout_ms, void *request);
    void (*read)(struct orma_cabi_session *s);
    void (*free)(struct orma_cabi_session *s);
};

enum orma_cabi_phase { ORMA_CABI_NEW, ORMA_CABI_STARTING, ORMA_CABI_RUNNING, ORMA_CABI_ENDED };

struct orma_cabi_session {
    const struct orma_cabi_session_ops *ops;
    void *impl;
    uint32_t life; /* orma_fork_generation() */
    struct orma_buf config;
    bool has_config, deferred;
    enum orma_cabi_phase phase;
    bool stop_wanted;
    orma_cabi_stop_fn on_stop;
    void *on_stop_user;
    bool told;                                      /* of its end, since the callback was set */
    struct orma_list starts, stops, flushes, reads; /* of those who wait: session.c */
    orma_cabi_read_fn read_fn;                      /* of the read under way */
    struct orma_buf pieces;
};

void *orma_cabi_session_new(const struct orma_cabi_session_ops *ops);

/* What a kind reports. */
void orma_cabi_session_started(struct orma_cabi_session *s);
void orma_cabi_session_ended(struct orma_cabi_session *s);
void orma_cabi_session_flushed(struct orma_cabi_session *s, void *request, bool ok);
/* A whole packet of the read under way, as a field of Trace; then once read_done. */
void orma_cabi_session_packet(struct orma_cabi_session *s, const void *packet, size_t len);
void orma_cabi_session_read_done(struct orma_cabi_session *s);

extern const struct orma_cabi_session_ops orma_cabi_service_session;
extern const struct orma_cabi_session_ops orma_cabi_system_session;
size_t orma_cabi_system_sessions_poll(struct pollfd *fds, size_t max);
int orma_cabi_system_sessions_turn(void);
void orma_cabi_system_sessions_after_fork(void);
void orma_cabi_sessions_after_fork(void);

/* ---- track events: category.c, te_config.c, te_source.c; more in te.h ---- */

struct orma_cabi_category {
    const struct orma_cabi_category_desc *desc; /* the program's; NULL: any */
    uint64_t iid;
    orma_cabi_flag enabled;
    _Atomic uint32_t bits;
    orma_cabi_category_fn fn;
    void *user;
    struct orma_cabi_category *next;
};

/* With references, so that tracers of instances that have ended still have it. */
struct orma_cabi_te_config *orma_cabi_te_config_new(struct orma_str config);
struct orma_cabi_te_config *orma_cabi_te_config_ref(struct orma_cabi_te_config *self);
void orma_cabi_te_config_unref(struct orma_cabi_te_config *self);
bool orma_cabi_te_config_wants(const struct orma_cabi_te_config *self,
                               const struct orma_cabi_category_desc *desc);
void orma_cabi_categories_start(struct orma_cabi_instance *inst);
void orma_cabi_categories_stop(struct orma_cabi_type *type, uint32_t slot);
void orma_cabi_categories_each(void (*fn)(void *ctx, const struct orma_cabi_category_desc *desc),
                               void *ctx);
void orma_cabi_categories_after_fork(void);
void orma_cabi_categories_revive(void);
/* te_source.c */
void orma_cabi_te_revive(void);
#endif
