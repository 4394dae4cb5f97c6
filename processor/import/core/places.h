/*
 * Args that stay in the bytes of the trace until somebody asks for them (store/args.h): what
 * importers that leave some have in common.
 *
 * Values that are quickly read, and those that repeat, are better decoded at once: a set that is
 * logged twice is one. So short args are left only where they mostly differ, which the first ones
 * of each few thousand tell.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_PLACES_H
#define ORMA_PROCESSOR_IMPORT_CORE_PLACES_H
#include "processor/import/core/importer.h"

#define ORMA_IMPORT_SHORTS_NUM 1024

/* Zero-initialised is the begin. */
struct orma_import_shorts {
    uint32_t seen, repeated; /* so far; of the sample of this window */
    bool leave;
    uint32_t hashes[ORMA_IMPORT_SHORTS_NUM];
};

/* Whether these args are worth leaving, by their length and what came before. */
bool orma_import_leaves_args(struct orma_import_shorts *self, struct orma_str args);

/* Whether the next ones most probably will be. Any thread may ask. */
bool orma_import_may_leave_args(const struct orma_import_shorts *self, struct orma_str args);

/* False: the bytes of the trace are no longer those that were imported, which is noted. */
bool orma_import_still_there(struct orma_import_ctx *imp);

/* Places come in about the order of the file: what lies behind one that is decoded at `at` need not
 * stay in memory. `behind`: from where on; NULL at first. */
void orma_import_let_go(struct orma_import_ctx *imp, const uint8_t **behind, const uint8_t *at);
#endif
