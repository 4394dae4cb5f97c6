/*
 * This process unwinds its own stack, from inside its own functions and from those that the C
 * library calls back, and compares with what the compiler's library says. A plain program, so that
 * it runs for other cpus in an emulator (aarch64.py).
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "probes/unwind/unwind.h"

#define FRAMES_MAX 200
#define STACK_BYTES 16384
#define FILES_MAX 32

struct area {
    uint64_t start, end, offset;
    struct orma_unwind_file *file;
};

static struct area areas[FILES_MAX];
static unsigned areas_num, failed, checks;
static volatile int depth_wanted = 20;
static uint64_t stack_end;

static void find_stack(void)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;

    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        (void)pthread_attr_getstack(&attr, &low, &size);
        (void)pthread_attr_destroy(&attr);
    }
    stack_end = (uintptr_t)low + size;
}

/* The programs and libraries in this process. */
static void read_areas(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], access[8], path[256];
    unsigned long long from, to, offset;

    while (maps && areas_num < FILES_MAX && fgets(line, sizeof(line), maps)) {
        struct area *a = &areas[areas_num];

        if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %255s", &from, &to, access, &offset, path) !=
                5 ||
            access[2] != 'x' || *path != '/')
            continue;
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        *a = (struct area){from, to, offset, NULL};
        if (fd >= 0 && orma_unwind_file_read(fd, &a->file) == 0)
            areas_num++;
        if (fd >= 0)
            close(fd);
    }
    if (maps)
        fclose(maps);
}

static bool find(void *ctx, uint64_t pc, struct orma_unwind_code *ret)
{
    (void)ctx;
    for (unsigned i = 0; i < areas_num; i++) {
        if (pc < areas[i].start || pc >= areas[i].end)
            continue;
        ret->file = areas[i].file;
        ret->address =
            orma_unwind_file_address(areas[i].file, pc - areas[i].start + areas[i].offset);
        return true;
    }
    return false;
}

struct seen {
    uint64_t pcs[FRAMES_MAX];
    unsigned num;
};

static _Unwind_Reason_Code see(struct _Unwind_Context *context, void *arg)
{
    struct seen *seen = arg;

    if (seen->num < FRAMES_MAX)
        seen->pcs[seen->num++] = (uint64_t)_Unwind_GetIP(context);
    return _URC_NO_REASON;
}

#if defined(__x86_64__)
#define SAVE(regs)                                                                                 \
    __asm__ volatile("movq %%rbx, 24(%0)\n movq %%rbp, 48(%0)\n movq %%rsp, 56(%0)\n"              \
                     "movq %%r12, 96(%0)\n movq %%r13, 104(%0)\n movq %%r14, 112(%0)\n"            \
                     "movq %%r15, 120(%0)\n leaq 0f(%%rip), %%rcx\n movq %%rcx, 128(%0)\n0:"       \
                     :                                                                             \
                     : "r"(regs)                                                                   \
                     : "rcx", "memory")
#elif defined(__aarch64__)
#define SAVE(regs)                                                                                 \
    __asm__ volatile(                                                                              \
        "stp x19, x20, [%0, 152]\n stp x21, x22, [%0, 168]\n stp x23, x24, [%0, 184]\n"            \
        "stp x25, x26, [%0, 200]\n stp x27, x28, [%0, 216]\n stp x29, x30, [%0, 232]\n"            \
        "mov x9, sp\n adr x10, .\n stp x9, x10, [%0, 248]"                                         \
        :                                                                                          \
        : "r"(regs)                                                                                \
        : "x9", "x10", "memory")
#endif

/* Both from here: the callers of this function have to be the same, to the byte. */
static __attribute__((noinline)) void check(const char *where)
{
    static uint8_t copy[STACK_BYTES] __attribute__((aligned(16)));
    struct orma_unwind_state state = {.known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1};
    uint64_t frames[FRAMES_MAX];
    struct orma_unwind unwind = {.find = find, .frames = frames, .frames_max = FRAMES_MAX};
    struct seen seen = {.num = 0};

    SAVE(state.regs);
    state.stack_address = state.regs[ORMA_UNWIND_SP];
    state.stack = copy;
    state.stack_len = stack_end - state.stack_address;
    if (state.stack_len > sizeof(copy))
        state.stack_len = sizeof(copy);
    memcpy(copy, (const void *)(uintptr_t)state.stack_address, state.stack_len);
    (void)_Unwind_Backtrace(see, &seen);
    enum orma_unwind_end end = orma_unwind_run(&unwind, &state);
    checks++;
    bool same = end == ORMA_UNWIND_COMPLETE && unwind.frames_num >= 4 && !unwind.guessed;
    /* The first of theirs is this function; both give return addresses, ours of the call before. */
    for (unsigned i = 1; same && i < unwind.frames_num && i < seen.num; i++)
        same = frames[i] + 1 == (seen.pcs[i] & ORMA_UNWIND_CODE_MASK);
    if (same)
        return;
    failed++;
    printf("%s: end %d, %zu frames of ours, %u of theirs\n", where, (int)end, unwind.frames_num,
           seen.num);
    for (unsigned i = 0; i < unwind.frames_num || i < seen.num; i++)
        printf("  %#llx %#llx\n", i < unwind.frames_num ? (unsigned long long)frames[i] : 0,
               i < seen.num ? (unsigned long long)seen.pcs[i] : 0);
}

static __attribute__((noinline)) int down(int n)
{
    volatile char room[64];

    room[n % 64] = (char)n;
    if (!n)
        check("recursion");
    else
        n += down(n - 1);
    return n + room[0];
}

static int compare(const void *a, const void *b)
{
    static int calls;

    if (++calls % 50 == 1)
        check("called back by qsort()");
    return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) int with_alloca(volatile int n)
{
    volatile char *room = __builtin_alloca((size_t)n * 16);

    room[0] = 1;
    check("alloca");
    return room[0];
}

int main(void)
{
    int values[100];

    find_stack();
    read_areas();
    for (int i = 0; i < 100; i++)
        values[i] = i * 7919 % 101;
    check("main");
    int sum = down(depth_wanted);
    qsort(values, 100, sizeof(*values), compare);
    sum += with_alloca(20);
    printf("%u stacks, %u differ (%d)\n", checks, failed, sum);
    for (unsigned i = 0; i < areas_num; i++)
        orma_unwind_file_free(areas[i].file);
    return failed || checks < 6 || !areas_num;
}
