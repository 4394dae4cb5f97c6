/* What other modules need of tracing.c. */
#ifndef ORMA_SDK_CLIENT_TRACING_IMPL_H
#define ORMA_SDK_CLIENT_TRACING_IMPL_H

/* Runs fn(arg) on the library's thread and waits for it; at once if this is that thread, or if
 * there is none. */
void orma_tracing_run(void (*fn)(void *arg), void *arg);
#endif
