/*
 * Rule: how the caller's registers follow from those of a function that stopped
 * at one address. What the instructions of .eh_frame come down to there.
 *
 * Format: DWARF 4, 6.4; System V ABI for x86-64, 3.7, and DWARF for the Arm 64-bit
 * Architecture, 4.1 (numbers of registers). Threads: none.
 */
#ifndef ORMA_UNWIND_RULE_H
#define ORMA_UNWIND_RULE_H
#include <stdbool.h>
#include <stdint.h>

#define ORMA_UNWIND_BIT(reg) (UINT64_C(1) << (reg))

#if defined(__aarch64__)
#define ORMA_UNWIND_MACHINE 183 /* EM_AARCH64 */
#define ORMA_UNWIND_REGS 33     /* x0 ... x30, sp, and the pc, which has no number there */
#define ORMA_UNWIND_FP 29
#define ORMA_UNWIND_SP 31
#define ORMA_UNWIND_PC 32
#define ORMA_UNWIND_KEPT                                                                           \
    UINT64_C(0x3ff80000) /* x19 ... x29: what a function gives back as it was */
/* Signed return addresses have the signature above. */
#define ORMA_UNWIND_CODE_MASK UINT64_C(0x0000ffffffffffff)
#define ORMA_UNWIND_SYSCALL_BYTES 4 /* svc */
#define ORMA_UNWIND_LEAF_FRAMES                                                                    \
    0 /* a leaf may have no frame: its caller's stack pointer is its own */
#else
#define ORMA_UNWIND_MACHINE 62 /* EM_X86_64 */
#define ORMA_UNWIND_REGS 17    /* rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15, return address */
#define ORMA_UNWIND_FP 6
#define ORMA_UNWIND_SP 7
#define ORMA_UNWIND_PC 16
#define ORMA_UNWIND_KEPT UINT64_C(0xf048) /* rbx, rbp, r12 ... r15 */
#define ORMA_UNWIND_CODE_MASK UINT64_MAX
#define ORMA_UNWIND_SYSCALL_BYTES 2 /* syscall */
#define ORMA_UNWIND_LEAF_FRAMES 1   /* a call puts the return address there */
#endif

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
