/* The picture is in the header. */
#include "sdk/events/te.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "orma/tracing.h"
#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/cond.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/base/mem.h"

/* A thread that does not leave an event for so long is not running at all: it is left alone. */
#define PAUSE_MS 2000u
#define PAUSE_NAP_NS 50000
/* The kernel's numbers: not every C library brings its headers. */
#define MEMBARRIER_CMD_PRIVATE_EXPEDITED (1 << 3)
#define MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED (1 << 4)

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif

struct orma_category orma_category_dynamic = {.name = ""};

struct orma_te orma_te = {
    .categories = &orma_category_dynamic,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .wait_lock = PTHREAD_MUTEX_INITIALIZER,
    .next_site = ORMA_TE_SITE_FIRST,
};
__thread struct orma_te_thread *orma_te_self;

static pthread_key_t thread_key;
static bool has_key;

uint8_t orma_te_lock(void)
{
    struct orma_te_thread *me = orma_te_self;
    uint8_t was = ORMA_TE_IDLE;

    if (me) {
        was = atomic_load_explicit(&me->busy, memory_order_relaxed);
        /* release: a pauser that sees it has all that we wrote before. */
        atomic_store_explicit(&me->busy, ORMA_TE_LOCKED, memory_order_release);
    }
    orma_guard_lock(&orma_te.lock);
    return was;
}

void orma_te_unlock(uint8_t was)
{
    ORMA_ASSERT_HOT(orma_guard_is_up() && orma_guard_is_locked(&orma_te.lock));
    struct orma_te_thread *me = orma_te_self;

    /* Under the lock nobody pauses, so RUNNING is seen by whoever pauses next. */
    if (me)
        atomic_store_explicit(&me->busy, was, memory_order_relaxed);
    orma_guard_unlock(&orma_te.lock);
}

/* ---- pausing ---- */

static bool membarrier_works(void)
{
#ifdef TSAN
    return false;
#else
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

static void full_barrier_everywhere(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&orma_te.short_way, memory_order_relaxed))
        (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0,
                      0); /* it worked before */
}

/* A writer that waits for a chunk holds none: it may be paused meanwhile. */
static void before_wait(void *ctx)
{
    struct orma_te_thread *t = ctx;

    atomic_store_explicit(&t->busy, ORMA_TE_LOCKED, memory_order_release);
}

static void after_wait(void *ctx)
{
    (void)ctx;
    (void)orma_te_lock(); /* it is free only when nobody pauses */
    orma_te_unlock(ORMA_TE_RUNNING);
}

static const struct orma_writer_hooks writer_hooks = {before_wait, after_wait};

static struct orma_te_seq *seq_of(struct orma_te_thread *t, uint32_t slot)
{
    return atomic_load_explicit(&t->seqs[slot], memory_order_relaxed); /* changes under the lock */
}

/* With the lock. `slot`'s writers do not wait for chunks any longer. */
static void hurry(struct orma_te_session *session)
{
    for (struct orma_te_thread *t = orma_te.threads; t; t = t->next) {
        struct orma_te_seq *seq = seq_of(t, session->slot);

        if (seq)
            orma_writer_hurry(seq->writer);
    }
}

/* With the lock. acquire: what the thread wrote before it left is then ours to read. */
static uint8_t busy_of(struct orma_te_thread *t)
{
    return t == orma_te_self ? ORMA_TE_IDLE : atomic_load_explicit(&t->busy, memory_order_acquire);
}

void orma_te_close_short_way(struct orma_te_thread *t)
{
    for (uint32_t slot = 0; slot < ORMA_TE_SLOTS; slot++) {
        struct orma_te_seq *seq = seq_of(t, slot);

        if (seq)
            atomic_store_explicit(&seq->sites_num, 0, memory_order_seq_cst);
    }
}

static void mark_paused(bool paused)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&orma_te.lock));
    for (struct orma_te_thread *t = orma_te.threads; t; t = t->next) {
        atomic_store_explicit(&t->paused, paused, memory_order_seq_cst);
        if (paused)
            orma_te_close_short_way(t);
    }
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NAP_NS}, NULL);
}

static uint64_t deadline(void)
{
    return orma_clock_monotonic() + PAUSE_MS * UINT64_C(1000000);
}

static bool is_past(uint64_t end)
{
    return orma_clock_monotonic() > end;
}

/*
 * False: some thread stands still in the middle of an event. (One that waits for a chunk is LOCKED,
 * so nobody in an event waits for the drainer, which may be us.)
 */
static bool pause_all(void)
{
    uint64_t end = deadline();

    mark_paused(true);
    ORMA_TESTPOINT("threads are told to pause");
    full_barrier_everywhere();
    for (struct orma_te_thread *t = orma_te.threads; t; t = t->next) {
        while (busy_of(t) == ORMA_TE_RUNNING) {
            if (is_past(end))
                return false;
            nap();
        }
    }
    return true;
}

void orma_te_seq_open(struct orma_te_thread *self, struct orma_te_seq *seq)
{
    ORMA_ASSERT_HOT(self == orma_te_self && atomic_load(&self->busy) == ORMA_TE_RUNNING);
    if (!seq->session->plain || seq->renew ||
        !atomic_load_explicit(&orma_te.short_way, memory_order_relaxed))
        return;
    atomic_store_explicit(&seq->sites_num, seq->sites_cap, memory_order_seq_cst);
    ORMA_TESTPOINT("a sequence was opened");
    /* The same holds for forget_keys(), which counts first and closes then. */
    if (atomic_load_explicit(&self->paused, memory_order_seq_cst) ||
        atomic_load_explicit(&orma_te.keys_generation, memory_order_seq_cst) !=
            seq->keys_generation)
        atomic_store_explicit(&seq->sites_num, 0, memory_order_relaxed);
}

/* ---- sequences ---- */

/*
 * The structure itself is kept for the next one: without membarrier() a thread may still read
 * its sites_num, which is 0.
 */
static void seq_free(struct orma_te_seq *self)
{
    orma_writer_free(self->writer);
    self->writer = NULL;
    orma_map_fini(&self->iids);
    orma_map_fini(&self->tracks);
    orma_mem_free(self->sites, self->sites_cap * sizeof(*self->sites));
    self->sites = NULL;
    self->sites_cap = 0;
    atomic_store_explicit(&self->sites_num, 0, memory_order_relaxed);
    self->next = orma_te.free_seqs;
    orma_te.free_seqs = self;
}

static struct orma_te_seq *seq_new(struct orma_te_session *session)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&orma_te.lock));
    struct orma_te_seq *self = orma_te.free_seqs;

    if (self)
        orma_te.free_seqs = self->next;
    else if (!(self = orma_mem_new(sizeof(*self)))) /* aligned: it shares no line */
        return NULL;
    self->iids.own_mem = self->tracks.own_mem = true;
    self->session = session;
    self->last_ns = 0;
    if (orma_writer_new_in_pool(session->pool, session->target_buffer, session->policy,
                                &self->writer) == 0)
        return self;
    self->next = orma_te.free_seqs;
    orma_te.free_seqs = self;
    return NULL;
}

/* Back to the session, where the next new thread finds it. With the lock. */
static void seq_retire(struct orma_te_seq *self)
{
    orma_writer_set_hooks(self->writer, NULL, NULL);
    self->renew = true;
    self->next = self->session->idle;
    self->session->idle = self;
}

struct orma_te_seq *orma_te_thread_seq(struct orma_te_thread *self, uint32_t slot)
{
    ORMA_ASSERT_HOT(self == orma_te_self && slot < ORMA_TE_SLOTS);
    ORMA_ASSERT_HOT(atomic_load(&self->busy) == ORMA_TE_RUNNING);
    struct orma_te_seq *seq = seq_of(self, slot);

    if (seq)
        return seq;
    ORMA_TESTPOINT("an event needs a sequence");
    (void)orma_te_lock();
    struct orma_te_session *session = orma_te.sessions[slot];
    if (session && session->ending)
        session = NULL; /* quiesce() may have seen us waiting for the lock, and waits no more */
    if (session && (seq = session->idle))
        session->idle = seq->next;
    else if (session)
        seq = seq_new(session);
    if (seq) {
        seq->renew = true;
        orma_writer_set_hooks(seq->writer, &writer_hooks, self);
        atomic_store_explicit(&self->seqs[slot], seq, memory_order_relaxed);
    } else if (session) {
        orma_te_lose(slot);
    }
    orma_te_unlock(ORMA_TE_RUNNING);
    return seq;
}

/* ---- threads ---- */

static void thread_gone(void *arg)
{
    struct orma_te_thread *self = arg, **link = &orma_te.threads;

    orma_guard_up(); /* a handler's event would register the thread again */
    orma_te_self = NULL;
    pthread_mutex_lock(&orma_te.lock);
    for (uint32_t slot = 0; slot < ORMA_TE_SLOTS; slot++) {
        struct orma_te_seq *seq = seq_of(self, slot);

        if (seq)
            seq_retire(seq);
        atomic_store_explicit(&self->seqs[slot], NULL, memory_order_relaxed);
    }
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    self->next = orma_te.free_threads;
    orma_te.free_threads = self;
    orma_guard_unlock(&orma_te.lock);
}

/*
 * At exit, or before our code is unmapped with a plug-in that brought it along: threads that end
 * later must not run into it.
 */
__attribute__((destructor)) static void forget_key(void)
{
    if (has_key)
        (void)pthread_key_delete(thread_key);
    has_key = false;
}

/* Around fork(): what this thread writes is lost and counted meanwhile. */
static void before_fork(void)
{
    if (orma_te_self &&
        atomic_load_explicit(&orma_te_self->busy, memory_order_relaxed) == ORMA_TE_IDLE)
        atomic_store_explicit(&orma_te_self->busy, ORMA_TE_LOCKED, memory_order_release);
}

static void after_fork_in_parent(void)
{
    if (orma_te_self &&
        atomic_load_explicit(&orma_te_self->busy, memory_order_relaxed) == ORMA_TE_LOCKED)
        atomic_store_explicit(&orma_te_self->busy, ORMA_TE_IDLE, memory_order_release);
}

/* What the parent's threads used stays as it is: nobody knows in which state it was. */
static void after_fork(void)
{
    orma_te.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    orma_te.wait_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    orma_cond_init(&orma_te.changed);
    orma_te.threads = orma_te.free_threads = NULL;
    orma_te.free_seqs = NULL;
    memset(orma_te.sessions, 0, sizeof(orma_te.sessions));
    atomic_store_explicit(&orma_te.process_uuid, 0, memory_order_relaxed);
    orma_te.listener = NULL;
    orma_te_self = NULL;
    if (has_key)
        (void)pthread_setspecific(thread_key, NULL);
    for (struct orma_category *c = orma_te.categories; c; c = c->next)
        __atomic_store_n(&c->enabled, 0, __ATOMIC_RELAXED);
    atomic_store_explicit(&orma_te.short_way, membarrier_works(), memory_order_relaxed);
    orma_tsc_after_fork();
}

void orma_te_watch_forks(void)
{
    orma_fork_watch(before_fork, after_fork_in_parent, after_fork);
}

static void init_once(void)
{
    orma_cond_init(&orma_te.changed);
    has_key = pthread_key_create(&thread_key, thread_gone) == 0; /* else thread ends go unnoticed */
    orma_te_watch_forks();
    atomic_store_explicit(&orma_te.short_way, membarrier_works(), memory_order_relaxed);
}

static void init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, init_once);
}

void orma_te_wake(void)
{
    for (struct orma_category *c = orma_te.categories; c; c = c->next)
        __atomic_fetch_or(&c->enabled, ORMA_TE_WAKE_BIT, __ATOMIC_RELAXED);
}

void orma_te_forget_wake(void)
{
    uint8_t was = orma_te_lock();
    for (struct orma_category *c = orma_te.categories; c; c = c->next)
        __atomic_fetch_and(&c->enabled, ~ORMA_TE_WAKE_BIT, __ATOMIC_RELAXED);
    orma_te_unlock(was);
}

struct orma_te_thread *orma_te_thread_new(void)
{
    init();
    orma_guard_lock(&orma_te.lock);
    struct orma_te_thread *self = orma_te.free_threads;
    if (self)
        orma_te.free_threads = self->next;
    else
        self = orma_mem_new_wiped(sizeof(*self));
    if (self) {
        self->packet.own_mem = self->interned.own_mem = self->event.own_mem = true;
        self->tid = (int32_t)syscall(SYS_gettid);
        self->clock.limit = 0;
        atomic_store_explicit(&self->busy, ORMA_TE_IDLE, memory_order_relaxed);
        atomic_store_explicit(&self->only_bit, ORMA_TE_NO_BIT, memory_order_relaxed);
        self->next = orma_te.threads;
        orma_te.threads = self;
    }
    pthread_mutex_unlock(&orma_te.lock);
    if (self) {
        /* The C library keeps the first 32 keys in the thread itself, and ours was made early. */
        if (has_key)
            (void)pthread_setspecific(thread_key, self);
        orma_te_self = self;
    }
    orma_guard_down(); /* until now a handler would have registered it as well */
    return self;
}

void orma_te_thread_settle(struct orma_te_thread *self)
{
    if (!atomic_load_explicit(&orma_te.short_way, memory_order_relaxed)) {
        /* Nobody else makes the barrier between `busy` and what follows; pairs with the pauser's.
         */
        atomic_exchange_explicit(&self->busy, ORMA_TE_RUNNING, memory_order_seq_cst);
    }
    /* acquire: pairs with mark_paused(false). */
    if (!atomic_load_explicit(&self->paused, memory_order_acquire))
        return;
    before_wait(self);
    after_wait(self);
}

/* ---- sessions ---- */

void orma_te_set_bit(struct orma_category *category, uint32_t slot, bool on)
{
    uint32_t bit = UINT32_C(1) << slot;

    /* release: pairs with the acquire in the event, which then sees the session's slot cleaned. */
    if (on)
        __atomic_fetch_or(&category->enabled, bit, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(&category->enabled, ~bit, __ATOMIC_RELEASE);
}

bool orma_te_wants(const struct orma_te_session *session, const struct orma_category *category)
{
    /* Each of its events says what it belongs to. */
    return category == &orma_category_dynamic ||
           orma_te_config_wants(&session->config, orma_str_from(category->name), category->tags);
}

/* Slots go round, so that an end meant for an old session seldom hits a new one. */
static struct orma_te_session **free_slot(uint32_t *ret)
{
    for (uint32_t i = 1; i <= ORMA_TE_SLOTS; i++) {
        *ret = (orma_te.last_slot + i) % ORMA_TE_SLOTS;
        if (!orma_te.sessions[*ret])
            return &orma_te.sessions[orma_te.last_slot = *ret];
    }
    return NULL;
}

/* Without any lock of ours: those who wait look for themselves. */
static void tell_waiters(void)
{
    pthread_mutex_lock(&orma_te.wait_lock);
    pthread_cond_broadcast(&orma_te.changed);
    pthread_mutex_unlock(&orma_te.wait_lock);
}

static void session_fini(struct orma_te_session *self)
{
    orma_te_config_fini(&self->config);
    orma_pool_unref(self->pool);
    free(self);
}

/* Without a slot yet. */
static int session_alloc(struct orma_str config, struct orma_pool *pool, uint32_t target_buffer,
                         enum orma_policy policy, struct orma_te_session **ret)
{
    struct orma_te_session *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    int r = orma_te_config_init(&self->config, config);
    if (r < 0) {
        free(self);
        return r;
    }
    self->plain = orma_te_config_is_plain(&self->config);
    self->pool = orma_pool_ref(pool);
    self->target_buffer = target_buffer;
    self->policy = policy;
    *ret = self;
    return 0;
}

/* With the lock. */
static void set_bits(const struct orma_te_session *self)
{
    for (struct orma_category *c = orma_te.categories; c; c = c->next)
        orma_te_set_bit(c, self->slot, orma_te_wants(self, c));
}

int orma_te_session_new(struct orma_str config, struct orma_pool *pool, uint32_t target_buffer,
                        enum orma_policy policy, uint32_t renew_chunks,
                        struct orma_te_session **ret)
{
    struct orma_te_session *self;
    int r = session_alloc(config, pool, target_buffer, policy, &self);

    if (r < 0)
        return r;
    self->renew_chunks = renew_chunks;
    init();
    uint8_t was = orma_te_lock();
    struct orma_te_session **slot = free_slot(&self->slot);
    if (slot) {
        atomic_store_explicit(&orma_te.lost[self->slot], 0, memory_order_relaxed);
        *slot = self;
        set_bits(self);
    }
    orma_te_unlock(was);
    if (!slot) {
        session_fini(self);
        return -EBUSY;
    }
    tell_waiters();
    *ret = self;
    return 0;
}

void orma_te_lose(uint32_t slot)
{
    ORMA_ASSERT_HOT(slot < ORMA_TE_SLOTS);
    /* Relaxed: settle_losses() looks at it when it looks. */
    atomic_fetch_add_explicit(&orma_te.lost[slot], 1, memory_order_relaxed);
}

/*
 * With the lock. What no thread's sequence could count becomes the losses of a sequence of the
 * session's own, which never has a packet.
 */
static void settle_losses(struct orma_te_session *self)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&orma_te.lock));
    uint64_t lost = atomic_exchange_explicit(&orma_te.lost[self->slot], 0, memory_order_relaxed);

    if (!lost)
        return;
    if (!self->losses && orma_writer_new_in_pool(self->pool, self->target_buffer, ORMA_POLICY_DROP,
                                                 &self->losses) < 0)
        self->losses = NULL;
    if (self->losses)
        atomic_fetch_add_explicit(&self->losses->slot->dropped[ORMA_DROP_NO_CHUNK], lost,
                                  memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&orma_te.unattributed, lost, memory_order_relaxed);
}

void orma_te_session_lose(struct orma_te_session *self, uint64_t num)
{
    uint8_t was = orma_te_lock();

    atomic_fetch_add_explicit(&orma_te.lost[self->slot], num, memory_order_relaxed);
    settle_losses(self);
    orma_te_unlock(was);
}

/* With the lock, and no thread inside an event. */
static void free_seqs(struct orma_te_session *self)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&orma_te.lock));
    orma_writer_free(self->losses);
    self->losses = NULL;

    for (struct orma_te_thread *t = orma_te.threads; t; t = t->next) {
        struct orma_te_seq *seq = seq_of(t, self->slot);

        if (seq)
            seq_free(seq);
        atomic_store_explicit(&t->seqs[self->slot], NULL, memory_order_relaxed);
        /* The thread may be setting another's bit; that this makes it forget it, costs it little.
         */
        if (atomic_load_explicit(&t->only_bit, memory_order_relaxed) == UINT32_C(1) << self->slot)
            atomic_store_explicit(&t->only_bit, ORMA_TE_NO_BIT, memory_order_relaxed);
    }
    for (struct orma_te_seq *seq = self->idle, *next; seq; seq = next) {
        next = seq->next;
        seq_free(seq);
    }
}

int orma_te_session_replace(struct orma_te_session *old, struct orma_str config,
                            struct orma_pool *pool, uint32_t target_buffer, enum orma_policy policy,
                            struct orma_te_session **ret)
{
    struct orma_te_session *self;
    int r = session_alloc(config, pool, target_buffer, policy, &self);

    if (r < 0)
        return r;
    self->slot = old->slot;
    uint8_t was = orma_te_lock();
    ORMA_ASSERT_HOT(orma_te.sessions[old->slot] == old);
    settle_losses(old);
    if (pause_all()) {
        free_seqs(old);
        orma_te.sessions[self->slot] = self;
        set_bits(self);
    } else {
        r = -ETIMEDOUT;
    }
    mark_paused(false);
    orma_te_unlock(was);
    session_fini(r < 0 ? self : old);
    if (r == 0)
        *ret = self;
    return r;
}

/*
 * With the lock, its bits gone: waits until each thread was once seen outside of events, or
 * waiting for a chunk of some other session. From then on it no longer comes here.
 */
static bool quiesce(struct orma_te_session *self)
{
    uint64_t end = deadline();
    uint32_t generation = ++orma_te.generation;
    bool all = false;

    full_barrier_everywhere();
    while (!all) {
        all = true;
        hurry(self);
        for (struct orma_te_thread *t = orma_te.threads; t; t = t->next) {
            uint8_t busy = busy_of(t);

            if (busy == ORMA_TE_IDLE || (busy == ORMA_TE_LOCKED && !seq_of(t, self->slot)))
                t->seen = generation;
            all &= t->seen == generation;
        }
        if (all || is_past(end))
            return all;
        /* Threads that need the lock to finish get it, and the room, if we are the drainer. */
        pthread_mutex_unlock(&orma_te.lock);
        (void)orma_pool_make_room(self->pool);
        nap();
        pthread_mutex_lock(&orma_te.lock);
    }
    return true;
}

int orma_te_session_free(struct orma_te_session *self)
{
    uint8_t was = orma_te_lock();
    for (struct orma_category *c = orma_te.categories; c; c = c->next)
        orma_te_set_bit(c, self->slot, false);
    ORMA_ASSERT_HOT(orma_te.sessions[self->slot] == self);
    self->ending = true;
    bool quiet = quiesce(self);
    settle_losses(self);
    if (!quiet) {
        orma_te_unlock(was);
        return -ETIMEDOUT;
    }
    free_seqs(self);
    orma_te.sessions[self->slot] = NULL;
    orma_te_unlock(was);
    session_fini(self);
    return 0;
}

static bool has_session(void)
{
    bool has = false;

    uint8_t was = orma_te_lock();
    for (uint32_t slot = 0; slot < ORMA_TE_SLOTS; slot++)
        has |= orma_te.sessions[slot] != NULL;
    orma_te_unlock(was);
    return has;
}

static void unlock(void *lock)
{
    pthread_mutex_unlock(lock);
}

/* Its thread may be cancelled meanwhile. */
bool orma_te_wait_for_session(int timeout_ms)
{
    int r = 0;

    init();
    struct timespec end = orma_cond_in_ms((uint64_t)ORMA_MAX(timeout_ms, 0));
    /* Not on g.lock: until the wait was over, the guard would be up. */
    pthread_mutex_lock(&orma_te.wait_lock);
    pthread_cleanup_push(unlock, &orma_te.wait_lock);
    while (!has_session() && r == 0)
        r = timeout_ms < 0 ? pthread_cond_wait(&orma_te.changed, &orma_te.wait_lock)
                           : pthread_cond_timedwait(&orma_te.changed, &orma_te.wait_lock, &end);
    pthread_cleanup_pop(1);
    return has_session();
}

static void each_seq(struct orma_te_session *self, void (*fn)(struct orma_te_seq *seq))
{
    uint8_t was = orma_te_lock();

    settle_losses(self);
    if (pause_all()) {
        for (struct orma_te_thread *t = orma_te.threads; t; t = t->next) {
            if (seq_of(t, self->slot))
                fn(seq_of(t, self->slot));
        }
        for (struct orma_te_seq *seq = self->idle; seq; seq = seq->next)
            fn(seq);
    }
    mark_paused(false);
    orma_te_unlock(was);
}

static void flush_seq(struct orma_te_seq *seq)
{
    orma_writer_flush(seq->writer);
}

void orma_te_session_flush(struct orma_te_session *self)
{
    each_seq(self, flush_seq);
}

static void clear_seq(struct orma_te_seq *seq)
{
    seq->renew = true;
}

void orma_te_session_clear(struct orma_te_session *self)
{
    each_seq(self, clear_seq);
}
