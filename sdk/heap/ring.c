/* Many writers, which never wait for each other (shared.h). */
#include <string.h>

#include "sdk/heap/parts.h"

#define FULL_TRIES 20
#define PAGE 4096u
#define SMALL_STACK 8192u
#define STILL_NS UINT64_C(20000000) /* a reader that does nothing for so long is stopped */
#define BUSY_NS UINT64_C(200000000) /* and one that does something else, not to be waited for */

/* Nobody waits for a reader that is gone, or that has not moved since a wait was in vain. */
static bool may_wait(const struct orma_heap_shared *s)
{
    return !orma_hook_sys_is_confined() && !orma_hook_is_gone(s) &&
           atomic_load_explicit(&s->given_up, memory_order_relaxed) !=
               atomic_load_explicit(&s->tail, memory_order_relaxed) + 1;
}

static void give_up(struct orma_heap_shared *s)
{
    atomic_store_explicit(&s->given_up, atomic_load_explicit(&s->tail, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static struct orma_heap_record *at_position(struct orma_heap_shared *s, uint64_t position)
{
    return (struct orma_heap_record *)(void *)((uint8_t *)s + ORMA_HEAP_RING_AT +
                                               (position & (ORMA_HEAP_RING_BYTES - 1)));
}

/* First of all: should we end here, the reader knows how much to pass over. */
static struct orma_heap_record *open_record(struct orma_heap_shared *s, uint64_t position,
                                            uint32_t size)
{
    struct orma_heap_record *r = at_position(s, position);

    atomic_store_explicit(&r->size, size | ORMA_HEAP_OPEN, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    return r;
}

/* NULL: full. Its bytes are zero. */
static struct orma_heap_record *reserve(struct orma_heap_shared *s, uint32_t size,
                                        uint64_t *ret_end)
{
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);

    for (unsigned tries = 0; tries < FULL_TRIES;) {
        uint64_t rest = ORMA_HEAP_RING_BYTES - (head & (ORMA_HEAP_RING_BYTES - 1));
        uint32_t need = rest < size ? (uint32_t)rest : size;
        /* Pairs with the reader's release: what it gave back is zero. */
        uint64_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);

        if (head - tail + need > ORMA_HEAP_RING_BYTES) {
            if (!may_wait(s))
                break;
            if (++tries == FULL_TRIES)
                give_up(s);
            orma_hook_sys_nap();
            head = atomic_load_explicit(&s->head, memory_order_relaxed);
            continue;
        }
        if (!atomic_compare_exchange_weak_explicit(&s->head, &head, head + need,
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        if (need == size) {
            *ret_end = head + size;
            return open_record(s, head, size);
        }
        struct orma_heap_record *pad = open_record(s, head, need);
        pad->kind = ORMA_HEAP_PAD; /* at least 8 bytes: sizes are multiples of 8 */
        atomic_store_explicit(&pad->size, need, memory_order_release);
        head += need;
    }
    atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
    if (orma_hook_is_gone(s))
        orma_hook_fall_idle();
    return NULL;
}

/* Frames of others, whatever tools that watch memory think of reading them. */
static __attribute__((no_sanitize("address"))) void copy_words(void *to, uintptr_t from, size_t len)
{
    const volatile uint64_t *words = (const void *)from;

    for (size_t i = 0; i < len / sizeof(*words); i++)
        ((uint64_t *)to)[i] = words[i];
}

/*
 * The first thread's stack has nothing else mapped far below its end, so what lies between is
 * stack; and the own storage of another thread lies above its stack, which is never quite small.
 * (That of the first lies above whatever was mapped there.) Where other stacks end is only guessed:
 * the system looks for us, and where it may not, the page is all that is certain.
 */
static bool is_stack(uintptr_t sp)
{
    const uintptr_t end = orma_hook_next.stack_end, own = (uintptr_t)&orma_hook_own;

    if (sp < end && end - sp < ORMA_HEAP_MAIN_STACK)
        return true;
    return orma_hook_own.tid != atomic_load_explicit(&orma_hook_self->pid, memory_order_relaxed) &&
           orma_hook_own.tid && sp < own && own - sp < SMALL_STACK;
}

static size_t copy_stack(void *to, uintptr_t sp, size_t len)
{
    if (!is_stack(sp)) {
        int64_t n = orma_hook_sys_copy(to, (const void *)sp, len);
        if (n > 0)
            return (size_t)n & ~(size_t)7;
        if (len > PAGE - (sp & (PAGE - 1)))
            len = PAGE - (sp & (PAGE - 1));
    }
    copy_words(to, sp, len);
    return len;
}

/*
 * However it was forked, a copy begins with its first record. One that reports nothing, as most
 * that execute another program, costs nothing.
 */
static void begin_copy(struct orma_heap_shared *s)
{
    orma_hook_own.tid = 0; /* that of the thread which forked */
    orma_hook_know_self();
    orma_hook_wait(s, orma_hook_put(s, &(struct orma_hook_note){.kind = ORMA_HEAP_START,
                                                                .count = ORMA_HEAP_FORKED}));
}

static uint32_t own_tid(void)
{
    if (!orma_hook_own.tid)
        orma_hook_own.tid = orma_hook_sys_gettid();
    return orma_hook_own.tid;
}

uint64_t orma_hook_put(struct orma_heap_shared *s, const struct orma_hook_note *note)
{
    const size_t stack_len = note->regs ? note->stack_len & ~(size_t)7 : 0;
    const uint32_t size = (uint32_t)(sizeof(struct orma_heap_record) + stack_len);
    uint64_t end = 0;

    if (ORMA_HEAP_UNLIKELY(!atomic_load_explicit(&orma_hook_self->pid, memory_order_relaxed))) {
        if (orma_hook_sys_is_confined()) { /* it may not ask who it is */
            atomic_fetch_add_explicit(&s->confined, 1, memory_order_relaxed);
            return 0;
        }
        begin_copy(s);
    }
    struct orma_heap_record *r = reserve(s, size, &end);
    if (!r)
        return 0;
    r->pid_space = atomic_load_explicit(&orma_hook_self->pid_space, memory_order_relaxed);
    r->pid = atomic_load_explicit(&orma_hook_self->pid, memory_order_relaxed);
    r->kind = (uint32_t)note->kind;
    r->tid = own_tid();
    r->time = note->time ? note->time : orma_hook_sys_now();
    r->address = note->address;
    r->bytes = note->bytes;
    r->count = note->count;
    if (note->regs) {
        memcpy(r->regs, note->regs, sizeof(r->regs));
        r->stack_len = copy_stack(r + 1, (uintptr_t)note->regs[1], stack_len);
    }
    /* Pairs with the reader's acquire. */
    atomic_store_explicit(&r->size, size, memory_order_release);
    return end;
}

void orma_hook_wait(struct orma_heap_shared *s, uint64_t end)
{
    const uint64_t begun_ns = orma_hook_sys_now();
    uint64_t moved_ns = begun_ns, now_ns = begun_ns;
    uint32_t beat = atomic_load_explicit(&s->beat, memory_order_relaxed);

    while (atomic_load_explicit(&s->seen, memory_order_relaxed) < end && may_wait(s)) {
        uint32_t beats = atomic_load_explicit(&s->beat, memory_order_relaxed);

        if (beats != beat)
            moved_ns = now_ns;
        beat = beats;
        if (now_ns - moved_ns > STILL_NS || now_ns - begun_ns > BUSY_NS) {
            give_up(s);
            return;
        }
        orma_hook_sys_nap();
        now_ns = orma_hook_sys_now();
    }
}
