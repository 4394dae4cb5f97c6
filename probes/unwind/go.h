/*
 * Go programs: they have no .eh_frame, but a table of their own for tracebacks, .gopclntab, which
 * stripping leaves in place. It says of each function where it begins, what it is called, and of
 * each instruction how far the stack pointer is below the return address.
 *
 * Tables of Go 1.2 to today, of programs of 64 bits in our byte order. Bytes are hostile, and may
 * change while we look: each value is read once, checked, and then used. Threads: none.
 */
#ifndef ORMA_UNWIND_GO_H
#define ORMA_UNWIND_GO_H
#include <stddef.h>

#include "probes/unwind/rule.h"
#include "sdk/base/str.h"

struct orma_unwind_go {
    const uint8_t *data; /* NULL: there is none; belongs to who has the file */
    size_t len;
    uint64_t text;              /* what starts are counted from */
    uint64_t list, funcs;       /* where the list of functions is, and what it points into */
    uint64_t names, distances;  /* what names and distances are offsets in */
    uint64_t num;               /* of functions; behind them is where the last one ends */
    uint8_t quantum, word, age; /* bytes of an instruction, of a number in the list; which form */
};

struct orma_unwind_go_function {
    uint64_t start, end;
    uint32_t name, distances; /* offsets; distances 0: none */
};

/* The table of an ELF file, of which these are the bytes. False: it has none that we can read. */
bool orma_unwind_go_open(const uint8_t *elf, size_t len, struct orma_unwind_go *ret);

/* The function around an address as the file counts them. */
bool orma_unwind_go_find(const struct orma_unwind_go *self, uint64_t pc,
                         struct orma_unwind_go_function *ret);

/* By its offset; empty: nonsense. It is the file's: it may change. */
struct orma_str orma_unwind_go_name(const struct orma_unwind_go *self, uint32_t name);

/* False: none that holds, as in functions that go to another stack. */
bool orma_unwind_go_rule(const struct orma_unwind_go *self, uint64_t pc,
                         struct orma_unwind_rule *ret);
#endif
