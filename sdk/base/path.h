/*
 * Names in paths, as text: nothing here looks at files.
 */
#ifndef ORMA_SDK_BASE_PATH_H
#define ORMA_SDK_BASE_PATH_H
#include "sdk/base/str.h"

/* What stands behind the last slash: the whole path if it has none, "" if it ends with one. */
static inline const char *orma_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The same of a span. */
static inline struct orma_str orma_path_base_of(struct orma_str path)
{
    const char *slash = path.data && path.len ? memrchr(path.data, '/', path.len) : NULL;
    const size_t folder = slash ? (size_t)(slash + 1 - path.data) : 0;

    return (struct orma_str){path.data + folder, path.len - folder};
}

/* Without slashes at its end; "/" stays. */
static inline struct orma_str orma_path_trim(struct orma_str path)
{
    while (path.len > 1 && path.data[path.len - 1] == '/')
        path.len--;
    return path;
}
#endif
