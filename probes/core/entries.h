/* The entries of a folder, as scandirat() lists them, which not every C library has. */
#ifndef ORMA_PROBES_CORE_ENTRIES_H
#define ORMA_PROBES_CORE_ENTRIES_H
#include <dirent.h>

/* Orders of entries, for qsort(): of equal bytes, and with numbers in the names in their order
 * ("cpu2" before "cpu10"). */
int orma_entries_by_name(const void *a, const void *b);
int orma_entries_by_version(const void *a, const void *b);

/* Of the folder `path` below dir_fd: the entries that the filter takes (NULL: all), in an order
 * (NULL: as they come). Returns their number, the list and each entry from malloc; or -1 with errno
 * and nothing in *ret. Needs no /proc. Threads: any. */
int orma_entries_list(int dir_fd, const char *path, struct dirent ***ret,
                      int (*filter)(const struct dirent *),
                      int (*order)(const void *, const void *));
#endif
