#include "traced/rescue/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"

/* Pages are given in steps. */
#define STEP ((size_t)256 << 10)
/* From this size on pages may be huge, but not the first ones: as in buffers/buffer_life.c. */
#define HUGE_MIN ((size_t)16 << 20)
#define HUGE_FROM ((size_t)2 << 20)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

size_t traced_rescue_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Pages for a mapped range, without SIGBUS where there are none. */
static bool populate(uint8_t *at, size_t len)
{
    return madvise(at, len, MADV_POPULATE_WRITE) == 0;
}

/* The same on an older kernel, by the file. */
static bool allocate(const struct traced_rescue_memory *self, size_t from, size_t to)
{
    ORMA_AUTO(orma_fd_close)
    int fd = openat(self->folder->dir_fd, self->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    size_t page = traced_rescue_page();

    return fd >= 0 && fallocate(fd, 0, (off_t)(page + from), (off_t)(to - from)) == 0;
}

static void warn_full(struct traced_rescue_folder *folder, const char *what)
{
    if (!folder->has_warned)
        orma_log_warn("%s: no space for %s: what the service holds there would be lost with it",
                      folder->path, what);
    folder->has_warned = true;
}

int traced_rescue_map(struct traced_rescue_folder *folder, const char *name, size_t size,
                      struct traced_rescue_memory *ret)
{
    ORMA_AUTO(orma_fd_close) int fd = traced_rescue_create(folder, name);
    size_t page = traced_rescue_page(), whole = orma_align_up(size, page);
    int r = fd < 0 ? fd : 0;
    uint8_t *head = MAP_FAILED, *data = MAP_FAILED;

    if (r == 0 && ftruncate(fd, (off_t)(page + whole)) < 0)
        r = -errno;
    if (r == 0 && fallocate(fd, 0, 0, (off_t)page) < 0)
        r = -errno;
    if (r == 0)
        head = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (r == 0 && head != MAP_FAILED)
        data =
            mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)page);
    if (data == MAP_FAILED) {
        r = r < 0 ? r : -errno;
        if (head != MAP_FAILED)
            (void)munmap(head, page); /* just mapped */
        if (fd >= 0)
            traced_rescue_remove(folder, name);
        warn_full(folder, name);
        return r;
    }
    if (whole >= HUGE_MIN) /* where the file system has none, small ones do */
        (void)madvise(data + HUGE_FROM, whole - HUGE_FROM, MADV_HUGEPAGE);
    *ret = (struct traced_rescue_memory){
        .folder = folder, .head = head, .data = data, .size = size, .limit = size};
    memcpy(ret->name, name, strnlen(name, sizeof(ret->name) - 1));
    return 0;
}

/* From `backed` on it is memory like any other. */
static void give_up_rest(struct traced_rescue_memory *self)
{
    size_t whole = orma_align_up(self->size, traced_rescue_page());
    void *rest = mmap(self->data + self->backed, whole - self->backed, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

    if (rest == MAP_FAILED) /* too many mappings: then it stays as it is, and may be lucky */
        orma_log_error("%s: no memory for the rest of %s", self->folder->path, self->name);
    warn_full((struct traced_rescue_folder *)self->folder, self->name);
    self->limit = self->backed;
    self->backed = self->size;
}

void traced_rescue_back(struct traced_rescue_memory *self, size_t upto)
{
    size_t page = traced_rescue_page(), whole = orma_align_up(self->size, page);
    size_t want = ORMA_MIN(whole, orma_align_up(ORMA_MAX(upto, self->backed + 1), page));
    size_t more = self->backed + ORMA_MIN(STEP, self->backed / 4) / page * page;

    if (upto <= self->backed)
        return;
    want = ORMA_MIN(whole, ORMA_MAX(want, more));
    size_t len = want - self->backed;
    bool done = populate(self->data + self->backed, len);
    if (!done && errno == EINVAL)
        done = allocate(self, self->backed, want);
    if (!done) {
        give_up_rest(self);
        return;
    }
    self->backed = ORMA_MIN(want, self->size);
}

void traced_rescue_leave(struct traced_rescue_memory *self)
{
    if (self->folder && *self->name)
        traced_rescue_remove(self->folder, self->name);
    *self->name = '\0';
}

void traced_rescue_unmap(struct traced_rescue_memory *self)
{
    size_t page = traced_rescue_page();

    if (!self->folder)
        return;
    (void)munmap(self->head, page); /* both our own mappings */
    if (self->data)
        (void)munmap(self->data, orma_align_up(self->size, page));
    traced_rescue_leave(self);
    *self = (struct traced_rescue_memory){0};
}

int traced_rescue_shared_memory(struct traced_rescue_folder *folder, const char *name, size_t size)
{
    if (!folder->is_tmpfs)
        return -EINVAL; /* writing into pages of a disk may wait for the disk */
    int fd = traced_rescue_create(folder, name);

    if (fd < 0)
        return fd;
    if (ftruncate(fd, (off_t)size) == 0 && fallocate(fd, 0, 0, (off_t)size) == 0)
        return fd;
    int r = -errno;
    orma_fd_close(&fd);
    traced_rescue_remove(folder, name);
    warn_full(folder, name);
    return r;
}
