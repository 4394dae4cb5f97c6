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

/* The rule at `pc` by the FDE at `fde` (an offset in `eh`). False: none, or nonsense. */
bool orma_unwind_cfi_rule(const struct orma_unwind_section *eh, uint64_t fde, uint64_t pc,
                          struct orma_unwind_rule *ret);

/* Where the function that it is about begins, if `pc` is in it. */
bool orma_unwind_cfi_start(const struct orma_unwind_section *eh, uint64_t fde, uint64_t pc,
                           uint64_t *ret);

/* The table of an .eh_frame_hdr: which FDE may cover `pc`. False: there is no usable table. */
bool orma_unwind_cfi_lookup(const struct orma_unwind_section *hdr,
                            const struct orma_unwind_section *eh, uint64_t pc, uint64_t *ret_fde);

/* Where .eh_frame begins, as the header says. False: it is no such header. */
bool orma_unwind_cfi_header(const struct orma_unwind_section *hdr, uint64_t *ret_address,
                            bool *ret_table);

/* Of a section without a header: all FDEs, by address. `ret` gets struct orma_unwind_cfi_entry. */
struct orma_unwind_cfi_entry {
    uint64_t start, fde;
};
void orma_unwind_cfi_index(const struct orma_unwind_section *eh, struct orma_buf *ret);
#endif
