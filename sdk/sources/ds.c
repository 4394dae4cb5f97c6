/*
 * How a thread finds its writers:
 *
 *   source.enabled   one bit per session that runs, in its slot 0..15
 *   impl.serials[]   by slot: the number of the session there, never given twice
 *   refs             of the thread: (serial, writer), for all sessions it has met
 *
 * A turn takes the next bit, reads the serial of its slot, and looks for it in
 * `refs`; only a thread's first turn in a session takes g.lock, to adopt a writer
 * whose thread is gone or to make one. Then the writer's own lock is held until the
 * turn ends. Serials instead of pointers: a session that ended meanwhile is not
 * found, whatever is in its slot now.
 *
 * A session ends in this order: its bit and serial go (no new turn), then each
 * writer is locked (the last turn is over), freed, and marked `over`; threads drop
 * their refs to such writers at their next turn. A ds_writer has two references, the
 * thread's and the session's; the last one frees it.
 */
#include "sdk/sources/ds.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "orma/tracing.h"
#include "protos/fields/config.h"
#include "sdk/base/assert.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/sources/packet.h"
#include "sdk/wire/pb_reader.h"

#define SOURCES_MAX 64u
/* A thread that stays in a turn for so long is left alone. */
#define TURN_MS 2000u
#define TURN_NAP_NS 50000
/* Alone in a source's word, in a child process: the first turn begins tracing anew (fork.h). */
#define WAKE_BIT (UINT32_C(1) << 30)

/* What one thread writes into one session. */
struct ds_writer {
    pthread_mutex_t lock;
    /* Under g.lock: */
    struct orma_list link; /* session.writers */
    unsigned refs;         /* the thread's, the session's */
    bool idle;             /* its thread is gone; another may go on with it */

    _Atomic bool over; /* its thread may forget it */
    /* Under `lock`: */
    struct orma_writer *writer; /* NULL: the session is over */
    struct orma_ds_session *session;
    bool fresh;
    struct orma_packet packet;
};

/* The thread's side of it. */
struct ds_ref {
    struct ds_ref *next;
    uint64_t serial; /* of the session: never given twice */
    struct ds_writer *writer;
};

struct orma_ds_session {
    struct orma_data_source *source;
    uint64_t serial;
    uint32_t life; /* orma_fork_generation() */
    uint64_t home_id;
    uint32_t slot;
    struct orma_ds_home home;
    struct orma_buf config;
    struct orma_pool *pool;
    uint32_t target_buffer;
    enum orma_policy policy;
    void *state;
    struct orma_list writers; /* ds_writer.link; under g.lock */
    bool deferred;            /* by on_stop */
};

/* source->impl */
struct source_impl {
    _Atomic uint64_t serials[ORMA_DS_SLOTS];
    struct orma_ds_session *sessions[ORMA_DS_SLOTS]; /* under g.lock */
};

static struct {
    pthread_mutex_t lock;
    struct orma_data_source *sources[SOURCES_MAX];
    size_t sources_num;
    uint64_t last_serial;
    void (*listener)(void);
    pthread_key_t key;
    bool has_key;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct ds_ref *refs __attribute__((tls_model("initial-exec")));

/* ---- threads ---- */

/* With g.lock. */
static void unref_writer(struct ds_writer *w)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&g.lock) && w->refs > 0);
    if (--w->refs)
        return;
    pthread_mutex_destroy(&w->lock);
    free(w);
}

static void thread_gone(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&g.lock);
    for (struct ds_ref *r = refs, *next; r; r = next) {
        next = r->next;
        r->writer->idle = true;
        unref_writer(r->writer);
        free(r);
    }
    refs = NULL;
    pthread_mutex_unlock(&g.lock);
}

/* As in te_session.c. */
__attribute__((destructor)) static void forget_key(void)
{
    if (g.has_key)
        (void)pthread_key_delete(g.key);
    g.has_key = false;
}

static void after_fork(void)
{
    g.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    g.listener = NULL;
    refs = NULL;
    if (g.has_key)
        (void)pthread_setspecific(g.key, NULL);
    for (size_t i = 0; i < g.sources_num; i++) {
        struct source_impl *impl = g.sources[i]->impl;

        memset(impl, 0, sizeof(*impl));
        __atomic_store_n(&g.sources[i]->enabled, 0, __ATOMIC_RELAXED);
    }
}

void orma_ds_watch_forks(void)
{
    orma_fork_watch(NULL, NULL, after_fork);
}

static void make_key(void)
{
    g.has_key = pthread_key_create(&g.key, thread_gone) == 0; /* else thread ends go unnoticed */
    orma_ds_watch_forks();
}

static void init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_key);
}

/* ---- sources ---- */

int orma_data_source_register(struct orma_data_source *source)
{
    ORMA_HUSHED;
    struct source_impl *impl = calloc(1, sizeof(*impl));
    int r = 0;

    if (!impl)
        return -ENOMEM;
    init();
    pthread_mutex_lock(&g.lock);
    if (g.sources_num == SOURCES_MAX) {
        r = -ENOSPC;
        free(impl);
    } else {
        source->impl = impl;
        g.sources[g.sources_num++] = source;
        if (g.listener)
            g.listener();
    }
    pthread_mutex_unlock(&g.lock);
    return r;
}

void orma_ds_wake(void)
{
    for (size_t i = 0; i < g.sources_num; i++)
        __atomic_fetch_or(&g.sources[i]->enabled, WAKE_BIT, __ATOMIC_RELAXED);
}

void orma_ds_forget_wake(void)
{
    pthread_mutex_lock(&g.lock);
    for (size_t i = 0; i < g.sources_num; i++)
        __atomic_fetch_and(&g.sources[i]->enabled, ~WAKE_BIT, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&g.lock);
}

struct orma_data_source *orma_ds_at(size_t idx)
{
    pthread_mutex_lock(&g.lock);
    struct orma_data_source *source = idx < g.sources_num ? g.sources[idx] : NULL;
    pthread_mutex_unlock(&g.lock);
    return source;
}

struct orma_data_source *orma_ds_find(struct orma_str name)
{
    struct orma_data_source *source;

    for (size_t i = 0; (source = orma_ds_at(i)); i++) {
        if (orma_str_eq_c(name, source->name))
            return source;
    }
    return NULL;
}

void orma_ds_set_listener(void (*fn)(void))
{
    pthread_mutex_lock(&g.lock);
    g.listener = fn;
    pthread_mutex_unlock(&g.lock);
}

enum orma_policy orma_ds_policy(const struct orma_data_source *source, struct orma_str config)
{
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    static const enum orma_policy policies[] = {
        [ORMA_EXHAUSTED_DROP] = ORMA_POLICY_DROP,
        [ORMA_EXHAUSTED_STALL] = ORMA_POLICY_STALL,
        [ORMA_EXHAUSTED_STALL_THEN_DROP] = ORMA_POLICY_STALL_THEN_DROP,
        [ORMA_EXHAUSTED_BY_CONFIG] = ORMA_POLICY_BY_CONFIG,
    };
    enum orma_policy program = source->exhausted < ORMA_ARRAY_LEN(policies)
                                   ? policies[source->exhausted]
                                   : ORMA_POLICY_DROP;
    enum orma_policy policy = orma_policy_of_config(0, program);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_BUFFER_EXHAUSTED_POLICY)
            policy = orma_policy_of_config(f.num, program);
    }
    return policy;
}

/* ---- sessions ---- */

/* With g.lock. */
static bool take_slot(struct orma_ds_session *self)
{
    struct source_impl *impl = self->source->impl;

    ORMA_ASSERT_HOT(orma_guard_is_locked(&g.lock));
    for (self->slot = 0; self->slot < ORMA_DS_SLOTS; self->slot++) {
        if (!impl->sessions[self->slot]) {
            impl->sessions[self->slot] = self;
            self->serial = ++g.last_serial;
            return true;
        }
    }
    return false;
}

int orma_ds_session_new(struct orma_data_source *source, uint64_t id, struct orma_str config,
                        struct orma_pool *pool, uint32_t target_buffer, enum orma_policy policy,
                        const struct orma_ds_home *home, struct orma_ds_session **ret)
{
    struct orma_ds_session *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    orma_buf_put(&self->config, config.data, config.len);
    if (self->config.failed) {
        free(self);
        return -ENOMEM;
    }
    self->source = source;
    self->life = orma_fork_generation();
    self->home_id = id;
    self->home = *home;
    self->target_buffer = target_buffer;
    self->policy = policy;
    orma_list_init(&self->writers);
    pthread_mutex_lock(&g.lock);
    bool has_slot = take_slot(self);
    pthread_mutex_unlock(&g.lock);
    if (!has_slot) {
        orma_buf_fini(&self->config);
        free(self);
        return -EBUSY;
    }
    self->pool = orma_pool_ref(pool);
    *ret = self;
    if (source->ops->on_setup)
        source->ops->on_setup(self, source->user);
    return 0;
}

void orma_ds_session_start(struct orma_ds_session *self)
{
    struct source_impl *impl = self->source->impl;

    /* release: a thread that finds the serial finds the session as it is. */
    atomic_store_explicit(&impl->serials[self->slot], self->serial, memory_order_release);
    __atomic_fetch_or(&self->source->enabled, UINT32_C(1) << self->slot, __ATOMIC_RELEASE);
    if (self->source->ops->on_start)
        self->source->ops->on_start(self, self->source->user);
}

/*
 * False: its thread does not come to the end of its turn. It may be waiting for chunks, and we may
 * be the one who makes room.
 */
static bool lock_writer(struct orma_ds_session *self, struct ds_writer *w)
{
    uint64_t end = orma_clock_monotonic() + TURN_MS * UINT64_C(1000000);

    while (pthread_mutex_trylock(&w->lock) != 0) {
        if (orma_clock_monotonic() > end)
            return false;
        (void)orma_pool_make_room(self->pool);
        nanosleep(&(struct timespec){.tv_nsec = TURN_NAP_NS}, NULL);
    }
    return true;
}

/*
 * Calls fn with each writer, locked. g.lock is not held meanwhile: a thread in its turn may want
 * it, for a session of another source. Only this thread, the home's, ends writers.
 */
static void each_writer(struct orma_ds_session *self, void (*fn)(struct ds_writer *w))
{
    struct orma_list *at = &self->writers;

    for (;;) {
        pthread_mutex_lock(&g.lock);
        at = at->next;
        pthread_mutex_unlock(&g.lock);
        if (at == &self->writers)
            return;
        struct ds_writer *w = ORMA_CONTAINER_OF(at, struct ds_writer, link);
        if (!lock_writer(self, w))
            continue; /* the next flush or clear finds it */
        fn(w);
        pthread_mutex_unlock(&w->lock);
    }
}

static void flush_writer(struct ds_writer *w)
{
    orma_writer_flush(w->writer);
}

static void clear_writer(struct ds_writer *w)
{
    w->fresh = true;
}

/* The list is ours alone now: no new writer comes to a session without a slot. */
static void end_writers(struct orma_ds_session *self)
{
    while (!orma_list_empty(&self->writers)) {
        struct ds_writer *w = ORMA_CONTAINER_OF(self->writers.next, struct ds_writer, link);

        orma_writer_hurry(w->writer);
        pthread_mutex_lock(&w->lock); /* until its thread has finished its turn */
        orma_writer_free(w->writer);
        w->writer = NULL;
        pthread_mutex_unlock(&w->lock);
        pthread_mutex_lock(&g.lock);
        orma_list_remove(&w->link);
        atomic_store_explicit(&w->over, true, memory_order_relaxed);
        unref_writer(w);
        pthread_mutex_unlock(&g.lock);
    }
}

static void finish(void *arg)
{
    struct orma_ds_session *self = arg;
    struct source_impl *impl = self->source->impl;
    struct orma_ds_home home = self->home;
    uint64_t id = self->home_id;

    ORMA_ASSERT_HOT(impl->sessions[self->slot] == self);
    __atomic_fetch_and(&self->source->enabled, ~(UINT32_C(1) << self->slot), __ATOMIC_RELEASE);
    pthread_mutex_lock(&g.lock);
    atomic_store_explicit(&impl->serials[self->slot], 0, memory_order_relaxed);
    impl->sessions[self->slot] = NULL;
    pthread_mutex_unlock(&g.lock);
    end_writers(self);
    orma_pool_unref(self->pool);
    orma_buf_fini(&self->config);
    free(self);
    home.stopped(home.ctx, id);
}

void orma_ds_session_stop(struct orma_ds_session *self)
{
    /* With orma_ds_stopped(), from whatever thread, it ends on this thread: so not before we
     * return. */
    if (self->source->ops->on_stop)
        self->source->ops->on_stop(self, self->source->user);
    if (!self->deferred)
        finish(self);
}

void orma_ds_defer_stop(struct orma_ds_session *session)
{
    session->deferred = true;
}

void orma_ds_stopped(struct orma_ds_session *session)
{
    if (session->life == orma_fork_generation()) /* else it is the parent's */
        session->home.run(session->home.ctx, finish, session);
}

void orma_ds_session_flush(struct orma_ds_session *self)
{
    if (self->source->ops->on_flush)
        self->source->ops->on_flush(self, self->source->user);
    each_writer(self, flush_writer);
}

void orma_ds_session_clear(struct orma_ds_session *self)
{
    each_writer(self, clear_writer);
    if (self->source->ops->on_clear)
        self->source->ops->on_clear(self, self->source->user);
}

const void *orma_ds_config(const struct orma_ds_session *session, size_t *ret_len)
{
    *ret_len = session->config.len;
    return session->config.data;
}

void orma_ds_set_state(struct orma_ds_session *session, void *state)
{
    session->state = state;
}

void *orma_ds_state(const struct orma_ds_session *session)
{
    return session->state;
}

/* ---- writing ---- */

/* One that tells its owner so, instead of waiting for itself. */
static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

static struct ds_writer *new_writer(struct orma_ds_session *session)
{
    struct ds_writer *w = calloc(1, sizeof(*w));

    if (!w)
        return NULL;
    if (orma_writer_new_in_pool(session->pool, session->target_buffer, session->policy,
                                &w->writer) < 0) {
        free(w);
        return NULL;
    }
    init_lock(&w->lock);
    w->session = session;
    w->refs = 1;
    orma_list_insert(&session->writers, &w->link);
    return w;
}

/* With g.lock. The writer of a thread that is gone, or a new one. */
static struct ds_writer *writer_for(struct orma_ds_session *session)
{
    ORMA_LIST_EACH (struct ds_writer, w, &session->writers, link) {
        if (w->idle) {
            w->idle = false;
            return w;
        }
    }
    return new_writer(session);
}

static struct ds_writer *adopt(struct orma_data_source *source, uint32_t slot)
{
    ORMA_HUSHED;
    struct source_impl *impl = source->impl;
    struct ds_ref *ref = malloc(sizeof(*ref));

    if (!ref)
        return NULL;
    pthread_mutex_lock(&g.lock);
    struct orma_ds_session *session = impl->sessions[slot];
    struct ds_writer *w = session ? writer_for(session) : NULL;
    if (w) {
        w->refs++;
        w->fresh = true;
        *ref = (struct ds_ref){.next = refs, .serial = session->serial, .writer = w};
    }
    pthread_mutex_unlock(&g.lock);
    if (!w) {
        free(ref);
        return NULL;
    }
    if (!refs)
        (void)pthread_setspecific(g.key, ref); /* the value only has to be something */
    refs = ref;
    return w;
}

/* This thread's writer for the session with this serial. Forgets those of sessions that are over.
 */
static struct ds_writer *find_writer(uint64_t serial)
{
    struct ds_writer *found = NULL;

    for (struct ds_ref **link = &refs; *link;) {
        struct ds_ref *r = *link;

        if (r->serial == serial)
            found = r->writer;
        if (found == r->writer || !atomic_load_explicit(&r->writer->over, memory_order_relaxed)) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        pthread_mutex_lock(&g.lock);
        unref_writer(r->writer);
        pthread_mutex_unlock(&g.lock);
        free(r);
    }
    return found;
}

/* The turn in the next session there is; the writer is locked. */
static void next_turn(struct orma_ds_iter *it)
{
    struct source_impl *impl = it->source->impl;

    for (; it->rest; it->rest &= it->rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(it->rest) % ORMA_DS_SLOTS;
        /* acquire: pairs with orma_ds_session_start(). */
        uint64_t serial = atomic_load_explicit(&impl->serials[slot], memory_order_acquire);
        struct ds_writer *w = serial ? find_writer(serial) : NULL;

        if (!w && serial)
            w = adopt(it->source, slot);
        if (!w)
            continue;
        if (pthread_mutex_lock(&w->lock) == EDEADLK) {
            /* A turn within a turn of the same session, perhaps in a signal handler. */
            orma_writer_count_drop(w->writer, ORMA_DROP_NO_CHUNK);
            continue;
        }
        if (w->writer) {
            it->rest &= it->rest - 1;
            it->writer = w;
            it->session = w->session;
            it->fresh = w->fresh || w->writer->restart;
            w->fresh = false;
            (void)orma_writer_take_restart(w->writer);
            return;
        }
        pthread_mutex_unlock(&w->lock); /* the session has just ended */
    }
    it->session = NULL;
    it->writer = NULL;
}

void orma_ds_end(struct orma_ds_iter *it)
{
    struct ds_writer *w = it->writer;

    if (w)
        pthread_mutex_unlock(&w->lock);
    it->writer = NULL;
    it->session = NULL;
}

struct orma_ds_iter orma_ds_first(struct orma_data_source *source)
{
    (void)orma_fork_check(); /* then its word says so */
    struct orma_ds_iter it = {
        .source = source,
        .rest = __atomic_load_n(&source->enabled, __ATOMIC_ACQUIRE),
    };

    if (it.rest & WAKE_BIT) {
        orma_fork_revive();
        it.rest &= ~WAKE_BIT;
    }
    next_turn(&it);
    return it;
}

void orma_ds_next(struct orma_ds_iter *it)
{
    orma_ds_end(it);
    next_turn(it);
}

struct orma_packet *orma_ds_packet_begin(struct orma_ds_iter *it)
{
    struct ds_writer *w = it->writer;

    orma_packet_begin(&w->packet, w->writer);
    return &w->packet;
}

int orma_ds_packet_end(struct orma_packet *packet)
{
    return orma_packet_end(packet);
}
