/*
 * An import under way: the reader, the model, the modules of importers, and the files that are
 * read.
 *
 *   bytes ─► file (file.h) ─► reader ─► sorter ─► importers (importer.h) ─► model ─► store
 *
 * Which importers and formats there are is handed in (processor/assembly/importers.c): nothing in
 * here calls one by name. Threads: none; the reader may use a second one for itself.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_IMPORT_H
#define ORMA_PROCESSOR_IMPORT_CORE_IMPORT_H
#include "processor/import/core/account.h"
#include "processor/import/core/importer.h"
#include "processor/import/core/late.h"
#include "processor/import/core/ports.h"

#define ORMA_IMPORT_MODULES_MAX 8

struct orma_manifest;

struct orma_import {
    struct orma_model model;
    struct orma_reader reader;
    struct orma_import_options options;
    struct orma_ports ports;
    struct orma_import_late late;
    const struct orma_importers *table;
    const struct orma_importer *by_field[ORMA_PACKET_FIELDS_MAX];
    struct orma_import_ctx *ctx_by_field[ORMA_PACKET_FIELDS_MAX];
    struct {
        orma_parse_fn *parse;
        struct orma_import_ctx *ctx;
    } kinds[ORMA_ITEM_KINDS_NUM];
    const struct orma_importer *plain; /* the importer of plain events; NULL: there is none */
    uint16_t plain_field;              /* 0: all packets take the slow path */
    struct {
        const struct orma_import_module *module;
        struct orma_import_ctx ctx;
    } modules[ORMA_IMPORT_MODULES_MAX];
    unsigned modules_num;
    struct orma_import_ctx *formats;      /* of the formats */
    struct orma_file *files, *files_last; /* in the order in which they were found */
    struct orma_accounts accounts;
    uint32_t unread_kinds[ORMA_PACKET_FIELDS_MAX]; /* names of packets that nothing takes; 0: of
                                                      none yet */
    uint32_t drop_kinds[ORMA_PACKET_DROPS_NUM];    /* the same of packets that were dropped */
    struct orma_manifest *manifest; /* what a file said of the others; NULL: none did */
    uint32_t files_begun;           /* containers, too */
    uint16_t host;                  /* the machine of files of which nothing is said */
    bool no_host;                   /* it has no row yet */
    uint64_t uuid;                  /* made from the first bytes of what is loaded */
    char error_text[512];           /* of orma_file_error() */
    int error_code;
};

/*
 * 0 or -ENOMEM; then orma_import_fini() is still due. The table and what it points to must outlive
 * the import, which must not move in memory. `options` NULL: none.
 */
int orma_import_init(struct orma_import *self, struct orma_storage *storage,
                     const struct orma_importers *table, const struct orma_import_options *options);
void orma_import_fini(struct orma_import *self);

/* The end of the trace: what waits is sorted and parsed, tables that sum up are made. */
void orma_import_finish(struct orma_import *self);

#endif
