/*
 * Unknown names in a trace config: data sources that no producer offers,
 * kernel events, system calls and categories that this kernel lacks, numbers
 * that are no value of their enum. Recording with them would silently record
 * less than was asked for.
 */
#ifndef ORMA_TOOLS_RECORD_NAMES_H
#define ORMA_TOOLS_RECORD_NAMES_H
#include <stdbool.h>

#include "sdk/base/buf.h"

struct orma_record_name_check {
    struct orma_str config; /* encoded TraceConfig */
    /* Of the service that will record. Empty: it was not queried; then only names close to a known
     * one are wrong. */
    struct orma_str state;
    /* A program may still come and offer a source: only names close to a known one are wrong now,
     * the others are judged at the end, by who took part. */
    bool may_come;
    bool no_kernel; /* leave the names of kernel events unchecked */

    bool any_source; /* result: the config names at least one data source */
};

/* Appends one line for each such name, without line feed at its end; returns how many. */
unsigned orma_record_names_check(struct orma_record_name_check *check, struct orma_buf *ret);

/* Do the probes bring this data source? */
bool orma_record_names_is_of_probes(const char *name);

/* The data source nearest to `name` that the probes bring or somebody offers (`state`, may be
 * empty), in `ret`; false: this is a known one, or none is near. */
bool orma_record_names_near_source(const char *name, struct orma_str state, char *ret,
                                   size_t ret_size);

/*
 * Calls `fn` with the name of each data source in the config, a name once.
 */
void orma_record_names_sources(struct orma_str config, void (*fn)(void *ctx, const char *name),
                               void *ctx);

/* How many events of this name the kernel has, the first one as "group/name" in `ret`; -errno: they
 * cannot be read. */
int orma_record_names_whole_event(const char *name, char *ret, size_t ret_size);

/* The kernel's event nearest to `name` ("group/name"), in `ret`; false: none is near, or they
 * cannot be read. */
bool orma_record_names_near_event(const char *name, char *ret, size_t ret_size);
#endif
