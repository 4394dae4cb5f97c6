/*
 * Several traces as one: a tar that the processor (and others) load as one
 * timeline. `trace_processor_shell util merge`.
 */
#ifndef ORMA_TOOLS_MERGE_H
#define ORMA_TOOLS_MERGE_H

/* argv[0] is not looked at. 0, or 1 after saying why. */
int orma_convert_merge_main(int argc, char **argv);
#endif
