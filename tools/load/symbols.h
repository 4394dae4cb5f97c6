/*
 * Where symbols of frames come from; settings in the environment:
 *
 *   PERFETTO_BINARY_PATH      folders with binaries, ':' between them
 *   PERFETTO_SYMBOLIZER_MODE  find (the default) or index
 *   PERFETTO_PROGUARD_MAP     [PACKAGE=]PATH of mappings, ':' between them
 *   ORMA_DEBUGINFOD           on: the servers that DEBUGINFOD_URLS names are asked; or their URLs
 */
#ifndef ORMA_TOOLS_LOAD_SYMBOLS_H
#define ORMA_TOOLS_LOAD_SYMBOLS_H
#include "processor/processor.h"
#include "sdk/base/buf.h"

#define ORMA_LOAD_SYMBOLS_PATHS "PERFETTO_BINARY_PATH"
#define ORMA_LOAD_SYMBOLS_MODE "PERFETTO_SYMBOLIZER_MODE"
#define ORMA_LOAD_SYMBOLS_MAPS "PERFETTO_PROGUARD_MAP"
#define ORMA_LOAD_SYMBOLS_SERVERS "ORMA_DEBUGINFOD"

/* The values; NULL: not set, or empty. */
const char *orma_load_symbols_paths(void);
const char *orma_load_symbols_mode(void);
const char *orma_load_symbols_maps(void);

/* Servers of debug information to ask; *ret NULL: none. `wanted`: whatever the environment says of
 * asking. -EINVAL with a message printed. */
int orma_load_symbols_servers(const char *program, bool wanted, const char **ret);

/* For the load that follows. 0, or negative with the message printed; a build without libdw prints
 * a message and continues. */
int orma_load_symbols_from_environment(struct orma_processor *tp, const char *program);

/*
 * For a file of perf, which never has names, the binaries of this machine where their build ids are
 * those of the recording; for others the environment. The same errors.
 */
int orma_load_symbols_for(struct orma_processor *tp, const char *program, const char *path);

/*
 * The same for traces that were made here: without paths, the binaries of this machine. What was
 * found can be written behind the trace once the processor is gone; NULL: nobody wants that.
 * Progress on a terminal.
 */
struct orma_load_names {
    /* REALTIME: when the recording began. Files without a build id are taken if they have not
     * changed since; 0: they are not. */
    uint64_t since_ns;
    bool ask_servers; /* those of DEBUGINFOD_URLS, whatever the environment says of asking */
    struct orma_buf packets;
    bool drawn;
};
int orma_load_symbols_from_here(struct orma_processor *tp, const char *program,
                                struct orma_load_names *names);
/* After the load, before anything is printed. */
void orma_load_names_found(struct orma_load_names *self);
/* 0 or -errno, with a message printed. Nothing is written where nothing was found. */
int orma_load_names_append(struct orma_load_names *self, const char *program, const char *path);
void orma_load_names_fini(struct orma_load_names *self);
#endif
