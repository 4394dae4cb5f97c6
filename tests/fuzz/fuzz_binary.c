/* Any bytes as a binary: headers, symbols, and what is at some addresses. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "processor/symbols/binary.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct orma_binary *binary)
{
    struct orma_source_frame frames[ORMA_SOURCE_FRAMES_MAX];

    /* The seeds have their code here; other places come from broken tables. */
    for (uint64_t pc = 0x401000; pc < 0x401080; pc += 3)
        (void)orma_binary_frames(binary, pc, frames);
    (void)orma_binary_frames(binary, 0, frames);
    (void)orma_binary_frames(binary, UINT64_MAX, frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_binary *binary = NULL;
    char path[64];
    ORMA_AUTO(orma_fd_close) int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0 || (size && orma_fd_write_all(fd, data, size) < 0))
        return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (orma_binary_open(path, &binary) == 0)
        ask(binary);
    orma_binary_free(binary);
    return 0;
}
