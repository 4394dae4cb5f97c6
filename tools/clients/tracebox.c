/*
 * argv -> a program's name: that program. Otherwise: start the service and the probes in
 * this process (after going to the background, since threads do not survive a fork), wait
 * until the probes have registered, then run the perfetto client on their sockets.
 */
#include "tools/clients/tracebox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/daemon.h"
#include "protos/fields/common.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_reader.h"
#include "tools/clients/perfetto.h"
#include "tools/clients/websocket_bridge.h"
#include "tools/service/host.h"
#include "tools/service/state.h"
#include "traced/daemon.h"

#define PROGRAM "tracebox"
/* So long the probes may take to offer their data sources. */
#define PROBES_TIMEOUT_NS UINT64_C(3000000000)
#define CONNECT_TIMEOUT_MS 5000

enum { OPT_SYSTEM = 1 };

static const struct orma_option options[] = {
    {OPT_SYSTEM, 0, "system-sockets", NULL,
     "Listen on the system's sockets, so that programs are recorded without further setup."},
    {0},
};

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *missing; /* instead of run */
} applets[] = {
    {"traced", traced_main, NULL},
    {"traced_probes", orma_probes_main, NULL},
    {"perfetto", orma_perfetto_main, NULL},
    {"trigger_perfetto", orma_trigger_perfetto_main, NULL},
    {"traced_relay", NULL, "it is 'orma relay'"},
    {"traced_perf", NULL,
     "there is no daemon for it: traced_probes has the data source linux.perf"},
    {"websocket_bridge", orma_websocket_bridge_main, NULL},
};

struct box {
    struct orma_service_host *host;
    bool system_sockets;
};

/* Are data sources there? Then the probes have said what they can do. */
static bool has_sources(struct orma_consumer *consumer)
{
    struct orma_buf state = {0};
    struct orma_pb_field f;
    bool found =
        orma_service_state_query(consumer, &state) < 0; /* do not wait for what never comes */
    struct orma_pb_reader r = orma_pb_reader(state.data, state.len);

    while (orma_pb_next(&r, &f))
        found |= f.id == ORMA_PB_TRACING_SERVICE_STATE_DATA_SOURCES;
    orma_buf_fini(&state);
    return found;
}

static void wait_for_probes(void)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    uint64_t end = orma_clock_monotonic() + PROBES_TIMEOUT_NS;
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *consumer = NULL;

    if (orma_consumer_new(NULL, CONNECT_TIMEOUT_MS, &consumer) < 0)
        return; /* the client itself will say so */
    while (!has_sources(consumer) && orma_clock_monotonic() < end)
        (void)nanosleep(&pause, NULL);
}

/* In the process that records: a service and probes, and everybody is told where they are. */
static int start_host(void *ctx)
{
    struct box *box = ctx;
    const char *what = "";
    int r = box->system_sockets ? orma_service_host_new_on_system_sockets(true, &box->host, &what)
                                : orma_service_host_new(true, &box->host, &what);

    if (r < 0) {
        fprintf(stderr, "%s: %s: %s%s\n", PROGRAM, what, strerror(-r),
                r == -EADDRINUSE ? "; a service is running: use perfetto" : "");
        return r;
    }
    if (!box->system_sockets &&
        (setenv(ORMA_SOCK_PRODUCER_ENV, orma_service_host_producer_addr(box->host), 1) < 0 ||
         setenv(ORMA_SOCK_CONSUMER_ENV, orma_service_host_consumer_addr(box->host), 1) < 0))
        return -errno;
    wait_for_probes();
    return 0;
}

/* Takes our own options out of the words that are perfetto's. -1, or what to exit with. */
static int take_options(struct box *box, int *argc, char **argv)
{
    int num = 1;

    for (int i = 1; i < *argc; i++) {
        if (!strcmp(argv[i], "--system-sockets")) {
            box->system_sockets = true;
            continue;
        }
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            orma_cli_help(&orma_cmd_tracebox, PROGRAM, stdout);
            return ORMA_EXIT_OK;
        }
        argv[num++] = argv[i];
    }
    argv[num] = NULL;
    *argc = num;
    return -1;
}

int orma_tracebox_main(int argc, char **argv)
{
    struct box box = {0};
    const struct orma_perfetto_hooks hooks = {
        .program = PROGRAM, .prepare = start_host, .ctx = &box};

    for (size_t i = 0; argc > 1 && i < ORMA_ARRAY_LEN(applets); i++) {
        if (strcmp(argv[1], applets[i].name))
            continue;
        if (applets[i].run)
            return applets[i].run(argc - 1, argv + 1);
        fprintf(stderr, "%s: %s: %s\n", PROGRAM, applets[i].name, applets[i].missing);
        return ORMA_EXIT_FAILURE;
    }
    int code = take_options(&box, &argc, argv);
    if (code < 0)
        code = orma_perfetto_run(&hooks, argc, argv);
    orma_service_host_free(box.host);
    return code;
}

const struct orma_command orma_cmd_tracebox = {
    .name = PROGRAM,
    .summary = "All tracing programs in one; on its own, perfetto with a private service.",
    .synopsis = "[--system-sockets] [OPTIONS OF PERFETTO]\n"
                "traced | traced_probes | perfetto | trigger_perfetto | websocket_bridge [OPTIONS]",
    .details = "Without the name of a program, it starts the service and the probes inside this "
               "process, on private sockets, and then acts as perfetto, with the same options (see "
               "'perfetto --help'). To be recorded, a program must find the service through "
               "PERFETTO_PRODUCER_SOCK_NAME; --system-sockets makes that unnecessary.\n"
               "\n"
               "'orma record' does the same, and can also start the program to record.",
    .examples = "  tracebox -t 10s -o trace.pftrace sched freq\n"
                "  tracebox -c config.pbtxt --txt -o trace.pftrace\n"
                "  tracebox traced --background\n",
    .options = options,
};
