/*
 * Matching a kernel field with a message field is by name. A value is written
 * when the message's type is at least as wide as the kernel's: it is extended
 * by the kernel's idea of its sign and read by the message's, so that same-width
 * fields whose sign differs keep all their bits. What would lose bits is left out.
 *
 * A generic message has one field per kernel field, numbered from 1 in the
 * format's order; signed numbers are int64, others uint64, text is string,
 * bytes are bytes, arrays of wider numbers are repeated numbers.
 */
#include "sdk/ftrace/plan.h"

#include <errno.h>
#include <string.h>

#include "protos/fields/ftrace.h"
#include "sdk/wire/pb_writer.h"

/* google.protobuf.DescriptorProto and FieldDescriptorProto: the part that is needed. */
enum {
    DESCRIPTOR_NAME = 1,
    DESCRIPTOR_FIELD = 2,
    FIELD_NAME = 1,
    FIELD_NUMBER = 3,
    FIELD_LABEL = 4,
    FIELD_TYPE = 5,
    LABEL_OPTIONAL = 1,
    LABEL_REPEATED = 3,
    TYPE_INT64 = 3,
    TYPE_UINT64 = 4,
    TYPE_STRING = 9,
    TYPE_BYTES = 12,
};

/* Of a thread's name. */
#define COMM_SIZE 16
/* Arrays of at most so many numbers become steps of their own; so many steps there may be more. */
#define UNROLL_MAX 8
#define UNROLLED_MAX 64
#define STEPS_MAX (ORMA_FTRACE_FORMAT_FIELDS_MAX + UNROLLED_MAX)

/* What a step puts on the wire. */
enum shape { SHAPE_NONE, SHAPE_NUMBER, SHAPE_TEXT, SHAPE_BYTES, SHAPE_NUMBERS };

struct target {
    enum orma_pb_type type;
    bool repeated;
};

static unsigned pb_width(enum orma_pb_type type)
{
    switch (type) {
    case ORMA_PB_TYPE_INT32:
    case ORMA_PB_TYPE_UINT32:
        return 4;
    case ORMA_PB_TYPE_INT64:
    case ORMA_PB_TYPE_UINT64:
        return 8;
    case ORMA_PB_TYPE_BOOL:
        return 1;
    default:
        return 0; /* the other types are not written by any step */
    }
}

static bool pb_is_signed(enum orma_pb_type type)
{
    return type == ORMA_PB_TYPE_INT32 || type == ORMA_PB_TYPE_INT64;
}

/*
 * Steps write unsigned numbers zero-extended and signed ones sign-extended to
 * 64 bits. A u32 for an int32 field needs the sign; an s32 for a uint32 field must not have it.
 */
static uint8_t number_op(unsigned size, bool is_signed, const struct target *to)
{
    if (to && pb_width(to->type) == size && size >= 4)
        is_signed = pb_is_signed(to->type);
    switch (size) {
    case 1:
        return is_signed ? ORMA_FTRACE_STEP_S8 : ORMA_FTRACE_STEP_U8;
    case 2:
        return is_signed ? ORMA_FTRACE_STEP_S16 : ORMA_FTRACE_STEP_U16;
    case 4:
        return is_signed ? ORMA_FTRACE_STEP_S32 : ORMA_FTRACE_STEP_U32;
    default:
        return is_signed ? ORMA_FTRACE_STEP_S64 : ORMA_FTRACE_STEP_U64;
    }
}

/* Numbers, addresses, devices. False: does not fit. */
static bool scalar_step(const struct orma_ftrace_format_field *f, const struct target *to,
                        struct orma_ftrace_step *step)
{
    bool is_wide = f->size == 8;

    if (to && (to->repeated || pb_width(to->type) < f->size))
        return false;
    switch ((enum orma_ftrace_kind)f->kind) {
    case ORMA_FTRACE_KIND_PID:
        step->op = ORMA_FTRACE_STEP_PID;
        return true;
    case ORMA_FTRACE_KIND_DEV:
        step->op = is_wide ? ORMA_FTRACE_STEP_DEV64 : ORMA_FTRACE_STEP_DEV32;
        return true;
    case ORMA_FTRACE_KIND_INODE:
        step->op = is_wide ? ORMA_FTRACE_STEP_INODE64 : ORMA_FTRACE_STEP_INODE32;
        return true;
    case ORMA_FTRACE_KIND_SYMBOL:
        step->op = is_wide ? ORMA_FTRACE_STEP_SYMBOL64 : ORMA_FTRACE_STEP_SYMBOL32;
        return true;
    default:
        step->op = number_op(f->size, f->is_signed, to);
        return true;
    }
}

/* By where the bytes of an array are: at a fixed place, up to the event's end, or located. */
static enum orma_ftrace_step_op step_of(enum orma_ftrace_kind kind, enum orma_ftrace_step_op fixed,
                                        enum orma_ftrace_step_op to_end,
                                        enum orma_ftrace_step_op located)
{
    if (kind == ORMA_FTRACE_KIND_LOC_ARRAY)
        return located;
    return kind == ORMA_FTRACE_KIND_ARRAY_TO_END ? to_end : fixed;
}

static enum shape array_step(const struct orma_ftrace_format_field *f, const struct target *to,
                             struct orma_ftrace_step *step)
{
    bool is_loc = f->kind == ORMA_FTRACE_KIND_LOC_ARRAY;

    step->elem = f->elem_size;
    step->is_signed = f->is_signed;
    if (to && to->type == ORMA_PB_TYPE_STRING) {
        step->op = step_of(f->kind, ORMA_FTRACE_STEP_CHARS, ORMA_FTRACE_STEP_CHARS_TO_END,
                           ORMA_FTRACE_STEP_LOC_CHARS);
        return SHAPE_TEXT;
    }
    if (to ? to->type == ORMA_PB_TYPE_BYTES : f->elem_size == 1) {
        step->op = step_of(f->kind, ORMA_FTRACE_STEP_BYTES, ORMA_FTRACE_STEP_BYTES_TO_END,
                           ORMA_FTRACE_STEP_LOC_BYTES);
        return SHAPE_BYTES;
    }
    if (to && to->repeated && pb_width(to->type) < f->elem_size)
        return SHAPE_NONE;
    if (!to || to->repeated) {
        step->op = step_of(f->kind, ORMA_FTRACE_STEP_NUMBERS, ORMA_FTRACE_STEP_NUMBERS_TO_END,
                           ORMA_FTRACE_STEP_LOC_NUMBERS);
        return SHAPE_NUMBERS;
    }
    /* An array whose bytes are taken for one number, as other readers of this format do. */
    if (is_loc || (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8) ||
        pb_width(to->type) < f->size)
        return SHAPE_NONE;
    step->op = number_op(f->size, f->is_signed, to);
    return SHAPE_NUMBER;
}

static enum shape text_step(const struct orma_ftrace_format_field *f, const struct target *to,
                            struct orma_ftrace_step *step)
{
    bool is_text = !to || to->type == ORMA_PB_TYPE_STRING;

    if (!is_text && to->type != ORMA_PB_TYPE_BYTES)
        return SHAPE_NONE;
    switch ((enum orma_ftrace_kind)f->kind) {
    case ORMA_FTRACE_KIND_CHARS:
        step->op = !is_text               ? ORMA_FTRACE_STEP_BYTES
                   : f->size == COMM_SIZE ? ORMA_FTRACE_STEP_COMM
                                          : ORMA_FTRACE_STEP_CHARS;
        break;
    case ORMA_FTRACE_KIND_CHARS_TO_END:
        step->op = is_text ? ORMA_FTRACE_STEP_CHARS_TO_END : ORMA_FTRACE_STEP_BYTES_TO_END;
        break;
    case ORMA_FTRACE_KIND_LOC_CHARS:
        step->op = is_text ? ORMA_FTRACE_STEP_LOC_CHARS : ORMA_FTRACE_STEP_LOC_BYTES;
        break;
    default:
        step->op = f->size == 8 ? ORMA_FTRACE_STEP_PRINTK64 : ORMA_FTRACE_STEP_PRINTK32;
        return is_text ? SHAPE_TEXT : SHAPE_NONE;
    }
    return is_text ? SHAPE_TEXT : SHAPE_BYTES;
}

/* `to` NULL: a generic field. Everything of the step but its tag. */
static enum shape make_step(const struct orma_ftrace_format_field *f, const struct target *to,
                            struct orma_ftrace_step *step)
{
    *step =
        (struct orma_ftrace_step){.offset = f->offset,
                                  .size = f->size,
                                  .loc_base = f->is_relative ? (uint16_t)(f->offset + f->size) : 0};
    switch ((enum orma_ftrace_kind)f->kind) {
    case ORMA_FTRACE_KIND_UINT:
    case ORMA_FTRACE_KIND_INT:
    case ORMA_FTRACE_KIND_BOOL:
    case ORMA_FTRACE_KIND_DEV:
    case ORMA_FTRACE_KIND_INODE:
    case ORMA_FTRACE_KIND_PID:
    case ORMA_FTRACE_KIND_SYMBOL:
        return scalar_step(f, to, step) ? SHAPE_NUMBER : SHAPE_NONE;
    case ORMA_FTRACE_KIND_ARRAY:
    case ORMA_FTRACE_KIND_ARRAY_TO_END:
    case ORMA_FTRACE_KIND_LOC_ARRAY:
        return array_step(f, to, step);
    case ORMA_FTRACE_KIND_CHARS:
    case ORMA_FTRACE_KIND_CHARS_TO_END:
    case ORMA_FTRACE_KIND_LOC_CHARS:
    case ORMA_FTRACE_KIND_PRINTK:
        return text_step(f, to, step);
    case ORMA_FTRACE_KIND_OPAQUE:
        break;
    }
    if (to ? to->type != ORMA_PB_TYPE_BYTES : !f->size)
        return SHAPE_NONE;
    step->op = ORMA_FTRACE_STEP_BYTES; /* a struct: at least its bytes are there */
    return SHAPE_BYTES;
}

static void set_tag(uint32_t number, enum shape shape, uint32_t *ret_tag, uint8_t *ret_len)
{
    enum orma_pb_wire wire =
        shape == SHAPE_TEXT || shape == SHAPE_BYTES ? ORMA_PB_LEN : ORMA_PB_VARINT;
    uint8_t bytes[ORMA_VARINT_MAX] = {0};
    uint8_t *end = orma_varint_write(bytes, (uint64_t)number << 3 | wire);

    *ret_len = (uint8_t)(end - bytes); /* at most four: numbers are below 2^25 */
    memcpy(ret_tag, bytes, sizeof(*ret_tag));
}

/* Steps whose output grows with the event; see orma_ftrace_plan.copies. */
static bool step_copies(uint8_t op)
{
    switch ((enum orma_ftrace_step_op)op) {
    case ORMA_FTRACE_STEP_CHARS_TO_END:
    case ORMA_FTRACE_STEP_BYTES_TO_END:
    case ORMA_FTRACE_STEP_NUMBERS_TO_END:
    case ORMA_FTRACE_STEP_LOC_CHARS:
    case ORMA_FTRACE_STEP_LOC_BYTES:
    case ORMA_FTRACE_STEP_LOC_NUMBERS:
        return true;
    default:
        return false;
    }
}

/* Most bytes that a step writes, whatever the event holds. */
static uint32_t step_max(const struct orma_ftrace_step *step)
{
    uint32_t one = step->tag_len + ORMA_VARINT_MAX;

    if (step->op == ORMA_FTRACE_STEP_CHARS || step->op == ORMA_FTRACE_STEP_COMM ||
        step->op == ORMA_FTRACE_STEP_BYTES)
        return one + step->size;
    if (step->op == ORMA_FTRACE_STEP_NUMBERS)
        return one * (step->size / step->elem);
    if (step->op == ORMA_FTRACE_STEP_PRINTK32 || step->op == ORMA_FTRACE_STEP_PRINTK64)
        return one + ORMA_FTRACE_FORMAT_PRINTK_MAX;
    return one;
}

/* See orma_ftrace_step.mask. */
static void set_mask(struct orma_ftrace_step *step)
{
    static const uint8_t widths[] = {
        [ORMA_FTRACE_STEP_U8] = 1,  [ORMA_FTRACE_STEP_U16] = 2, [ORMA_FTRACE_STEP_U32] = 4,
        [ORMA_FTRACE_STEP_U64] = 8, [ORMA_FTRACE_STEP_S8] = 1,  [ORMA_FTRACE_STEP_S16] = 2,
        [ORMA_FTRACE_STEP_S32] = 4, [ORMA_FTRACE_STEP_S64] = 8, [ORMA_FTRACE_STEP_PID] = 4,
    };
    unsigned width = step->op < ORMA_ARRAY_LEN(widths) ? widths[step->op] : 0;
    bool is_signed = step->op == ORMA_FTRACE_STEP_S8 || step->op == ORMA_FTRACE_STEP_S16 ||
                     step->op == ORMA_FTRACE_STEP_S32 || step->op == ORMA_FTRACE_STEP_S64 ||
                     step->op == ORMA_FTRACE_STEP_PID;

    if (!width)
        return;
    step->mask = UINT64_MAX >> (64 - 8 * width);
    step->sign = is_signed ? UINT64_C(1) << (8 * width - 1) : 0;
}

static void add_one_step(struct orma_ftrace_plan *plan, struct orma_ftrace_step *steps,
                         const struct orma_ftrace_step *step)
{
    struct orma_ftrace_step *to = &steps[plan->steps_num++];

    *to = *step;
    if (step->op != ORMA_FTRACE_STEP_PID) {
        set_mask(to);
    } else if (plan->pids_num < ORMA_FTRACE_PLAN_PIDS_MAX) { /* otherwise the step notes it */
        set_mask(to);
        plan->pids[plan->pids_num++] = step->offset;
    }
    plan->fixed_max += step_max(step);
    plan->copies += step_copies(step->op);
}

/* `unrolled` (or NULL: never) counts the steps that short arrays became. */
static void add_step(struct orma_ftrace_plan *plan, struct orma_ftrace_step *steps,
                     const struct orma_ftrace_step *step, unsigned *unrolled)
{
    unsigned num = step->op == ORMA_FTRACE_STEP_NUMBERS ? step->size / step->elem : 0;
    struct orma_ftrace_step one = *step;

    if (!unrolled || !num || num > UNROLL_MAX || *unrolled + num > UNROLLED_MAX) {
        add_one_step(plan, steps, step);
        return;
    }
    one.op = number_op(step->elem, step->is_signed, NULL);
    one.size = step->elem;
    for (unsigned i = 0; i < num; i++) {
        one.offset = (uint16_t)(step->offset + i * step->elem);
        add_one_step(plan, steps, &one);
    }
    *unrolled += num;
}

/* Stacks are declared with a fixed number of callers, but end where they end. */
static bool is_stack(const char *group, const struct orma_ftrace_format_field *f)
{
    return !strcmp(group, "ftrace") && f->kind == ORMA_FTRACE_KIND_ARRAY &&
           !strcmp(f->name, "caller");
}

/* What the declaration alone does not tell. */
static struct orma_ftrace_format_field with_special_kind(const struct orma_ftrace_format *format,
                                                         const char *group,
                                                         const struct orma_ftrace_format_field *f)
{
    struct orma_ftrace_format_field ret = *f;

    if (is_stack(group, f))
        ret.kind = ORMA_FTRACE_KIND_ARRAY_TO_END;
    if (!strcmp(group, "ftrace") && !strncmp(format->name, "funcgraph_", 10) &&
        !strcmp(f->name, "func") && (f->size == 4 || f->size == 8))
        ret.kind = ORMA_FTRACE_KIND_SYMBOL;
    /* Where a probe of the kernel was hit, and by whom it was called; of programs, no secret. */
    if (!strncmp(f->name, "__probe_", 8) && f->size == 8 &&
        (!strcmp(group, "orma_kprobes") || !strcmp(group, "orma_kretprobes")))
        ret.kind = ORMA_FTRACE_KIND_SYMBOL;
    /* Arguments of system calls point into the caller, not to strings of the kernel. */
    if (!strcmp(group, "syscalls") && f->kind == ORMA_FTRACE_KIND_PRINTK)
        ret.kind = ORMA_FTRACE_KIND_UINT;
    return ret;
}

static void compile_known(const char *group, const struct orma_ftrace_format *format,
                          const struct orma_ftrace_message *message, struct orma_ftrace_plan *plan,
                          struct orma_ftrace_step *steps)
{
    unsigned unrolled = 0;

    for (unsigned i = 0; i < message->fields_num; i++) {
        const struct orma_ftrace_field *want = orma_ftrace_message_field(message, i);
        const struct orma_ftrace_format_field *have =
            orma_ftrace_format_field(format, orma_ftrace_name(want->name));
        const struct target to = {want->type, want->repeated};
        struct orma_ftrace_step step;

        if (!have)
            continue;
        struct orma_ftrace_format_field f = with_special_kind(format, group, have);
        enum shape shape = make_step(&f, &to, &step);

        if (shape == SHAPE_NONE)
            continue;
        set_tag(want->number, shape, &step.tag, &step.tag_len);
        add_step(plan, steps, &step, &unrolled);
    }
}

static bool is_signed_field(const struct orma_ftrace_format_field *f)
{
    return f->is_signed || f->kind == ORMA_FTRACE_KIND_PID;
}

static void describe_field(struct orma_buf *out, const struct orma_ftrace_format_field *f,
                           uint32_t number, enum shape shape)
{
    static const uint8_t types[] = {[SHAPE_TEXT] = TYPE_STRING, [SHAPE_BYTES] = TYPE_BYTES};
    bool is_number = shape == SHAPE_NUMBER || shape == SHAPE_NUMBERS;
    size_t begun = orma_pb_begin(out, DESCRIPTOR_FIELD);

    orma_pb_put_cstr(out, FIELD_NAME, f->name);
    orma_pb_put_u64(out, FIELD_NUMBER, number);
    orma_pb_put_u64(out, FIELD_LABEL, shape == SHAPE_NUMBERS ? LABEL_REPEATED : LABEL_OPTIONAL);
    orma_pb_put_u64(out, FIELD_TYPE,
                    is_number ? (is_signed_field(f) ? TYPE_INT64 : TYPE_UINT64) : types[shape]);
    orma_pb_end(out, begun);
}

/* Where GenericFtraceEvent.Field has the value. */
static uint32_t old_value_field(const struct orma_ftrace_format_field *f, enum shape shape)
{
    if (shape == SHAPE_TEXT || shape == SHAPE_BYTES)
        return ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_STR_VALUE;
    return is_signed_field(f) ? ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_INT_VALUE
                              : ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_UINT_VALUE;
}

/* Name and lengths of each value. An array whose length only the event knows has at most
 * ORMA_FTRACE_FORMAT_EVENT_MAX / 2 values: its names are provided for, once for all. */
static uint32_t old_overhead(const struct orma_ftrace_step *step, const char *name)
{
    uint32_t one = (uint32_t)strlen(name) + 16;

    if (step->op == ORMA_FTRACE_STEP_NUMBERS)
        return one * (step->size / step->elem);
    if (step->op == ORMA_FTRACE_STEP_NUMBERS_TO_END || step->op == ORMA_FTRACE_STEP_LOC_NUMBERS)
        return one * (ORMA_FTRACE_FORMAT_EVENT_MAX / step->elem);
    return one;
}

static int compile_generic(struct orma_arena *arena, const struct orma_ftrace_format *format,
                           bool is_old, struct orma_ftrace_plan *plan,
                           struct orma_ftrace_step *steps, const char **names)
{
    struct orma_buf out = {0};
    size_t outer, begun;
    unsigned unrolled = 0;
    int r = -ENOMEM;

    outer = orma_pb_begin(&out, ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTORS);
    orma_pb_put_u64(&out, ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_FIELD_ID,
                    plan->field_id);
    begun =
        orma_pb_begin(&out, ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_EVENT_DESCRIPTOR);
    orma_pb_put_cstr(&out, DESCRIPTOR_NAME, plan->name);
    for (unsigned i = 0; i < format->fields_num; i++) {
        struct orma_ftrace_format_field f =
            with_special_kind(format, plan->group, &format->fields[i]);
        struct orma_ftrace_step step;
        enum shape shape = make_step(&f, NULL, &step);

        if (shape == SHAPE_NONE)
            continue;
        if (is_old)
            set_tag(old_value_field(&f, shape), shape, &step.tag, &step.tag_len);
        else
            set_tag(i + 1, shape, &step.tag, &step.tag_len);
        describe_field(&out, &f, i + 1, shape);
        names[plan->steps_num] = f.name;
        add_step(plan, steps, &step, is_old ? NULL : &unrolled); /* old ones: a name for each */
        if (is_old)
            plan->fixed_max += old_overhead(&step, f.name);
    }
    orma_pb_end(&out, begun);
    orma_pb_put_cstr(&out, ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_GROUP_NAME,
                     plan->group);
    orma_pb_end(&out, outer);
    if (!out.failed) {
        const char *copy = orma_arena_strdup(arena, orma_buf_str(&out));

        plan->descriptor = (struct orma_str){copy, out.len};
        r = copy ? 0 : -ENOMEM;
    }
    orma_buf_fini(&out);
    return r;
}

static bool has_chars16(const struct orma_ftrace_format *format, const char *name)
{
    const struct orma_ftrace_format_field *f = orma_ftrace_format_field(format, name);

    return f && f->kind == ORMA_FTRACE_KIND_CHARS && f->size == 16;
}

static bool has_number(const struct orma_ftrace_format *format, const char *name, unsigned size)
{
    const struct orma_ftrace_format_field *f = orma_ftrace_format_field(format, name);

    return f &&
           (f->kind == ORMA_FTRACE_KIND_INT || f->kind == ORMA_FTRACE_KIND_UINT ||
            f->kind == ORMA_FTRACE_KIND_PID) &&
           f->size == size;
}

static bool switch_is_usual(const struct orma_ftrace_format *format)
{
    return has_chars16(format, "next_comm") && has_number(format, "next_pid", 4) &&
           has_number(format, "next_prio", 4) && has_number(format, "prev_pid", 4) &&
           (has_number(format, "prev_state", 8) || has_number(format, "prev_state", 4));
}

static bool waking_is_usual(const struct orma_ftrace_format *format)
{
    return has_chars16(format, "comm") && has_number(format, "pid", 4) &&
           has_number(format, "prio", 4) && has_number(format, "target_cpu", 4) &&
           format->common_flags_offset;
}

/* What the hot loop is to do besides. */
static void choose_kind(const struct orma_ftrace_format *format,
                        const struct orma_ftrace_plan_options *options,
                        struct orma_ftrace_plan *plan)
{
    const struct orma_ftrace_format_field *f = NULL;

    if (options->compact_sched && plan->field_id == ORMA_PB_FTRACE_EVENT_SCHED_SWITCH &&
        switch_is_usual(format)) {
        plan->kind = ORMA_FTRACE_PLAN_SCHED_SWITCH;
    } else if (options->compact_sched && plan->field_id == ORMA_PB_FTRACE_EVENT_SCHED_WAKING &&
               waking_is_usual(format)) {
        plan->kind = ORMA_FTRACE_PLAN_SCHED_WAKING;
    } else if (plan->field_id == ORMA_PB_FTRACE_EVENT_PRINT) {
        f = orma_ftrace_format_field(format, "buf");
        if (f && f->kind == ORMA_FTRACE_KIND_CHARS_TO_END)
            plan->kind = ORMA_FTRACE_PLAN_PRINT;
    } else if (plan->field_id == ORMA_PB_FTRACE_EVENT_TASK_RENAME ||
               plan->field_id == ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FREE) {
        f = orma_ftrace_format_field(format, "pid");
        if (f && f->kind == ORMA_FTRACE_KIND_PID)
            plan->kind = plan->field_id == ORMA_PB_FTRACE_EVENT_TASK_RENAME
                             ? ORMA_FTRACE_PLAN_TASK_RENAME
                             : ORMA_FTRACE_PLAN_PROCESS_FREE;
    } else if (plan->field_id == ORMA_PB_FTRACE_EVENT_SYS_EXIT &&
               has_number(format, "id", options->word_size) &&
               has_number(format, "ret", options->word_size)) {
        plan->kind = ORMA_FTRACE_PLAN_SYS_EXIT;
        f = orma_ftrace_format_field(format, "id");
    } else if (plan->field_id == ORMA_PB_FTRACE_EVENT_SYS_ENTER &&
               has_number(format, "id", options->word_size)) {
        plan->kind = ORMA_FTRACE_PLAN_SYS_ENTER;
        f = orma_ftrace_format_field(format, "id");
    }
    if (f)
        plan->buf_offset = f->offset;
    plan->is_filtered = plan->kind == ORMA_FTRACE_PLAN_PRINT ||
                        plan->kind == ORMA_FTRACE_PLAN_SYS_ENTER ||
                        plan->kind == ORMA_FTRACE_PLAN_SYS_EXIT;
    plan->word_size = (uint8_t)options->word_size;
}

/* See enum orma_ftrace_plan_simple. */
static uint8_t simple_kind(const struct orma_ftrace_plan *plan)
{
    /* A text is not longer than its event. */
    const uint32_t text_max = ORMA_FTRACE_PLAN_SHORT_MAX + 16;

    if (plan->fixed_max + plan->copies * text_max > ORMA_FTRACE_PLAN_SIMPLE_MAX)
        return 0;
    for (unsigned i = 0; i < plan->steps_num; i++) {
        const struct orma_ftrace_step *step = &plan->steps[i];

        if (!step->mask && step->op != ORMA_FTRACE_STEP_COMM &&
            step->op != ORMA_FTRACE_STEP_LOC_CHARS)
            return 0;
    }
    switch ((enum orma_ftrace_plan_kind)plan->kind) {
    case ORMA_FTRACE_PLAN_PLAIN:
    case ORMA_FTRACE_PLAN_SCHED_WAKING:
        return ORMA_FTRACE_PLAN_SIMPLE;
    case ORMA_FTRACE_PLAN_SYS_ENTER:
        return ORMA_FTRACE_PLAN_SIMPLE_SYS_ENTER;
    case ORMA_FTRACE_PLAN_SYS_EXIT:
        return ORMA_FTRACE_PLAN_SIMPLE_SYS_EXIT;
    default:
        return 0;
    }
}

/* See orma_ftrace_plan.tail_num. */
static void set_tail(struct orma_ftrace_plan *plan)
{
    for (unsigned i = plan->steps_num; i-- > 0;) {
        const struct orma_ftrace_step *step = &plan->steps[i];

        if (step->mask != UINT64_MAX || step->tag_len != 1)
            return;
        if (plan->tail_num &&
            (step->tag != plan->tail_tag || step->offset + 8 != plan->tail_offset))
            return;
        plan->tail_num++;
        plan->tail_tag = (uint8_t)step->tag;
        plan->tail_offset = step->offset;
    }
}

int orma_ftrace_plan_compile(struct orma_arena *arena, const char *group,
                             const struct orma_ftrace_format *format,
                             const struct orma_ftrace_message *message,
                             const struct orma_ftrace_plan_options *options,
                             struct orma_ftrace_plan *ret)
{
    struct orma_ftrace_step steps[STEPS_MAX];
    const char *names[STEPS_MAX];
    struct orma_ftrace_plan plan = {
        .group = group,
        .name = format->name,
        .id = format->id,
        .size = format->size,
        .common_pid_offset = format->common_pid_offset,
        .is_generic = !message,
        .field_id = message ? message->number : options->generic_field,
        /* Event, timestamp, pid and their lengths; slack for whole-word stores; an old name. */
        .fixed_max = 64 + (uint32_t)strlen(format->name),
    };

    for (unsigned i = 0; i < format->fields_num; i++) {
        if (is_stack(group, &format->fields[i]))
            plan.size = format->fields[i].offset;
    }
    plan.size = ORMA_MAX(plan.size, plan.common_pid_offset + 4);
    if (message)
        compile_known(group, format, message, &plan, steps);
    else if (compile_generic(arena, format, options->generic_old, &plan, steps, names) < 0)
        return -ENOMEM;
    choose_kind(format, options, &plan);
    if (!message && options->generic_old) {
        const char **copy = orma_arena_alloc(arena, sizeof(names[0]) * (plan.steps_num + 1u));

        if (!copy)
            return -ENOMEM;
        memcpy(copy, names, sizeof(names[0]) * plan.steps_num);
        plan.field_names = copy;
        plan.kind = ORMA_FTRACE_PLAN_GENERIC_OLD;
        plan.field_id = ORMA_PB_FTRACE_EVENT_GENERIC;
    }
    set_tag(plan.field_id, SHAPE_BYTES, &plan.tag, &plan.tag_len);
    struct orma_ftrace_step *kept =
        orma_arena_alloc(arena, sizeof(steps[0]) * (plan.steps_num + 1u));
    if (!kept)
        return -ENOMEM;
    memcpy(kept, steps, sizeof(steps[0]) * plan.steps_num);
    plan.steps = kept;
    plan.simple = simple_kind(&plan);
    set_tail(&plan);
    *ret = plan;
    return 0;
}

void orma_ftrace_plan_kprobe(const struct orma_ftrace_format *format, const char *group,
                             const char *name, uint8_t type, struct orma_ftrace_plan *ret)
{
    *ret = (struct orma_ftrace_plan){
        .group = group,
        .name = name,
        .id = format->id,
        .size = (uint16_t)(format->common_pid_offset + 4),
        .common_pid_offset = format->common_pid_offset,
        .kind = ORMA_FTRACE_PLAN_KPROBE,
        .kprobe_type = type,
        .field_id = ORMA_PB_FTRACE_EVENT_KPROBE_EVENT,
        .fixed_max = 64 + 16 + (uint32_t)strlen(name),
    };
    set_tag(ret->field_id, SHAPE_BYTES, &ret->tag, &ret->tag_len);
}

void orma_ftrace_plan_print_fallback(struct orma_ftrace_plan *ret)
{
    static const struct orma_ftrace_step step = {
        .tag = ORMA_PB_PRINT_FTRACE_EVENT_BUF << 3 | ORMA_PB_LEN,
        .tag_len = 1,
        .offset = 16,
        .op = ORMA_FTRACE_STEP_CHARS_TO_END,
    };

    *ret = (struct orma_ftrace_plan){
        .group = "ftrace",
        .name = "print",
        .steps = &step,
        .steps_num = 1,
        .id = 5,
        .size = 16,
        .common_pid_offset = 4,
        .kind = ORMA_FTRACE_PLAN_PRINT,
        .is_filtered = true,
        .buf_offset = 16,
        .field_id = ORMA_PB_FTRACE_EVENT_PRINT,
        .fixed_max = 64 + 16,
        .copies = 1,
    };
    set_tag(ret->field_id, SHAPE_BYTES, &ret->tag, &ret->tag_len);
}
