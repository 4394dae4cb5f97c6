/*
 * The kernel's symbol table (/proc/kallsyms), packed for look-up by address.
 *
 * Data symbols are left out. Threads: none; a table belongs to one.
 */
#ifndef ORMA_SDK_FTRACE_KALLSYMS_H
#define ORMA_SDK_FTRACE_KALLSYMS_H
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/str.h"

struct orma_kallsyms;

/*
 * Reads a file, of which no more than a piece is in memory at a time. Lines that make no sense are
 * skipped. -ENOENT: all addresses are hidden (0), or there is no such file. -ENOMEM, -errno.
 */
int orma_kallsyms_read(int dir_fd, const char *path, struct orma_kallsyms **ret);
/* The same of a text that is in memory. */
int orma_kallsyms_parse(struct orma_str text, struct orma_kallsyms **ret);
void orma_kallsyms_free(struct orma_kallsyms *self);

/*
 * proc_fd's file "kallsyms". The kernel takes 30 ms and more to write it, so what was read is kept
 * in the folder (NULL: nowhere), mapped by those who come later, and read again for another boot,
 * other modules, and addresses of code that neither the kernel nor a module has. A folder or file
 * that others may write to is not used.
 */
int orma_kallsyms_open(int proc_fd, const char *state_dir, struct orma_kallsyms **ret);

/* The symbol that the address lies in; empty if it lies before all, or too far behind one. Valid
 * until the next call. */
struct orma_str orma_kallsyms_find(struct orma_kallsyms *self, uint64_t address);
size_t orma_kallsyms_num(const struct orma_kallsyms *self);
size_t orma_kallsyms_bytes(const struct orma_kallsyms *self);
#endif
