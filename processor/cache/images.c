/* What is written of a trace that was imported: all of its tables, as one image. */
#include "processor/cache/cache.h"

struct image {
    const struct orma_cache_key *key;
    struct orma_storage *storage;
};

static int write_image(void *ctx, int fd)
{
    const struct image *image = ctx;

    return orma_image_write(image->storage, &image->key->label, fd);
}

/* About what the tables take. */
static uint64_t image_bytes(const struct orma_storage *storage)
{
    uint64_t bytes = storage->video.bytes.len + storage->arrays.bytes.len;

    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        bytes += orma_table_bytes(&storage->tables[i]);
    return bytes;
}

int orma_cache_write(const struct orma_cache_place *place, const struct orma_cache_key *key,
                     struct orma_storage *storage)
{
    struct image image = {key, storage};

    return orma_cache_put(place, key,
                          &(struct orma_cache_writer){write_image, &image, image_bytes(storage)});
}

int orma_cache_write_aside(const struct orma_cache_place *place, const struct orma_cache_key *key,
                           struct orma_storage *storage)
{
    struct image image = {key, storage};

    return orma_cache_write_part_aside(
        place, key, &(struct orma_cache_writer){write_image, &image, image_bytes(storage)});
}
