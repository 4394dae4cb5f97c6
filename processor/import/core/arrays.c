/* Where arrays among args go on. */
#include "processor/import/core/arrays.h"

#include "sdk/base/hash.h"

/* A larger map is given back, so that emptying it costs no more than filling it did. */
#define KEPT_CAP 256

void orma_import_arrays_fini(struct orma_import_arrays *self)
{
    orma_map_fini(&self->next);
}

void orma_import_arrays_forget(struct orma_import_arrays *self)
{
    if (self->next.cap > KEPT_CAP)
        orma_map_fini(&self->next);
    else
        orma_map_clear(&self->next);
    self->used = false;
}

static uint64_t hash(struct orma_str key)
{
    return orma_hash_bytes_from(orma_hash_seed(), key.data, key.len);
}

static void raise(struct orma_import_arrays *self, struct orma_import_ctx *imp, uint64_t key,
                  unsigned next)
{
    uint64_t was = orma_map_get(&self->next, key);

    if ((was == ORMA_MAP_NONE || was < next) && orma_map_put(&self->next, key, next))
        imp->model->storage->failed = true;
}

/* The outermost array of each key in a list, with the largest index. */
static void read_list(struct orma_import_arrays *self, struct orma_import_ctx *imp,
                      const struct orma_args_list *list)
{
    for (uint32_t i = 0; list && i < list->len; i++) {
        if (list->args[i].key == list->args[i].flat_key)
            continue; /* in no array */
        struct orma_str key = orma_strpool_get(&imp->model->storage->pool, list->args[i].key);
        const char *open = memchr(key.data, '[', key.len);
        unsigned index = 0;

        if (!open)
            continue;
        for (const char *at = open + 1; at < key.data + key.len && *at >= '0' && *at <= '9'; at++)
            index = index * 10 + (unsigned)(*at - '0');
        raise(self, imp, hash((struct orma_str){key.data, (size_t)(open - key.data)}), index + 1);
    }
}

static bool is_inner(const struct orma_arg_key *key)
{
    return key->full_len != key->flat_len;
}

unsigned orma_import_arrays_next(struct orma_import_arrays *self, struct orma_import_ctx *imp,
                                 const struct orma_arg_key *key, const struct orma_args_list *list)
{
    if (is_inner(key))
        return 0;
    if (!self->used) {
        self->used = true;
        read_list(self, imp, self->before);
        read_list(self, imp, list);
    }
    uint64_t next = orma_map_get(&self->next, hash((struct orma_str){key->full, key->full_len}));
    return next == ORMA_MAP_NONE ? 0 : (unsigned)next;
}

void orma_import_arrays_put(struct orma_import_arrays *self, struct orma_import_ctx *imp,
                            const struct orma_arg_key *key, unsigned next)
{
    if (!is_inner(key))
        raise(self, imp, hash((struct orma_str){key->full, key->full_len}), next);
}
