#include "traced/config/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sdk/base/defs.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

struct traced_name {
    struct orma_str text;
    uint32_t same_hash; /* an earlier name with the same hash; TRACED_NAMES_NONE: none */
};

uint64_t traced_names_hash(uint64_t *secret, struct orma_str name)
{
    while (!*secret)
        (void)!getrandom(secret, sizeof(*secret), 0); /* 8 bytes are never cut short */
    uint64_t hash = orma_mix64(*secret ^ name.len);
    for (size_t at = 0; at < name.len; at += 8) {
        uint64_t word = 0;

        memcpy(&word, name.data + at, ORMA_MIN(name.len - at, (size_t)8));
        hash = orma_mix64((hash ^ word) * (*secret | 1)) + *secret;
    }
    return hash;
}

static uint32_t find(const struct traced_names *self, struct orma_str name, uint64_t hash)
{
    uint64_t head = orma_map_get(&self->heads, hash);

    if (head == ORMA_MAP_NONE)
        return TRACED_NAMES_NONE;
    for (uint32_t i = (uint32_t)head; i != TRACED_NAMES_NONE; i = self->items[i].same_hash)
        if (orma_str_eq(self->items[i].text, name))
            return i;
    return TRACED_NAMES_NONE;
}

uint32_t traced_names_find(const struct traced_names *self, struct orma_str name)
{
    uint64_t secret = self->secret;

    return self->num ? find(self, name, traced_names_hash(&secret, name)) : TRACED_NAMES_NONE;
}

int traced_names_add(struct traced_names *self, struct orma_str name, uint32_t *ret_idx)
{
    uint64_t hash = traced_names_hash(&self->secret, name);
    uint32_t idx = find(self, name, hash);
    bool is_new = idx == TRACED_NAMES_NONE;

    if (is_new) {
        uint64_t head = orma_map_get(&self->heads, hash);

        if (ORMA_GROW(&self->items, &self->cap, self->num + (size_t)1) ||
            orma_map_put(&self->heads, hash, self->num) < 0)
            return -ENOMEM;
        idx = self->num++;
        self->items[idx] =
            (struct traced_name){name, head == ORMA_MAP_NONE ? TRACED_NAMES_NONE : (uint32_t)head};
    }
    if (ret_idx)
        *ret_idx = idx;
    return is_new;
}

void traced_names_fini(struct traced_names *self)
{
    orma_map_fini(&self->heads);
    free(self->items);
    *self = (struct traced_names){0};
}
