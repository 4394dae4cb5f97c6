/*
 * The parent forks; the child closes all descriptors but the standard ones and its end of the
 * socket, limits its memory, and loops: read a question, look it up, answer. A question has a fixed
 * head, then its texts; an answer a head, then its frames. A timer of cpu time ends a child that
 * takes too long for one question. The parent checks that an answer is sound, and takes any failure
 * as the end of the worker.
 */
#include "processor/symbols/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

#define QUESTION_CPU_S 60
#define MEMORY_BYTES ((rlim_t)16 << 30)
#define PATH_BYTES_MAX 65536u
#define ID_BYTES_MAX 1024u
#define ANSWER_BYTES_MAX (4u << 20)

/* Sanitizers reserve terabytes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMIT_MEMORY 0
#endif
#endif
#ifndef LIMIT_MEMORY
#define LIMIT_MEMORY 1
#endif

/* Both are followed by their bytes, and never leave the machine. */
struct question {
    uint64_t load_bias, pc;
    uint32_t what; /* enum orma_worker_question */
    uint32_t path_len, id_len;
    uint32_t unused; /* what else would be a gap */
};

struct answer {
    uint32_t num, len;
};

/* ---- the socket ---- */

/* False: the other side is gone. */
static bool send_all(int fd, const void *data, size_t len)
{
    const char *at = data;

    while (len) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        }
    }
    return true;
}

static bool receive_all(int fd, void *data, size_t len)
{
    char *at = data;

    while (len) {
        ssize_t n = recv(fd, at, len, 0);

        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        if (n > 0) {
            at += n;
            len -= (size_t)n;
        }
    }
    return true;
}

static bool receive_into(int fd, struct orma_buf *buf, size_t len)
{
    orma_buf_clear(buf);
    uint8_t *to = len ? orma_buf_extend(buf, len) : NULL;

    return !len || (to && receive_all(fd, to, len));
}

/* ---- the worker ---- */

static void put_frames(struct orma_buf *out, const struct orma_source_frame *frames, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        orma_buf_put(out, &frames[i].line, sizeof(frames[i].line));
        orma_buf_put(out, frames[i].function, strlen(frames[i].function) + 1);
        orma_buf_put(out, frames[i].file, strlen(frames[i].file) + 1);
    }
}

static bool answer_one(int fd, struct orma_lookup *lookup, struct orma_buf *text,
                       struct orma_buf *out)
{
    struct orma_source_frame frames[ORMA_SOURCE_FRAMES_MAX];
    struct question q;
    struct answer a = {0};

    if (!receive_all(fd, &q, sizeof(q)) || !receive_into(fd, text, (size_t)q.path_len + q.id_len))
        return false;
    const struct orma_symbolizer_module m = {{(const char *)text->data, q.path_len},
                                             {(const char *)text->data + q.path_len, q.id_len},
                                             q.load_bias};
    /* A signal that nobody catches ends it. */
    const struct itimerval limit = {.it_value = {.tv_sec = QUESTION_CPU_S}};
    (void)setitimer(ITIMER_PROF, &limit, NULL);
    orma_buf_clear(out);
    if (q.what == ORMA_WORKER_FRAMES) {
        a.num = (uint32_t)orma_lookup_frames(lookup, &m, q.pc, frames);
        put_frames(out, frames, a.num);
    } else {
        const char *file = orma_lookup_file(lookup, &m);

        a.num = file != NULL;
        if (file)
            orma_buf_put(out, file, strlen(file) + 1);
    }
    if (out->failed || out->len > ANSWER_BYTES_MAX) {
        orma_buf_clear(out);
        a.num = 0;
    }
    a.len = (uint32_t)out->len;
    return send_all(fd, &a, sizeof(a)) && (!a.len || send_all(fd, out->data, a.len));
}

static uint64_t memory_now(void)
{
    struct orma_buf text = {0};
    uint64_t pages = 0;

    if (orma_fd_read_file(AT_FDCWD, "/proc/self/statm", 256, &text) == 0)
        pages = strtoull(orma_buf_cstr(&text), NULL, 10);
    orma_buf_fini(&text);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Handlers of the program are not for the worker. Ctrl-C is for the program to judge. */
static void own_signals(void)
{
    static const int ours[] = {SIGPROF, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGHUP};
    sigset_t none;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(ours); i++)
        (void)signal(ours[i], SIG_DFL);
    (void)signal(SIGINT, SIG_IGN);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void limit_self(void)
{
    const struct rlimit core = {0, 0};
    const struct rlimit memory = {memory_now() + MEMORY_BYTES, memory_now() + MEMORY_BYTES};

    (void)setrlimit(RLIMIT_CORE, &core); /* it may end by a signal, and that is no news */
    if (LIMIT_MEMORY)
        (void)setrlimit(RLIMIT_AS, &memory);
    own_signals();
}

/* All descriptors but the standard ones and `fd`. */
static void close_others(int fd)
{
    long max = sysconf(_SC_OPEN_MAX);

    if (fd > 3 && syscall(SYS_close_range, 3, (unsigned)fd - 1, 0) == 0 &&
        syscall(SYS_close_range, (unsigned)fd + 1, ~0u, 0) == 0)
        return;
    for (int i = 3; i < (max > 0 && max < 65536 ? max : 65536); i++) { /* an old kernel */
        if (i != fd)
            (void)close(i);
    }
}

ORMA_COLD static void worker_main(int fd, struct orma_lookup *lookup)
{
    struct orma_buf text = {0}, out = {0};

    close_others(fd);
    limit_self();
    while (answer_one(fd, lookup, &text, &out))
        ;
    orma_buf_fini(&text);
    orma_buf_fini(&out);
    orma_lookup_free(lookup);
    _exit(0); /* what the program does at its end is not ours to do */
}

/* ---- our side ---- */

int orma_worker_start(struct orma_worker *self, struct orma_lookup *lookup)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    pid_t pid = fork();
    if (pid < 0) {
        int err = errno;

        orma_fd_close(&ends[0]);
        orma_fd_close(&ends[1]);
        return -err;
    }
    if (pid == 0) {
        orma_fd_close(&ends[0]);
        worker_main(ends[1], lookup);
    }
    orma_fd_close(&ends[1]);
    *self = (struct orma_worker){pid, ends[0]};
    return 0;
}

void orma_worker_stop(struct orma_worker *self)
{
    if (self->pid <= 0)
        return;
    orma_fd_close(&self->fd); /* it would end now by itself, unless it is busy */
    (void)kill(self->pid, SIGKILL);
    while (waitpid(self->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *self = (struct orma_worker){0, -1};
}

/* As many entries as it says, of texts that end. */
static bool is_sound(enum orma_worker_question what, const struct answer *a,
                     const struct orma_buf *bytes)
{
    size_t at = 0, texts = what == ORMA_WORKER_FRAMES ? 2 : 1;
    size_t fixed = what == ORMA_WORKER_FRAMES ? sizeof(uint32_t) : 0;

    if (a->num > (what == ORMA_WORKER_FRAMES ? ORMA_SOURCE_FRAMES_MAX : 1u))
        return false;
    for (uint32_t i = 0; i < a->num; i++) {
        if (bytes->len - at < fixed)
            return false;
        at += fixed;
        for (size_t t = 0; t < texts; t++) {
            const uint8_t *end =
                at < bytes->len ? memchr(bytes->data + at, 0, bytes->len - at) : NULL;

            if (!end)
                return false;
            at = (size_t)(end - bytes->data) + 1;
        }
    }
    return at == bytes->len;
}

int orma_worker_ask(struct orma_worker *self, enum orma_worker_question what,
                    const struct orma_symbolizer_module *module, uint64_t pc,
                    struct orma_buf *answer, uint32_t *ret_num)
{
    const struct question q = {.what = what,
                               .path_len = (uint32_t)module->path.len,
                               .id_len = (uint32_t)module->build_id.len,
                               .load_bias = module->load_bias,
                               .pc = pc};
    struct answer a;

    orma_buf_clear(answer);
    *ret_num = 0;
    if (module->path.len > PATH_BYTES_MAX || module->build_id.len > ID_BYTES_MAX)
        return 0; /* no file has such a name */
    if (!send_all(self->fd, &q, sizeof(q)) ||
        !send_all(self->fd, module->path.data, module->path.len) ||
        !send_all(self->fd, module->build_id.data, module->build_id.len) ||
        !receive_all(self->fd, &a, sizeof(a)) || a.len > ANSWER_BYTES_MAX ||
        !receive_into(self->fd, answer, a.len) || !is_sound(what, &a, answer))
        return -EPIPE;
    *ret_num = a.num;
    return 0;
}
