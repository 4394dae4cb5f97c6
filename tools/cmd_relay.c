/*
 * orma relay: records programs of this machine with the service of another one.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/run_dir.h"
#include "sdk/ipc/sock.h"
#include "tools/base/signals.h"
#include "tools/commands.h"
#include "tools/relay/address.h"
#include "tools/relay/called.h"
#include "tools/relay/connect.h"
#include "tools/relay/relay.h"

#define PROGRAM "orma relay"
#define ADDRESS_MAX 256
#define TO_ENV "PERFETTO_RELAY_SOCK_NAME"
#define NAME_ENV "PERFETTO_MACHINE_NAME"

enum { OPT_TO = 1, OPT_LISTEN, OPT_NAME, OPT_SOCKET, OPT_PROBES, OPT_INPUT };

static const struct orma_option options[] = {
    {OPT_TO, 0, "to", "ADDR",
     "The service: tcp:HOST:PORT, vsock:CID:PORT, or the path of a socket. Default: $" TO_ENV "."},
    {OPT_LISTEN, 0, "listen", "ADDR",
     "Wait until 'orma record --machine' calls, instead: tcp:[HOST:]PORT or vsock:PORT."},
    {OPT_NAME, 0, "name", "NAME",
     "What this machine is called in traces. Default: $" NAME_ENV ", or its host name."},
    {OPT_PROBES, 0, "probes", NULL,
     "Record the kernel and the system of this machine as well, as traced_probes does."},
    {OPT_SOCKET, 0, "socket", "PATH",
     "Where programs connect. Default: where they look for a service."},
    {OPT_INPUT, 0, "until-eof", NULL, "End when standard input does."},
    {0},
};

struct request {
    struct orma_cli cli;
    const char *to, *listen, *name, *socket;
    bool probes, until_eof;
    char address[ADDRESS_MAX];
    char host[256];
    char folder[64], own_socket[80]; /* where programs do not look; empty: there is none */
};

struct probes {
    struct orma_probes *of;
    pthread_t thread;
    bool runs;
};

/* ---- connections to the service ---- */

static int connect_to(void *ctx, bool leads, int stop_fd)
{
    const struct request *rq = ctx;

    (void)leads;
    return orma_relay_connect(rq->address, stop_fd);
}

/* Whoever started us wants to know. */
static void say_ready(void *ctx)
{
    (void)ctx;
    puts("ready");
    fflush(stdout);
}

static int wait_for_call(void *ctx, bool leads, int stop_fd)
{
    (void)stop_fd; /* it waits for a second */
    return orma_relay_called_take(ctx, leads);
}

/* Whoever reaches the port has the data of this machine. */
static void warn_if_open(const char *address)
{
    struct orma_sock_addr at;
    const struct sockaddr_in *in = (const struct sockaddr_in *)&at.addr;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&at.addr;

    if (orma_sock_parse(address, &at) < 0)
        return;
    if ((at.family == AF_INET && ntohl(in->sin_addr.s_addr) >> 24 != 127) ||
        (at.family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr)) || at.family == AF_VSOCK)
        fprintf(stderr,
                PROGRAM ": whoever can reach %s can record this machine, and nothing is encrypted; "
                        "'orma record --machine ssh:HOST' needs no port\n",
                address);
}

static int listen_for_calls(struct request *rq, struct orma_relay_called **ret)
{
    int fd = orma_sock_listen(rq->address);

    if (fd < 0) {
        fprintf(stderr, PROGRAM ": cannot listen on %s: %s\n", rq->listen, strerror(-fd));
        return fd;
    }
    warn_if_open(rq->address);
    return orma_relay_called_new(fd, ret);
}

/* ---- probes ---- */

static void *run_probes(void *arg)
{
    int r = orma_probes_run(arg);

    if (r < 0)
        orma_log_error("the probes ended with error %d", -r);
    return NULL;
}

static int start_probes(struct probes *self, const char *socket)
{
    const struct orma_probes_config config = {.producer_addr = socket};
    int r = orma_probes_new(&config, &self->of);

    if (r == 0) /* signals are blocked here, and read by the main thread */
        r = -pthread_create(&self->thread, NULL, run_probes, self->of);
    self->runs = r == 0;
    if (r < 0)
        fprintf(stderr, PROGRAM ": cannot start the probes: %s\n", strerror(-r));
    return r;
}

static void end_probes(struct probes *self)
{
    if (self->runs) {
        orma_probes_stop(self->of);
        pthread_join(self->thread, NULL);
    }
    orma_probes_free(self->of);
}

/* ---- the command ---- */

static bool make_folder(struct request *rq)
{
    const char *base = orma_path_run_dir();

    snprintf(rq->folder, sizeof(rq->folder), "%s/orma-relay-XXXXXX",
             base && strlen(base) < 40 && access(base, W_OK | X_OK) == 0 ? base : "/tmp");
    if (!mkdtemp(rq->folder)) /* mode 0700: nobody else may enter */
        return false;
    snprintf(rq->own_socket, sizeof(rq->own_socket), "%s/relay.sock", rq->folder);
    return true;
}

/* Until a signal, the end of the input, or that of the relay. */
static void wait_for_end(const struct request *rq, int signal_fd, const struct orma_relay *relay,
                         int *ret_code)
{
    struct pollfd fds[] = {{.fd = signal_fd, .events = POLLIN},
                           {.fd = orma_relay_end_fd(relay), .events = POLLIN},
                           {.fd = rq->until_eof ? STDIN_FILENO : -1, .events = POLLIN}};
    char ignored[512];

    for (;;) {
        if (poll(fds, 3, -1) < 0)
            continue;
        if (fds[1].revents)
            *ret_code = ORMA_EXIT_FAILURE;
        if (fds[0].revents || fds[1].revents)
            return;
        if (fds[2].revents && read(STDIN_FILENO, ignored, sizeof(ignored)) <= 0)
            return;
    }
}

static int relay(struct request *rq)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    ORMA_AUTO(orma_fd_close) int signal_fd = orma_signals_open(PROGRAM, signals);
    ORMA_AUTO(orma_relay_called_free_p) struct orma_relay_called *called = NULL;
    ORMA_AUTO(orma_relay_free_p) struct orma_relay *self = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    struct orma_relay_config config = {.program = PROGRAM,
                                       .connect = connect_to,
                                       .ctx = rq,
                                       .to = rq->to,
                                       .name = rq->name ? rq->name : rq->host,
                                       .socket = rq->socket,
                                       .own_machine = rq->name != NULL};
    struct probes probes = {0};
    int code = ORMA_EXIT_OK;

    orma_log_init(PROGRAM, ORMA_LOG_INFO);
    if (signal_fd < 0 || (rq->listen && listen_for_calls(rq, &called) < 0))
        return ORMA_EXIT_FAILURE;
    if (called) {
        config.connect = wait_for_call;
        config.ctx = called;
        config.to = rq->listen;
    }
    if (rq->until_eof)
        config.ready = say_ready;
    int r = orma_relay_new(&config, &self, &error);
    if (r == -EADDRINUSE && rq->probes && !rq->socket && make_folder(rq)) {
        fprintf(stderr,
                PROGRAM ": a service listens on %s and keeps the programs of this machine; "
                        "only the kernel and the system are recorded\n",
                orma_sock_producer_addr());
        config.socket = rq->own_socket;
        orma_buf_clear(&error);
        r = orma_relay_new(&config, &self, &error);
    }
    if (r < 0) {
        fprintf(stderr, PROGRAM ": %s\n", orma_buf_cstr(&error));
        return ORMA_EXIT_FAILURE;
    }
    if (rq->probes && start_probes(&probes, orma_relay_socket(self)) < 0)
        code = ORMA_EXIT_FAILURE;
    if (code == ORMA_EXIT_OK) {
        fprintf(stderr, PROGRAM ": programs of this machine connect to %s; Ctrl-C ends it\n",
                orma_relay_socket(self));
        wait_for_end(rq, signal_fd, self, &code);
    }
    end_probes(&probes);
    return code;
}

/* tcp:PORT is a port of this machine alone. */
static bool find_address(struct request *rq)
{
    const char *text = rq->listen ? rq->listen : rq->to;
    char local[ADDRESS_MAX];

    if (rq->listen && !strncmp(text, "tcp:", 4) && !strchr(text + 4, ':')) {
        snprintf(local, sizeof(local), "tcp:127.0.0.1:%s", text + 4);
        text = local;
    } else if (rq->listen && !strncmp(text, "vsock:", 6) && !strchr(text + 6, ':')) {
        snprintf(local, sizeof(local), "vsock:4294967295:%s", text + 6); /* VMADDR_CID_ANY */
        text = local;
    }
    return orma_relay_address(text, rq->address, sizeof(rq->address));
}

static int take_option(struct request *rq, int id)
{
    switch (id) {
    case OPT_TO:
        rq->to = rq->cli.value;
        return ORMA_EXIT_OK;
    case OPT_LISTEN:
        rq->listen = rq->cli.value;
        return ORMA_EXIT_OK;
    case OPT_NAME:
        rq->name = rq->cli.value;
        return ORMA_EXIT_OK;
    case OPT_SOCKET:
        rq->socket = rq->cli.value;
        return ORMA_EXIT_OK;
    case OPT_PROBES:
        rq->probes = true;
        return ORMA_EXIT_OK;
    case OPT_INPUT:
        rq->until_eof = true;
        return ORMA_EXIT_OK;
    case ORMA_CLI_POSITIONAL:
        return orma_cli_usage_error(&rq->cli, "unexpected '%s': --to %s?", rq->cli.value,
                                    rq->cli.value);
    default:
        return ORMA_EXIT_USAGE;
    }
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct request rq = {.to = getenv(TO_ENV), .name = getenv(NAME_ENV)};
    bool given = false;
    int id, code = ORMA_EXIT_OK;

    orma_cli_init(&rq.cli, self, PROGRAM, argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&rq.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        given |= id == OPT_TO;
        code = take_option(&rq, id);
    }
    if (code != ORMA_EXIT_OK)
        return code;
    if (given && rq.listen)
        return orma_cli_usage_error(&rq.cli, "--to and --listen exclude each other");
    if (!rq.to && !rq.listen)
        return orma_cli_usage_error(&rq.cli,
                                    "where is the service? --to ADDR, or --listen ADDR until "
                                    "'orma record --machine' calls");
    if (!find_address(&rq))
        return orma_cli_usage_error(&rq.cli, "the address is too long");
    if (rq.name && !*rq.name)
        rq.name = NULL;
    if (gethostname(rq.host, sizeof(rq.host) - 1) < 0 || !rq.host[0])
        strcpy(rq.host, "machine");
    code = relay(&rq);
    if (rq.own_socket[0])
        (void)rmdir(rq.folder); /* what is in it is not ours */
    return code;
}

const struct orma_command orma_cmd_relay = {
    .name = "relay",
    .in_short = true,
    .summary = "Record this machine's programs with the service of another one.",
    .synopsis = "--to ADDR [OPTIONS]\n"
                "--listen ADDR [OPTIONS]",
    .details =
        "Programs connect to it as to a service, and it passes on what they and a service "
        "elsewhere say: one trace, on one timeline. Clocks are read on both sides again and "
        "again; 'orma stats' says how exactly they are related. The service must expect relays "
        "('traced --enable-relay-endpoint'), and sessions must ask for other machines "
        "(trace_all_machines, or machine_name_filter); 'orma record --machine' does both by "
        "itself.\n"
        "\n"
        "While the service cannot be reached, programs wait, and record nothing. What was on its "
        "way when a link broke is missing, and the trace says so.\n"
        "\n"
        "Nothing is encrypted here: go through ssh, or a private network.",
    .examples =
        "  orma relay --to tcp:10.0.0.5:20001 --probes\n"
        "  orma relay --listen tcp:8039 --probes     # for 'orma record --machine'\n"
        "  orma relay --to vsock:2:20001             # from a virtual machine to its host\n",
    .options = options,
    .run = run,
};
