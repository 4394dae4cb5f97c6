/*
 * The handler runs on any thread at any time, so what it looks at is never freed: a list of
 * entries that only grows, each used by one mapping after the other. An entry has a version, odd
 * while its owner writes, so that the handler never pairs the begin of one mapping with the end of
 * another:
 *
 *   owner:   version + 1 ─► begin, end ─► version + 1      handler: version ─► begin, end ─►
 * version
 *
 * The handler matches only the mapping in which its thread was reading, and that one has no owner
 * who writes at the same time. Entries of other mappings may be half written: they are left out.
 */
#include "sdk/base/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"

/* The bytes by which a file that was rewritten in place is told: its begin. */
#define HEAD_BYTES 4096
/* So much stays mapped of what is read for the first time, from the begin and up to its place. */
#define FIRST_MAX ((size_t)128 << 20)
#define BEHIND ((size_t)16 << 20)
/* Linux 5.14; older ones refuse it. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

struct orma_mapped {
    struct orma_mapped *next;
    bool used; /* with the lock */
    atomic_uint version;
    _Atomic uintptr_t begin, end; /* whole pages; 0: not mapped */
    atomic_bool torn;
    atomic_bool writable; /* set before it is published */
    /* The owner's. */
    bool changed;
    int fd;
    size_t size;
    uint64_t head;
    struct timespec seen; /* the time of the last change that was looked at */
    off_t seen_size;
};

static _Atomic(struct orma_mapped *) entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of `used` */
static unsigned mapped_num;
/* Written before the handler is in place and while it is not; the handler only reads it. */
static struct sigaction before;

/* ---- the handler: async-signal-safe ---- */

/* The end of the mapping that an address lies in; 0: none of ours. */
static uintptr_t find_end(uintptr_t at, struct orma_mapped **ret)
{
    struct orma_mapped *e = atomic_load_explicit(&entries, memory_order_acquire);

    for (; e; e = e->next) { /* set before the entry was published, and never again */
        unsigned version = atomic_load(&e->version);
        uintptr_t begin = atomic_load(&e->begin), end = atomic_load(&e->end);

        if (version % 2 || version != atomic_load(&e->version))
            continue;
        if (at >= begin && at < end) {
            *ret = e;
            return end;
        }
    }
    return 0;
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(sig, info, context);
    } else if (before.sa_handler == SIG_DFL ||
               (before.sa_handler == SIG_IGN && info->si_code > 0)) {
        /* A fault comes again as soon as we return, and then kills; a signal that was sent not. */
        (void)signal(sig, SIG_DFL);
        if (info->si_code <= 0)
            (void)raise(sig);
    } else if (before.sa_handler != SIG_IGN) {
        before.sa_handler(sig);
    }
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    uintptr_t page_mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    uintptr_t at = (uintptr_t)info->si_addr & ~page_mask;
    struct orma_mapped *entry = NULL;
    uintptr_t end = info->si_code > 0 ? find_end(at, &entry) : 0;

    int prot = end && atomic_load(&entry->writable) ? PROT_READ | PROT_WRITE : PROT_READ;

    if (end && mmap((void *)at, end - at, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
                   MAP_FAILED)
        atomic_store(&entry->torn, true);
    else
        pass_on(sig, info, context);
    errno = saved;
}

/* With the lock. */
static int install(void)
{
    struct sigaction ours = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (sigaction(SIGBUS, NULL, &before) < 0)
        return -errno;
    sigemptyset(&ours.sa_mask);
    return sigaction(SIGBUS, &ours, NULL) < 0 ? -errno : 0;
}

/* With the lock. */
static void uninstall(void)
{
    struct sigaction now;

    if (sigaction(SIGBUS, NULL, &now) < 0)
        return;
    if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_sigbus)
        (void)sigaction(SIGBUS, &before, NULL); /* it was accepted once */
}

/* ---- entries ---- */

static void publish(struct orma_mapped *self, uintptr_t begin, uintptr_t end)
{
    atomic_fetch_add(&self->version, 1);
    atomic_store(&self->begin, begin);
    atomic_store(&self->end, end);
    atomic_fetch_add(&self->version, 1);
}

/* With the lock: an entry that nobody uses, perhaps a new one. */
static struct orma_mapped *take_entry(void)
{
    struct orma_mapped *e = atomic_load_explicit(&entries, memory_order_relaxed);

    for (; e; e = e->next)
        if (!e->used)
            return e;
    e = calloc(1, sizeof(*e));
    if (!e)
        return NULL;
    e->next = atomic_load_explicit(&entries, memory_order_relaxed);
    atomic_store_explicit(&entries, e, memory_order_release); /* pairs with find_end() */
    return e;
}

/* Around fork(): the child finds the lock free, and the list whole. */
static void hold_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void drop_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(hold_lock, drop_lock, drop_lock);
}

static struct orma_mapped *acquire(int *ret_error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct orma_mapped *e = NULL;

    (void)pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    int r = mapped_num ? 0 : install();
    if (!r && !(e = take_entry()))
        r = -ENOMEM;
    if (e) {
        e->used = true;
        mapped_num++;
    } else if (!mapped_num) {
        uninstall();
    }
    pthread_mutex_unlock(&lock);
    *ret_error = r;
    return e;
}

static void release(struct orma_mapped *self)
{
    pthread_mutex_lock(&lock);
    self->used = false;
    if (!--mapped_num)
        uninstall();
    pthread_mutex_unlock(&lock);
}

/* ---- files ---- */

/* Of the first bytes, as the file has them now. */
static bool hash_head(const struct orma_mapped *self, uint64_t *ret)
{
    uint8_t head[HEAD_BYTES];
    size_t want = ORMA_MIN(self->size, sizeof(head));
    ssize_t n = pread(self->fd, head, want, 0);

    if (n < 0 || (size_t)n != want)
        return false;
    *ret = orma_fnv1a(ORMA_FNV1A_BASIS, head, want);
    return true;
}

static int open_entry(struct orma_mapped *self, int fd)
{
    uintptr_t page_mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    struct stat st;

    self->changed = false;
    atomic_store(&self->torn, false);
    atomic_store(&self->writable, false);
    self->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (self->fd < 0 || fstat(self->fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || st.st_size <= 0)
        return -EINVAL;
    if ((uint64_t)st.st_size > SIZE_MAX - page_mask)
        return -EFBIG;
    self->size = (size_t)st.st_size;
    self->seen = st.st_mtim;
    self->seen_size = st.st_size;
    if (!hash_head(self, &self->head))
        return -EIO;
    void *map = mmap(NULL, self->size, PROT_READ, MAP_PRIVATE, self->fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    publish(self, (uintptr_t)map, ((uintptr_t)map + self->size + page_mask) & ~page_mask);
    return 0;
}

int orma_mapped_open(int fd, struct orma_mapped **ret)
{
    int r;
    struct orma_mapped *self = acquire(&r);

    if (!self)
        return r;
    r = open_entry(self, fd);
    if (r) {
        orma_fd_close(&self->fd);
        release(self);
        return r;
    }
    *ret = self;
    return 0;
}

int orma_mapped_watch(void *base, size_t size, struct orma_mapped **ret)
{
    uintptr_t page_mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    int r;
    struct orma_mapped *self = acquire(&r);

    if (!self)
        return r;
    self->changed = false;
    self->fd = -1;
    self->size = size;
    atomic_store(&self->torn, false);
    atomic_store(&self->writable, true);
    publish(self, (uintptr_t)base, ((uintptr_t)base + size + page_mask) & ~page_mask);
    *ret = self;
    return 0;
}

void orma_mapped_drop_fd(struct orma_mapped *self)
{
    orma_fd_close(&self->fd);
}

void orma_mapped_close(struct orma_mapped *self)
{
    if (!self)
        return;
    void *map = (void *)atomic_load(&self->begin);
    publish(self, 0, 0);
    (void)munmap(map, self->size); /* our own mapping */
    orma_fd_close(&self->fd);
    release(self);
}

const uint8_t *orma_mapped_data(const struct orma_mapped *self)
{
    return (const uint8_t *)atomic_load_explicit(&self->begin, memory_order_relaxed);
}

size_t orma_mapped_size(const struct orma_mapped *self)
{
    return self->size;
}

int64_t orma_mapped_offset(const struct orma_mapped *self, const uint8_t *at)
{
    if (!self)
        return -1;
    uintptr_t offset = (uintptr_t)at - (uintptr_t)orma_mapped_data(self);
    return offset < self->size ? (int64_t)offset : -1;
}

/* Advice: whether it is taken makes no difference to what is read. */
static void advise(const struct orma_mapped *self, size_t from, size_t to, int advice)
{
    const size_t page_mask = (size_t)sysconf(_SC_PAGESIZE) - 1;

    from &= ~page_mask;
    to &= ~page_mask;
    if (from < to)
        (void)madvise((char *)atomic_load(&self->begin) + from, to - from, advice);
}

void orma_mapped_read_on(struct orma_mapped *self, size_t from, size_t to)
{
    advise(self, from, to, MADV_POPULATE_READ);
    if (from > FIRST_MAX + BEHIND)
        advise(self, from - BEHIND - (to - from), from - BEHIND, MADV_DONTNEED);
}

void orma_mapped_let_go(struct orma_mapped *self, const uint8_t *from, const uint8_t *to)
{
    const int64_t begin = orma_mapped_offset(self, from), end = orma_mapped_offset(self, to);

    if (begin >= 0 && end >= begin)
        advise(self, (size_t)begin, (size_t)end, MADV_DONTNEED);
}

void orma_mapped_let_go_all(struct orma_mapped *self)
{
    if (self && self->size > BEHIND)
        advise(self, 0, self->size, MADV_DONTNEED);
}

bool orma_mapped_torn(const struct orma_mapped *self)
{
    return atomic_load_explicit(&self->torn, memory_order_relaxed);
}

bool orma_mapped_changed(struct orma_mapped *self)
{
    struct stat st;
    uint64_t head;

    if (self->changed || orma_mapped_torn(self))
        return self->changed = true;
    if (fstat(self->fd, &st) < 0)
        return false; /* the mapping is as good as it was */
    if (st.st_size == self->seen_size && st.st_mtim.tv_sec == self->seen.tv_sec &&
        st.st_mtim.tv_nsec == self->seen.tv_nsec)
        return false;
    self->seen = st.st_mtim;
    self->seen_size = st.st_size;
    /* Of the same length, but written again: nobody can tell what became of the middle. */
    self->changed =
        (uint64_t)st.st_size <= self->size || !hash_head(self, &head) || head != self->head;
    return self->changed;
}
