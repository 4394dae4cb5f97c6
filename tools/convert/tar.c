#include "tools/convert/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"

#define BLOCK 512
#define NAME_LEN_MAX 99
#define SIZE_LIMIT ((uint64_t)8 << 30)
#define COPY_BLOCK ((size_t)1 << 20)

static const uint8_t zeros[2 * BLOCK];

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100],
        magic[6], version[2], rest[247];
};

static int complain(struct orma_convert_tar *self, const char *what, const char *why)
{
    if (!self->failed)
        fprintf(stderr, "%s: %s: %s\n", self->program, what, why);
    self->failed = true;
    return -1;
}

static void fill_header(struct header *h, const char *name, uint64_t size)
{
    unsigned sum = 0;

    *h = (struct header){.type = '0', .magic = "ustar", .version = {'0', '0'}};
    snprintf(h->name, sizeof(h->name), "%s", name);
    memcpy(h->mode, "0000644", 8);
    memcpy(h->uid, "0000000", 8);
    memcpy(h->gid, "0000000", 8);
    snprintf(h->size, sizeof(h->size), "%011" PRIo64, size);
    memcpy(h->mtime, "00000000000", 12);
    memset(h->checksum, ' ', sizeof(h->checksum));
    for (size_t i = 0; i < sizeof(*h); i++)
        sum += ((const unsigned char *)h)[i];
    snprintf(h->checksum, sizeof(h->checksum), "%06o", sum); /* then a zero and a blank */
}

static int write_all(struct orma_convert_tar *self, const void *data, size_t len)
{
    int r = orma_fd_write_all(self->out.fd, data, len);

    return r < 0 ? complain(self, self->path, strerror(-r)) : 0;
}

static int put_header(struct orma_convert_tar *self, const char *what, const char *name,
                      uint64_t size)
{
    struct header header;

    if (strlen(name) > NAME_LEN_MAX)
        return complain(self, what, "the name is too long for an archive");
    if (size >= SIZE_LIMIT)
        return complain(self, what, "larger than an archive allows (8 GiB)");
    fill_header(&header, name, size);
    return write_all(self, &header, sizeof(header));
}

/* Zeros up to a whole block. */
static int fill_block(struct orma_convert_tar *self, uint64_t size)
{
    return size % BLOCK ? write_all(self, zeros, BLOCK - size % BLOCK) : 0;
}

/* Exactly `size` bytes. */
static int copy(struct orma_convert_tar *self, const char *what, int from, uint64_t size)
{
    for (uint64_t left = size; left;) {
        ssize_t n = read(from, self->block, (size_t)ORMA_MIN(left, (uint64_t)COPY_BLOCK));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return complain(self, what,
                            n < 0 ? strerror(errno) : "the file shrank while it was read");
        if (write_all(self, self->block, (size_t)n) < 0)
            return -1;
        left -= (uint64_t)n;
    }
    return fill_block(self, size);
}

int orma_convert_tar_open(struct orma_convert_tar *self, const struct orma_output_want *want)
{
    *self =
        (struct orma_convert_tar){.program = want->program, .path = want->path, .out = {.fd = -1}};
    self->block = malloc(COPY_BLOCK);
    if (!self->block)
        return complain(self, self->path, strerror(ENOMEM));
    self->failed = orma_output_open(&self->out, want) < 0;
    return self->failed ? -1 : 0;
}

int orma_convert_tar_add_file(struct orma_convert_tar *self, const char *path, const char *name)
{
    struct stat st;

    if (self->failed)
        return -1;
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return complain(self, path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return complain(self, path, "not a regular file");
    if (put_header(self, path, name, (uint64_t)st.st_size) < 0)
        return -1;
    return copy(self, path, fd, (uint64_t)st.st_size);
}

int orma_convert_tar_add_bytes(struct orma_convert_tar *self, const char *name, const void *data,
                               size_t len)
{
    if (self->failed || put_header(self, name, name, len) < 0 ||
        (len && write_all(self, data, len) < 0))
        return -1;
    return fill_block(self, len);
}

int orma_convert_tar_close(struct orma_convert_tar *self, const char *what)
{
    if (!self->failed)
        (void)write_all(self, zeros, sizeof(zeros)); /* `failed` tells */
    if (self->out.fd >= 0 && orma_output_close(&self->out, self->failed ? -1 : 0, what) < 0)
        self->failed = true;
    free(self->block);
    self->block = NULL;
    return self->failed ? -1 : 0;
}
