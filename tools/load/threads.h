/*
 * How many threads load and query: what --threads says (tools/base/cli.h), or the variable
 * ORMA_THREADS, or else one for each CPU.
 */
#ifndef ORMA_TOOLS_LOAD_THREADS_H
#define ORMA_TOOLS_LOAD_THREADS_H
#include "processor/processor.h"

unsigned orma_load_threads(void);

/* From now on so many processes do the same side by side: unless somebody said how many threads
 * there are, each gets its share of the CPUs. */
void orma_load_threads_share(size_t processes);

/* Of a processor with that many threads, and defaults otherwise. */
const struct orma_processor_config *orma_load_config(void);
#endif
