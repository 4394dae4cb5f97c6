/*
 * A trace of what a server does: its calls as slices, queries with their text, as a trace of
 * packets that any processor reads. Between enable and read; calls beyond MAX bytes are left out,
 * and the trace says so.
 */
#ifndef ORMA_PROCESSOR_SERVE_METATRACE_H
#define ORMA_PROCESSOR_SERVE_METATRACE_H
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* Zero-initialised: off. */
struct orma_metatrace {
    struct orma_buf packets;
    bool on, overrun;
};

void orma_metatrace_fini(struct orma_metatrace *self);

/* Begins anew. */
void orma_metatrace_enable(struct orma_metatrace *self);

uint64_t orma_metatrace_now(void);

/* What began at `begin_ns` ends now. `query`: its text; of no length: none. */
void orma_metatrace_put(struct orma_metatrace *self, const char *name, uint64_t begin_ns,
                        struct orma_str query);

/* Appends a DisableAndReadMetatraceResult; it is off then. */
void orma_metatrace_read(struct orma_metatrace *self, struct orma_buf *out);
#endif
