/*
 * Stacks: what the samples of a loaded trace say about functions. One pass over the
 * tables makes a tree of calls, merged by function; every question is answered from it.
 *
 *     callsites, frames, symbols ──► functions, tree (top-down) ──► self and total of functions
 *     samples (chosen) ──► weights of nodes, by thread          └─► callers of one, bottom-up
 *
 * A function is a name and a module (file of code), never an address; functions that were
 * compiled into others are functions, too. A function that recurses counts once per sample.
 *
 * Reads tables only: any trace with stack samples will do, heap profiles, and files with sums of
 * stacks. Uses the public interface of the processor. Threads: none; belongs to the processor's.
 */
#ifndef ORMA_PROCESSOR_STACKS_STACKS_H
#define ORMA_PROCESSOR_STACKS_STACKS_H
#include <string.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"

#define ORMA_STACKS_NONE UINT32_MAX

enum orma_stacks_kind {
    ORMA_STACKS_SAMPLES,   /* weight: samples of time; of what else is counted, so many of it */
    ORMA_STACKS_HEAP,      /* weight: bytes that were not freed */
    ORMA_STACKS_ALLOCATED, /* weight: bytes that were allocated */
    ORMA_STACKS_OFF_CPU,   /* weight: nanoseconds that threads waited */
    ORMA_STACKS_WAKERS,    /* the same; behind each stack, from its leaf on, that of who ended it */
};

/* Which samples count. Zero-initialised: all of the first kind of event. */
struct orma_stacks_choice {
    enum orma_stacks_kind kind;
    bool has_from, has_to;
    int64_t from_ns, to_ns; /* of the trace's time: [from, to) */
    /* Conditions in SQL that begin with AND, over utids, upids, and columns of slice; NULL or "":
     * all. Of slices: what their threads do inside of them. */
    const char *threads, *processes, *slices;
    const char *event; /* what is counted; NULL: time, if there is any */
};

struct orma_stacks_function {
    uint32_t name, module; /* offsets in `texts` */
    bool inlined;          /* somewhere */
    uint64_t self, total;
};

struct orma_stacks_node {
    uint32_t parent, function, first_child, next; /* node 0 is the root and has no function */
    uint64_t self, total;
};

struct orma_stacks_thread {
    int64_t utid, tid, pid;
    uint32_t name, process; /* offsets in `texts` */
    uint64_t weight;
    uint64_t counted_ns; /* by the kernel, when it ended; 0: not known */
};

/* What a thread adds to a node. */
struct orma_stacks_part {
    uint32_t node, thread;
    uint64_t weight;
};

/* Who waited, and who ended it, in words. */
struct orma_stacks_pair {
    uint32_t text;
    uint64_t weight;
};

/*
 * CPU time as the kernel counted it, where it did: of programs that were watched from their
 * beginning. A thread begins with a whole period, so one that ends within it has no sample.
 */
struct orma_stacks_counted {
    uint64_t ns;                  /* of all that were watched; 0: not known */
    uint64_t unseen, unseen_ns;   /* threads that ended without a sample */
    uint64_t short_num;           /* of these, those that used less than a period */
    struct orma_buf unseen_names; /* struct orma_stacks_unseen, the heaviest first */
};

struct orma_stacks_unseen {
    uint32_t process; /* offset in `texts` */
    uint64_t num, ns;
};

struct orma_stacks {
    enum orma_stacks_kind kind;
    const char *why;           /* it was not loaded, if SQL does not say it; a literal */
    struct orma_buf texts;     /* ended by 0; offset 0 is "" */
    struct orma_buf functions; /* struct orma_stacks_function */
    struct orma_buf nodes;     /* struct orma_stacks_node; a parent comes before its children */
    struct orma_buf threads;   /* struct orma_stacks_thread */
    struct orma_buf parts;     /* struct orma_stacks_part, by thread */
    struct orma_buf pairs;     /* of WAKERS: struct orma_stacks_pair */
    uint64_t weight;           /* of all chosen samples */
    uint64_t samples, cut, without_stack, unnamed; /* unnamed: the function that ran has no name */
    uint64_t without_python; /* weight of stacks whose interpreter is seen, but not what it runs */
    uint64_t continued; /* samples whose outer callers are those of the thread's sample before */
    uint64_t processes;
    bool timed; /* each sample says which time it stands for: weights are ns, period_ns is 1 */
    /* A file without single samples (pprof, collapsed stacks): no threads, no times; `samples` is
     * how many stacks it has. left_out: those with less than a half of what is counted (of a
     * difference: with less than nothing); rounded: those whose weight is no whole number. */
    bool sums;
    uint64_t left_out, rounded;
    uint64_t period_ns; /* that a weight of 1 stands for; 0: not known, or no time */
    uint32_t event; /* in `texts`: what was counted, if it is not time; 0: it is, or not known */
    /* In `texts`: the events that samples were taken by, where no time is known; 0: not known. */
    uint32_t taken_by;
    int64_t first_ns, last_ns;
    struct orma_stacks_counted
        counted; /* of SAMPLES of time, if none are left out but by process and thread */
};

static inline bool orma_stacks_is_memory(const struct orma_stacks *self)
{
    return self->kind == ORMA_STACKS_HEAP || self->kind == ORMA_STACKS_ALLOCATED;
}

#define ORMA_STACKS_WOKEN "[woken by " /* begins the function between the two stacks of a wait */

static inline bool orma_stacks_is_waker(const char *function)
{
    return !strncmp(function, ORMA_STACKS_WOKEN, sizeof(ORMA_STACKS_WOKEN) - 1);
}

/* Does that function allocate for its caller (operator new, strdup, a container)? In lists of
 * memory its caller answers for what it allocates. */
bool orma_stacks_is_allocator(const char *function);

/* Why orma_stacks_load() failed, other than by -ENODATA. Valid as long as both. */
const char *orma_stacks_error(const struct orma_stacks *self, struct orma_processor *tp);

/* 0; -ENODATA: no such samples; another negative errno with the text in orma_stacks_error(). */
int orma_stacks_load(struct orma_stacks *self, struct orma_processor *tp,
                     const struct orma_stacks_choice *choice);
void orma_stacks_fini(struct orma_stacks *self);

static inline const char *orma_stacks_text(const struct orma_stacks *self, uint32_t at)
{
    return (const char *)self->texts.data + at;
}

#define ORMA_STACKS_ROWS(self, what, type) ((struct type *)(void *)(self)->what.data)
#define ORMA_STACKS_NUM(self, what, type) ((self)->what.len / sizeof(struct type))

static inline struct orma_stacks_function *orma_stacks_functions(const struct orma_stacks *self)
{
    return ORMA_STACKS_ROWS(self, functions, orma_stacks_function);
}

static inline size_t orma_stacks_functions_num(const struct orma_stacks *self)
{
    return ORMA_STACKS_NUM(self, functions, orma_stacks_function);
}

static inline struct orma_stacks_node *orma_stacks_nodes(const struct orma_stacks *self)
{
    return ORMA_STACKS_ROWS(self, nodes, orma_stacks_node);
}

static inline size_t orma_stacks_nodes_num(const struct orma_stacks *self)
{
    return ORMA_STACKS_NUM(self, nodes, orma_stacks_node);
}

static inline struct orma_stacks_thread *orma_stacks_threads(const struct orma_stacks *self)
{
    return ORMA_STACKS_ROWS(self, threads, orma_stacks_thread);
}

static inline size_t orma_stacks_threads_num(const struct orma_stacks *self)
{
    return ORMA_STACKS_NUM(self, threads, orma_stacks_thread);
}

/* ---- orders ---- */

/* Numbers of functions, the heaviest first: by self, or by total. Those of no weight are left out.
 */
void orma_stacks_top(const struct orma_stacks *self, bool by_total, struct orma_buf *ret);

/* Children of a node, the heaviest first. Into `ret`: u32. */
void orma_stacks_children(const struct orma_stacks *self, uint32_t node, struct orma_buf *ret);

/* Who calls: a node with the weight that comes through it. */
struct orma_stacks_at {
    uint32_t node;
    uint64_t weight;
};

/* Nodes of one function: a run of the list. */
struct orma_stacks_group {
    uint32_t function; /* ORMA_STACKS_NONE: nobody, the stack begins */
    uint64_t weight;
    size_t from, num;
};

/* Where samples ended: `function` NONE takes all leaves, else the outermost nodes of that function.
 */
void orma_stacks_leaves(const struct orma_stacks *self, uint32_t function, struct orma_buf *ret);

/* One step towards the root: each of these becomes its caller. */
void orma_stacks_up(const struct orma_stacks *self, const struct orma_stacks_at *list, size_t num,
                    struct orma_buf *ret);

/* Sorts the list by function; groups, the heaviest first, into `ret`. */
void orma_stacks_group(const struct orma_stacks *self, struct orma_buf *list, struct orma_buf *ret);

/* The function of a name: exactly, else the only one that has it in its name. NONE: none, or
 * several. */
uint32_t orma_stacks_find(const struct orma_stacks *self, const char *name);

/* ---- sums ---- */

struct orma_stacks_sum {
    const char *name;
    int64_t id; /* pid or tid; 0: it has none */
    uint64_t weight;
    uint64_t counted_ns; /* of processes and threads; 0: not known of all of them */
};

enum orma_stacks_by {
    ORMA_STACKS_BY_FUNCTION,
    ORMA_STACKS_BY_MODULE,
    ORMA_STACKS_BY_THREAD,
    ORMA_STACKS_BY_PROCESS,
    ORMA_STACKS_BY_REASON, /* of waits, as functions of the kernel tell */
    ORMA_STACKS_BY_WAKER,  /* of WAKERS: the functions on both sides */
};

/* struct orma_stacks_sum, the heaviest first; names live as long as the stacks, or in `texts`. */
void orma_stacks_sums(const struct orma_stacks *self, enum orma_stacks_by by, struct orma_buf *ret);

/* ---- two of them ---- */

enum orma_stacks_verdict {
    ORMA_STACKS_UNTESTED, /* weights of which nothing tells the noise: bytes, waits */
    ORMA_STACKS_CHANCE,   /* may be chance */
    ORMA_STACKS_SHARE,    /* another share, of an amount that may be the same */
    ORMA_STACKS_AMOUNT,
};

struct orma_stacks_change {
    const char *name, *module;
    uint64_t before, after;             /* weights */
    double amount_before, amount_after; /* nanoseconds where both periods are known, else weights */
    double error;                       /* of their difference, with 95 %; NAN: not known */
    double share_before, share_after;
    double z_amount, z_share; /* differences by their standard deviation; 0: no test */
    enum orma_stacks_verdict verdict;
};

/*
 * Functions of both, by name and module (moved ones by name alone), of self weight; what changed
 * most first. Samples are counts: amounts are compared by the test of two counts where both periods
 * are known, shares by that of two proportions; of all functions together by Benjamini and Hochberg
 * so that at most 5 % of what is said to have changed is chance.
 */
void orma_stacks_diff(const struct orma_stacks *before, const struct orma_stacks *after,
                      struct orma_buf *ret);
#endif
