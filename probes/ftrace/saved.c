/*
 * The file, DIR/ftrace-HASH.state:
 *
 *   path /sys/kernel/tracing
 *   top /sys/kernel/tracing
 *   tracing_on 1
 *   ...
 *   event sched:sched_switch       (enabled before)
 *   dynamic uprobe_events -:orma_uprobes/x
 *   file events/raw_syscalls/sys_enter/filter 0
 *
 * Keys are restored in the order of the table below, not in that of the file.
 */
#include "probes/ftrace/saved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/log.h"

#define PREFIX "ftrace-"
#define SUFFIX ".state"
#define FILE_MAX_SIZE (4u << 20)

/*
 * In the order of restoring: sizes while nothing is recorded, the clock after
 * them (changing it empties the ring), tracing_on last.
 */
static const char *const keys[] = {
    "tracing_cpumask",       "set_event_pid",     "max_graph_depth",
    "set_graph_function",    "set_ftrace_filter", "buffer_percent",
    "buffer_subbuf_size_kb", "buffer_size_kb",    "trace_clock",
};

/* The options that a session may change: see FtraceConfig.tracefs_options. */
static void save_options(struct orma_saved *self, const struct orma_tracefs *fs)
{
    int fd = openat(fs->dir_fd, "options", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!dir) {
        orma_fd_close(&fd);
        return;
    }
    while ((entry = readdir(dir))) {
        char path[300];
        uint64_t val;

        (void)snprintf(path, sizeof(path), "options/%s", entry->d_name); /* names are short */
        if (entry->d_name[0] != '.' && orma_tracefs_number(fs, path, &val) && val <= 1)
            orma_buf_printf(&self->text, "%s %u\n", path, (unsigned)val);
    }
    (void)closedir(dir); /* read only */
}

/* A plain write would add to them. */
static bool is_list(const char *key)
{
    return !strcmp(key, "set_graph_function") || !strcmp(key, "set_ftrace_filter") ||
           !strcmp(key, "set_event_pid");
}

/* Settings whose text is not what has to be written. */
static bool writable_form(const char *key, struct orma_buf *value, struct orma_buf *scratch)
{
    struct orma_str text = orma_buf_str(value), part;

    if (!strcmp(key, "trace_clock")) {
        orma_tracefs_choice(text, scratch);
    } else if (is_list(key)) {
        /* "#### all functions enabled ####", "no pid": nothing was chosen */
        orma_buf_clear(scratch);
        if (text.len && text.data[0] != '#' && !orma_str_eq_c(text, "no pid"))
            orma_buf_put(scratch, text.data, text.len);
        return true;
    } else {
        /* "7 (expanded: 1408)": never used so far. The second number is what its next user gets. */
        static const struct orma_str expanded = {"(expanded: ", 11};

        orma_buf_clear(scratch);
        if (text.len && orma_str_cut(&text, ' ', &part)) {
            if (orma_str_starts(text, expanded))
                part = (struct orma_str){text.data + expanded.len, text.len - expanded.len - 1};
            orma_buf_put(scratch, part.data, part.len);
        }
    }
    return scratch->len > 0;
}

static void save_settings(struct orma_saved *self, const struct orma_tracefs *fs)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf value = {0}, form = {0};
    struct orma_str rest, line;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(keys); i++) {
        if (orma_tracefs_line(fs, keys[i], &value) && writable_form(keys[i], &value, &form))
            orma_buf_printf(&self->text, "%s %s\n", keys[i], orma_buf_cstr(&form));
    }
    save_options(self, fs);
    if (orma_tracefs_line(fs, "tracing_on", &value))
        orma_buf_printf(&self->text, "tracing_on %s\n", orma_buf_cstr(&value));
    if (orma_tracefs_read(fs, "set_event", &value) < 0)
        return;
    rest = orma_buf_str(&value);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (line.len && line.data[0] != '#')
            orma_buf_printf(&self->text, "event %.*s\n", ORMA_STR_ARG(line));
    }
}

/* A directory that belongs to us, so that nobody else can plant files in it. */
static bool dir_is_ours(const char *dir)
{
    struct stat st;

    if (mkdir(dir, 0755) < 0 && errno != EEXIST)
        return false;
    return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static int open_locked(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;

    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        int r = errno == EWOULDBLOCK ? -EBUSY : -errno;

        orma_fd_close(&fd);
        return r;
    }
    if (fstat(fd, &st) == 0 && st.st_nlink > 0)
        return fd;
    orma_fd_close(&fd); /* its owner removed it between our two calls */
    return -EBUSY;
}

static int open_state(struct orma_saved *self, const char *dir, const struct orma_tracefs *fs)
{
    uint64_t hash = orma_fnv1a(ORMA_FNV1A_BASIS, fs->path, strlen(fs->path));

    if (!dir || !dir_is_ours(dir))
        return -EACCES;
    if (asprintf(&self->file, "%s/" PREFIX "%016llx" SUFFIX, dir, (unsigned long long)hash) < 0) {
        self->file = NULL;
        return -ENOMEM;
    }
    return open_locked(self->file);
}

static void write_state(struct orma_saved *self)
{
    if (self->lock_fd < 0)
        return;
    if (ftruncate(self->lock_fd, 0) < 0 || lseek(self->lock_fd, 0, SEEK_SET) < 0 ||
        orma_fd_write_all(self->lock_fd, self->text.data, self->text.len) < 0)
        orma_log_warn("%s: %s (a crash would leave the kernel's tracer changed)", self->file,
                      strerror(errno));
}

int orma_saved_take(struct orma_saved *self, const char *dir, const struct orma_tracefs *fs)
{
    int fd;

    *self = (struct orma_saved){.lock_fd = -1};
    fd = open_state(self, dir, fs);
    if (fd == -EBUSY || fd == -ENOMEM) {
        orma_saved_fini(self);
        return fd;
    }
    self->lock_fd = fd < 0 ? -1 : fd;
    if (fd < 0)
        orma_log_debug("no place to remember the tracer's settings: %s", strerror(-fd));
    orma_buf_printf(&self->text, "path %s\n", fs->path);
    save_settings(self, fs);
    if (self->text.failed) {
        orma_saved_fini(self);
        return -ENOMEM;
    }
    write_state(self);
    self->taken = true;
    return 0;
}

int orma_saved_add_dynamic(struct orma_saved *self, const char *file, const char *command)
{
    orma_buf_printf(&self->text, "dynamic %s %s\n", file, command);
    write_state(self);
    return self->text.failed ? -ENOMEM : 0;
}

int orma_saved_add_file(struct orma_saved *self, const struct orma_tracefs *fs, const char *file)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf value = {0};
    char key[300];

    (void)snprintf(key, sizeof(key), "file %s ", file); /* paths of ours are short */
    if (orma_str_find(orma_buf_str(&self->text), orma_str_from(key)) ||
        !orma_tracefs_line(fs, file, &value))
        return 0; /* remembered before, or not there */
    /* What an event's filter says is not always what it takes. */
    if (orma_str_eq_c(orma_buf_str(&value), "none"))
        value.len = 0;
    orma_buf_printf(&self->text, "%s%s\n", key, value.len ? orma_buf_cstr(&value) : "0");
    write_state(self);
    return self->text.failed ? -ENOMEM : 0;
}

static void put_back(const struct orma_tracefs *fs, const char *key, const char *value)
{
    int r = is_list(key) ? orma_tracefs_replace(fs, key, value)
                         : orma_tracefs_write(fs, key, value[0] ? value : "\n");

    /* Some files can't be written on hardened kernels: we did not change those either. */
    if (r < 0 && r != -ENOENT && r != -EPERM)
        orma_log_debug("%s/%s: cannot write back '%s': %s", fs->path, key, value, strerror(-r));
}

/* Calls for each line with this key, "" for all; the value is terminated. */
static void each_line(const struct orma_buf *text, const char *prefix,
                      void (*fn)(const struct orma_tracefs *fs, const char *key, const char *value),
                      const struct orma_tracefs *fs)
{
    struct orma_str rest = orma_buf_str(text), line, key;
    size_t len = strlen(prefix);

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        char name[300], value[1024];

        if (!orma_str_cut(&line, ' ', &key) || key.len < len || memcmp(key.data, prefix, len) ||
            (prefix[len - 1] != '/' && key.len != len))
            continue;
        (void)snprintf(name, sizeof(name), "%.*s", ORMA_STR_ARG(key));    /* written by us */
        (void)snprintf(value, sizeof(value), "%.*s", ORMA_STR_ARG(line)); /* written by us */
        fn(fs, name, value);
    }
}

static void enable_again(const struct orma_tracefs *fs, const char *key, const char *value)
{
    (void)key;
    int r = orma_tracefs_append(fs, "set_event", value);
    if (r < 0)
        orma_log_debug("%s: cannot enable %s again: %s", fs->path, value, strerror(-r));
}

static void take_back(const struct orma_tracefs *fs, const char *key, const char *value)
{
    const char *space = strchr(value, ' ');
    char file[64];

    (void)key;
    if (!space || (size_t)(space - value) >= sizeof(file))
        return;
    memcpy(file, value, (size_t)(space - value));
    file[space - value] = '\0';
    int r = orma_tracefs_append_top(fs, file, space + 1);
    if (r < 0 && r != -ENOENT)
        orma_log_debug("%s: %s: %s", file, space + 1, strerror(-r));
}

static void put_file_back(const struct orma_tracefs *fs, const char *key, const char *value)
{
    const char *space = strchr(value, ' ');
    char file[300];

    (void)key;
    if (!space)
        return;
    (void)snprintf(file, sizeof(file), "%.*s", (int)(space - value), value); /* written by us */
    (void)orma_tracefs_replace(fs, file, space + 1); /* an event that is gone needs nothing */
}

/* Nothing is recorded, nothing is enabled, the ring is empty. */
static void stop_all(const struct orma_tracefs *fs)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf tracer = {0};

    (void)orma_tracefs_write(fs, "tracing_on", "0"); /* errors show in what follows */
    (void)orma_tracefs_write(fs, "events/enable", "0");
    if (orma_tracefs_line(fs, "current_tracer", &tracer) &&
        !orma_str_eq_c(orma_buf_str(&tracer), "nop"))
        (void)orma_tracefs_write(fs, "current_tracer", "nop");
}

static void restore(const struct orma_buf *text, const struct orma_tracefs *fs)
{
    stop_all(fs);
    each_line(text, "file", put_file_back, fs);
    each_line(text, "dynamic", take_back, fs);
    each_line(text, "options/", put_back, fs);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(keys); i++)
        each_line(text, keys[i], put_back, fs);
    (void)orma_tracefs_clear(fs); /* what it holds was ours */
    each_line(text, "event", enable_again, fs);
    each_line(text, "tracing_on", put_back, fs);
}

void orma_saved_restore(struct orma_saved *self, const struct orma_tracefs *fs)
{
    if (self->taken)
        restore(&self->text, fs);
    if (self->file && self->lock_fd >= 0)
        (void)unlink(self->file); /* held locked: nobody else has opened it for use */
    orma_saved_fini(self);
}

void orma_saved_fini(struct orma_saved *self)
{
    orma_fd_close(&self->lock_fd);
    free(self->file);
    orma_buf_fini(&self->text);
    *self = (struct orma_saved){.lock_fd = -1};
}

/* The value of a "path" line: what the file is about. */
static char *path_of(const struct orma_buf *text)
{
    struct orma_str rest = orma_buf_str(text), line, key;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (orma_str_cut(&line, ' ', &key) && orma_str_eq_c(key, "path"))
            return orma_str_dup(line);
    }
    return NULL;
}

/* The root is the path up to /instances/NAME. */
static int open_saved(struct orma_tracefs *fs, char *path)
{
    char *at = strstr(path, "/instances/");

    if (!at)
        return orma_tracefs_open(fs, path, NULL);
    *at = '\0';
    return orma_tracefs_open(fs, path, at + strlen("/instances/"));
}

static bool recover_file(const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    ORMA_AUTO(orma_fd_close) int fd = open_locked(path);
    struct orma_tracefs fs;
    bool done = false;

    if (fd < 0)
        return false; /* its owner lives, or it is not ours */
    char *instance = orma_fd_read_all(fd, FILE_MAX_SIZE, &text) < 0 ? NULL : path_of(&text);
    if (instance && open_saved(&fs, instance) == 0) {
        orma_log_info("putting back %s as a killed process found it", fs.path);
        restore(&text, &fs);
        orma_tracefs_close(&fs);
        done = true;
    }
    free(instance);
    (void)unlink(path); /* an instance that is gone needs nothing */
    return done;
}

unsigned orma_saved_recover(const char *dir)
{
    DIR *d = dir && dir_is_ours(dir) ? opendir(dir) : NULL;
    struct dirent *entry;
    unsigned num = 0;

    while (d && (entry = readdir(d))) {
        size_t len = strlen(entry->d_name);
        char path[1024];

        if (len < sizeof(PREFIX SUFFIX) - 1 || strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) ||
            strcmp(entry->d_name + len - sizeof(SUFFIX) + 1, SUFFIX))
            continue;
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) < sizeof(path))
            num += recover_file(path);
    }
    if (d)
        (void)closedir(d); /* read only */
    return num;
}

int orma_saved_reset(const struct orma_tracefs *fs)
{
    int r;

    stop_all(fs);
    r = orma_tracefs_write(fs, "buffer_size_kb", "1");
    (void)orma_tracefs_write(fs, "buffer_percent", "50"); /* not on old kernels */
    (void)orma_tracefs_replace(fs, "set_event_pid", "");  /* the same */
    if (!r)
        r = orma_tracefs_clear(fs);
    return r < 0 ? r : orma_tracefs_write(fs, "tracing_on", "1");
}

char *orma_saved_default_dir(void)
{
    const char *run = getenv("XDG_RUNTIME_DIR");
    char *dir = NULL;

    if (geteuid() == 0)
        return strdup("/run/orma");
    if (!run || run[0] != '/' || asprintf(&dir, "%s/orma", run) < 0)
        return NULL;
    return dir;
}
