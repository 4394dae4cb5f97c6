/*
 * A trace file that is being written, by a thread of its own: a slow or full
 * disk delays nobody else. Blocks are whole packets, written in order, and
 * compressed before that if so wanted. Without a descriptor the thread only
 * compresses, and hands the blocks back: traced_file_take().
 *
 * On an error the file is cut back to the last whole packet (if it can be),
 * and everything further is thrown away.
 *
 * The thread waits with poll() for a pipe, socket or terminal that accepts nothing,
 * and only for as long as the owner allows. From a regular file whose disk does not
 * answer the thread cannot return; but nobody waits for the thread.
 *
 * Threads: the owner's (the service's loop), where the callbacks come from,
 * too; the writing thread is inside.
 */
#ifndef ORMA_TRACED_OUTPUT_FILE_H
#define ORMA_TRACED_OUTPUT_FILE_H
#include <errno.h>
#include <event2/event.h>
#include <stdbool.h>

#include "sdk/base/buf.h"
#include "traced/output/compress.h"

struct traced_file;

/*
 * Progress: blocks are accepted again after traced_file_is_full(), one is ready to
 * be taken, or (done) the end. error: 0 or -errno; -EFBIG: the file has its full size.
 */
typedef void (*traced_file_fn)(void *ctx, bool done, int error);

/* How long a file without an owner may accept nothing. */
#define TRACED_FILE_PATIENCE_MS 10000

struct traced_file_config {
    int fd;    /* taken in any case; -1: none */
    bool sync; /* after each block */
    struct traced_compression compression;
    uint64_t max_bytes; /* the file stays below; 0: no limit */
    size_t queue_max;   /* bytes that may wait for the disk; at least 8 MiB */
    /* Called when blocks were written: so many, and so many bytes, so far. NULL: not. */
    void (*written)(void *ctx, uint64_t blocks, uint64_t bytes);
};
int traced_file_new(struct event_base *base, const struct traced_file_config *config,
                    traced_file_fn fn, void *ctx, struct traced_file **ret);

/* From now on others are told. */
void traced_file_set_owner(struct traced_file *self, traced_file_fn fn,
                           void (*written)(void *ctx, uint64_t blocks, uint64_t bytes), void *ctx);

/* Is so much queued that the owner should hold back? `fn` is called when that changes. */
bool traced_file_is_full(struct traced_file *self);
/* From now on it is full with so many bytes. Whoever raises it looks again by himself. */
void traced_file_set_queue_max(struct traced_file *self, size_t bytes);

/* Takes the buffer's memory. */
void traced_file_write(struct traced_file *self, struct orma_buf *block);

/*
 * Before any block: copies what has been written into `source` and what is queued
 * there now. The source's descriptor must be readable, else it ends with an error.
 */
void traced_file_copy(struct traced_file *self, struct traced_file *source);

/* An empty buffer, with memory from a block that has been written, if there is one. */
struct orma_buf traced_file_spare(struct traced_file *self);

/* The oldest block that is ready, where there is no descriptor. False: none. */
bool traced_file_take(struct traced_file *self, struct orma_buf *ret);

/* No more blocks. `fn` is called with `done` when everything is on its way to the disk. */
void traced_file_finish(struct traced_file *self);

/* Where a regular file is, in full, and where in it the blocks begin. */
struct traced_file_place {
    uint64_t dev, ino, start;
    char path[4096];
};
/* False: it is no regular file, or has no name. */
bool traced_file_find_place(const struct traced_file *self, struct traced_file_place *ret);

/* For messages: its path, the end of it if it is long. Returns `buf`. */
#define TRACED_FILE_NAME_MAX 256
const char *traced_file_name(const struct traced_file *self, char buf[TRACED_FILE_NAME_MAX]);

/*
 * From now on the file fails with -ETIMEDOUT once it has accepted nothing for `ms`;
 * 0: at once, before the next byte. Negative, and before the first call: never.
 */
void traced_file_hurry(struct traced_file *self, int32_t ms);

/* Instead of -EFBIG, which is max_bytes: the limit of this process, or of the file system. */
#define TRACED_FILE_TOO_LARGE (-EOVERFLOW)

/* An error in words. */
const char *traced_file_reason(int error);

/*
 * After `written` bytes of a block the disk was full: takes the piece of a packet off the end, if
 * it is a regular file. How many of the bytes are kept.
 */
size_t traced_file_cut_back(int fd, const struct orma_buf *data, size_t written);

/* For waiting without the loop: a descriptor that is readable when the state may have changed. */
struct traced_file_state {
    bool done;     /* the thread has ended its work */
    int error;     /* -errno of the first failure */
    size_t queued; /* bytes that wait to be written */
};
int traced_file_progress_fd(const struct traced_file *self);
struct traced_file_state traced_file_look(struct traced_file *self);

/*
 * Forgets the file: `fn` is not called any more. What was handed over is still
 * written, with the patience above at least. The thread frees the rest. NULL is fine.
 */
void traced_file_free(struct traced_file *self);
#endif
