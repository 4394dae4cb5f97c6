/* Any bytes as a program with rules for unwinding, and as a stack: unwinding ends, and stays
 * inside. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probes/unwind/expr.h"
#include "probes/unwind/unwind.h"

#define FRAMES_MAX 64

static bool find(void *ctx, uint64_t pc, struct orma_unwind_code *ret)
{
    *ret = (struct orma_unwind_code){ctx, pc & 0xffffff};
    return pc % 7 != 0;
}

static bool start(void *ctx, uint64_t pc, uint64_t *ret)
{
    (void)ctx;
    *ret = pc & ~UINT64_C(63);
    return pc % 5 != 0;
}

static void unwind(struct orma_unwind_file *file, const uint8_t *stack, size_t len)
{
    uint64_t frames[FRAMES_MAX];
    struct orma_unwind run = {
        .find = find, .start = start, .ctx = file, .frames = frames, .frames_max = FRAMES_MAX};
    struct orma_unwind_state state = {
        .known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1, .stack = stack, .stack_len = len};

    for (unsigned i = 0; i < ORMA_UNWIND_REGS && (i + 1) * 8 <= len; i++)
        memcpy(&state.regs[i], stack + i * 8, 8);
    state.regs[ORMA_UNWIND_SP] = state.stack_address = 0x1000;
    (void)orma_unwind_run(&run, &state);
    if (run.frames_num > FRAMES_MAX)
        abort();
}

/* Each start of a function, and a bit behind it. */
static void ask(struct orma_unwind_file *file)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf index = {0};
    const struct orma_unwind_cfi_entry *entries;

    orma_unwind_cfi_index(orma_unwind_file_section(file), &index);
    entries = (const void *)index.data;
    for (size_t i = 0; i < ORMA_MIN(index.len / sizeof(*entries), (size_t)64); i++) {
        for (unsigned add = 0; add < 32; add += 5)
            (void)orma_unwind_file_rule(file, entries[i].start + add);
    }
    (void)orma_unwind_file_frame_pointers(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* exactly as long: one byte further is seen */
    struct orma_unwind_file *file;
    struct orma_unwind_state state = {.known = UINT64_MAX, .stack = data, .stack_len = size};
    uint64_t value;

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    (void)orma_unwind_expr(copy, size, &state, NULL, &value);
    const struct orma_unwind_section section = {copy, size, 0x1000};
    ORMA_AUTO(orma_buf_fini) struct orma_buf index = {0};
    orma_unwind_cfi_index(&section, &index);
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, copy, size) == (ssize_t)size &&
        orma_unwind_file_read(fd, &file) == 0) {
        ask(file);
        unwind(file, copy, size);
        orma_unwind_file_free(file);
    }
    if (fd >= 0)
        close(fd);
    free(copy);
    return 0;
}
