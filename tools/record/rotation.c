#include "tools/record/rotation.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/path.h"
#include "tools/base/units.h"

/* A size is looked at so often. */
#define TICK_MS 50
/* After a file that could not be made. */
#define RETRY_MS 1000
/* From the beginning of a file, what comes may go into the one before it for so long. */
#define CHANGE_MS 5000
#define DIGITS 4
/* Names that others have, before it waits for RETRY_MS. */
#define NAMES_TRIED 1000
#define MS ((uint64_t)1000000)

/* ---- what is wanted ---- */

static bool parse_part(struct orma_record_rotation *self, const char *text)
{
    uint64_t *to = &self->max_ms, value;

    if (!orma_units_parse_duration_ms(text, &value)) { /* first: 10m is an age */
        to = &self->max_bytes;
        if (!orma_units_parse_size_bytes(text, &value))
            return false;
    }
    if (!value || *to)
        return false;
    *to = value;
    return true;
}

bool orma_record_rotation_parse(struct orma_record_rotation *self, const char *text)
{
    char part[64];
    const char *comma = strchr(text, ',');
    size_t len = comma ? (size_t)(comma - text) : 0;

    self->max_bytes = self->max_ms = 0;
    if (!comma)
        return parse_part(self, text);
    if (len >= sizeof(part))
        return false;
    memcpy(part, text, len);
    part[len] = '\0';
    return parse_part(self, part) && parse_part(self, comma + 1);
}

/* ---- names ---- */

/* Where in the path of the whole the number goes: in front of the suffix. */
static size_t number_at(const struct orma_record_rotation *self)
{
    const char *base = orma_path_base(self->want.path), *dot = strrchr(base, '.');

    return (size_t)((dot && dot != base ? dot : base + strlen(base)) - self->want.path);
}

static void put_path(const struct orma_record_rotation *self, uint32_t number, struct orma_buf *out)
{
    const char *path = self->want.path;
    size_t at = number_at(self);

    orma_buf_printf(out, "%.*s.%0*" PRIu32 "%s", (int)at, path, DIGITS, number, path + at);
}

/* The number of a file of this recording's name; 0: it is none. */
static uint32_t number_of(const struct orma_record_rotation *self, const char *name)
{
    const char *base = orma_path_base(self->want.path);
    size_t before = number_at(self) - (size_t)(base - self->want.path);
    const char *suffix = base + before;
    unsigned long number;
    char *end;

    if (strncmp(name, base, before) != 0 || name[before] != '.' ||
        !isdigit((unsigned char)name[before + 1]))
        return 0;
    number = strtoul(name + before + 1, &end, 10);
    return end - (name + before + 1) >= DIGITS && !strcmp(end, suffix) && number <= UINT32_MAX
               ? (uint32_t)number
               : 0;
}

/* ---- what is there already ---- */

/* Each file of this name in its folder: looked at, or removed. */
static int each_earlier(const struct orma_record_rotation *self, bool remove)
{
    const char *base = orma_path_base(self->want.path);
    ORMA_AUTO(orma_buf_fini) struct orma_buf folder = {0}, path = {0};
    struct orma_output_want want = self->want;
    struct dirent *entry;
    struct stat st;
    int r = 0;

    orma_buf_printf(&folder, "%.*s", (int)(base - want.path), want.path);
    DIR *dir = opendir(folder.len ? orma_buf_cstr(&folder) : ".");
    while (dir && r == 0 && (entry = readdir(dir))) {
        if (!number_of(self, entry->d_name))
            continue;
        orma_buf_clear(&path);
        orma_buf_printf(&path, "%s%s", folder.len ? orma_buf_cstr(&folder) : "", entry->d_name);
        want.path = orma_buf_cstr(&path);
        if (lstat(want.path, &st) < 0)
            continue;
        r = orma_output_check(&want);
        if (r == 0 && remove && S_ISREG(st.st_mode))
            (void)unlink(want.path); /* opening one that stays tells why */
    }
    if (dir)
        (void)closedir(dir); /* read only */
    return r;
}

int orma_record_rotation_check(const struct orma_record_rotation *self)
{
    struct stat st;

    if (!strcmp(self->want.path, "-") ||
        (stat(self->want.path, &st) == 0 && !S_ISREG(st.st_mode))) {
        fprintf(stderr, "%s: --rotate writes files of its own: name them with -o NAME.pftrace\n",
                self->want.program);
        return -EINVAL;
    }
    return each_earlier(self, false);
}

/* ---- files ---- */

static uint64_t size_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* The next number whose name nobody has: in a folder that others write to, a file of theirs would
 * hold the rotation for ever, and this recording's last file would grow without end. */
static int choose_name(const struct orma_record_rotation *self, struct orma_buf *path,
                       uint32_t *number)
{
    struct stat st;

    for (uint32_t i = 0; i < NAMES_TRIED; i++, (*number)++) {
        orma_buf_clear(path);
        put_path(self, *number, path);
        if (path->failed)
            return -ENOMEM;
        if (!self->number || lstat(orma_buf_cstr(path), &st) < 0)
            break; /* of the first one it is said why it cannot be */
    }
    return 0;
}

/* Makes the file with the next number. */
static int make_file(struct orma_record_rotation *self, int *ret_fd, bool *ret_created)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    struct orma_output_want want = self->want;
    struct orma_record_rotated file = {.number = self->number + 1};
    struct stat st;
    int fd = -1;

    int r = choose_name(self, &path, &file.number);
    want.path = orma_buf_cstr(&path);
    if (r == 0)
        r = orma_output_begin(&want, 0644, &fd, ret_created);
    if (r < 0)
        return r;
    if (fstat(fd, &st) < 0)
        st = (struct stat){0};
    file.dev = st.st_dev;
    file.ino = st.st_ino;
    if (ORMA_VEC_PUSH(&self->files, file)) {
        (void)unlink(want.path); /* nothing is in it */
        orma_fd_close(&fd);
        return -ENOMEM;
    }
    *ret_fd = fd;
    return 0;
}

/* The path is that of the newest file. */
static void name_last(struct orma_record_rotation *self)
{
    self->number = self->files.data[self->files.len - 1].number;
    orma_buf_clear(&self->path);
    put_path(self, self->number, &self->path);
    if (self->handover)
        orma_record_handover_name(self->handover, orma_buf_cstr(&self->path));
}

static void take_file(struct orma_record_rotation *self)
{
    self->made++;
    name_last(self);
    self->files.data[self->files.len - 1].begun_ns = orma_clock_boottime();
    self->begun_ns = self->looked_ns = orma_clock_monotonic();
    self->looked_bytes = 0;
}

int orma_record_rotation_open(struct orma_record_rotation *self, int *ret_fd, bool *ret_created)
{
    int r = each_earlier(self, true);

    self->old_fd = -1;
    if (r == 0)
        r = make_file(self, ret_fd, ret_created);
    if (r == 0)
        take_file(self);
    return r;
}

/* ---- for others ---- */

/* A file of ours, to be read; -1: it is another one, or gone. */
static int reopen(const struct orma_record_rotation *self, const struct orma_record_rotated *file)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    struct stat st;

    put_path(self, file->number, &path);
    if (path.failed)
        return -1;
    int fd = open(orma_buf_cstr(&path), O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_dev != file->dev || st.st_ino != file->ino))
        orma_fd_close(&fd);
    return fd;
}

/* The first `num` files without those that ended before `from_ns`. What a writer held when a file
 * began may be older than it. */
static void collect(const struct orma_record_rotation *self, uint32_t num, uint64_t from_ns,
                    struct orma_record_files *ret)
{
    for (uint32_t i = 0; i < num; i++) {
        if (i + 1 < num && self->files.data[i + 1].begun_ns + CHANGE_MS * MS < from_ns)
            continue;
        int fd = reopen(self, &self->files.data[i]);
        if (fd >= 0 && ORMA_VEC_PUSH(&ret->fds, fd))
            orma_fd_close(&fd);
    }
}

static bool is_wanted(const struct orma_record_rotation *self)
{
    uint64_t from_ns;

    return self->handover && orma_record_handover_wanted(self->handover, &from_ns);
}

static void give(struct orma_record_rotation *self, int error)
{
    struct orma_record_files files = {0};
    uint64_t from_ns;

    self->gives = false;
    if (!self->handover || !orma_record_handover_wanted(self->handover, &from_ns))
        return;
    if (!error)
        collect(self, self->files.len - 1, from_ns, &files);
    orma_record_handover_give(self->handover, &files, error);
    orma_record_files_fini(&files);
}

void orma_record_rotation_hand_over(struct orma_record_rotation *self)
{
    struct orma_record_files files = {0};
    uint64_t now = orma_clock_boottime(), hold = self->hold_ms * MS;

    if (!self->handover)
        return;
    collect(self, self->files.len, now - ORMA_MIN(now, hold), &files);
    orma_record_handover_close(self->handover, &files);
}

/* Nobody will want it: it ended before what is held. */
static bool is_old(const struct orma_record_rotation *self)
{
    return !self->hold_ms || self->files.len < 2 ||
           self->files.data[1].begun_ns + self->hold_ms * MS < orma_clock_boottime();
}

/* The oldest one that is there. */
static void remove_oldest(struct orma_record_rotation *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    const struct orma_record_rotated *file = &self->files.data[0];
    struct stat st;

    put_path(self, file->number, &path);
    if (!path.failed && lstat(orma_buf_cstr(&path), &st) == 0 && st.st_dev == file->dev &&
        st.st_ino == file->ino && unlink(orma_buf_cstr(&path)) == 0)
        self->removed++;
    self->files.len--;
    memmove(self->files.data, self->files.data + 1, self->files.len * sizeof(*self->files.data));
}

/* ---- one turn ---- */

static bool is_due(struct orma_record_rotation *self, int fd)
{
    uint64_t now = orma_clock_monotonic();

    if (now < self->retry_ns)
        return false;
    if (is_wanted(self))
        return true;
    if (self->max_ms && now - self->begun_ns >= self->max_ms * MS)
        return true;
    if (!self->max_bytes || now - self->looked_ns < TICK_MS * MS)
        return false;
    /* What comes until the next look, and while the change is under way, counts as well. */
    uint64_t bytes = size_of(fd), grown = bytes - ORMA_MIN(bytes, self->looked_bytes);

    self->looked_ns = now;
    self->looked_bytes = bytes;
    return bytes + 2 * ORMA_MIN(grown, self->max_bytes / 8) >= self->max_bytes;
}

/* Asks for the change. */
static int begin(struct orma_record_rotation *self, struct orma_consumer *consumer, int *fd)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    bool created;
    int next_fd;

    int r = make_file(self, &next_fd, &created);
    if (r < 0) {
        self->retry_ns = orma_clock_monotonic() + RETRY_MS * MS;
        fprintf(stderr, "%s: recording goes on in %s\n", self->want.program,
                orma_buf_cstr(&self->path));
        give(self, r);
        return 0;
    }
    r = orma_consumer_next_begin(consumer, next_fd, &self->next);
    if (r < 0) {
        put_path(self, self->files.data[--self->files.len].number, &path);
        (void)unlink(orma_buf_cstr(&path)); /* nothing is in it */
        orma_fd_close(&next_fd);
        if (r == -ENOSYS)
            fprintf(stderr, "%s: the running service cannot rotate files: use --private\n",
                    self->want.program);
        return r;
    }
    self->pending = true;
    self->gives = is_wanted(self);
    self->old_fd = *fd;
    *fd = next_fd;
    take_file(self);
    return 0;
}

/* Back to the file before: the service did not take the next one. */
static void take_back(struct orma_record_rotation *self, int *fd)
{
    (void)unlink(orma_buf_cstr(&self->path)); /* nothing is in it */
    orma_fd_close(fd);
    *fd = self->old_fd;
    self->old_fd = -1;
    self->files.len--;
    self->made--;
    self->pending = false;
    name_last(self);
    self->retry_ns = orma_clock_monotonic() + RETRY_MS * MS;
    if (self->gives)
        give(self, -EREMOTEIO);
}

static void put_note(struct orma_record_rotation *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf note = {0};

    if (self->put_note)
        self->put_note(self->ctx, &note);
    if (note.len && !note.failed)
        (void)orma_fd_write_all(self->old_fd, note.data, note.len); /* it is whole without */
}

static void finish_old(struct orma_record_rotation *self)
{
    if (self->next.done && !self->next.failed)
        put_note(self);
    self->complete_bytes += size_of(self->old_fd);
    self->behind = ORMA_MAX(self->behind, self->next.behind);
    orma_fd_close(&self->old_fd);
    self->pending = false;
    if (self->gives)
        give(self, 0);
    while (self->keep && self->files.len > self->keep && is_old(self))
        remove_oldest(self);
}

int orma_record_rotation_turn(struct orma_record_rotation *self, struct orma_consumer *consumer,
                              int *fd)
{
    if (self->pending && self->next.done) {
        if (self->next.refused)
            take_back(self, fd);
        else
            finish_old(self);
    }
    return !self->pending && is_due(self, *fd) ? begin(self, consumer, fd) : 0;
}

int orma_record_rotation_tick_ms(const struct orma_record_rotation *self, int tick_ms)
{
    return self && orma_record_rotation_wanted(self) ? ORMA_MIN(tick_ms, TICK_MS) : tick_ms;
}

void orma_record_rotation_close(struct orma_record_rotation *self, struct orma_consumer *consumer,
                                int *fd)
{
    if (!self->pending)
        return;
    if (!self->next.done)
        orma_consumer_next_forget(consumer, &self->next);
    if (self->next.refused || !size_of(*fd))
        take_back(self, fd);
    else
        finish_old(self);
}

void orma_record_rotation_fini(struct orma_record_rotation *self)
{
    orma_buf_fini(&self->path);
    ORMA_VEC_FINI(&self->files);
}

size_t orma_record_rotation_count_gone(const struct orma_record_rotation *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    size_t gone = 0;
    struct stat st;

    for (size_t i = 0; i < self->files.len; i++) {
        const struct orma_record_rotated *file = &self->files.data[i];

        orma_buf_clear(&path);
        put_path(self, file->number, &path);
        if (path.failed)
            return 0; /* nobody knows */
        gone += stat(orma_buf_cstr(&path), &st) < 0 || st.st_dev != file->dev ||
                st.st_ino != file->ino;
    }
    return gone;
}

void orma_record_rotation_put_names(const struct orma_record_rotation *self, struct orma_buf *out)
{
    if (self->files.len > 1) {
        put_path(self, self->files.data[0].number, out);
        orma_buf_put_str(out, " to ");
    }
    put_path(self, self->number, out);
}
