/*
 * In front of an orma (LD_PRELOAD): a disk to which nothing gets within 400 ms.
 */
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int fdatasync(int fd);

int fdatasync(int fd)
{
    const struct timespec t = {.tv_nsec = 400000000};

    (void)fd;
    nanosleep(&t, NULL);
    return 0;
}
