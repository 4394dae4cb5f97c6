/*
 * The regular expressions of one session, asked about names of producers.
 *
 * Each pattern is compiled once, and matched once for each producer: the answer
 * is kept until the producer goes away. Patterns that take many steps
 * share a budget; when it is used up, they match nothing any more (rule 26 of
 * docs/service.md).
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_CONFIG_PATTERNS_H
#define ORMA_TRACED_CONFIG_PATTERNS_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/map.h"
#include "traced/config/names.h"
#include "traced/config/regex.h"

#define TRACED_PATTERNS_MAX 128
/* Memory of all compiled patterns: nested counts make short patterns large. */
#define TRACED_PATTERNS_BYTES_MAX ((size_t)1 << 20)
/* What each match may take beside the budget: enough for any pattern that is meant for names. */
#define TRACED_PATTERN_STEPS 400
/* The same for a match that takes more, and for all of those together. */
#define TRACED_PATTERN_STEPS_MAX 10000
#define TRACED_PATTERNS_BUDGET 200000

struct traced_patterns {
    struct traced_names names; /* the text of each */
    char *texts[TRACED_PATTERNS_MAX];
    struct traced_regex *items[TRACED_PATTERNS_MAX];
    size_t bytes;
    struct orma_map verdicts; /* producer id -> struct verdicts */
    uint32_t budget_used;
    bool exhausted;   /* to be logged by the caller */
    uint64_t matches; /* that were not answered from memory */
    uint64_t steps;
};

void traced_patterns_fini(struct traced_patterns *self);

/* -EINVAL: the pattern is unusable, `error` has the reason. -ENOMEM. */
int traced_patterns_add(struct traced_patterns *self, const char *pattern, uint32_t *ret_idx,
                        struct orma_buf *error);

bool traced_patterns_match(struct traced_patterns *self, uint32_t idx, uint16_t producer_id,
                           const char *producer_name);

/* The producer is gone; its id may come again. */
void traced_patterns_forget(struct traced_patterns *self, uint16_t producer_id);
#endif
