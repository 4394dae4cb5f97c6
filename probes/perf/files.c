/*
 * Where a file is looked for: below the root of the process that mapped it (containers have
 * one of their own), then at the path itself, since the process may be gone, then among what the
 * process has mapped, since the file may be deleted. What is found is used only if it is the same:
 * build id, or inode, agree.
 */
#include "probes/perf/files.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/unwind/file.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"

#define OPEN_MAX_NUM 256u /* that wait to be read */
#define VDSO_MAX (1u << 20)

static void file_free(struct orma_perf_file *file)
{
    orma_fd_close(&file->fd);
    orma_perf_symtab_fini(&file->elf);
    orma_unwind_file_free(file->unwind);
    free(file->interpreter);
    free(file->path);
    free(file);
}

void orma_perf_files_fini(struct orma_perf_files *self)
{
    ORMA_MAP_EACH (slot, &self->by_key)
        file_free((struct orma_perf_file *)(uintptr_t)slot->val);
    orma_map_fini(&self->by_key);
    self->open_num = 0;
}

/* ---- opening ---- */

static int open_of_process(const struct orma_perf_files *self, uint32_t pid, const char *path)
{
    char name[PATH_MAX + 32];

    if ((size_t)snprintf(name, sizeof(name), "%u/root%s", pid, path) >= sizeof(name))
        return -1;
    return orma_fd_open_regular(self->proc_fd, name, 0);
}

/* What lies at the path is gone, or another file: the kernel keeps the one that is mapped. */
static int open_mapped(const struct orma_perf_files *self, uint32_t pid,
                       const struct orma_perf_map_event *map)
{
    char name[80];

    snprintf(name, sizeof(name), "%u/map_files/%llx-%llx", pid, (unsigned long long)map->start,
             (unsigned long long)(map->start + map->len));
    int fd = orma_fd_open_regular(self->proc_fd, name, 0);
    if (fd < 0) { /* that needs rights; the program does not */
        snprintf(name, sizeof(name), "%u/exe", pid);
        fd = orma_fd_open_regular(self->proc_fd, name, 0);
    }
    return fd;
}

/* The vdso is the same for all processes: a copy of ours, as a file. */
static int open_vdso(void)
{
    const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    const Elf64_Ehdr *elf = (const void *)image;
    int fd;

    if (!image || elf->e_ident[EI_CLASS] != ELFCLASS64)
        return -1;
    size_t len = elf->e_shoff + (size_t)elf->e_shnum * elf->e_shentsize;
    fd = len > VDSO_MAX ? -1 : memfd_create("vdso", MFD_CLOEXEC);
    if (fd >= 0 && orma_fd_write_all(fd, image, len) < 0)
        orma_fd_close(&fd);
    return fd;
}

static bool is_same(const struct orma_perf_file *file, int fd)
{
    struct stat st;

    return !file->inode || (fstat(fd, &st) == 0 && st.st_ino == file->inode);
}

/* Containers have files of their own at the same paths. */
static bool is_ours(const char *path, int fd)
{
    struct stat theirs, ours;

    return fstat(fd, &theirs) < 0 ||
           (stat(path, &ours) == 0 && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino);
}

/* `map`: how `pid` has it mapped; NULL: not known. */
static int open_file(const struct orma_perf_files *self, struct orma_perf_file *file, uint32_t pid,
                     const struct orma_perf_map_event *map)
{
    int fd;

    if (!strcmp(file->path, "[vdso]"))
        return open_vdso();
    if (*file->path != '/' || file->path[1] == '/') /* "//anon": the kernel's words for none */
        return -1;
    fd = open_of_process(self, pid, file->path);
    if (fd >= 0 && !is_ours(file->path, fd))
        file->seen_by = pid;
    if (fd < 0)
        fd = orma_fd_open_regular(AT_FDCWD, file->path, 0);
    if (fd >= 0 && !is_same(file, fd))
        orma_fd_close(&fd);
    if (fd < 0 && map && (file->inode || file->build_id_len)) /* else it could be any file */
        fd = open_mapped(self, pid, map);
    if (fd >= 0 && !is_same(file, fd))
        orma_fd_close(&fd);
    return fd;
}

/* ---- the table ---- */

static uint64_t key_of(const struct orma_perf_map_event *map, struct orma_str path)
{
    uint64_t ret = orma_fnv1a(ORMA_FNV1A_BASIS, path.data, path.len);

    ret = orma_fnv1a(ret, map->build_id, map->build_id_len);
    return orma_mix64(ret ^ orma_mix64(map->inode ^ orma_mix64(map->device + 1)));
}

struct orma_perf_file *orma_perf_files_get(struct orma_perf_files *self, uint32_t pid,
                                           const struct orma_perf_map_event *map,
                                           struct orma_str path)
{
    uint64_t key = key_of(map, path);
    struct orma_perf_file *file = orma_map_get_ptr(&self->by_key, key);

    if (file)
        return file;
    file = calloc(1, sizeof(*file));
    if (!file)
        return NULL;
    *file = (struct orma_perf_file){.number = ++self->numbers, .fd = -1, .inode = map->inode};
    memcpy(file->build_id, map->build_id, map->build_id_len);
    file->build_id_len = map->build_id_len;
    file->path = strndup(path.data, path.len);
    if (!file->path || orma_map_put_ptr(&self->by_key, key, file) < 0) {
        file_free(file);
        return NULL;
    }
    if (self->open_num < OPEN_MAX_NUM)
        file->fd = open_file(self, file, pid, map);
    self->open_num += file->fd >= 0;
    return file;
}

/* Another build of it lies there by now: its names would be wrong. */
static bool is_other_build(const struct orma_perf_file *file)
{
    return file->build_id_len && file->elf.build_id_len &&
           (file->build_id_len != file->elf.build_id_len ||
            memcmp(file->build_id, file->elf.build_id, file->build_id_len) != 0);
}

void orma_perf_files_load(struct orma_perf_files *self, struct orma_perf_file *file, uint32_t pid)
{
    if (file->loaded)
        return;
    file->loaded = true;
    if (file->fd < 0)
        file->fd = open_file(self, file, pid, NULL);
    else
        self->open_num--;
    if (file->fd < 0)
        return;
    (void)orma_perf_symtab_read(&file->elf, file->fd); /* what cannot be read has no symbols */
    if (is_other_build(file)) {
        orma_perf_symtab_fini(&file->elf);
    } else {
        if (!file->build_id_len) {
            memcpy(file->build_id, file->elf.build_id, file->elf.build_id_len);
            file->build_id_len = file->elf.build_id_len;
        }
        if (orma_unwind_file_read(file->fd, &file->unwind) < 0)
            file->unwind = NULL;
        file->elf.go = orma_unwind_file_go(file->unwind);
    }
    orma_fd_close(&file->fd);
}
