/*
 * A slot keeps its bytes at the end of a buffer, so that a stack that grows and shrinks at its
 * lower end, as stacks do, is copied only as far as it has changed.
 */
#include "probes/perf/kept.h"

#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"

#define STEP 256u
#define CAP_MIN 4096u
/* So much must be the same before a copy that ends there, for its callers to be believed. */
#define EVIDENCE_BYTES 1024u
#define EVIDENCE_FRAMES 4u

void orma_perf_kepts_fini(struct orma_perf_kepts *self)
{
    for (size_t i = 0; i < ORMA_PERF_KEPT_SLOTS; i++) {
        if (self->slots[i])
            free(self->slots[i]->bytes);
        free(self->slots[i]);
        self->slots[i] = NULL;
    }
}

static struct orma_perf_kept *const *slot_of(const struct orma_perf_kepts *self, uint32_t tid)
{
    return &self->slots[tid % ORMA_PERF_KEPT_SLOTS];
}

static const struct orma_perf_kept *kept_of(const struct orma_perf_kepts *self,
                                            const struct orma_perf_kept_key *key)
{
    const struct orma_perf_kept *kept = *slot_of(self, key->tid);

    return kept && kept->num && kept->key.tid == key->tid && kept->key.age == key->age &&
                   kept->key.version == key->version
               ? kept
               : NULL;
}

/* Where the byte of that address is, or would be. */
static const uint8_t *byte_at(const struct orma_perf_kept *kept, uint64_t address)
{
    return kept->bytes + kept->cap - (kept->end - address);
}

/* How much of the two is the same, from the ends backwards. */
static size_t equal_backwards(const uint8_t *a_end, const uint8_t *b_end, size_t len)
{
    size_t n = 0;

    while (len - n >= STEP && !memcmp(a_end - n - STEP, b_end - n - STEP, STEP))
        n += STEP;
    while (len - n >= 8 && !memcmp(a_end - n - 8, b_end - n - 8, 8))
        n += 8;
    return n;
}

static bool has_evidence(const struct orma_perf_kept *kept, uint64_t from, uint64_t end,
                         uint64_t *ret_until)
{
    size_t i = kept->num, in = 0;

    while (i > 0 && kept->marks[i - 1].sp >= end)
        i--;
    while (i > 0 && in < EVIDENCE_FRAMES && kept->marks[i - 1].sp >= from) {
        i--;
        in++;
    }
    if (in < EVIDENCE_FRAMES || end - from < EVIDENCE_BYTES)
        return false;
    *ret_until = ORMA_MIN(kept->marks[i].sp, end - EVIDENCE_BYTES);
    return true;
}

bool orma_perf_kept_find(const struct orma_perf_kepts *self, const struct orma_perf_kept_key *key,
                         const struct orma_unwind_state *state, struct orma_unwind_past *ret)
{
    const struct orma_perf_kept *kept = kept_of(self, key);
    uint64_t start = state->stack_address, end = start + state->stack_len;

    if (!kept || end <= kept->start || kept->end <= start)
        return false;
    end = ORMA_MIN(end, kept->end);
    start = ORMA_MAX(start, kept->start);
    size_t same = equal_backwards(state->stack + (end - state->stack_address), byte_at(kept, end),
                                  (size_t)(end - start));
    *ret = (struct orma_unwind_past){.marks = kept->marks,
                                     .num = kept->num,
                                     .from = end - same,
                                     .until = UINT64_MAX,
                                     .unseen = end < kept->top};
    return same && (!ret->unseen || has_evidence(kept, ret->from, end, &ret->until));
}

size_t orma_perf_kept_rest(const struct orma_perf_kepts *self, const struct orma_unwind_past *past,
                           const struct orma_perf_kept_key *key, uint64_t *frames, size_t num,
                           size_t room)
{
    const struct orma_perf_kept *kept = *slot_of(self, key->tid);
    size_t add = ORMA_MIN(kept->num - past->joined, room - num);

    memcpy(frames + num, kept->frames + past->joined, add * sizeof(*frames));
    return num + add;
}

/* ---- keeping ---- */

static bool reserve(struct orma_perf_kept *kept, size_t len)
{
    size_t cap = ORMA_MAX(kept->cap, (size_t)CAP_MIN);

    while (cap < len)
        cap *= 2;
    if (cap == kept->cap)
        return true;
    free(kept->bytes);
    kept->bytes = malloc(cap);
    kept->cap = kept->bytes ? cap : 0;
    kept->start = kept->end = 0; /* nothing in it */
    return kept->bytes;
}

/* `from`: what is kept is the same from there on. */
static void keep_bytes(struct orma_perf_kept *kept, const struct orma_unwind_state *memory,
                       uint64_t from)
{
    uint64_t start = memory->stack_address, end = start + memory->stack_len;

    if (end != kept->end || from < start || from > end)
        from = end;
    kept->start = start;
    kept->end = end;
    memcpy((uint8_t *)byte_at(kept, start), memory->stack, (size_t)(from - start));
}

static struct orma_perf_kept *slot_for(struct orma_perf_kepts *self, uint32_t tid)
{
    struct orma_perf_kept **slot = (struct orma_perf_kept **)slot_of(self, tid);

    if (!*slot)
        *slot = calloc(1, sizeof(**slot));
    return *slot;
}

void orma_perf_kept_put(struct orma_perf_kepts *self, const struct orma_perf_kept_key *key,
                        const struct orma_unwind_past *past, const struct orma_unwind_mark *marks,
                        const uint64_t *frames, size_t num, const struct orma_unwind_state *memory,
                        uint64_t top)
{
    struct orma_perf_kept *kept = slot_for(self, key->tid);
    size_t joined = past ? past->joined : 0, rest = past ? kept->num - joined : 0;

    if (!kept || num + rest > ORMA_PERF_FRAMES_MAX || !reserve(kept, memory->stack_len)) {
        if (kept)
            kept->num = 0;
        return;
    }
    keep_bytes(kept, memory, past ? past->from : UINT64_MAX);
    if (rest) {
        memmove(kept->marks + num, kept->marks + joined, rest * sizeof(*marks));
        memmove(kept->frames + num, kept->frames + joined, rest * sizeof(*frames));
    } else {
        kept->top = top;
    }
    memcpy(kept->marks, marks, num * sizeof(*marks));
    memcpy(kept->frames, frames, num * sizeof(*frames));
    kept->num = num + rest;
    kept->key = *key;
}
