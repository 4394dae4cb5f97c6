#include "probes/python/stack.h"

#include <string.h>

#include "probes/python/code.h"

#define INTERPRETERS_MAX 64u
#define THREADS_MAX 4096u
#define OWNERS 3 /* a thread, a generator, a frame object; others are no functions */

struct frame {
    uint64_t code, previous, instr;
    uint8_t owner;
    bool is_entry;
};

struct walk {
    const struct orma_python_memory *memory;
    const struct orma_python_layout *layout;
    struct orma_python_stack *stack;
};

static bool is_thread(const struct orma_python_memory *memory,
                      const struct orma_python_layout *layout, uint64_t thread, uint64_t native_id)
{
    uint64_t id;

    return orma_python_u64(memory, thread + layout->thread_native_id, &id) && id == native_id;
}

static bool find_in(const struct orma_python_memory *memory,
                    const struct orma_python_layout *layout, uint64_t interpreter,
                    uint64_t native_id, uint64_t *ret)
{
    uint64_t thread;

    if (!orma_python_u64(memory, interpreter + layout->interpreter_threads, &thread))
        return false;
    for (unsigned i = 0; i < THREADS_MAX && thread; i++) {
        if (is_thread(memory, layout, thread, native_id)) {
            *ret = thread;
            return true;
        }
        if (!orma_python_u64(memory, thread + layout->thread_next, &thread))
            return false;
    }
    return false;
}

bool orma_python_thread_find(const struct orma_python_memory *memory,
                             const struct orma_python_layout *layout, uint64_t runtime,
                             uint64_t native_id, uint64_t *ret)
{
    uint64_t interpreter;

    if (!orma_python_u64(memory, runtime + layout->runtime_interpreters, &interpreter))
        return false;
    for (unsigned i = 0; i < INTERPRETERS_MAX && interpreter; i++) {
        if (find_in(memory, layout, interpreter, native_id, ret))
            return true;
        if (!orma_python_u64(memory, interpreter + layout->interpreter_next, &interpreter))
            return false;
    }
    return false;
}

static bool read_frame(const struct walk *self, uint64_t at, struct frame *ret)
{
    const struct orma_python_layout *l = self->layout;
    uint8_t bytes[ORMA_PYTHON_FRAME_BYTES];

    if (at % sizeof(uint64_t) || !self->memory->read(self->memory->ctx, at, bytes, sizeof(bytes)))
        return false;
    memcpy(&ret->code, bytes + l->frame_code, sizeof(ret->code));
    memcpy(&ret->previous, bytes + l->frame_previous, sizeof(ret->previous));
    memcpy(&ret->instr, bytes + l->frame_instr, sizeof(ret->instr));
    ret->owner = bytes[l->frame_owner];
    ret->is_entry =
        l->frame_is_entry ? bytes[l->frame_is_entry] != 0 : bytes[l->frame_owner] >= OWNERS;
    return l->frame_is_entry ? ret->owner < OWNERS : true;
}

static bool put_run(struct orma_python_stack *stack, uint64_t mark)
{
    if (stack->runs_num == ORMA_PYTHON_RUNS_MAX)
        return false;
    stack->runs[stack->runs_num++] = (struct orma_python_run){mark, stack->frames_num};
    return true;
}

static bool put_frame(struct walk *self, uint64_t at, const struct frame *frame)
{
    struct orma_python_stack *stack = self->stack;
    struct orma_python_code code;

    if (stack->frames_num == ORMA_PYTHON_FRAMES_MAX)
        return false;
    uint64_t print = orma_python_code_head(self->memory, self->layout, frame->code, &code)
                         ? orma_python_code_print(&code)
                         : 0;
    stack->frames[stack->frames_num++] =
        (struct orma_python_frame){at, frame->code, frame->instr, print};
    return true;
}

/* The frames of one run from *at on; in turn, the current one of its caller. 1; 0: there are more
 * than fit; -1: nonsense. *ret_entry: where the frame on the C stack is, where there are such. */
static int read_run(struct walk *self, uint64_t *at, uint64_t *ret_entry)
{
    struct frame frame;

    for (;;) {
        if (!read_frame(self, *at, &frame))
            return -1;
        const bool is_function = self->layout->frame_is_entry || !frame.is_entry;

        if (is_function && !put_frame(self, *at, &frame))
            return 0;
        *ret_entry = *at;
        *at = frame.previous;
        if (frame.is_entry)
            return 1;
    }
}

/* With _PyCFrames: each has the current frame of its run, so that what was read must join. */
static bool read_by_cframes(struct walk *self, uint64_t thread)
{
    const struct orma_python_layout *l = self->layout;
    struct orma_python_stack *stack = self->stack;
    uint64_t cframe, at, caller, entry;

    stack->root = thread + l->thread_root;
    if (!orma_python_u64(self->memory, thread + l->thread_frame, &cframe))
        return false;
    for (bool first = true; cframe != stack->root; first = false) {
        if (!orma_python_u64(self->memory, cframe + l->cframe_frame, &at) ||
            (!first && at != caller))
            return false;
        caller = at;
        int r = read_run(self, &caller, &entry);
        if (r > 0 && !put_run(stack, cframe))
            r = 0;
        if (r <= 0) {
            stack->cut = r == 0;
            return r == 0;
        }
        if (!orma_python_u64(self->memory, cframe + l->cframe_previous, &cframe))
            return false;
    }
    return stack->runs_num && !caller;
}

static bool read_by_entries(struct walk *self, uint64_t thread)
{
    struct orma_python_stack *stack = self->stack;
    uint64_t at, entry;

    if (!orma_python_u64(self->memory, thread + self->layout->thread_frame, &at))
        return false;
    while (at) {
        int r = read_run(self, &at, &entry);

        if (r > 0 && !put_run(stack, entry))
            r = 0;
        if (r <= 0) {
            stack->cut = r == 0;
            return r == 0;
        }
    }
    return stack->runs_num;
}

bool orma_python_stack_read(const struct orma_python_memory *memory,
                            const struct orma_python_layout *layout, uint64_t thread,
                            uint64_t native_id, struct orma_python_stack *ret)
{
    struct walk walk = {memory, layout, ret};

    ret->root = 0;
    ret->cut = false;
    ret->frames_num = ret->runs_num = 0;
    return is_thread(memory, layout, thread, native_id) &&
           (layout->has_cframes ? read_by_cframes(&walk, thread) : read_by_entries(&walk, thread));
}
