/*
 * Importers: what understands one family of packets.
 *
 * Importers live in modules (folders of import/): kernel, events, profile, linux, trace, android. A
 * module has one state, a context that says what its functions may use, and perhaps a port
 * (ports.h) through which other modules reach it. An importer names the packet fields it takes, and
 * its functions:
 *
 *   packet ─► early ─► tokenize ─► (sorter) ─► parse ... finish, fini
 *
 * `early` and `tokenize` run as packets are read, `parse` when their time has come, `finish` at
 * the end of the trace. Where nobody else sees what comes of a packet, that waits until it is asked
 * for: `glance`, `parse_late`, `finish_late`. The table of all importers is
 * processor/assembly/importers.c, which is handed in. A new importer is a file in a module and a
 * row there.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_IMPORTER_H
#define ORMA_PROCESSOR_IMPORT_CORE_IMPORTER_H
#include "processor/import/core/account.h"
#include "processor/model/model.h"
#include "processor/read/reader.h"

struct orma_accounts;
struct orma_import_late;
struct orma_ports;

/* What the owner of an import asks for. */
struct orma_import_options {
    bool no_ftrace_raw, crop_track_events;
    bool analyze_content; /* rows of experimental_proto_content */
    bool no_plain_events; /* all of them on the slow path: for tests */
};

/*
 * What the functions of a module get, and all that they may use. What has the time of its packet
 * and becomes rows needs no reader; it is needed to convert times of other clocks, to push items
 * that come out of a packet, and to look at sequences and bundles.
 */
struct orma_import_ctx {
    struct orma_model *model;
    struct orma_reader *reader; /* NULL where no packets are read: in tests of a module */
    void *state;                /* of the module */
    struct orma_ports *ports;   /* of the other modules */
    const struct orma_import_options *options;
    struct orma_import_late *late;  /* what waits (late.h); NULL as `reader` is */
    struct orma_accounts *accounts; /* of the files; NULL as `reader` is */
};

/* A folder of importers. */
struct orma_import_module {
    const char *name;
    size_t state_size; /* zeroed; may be 0 */
    /* Fills in the module's port. May be NULL. */
    void (*offer)(struct orma_ports *ports, struct orma_import_ctx *self);
    /* When all ports are there. 0 or -ENOMEM. May be NULL. */
    int (*start)(struct orma_import_ctx *self);
};

/* A packet that is read. seq is NULL only in `early`, for packets of no sequence. */
struct orma_packet_ctx {
    const struct orma_read_packet *p;
    struct orma_seq *seq;
    uint16_t machine;
    int64_t ts; /* tokenize only */
    uint64_t order;
};

typedef void orma_parse_fn(struct orma_import_ctx *imp, const struct orma_item *item);

struct orma_importer {
    const char *name;
    /* Of TracePacket, below ORMA_PACKET_FIELDS_MAX, 0-terminated; NULL: it takes no packets. */
    const uint16_t *fields;
    /* All may be NULL. True: the packet is used up. */
    bool (*early)(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx);
    bool (*tokenize)(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx);
    orma_parse_fn *parse;
    void (*finish)(struct orma_import_ctx *imp);
    void (*fini)(struct orma_import_ctx *imp);
    /*
     * Of a family whose rows may wait until somebody asks for them (late.h), instead of `parse` and
     * `finish`. `glance` comes in the place of `parse`: all that is seen outside of the tables of
     * the family is done there, as processes, times that are bounds, losses that others look at. It
     * may leave `aux` for the second half; false: there is none. Those of the second half stop when
     * orma_storage_should_stop() says so: false, and the same call comes again.
     */
    enum orma_family family;
    bool (*glance)(struct orma_import_ctx *imp, struct orma_item *item);
    bool (*parse_late)(struct orma_import_ctx *imp, const struct orma_item *item);
    bool (*finish_late)(struct orma_import_ctx *imp);
    /* Items of the sorter that are no packets; NULL: those of other importers. */
    orma_parse_fn *parse_kind[ORMA_ITEM_KINDS_NUM];
    /* The commonest packets of `plain_field` in two halves, for the sorter (read/sorter.h), and in
     * one; 0: there are none. */
    uint16_t plain_field;
    orma_read_plain_fn *read_plain;
    orma_use_plain_fn *use_plain; /* its data is the module's context, as that of the next two */
    orma_use_batch_fn *use_batch;
    orma_use_aside_fn *use_aside;
    bool (*parse_plain)(struct orma_import_ctx *imp, const struct orma_item *item);
};

/* All that an import can read. */
struct orma_format_ops;
struct orma_importer_row {
    const struct orma_import_module *module;
    const struct orma_importer *importer;
};

struct orma_importers {
    /* Up to a row of NULLs. At the end of an import they finish in this order. */
    const struct orma_importer_row *importers;
    const struct orma_format_ops *const *formats; /* by enum orma_format; NULL: not readable */
    const struct orma_import_module *formats_module;
};

/* Where in the file a packet is; -1: not in the file as such. */
static inline int64_t orma_import_packet_offset(const struct orma_import_ctx *imp,
                                                const struct orma_packet_ctx *ctx)
{
    return imp->reader ? orma_reader_offset(imp->reader, (const uint8_t *)ctx->p->bytes.data) : -1;
}

/* The same once it is parsed. */
static inline int64_t orma_import_item_offset(const struct orma_import_ctx *imp,
                                              const struct orma_item *item)
{
    return imp->reader && item->data ? orma_reader_offset(imp->reader, item->data - item->before)
                                     : -1;
}

/* What orma_slices_end() gave for an event that was taken: ends of what nothing began have no row,
 * and are counted. */
static inline void orma_import_ended(struct orma_import_ctx *imp, uint32_t slice)
{
    if (ORMA_UNLIKELY(slice == ORMA_SLICE_NONE) && imp->accounts)
        orma_account_end_alone(imp->accounts, imp->model, imp->reader->file);
}

/* To the trace's time, of something in a packet; false, and counted as one of `kind` (a noun in the
 * plural), if nothing relates the clocks. */
static inline bool orma_import_inner_time(struct orma_import_ctx *imp, uint16_t machine,
                                          uint64_t clock, int64_t ns, const char *kind,
                                          int64_t *ret)
{
    if (ORMA_LIKELY(orma_reader_to_trace_time(imp->reader, machine, clock, ns, ret, NULL)))
        return true;
    if (imp->accounts)
        orma_account_untimed(imp->accounts, imp->model, imp->reader->file, kind);
    return false;
}

#endif
