/*
 * The cache: images of traces that were imported before (store/image.h), in a folder of the user.
 *
 * A trace is known by its inode, size and times, by a hash of its begin, end and samples between,
 * by what was asked of the import, and by the build of this program. All of that is in the name of
 * the file and, in full, inside of it. Nothing is ever migrated or changed: what does not fit any
 * more is not found, and goes when room is needed, the one that was used least recently first.
 *
 *   FOLDER/1f0c...e2.orma     of the user, nobody else may read or write it
 *
 * Only folders and files of the user that others cannot write to are used. Files get their name
 * when they are complete. One process at a time writes (a lock of the folder); readers need none.
 *
 * Threads: none, and one storage belongs to one thread.
 */
#ifndef ORMA_PROCESSOR_CACHE_CACHE_H
#define ORMA_PROCESSOR_CACHE_CACHE_H
#include "processor/store/image.h"
#include "sdk/base/buf.h"
#include "sdk/base/mapped.h"

struct orma_cache_place {
    const char *folder;   /* is made if it is not there */
    uint64_t limit_bytes; /* of all files in it */
    bool hurry;           /* writes nothing if others write for longer than two seconds */
};

struct orma_cache_key {
    struct orma_image_label label; /* the notes are the caller's */
    char name[32];                 /* of the file */
    bool settled;                  /* a change of the trace would change its time */
};

/* `options`: what else the import depends on. 0, -errno, or -ENOTSUP: this build has no id. */
int orma_cache_identify(int fd, uint32_t options, struct orma_cache_key *ret);

/*
 * Fills the storage, as orma_image_read() does, and key->label.notes. 0 and the mapping, which the
 * storage needs; -ENOENT: there is nothing; other errors: there is, but it is no good, and `note`
 * says in a sentence why and what was done about it.
 */
int orma_cache_open(const struct orma_cache_place *place, struct orma_cache_key *key,
                    struct orma_storage *storage, struct orma_mapped **ret, struct orma_buf *note);

/* Writes the image. 0, also if somebody else has written it; -EFBIG, -ENOSPC: it does not fit;
 * -EAGAIN: the trace has changed a moment ago, or others write. */
int orma_cache_write(const struct orma_cache_place *place, const struct orma_cache_key *key,
                     struct orma_storage *storage);

/* The same in a process of its own, which nobody has to wait for. 0 or -errno of starting it. */
int orma_cache_write_aside(const struct orma_cache_place *place, const struct orma_cache_key *key,
                           struct orma_storage *storage);

/*
 * What else was made of the trace, by a short name: a file beside the image. The writer puts the
 * key there first.
 */
struct orma_cache_writer {
    int (*write)(void *ctx, int fd); /* 0 or -errno */
    void *ctx;
    uint64_t bytes; /* about how many */
};
struct orma_cache_key orma_cache_part(const struct orma_cache_key *trace, const char *name);
/* The descriptor, behind the key, or -errno as orma_cache_open(). */
int orma_cache_open_part(const struct orma_cache_place *place, const struct orma_cache_key *part,
                         struct orma_buf *note);
/* It turned out to be of no use. */
void orma_cache_drop_part(const struct orma_cache_place *place, const struct orma_cache_key *part,
                          struct orma_buf *note);
int orma_cache_write_part_aside(const struct orma_cache_place *place,
                                const struct orma_cache_key *part,
                                const struct orma_cache_writer *writer);
/* Writes what a file of the cache holds. For this module. */
int orma_cache_put(const struct orma_cache_place *place, const struct orma_cache_key *key,
                   const struct orma_cache_writer *writer);
#endif
