/*
 * One step: the rule of the pc gives the CFA (the stack pointer of the caller) and where the
 * caller's registers are. Two things that rules do not say:
 *
 *   After `pop rbp` the rule goes on to say "in memory, below": the place is below the stack
 *   pointer, so the register has its value back already, and keeps it.
 *
 *   A return address follows the call, and may belong to the next function already; so callers
 *   are looked up one byte before, but not what a signal interrupted.
 */
#include "probes/unwind/unwind.h"

#include "probes/unwind/expr.h"
#include "probes/unwind/scan.h"
#include "sdk/base/defs.h"

#define GUESS_BYTES 8192u
#define GUESS_FRAMES 4u

#define BIT(reg) ORMA_UNWIND_BIT(reg)

static bool evaluate(const struct orma_unwind_value *v, const struct orma_unwind_section *eh,
                     const struct orma_unwind_state *state, const uint64_t *cfa, uint64_t *ret)
{
    if (v->kind == ORMA_UNWIND_REGISTER) {
        *ret = state->regs[v->from] + (uint64_t)v->offset;
        return state->known & BIT(v->from);
    }
    return (uint64_t)v->offset <= eh->len && v->len <= eh->len - (uint64_t)v->offset &&
           orma_unwind_expr(eh->data + v->offset, v->len, state, cfa, ret);
}

/* The caller's value of a register. `next` begins as a copy. False: it is not known. */
static bool recover(const struct orma_unwind_value *v, const struct orma_unwind_section *eh,
                    const struct orma_unwind_state *state, uint64_t cfa,
                    struct orma_unwind_state *next)
{
    uint64_t val, address = cfa + (uint64_t)v->offset;

    switch ((enum orma_unwind_kind)v->kind) {
    case ORMA_UNWIND_SAME:
        return state->known & BIT(v->reg);
    case ORMA_UNWIND_UNDEFINED:
        return false;
    case ORMA_UNWIND_AT_CFA:
        if (address < state->regs[ORMA_UNWIND_SP] && v->reg != ORMA_UNWIND_PC)
            return state->known & BIT(v->reg); /* popped */
        if (!orma_unwind_load(state, address, &val))
            return false;
        break;
    case ORMA_UNWIND_CFA_PLUS:
        val = address;
        break;
    case ORMA_UNWIND_AT_EXPRESSION:
        if (!evaluate(v, eh, state, &cfa, &address) || !orma_unwind_load(state, address, &val))
            return false;
        break;
    case ORMA_UNWIND_REGISTER:
    case ORMA_UNWIND_EXPRESSION:
        if (!evaluate(v, eh, state, &cfa, &val))
            return false;
        break;
    default:
        return false;
    }
    next->regs[v->reg] = val;
    next->known |= BIT(v->reg);
    return true;
}

/* The return address was taken off the stack, as vfork() does, which parent and child share. */
static bool keeps_pc_in_register(const struct orma_unwind_rule *rule)
{
    for (unsigned i = 0; i < rule->saved_num; i++) {
        if (rule->saved[i].reg == ORMA_UNWIND_PC)
            return rule->saved[i].kind == ORMA_UNWIND_REGISTER;
    }
    return false;
}

/* 1: the caller is in `state`; else how it ends, negated. */
static int step_by_rule(const struct orma_unwind_rule *rule, const struct orma_unwind_section *eh,
                        struct orma_unwind_state *state)
{
    struct orma_unwind_state next = *state;
    uint64_t sp = state->regs[ORMA_UNWIND_SP], cfa;
    bool has_pc = false;

    if (!evaluate(&rule->cfa, eh, state, NULL, &cfa))
        return -ORMA_UNWIND_CUT;
    if (cfa < sp + ORMA_UNWIND_LEAF_FRAMES && !rule->signal &&
        (cfa < sp || !keeps_pc_in_register(rule)))
        return -ORMA_UNWIND_STUCK;
    next.known &= rule->signal ? UINT64_MAX : ORMA_UNWIND_KEPT;
    next.regs[ORMA_UNWIND_SP] = cfa;
    next.known |= BIT(ORMA_UNWIND_SP);
    for (unsigned i = 0; i < rule->saved_num; i++) {
        const struct orma_unwind_value *v = &rule->saved[i];
        bool known = recover(v, eh, state, cfa, &next);

        if (!known)
            next.known &= ~BIT(v->reg);
        if (v->reg != ORMA_UNWIND_PC)
            continue;
        if (v->kind == ORMA_UNWIND_UNDEFINED)
            return -ORMA_UNWIND_COMPLETE;
        has_pc = known;
    }
    if (!has_pc)
        return -ORMA_UNWIND_CUT;
    next.regs[ORMA_UNWIND_PC] &= ORMA_UNWIND_CODE_MASK;
    *state = next;
    return 1;
}

static bool is_code(const struct orma_unwind *self, uint64_t pc)
{
    struct orma_unwind_code code;

    return pc && self->find(self->ctx, pc - 1, &code);
}

/* Code without rules: [rbp] and [rbp + 8], if that makes sense. */
static ORMA_COLD int step_by_frame_pointer(struct orma_unwind *self,
                                           struct orma_unwind_state *state)
{
    uint64_t rbp = state->regs[ORMA_UNWIND_FP], sp = state->regs[ORMA_UNWIND_SP], up, pc;

    if (!(state->known & BIT(ORMA_UNWIND_FP)) || rbp < sp || rbp % 8 ||
        !orma_unwind_load(state, rbp, &up) || !orma_unwind_load(state, rbp + 8, &pc) ||
        (up && up <= rbp) || !is_code(self, pc))
        return -ORMA_UNWIND_NO_RULE;
    state->known = BIT(ORMA_UNWIND_FP) | BIT(ORMA_UNWIND_SP) | BIT(ORMA_UNWIND_PC);
    state->regs[ORMA_UNWIND_FP] = up;
    state->regs[ORMA_UNWIND_SP] = rbp + 16;
    state->regs[ORMA_UNWIND_PC] = pc & ORMA_UNWIND_CODE_MASK;
    self->guessed++;
    return 1;
}

/* Code of a file without rules. */
static ORMA_COLD int step_by_scan(struct orma_unwind *self, const struct orma_unwind_code *code,
                                  bool leaf, struct orma_unwind_state *state)
{
    const uint64_t pc = state->regs[ORMA_UNWIND_PC] - !leaf;
    struct orma_unwind_code back = {code->file, code->address + 1};
    uint64_t at, to;

    if (!leaf && orma_unwind_scan_is_last(&back))
        return -ORMA_UNWIND_COMPLETE;
    if (!orma_unwind_scan(self, code, pc, state, &at) || !orma_unwind_load(state, at, &to))
        return -ORMA_UNWIND_NO_RULE;
    state->known = BIT(ORMA_UNWIND_SP) | BIT(ORMA_UNWIND_PC);
    state->regs[ORMA_UNWIND_SP] = at + 8;
    state->regs[ORMA_UNWIND_PC] = to;
    self->guessed++;
    return 1;
}

static bool needs_frame_pointer(const struct orma_unwind_rule *rule,
                                const struct orma_unwind_state *state)
{
    return rule->cfa.kind == ORMA_UNWIND_REGISTER && rule->cfa.from == ORMA_UNWIND_FP &&
           !(state->known & BIT(ORMA_UNWIND_FP));
}

/* Do the rules lead on from here, to the beginning of the thread or some frames at least? */
static ORMA_COLD bool leads_on(struct orma_unwind *self, const struct orma_unwind_state *from)
{
    struct orma_unwind_state state = *from;

    for (unsigned i = 0; i < GUESS_FRAMES; i++) {
        struct orma_unwind_code code;
        const struct orma_unwind_rule *rule;

        if (!self->find(self->ctx, state.regs[ORMA_UNWIND_PC] - 1, &code) || !code.file)
            return false;
        rule = orma_unwind_file_rule(code.file, code.address);
        if (!rule)
            return orma_unwind_file_is_entry(code.file, code.address);
        int r = step_by_rule(rule, orma_unwind_file_section(code.file), &state);
        if (r <= 0)
            return r == -ORMA_UNWIND_COMPLETE;
    }
    return true;
}

/*
 * Where the frame of this function ends: the first place of the stack that, taken for its frame
 * pointer, leads on by the rules. It may be what an earlier call has left there: a guess.
 */
static ORMA_COLD int step_by_search(struct orma_unwind *self,
                                    const struct orma_unwind_rule *rule_there,
                                    const struct orma_unwind_section *eh,
                                    struct orma_unwind_state *state)
{
    const struct orma_unwind_rule rule = *rule_there; /* others are looked up meanwhile */
    uint64_t sp = state->regs[ORMA_UNWIND_SP];

    for (uint64_t at = (sp + 15) & ~UINT64_C(15); at - sp < GUESS_BYTES; at += 16) {
        struct orma_unwind_state next = *state;

        next.regs[ORMA_UNWIND_FP] = at;
        next.known |= BIT(ORMA_UNWIND_FP);
        if (step_by_rule(&rule, eh, &next) <= 0 || !leads_on(self, &next))
            continue;
        *state = next;
        self->guessed++;
        return 1;
    }
    return -ORMA_UNWIND_CUT;
}

/*
 * The rules of clone() end before its system call, as they are wrong for the new thread; the old
 * one is found behind it. What held before still holds for it: believed if that leads to code.
 */
static ORMA_COLD int step_behind_rules(struct orma_unwind *self,
                                       const struct orma_unwind_code *code,
                                       struct orma_unwind_state *state)
{
    const struct orma_unwind_rule *rule =
        code->file
            ? orma_unwind_file_rule(code->file, code->address - ORMA_UNWIND_SYSCALL_BYTES - 1)
            : NULL;
    struct orma_unwind_state next = *state;

    if (!rule || step_by_rule(rule, orma_unwind_file_section(code->file), &next) <= 0 ||
        !is_code(self, next.regs[ORMA_UNWIND_PC]))
        return -ORMA_UNWIND_NO_RULE;
    *state = next;
    return 1;
}

/*
 * Nobody calls there: makecontext() and the kernel put the beginning of a function on the stack, as
 * what its caller returns to. It is the first of its stack, and the frame is of that function.
 */
static ORMA_COLD bool is_put_there(const struct orma_unwind_code *code)
{
    uint64_t start;

    return code->file && orma_unwind_file_start(code->file, code->address + 1, &start) &&
           start == code->address + 1;
}

/* *called: this frame has called somebody; in turn, whether the next one has. */
static int step_by_code(struct orma_unwind *self, const struct orma_unwind_code *code,
                        struct orma_unwind_state *state, bool *called)
{
    const struct orma_unwind_rule *rule = NULL;
    const struct orma_unwind_section *eh;

    bool leaf = !*called;
    *called = true;
    if (code->file)
        rule = orma_unwind_file_rule(code->file, code->address);
    if (!rule && code->file && orma_unwind_file_is_entry(code->file, code->address))
        return -ORMA_UNWIND_COMPLETE;
    if (!rule && leaf && step_behind_rules(self, code, state) > 0)
        return 1;
    if (!rule && !leaf && is_put_there(code)) {
        self->frames[self->frames_num - 1]++;
        return -ORMA_UNWIND_COMPLETE;
    }
    if (!rule) {
        int r = step_by_scan(self, code, leaf, state);

        return r != -ORMA_UNWIND_NO_RULE ? r : step_by_frame_pointer(self, state);
    }
    if (rule->signal && !leaf) /* what the handler returns to was put there, too */
        self->frames[self->frames_num - 1]++;
    *called = !rule->signal;
    eh = orma_unwind_file_section(code->file);
    return needs_frame_pointer(rule, state) ? step_by_search(self, rule, eh, state)
                                            : step_by_rule(rule, eh, state);
}

static uint64_t stir(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* What a called function gave back; the leaf and what a signal interrupted have more. */
static struct orma_unwind_mark mark_of(const struct orma_unwind_state *state, bool called)
{
    uint64_t left = state->known & (called ? ORMA_UNWIND_KEPT : UINT64_MAX);
    uint64_t hash = stir(state->regs[ORMA_UNWIND_PC], state->known << 1 | called);

    for (; left; left &= left - 1)
        hash = stir(hash, state->regs[__builtin_ctzll(left)]);
    return (struct orma_unwind_mark){state->regs[ORMA_UNWIND_SP], hash};
}

/* Both go from the leaf upwards: `joined` goes along. */
static bool is_joined(struct orma_unwind_past *past, const struct orma_unwind_mark *mark)
{
    const struct orma_unwind_mark *marks = past->marks;

    if (mark->sp < past->from || mark->sp > past->until)
        return false;
    while (past->joined < past->num &&
           (marks[past->joined].sp < mark->sp ||
            (marks[past->joined].sp == mark->sp && marks[past->joined].print != mark->print)))
        past->joined++;
    return past->joined < past->num && marks[past->joined].sp == mark->sp;
}

enum orma_unwind_end orma_unwind_run(struct orma_unwind *self, struct orma_unwind_state *state)
{
    bool called = false; /* by this frame: its pc is a return address */

    self->frames_num = self->guessed = self->looked = 0;
    if (self->past)
        self->past->joined = 0;
    for (;;) {
        uint64_t pc = state->regs[ORMA_UNWIND_PC] - called;
        struct orma_unwind_code code;
        int r;

        if (called && pc == UINT64_MAX)
            return ORMA_UNWIND_COMPLETE; /* a return address of 0 */
        if (self->frames_num == self->frames_max)
            return ORMA_UNWIND_TOO_DEEP;
        if (self->marks) {
            struct orma_unwind_mark *mark = &self->marks[self->frames_num];

            *mark = mark_of(state, called);
            if (self->past && is_joined(self->past, mark))
                return ORMA_UNWIND_JOINED;
        }
        bool found = self->find(self->ctx, pc, &code);
        if (!found && called)
            return ORMA_UNWIND_NO_CODE;
        if (self->met)
            self->met(self->ctx, self->frames_num, pc, state);
        self->frames[self->frames_num++] = pc;
        if (!found)
            return ORMA_UNWIND_NO_CODE;
        r = step_by_code(self, &code, state, &called);
        if (r <= 0)
            return (enum orma_unwind_end) - r;
    }
}

/* Where the frame pointer leads to the same place, it leaves nobody out. */
static bool is_by_frame_pointer(const struct orma_unwind_rule *rule,
                                const struct orma_unwind_state *state, uint64_t cfa)
{
    for (unsigned i = 0; i < rule->saved_num; i++) {
        const struct orma_unwind_value *v = &rule->saved[i];

        if (v->reg == ORMA_UNWIND_PC)
            return v->kind == ORMA_UNWIND_AT_CFA && state->known & BIT(ORMA_UNWIND_FP) &&
                   cfa + (uint64_t)v->offset == state->regs[ORMA_UNWIND_FP] + 8;
    }
    return false;
}

bool orma_unwind_leaf_caller(const struct orma_unwind *self, const struct orma_unwind_state *state,
                             uint64_t *ret)
{
    struct orma_unwind_state next = *state;
    const struct orma_unwind_rule *rule;
    struct orma_unwind_code code;

    if (!self->find(self->ctx, state->regs[ORMA_UNWIND_PC], &code) || !code.file)
        return false;
    rule = orma_unwind_file_rule(code.file, code.address);
    if (!rule || rule->signal || rule->cfa.kind != ORMA_UNWIND_REGISTER ||
        rule->cfa.from != ORMA_UNWIND_SP ||
        step_by_rule(rule, orma_unwind_file_section(code.file), &next) <= 0 ||
        is_by_frame_pointer(rule, state, next.regs[ORMA_UNWIND_SP]) ||
        !is_code(self, next.regs[ORMA_UNWIND_PC]))
        return false;
    *ret = next.regs[ORMA_UNWIND_PC];
    return true;
}
