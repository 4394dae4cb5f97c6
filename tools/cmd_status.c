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
#include "tools/service/costs.h"
#include "tools/service/leftovers.h"
#include "tools/service/state.h"

#define TIMEOUT_MS 5000

enum { OPT_LONG = 1, OPT_REPAIR, OPT_WATCH };

static const struct orma_option options[] = {
    {OPT_LONG, 'l', "long", NULL, "Show the descriptors of data sources, too."},
    {OPT_WATCH, 0, "watch", NULL,
     "Show what services and their sessions cost, once a second until Ctrl-C."},
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

static void print_state(struct orma_str state, bool details)
{
    orma_service_state_print(state, details, stdout);
    putchar('\n');
    (void)orma_service_costs_print(stdout); /* those of another user are not known */
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
        (void)orma_service_costs_print(stdout); /* recordings that are their own service */
        return ORMA_EXIT_FAILURE;
    }
    r = orma_service_state_query(consumer, &state);
    if (r == 0)
        print_state(orma_buf_str(&state), details);
    else
        fprintf(stderr, "orma status: the service does not answer: %s\n", strerror(-r));
    orma_buf_fini(&state);
    return r == 0 ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_cli cli;
    bool details = false, repairs = false, watches = false;
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
        case OPT_WATCH:
            watches = true;
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        case ORMA_CLI_BAD:
            return ORMA_EXIT_USAGE;
        default:
            return orma_cli_usage_error(&cli, "'orma status' takes no arguments");
        }
    }
    if (!watches || repairs)
        return repairs ? repair() : show(details);
    orma_service_costs_watch(stdout);
    return ORMA_EXIT_OK;
}

const struct orma_command orma_cmd_status = {
    .name = "status",
    .summary = "Show the tracing service, its sources and sessions.",
    .synopsis = "[OPTIONS]",
    .details =
        "Asks the service at PERFETTO_CONSUMER_SOCK_NAME, or at its usual place. Sessions of other "
        "users are shown to root only.\n"
        "\n"
        "COSTS are those of all services of this user (for root: of all), and of recordings that "
        "are "
        "their own service: CPU time of the process, for all its sessions together, and for each "
        "session how much of its buffers has "
        "held data, packets that were delivered to its file or its reader, overwritten in a ring, "
        "and "
        "lost for other reasons, and how much of its file is written. They come from the folder of "
        "'orma recover', so there are none of a service without one.\n"
        "\n"
        "A killed recording cannot restore the settings of the kernel's tracer; the next recording "
        "does, or --repair. It needs no service, and does not touch what is in use.",
    .examples = "  orma status\n"
                "  orma status --watch\n"
                "  orma status --repair     # after a kill -9\n",
    .options = options,
    .run = run,
};
