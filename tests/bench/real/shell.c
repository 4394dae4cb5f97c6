/*
 * Requests and responses are frames of TraceProcessorRpcStream. Cells come in batches whose
 * payloads lie one after the other by kind; their bytes are hashed by kind, so the hash does not
 * depend on how a program cuts its batches.
 */
#include "tests/bench/real/shell.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protos/fields/trace_processor.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define METHOD_QUERY 3
#define FRAME 1
#define READ_SIZE ((size_t)1 << 20)
#define KINDS 6
#define FNV_START 14695981039346656037u
#define FNV_PRIME 1099511628211u

static double seconds(clockid_t clock)
{
    struct timespec ts = {0};

    (void)clock_gettime(clock, &ts); /* a process that is gone: 0 */
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#define THREADS_MAX 300

/* CPU time of each thread. */
struct threads {
    int id[THREADS_MAX];
    uint64_t ns[THREADS_MAX];
    unsigned num;
};

static void read_threads(pid_t pid, struct threads *ret)
{
    char path[300];
    struct dirent *entry;

    ret->num = 0;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir)) && ret->num < THREADS_MAX) {
        unsigned long long ns;

        snprintf(path, sizeof(path), "/proc/%d/task/%.20s/schedstat", (int)pid, entry->d_name);
        FILE *f = *entry->d_name == '.' ? NULL : fopen(path, "re");
        if (f && fscanf(f, "%llu", &ns) == 1) {
            ret->id[ret->num] = atoi(entry->d_name);
            ret->ns[ret->num++] = ns;
        }
        if (f)
            fclose(f);
    }
    if (dir)
        closedir(dir);
}

static double longest(const struct threads *before, const struct threads *after)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < after->num; i++) {
        uint64_t ns = after->ns[i];

        for (unsigned k = 0; k < before->num; k++)
            ns -= before->id[k] == after->id[i] ? before->ns[k] : 0;
        most = ns > most ? ns : most;
    }
    return (double)most / 1e9;
}

static void run_program(const char *program, const char *trace, const int *to, const int *from)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    if (!freopen("/dev/null", "w", stderr)) /* progress; errors of queries come as answers */
        _exit(127);
    execl(program, "trace_processor_shell", "--stdiod", trace, (char *)NULL);
    _exit(127);
}

bool real_shell_start(struct real_shell *self, const char *program, const char *trace,
                      struct real_answer *ret)
{
    int to[2], from[2];
    struct real_answer first;

    *self = (struct real_shell){.to = -1, .from = -1};
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
        return false;
    double begun = seconds(CLOCK_MONOTONIC);
    fflush(NULL);
    self->pid = fork();
    if (self->pid == 0)
        run_program(program, trace, to, from);
    close(to[0]);
    close(from[1]);
    self->to = to[1];
    self->from = from[0];
    if (self->pid < 0 || clock_getcpuclockid(self->pid, &self->clock) ||
        !real_shell_query(self, "SELECT 1", &first)) {
        real_shell_stop(self);
        return false;
    }
    *ret = (struct real_answer){.cpu_s = seconds(self->clock),
                                .wall_s = seconds(CLOCK_MONOTONIC) - begun};
    return true;
}

void real_shell_stop(struct real_shell *self)
{
    if (self->to >= 0)
        close(self->to);
    if (self->from >= 0)
        close(self->from);
    if (self->pid > 0) {
        kill(self->pid, SIGKILL);
        waitpid(self->pid, NULL, 0);
    }
    orma_buf_fini(&self->in);
    *self = (struct real_shell){.to = -1, .from = -1};
}

/* ---- asking ---- */

static bool send_query(struct real_shell *self, const char *sql)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};
    size_t frame = orma_pb_begin(&out, FRAME);
    bool good = true;

    orma_pb_put_u64(&out, ORMA_PB_TRACE_PROCESSOR_RPC_SEQ, self->seq++);
    orma_pb_put_u64(&out, ORMA_PB_TRACE_PROCESSOR_RPC_REQUEST, METHOD_QUERY);
    size_t args = orma_pb_begin(&out, ORMA_PB_TRACE_PROCESSOR_RPC_QUERY_ARGS);
    orma_pb_put_cstr(&out, ORMA_PB_QUERY_ARGS_SQL_QUERY, sql);
    orma_pb_end(&out, args);
    orma_pb_end(&out, frame);
    for (size_t at = 0; good && at < out.len;) {
        ssize_t n = write(self->to, out.data + at, out.len - at);

        good = n > 0;
        at += good ? (size_t)n : 0;
    }
    return good;
}

/* The hashes of the kinds of cells so far. */
struct cells {
    uint64_t num, hash[KINDS];
    bool last, failed;
};

static uint64_t hash_bytes(uint64_t h, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        h = (h ^ data[i]) * FNV_PRIME;
    return h;
}

static void read_batch(struct cells *cells, const struct orma_pb_field *batch)
{
    struct orma_pb_reader r = orma_pb_sub(batch);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_QUERY_RESULT_CELLS_BATCH_IS_LAST_BATCH)
            cells->last = f.num;
        else if (f.id < KINDS)
            cells->hash[f.id] = hash_bytes(cells->hash[f.id], f.data, f.len);
        if (f.id == ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELLS)
            cells->num += f.len;
    }
}

static void read_result(struct cells *cells, const struct orma_pb_field *result)
{
    struct orma_pb_reader r = orma_pb_sub(result);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_QUERY_RESULT_ERROR && f.len) {
            fprintf(stderr, "%.*s\n", (int)f.len, (const char *)f.data);
            cells->failed = cells->last = true;
        } else if (f.id == ORMA_PB_QUERY_RESULT_BATCH) {
            read_batch(cells, &f);
        }
    }
}

static void read_frame(struct cells *cells, const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PROCESSOR_RPC_FATAL_ERROR)
            cells->failed = cells->last = true;
        else if (f.id == ORMA_PB_TRACE_PROCESSOR_RPC_QUERY_RESULT)
            read_result(cells, &f);
    }
}

/* Reads the frames that have come whole; what is left stays. */
static void read_frames(struct real_shell *self, struct cells *cells)
{
    const uint8_t *at = self->in.data, *end = at + self->in.len;

    while (at < end && !cells->last) {
        const uint8_t *p = at + 1; /* the tag of FRAME */
        uint64_t len;

        if (!orma_pb_varint_at(&p, end, &len) || len > (size_t)(end - p))
            break;
        read_frame(cells, p, len);
        at = p + len;
    }
    orma_buf_consume(&self->in, (size_t)(at - self->in.data));
}

static bool read_answer(struct real_shell *self, struct cells *cells)
{
    while (!cells->last) {
        if (!orma_buf_reserve(&self->in, READ_SIZE))
            return false;
        ssize_t n = read(self->from, self->in.data + self->in.len, READ_SIZE);
        if (n <= 0)
            return false;
        self->in.len += (size_t)n;
        read_frames(self, cells);
    }
    return !cells->failed;
}

bool real_shell_query(struct real_shell *self, const char *sql, struct real_answer *ret)
{
    struct cells cells = {0};
    static struct threads before, after;

    read_threads(self->pid, &before);
    double cpu = seconds(self->clock), wall = seconds(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < KINDS; i++)
        cells.hash[i] = FNV_START;
    if (!send_query(self, sql) || !read_answer(self, &cells))
        return false;
    *ret = (struct real_answer){.cpu_s = seconds(self->clock) - cpu,
                                .wall_s = seconds(CLOCK_MONOTONIC) - wall,
                                .cells = cells.num};
    read_threads(self->pid, &after);
    ret->longest_s = longest(&before, &after);
    for (unsigned i = 0; i < KINDS; i++)
        ret->hash = ret->hash * FNV_PRIME + cells.hash[i];
    return true;
}

double real_shell_peak_mb(const struct real_shell *self)
{
    char path[64], line[128];
    double kb = 0;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)self->pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f)) {
        if (!strncmp(line, "VmHWM:", 6))
            kb = atof(line + 6);
    }
    if (f)
        fclose(f);
    return kb / 1024;
}
