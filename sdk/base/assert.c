#include "sdk/base/assert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct iovec part(const char *text)
{
    return (struct iovec){(void *)text, strlen(text)};
}

void orma_assert_failed(const char *what)
{
    while (!strncmp(what, "../", 3)) /* sources are named from the build folder */
        what += 3;
    struct iovec line[] = {part("orma: assertion failed: "), part(what), part("\n")};

    /* No stdio: this may be a signal handler. Nothing is left to do if stderr is closed. */
    if (writev(STDERR_FILENO, line, (int)ORMA_ARRAY_LEN(line)) < 0)
        abort();
    abort();
}
