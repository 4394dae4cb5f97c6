#include "probes/perf/waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/perf/look.h"

#define WAITS_MAX 65536u

void orma_perf_wait_free(struct orma_perf_wait *wait)
{
    if (wait)
        free(wait->waker);
    free(wait);
}

void orma_perf_waits_clear(struct orma_perf_waits *self)
{
    ORMA_MAP_EACH (slot, &self->by_tid)
        orma_perf_wait_free((struct orma_perf_wait *)(uintptr_t)slot->val);
    orma_map_clear(&self->by_tid);
}

void orma_perf_waits_fini(struct orma_perf_waits *self)
{
    orma_perf_waits_clear(self);
    orma_map_fini(&self->by_tid);
    orma_map_fini(&self->ended);
}

/* A copy of the record with what it points to: chain, then stack. */
static struct orma_perf_wait *copy_of(const struct orma_perf_record *record)
{
    size_t chain = record->chain_num * sizeof(*record->chain), stack = record->stack_len;
    struct orma_perf_wait *ret = malloc(sizeof(*ret) + chain + stack);
    uint8_t *at;

    if (!ret)
        return NULL;
    *ret = (struct orma_perf_wait){.record = *record};
    at = (uint8_t *)ret->bytes;
    if (chain)
        memcpy(at, record->chain, chain);
    if (stack)
        memcpy(at + chain, record->stack, stack);
    ret->record.chain = ret->bytes;
    ret->record.stack = at + chain;
    ret->record.text = (struct orma_str){0};
    ret->record.calls_num = 0;
    return ret;
}

static void put(struct orma_perf_waits *self, struct orma_perf_wait *wait)
{
    if (!wait)
        return; /* no memory: this wait is not seen */
    if (orma_map_get(&self->ended, wait->record.tid) != ORMA_MAP_NONE) {
        orma_perf_wait_free(wait);
        return;
    }
    orma_perf_wait_free(orma_perf_waits_take(self, wait->record.tid));
    if (self->by_tid.len >= WAITS_MAX ||
        orma_map_put_ptr(&self->by_tid, wait->record.tid, wait) < 0)
        orma_perf_wait_free(wait);
}

void orma_perf_waits_end(struct orma_perf_waits *self, uint32_t tid)
{
    orma_perf_wait_free(orma_perf_waits_take(self, tid));
    if (self->ended.len >= WAITS_MAX)
        orma_map_clear(&self->ended);
    (void)orma_map_put(&self->ended, tid, 1); /* no memory: it seems to wait until the end */
}

void orma_perf_waits_begin(struct orma_perf_waits *self, uint32_t tid)
{
    (void)orma_map_take(&self->ended, tid);
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

    /* A thread may run at the time that is assumed, and wait when it is looked at. */
    if (!wait || (wait->record.assumed && !record->assumed)) {
        put(self, copy_of(record));
        wait = orma_map_get_ptr(&self->by_tid, record->tid);
    }
    if (wait)
        wait->preempted = record->preempted;
}

void orma_perf_waits_woken(struct orma_perf_waits *self, const struct orma_perf_record *record)
{
    struct orma_perf_wait *wait = orma_map_get_ptr(&self->by_tid, record->woken);

    if (wait && !wait->waker)
        wait->waker = copy_of(record);
}

/* The wait with what was seen of it, in the place of `wait`. */
static void keep_look(struct orma_perf_waits *self, struct orma_perf_wait *wait,
                      const struct orma_perf_look *look, uint64_t now)
{
    struct orma_perf_record record = wait->record;

    record.stack = look->stack;
    record.stack_len = look->stack_len;
    record.regs_partial = true;
    record.abi = PERF_SAMPLE_REGS_ABI_64;
    record.regs[ORMA_PERF_REGS_SP] = look->sp;
    record.regs[ORMA_PERF_REGS_PC] = look->pc;
    struct orma_perf_wait *better = copy_of(&record);
    if (!better)
        return;
    better->has_stack = better->looked = true;
    better->look_end = now;
    memcpy(better->wait_channel, look->wait_channel, sizeof(better->wait_channel));
    put(self, better);
}

void orma_perf_waits_look(struct orma_perf_waits *self, int proc_fd, uint64_t before, unsigned max,
                          uint64_t (*now)(const void *ctx), const void *ctx)
{
    struct orma_perf_look *seen = NULL; /* large */
    struct orma_perf_wait *todo[ORMA_PERF_LOOKS_MAX];
    unsigned num = 0;

    ORMA_MAP_EACH (slot, &self->by_tid) {
        struct orma_perf_wait *wait = (struct orma_perf_wait *)(uintptr_t)slot->val;

        if (num == max || num == ORMA_PERF_LOOKS_MAX)
            break;
        if (!wait->has_stack && !wait->looked && !wait->preempted && wait->record.time < before)
            todo[num++] = wait;
    }
    if (num)
        seen = malloc(sizeof(*seen));
    for (unsigned i = 0; seen && i < num; i++) { /* the map changes from here on */
        todo[i]->looked = true;
        int r = orma_perf_look(proc_fd, todo[i]->record.pid, todo[i]->record.tid, seen);
        self->refused += r == -EACCES || r == -EPERM;
        if (r == 0)
            keep_look(self, todo[i], seen, now(ctx));
    }
    free(seen);
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
