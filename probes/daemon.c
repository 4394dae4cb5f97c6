/*
 * Options from one table -> check, reset or serve. serve: go to the background, drop
 * privileges, then the event loop of probes.h until a signal stops it.
 */
#include "probes/daemon.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probes/privileges.h"
#include "probes/probes.h"
#include "sdk/base/log.h"
#include "sdk/base/standard.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum option_id {
    OPT_BACKGROUND = 256,
    OPT_RESET,
    OPT_VERSION,
    OPT_HELP,
    OPT_TRACEFS,
    OPT_PROC,
    OPT_SYS,
    OPT_DEV,
    OPT_STATE,
    OPT_CHECK,
    OPT_KEEP,
};

static const struct {
    struct option opt;
    const char *help;
} options[] = {
    {{"background", no_argument, NULL, OPT_BACKGROUND}, "run in the background"},
    {{"reset-ftrace", no_argument, NULL, OPT_RESET},
     "stop and clear the kernel's tracer, even if another program uses it, and exit"},
    {{"check", no_argument, NULL, OPT_CHECK},
     "report which data sources work with this user's permissions, and exit"},
    {{"tracefs", required_argument, NULL, OPT_TRACEFS}, "path of tracefs"},
    {{"proc", required_argument, NULL, OPT_PROC}, "read this directory instead of /proc"},
    {{"sys", required_argument, NULL, OPT_SYS}, "read this directory instead of /sys"},
    {{"dev", required_argument, NULL, OPT_DEV}, "use this directory instead of /dev"},
    {{"state-dir", required_argument, NULL, OPT_STATE},
     "directory for the tracer's saved settings (default: /run/orma)"},
    {{"keep-privileges", no_argument, NULL, OPT_KEEP},
     "as root: keep all privileges (needed if kptr_restrict is 2)"},
    {{"version", no_argument, NULL, OPT_VERSION}, "print the version"},
    {{"help", no_argument, NULL, OPT_HELP}, "print this help"},
};

#define OPTIONS_NUM ORMA_ARRAY_LEN(options)

static struct orma_probes *running; /* for the signal handler */

static void on_signal(int number)
{
    (void)number;
    orma_probes_stop(running);
}

static void usage(FILE *out)
{
    fputs("Usage: traced_probes [OPTION...]\n"
          "\n"
          "Provides kernel tracepoints, process data and counters to the tracing service.\n"
          "\n",
          out);
    for (size_t i = 0; i < OPTIONS_NUM; i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "--%s%s", options[i].opt.name,
                       options[i].opt.has_arg ? " DIR" : ""); /* fits */
        fprintf(out, "  %-20s %s\n", name, options[i].help);
    }
    fputs("\n"
          "The address of the service comes from PERFETTO_PRODUCER_SOCK_NAME, or is the default.\n"
          "\n"
          "Examples:\n"
          "  traced_probes --background\n"
          "  traced_probes --check          # what works with this user's permissions\n",
          out);
}

static int check(const struct orma_probes_config *config)
{
    const char *const *names = orma_probes_sources();
    int missing = 0;

    for (size_t i = 0; names[i]; i++) {
        char why[400] = "";
        bool ok = orma_probes_source_usable(config, names[i], why, sizeof(why));

        printf("%-28s %s%s\n", names[i], ok ? "yes" : "no: ", why);
        missing += !ok;
    }
    return missing ? EXIT_FAILED : EXIT_OK;
}

static int serve(const struct orma_probes_config *config, bool background, bool keep_all)
{
    struct sigaction stop = {.sa_handler = on_signal};
    int r;

    if (background && daemon(0, 0) < 0) {
        orma_log_error("cannot run in the background: %s", strerror(errno));
        return EXIT_FAILED;
    }
    r = keep_all ? 0 : orma_probes_drop_privileges();
    if (r < 0)
        orma_log_warn("cannot drop privileges: %s", strerror(-r));
    r = orma_probes_new(config, &running);
    if (r < 0) {
        orma_log_error("cannot start: %s", strerror(-r));
        return EXIT_FAILED;
    }
    (void)sigaction(SIGINT, &stop, NULL); /* fails for bad arguments only */
    (void)sigaction(SIGTERM, &stop, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    r = orma_probes_run(running);
    orma_probes_free(running);
    if (r < 0)
        orma_log_error("the event loop failed: %s", strerror(-r));
    return r < 0 ? EXIT_FAILED : EXIT_OK;
}

static int reset(const struct orma_probes_config *config)
{
    int r = orma_probes_reset_ftrace(config);

    if (r < 0)
        orma_log_error("cannot reset the kernel's tracer: %s", strerror(-r));
    return r < 0 ? EXIT_FAILED : EXIT_OK;
}

int orma_probes_main(int argc, char **argv)
{
    enum { DO_SERVE, DO_RESET, DO_CHECK } what = DO_SERVE;
    struct option longs[OPTIONS_NUM + 1] = {0};
    struct orma_probes_config config = {0};
    bool background = false, keep_all = false;
    int c;

    orma_standard_take();
    orma_log_init("traced_probes", ORMA_LOG_INFO);
    for (size_t i = 0; i < OPTIONS_NUM; i++)
        longs[i] = options[i].opt;
    while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        switch (c) {
        case OPT_BACKGROUND:
            background = true;
            break;
        case OPT_RESET:
            what = DO_RESET;
            break;
        case OPT_CHECK:
            what = DO_CHECK;
            break;
        case OPT_KEEP:
            keep_all = true;
            break;
        case OPT_TRACEFS:
            config.tracefs_root = optarg;
            break;
        case OPT_PROC:
            config.proc_root = optarg;
            break;
        case OPT_SYS:
            config.sys_root = optarg;
            break;
        case OPT_DEV:
            config.dev_root = optarg;
            break;
        case OPT_STATE:
            config.state_dir = optarg;
            break;
        case OPT_VERSION:
            puts("Orma 0.1.0");
            return EXIT_OK;
        case OPT_HELP:
            usage(stdout);
            return EXIT_OK;
        default:
            usage(stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        orma_log_error("unexpected argument '%s'", argv[optind]);
        usage(stderr);
        return EXIT_USAGE;
    }
    switch (what) {
    case DO_RESET:
        return reset(&config);
    case DO_CHECK:
        return check(&config);
    case DO_SERVE:
        break;
    }
    return serve(&config, background, keep_all);
}
