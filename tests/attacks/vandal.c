/*
 * A program that `orma heap` watches, and whose child writes into the memory that it shares:
 * `vandal PLACE OFFSET VALUE`, PLACE being "reader" or "programs". Exit code 3: there is no such
 * memory.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdk/heap/shared.h"

#define NUM 200

static void *volatile kept[2 * NUM];

static __attribute__((noinline)) void keep(unsigned from)
{
    for (unsigned i = from; i < from + NUM; i++)
        kept[i] = malloc(65536);
}

/* A line of /proc/self/maps with this name, and its start. */
static uint8_t *find(const char *name)
{
    FILE *f = fopen("/proc/self/maps", "r");
    unsigned long long start, found = 0;
    char line[512];

    while (f && !found && fgets(line, sizeof(line), f)) {
        if (strstr(line, name) && sscanf(line, "%llx", &start) == 1)
            found = start;
    }
    if (f)
        fclose(f);
    return (uint8_t *)(uintptr_t)found;
}

/* By the file, which it was told of, and by the mapping; with the last, it may end. */
static void write_everywhere(uint8_t *place, size_t offset, uint64_t value)
{
    const char *paths = getenv(ORMA_HEAP_ENV), *second = paths ? strchr(paths, ':') : NULL;
    int fd = second ? open(second + 1, O_RDWR) : -1;

    if (fd >= 0) {
        void *again = mmap(NULL, ORMA_HEAP_READER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        bool written = pwrite(fd, &value, sizeof(value), (off_t)offset) > 0;
        bool holed = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0;
        bool cut = ftruncate(fd, 0) == 0;

        if (again != MAP_FAILED || written || holed || cut)
            puts("the reader's file was changed");
    }
    fflush(stdout);
    (void)mprotect(place, ORMA_HEAP_READER_BYTES, PROT_READ | PROT_WRITE);
    memcpy(place + offset, &value, sizeof(value));
}

int main(int argc, char **argv)
{
    uint8_t *reader, *programs;
    int status;

    keep(0);
    reader = find("memfd:orma-heap-reader");
    programs = find("memfd:orma-heap (");
    if (argc != 4 || !programs)
        return 3;
    if (!reader) /* a kernel without the seal */
        reader = programs;
    else
        programs -= ORMA_HEAP_READER_BYTES; /* behind those of the reader */
    pid_t child = fork();
    if (child == 0) {
        size_t offset = strtoull(argv[2], NULL, 0);
        write_everywhere(*argv[1] == 'r' ? reader
                                         : programs + offsetof(struct orma_heap_shared, head),
                         offset, strtoull(argv[3], NULL, 0));
        _exit(0);
    }
    waitpid(child, &status, 0);
    usleep(20000); /* it is noticed */
    keep(NUM);
    return 0;
}
