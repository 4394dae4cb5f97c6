#include "probes/perf/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hex.h"
#include "sdk/base/path.h"
#include "sdk/base/search.h"

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

static void sort(struct orma_perf_jit *self)
{
    if (self->functions.len)
        qsort(self->functions.data, self->functions.len / sizeof(struct orma_perf_jit_function),
              sizeof(struct orma_perf_jit_function), by_start);
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
    sort(self);
}

void orma_perf_jit_fini(struct orma_perf_jit *self)
{
    orma_buf_fini(&self->functions);
    orma_buf_fini(&self->names);
    orma_map_fini(&self->index);
}

void orma_perf_jit_forget(struct orma_perf_jit *self)
{
    orma_perf_jit_fini(self);
    self->functions = self->names = (struct orma_buf){0};
    self->index = (struct orma_map){0};
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

/* At a name below the root of the process, or below ours, if it is gone. */
static int open_trusted(int proc_fd, uint32_t pid, const char *below_root, const char *path)
{
    int fd = orma_fd_open_regular(proc_fd, below_root, O_NOFOLLOW);

    if (fd < 0)
        fd = orma_fd_open_regular(AT_FDCWD, path, O_NOFOLLOW);
    if (fd < 0)
        return fd;
    if (is_trusted(proc_fd, pid, fd))
        return fd;
    orma_fd_close(&fd);
    return -EPERM;
}

int orma_perf_jit_read(int proc_fd, uint32_t pid, struct orma_buf *ret)
{
    char name[80], path[40];

    snprintf(name, sizeof(name), "%u/root/tmp/perf-%u.map", pid, inner_pid(proc_fd, pid));
    snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
    ORMA_AUTO(orma_fd_close) int fd = open_trusted(proc_fd, pid, name, path);
    struct stat st;

    if (fd < 0)
        return fd;
    if (fstat(fd, &st) == 0 && st.st_size > (off_t)ORMA_PERF_JIT_MAP_MAX)
        return -EFBIG; /* perhaps of holes, for which nobody needs a disk */
    return orma_fd_read_all(fd, ORMA_PERF_JIT_MAP_MAX, ret);
}

/* ---- dumps ---- */

#define DUMP_MAGIC 0x4a695444u
#define NAME_MAX_LEN 1024u

enum { CODE_LOAD, CODE_MOVE }; /* kinds of records; others carry no names */

struct dump_header {
    uint32_t magic, version, size, machine, unused, pid;
    uint64_t time, flags;
};

struct dump_record {
    uint32_t kind, size;
    uint64_t time;
};

struct code_load {
    uint32_t pid, tid;
    uint64_t vma, address, size, number;
    char name[NAME_MAX_LEN]; /* up to its zero; the code follows */
};

struct code_move {
    uint32_t pid, tid;
    uint64_t vma, from, to, size, number;
};

bool orma_perf_jit_is_dump(const char *path)
{
    const char *name = orma_path_base(path);
    size_t len = strlen(name);

    return len > 9 && !strncmp(name, "jit-", 4) && !strcmp(name + len - 5, ".dump");
}

int orma_perf_jit_open_dump(int proc_fd, uint32_t pid, const char *path)
{
    char name[4200];

    if ((size_t)snprintf(name, sizeof(name), "%u/root%s", pid, path) >= sizeof(name))
        return -ENAMETOOLONG;
    return open_trusted(proc_fd, pid, name, path);
}

static void add_function(struct orma_perf_jit *self, uint64_t start, uint64_t size, uint64_t name)
{
    const struct orma_perf_jit_function f = {
        start, size, (uint32_t)name,
        (uint32_t)(self->functions.len / sizeof(struct orma_perf_jit_function))};

    if (size && name != ORMA_MAP_NONE)
        orma_buf_put(&self->functions, &f, sizeof(f));
}

static void take_load(struct orma_perf_jit *self, const struct code_load *load, size_t len)
{
    size_t max = len - offsetof(struct code_load, name), name_len = strnlen(load->name, max);
    uint64_t at = self->names.len;

    if (name_len == max && len < sizeof(*load))
        return; /* it does not end */
    orma_buf_put(&self->names, load->name, name_len);
    orma_buf_put_byte(&self->names, 0);
    (void)orma_map_put(&self->index, load->number, at); /* else it cannot be moved */
    add_function(self, load->address, load->size, at);
}

/* How long the record is; 0: there is none yet. */
static uint64_t read_record(struct orma_perf_jit *self, int fd, uint64_t end)
{
    struct dump_record head;
    union {
        struct code_load load;
        struct code_move move;
    } body;

    if (pread(fd, &head, sizeof(head), (off_t)self->at) != (ssize_t)sizeof(head) ||
        head.size < sizeof(head) || head.size > end - self->at)
        return 0;
    size_t want = ORMA_MIN(head.size - sizeof(head), sizeof(body));
    ssize_t len =
        head.kind > CODE_MOVE ? 0 : pread(fd, &body, want, (off_t)(self->at + sizeof(head)));
    if (head.kind == CODE_LOAD && len > (ssize_t)offsetof(struct code_load, name))
        take_load(self, &body.load, (size_t)len);
    else if (head.kind == CODE_MOVE && len == (ssize_t)sizeof(body.move))
        add_function(self, body.move.to, body.move.size,
                     orma_map_get(&self->index, body.move.number));
    return head.size;
}

void orma_perf_jit_read_dump(struct orma_perf_jit *self, int fd)
{
    struct dump_header head;
    struct stat st;
    uint64_t size, before = self->functions.len;

    if (fstat(fd, &st) < 0 || st.st_size < 0)
        return;
    if (!self->at) {
        if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
            head.magic != DUMP_MAGIC || head.version != 1 || head.size < sizeof(head))
            return;
        self->at = head.size;
    }
    for (unsigned i = 0;
         i < ORMA_PERF_JIT_RECORDS_MAX &&
         self->functions.len / sizeof(struct orma_perf_jit_function) < FUNCTIONS_MAX &&
         self->names.len < ORMA_PERF_JIT_MAP_MAX && self->at < (uint64_t)st.st_size &&
         (size = read_record(self, fd, (uint64_t)st.st_size));
         i++)
        self->at += size;
    if (self->names.failed || self->functions.failed)
        orma_buf_clear(&self->functions);
    if (self->functions.len != before)
        sort(self);
}
