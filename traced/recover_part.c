#include "traced/recover_part.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

/* What the file has of [at, at + len), into zeroes: its holes take no memory. */
static int read_data(int fd, uint8_t *to, size_t len, uint64_t at)
{
    const uint64_t end = at + len;
    int r = 0;

    for (uint64_t pos = at; r == 0 && pos < end;) {
        off_t data = lseek(fd, (off_t)pos, SEEK_DATA);
        off_t hole = data < 0 ? data : lseek(fd, data, SEEK_HOLE);

        if (data < 0 && errno == ENXIO) /* a hole up to its end */
            return 0;
        if (hole < 0) /* not a file that can say */
            return orma_fd_read_at(fd, to, len, at);
        uint64_t from = ORMA_MIN((uint64_t)data, end);
        pos = ORMA_MIN((uint64_t)hole, end);
        r = orma_fd_read_at(fd, to + (from - at), (size_t)(pos - from), from);
    }
    return r;
}

#define PART_HEAD 64

/* Zeroes, which take no memory until they are written. NULL: no memory. */
static uint8_t *part_new(size_t size)
{
    size_t whole = size + 2 * (size_t)PART_HEAD;
    void *at = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    memcpy(at, &whole, sizeof(whole));
    return (uint8_t *)at + PART_HEAD;
}

void traced_recovery_part_free(uint8_t *part)
{
    size_t whole;

    if (!part)
        return;
    memcpy(&whole, part - PART_HEAD, sizeof(whole));
    (void)munmap(part - PART_HEAD, whole); /* as it was mapped */
}

uint8_t *traced_recovery_part_read(int fd, uint64_t at, size_t *size)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0) {
        *size = 0;
        return NULL;
    }
    *size = (size_t)ORMA_MIN(*size, (uint64_t)st.st_size > at ? (uint64_t)st.st_size - at : 0);
    uint8_t *data = part_new(*size);
    if (data && read_data(fd, data, *size, at) < 0) {
        traced_recovery_part_free(data);
        data = NULL;
    }
    return data;
}
