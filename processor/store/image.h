/*
 * The image of a storage: all that an import leaves behind, as one file. Who maps it has the same
 * tables, texts, args and bytes without importing again.
 *
 * An image is written once and never changed. It is of one build of this library on one machine:
 * what it is of is a key that the caller makes (processor/cache). Columns, texts and byte arrays
 * are used where the mapping has them; what queries add or change goes to memory of ours.
 *
 * Whoever may write the file may make it say anything; nothing in it makes us read or write outside
 * of it or of our memory. Bytes that changed by themselves are found by sums, when it is read: the
 * index whole, the columns up to ORMA_IMAGE_SUMMED_MAX.
 *
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_STORE_IMAGE_H
#define ORMA_PROCESSOR_STORE_IMAGE_H
#include "processor/store/storage.h"

/* Each file begins with it. */
#define ORMA_IMAGE_MAGIC "OrmaImg1"
#define ORMA_IMAGE_KEY_BYTES 128
#define ORMA_IMAGE_NOTES 8
/* Summing more would take longer than the first query. */
#define ORMA_IMAGE_SUMMED_MAX ((size_t)128 << 20)

struct orma_image_label {
    uint8_t key[ORMA_IMAGE_KEY_BYTES];
    int64_t notes[ORMA_IMAGE_NOTES]; /* the caller's */
};

/*
 * Writes the image to an empty file, and settles all args for it, so nobody may be importing. 0,
 * -ENOMEM, -ESTALE (the trace is no longer what it was), or what writing failed with.
 */
int orma_image_write(struct orma_storage *storage, const struct orma_image_label *label, int fd);

/*
 * Makes a storage that is as orma_storage_init() and the start of an import left it what it was
 * when the image was written. `data` stays mapped as long as the storage. 0 and the notes;
 * -EBADMSG: not a good image, or the key is another one; -ENOENT: the storage has begun in another
 * way (with other texts); -ENOMEM. The storage is as it was then.
 */
int orma_image_read(struct orma_storage *storage, struct orma_image_label *label,
                    const uint8_t *data, size_t size);

/* The label, if the head is as it was written: 0, else -EBADMSG. */
int orma_image_label(const uint8_t *data, size_t size, struct orma_image_label *ret);

/* Whether no byte has changed by itself, however many there are. */
bool orma_image_is_whole(const uint8_t *data, size_t size);
#endif
