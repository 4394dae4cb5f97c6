#include "probes/python/match.h"

#include <string.h>

#include "sdk/base/defs.h"

#define UNIT 2u

struct match {
    const struct orma_python_memory *memory;
    const struct orma_python_layout *layout;
    uint64_t code_type;
    const struct orma_python_stack *stack;
    struct orma_python_sample *sample;
};

static bool load(const struct orma_python_sample *sample, uint64_t address, uint64_t *ret)
{
    const uint64_t offset = address - sample->stack_address;

    if (sample->stack_len < sizeof(*ret) || offset > sample->stack_len - sizeof(*ret))
        return false;
    memcpy(ret, sample->stack + offset, sizeof(*ret));
    return true;
}

static bool is_in_frame(const struct orma_python_eval *eval, uint64_t address)
{
    return address >= eval->sp && address < eval->cfa;
}

static bool is_in_code(const struct orma_python_code *code, uint64_t address)
{
    return address >= code->begin && address - code->begin < code->len;
}

/* Does a register hold it, or a word of the C frame? */
static bool holds(const struct orma_python_sample *sample, const struct orma_python_eval *eval,
                  uint64_t value)
{
    uint64_t word;

    for (unsigned i = 0; i < eval->regs_num; i++) {
        if (eval->regs[i] == value)
            return true;
    }
    for (uint64_t at = eval->sp; at < eval->cfa && load(sample, at, &word); at += sizeof(word)) {
        if (word == value)
            return true;
    }
    return false;
}

/*
 * The instruction in a register: the lowest one, as what was worked out from it lies behind; where
 * it begins is also kept for itself. Of a call it is the next one already.
 */
static bool instr_in_registers(const struct orma_python_eval *eval,
                               const struct orma_python_code *code, uint64_t *ret)
{
    uint64_t best = 0;

    for (unsigned i = 0; i < eval->regs_num; i++) {
        const uint64_t val = eval->regs[i];

        if (val % UNIT == 0 && is_in_code(code, val) &&
            (!best || best == code->begin || (val < best && val != code->begin)))
            best = val;
    }
    *ret = eval->leaf || best <= code->begin ? best : best - UNIT;
    return best != 0;
}

/* Anything in the C frame that points into its code. */
static bool frame_knows_code(const struct orma_python_sample *sample,
                             const struct orma_python_eval *eval,
                             const struct orma_python_code *code)
{
    uint64_t word;

    for (uint64_t at = eval->sp; at < eval->cfa && load(sample, at, &word); at += sizeof(word)) {
        if (is_in_code(code, word))
            return true;
    }
    return false;
}

/* The code object of a frame, if it is still the one that was there when the stack was read. */
static bool read_code(const struct match *self, const struct orma_python_frame *frame,
                      struct orma_python_code *ret)
{
    return orma_python_code_read(self->memory, self->layout, self->code_type, frame->code, ret) &&
           orma_python_code_print(ret) == frame->print;
}

static bool code_agrees(const struct match *self, struct orma_python_eval *eval, uint32_t frame)
{
    const struct orma_python_frame *f = &self->stack->frames[frame];
    struct orma_python_code code;

    if (!read_code(self, f, &code))
        return false;
    eval->instr = f->instr;
    if (instr_in_registers(eval, &code, &eval->instr))
        return true;
    eval->instr = f->instr;
    return frame_knows_code(self->sample, eval, &code);
}

/* A frame that is about to begin is before its first instruction. */
static bool is_function(const struct match *self, const struct orma_python_frame *frame)
{
    struct orma_python_code code;

    return read_code(self, frame, &code) &&
           (is_in_code(&code, frame->instr) || is_in_code(&code, frame->instr + UNIT));
}

static uint32_t run_begin(const struct orma_python_stack *stack, uint32_t run)
{
    return run ? stack->runs[run - 1].end : 0;
}

/* The frame at that address, among those of a run. */
static bool find_frame(const struct orma_python_stack *stack, uint32_t run, uint64_t at,
                       uint32_t *ret)
{
    for (uint32_t i = run_begin(stack, run); i < stack->runs[run].end; i++) {
        if (stack->frames[i].at == at) {
            *ret = i;
            return true;
        }
    }
    return false;
}

/* The run that lies in a C frame, from run `from` on. */
static bool find_run(const struct orma_python_stack *stack, const struct orma_python_eval *eval,
                     uint32_t from, uint32_t *ret)
{
    for (uint32_t i = from; i < stack->runs_num; i++) {
        if (is_in_frame(eval, stack->runs[i].mark)) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool learn_cframe(const struct match *self, uint64_t *cframe)
{
    for (size_t i = 0; i < self->sample->evals_num; i++) {
        const struct orma_python_eval *eval = &self->sample->evals[i];
        uint32_t run;

        if (find_run(self->stack, eval, 0, &run)) {
            *cframe = eval->cfa - self->stack->runs[run].mark;
            return true;
        }
    }
    return false;
}

/* With a _PyCFrame in each C frame: it says which frame is the current one, and who called. */
static bool current_by_cframe(const struct match *self, size_t i, uint64_t cframe, uint32_t run,
                              uint32_t *ret)
{
    const struct orma_python_sample *sample = self->sample;
    const struct orma_python_eval *eval = &sample->evals[i];
    const uint64_t at = eval->cfa - cframe;
    uint64_t frame, previous;

    if (self->stack->runs[run].mark != at || !is_in_frame(eval, at) ||
        !load(sample, at + self->layout->cframe_frame, &frame) ||
        !load(sample, at + self->layout->cframe_previous, &previous))
        return false;
    if (i + 1 < sample->evals_num ? previous != sample->evals[i + 1].cfa - cframe
                                  : sample->whole && previous != self->stack->root)
        return false;
    return find_frame(self->stack, run, frame, ret);
}

/* Without: the entry of the run inside says it; of the innermost, some register, or its C frame. */
static bool current_by_entry(const struct match *self, size_t i, uint32_t run, uint32_t *ret)
{
    const struct orma_python_stack *stack = self->stack;
    struct orma_python_eval *eval = &self->sample->evals[i];
    uint64_t frame;

    if (i)
        return load(self->sample, stack->runs[run - 1].mark + self->layout->frame_previous,
                    &frame) &&
               find_frame(stack, run, frame, ret);
    for (uint32_t f = run_begin(stack, run); f < stack->runs[run].end; f++) {
        if (!holds(self->sample, eval, stack->frames[f].at) || !code_agrees(self, eval, f))
            continue;
        *ret = f;
        return true;
    }
    return false;
}

static bool match(const struct match *self, uint64_t cframe)
{
    struct orma_python_sample *sample = self->sample;
    const struct orma_python_stack *stack = self->stack;
    uint32_t run = 0;

    for (size_t i = 0; i < sample->evals_num; i++) {
        struct orma_python_eval *eval = &sample->evals[i];
        const uint32_t expected = run;

        if (!find_run(stack, eval, expected, &run) || (i && run != expected))
            return false;
        if (!(self->layout->has_cframes ? current_by_cframe(self, i, cframe, run, &eval->first)
                                        : current_by_entry(self, i, run, &eval->first)) ||
            !code_agrees(self, eval, eval->first))
            return false;
        eval->end = stack->runs[run++].end;
        for (uint32_t f = eval->first + 1; f < eval->end; f++) {
            if (!is_function(self, &stack->frames[f]))
                return false;
        }
    }
    return sample->evals_num && (!sample->whole || (run == stack->runs_num && !stack->cut));
}

bool orma_python_match(const struct orma_python_memory *memory,
                       const struct orma_python_layout *layout, uint64_t code_type,
                       const struct orma_python_stack *stack, struct orma_python_sample *sample,
                       uint64_t *cframe)
{
    const struct match self = {memory, layout, code_type, stack, sample};
    uint64_t found = *cframe;

    if ((layout->has_cframes && !found && !learn_cframe(&self, &found)) || !match(&self, found))
        return false;
    *cframe = found; /* a stack that agrees in all proves it */
    return true;
}
