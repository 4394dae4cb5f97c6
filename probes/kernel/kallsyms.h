/*
 * The kernel's symbol table (/proc/kallsyms), packed for look-up by address.
 *
 * About a fourth of the file's size. Data symbols are left out. Constant after
 * parsing. Threads: none while parsing.
 */
#ifndef ORMA_PROBES_FTRACE_KALLSYMS_H
#define ORMA_PROBES_FTRACE_KALLSYMS_H
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/str.h"

struct orma_kallsyms;

/*
 * Reads a file, of which no more than a piece is in memory at a time. Lines that make no sense are
 * skipped. -ENOENT: all addresses are hidden (0), or there is no such file. -ENOMEM, -errno.
 */
int orma_kallsyms_read(int dir_fd, const char *path, struct orma_kallsyms **ret);
void orma_kallsyms_free(struct orma_kallsyms *self);

/* The symbol that the address lies in; empty if it lies before all, or too far behind one. */
struct orma_str orma_kallsyms_find(const struct orma_kallsyms *self, uint64_t address);
size_t orma_kallsyms_num(const struct orma_kallsyms *self);
size_t orma_kallsyms_bytes(const struct orma_kallsyms *self);
#endif
