/*
 * A hostile writer: maps the shared memory of a producer and changes headers, chunks and payload as
 * fast as it can, while the service reads them. It knows the layout, so most of what it writes
 * looks almost right.
 *
 *     flip PATH SECONDS SEED [punch]
 *
 * PATH is /proc/PID/fd/N of a memfd. `punch` also takes pages away (fallocate) and tries to
 * truncate. Ends by itself, or with its parent.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static uint64_t state;

static uint64_t dice(uint64_t sides)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % sides;
}

static void set32(uint8_t *at, uint32_t value)
{
    __atomic_store_n((uint32_t *)(void *)at, value, __ATOMIC_RELAXED);
}

/* The page header: its layout, and two bits of state per chunk. */
static void flip_page(uint8_t *page)
{
    uint32_t all_complete = 0x0aaaaaaa, any = (uint32_t)dice(1u << 28);

    set32(page, (uint32_t)dice(8) << 28 | (dice(2) ? all_complete : any));
}

/* A chunk header: number, writer, count of packets and flags; and the length of its first packet.
 */
static void flip_chunk(uint8_t *page)
{
    static const uint32_t sizes[] = {4088, 4088, 2044, 1360, 1020, 584, 292, 292};
    uint32_t size = sizes[dice(8)];
    uint8_t *chunk = page + 8 + dice(4088 / size) * size;
    uint32_t first = (uint32_t)dice(64);

    memcpy(chunk, &first, sizeof(first));
    uint16_t writer = (uint16_t)(1 + dice(4)),
             packets = (uint16_t)(dice(2) ? dice(8) : dice(65536));
    memcpy(chunk + 4, &writer, sizeof(writer));
    memcpy(chunk + 6, &packets, sizeof(packets));
    chunk[8] = (uint8_t)dice(128);
}

static void flip_payload(uint8_t *page)
{
    static const uint8_t lengths[][4] = {{0xff, 0xff, 0xff, 0x7f},
                                         {0x80, 0x80, 0x80, 0x00},
                                         {0x2a, 0x03, 'a', 'b'},
                                         {0xff, 0x1f, 0, 0}};

    if (dice(4))
        page[8 + dice(PAGE - 8)] = (uint8_t)dice(256);
    else
        memcpy(page + 8 + dice(PAGE - 16), lengths[dice(4)], 4);
}

static void flip(uint8_t *memory, size_t pages)
{
    uint8_t *page = memory + dice(pages) * PAGE;

    switch (dice(4)) {
    case 0:
        flip_page(page);
        break;
    case 1:
        flip_chunk(page);
        break;
    default:
        flip_payload(page);
    }
}

static void punch(int fd, size_t size)
{
    (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                    (off_t)(dice(size / PAGE) * PAGE));
    if (ftruncate(fd, (off_t)dice(size)) == 0)
        _exit(3); /* the seals should have refused it */
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    struct stat st;

    if (argc < 4)
        return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int fd = open(argv[1], O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return perror(argv[1]), 1;
    uint8_t *memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return perror("mmap"), 1;
    state = strtoull(argv[3], NULL, 0) * 2654435761u + 1;
    double end = now() + atof(argv[2]);
    for (uint64_t turns = 0;; turns++) {
        flip(memory, (size_t)st.st_size / PAGE);
        if (turns % 4096)
            continue;
        if (argc > 4)
            punch(fd, (size_t)st.st_size);
        const struct timespec pause = {.tv_nsec = 300000};
        (void)nanosleep(&pause, NULL); /* the service needs a core, too */
        if (now() >= end)
            return 0;
    }
}
