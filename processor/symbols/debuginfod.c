/* The library is loaded when the first question comes: most installations have none, or no use for
 * it. */
#include "processor/symbols/debuginfod.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/dynlib.h"

#define LIBRARY "libdebuginfod.so.1"
/* Seconds without any progress of a server, which else are 90. */
#define PATIENCE_S "20"

/* As in elfutils/debuginfod.h. */
struct client;
typedef struct client *begin_fn(void);
typedef int find_fn(struct client *client, const unsigned char *build_id, int len, char **path);
typedef void end_fn(struct client *client);

struct library {
    begin_fn *begin;
    find_fn *find;
    end_fn *end;
};

static bool load(struct library *ret)
{
    static const char *const names[] = {"debuginfod_begin", "debuginfod_find_debuginfo",
                                        "debuginfod_end"};

    return orma_dynlib_load(LIBRARY, names, ORMA_ARRAY_LEN(names), ret);
}

bool orma_debuginfod_supported(void)
{
    struct library lib;

    return load(&lib); /* it stays: unloading what has threads of its own is asking for trouble */
}

bool orma_debuginfod_find(const char *urls, const uint8_t *build_id, size_t len,
                          struct orma_buf *ret)
{
    struct library lib;
    char *path = NULL;

    if (!len || len > INT_MAX || !load(&lib) || setenv("DEBUGINFOD_URLS", urls, 1) < 0 ||
        setenv("DEBUGINFOD_TIMEOUT", PATIENCE_S, 0) < 0)
        return false;
    struct client *client = lib.begin();
    if (!client)
        return false;
    int fd = lib.find(client, build_id, (int)len, &path);
    lib.end(client);
    if (fd >= 0) {
        (void)close(fd);
        orma_buf_put_str(ret, path ? path : "");
    }
    free(path);
    return fd >= 0 && ret->len && !ret->failed;
}
