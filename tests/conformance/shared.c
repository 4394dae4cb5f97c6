#include "tests/conformance/shared.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"

#define FILE_MAX ((size_t)256 << 20)

const char *shared_folder(void)
{
    const char *given = getenv("ORMA_SHARED");
    const char *folder = given ? given : SHARED_BESIDE;

    if (access(folder, R_OK) == 0)
        return folder;
    printf("skipped: no recorded samples: $ORMA_SHARED is %s, and there is no folder \"shared\" "
           "beside the checkout\n",
           given ? given : "not set");
    exit(77);
}

/* Names from `scandir` are sorted, so a run is the same everywhere. */
int shared_each(const char *folder, const char *pattern, void (*visit)(void *ctx, const char *path),
                void *ctx)
{
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort), found = 0;

    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat st;

        snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] == '.' || stat(path, &st) < 0) {
            /* not ours to look at */
        } else if (S_ISDIR(st.st_mode)) {
            found += shared_each(path, pattern, visit, ctx);
        } else if (!fnmatch(pattern, names[i]->d_name, 0)) {
            found++;
            visit(ctx, path);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return found;
}

void shared_verdict(const char *path, bool ok)
{
    const char *folder = shared_folder();
    size_t len = strlen(folder);

    printf("%s %s\n", ok ? "ok" : "FAIL", !strncmp(path, folder, len) ? path + len + 1 : path);
}

void shared_read(const char *path, struct orma_buf *ret)
{
    int r = orma_fd_read_file(AT_FDCWD, path, FILE_MAX, ret);

    if (r >= 0)
        return;
    fprintf(stderr, "%s: %s\n", path, strerror(-r));
    exit(1);
}
