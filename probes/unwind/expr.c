/*
 * A stack machine. Only literals, registers and the copied stack feed it; an operation that
 * is none of these ends it without a result.
 */
#include "probes/unwind/expr.h"

#include <string.h>

#include "sdk/base/defs.h"

#define DEPTH_MAX 32u
#define STEPS_MAX 1024u

enum {
    OP_ADDR = 0x03, /* not used: an address needs the file's place */
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST8S = 0x0f,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_OVER = 0x14,
    OP_PICK = 0x15,
    OP_SWAP = 0x16,
    OP_ROT = 0x17,
    OP_ABS = 0x19,
    OP_AND = 0x1a,
    OP_DIV = 0x1b,
    OP_MINUS = 0x1c,
    OP_MOD = 0x1d,
    OP_MUL = 0x1e,
    OP_NEG = 0x1f,
    OP_NOT = 0x20,
    OP_OR = 0x21,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_SHR = 0x25,
    OP_SHRA = 0x26,
    OP_XOR = 0x27,
    OP_BRA = 0x28,
    OP_EQ = 0x29,
    OP_GE = 0x2a,
    OP_GT = 0x2b,
    OP_LE = 0x2c,
    OP_LT = 0x2d,
    OP_NE = 0x2e,
    OP_SKIP = 0x2f,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
    OP_DEREF_SIZE = 0x94,
    OP_NOP = 0x96,
};

struct vm {
    const uint8_t *program;
    size_t at, len;
    const struct orma_unwind_state *state;
    uint64_t stack[DEPTH_MAX];
    unsigned depth;
    bool failed;
};

static void push(struct vm *vm, uint64_t val)
{
    if (vm->depth == DEPTH_MAX)
        vm->failed = true;
    else
        vm->stack[vm->depth++] = val;
}

static uint64_t pop(struct vm *vm)
{
    if (!vm->depth) {
        vm->failed = true;
        return 0;
    }
    return vm->stack[--vm->depth];
}

/* 0 is the top. */
static uint64_t peek(struct vm *vm, uint64_t below)
{
    if (below >= vm->depth) {
        vm->failed = true;
        return 0;
    }
    return vm->stack[vm->depth - 1 - below];
}

static uint64_t number(struct vm *vm, unsigned size)
{
    uint64_t ret = 0;

    if (size > vm->len - vm->at) {
        vm->failed = true;
        return 0;
    }
    memcpy(&ret, vm->program + vm->at, size);
    vm->at += size;
    return ret;
}

static uint64_t sign_extended(uint64_t val, unsigned size)
{
    unsigned shift = 64 - size * 8;

    return (uint64_t)((int64_t)(val << shift) >> shift);
}

static uint64_t leb(struct vm *vm, bool is_signed)
{
    uint64_t ret = 0;

    for (unsigned shift = 0; shift < 64 && !vm->failed; shift += 7) {
        uint64_t byte = number(vm, 1);

        ret |= (byte & 0x7f) << shift;
        if (byte >= 0x80)
            continue;
        return is_signed && shift < 57 && byte & 0x40 ? ret | ~UINT64_C(0) << (shift + 7) : ret;
    }
    vm->failed = true;
    return 0;
}

static void push_register(struct vm *vm, uint64_t reg)
{
    uint64_t offset = leb(vm, true);

    if (reg >= ORMA_UNWIND_REGS || !(vm->state->known & ORMA_UNWIND_BIT(reg)))
        vm->failed = true;
    else
        push(vm, vm->state->regs[reg] + offset);
}

static void load(struct vm *vm, unsigned size)
{
    uint64_t val = 0;

    if (size > 8 || !orma_unwind_load(vm->state, pop(vm), &val))
        vm->failed = true;
    push(vm, size < 8 && size ? val & ((UINT64_C(1) << size * 8) - 1) : val);
}

static void jump(struct vm *vm)
{
    int64_t distance = (int16_t)number(vm, 2);
    int64_t to = (int64_t)vm->at + distance;

    if (to < 0 || (uint64_t)to > vm->len)
        vm->failed = true;
    else
        vm->at = (size_t)to;
}

static uint64_t divide(struct vm *vm, uint64_t a, uint64_t b, bool modulo)
{
    if (!b || (b == UINT64_MAX && !modulo)) { /* -1: a negation, and it may overflow */
        vm->failed |= !b;
        return 0 - a;
    }
    return modulo ? a % b : (uint64_t)((int64_t)a / (int64_t)b);
}

/* Two operands, `b` on top. */
static uint64_t binary(struct vm *vm, uint8_t op, uint64_t a, uint64_t b)
{
    switch (op) {
    case OP_AND:
        return a & b;
    case OP_DIV:
        return divide(vm, a, b, false);
    case OP_MINUS:
        return a - b;
    case OP_MOD:
        return divide(vm, a, b, true);
    case OP_MUL:
        return a * b;
    case OP_OR:
        return a | b;
    case OP_PLUS:
        return a + b;
    case OP_SHL:
        return b < 64 ? a << b : 0;
    case OP_SHR:
        return b < 64 ? a >> b : 0;
    case OP_SHRA:
        return (uint64_t)((int64_t)a >> ORMA_MIN(b, UINT64_C(63)));
    case OP_XOR:
        return a ^ b;
    case OP_EQ:
        return a == b;
    case OP_GE:
        return (int64_t)a >= (int64_t)b;
    case OP_GT:
        return (int64_t)a > (int64_t)b;
    case OP_LE:
        return (int64_t)a <= (int64_t)b;
    case OP_LT:
        return (int64_t)a < (int64_t)b;
    case OP_NE:
        return a != b;
    default:
        vm->failed = true;
        return 0;
    }
}

static void rotate(struct vm *vm)
{
    uint64_t a = pop(vm), b = pop(vm), c = pop(vm);

    push(vm, a);
    push(vm, c);
    push(vm, b);
}

static void one_operand(struct vm *vm, uint8_t op)
{
    uint64_t a = pop(vm);

    switch (op) {
    case OP_ABS:
        push(vm, (int64_t)a < 0 ? 0 - a : a);
        break;
    case OP_NEG:
        push(vm, 0 - a);
        break;
    case OP_NOT:
        push(vm, ~a);
        break;
    case OP_PLUS_UCONST:
        push(vm, a + leb(vm, false));
        break;
    case OP_BRA:
        if (a)
            jump(vm);
        else
            (void)number(vm, 2);
        break;
    default: /* OP_DROP */
        break;
    }
}

static void step(struct vm *vm)
{
    uint8_t op = (uint8_t)number(vm, 1);

    if (op >= OP_LIT0 && op <= OP_LIT31) {
        push(vm, op - OP_LIT0);
        return;
    }
    if (op >= OP_BREG0 && op <= OP_BREG31) {
        push_register(vm, op - OP_BREG0);
        return;
    }
    if (op >= OP_CONST1U && op <= OP_CONST8S) {
        unsigned size = 1u << (op - OP_CONST1U) / 2;
        uint64_t val = number(vm, size);

        push(vm, op & 1 ? sign_extended(val, size) : val);
        return;
    }
    switch (op) {
    case OP_NOP:
        break;
    case OP_CONSTU:
    case OP_CONSTS:
        push(vm, leb(vm, op == OP_CONSTS));
        break;
    case OP_BREGX:
        push_register(vm, leb(vm, false));
        break;
    case OP_DEREF:
        load(vm, 8);
        break;
    case OP_DEREF_SIZE:
        load(vm, (unsigned)number(vm, 1));
        break;
    case OP_DUP:
    case OP_OVER:
        push(vm, peek(vm, op == OP_OVER));
        break;
    case OP_PICK:
        push(vm, peek(vm, number(vm, 1)));
        break;
    case OP_SWAP: {
        uint64_t a = pop(vm), b = pop(vm);

        push(vm, a);
        push(vm, b);
        break;
    }
    case OP_ROT:
        rotate(vm);
        break;
    case OP_SKIP:
        jump(vm);
        break;
    case OP_DROP:
    case OP_ABS:
    case OP_NEG:
    case OP_NOT:
    case OP_PLUS_UCONST:
    case OP_BRA:
        one_operand(vm, op);
        break;
    default: {
        uint64_t b = pop(vm), a = pop(vm);

        push(vm, binary(vm, op, a, b));
        break;
    }
    }
}

bool orma_unwind_expr(const uint8_t *program, size_t len, const struct orma_unwind_state *state,
                      const uint64_t *first, uint64_t *ret)
{
    struct vm vm = {.program = program, .len = len, .state = state};

    if (first)
        push(&vm, *first);
    for (unsigned steps = 0; vm.at < vm.len && !vm.failed; steps++) {
        if (steps == STEPS_MAX)
            return false;
        step(&vm);
    }
    *ret = pop(&vm);
    return !vm.failed;
}
