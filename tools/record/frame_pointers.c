/*
 * A list of paths, judged from the front; the program adds its loader and the libraries that it
 * needs, those add theirs. The first that keeps none ends it: on most machines the second file.
 */
#include "tools/record/frame_pointers.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/unwind/file.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"
#include "tools/record/child.h"

#define PERCENT_MIN 90 /* of the functions; assembly has none */
#define FILES_MAX 256u
#define HEADERS_MAX 64u
#define ENTRIES_MAX 128u /* of a dynamic section; what is needed stands first */
#define MAPS_MAX (32u << 20)

struct files {
    struct orma_buf paths; /* each ended by 0 */
    size_t num;
    bool missing; /* one that is needed was not found */
};

static void add_path(struct files *self, const char *path)
{
    for (size_t at = 0; at < self->paths.len;
         at += strlen((const char *)self->paths.data + at) + 1) {
        if (!strcmp((const char *)self->paths.data + at, path))
            return;
    }
    orma_buf_put(&self->paths, path, strlen(path) + 1);
    self->missing |= ++self->num > FILES_MAX || self->paths.failed;
}

/* Where ld.so looks without being told. Other places: then the stacks are copied, which is right
 * for all. */
static void add_library(struct files *self, const char *name)
{
    static const char *const folders[] = {"/lib/x86_64-linux-gnu",  "/lib64", "/usr/lib64",
                                          "/lib/aarch64-linux-gnu", "/lib",   "/usr/lib",
                                          "/usr/local/lib"};
    char path[PATH_MAX];

    if (strchr(name, '/')) {
        add_path(self, name);
        return;
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(folders); i++) {
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", folders[i], name) < sizeof(path) &&
            access(path, R_OK) == 0) {
            add_path(self, path);
            return;
        }
    }
    self->missing = true;
}

/* ---- what a file needs ---- */

struct headers {
    Elf64_Phdr all[HEADERS_MAX];
    unsigned num;
};

static bool read_headers(int fd, struct headers *ret)
{
    Elf64_Ehdr elf;

    if (pread(fd, &elf, sizeof(elf), 0) != sizeof(elf) ||
        memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    ret->num = ORMA_MIN(elf.e_phnum, HEADERS_MAX);
    return pread(fd, ret->all, ret->num * sizeof(*ret->all), (off_t)elf.e_phoff) ==
           (ssize_t)(ret->num * sizeof(*ret->all));
}

static const Elf64_Phdr *header_of(const struct headers *h, uint32_t type, uint64_t address)
{
    for (unsigned i = 0; i < h->num; i++) {
        if (h->all[i].p_type == type &&
            (type != PT_LOAD || address - h->all[i].p_vaddr < h->all[i].p_filesz))
            return &h->all[i];
    }
    return NULL;
}

/* A name that ends with a zero; what is cut is not found. */
static void add_name_at(struct files *self, int fd, uint64_t offset)
{
    char name[PATH_MAX / 4] = "";

    if (pread(fd, name, sizeof(name) - 1, (off_t)offset) <= 0)
        self->missing = true;
    add_library(self, name);
}

static void add_needed(struct files *self, int fd, const struct headers *h, const Elf64_Phdr *dyn)
{
    Elf64_Dyn d[ENTRIES_MAX] = {{0}};
    uint64_t names = 0;

    if (pread(fd, d, ORMA_MIN(dyn->p_filesz, sizeof(d)), (off_t)dyn->p_offset) <= 0)
        self->missing = true;
    for (size_t i = 0; i < ENTRIES_MAX; i++)
        names = d[i].d_tag == DT_STRTAB ? d[i].d_un.d_ptr : names;
    const Elf64_Phdr *load = header_of(h, PT_LOAD, names);
    for (size_t i = 0; load && i < ENTRIES_MAX; i++) {
        if (d[i].d_tag == DT_NEEDED)
            add_name_at(self, fd, names - load->p_vaddr + load->p_offset + d[i].d_un.d_val);
    }
    self->missing |= !load;
}

static void add_all_of(struct files *self, int fd)
{
    const Elf64_Phdr *h;
    struct headers headers;

    if (!read_headers(fd, &headers)) {
        self->missing = true;
        return;
    }
    if ((h = header_of(&headers, PT_INTERP, 0)))
        add_name_at(self, fd, h->p_offset);
    if ((h = header_of(&headers, PT_DYNAMIC, 0)))
        add_needed(self, fd, &headers, h);
}

/* ---- judging ---- */

static bool keeps_them(int fd)
{
    struct orma_unwind_file *file;
    int share;

    if (fd < 0 || orma_unwind_file_read(fd, &file) < 0)
        return false;
    share = orma_unwind_file_frame_pointers(file);
    orma_unwind_file_free(file);
    return share >= PERCENT_MIN;
}

/* Of the functions that an interpreter of Python runs, the copied stack tells (probes/python/). */
static bool needs_its_stack(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && (!strncmp(slash, "/python", 7) || !strncmp(slash, "/libpython", 10));
}

/* `closed`: all that is mapped is in the list. */
static bool judge(struct files *self, bool closed)
{
    bool good = self->paths.len && !self->missing;

    for (size_t at = 0; good && at < self->paths.len;) {
        const char *path = (const char *)self->paths.data + at;
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

        at += strlen(path) + 1;
        good = keeps_them(fd) && !needs_its_stack(path);
        if (good && !closed)
            add_all_of(self, fd);
        orma_fd_close(&fd);
        good &= !self->missing;
    }
    orma_buf_fini(&self->paths);
    return good;
}

bool orma_record_frame_pointers_of_command(const char *name)
{
    struct files files = {0};
    char path[PATH_MAX];

    if (!orma_record_child_find(name, path))
        return false;
    add_path(&files, path);
    return judge(&files, false);
}

/* "5581-5584 r-xp 0000 fd:01 12   /usr/bin/x" */
static void add_mapping(struct files *self, const char *root, struct orma_str line)
{
    const char *slash = memchr(line.data, '/', line.len), *mode = memchr(line.data, ' ', line.len);
    char path[PATH_MAX];

    if (!slash || !mode || slash - mode < 5 || mode[3] != 'x')
        return;
    struct orma_str rest = {slash, line.len - (size_t)(slash - line.data)};
    if ((size_t)snprintf(path, sizeof(path), "%s%.*s", root, ORMA_STR_ARG(rest)) < sizeof(path))
        add_path(self, path);
}

bool orma_record_frame_pointers_of_processes(const char *proc_root, const int32_t *pids, size_t num)
{
    struct files files = {0};
    char path[PATH_MAX];

    for (size_t i = 0; i < num; i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf maps = {0};
        struct orma_str rest, line;

        (void)snprintf(path, sizeof(path), "%s/%d/maps", proc_root, pids[i]);
        files.missing |= orma_fd_read_file(AT_FDCWD, path, MAPS_MAX, &maps) < 0;
        (void)snprintf(path, sizeof(path), "%s/%d/root", proc_root, pids[i]);
        rest = orma_buf_str(&maps);
        while (rest.len && orma_str_cut(&rest, '\n', &line))
            add_mapping(&files, path, line);
    }
    return judge(&files, true);
}
