/*
 * Profiles: samples of cpus and heaps, with their stacks (model/callstacks.h), heap graphs, and the
 * symbols that come for them later.
 */
#ifndef ORMA_PROCESSOR_IMPORT_PROFILE_PROFILE_H
#define ORMA_PROCESSOR_IMPORT_PROFILE_PROFILE_H
#include "processor/import/core/ports.h"
#include "processor/model/callstacks.h"
#include "sdk/base/assert.h"
#include "sdk/base/vec.h"

/* The row of an interned entry, and the process that it is of (ORMA_ID_NONE: none). */
struct orma_profile_entry {
    uint32_t upid, row;
};

/* The state of the module. */
struct orma_profile_state {
    struct orma_map sessions; /* sequence and source → row; profile_packets.c */
    struct orma_map heaps; /* machine and sequence → struct orma_heap_sequence *; heap_profile.c */
    struct orma_profile_heap_graphs *heap_graphs; /* heap_graph.c; NULL: none yet */
    ORMA_VEC(struct orma_profile_entry) entries;  /* profile_intern.c */
    struct orma_map entries_of_others;            /* number of an entry, upid → row */
    uint32_t field_sets;                          /* that objects of heaps have; heap_graph.c */
    struct orma_map jit;                          /* upid → struct orma_profile_jit *; jit.c */
    struct orma_map v8_rows;                      /* hash of what a row says → row; v8.c */
};

static inline struct orma_profile_state *orma_profile(const struct orma_import_ctx *imp)
{
    ORMA_ASSERT_HOT(imp->state);
    return imp->state;
}

/* ---- profile_intern.c: stacks as packets hold them ---- */

/* Interned entries as rows of a process, or of none (upid ORMA_ID_NONE). ORMA_ROW_NONE and a
 * statistic if they are broken. */
uint32_t orma_profile_interned_mapping(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                                       const struct orma_seq_gen *gen, uint64_t iid);
uint32_t orma_profile_interned_frame(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                                     const struct orma_seq_gen *gen, uint64_t iid);
uint32_t orma_profile_interned_callsite(struct orma_import_ctx *imp, uint16_t machine,
                                        uint32_t upid, const struct orma_seq_gen *gen,
                                        uint64_t iid);

/* An InlineCallstack message, of an event or of a sample, which their mapping tells. */
uint32_t orma_profile_inline_callsite(struct orma_import_ctx *imp, struct orma_str bytes);
uint32_t orma_profile_sample_callsite(struct orma_import_ctx *imp, struct orma_str bytes);

/* A ModuleSymbols message. */
void orma_profile_symbols(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes);

/* ---- deobfuscate.c ---- */

/* A DeobfuscationMapping message, for frames. */
void orma_profile_deobfuscate(struct orma_import_ctx *imp, struct orma_str bytes);

/* ---- heap_profile.c ---- */

void orma_profile_heap_parse(struct orma_import_ctx *imp, const struct orma_item *item);
void orma_profile_heap_finish(struct orma_import_ctx *imp);
void orma_profile_heap_fini(struct orma_import_ctx *imp);

/* ---- smaps.c ---- */

void orma_profile_smaps_parse(struct orma_import_ctx *imp, const struct orma_item *item);

extern const struct orma_import_module orma_profile_module;
extern const struct orma_importer orma_profile_heap_graph_importer, orma_profile_profile_importer,
    orma_profile_v8_importer;
#endif
