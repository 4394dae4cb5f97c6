/*
 * What a trace is called in a fleet: labels given for all, taken from its path, or out of its
 * metadata. The first two win. `date`, `build` and `machine` are columns of every row, too.
 */
#ifndef ORMA_TOOLS_FLEET_LABELS_H
#define ORMA_TOOLS_FLEET_LABELS_H
#include <regex.h>

#include "sdk/base/buf.h"

#define ORMA_FLEET_LABELS_MAX 64
#define ORMA_FLEET_CAPTURES_MAX 16

struct orma_fleet_labels {
    const char *given[ORMA_FLEET_LABELS_MAX]; /* NAME=VALUE */
    size_t given_num;
    const char *metadata[ORMA_FLEET_LABELS_MAX]; /* LABEL=NAME */
    size_t metadata_num;
    bool has_pattern;
    regex_t pattern;
    char captures[ORMA_FLEET_CAPTURES_MAX][64];
    size_t captures_num;
};

/* Is this NAME=..., with a name of letters, digits and "_.-"? */
bool orma_fleet_is_label(const char *text);

/*
 * "{build}/{machine}/x*.pftrace": * and {NAME} are parts of names, ** is any number of folders. It
 * has to fit the end of a path. 0 or -EINVAL.
 */
int orma_fleet_labels_set_pattern(struct orma_fleet_labels *self, const char *pattern);

/* Pairs of texts, each ended by 0: of the path, then given. -ENOENT: the path does not fit. */
int orma_fleet_labels_of(const struct orma_fleet_labels *self, const char *path,
                         struct orma_buf *ret);

/* The first pair, if *name is NULL, or the one behind it; false: there is none. */
bool orma_fleet_next_label(const struct orma_buf *labels, const char **name, const char **value);
/* The last value of that name, or NULL. */
const char *orma_fleet_label(const struct orma_buf *labels, const char *name);
void orma_fleet_labels_fini(struct orma_fleet_labels *self);
#endif
