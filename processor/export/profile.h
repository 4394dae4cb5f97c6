/*
 * Profiles of a loaded trace in the format of pprof: one per process and kind.
 *
 * Format: profile.proto of github.com/google/pprof (protos/perfetto/pprof.proto).
 */
#ifndef ORMA_PROCESSOR_EXPORT_PROFILE_H
#define ORMA_PROCESSOR_EXPORT_PROFILE_H
#include <stdbool.h>
#include <stdint.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"

enum orma_profile_kind {
    ORMA_PROFILE_ANY,
    ORMA_PROFILE_PERF,  /* samples of the cpus, of any source */
    ORMA_PROFILE_ALLOC, /* memory of native heaps */
    ORMA_PROFILE_SUMS,  /* profiles of others that are sums of stacks, one per type of value */
};

struct orma_profile {
    enum orma_profile_kind kind;
    int64_t pid;
    bool in_one;           /* of all processes */
    const char *heap;      /* ALLOC: its name; SUMS: the type of values; "" otherwise */
    struct orma_str bytes; /* the encoded Profile, not compressed */
    uint64_t weight;       /* in all, of the value that is shown first */
    const char *unit;      /* of that, in words: "samples", "bytes not freed" */
};

struct orma_profile_export {
    struct orma_processor *tp;
    enum orma_profile_kind kind; /* ANY: all that the trace has */
    int64_t pid;                 /* 0: all processes */
    int64_t from_ns, to_ns;      /* of samples, [from, to); both 0: all */
    bool in_one; /* one for all processes; samples have labels that tell whose they are */
    /* Called for each; a negative result ends the export with it. */
    int (*emit)(void *ctx, const struct orma_profile *profile);
    void *ctx;
    unsigned written;  /* out */
    uint64_t left_out; /* out: stacks whose sum is no integer of 64 bits */
};

/* 0; what `emit` returned; another negative errno with the text in orma_processor_error(). */
int orma_export_profiles(struct orma_profile_export *self);
#endif
