#include "tools/load/threads.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/store/spill.h"
#include "processor/threads/crew.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"
#include "tools/base/cli.h"

static_assert(ORMA_CLI_THREADS_MAX == ORMA_CREW_THREADS_MAX, "each of them is of one layer");

static size_t sharing = 1; /* processes */

void orma_load_threads_share(size_t processes)
{
    sharing = ORMA_MAX(processes, (size_t)1);
}

static void complain_once(const char *text)
{
    static bool done;

    if (!done)
        fprintf(stderr, "orma: " ORMA_CREW_VARIABLE "=%s is ignored: not a number from 1 to %u\n",
                text, ORMA_CREW_THREADS_MAX);
    done = true;
}

/* The processor has no place to say it. */
static void check_memory_limit(void)
{
    const char *text = getenv(ORMA_SPILL_VARIABLE);
    static bool done;
    uint64_t bytes;

    if (!done && text && *text && !orma_str_parse_size(text, &bytes))
        fprintf(stderr, "orma: " ORMA_SPILL_VARIABLE "=%s is ignored: not a size such as 2g\n",
                text);
    done = true;
}

unsigned orma_load_threads(void)
{
    const char *text = getenv(ORMA_CREW_VARIABLE);
    const unsigned asked = orma_cli_threads(), said = orma_crew_from_environment();

    check_memory_limit();
    if (asked || said)
        return asked ? asked : said;
    if (text && *text)
        complain_once(text);
    return (unsigned)ORMA_MAX(orma_crew_cpus() / sharing, (size_t)1);
}

const struct orma_processor_config *orma_load_config(void)
{
    static struct orma_processor_config config;

    config = (struct orma_processor_config){.size = sizeof(config), .threads = orma_load_threads()};
    return &config;
}
