/*
 * Context for profilers: what a process is, and which request each thread works on, where
 * profilers look for it (OpenTelemetry's process context and thread context, proposals 4719 and
 * 4947 of its enhancement process; experimental, as they are). `orma profile` puts both into the
 * trace, so that samples have trace ids.
 *
 *     #include <orma/context.h>
 *
 *     static const struct orma_attribute about[] = {
 *         {"service.name", "shop"}, {"service.version", "1.2"}};
 *
 *     int main(void)
 *     {
 *         orma_context_publish(about, 2);
 *         orma_context_set_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
 *         ...                                                      work for this request
 *         orma_context_clear();
 *     }
 *
 * Nothing is recorded and nobody is called: both are a few bytes in the memory of the process,
 * which a profiler reads while it samples. No session need run, and no orma_init().
 *
 * Threads: any. A child of fork() is another process, and publishes for itself.
 */
#ifndef ORMA_CONTEXT_H
#define ORMA_CONTEXT_H
#include <stddef.h>
#include <stdint.h>

#include "orma/api.h"

ORMA_BEGIN_DECLS

#define ORMA_TRACE_ID_LEN 16
#define ORMA_SPAN_ID_LEN 8

/* Of a resource, as OpenTelemetry names them: "service.name", "service.instance.id", ... */
struct orma_attribute {
    const char *key, *value;
};

/* Publishes the attributes of this process, or replaces those that it published before. Texts are
 * copied. 0 or -errno. -E2BIG: more than 8 KiB in all. */
ORMA_API int orma_context_publish(const struct orma_attribute *attributes, size_t num);

/* Nothing is published any more. */
ORMA_API void orma_context_withdraw(void);

/* What the calling thread works on from now on. */
ORMA_API void orma_context_set(const uint8_t trace_id[ORMA_TRACE_ID_LEN],
                               const uint8_t span_id[ORMA_SPAN_ID_LEN]);
/* The same from the header of a request (W3C Trace Context). -EINVAL: it is none. */
ORMA_API int orma_context_set_traceparent(const char *traceparent);
/* On nothing. */
ORMA_API void orma_context_clear(void);

/* What profilers look for by its name; nothing for programs. */
ORMA_API extern __thread void *otel_thread_ctx_v1;

ORMA_END_DECLS
#endif
