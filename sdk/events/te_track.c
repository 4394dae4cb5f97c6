/*
 * Identity of tracks. The uuids are made as other SDKs make them (process: start
 * time and pid; thread: that xor tid; ...), so that the tracks of two SDKs in
 * one process meet. Only their being unique matters to a reader.
 */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/events/te.h"
#include "sdk/wire/pb_writer.h"

#define COUNTER_MAGIC 0xb1a4a67d7970839eu
#define STATE_MAGIC 0x9b6c5d2f1e3a47c8u
#define START_TIME_FIELD 22
#define STAT_MAX 2048u
#define CMDLINE_MAX 2048u
#define CMDLINE_ARGS_MAX 32u

/* The beginning of a file, into `text`: without memory, for signal handlers. Empty: it failed. */
static struct orma_str read_beginning(const char *path, char *text, size_t size)
{
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    ssize_t n = fd < 0 ? 0 : 1;

    while (n > 0 && len < size) {
        n = read(fd, text + len, size - len);
        len += n > 0 ? (size_t)n : 0;
    }
    return (struct orma_str){text, len};
}

/* Field 22 of /proc/self/stat, in ticks; counted behind the name, which may hold anything. */
static uint64_t process_start_time(void)
{
    char text[STAT_MAX];
    struct orma_str rest = read_beginning("/proc/self/stat", text, sizeof(text)), field = {0};
    const char *end = rest.len ? memrchr(rest.data, ')', rest.len) : NULL;
    uint64_t ticks;

    if (end && (size_t)(end - rest.data) + 2 <= rest.len) {
        rest.len -= (size_t)(end + 2 - rest.data);
        rest.data = end + 2;
    }
    for (int i = 3; i <= START_TIME_FIELD && orma_str_cut(&rest, ' ', &field);)
        i++;
    return orma_str_to_u64(field, &ticks) ? ticks : 0;
}

uint64_t orma_te_process_uuid(void)
{
    uint64_t uuid = atomic_load_explicit(&orma_te.process_uuid, memory_order_relaxed);

    if (uuid)
        return uuid;
    uint64_t start = process_start_time();
    int32_t pid = getpid();
    uuid = orma_fnv1a(orma_fnv1a(ORMA_FNV1A_BASIS, &start, sizeof(start)), &pid, sizeof(pid));
    /* Relaxed: whoever else is here computes the same. */
    atomic_store_explicit(&orma_te.process_uuid, uuid, memory_order_relaxed);
    return uuid;
}

uint64_t orma_te_thread_uuid(int32_t tid)
{
    return orma_te_process_uuid() ^ (uint64_t)tid;
}

struct orma_track orma_track_global(void)
{
    struct orma_track t = {.uuid = 0, .kind = ORMA_TRACK_GLOBAL};

    return t;
}

struct orma_track orma_track_process(void)
{
    struct orma_track t = {.uuid = orma_te_process_uuid(), .kind = ORMA_TRACK_PROCESS};

    return t;
}

struct orma_track orma_track_thread(void)
{
    int32_t tid = (int32_t)syscall(SYS_gettid);
    struct orma_track t = {.uuid = orma_te_thread_uuid(tid), .kind = ORMA_TRACK_THREAD, .tid = tid};

    return t;
}

/* NULL is the empty name. */
static uint64_t hash_name(const char *name)
{
    return orma_fnv1a(ORMA_FNV1A_BASIS, name, name ? strlen(name) : 0);
}

struct orma_track orma_track_named(const char *name, uint64_t id, const struct orma_track *parent)
{
    struct orma_track t = {
        .uuid = id ^ hash_name(name) ^ (parent ? parent->uuid : 0),
        .parent = parent,
        .name = name ? name : "",
        .kind = ORMA_TRACK_NAMED,
    };

    return t;
}

struct orma_track orma_track_counter(const char *name, uint64_t id, const struct orma_track *parent)
{
    struct orma_track t = {
        .uuid = hash_name(name) ^ COUNTER_MAGIC ^ id ^ (parent ? parent->uuid : 0),
        .parent = parent,
        .name = name ? name : "",
        .kind = ORMA_TRACK_COUNTER,
    };

    return t;
}

struct orma_track orma_track_state(const char *name, uint64_t id, const struct orma_track *parent)
{
    struct orma_track t = orma_track_named(name, id, parent);

    t.uuid ^= STATE_MAGIC;
    t.kind = ORMA_TRACK_STATE;
    return t;
}

/* ---- descriptors ---- */

static void put_process(struct orma_buf *b)
{
    char text[CMDLINE_MAX];
    size_t at = orma_pb_begin(b, ORMA_PB_TRACK_DESCRIPTOR_PROCESS);

    orma_pb_put_u64(b, ORMA_PB_PROCESS_DESCRIPTOR_PID, (uint64_t)getpid());
    /* Cut short if it is long: the name is what matters. */
    struct orma_str rest = read_beginning("/proc/self/cmdline", text, sizeof(text)), arg;
    if (rest.len && !rest.data[rest.len - 1])
        rest.len--;
    for (unsigned i = 0; rest.len && i < CMDLINE_ARGS_MAX && orma_str_cut(&rest, '\0', &arg); i++) {
        if (i == 0)
            orma_pb_put_str(b, ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_NAME, arg);
        orma_pb_put_str(b, ORMA_PB_PROCESS_DESCRIPTOR_CMDLINE, arg);
    }
    orma_pb_end(b, at);
}

static void put_thread(struct orma_buf *b, int32_t tid)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACK_DESCRIPTOR_THREAD);
    char name[17] = "";

    orma_pb_put_u64(b, ORMA_PB_THREAD_DESCRIPTOR_PID, (uint64_t)getpid());
    orma_pb_put_i64(b, ORMA_PB_THREAD_DESCRIPTOR_TID, tid);
    /* Only the thread itself knows its name without asking /proc. */
    if (tid == (int32_t)syscall(SYS_gettid) && prctl(PR_GET_NAME, name) == 0 && name[0])
        orma_pb_put_cstr(b, ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME, name);
    orma_pb_end(b, at);
}

static void put_counter(struct orma_buf *b, const struct orma_track *track)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACK_DESCRIPTOR_COUNTER);

    if (track->unit)
        orma_pb_put_u64(b, ORMA_PB_COUNTER_DESCRIPTOR_UNIT, track->unit);
    if (track->multiplier)
        orma_pb_put_i64(b, ORMA_PB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER, track->multiplier);
    if (track->incremental)
        orma_pb_put_u64(b, ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL, 1);
    if (track->unit_name)
        orma_pb_put_cstr(b, ORMA_PB_COUNTER_DESCRIPTOR_UNIT_NAME, track->unit_name);
    orma_pb_end(b, at);
}

static uint64_t parent_of(const struct orma_track *track)
{
    if (track->parent)
        return track->parent->uuid;
    return track->kind == ORMA_TRACK_THREAD ? orma_te_process_uuid() : 0;
}

void orma_te_put_track(struct orma_buf *b, const struct orma_track *track)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);
    uint64_t parent = parent_of(track);

    orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_UUID, track->uuid);
    if (parent)
        orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, parent);
    if (track->name)
        orma_pb_put_cstr(b, ORMA_PB_TRACK_DESCRIPTOR_NAME, track->name);
    if (track->child_ordering)
        orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_CHILD_ORDERING, track->child_ordering);
    if (track->sibling_rank)
        orma_pb_put_i64(b, ORMA_PB_TRACK_DESCRIPTOR_SIBLING_ORDER_RANK, track->sibling_rank);
    if (track->never_merge)
        orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR,
                        ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_NONE);
    switch ((enum orma_track_kind)track->kind) {
    case ORMA_TRACK_PROCESS:
        put_process(b);
        break;
    case ORMA_TRACK_THREAD:
        put_thread(b, track->tid);
        break;
    case ORMA_TRACK_COUNTER:
        put_counter(b, track);
        break;
    case ORMA_TRACK_STATE:
        orma_pb_put_bytes(b, ORMA_PB_TRACK_DESCRIPTOR_STATE, NULL, 0);
        break;
    case ORMA_TRACK_GLOBAL:
    case ORMA_TRACK_NAMED:
        break;
    }
    orma_pb_end(b, at);
}
