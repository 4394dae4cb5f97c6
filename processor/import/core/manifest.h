/*
 * A manifest: what a file of an archive says of the others (perfetto_manifest).
 *
 * Which machines they are of, how their clocks relate, and by which clock the trace is told. It is
 * read from JSON by processor/import/formats/manifest.c, which checks its form; here it is kept,
 * names are resolved, and what it says of machines and clocks comes into force. It holds for the
 * files that are read after it. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_MANIFEST_H
#define ORMA_PROCESSOR_IMPORT_CORE_MANIFEST_H
#include "processor/read/reader.h"
#include "sdk/base/arena.h"

struct orma_file;
struct orma_import;

/* A clock of a file: which file, which of its machines, which clock. */
struct orma_manifest_clock {
    struct orma_str file, machine; /* empty data: not named */
    uint32_t clock;                /* 0: that of the file, which has no name */
};

struct orma_manifest_file {
    struct orma_str path;
    struct orma_str machine;              /* data NULL: of the host, or see `machines` */
    struct orma_reader_machine *machines; /* what its packets call machines */
    struct orma_str *names;               /* of those */
    unsigned machines_num, machines_cap;
    bool has_machines; /* it is of several machines */
    bool has_clocks;
    bool table;                          /* an exported table, no trace */
    struct orma_manifest_clock from, to; /* if has_clocks; from.file is not used */
    int64_t offset_ns;
    uint16_t row; /* of its machine; ORMA_MANIFEST_HOST: none is named */
};

#define ORMA_MANIFEST_HOST UINT16_MAX

struct orma_manifest {
    struct orma_manifest_file *files;
    unsigned files_num, files_cap;
    unsigned absent; /* files of it that are not in the archive */
    struct orma_manifest_clock trace_time;
    bool has_trace_time;
    struct orma_arena texts; /* escapes resolved */
    struct orma_map by_path; /* names → files */
    struct orma_map members; /* names → rows of trace_file */
};

void orma_manifest_free(struct orma_manifest *self);

/* What is said of the member of that name (in the pool); NULL: nothing. */
const struct orma_manifest_file *orma_manifest_find(const struct orma_manifest *self,
                                                    uint32_t name);

/* Makes the machines, ties clocks, settles the clock of the trace. Errors are the file's. */
void orma_manifest_apply(struct orma_manifest *self, struct orma_file *file);

/* True: a file of its own machine, or with clocks that are tied to those of others. */
static inline bool orma_manifest_overrides(const struct orma_manifest_file *f)
{
    return f->has_clocks || f->row != ORMA_MANIFEST_HOST;
}

/* What the reader must know of a file before it reads it. */
void orma_manifest_describe(const struct orma_manifest_file *f, struct orma_reader_file *ret);

/* The machine of files of which nothing is said; its row is made when it is asked for. */
uint16_t orma_manifest_host(struct orma_import *import);
#endif
