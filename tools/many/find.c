#include "tools/many/find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/vec.h"

#define DEPTH_MAX 64
#define LIST_BYTES_MAX ((size_t)256 << 20)

struct walk {
    struct orma_buf path; /* of the folder at hand, with a slash behind it; empty: where we are */
    struct orma_buf *found;
    size_t last; /* where the path that was found last begins */
    unsigned depth;
};

static void visit(struct walk *w, const char *pattern);

/* What the path leads to, with or without following a last link. 0 or -errno. */
static int look_at(struct walk *w, bool follow, mode_t *ret_kind)
{
    const char *path = orma_buf_cstr(&w->path);
    struct stat st;

    if ((follow ? stat(path, &st) : lstat(path, &st)) < 0)
        return -errno;
    *ret_kind = st.st_mode & S_IFMT;
    return 0;
}

/* The path at hand, but not twice in a row: ** looks into a folder for two reasons. */
static void keep(struct walk *w)
{
    const size_t len = w->path.len;

    if (w->found->len > w->last && len + 1 == w->found->len - w->last &&
        !memcmp(w->found->data + w->last, w->path.data, len))
        return;
    w->last = w->found->len;
    orma_buf_put(w->found, w->path.data, len);
    orma_buf_put_byte(w->found, 0);
}

/* Files may be in there, which nobody sees: whoever opens it is told why. */
static void keep_folder(struct walk *w)
{
    const size_t before = w->path.len;

    if (!before)
        orma_buf_put_byte(&w->path, '.');
    else if (before > 1)
        w->path.len--; /* the slash */
    keep(w);
    w->path.len = before;
}

/* The entry `name` of the folder at hand, which fits the pattern up to `rest` ("": it is the last).
 * `listed`: there was one of this name. */
static void enter(struct walk *w, const char *name, const char *rest, bool follow, bool listed)
{
    const size_t before = w->path.len;
    mode_t kind = 0;

    orma_buf_put_str(&w->path, name);
    const int r = look_at(w, follow || !*rest, &kind);
    const bool gone = r == -ENOENT || r == -ENOTDIR;
    if (gone && listed && !*rest && look_at(w, false, &kind) == 0)
        keep(w); /* a link that leads nowhere */
    else if (r < 0 && !gone)
        keep(w);
    else if (r == 0 && !*rest && kind == S_IFREG)
        keep(w);
    else if (r == 0 && *rest && kind == S_IFDIR) {
        orma_buf_put_byte(&w->path, '/');
        if (w->depth < DEPTH_MAX) {
            w->depth++;
            visit(w, rest);
            w->depth--;
        } else {
            keep_folder(w);
        }
    }
    w->path.len = before;
}

/* Each entry whose name fits. */
static void list(struct walk *w, const char *name, const char *rest, bool follow)
{
    DIR *dir = opendir(w->path.len ? orma_buf_cstr(&w->path) : ".");
    struct dirent *entry;

    if (!dir) {
        if (errno != ENOENT && errno != ENOTDIR)
            keep_folder(w);
        return;
    }
    while ((errno = 0, entry = readdir(dir))) {
        if (!fnmatch(name, entry->d_name, FNM_PERIOD) && strcmp(entry->d_name, ".") &&
            strcmp(entry->d_name, ".."))
            enter(w, entry->d_name, rest, follow, true);
    }
    if (errno)
        keep_folder(w);
    (void)closedir(dir); /* only read from */
}

static void visit(struct walk *w, const char *pattern)
{
    char name[NAME_MAX + 1];
    size_t len = strcspn(pattern, "/");
    const char *rest = pattern + len;

    rest += strspn(rest, "/");
    if (len >= sizeof(name))
        return; /* no file has such a name */
    memcpy(name, pattern, len);
    name[len] = '\0';
    if (!strcmp(name, "**")) {
        visit(w, *rest ? rest : "*");
        list(w, "*", pattern, false);
    } else if (strpbrk(name, "*?[")) {
        list(w, name, rest, true);
    } else {
        enter(w, name, rest, true, false);
    }
}

int orma_many_find(const char *pattern, struct orma_buf *paths)
{
    struct walk w = {.found = paths, .last = paths->len};
    size_t slashes = strspn(pattern, "/");

    if (slashes)
        orma_buf_put_byte(&w.path, '/');
    visit(&w, pattern + slashes);
    int r = w.path.failed || paths->failed ? -ENOMEM : 0;
    orma_buf_fini(&w.path);
    return r;
}

int orma_many_list(const char *file, struct orma_buf *paths)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    const int r = strcmp(file, "-") ? orma_fd_read_file(AT_FDCWD, file, LIST_BYTES_MAX, &text)
                                    : orma_fd_read_all(STDIN_FILENO, LIST_BYTES_MAX, &text);

    for (const char *at = orma_buf_cstr(&text); r >= 0 && *at;) {
        const size_t len = strcspn(at, "\n");

        orma_buf_put(paths, at, len);
        if (len)
            orma_buf_put_byte(paths, 0);
        at += len + (at[len] == '\n');
    }
    return r < 0 ? r : paths->failed ? -ENOMEM : 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int orma_many_sort(struct orma_buf *paths)
{
    ORMA_VEC(const char *) sorted = {0};
    struct orma_buf out = {0};
    int r = 0;

    for (size_t at = 0; !r && at < paths->len; at += strlen((char *)paths->data + at) + 1)
        r = ORMA_VEC_PUSH(&sorted, (const char *)paths->data + at);
    if (!r && sorted.len)
        qsort(sorted.data, sorted.len, sizeof(*sorted.data), compare);
    for (uint32_t i = 0; !r && i < sorted.len; i++) {
        if (!i || strcmp(sorted.data[i], sorted.data[i - 1]))
            orma_buf_put(&out, sorted.data[i], strlen(sorted.data[i]) + 1);
    }
    ORMA_VEC_FINI(&sorted);
    if (r || out.failed) {
        orma_buf_fini(&out);
        return -ENOMEM;
    }
    orma_buf_fini(paths);
    *paths = out;
    return 0;
}
