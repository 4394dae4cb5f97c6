/*
 * The ring holds pointers to counts, one for each name that is in it; a count is
 * freed with the last of its items. Names of one hash are chained, so that
 * whoever chooses the names can't merge two of them.
 */
#include "traced/sessions/trigger_history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sdk/base/hash.h"
#include "traced/config/names.h"

#define DAY_NS ((uint64_t)24 * 3600 * 1000000000)

/* Of one name in the history. */
struct traced_trigger_count {
    struct traced_trigger_count *same_hash;
    uint64_t hash;
    uint32_t num;
    size_t len;
    char name[];
};

static struct traced_trigger_count *find_count(const struct traced_trigger_history *h,
                                               struct orma_str name, uint64_t hash)
{
    struct traced_trigger_count *c = orma_map_get_ptr(&h->counts, hash);

    while (c && (c->len != name.len || memcmp(c->name, name.data, name.len)))
        c = c->same_hash;
    return c;
}

static void free_count(struct traced_trigger_history *h, struct traced_trigger_count *c)
{
    struct traced_trigger_count *at = orma_map_get_ptr(&h->counts, c->hash);

    if (at != c) {
        while (at->same_hash != c)
            at = at->same_hash;
        at->same_hash = c->same_hash;
    } else if (c->same_hash) {
        (void)orma_map_put_ptr(&h->counts, c->hash, c->same_hash); /* replaces: needs no memory */
    } else {
        orma_map_take(&h->counts, c->hash);
    }
    free(c);
}

static void forget_oldest(struct traced_trigger_history *h)
{
    struct traced_trigger_count *c = h->items[h->head++ % TRACED_TRIGGER_HISTORY_MAX].count;

    h->len--;
    if (--c->num == 0)
        free_count(h, c);
}

uint32_t traced_trigger_history_count(struct traced_trigger_history *h, struct orma_str name,
                                      uint64_t now)
{
    while (h->len && now - h->items[h->head % TRACED_TRIGGER_HISTORY_MAX].ts >= DAY_NS)
        forget_oldest(h);
    const struct traced_trigger_count *c = find_count(h, name, traced_names_hash(&h->secret, name));
    return c ? c->num : 0;
}

static struct traced_trigger_count *new_count(struct traced_trigger_history *h,
                                              struct orma_str name, uint64_t hash)
{
    struct traced_trigger_count *c = malloc(sizeof(*c) + name.len);

    if (!c)
        return NULL;
    *c = (struct traced_trigger_count){orma_map_get_ptr(&h->counts, hash), hash, 0, name.len};
    memcpy(c->name, name.data, name.len);
    if (orma_map_put_ptr(&h->counts, hash, c) == 0)
        return c;
    free(c);
    return NULL;
}

void traced_trigger_history_add(struct traced_trigger_history *h, struct orma_str name,
                                uint64_t now)
{
    uint64_t hash = traced_names_hash(&h->secret, name);

    if (h->len == TRACED_TRIGGER_HISTORY_MAX)
        forget_oldest(h);
    struct traced_trigger_count *c = find_count(h, name, hash);
    if (!c)
        c = new_count(h, name, hash);
    if (!c)
        return; /* no memory: not counted */
    c->num++;
    uint32_t at = (h->head + h->len++) % TRACED_TRIGGER_HISTORY_MAX;
    h->items[at].ts = now;
    h->items[at].count = c;
}

void traced_trigger_history_fini(struct traced_trigger_history *self)
{
    while (self->len)
        forget_oldest(self);
    orma_map_fini(&self->counts);
}

double traced_trigger_history_draw(struct traced_trigger_history *self)
{
    while (!self->random)
        (void)!getrandom(&self->random, sizeof(self->random), 0); /* 8 bytes are never cut short */
    self->random = orma_mix64(self->random + 0x9e3779b97f4a7c15u);
    return (double)(self->random >> 11) / (double)(UINT64_C(1) << 53);
}
