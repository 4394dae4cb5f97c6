/* Threads, their tracers, and the loop over the instances of a type. */
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/mem.h"
#include "sdk/cabi/cabi.h"
#include "sdk/cabi/te.h"

__thread struct orma_cabi_thread *orma_cabi_self __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static bool has_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static struct orma_cabi_tracer *peek(struct orma_cabi_thread *self,
                                     const struct orma_cabi_tracer *t)
{
    return atomic_load_explicit(&self->tracers[t->type->idx][t->slot], memory_order_relaxed);
}

/* What it was writing is committed. The thread is inside: trace points in callbacks do nothing. */
static void free_tracer(struct orma_cabi_thread *self, struct orma_cabi_tracer *t)
{
    if (peek(self, t) == t)
        atomic_store_explicit(&self->tracers[t->type->idx][t->slot], NULL, memory_order_relaxed);
    orma_cabi_tracer_fini_packet(t);
    if (t->incr)
        t->type->delete_incr(t->incr);
    if (t->tls)
        t->type->delete_tls(t->tls);
    orma_cabi_te_free(t->te);
    orma_writer_free(t->writer);
    orma_mem_free(t, sizeof(*t));
}

static void thread_gone(void *arg)
{
    struct orma_cabi_thread *self = arg;

    self->inside = true;
    for (struct orma_cabi_tracer *t = self->list, *next; t; t = next) {
        next = t->next;
        free_tracer(self, t);
    }
    orma_guard_up(); /* a handler's event would register the thread again */
    orma_cabi_self = NULL;
    orma_buf_fini(&self->event);
    orma_buf_fini(&self->interned);
    orma_mem_free(self, sizeof(*self));
    orma_guard_down();
}

/* Before our code goes: threads that end later must not run into it. */
__attribute__((destructor)) static void forget_key(void)
{
    if (has_key)
        (void)pthread_key_delete(key);
    has_key = false;
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, thread_gone) == 0; /* else thread ends go unnoticed */
}

void orma_cabi_missed(void)
{
    atomic_fetch_add_explicit(&orma_cabi.missed, 1, memory_order_relaxed);
}

struct orma_cabi_thread *orma_cabi_thread_new(void)
{
    ORMA_HUSHED;

    if (orma_guard_is_up()) { /* a handler that has interrupted us */
        orma_cabi_missed();
        return NULL;
    }
    orma_cabi_revive();
    pthread_once(&key_once, make_key);
    struct orma_cabi_thread *self = orma_mem_new(sizeof(*self));
    if (!self) {
        orma_cabi_missed();
        return NULL;
    }
    self->event.own_mem = self->interned.own_mem = true;
    self->tid = (int32_t)syscall(SYS_gettid);
    if (has_key)
        (void)pthread_setspecific(key, self); /* one of the first 32 keys needs no memory */
    orma_cabi_self = self;
    return self;
}

void orma_cabi_thread_sweep(struct orma_cabi_thread *self)
{
    struct orma_cabi_tracer **link = &self->list;

    self->swept = atomic_load_explicit(&orma_cabi.ended, memory_order_relaxed);
    while (*link) {
        struct orma_cabi_tracer *t = *link;

        if (atomic_load_explicit(&t->type->slots[t->slot].serial, memory_order_relaxed) ==
            t->serial) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        free_tracer(self, t);
    }
}

/* The instance of a slot as a tracer needs it. False: none has started. */
static bool attach(struct orma_cabi_tracer *t, struct orma_cabi_type *type, uint32_t slot)
{
    bool ok = false;

    orma_guard_lock(&orma_cabi.lock);
    const struct orma_cabi_instance *inst = type->slots[slot].instance;
    uint64_t serial = atomic_load_explicit(&type->slots[slot].serial, memory_order_relaxed);
    if (inst && serial && serial == inst->serial &&
        atomic_load_explicit(&type->active, memory_order_relaxed) & UINT32_C(1) << slot) {
        t->type = type;
        t->slot = slot;
        t->serial = serial;
        t->clears = atomic_load_explicit(&type->slots[slot].clears, memory_order_relaxed);
        t->home = inst->home;
        ok =
            orma_writer_new_in_pool(inst->pool, inst->target_buffer, inst->policy, &t->writer) == 0;
        if (ok && inst->te)
            t->te = orma_cabi_te_new(inst->te);
    }
    orma_guard_unlock(&orma_cabi.lock);
    return ok;
}

struct orma_cabi_tracer *orma_cabi_tracer_make(struct orma_cabi_thread *self,
                                               struct orma_cabi_type *type, uint32_t slot)
{
    ORMA_HUSHED;

    if (orma_guard_is_up()) {
        orma_cabi_missed();
        return NULL;
    }
    /* An instance has ended since the sweep: what it left goes before the next one comes. */
    orma_cabi_thread_sweep(self);
    struct orma_cabi_tracer *t = orma_mem_new(sizeof(*t));
    if (!t || !attach(t, type, slot) || (type->idx == ORMA_CABI_TE && !t->te)) {
        if (t)
            orma_writer_free(t->writer);
        orma_mem_free(t, sizeof(*t));
        return NULL;
    }
    t->sink = ORMA_CABI_TRACER;
    t->patches_end = &t->patches;
    t->next = self->list;
    self->list = t;
    atomic_store_explicit(&self->tracers[type->idx][slot], t, memory_order_relaxed);
    if (type->create_incr)
        t->incr = type->create_incr(type, slot, t, type->user);
    if (type->create_tls)
        t->tls = type->create_tls(type, slot, t, type->user);
    return t;
}

/* ---- the loop over instances ---- */

/* The first active one from `from` on. Leaves the trace point when there is none. */
static struct orma_cabi_iter next_instance(struct orma_cabi_thread *self,
                                           struct orma_cabi_type *type, uint32_t from)
{
    /* acquire: an instance that is seen is ready. */
    uint32_t rest = atomic_load_explicit(&type->active, memory_order_acquire);

    for (rest = from < 32 ? rest >> from << from : 0; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(rest);
        struct orma_cabi_tracer *t = orma_cabi_tracer_of(self, type, slot);

        if (t)
            return (struct orma_cabi_iter){.inst = slot, .tls = self, .tracer = t};
    }
    orma_cabi_leave(self);
    return (struct orma_cabi_iter){0};
}

struct orma_cabi_iter PerfettoDsImplTraceIterateBegin(void *ds)
{
    struct orma_cabi_type *type = ds;
    struct orma_cabi_thread *self = type && type->registered ? orma_cabi_enter() : NULL;

    return self ? next_instance(self, type, 0) : (struct orma_cabi_iter){0};
}

void PerfettoDsImplTraceIterateNext(void *ds, struct orma_cabi_iter *it)
{
    if (it->tracer)
        *it = next_instance(it->tls, ds, it->inst + 1);
}

void PerfettoDsImplTraceIterateBreak(void *ds, struct orma_cabi_iter *it)
{
    (void)ds;
    if (it->tracer)
        orma_cabi_leave(it->tls);
    it->tracer = NULL;
}

void *PerfettoDsImplGetCustomTls(void *ds, void *tracer, uint32_t inst)
{
    const struct orma_cabi_tracer *t = tracer;

    (void)ds, (void)inst;
    return t ? t->tls : NULL;
}

void *PerfettoDsImplGetIncrementalState(void *ds, void *tracer, uint32_t inst)
{
    struct orma_cabi_tracer *t = tracer;

    (void)ds, (void)inst;
    if (!t)
        return NULL;
    uint32_t clears = atomic_load_explicit(&t->type->slots[t->slot].clears, memory_order_relaxed);
    if (t->clears == clears || !t->type->create_incr)
        return t->incr;
    t->clears = clears;
    if (t->incr && t->type->clear_incr && t->type->clear_incr(t->incr, t->type->user))
        return t->incr;
    if (t->incr)
        t->type->delete_incr(t->incr);
    t->incr = t->type->create_incr(t->type, t->slot, t, t->type->user);
    return t->incr;
}

uint32_t PerfettoDsGetDefaultClockId(void)
{
    return ORMA_CLOCK_BOOTTIME;
}

struct orma_cabi_stamp PerfettoDsGetTimestamp(void)
{
    return (struct orma_cabi_stamp){ORMA_CLOCK_BOOTTIME, orma_clock_boottime()};
}

int32_t PerfettoGetThreadIdImpl(void)
{
    return (int32_t)syscall(SYS_gettid);
}

/* States of the program are not deleted then: it may be using what they need in exit handlers. */
void orma_cabi_thread_at_exit(void)
{
    struct orma_cabi_thread *self = orma_cabi_self;

    if (!self || self->inside)
        return;
    for (struct orma_cabi_tracer **link = &self->list, *t; (t = *link);) {
        if (t->tls || t->incr) {
            orma_writer_flush(t->writer);
            link = &t->next;
            continue;
        }
        *link = t->next;
        free_tracer(self, t);
    }
}

/* In a child: what the parent's threads had stays as it is. The forking one may be in a loop over
 * instances, and in a packet: what it still writes there goes nowhere. */
void orma_cabi_threads_after_fork(void)
{
    for (struct orma_cabi_tracer *t = orma_cabi_self ? orma_cabi_self->list : NULL; t;
         t = t->next) {
        t->orphan = t->lost = true;
        t->in_packet = false;
    }
    orma_cabi_self = NULL;
    if (has_key)
        (void)pthread_setspecific(key, NULL);
}
