/*
 * What a program or library on disk contains about its code: build id, where
 * its segments are meant to be, names of functions.
 *
 * Files stay mapped and are read in place; nothing in them is trusted. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_SYMTAB_H
#define ORMA_PROBES_PERF_SYMTAB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/perf/plt.h"
#include "probes/unwind/go.h"
#include "sdk/base/str.h"

#define ORMA_PERF_BUILD_ID_MAX 64

struct orma_perf_symbol {
    uint32_t start;      /* from the base */
    uint32_t size, name; /* size 0: not known; name: offset in `names` */
};

struct orma_perf_symtab {
    uint8_t build_id[ORMA_PERF_BUILD_ID_MAX];
    size_t build_id_len;              /* 0: none */
    uint64_t load_bias;               /* address minus offset of the first executable segment */
    struct orma_perf_symbol *symbols; /* functions, bucket by bucket */
    size_t symbols_num;
    uint32_t *first; /* of each bucket, in `symbols`; one more: the end */
    size_t buckets_num;
    uint64_t base, span; /* addresses of code */
    uint64_t entry;      /* where the program begins; 0: nowhere */
    uint64_t sections;   /* where their heads are in the file */
    unsigned shift;
    bool wide, swapped; /* how the file has its numbers: as 64 bits, in the other byte order */
    struct orma_mapped *map;
    const char *names; /* the file's: it may change, and become zeroes (sdk/base/mapped.h) */
    size_t names_len;
    bool plt_read; /* when the first address was in none of the symbols */
    struct orma_perf_plt plt;
    /* Names of Go functions, which stripping leaves; set by who has read them. NULL: none. */
    const struct orma_unwind_go *go;
};

/* Reads from `fd` (the caller's). 0, -ENOEXEC or -EINVAL: not such a file, or -errno. */
int orma_perf_symtab_read(struct orma_perf_symtab *self, int fd);
void orma_perf_symtab_fini(struct orma_perf_symtab *self);

/* The function that covers an address as the file counts them: where its name is; 0: none does. */
uint64_t orma_perf_symtab_find(struct orma_perf_symtab *self, uint64_t address);

/* Where the function begins that covers it; false: none does. */
bool orma_perf_symtab_start(const struct orma_perf_symtab *self, uint64_t address, uint64_t *ret);

/* The text of a name that was found; may be empty. */
struct orma_str orma_perf_symtab_name(const struct orma_perf_symtab *self, uint64_t name);
#endif
