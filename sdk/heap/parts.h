/*
 * The parts of the library that `orma heap` preloads, from the bottom up:
 *
 *   sys.c       system calls, and nothing of the C library that locks, allocates or is a point of
 *               cancellation
 *   next.c      malloc and its relatives as they are without us
 *   state.c     who listens, and what each thread counts
 *   known.c     addresses and libraries that the reader was told of
 *   ring.c      records into the shared memory
 *   sampler.c   which allocations are reported, and what with
 *   attach.c    readers that come and go
 *   wrappers.c  what programs call
 *
 * This code runs inside any program, before its constructors, in its signal handlers, and in the
 * middle of the C library, with any of its locks held: no lock, no allocation, nothing printed.
 * What only the loader knows is asked for once, in next.c.
 */
#ifndef ORMA_SDK_HEAP_PARTS_H
#define ORMA_SDK_HEAP_PARTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "sdk/heap/shared.h"

#define ORMA_HEAP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ORMA_HEAP_NO_SIZE ((size_t)INT64_MAX) /* and what is above: nothing to count down with */
#define ORMA_HEAP_SLOTS (1u << 18)
#define ORMA_HEAP_WINDOW 32u
#define ORMA_HEAP_MAIN_STACK (UINT64_C(128) << 20) /* so far below its end nothing is mapped */

#define ORMA_HEAP_ARENA (64u << 10)

#pragma GCC visibility push(hidden) /* what is ours needs no table of addresses */

/* ---- sys.c: as the system calls; -1 and errno ---- */

/* The program is about to limit its system calls (seccomp), or did: from here on, a call that it
 * would not make itself may kill it, so that those below which look for something fail instead. */
void orma_hook_sys_confine(void);
bool orma_hook_sys_is_confined(void);
/* The thread is about to give up the processor's time stamp counter (strict seccomp does so, too),
 * from which the vdso reads clocks: it would be killed by a signal. Times are those of the last
 * timer interrupt from here on. */
void orma_hook_sys_leave_counter(void);
/* No handler runs between them, so none jumps out, and nobody is cancelled. What was blocked is
 * unblocked, even if another thread has limited the calls of all meanwhile. */
struct orma_hook_signals {
    uint64_t old;
    bool blocked;
};
struct orma_hook_signals orma_hook_sys_block_signals(void);
void orma_hook_sys_unblock_signals(const struct orma_hook_signals *self);
/* A system call; -errno. Only where ORMA_HEAP_RAW_CALLS is defined. */
long orma_hook_sys_raw(long number, const long args[6]);
#if defined(__x86_64__) || defined(__aarch64__)
#define ORMA_HEAP_RAW_CALLS
#endif

void *orma_hook_sys_mmap(void *at, size_t len, int prot, int flags, int fd, int64_t offset);
int orma_hook_sys_munmap(void *at, size_t len);
void *orma_hook_sys_mremap(void *old, size_t old_len, size_t len, int flags, void *to);
/* Does the mapping at `at` show a file? False where that cannot be known. Keeps errno. */
bool orma_hook_sys_is_file(const void *at);
int orma_hook_sys_open(const char *path, int flags);
int orma_hook_sys_close(int fd);
int orma_hook_sys_fstat(int fd, struct stat *ret);
/* Is it sealed so that its size stays, and nothing more is to come? */
bool orma_hook_sys_keeps_size(int fd);
/* A memfd, empty, which can be sealed. Its size would be subject to RLIMIT_FSIZE (a signal). */
int orma_hook_sys_memory(const char *name);
/* Reads memory of our own; what is not mapped, or may not be read, ends it. Bytes, or -1. */
int64_t orma_hook_sys_copy(void *to, const void *from, size_t len);
uint32_t orma_hook_sys_gettid(void);
uint32_t orma_hook_sys_getpid(void);
/* Which namespace of pids is that of? Its inode; 0: not known. Keeps errno. */
uint64_t orma_hook_sys_pid_space(void);
/* A page that is zero in each child of ours, however it was forked. NULL: there is none. */
void *orma_hook_sys_own_page(void);
void orma_hook_sys_nap(void);     /* 200 us */
uint64_t orma_hook_sys_now(void); /* BOOTTIME */

/* ---- next.c ---- */

struct orma_hook_next {
    void *(*malloc)(size_t n);
    void (*free)(void *p);
    void *(*calloc)(size_t num, size_t n);
    void *(*realloc)(void *p, size_t n);
    void *(*memalign)(size_t align, size_t n);
    /* Where the next malloc's library lies: what it maps, it maps for malloc. */
    uintptr_t start, end;
    uintptr_t stack_end;                     /* of the first thread; 0: not known */
    int (*find_object)(void *pc, void *ret); /* _dl_find_object; NULL: there is none */
    bool has_new; /* that library has an operator new of its own, which does not call malloc */
};
extern struct orma_hook_next orma_hook_next;

void orma_hook_next_resolve(void);
void orma_hook_next_look(void); /* the rest of it: when the program's constructors run */

/* Memory of what dlsym() allocated. */
extern char orma_hook_arena[ORMA_HEAP_ARENA];
static inline bool orma_hook_in_arena(const void *p)
{
    return (const char *)p >= orma_hook_arena &&
           (const char *)p < orma_hook_arena + ORMA_HEAP_ARENA;
}
size_t orma_hook_arena_size(const void *p); /* as was asked for */

/* ---- state.c: of a thread, and of all ---- */

struct orma_hook_own {
    int64_t left;   /* bytes to the next sample, above 0 between calls */
    uint64_t seed;  /* 0: a new thread */
    uint32_t epoch; /* of the reader that `left` is for */
    uint32_t tid;   /* 0: not asked for yet */
    bool inside;    /* in our own code: nothing is counted */
};
extern __thread struct orma_hook_own orma_hook_own __attribute__((tls_model("initial-exec")));

struct orma_hook_state {
    _Atomic(struct orma_heap_shared *) shared; /* NULL: nobody listens */
    _Atomic size_t large;                      /* from here on, each allocation is sampled */
    _Atomic uint32_t epoch;                    /* counts readers */
    _Atomic uint32_t maps_reported;
};
extern struct orma_hook_state orma_hook_state;

/* Who we are, for readers; pid 0: a copy of a program, of which they do not know yet. */
struct orma_hook_self {
    _Atomic uint32_t pid;
    _Atomic uint64_t pid_space;
};
extern struct orma_hook_self *orma_hook_self;

void orma_hook_know_self(void);
extern struct orma_heap_attach orma_hook_attach;

/* The reader is gone. */
void orma_hook_fall_idle(void);
/* It ended, or died. */
bool orma_hook_is_gone(const struct orma_heap_shared *s);

/* Pairs with the release in start(). */
static inline struct orma_heap_shared *orma_hook_listener(void)
{
    return atomic_load_explicit(&orma_hook_state.shared, memory_order_acquire);
}

/* ---- known.c ---- */

/* By hash: how many live addresses there were sampled. */
extern _Atomic uint8_t orma_hook_sampled[ORMA_HEAP_SLOTS];

/* An address goes: before it does. True: it was sampled; remember() it again, if it stays. */
bool orma_hook_forget(const void *p);
void orma_hook_remember(const void *p);
/* All that an earlier reader was told of; whoever frees one of them meanwhile finds it, or not:
 * both is right. */
void orma_hook_forget_all(void);
/* True: it is new, and from now on not any more. */
bool orma_hook_is_new_library(uint64_t hash);
/* The reader could not be told of it: it is new again. */
void orma_hook_forget_library(uint64_t hash);

static inline uint32_t orma_hook_place(const void *p)
{
    return (uint32_t)(((uintptr_t)p >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 46);
}

static inline bool orma_hook_may_be_sampled(const void *p)
{
    return atomic_load_explicit(&orma_hook_sampled[orma_hook_place(p)], memory_order_relaxed);
}

/* ---- ring.c ---- */

struct orma_hook_note {
    enum orma_heap_kind kind;
    uint64_t time; /* 0: now */
    uint64_t address, bytes, count;
    const uint64_t *regs; /* NULL: none */
    size_t stack_len;     /* at most; from the stack pointer on */
};

/* Where its record ends; 0: there was no room, which is counted. */
uint64_t orma_hook_put(struct orma_heap_shared *s, const struct orma_hook_note *note);
/* Until the reader has seen it: it can look at our memory only while we are there. One that does
 * not read is waited for once. */
void orma_hook_wait(struct orma_heap_shared *s, uint64_t end);

/* ---- sampler.c ---- */

/* The countdown is over: how often was this one hit? */
uint64_t orma_hook_hits(size_t n);
/* Reports an allocation of `caller` that was hit, if it has not failed. errno stays. */
void *orma_hook_sample(void *p, size_t n, uint64_t hits, void *caller);
void orma_hook_sample_map(void *p, size_t n, uint64_t hits, void *caller);
void orma_hook_report_free(void *p, uint64_t time);
/* What was mapped goes: the time before it does; 0: nobody need know. Else no handler runs until
 * the end: one that jumped out would keep us from reporting what is gone. */
struct orma_hook_unmap {
    uint64_t time;
    struct orma_hook_signals signals;
};
struct orma_hook_unmap orma_hook_begin_unmap(void);
void orma_hook_report_unmap(const struct orma_hook_unmap *self, void *at, size_t len);
void orma_hook_end_unmap(const struct orma_hook_unmap *self);
/* In the order that costs least: what is large is left out of the countdown. */
static inline bool orma_hook_count(size_t n)
{
    return ORMA_HEAP_UNLIKELY(n >=
                              atomic_load_explicit(&orma_hook_state.large, memory_order_relaxed)) ||
           ORMA_HEAP_UNLIKELY((orma_hook_own.left -= (int64_t)n) <= 0);
}

/* ---- attach.c ---- */

/* Who listens; perhaps somebody has come, or gone. */
struct orma_heap_shared *orma_hook_find_listener(void);
/* The reader of the command that we belong to. */
void orma_hook_start_by_path(const char *paths);

#pragma GCC visibility pop

/* ---- wrappers.c: by the names of the C library, behind a prefix in tests ---- */

#ifndef ORMA_HEAP_PREFIX
#define ORMA_HEAP_PREFIX ""
#endif

void *orma_hook_malloc(size_t n) __asm__(ORMA_HEAP_PREFIX "malloc");
void orma_hook_free(void *p) __asm__(ORMA_HEAP_PREFIX "free");
void *orma_hook_calloc(size_t num, size_t n) __asm__(ORMA_HEAP_PREFIX "calloc");
void *orma_hook_realloc(void *p, size_t n) __asm__(ORMA_HEAP_PREFIX "realloc");
void *orma_hook_reallocarray(void *p, size_t num,
                             size_t n) __asm__(ORMA_HEAP_PREFIX "reallocarray");
void *orma_hook_memalign(size_t align, size_t n) __asm__(ORMA_HEAP_PREFIX "memalign");
void *orma_hook_aligned_alloc(size_t align, size_t n) __asm__(ORMA_HEAP_PREFIX "aligned_alloc");
int orma_hook_posix_memalign(void **ret, size_t align,
                             size_t n) __asm__(ORMA_HEAP_PREFIX "posix_memalign");
void *orma_hook_valloc(size_t n) __asm__(ORMA_HEAP_PREFIX "valloc");
void *orma_hook_pvalloc(size_t n) __asm__(ORMA_HEAP_PREFIX "pvalloc");
void *orma_hook_mmap(void *at, size_t len, int prot, int flags, int fd,
                     int64_t offset) __asm__(ORMA_HEAP_PREFIX "mmap");
void *orma_hook_mmap64(void *at, size_t len, int prot, int flags, int fd,
                       int64_t offset) __asm__(ORMA_HEAP_PREFIX "mmap64");
int orma_hook_munmap(void *at, size_t len) __asm__(ORMA_HEAP_PREFIX "munmap");
#ifdef ORMA_HEAP_RAW_CALLS
int orma_hook_prctl(int option, ...) __asm__(ORMA_HEAP_PREFIX "prctl");
long orma_hook_syscall(long number, ...) __asm__(ORMA_HEAP_PREFIX "syscall");
#endif
void *orma_hook_mremap(void *old, size_t old_len, size_t len, int flags,
                       ...) __asm__(ORMA_HEAP_PREFIX "mremap");
#endif
