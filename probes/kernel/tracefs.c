/*
 * An instance is a folder descriptor; `top` is that of the top level, for files that exist
 * only there. Files are written with one write(2), because the kernel parses each write on
 * its own; lists that the kernel takes word by word are written word by word, the first
 * one with O_TRUNC.
 */
#include "probes/kernel/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sdk/base/fd.h"

static const char *const usual_roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* 0 if the directory has the file that every tracefs has, and we may use it. */
static int look(const char *root)
{
    char path[512];

    if ((size_t)snprintf(path, sizeof(path), "%s/trace", root) >= sizeof(path))
        return -ENAMETOOLONG;
    return access(path, R_OK | W_OK) < 0 ? -errno : 0;
}

int orma_tracefs_find(const char *root, char **ret)
{
    int r = -ENOENT;

    for (size_t i = 0; i < (root ? 1 : ORMA_ARRAY_LEN(usual_roots)); i++) {
        const char *try = root ? root : usual_roots[i];
        int err = look(try);

        if (!err) {
            *ret = strdup(try);
            return *ret ? 0 : -ENOMEM;
        }
        if (err == -EACCES || err == -EPERM)
            r = -EACCES;
    }
    return r;
}

static int open_dir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

/* Names of instances are one path component; "hyp" is a tree of another kind. */
static bool is_instance_name(const char *name)
{
    return !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..") && strcmp(name, "hyp");
}

int orma_tracefs_open(struct orma_tracefs *self, const char *root, const char *instance)
{
    bool is_top = !instance || !instance[0];
    int r;

    *self = (struct orma_tracefs){.dir_fd = -1, .top_fd = -1, .is_top = is_top};
    if (!is_top && !is_instance_name(instance))
        return -EINVAL;
    r = is_top ? asprintf(&self->path, "%s", root)
               : asprintf(&self->path, "%s/instances/%s", root, instance);
    if (r < 0) {
        self->path = NULL;
        return -ENOMEM;
    }
    self->top_fd = open_dir(root);
    self->dir_fd = self->top_fd < 0 ? self->top_fd : open_dir(self->path);
    if (self->dir_fd >= 0)
        return 0;
    r = self->dir_fd;
    self->dir_fd = -1;
    orma_tracefs_close(self);
    return r;
}

bool orma_tracefs_is_real(const struct orma_tracefs *self)
{
    struct statfs fs;

    return fstatfs(self->dir_fd, &fs) == 0 && fs.f_type == TRACEFS_MAGIC;
}

void orma_tracefs_close(struct orma_tracefs *self)
{
    orma_fd_close(&self->dir_fd);
    orma_fd_close(&self->top_fd);
    free(self->path);
    self->path = NULL;
}

int orma_tracefs_read(const struct orma_tracefs *self, const char *file, struct orma_buf *ret)
{
    orma_buf_clear(ret);
    return orma_fd_read_file(self->dir_fd, file, ORMA_TRACEFS_FILE_MAX, ret);
}

int orma_tracefs_read_top(const struct orma_tracefs *self, const char *file, struct orma_buf *ret)
{
    orma_buf_clear(ret);
    return orma_fd_read_file(self->top_fd, file, ORMA_TRACEFS_FILE_MAX, ret);
}

bool orma_tracefs_line(const struct orma_tracefs *self, const char *file, struct orma_buf *ret)
{
    struct orma_str text, line;

    if (orma_tracefs_read(self, file, ret) < 0)
        return false;
    text = orma_buf_str(ret);
    line = text;
    if (!text.len || !orma_str_cut(&text, '\n', &line))
        return true;
    line = orma_str_trim(line);
    if (line.len)
        memmove(ret->data, line.data, line.len);
    ret->len = line.len;
    return true;
}

bool orma_tracefs_number(const struct orma_tracefs *self, const char *file, uint64_t *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str part, rest;

    if (!orma_tracefs_line(self, file, &text))
        return false;
    rest = orma_buf_str(&text);
    return rest.len && orma_str_cut(&rest, ' ', &part) && orma_str_to_u64(part, ret);
}

int orma_tracefs_write(const struct orma_tracefs *self, const char *file, const char *text)
{
    return orma_fd_write_file(self->dir_fd, file, text);
}

static int write_list(int dir_fd, const char *file, const char *text, int flags)
{
    ORMA_AUTO(orma_fd_close) int fd = openat(dir_fd, file, O_WRONLY | flags | O_CLOEXEC);
    size_t len = strlen(text);

    if (fd < 0)
        return -errno;
    if (!len)
        return 0;
    ssize_t n = write(fd, text, len); /* in one call: a command each */
    if (n < 0)
        return -errno;
    return (size_t)n == len ? 0 : -EIO;
}

int orma_tracefs_replace(const struct orma_tracefs *self, const char *file, const char *text)
{
    return write_list(self->dir_fd, file, text, O_TRUNC);
}

/* The kernel takes one word at a time of some lists. */
int orma_tracefs_replace_list(const struct orma_tracefs *self, const char *file,
                              struct orma_str lines)
{
    ORMA_AUTO(orma_fd_close)
    int fd = openat(self->dir_fd, file, O_WRONLY | O_TRUNC | O_CLOEXEC);
    struct orma_str line;
    int r = fd < 0 ? -errno : 0;

    while (fd >= 0 && lines.len && orma_str_cut(&lines, '\n', &line)) {
        size_t with_end = line.len + (lines.len > 0); /* the next one begins behind the '\n' */
        int err = orma_fd_write_all(fd, line.data, with_end);

        if (!r)
            r = err;
    }
    return r;
}

int orma_tracefs_append(const struct orma_tracefs *self, const char *file, const char *text)
{
    return write_list(self->dir_fd, file, text, O_APPEND);
}

int orma_tracefs_append_top(const struct orma_tracefs *self, const char *file, const char *text)
{
    return write_list(self->top_fd, file, text, O_APPEND);
}

bool orma_tracefs_has(const struct orma_tracefs *self, const char *file)
{
    return faccessat(self->dir_fd, file, F_OK, 0) == 0;
}

bool orma_tracefs_has_top(const struct orma_tracefs *self, const char *file)
{
    return faccessat(self->top_fd, file, F_OK, 0) == 0;
}

int orma_tracefs_clear(const struct orma_tracefs *self)
{
    int fd = openat(self->dir_fd, "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    orma_fd_close(&fd);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

unsigned orma_tracefs_cpus(const struct orma_tracefs *self, uint32_t *ret, unsigned max)
{
    int fd = openat(self->dir_fd, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    unsigned num = 0;

    if (!dir) {
        orma_fd_close(&fd);
        return 0;
    }
    while (num < max && (entry = readdir(dir))) {
        uint64_t cpu;

        if (!strncmp(entry->d_name, "cpu", 3) &&
            orma_str_to_u64(orma_str_from(entry->d_name + 3), &cpu) && cpu < ORMA_TRACEFS_CPUS_MAX)
            ret[num++] = (uint32_t)cpu;
    }
    (void)closedir(dir); /* read only */
    qsort(ret, num, sizeof(*ret), by_number);
    return num;
}

void orma_tracefs_choice(struct orma_str text, struct orma_buf *ret)
{
    struct orma_str part;

    orma_buf_clear(ret);
    if (text.len && orma_str_cut(&text, '[', &part) && text.len && orma_str_cut(&text, ']', &part))
        orma_buf_put(ret, part.data, part.len);
}

/* "     2380.623031": seconds. The locale's decimal point does not count here. */
static double seconds(struct orma_str text)
{
    struct orma_str whole;
    uint64_t sec = 0, frac = 0;
    double scale = 1;

    if (!orma_str_cut(&text, '.', &whole) || !orma_str_to_u64(whole, &sec))
        return 0;
    if (!text.len || text.len > 9 || !orma_str_to_u64(text, &frac))
        return (double)sec;
    for (size_t i = 0; i < text.len; i++)
        scale *= 10;
    return (double)sec + (double)frac / scale;
}

bool orma_tracefs_parse_cpu_stats(struct orma_str text, struct orma_tracefs_cpu_stats *ret)
{
    struct orma_str line, key;
    bool any = false;

    *ret = (struct orma_tracefs_cpu_stats){0};
    const struct {
        const char *key;
        uint64_t *num;
        double *time;
    } table[] = {
        {"entries", &ret->entries, NULL},
        {"overrun", &ret->overrun, NULL},
        {"commit overrun", &ret->commit_overrun, NULL},
        {"bytes", &ret->bytes, NULL},
        {"oldest event ts", NULL, &ret->oldest_ts},
        {"now ts", NULL, &ret->now_ts},
        {"dropped events", &ret->dropped, NULL},
        {"read events", &ret->read_events, NULL},
    };
    while (orma_str_cut(&text, '\n', &line)) {
        if (!orma_str_cut(&line, ':', &key))
            continue;
        line = orma_str_trim(line);
        for (size_t i = 0; i < ORMA_ARRAY_LEN(table); i++) {
            if (!orma_str_eq_c(key, table[i].key))
                continue;
            if (table[i].time)
                *table[i].time = seconds(line);
            else
                any |= orma_str_to_u64(line, table[i].num);
        }
    }
    return any;
}

int orma_tracefs_cpu_stats(const struct orma_tracefs *self, uint32_t cpu,
                           struct orma_tracefs_cpu_stats *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[64];
    int r;

    (void)snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", cpu); /* fits */
    r = orma_tracefs_read(self, path, &text);
    if (r < 0)
        return r;
    return orma_tracefs_parse_cpu_stats(orma_buf_str(&text), ret) ? 0 : -EBADMSG;
}

static bool line_number(struct orma_str line, const char *key, uint64_t *ret)
{
    const char *at = orma_str_find(line, orma_str_from(key));
    struct orma_str rest, part;

    if (!at)
        return false;
    at += strlen(key);
    rest = (struct orma_str){at, (size_t)(line.data + line.len - at)};
    return orma_str_cut(&rest, ';', &part) && orma_str_to_u64(part, ret);
}

bool orma_tracefs_parse_header_page(struct orma_str text, struct orma_tracefs_page_layout *ret)
{
    uint64_t commit_size = 0, data_offset = 0;
    struct orma_str line;

    while (orma_str_cut(&text, '\n', &line)) {
        if (orma_str_find(line, ORMA_STR(" commit;")))
            (void)line_number(line, "size:", &commit_size); /* stays 0 if there is none */
        if (orma_str_find(line, ORMA_STR(" data;")))
            (void)line_number(line, "offset:", &data_offset);
    }
    if ((commit_size != 4 && commit_size != 8) || data_offset != 8 + commit_size)
        return false;
    *ret = (struct orma_tracefs_page_layout){(uint8_t)commit_size, (uint8_t)data_offset};
    return true;
}

void orma_tracefs_page_layout(const struct orma_tracefs *self, struct orma_tracefs_page_layout *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    if (orma_tracefs_read(self, "events/header_page", &text) < 0 ||
        !orma_tracefs_parse_header_page(orma_buf_str(&text), ret))
        *ret = (struct orma_tracefs_page_layout){8, 16};
}
