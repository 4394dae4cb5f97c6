/*
 * Sets up an instance by a session's config. Part of instance.h.
 */
#ifndef ORMA_PROBES_FTRACE_SETUP_H
#define ORMA_PROBES_FTRACE_SETUP_H
#include "probes/ftrace/instance.h"

/*
 * For the first session. Remembers what was, stops and empties the ring (unless
 * the config wants to keep it), chooses clock and sizes. -EBUSY: others use it.
 */
int orma_ftrace_setup_first(struct orma_ftrace_instance *self,
                            const Perfetto__Protos__FtraceConfig *config, char *why,
                            size_t why_size);

/* For the others: may this config join? -EBUSY: something in it, or in the first one's, is
 * exclusive. */
int orma_ftrace_setup_joining(struct orma_ftrace_instance *self,
                              const Perfetto__Protos__FtraceConfig *config, char *why,
                              size_t why_size);

/* Does it change the recording for everybody in the instance? */
bool orma_ftrace_setup_is_exclusive(const Perfetto__Protos__FtraceConfig *config);

/* KiB per cpu that a config asks for, defaults and limits applied. */
uint64_t orma_ftrace_setup_buffer_kb(const Perfetto__Protos__FtraceConfig *config,
                                     uint64_t ram_bytes, uint64_t page_size);
/* KiB of a sub-buffer that suits a ring of that size. */
uint64_t orma_ftrace_setup_subbuf_kb(uint64_t buffer_kb, uint64_t page_size);
#endif
