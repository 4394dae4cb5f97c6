/*
 * Rule: how the caller's registers follow from those of a function that stopped
 * at one address. What the instructions of .eh_frame come down to there.
 *
 * Format: DWARF 4, 6.4; System V ABI for x86-64, 3.7 (numbers of registers).
 * Threads: none.
 */
#ifndef ORMA_UNWIND_RULE_H
#define ORMA_UNWIND_RULE_H
#include <stdbool.h>
#include <stdint.h>

#define ORMA_UNWIND_REGS 17 /* rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15, return address */
#define ORMA_UNWIND_RBX 3
#define ORMA_UNWIND_RBP 6
#define ORMA_UNWIND_RSP 7
#define ORMA_UNWIND_PC 16

enum orma_unwind_kind {
    ORMA_UNWIND_SAME = 0,      /* as it is; what no rule names */
    ORMA_UNWIND_UNDEFINED,     /* lost; of the return address: there is no caller */
    ORMA_UNWIND_AT_CFA,        /* in memory, at CFA + offset */
    ORMA_UNWIND_CFA_PLUS,      /* CFA + offset itself */
    ORMA_UNWIND_REGISTER,      /* in another register, + offset */
    ORMA_UNWIND_AT_EXPRESSION, /* in memory, at what a DWARF expression gives */
    ORMA_UNWIND_EXPRESSION,    /* what it gives itself */
};

/* `offset` of an expression: where it begins in the section of the file. */
struct orma_unwind_value {
    uint8_t reg; /* which one it is about; of REGISTER in a CFA: the base */
    uint8_t kind;
    uint8_t from; /* REGISTER */
    uint8_t unused;
    uint32_t len; /* of an expression */
    int64_t offset;
};

struct orma_unwind_rule {
    struct orma_unwind_value cfa; /* REGISTER or EXPRESSION */
    bool signal;                  /* the frame was interrupted, it did not call */
    uint8_t saved_num;
    struct orma_unwind_value saved[ORMA_UNWIND_REGS];
};
#endif
