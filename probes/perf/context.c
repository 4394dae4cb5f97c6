#include "probes/perf/context.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/core/proc_parse.h"
#include "probes/perf/peek.h"
#include "probes/perf/prompt.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/mapped.h"

#define PAGE ORMA_PERF_PEEK_PAGE
#define CPUS_MAX 1024u
#define OPEN_MAX_NUM 256u
#define PEEK_MS 2000
#define MAPS_MAX (4u << 20)
#define LOOK_MIN_NS UINT64_C(1000000000)
#define LOOK_MAX_NS UINT64_C(16000000000)
#define FILES_MAX 64u
#define THREADS_MAX 65536u

struct orma_perf_context {
    struct orma_perf_contexts *owner; /* NULL: it has ended */
    uint32_t pid;
    uint64_t next_ns, wait_ns; /* when it is looked at again; CLOCK_MONOTONIC */
    uint64_t mapping;          /* where it publishes; 0: not found */
    uint64_t published_ns;     /* what was told last */
    uint64_t version;          /* of the mappings that were searched for the variable */
    bool has_place;
    struct orma_otel_place place;
    uint64_t bias;
    int mem; /* /proc/PID/mem */
    uint64_t key;
    atomic_bool silent;       /* a read never ended: nobody tries again */
    struct orma_map lists;    /* tid -> its list of robust locks, */
    struct orma_map pointers; /* and the thread pointer that was found from it */
};

/* Memory of a process, read through one child. */
struct reader {
    struct orma_perf_peek **peek;
    struct orma_perf_context *context;
};

struct orma_perf_contexts {
    struct orma_perf_processes *processes;
    struct orma_perf_rings *rings;   /* NULL: they cannot be watched */
    struct orma_perf_prompt *prompt; /* from the first process on that publishes */
    struct orma_perf_peek *peek;
    struct orma_buf payload;
    uint64_t keys;
    unsigned open_num;
    struct orma_map all; /* struct orma_perf_context *, of all processes */
    /* With the lock of `prompt`: */
    struct orma_map by_pid; /* those whose threads can be read */
    struct orma_perf_peek *peeks[CPUS_MAX];
};

/* ---- memory ---- */

static void tell_silent(struct orma_perf_context *self)
{
    if (!atomic_exchange_explicit(&self->silent, true, memory_order_relaxed))
        orma_log_warn("linux.perf: samples of process %u have no trace ids from now on: reading "
                      "its memory does not finish",
                      self->pid);
}

static bool read_memory(void *ctx, uint64_t address, void *to, size_t len)
{
    const struct reader *r = ctx;
    struct orma_perf_context *c = r->context;
    const struct orma_perf_peek_of of = {c->key, c->mem};
    uint8_t *at = to;

    if (!*r->peek)
        *r->peek = orma_perf_peek_new(PEEK_MS);
    while (len) {
        const uint64_t base = address & ~(uint64_t)(PAGE - 1);
        const size_t offset = (size_t)(address - base), part = ORMA_MIN(len, PAGE - offset);
        const uint8_t *page;
        uint32_t there;

        if (!*r->peek || atomic_load_explicit(&c->silent, memory_order_relaxed))
            return false;
        int res = orma_perf_peek_read(*r->peek, of, &base, 1, &page, &there);
        if (res == -ETIMEDOUT)
            tell_silent(c);
        if (res < 0 || !(there & 1))
            return false;
        memcpy(at, page + offset, part);
        at += part;
        address += part;
        len -= part;
    }
    return true;
}

static bool open_memory(struct orma_perf_contexts *self, struct orma_perf_context *c)
{
    char path[32];

    if (c->mem >= 0)
        return true;
    if (self->open_num >= OPEN_MAX_NUM)
        return false;
    snprintf(path, sizeof(path), "%u/mem", c->pid);
    c->mem = openat(self->processes->proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (c->mem < 0)
        return false;
    self->open_num++;
    c->key = ++self->keys;
    return true;
}

/* ---- threads ---- */

/* The same list is in the same block: then its thread pointer is known. */
static uint64_t pointer_of(struct orma_perf_context *c, const struct orma_otel_memory *memory,
                           uint32_t tid)
{
    void *list = NULL;
    size_t len;

    if (syscall(SYS_get_robust_list, (int)tid, &list, &len) < 0 || !list)
        return 0;
    if (orma_map_get(&c->lists, tid) == (uintptr_t)list)
        return orma_map_get(&c->pointers, tid);
    uint64_t pointer = orma_otel_thread_pointer(memory, (uintptr_t)list);
    if (c->lists.len >= THREADS_MAX) {
        orma_map_clear(&c->lists);
        orma_map_clear(&c->pointers);
    }
    /* Else it is sought again. */
    if (pointer && orma_map_put(&c->pointers, tid, pointer) == 0)
        (void)orma_map_put(&c->lists, tid, (uintptr_t)list);
    return pointer;
}

/* What the thread of prompt.h does, when it hears of a sample. */
static bool read_promptly(void *ctx, uint32_t pid, uint32_t tid, struct orma_buf *ret)
{
    struct orma_perf_contexts *self = ctx;
    struct orma_perf_context *c = orma_map_get_ptr(&self->by_pid, pid);
    struct orma_otel_ids ids;

    if (!c)
        return false;
    /* To change over to a process on the same cpu is quick, to wake up another cpu is not. */
    struct reader r = {&self->peeks[(unsigned)sched_getcpu() % CPUS_MAX], c};
    const struct orma_otel_memory memory = {read_memory, &r};
    uint64_t pointer = pointer_of(c, &memory, tid);
    if (!pointer || !orma_otel_thread_read(&memory, &c->place, c->bias, pointer, &ids))
        return false;
    orma_buf_put(ret, &ids, sizeof(ids));
    return true;
}

/* ---- processes ---- */

static void withdraw(struct orma_perf_context *c)
{
    if (!c->owner)
        return;
    orma_perf_prompt_lock(c->owner->prompt);
    if (orma_map_get_ptr(&c->owner->by_pid, c->pid) == c)
        (void)orma_map_take(&c->owner->by_pid, c->pid);
    orma_perf_prompt_unlock(c->owner->prompt);
}

/* From now on lookers read its threads. */
static void publish(struct orma_perf_contexts *self, struct orma_perf_context *c)
{
    if (!self->prompt && self->rings &&
        orma_perf_prompt_new(self->rings, read_promptly, self, &self->prompt) < 0)
        self->rings = NULL; /* then nobody reads them */
    orma_perf_prompt_lock(self->prompt);
    (void)orma_map_put_ptr(&self->by_pid, c->pid, c); /* -ENOMEM: its samples have no ids */
    orma_perf_prompt_unlock(self->prompt);
}

static struct orma_perf_context *context_new(struct orma_perf_contexts *self, uint32_t pid)
{
    struct orma_perf_context *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->owner = self;
    c->pid = pid;
    c->mem = -1;
    c->wait_ns = LOOK_MIN_NS;
    if (orma_map_put_ptr(&self->all, (uintptr_t)c, c) == 0)
        return c;
    free(c);
    return NULL;
}

void orma_perf_context_free(struct orma_perf_context *self)
{
    if (!self)
        return;
    withdraw(self);
    if (self->owner) {
        self->owner->open_num -= self->mem >= 0;
        (void)orma_map_take(&self->owner->all, (uintptr_t)self);
    }
    orma_fd_close(&self->mem);
    orma_map_fini(&self->lists);
    orma_map_fini(&self->pointers);
    free(self);
}

/* Where the variable of its threads is. */
static void find_place(struct orma_perf_contexts *self, struct orma_perf_process *process,
                       struct orma_perf_context *c, const struct orma_otel_memory *memory)
{
    c->version = process->version;
    for (size_t i = 0; i < process->mappings_num && i < FILES_MAX; i++) {
        const struct orma_perf_mapping *m = &process->mappings[i];

        orma_perf_files_load(&self->processes->files, m->file, process->pid);
        if (!m->file->elf.map ||
            !orma_otel_thread_place(orma_mapped_data(m->file->elf.map),
                                    orma_mapped_size(m->file->elf.map), &c->place))
            continue;
        c->bias = m->start - m->offset - m->file->elf.load_bias;
        orma_otel_thread_settle(memory, c->bias, &c->place);
        c->has_place = true;
        publish(self, c);
        return;
    }
}

static void find_mapping(struct orma_perf_contexts *self, struct orma_perf_context *c)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf maps = {0};

    if (orma_proc_read(self->processes->proc_fd, (int32_t)c->pid, "maps", MAPS_MAX, &maps))
        c->mapping = orma_otel_process_find(orma_buf_str(&maps));
}

static const struct orma_buf *look(struct orma_perf_contexts *self,
                                   struct orma_perf_process *process, struct orma_perf_context *c)
{
    struct reader r = {&self->peek, c};
    const struct orma_otel_memory memory = {read_memory, &r};
    uint64_t published_ns;

    if (!c->mapping)
        find_mapping(self, c);
    if (!c->mapping || !open_memory(self, c))
        return NULL;
    if (!orma_otel_process_read(&memory, c->mapping, &published_ns, &self->payload)) {
        c->mapping = 0; /* it is sought again, in case that it moved */
        return NULL;
    }
    c->wait_ns = LOOK_MIN_NS;
    if (!c->has_place && c->version != process->version)
        find_place(self, process, c, &memory);
    if (published_ns == c->published_ns)
        return NULL;
    c->published_ns = published_ns;
    return &self->payload;
}

const struct orma_buf *orma_perf_context_look(struct orma_perf_contexts *self,
                                              struct orma_perf_process *process)
{
    struct orma_perf_context *c = process->context;
    const uint64_t now_ns = orma_clock_monotonic();

    if (!c)
        c = process->context = context_new(self, process->pid);
    if (!c || now_ns < c->next_ns)
        return NULL;
    c->next_ns = now_ns + c->wait_ns;
    c->wait_ns = ORMA_MIN(c->wait_ns * 2, LOOK_MAX_NS);
    return look(self, process, c);
}

bool orma_perf_context_ids(struct orma_perf_contexts *self, const struct orma_perf_process *process,
                           const struct orma_perf_record *record, struct orma_otel_ids *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf kept = {0};

    if (!process->context || !process->context->has_place ||
        !orma_perf_prompt_take(self->prompt, record->tid, record->time, &kept))
        return false;
    memcpy(ret, kept.data, sizeof(*ret));
    return true;
}

/* ---- life ---- */

struct orma_perf_contexts *orma_perf_contexts_new(struct orma_perf_processes *processes,
                                                  struct orma_perf_rings *rings)
{
    struct orma_perf_contexts *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->processes = processes;
    self->rings = rings;
    return self;
}

void orma_perf_contexts_free(struct orma_perf_contexts *self)
{
    if (!self)
        return;
    orma_perf_prompt_free(self->prompt);
    orma_perf_peek_free(self->peek);
    for (size_t i = 0; i < CPUS_MAX; i++)
        orma_perf_peek_free(self->peeks[i]);
    ORMA_MAP_EACH (slot, &self->all) {
        struct orma_perf_context *c = (struct orma_perf_context *)(uintptr_t)slot->val;

        c->owner = NULL;
    }
    orma_map_fini(&self->all);
    orma_map_fini(&self->by_pid);
    orma_buf_fini(&self->payload);
    free(self);
}
