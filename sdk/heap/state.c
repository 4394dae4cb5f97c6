#include "sdk/heap/parts.h"

__thread struct orma_hook_own orma_hook_own;
struct orma_hook_state orma_hook_state = {.large = ORMA_HEAP_NO_SIZE};
struct orma_heap_attach orma_hook_attach = {
    .magic = {ORMA_HEAP_ATTACH_MAGIC, ~ORMA_HEAP_ATTACH_MAGIC}};

void orma_hook_fall_idle(void)
{
    atomic_store_explicit(&orma_hook_state.shared, NULL, memory_order_release);
    atomic_store_explicit(&orma_hook_state.large, ORMA_HEAP_NO_SIZE, memory_order_relaxed);
    atomic_store_explicit(&orma_hook_attach.active, 0, memory_order_relaxed);
}
