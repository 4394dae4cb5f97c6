#include "probes/perf/waits.h"

#include <stdlib.h>
#include <string.h>

#define WAITS_MAX 65536u

void orma_perf_waits_fini(struct orma_perf_waits *self)
{
    ORMA_MAP_EACH (slot, &self->by_tid)
        free((void *)(uintptr_t)slot->val);
    orma_map_fini(&self->by_tid);
}

/* A copy of the record with what it points to: chain, then stack. */
static struct orma_perf_wait *copy_of(const struct orma_perf_record *record)
{
    size_t chain = record->chain_num * sizeof(*record->chain), stack = record->stack_len;
    struct orma_perf_wait *ret = malloc(sizeof(*ret) + chain + stack);
    uint8_t *at;

    if (!ret)
        return NULL;
    ret->record = *record;
    ret->has_stack = ret->preempted = false;
    at = (uint8_t *)ret->bytes;
    if (chain)
        memcpy(at, record->chain, chain);
    if (stack)
        memcpy(at + chain, record->stack, stack);
    ret->record.chain = ret->bytes;
    ret->record.stack = at + chain;
    ret->record.text = (struct orma_str){0};
    return ret;
}

static void put(struct orma_perf_waits *self, struct orma_perf_wait *wait)
{
    if (!wait)
        return; /* no memory: this wait is not seen */
    free(orma_perf_waits_take(self, wait->record.tid));
    if (self->by_tid.len >= WAITS_MAX ||
        orma_map_put_ptr(&self->by_tid, wait->record.tid, wait) < 0)
        free(wait);
}

void orma_perf_waits_keep(struct orma_perf_waits *self, const struct orma_perf_record *record)
{
    struct orma_perf_wait *wait = copy_of(record);

    if (wait)
        wait->has_stack = true;
    put(self, wait);
}

void orma_perf_waits_out(struct orma_perf_waits *self, const struct orma_perf_record *record)
{
    struct orma_perf_wait *wait = orma_map_get_ptr(&self->by_tid, record->tid);

    if (!wait) {
        put(self, copy_of(record));
        wait = orma_map_get_ptr(&self->by_tid, record->tid);
    }
    if (wait)
        wait->preempted = record->preempted;
}

struct orma_perf_wait *orma_perf_waits_take(struct orma_perf_waits *self, uint32_t tid)
{
    uint64_t val = orma_map_take(&self->by_tid, tid);

    return val == ORMA_MAP_NONE ? NULL : (struct orma_perf_wait *)(uintptr_t)val;
}

struct orma_perf_wait *orma_perf_waits_take_any(struct orma_perf_waits *self)
{
    uint32_t tid = 0;

    if (!self->by_tid.len)
        return NULL;
    ORMA_MAP_EACH (slot, &self->by_tid) {
        tid = (uint32_t)slot->key;
        break;
    }
    return orma_perf_waits_take(self, tid);
}
