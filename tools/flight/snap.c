#include "tools/flight/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/fd.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_writer.h"
#include "tools/pieces/cut.h"
#include "tools/record/handover.h"
#include "tools/service/clone.h"

#define CONNECT_MS 5000
/* Of nobody else: the service gives sequences small numbers. */
#define MARK_SEQ 0x7ffffff0u
/* The service's own, which the statistics of a file do not count. */
#define SERVICE_SEQ 1u
#define MARK_TRACK UINT64_C(0x6f726d61666c7431)

/* A file without a name in the folder of the snapshots: nothing of it stays. */
static int open_scratch(const struct orma_flight_plan *plan)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf folder = {0};
    const char *slash = strrchr(plan->path, '/');

    orma_buf_printf(&folder, "%.*s", slash ? (int)(slash - plan->path) + 1 : 1,
                    slash ? plan->path : ".");
    int fd = open(orma_buf_cstr(&folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd < 0 ? -errno : fd;
    orma_buf_put_str(&folder, "/.orma-snapshot-XXXXXX");
    orma_buf_put_byte(&folder, '\0');
    if (folder.failed)
        return -ENOMEM;
    fd = mkostemp((char *)folder.data, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    (void)unlink((char *)folder.data); /* just made */
    return fd;
}

static int clone_into(const struct orma_flight_snap *self, int fd, struct orma_buf *error)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *consumer = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf request = {0};
    uint64_t bytes = 0;
    int r = orma_consumer_new(self->plan->addr, CONNECT_MS, &consumer);

    if (r < 0) {
        orma_buf_printf(error, "the service does not answer: %s", strerror(-r));
        return r;
    }
    orma_service_clone_request_put(&request, self->plan->session);
    orma_pb_put_cstr(&request, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_NAME, self->condition);
    orma_pb_put_cstr(&request, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_PRODUCER_NAME,
                     self->plan->program);
    orma_pb_put_u64(&request, ORMA_PB_CLONE_SESSION_REQUEST_CLONE_TRIGGER_BOOT_TIME_NS,
                    self->moment);
    return orma_service_clone(consumer, &request, fd, &bytes, error);
}

static int append(int from, int to)
{
    static const size_t cap = (size_t)1 << 16;
    uint8_t *room = malloc(cap);
    ssize_t n = 1;
    int r = room ? 0 : -ENOMEM;

    while (r == 0 && n > 0) {
        n = read(from, room, cap);
        if (n < 0)
            r = errno == EINTR ? 0 : -errno;
        else
            r = orma_fd_write_all(to, room, (size_t)n);
        n = n < 0 && r == 0 ? 1 : n;
    }
    free(room);
    return r;
}

/* Files of one recording behind each other are a trace. */
static int files_into(const struct orma_flight_snap *self, int fd, struct orma_buf *error)
{
    struct orma_record_files files = {0};
    uint64_t before = self->plan->before_ms * 1000000;
    int r = orma_record_handover_take(self->plan->handover,
                                      self->moment - ORMA_MIN(self->moment, before), &files);

    for (size_t i = 0; r == 0 && i < files.fds.len; i++)
        r = append(files.fds.data[i], fd);
    if (r < 0)
        orma_buf_printf(error, "the files of that time cannot be had: %s", strerror(-r));
    orma_record_files_fini(&files);
    return r;
}

static size_t begin_packet(const struct orma_flight_snap *self, struct orma_buf *out)
{
    size_t packet = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, self->moment);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, ORMA_PB_BUILTIN_CLOCK_BOOTTIME);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID,
                    self->plan->handover ? SERVICE_SEQ : MARK_SEQ);
    return packet;
}

/* As the service says it in a clone. */
static void put_trigger(const struct orma_flight_snap *self, struct orma_buf *out)
{
    size_t packet = begin_packet(self, out);
    size_t trigger = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CLONE_SNAPSHOT_TRIGGER);

    orma_pb_put_cstr(out, ORMA_PB_TRIGGER_TRIGGER_NAME, self->condition);
    orma_pb_put_cstr(out, ORMA_PB_TRIGGER_PRODUCER_NAME, self->plan->program);
    orma_pb_end(out, trigger);
    orma_pb_end(out, packet);
}

static int put_mark(const struct orma_flight_snap *self, int fd)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf out = {0};
    size_t packet = begin_packet(self, &out);
    size_t track = orma_pb_begin(&out, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);

    orma_pb_put_u64(&out, ORMA_PB_TRACK_DESCRIPTOR_UUID, MARK_TRACK);
    orma_pb_put_cstr(&out, ORMA_PB_TRACK_DESCRIPTOR_NAME, "Flight recorder");
    orma_pb_end(&out, track);
    orma_pb_end(&out, packet);
    packet = begin_packet(self, &out);
    size_t event = orma_pb_begin(&out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(&out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
    orma_pb_put_u64(&out, ORMA_PB_TRACK_EVENT_TRACK_UUID, MARK_TRACK);
    orma_pb_put_cstr(&out, ORMA_PB_TRACK_EVENT_NAME, self->condition);
    orma_pb_end(&out, event);
    orma_pb_end(&out, packet);
    if (self->plan->handover)
        put_trigger(self, &out);
    if (out.failed)
        return -ENOMEM;
    off_t end = lseek(fd, 0, SEEK_END);
    return end < 0 ? -errno : orma_fd_write_all(fd, out.data, out.len);
}

static void put_path(const struct orma_flight_snap *self, struct orma_buf *out)
{
    orma_buf_printf(out, "%s.%u", self->plan->path, self->number);
}

static int cut(struct orma_flight_snap *self, int fd)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    const int64_t range[] = {(int64_t)(self->moment - self->plan->before_ms * 1000000),
                             /* the moment itself is in it */
                             (int64_t)(self->moment + self->plan->after_ms * 1000000 + 1)};
    char scratch[40];
    struct stat st;

    put_path(self, &path);
    snprintf(scratch, sizeof(scratch), "/proc/self/fd/%d", fd);
    const struct orma_pieces_cut_request request = {.program = self->plan->program,
                                                    .path = scratch,
                                                    .range = range,
                                                    .want = {.program = self->plan->program,
                                                             .path = orma_buf_cstr(&path),
                                                             .force = self->plan->force,
                                                             .quiet = true}};
    int r = orma_pieces_cut(&request);

    if (r == 0)
        self->bytes = stat(request.want.path, &st) == 0 ? (uint64_t)st.st_size : 0;
    return r;
}

int orma_flight_snap(struct orma_flight_snap *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    ORMA_AUTO(orma_fd_close) int fd = open_scratch(self->plan);
    int r = fd < 0 ? fd : 0;

    /* In front of files: readers take what comes behind a file's last flush for too late. */
    if (r == 0 && self->plan->handover)
        r = put_mark(self, fd);
    if (r == 0)
        r = self->plan->handover ? files_into(self, fd, &error) : clone_into(self, fd, &error);
    if (r == 0 && !self->plan->handover)
        r = put_mark(self, fd);
    if (r < 0) {
        fprintf(stderr, "%s: no snapshot %s.%u: %s\n", self->plan->program, self->plan->path,
                self->number, error.len ? orma_buf_cstr(&error) : strerror(-r));
        return r;
    }
    return cut(self, fd);
}

/* The environment with three more variables. */
static char **make_environment(const struct orma_flight_snap *self, struct orma_buf room[3])
{
    size_t num = 0;

    while (environ[num])
        num++;
    char **ret = calloc(num + 4, sizeof(*ret));
    if (!ret)
        return NULL;
    orma_buf_printf(&room[0], "ORMA_SNAPSHOT=%s.%u", self->plan->path, self->number);
    orma_buf_printf(&room[1], "ORMA_CONDITION=%s", self->condition);
    orma_buf_printf(&room[2], "ORMA_MOMENT=%" PRIu64, self->moment);
    for (size_t i = 0; i < 3; i++)
        ret[i] = (char *)(uintptr_t)orma_buf_cstr(&room[i]); /* first: they win */
    memcpy(ret + 3, environ, num * sizeof(*ret));
    return ret;
}

int orma_flight_snap_tell(const struct orma_flight_snap *self)
{
    struct orma_buf room[3] = {{0}, {0}, {0}};
    char **env = make_environment(self, room);
    char shell[] = "sh", c[] = "-c";
    char *argv[] = {shell, c, (char *)(uintptr_t)self->plan->then, NULL};
    posix_spawnattr_t attr;
    sigset_t none;
    pid_t pid;

    sigemptyset(&none);
    int r = env ? posix_spawnattr_init(&attr) : ENOMEM;
    if (r == 0) {
        (void)posix_spawnattr_setsigmask(&attr, &none); /* neither fails on what was initialised */
        (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
        r = posix_spawn(&pid, "/bin/sh", NULL, &attr, argv, env);
        (void)posix_spawnattr_destroy(&attr);
    }
    if (r)
        fprintf(stderr, "%s: cannot run '%s': %s\n", self->plan->program, self->plan->then,
                strerror(r));
    for (size_t i = 0; i < 3; i++)
        orma_buf_fini(&room[i]);
    free(env);
    return r ? -r : pid;
}
