/*
 * Unwinding: from registers and a copy of the stack to the addresses of the
 * calls that led there.
 *
 *   pc ─► find(): whose code is that ─► its rule (file.h) ─► the caller's registers ─► again
 *
 * Where code is executable but has no rules (generated code, assembly, small C libraries), its
 * caller is looked for in the stack (scan.h), then by frame pointer, and marked as a guess.
 * Threads: none.
 */
#ifndef ORMA_UNWIND_UNWIND_H
#define ORMA_UNWIND_UNWIND_H
#include <stddef.h>
#include <string.h>

#include "probes/unwind/file.h"

/* Registers that are known, and what is known of memory. */
struct orma_unwind_state {
    uint64_t regs[ORMA_UNWIND_REGS];
    uint64_t known;       /* ORMA_UNWIND_BIT() of registers */
    const uint8_t *stack; /* copy of memory from `stack_address` on */
    size_t stack_len;
    uint64_t stack_address;
};

/* Whose code it is. */
struct orma_unwind_code {
    struct orma_unwind_file *file; /* NULL: executable, but of no file that can be read */
    uint64_t address;              /* as the file counts them */
};

enum orma_unwind_end {
    ORMA_UNWIND_COMPLETE, /* where the thread began */
    ORMA_UNWIND_CUT,      /* the copy of the stack ends before */
    ORMA_UNWIND_NO_RULE,  /* nobody knows how to go on */
    ORMA_UNWIND_NO_CODE,  /* a return address that is none */
    ORMA_UNWIND_STUCK,    /* the stack does not grow */
    ORMA_UNWIND_TOO_DEEP,
    ORMA_UNWIND_JOINED, /* the rest is that of the earlier stack */
};

/* A frame before its step: its stack pointer, and a hash of everything else that the step and
 * those after it begin with. */
struct orma_unwind_mark {
    uint64_t sp, print;
};

/* A stack that was unwound before, with which this one may end. */
struct orma_unwind_past {
    const struct orma_unwind_mark *marks;
    size_t num;
    uint64_t from, until; /* only frames that begin in there may be met */
    bool unseen;          /* some of its frames lie where there is no copy of memory now */
    size_t joined;        /* out: the frame of it that was met */
};

struct orma_unwind {
    /* Whose code lies at `pc`? False: nobody's. */
    bool (*find)(void *ctx, uint64_t pc, struct orma_unwind_code *ret);
    /* Where the function around `pc` begins, as its symbols tell; NULL: nobody knows. */
    bool (*start)(void *ctx, uint64_t pc, uint64_t *ret);
    void *ctx;
    /* Each frame before its step, the leaf as number 0; NULL: nobody wants to know. */
    void (*met)(void *ctx, size_t frame, uint64_t pc, const struct orma_unwind_state *state);
    uint64_t *frames; /* out: leaf first; of callers the call, not what follows it */
    size_t frames_max;
    bool guess;        /* the frame pointer of the leaf is not known: look for it in the stack */
    size_t frames_num; /* out */
    unsigned guessed;  /* out: frames that were found by frame pointer or scan */
    unsigned looked;   /* out: how often code was read to see where it jumps (scan.c) */
    struct orma_unwind_mark *marks; /* out, one for each frame; NULL: not wanted, as is `past` */
    struct orma_unwind_past *past;  /* NULL: there is none */
};

/* `state` is changed. */
enum orma_unwind_end orma_unwind_run(struct orma_unwind *self, struct orma_unwind_state *state);

/*
 * Where the leaf was called, by the rule of its address, if that needs neither frame pointer nor
 * guess: what frame pointers leave out, as the function has no frame, or not yet, or no more.
 * False: there is no such rule, its caller is not in the copy of the stack, or nobody's code, or
 * the frame pointer leads there. Which place of the stack it is counts, not what stands there: in a
 * recursion that is the same for many.
 */
bool orma_unwind_leaf_caller(const struct orma_unwind *self, const struct orma_unwind_state *state,
                             uint64_t *ret);

/* Eight bytes of the copied stack. */
static inline bool orma_unwind_load(const struct orma_unwind_state *state, uint64_t address,
                                    uint64_t *ret)
{
    uint64_t offset = address - state->stack_address;

    if (state->stack_len < sizeof(*ret) || offset > state->stack_len - sizeof(*ret))
        return false;
    memcpy(ret, state->stack + offset, sizeof(*ret));
    return true;
}
#endif
