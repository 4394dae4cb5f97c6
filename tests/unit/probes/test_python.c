/* A process that runs Python, made by hand, and what a sample showed of it.
 *
 *   runtime ─► interpreter ─► thread ─► inner _PyCFrame ─► outer _PyCFrame ─► its own (3.11)
 *                                        │ leaf ─► middle*    │ module*        * entries
 *
 * 3.13: the frames alone, entries on the C stack. All numbers are places in one block of memory.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "probes/python/match.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

#define BASE UINT64_C(0x7f0000000000)
#define BYTES 0x4000u
#define RUNTIME (BASE + 0x0)
#define INTERPRETER (BASE + 0x400)
#define THREAD (BASE + 0x600)
#define OTHER_THREAD (BASE + 0x800)
#define CODE_TYPE (BASE + 0xa00)
#define CODES (BASE + 0xc00) /* each 0x200 */
#define TEXTS (BASE + 0x1400)
#define TABLE (BASE + 0x1800)
#define FRAMES_AT (BASE + 0x1a00) /* each 0x80 */
#define STACK (BASE + 0x2000)     /* of C: two frames of the interpreter, 0x200 each */
#define STACK_BYTES 0x400u
#define TID 4711
#define UNITS 31u

static const char *const names[] = {"leaf", "Middle.call", "<module>"};

/* What CPython 3.11 makes of a loop over five lines, the second of the file being the first. */
static const uint8_t lines[] = {0x80, 0x00, 0xd8, 0x08, 0x09, 0x80, 0x41, 0xdd, 0x0d, 0x12, 0x90,
                                0x31, 0x89, 0x58, 0x8c, 0x58, 0xf0, 0x00, 0x02, 0x05, 0x11, 0xf0,
                                0x00, 0x02, 0x05, 0x11, 0x88, 0x01, 0xd8, 0x08, 0x09, 0x88, 0x61,
                                0xd8, 0x0e, 0x0f, 0xf1, 0x03, 0x01, 0x0f, 0x10, 0xf1, 0x00, 0x01,
                                0x09, 0x11, 0x88, 0x01, 0x88, 0x01, 0xe0, 0x0b, 0x0c, 0x80, 0x48};
static const uint8_t line_of[UNITS] = {2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                                       4, 4, 4, 4, 5, 5, 6, 5, 5, 5, 5, 5, 5, 7, 7};

struct fx {
    const struct orma_python_layout *l;
    struct orma_python_layout said;
    uint8_t bytes[BYTES];
    uint8_t copy[STACK_BYTES]; /* of the stack, when the sample was taken */
    unsigned reads, fails_at;  /* fails_at 0: never */
    struct orma_python_stack stack;
    struct orma_python_sample sample;
    uint64_t cframe;
};

static void put(struct fx *f, uint64_t at, const void *data, size_t len)
{
    cr_assert(at >= BASE && at - BASE <= BYTES - len);
    memcpy(f->bytes + (at - BASE), data, len);
}

static void put64(struct fx *f, uint64_t at, uint64_t val)
{
    put(f, at, &val, sizeof(val));
}

static bool read_at(void *ctx, uint64_t address, void *to, size_t len)
{
    struct fx *f = ctx;

    if (++f->reads == f->fails_at || address < BASE || address - BASE > BYTES ||
        len > BYTES - (address - BASE))
        return false;
    memcpy(to, f->bytes + (address - BASE), len);
    return true;
}

static struct orma_python_memory memory_of(struct fx *f)
{
    return (struct orma_python_memory){read_at, f};
}

static uint64_t code_at(unsigned i)
{
    return CODES + i * 0x200;
}

static uint64_t frame_at(unsigned i)
{
    return FRAMES_AT + i * 0x80;
}

static uint64_t instr_at(const struct fx *f, unsigned i, unsigned unit)
{
    return code_at(i) + f->l->code_adaptive + 2 * unit;
}

static void put_text(struct fx *f, uint64_t at, const char *text)
{
    put64(f, at + f->l->text_length, strlen(text));
    put64(f, at + f->l->text_state, 1u << 2 | 1u << 5 | 1u << 6); /* a byte each, compact, ASCII */
    put(f, at + f->l->text_ascii, text, strlen(text));
}

static void put_code(struct fx *f, unsigned i)
{
    const uint32_t line = 2;

    put64(f, code_at(i) + 8, CODE_TYPE);
    put64(f, code_at(i) + 16, UNITS);
    put64(f, code_at(i) + f->l->code_qualname, TEXTS + i * 0x80);
    put64(f, code_at(i) + f->l->code_filename, TEXTS + 0x180);
    put64(f, code_at(i) + f->l->code_linetable, TABLE);
    put(f, code_at(i) + f->l->code_firstlineno, &line, sizeof(line));
    put_text(f, TEXTS + i * 0x80, names[i]);
}

static void put_frame(struct fx *f, uint64_t at, uint64_t code, uint64_t instr, uint64_t previous,
                      bool is_entry)
{
    const uint8_t owner = !f->l->frame_is_entry && is_entry ? 3 : 0, entry = is_entry;

    put64(f, at + f->l->frame_code, code);
    put64(f, at + f->l->frame_instr, instr);
    put64(f, at + f->l->frame_previous, previous);
    put(f, at + f->l->frame_owner, &owner, 1);
    if (f->l->frame_is_entry)
        put(f, at + f->l->frame_is_entry, &entry, 1);
}

/* Below the end of each C frame. */
#define IN_FRAME 0xb0
#define INNER_END (STACK + 0x200)
#define OUTER_END (STACK + 0x400)

static void put_cframes(struct fx *f)
{
    const uint64_t inner = INNER_END - IN_FRAME, outer = OUTER_END - IN_FRAME;

    put64(f, THREAD + f->l->thread_frame, inner);
    put64(f, inner + f->l->cframe_frame, frame_at(0));
    put64(f, inner + f->l->cframe_previous, outer);
    put64(f, outer + f->l->cframe_frame, frame_at(2));
    put64(f, outer + f->l->cframe_previous, THREAD + f->l->thread_root);
}

static void put_stack(struct fx *f)
{
    const uint64_t inner = INNER_END - IN_FRAME, outer = OUTER_END - IN_FRAME;
    const bool has_entries = !f->l->frame_is_entry;

    put_frame(f, frame_at(0), code_at(0), instr_at(f, 0, 21), frame_at(1), false);
    put_frame(f, frame_at(1), code_at(1), instr_at(f, 1, 5), has_entries ? inner : frame_at(2),
              !has_entries);
    put_frame(f, frame_at(2), code_at(2), instr_at(f, 2, 30), has_entries ? outer : 0,
              !has_entries);
    if (f->l->has_cframes)
        put_cframes(f);
    else
        put64(f, THREAD + f->l->thread_frame, frame_at(0));
    if (!has_entries)
        return;
    /* 3.12 has both, elsewhere in the C frame. */
    const uint64_t away = f->l->has_cframes ? 0x80 : 0;
    put64(f, frame_at(1) + f->l->frame_previous, inner - away);
    put64(f, frame_at(2) + f->l->frame_previous, outer - away);
    put_frame(f, inner - away, 0, 0, frame_at(2), true);
    put_frame(f, outer - away, 0, 0, 0, true);
}

static struct orma_python_eval eval_of(uint64_t sp, uint64_t frame, uint64_t instr, bool leaf)
{
    return (struct orma_python_eval){
        .sp = sp, .cfa = sp + 0x200, .leaf = leaf, .regs_num = 3, .regs = {1, instr, frame}};
}

/* The moment of the sample: what is in memory now. */
static void take_sample(struct fx *f)
{
    memcpy(f->copy, f->bytes + (STACK - BASE), STACK_BYTES);
    f->sample = (struct orma_python_sample){.stack = f->copy,
                                            .stack_len = STACK_BYTES,
                                            .stack_address = STACK,
                                            .whole = true,
                                            .evals_num = 2};
    f->sample.evals[0] = eval_of(STACK, frame_at(0), instr_at(f, 0, 20), true);
    f->sample.evals[1] = eval_of(STACK + 0x200, frame_at(2), instr_at(f, 2, 30), false);
}

static void fill(struct fx *f)
{
    put64(f, RUNTIME + f->l->runtime_interpreters, INTERPRETER);
    put64(f, INTERPRETER + f->l->interpreter_threads, OTHER_THREAD);
    put64(f, OTHER_THREAD + f->l->thread_next, THREAD);
    put64(f, OTHER_THREAD + f->l->thread_native_id, TID + 1);
    put64(f, THREAD + f->l->thread_native_id, TID);
    for (unsigned i = 0; i < 3; i++)
        put_code(f, i);
    put_text(f, TEXTS + 0x180, "/srv/app.py");
    put64(f, TABLE + 16, sizeof(lines));
    put(f, TABLE + f->l->bytes_data, lines, sizeof(lines));
    put_stack(f);
    take_sample(f);
}

/* Words of _Py_DebugOffsets, by their numbers behind the cookie. */
static void say_offsets(uint8_t *to, uint64_t version)
{
    static const struct {
        unsigned word;
        uint64_t val;
    } said[] = {{4, 632},  {7, 0x40}, {8, 0x48}, {20, 8},   {22, 72},  {24, 160},   {28, 8},
                {29, 0},   {30, 56},  {32, 70},  {34, 112}, {36, 128}, {37, 136},   {38, 68},
                {42, 200}, {65, 32},  {67, 32},  {68, 16},  {69, 40},  {3, 1 << 20}};

    memcpy(to, "xdebugpy", 8);
    memcpy(to + 8, &version, sizeof(version));
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(said); i++)
        memcpy(to + 8 + said[i].word * 8, &said[i].val, 8);
}

static void init(struct fx *f, uint32_t version)
{
    memset(f, 0, sizeof(*f));
    f->l = orma_python_layout_of(version);
    if (f->l) {
        fill(f);
        return;
    }
    say_offsets(f->bytes, version);
    const struct orma_python_memory memory = memory_of(f);
    cr_assert(orma_python_layout_read(&memory, RUNTIME, version, &f->said));
    f->l = &f->said;
    fill(f);
}

static const uint32_t versions[] = {0x030b02f0, 0x030c01f0, 0x030d00f0};

static bool read_stack(struct fx *f)
{
    const struct orma_python_memory memory = memory_of(f);
    uint64_t thread;

    return orma_python_thread_find(&memory, f->l, RUNTIME, TID, &thread) &&
           orma_python_stack_read(&memory, f->l, thread, TID, &f->stack);
}

static bool match(struct fx *f)
{
    const struct orma_python_memory memory = memory_of(f);

    return orma_python_match(&memory, f->l, CODE_TYPE, &f->stack, &f->sample, &f->cframe);
}

static bool name_of(struct fx *f, uint32_t frame, char *ret, size_t size)
{
    const struct orma_python_memory memory = memory_of(f);
    struct orma_python_code code;

    return orma_python_code_read(&memory, f->l, CODE_TYPE, f->stack.frames[frame].code, &code) &&
           orma_python_text(&memory, f->l, code.qualname, ret, size);
}

Test(python, finds_the_functions_of_both_runs)
{
    for (unsigned v = 0; v < ORMA_ARRAY_LEN(versions); v++) {
        static struct fx f;
        char name[64];

        init(&f, versions[v]);
        cr_assert(read_stack(&f) && match(&f), "%#x", versions[v]);
        cr_assert_eq(f.stack.runs_num, 2);
        cr_assert_eq(f.sample.evals[0].first, 0);
        cr_assert_eq(f.sample.evals[0].end, 2);
        cr_assert_eq(f.sample.evals[1].first, 2);
        cr_assert_eq(f.sample.evals[1].end, 3);
        cr_assert_eq(f.sample.evals[0].instr, instr_at(&f, 0, 20), "the register's, not memory's");
        cr_assert_eq(f.sample.evals[1].instr, instr_at(&f, 2, 29), "the call is before it");
        for (unsigned i = 0; i < 3; i++) {
            cr_assert(name_of(&f, i, name, sizeof(name)));
            cr_assert_str_eq(name, names[i]);
        }
    }
    orma_assert_no_leaks();
}

Test(python, refuses_what_does_not_agree_with_the_sample)
{
    static const char *const what[] = {
        "another function has the frame of the innermost",
        "another function has the frame that called it",
        "the innermost has returned",
        "a run of the interpreter has ended",
        "another run has begun in between",
        "the sample is of no run",
        "the code is none",
        "an instruction is outside of its code",
        "the sample has fewer runs, and is whole",
    };

    for (unsigned v = 0; v < ORMA_ARRAY_LEN(versions); v++) {
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(what); i++) {
            static struct fx f;

            init(&f, versions[v]);
            cr_assert(read_stack(&f));
            struct orma_python_sample *s = &f.sample;
            switch (i) {
            case 0:
                f.stack.frames[0].code = code_at(1);
                break;
            case 1:
                f.stack.frames[1].code = TEXTS;
                break;
            case 2:
                f.stack.frames[0] = f.stack.frames[1];
                f.stack.runs[0].end = 1;
                break;
            case 3:
                f.stack.runs[0] = f.stack.runs[1];
                f.stack.runs_num = 1;
                break;
            case 4:
                f.stack.runs[2] = f.stack.runs[1];
                f.stack.runs[1] = (struct orma_python_run){STACK + 0x1000, 2};
                f.stack.runs_num = 3;
                break;
            case 5:
                s->evals_num = 0;
                break;
            case 6:
                put64(&f, code_at(0) + 8, CODE_TYPE + 8);
                break;
            case 7:
                f.stack.frames[1].instr = instr_at(&f, 1, UNITS);
                break;
            case 8:
                s->evals_num = 1;
                break;
            }
            cr_assert(!match(&f), "%#x: %s", versions[v], what[i]);
        }
    }
    orma_assert_no_leaks();
}

Test(python, shows_what_the_sample_has_of_a_stack_that_is_cut)
{
    for (unsigned v = 0; v < ORMA_ARRAY_LEN(versions); v++) {
        static struct fx f;

        init(&f, versions[v]);
        cr_assert(read_stack(&f));
        f.sample.evals_num = 1;
        f.sample.whole = false;
        f.sample.stack_len = 0x200;
        cr_assert(match(&f), "%#x", versions[v]);
        cr_assert_eq(f.sample.evals[0].end, 2);
    }
}

Test(python, knows_where_the_interpreter_keeps_its_frame_only_when_all_agrees)
{
    static struct fx f;

    init(&f, versions[0]);
    cr_assert(read_stack(&f));
    f.stack.frames[0].code = code_at(1);
    cr_assert(!match(&f));
    cr_assert_eq(f.cframe, 0);
    f.stack.frames[0].code = code_at(0);
    cr_assert(match(&f));
    cr_assert_eq(f.cframe, IN_FRAME);
    f.cframe = IN_FRAME + 8;
    cr_assert(!match(&f), "what is known is not sought again");
}

Test(python, stands_each_read_that_fails)
{
    for (unsigned v = 0; v < ORMA_ARRAY_LEN(versions); v++) {
        static struct fx f;
        char name[64];

        init(&f, versions[v]);
        put64(&f, INTERPRETER + f.l->interpreter_threads, THREAD);
        f.reads = 0;
        cr_assert(read_stack(&f) && match(&f) && name_of(&f, 0, name, sizeof(name)));
        const unsigned all = f.reads;
        for (unsigned n = 1; n <= all; n++) {
            init(&f, versions[v]);
            put64(&f, INTERPRETER + f.l->interpreter_threads, THREAD);
            f.reads = 0;
            f.fails_at = n;
            cr_assert(!(read_stack(&f) && match(&f) && name_of(&f, 0, name, sizeof(name))),
                      "%#x: read %u", versions[v], n);
        }
    }
    orma_assert_no_leaks();
}

/* Whatever a word says: it ends, and what it shows is of code objects. */
Test(python, stands_lies_in_every_word)
{
    static const uint64_t lies[] = {0,     1,         UINT64_MAX,       INT64_MAX, BASE + BYTES - 8,
                                    BASE,  THREAD,    BASE + 0x2001,    0x8000,    CODES,
                                    STACK, FRAMES_AT, FRAMES_AT + 0x80, TEXTS,     TABLE};

    for (unsigned v = 0; v < ORMA_ARRAY_LEN(versions); v++) {
        static struct fx f;
        static uint8_t good[BYTES];
        char name[64];

        init(&f, versions[v]);
        memcpy(good, f.bytes, BYTES);
        for (uint64_t at = 0; at < BYTES; at += 8) {
            for (unsigned i = 0; i < ORMA_ARRAY_LEN(lies); i++) {
                put64(&f, BASE + at, lies[i]);
                f.cframe = 0;
                if (read_stack(&f) && match(&f)) {
                    cr_assert(f.sample.evals[0].end <= f.stack.frames_num);
                    for (uint32_t n = f.sample.evals[0].first; n < f.sample.evals[0].end; n++)
                        (void)name_of(&f, n, name, sizeof(name));
                }
            }
            memcpy(f.bytes + at, good + at, 8);
        }
    }
    orma_assert_no_leaks();
}

Test(python, ends_where_frames_go_round_in_a_circle)
{
    for (unsigned v = 0; v < ORMA_ARRAY_LEN(versions); v++) {
        static struct fx f;

        init(&f, versions[v]);
        put64(&f, frame_at(0) + f.l->frame_previous, frame_at(0));
        cr_assert(read_stack(&f), "it is as deep as we look");
        cr_assert(f.stack.cut);
        cr_assert(!match(&f));
        init(&f, versions[v]);
        put64(&f, THREAD + f.l->thread_native_id, TID + 2);
        put64(&f, THREAD + f.l->thread_next, THREAD);
        cr_assert(!read_stack(&f), "threads, too");
    }
}

Test(python, tells_the_line_of_each_instruction)
{
    static struct fx f;
    struct orma_python_code code;

    init(&f, versions[0]);
    const struct orma_python_memory memory = memory_of(&f);
    cr_assert(orma_python_code_read(&memory, f.l, CODE_TYPE, code_at(0), &code));
    cr_assert_eq(code.len, 2 * UNITS);
    for (unsigned i = 0; i < UNITS; i++)
        cr_assert_eq(orma_python_line(&memory, f.l, &code, instr_at(&f, 0, i)), line_of[i], "%u",
                     i);
    cr_assert_eq(orma_python_line(&memory, f.l, &code, code.begin - 2), 2, "not begun yet");
    cr_assert_eq(orma_python_line(&memory, f.l, &code, instr_at(&f, 0, UNITS)), 0,
                 "behind the end");
    put64(&f, TABLE + 16, UINT64_MAX);
    cr_assert_eq(orma_python_line(&memory, f.l, &code, code.begin), 0, "a table without an end");
    for (unsigned len = 0; len < sizeof(lines); len++) {
        put64(&f, TABLE + 16, len);
        cr_assert(orma_python_line(&memory, f.l, &code, instr_at(&f, 0, UNITS - 1)) <= 7,
                  "cut short");
    }
    orma_assert_no_leaks();
}

Test(python, reads_texts_of_every_width)
{
    static const struct {
        const char *what, *text;
        unsigned width, num;
        uint32_t chars[4];
    } cases[] = {
        {"Latin", "\xc3\xa9t\xc3\xa9", 1, 3, {0xe9, 't', 0xe9}},
        {"two bytes", "\xe8\xa8\x88x", 2, 2, {0x8a08, 'x'}},
        {"four bytes", "\xf0\x9f\x90\x8d", 4, 1, {0x1f40d}},
        {"half of a pair", "\xef\xbf\xbd", 2, 1, {0xd83d}},
        {"a zero", "a b", 1, 3, {'a', 0, 'b'}},
        {"beyond all characters", "\xef\xbf\xbd", 4, 1, {UINT32_MAX}},
    };
    static struct fx f;
    char text[64];

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        init(&f, versions[0]);
        const struct orma_python_memory memory = memory_of(&f);
        put64(&f, TEXTS + f.l->text_length, cases[i].num);
        put64(&f, TEXTS + f.l->text_state, cases[i].width << 2 | 1u << 5);
        for (unsigned c = 0; c < cases[i].num; c++)
            put(&f, TEXTS + f.l->text_compact + c * cases[i].width, &cases[i].chars[c],
                cases[i].width);
        cr_assert(orma_python_text(&memory, f.l, TEXTS, text, sizeof(text)), "%s", cases[i].what);
        cr_assert_str_eq(text, cases[i].text, "%s", cases[i].what);
        cr_assert(orma_python_text(&memory, f.l, TEXTS, text, 6));
        cr_assert(strlen(text) < 6);
    }
    const struct orma_python_memory memory = memory_of(&f);
    put64(&f, TEXTS + f.l->text_state, 3u << 2 | 1u << 5);
    cr_assert(!orma_python_text(&memory, f.l, TEXTS, text, sizeof(text)), "three bytes each");
    put64(&f, TEXTS + f.l->text_state, 1u << 2);
    cr_assert(!orma_python_text(&memory, f.l, TEXTS, text, sizeof(text)), "elsewhere");
    orma_assert_no_leaks();
}

Test(python, refuses_layouts_that_cannot_be)
{
    static struct fx f;
    struct orma_python_layout l;
    const struct orma_python_memory memory = memory_of(&f);
    const uint32_t version = versions[2];

    say_offsets(f.bytes, version);
    cr_assert(orma_python_layout_read(&memory, RUNTIME, version, &l));
    cr_assert(!orma_python_layout_read(&memory, RUNTIME, version + 0x100, &l), "another's");
    cr_assert(!orma_python_layout_read(&memory, RUNTIME, 0x030e00f0, &l), "nobody knows its form");
    cr_assert(!orma_python_layout_read(&memory, BASE + BYTES, version, &l), "no memory");
    put64(&f, BASE + 8 + 8, 1);
    cr_assert(!orma_python_layout_read(&memory, RUNTIME, version, &l), "free-threaded");
    put64(&f, BASE + 8 + 8, 0);
    put64(&f, BASE + 8 + 29 * 8, ORMA_PYTHON_FRAME_BYTES);
    cr_assert(!orma_python_layout_read(&memory, RUNTIME, version, &l), "outside of its frame");
    say_offsets(f.bytes, version);
    put64(&f, BASE + 8 + 42 * 8, UINT64_MAX);
    cr_assert(!orma_python_layout_read(&memory, RUNTIME, version, &l), "far away");
    say_offsets(f.bytes, version);
    f.bytes[0] = 'y';
    cr_assert(!orma_python_layout_read(&memory, RUNTIME, version, &l), "not said at all");
    cr_assert_null(orma_python_layout_of(0x030a00f0));
    cr_assert_null(orma_python_layout_of(0));
}
