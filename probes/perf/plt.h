/*
 * The stubs through which a program calls functions of others (.plt, .plt.got, .plt.sec). They have
 * no symbols. Each jumps to where a slot says, and a relocation says whose address is put into it:
 *
 *   stub ─► slot ─► relocation ─► symbol: "name@plt"
 *
 * Files of 64 bits in our byte order, x86-64 and aarch64. Bytes are hostile. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_PLT_H
#define ORMA_PROBES_PERF_PLT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

struct orma_perf_plt {
    struct orma_buf stubs; /* by start */
    struct orma_buf names; /* each ended by 0 */
};

/* What the file's symbols say. */
struct orma_perf_plt_names {
    struct orma_str (*name_of)(void *ctx, uint64_t address); /* empty: nothing */
    void *ctx;
};

/* Of the bytes of a file. Stubs that cannot be read have no names. */
void orma_perf_plt_read(struct orma_perf_plt *self, const uint8_t *elf, size_t len,
                        const struct orma_perf_plt_names *known);
void orma_perf_plt_fini(struct orma_perf_plt *self);

/* The stub at an address, as the file counts them: where its name is; 0: none. */
uint32_t orma_perf_plt_find(const struct orma_perf_plt *self, uint64_t address);
struct orma_str orma_perf_plt_name(const struct orma_perf_plt *self, uint32_t name);
#endif
