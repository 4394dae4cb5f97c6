/*
 * orma status: what the tracing service knows: producers, data sources, sessions.
 */
#include <errno.h>
#include <string.h>

#include "probes/probes.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/consumer.h"
#include "tools/commands.h"
#include "tools/service/attach.h"
#include "tools/service/leftovers.h"
#include "tools/service/state.h"

#define TIMEOUT_MS 5000

enum { OPT_LONG = 1, OPT_REPAIR };

static const struct orma_option options[] = {
    {OPT_LONG, 'l', "long", NULL, "Show the descriptors of data sources, too."},
    {OPT_REPAIR, 0, "repair", NULL,
     "Restore kernel tracer settings that killed recordings left changed, remove their folders, "
     "and exit."},
    {0},
};

static int repair(void)
{
    unsigned kernel = orma_probes_repair(NULL), folders = orma_service_leftovers_remove();

    if (!kernel && !folders)
        printf("Nothing to repair.\n");
    if (kernel)
        printf("Restored settings of the kernel in %u %s.\n", kernel,
               kernel == 1 ? "place" : "places");
    if (folders)
        printf("Removed %u %s of killed recordings.\n", folders,
               folders == 1 ? "folder" : "folders");
    return ORMA_EXIT_OK;
}

static int show(bool details)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *consumer = NULL;
    struct orma_buf state = {0};
    int r = orma_consumer_new(NULL, TIMEOUT_MS, &consumer);

    if (r == -EACCES) {
        orma_service_say_no_permission("orma status");
        return ORMA_EXIT_FAILURE;
    }
    if (r < 0) {
        fprintf(stderr,
                "orma status: no service on %s: %s; start one with 'traced', or let 'orma record' "
                "start its own\n",
                orma_sock_consumer_addr(), orma_sock_why(-r));
        return ORMA_EXIT_FAILURE;
    }
    r = orma_service_state_query(consumer, &state);
    if (r == 0)
        orma_service_state_print(orma_buf_str(&state), details, stdout);
    else
        fprintf(stderr, "orma status: the service does not answer: %s\n", strerror(-r));
    orma_buf_fini(&state);
    return r == 0 ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_cli cli;
    bool details = false, repairs = false;
    int id;

    orma_cli_init(&cli, self, "orma status", argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_LONG:
            details = true;
            break;
        case OPT_REPAIR:
            repairs = true;
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        case ORMA_CLI_BAD:
            return ORMA_EXIT_USAGE;
        default:
            return orma_cli_usage_error(&cli, "'orma status' takes no arguments");
        }
    }
    return repairs ? repair() : show(details);
}

const struct orma_command orma_cmd_status = {
    .name = "status",
    .summary = "Show the tracing service, its sources and sessions.",
    .synopsis = "[OPTIONS]",
    .details =
        "Asks the service at PERFETTO_CONSUMER_SOCK_NAME, or at its usual place. Sessions of other "
        "users are shown to root only.\n"
        "\n"
        "A killed recording cannot restore the settings of the kernel's tracer; the next recording "
        "does, or --repair. It needs no service, and does not touch what is in use.",
    .examples = "  orma status\n"
                "  orma status --repair     # after a kill -9\n",
    .options = options,
    .run = run,
};
