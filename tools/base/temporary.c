#include "tools/base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdk/base/buf.h"

FILE *orma_temporary_open(void)
{
    const char *tmp = getenv("TMPDIR");
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};

    orma_buf_printf(&path, "%s/orma-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    orma_buf_put_byte(&path, 0);
    if (path.failed) {
        errno = ENOMEM;
        return NULL;
    }
    const int fd = mkostemp((char *)path.data, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    (void)unlink((char *)path.data); /* it was ours alone */
    FILE *file = fdopen(fd, "w+b");
    if (!file)
        (void)close(fd); /* nothing was written */
    return file;
}
