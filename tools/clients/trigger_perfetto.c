#include <stdlib.h>

#include "tools/clients/perfetto.h"
#include "tools/clients/triggers.h"

#define PROGRAM "trigger_perfetto"

static const struct orma_option options[] = {{0}};

const struct orma_command orma_cmd_trigger_perfetto = {
    .name = PROGRAM,
    .summary = "Fire triggers: start, stop or clone the sessions that wait for them.",
    .synopsis = "TRIGGER...",
    .details = "A session waits for triggers if its config has a trigger_config. The service "
               "ignores names that no session waits for.",
    .examples = "  trigger_perfetto crash            # one event\n"
                "  trigger_perfetto slow_frame jank  # several\n",
    .options = options,
};

int orma_trigger_perfetto_main(int argc, char **argv)
{
    struct orma_cli cli;
    size_t num = 0;
    int id, code = ORMA_EXIT_FAILURE;
    const char **names = calloc((size_t)argc + 1, sizeof(*names));

    if (!names)
        return ORMA_EXIT_FAILURE;
    orma_cli_init(&cli, &orma_cmd_trigger_perfetto, PROGRAM, argc, argv);
    while ((id = orma_cli_next(&cli)) == ORMA_CLI_POSITIONAL)
        names[num++] = cli.value;
    for (int i = cli.rest_idx; id == ORMA_CLI_REST && i < argc; i++)
        names[num++] = argv[i];
    if (id == ORMA_CLI_HELP)
        code = ORMA_EXIT_OK;
    else if (id != ORMA_CLI_BAD && !num)
        (void)orma_cli_usage_error(&cli, "name at least one trigger");
    else if (id != ORMA_CLI_BAD)
        code = orma_triggers_fire(PROGRAM, names, num) < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
    free(names);
    return code;
}
