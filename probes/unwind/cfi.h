/*
 * The records of an .eh_frame section: which of them covers an address (CIE,
 * FDE), and what their instructions come down to there (rule.h).
 *
 * Bytes are hostile: each offset is checked, instructions and nesting are
 * bounded. Format: DWARF 4, 6.4; LSB 5.0 core, 10.6 (.eh_frame, .eh_frame_hdr).
 * Threads: none.
 */
#ifndef ORMA_UNWIND_CFI_H
#define ORMA_UNWIND_CFI_H
#include <stddef.h>

#include "probes/unwind/rule.h"
#include "sdk/base/buf.h"

/* Bytes of a file, and the address that the first one is meant for. */
struct orma_unwind_section {
    const uint8_t *data;
    size_t len;
    uint64_t address;
};

/* Where the caller's registers are, at one instruction. */
struct orma_unwind_row {
    struct orma_unwind_value cfa, regs[ORMA_UNWIND_REGS];
    uint64_t named; /* bits: other registers are as they were */
};

/* What functions have in common: a CIE, and the row that they begin with. */
struct orma_unwind_cie {
    bool known;
    bool sized, signal;
    uint8_t pointers; /* encoding of addresses */
    uint64_t at, code_align, return_reg;
    int64_t data_align;
    struct orma_unwind_row begin;
};

/* Those of a section that were read last: it has a few. Begins as zeroes. */
struct orma_unwind_cies {
    struct orma_unwind_cie list[4];
};

/* The rule at `pc` by the FDE at `fde` (an offset in `eh`). False: none, or nonsense. */
bool orma_unwind_cfi_rule(const struct orma_unwind_section *eh, struct orma_unwind_cies *cies,
                          uint64_t fde, uint64_t pc, struct orma_unwind_rule *ret);

/* Where the function that it is about begins, if `pc` is in it. */
bool orma_unwind_cfi_start(const struct orma_unwind_section *eh, struct orma_unwind_cies *cies,
                           uint64_t fde, uint64_t pc, uint64_t *ret);

/* The table of an .eh_frame_hdr: starts and FDEs. It gets an index when that pays. */
struct orma_unwind_table {
    const uint8_t *entries;
    uint32_t num; /* 0: there is no usable table */
    uint32_t asked;
    uint64_t address; /* that distances in it count from */
    uint64_t base;    /* of the index: the first start */
    unsigned shift;
    uint32_t buckets_num;
    uint32_t *first; /* entry of each bucket, and one more: the end; NULL: not made */
};

/* Where .eh_frame begins, and its table. False: it is no such header. */
bool orma_unwind_cfi_header(const struct orma_unwind_section *hdr, uint64_t *ret_address,
                            struct orma_unwind_table *ret);

/* Which FDE may cover `pc`. False: none. */
bool orma_unwind_cfi_lookup(struct orma_unwind_table *t, const struct orma_unwind_section *eh,
                            uint64_t pc, uint64_t *ret_fde);
void orma_unwind_table_fini(struct orma_unwind_table *t);

/* Of a section without a header: all FDEs, by address. `ret` gets struct orma_unwind_cfi_entry. */
struct orma_unwind_cfi_entry {
    uint64_t start, fde;
};
void orma_unwind_cfi_index(const struct orma_unwind_section *eh, struct orma_buf *ret);
#endif
