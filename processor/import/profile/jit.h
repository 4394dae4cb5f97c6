/*
 * Code that a program makes while it runs: where in its memory it lies, and from when till when.
 */
#ifndef ORMA_PROCESSOR_IMPORT_PROFILE_JIT_H
#define ORMA_PROCESSOR_IMPORT_PROFILE_JIT_H
#include "processor/import/profile/profile.h"

struct orma_profile_jit_code {
    int64_t ts;
    uint32_t upid, utid;
    uint64_t start, size;
    uint32_t name;         /* pool id */
    struct orma_str bytes; /* empty: not recorded */
};

/* A row of jit_code. What lies where it lies now has ended. */
uint32_t orma_profile_jit_load(struct orma_import_ctx *imp,
                               const struct orma_profile_jit_code *code);

/* The code that begins at that address goes on at another: its row there; ORMA_ROW_NONE: there is
 * none. */
uint32_t orma_profile_jit_move(struct orma_import_ctx *imp, const struct orma_profile_jit_code *to,
                               uint64_t from);

/* Bytes as text, as pool id; 0: none. */
uint32_t orma_profile_jit_base64(struct orma_import_ctx *imp, struct orma_str bytes);

void orma_profile_jit_fini(struct orma_import_ctx *imp);
#endif
