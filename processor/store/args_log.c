/*
 * A set is written behind the others at once, and taken back if an equal one is found: then equal
 * means equal bytes, since a shape and its values end by themselves. The table of shapes and that
 * of interned sets are open addressing; that of recent sets has one place per hash, and who comes
 * later takes it.
 */
#include "processor/store/args_log.h"

#include <stdlib.h>
#include <string.h>

#include "processor/store/args.h"
#include "sdk/base/assert.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

#define RECENT 8192u /* a power of two */
#define INDEX_STEP 64u
#define SLOTS_FIRST 256u
#define VARINT_MAX 10
#define PLACE_VARINTS 3
#define MULTIPLIER 0x9e3779b97f4a7c15u

void orma_args_log_fini(struct orma_args_log *self)
{
    free(self->bytes);
    free(self->index);
    free(self->keys);
    free(self->shapes);
    free(self->shape_slots);
    free(self->recent);
    free(self->interned);
    *self = (struct orma_args_log){0};
}

/* ---- shapes ---- */

/* Two multiplications per arg would cost more than all else; the fold brings high bits down. */
static inline uint64_t hash_step(uint64_t hash, uint64_t val)
{
    hash = (hash ^ val) * MULTIPLIER;
    return hash ^ hash >> 32;
}

/* What the shape of a list says of an arg. */
static inline struct orma_args_log_key key_of(const struct orma_args_list *list, uint32_t i)
{
    const struct orma_args_item *a = &list->args[i];
    struct orma_args_log_key key = {.flat_key = a->flat_key, .key = a->key, .type = a->type};

    if (ORMA_UNLIKELY(list->behind)) {
        if (a->type == ORMA_ARG_PLACE)
            key.flat_key = key.key = 0;
        else if (a->yields)
            key.type |= ORMA_ARGS_LOG_YIELDS;
    }
    return key;
}

static uint64_t hash_keys(const struct orma_args_log *self, const struct orma_args_list *list)
{
    uint64_t hash = self->seed ^ list->len;

    for (uint32_t i = 0; i < list->len; i++) {
        struct orma_args_log_key k = key_of(list, i);

        hash = hash_step(hash, ((uint64_t)k.key << 32 | k.flat_key) + ((uint64_t)k.type << 61));
    }
    return hash;
}

static bool has_keys(const struct orma_args_log *self, const struct orma_args_log_shape *shape,
                     const struct orma_args_list *list)
{
    const struct orma_args_log_key *keys = self->keys + shape->first;

    if (shape->len != list->len)
        return false;
    for (uint32_t i = 0; i < list->len; i++) {
        struct orma_args_log_key k = key_of(list, i);

        if ((keys[i].key ^ k.key) | (keys[i].flat_key ^ k.flat_key) | (keys[i].type ^ k.type))
            return false;
    }
    return true;
}

ORMA_COLD static bool grow_shape_slots(struct orma_args_log *self)
{
    uint32_t mask = self->shape_slots ? self->shape_slots_mask * 2 + 1 : SLOTS_FIRST - 1;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof(*slots));

    if (!slots)
        return false;
    self->seed = self->seed ? self->seed : orma_hash_seed();
    for (uint32_t i = 0; i < self->shapes_num; i++) {
        uint32_t at = (uint32_t)self->shapes[i].hash & mask;

        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = i + 1;
    }
    free(self->shape_slots);
    self->shape_slots = slots;
    self->shape_slots_mask = mask;
    return true;
}

/* The keys of the list as a new shape. False: memory is out. */
ORMA_COLD static bool add_shape(struct orma_args_log *self, const struct orma_args_list *list,
                                uint64_t hash)
{
    if (list->len > UINT32_MAX - self->keys_num ||
        ORMA_GROW(&self->keys, &self->keys_cap, self->keys_num + (size_t)list->len) ||
        ORMA_GROW(&self->shapes, &self->shapes_cap, self->shapes_num + (size_t)1))
        return false;
    self->shapes[self->shapes_num++] =
        (struct orma_args_log_shape){.first = self->keys_num, .len = list->len, .hash = hash};
    for (uint32_t i = 0; i < list->len; i++)
        self->keys[self->keys_num++] = key_of(list, i);
    return true;
}

/* False: memory is out. */
static bool shape_of(struct orma_args_log *self, const struct orma_args_list *list, uint32_t *ret)
{
    const bool place = list->behind && list->len == 1;

    if (place && self->place_shape) {
        *ret = self->place_shape - 1;
        return true;
    }
    *ret = self->last_shape; /* sets of a kind mostly follow each other */
    if (self->shapes_num && has_keys(self, &self->shapes[*ret], list))
        return true;
    if (self->shapes_num >= self->shape_slots_mask / 2 && !grow_shape_slots(self))
        return false;
    uint64_t hash = hash_keys(self, list);
    uint32_t at = (uint32_t)hash & self->shape_slots_mask;
    for (; self->shape_slots[at]; at = (at + 1) & self->shape_slots_mask) {
        *ret = self->shape_slots[at] - 1;
        if (self->shapes[*ret].hash == hash && has_keys(self, &self->shapes[*ret], list)) {
            self->last_shape = *ret;
            return true;
        }
    }
    if (!add_shape(self, list, hash))
        return false;
    self->shape_slots[at] = self->shapes_num;
    self->place_shape = place ? self->shapes_num : self->place_shape;
    *ret = self->last_shape = self->shapes_num - 1;
    return true;
}

/* ---- bytes ---- */

/* VARINT_MAX bytes may be written. */
static inline uint8_t *put_varint(uint8_t *to, uint64_t val)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (val >> 21 && val >> 56 == 0) { /* seven bits to each of four to eight bytes */
        const unsigned len = (70 - (unsigned)__builtin_clzll(val)) / 7;

        val = (val & 0x000000000fffffff) | (val & 0x00fffffff0000000) << 4;
        val = (val & 0x00003fff00003fff) | (val & 0x0fffc0000fffc000) << 2;
        val = (val & 0x007f007f007f007f) | (val & 0x3f803f803f803f80) << 1;
        val |= 0x8080808080808080 >> (72 - 8 * len);
        memcpy(to, &val, sizeof(val));
        return to + len;
    }
#endif
    for (; val >= 0x80; val >>= 7)
        *to++ = (uint8_t)(val | 0x80);
    *to++ = (uint8_t)val;
    return to;
}

static inline uint64_t get_varint(const uint8_t **at)
{
    uint64_t val = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;

        val |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return val;
    }
}

/* So that small negative numbers are short, too. */
static inline uint64_t zigzag(int64_t val)
{
    return (uint64_t)val << 1 ^ (uint64_t)(val >> 63);
}

static uint8_t *put_place(struct orma_args_log *self, uint8_t *to, const struct orma_args_item *arg)
{
    to = put_varint(to, zigzag((int64_t)((uint64_t)arg->i - self->next_place)));
    to = put_varint(to, arg->key);
    to = put_varint(to, arg->flat_key);
    self->next_place = (uint64_t)arg->i;
    return to;
}

static void get_place(const uint8_t **at, uint64_t *place, struct orma_args_item *arg)
{
    const uint64_t val = get_varint(at);

    *place += val >> 1 ^ -(val & 1);
    arg->i = (int64_t)*place;
    arg->key = (uint32_t)get_varint(at);
    arg->flat_key = (uint32_t)get_varint(at);
}

static inline uint8_t *put_value(uint8_t *to, const struct orma_args_item *arg, uint64_t *hash)
{
    uint64_t val = (uint64_t)arg->i;

    switch ((enum orma_arg_type)arg->type) {
    case ORMA_ARG_INT:
        val = zigzag(arg->i);
        break;
    case ORMA_ARG_REAL:
        *hash = hash_step(*hash, val);
        memcpy(to, &val, sizeof(val));
        return to + sizeof(val);
    case ORMA_ARG_NULL:
        return to;
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
        val = arg->str;
        break;
    case ORMA_ARG_UINT:
    case ORMA_ARG_POINTER:
    case ORMA_ARG_BOOL:
        break;
    }
    *hash = hash_step(*hash, val);
    return put_varint(to, val);
}

static void get_value(const uint8_t **at, struct orma_args_item *arg)
{
    uint64_t val;

    arg->i = 0;
    switch ((enum orma_arg_type)arg->type) {
    case ORMA_ARG_INT:
        val = get_varint(at);
        arg->i = (int64_t)(val >> 1 ^ -(val & 1));
        return;
    case ORMA_ARG_REAL:
        memcpy(&arg->d, *at, sizeof(arg->d));
        *at += sizeof(arg->d);
        return;
    case ORMA_ARG_NULL:
        return;
    case ORMA_ARG_STRING:
    case ORMA_ARG_JSON:
    case ORMA_ARG_UINT:
    case ORMA_ARG_POINTER:
    case ORMA_ARG_BOOL:
        break;
    }
    arg->i = (int64_t)get_varint(at);
}

/* The set behind all others, not counted yet. False: memory is out. */
static bool write_set(struct orma_args_log *self, const struct orma_args_list *list,
                      size_t *ret_len, uint32_t *ret_hash)
{
    const size_t varints = (size_t)list->len * (list->behind ? PLACE_VARINTS : 1) + 1;
    uint32_t shape;

    if (!shape_of(self, list, &shape) ||
        ORMA_GROW(&self->bytes, &self->cap, self->len + varints * VARINT_MAX))
        return false;
    uint8_t *begin = self->bytes + self->len, *to = put_varint(begin, shape);
    uint64_t hash = hash_step(self->seed, shape);

    self->next_place = self->place;
    for (uint32_t i = 0; i < list->len; i++)
        to = list->args[i].type == ORMA_ARG_PLACE ? put_place(self, to, &list->args[i])
                                                  : put_value(to, &list->args[i], &hash);
    *ret_len = (size_t)(to - begin);
    *ret_hash = (uint32_t)hash;
    return true;
}

/* Whether the set that was written last, of `len` bytes, is the one in that place. */
static bool is_at(const struct orma_args_log *self, const struct orma_args_log_place *place,
                  uint32_t hash, size_t len)
{
    return place->set && place->hash == hash &&
           !memcmp(self->bytes + place->at, self->bytes + self->len, len);
}

/* Gives the set that was written last a number, and notes its place. */
static uint32_t keep(struct orma_args_log *self, size_t len, uint32_t hash,
                     struct orma_args_log_place *place)
{
    uint32_t set = self->sets_num, step = set / INDEX_STEP;

    if (set == ORMA_ARGS_LOG_MAX || ORMA_GROW(&self->index, &self->index_cap, step + (size_t)1))
        return ORMA_ARGS_LOG_NONE;
    if (set % INDEX_STEP == 0)
        self->index[step] = (struct orma_args_log_pos){self->len, self->place};
    *place = (struct orma_args_log_place){.at = self->len, .hash = hash, .set = set + 1};
    self->len += len;
    self->place = self->next_place;
    self->sets_num++;
    return set;
}

/* A set with places is like no other. */
static uint32_t keep_places(struct orma_args_log *self, const struct orma_args_list *list,
                            size_t len)
{
    struct orma_args_log_place unused;

    for (uint32_t i = 0; i < list->behind; i++)
        self->places_bytes += list->args[i].type == ORMA_ARG_PLACE ? list->args[i].key : 0;
    self->places_num++;
    return keep(self, len, 0, &unused);
}

/* ---- sets ---- */

uint32_t orma_args_log_add(struct orma_args_log *self, const struct orma_args_list *list)
{
    size_t len;
    uint32_t hash;

    ORMA_ASSERT_HOT(list->len);
    if (!self->recent && !(self->recent = calloc(RECENT, sizeof(*self->recent))))
        return ORMA_ARGS_LOG_NONE;
    if (!write_set(self, list, &len, &hash))
        return ORMA_ARGS_LOG_NONE;
    if (list->behind)
        return keep_places(self, list, len);
    struct orma_args_log_place *ways = &self->recent[hash % RECENT & ~1u];
    for (unsigned i = 0; i < 2; i++) {
        if (is_at(self, &ways[i], hash, len))
            return ways[i].set - 1;
    }
    ways[1] = ways[0]; /* two sets that come in turn do not drive each other out */
    return keep(self, len, hash, &ways[0]);
}

ORMA_COLD static bool grow_interned(struct orma_args_log *self)
{
    uint32_t mask = self->interned ? self->interned_mask * 2 + 1 : SLOTS_FIRST - 1;
    struct orma_args_log_place *places = calloc((size_t)mask + 1, sizeof(*places));

    if (!places)
        return false;
    for (uint32_t i = 0; self->interned && i <= self->interned_mask; i++) {
        uint32_t at = self->interned[i].hash & mask;

        if (!self->interned[i].set)
            continue;
        while (places[at].set)
            at = (at + 1) & mask;
        places[at] = self->interned[i];
    }
    free(self->interned);
    self->interned = places;
    self->interned_mask = mask;
    return true;
}

uint32_t orma_args_log_intern(struct orma_args_log *self, const struct orma_args_list *list)
{
    size_t len;
    uint32_t hash;

    ORMA_ASSERT(list->len && !list->behind); /* what is in a place is not known */
    if (self->interned_num >= self->interned_mask / 2 && !grow_interned(self))
        return ORMA_ARGS_LOG_NONE;
    if (!write_set(self, list, &len, &hash))
        return ORMA_ARGS_LOG_NONE;
    uint32_t at = hash & self->interned_mask;
    for (; self->interned[at].set; at = (at + 1) & self->interned_mask)
        if (is_at(self, &self->interned[at], hash, len))
            return self->interned[at].set - 1;
    uint32_t set = keep(self, len, hash, &self->interned[at]);
    self->interned_num += set != ORMA_ARGS_LOG_NONE;
    return set;
}

bool orma_args_log_read(const struct orma_args_log *self, struct orma_args_log_pos *pos,
                        struct orma_args_list *ret)
{
    const uint8_t *at = self->bytes + pos->at;

    if (pos->at >= self->len)
        return false;
    const struct orma_args_log_shape *shape = &self->shapes[get_varint(&at)];
    if (ORMA_GROW(&ret->args, &ret->cap, ret->len + (size_t)shape->len))
        return false;
    for (uint32_t i = 0; i < shape->len; i++) {
        const struct orma_args_log_key *key = &self->keys[shape->first + i];
        struct orma_args_item *arg = &ret->args[ret->len++];

        *arg = (struct orma_args_item){.flat_key = key->flat_key,
                                       .key = key->key,
                                       .type = (uint8_t)key->type,
                                       .yields = key->type & ORMA_ARGS_LOG_YIELDS};
        if (arg->type == ORMA_ARG_PLACE) {
            get_place(&at, &pos->place, arg);
            ret->behind = ret->len;
        } else {
            get_value(&at, arg);
        }
    }
    pos->at = (uint64_t)(at - self->bytes);
    return true;
}

bool orma_args_log_load(const struct orma_args_log *self, struct orma_args_log_cursor *at,
                        uint32_t set, struct orma_args_list *ret)
{
    const uint32_t before = ret->len, behind = ret->behind;

    if (set >= self->sets_num)
        return false;
    if (set < at->next || set - at->next >= INDEX_STEP)
        *at = (struct orma_args_log_cursor){self->index[set / INDEX_STEP],
                                            set / INDEX_STEP * INDEX_STEP};
    while (orma_args_log_read(self, &at->pos, ret)) {
        if (at->next++ == set)
            return true;
        ret->len = before;
        ret->behind = behind;
    }
    *at = (struct orma_args_log_cursor){0};
    return false;
}
