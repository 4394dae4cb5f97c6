/*
 * What a program or library on disk contains about its code: build id, where
 * its segments are meant to be, names of functions.
 *
 * Files are read by libelf; nothing in them is trusted. Built without libelf,
 * every file is unknown. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_SYMTAB_H
#define ORMA_PROBES_PERF_SYMTAB_H
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/str.h"

#define ORMA_PERF_BUILD_ID_MAX 64

struct orma_perf_symbol {
    uint32_t size, name; /* size 0: not known; name: offset in `names` */
};

struct orma_perf_symtab {
    uint8_t build_id[ORMA_PERF_BUILD_ID_MAX];
    size_t build_id_len; /* 0: none */
    uint64_t load_bias;  /* address minus file offset of the first executable segment */
    struct orma_perf_symbol *symbols; /* as the file has them */
    uint64_t *order;                  /* starts, and numbers of symbols: sorted */
    size_t symbols_num;
    struct orma_mapped *map;
    const char *names; /* the file's: it may change, and become zeroes (sdk/base/mapped.h) */
    size_t names_len;
};

/* Reads from `fd` (the caller's). 0, -ENOEXEC: not such a file, -ENOSYS: no libelf, -ENOMEM. */
int orma_perf_symtab_read(struct orma_perf_symtab *self, int fd);
void orma_perf_symtab_fini(struct orma_perf_symtab *self);

/* The function that covers an address as the file counts them; empty if none does. */
struct orma_str orma_perf_symtab_find(const struct orma_perf_symtab *self, uint64_t address);
#endif
