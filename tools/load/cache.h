/*
 * The cache that traces are loaded from: the option --cache of every command that opens one, and
 * settings in the environment:
 *
 *   ORMA_CACHE        the same as the option, which wins
 *   ORMA_CACHE_LIMIT  how much all files may take ("500mb"); 4g
 *   ORMA_CACHE_LOG    if it is set, what became of the cache is told on stderr
 */
#ifndef ORMA_TOOLS_LOAD_CACHE_H
#define ORMA_TOOLS_LOAD_CACHE_H
#include "processor/processor.h"
#include "tools/base/cli.h"

/* The row of the option, for the table of a command. */
#define ORMA_LOAD_CACHE_OPTION(id)                                                                 \
    {                                                                                              \
        (id), 0, "cache", "auto|off|DIR",                                                          \
            "Cache the results of slow loads: in $XDG_CACHE_HOME/orma (auto), in DIR, or not at "  \
            "all (off). Default: the variable ORMA_CACHE, or auto."                                \
    }

/* From now on, of all loads of the process. */
void orma_load_cache_set(const char *value);

/* Before a load. `program` is that of messages: compatible names have no cache unless they are told
 * to. 0, or -EINVAL with a line on stderr: the setting means nothing. */
int orma_load_cache_use(struct orma_processor *tp, const char *program);

/* For a trace that is there for this load only. */
void orma_load_cache_avoid(void);

/* After a load: a line on stderr, if it is wanted. */
void orma_load_cache_tell(struct orma_processor *tp, const char *program);
#endif
