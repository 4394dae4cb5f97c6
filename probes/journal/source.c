/*
 * linux.systemd_journald: the system's log while a session runs.
 *
 *   /dev/kmsg   the kernel's lines, always
 *   journal     everybody else's, if this build has libsystemd and the machine
 *               a journal; its copies of the kernel's lines are left out if we
 *               read them ourselves
 *
 * Both begin at the end. The loop wakes up when something is written; after
 * LINES_AT_ONCE lines it gets its turn back.
 */
#include "probes/journal/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef ORMA_HAVE_JOURNALD
#include <systemd/sd-journal.h>
#else
typedef struct sd_journal sd_journal; /* none is ever opened */
#endif

#include "probes/journal/entry.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/dynlib.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"

#define KMSG_READ_SIZE (16 * 1024) /* the kernel's longest record is 8 KiB */
#define LINES_AT_ONCE 500
#define LINES_AT_END 1000000 /* a log that is written faster than read has no end */

struct journald {
    struct orma_source source;
    Perfetto__Protos__SystemdJournaldConfig *config; /* ours; NULL: everything */
    int kmsg_fd;
    sd_journal *journal;
    struct event *kmsg_event, *journal_event;
    struct event *more;     /* the rest of the journal: its descriptor would not wake us again */
    uint64_t total, failed; /* lines; those that could not be read */
    struct orma_buf packet;
    char text[KMSG_READ_SIZE];
};

static struct journald *journald_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct journald, source);
}

static bool in_list(struct orma_str text, char **list, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (orma_str_eq_c(text, list[i]))
            return true;
    }
    return !num;
}

static void take(struct journald *self, const struct orma_journal_entry *e)
{
    const Perfetto__Protos__SystemdJournaldConfig *c = self->config;

    self->total++;
    if (!e->message.data) {
        self->failed++;
        return;
    }
    if (c && ((c->has_min_prio && e->prio > c->min_prio) ||
              !in_list(e->tag, c->filter_identifiers, c->n_filter_identifiers) ||
              !in_list(e->unit, c->filter_units, c->n_filter_units)))
        return;
    orma_journal_put(&self->packet, e);
    (void)orma_source_sink_put_buf(self->source.sink,
                                   &self->packet); /* lost: the writer counts it */
}

/* True: there is more. */
static bool drain_kmsg(struct journald *self, unsigned max)
{
    unsigned lines = 0;

    while (lines < max) {
        struct orma_journal_entry entry;
        ssize_t n = read(self->kmsg_fd, self->text, sizeof(self->text));

        if (n < 0 && errno == EPIPE) { /* overwritten before we came */
            self->total++;
            self->failed++;
            continue;
        }
        if (n <= 0)
            return n < 0 && errno == EINTR;
        char *rest = self->text;
        size_t left = (size_t)n;
        for (; orma_journal_kmsg_next(&rest, &left, &entry); lines++)
            take(self, &entry);
    }
    return true;
}

static void on_kmsg(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)drain_kmsg(arg, LINES_AT_ONCE); /* more: the loop comes back */
}

static struct event *watch(struct journald *self, int fd, event_callback_fn fn)
{
    struct event *ev = event_new(self->source.env->base, fd, EV_READ | EV_PERSIST, fn, self);

    if (ev && event_add(ev, NULL) < 0) {
        event_free(ev);
        ev = NULL;
    }
    if (!ev)
        orma_log_warn("linux.systemd_journald: cannot watch the log");
    return ev;
}

static void open_kmsg(struct journald *self)
{
    char path[512];

    if ((size_t)snprintf(path, sizeof(path), "%s/kmsg", self->source.env->dev_root) >= sizeof(path))
        return;
    self->kmsg_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (self->kmsg_fd < 0) {
        orma_log_info("linux.systemd_journald: %s: %s", path, strerror(errno));
        return;
    }
    (void)lseek(self->kmsg_fd, 0, SEEK_END); /* pipes of tests have no end to seek to */
    self->kmsg_event = watch(self, self->kmsg_fd, on_kmsg);
}

#ifdef ORMA_HAVE_JOURNALD

/* With six libraries of its own, it is loaded when a session reads the journal. */
#define LIBRARY "libsystemd.so.0"
#define FUNCTIONS(X)                                                                               \
    X(sd_journal_close)                                                                            \
    X(sd_journal_get_data)                                                                         \
    X(sd_journal_get_fd)                                                                           \
    X(sd_journal_get_monotonic_usec)                                                               \
    X(sd_journal_next)                                                                             \
    X(sd_journal_open)                                                                             \
    X(sd_journal_open_directory)                                                                   \
    X(sd_journal_previous)                                                                         \
    X(sd_journal_process)                                                                          \
    X(sd_journal_seek_tail)

static struct {
    FUNCTIONS(ORMA_DYNLIB_POINTER)
} lib;
static const char *const function_names[] = {FUNCTIONS(ORMA_DYNLIB_NAME)};

/* The value of a field, in the library's memory until the next call. */
static struct orma_str text_of(sd_journal *journal, const char *field)
{
    const void *data;
    size_t len, skip = strlen(field) + 1;

    if (lib.sd_journal_get_data(journal, field, &data, &len) < 0 || len < skip)
        return (struct orma_str){NULL, 0};
    return (struct orma_str){(const char *)data + skip, len - skip};
}

static void number_of(sd_journal *journal, const char *field, uint32_t bit, uint32_t *ret,
                      uint32_t *present)
{
    struct orma_str text = text_of(journal, field);
    uint64_t num;

    if (!text.len || !orma_str_to_u64(text, &num) || num > UINT32_MAX)
        return;
    *ret = (uint32_t)num;
    *present |= bit;
}

/* Texts stay valid in a buffer of ours, because the next field may remap the file. */
struct kept {
    struct orma_buf buf;
    size_t begins[7], lens[7];
};

static void take_current(struct journald *self)
{
    static const char *const names[] = {"SYSLOG_IDENTIFIER", "MESSAGE",   "_COMM",     "_EXE",
                                        "_SYSTEMD_UNIT",     "_HOSTNAME", "_TRANSPORT"};
    sd_journal *j = self->journal;
    struct orma_journal_entry e = {.prio = 6};
    struct orma_str *const texts[] = {&e.tag,  &e.message,  &e.comm,     &e.exe,
                                      &e.unit, &e.hostname, &e.transport};
    struct kept kept = {0};
    uint32_t has_prio = 0;
    sd_id128_t boot;
    uint64_t us;

    if (lib.sd_journal_get_monotonic_usec(j, &us, &boot) < 0) {
        self->total++;
        self->failed++;
        return;
    }
    e.monotonic_ns = us * 1000;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        struct orma_str text = text_of(j, names[i]);

        kept.begins[i] = kept.buf.len;
        kept.lens[i] = text.len;
        if (text.len)
            orma_buf_put(&kept.buf, text.data, text.len);
    }
    orma_buf_put_byte(&kept.buf, 0); /* never NULL: an empty message is one */
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names) && !kept.buf.failed; i++)
        *texts[i] = (struct orma_str){(const char *)kept.buf.data + kept.begins[i], kept.lens[i]};
    number_of(j, "_PID", ORMA_JOURNAL_PID, &e.pid, &e.present);
    number_of(j, "TID", ORMA_JOURNAL_TID, &e.tid, &e.present);
    number_of(j, "_UID", ORMA_JOURNAL_UID, &e.uid, &e.present);
    number_of(j, "_GID", ORMA_JOURNAL_GID, &e.gid, &e.present);
    number_of(j, "PRIORITY", 1, &e.prio, &has_prio);
    if (self->kmsg_fd < 0 || !orma_str_eq_c(e.transport, "kernel"))
        take(self, &e);
    orma_buf_fini(&kept.buf);
}

static bool drain_journal(struct journald *self, unsigned max)
{
    (void)lib.sd_journal_process(self->journal); /* what changed shows in the next line */
    for (unsigned i = 0; i < max; i++) {
        if (lib.sd_journal_next(self->journal) <= 0)
            return false;
        take_current(self);
    }
    return true;
}

static void on_journal(evutil_socket_t fd, short what, void *arg)
{
    struct journald *self = arg;
    const struct timeval soon = {.tv_usec = 500};

    (void)fd;
    (void)what;
    if (drain_journal(self, LINES_AT_ONCE))
        (void)evtimer_add(self->more, &soon); /* fails for bad arguments only */
}

static void open_journal(struct journald *self)
{
    const char *dir = self->source.env->journal_dir;

    if (!orma_dynlib_load(LIBRARY, function_names, ORMA_ARRAY_LEN(function_names), &lib)) {
        orma_log_info("linux.systemd_journald: " LIBRARY
                      " is not installed; recording only the kernel's log");
        return;
    }
    int r = dir ? lib.sd_journal_open_directory(&self->journal, dir, 0)
                : lib.sd_journal_open(&self->journal, SD_JOURNAL_LOCAL_ONLY);

    if (r < 0) {
        self->journal = NULL;
        orma_log_info("linux.systemd_journald: cannot open the journal: %s", strerror(-r));
        return;
    }
    (void)lib.sd_journal_seek_tail(self->journal); /* an empty one has no tail, and needs none */
    (void)lib.sd_journal_previous(self->journal);  /* on the last entry: the next one is new */
    r = lib.sd_journal_get_fd(self->journal);
    self->more = evtimer_new(self->source.env->base, on_journal, self);
    if (r >= 0 && self->more)
        self->journal_event = watch(self, r, on_journal);
}

static void close_journal(struct journald *self)
{
    if (self->journal)
        lib.sd_journal_close(self->journal);
}

#else

static bool drain_journal(struct journald *self, unsigned max)
{
    (void)self;
    (void)max;
    return false;
}

static void open_journal(struct journald *self)
{
    (void)self;
    orma_log_info(
        "linux.systemd_journald: built without journal support; recording only the kernel's log");
}

static void close_journal(struct journald *self)
{
    (void)self;
}

#endif

static void drain_everything(struct journald *self)
{
    if (self->kmsg_event)
        (void)drain_kmsg(self, LINES_AT_END);
    if (self->journal)
        (void)drain_journal(self, LINES_AT_END);
}

static void journald_free(struct orma_source *source)
{
    struct journald *self = journald_of(source);

    if (self->kmsg_event)
        event_free(self->kmsg_event);
    if (self->journal_event)
        event_free(self->journal_event);
    if (self->more)
        event_free(self->more);
    close_journal(self);
    orma_fd_close(&self->kmsg_fd);
    if (self->config)
        protobuf_c_message_free_unpacked(&self->config->base, NULL);
    orma_buf_fini(&self->packet);
    free(self);
}

/* Our own: the one we are given is not valid later. */
static int copy_config(struct journald *self, const Perfetto__Protos__SystemdJournaldConfig *config)
{
    size_t len = perfetto__protos__systemd_journald_config__get_packed_size(config);
    uint8_t *bytes = malloc(len + 1);

    if (!bytes)
        return -ENOMEM;
    (void)perfetto__protos__systemd_journald_config__pack(config, bytes); /* as long as it said */
    self->config = perfetto__protos__systemd_journald_config__unpack(NULL, len, bytes);
    free(bytes);
    return self->config ? 0 : -ENOMEM;
}

static int journald_create(struct orma_source_env *env,
                           const Perfetto__Protos__DataSourceConfig *config,
                           struct orma_source_sink *sink, struct orma_source **ret)
{
    struct journald *self = calloc(1, sizeof(*self));
    int r = 0;

    if (!self)
        return -ENOMEM;
    self->source = (struct orma_source){.type = &orma_journal_source, .env = env, .sink = sink};
    self->kmsg_fd = -1;
    if (config->journald_config)
        r = copy_config(self, config->journald_config);
    if (r < 0) {
        journald_free(&self->source);
        return r;
    }
    *ret = &self->source;
    return 0;
}

static void journald_start(struct orma_source *source)
{
    struct journald *self = journald_of(source);

    open_kmsg(self);
    open_journal(self);
}

static void journald_flush(struct orma_source *source, uint64_t flush_id)
{
    drain_everything(journald_of(source));
    orma_source_flushed(source, flush_id);
}

/* How many lines there were, if some are missing. */
static void put_counts(struct journald *self)
{
    orma_source_put_time(&self->packet, orma_clock_boottime());
    size_t begun = orma_pb_begin(&self->packet, ORMA_PB_TRACE_PACKET_JOURNALD_EVENT);
    orma_pb_put_u64(&self->packet, ORMA_PB_SYSTEMD_JOURNALD_EVENT_NUM_TOTAL, self->total);
    orma_pb_put_u64(&self->packet, ORMA_PB_SYSTEMD_JOURNALD_EVENT_NUM_FAILED, self->failed);
    orma_pb_end(&self->packet, begun);
    (void)orma_source_sink_put_buf(self->source.sink,
                                   &self->packet); /* lost: the writer counts it */
}

static void journald_stop(struct orma_source *source)
{
    struct journald *self = journald_of(source);

    drain_everything(self);
    if (self->failed)
        put_counts(self);
    orma_source_stopped(source);
}

static bool journald_usable(const struct orma_source_env *env, char *why, size_t why_size)
{
    char path[512];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/kmsg", env->dev_root); /* cut: not found */
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        int err = errno;
        char self[PATH_MAX]; /* setcap takes no links, and traced_probes is one to orma */
        ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

        self[ORMA_MAX(len, 0)] = '\0';
        (void)snprintf(
            why, why_size,
            "%s: %s; the kernel's log needs root, or for all users of this program: sudo "
            "setcap cap_syslog+ep %s",
            path, strerror(err), len > 0 ? self : "PROGRAM"); /* cut: fine */
    }
    bool ok = fd >= 0;
    orma_fd_close(&fd);
    return ok;
}

const struct orma_source_type orma_journal_source = {
    .name = "linux.systemd_journald",
    .usable = journald_usable,
    .create = journald_create,
    .start = journald_start,
    .flush = journald_flush,
    .stop = journald_stop,
    .free = journald_free,
};
