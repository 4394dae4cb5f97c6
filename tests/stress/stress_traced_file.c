/*
 * The threads behind trace files: blocks handed over while they are written,
 * compressed and copied into other files; files that are forgotten half-way.
 * Each file must hold whole packets, and a copy exactly what its source had
 * when the copy was asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "traced/output/file.h"

#define ROUNDS 60
#define BLOCKS 40

struct end {
    bool done;
    int error;
};

static void die(const char *what)
{
    fprintf(stderr, "stress_traced_file: %s\n", what);
    exit(1);
}

static void on_progress(void *ctx, bool done, int error)
{
    struct end *end = ctx;

    end->done |= done;
    end->error = error;
}

static struct traced_file *open_file(struct event_base *base, int fd, struct end *end,
                                     struct traced_compression how)
{
    struct traced_file_config config = {.fd = fd, .compression = how};
    struct traced_file *file;

    *end = (struct end){0};
    if (traced_file_new(base, &config, on_progress, end, &file) < 0)
        die("no file");
    return file;
}

/* Packets 1: {number}, a few in each block. */
static void write_block(struct traced_file *file, uint32_t *next)
{
    struct orma_buf block = traced_file_spare(file);

    for (int i = 0; i < 5; i++) {
        size_t packet = orma_pb_begin(&block, 1);
        orma_pb_put_u64(&block, 1, (*next)++);
        orma_pb_end(&block, packet);
    }
    traced_file_write(file, &block);
}

static void finish(struct event_base *base, struct traced_file *file, struct end *end)
{
    traced_file_finish(file);
    while (!end->done)
        event_base_loop(base, EVLOOP_ONCE);
    if (end->error)
        die("an error");
    traced_file_free(file);
}

/* The numbers 0.. in order; how many there are. */
static uint32_t check(int fd)
{
    struct orma_buf data = {0};
    struct orma_pb_field packet, f;
    uint32_t next = 0;

    if (lseek(fd, 0, SEEK_SET) < 0 || orma_fd_read_all(fd, (size_t)1 << 30, &data) < 0)
        die("reading");
    struct orma_pb_reader r = orma_pb_reader(data.data, data.len);
    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);
        if (!orma_pb_next(&p, &f) || orma_pb_u64(&f) != next++)
            die("a number out of order");
    }
    if (r.failed)
        die("a packet that is cut");
    orma_buf_fini(&data);
    return next;
}

static void copy_while_writing(struct event_base *base)
{
    int source_fd = memfd_create("source", MFD_CLOEXEC),
        copy_fd = memfd_create("copy", MFD_CLOEXEC);
    struct end source_end, copy_end;
    uint32_t next = 0, at_copy;
    struct traced_compression none = {0};
    struct traced_file *source = open_file(base, dup(source_fd), &source_end, none);

    for (int i = 0; i < BLOCKS; i++)
        write_block(source, &next);
    struct traced_file *copy = open_file(base, dup(copy_fd), &copy_end, none);
    traced_file_copy(copy, source);
    at_copy = next;
    for (int i = 0; i < BLOCKS; i++)
        write_block(source, &next);
    finish(base, copy, &copy_end);
    finish(base, source, &source_end);
    if (check(source_fd) != next)
        die("the source lacks something");
    if (check(copy_fd) != at_copy)
        die("the copy is not what the source was");
    close(source_fd);
    close(copy_fd);
}

/* The owner goes away at once; what was handed over is written all the same. */
static void forget(struct event_base *base)
{
    int fd = memfd_create("forgotten", MFD_CLOEXEC), copy_fd = memfd_create("copy", MFD_CLOEXEC);
    struct end end, copy_end;
    uint32_t next = 0;
    struct traced_compression none = {0};
    struct traced_file *file = open_file(base, dup(fd), &end, none);
    struct traced_file *copy = open_file(base, dup(copy_fd), &copy_end, none);

    for (int i = 0; i < BLOCKS; i++)
        write_block(file, &next);
    traced_file_copy(copy, file);
    traced_file_free(file);
    finish(base, copy, &copy_end);
    if (check(copy_fd) != next)
        die("the copy of a forgotten file lacks something");
    close(fd);
    close(copy_fd);
}

/* Without a descriptor: blocks come back, compressed where that is built in. */
static void squeeze(struct event_base *base)
{
    static const struct traced_compression how = {TRACED_COMPRESSION_ZSTD, 1};
    struct end end;
    uint32_t next = 0;
    unsigned taken = 0;
    struct traced_file *file = open_file(base, -1, &end, how);

    for (int i = 0; i < BLOCKS; i++)
        write_block(file, &next);
    while (taken < BLOCKS) {
        struct orma_buf block = {0};

        if (traced_file_take(file, &block)) {
            if (!block.len)
                die("an empty block");
            taken++;
        } else {
            event_base_loop(base, EVLOOP_ONCE);
        }
        orma_buf_fini(&block);
    }
    finish(base, file, &end);
}

int main(void)
{
    struct event_base *base = event_base_new();

    for (int i = 0; i < ROUNDS; i++) {
        copy_while_writing(base);
        forget(base);
        squeeze(base);
    }
    event_base_free(base);
    return 0;
}
