/*
 * The memory that a program with our library in it shares with `orma heap`: a header, and a ring
 * that many threads of many processes fill and one reader empties.
 *
 *   reserve: head moves by compare-and-swap ─► `size` with OPEN ─► pid ─► the rest ─► `size`
 *   reader:  `size` 0 or OPEN is not written yet; else take it, clear its bytes, move tail
 *
 * A writer may be stopped or killed at any point. Whoever reserves writes `size` first, so that the
 * reader can go on behind a record that is not written: at an OPEN one it knows how long it is, and
 * one without a size is zero up to the next that has one.
 *
 * A record never lies over the end of the ring: a PAD fills the rest. Everything in it comes from
 * the program that is watched: the reader believes nothing without a check.
 *
 * The programs of a command need not trust each other either. What only the reader writes lies in
 * pages of its own, which for a command are another memory, sealed against writing by others: no
 * program can tell the rest of them that nobody listens.
 *
 *   reader's pages │ programs' pages │ ring
 */
#ifndef ORMA_HEAP_SHARED_H
#define ORMA_HEAP_SHARED_H
#include <stdatomic.h>
#include <stdint.h>

#define ORMA_HEAP_ENV "ORMA_HEAP_SHARED" /* path of the memory, ':', path of the reader's pages */
#define ORMA_HEAP_MAGIC UINT64_C(0x3370616568616d72)
#define ORMA_HEAP_ATTACH_MAGIC UINT64_C(0x32747461616d726f)
#define ORMA_HEAP_READER_BYTES 65536u /* the largest page of all systems */
#define ORMA_HEAP_RING_AT (2 * ORMA_HEAP_READER_BYTES)
#define ORMA_HEAP_RING_BYTES (UINT64_C(16) << 20) /* power of two */
#define ORMA_HEAP_STACK_MAX (63u << 10)           /* as many as samples of time have */
#define ORMA_HEAP_INTERVAL (512u << 10)

#define ORMA_HEAP_OPEN (UINT32_C(1) << 31) /* of a size: the record is not written yet */

enum orma_heap_kind {
    ORMA_HEAP_PAD = 1,
    ORMA_HEAP_START, /* a program begins: what its pid held before is gone; `bytes` 1: its allocator
                      * has an operator new of its own */
    ORMA_HEAP_ALLOC,
    ORMA_HEAP_FREE,
    ORMA_HEAP_MAP,   /* as ALLOC: anonymous memory that is not malloc's */
    ORMA_HEAP_UNMAP, /* `bytes` from `address` on are mapped no more */
    ORMA_HEAP_END,
    ORMA_HEAP_MAPPED, /* a library that was not there before: look now, it waits for you */
};

/* Of a START, its count: what is below 2 begins with nothing allocated. */
enum orma_heap_start {
    ORMA_HEAP_BEGUN,    /* a new program; `bytes` 1: its operator new does not call malloc */
    ORMA_HEAP_FORKED,   /* a copy of one that is known */
    ORMA_HEAP_ATTACHED, /* it ran before */
};

struct orma_heap_shared {
    /* The reader's. */
    uint64_t magic, interval;
    _Atomic uint64_t tail;
    _Atomic uint64_t seen; /* up to here, all is done that was finished */
    _Atomic uint32_t on;
    _Atomic uint32_t beat;  /* it counts: as long as it changes, it is not stopped */
    _Atomic uint32_t owner; /* its thread; the kernel sets FUTEX_OWNER_DIED at its death */
    uint32_t none;
    char apart[ORMA_HEAP_READER_BYTES - 48];
    /* The programs'. */
    _Atomic uint64_t head;
    _Atomic uint64_t lost;     /* records that found no room */
    _Atomic uint64_t given_up; /* `tail` + 1 when a wait for the reader was in vain: nobody waits
                                * again until it has moved */
    _Atomic uint64_t confined; /* records of programs that may not ask who they are (seccomp) */
};

/*
 * Where the library, loaded and idle, finds out that somebody wants its samples: in its own memory.
 * `orma heap -p` looks for the magic numbers there and writes `wanted`; the library makes a file
 * in memory, empty, and says by which descriptor it can be had. `orma heap` gives it its size and
 * its header, and F_SEAL_SEAL last: a program that may write no large files would get a signal.
 */
struct orma_heap_attach {
    uint64_t magic[2];       /* ORMA_HEAP_ATTACH_MAGIC, and its complement */
    _Atomic uint64_t wanted; /* interval; 0: nobody is there */
    _Atomic uint32_t active; /* somebody listens already */
    _Atomic int32_t fd;      /* + 1; below 0: -errno, why there is none */
};

#if defined(__aarch64__)
#define ORMA_HEAP_REGS 14 /* of a sample: pc sp x19 ... x30 */
#else
#define ORMA_HEAP_REGS 8 /* pc sp bp bx r12 r13 r14 r15 */
#endif

struct orma_heap_record {
    _Atomic uint32_t size; /* with what follows it, a multiple of 8; first and last to be written */
    uint32_t kind;
    uint32_t pid, tid;              /* as the program sees them, */
    uint64_t pid_space;             /* in this namespace of pids (inode); 0: not known */
    uint64_t time;                  /* BOOTTIME; of FREE and UNMAP, before it was done */
    uint64_t address, bytes, count; /* what the sample stands for; of MAP, its length */
    uint64_t regs[ORMA_HEAP_REGS];
    uint64_t stack_len; /* bytes behind this; what is left of the record is zero */
};
#endif
