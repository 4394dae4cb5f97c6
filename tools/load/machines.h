/* Several machines in a trace. Threads: that of the processor. */
#ifndef ORMA_TOOLS_LOAD_MACHINES_H
#define ORMA_TOOLS_LOAD_MACHINES_H
#include <stdio.h>

#include "processor/processor.h"

/*
 * A line for each other machine whose clock was read together with the recording one's: how far it
 * is ahead, how much that may be wrong, and how it drifts. Returns how many.
 */
unsigned orma_load_print_clocks(struct orma_processor *tp, FILE *out);
#endif
