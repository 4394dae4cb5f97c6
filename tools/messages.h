/* What the command says on stderr. Messages quote names of traces, services and statements, also in files that somebody looks at
 * later: nothing in them gives orders to a terminal. */
#ifndef ORMA_TOOLS_MESSAGES_H
#define ORMA_TOOLS_MESSAGES_H
#include <stdio.h>

/* From now on, what is written to stderr is escaped (sdk/base/shown.h); once, before other threads. */
void orma_messages_escape(void);

#ifndef __GLIBC__
/* Where stderr cannot be set, as musl's cannot, the linker makes `stderr` another variable (--wrap, tools/meson.build). */
extern FILE *const orma_messages_plain __asm__("__real_stderr");
extern FILE *orma_messages_stderr __asm__("__wrap_stderr");
#endif
#endif
