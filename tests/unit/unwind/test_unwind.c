/*
 * A program of every shape that unwinding has to master is executed instruction by instruction. Its
 * calls and returns are written down as they happen (the shadow stack), and at each instruction the
 * stack is unwound: both have to agree. Now and then libdwfl is asked, too.
 */
#include <alloca.h>
#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "probes/unwind/unwind.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

#ifdef HAVE_DWFL
#include <elfutils/libdwfl.h>
#endif

#define FRAMES_MAX 256
#define STACK_BYTES 16384

/* ---- the code of this process ---- */

struct area {
    uint64_t start, end, offset;
    struct orma_unwind_file *file;
    char path[256];
};

struct areas {
    struct area list[128];
    unsigned num;
};

static int open_vdso(void)
{
    const Elf64_Ehdr *elf = (const void *)getauxval(AT_SYSINFO_EHDR);
    int fd = memfd_create("vdso", MFD_CLOEXEC);
    size_t len = elf ? elf->e_shoff + (size_t)elf->e_shnum * elf->e_shentsize : 0;

    cr_assert_eq(write(fd, elf, len), (ssize_t)len);
    return fd;
}

static void read_areas(struct areas *ret)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];

    ret->num = 0;
    while (fgets(line, sizeof(line), maps) && ret->num < ORMA_ARRAY_LEN(ret->list)) {
        struct area *a = &ret->list[ret->num];
        unsigned long start, end, offset;
        char mode[5] = "";

        memset(a, 0, sizeof(*a));
        if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %255s", &start, &end, mode, &offset, a->path) <
                4 ||
            mode[2] != 'x')
            continue;
        a->start = start;
        a->end = end;
        a->offset = offset;
        int fd = !strcmp(a->path, "[vdso]") ? open_vdso() : open(a->path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            (void)orma_unwind_file_read(fd, &a->file);
            close(fd);
        }
        ret->num++;
    }
    fclose(maps);
}

static void free_areas(struct areas *self)
{
    for (unsigned i = 0; i < self->num; i++)
        orma_unwind_file_free(self->list[i].file);
}

static bool find(void *ctx, uint64_t pc, struct orma_unwind_code *ret)
{
    const struct areas *self = ctx;

    for (unsigned i = 0; i < self->num; i++) {
        const struct area *a = &self->list[i];

        if (pc < a->start || pc >= a->end)
            continue;
        ret->file = a->file;
        ret->address = a->file ? orma_unwind_file_address(a->file, pc - a->start + a->offset) : 0;
        return true;
    }
    return false;
}

#if defined(__x86_64__)
/* ---- what is executed ---- */

static volatile unsigned long burnt;

static __attribute__((noinline)) int compare(const void *a, const void *b)
{
    burnt++;
    return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) int recursion(int n)
{
    return n ? recursion(n - 1) + n : (int)burnt;
}

/* Each call returns to the same place. It keeps a frame pointer, of which its rules say nothing. */
void recursion_with_frames(int n);
extern const char recursion_has_frame[];
__asm__(".text\n.type recursion_with_frames, @function\n"
        "recursion_with_frames:\n.cfi_startproc\n"
        "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        "recursion_has_frame:\n"
        "testl %edi, %edi\nje 1f\ndecl %edi\ncall recursion_with_frames\n"
        "1: popq %rbp\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
        ".size recursion_with_frames, . - recursion_with_frames\n");

static __attribute__((noinline)) void take(volatile char *memory, int n)
{
    for (int i = 0; i < n; i++)
        memory[i] = (char)i;
}

/* Its frame has no fixed size. */
static __attribute__((noinline)) void dynamic(int n)
{
    char *memory = alloca((size_t)n * 16);

    take(memory, n);
    burnt += (unsigned long)memory[0];
}

/* Its stack pointer is moved to a border of 64 bytes. */
static __attribute__((noinline)) void aligned(int n)
{
    _Alignas(64) char memory[128];

    take(memory, n);
    burnt += (unsigned long)memory[1] + (uintptr_t)memory % 64;
}

static __attribute__((noinline)) void many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    char text[64];

    snprintf(text, sizeof(text), "%d %d %d %d %d %d %d %d %.3f", a, b, c, d, e, f, g, h, a / 3.0);
    burnt += strlen(text);
}

static void on_signal(int sig)
{
    dynamic(sig);
}

static __attribute__((noinline)) void all_shapes(void)
{
    int numbers[24];

    for (int i = 0; i < 24; i++)
        numbers[i] = i * 7919 % 101;
    qsort(numbers, 24, sizeof(*numbers), compare);
    burnt += (unsigned long)recursion(30);
    recursion_with_frames(8);
    dynamic(20);
    aligned(20);
    many(1, 2, 3, 4, 5, 6, 7, 8);
    free(malloc(100));
    (void)getppid();
    raise(SIGUSR1);
}

/* ---- stepping ---- */

struct tracee {
    pid_t pid;
    struct user_regs_struct regs;
    uint8_t stack[STACK_BYTES];
    size_t stack_len;
    uint64_t shadow[FRAMES_MAX]; /* return addresses, outermost first, */
    uint64_t places[FRAMES_MAX]; /* and where they are */
    unsigned depth;
};

static bool read_memory(const struct tracee *t, uint64_t from, void *to, size_t len)
{
    struct iovec local = {to, len}, remote = {(void *)(uintptr_t)from, len};

    return process_vm_readv(t->pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static bool look(struct tracee *t)
{
    if (ptrace(PTRACE_GETREGS, t->pid, NULL, &t->regs) < 0)
        return false;
    for (t->stack_len = 0; t->stack_len < STACK_BYTES;) { /* page by page: it ends somewhere */
        uint64_t from = t->regs.rsp + t->stack_len;
        size_t len = ORMA_MIN(4096 - from % 4096, STACK_BYTES - t->stack_len);

        if (!read_memory(t, from, t->stack + t->stack_len, len))
            break;
        t->stack_len += len;
    }
    return true;
}

/* The stack one instruction before: the next one joins it where memory and marks are the same. */
struct before {
    struct orma_unwind_mark marks[FRAMES_MAX];
    uint64_t frames[FRAMES_MAX], address, top;
    size_t num, len;
    uint8_t stack[STACK_BYTES];
};

static struct before before;
static unsigned joined_num;

/* Where the two copies begin to be the same, up to the end of both. */
static uint64_t same_from(const struct orma_unwind_state *now)
{
    uint64_t end = ORMA_MIN(now->stack_address + now->stack_len, before.address + before.len);
    uint64_t at = end;

    while (at > now->stack_address && at > before.address &&
           now->stack[at - 1 - now->stack_address] == before.stack[at - 1 - before.address])
        at--;
    return before.top <= end ? at : UINT64_MAX;
}

static void join_too(struct areas *areas, struct orma_unwind_state state, const uint64_t *frames,
                     size_t num, enum orma_unwind_end end)
{
    static uint64_t mine[FRAMES_MAX];
    static struct orma_unwind_mark marks[FRAMES_MAX];
    struct orma_unwind_past past = {
        .marks = before.marks, .num = before.num, .from = same_from(&state), .until = UINT64_MAX};
    struct orma_unwind run = {.find = find,
                              .ctx = areas,
                              .frames = mine,
                              .frames_max = FRAMES_MAX,
                              .marks = marks,
                              .past = &past};
    struct orma_unwind_state begun = state;
    bool joined = orma_unwind_run(&run, &state) == ORMA_UNWIND_JOINED;

    if (joined) {
        joined_num++;
        cr_assert_eq(end, ORMA_UNWIND_COMPLETE);
        cr_assert_eq(run.frames_num + before.num - past.joined, num);
        memcpy(mine + run.frames_num, before.frames + past.joined,
               (num - run.frames_num) * sizeof(*mine));
    }
    cr_assert_arr_eq(mine, frames, num * sizeof(*frames));
    run.past = NULL;
    state = begun;
    before.num = orma_unwind_run(&run, &state) == ORMA_UNWIND_COMPLETE ? num : 0;
    memcpy(before.marks, marks, num * sizeof(*marks));
    memcpy(before.frames, frames, num * sizeof(*frames));
    memcpy(before.stack, begun.stack, begun.stack_len);
    before.address = begun.stack_address;
    before.len = begun.stack_len;
    before.top = state.regs[ORMA_UNWIND_SP];
}

static unsigned leaves; /* steps whose caller could be told without a frame pointer */

/* The frame pointer leaves out the caller of what has made no frame yet; not of what has. */
static void check_leaf(const struct tracee *t, bool left_out, uint64_t caller)
{
    if (left_out) {
        leaves++;
        cr_assert_eq(caller, t->shadow[t->depth - 1], "pc %llx", t->regs.rip);
        cr_assert_neq(t->regs.rbp + 8, t->places[t->depth - 1], "pc %llx", t->regs.rip);
    }
    if (t->regs.rip == (uintptr_t)recursion_with_frames)
        cr_assert(left_out);
    if (t->regs.rip == (uintptr_t)recursion_has_frame)
        cr_assert_not(left_out);
}

static enum orma_unwind_end unwind(struct tracee *t, struct areas *areas, uint64_t *frames,
                                   size_t *num)
{
    const struct user_regs_struct *r = &t->regs;
    struct orma_unwind run = {
        .find = find, .ctx = areas, .frames = frames, .frames_max = FRAMES_MAX};
    struct orma_unwind_state state = {
        .regs = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9,
                 r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip},
        .known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1,
        .stack = t->stack,
        .stack_len = t->stack_len,
        .stack_address = r->rsp,
    };
    const struct orma_unwind_state begun = state;
    uint64_t caller = 0;
    const bool left_out = orma_unwind_leaf_caller(&run, &begun, &caller);

    check_leaf(t, left_out, caller);
    enum orma_unwind_end end = orma_unwind_run(&run, &state);

    *num = run.frames_num;
    join_too(areas, begun, frames, *num, end);
    return end;
}

/* What the instruction at pc does with the stack of calls: 1 a call, -1 a return, 0 neither. */
static int kind_of(const uint8_t code[8])
{
    unsigned at = 0;

    while (at < 4 && (code[at] == 0xf2 || code[at] == 0xf3 || code[at] == 0x3e ||
                      (code[at] & 0xf0) == 0x40 || code[at] == 0x67))
        at++;
    if (code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] & 0x38) == 0x10))
        return 1;
    return code[at] == 0xc3 || code[at] == 0xc2 ? -1 : 0;
}

/* False: it has ended. */
static bool step(struct tracee *t)
{
    uint8_t code[8] = {0};
    uint64_t sp = t->regs.rsp, back;
    int status;

    (void)read_memory(t, t->regs.rip, code, sizeof(code));
    int kind = kind_of(code);
    if (ptrace(PTRACE_SINGLESTEP, t->pid, NULL, NULL) < 0 ||
        waitpid(t->pid, &status, 0) != t->pid || !WIFSTOPPED(status))
        return false;
    if (WSTOPSIG(status) !=
        SIGTRAP) { /* hand the signal on, and stop watching: no call led there */
        return false;
    }
    if (!look(t))
        return false;
    if (kind > 0 && t->regs.rsp == sp - 8 && t->depth < FRAMES_MAX) {
        memcpy(&back, t->stack, sizeof(back));
        t->places[t->depth] = t->regs.rsp;
        t->shadow[t->depth++] = back;
    }
    if (kind < 0 && t->depth)
        t->depth--;
    return t->depth > 0;
}

static void describe(const struct tracee *t, const uint64_t *frames, size_t num, char *ret,
                     size_t size)
{
    size_t at = (size_t)snprintf(ret, size, "pc %llx unwound:", (unsigned long long)t->regs.rip);

    for (size_t i = 0; i < num && at < size; i++)
        at += (size_t)snprintf(ret + at, size - at, " %lx", (unsigned long)frames[i]);
    if (at < size)
        at += (size_t)snprintf(ret + at, size - at, " called:");
    for (unsigned i = t->depth; i-- > 0 && at < size;)
        at += (size_t)snprintf(ret + at, size - at, " %lx", (unsigned long)t->shadow[i]);
}

/* The return addresses that were pushed are those that were found. */
static bool agrees(const struct tracee *t, const uint64_t *frames, size_t num)
{
    if (num < t->depth + 1 || frames[0] != t->regs.rip)
        return false;
    for (unsigned i = 0; i < t->depth; i++) {
        if (frames[i + 1] + 1 != t->shadow[t->depth - 1 - i])
            return false;
    }
    return true;
}

static pid_t start(void)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    signal(SIGUSR1, on_signal);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
        _exit(2);
    raise(SIGSTOP);
    all_shapes();
    _exit(0);
}

/* From the stop in raise() up to the call of all_shapes(). */
static bool run_to(struct tracee *t, uint64_t pc)
{
    long word = ptrace(PTRACE_PEEKTEXT, t->pid, (void *)(uintptr_t)pc, NULL);
    int status;

    if (ptrace(PTRACE_POKETEXT, t->pid, (void *)(uintptr_t)pc, (void *)((word & ~0xffL) | 0xcc)) <
            0 ||
        ptrace(PTRACE_CONT, t->pid, NULL, NULL) < 0 || waitpid(t->pid, &status, 0) != t->pid ||
        !WIFSTOPPED(status) || !look(t))
        return false;
    t->regs.rip = pc;
    return ptrace(PTRACE_POKETEXT, t->pid, (void *)(uintptr_t)pc, (void *)word) >= 0 &&
           ptrace(PTRACE_SETREGS, t->pid, NULL, &t->regs) >= 0 && look(t);
}

#ifdef HAVE_DWFL
struct oracle {
    uint64_t pcs[FRAMES_MAX];
    size_t num;
};

static int take_frame(Dwfl_Frame *frame, void *arg)
{
    struct oracle *self = arg;
    Dwarf_Addr pc;
    bool activation;

    if (self->num == FRAMES_MAX || !dwfl_frame_pc(frame, &pc, &activation))
        return DWARF_CB_ABORT;
    self->pcs[self->num++] = activation ? pc : pc - 1;
    return DWARF_CB_OK;
}

static Dwfl *attach(pid_t pid)
{
    static char *no_debug_info = NULL;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .debuginfo_path = &no_debug_info};
    Dwfl *dwfl = dwfl_begin(&callbacks);

    if (dwfl && (dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
                 dwfl_linux_proc_attach(dwfl, pid, true))) {
        dwfl_end(dwfl);
        return NULL;
    }
    return dwfl;
}

/* As far as libdwfl comes: it ends at some places where we go on. */
static bool oracle_agrees(pid_t pid, const uint64_t *frames, size_t num)
{
    struct oracle o = {.num = 0};
    Dwfl *dwfl = attach(pid);

    if (!dwfl)
        return true;
    (void)dwfl_getthread_frames(dwfl, pid, take_frame, &o);
    dwfl_end(dwfl);
    size_t both = ORMA_MIN(o.num, num);
    return !both || !memcmp(o.pcs, frames, both * sizeof(*frames));
}
#else
static bool oracle_agrees(pid_t pid, const uint64_t *frames, size_t num)
{
    (void)pid;
    (void)frames;
    return num > 0;
}
#endif

Test(unwind, agrees_with_the_calls_at_every_instruction)
{
    static struct tracee t;
    static struct areas areas;
    uint64_t frames[FRAMES_MAX];
    unsigned steps = 0, wrong = 0, oracle_wrong = 0, cut = 0;
    char first[2000] = "";
    size_t num;
    int status;

    read_areas(&areas);
    t.pid = start();
    cr_assert_gt(t.pid, 0);
    cr_assert_eq(waitpid(t.pid, &status, 0), t.pid);
    if (!WIFSTOPPED(status))
        cr_skip_test("no tracing of processes here");
    cr_assert(run_to(&t, (uint64_t)(uintptr_t)all_shapes));
    t.places[0] = t.regs.rsp;
    memcpy(&t.shadow[t.depth++], t.stack, sizeof(uint64_t));
    do {
        enum orma_unwind_end end = unwind(&t, &areas, frames, &num);

        cut += end != ORMA_UNWIND_COMPLETE;
        if (!agrees(&t, frames, num) && !wrong++)
            describe(&t, frames, num, first, sizeof(first));
        if (steps % 199 == 0)
            oracle_wrong += !oracle_agrees(t.pid, frames, num);
        steps++;
    } while (step(&t));
    kill(t.pid, SIGKILL);
    waitpid(t.pid, NULL, 0);
    cr_expect_gt(steps, 5000);
    cr_expect_eq(wrong, 0, "%u of %u, first %s", wrong, steps, first);
    cr_expect_eq(oracle_wrong, 0, "%u", oracle_wrong);
    cr_expect_eq(cut, 0, "%u of %u end early", cut, steps);
    cr_expect_gt(leaves, steps / 4, "%u of %u", leaves, steps);
    cr_expect_gt(joined_num, steps / 2, "most of a stack is that of the instruction before");
    free_areas(&areas);
    orma_assert_no_leaks();
}

/* ---- signals ---- */

static struct {
    struct areas areas;
    uint64_t frames[FRAMES_MAX];
    size_t num;
    enum orma_unwind_end end;
    uint64_t interrupted;
} caught;

static void on_fault(int sig, siginfo_t *info, void *arg)
{
    const greg_t *g = ((ucontext_t *)arg)->uc_mcontext.gregs;
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    struct orma_unwind run = {
        .find = find, .ctx = &caught.areas, .frames = caught.frames, .frames_max = FRAMES_MAX};
    struct orma_unwind_state state = {.known = 0};

    (void)sig;
    (void)info;
    caught.interrupted = (uint64_t)g[REG_RIP];
    /* As if this handler had been sampled at its return. */
    state.regs[ORMA_UNWIND_PC] = *(uint64_t *)(uintptr_t)(here + 8);
    state.regs[ORMA_UNWIND_SP] = here + 16;
    state.known = ORMA_UNWIND_BIT(ORMA_UNWIND_PC) | ORMA_UNWIND_BIT(ORMA_UNWIND_SP);
    state.stack_address = here;
    state.stack = (const uint8_t *)(uintptr_t)here;
    state.stack_len = 8192;
    caught.end = orma_unwind_run(&run, &state);
    caught.num = run.frames_num;
}

Test(unwind, goes_on_where_a_signal_interrupted)
{
    struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    read_areas(&caught.areas);
    sigaction(SIGUSR2, &act, NULL);
    raise(SIGUSR2);
    cr_expect_gt(caught.num, 3);
    cr_expect_eq(caught.frames[1], caught.interrupted, "the very instruction, not the one before");
    cr_expect_eq(caught.end, ORMA_UNWIND_COMPLETE);
    free_areas(&caught.areas);
    orma_assert_no_leaks();
}

/* As if the caller had been sampled where we return to. */
static __attribute__((noinline)) void unwind_caller(void)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    struct orma_unwind run = {
        .find = find, .ctx = &caught.areas, .frames = caught.frames, .frames_max = FRAMES_MAX};
    struct orma_unwind_state state = {.known = ORMA_UNWIND_BIT(ORMA_UNWIND_PC) |
                                               ORMA_UNWIND_BIT(ORMA_UNWIND_SP) |
                                               ORMA_UNWIND_BIT(ORMA_UNWIND_FP)};

    state.regs[ORMA_UNWIND_PC] = *(uint64_t *)(uintptr_t)(here + 8);
    state.regs[ORMA_UNWIND_FP] = *(uint64_t *)(uintptr_t)here;
    state.regs[ORMA_UNWIND_SP] = here + 16;
    state.stack_address = here;
    state.stack = (const uint8_t *)(uintptr_t)here;
    state.stack_len = 8192;
    caught.end = orma_unwind_run(&run, &state);
    caught.num = run.frames_num;
}

static uint64_t returns_to; /* of the handler, or of the coroutine */

static __attribute__((noinline)) void on_handled(int sig)
{
    (void)sig;
    returns_to = (uint64_t)(uintptr_t)__builtin_return_address(0);
    unwind_caller();
    __asm__ volatile("");
}

Test(unwind, what_a_handler_returns_to_is_no_call)
{
    struct sigaction act = {.sa_handler = on_handled};

    read_areas(&caught.areas);
    sigaction(SIGUSR2, &act, NULL);
    raise(SIGUSR2);
    cr_assert_gt(caught.num, 3);
    cr_expect_eq(caught.frames[1], returns_to, "the first byte of the trampoline");
    cr_expect_eq(caught.end, ORMA_UNWIND_COMPLETE);
    free_areas(&caught.areas);
}

static ucontext_t outside, inside;

static __attribute__((noinline)) void on_stack_of_its_own(void)
{
    returns_to = (uint64_t)(uintptr_t)__builtin_return_address(0);
    unwind_caller();
    __asm__ volatile("");
}

Test(unwind, a_coroutine_begins_where_its_context_was_made)
{
    static char stack[64 << 10];

    read_areas(&caught.areas);
    getcontext(&inside);
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof(stack)};
    inside.uc_link = &outside;
    makecontext(&inside, on_stack_of_its_own, 0);
    cr_assert_eq(swapcontext(&outside, &inside), 0);
    cr_assert_eq(caught.num, 2);
    cr_expect_eq(caught.frames[1], returns_to, "the first byte of a function");
    cr_expect_eq(caught.end, ORMA_UNWIND_COMPLETE);
    free_areas(&caught.areas);
}

/* As vfork() does: its child would overwrite a return address on the stack that both have. */
__asm__(".text\n .type pops_its_return, @function\n pops_its_return:\n .cfi_startproc\n"
        "popq %rdi\n .cfi_adjust_cfa_offset -8\n .cfi_register %rip, %rdi\n"
        "popped: nop\n pushq %rdi\n .cfi_adjust_cfa_offset 8\n .cfi_offset %rip, -8\n ret\n"
        ".cfi_endproc\n .size pops_its_return, . - pops_its_return\n");
extern const char popped[];

Test(unwind, a_return_address_in_a_register)
{
    const uint64_t caller = (uint64_t)(uintptr_t)&on_stack_of_its_own + 8;
    uint64_t stack[64] = {0};
    struct orma_unwind run = {
        .find = find, .ctx = &caught.areas, .frames = caught.frames, .frames_max = FRAMES_MAX};
    struct orma_unwind_state state = {.known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1};

    read_areas(&caught.areas);
    state.regs[ORMA_UNWIND_PC] = (uint64_t)(uintptr_t)popped;
    state.regs[ORMA_UNWIND_SP] = (uint64_t)(uintptr_t)stack;
    state.regs[5] = caller; /* rdi */
    state.stack_address = (uint64_t)(uintptr_t)stack;
    state.stack = (const uint8_t *)stack;
    state.stack_len = sizeof(stack);
    (void)orma_unwind_run(&run, &state);
    cr_assert_geq(run.frames_num, 2);
    cr_expect_eq(caught.frames[0], (uint64_t)(uintptr_t)popped);
    cr_expect_eq(caught.frames[1], caller - 1);
    free_areas(&caught.areas);
}
#endif
