/*
 * linux.inode_file_map: the names of the files whose inodes the kernel's events
 * mention.
 *
 * linux.ftrace of the same session reports the inodes; the file systems that they are
 * on are walked in slices, until all are found or everything has been seen.
 */
#ifndef ORMA_PROBES_INODES_FILE_MAP_H
#define ORMA_PROBES_INODES_FILE_MAP_H
#include "probes/core/source.h"

extern const struct orma_source_type orma_inode_file_map_source;

/* One line of /proc/self/mountinfo. The path is unescaped in place. False: makes no sense. */
bool orma_inode_mountinfo_parse(char *line, size_t len, uint64_t *ret_dev,
                                struct orma_str *ret_path);
#endif
