#include "tools/many/find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"

#define DEPTH_MAX 64
#define LIST_BYTES_MAX ((size_t)256 << 20)

struct walk {
    struct orma_buf path; /* of the folder at hand, with a slash behind it; empty: where we are */
    struct orma_buf *found;
    unsigned depth;
};

static void visit(struct walk *w, const char *pattern);

static bool is_kind(struct walk *w, mode_t kind, bool follow)
{
    const char *path = orma_buf_cstr(&w->path);
    struct stat st;

    return !(follow ? stat(path, &st) : lstat(path, &st)) && (st.st_mode & S_IFMT) == kind;
}

/* The entry `name` of the folder at hand, which fits the pattern up to `rest` ("": it is the last).
 */
static void enter(struct walk *w, const char *name, const char *rest, bool follow)
{
    const size_t before = w->path.len;

    orma_buf_put_str(&w->path, name);
    if (!*rest && is_kind(w, S_IFREG, true)) {
        orma_buf_put(w->found, w->path.data, w->path.len);
        orma_buf_put_byte(w->found, 0);
    } else if (*rest && w->depth < DEPTH_MAX && is_kind(w, S_IFDIR, follow)) {
        orma_buf_put_byte(&w->path, '/');
        w->depth++;
        visit(w, rest);
        w->depth--;
    }
    w->path.len = before;
}

/* Each entry whose name fits. */
static void list(struct walk *w, const char *name, const char *rest, bool follow)
{
    DIR *dir = opendir(w->path.len ? orma_buf_cstr(&w->path) : ".");
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (!fnmatch(name, entry->d_name, FNM_PERIOD) && strcmp(entry->d_name, ".") &&
            strcmp(entry->d_name, ".."))
            enter(w, entry->d_name, rest, follow);
    }
    if (dir)
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
        enter(w, name, rest, true);
    }
}

int orma_many_find(const char *pattern, struct orma_buf *paths)
{
    struct walk w = {.found = paths};
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
