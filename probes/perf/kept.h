/*
 * The last whole stack of each thread: most of its next one is the same.
 *
 *   earlier   leaf ... f ─► g ─► h ─► main     bytes equal from `from` on
 *   now     leaf ... ─► x ─► g ─► h ─► main    g begins as it did then: its callers are known
 *
 * Where the copy of memory reaches as far as what was read then, that is certain. Where it ends
 * before, because a copy has a limit, the rest is taken to be what it was; it is only believed
 * if much of the stack, and several frames, are the same up to the end of the copy.
 *
 * Threads that share a slot push each other out. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_KEPT_H
#define ORMA_PROBES_PERF_KEPT_H
#include "probes/perf/record.h"
#include "probes/unwind/unwind.h"

#define ORMA_PERF_KEPT_SLOTS 128

/* Which thread, which mappings, which numbers: another of them, and nothing of it holds. */
struct orma_perf_kept_key {
    uint64_t version; /* of the process' mappings */
    uint32_t tid, age;
};

struct orma_perf_kept {
    struct orma_perf_kept_key key;
    uint8_t *bytes; /* `cap` of them, the last one lies below `end` */
    size_t cap;
    uint64_t start, end; /* the memory that was copied */
    uint64_t top;        /* nothing from there on was read */
    size_t num;
    struct orma_unwind_mark marks[ORMA_PERF_FRAMES_MAX]; /* leaf first */
    uint64_t frames[ORMA_PERF_FRAMES_MAX];               /* their numbers */
};

struct orma_perf_kepts {
    struct orma_perf_kept *slots[ORMA_PERF_KEPT_SLOTS]; /* NULL: not used yet */
};

void orma_perf_kepts_fini(struct orma_perf_kepts *self);

/* What is known of an earlier stack; false: nothing that would help. `ret->joined` is not set. */
bool orma_perf_kept_find(const struct orma_perf_kepts *self, const struct orma_perf_kept_key *key,
                         const struct orma_unwind_state *state, struct orma_unwind_past *ret);

/*
 * `joined` and what follows of the earlier stack, numbers behind the `num` that are there; `room`
 * for all. How many there are then.
 */
size_t orma_perf_kept_rest(const struct orma_perf_kepts *self, const struct orma_unwind_past *past,
                           const struct orma_perf_kept_key *key, uint64_t *frames, size_t num,
                           size_t room);

/*
 * A stack that was unwound to its end: `num` marks and numbers of its own, then, if `past` is not
 * NULL, what is joined. `memory` and `sp` are the copy; `top` is where its outermost frame begins.
 */
void orma_perf_kept_put(struct orma_perf_kepts *self, const struct orma_perf_kept_key *key,
                        const struct orma_unwind_past *past, const struct orma_unwind_mark *marks,
                        const uint64_t *frames, size_t num, const struct orma_unwind_state *memory,
                        uint64_t top);
#endif
