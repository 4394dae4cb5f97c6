/*
 * Replays corpus files through a fuzz target: what the normal run does with
 * every fuzzer. A folder stands for all files in it.
 *
 * With clang, `-Dfuzzers=true` builds the same targets with libFuzzer instead:
 *     build-fuzz/tests/fuzz/fuzz_wire tests/fuzz/corpus/wire
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sdk/base/fd.h"
#include "tests/support/leaks.h"

#define INPUT_MAX ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    struct orma_buf in = {0};
    int r = orma_fd_read_file(AT_FDCWD, path, INPUT_MAX, &in);

    if (r < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(-r));
        return -1;
    }
    /* A copy of the exact size, so that a sanitizer sees the first byte too far. */
    uint8_t *exact = malloc(in.len ? in.len : 1);
    if (in.len)
        memcpy(exact, in.data, in.len);
    LLVMFuzzerTestOneInput(exact, in.len);
    free(exact);
    orma_buf_fini(&in);
    return 1;
}

static int replay_folder(const char *path)
{
    DIR *dir = opendir(path);
    int done = 0;

    if (!dir)
        return replay(path);
    for (struct dirent *e; done >= 0 && (e = readdir(dir));) {
        char file[4096];

        if (e->d_name[0] == '.')
            continue;
        snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
        int n = replay(file);
        done = n < 0 ? n : done + n;
    }
    closedir(dir);
    return done;
}

int main(int argc, char **argv)
{
    int done = 0;

    for (int i = 1; i < argc; i++) {
        int n = replay_folder(argv[i]);

        if (n < 0)
            return 1;
        done += n;
    }
    if (!done || orma_found_leaks()) {
        fprintf(stderr, done ? "memory leaked\n" : "no input: an empty corpus proves nothing\n");
        return 1;
    }
    printf("%d inputs replayed\n", done);
    return 0;
}
