/*
 * The folder that profiles are written into, one file each.
 */
#ifndef ORMA_TOOLS_CONVERT_PROFILE_FOLDER_H
#define ORMA_TOOLS_CONVERT_PROFILE_FOLDER_H
#include <stdbool.h>

#include "processor/export/profile.h"

struct orma_convert_profile_folder {
    const char *program; /* in front of messages */
    const char *path;    /* as given, or made up */
    char path_buf[256];
    bool made; /* by us */
    int fd;    /* -1: not open */
};

/* `path` NULL: a new temporary folder; one that is not there is made. `must_be_empty`: refused
 * otherwise. 0, or negative errno with a message on stderr. */
int orma_convert_profile_folder_open(struct orma_convert_profile_folder *self, const char *program,
                                     const char *path, bool must_be_empty);
void orma_convert_profile_folder_close(struct orma_convert_profile_folder *self);

/*
 * Writes the profiles of a loaded trace: profile.PID.pb of samples,
 * heap_dump.PID[.HEAP].pb of heaps, and prints a line for each. `ex` says which.
 * 0, also when there are none (ex->written); negative after saying why.
 */
int orma_convert_profile_folder_fill(struct orma_convert_profile_folder *self,
                                     struct orma_profile_export *ex);
#endif
