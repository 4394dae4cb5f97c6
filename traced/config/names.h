/*
 * Names with a number each, found by hash and compared by their bytes.
 *
 * Names are not copied and must outlive the table. Numbers count from 0 in the
 * order of adding. The hash of each table is seeded with a secret of its own, so that
 * whoever chooses the names can't make them collide.
 * Zero-initialised is an empty table. Threads: none.
 */
#ifndef ORMA_TRACED_CONFIG_NAMES_H
#define ORMA_TRACED_CONFIG_NAMES_H
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/map.h"
#include "sdk/base/str.h"

#define TRACED_NAMES_NONE UINT32_MAX

struct traced_names {
    struct orma_map heads; /* hash -> number of the last name that has it */
    struct traced_name *items;
    uint32_t num, cap;
    uint64_t secret;
};

void traced_names_fini(struct traced_names *self);

/*
 * The hash of the tables. Each word is mixed with the secret, so that collisions
 * can't be worked out ahead. A secret of 0 is replaced by a random one first.
 */
uint64_t traced_names_hash(uint64_t *secret, struct orma_str name);

/* 1: added, 0: it is there already; *ret_idx its number (may be NULL). -ENOMEM. */
int traced_names_add(struct traced_names *self, struct orma_str name, uint32_t *ret_idx);

/* Its number, or TRACED_NAMES_NONE. */
uint32_t traced_names_find(const struct traced_names *self, struct orma_str name);
#endif
