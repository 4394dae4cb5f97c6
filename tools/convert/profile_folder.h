/*
 * The folder that `orma profile`, `orma heap` and `orma convert profile` write into: a trace, a
 * flame graph, and profiles, one file each. All go through tools/output.
 */
#ifndef ORMA_TOOLS_CONVERT_PROFILE_FOLDER_H
#define ORMA_TOOLS_CONVERT_PROFILE_FOLDER_H
#include <stdbool.h>

#include "processor/export/profile.h"
#include "processor/flame/flame.h"
#include "sdk/base/map.h"

#define ORMA_CONVERT_PROFILE_FLAME "flamegraph.html"

struct orma_convert_profile_folder {
    const char *program; /* in front of messages */
    const char *path;    /* as given, or made up; NULL: not open */
    char path_buf[256];
    bool made;             /* by us */
    bool force;            /* files that are there are replaced */
    struct orma_map names; /* of profiles: hash → how often it was wanted */
};

/* `path` NULL: a new temporary folder; one that is not there is made. `must_be_empty`: refused
 * otherwise. 0, or negative errno with a message on stderr. */
int orma_convert_profile_folder_open(struct orma_convert_profile_folder *self, const char *program,
                                     const char *path, bool must_be_empty);
void orma_convert_profile_folder_close(struct orma_convert_profile_folder *self);

/* The path of a file in it. */
void orma_convert_profile_folder_path(const struct orma_convert_profile_folder *self,
                                      const char *name, struct orma_buf *ret);

/* The trace, empty, to be recorded into. 0, or negative errno with a message on stderr. */
int orma_convert_profile_folder_trace(struct orma_convert_profile_folder *self, int *ret_fd);

/* Nothing came of it: removes the trace, and the folder if we made it. */
void orma_convert_profile_folder_drop(const struct orma_convert_profile_folder *self);

/* Writes the flame graph as a page. 0, or negative errno with a message on stderr. */
int orma_convert_profile_folder_flame(struct orma_convert_profile_folder *self,
                                      const struct orma_stacks *stacks, const char *title);

/*
 * Writes the profiles of a loaded trace: profile.PID.pb of samples,
 * heap_dump.PID[.HEAP].pb of heaps, and prints a line for each. `ex` says which.
 * 0, also when there are none (ex->written); negative after saying why.
 */
int orma_convert_profile_folder_fill(struct orma_convert_profile_folder *self,
                                     struct orma_profile_export *ex);
#endif
