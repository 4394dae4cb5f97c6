/*
 * Elf: places in programs and libraries where the kernel can set probes:
 * functions by name, and static probe points (USDT, as <sys/sdt.h> makes them).
 *
 * All offsets are those of the file, as uprobe_events wants them. Files are
 * hostile: every offset is checked. Only 64-bit files in our byte order are read. Threads: none.
 */
#ifndef ORMA_PROBES_FTRACE_ELF_H
#define ORMA_PROBES_FTRACE_ELF_H
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

#define ORMA_FTRACE_ELF_SITES_MAX 64

struct orma_ftrace_elf;

/* One place of a static probe point. */
struct orma_ftrace_usdt_site {
    uint64_t offset;
    uint64_t counter_offset; /* the program looks there whether anybody listens; 0: it does not */
    struct orma_str args;    /* "-4@%edi 8@%rsi"; lives as long as the elf */
};

/* -errno of the file; -ENOEXEC: not such a file, or a damaged one. */
int orma_ftrace_elf_open(const char *path, struct orma_ftrace_elf **ret);
void orma_ftrace_elf_free(struct orma_ftrace_elf *self);
ORMA_DEFINE_AUTO(struct orma_ftrace_elf *, orma_ftrace_elf_free)

/* -ENOENT: no such function in the file's symbol tables. */
int orma_ftrace_elf_find_function(struct orma_ftrace_elf *self, const char *name,
                                  uint64_t *ret_offset);

/* Number of sites, at most `max`; 0: none. -errno. */
int orma_ftrace_elf_find_usdt(struct orma_ftrace_elf *self, const char *provider, const char *name,
                              struct orma_ftrace_usdt_site *ret, unsigned max);

/*
 * Arguments of a site in the language of uprobe_events: " arg1=%di:s32 ...",
 * appended to `out`. `machine` is that of uname(2). Those that it cannot
 * say (floating point, two registers) are left out; returns how many.
 */
unsigned orma_ftrace_usdt_put_args(struct orma_buf *out, struct orma_str args, const char *machine);
#endif
