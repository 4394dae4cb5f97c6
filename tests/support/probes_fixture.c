#include "tests/support/probes_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"

/* A time without a clock is told by whatever clock a session chose for its trace, which sources do
 * not know. Samples of perf have one by default. */
static void check_clock(const void *packet, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(packet, len);
    struct orma_pb_field f;
    bool has_time = false, has_clock = false;

    while (orma_pb_next(&r, &f)) {
        has_time |= f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP;
        has_clock |= f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID ||
                     f.id == ORMA_PB_TRACE_PACKET_PERF_SAMPLE;
    }
    if (has_time && !has_clock) {
        fprintf(stderr, "a packet of the source has a time, but names no clock\n");
        abort();
    }
}

static int sink_put(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct pf *self = ORMA_CONTAINER_OF(sink, struct pf, sink);
    char *copy = malloc(len + 1);

    check_clock(packet, len);
    if (self->packets_num == PF_PACKETS_MAX)
        abort();
    memcpy(copy, packet, len);
    self->packets[self->packets_num++] = (struct orma_str){copy, len};
    return 0;
}

static void sink_flush(struct orma_source_sink *sink)
{
    ORMA_CONTAINER_OF(sink, struct pf, sink)->flushes++;
}

static void on_flushed(struct orma_source *source, uint64_t flush_id)
{
    ((struct pf *)source->owner)->flushed_id = flush_id;
}

static void on_stopped(struct orma_source *source)
{
    ((struct pf *)source->owner)->stopped = true;
}

void pf_init(struct pf *self)
{
    *self = (struct pf){.sink = {sink_put, sink_flush}};
    snprintf(self->dir, sizeof(self->dir), "/tmp/orma-probes-XXXXXX");
    if (!mkdtemp(self->dir))
        abort();
    self->packets = calloc(PF_PACKETS_MAX, sizeof(*self->packets));
    self->env.base = event_base_new();
    self->env.proc_root = strdup(pf_path(self, "proc"));
    self->env.sys_root = strdup(pf_path(self, "sys"));
    self->env.dev_root = strdup(pf_path(self, "dev"));
    self->env.tracefs_root = strdup(pf_path(self, "tracing"));
    self->env.state_dir = strdup(pf_path(self, "state"));
    self->env.flushed = on_flushed;
    self->env.stopped = on_stopped;
    orma_list_init(&self->env.sources);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void pf_fini(struct pf *self)
{
    pf_forget_packets(self);
    free(self->packets);
    event_base_free(self->env.base);
    free((char *)self->env.proc_root);
    free((char *)self->env.sys_root);
    free((char *)self->env.dev_root);
    free((char *)self->env.tracefs_root);
    free((char *)self->env.state_dir);
    nftw(self->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct orma_source *pf_source(struct pf *self, const struct orma_source_type *type,
                              Perfetto__Protos__DataSourceConfig *config)
{
    Perfetto__Protos__DataSourceConfig empty = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    struct orma_source *source = NULL;

    if (type->create(&self->env, config ? config : &empty, &self->sink, &source) < 0)
        return NULL;
    source->owner = self;
    source->session_id = 1;
    orma_list_insert(&self->env.sources, &source->link);
    return source;
}

void pf_free_source(struct pf *self, struct orma_source *source)
{
    (void)self;
    orma_list_remove(&source->link);
    source->type->free(source);
}

static void on_timeout(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    *(bool *)arg = true;
}

bool pf_run(struct pf *self, bool (*done)(struct pf *self), unsigned max_ms)
{
    const struct timeval tv = {.tv_sec = max_ms / 1000, .tv_usec = max_ms % 1000 * 1000};
    bool over = false, yes = false;
    struct event *timer = evtimer_new(self->env.base, on_timeout, &over);

    evtimer_add(timer, &tv);
    while (!over && !(yes = done && done(self)))
        event_base_loop(self->env.base, EVLOOP_ONCE);
    event_free(timer);
    return yes || (done && done(self));
}

void pf_forget_packets(struct pf *self)
{
    for (size_t i = 0; i < self->packets_num; i++)
        free((char *)self->packets[i].data);
    self->packets_num = 0;
}

const char *pf_path(struct pf *self, const char *path)
{
    static char texts[2][512];
    static unsigned at;

    at ^= 1;
    snprintf(texts[at], sizeof(texts[at]), "%s/%s", self->dir, path);
    return texts[at];
}

static void make_parents(const char *path)
{
    char copy[512];

    snprintf(copy, sizeof(copy), "%s", path);
    for (char *p = copy + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            abort();
        *p = '/';
    }
}

void pf_bytes(struct pf *self, const char *path, const void *data, size_t len)
{
    const char *full = pf_path(self, path);

    make_parents(full);
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, len) != (ssize_t)len)
        abort();
    close(fd);
}

void pf_file(struct pf *self, const char *path, const char *text)
{
    pf_bytes(self, path, text, strlen(text));
}

void pf_dir(struct pf *self, const char *path)
{
    char full[512];

    snprintf(full, sizeof(full), "%s/", pf_path(self, path));
    make_parents(full);
}

void pf_link(struct pf *self, const char *path, const char *target)
{
    const char *full = pf_path(self, path);

    make_parents(full);
    if (symlink(target, full) < 0)
        abort();
}

const char *pf_read(struct pf *self, const char *path)
{
    static char text[65536];
    int fd = open(pf_path(self, path), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        text[--n] = '\0';
    return text;
}
