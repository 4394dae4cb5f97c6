/*
 * Items that wait until somebody asks for what they say (store/late.h).
 *
 * An importer of such a family has two halves (importer.h): `glance` does at the item's time what
 * others can see of it, `parse_late` the rest, now or whenever it is asked for. Between them the
 * item is a note here: where its bytes are, and the generation of its sequence.
 *
 *   item ─► glance ─┬─► parse_late                                  bytes that are fed
 *                   └─► note ... settle ─► parse_late, finish_late  of a mapped file
 *
 * Notes of a family are parsed in their order. Threads: that of the import.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_LATE_H
#define ORMA_PROCESSOR_IMPORT_CORE_LATE_H
#include "processor/import/core/importer.h"

struct orma_import;

struct orma_import_note {
    const uint8_t *data;
    struct orma_seq_gen *gen; /* counted */
    int64_t ts;
    uint64_t aux;
    uint32_t len, before;
    uint16_t field, machine;
};

struct orma_import_late {
    struct orma_import *import;
    bool always;   /* also where no file is mapped: for tests, whose bytes stay */
    bool finished; /* the import has ended */
    struct {
        ORMA_VEC(struct orma_import_note) notes;
        uint32_t at;   /* the next one to parse */
        bool attached; /* rows of others came: nothing waits any longer */
        int error;     /* it can't be settled, for ever */
    } families[ORMA_FAMILIES_NUM];
};

void orma_import_late_init(struct orma_import *import);
void orma_import_late_fini(struct orma_import *import);

/* An item of an importer with a family. */
void orma_import_late_item(struct orma_import *import, struct orma_import_ctx *ctx,
                           const struct orma_importer *importer, const struct orma_item *item);

/* Whether the importer finishes later. */
bool orma_import_late_waits(const struct orma_import *import, const struct orma_importer *importer);

/* Somebody else adds rows to the family's tables: what waits comes before, and nothing will wait
 * any more. */
void orma_import_late_attach(struct orma_import_ctx *imp, enum orma_family family);
#endif
