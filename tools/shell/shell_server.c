/*
 * trace_processor_shell server: http, stdio, unix, kill.
 *
 * A server on a unix socket writes its process id beside it (NAME.pid), by which
 * `kill` finds it. Both files go when it ends.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "processor/serve/requests.h"
#include "processor/serve/rpc.h"
#include "processor/serve/server.h"
#include "sdk/base/fd.h"
#include "sdk/base/run_dir.h"
#include "tools/base/signals.h"
#include "tools/load/load.h"
#include "tools/load/symbols.h"
#include "tools/shell/shell_impl.h"

#define PROGRAM orma_shell_program(NULL)
#define BACKLOG 16
#define UNIX_IDLE_MS (30 * 60 * 1000u)
#define STDIO_BLOCK ((size_t)256 << 10)
#define STDIO_STOP_MS 3000

const struct orma_option orma_shell_server_options[] = {
    {ORMA_SHELL_PORT, 0, "port", "PORT", "http: the port. Default: 9001. 0: any free port."},
    {ORMA_SHELL_ADDRESS, 0, "ip-address", "ADDRESS", "http: the address. Default: localhost."},
    {ORMA_SHELL_ORIGINS, 0, "additional-cors-origins", "LIST",
     "http: also accept requests from pages of these origins."},
    {ORMA_SHELL_NAME_OPTION, 0, "name", "NAME", "unix: name of the socket. Default: a new one."},
    {ORMA_SHELL_PATH, 0, "path", "PATH", "unix: path of the socket."},
    {ORMA_SHELL_DAEMONIZE, 0, "daemonize", NULL, "unix: run in the background."},
    {ORMA_SHELL_IDLE_TIMEOUT, 0, "idle-timeout", "auto|never|TIME",
     "Exit after this time without a request. auto: 30 minutes for unix, never for http."},
    {ORMA_SHELL_ACCEPTED, 0, "idle-start", "auto|orphaned|last-query",
     "Accepted; the time counts from the last request."},
    ORMA_SHELL_GLOBAL_OPTIONS,
    {0},
};

/* ---- what all have ---- */

static int prepare(void *ctx, struct orma_processor *tp)
{
    return orma_shell_add_packages(ctx, tp);
}

/* An RPC with the packages, and the trace if there is one. 0 or 1, has said why. */
static int make_rpc(struct orma_shell *sh, struct orma_rpc **ret)
{
    struct orma_rpc *rpc;

    if (orma_rpc_new(&sh->config, &rpc) < 0)
        return orma_shell_missing(PROGRAM, strerror(ENOMEM));
    orma_rpc_set_prepare(rpc, prepare, sh);
    int code = orma_shell_add_packages(sh, orma_rpc_processor(rpc));
    if (!code && sh->trace)
        code = orma_load_symbols_from_environment(orma_rpc_processor(rpc), PROGRAM) < 0;
    if (!code && sh->trace) {
        code = orma_load_trace(orma_rpc_processor(rpc), PROGRAM, sh->trace,
                               orma_shell_is_orma() ? ORMA_LOAD_PROGRESS : ORMA_LOAD_SHELL,
                               &sh->load_ns) < 0;
        if (!code) {
            orma_load_print_health(orma_rpc_processor(rpc), NULL, NULL, stderr);
            code = orma_rpc_set_loaded(rpc, sh->trace) < 0;
        }
    }
    if (code)
        orma_rpc_free(rpc);
    else
        *ret = rpc;
    return code;
}

static int serve(struct orma_shell *sh, const struct orma_server_config *config, uint64_t idle_ms)
{
    static const int signals[] = {SIGINT, SIGTERM, 0};
    struct orma_rpc *rpc = NULL;
    struct orma_server *server = NULL;
    int unix_fd = config->unix_fd, code = make_rpc(sh, &rpc);
    ORMA_AUTO(orma_fd_close) int stop_fd = orma_signals_open(PROGRAM, signals);

    code |= stop_fd < 0;
    if (!code) {
        int r = orma_server_new(config, rpc, &server);

        if (r < 0) {
            fprintf(stderr, "%s: cannot listen on %s, port %u: %s%s\n", PROGRAM,
                    config->address ? config->address : "localhost", (unsigned)config->port,
                    r == -EINVAL ? "no such address" : strerror(-r),
                    r == -EADDRINUSE ? "; --port (or --http-port) selects another" : "");
            code = 1;
        } else {
            unix_fd = -1;
        }
    }
    if (!code && config->unix_fd < 0)
        fprintf(stderr, "[HTTP] Listening on http://%s:%u; Ctrl-C stops it\n",
                config->address ? config->address : "localhost",
                (unsigned)orma_server_port(server));
    int r = code ? 0 : orma_server_run(server, stop_fd, idle_ms);
    orma_fd_close(&unix_fd);
    if (r == -EBUSY) { /* its thread uses the trace: it ends with the process */
        sh->still_busy = true;
        return 0;
    }
    code |= r < 0;
    orma_server_free(server);
    orma_rpc_free(rpc);
    return code;
}

int orma_shell_serve_http(struct orma_shell *self)
{
    struct orma_server_config config = {
        .address = self->address, .port = self->port, .origins = self->origins, .unix_fd = -1};

    int code = serve(self, &config, self->idle_ms == UINT64_MAX ? 0 : self->idle_ms);
    if (self->still_busy)
        _exit(code);
    return code;
}

/* ---- stdio ---- */

/* Waits until the job is done, or nobody reads any more. False: that, or it failed. */
static bool finish_job(struct orma_jobs *jobs, struct orma_job *job, struct orma_rpc_stream *stream)
{
    struct pollfd fds[] = {{.fd = orma_jobs_wake_fd(jobs), .events = POLLIN},
                           {.fd = STDOUT_FILENO}}; /* an error is told without being asked for */
    struct orma_buf none = {0};

    while (!orma_jobs_take(jobs, job, &none)) {
        if (poll(fds, ORMA_ARRAY_LEN(fds), -1) > 0 && fds[1].revents) {
            orma_jobs_cancel(jobs, job);
            return false;
        }
        orma_jobs_woken(jobs);
    }
    bool good = !job->close_after;
    *stream = job->stream;
    job->stream = (struct orma_rpc_stream){0};
    orma_job_free(job);
    return good;
}

/* Requests are read when those before them are answered. 0 at the end, -errno. */
static int pump_stdio(struct orma_jobs *jobs)
{
    struct orma_rpc_stream stream = {0};
    bool good = true;
    ssize_t n = 1;

    while (good && n > 0) {
        struct orma_job *job = orma_job_new(orma_request_run_raw);

        if (!job || !orma_buf_reserve(&job->in, STDIO_BLOCK)) {
            orma_job_free(job);
            break;
        }
        n = read(STDIN_FILENO, job->in.data, STDIO_BLOCK);
        if (n <= 0) {
            orma_job_free(job);
            break;
        }
        job->in.len = (size_t)n;
        job->body = orma_buf_str(&job->in);
        job->direct_fd = STDOUT_FILENO;
        job->stream = stream;
        stream = (struct orma_rpc_stream){0};
        orma_jobs_add(jobs, job);
        good = finish_job(jobs, job, &stream);
    }
    orma_rpc_stream_fini(&stream);
    return good && n == 0 ? 0 : -EIO;
}

int orma_shell_serve_stdio(struct orma_shell *self)
{
    struct orma_rpc *rpc = NULL;
    struct orma_jobs *jobs = NULL;
    int code = make_rpc(self, &rpc);

    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write() */
    if (!code)
        code = orma_jobs_new(rpc, &jobs) < 0;
    if (!code)
        code = pump_stdio(jobs) < 0;
    if (jobs && !orma_jobs_stop(jobs, STDIO_STOP_MS))
        _exit(code); /* the thread is in a call that cannot be interrupted */
    orma_jobs_free(jobs);
    orma_rpc_free(rpc);
    return code;
}

/* ---- unix ---- */

static bool good_name(const char *name)
{
    if (!isalnum((unsigned char)*name))
        return false;
    for (; *name; name++) {
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
            return false;
    }
    return true;
}

/* DIR/perfetto, made if it is missing. What lies there is run, killed and overwritten by its name,
 * so it must be ours alone: in /tmp anybody may have made it. 0 or -errno; -EPERM: it is not. */
static int socket_dir(struct orma_buf *ret)
{
    const char *dir = orma_path_run_dir();
    struct stat st;

    if (!dir)
        dir = getenv("TMPDIR");
    orma_buf_printf(ret, "%s/perfetto", dir && *dir ? dir : "/tmp");
    if (mkdir(orma_buf_cstr(ret), 0700) < 0 && errno != EEXIST)
        return -errno;
    if (lstat(orma_buf_cstr(ret), &st) < 0)
        return -errno;
    if (!S_ISDIR(st.st_mode))
        return -ENOTDIR;
    return st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -EPERM;
}

const char *orma_shell_socket_why(int err)
{
    return err == EPERM ? "the folder belongs to another user, or others may write to it; set "
                          "XDG_RUNTIME_DIR to one of your own"
                        : strerror(err);
}

/* The path of a socket by its name. 0 or -errno. */
int orma_shell_socket_path(const char *name, struct orma_buf *ret)
{
    int r = socket_dir(ret);

    orma_buf_printf(ret, "/%s.sock", name);
    if (r < 0)
        return r;
    return ret->failed ? -ENOMEM : 0;
}

/* The pid file stands beside the socket: .pid instead of .sock, or behind the name. */
static void pid_path(const char *path, struct orma_buf *ret)
{
    size_t len = strlen(path);

    if (len > 5 && !strcmp(path + len - 5, ".sock"))
        len -= 5;
    orma_buf_printf(ret, "%.*s.pid", (int)len, path);
}

/* A name that nobody has thought of: adjective, colour, animal. */
static void make_name(char *ret, size_t size)
{
    static const char *const adjectives[] = {"brave", "calm",  "eager", "gentle",
                                             "keen",  "lucky", "quick", "wise"};
    static const char *const colours[] = {"amber", "blue",   "coral", "green",
                                          "ivory", "orange", "red",   "violet"};
    static const char *const animals[] = {"badger", "crane", "dolphin", "falcon",
                                          "lynx",   "otter", "raven",   "tiger"};
    unsigned char random[3] = {0};

    if (getrandom(random, sizeof(random), 0) != sizeof(random))
        random[0] = (unsigned char)getpid();
    snprintf(ret, size, "%s-%s-%s", adjectives[random[0] % 8], colours[random[1] % 8],
             animals[random[2] % 8]);
}

/* 0 or -errno. *ret_peer (may be NULL): who listens. */
static int connect_to(const struct sockaddr_un *addr, struct ucred *ret_peer)
{
    ORMA_AUTO(orma_fd_close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(*ret_peer);

    if (fd < 0 || connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
        return -errno;
    return ret_peer && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ret_peer, &len) < 0 ? -errno : 0;
}

static int make_addr(const char *path, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(ret->sun_path) - 4)
        return -ENAMETOOLONG;
    memcpy(ret->sun_path, path, strlen(path) + 1);
    return 0;
}

/* A socket at `path`, which does not listen yet; a dead one is replaced. */
static int bind_at(const char *path)
{
    struct sockaddr_un addr;
    int r = make_addr(path, &addr);

    if (r < 0)
        return r;
    r = connect_to(&addr, NULL);
    if (r == 0)
        return -EADDRINUSE;
    if (r == -ECONNREFUSED)
        (void)unlink(path); /* bind() tells if it stays */
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    /* The file gets the mode of the socket: it is nobody else's from its first moment. */
    if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
        r = -errno;
        orma_fd_close(&fd);
        return r;
    }
    return fd;
}

static int write_pid(const char *path)
{
    char text[32];

    snprintf(text, sizeof(text), "%d\n", (int)getpid());
    (void)unlink(path); /* of a server that was killed; a link that somebody left leads nowhere */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int r = orma_fd_write_all(fd, text, strlen(text));
    orma_fd_close(&fd);
    return r;
}

/*
 * From here on it is a child. Its parent stays until background_ready(), so that whoever started it
 * can connect at once, and sees what goes wrong until then. `fds`: for that call; both ends, so
 * that a parent that was killed is no signal. 0 or -errno.
 */
static int go_to_background(int fds[2])
{
    char byte;

    fflush(NULL); /* or the child would print it again */
    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork();
    if (child < 0) {
        int r = -errno;

        orma_fd_close(&fds[0]);
        orma_fd_close(&fds[1]);
        return r;
    }
    if (child) {
        ssize_t n;

        orma_fd_close(&fds[1]);
        while ((n = read(fds[0], &byte, 1)) < 0 && errno == EINTR)
            continue;
        _exit(n == 1 ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE);
    }
    return setsid() < 0 ? -errno : 0;
}

/* It listens: nothing of the terminal is needed any more. */
static int background_ready(int fds[2])
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), r = null < 0 ? -errno : 0;

    for (int to = STDIN_FILENO; r == 0 && to <= STDERR_FILENO; to++)
        r = dup2(null, to) < 0 ? -errno : 0;
    if (null > STDERR_FILENO)
        orma_fd_close(&null);
    if (r == 0)
        r = orma_fd_write_all(fds[1], "", 1);
    orma_fd_close(&fds[0]);
    orma_fd_close(&fds[1]);
    return r;
}

static int serve_at(struct orma_shell *sh, const char *path)
{
    struct orma_server_config config = {.unix_fd = bind_at(path)};
    struct orma_buf pid = {0};
    int code = 1, r = config.unix_fd < 0 ? config.unix_fd : 0, ready[2] = {-1, -1};

    pid_path(path, &pid);
    if (r == 0 && sh->daemonize)
        r = go_to_background(ready);
    if (r == 0 && listen(config.unix_fd, BACKLOG) < 0) /* its pid is what `kill` asks for */
        r = -errno;
    if (r == 0)
        r = write_pid(orma_buf_cstr(&pid));
    if (r == 0 && ready[1] >= 0)
        r = background_ready(ready);
    if (r < 0) {
        fprintf(stderr, "%s: %s: %s\n", PROGRAM, path,
                r == -EADDRINUSE ? "a server is already running there; 'server kill' stops it"
                                 : strerror(-r));
        orma_fd_close(&config.unix_fd);
    } else {
        code = serve(sh, &config, sh->idle_ms == UINT64_MAX ? UNIX_IDLE_MS : sh->idle_ms);
        (void)unlink(path); /* both may be gone */
        (void)unlink(orma_buf_cstr(&pid));
        if (sh->still_busy)
            _exit(code);
    }
    orma_buf_fini(&pid);
    return code;
}

static int serve_unix(struct orma_shell *sh)
{
    struct orma_buf path = {0};
    char made_up[64];
    int r = 0;

    if (sh->socket_name && sh->socket_path)
        return orma_shell_missing("server unix", "give --name or --path, not both");
    if (!sh->socket_name && !sh->socket_path) {
        make_name(made_up, sizeof(made_up));
        sh->socket_name = made_up;
    }
    if (sh->socket_name && !good_name(sh->socket_name))
        return orma_shell_missing("server unix: a name has letters, digits, - and _ only",
                                  sh->socket_name);
    if (sh->socket_path)
        orma_buf_put_str(&path, sh->socket_path);
    else
        r = orma_shell_socket_path(sh->socket_name, &path);
    int code = 1;
    if (r < 0) {
        fprintf(stderr, "%s: %s: %s\n", PROGRAM, orma_buf_cstr(&path), orma_shell_socket_why(-r));
    } else {
        printf("%s\n", sh->socket_path ? sh->socket_path : sh->socket_name);
        fflush(stdout);
        code = serve_at(sh, orma_buf_cstr(&path));
    }
    orma_buf_fini(&path);
    return code;
}

/* ---- kill ---- */

/* The kernel tells who listens: a file beside the socket could name any process. */
static int kill_at(const char *path)
{
    struct ucred peer = {.pid = -1};
    struct sockaddr_un addr;
    int r = make_addr(path, &addr);

    if (r == 0)
        r = connect_to(&addr, &peer);
    if (r == 0 && (peer.pid < 2 || peer.uid != geteuid()))
        r = -EPERM;
    if (r == 0 && kill(peer.pid, SIGTERM) < 0)
        r = -errno;
    if (r < 0)
        fprintf(stderr, "server kill: no server at %s: %s\n", path,
                r == -EPERM ? "a program of another user listens there" : strerror(-r));
    return r < 0;
}

static int kill_server(const char *target)
{
    struct orma_buf path = {0};
    int r = 0;

    if (!target)
        return orma_shell_missing("server kill",
                                  "no server given: expected its name or the socket's path");
    if (strchr(target, '/'))
        orma_buf_put_str(&path, target);
    else
        r = orma_shell_socket_path(target, &path);
    int code = r < 0 ? orma_shell_missing("server kill", orma_shell_socket_why(-r))
                     : kill_at(orma_buf_cstr(&path));
    orma_buf_fini(&path);
    return code;
}

static bool is_mode(const char *word)
{
    static const char *const modes[] = {"http", "stdio", "unix", "kill"};

    for (size_t i = 0; word && i < ORMA_ARRAY_LEN(modes); i++) {
        if (!strcmp(word, modes[i]))
            return true;
    }
    return false;
}

int orma_shell_run_server(const struct orma_command *command, int argc, char **argv)
{
    struct orma_shell sh;

    orma_shell_init(&sh);
    int code = orma_shell_parse(&sh, command, orma_shell_program("server"), 2, argc, argv);
    if (code >= 0)
        return code;
    const char *mode = sh.words[0];
    sh.trace = sh.words[1];
    if (orma_shell_is_orma() && !is_mode(mode) && !sh.trace) {
        sh.trace = mode;
        return orma_shell_serve_http(&sh);
    }
    if (!mode)
        return orma_shell_missing("server", "no mode given: expected http, stdio, unix or kill");
    if (!strcmp(mode, "http"))
        return orma_shell_serve_http(&sh);
    if (!strcmp(mode, "stdio"))
        return orma_shell_serve_stdio(&sh);
    if (!strcmp(mode, "unix"))
        return serve_unix(&sh);
    if (!strcmp(mode, "kill"))
        return kill_server(sh.trace);
    return orma_shell_missing("server: unknown mode: expected http, stdio, unix or kill", mode);
}
