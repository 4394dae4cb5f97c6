/*
 * The file, DIR/ftrace-HASH.state, in lines that are only ever added:
 *
 *   path /sys/kernel/tracing
 *   pid 4711                              (who has it)
 *   made                                  (an instance of ours: to be removed)
 *   file tracing_on 1
 *   file set_event sched:sched_switch\nirq:irq_handler_entry
 *   dynamic uprobe_events -:orma_uprobes/x
 *
 * Values are whole files in the form in which they can be written, with \n and
 * \\ for line ends and backslashes. Files are restored in the order of the
 * table below, those that are not in it first.
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
#include "sdk/base/path.h"

#define PREFIX "ftrace-"
#define SUFFIX ".state"
#define FILE_MAX_SIZE (64u << 20)
#define NAME_SIZE 300 /* paths below tracefs are short */
#define REMOVE_TRIES 50
#define REMOVE_PAUSE_US 10000

/*
 * In the order of restoring: sizes while nothing is recorded, the clock after
 * them (changing it empties the ring).
 */
static const char *const order[] = {
    "tracing_cpumask",       "max_graph_depth", "buffer_percent",
    "buffer_subbuf_size_kb", "buffer_size_kb",  "trace_clock",
};

/* And these after the ring was emptied, tracing_on last. */
static const char *const last[] = {"set_event", "tracing_on"};

static bool is_one_of(const char *name, const char *const *names, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (!strcmp(name, names[i]))
            return true;
    }
    return false;
}

/* Of functions: a line may also be a command, "schedule:traceoff:unlimited". */
static bool is_function_list(const char *file)
{
    static const char *const names[] = {"set_ftrace_filter", "set_ftrace_notrace",
                                        "set_graph_function", "set_graph_notrace"};

    return is_one_of(orma_path_base(file), names, ORMA_ARRAY_LEN(names));
}

/* One entry a line; a plain write would add to them. */
static bool is_list(const char *file)
{
    static const char *const names[] = {"set_event", "set_event_pid", "set_event_notrace_pid"};

    return is_one_of(orma_path_base(file), names, ORMA_ARRAY_LEN(names)) || is_function_list(file);
}

/* ---- forms in which files can be written ---- */

/*
 * "#### all functions enabled ####" and "no pid" are no entries. Commands on functions are left
 * alone by what empties the list. A function of a module has its name behind it.
 */
static void list_form(const char *file, struct orma_str text, struct orma_buf *ret)
{
    bool functions = is_function_list(file);
    struct orma_str line, word;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        line = orma_str_trim(line);
        if (!line.len || line.data[0] == '#' || orma_str_eq_c(line, "no pid") ||
            (functions && memchr(line.data, ':', line.len)))
            continue;
        word = line;
        if (functions)
            (void)orma_str_cut(&line, ' ', &word); /* the whole line if there is none */
        orma_buf_printf(ret, "%s%.*s", ret->len ? "\n" : "", ORMA_STR_ARG(word));
    }
}

/* "7 (expanded: 1408)": never used so far. The second number is what its next user gets. */
static void size_form(struct orma_str line, struct orma_buf *ret)
{
    static const struct orma_str expanded = {"(expanded: ", 11};
    struct orma_str part;

    if (!line.len || !orma_str_cut(&line, ' ', &part))
        return;
    if (orma_str_starts(line, expanded) && line.len > expanded.len)
        part = (struct orma_str){line.data + expanded.len, line.len - expanded.len - 1};
    orma_buf_put(ret, part.data, part.len);
}

static void form_of(const char *file, struct orma_str text, struct orma_buf *ret)
{
    struct orma_str line = text;

    orma_buf_clear(ret);
    if (is_list(file)) {
        list_form(file, text, ret);
        return;
    }
    if (text.len)
        (void)orma_str_cut(&text, '\n', &line); /* one line, or an error behind it */
    line = orma_str_trim(line);
    if (!strcmp(file, "trace_clock"))
        orma_tracefs_choice(line, ret);
    else if (!strcmp(orma_path_base(file), "buffer_size_kb"))
        size_form(line, ret);
    else if (!strcmp(orma_path_base(file), "filter") && orma_str_eq_c(line, "none"))
        orma_buf_put_str(ret, "0"); /* what an event's filter says is not what it takes */
    else
        orma_buf_put(ret, line.data, line.len);
}

static void put_escaped(struct orma_buf *to, struct orma_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n' || text.data[i] == '\\')
            orma_buf_put_str(to, text.data[i] == '\n' ? "\\n" : "\\\\");
        else
            orma_buf_put(to, &text.data[i], 1);
    }
}

static void put_unescaped(struct orma_buf *to, struct orma_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (c == '\\' && i + 1 < text.len)
            c = text.data[++i] == 'n' ? '\n' : text.data[i];
        orma_buf_put(to, &c, 1);
    }
}

/* ---- the file ---- */

/* A directory that belongs to us, so that nobody else can plant files in it. */
static bool dir_is_ours(const char *dir)
{
    struct stat st;

    if (mkdir(dir, 0755) < 0 && errno != EEXIST)
        return false;
    return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Locked if it is nobody else's: -EBUSY otherwise. `flags`: O_CREAT or 0. */
static int open_locked(const char *path, int flags)
{
    int fd = open(path, O_RDWR | flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;

    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        int r = errno == EWOULDBLOCK ? -EBUSY : -errno;

        orma_fd_close(&fd);
        return r;
    }
    if (fstat(fd, &st) == 0 && st.st_nlink > 0 && S_ISREG(st.st_mode))
        return fd;
    orma_fd_close(&fd); /* its owner removed it between our two calls, or it is none of ours */
    return -EBUSY;
}

static int open_state(struct orma_ftrace_saved *self, const char *dir, const char *path)
{
    uint64_t hash = orma_fnv1a(ORMA_FNV1A_BASIS, path, strlen(path));

    if (!dir || !dir_is_ours(dir))
        return -EACCES;
    if (asprintf(&self->file, "%s/" PREFIX "%016llx" SUFFIX, dir, (unsigned long long)hash) < 0) {
        self->file = NULL;
        return -ENOMEM;
    }
    return open_locked(self->file, O_CREAT);
}

/* The value of the first line with this key; false: there is none. */
static bool value_of(const struct orma_buf *text, const char *key, struct orma_str *ret)
{
    struct orma_str rest = orma_buf_str(text), line, word;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_cut(&line, ' ', &word) || !orma_str_eq_c(word, key))
            continue;
        *ret = line;
        return true;
    }
    return false;
}

static pid_t owner_of(const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str val;
    uint64_t pid;

    if (orma_fd_read_file(AT_FDCWD, path, FILE_MAX_SIZE, &text) < 0 ||
        !value_of(&text, "pid", &val) || !orma_str_to_u64(val, &pid) || pid > INT32_MAX)
        return 0;
    return (pid_t)pid;
}

/* The file is `text` up to `from`; what is behind it is added. */
static int write_state(struct orma_ftrace_saved *self, size_t from)
{
    if (self->text.failed)
        return -ENOMEM;
    if (self->lock_fd >= 0 &&
        (lseek(self->lock_fd, (off_t)from, SEEK_SET) < 0 ||
         orma_fd_write_all(self->lock_fd, self->text.data + from, self->text.len - from) < 0))
        orma_log_warn("%s: %s (a crash would leave the kernel's tracer changed)", self->file,
                      strerror(errno));
    return 0;
}

static void forget_from(struct orma_ftrace_saved *self, size_t from)
{
    self->text.len = from;
    if (self->lock_fd >= 0 && ftruncate(self->lock_fd, (off_t)from) < 0)
        orma_log_debug("%s: %s", self->file, strerror(errno)); /* restores what did not change */
}

int orma_ftrace_saved_made(struct orma_ftrace_saved *self)
{
    size_t from = self->text.len;

    self->made = true;
    orma_buf_put_str(&self->text, "made\n");
    return write_state(self, from);
}

int orma_ftrace_saved_add_dynamic(struct orma_ftrace_saved *self, const char *file,
                                  const char *command)
{
    size_t from = self->text.len;

    orma_buf_printf(&self->text, "dynamic %s %s\n", file, command);
    return write_state(self, from);
}

/* ---- remembering ---- */

static bool knows(const struct orma_ftrace_saved *self, const char *file)
{
    char key[NAME_SIZE + 8];

    (void)snprintf(key, sizeof(key), "\nfile %s ", file); /* the first line is of another kind */
    return orma_str_find(orma_buf_str(&self->text), orma_str_from(key)) != NULL;
}

static void add_file(struct orma_ftrace_saved *self, const char *file, const struct orma_buf *raw)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf form = {0};

    form_of(file, orma_buf_str(raw), &form);
    self->text.failed |= form.failed;
    if (!form.len && !is_list(file))
        return; /* nothing that could be written back */
    orma_buf_printf(&self->text, "file %s ", file);
    put_escaped(&self->text, orma_buf_str(&form));
    orma_buf_put_str(&self->text, "\n");
}

/* "X": the cpus' rings differ, and the one file for all cannot say how. */
static void add_sizes(struct orma_ftrace_saved *self, const struct orma_tracefs *fs)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf raw = {0};
    uint32_t *ids = malloc(ORMA_TRACEFS_CPUS_MAX * sizeof(*ids));
    unsigned num = ids ? orma_tracefs_cpus(fs, ids, ORMA_TRACEFS_CPUS_MAX) : 0;

    for (unsigned i = 0; i < num; i++) {
        char file[64];

        (void)snprintf(file, sizeof(file), "per_cpu/cpu%u/buffer_size_kb", ids[i]); /* fits */
        if (orma_tracefs_read(fs, file, &raw) == 0)
            add_file(self, file, &raw);
    }
    self->text.failed |= !ids;
    free(ids);
}

int orma_ftrace_saved_remember(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                               const char *file)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf raw = {0};
    size_t from = self->text.len;

    if (self->made || strlen(file) >= NAME_SIZE || knows(self, file) ||
        orma_tracefs_read(fs, file, &raw) < 0)
        return 0; /* or it is not there: then it won't be changed either */
    if (!strcmp(file, "buffer_size_kb") && raw.len && raw.data[0] == 'X')
        add_sizes(self, fs);
    else
        add_file(self, file, &raw);
    return write_state(self, from);
}

enum how { WRITE, REPLACE, APPEND };

static int change(struct orma_ftrace_saved *self, const struct orma_tracefs *fs, const char *file,
                  const char *text, enum how how)
{
    size_t from = self->text.len;
    int r = orma_ftrace_saved_remember(self, fs, file);

    if (r < 0)
        return r;
    if (how == WRITE)
        r = orma_tracefs_write(fs, file, text);
    else if (how == REPLACE)
        r = orma_tracefs_replace(fs, file, text);
    else
        r = orma_tracefs_append(fs, file, text);
    if (r < 0 && how != APPEND)
        forget_from(self, from); /* of lists a part may have been taken */
    if (r == -EPERM || r == -EACCES)
        orma_log_warn("%s/%s: cannot write '%s': %s", fs->path, file, text, strerror(-r));
    return r;
}

int orma_ftrace_saved_write(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                            const char *file, const char *text)
{
    return change(self, fs, file, text, WRITE);
}

int orma_ftrace_saved_write_number(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                                   const char *file, uint64_t val)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)val); /* fits */
    return change(self, fs, file, text, WRITE);
}

int orma_ftrace_saved_replace(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                              const char *file, const char *text)
{
    return change(self, fs, file, text, REPLACE);
}

int orma_ftrace_saved_append(struct orma_ftrace_saved *self, const struct orma_tracefs *fs,
                             const char *file, const char *text)
{
    return change(self, fs, file, text, APPEND);
}

/* ---- restoring ---- */

static void put_back(const struct orma_tracefs *fs, const char *file, struct orma_buf *value)
{
    int r = is_list(file) ? orma_tracefs_replace_list(fs, file, orma_buf_str(value))
            : !strcmp(orma_path_base(file), "filter")
                ? orma_tracefs_replace(fs, file, orma_buf_cstr(value))
                : orma_tracefs_write(fs, file, orma_buf_cstr(value));

    if (r < 0 && r != -ENOENT) /* an event that is gone needs nothing */
        orma_log_warn("%s/%s: cannot restore '%.*s': %s", fs->path, file,
                      (int)ORMA_MIN(value->len, 100), value->data, strerror(-r));
}

/* Under which name the tables have it: the cpus' own sizes count as the one of all. */
static const char *place_of(const char *file)
{
    return !strcmp(orma_path_base(file), "buffer_size_kb") ? orma_path_base(file) : file;
}

static bool comes_later(const char *file)
{
    return is_one_of(file, order, ORMA_ARRAY_LEN(order)) ||
           is_one_of(file, last, ORMA_ARRAY_LEN(last));
}

/* Those of `only`, or if NULL those that are in no table. */
static void put_files_back(const struct orma_buf *text, const struct orma_tracefs *fs,
                           const char *only)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf value = {0};
    struct orma_str rest = orma_buf_str(text), line, word;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        char file[NAME_SIZE];

        if (!orma_str_cut(&line, ' ', &word) || !orma_str_eq_c(word, "file") ||
            !orma_str_cut(&line, ' ', &word) || word.len >= sizeof(file))
            continue;
        (void)snprintf(file, sizeof(file), "%.*s", ORMA_STR_ARG(word)); /* fits */
        if (only ? strcmp(place_of(file), only) != 0 : comes_later(place_of(file)))
            continue;
        orma_buf_clear(&value);
        put_unescaped(&value, line);
        if (!value.failed)
            put_back(fs, file, &value);
    }
}

static void take_dynamic_back(const struct orma_buf *text, const struct orma_tracefs *fs)
{
    struct orma_str rest = orma_buf_str(text), line, word;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        char file[64], command[1024];

        if (!orma_str_cut(&line, ' ', &word) || !orma_str_eq_c(word, "dynamic") ||
            !orma_str_cut(&line, ' ', &word) || word.len >= sizeof(file) ||
            line.len >= sizeof(command))
            continue;
        (void)snprintf(file, sizeof(file), "%.*s", ORMA_STR_ARG(word));       /* fits */
        (void)snprintf(command, sizeof(command), "%.*s", ORMA_STR_ARG(line)); /* the same */
        int r = orma_tracefs_append_top(fs, file, command);
        if (r < 0 && r != -ENOENT)
            orma_log_warn("%s: %s: %s", file, command, strerror(-r));
    }
}

static bool has_file(const struct orma_buf *text, const char *file)
{
    const struct orma_ftrace_saved as = {.text = *text};

    return knows(&as, file);
}

/* Nothing is recorded, nothing is enabled. */
static void stop_all(const struct orma_tracefs *fs, bool tracer)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};

    (void)orma_tracefs_write(fs, "tracing_on", "0"); /* errors show in what follows */
    (void)orma_tracefs_write(fs, "events/enable", "0");
    if (tracer && orma_tracefs_line(fs, "current_tracer", &name) &&
        !orma_str_eq_c(orma_buf_str(&name), "nop"))
        (void)orma_tracefs_write(fs, "current_tracer", "nop");
}

static void restore(const struct orma_buf *text, const struct orma_tracefs *fs)
{
    bool recorded = has_file(text, "set_event");

    if (recorded)
        stop_all(fs, has_file(text, "current_tracer"));
    take_dynamic_back(text, fs);
    put_files_back(text, fs, NULL);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(order); i++)
        put_files_back(text, fs, order[i]);
    if (recorded)
        (void)orma_tracefs_clear(fs); /* what it holds was ours */
    for (size_t i = 0; i < ORMA_ARRAY_LEN(last); i++)
        put_files_back(text, fs, last[i]);
}

/* An instance of ours. False: it could not be removed; a reader may still have it open. */
static bool remove_made(const struct orma_buf *text, const struct orma_tracefs *fs,
                        const char *path)
{
    if (fs) {
        stop_all(fs, true);
        take_dynamic_back(text, fs);
    }
    for (unsigned i = 0; i < REMOVE_TRIES; i++) {
        if (rmdir(path) == 0 || errno != EBUSY)
            break;
        (void)usleep(REMOVE_PAUSE_US); /* the kernel lets go of it a little later */
    }
    if (access(path, F_OK) < 0)
        return true;
    orma_log_warn("cannot remove %s: %s", path, strerror(errno));
    return false;
}

static bool is_made(const struct orma_buf *text)
{
    return orma_str_find(orma_buf_str(text), ORMA_STR("\nmade\n")) != NULL;
}

void orma_ftrace_saved_restore(struct orma_ftrace_saved *self, const struct orma_tracefs *fs)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    bool opened = fs && fs->dir_fd >= 0, done = true;
    struct orma_str val;

    if (self->taken && self->made && value_of(&self->text, "path", &val)) {
        orma_buf_put(&path, val.data, val.len);
        done = remove_made(&self->text, opened ? fs : NULL, orma_buf_cstr(&path));
    } else if (self->taken && opened) {
        restore(&self->text, fs);
    }
    if (done && self->file && self->lock_fd >= 0)
        (void)unlink(self->file); /* held locked: nobody else has opened it for use */
    orma_ftrace_saved_fini(self);
}

void orma_ftrace_saved_fini(struct orma_ftrace_saved *self)
{
    orma_fd_close(&self->lock_fd);
    free(self->file);
    orma_buf_fini(&self->text);
    *self = (struct orma_ftrace_saved){.lock_fd = -1};
}

/* The root is the path up to /instances/NAME. */
static int open_saved(struct orma_tracefs *fs, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf root = {0};
    const char *at = strstr(path, "/instances/");

    if (!at)
        return orma_tracefs_open(fs, path, NULL);
    orma_buf_put(&root, path, (size_t)(at - path));
    return orma_tracefs_open(fs, orma_buf_cstr(&root), at + strlen("/instances/"));
}

/* True if something was put back. *ret_done: the file is needed no longer. */
static bool recover_folder(const struct orma_buf *text, const char *path, bool *ret_done)
{
    struct orma_tracefs fs;

    *ret_done = true; /* a folder that is gone needs nothing */
    if (open_saved(&fs, path) < 0)
        return false;
    orma_log_info("restoring %s, which a killed process left changed", fs.path);
    if (is_made(text))
        *ret_done = remove_made(text, &fs, path);
    else
        restore(text, &fs);
    orma_tracefs_close(&fs);
    return true;
}

/* A line that was truncated has another value than its writer meant. */
static void drop_cut_line(struct orma_buf *text)
{
    while (text->len && text->data[text->len - 1] != '\n')
        text->len--;
}

/* What a locked file says. False: it is needed still. *ret: something was put back. */
static bool recover_text(int fd, bool *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0}, folder = {0};
    bool done = true;
    struct orma_str val;
    int r = orma_fd_read_all(fd, FILE_MAX_SIZE, &text);

    *ret = false;
    drop_cut_line(&text);
    if (r == 0 && value_of(&text, "path", &val)) {
        orma_buf_put(&folder, val.data, val.len);
        *ret = recover_folder(&text, orma_buf_cstr(&folder), &done);
    }
    return done;
}

static bool recover_file(const char *path)
{
    ORMA_AUTO(orma_fd_close) int fd = open_locked(path, 0);
    bool ret;

    if (fd < 0)
        return false; /* its owner lives, or it is not ours */
    if (recover_text(fd, &ret))
        (void)unlink(path);
    return ret;
}

int orma_ftrace_saved_take(struct orma_ftrace_saved *self, const char *dir, const char *path,
                           pid_t *ret_owner)
{
    bool recovered;
    int fd;

    *self = (struct orma_ftrace_saved){.lock_fd = -1};
    fd = open_state(self, dir, path);
    if (fd == -EBUSY && ret_owner)
        *ret_owner = owner_of(self->file);
    if (fd == -EBUSY || fd == -ENOMEM) {
        orma_ftrace_saved_fini(self);
        return fd;
    }
    self->lock_fd = fd < 0 ? -1 : fd;
    /* Of one that was killed after the last look for such files: it would seem to be what we found.
     */
    if (fd >= 0 && !recover_text(fd, &recovered)) {
        orma_ftrace_saved_fini(self);
        return -EBUSY;
    }
    if (fd < 0)
        orma_log_debug("cannot save the tracer's settings: %s", strerror(-fd));
    else if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        orma_log_warn("%s: %s", self->file, strerror(errno));
    orma_buf_printf(&self->text, "path %s\npid %d\n", path, (int)getpid());
    if (write_state(self, 0) < 0) {
        orma_ftrace_saved_fini(self);
        return -ENOMEM;
    }
    self->taken = true;
    return 0;
}

unsigned orma_ftrace_saved_recover(const char *dir)
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

int orma_ftrace_saved_reset(const struct orma_tracefs *fs)
{
    int r;

    stop_all(fs, true);
    r = orma_tracefs_write(fs, "buffer_size_kb", "1");
    (void)orma_tracefs_write(fs, "buffer_percent", "50"); /* not on old kernels */
    (void)orma_tracefs_replace(fs, "set_event_pid", "");  /* the same */
    if (!r)
        r = orma_tracefs_clear(fs);
    return r < 0 ? r : orma_tracefs_write(fs, "tracing_on", "1");
}

/* Without a run-time directory: one below /tmp, which counts only if it is ours (dir_is_ours). */
char *orma_ftrace_saved_default_dir(void)
{
    const char *run = getenv("XDG_RUNTIME_DIR");
    char *dir = NULL;
    int r;

    if (geteuid() == 0)
        return strdup("/run/orma");
    r = run && run[0] == '/' ? asprintf(&dir, "%s/orma", run)
                             : asprintf(&dir, "/tmp/orma-%u", (unsigned)geteuid());
    return r < 0 ? NULL : dir;
}
