/*
 * Lists of args while they are put together: each key once, and the places in arrays behind it.
 */
#include "processor/store/args.h"

#include <malloc.h>
#include <stdlib.h>

#include "sdk/base/hash.h"

/* Lists up to this long are searched for an equal key one by one. */
#define SEARCH_MAX 16

void orma_args_list_fini(struct orma_args_list *self)
{
    free(self->args);
    free(self->places);
    *self = (struct orma_args_list){0};
}

static bool list_grow(struct orma_args_list *self)
{
    self->failed |= ORMA_GROW(&self->args, &self->cap, self->len + (size_t)1) < 0;
    return !self->failed;
}

void orma_args_list_copy(struct orma_args_list *self, const struct orma_args_list *from)
{
    orma_args_list_clear(self);
    if (!from->len)
        return;
    if (ORMA_GROW(&self->args, &self->cap, (size_t)from->len) < 0) {
        self->failed = true;
        return;
    }
    memcpy(self->args, from->args, from->len * sizeof(*self->args));
    self->len = from->len;
    self->behind = from->behind;
    self->memo = from->memo;
    self->memo_stamp = from->memo_stamp;
}

/* Where `key` is in `places`, or the free place where it belongs. */
static uint32_t *place_of(const struct orma_args_list *self, uint32_t key)
{
    uint32_t at = (uint32_t)orma_mix64(key) & self->places_mask;

    while (self->places[at] && self->args[self->places[at] - 1].key != key)
        at = (at + 1) & self->places_mask;
    return &self->places[at];
}

/* Puts all args behind the last place into `places`, an eighth full. False: memory is out. */
static bool place_all(struct orma_args_list *self)
{
    uint32_t num = self->len >> 28 ? 0 : (uint32_t)1 << (35 - __builtin_clz(self->len));

    self->placed = 0;
    if (!num)
        return false;
    if (num > self->places_cap) {
        uint32_t *places = malloc(num * sizeof(*places));

        if (!places)
            return false;
        free(self->places);
        self->places = places;
        self->places_cap = num;
    }
    self->places_mask = num - 1;
    memset(self->places, 0, num * sizeof(*self->places));
    for (uint32_t i = self->behind; i < self->len; i++)
        *place_of(self, self->args[i].key) = i + 1;
    self->placed = self->len;
    return true;
}

static struct orma_args_item *find_key(struct orma_args_list *self, uint32_t key)
{
    if (self->len - self->behind > SEARCH_MAX && (self->placed == self->len || place_all(self))) {
        uint32_t at = *place_of(self, key);

        return at ? &self->args[at - 1] : NULL;
    }
    for (uint32_t i = self->behind; i < self->len; i++)
        if (self->args[i].key == key)
            return &self->args[i];
    return NULL;
}

static void put_place(struct orma_args_list *self, struct orma_args_item place)
{
    if (self->len == self->cap && !list_grow(self))
        return;
    self->args[self->len++] = place;
    self->memo = NULL;
    self->behind = self->len;
    self->placed = 0;
}

void orma_args_put_place(struct orma_args_list *self, struct orma_args_place place)
{
    put_place(self, (struct orma_args_item){.flat_key = place.context,
                                            .key = place.len,
                                            .type = ORMA_ARG_PLACE,
                                            .i = (int64_t)(uintptr_t)place.bytes});
}

/* Minus zero is zero, as columns have it: else a set would not be equal to itself once stored. */
static inline void drop_sign_of_zero(struct orma_args_item *arg)
{
    if (ORMA_UNLIKELY(arg->type == ORMA_ARG_REAL))
        arg->d += 0.0;
}

void orma_args_put(struct orma_args_list *self, struct orma_args_item arg)
{
    if (ORMA_UNLIKELY(arg.type == ORMA_ARG_PLACE)) {
        put_place(self, arg);
        return;
    }
    struct orma_args_item *have = find_key(self, arg.key);

    if (have) {
        self->memo = NULL;
        if (!arg.yields) {
            *have = arg;
            drop_sign_of_zero(have);
        }
        return;
    }
    orma_args_put_new(self, arg);
}

void orma_args_put_new(struct orma_args_list *self, struct orma_args_item arg)
{
    if (self->len == self->cap && !list_grow(self))
        return;
    self->args[self->len] = arg;
    drop_sign_of_zero(&self->args[self->len++]);
    self->memo = NULL;
    if (self->placed && self->len <= self->places_mask / 2)
        *place_of(self, arg.key) = ++self->placed;
}
