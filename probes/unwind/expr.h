/*
 * DWARF expressions, as far as rules for unwinding use them: arithmetic on
 * registers and on memory of the stack. Bounded in steps and depth.
 *
 * Format: DWARF 4, 2.5. Threads: none.
 */
#ifndef ORMA_UNWIND_EXPR_H
#define ORMA_UNWIND_EXPR_H
#include <stddef.h>

#include "probes/unwind/unwind.h"

/* False: nonsense, a register or memory that is not known. `first`: NULL, or what is pushed before.
 */
bool orma_unwind_expr(const uint8_t *program, size_t len, const struct orma_unwind_state *state,
                      const uint64_t *first, uint64_t *ret);
#endif
