#include "traced/rescue/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/standard.h"
#include "traced/rescue/layout.h"

#define ROOT_PREFIX "orma-rescue-"
#define ROOT_FORMAT ROOT_PREFIX "%u"
#define LOCK_NEW "lock.new"
#define LOCK_TEXT_MAX 128
/* Another service may remove the empty root at its end, while we are about to use it. */
#define TRIES 5

static int steal_fd(int *fd)
{
    int ret = *fd;

    *fd = -1;
    return ret;
}

static bool is_tmpfs(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* Nobody but us may have put anything into it. */
static bool is_private(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & 077) == 0;
}

static int open_folder(int at, const char *path, int flags)
{
    int fd = orma_standard_avoid(openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags));

    return fd;
}

/* ---- where ---- */

/* The user's run-time folder, if that is memory and the user's. */
static const char *runtime_dir(void)
{
    const char *dir = getenv("XDG_RUNTIME_DIR");
    ORMA_AUTO(orma_fd_close) int fd = dir && *dir == '/' ? open_folder(AT_FDCWD, dir, 0) : -1;

    return fd >= 0 && is_tmpfs(fd) && is_private(fd) ? dir : NULL;
}

static const char *default_base(void)
{
    const char *env = getenv("ORMA_RESCUE_FOLDER"), *run = runtime_dir();

    return env && *env ? env : run ? run : "/dev/shm";
}

static void root_name(char *to, size_t size)
{
    (void)snprintf(to, size, ROOT_FORMAT, (unsigned)geteuid());
}

/* The user's folder in `base`. Descriptor or -errno; `why` in words. */
static int open_root(const char *base, struct orma_buf *why)
{
    char name[TRACED_RESCUE_NAME_MAX];
    ORMA_AUTO(orma_fd_close) int at = open_folder(AT_FDCWD, base, 0);

    root_name(name, sizeof(name));
    if (at < 0) {
        orma_buf_printf(why, "%s: %s", base, strerror(-at));
        return at;
    }
    if (mkdirat(at, name, 0700) < 0 && errno != EEXIST) {
        int r = -errno;

        orma_buf_printf(why, "%s: cannot make the folder %s: %s", base, name, strerror(-r));
        return r;
    }
    int fd = open_folder(at, name, O_NOFOLLOW);
    if (fd < 0) {
        orma_buf_printf(why, "%s/%s: %s", base, name, strerror(-fd));
        return fd;
    }
    if (!is_private(fd)) {
        orma_buf_printf(why, "%s/%s exists, but others made it or may use it; remove it", base,
                        name);
        orma_fd_close(&fd);
        return -EPERM;
    }
    return fd;
}

/* ---- locks ---- */

static int write_lock(int fd)
{
    char text[LOCK_TEXT_MAX];
    int len = snprintf(text, sizeof(text), TRACED_RESCUE_TITLE " %u pid %10d\n",
                       TRACED_RESCUE_VERSION, (int)getpid());

    return pwrite(fd, text, (size_t)len, 0) == len ? 0 : errno ? -errno : -ENOSPC;
}

void traced_rescue_folder_note_pid(const struct traced_rescue_folder *self)
{
    (void)write_lock(self->lock_fd); /* no more than a number in messages */
}

/* Under its name only once it is locked: nobody sees it free before. */
static int make_lock(int dir_fd)
{
    ORMA_AUTO(orma_fd_close)
    int fd =
        orma_standard_avoid(openat(dir_fd, LOCK_NEW, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));

    if (fd < 0)
        return fd;
    int r = write_lock(fd);
    if (r < 0)
        return r;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 ||
        renameat(dir_fd, LOCK_NEW, dir_fd, TRACED_RESCUE_LOCK) < 0)
        return -errno;
    return steal_fd(&fd);
}

/* What the lock says. -EBADMSG: nothing of ours; -EPROTO: another version. */
static int read_lock(int lock_fd, int32_t *ret_pid)
{
    char text[LOCK_TEXT_MAX] = "";
    unsigned version;
    int pid;

    ssize_t n = pread(lock_fd, text, sizeof(text) - 1, 0);
    if (n <= 0 || sscanf(text, TRACED_RESCUE_TITLE " %u", &version) != 1)
        return -EBADMSG;
    if (version != TRACED_RESCUE_VERSION)
        return -EPROTO;
    if (sscanf(text, TRACED_RESCUE_TITLE " %*u pid %d", &pid) != 1)
        return -EBADMSG;
    *ret_pid = pid;
    return 0;
}

/* ---- files ---- */

int traced_rescue_create(const struct traced_rescue_folder *self, const char *name)
{
    return orma_standard_avoid(
        openat(self->dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

void traced_rescue_remove(const struct traced_rescue_folder *self, const char *name)
{
    (void)unlinkat(self->dir_fd, name, 0); /* at the end the whole folder goes */
}

/* Everything but the lock. */
static int empty_folder(int dir_fd)
{
    int copy = open_folder(dir_fd, ".", 0), r = 0;
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;

    if (!dir) {
        r = copy < 0 ? copy : -errno;
        orma_fd_close(&copy);
        return r;
    }
    while ((entry = readdir(dir))) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") && strcmp(name, "..") && strcmp(name, TRACED_RESCUE_LOCK) &&
            unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT)
            r = -errno;
    }
    (void)closedir(dir); /* read only */
    return r;
}

/* Where it is now: others may have put links into the path since it was opened. */
static int remove_folder(int dir_fd, const char *path)
{
    ORMA_AUTO(orma_fd_close) int up = open_folder(dir_fd, "..", 0);
    char name[NAME_MAX + 1];
    struct stat a, b;
    size_t len = strlen(path), start;

    while (len > 1 && path[len - 1] == '/')
        len--;
    for (start = len; start > 0 && path[start - 1] != '/';)
        start--;
    if (up < 0)
        return up;
    if (len - start >= sizeof(name))
        return -ENAMETOOLONG;
    memcpy(name, path + start, len - start);
    name[len - start] = '\0';
    if (fstat(dir_fd, &a) < 0 || fstatat(up, name, &b, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino)
        return -ENOENT;
    return unlinkat(up, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

int traced_rescue_discard(int dir_fd, const char *path)
{
    int r = empty_folder(dir_fd);

    if (r == 0 && unlinkat(dir_fd, TRACED_RESCUE_LOCK, 0) < 0)
        r = -errno;
    return r == 0 ? remove_folder(dir_fd, path) : r;
}

/* ---- those that are there ---- */

static bool look_at(int root_fd, const char *root, const char *name,
                    struct traced_rescue_found *ret)
{
    ORMA_AUTO(orma_fd_close) int dir = open_folder(root_fd, name, O_NOFOLLOW);
    ORMA_AUTO(orma_fd_close)
    int lock = dir < 0 ? -1 : openat(dir, TRACED_RESCUE_LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (lock < 0 || fstat(lock, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    *ret = (struct traced_rescue_found){.changed = st.st_mtime};
    if ((size_t)snprintf(ret->path, sizeof(ret->path), "%s/%s", root, name) >= sizeof(ret->path))
        return false;
    (void)read_lock(lock, &ret->pid);
    ret->alive = flock(lock, LOCK_SH | LOCK_NB) < 0; /* shared: others may be looking as well */
    return true;
}

static unsigned each_in_root(int root_fd, const char *root,
                             void (*fn)(void *ctx, const struct traced_rescue_found *), void *ctx)
{
    int copy = open_folder(root_fd, ".", 0);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct traced_rescue_found found;
    struct dirent *entry;
    unsigned num = 0;

    if (!dir) {
        orma_fd_close(&copy);
        return 0;
    }
    while ((entry = readdir(dir))) {
        if (*entry->d_name != '.' && look_at(root_fd, root, entry->d_name, &found)) {
            num++;
            fn(ctx, &found);
        }
    }
    (void)closedir(dir); /* read only */
    return num;
}

/* Root sees those of others. */
static bool may_look(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 077) == 0 &&
           (!geteuid() || st.st_uid == geteuid());
}

static unsigned each_in(const char *base, void (*fn)(void *ctx, const struct traced_rescue_found *),
                        void *ctx)
{
    char root[PATH_MAX], own[TRACED_RESCUE_NAME_MAX];
    DIR *dir = opendir(base);
    struct dirent *entry;
    unsigned num = 0;

    root_name(own, sizeof(own));
    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, ROOT_PREFIX, strlen(ROOT_PREFIX)) ||
            (geteuid() && strcmp(entry->d_name, own)) ||
            (size_t)snprintf(root, sizeof(root), "%s/%s", base, entry->d_name) >= sizeof(root))
            continue;
        ORMA_AUTO(orma_fd_close) int fd = open_folder(AT_FDCWD, root, O_NOFOLLOW);
        if (fd >= 0 && may_look(fd))
            num += each_in_root(fd, root, fn, ctx);
    }
    if (dir)
        (void)closedir(dir); /* read only */
    return num;
}

unsigned traced_rescue_each(const char *base,
                            void (*fn)(void *ctx, const struct traced_rescue_found *), void *ctx)
{
    const char *env = getenv("ORMA_RESCUE_FOLDER"), *run = runtime_dir();
    unsigned num = 0;

    if (base)
        return each_in(base, fn, ctx);
    if (env && *env)
        return strcmp(env, "none") != 0 ? each_in(env, fn, ctx) : 0;
    if (run)
        num += each_in(run, fn, ctx);
    return num + each_in("/dev/shm", fn, ctx);
}

int traced_rescue_claim(const char *path, int *ret_dir, int *ret_lock, int32_t *ret_pid)
{
    ORMA_AUTO(orma_fd_close) int dir = open_folder(AT_FDCWD, path, 0);
    struct stat st;

    if (dir < 0)
        return dir;
    if (fstat(dir, &st) < 0 || (geteuid() && (st.st_uid != geteuid() || st.st_mode & 077)))
        return -EPERM;
    ORMA_AUTO(orma_fd_close)
    int lock =
        orma_standard_avoid(openat(dir, TRACED_RESCUE_LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (lock < 0)
        return lock == -ENOENT ? -EBADMSG : lock;
    if (fstat(lock, &st) < 0 || !S_ISREG(st.st_mode))
        return -EBADMSG;
    int r = read_lock(lock, ret_pid);
    if (r < 0)
        return r;
    if (flock(lock, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    /* Who had it before may have removed it meanwhile. */
    if (fstat(lock, &st) < 0 || !st.st_nlink)
        return -ENOENT;
    *ret_dir = steal_fd(&dir);
    *ret_lock = steal_fd(&lock);
    return 0;
}

/* ---- a new one ---- */

struct dead {
    unsigned num;
    struct traced_rescue_found oldest;
};

static void note_dead(void *ctx, const struct traced_rescue_found *found)
{
    struct dead *dead = ctx;

    if (found->alive)
        return;
    if (!dead->num++ || found->changed < dead->oldest.changed)
        dead->oldest = *found;
}

static bool discard_path(const char *path)
{
    ORMA_AUTO(orma_fd_close) int dir = -1, lock = -1;
    int32_t pid;
    int r = traced_rescue_claim(path, &dir, &lock, &pid);

    if (r == -EPROTO || r == -EBADMSG) /* of another version: nobody here can read it */
        dir = open_folder(AT_FDCWD, path, O_NOFOLLOW);
    return dir >= 0 && traced_rescue_discard(dir, path) == 0;
}

/* Those of dead services; of too many the oldest go. */
static unsigned tidy(int root_fd, const char *root)
{
    for (;;) {
        struct dead dead = {0};

        (void)each_in_root(root_fd, root, note_dead, &dead);
        if (dead.num <= TRACED_RESCUE_DEAD_MAX || !discard_path(dead.oldest.path))
            return dead.num;
        orma_log_warn("%s: removed, with what a service left there that died before %d others did",
                      dead.oldest.path, TRACED_RESCUE_DEAD_MAX);
    }
}

static int make_folder(struct traced_rescue_folder *self, const char *base, struct orma_buf *why)
{
    char root[TRACED_RESCUE_NAME_MAX];
    uint32_t salt = 0;

    (void)!getrandom(&salt, sizeof(salt), 0); /* four bytes are never cut short */
    root_name(root, sizeof(root));
    (void)snprintf(self->name, sizeof(self->name), "%d-%08" PRIx32, (int)getpid(), salt);
    if ((size_t)snprintf(self->path, sizeof(self->path), "%s/%s/%s", base, root, self->name) >=
        sizeof(self->path))
        return -ENAMETOOLONG;
    if (mkdirat(self->root_fd, self->name, 0700) < 0)
        return -errno;
    self->dir_fd = open_folder(self->root_fd, self->name, O_NOFOLLOW);
    if (self->dir_fd < 0)
        return self->dir_fd;
    self->lock_fd = make_lock(self->dir_fd);
    self->is_tmpfs = is_tmpfs(self->dir_fd);
    if (self->lock_fd < 0)
        orma_buf_printf(why, "%s: %s", self->path, strerror(-self->lock_fd));
    return self->lock_fd < 0 ? self->lock_fd : 0;
}

int traced_rescue_folder_new(const char *base, struct traced_rescue_folder **ret,
                             struct orma_buf *why)
{
    if (!base)
        base = default_base();
    if (!strcmp(base, "none"))
        return -ENOENT;
    struct traced_rescue_folder *self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    self->dir_fd = self->lock_fd = self->root_fd = -1;
    int r = -ENOENT;
    for (int tries = 0; r == -ENOENT && tries < TRIES; tries++) {
        orma_fd_close(&self->root_fd);
        self->root_fd = open_root(base, why);
        r = self->root_fd < 0 ? self->root_fd : make_folder(self, base, why);
        if (self->root_fd < 0)
            break;
    }
    if (r < 0) {
        if (!why->len)
            orma_buf_printf(why, "%s: %s", base, strerror(-r));
        traced_rescue_folder_free(self);
        return r;
    }
    char *end = strrchr(self->path, '/');
    *end = '\0';
    self->dead_num = tidy(self->root_fd, self->path);
    *end = '/';
    *ret = self;
    return 0;
}

void traced_rescue_folder_free(struct traced_rescue_folder *self)
{
    char *end;

    if (!self)
        return;
    if (self->dir_fd >= 0) {
        (void)empty_folder(self->dir_fd); /* what stays is found by `orma recover` */
        (void)unlinkat(self->dir_fd, TRACED_RESCUE_LOCK, 0);
        (void)unlinkat(self->dir_fd, LOCK_NEW, 0);
    }
    if (self->root_fd >= 0 && *self->name)
        (void)unlinkat(self->root_fd, self->name, AT_REMOVEDIR);
    if (*self->path && (end = strrchr(self->path, '/'))) {
        *end = '\0';
        (void)unlinkat(AT_FDCWD, self->path, AT_REMOVEDIR); /* only if it is empty */
    }
    orma_fd_close(&self->dir_fd);
    orma_fd_close(&self->root_fd);
    orma_fd_close(&self->lock_fd);
    free(self);
}
