/*
 * orma merge: several traces as one file.
 */
#include "tools/commands.h"
#include "tools/convert/merge.h"

static int run(const struct orma_command *self, int argc, char **argv)
{
    return orma_convert_merge_run(self, "orma merge", ORMA_EXIT_USAGE, argc, argv);
}

const struct orma_command orma_cmd_merge = {
    .name = "merge",
    .summary = "Pack several traces into one file, which loads as one trace.",
    .synopsis = "-o FILE [OPTIONS] TRACE...",
    .details = "The traces stay as they are, in a tar. Their clocks are related when it is loaded: "
               "by snapshots, between machines by their wall clocks, or by what a manifest says of "
               "them. Afterwards the file is loaded to see whether that works.",
    .examples = "  orma merge --apart phone.pftrace car.pftrace -o both.tar\n"
                "  orma merge --manifest clocks.json app.json host.pftrace -o all.tar\n",
    .options = orma_convert_merge_options,
    .run = run,
};
