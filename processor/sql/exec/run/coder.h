/*
 * Keys of groups as small numbers: each key is coded with the code of the keys before it,
 *
 *   (code by the keys before, value) ─► code        the last code is the group
 *
 * in order of appearance. Texts and small integers of a first key have a table, all else a hash.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_CODER_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_CODER_H
#include "processor/sql/exec/base/query.h"

#define EXEC_NO_CODE UINT32_MAX

struct orma_exec_code_slot {
    int64_t bits;
    uint32_t before, code; /* the code + 1; 0: free */
    uint8_t tag;
};

/* Zero-initialised, with `plan` set, is empty. */
struct orma_exec_coder {
    struct orma_exec_code_slot *slots;
    uint32_t mask, next;
    uint32_t *direct; /* by value; for a first key */
    uint32_t direct_num, direct_max;
    uint8_t seen; /* types */
    struct orma_exec_plan *plan;
};

void orma_exec_run_coder_fini(struct orma_exec_coder *c);

/* Equal numbers of two types would be one group; so would zeros with and without a sign: false,
 * given up. */
bool orma_exec_run_coder_check(struct orma_exec_coder *c, const struct orma_exec_vec *v,
                               uint32_t num);

/* The code of a value; EXEC_NO_CODE: memory is out. */
uint32_t orma_exec_run_coder_find(struct orma_exec_coder *c, uint32_t before, uint8_t tag,
                                  int64_t bits);

/* The codes of a block. `first`: there is no key before; else `codes` has theirs. */
bool orma_exec_run_coder_block(struct orma_exec_coder *c, bool first, const struct orma_exec_vec *v,
                               uint32_t num, uint32_t *codes);
#endif
