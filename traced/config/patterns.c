#include "traced/config/patterns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"

#define WORDS (TRACED_PATTERNS_MAX / 64)

/* What is known about one producer, a bit for each pattern. */
struct verdicts {
    uint64_t known[WORDS], yes[WORDS];
};

void traced_patterns_fini(struct traced_patterns *self)
{
    ORMA_MAP_EACH (slot, &self->verdicts)
        free((void *)(uintptr_t)slot->val);
    orma_map_fini(&self->verdicts);
    for (uint32_t i = 0; i < self->names.num; i++) {
        traced_regex_free(self->items[i]);
        free(self->texts[i]);
    }
    traced_names_fini(&self->names);
}

int traced_patterns_add(struct traced_patterns *self, const char *pattern, uint32_t *ret_idx,
                        struct orma_buf *error)
{
    ORMA_AUTO(traced_regex_free_p) struct traced_regex *regex = NULL;
    struct orma_str name = orma_str_from(pattern);

    *ret_idx = traced_names_find(&self->names, name);
    if (*ret_idx != TRACED_NAMES_NONE)
        return 0;
    if (self->names.num == TRACED_PATTERNS_MAX) {
        orma_buf_printf(error, "more than %d different regular expressions", TRACED_PATTERNS_MAX);
        return -EINVAL;
    }
    int r = traced_regex_new(pattern, &regex, error);
    if (r < 0)
        return r;
    if (self->bytes + traced_regex_size(regex) > TRACED_PATTERNS_BYTES_MAX) {
        orma_buf_put_str(error, "the regular expressions need more than 1 MiB of memory");
        return -EINVAL;
    }
    char *text = strdup(pattern);
    r = text ? traced_names_add(&self->names, orma_str_from(text), ret_idx) : -ENOMEM;
    if (r < 0) {
        free(text);
        return r;
    }
    self->texts[*ret_idx] = text;
    self->bytes += traced_regex_size(regex);
    self->items[*ret_idx] = ORMA_STEAL(regex);
    return 0;
}

/* Takes what goes beyond the usual from the budget. */
static bool match(struct traced_patterns *self, uint32_t idx, const char *name)
{
    uint32_t left = TRACED_PATTERNS_BUDGET - self->budget_used, steps;
    uint32_t max = TRACED_PATTERN_STEPS + ORMA_MIN(left, (uint32_t)TRACED_PATTERN_STEPS_MAX);
    bool found = traced_regex_matches(self->items[idx], name, max, &steps);

    self->matches++;
    self->steps += steps;
    if (steps <= TRACED_PATTERN_STEPS)
        return found;
    self->budget_used += ORMA_MIN(steps - TRACED_PATTERN_STEPS, left);
    self->exhausted = self->budget_used == TRACED_PATTERNS_BUDGET;
    return found;
}

/* Not there yet: made; NULL: no memory. */
static struct verdicts *verdicts_of(struct traced_patterns *self, uint16_t producer_id)
{
    struct verdicts *v = orma_map_get_ptr(&self->verdicts, producer_id);

    if (v)
        return v;
    v = calloc(1, sizeof(*v));
    if (v && orma_map_put_ptr(&self->verdicts, producer_id, v) == 0)
        return v;
    free(v);
    return NULL;
}

bool traced_patterns_match(struct traced_patterns *self, uint32_t idx, uint16_t producer_id,
                           const char *producer_name)
{
    ORMA_ASSERT(idx < self->names.num); /* as traced_patterns_add() gave it */
    struct verdicts *v = verdicts_of(self, producer_id);
    uint64_t bit = UINT64_C(1) << idx % 64;
    uint32_t word = idx / 64;

    if (v && v->known[word] & bit)
        return v->yes[word] & bit;
    bool found = match(self, idx, producer_name);
    if (v) {
        v->known[word] |= bit;
        v->yes[word] |= found ? bit : 0;
    }
    return found;
}

void traced_patterns_forget(struct traced_patterns *self, uint16_t producer_id)
{
    uint64_t val = orma_map_take(&self->verdicts, producer_id);

    if (val != ORMA_MAP_NONE)
        free((void *)(uintptr_t)val);
}
