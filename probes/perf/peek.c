/*
 * A request and its answer go over a pair of sockets, the pages through our memory. Our end of the
 * sockets is all that keeps the child: when we close it, or end, it ends.
 */
#include "probes/perf/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

#define BYTES ((size_t)ORMA_PERF_PEEK_MAX * ORMA_PERF_PEEK_PAGE)
#define STACK ((size_t)16 << 10)
#define HANGING_MAX 8u   /* children that were given up */
#define ENDED_MAX 256u   /* a cpu has one */
#define OPEN_MAX_NUM 16u /* memories that the child has open; a power of two */

struct request {
    uint32_t slot; /* of what is open; with a descriptor: that one, from now on */
    uint32_t num;
    uint64_t bases[ORMA_PERF_PEEK_MAX];
};

struct orma_perf_peek {
    int timeout_ms;
    pid_t child; /* 0: there is none */
    int socket;
    struct shared *shared;       /* with the child */
    uint64_t open[OPEN_MAX_NUM]; /* keys of what the child has open */
    struct {
        pid_t pid;
        struct shared *shared;
    } hanging[HANGING_MAX];
    unsigned hanging_num;
};

/* ---- the child ---- */

/*
 * It shares our memory, so that to change over to it and back costs no more than between threads,
 * but it is no thread: nobody waits for it when we end. What the C library keeps for each thread is
 * that of the thread which began it, so nothing of the C library may be called, not even for errno.
 */
#if defined(__x86_64__)
static inline long call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = 0, r9 __asm__("r9") = 0;
    long ret;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}
#elif defined(__aarch64__)
static inline long call(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = 0, x5 __asm__("x5") = 0;

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#else
/* Here errno is, of a thread that waits for the answer. */
#define call(...) syscall(__VA_ARGS__)
#endif

#if defined(__has_attribute) && __has_attribute(no_stack_protector)
#define BARE __attribute__((no_stack_protector, no_sanitize("address", "undefined", "thread")))
#else
#define BARE __attribute__((no_sanitize("address", "undefined", "thread")))
#endif

/* In memory that both have, as long as the child lives. */
struct shared {
    uint8_t pages[BYTES];
    struct request rq;
    uint32_t there;
    int socket;
    int open[OPEN_MAX_NUM];
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec iov;
    struct msghdr msg;
    _Alignas(64) uint8_t stack[STACK];
};

/* Whole, or the other end is closed. A descriptor goes to its slot. */
BARE static bool take_request(struct shared *s)
{
    s->iov.iov_base = &s->rq;
    s->iov.iov_len = sizeof(s->rq);
    s->msg.msg_iov = &s->iov;
    s->msg.msg_iovlen = 1;
    s->msg.msg_control = s->control;
    s->msg.msg_controllen = sizeof(s->control);
    if (call(SYS_recvmsg, s->socket, (long)&s->msg, 0, 0) != (long)sizeof(s->rq))
        return false;
    if (s->msg.msg_controllen >= CMSG_LEN(sizeof(int))) {
        int *slot = &s->open[s->rq.slot % OPEN_MAX_NUM];

        if (*slot >= 0)
            (void)call(SYS_close, *slot, 0, 0, 0);
        *slot = *(const int *)(const void *)CMSG_DATA((struct cmsghdr *)(void *)s->control);
    }
    return true;
}

BARE static int serve(void *ctx)
{
    struct shared *s = ctx;

    /* Of what we have open, the child keeps its end only: others see us end when we do. */
    if ((s->socket && call(SYS_dup3, s->socket, 0, O_CLOEXEC, 0) < 0) ||
        call(SYS_close_range, 1, ~0u, 0, 0) < 0)
        (void)call(SYS_exit, 1, 0, 0, 0);
    s->socket = 0;
    (void)call(SYS_prctl, PR_SET_NAME, (long)"orma-peek", 0, 0); /* for those who look */
    while (take_request(s)) {
        const int fd = s->open[s->rq.slot % OPEN_MAX_NUM];

        s->there = 0;
        for (uint32_t i = 0; i < s->rq.num && i < ORMA_PERF_PEEK_MAX; i++) {
            if (call(SYS_pread64, fd, (long)(s->pages + (size_t)i * ORMA_PERF_PEEK_PAGE),
                     ORMA_PERF_PEEK_PAGE, (long)s->rq.bases[i]) == (long)ORMA_PERF_PEEK_PAGE)
                s->there |= UINT32_C(1) << i;
        }
        if (call(SYS_write, 0, (long)&s->there, sizeof(s->there), 0) != (long)sizeof(s->there))
            break;
    }
    (void)call(SYS_exit, 0, 0, 0, 0);
    return 0;
}

/* ---- its life ---- */

/* Without a signal for its end, which would be news for who waits for children of his own. */
static pid_t clone_child(struct shared *shared)
{
    sigset_t all, old;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old))
        return -1;
    pid_t pid = clone(serve, shared->stack + STACK, CLONE_VM, shared);
    int err = errno;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL); /* handlers are not for the child */
    errno = err;
    return pid;
}

static void end_sharing(struct orma_perf_peek *self)
{
    orma_fd_close(&self->socket);
    if (self->shared)
        (void)munmap(self->shared, sizeof(*self->shared));
    self->shared = NULL;
    self->child = 0;
    memset(self->open, 0, sizeof(self->open));
}

/*
 * A child's time becomes that of our children when it is taken leave of, and who measures a command
 * of his own would take it for the command's. So those that have ended stay until others begin.
 */
static pthread_mutex_t ended_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t ended[ENDED_MAX];
static unsigned ended_num;

static void bury_ended(void)
{
    pthread_mutex_lock(&ended_lock);
    for (unsigned i = 0; i < ended_num; i++)
        (void)waitpid(ended[i], NULL, __WALL | WNOHANG);
    ended_num = 0;
    pthread_mutex_unlock(&ended_lock);
}

/* Its end of the sockets is all that it has: it ends at once. */
static void let_go(pid_t child)
{
    siginfo_t info;

    (void)waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | __WALL);
    pthread_mutex_lock(&ended_lock);
    if (ended_num < ENDED_MAX)
        ended[ended_num++] = child;
    else
        (void)waitpid(child, NULL, __WALL);
    pthread_mutex_unlock(&ended_lock);
}

/*
 * Of those that were given up, some may have ended since. Until then the kernel may still write
 * what comes to where the child asked for it, so that memory must not become anything else.
 */
static void bury_hanging(struct orma_perf_peek *self)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < self->hanging_num; i++) {
        if (waitpid(self->hanging[i].pid, NULL, __WALL | WNOHANG) == 0)
            self->hanging[kept++] = self->hanging[i];
        else
            (void)munmap(self->hanging[i].shared, sizeof(*self->shared));
    }
    self->hanging_num = kept;
}

static int begin(struct orma_perf_peek *self)
{
    int pair[2], r = 0;

    bury_ended();
    bury_hanging(self);
    if (self->hanging_num == HANGING_MAX)
        return -EAGAIN;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    self->socket = pair[0];
    void *shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        r = -ENOMEM;
    } else {
        self->shared = shared;
        self->shared->socket = pair[1];
        for (unsigned i = 0; i < OPEN_MAX_NUM; i++)
            self->shared->open[i] = -1;
        self->child = clone_child(self->shared);
        r = self->child < 0 ? -errno : 0;
    }
    (void)close(pair[1]);
    if (r < 0)
        end_sharing(self);
    return r;
}

/* It ends as soon as it can, which may be never. */
static void give_up(struct orma_perf_peek *self)
{
    (void)kill(self->child, SIGKILL); /* it is a child of ours, and nobody waited for it */
    self->hanging[self->hanging_num].pid = self->child;
    self->hanging[self->hanging_num++].shared = self->shared;
    self->shared = NULL;
    end_sharing(self);
}

/* ---- requests ---- */

static int wait_for_answer(const struct orma_perf_peek *self)
{
    const uint64_t end = orma_clock_monotonic() + (uint64_t)self->timeout_ms * UINT64_C(1000000);
    struct pollfd fd = {.fd = self->socket, .events = POLLIN};

    for (;;) {
        const uint64_t now = orma_clock_monotonic();
        int n = poll(&fd, 1, now < end ? (int)((end - now) / 1000000 + 1) : 0);

        if (n > 0)
            return 0;
        if (n == 0)
            return -ETIMEDOUT;
        if (errno != EINTR)
            return -errno;
    }
}

/* The child keeps what it gets until another takes its place; we know what it has. */
static bool send_request(struct orma_perf_peek *self, struct orma_perf_peek_of of,
                         const struct request *rq)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec iov = {(void *)(uintptr_t)rq, sizeof(*rq)};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    if (self->open[rq->slot] != of.key) {
        msg.msg_control = control;
        msg.msg_controllen = sizeof(control);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &of.fd, sizeof(int));
    }
    self->open[rq->slot] = of.key;
    return sendmsg(self->socket, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(*rq);
}

static int take_answer(struct orma_perf_peek *self, uint32_t *ret_there)
{
    int r = wait_for_answer(self);

    if (r == 0 && recv(self->socket, ret_there, sizeof(*ret_there), MSG_DONTWAIT) !=
                      (ssize_t)sizeof(*ret_there))
        r = -EPIPE;
    return r;
}

struct orma_perf_peek *orma_perf_peek_new(int timeout_ms)
{
    struct orma_perf_peek *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->timeout_ms = timeout_ms;
    self->socket = -1;
    return self;
}

void orma_perf_peek_free(struct orma_perf_peek *self)
{
    if (!self)
        return;
    orma_fd_close(&self->socket);
    if (self->child)
        let_go(self->child);
    end_sharing(self);
    bury_hanging(self);
    free(self);
}

int orma_perf_peek_read(struct orma_perf_peek *self, struct orma_perf_peek_of of,
                        const uint64_t *bases, size_t num, const uint8_t **ret, uint32_t *ret_there)
{
    struct request rq = {.slot = (uint32_t)(of.key % OPEN_MAX_NUM), .num = (uint32_t)num};
    int r = self->child ? 0 : begin(self);

    ORMA_ASSERT(num <= ORMA_PERF_PEEK_MAX);
    if (r < 0)
        return r;
    memcpy(rq.bases, bases, num * sizeof(*bases));
    r = send_request(self, of, &rq) ? take_answer(self, ret_there) : -EPIPE;
    if (r < 0)
        give_up(self); /* or somebody killed it: the next read has another */
    else
        *ret = self->shared->pages;
    return r;
}
