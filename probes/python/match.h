/*
 * Whether what was read of a thread (stack.h) is what the thread was in when it was sampled.
 *
 *   sample    leaf ... eval ... PyObject_Call ... eval ... main     C frames, registers, a copy
 *                       │                          │                of the stack: from that moment
 *   read      f ◄── g ◄─┘                 h ◄── m ◄┘                a little later
 *
 * The copied stack itself says where the current frame of each run of the interpreter was: that one
 * must be among those that were read, in a run that lies in the same C frame, and the instruction
 * that the C frame holds in a register, or keeps on the stack, must be of the code of that frame.
 * Runs follow each other in both without a gap, to the outermost. What lies between the current
 * frame of a run and its entry cannot run before the current one returns: it follows from it, as
 * long as the reader was in time.
 *
 * All or nothing: a stack that does not agree in one place is refused. Threads: none.
 */
#ifndef ORMA_PYTHON_MATCH_H
#define ORMA_PYTHON_MATCH_H
#include "probes/python/code.h"
#include "probes/python/stack.h"

#define ORMA_PYTHON_EVALS_MAX 256
#define ORMA_PYTHON_REGS_MAX 33

/* A run of the interpreter in the sample. */
struct orma_python_eval {
    uint64_t sp, cfa; /* its C frame: from sp to below cfa */
    bool leaf;        /* it has not called anybody */
    unsigned regs_num;
    uint64_t regs[ORMA_PYTHON_REGS_MAX]; /* those whose values are known */
    /* Out: its frames, as orma_python_stack counts them, and where the first of them is. */
    uint32_t first, end;
    uint64_t instr;
};

struct orma_python_sample {
    const uint8_t *stack; /* copy of memory from `stack_address` on */
    size_t stack_len;
    uint64_t stack_address;
    bool whole; /* the outermost run is there */
    size_t evals_num;
    struct orma_python_eval evals[ORMA_PYTHON_EVALS_MAX]; /* innermost first */
};

/*
 * `*cframe`: how far below the end of its C frame the interpreter keeps its _PyCFrame, which is the
 * same wherever that code runs; 0: not known yet, found here.
 */
bool orma_python_match(const struct orma_python_memory *memory,
                       const struct orma_python_layout *layout, uint64_t code_type,
                       const struct orma_python_stack *stack, struct orma_python_sample *sample,
                       uint64_t *cframe);
#endif
