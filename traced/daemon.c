/*
 * Order of the start: options, sockets of a service manager, the service (it
 * listens now), permissions, background, readiness, and last the sandbox, which
 * leaves only what the loop needs.
 */
#include "traced/daemon.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/log.h"
#include "sdk/base/standard.h"
#include "sdk/base/str.h"
#include "sdk/ipc/sock.h"
#include "traced/activation.h"
#include "traced/sandbox.h"
#include "traced/service.h"

#define EXIT_USAGE 2

static struct traced_service *service;

static const char usage[] =
    "Usage: traced [OPTION]...\n"
    "\n"
    "The tracing service: collects data from producers and gives traces to consumers.\n"
    "\n"
    "  --background             run in the background\n"
    "  --set-socket-permissions PGROUP:PMODE:CGROUP:CMODE\n"
    "                           group and octal mode of the producer and the consumer socket;\n"
    "                           whoever may use the consumer socket has the rights of this user\n"
    "                           (docs/service.md, \"Who may connect\")\n"
    "  --enable-relay-endpoint  let relays from other machines connect to the producer sockets\n"
    "  --enable-relay-endpoint-on ADDR\n"
    "                           the same for one producer socket; may be given several times\n"
    "  --rescue-folder FOLDER   where what sessions hold outlasts this process, for 'orma "
    "recover';\n"
    "                           none: nowhere. Default: $ORMA_RESCUE_FOLDER, or a folder of this "
    "user\n"
    "                           in $XDG_RUNTIME_DIR or /dev/shm\n"
    "  --no-sandbox             allow all system calls; for debugging\n"
    "  --version                print the version\n"
    "  --help                   print this help\n"
    "\n"
    "Sockets: PERFETTO_PRODUCER_SOCK_NAME (a list, separated by commas) and\n"
    "PERFETTO_CONSUMER_SOCK_NAME, or else below /run/perfetto or /tmp. When both are ready, a "
    "\"1\" is\n"
    "written to the descriptor in TRACED_NOTIFY_FD. A service manager may pass the sockets\n"
    "(LISTEN_FDS, with the names producer and consumer) and is notified (NOTIFY_SOCKET).\n"
    "\n"
    "Examples:\n"
    "  traced --background\n"
    "  traced --set-socket-permissions :0666:tracing:0660\n";

struct options {
    bool background, no_sandbox;
    char *permissions;
    struct traced_activation activation;
    struct traced_config config;
    const char *relay_addrs[16];
};

enum {
    OPT_PERMISSIONS = 256,
    OPT_RELAY,
    OPT_RELAY_ON,
    OPT_BACKGROUND,
    OPT_RESCUE,
    OPT_NO_SANDBOX,
    OPT_VERSION,
    OPT_HELP
};
static const struct option long_options[] = {
    {"background", no_argument, NULL, OPT_BACKGROUND},
    {"set-socket-permissions", required_argument, NULL, OPT_PERMISSIONS},
    {"enable-relay-endpoint", no_argument, NULL, OPT_RELAY},
    {"enable-relay-endpoint-on", required_argument, NULL, OPT_RELAY_ON},
    {"rescue-folder", required_argument, NULL, OPT_RESCUE},
    {"no-sandbox", no_argument, NULL, OPT_NO_SANDBOX},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

/* Exit code, or -1 to go on. */
static int parse_options(int argc, char **argv, struct options *ret)
{
    int opt;

    while ((opt = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (opt) {
        case OPT_BACKGROUND:
            ret->background = true;
            break;
        case OPT_PERMISSIONS:
            ret->permissions = optarg;
            break;
        case OPT_RELAY:
            ret->config.enable_relay = true;
            break;
        case OPT_RELAY_ON:
            if (ret->config.relay_addrs_num == 16) {
                fputs("traced: --enable-relay-endpoint-on was given more than 16 times\n", stderr);
                return EXIT_USAGE;
            }
            ret->relay_addrs[ret->config.relay_addrs_num++] = optarg;
            break;
        case OPT_RESCUE:
            ret->config.rescue_base = optarg;
            break;
        case OPT_NO_SANDBOX:
            ret->no_sandbox = true;
            break;
        case OPT_VERSION:
            printf("%s\n", traced_version());
            return EXIT_SUCCESS;
        case OPT_HELP:
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        default:
            fputs("traced: try --help\n", stderr); /* getopt has said what is wrong */
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "traced: unexpected argument '%s'; try --help\n", argv[optind]);
        return EXIT_USAGE;
    }
    ret->config.relay_addrs = ret->relay_addrs;
    return -1;
}

/* ---- permissions of the socket files ---- */

static int set_permissions(const char *path, const char *group, const char *mode_text)
{
    struct group *gr = *group ? getgrnam(group) : NULL;
    char *end;
    unsigned long mode = strtoul(mode_text, &end, 8);

    if (*group && !gr) {
        fprintf(stderr, "traced: no such group: '%s'\n", group);
        return -1;
    }
    if (!*mode_text || *end || mode > 07777) {
        fprintf(stderr, "traced: '%s' is not an octal file mode\n", mode_text);
        return -1;
    }
    if (*path == '@')
        return 0; /* abstract: without owner and mode */
    if ((gr && chown(path, (uid_t)-1, gr->gr_gid) < 0) || chmod(path, (mode_t)mode) < 0) {
        fprintf(stderr, "traced: cannot set group and mode of %s: %s\n", path, strerror(errno));
        return -1;
    }
    return 0;
}

/* All producer sockets that are files. */
static int set_producer_permissions(const char *group, const char *mode)
{
    struct orma_str rest = orma_str_from(orma_sock_producer_addr()), part;
    struct stat st;
    int r = 0;

    while (r == 0 && orma_str_cut(&rest, ',', &part)) {
        char *addr = orma_str_dup(orma_str_trim(part));

        if (addr && lstat(addr, &st) == 0)
            r = set_permissions(addr, group, mode);
        free(addr);
    }
    return r;
}

static int apply_permissions(const char *text)
{
    struct orma_str rest = orma_str_from(text), part;
    char *parts[4] = {0};
    int num = 0, r = -1;

    while (num < 4 && orma_str_cut(&rest, ':', &part))
        parts[num++] = orma_str_dup(part);
    if (num == 4 && !rest.len && parts[0] && parts[1] && parts[2] && parts[3]) {
        r = set_producer_permissions(parts[0], parts[1]);
        if (r == 0)
            r = set_permissions(orma_sock_consumer_addr(), parts[2], parts[3]);
    } else {
        fputs("traced: --set-socket-permissions needs PGROUP:PMODE:CGROUP:CMODE\n", stderr);
    }
    for (int i = 0; i < 4; i++)
        free(parts[i]);
    return r;
}

/* ---- start ---- */

static void on_signal(int sig)
{
    (void)sig;
    traced_service_stop(service);
}

static void handle_signals(void)
{
    struct sigaction stop = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};

    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* write() has the error */
}

static void notify_ready(void)
{
    const char *text = getenv("TRACED_NOTIFY_FD");
    uint64_t fd;

    if (!text || !orma_str_to_u64(orma_str_from(text), &fd) || fd > INT32_MAX)
        return;
    (void)!write((int)fd, "1", 1); /* who asked for it and is gone does not need it */
    (void)close((int)fd);
}

/* -1: refused, with a message. */
static int take_sockets(struct options *options)
{
    int r = traced_activation_take(&options->activation);

    if (r < 0) {
        fputs("traced: LISTEN_FDS must pass listening sockets: one or more for producers, one for "
              "consumers (named in LISTEN_FDNAMES)\n",
              stderr);
        return -1;
    }
    if (r > 0) {
        options->config.producer_fds = options->activation.producer_fds;
        options->config.producer_fds_num = options->activation.producer_fds_num;
        options->config.consumer_fd = options->activation.consumer_fd;
    }
    return 0;
}

/* False: it could not be had, and that was not to be expected. */
static bool enter_sandbox(const struct options *options)
{
    int r = options->no_sandbox ? 0 : traced_sandbox_enter();

    if (r == 0 || r == -ENOSYS)
        return true;
    if (r == -EINVAL || r == -EACCES || r == -ECANCELED) { /* a kernel without filters */
        orma_log_warn("running without a system call filter: %s", strerror(-r));
        return true;
    }
    fprintf(
        stderr,
        "traced: cannot set up the system call filter: %s; use --no-sandbox to run without it\n",
        strerror(-r));
    return false;
}

/* Each client costs a descriptor; the usual soft limit is there for programs that use select(). */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* as many as there are, then */
}

int traced_main(int argc, char **argv)
{
    struct options options = {.config = {.consumer_fd = -1}};
    struct orma_buf error = {0};

    orma_standard_take();
    int code = parse_options(argc, argv, &options);
    if (code >= 0)
        return code;
    orma_log_init("traced", ORMA_LOG_INFO);
    raise_descriptor_limit();
    if (take_sockets(&options) < 0)
        return EXIT_FAILURE;
    int r = traced_service_new(&options.config, &service, &error);
    if (r < 0) {
        fprintf(stderr, "traced: %s\n", orma_buf_cstr(&error));
        orma_buf_fini(&error);
        return EXIT_FAILURE;
    }
    orma_buf_fini(&error);
    code = EXIT_FAILURE;
    if (!options.permissions || apply_permissions(options.permissions) == 0) {
        handle_signals();
        if (options.background && daemon(0, 0) < 0) {
            fprintf(stderr, "traced: cannot run in the background: %s\n", strerror(errno));
        } else {
            traced_activation_ready();
            if (enter_sandbox(&options)) {
                notify_ready();
                r = traced_service_run(service);
                code = r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
            }
        }
    }
    traced_service_free(service);
    return code;
}
