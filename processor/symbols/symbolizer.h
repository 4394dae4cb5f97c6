/*
 * Symbolizer: names, files and lines for addresses of binaries that a trace mentions.
 *
 * Binaries are looked for under `paths`, a list of folders with ':' between them:
 *
 *   find   at the binary's own path below each folder; at its base name in it; as
 *          .build-id/ab/cdef....debug in it
 *   index  all files below the folders are read once and found by build id; paths may also be
 *          files
 *
 * Without paths the machine's own binaries are taken, and debug information as distributions
 * install it (/usr/lib/debug). A file with another build id than the trace tells is not taken.
 * When a binary was stripped, its debug information is looked for by build id and by the name
 * that the binary gives.
 *
 * Files are hostile, and libdw trusts them: they are read by a process of their own (worker.h),
 * which begins with the first question and ends with the symbolizer. A module whose file breaks it
 * has no names. A few binaries stay open there. Threads: none inside; one symbolizer is used by
 * one thread at a time (orma_symbolizer_share() makes more).
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_SYMBOLIZER_H
#define ORMA_PROCESSOR_SYMBOLS_SYMBOLIZER_H
#include <sys/types.h>

#include "processor/symbols/binary.h"
#include "sdk/base/str.h"

struct orma_symbolizer;

enum orma_symbolizer_mode { ORMA_SYMBOLIZER_FIND, ORMA_SYMBOLIZER_INDEX };

/* `paths` NULL: the machine's own. 0, -ENOMEM; -ENOTSUP: the build has no libdw. */
int orma_symbolizer_new(const char *paths, enum orma_symbolizer_mode mode,
                        struct orma_symbolizer **ret);
/* More places, for what the former ones do not have; before the first question. The same errors,
 * and -ENOSPC for the fifth. */
int orma_symbolizer_add(struct orma_symbolizer *self, const char *paths,
                        enum orma_symbolizer_mode mode);
/*
 * Servers that give debug information by build id, with blanks between their URLs, for binaries
 * that have none here; before the first question. -ENOTSUP: the client's library is not installed.
 */
int orma_symbolizer_set_servers(struct orma_symbolizer *self, const char *urls);
/* Starts its process already: a program with threads of its own should fork before it has them. */
void orma_symbolizer_start(struct orma_symbolizer *self);
/* One with the same places and a process of its own, for another thread; freed before `self`. */
int orma_symbolizer_share(const struct orma_symbolizer *self, struct orma_symbolizer **ret);
/* NULL is fine. */
void orma_symbolizer_free(struct orma_symbolizer *self);

/* "find" or "index"; NULL: find. False for others. */
bool orma_symbolizer_mode_of(const char *name, enum orma_symbolizer_mode *ret);

struct orma_symbolizer_module {
    struct orma_str path;     /* as the trace has it */
    struct orma_str build_id; /* in hexadecimal; empty: any will do */
    uint64_t load_bias;       /* as the trace has it; of the kernel (kernel.h): where it begins */
};

/* False: no file is there that could say anything of the module. Starts no process. */
bool orma_symbolizer_may_find(const struct orma_symbolizer *self,
                              const struct orma_symbolizer_module *module);

/*
 * What is at the address, as orma_binary_frames(): innermost first, 0 if nothing is known. Fast if
 * questions about one module come together.
 */
size_t orma_symbolizer_frames(struct orma_symbolizer *self,
                              const struct orma_symbolizer_module *module, uint64_t pc,
                              struct orma_source_frame ret[ORMA_SOURCE_FRAMES_MAX]);

/* The file that answers for the module; NULL: none was found. Valid until the next question. */
const char *orma_symbolizer_file(struct orma_symbolizer *self,
                                 const struct orma_symbolizer_module *module);

/* Modules that got no names because their files broke the process that read them. */
unsigned orma_symbolizer_broken(const struct orma_symbolizer *self);

/* That process; 0: there is none. For tests. */
pid_t orma_symbolizer_worker(const struct orma_symbolizer *self);
#endif
