/* Which categories a config enables. */
#include <stdlib.h>

#include "protos/fields/config.h"
#include "sdk/cabi/te.h"
#include "sdk/wire/pb_reader.h"

struct orma_cabi_te_config *orma_cabi_te_config_new(struct orma_str config)
{
    struct orma_cabi_te_config *self = calloc(1, sizeof(*self));
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    struct orma_str own = {0};
    struct orma_pb_field f;

    if (!self)
        return NULL;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_TRACK_EVENT_CONFIG)
            own = orma_pb_str(&f);
    }
    if (orma_te_config_init(&self->lists, own) < 0) {
        free(self);
        return NULL;
    }
    atomic_store_explicit(&self->refs, 1, memory_order_relaxed);
    return self;
}

struct orma_cabi_te_config *orma_cabi_te_config_ref(struct orma_cabi_te_config *self)
{
    atomic_fetch_add_explicit(&self->refs, 1, memory_order_relaxed);
    return self;
}

void orma_cabi_te_config_unref(struct orma_cabi_te_config *self)
{
    /* acq_rel: whoever frees has seen what the others did. */
    if (!self || atomic_fetch_sub_explicit(&self->refs, 1, memory_order_acq_rel) != 1)
        return;
    orma_te_config_fini(&self->lists);
    free(self);
}

/* Of patterns with a star the part before the first one counts. */
static bool has(const struct orma_buf *list, const char *name, bool exact)
{
    size_t name_len = strlen(name);

    for (size_t at = 0, len; at < list->len; at += len + 1) {
        const char *pattern = (const char *)list->data + at;
        const char *star;

        len = strlen(pattern);
        star = memchr(pattern, '*', len);
        if (exact != !star)
            continue;
        size_t prefix = star ? (size_t)(star - pattern) : len;
        if (prefix <= name_len && memcmp(pattern, name, prefix) == 0 &&
            (star || prefix == name_len))
            return true;
    }
    return false;
}

static bool has_tag(const struct orma_buf *list, const struct orma_cabi_category_desc *desc,
                    bool exact)
{
    for (size_t i = 0; list->len && i < desc->tags_num; i++) {
        if (has(list, desc->tags[i], exact))
            return true;
    }
    return false;
}

bool orma_cabi_te_config_wants(const struct orma_cabi_te_config *self,
                               const struct orma_cabi_category_desc *desc)
{
    const struct orma_buf *lists = self->lists.lists;
    const char *name = desc->name ? desc->name : "";

    for (int exact = 1; exact >= 0; exact--) {
        if (has(&lists[ORMA_TE_ENABLED_CATEGORIES], name, exact) ||
            has_tag(&lists[ORMA_TE_ENABLED_TAGS], desc, exact))
            return true;
        if (has(&lists[ORMA_TE_DISABLED_CATEGORIES], name, exact) ||
            has_tag(&lists[ORMA_TE_DISABLED_TAGS], desc, exact))
            return false;
    }
    return false;
}
