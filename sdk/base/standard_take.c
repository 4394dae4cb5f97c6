/* Not for programs of others, and so in a file of its own: see tools/amalgamate.py. */
#include <fcntl.h>
#include <unistd.h>

#include "sdk/base/standard.h"

void orma_standard_take(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        /* The lowest number that is free is this one: those below it are taken. */
        int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", way | O_CLOEXEC) < 0)
            return; /* there is none: as it was */
    }
}
