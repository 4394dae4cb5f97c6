/* Open addressing with linear probing over 32-bit ids; the hash is kept beside each text, so a
 * rehash touches no text. */
#include "processor/store/strpool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/base/hash.h"
#include "sdk/base/huge.h"

#define SLOTS_FIRST 1024
#define TEXT_MAX ((size_t)1 << 28)

ORMA_COLD static uint32_t fail(struct orma_strpool *self)
{
    *self->failed = true;
    return 0;
}

int orma_strpool_init(struct orma_strpool *self, bool *failed)
{
    *self = (struct orma_strpool){
        .failed = failed, .len = 1, .cap = SLOTS_FIRST / 2, .seed = orma_hash_seed()};
    self->texts = calloc(self->cap, sizeof(*self->texts));
    self->slots = calloc(SLOTS_FIRST, sizeof(*self->slots));
    self->slots_mask = SLOTS_FIRST - 1;
    if (!self->texts || !self->slots || orma_strpool_add(self, ORMA_STR("")) != ORMA_STR_EMPTY)
        return -ENOMEM;
    return 0;
}

void orma_strpool_fini(struct orma_strpool *self)
{
    orma_arena_fini(&self->bytes);
    free(self->texts);
    free(self->slots);
    *self = (struct orma_strpool){0};
}

static bool rehash(struct orma_strpool *self)
{
    uint32_t mask = self->slots_mask * 2 + 1;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof(*slots));
    struct orma_strpool_text *texts = realloc(self->texts, ((size_t)mask + 1) / 2 * sizeof(*texts));

    if (texts) {
        self->texts = texts;
        self->cap = (mask + 1) / 2;
    }
    if (!slots || !texts) {
        free(slots);
        return false;
    }
    orma_huge_ask(slots, ((size_t)mask + 1) * sizeof(*slots)); /* they are filled at random */
    for (uint32_t id = 1; id < self->len; id++) {
        uint32_t at = texts[id].hash & mask;

        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = id;
    }
    free(self->slots);
    self->slots = slots;
    self->slots_mask = mask;
    return true;
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t *slot_of(const struct orma_strpool *self, struct orma_str s, uint32_t hash)
{
    uint32_t at = hash & self->slots_mask;

    for (; self->slots[at]; at = (at + 1) & self->slots_mask) {
        const struct orma_strpool_text *t = &self->texts[self->slots[at]];

        if ((t->hash & ~ORMA_STRPOOL_ZERO) == hash && t->len == s.len &&
            !memcmp(t->data, s.data, s.len))
            break;
    }
    return &self->slots[at];
}

/* Both halves of the product, folded. */
static inline uint64_t mix_pair(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    return orma_mix64(orma_mix64(a) ^ b);
#endif
}

/* Up to eight bytes as a number. */
static inline uint64_t load(const char *p, size_t len)
{
    uint64_t word = 0;
    uint32_t low, high;

    if (len >= 8) {
        memcpy(&word, p, 8);
    } else if (len >= 4) { /* the halves may overlap */
        memcpy(&low, p, 4);
        memcpy(&high, p + len - 4, 4);
        word = (uint64_t)high << 32 | low;
    } else if (len) {
        word = (uint64_t)(uint8_t)p[0] << 16 | (uint64_t)(uint8_t)p[len / 2] << 8 |
               (uint8_t)p[len - 1];
    }
    return word;
}

/*
 * Sixteen bytes at a time, multiplied by each other: keys of args are long, and each is looked up
 * for each arg. What either factor is combined with comes from the seed, so nobody who does not
 * know it can make one of them zero, which would lose what came before.
 */
static inline uint64_t hash_text(uint64_t seed, struct orma_str s)
{
    uint64_t secret = (seed ^ 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu, hash = secret ^ s.len;

    for (; s.len > 16; s = (struct orma_str){s.data + 16, s.len - 16})
        hash = mix_pair(load(s.data, 8) ^ secret, load(s.data + 8, 8) ^ hash);
    uint64_t low = load(s.data, s.len), high = s.len > 8 ? load(s.data + s.len - 8, 8) : 0;

    return orma_mix64(mix_pair(low ^ secret, high ^ hash) ^ hash);
}

static uint32_t hash_of(const struct orma_strpool *self, struct orma_str s)
{
    uint64_t hash = hash_text(self->seed, s);

    return (uint32_t)(hash ^ hash >> 32) & ~ORMA_STRPOOL_ZERO;
}

uint32_t orma_strpool_add(struct orma_strpool *self, struct orma_str s)
{
    if (!s.data)
        s = ORMA_STR("");
    uint32_t hash = hash_of(self, s), *slot = slot_of(self, s, hash);

    if (*slot)
        return *slot;
    if (s.len > TEXT_MAX)
        return fail(self);
    if (self->len == self->cap) {
        if (self->cap > UINT32_MAX / 8 || !rehash(self))
            return fail(self);
        slot = slot_of(self, s, hash);
    }
    const char *copy = orma_arena_strdup(&self->bytes, s);
    if (!copy)
        return fail(self);
    if (memchr(copy, 0, s.len))
        hash |= ORMA_STRPOOL_ZERO;
    self->texts[self->len] = (struct orma_strpool_text){copy, (uint32_t)s.len, hash};
    *slot = self->len;
    return self->len++;
}

uint32_t orma_strpool_add_c(struct orma_strpool *self, const char *text)
{
    return orma_strpool_add(self, orma_str_from(text));
}

/* A text that is longer than what orma_strpool_addf() has on its stack. */
ORMA_COLD static uint32_t add_long(struct orma_strpool *self, size_t len, const char *fmt,
                                   va_list args)
{
    char *text = len < TEXT_MAX ? malloc(len + 1) : NULL;
    uint32_t id;

    if (!text)
        return fail(self);
    (void)vsnprintf(text, len + 1, fmt, args); /* it had this length before */
    id = orma_strpool_add(self, (struct orma_str){text, len});
    free(text);
    return id;
}

uint32_t orma_strpool_addf(struct orma_strpool *self, const char *fmt, ...)
{
    char text[512];
    va_list args, again;

    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(text, sizeof(text), fmt, args);
    uint32_t id = len < 0 ? fail(self)
                  : (size_t)len < sizeof(text)
                      ? orma_strpool_add(self, (struct orma_str){text, (size_t)len})
                      : add_long(self, (size_t)len, fmt, again);
    va_end(again);
    va_end(args);
    return id;
}

uint32_t orma_strpool_find(const struct orma_strpool *self, struct orma_str s)
{
    return s.data ? *slot_of(self, s, hash_of(self, s)) : ORMA_STR_EMPTY;
}
