/*
 * What a thread of a Python program is in now: frames of the interpreter, the innermost first.
 *
 *   thread ─► current frame ─► previous ─► ... ─► entry ─► previous ─► ... ─► entry
 *             └───────────── run 0 ─────────────┘        └───── run 1 ──────────┘
 *
 * A run is one call of _PyEval_EvalFrameDefault in C: Python functions that call each other stay in
 * it, what C code calls begins another one. Each run has a mark, an address within its C frame.
 *
 * The thread goes on while it is read, so all of this may be nonsense: who uses it compares it with
 * the sample (match.h). Here it is finite, and of the form above. Threads: none.
 */
#ifndef ORMA_PYTHON_STACK_H
#define ORMA_PYTHON_STACK_H
#include "probes/python/layout.h"

#define ORMA_PYTHON_FRAMES_MAX 2048
#define ORMA_PYTHON_RUNS_MAX 512

struct orma_python_frame {
    uint64_t at, code, instr; /* where it lies, its code object, the instruction that it is at */
    uint64_t print;           /* of the code object, when this was read; 0: there was none */
};

struct orma_python_run {
    uint64_t mark;
    uint32_t end; /* of its frames: they begin where those of the run before end */
};

struct orma_python_stack {
    uint64_t root; /* what the outermost run has for its caller; 0: there is no such thing */
    bool cut;      /* there are more: outer ones */
    uint32_t frames_num, runs_num;
    struct orma_python_run runs[ORMA_PYTHON_RUNS_MAX];
    struct orma_python_frame frames[ORMA_PYTHON_FRAMES_MAX];
};

/* The thread of this id, as the program has it (of its own namespace). False: there is none. */
bool orma_python_thread_find(const struct orma_python_memory *memory,
                             const struct orma_python_layout *layout, uint64_t runtime,
                             uint64_t native_id, uint64_t *ret);

/* False: it makes no sense, or it is another thread by now. */
bool orma_python_stack_read(const struct orma_python_memory *memory,
                            const struct orma_python_layout *layout, uint64_t thread,
                            uint64_t native_id, struct orma_python_stack *ret);
#endif
