/*
 * Names for the frames of a loaded trace, as packets that stand behind it.
 *
 * ModuleSymbols say what lies at addresses of a module; DeobfuscationMapping what short names
 * mean. Both are what `util symbolize` and `util deobfuscate` write, and what a load applies at
 * its end (orma_processor_set_symbols()).
 */
#ifndef ORMA_PROCESSOR_API_SYMBOLIZE_H
#define ORMA_PROCESSOR_API_SYMBOLIZE_H
#include "processor/processor.h"
#include "processor/symbols/symbolizer.h"
#include "sdk/base/buf.h"

struct orma_import;
struct orma_storage;

/* How the work went. */
struct orma_symbolize_result {
    uint64_t frames;         /* without symbols, in modules that can be told from others */
    uint64_t frames_named;   /* of these */
    uint64_t modules;        /* they are of */
    uint64_t modules_found;  /* for which a binary was found */
    uint64_t modules_broken; /* whose binaries broke the process that read them */
};

/*
 * What is told about each module when its names are there, in the order of their paths: `file` is
 * where its symbols come from, NULL if no binary was found. May be NULL.
 */
typedef void orma_symbolize_told_fn(void *data, struct orma_str module, struct orma_str build_id,
                                    const char *file);

/* Takes packets; the buffer is cleared by the caller. 0 or -errno, which ends the work. */
typedef int orma_symbolize_put_fn(void *data, struct orma_buf *packets);

struct orma_symbolize {
    struct orma_symbolizer *symbolizer;
    orma_symbolize_put_fn *put;
    orma_symbolize_told_fn *told;
    void *data;
    /* Modules without a build id: their files are taken if nobody changed them since (REALTIME), as
     * where a trace was just made. 0: they are left out. */
    uint64_t unchanged_since_ns;
    struct orma_symbolize_result result;
};

/*
 * ModuleSymbols for all frames that have none. 0 or -errno. Modules are worked on side by side, by
 * threads that end before this returns; the callbacks come from the caller's thread.
 */
int orma_symbolize_storage(struct orma_symbolize *self, const struct orma_storage *storage);
int orma_symbolize_processor(struct orma_symbolize *self, struct orma_processor *tp);

/*
 * DeobfuscationMapping packets for a list of mapping files, "PACKAGE=PATH" or "PATH" with ':'
 * between them. 0, or -errno with a text for people in *error, if that is not NULL.
 */
int orma_deobfuscate_packets(const char *maps, struct orma_buf *out, struct orma_buf *error);
/* The same for one of them. */
int orma_deobfuscate_file(const char *map, struct orma_buf *out, struct orma_buf *error);

/*
 * For the end of a load: what the packets say goes into the tables. Heap graphs want names before
 * the import ends, so these packets are announced to it first.
 */
void orma_symbolize_announce(struct orma_import *imp, const struct orma_buf *packets);
void orma_symbolize_apply(struct orma_import *imp, const struct orma_buf *packets);
#endif
