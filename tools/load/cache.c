#include "tools/load/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *setting; /* of the option; NULL: not given */

void orma_load_cache_set(const char *value)
{
    setting = value;
}

void orma_load_cache_avoid(void)
{
    setting = "off";
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

int orma_load_cache_use(struct orma_processor *tp, const char *program)
{
    const char *value = setting ? setting : variable("ORMA_CACHE");

    if (!value)
        value = strncmp(program, "trace", 5) ? "auto" : "off";
    const int r = orma_processor_choose_cache(tp, value, false);
    if (r == -EINVAL)
        fprintf(stderr, "%s: %s\n", program, orma_processor_error(tp));
    return r == -EINVAL ? r : 0; /* without memory there is none */
}

void orma_load_cache_tell(struct orma_processor *tp, const char *program)
{
    const char *note = orma_processor_cache_note(tp);

    if (*note && variable("ORMA_CACHE_LOG"))
        fprintf(stderr, "%s: cache: %s\n", program, note);
}
