/*
 * Code without rules, as that of small C libraries and of assembly: who called it is looked for in
 * the stack, word by word. A return address is one where code stands in front of it that calls:
 *
 *   this function, by its address    that is who called it
 *   by a register, or a stub         it may be, if there is no other
 *   at the entry of a program        nothing is above it
 *
 * x86-64 only. Threads: none.
 */
#ifndef ORMA_UNWIND_SCAN_H
#define ORMA_UNWIND_SCAN_H
#include "probes/unwind/unwind.h"

/*
 * Where in the stack the return address lies that leads to the caller of the code at `pc`. False:
 * no word looks like it. The copy of a stack may end early, where it has a page that was never
 * written: so that says nothing about where the stack begins.
 */
bool orma_unwind_scan(struct orma_unwind *self, const struct orma_unwind_code *code,
                      uint64_t pc, const struct orma_unwind_state *state, uint64_t *ret);

/* Does the thread end behind the call that returns to `code`, as it does where it began? */
bool orma_unwind_scan_is_last(const struct orma_unwind_code *code);
#endif
