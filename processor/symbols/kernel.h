/*
 * Functions of the kernel, for samples that perf recorded: their addresses are those of the boot in
 * which they were taken, and each boot puts the kernel somewhere else.
 *
 * perf keeps the table of symbols of each kernel that it recorded, by build id, below ~/.debug; the
 * running kernel has its own in /proc/kallsyms. The mapping of the kernel says in its name which
 * symbol it begins with ("[kernel.kallsyms]_text"), and where that was: what the same symbol has in
 * the table tells how far the two boots are apart. Symbols of kernel modules are left out.
 *
 * Tables are files of others: lines that make no sense are skipped, sizes are capped.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_KERNEL_H
#define ORMA_PROCESSOR_SYMBOLS_KERNEL_H
#include "processor/symbols/symbolizer.h"

struct orma_lookup_kernel;

/* Is this how perf names the kernel? */
bool orma_lookup_kernel_is(struct orma_str path);

/*
 * The table for the module, below one of `paths` as perf keeps them
 * (FOLDER/[kernel.kallsyms]/ID/kallsyms); for "/" also below ~/.debug, and the running kernel's if
 * it is that one. NULL: there is none, or the trace does not say which kernel it was. malloc's.
 */
char *orma_lookup_kernel_find(const char *paths, const struct orma_symbolizer_module *module);

/* -ENOENT: its addresses are hidden, or it lacks the symbol that the module begins with. -ENOMEM,
 * -errno. */
int orma_lookup_kernel_open(const char *path, const struct orma_symbolizer_module *module,
                            struct orma_lookup_kernel **ret);
/* NULL is fine. */
void orma_lookup_kernel_free(struct orma_lookup_kernel *self);

/* The function at an address of the trace; NULL: none. Valid as long as `self`. */
const char *orma_lookup_kernel_function(const struct orma_lookup_kernel *self, uint64_t pc);
#endif
