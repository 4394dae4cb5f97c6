/*
 * pid -> process, made at its first sample: does the name match the scope? Mappings are read
 * from /proc/PID/maps when an address is looked up, and again after REREAD_NS, or sooner
 * when an address lies in none. Files are shared by device and inode, their symbols read
 * once. Beyond a limit of processes or files everything is forgotten and read anew.
 */
#include "probes/perf/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/hex.h"
#include "sdk/base/search.h"

#define PROCESSES_MAX 16384u
#define FILES_MAX 4096u
#define MAPPINGS_MAX 65536u
#define MAPS_FILE_MAX (32u << 20)
#define CMDLINE_MAX 4096u
#define REREAD_NS UINT64_C(1000000000)
#define REREAD_MISS_NS UINT64_C(50000000)

/* ---- scope ---- */

bool orma_perf_name_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;

    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool has_pid(const int32_t *pids, size_t num, uint32_t pid)
{
    for (size_t i = 0; i < num; i++) {
        if ((uint32_t)pids[i] == pid)
            return true;
    }
    return false;
}

static bool has_name(char *const *patterns, size_t num, const char *name)
{
    const char *slash = strrchr(name, '/');

    for (size_t i = 0; i < num; i++) {
        if (orma_perf_name_matches(patterns[i], name) ||
            (slash && orma_perf_name_matches(patterns[i], slash + 1)))
            return true;
    }
    return false;
}

/* The first word of the command line; of a kernel thread its name. */
static void read_name(const struct orma_perf_processes *self, uint32_t pid, struct orma_buf *ret)
{
    char file[40];

    snprintf(file, sizeof(file), "%u/cmdline", pid);
    if (orma_fd_read_file(self->proc_fd, file, CMDLINE_MAX, ret) < 0 && !ret->len)
        orma_buf_clear(ret);
    if (ret->len)
        return;
    snprintf(file, sizeof(file), "%u/comm", pid);
    (void)orma_fd_read_file(self->proc_fd, file, 64, ret);
    while (ret->len && ret->data[ret->len - 1] == '\n')
        ret->len--;
}

static bool is_wanted(const struct orma_perf_processes *self, uint32_t pid)
{
    const struct orma_perf_scope *s = &self->scope;
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};

    if (has_pid(s->not_pids, s->not_pids_num, pid))
        return false;
    if (s->names_num || s->not_names_num)
        read_name(self, pid, &name);
    if (has_name(s->not_names, s->not_names_num, orma_buf_cstr(&name)))
        return false;
    if (!s->pids_num && !s->names_num)
        return true;
    return has_pid(s->pids, s->pids_num, pid) ||
           has_name(s->names, s->names_num, orma_buf_cstr(&name));
}

static bool copy_pids(int32_t **ret, size_t *ret_num, const int32_t *pids, size_t num)
{
    if (!num)
        return true;
    *ret = calloc(num, sizeof(**ret));
    if (!*ret)
        return false;
    memcpy(*ret, pids, num * sizeof(**ret));
    *ret_num = num;
    return true;
}

static bool copy_names(char ***ret, size_t *ret_num, char *const *names, size_t num)
{
    if (!num)
        return true;
    *ret = calloc(num, sizeof(**ret));
    if (!*ret)
        return false;
    for (size_t i = 0; i < num; i++) {
        (*ret)[i] = strdup(names[i]);
        if (!(*ret)[i])
            return false;
        *ret_num = i + 1;
    }
    return true;
}

static void free_names(char **names, size_t num)
{
    for (size_t i = 0; i < num; i++)
        free(names[i]);
    free(names);
}

/* The scope of today, or the fields it replaced. */
static bool copy_scope(struct orma_perf_scope *self, const Perfetto__Protos__PerfEventConfig *c)
{
    const Perfetto__Protos__PerfEventConfig__Scope *s =
        c->callstack_sampling ? c->callstack_sampling->scope : NULL;

    if (s)
        return copy_pids(&self->pids, &self->pids_num, s->target_pid, s->n_target_pid) &&
               copy_pids(&self->not_pids, &self->not_pids_num, s->exclude_pid, s->n_exclude_pid) &&
               copy_names(&self->names, &self->names_num, s->target_cmdline, s->n_target_cmdline) &&
               copy_names(&self->not_names, &self->not_names_num, s->exclude_cmdline,
                          s->n_exclude_cmdline);
    return copy_pids(&self->pids, &self->pids_num, c->target_pid, c->n_target_pid) &&
           copy_pids(&self->not_pids, &self->not_pids_num, c->exclude_pid, c->n_exclude_pid) &&
           copy_names(&self->names, &self->names_num, c->target_cmdline, c->n_target_cmdline) &&
           copy_names(&self->not_names, &self->not_names_num, c->exclude_cmdline,
                      c->n_exclude_cmdline);
}

/* ---- processes ---- */

int orma_perf_processes_init(struct orma_perf_processes *self, const char *proc_root,
                             const Perfetto__Protos__PerfEventConfig *config)
{
    *self = (struct orma_perf_processes){.next_file = 1};
    self->proc_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->proc_fd < 0)
        return -errno;
    if (!copy_scope(&self->scope, config)) {
        orma_perf_processes_fini(self);
        return -ENOMEM;
    }
    return 0;
}

static void drop_mappings(struct orma_perf_process *process)
{
    for (size_t i = 0; i < process->mappings_num; i++)
        free(process->mappings[i].path);
    free(process->mappings);
    process->mappings = NULL;
    process->mappings_num = 0;
}

static void forget_all(struct orma_perf_processes *self)
{
    ORMA_MAP_EACH (slot, &self->by_pid) {
        struct orma_perf_process *process = (void *)(uintptr_t)slot->val;

        drop_mappings(process);
        free(process);
    }
    orma_map_clear(&self->by_pid);
    ORMA_MAP_EACH (slot, &self->by_file) {
        struct orma_perf_file *file = (void *)(uintptr_t)slot->val;

        orma_perf_symtab_fini(&file->elf);
        free(file);
    }
    orma_map_clear(&self->by_file);
}

void orma_perf_processes_fini(struct orma_perf_processes *self)
{
    struct orma_perf_scope *s = &self->scope;

    forget_all(self);
    orma_map_fini(&self->by_pid);
    orma_map_fini(&self->by_file);
    free(s->pids);
    free(s->not_pids);
    free_names(s->names, s->names_num);
    free_names(s->not_names, s->not_names_num);
    orma_fd_close(&self->proc_fd);
}

static bool is_alive(const struct orma_perf_processes *self, uint32_t pid)
{
    char name[16];

    snprintf(name, sizeof(name), "%u", pid);
    return faccessat(self->proc_fd, name, F_OK, 0) == 0;
}

struct orma_perf_process *orma_perf_process_get(struct orma_perf_processes *self, uint32_t pid,
                                                uint64_t now_ns)
{
    struct orma_perf_process *process = orma_map_get_ptr(&self->by_pid, pid);

    if (process) {
        if (now_ns - process->judged_ns > (process->wanted ? REREAD_NS : REREAD_MISS_NS)) {
            process->wanted = is_wanted(self, pid) || (process->wanted && !is_alive(self, pid));
            process->judged_ns = now_ns;
        }
        return process;
    }
    if (self->by_pid.len >= PROCESSES_MAX || self->by_file.len >= FILES_MAX)
        forget_all(self);
    process = calloc(1, sizeof(*process));
    if (!process)
        return NULL;
    *process =
        (struct orma_perf_process){.pid = pid, .wanted = is_wanted(self, pid), .judged_ns = now_ns};
    if (orma_map_put_ptr(&self->by_pid, pid, process) < 0) {
        free(process);
        return NULL;
    }
    return process;
}

/* ---- mappings ---- */

static struct orma_perf_file *open_file(struct orma_perf_processes *self, uint32_t pid,
                                        uint64_t key, const char *path)
{
    struct orma_perf_file *file = orma_map_get_ptr(&self->by_file, key);
    char name[PATH_MAX + 32];
    struct stat st;

    if (file)
        return file;
    if ((size_t)snprintf(name, sizeof(name), "%u/root%s", pid, path) >= sizeof(name))
        return NULL;
    /* As the process sees it. A device must neither block us nor become our terminal. */
    ORMA_AUTO(orma_fd_close)
    int fd = openat(self->proc_fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    file = calloc(1, sizeof(*file));
    if (!file)
        return NULL;
    file->id = self->next_file++;
    (void)orma_perf_symtab_read(&file->elf, fd); /* what cannot be read has no symbols */
    if (orma_map_put_ptr(&self->by_file, key, file) < 0) {
        orma_perf_symtab_fini(&file->elf);
        free(file);
        return NULL;
    }
    return file;
}

static bool hex_field(struct orma_str *rest, char sep, uint64_t *ret)
{
    struct orma_str part;

    if (!orma_str_cut(rest, sep, &part) || !part.len || part.len > 16)
        return false;
    *ret = 0;
    for (size_t i = 0; i < part.len; i++) {
        int digit = orma_hex_digit(part.data[i]);

        if (digit < 0)
            return false;
        *ret = *ret << 4 | (unsigned)digit;
    }
    return true;
}

/* "7f12-7f34 r-xp 00001000 fd:01 1234   /usr/lib/x.so". False: not a line of that kind, or data. */
static bool parse_line(struct orma_str line, struct orma_perf_mapping *ret, uint64_t *ret_key,
                       struct orma_str *ret_path)
{
    struct orma_str part;
    uint64_t major, minor, inode;

    if (!hex_field(&line, '-', &ret->start) || !hex_field(&line, ' ', &ret->end) ||
        !orma_str_cut(&line, ' ', &part) || part.len < 3 || part.data[2] != 'x' ||
        !hex_field(&line, ' ', &ret->offset) || !hex_field(&line, ':', &major) ||
        !hex_field(&line, ' ', &minor) || !orma_str_cut(&line, ' ', &part) ||
        !orma_str_to_u64(part, &inode) || ret->start >= ret->end)
        return false;
    *ret_key = inode ? orma_mix64(inode ^ orma_mix64(major << 32 | minor)) : 0;
    *ret_path = orma_str_trim(line);
    return true;
}

static void read_mappings(struct orma_perf_processes *self, struct orma_perf_process *process)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    struct orma_str rest, line, path;
    char name[40];

    snprintf(name, sizeof(name), "%u/maps", process->pid);
    if (orma_fd_read_file(self->proc_fd, name, MAPS_FILE_MAX, &text) < 0 || !text.len)
        return; /* gone: what was known stays, its last samples may come yet */
    drop_mappings(process);
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line) &&
           list.len / sizeof(struct orma_perf_mapping) < MAPPINGS_MAX) {
        struct orma_perf_mapping m = {0};
        uint64_t key;

        if (!parse_line(line, &m, &key, &path))
            continue;
        m.path = strndup(path.len ? path.data : "[anon]", path.len ? path.len : 6);
        if (!m.path)
            break;
        if (key && *m.path == '/')
            m.file = open_file(self, process->pid, key, m.path);
        orma_buf_put(&list, &m, sizeof(m));
        if (list.failed) {
            free(m.path);
            break;
        }
    }
    /* The kernel lists them by address. */
    process->mappings = (struct orma_perf_mapping *)(void *)list.data;
    process->mappings_num = list.len / sizeof(struct orma_perf_mapping);
    list = (struct orma_buf){0};
}

static const struct orma_perf_mapping *find(const struct orma_perf_process *process,
                                            uint64_t address)
{
    const struct orma_perf_mapping *m = process->mappings;
    size_t i = ORMA_OFFSET_FIND(m, process->mappings_num, .start, address);

    return i < process->mappings_num && address < m[i].end ? &m[i] : NULL;
}

const struct orma_perf_mapping *orma_perf_process_find(struct orma_perf_processes *self,
                                                       struct orma_perf_process *process,
                                                       uint64_t address, uint64_t now_ns)
{
    const struct orma_perf_mapping *m = find(process, address);
    uint64_t age_ns = now_ns - process->read_ns;

    if (process->read_ns && age_ns < (m ? REREAD_NS : REREAD_MISS_NS))
        return m;
    process->read_ns = now_ns;
    read_mappings(self, process);
    return find(process, address);
}
