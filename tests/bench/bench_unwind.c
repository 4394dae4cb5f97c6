/*
 * Unwinding a copied stack, per frame: a recursion through the C library's qsort(), all rules known
 * (warm), and none (cold: the file is read again). The floor is one load from the copy per frame.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/unwind/unwind.h"
#include "sdk/base/defs.h"
#include "tests/bench/bench.h"

#if defined(__x86_64__)
#define DEPTH 20
#define STACK_BYTES 16384
#define FRAMES_MAX 512

struct area {
    uint64_t start, end, offset;
    struct orma_unwind_file *file;
    char path[256];
};

static struct area areas[64];
static unsigned areas_num;
static struct orma_unwind_state sampled;
static uint8_t stack[STACK_BYTES];
static volatile int sink;

static void read_areas(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], mode[5];
    unsigned long start, end, offset;

    while (maps && fgets(line, sizeof(line), maps) && areas_num < ORMA_ARRAY_LEN(areas)) {
        struct area *a = &areas[areas_num];

        *a->path = '\0';
        if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %255s", &start, &end, mode, &offset, a->path) <
                4 ||
            mode[2] != 'x')
            continue;
        a->start = start;
        a->end = end;
        a->offset = offset;
        areas_num++;
    }
    if (maps)
        fclose(maps);
}

static void read_files(void)
{
    for (unsigned i = 0; i < areas_num; i++) {
        int fd = open(areas[i].path, O_RDONLY | O_CLOEXEC);

        orma_unwind_file_free(areas[i].file);
        areas[i].file = NULL;
        if (fd < 0)
            continue;
        if (orma_unwind_file_read(fd, &areas[i].file) < 0)
            areas[i].file = NULL;
        close(fd);
    }
}

static bool find(void *ctx, uint64_t pc, struct orma_unwind_code *ret)
{
    (void)ctx;
    for (unsigned i = 0; i < areas_num; i++) {
        const struct area *a = &areas[i];

        if (pc < a->start || pc >= a->end)
            continue;
        ret->file = a->file;
        ret->address = a->file ? orma_unwind_file_address(a->file, pc - a->start + a->offset) : 0;
        return true;
    }
    return false;
}

/* The registers of this very place. */
static __attribute__((noinline)) void sample(void)
{
    uint64_t *r = sampled.regs;

    __asm__ volatile("movq %%rbx, %0\n movq %%rbp, %1\n movq %%rsp, %2\n leaq 0f(%%rip), %%rax\n"
                     "movq %%rax, %3\n0:"
                     : "=m"(r[3]), "=m"(r[ORMA_UNWIND_FP]), "=m"(r[ORMA_UNWIND_SP]),
                       "=m"(r[ORMA_UNWIND_PC])
                     :
                     : "rax", "memory");
    __asm__ volatile("movq %%r12, %0\n movq %%r13, %1\n movq %%r14, %2\n movq %%r15, %3"
                     : "=m"(r[12]), "=m"(r[13]), "=m"(r[14]), "=m"(r[15])
                     :
                     : "memory");
    sampled.known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1;
    sampled.stack_address = r[ORMA_UNWIND_SP];
    sampled.stack = stack;
    sampled.stack_len = STACK_BYTES;
    memcpy(stack, (const void *)(uintptr_t)r[ORMA_UNWIND_SP], STACK_BYTES);
}

static int depth;

static int go_deeper(const void *a, const void *b)
{
    int two[2] = {*(const int *)b, *(const int *)a};

    if (depth == DEPTH)
        return 0;
    if (++depth == DEPTH)
        sample();
    else
        qsort(two, 2, sizeof(*two), go_deeper);
    sink += two[0];
    return 0;
}

static size_t unwind_once(void)
{
    static uint64_t frames[FRAMES_MAX];
    struct orma_unwind run = {.find = find, .frames = frames, .frames_max = FRAMES_MAX};
    struct orma_unwind_state state = sampled;

    (void)orma_unwind_run(&run, &state);
    BENCH_USE(frames[0]);
    return run.frames_num;
}

static void warm(void *ctx, uint64_t ops)
{
    for (uint64_t done = 0; done < ops;)
        done += unwind_once();
    (void)ctx;
}

static void cold(void *ctx, uint64_t ops)
{
    for (uint64_t done = 0; done < ops;) {
        read_files();
        done += unwind_once();
    }
    (void)ctx;
}

static void loads(void *ctx, uint64_t ops)
{
    uint64_t sum = 0, val;

    for (uint64_t i = 0; i < ops; i++) {
        if (orma_unwind_load(&sampled, sampled.stack_address + i % 1024 * 8, &val))
            sum += val;
    }
    BENCH_USE(sum);
    (void)ctx;
}

int main(void)
{
    char room[STACK_BYTES]; /* so that the copy does not end behind the stack */
    int two[2] = {1, 2};

    memset(room, 0, sizeof(room));
    BENCH_USE(room[0]);
    read_areas();
    read_files();
    qsort(two, 2, sizeof(*two), go_deeper);
    size_t frames = unwind_once();
    bench_title("unwinding, per frame");
    struct bench_result floor = bench_run(loads, NULL, 1000000);
    bench_print("a load from the copy (floor)", floor, NULL, 0);
    bench_print("warm", bench_run(warm, NULL, 1000000), &floor, 0);
    bench_print("cold: files read again for each stack", bench_run(cold, NULL, 20 * frames), &floor,
                0);
    printf("frames in the stack: %zu\n", frames);
    return frames > DEPTH ? 0 : 1;
}
#else
int main(void)
{
    return 77; /* no unwinder for this cpu */
}
#endif
