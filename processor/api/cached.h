/*
 * The cache of one processor: what its load looks for, what it maps, and what it leaves.
 */
#ifndef ORMA_PROCESSOR_API_CACHED_H
#define ORMA_PROCESSOR_API_CACHED_H
#include "processor/cache/cache.h"
#include "processor/processor.h"

/* Zero-initialised: off. */
struct orma_cached {
    char *folder;         /* NULL: off */
    uint64_t limit_bytes; /* of all images */
    uint64_t slow_ms;     /* a load that took less leaves none; args that it left for later count */
    bool wait;            /* writes before the load returns, not in a process of its own */
    bool wanted;          /* there is no image of the trace, and there may be one */
    struct orma_cache_key key;  /* of the trace */
    struct orma_mapped *mapped; /* the image; NULL: the trace was imported */
    struct orma_buf note;
};

/* By what users write; see orma_processor_choose_cache(). -EINVAL: the reason is in `why`. */
int orma_cached_choose(struct orma_cached *self, const char *setting, bool wait,
                       struct orma_buf *why);
void orma_cached_fini(struct orma_cached *self);

/* True: the storage is filled from an image of the trace in `fd`. */
bool orma_cached_open(struct orma_cached *self, int fd, uint32_t options,
                      struct orma_storage *storage);

/* What was damaged in the trace that the image is of. */
struct orma_processor_damage orma_cached_damage(const struct orma_cached *self);

/* Leaves an image, if there is none and the import took long enough. */
void orma_cached_write(struct orma_cached *self, struct orma_storage *storage,
                       const struct orma_processor_damage *damage, int64_t took_ns);

/* What else was made of the trace, by name: see orma_processor_kept(). */
int orma_cached_open_part(struct orma_cached *self, const char *name);
void orma_cached_drop_part(struct orma_cached *self, const char *name);
int orma_cached_keep_part(struct orma_cached *self, const char *name, int64_t took_ns,
                          const struct orma_cache_writer *writer);

/* True once an image was cut by somebody while it was mapped: rows may be wrong since then. */
static inline bool orma_cached_torn(const struct orma_cached *self)
{
    return self->mapped && orma_mapped_torn(self->mapped);
}
#endif
