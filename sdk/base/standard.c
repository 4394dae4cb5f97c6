#include "sdk/base/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sdk/base/defs.h"

ORMA_COLD int orma_standard_avoid(int fd)
{
    if (fd < 0)
        return -errno;
    if (fd > STDERR_FILENO)
        return fd;
    int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (other < 0)
        other = -errno;
    (void)close(fd); /* the other one is the same file */
    return other;
}
