/*
 * Making and freeing central buffers and their sequences: in memory of the process, or in files of
 * a rescue folder. See buffer.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sdk/base/defs.h"
#include "traced/buffers/buffer_internal.h"
#include "traced/buffers/kept.h"

/*
 * A buffer begins anew when so much was written. A chunk that was read stays at least until as much
 * again was written: by then chunks that were committed out of order have come.
 */
#define REWIND_MIN ((size_t)1 << 20)
/* Buffers from this size on may use huge pages. */
#define HUGE_MIN ((size_t)16 << 20)
#define HUGE_FROM ((size_t)2 << 20)

/* A buffer has at most one sequence for so many of its bytes, and this many in any case. */
#define SEQ_SHARE 512
#define SEQS_MIN 256

static void *map_memory(size_t size)
{
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    /* First touches cost three times as much with small pages; touching ahead rounds up anyway. Not
     * the very first: a short recording would pay for two megabytes of zeros. */
    if (size >= HUGE_MIN) /* where there are none, small ones do */
        (void)madvise((uint8_t *)base + HUGE_FROM, size - HUGE_FROM, MADV_HUGEPAGE);
    return base;
}

/* False: there is no space for the sequences either. */
static bool map_in(struct traced_buffer *self, size_t size, struct traced_rescue_folder *folder,
                   const char *name, const char *seqs_name)
{
    size_t seqs = (size / SEQ_SHARE + SEQS_MIN) * orma_align_up(sizeof(struct traced_seq), 64);

    if (traced_rescue_map(folder, seqs_name, seqs, &self->seq_memory) < 0)
        return false;
    if (traced_rescue_map(folder, name, size, &self->memory) < 0) {
        traced_rescue_unmap(&self->seq_memory);
        return false;
    }
    self->base = self->memory.data;
    self->shared = (struct traced_rescue_buffer *)self->memory.head;
    return true;
}

static void publish_head(struct traced_buffer *self, size_t size, enum traced_policy policy)
{
    struct traced_rescue_buffer *head = self->shared;

    head->size = size;
    head->policy = policy;
    atomic_store_explicit(&head->limit, size, memory_order_relaxed);
    head->head = (struct traced_rescue_head){
        .version = TRACED_RESCUE_VERSION,
        .head_bytes = (uint32_t)traced_rescue_page(),
        .item_bytes = sizeof(struct traced_seq),
    };
    traced_rescue_barrier();
    head->head.kind = TRACED_RESCUE_BUFFER;
}

int traced_buffer_new(size_t size, enum traced_policy policy, struct traced_buffer **ret)
{
    return traced_buffer_new_in(size, policy, NULL, NULL, NULL, ret);
}

int traced_buffer_new_in(size_t size, enum traced_policy policy,
                         struct traced_rescue_folder *folder, const char *name,
                         const char *seqs_name, struct traced_buffer **ret)
{
    if (!size || size % 1024)
        return -EINVAL;

    struct traced_buffer *self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    self->shared = &self->unshared;
    if (!folder || !map_in(self, size, folder, name, seqs_name))
        self->base = map_memory(size);
    if (!self->base) {
        free(self);
        return -ENOMEM;
    }
    publish_head(self, size, policy);
    self->size = size;
    self->backed = self->memory.folder ? 0 : size;
    orma_list_init(&self->just_read);
    self->rewind_min = REWIND_MIN;
    self->policy = policy;
    orma_list_init(&self->seqs);
    orma_list_init(&self->ready);
    orma_list_init(&self->stalled);
    *ret = self;
    return 0;
}

static void seq_free(struct traced_seq *seq)
{
    orma_list_remove(&seq->link);
    orma_list_remove(&seq->ready_link);
    orma_list_remove(&seq->producer_link);
    orma_list_remove(&seq->touch_link);
    traced_kept_free(seq);
    free(seq->refs);
    if (!seq->in_rescue)
        free(seq);
}

void traced_buffer_free(struct traced_buffer *self)
{
    if (!self)
        return;
    ORMA_LIST_EACH (struct traced_seq, seq, &self->seqs, link)
        seq_free(seq);
    orma_map_fini(&self->seqs_by_key);
    orma_map_fini(&self->producers);
    if (self->memory.folder) {
        self->memory.data = self->base; /* NULL: it was taken */
        traced_rescue_unmap(&self->memory);
    } else if (self->base) {
        (void)munmap(self->base, self->size); /* cannot fail: our own mapping */
    }
    traced_rescue_unmap(&self->seq_memory);
    free(self->slices);
    free(self->scratch);
    free(self);
}

void *traced_buffer_take_memory(struct traced_buffer *self)
{
    void *base = self->base;

    self->base = NULL;
    return base;
}

static uint64_t seq_key(uint16_t producer_id, uint16_t writer_id)
{
    return (uint64_t)producer_id << 16 | writer_id;
}

struct traced_seq *traced_buffer_find(const struct traced_buffer *self, uint16_t producer_id,
                                      uint16_t writer_id)
{
    return orma_map_get_ptr(&self->seqs_by_key, seq_key(producer_id, writer_id));
}

/* A place for the next one, zeroed: in the file, if there is one and it has space. */
static struct traced_seq *alloc_seq(struct traced_buffer *self, bool *ret_in_rescue)
{
    size_t each = orma_align_up(sizeof(struct traced_seq), 64);
    size_t num = atomic_load_explicit(&self->shared->seqs_num, memory_order_relaxed);

    *ret_in_rescue = false;
    if (self->seq_memory.folder) {
        traced_rescue_back(&self->seq_memory, (num + 1) * each);
        *ret_in_rescue = (num + 1) * each <= self->seq_memory.limit;
    }
    struct traced_seq *seq = *ret_in_rescue
                                 ? (struct traced_seq *)(self->seq_memory.data + num * each)
                                 : aligned_alloc(64, each);
    if (seq)
        memset(seq, 0, sizeof(*seq));
    return seq;
}

struct traced_seq *traced_buffer_seq(struct traced_buffer *self, uint16_t producer_id,
                                     uint16_t writer_id)
{
    struct traced_seq *seq = traced_buffer_find(self, producer_id, writer_id);

    if (seq)
        return seq;
    if (self->seqs_num >= self->size / SEQ_SHARE + SEQS_MIN)
        return NULL; /* rule 9: what writers cost besides the buffer is bounded by its size */
    bool in_rescue;
    seq = alloc_seq(self, &in_rescue);
    if (!seq || orma_map_put(&self->producers, producer_id, 1) < 0 ||
        orma_map_put_ptr(&self->seqs_by_key, seq_key(producer_id, writer_id), seq) < 0) {
        if (!in_rescue)
            free(seq);
        return NULL;
    }
    seq->in_rescue = in_rescue;
    seq->buf = self;
    seq->producer_id = producer_id;
    seq->writer_id = writer_id;
    seq->ledger.emitted = UINT64_MAX;
    orma_list_insert(&self->seqs, &seq->link);
    self->seqs_num++;
    if (in_rescue) {
        traced_rescue_barrier();
        atomic_fetch_add_explicit(&self->shared->seqs_num, 1, memory_order_relaxed);
    }
    return seq;
}

/* ---- after the death of the service ---- */

void traced_buffer_note_target(struct traced_buffer *self, uint32_t target)
{
    self->shared->target = target;
}

void traced_buffer_leave_folder(struct traced_buffer *self)
{
    traced_rescue_leave(&self->memory);
    traced_rescue_leave(&self->seq_memory);
}

void traced_buffer_keep_read(struct traced_buffer *self)
{
    self->keeps_read = self->memory.folder != NULL; /* otherwise it is of no use */
}
