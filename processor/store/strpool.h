/*
 * String pool: gives each distinct text a small id and keeps one copy.
 *
 * Ids are dense, from 1; 0 is "no string" (NULL in SQL), and ORMA_STR_EMPTY is
 * the empty text. Bytes never move and end with a zero that is not counted.
 * Failure is sticky: when memory is out, `failed` is set and ids are 0.
 * Threads: none while strings are added; readers may share it afterwards.
 */
#ifndef ORMA_PROCESSOR_STORE_STRPOOL_H
#define ORMA_PROCESSOR_STORE_STRPOOL_H
#include <stdbool.h>

#include "sdk/base/arena.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"

#define ORMA_STR_EMPTY 1u

struct orma_strpool_text {
    const char *data;
    uint32_t len;
    uint32_t hash; /* 31 bits, and whether there is a zero in the text: ORMA_STRPOOL_ZERO */
};
#define ORMA_STRPOOL_ZERO 0x80000000u

struct orma_strpool {
    struct orma_arena bytes;
    struct orma_strpool_text *texts; /* by id; [0] is the NULL */
    uint32_t len, cap;
    uint32_t *slots; /* ids by hash, 0 = free; 2^slots_log of them */
    uint32_t slots_mask;
    uint64_t seed; /* of hashes: texts come from files that may be hostile */
    bool *failed;
};

/* 0 or -ENOMEM. */
int orma_strpool_init(struct orma_strpool *self, bool *failed);
void orma_strpool_fini(struct orma_strpool *self);

/* The id of a copy of `s`; a NULL data pointer gives the empty text. */
uint32_t orma_strpool_add(struct orma_strpool *self, struct orma_str s);
uint32_t orma_strpool_add_c(struct orma_strpool *self, const char *text);
/* Of any length. */
uint32_t orma_strpool_addf(struct orma_strpool *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* The id of a text that is there already, or 0. */
uint32_t orma_strpool_find(const struct orma_strpool *self, struct orma_str s);

/* {NULL, 0} for id 0. Valid as long as the pool. */
static inline struct orma_str orma_strpool_get(const struct orma_strpool *self, uint32_t id)
{
    const struct orma_strpool_text *t = &self->texts[id < self->len ? id : 0];

    return (struct orma_str){t->data, t->len};
}

/* False for texts with a zero byte inside, which are longer than C takes them to be. */
static inline bool orma_strpool_is_plain(const struct orma_strpool *self, uint32_t id)
{
    return !(self->texts[id < self->len ? id : 0].hash & ORMA_STRPOOL_ZERO);
}

/* "" for id 0. */
static inline const char *orma_strpool_cstr(const struct orma_strpool *self, uint32_t id)
{
    struct orma_str s = orma_strpool_get(self, id);

    return s.data ? s.data : "";
}
#endif
