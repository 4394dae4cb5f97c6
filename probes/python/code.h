/*
 * Code objects: what a function is called, in which file it is, which line an instruction is of.
 *
 * Format of lines: Objects/locations.md of CPython (3.11 and later). All of it is another process'
 * memory: what is no code object is refused, texts are cut at their limits. Threads: none.
 */
#ifndef ORMA_PYTHON_CODE_H
#define ORMA_PYTHON_CODE_H
#include "probes/python/layout.h"

struct orma_python_code {
    uint64_t type;       /* where its type is */
    uint64_t begin, len; /* of its instructions, in bytes */
    uint64_t filename, qualname, linetable;
    uint32_t line; /* the first; 0: none */
};

/* What lies there, in one read; of any type. False: it cannot be a code object. */
bool orma_python_code_head(const struct orma_python_memory *memory,
                           const struct orma_python_layout *layout, uint64_t at,
                           struct orma_python_code *ret);

/* A number that another object at the same address most likely does not have: those of a module are
 * freed after its import, and the next functions may lie there. */
uint64_t orma_python_code_print(const struct orma_python_code *self);

/* `type`: where the type of all code objects is. False: it is none. */
bool orma_python_code_read(const struct orma_python_memory *memory,
                           const struct orma_python_layout *layout, uint64_t type, uint64_t at,
                           struct orma_python_code *ret);

/* As UTF-8, ended by 0; what does not fit into `size` is cut. False: it is no text, or empty. */
bool orma_python_text(const struct orma_python_memory *memory,
                      const struct orma_python_layout *layout, uint64_t at, char *ret, size_t size);

/* Of the instruction at that address; 0: it has none, or the table makes no sense. */
uint32_t orma_python_line(const struct orma_python_memory *memory,
                          const struct orma_python_layout *layout,
                          const struct orma_python_code *code, uint64_t instr);
#endif
