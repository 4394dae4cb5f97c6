#include "tools/base/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/vec.h"

struct input {
    const char *path;
    dev_t dev;
    ino_t ino;
    bool folder;
};

/* Of this process: one thread reads the command line and opens outputs. */
static ORMA_VEC(struct input) inputs;

void orma_inputs_add(const char *path, enum orma_inputs_kind kind)
{
    struct stat st;

    if (stat(path, &st) < 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return;
    if (S_ISDIR(st.st_mode) && kind != ORMA_INPUTS_FOLDER)
        return;
    struct input in = {path, st.st_dev, st.st_ino, S_ISDIR(st.st_mode)};
    (void)ORMA_VEC_PUSH(&inputs, in); /* out of memory: the command will not get far either */
}

void orma_inputs_drop(const char *word)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < inputs.len; i++) {
        if (inputs.data[i].path != word)
            inputs.data[kept++] = inputs.data[i];
    }
    inputs.len = kept;
}

static const char *find(const struct stat *st, const char *but, bool folder)
{
    for (uint32_t i = 0; i < inputs.len; i++) {
        const struct input *in = &inputs.data[i];

        if (in->path != but && in->folder == folder && in->dev == st->st_dev &&
            in->ino == st->st_ino)
            return in->path;
    }
    return NULL;
}

static const char *find_file(const struct stat *st, const char *but)
{
    struct stat in;

    if (!S_ISREG(st->st_mode))
        return NULL;
    if (fstat(STDIN_FILENO, &in) == 0 && in.st_dev == st->st_dev && in.st_ino == st->st_ino)
        return "standard input";
    return find(st, but, false);
}

/* Is one of the folders above it an input? */
static const char *find_folder(const char *path, const char *but)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf up = {0};
    const char *slash = strrchr(path, '/');
    struct stat st, before = {0};

    orma_buf_put(&up, path, slash ? (size_t)(slash - path) : 0);
    if (!up.len)
        orma_buf_put_str(&up, slash ? "/" : ".");
    while (!up.failed && stat(orma_buf_cstr(&up), &st) == 0 &&
           (st.st_dev != before.st_dev || st.st_ino != before.st_ino)) {
        const char *hit = find(&st, but, true);

        if (hit)
            return hit;
        before = st;
        orma_buf_put_str(&up, "/..");
    }
    return NULL;
}

const char *orma_inputs_hit(const char *path)
{
    char *real = realpath(path, NULL);
    const char *hit = NULL;
    struct stat st;

    if (real && stat(real, &st) == 0)
        hit = find_file(&st, path);
    if (!hit && (!real || S_ISREG(st.st_mode)))
        hit = find_folder(real ? real : path, path);
    free(real);
    return hit;
}

const char *orma_inputs_hit_fd(int fd, const char *word)
{
    struct stat st;

    return fstat(fd, &st) == 0 ? find_file(&st, word) : NULL;
}
