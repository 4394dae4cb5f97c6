#include "probes/perf/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hex.h"
#include "sdk/base/search.h"

#define FILE_MAX_BYTES (64u << 20)
#define FUNCTIONS_MAX (1u << 20)
#define STATUS_MAX 16384u

static bool hex_word(struct orma_str *rest, uint64_t *ret)
{
    struct orma_str word;

    if (!orma_str_cut(rest, ' ', &word))
        return false;
    if (orma_str_starts(word, ORMA_STR("0x")))
        word = (struct orma_str){word.data + 2, word.len - 2};
    *ret = 0;
    for (size_t i = 0; i < word.len; i++) {
        int digit = orma_hex_digit(word.data[i]);

        if (digit < 0 || i >= 16)
            return false;
        *ret = *ret << 4 | (unsigned)digit;
    }
    return word.len > 0;
}

/* The last of two at the same place comes last, and is what a search from above finds. */
static int by_start(const void *a, const void *b)
{
    const struct orma_perf_jit_function *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void orma_perf_jit_parse(struct orma_perf_jit *self, struct orma_str text)
{
    struct orma_str line;
    uint32_t order = 0;

    orma_buf_clear(&self->functions);
    orma_buf_clear(&self->names);
    while (text.len && orma_str_cut(&text, '\n', &line) && order < FUNCTIONS_MAX) {
        struct orma_perf_jit_function f = {.name = (uint32_t)self->names.len, .order = order};

        if (!hex_word(&line, &f.start) || !hex_word(&line, &f.size) || !f.size || !line.len)
            continue;
        orma_buf_put(&self->names, line.data, line.len);
        orma_buf_put_byte(&self->names, 0);
        orma_buf_put(&self->functions, &f, sizeof(f));
        order++;
    }
    if (self->names.failed || self->functions.failed)
        orma_buf_clear(&self->functions);
    if (self->functions.len)
        qsort(self->functions.data, self->functions.len / sizeof(struct orma_perf_jit_function),
              sizeof(struct orma_perf_jit_function), by_start);
}

void orma_perf_jit_fini(struct orma_perf_jit *self)
{
    orma_buf_fini(&self->functions);
    orma_buf_fini(&self->names);
}

struct orma_str orma_perf_jit_find(const struct orma_perf_jit *self, uint64_t address)
{
    const struct orma_perf_jit_function *f = (const void *)self->functions.data;
    size_t at = ORMA_UPPER_BOUND(f, self->functions.len / sizeof(*f), .start, address);

    if (!at || address - f[at - 1].start >= f[at - 1].size)
        return (struct orma_str){"", 0};
    return orma_str_from((const char *)self->names.data + f[at - 1].name);
}

/* ---- the file ---- */

/* Its pid as the process itself knows it: the last of the line NSpid. */
static uint32_t inner_pid(int proc_fd, uint32_t pid)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, word;
    char name[32];
    uint64_t ret = pid;

    snprintf(name, sizeof(name), "%u/status", pid);
    if (orma_fd_read_file(proc_fd, name, STATUS_MAX, &text) < 0)
        return pid;
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_starts(line, ORMA_STR("NSpid:")))
            continue;
        while (line.len && orma_str_cut(&line, '\t', &word))
            (void)orma_str_to_u64(word, &ret); /* the title is none */
    }
    return (uint32_t)ret;
}

/* Anybody may write to /tmp: the file counts only if it is the process' user's, or root's. */
static bool is_trusted(int proc_fd, uint32_t pid, int fd)
{
    struct stat file, process;
    char name[32];

    snprintf(name, sizeof(name), "%u", pid);
    if (fstat(fd, &file) < 0 || !S_ISREG(file.st_mode))
        return false;
    if (fstatat(proc_fd, name, &process, 0) < 0)
        return file.st_uid == 0 || file.st_uid == geteuid();
    return file.st_uid == 0 || file.st_uid == process.st_uid;
}

int orma_perf_jit_read(int proc_fd, uint32_t pid, struct orma_buf *ret)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    char name[80];

    snprintf(name, sizeof(name), "%u/root/tmp/perf-%u.map", pid, inner_pid(proc_fd, pid));
    ORMA_AUTO(orma_fd_close) int fd = openat(proc_fd, name, flags);
    if (fd < 0) { /* the process is gone, and was perhaps not in a container */
        snprintf(name, sizeof(name), "/tmp/perf-%u.map", pid);
        fd = open(name, flags);
    }
    if (fd < 0)
        return -errno;
    if (!is_trusted(proc_fd, pid, fd))
        return -EPERM;
    return orma_fd_read_all(fd, FILE_MAX_BYTES, ret);
}
