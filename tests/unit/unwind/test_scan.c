/* Made code without any rules: who called is found in the stack, by the code in front of returns.
 */
#include <criterion/criterion.h>

#include "probes/unwind/scan.h"
#include "probes/unwind/unwind.h"
#include "sdk/base/defs.h"
#include "tests/support/elf64.h"
#include "tests/support/leaks.h"

#if defined(__x86_64__)
#define TEXT 0x1000u
#define LOADED UINT64_C(0x7f0000000000) /* from addresses of the file to those of the process */
#define STACK UINT64_C(0x7ffff0000000)

/* Where things begin in the file, and where calls in them return to. */
#define ENTRY (TEXT + 0x00) /* call main; hlt */
#define ENTRY_RET (ENTRY + 5)
#define MAIN (TEXT + 0x100) /* call work; call *rax; call jumper; call stub */
#define WORK_RET (MAIN + 5)
#define REGISTER_RET (MAIN + 7)
#define JUMPER_RET (MAIN + 12)
#define STUB_RET (MAIN + 17)
#define WORK (TEXT + 0x200)
#define JUMPER (TEXT + 0x300)  /* jmp jumper2 */
#define JUMPER2 (TEXT + 0x380) /* jmp work */
#define STUB (TEXT + 0x400)    /* jmp *slot(%rip) */
#define THREAD (TEXT + 0x500)  /* call *r9; mov eax, edi; ...; syscall; hlt */
#define THREAD_RET (THREAD + 3)
#define TEXT_BYTES 0x600u

static void put_branch(uint8_t *code, uint8_t opcode, uint32_t at, uint32_t to)
{
    const int32_t distance = (int32_t)to - (int32_t)(at + 5);

    code[at - TEXT] = opcode;
    memcpy(code + at - TEXT + 1, &distance, sizeof(distance));
}

static struct orma_unwind_file *make(void)
{
    static const uint8_t end_of_thread[] = {0x41, 0xff, 0xd1, 0x89, 0xc7, 0x31,
                                            0xc0, 0xb0, 0x3c, 0x0f, 0x05, 0xf4};
    struct orma_elf64 elf = {.machine = ORMA_UNWIND_MACHINE, .entry = ENTRY};
    uint8_t code[TEXT_BYTES];
    struct orma_unwind_file *ret;

    memset(code, 0x90, sizeof(code));
    put_branch(code, 0xe8, ENTRY, MAIN);
    code[ENTRY_RET - TEXT] = 0xf4;
    put_branch(code, 0xe8, MAIN, WORK);
    memcpy(code + WORK_RET - TEXT, "\xff\xd0", 2);
    put_branch(code, 0xe8, REGISTER_RET, JUMPER);
    put_branch(code, 0xe8, JUMPER_RET, STUB);
    put_branch(code, 0xe9, JUMPER + 8, JUMPER2);
    put_branch(code, 0xe9, JUMPER2 + 60, WORK);
    memcpy(code + STUB - TEXT, "\xff\x25\0\1\0\0", 6);
    memcpy(code + THREAD - TEXT, end_of_thread, sizeof(end_of_thread));
    orma_elf64_add(&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, code,
                   sizeof(code));
    orma_elf64_finish(&elf);
    int fd = orma_elf64_file(&elf);
    cr_assert_eq(orma_unwind_file_read(fd, &ret), 0);
    close(fd);
    orma_elf64_fini(&elf);
    return ret;
}

static bool find(void *ctx, uint64_t pc, struct orma_unwind_code *ret)
{
    *ret = (struct orma_unwind_code){ctx, pc - LOADED};
    return pc - LOADED - TEXT < TEXT_BYTES;
}

/* Functions of 0x80 bytes: what symbols say. */
static bool start(void *ctx, uint64_t pc, uint64_t *ret)
{
    (void)ctx;
    *ret = pc & ~UINT64_C(0x7f);
    return pc - LOADED - TEXT < TEXT_BYTES;
}

struct stack {
    uint64_t words[32];
    uint64_t pc;
    bool nameless; /* no symbols */
};

static size_t unwind(struct orma_unwind_file *file, const struct stack *s, uint64_t *frames,
                     enum orma_unwind_end *ret_end)
{
    struct orma_unwind run = {.find = find,
                              .start = s->nameless ? NULL : start,
                              .ctx = file,
                              .frames = frames,
                              .frames_max = 16};
    struct orma_unwind_state state = {.known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1,
                                      .stack = (const uint8_t *)s->words,
                                      .stack_len = sizeof(s->words),
                                      .stack_address = STACK};

    state.regs[ORMA_UNWIND_SP] = STACK;
    state.regs[ORMA_UNWIND_PC] = LOADED + s->pc;
    *ret_end = orma_unwind_run(&run, &state);
    return run.frames_num;
}

static void expect(struct orma_unwind_file *file, const struct stack *s, const uint64_t *want,
                   size_t num, enum orma_unwind_end want_end)
{
    uint64_t frames[16] = {0};
    enum orma_unwind_end end;

    cr_expect_eq(unwind(file, s, frames, &end), num);
    cr_expect_eq(end, want_end);
    for (size_t i = 0; i < num; i++) /* of callers the call, not what follows it */
        cr_expect_eq(frames[i], LOADED + want[i] - !!i, "frame %zu: 0x%lx", i,
                     (unsigned long)(frames[i] - LOADED));
}

#define EXPECT(file, stack, end, ...)                                                              \
    do {                                                                                           \
        const uint64_t want_[] = {__VA_ARGS__};                                                    \
        expect(file, stack, want_, ORMA_ARRAY_LEN(want_), end);                                    \
    } while (0)

Test(scan, a_call_by_address_is_believed_before_others)
{
    struct orma_unwind_file *file = make();
    /* Words that are none, what an earlier call by register has left, and the true ones. */
    const struct stack s = {.pc = WORK + 16,
                            .words = {1, STACK + 64, LOADED + WORK + 3, LOADED + REGISTER_RET,
                                      LOADED + STUB_RET, LOADED + WORK_RET, 7, LOADED + ENTRY_RET}};

    EXPECT(file, &s, ORMA_UNWIND_COMPLETE, WORK + 16, WORK_RET, ENTRY_RET);
    orma_unwind_file_free(file);
    orma_assert_no_leaks();
}

Test(scan, calls_by_register_and_stubs_where_there_is_no_other)
{
    struct orma_unwind_file *file = make();
    const struct stack by_register = {.pc = WORK,
                                      .words = {LOADED + REGISTER_RET, LOADED + ENTRY_RET}};
    const struct stack by_stub = {.pc = WORK, .words = {0, LOADED + STUB_RET, LOADED + ENTRY_RET}};

    EXPECT(file, &by_register, ORMA_UNWIND_COMPLETE, WORK, REGISTER_RET, ENTRY_RET);
    EXPECT(file, &by_stub, ORMA_UNWIND_COMPLETE, WORK, STUB_RET, ENTRY_RET);
    orma_unwind_file_free(file);
    orma_assert_no_leaks();
}

Test(scan, functions_that_jump_on_are_followed)
{
    struct orma_unwind_file *file = make();
    const struct stack s = {
        .pc = WORK + 9, .words = {LOADED + REGISTER_RET, LOADED + JUMPER_RET, LOADED + ENTRY_RET}};

    EXPECT(file, &s, ORMA_UNWIND_COMPLETE, WORK + 9, JUMPER_RET, ENTRY_RET);
    orma_unwind_file_free(file);
    orma_assert_no_leaks();
}

Test(scan, without_symbols_the_nearest_call_is_taken)
{
    struct orma_unwind_file *file = make();
    const struct stack s = {
        .pc = WORK + 9, .nameless = true, .words = {3, LOADED + WORK_RET, 5, LOADED + ENTRY_RET}};

    EXPECT(file, &s, ORMA_UNWIND_COMPLETE, WORK + 9, WORK_RET, ENTRY_RET);
    orma_unwind_file_free(file);
    orma_assert_no_leaks();
}

Test(scan, a_thread_begins_where_it_would_end)
{
    struct orma_unwind_file *file = make();
    const struct stack s = {.pc = WORK, .words = {LOADED + THREAD_RET, LOADED + WORK_RET}};
    const struct stack lost = {.pc = WORK, .words = {1, 2, 3}};

    /* Nothing is above it, though a word looks like a return. */
    struct stack only = s;
    only.words[1] = 0;
    EXPECT(file, &only, ORMA_UNWIND_COMPLETE, WORK, THREAD_RET);
    EXPECT(file, &lost, ORMA_UNWIND_NO_RULE, WORK); /* no reason to call it whole */
    orma_unwind_file_free(file);
    orma_assert_no_leaks();
}

/* Any words as a stack, and any bytes as code: it comes to an end. */
Test(scan, hostile_bytes)
{
    struct orma_unwind_file *file = make();
    uint32_t random = 88172645;

    for (unsigned turn = 0; turn < 2000; turn++) {
        struct stack s = {.pc = TEXT + turn % TEXT_BYTES, .nameless = turn % 3 == 0};
        uint64_t frames[16];
        enum orma_unwind_end end;

        for (size_t i = 0; i < ORMA_ARRAY_LEN(s.words); i++) {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            s.words[i] = random % 4 ? LOADED + TEXT + random % (TEXT_BYTES + 8) : random;
        }
        cr_assert_leq(unwind(file, &s, frames, &end), 16);
    }
    orma_unwind_file_free(file);
    orma_assert_no_leaks();
}
#endif
