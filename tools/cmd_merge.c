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
    .details = "The traces are stored unchanged in a tar. Their clocks are aligned when it is "
               "loaded: by clock snapshots, between machines by their wall clocks, or as a "
               "manifest says. Afterwards the file is loaded once to check that this works.\n"
               "\n"
               "Files of one recording ('orma record --rotate') become one trace again: they are "
               "written behind each other, in the order of their time, not into a tar.",
    .examples = "  orma merge trace.*.pftrace -o whole.pftrace\n"
                "  orma merge --apart phone.pftrace car.pftrace -o both.tar\n"
                "  orma merge --manifest clocks.json app.json host.pftrace -o all.tar\n",
    .options = orma_convert_merge_options,
    .run = run,
};
