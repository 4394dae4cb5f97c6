#include "probes/core/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/vec.h"

int orma_entries_by_name(const void *a, const void *b)
{
    return strcmp((*(struct dirent *const *)a)->d_name, (*(struct dirent *const *)b)->d_name);
}

int orma_entries_by_version(const void *a, const void *b)
{
    return strverscmp((*(struct dirent *const *)a)->d_name, (*(struct dirent *const *)b)->d_name);
}

struct list {
    struct dirent **entries;
    uint32_t num, cap;
};

static void drop(struct list *list)
{
    for (uint32_t i = 0; i < list->num; i++)
        free(list->entries[i]);
    free(list->entries);
}

static int add(struct list *list, const struct dirent *entry)
{
    const size_t size = offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1;
    struct dirent *copy = malloc(size);

    if (!copy || ORMA_GROW(&list->entries, &list->cap, list->num + (size_t)1)) {
        free(copy);
        errno = ENOMEM;
        return -1;
    }
    memcpy(copy, entry, size);
    list->entries[list->num++] = copy;
    return 0;
}

static int read_all(DIR *dir, struct list *list, int (*filter)(const struct dirent *))
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);

        if (!entry)
            return errno ? -1 : 0;
        if ((!filter || filter(entry)) && (list->num == INT_MAX || add(list, entry) < 0))
            return -1;
    }
}

int orma_entries_list(int dir_fd, const char *path, struct dirent ***ret,
                      int (*filter)(const struct dirent *),
                      int (*order)(const void *, const void *))
{
    const int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct list list = {0};
    int r, error;

    if (!dir) {
        error = errno;
        if (fd >= 0)
            close(fd);
        errno = error;
        return -1;
    }
    r = read_all(dir, &list, filter);
    error = errno;
    closedir(dir);
    errno = error;
    if (r < 0) {
        drop(&list);
        return -1;
    }
    if (order && list.num)
        qsort(list.entries, list.num, sizeof(struct dirent *), order);
    *ret = list.entries;
    return (int)list.num;
}
