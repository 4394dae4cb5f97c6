#include <linux/futex.h>

#include "sdk/heap/parts.h"

__thread struct orma_hook_own orma_hook_own;
struct orma_hook_state orma_hook_state = {.large = ORMA_HEAP_NO_SIZE};
struct orma_heap_attach orma_hook_attach = {
    .magic = {ORMA_HEAP_ATTACH_MAGIC, ~ORMA_HEAP_ATTACH_MAGIC}};

static struct orma_hook_self shared_self; /* where there is no page of our own */
struct orma_hook_self *orma_hook_self = &shared_self;

/* A copy may be in another namespace, or have none in sight (chroot). */
void orma_hook_know_self(void)
{
    static uint64_t last_space; /* copies inherit it */
    uint32_t pid = orma_hook_sys_getpid();
    uint64_t space = orma_hook_sys_pid_space();

    if (orma_hook_self == &shared_self) {
        struct orma_hook_self *own = orma_hook_sys_own_page();
        orma_hook_self = own ? own : &shared_self;
    }
    if (space || pid == 1) /* 1: the first of a new one */
        last_space = space;
    atomic_store_explicit(&orma_hook_self->pid_space, last_space, memory_order_relaxed);
    atomic_store_explicit(&orma_hook_self->pid, pid, memory_order_relaxed);
}

bool orma_hook_is_gone(const struct orma_heap_shared *s)
{
    return !atomic_load_explicit(&s->on, memory_order_relaxed) ||
           atomic_load_explicit(&s->owner, memory_order_relaxed) & FUTEX_OWNER_DIED;
}

void orma_hook_fall_idle(void)
{
    atomic_store_explicit(&orma_hook_state.shared, NULL, memory_order_release);
    atomic_store_explicit(&orma_hook_state.large, ORMA_HEAP_NO_SIZE, memory_order_relaxed);
    atomic_store_explicit(&orma_hook_attach.active, 0, memory_order_relaxed);
}
