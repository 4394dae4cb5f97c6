/* The state of a sequence of track events, and the packets that it begins with. */
#include "sdk/cabi/te.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/mem.h"

uint64_t perfetto_te_process_track_uuid;

#define CLEARED 1u
#define NEEDS_STATE 2u
#define CMDLINE_MAX 4096u
/* Dynamic categories whose answer a sequence remembers. */
#define DYNAMIC_MAX 256u
#define NAMES_SIZE (ORMA_CABI_NAMES * sizeof(struct orma_cabi_name))

struct orma_cabi_te *orma_cabi_te_new(struct orma_cabi_te_config *config)
{
    struct orma_cabi_te *self = orma_mem_new(sizeof(*self));
    const struct orma_te_config *c = &config->lists;

    if (!self)
        return NULL;
    self->names[0] = orma_mem_new(NAMES_SIZE);
    self->names[1] = orma_mem_new(NAMES_SIZE);
    if (!self->names[0] || !self->names[1]) {
        orma_mem_free(self->names[0], NAMES_SIZE);
        orma_mem_free(self->names[1], NAMES_SIZE);
        orma_mem_free(self, sizeof(*self));
        return NULL;
    }
    self->config = orma_cabi_te_config_ref(config);
    self->fresh = true;
    self->unit = c->unit_ns;
    self->clock = !c->absolute_timestamps ? ORMA_CABI_CLOCK_INCREMENTAL
                  : c->unit_ns > 1        ? ORMA_CABI_CLOCK_ABSOLUTE
                                          : ORMA_CLOCK_BOOTTIME;
    self->iids.own_mem = self->tracks.own_mem = self->kinds.own_mem = self->dynamic.own_mem = true;
    return self;
}

void orma_cabi_te_free(struct orma_cabi_te *self)
{
    if (!self)
        return;
    orma_map_fini(&self->iids);
    orma_map_fini(&self->tracks);
    orma_map_fini(&self->kinds);
    orma_map_fini(&self->dynamic);
    orma_cabi_te_config_unref(self->config);
    orma_mem_free(self->names[0], NAMES_SIZE);
    orma_mem_free(self->names[1], NAMES_SIZE);
    orma_mem_free(self, sizeof(*self));
}

static uint64_t next_iid(struct orma_cabi_te *self, uint32_t kind)
{
    if (kind < ORMA_CABI_KINDS)
        return ++self->last_iid[kind];
    uint64_t last = orma_map_get(&self->kinds, kind);
    uint64_t iid = last == ORMA_MAP_NONE ? 1 : last + 1;
    (void)orma_map_put(&self->kinds, kind, iid); /* -ENOMEM: the next intern says so as well */
    return iid;
}

uint64_t orma_cabi_te_intern(struct orma_cabi_te *self, uint32_t kind, const void *data, size_t len,
                             bool *ret_new)
{
    uint64_t hash = orma_hash_bytes_from(orma_mix64(kind + 1), data, len);
    uint64_t iid = orma_map_get(&self->iids, hash);

    *ret_new = iid == ORMA_MAP_NONE;
    if (!*ret_new)
        return iid;
    iid = next_iid(self, kind);
    /* -ENOMEM: the same text gets another id the next time, which is no error. */
    (void)orma_map_put(&self->iids, hash, iid);
    return iid;
}

bool orma_cabi_te_track_seen(struct orma_cabi_te *self, uint64_t uuid)
{
    if (orma_map_get(&self->tracks, uuid) != ORMA_MAP_NONE)
        return true;
    (void)orma_map_put(&self->tracks, uuid, 1); /* -ENOMEM: it is described again */
    return false;
}

static uint64_t hash_dynamic(const struct orma_cabi_category_desc *desc)
{
    uint64_t hash = orma_hash_bytes(desc->name, strlen(desc->name));

    for (size_t i = 0; i < desc->tags_num; i++)
        hash = orma_hash_bytes_from(hash, desc->tags[i], strlen(desc->tags[i]));
    return hash;
}

bool orma_cabi_te_wants_dynamic(struct orma_cabi_te *self,
                                const struct orma_cabi_category_desc *desc)
{
    if (!desc || !desc->name)
        return false;
    uint64_t hash = hash_dynamic(desc), known = orma_map_get(&self->dynamic, hash);
    if (known != ORMA_MAP_NONE)
        return known;
    bool wants = orma_cabi_te_config_wants(self->config, desc);
    if (self->dynamic.len < DYNAMIC_MAX)
        (void)orma_map_put(&self->dynamic, hash, wants);
    return wants;
}

/* ---- time ---- */

static uint8_t *put_u64(uint8_t *to, uint32_t field, uint64_t val)
{
    return orma_varint_write_fast(orma_varint_write(to, (uint64_t)field << 3), val);
}

uint8_t *orma_cabi_te_put_time(struct orma_cabi_te *self, uint8_t *to, struct orma_cabi_stamp stamp)
{
    uint32_t clock = stamp.clock == ORMA_CABI_CLOCK_INCREMENTAL ? self->clock : stamp.clock;
    uint64_t val = stamp.value;

    if (clock == self->clock) {
        if (clock != ORMA_CABI_CLOCK_INCREMENTAL)
            return put_u64(to, ORMA_PB_TRACE_PACKET_TIMESTAMP, val / self->unit);
        if (val >= self->last) {
            uint64_t diff = self->unit == 1 ? val - self->last : (val - self->last) / self->unit;

            self->last += diff * self->unit;
            return put_u64(to, ORMA_PB_TRACE_PACKET_TIMESTAMP, diff);
        }
        clock = self->unit == 1 ? ORMA_CLOCK_BOOTTIME : ORMA_CABI_CLOCK_ABSOLUTE;
        val /= self->unit;
    }
    to = put_u64(to, ORMA_PB_TRACE_PACKET_TIMESTAMP, val);
    return put_u64(to, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, clock);
}

/* ---- the beginning of a sequence ---- */

static void put_time(struct orma_buf *b, struct orma_cabi_te *te, struct orma_cabi_stamp stamp)
{
    uint8_t bytes[24];

    orma_buf_put(b, bytes, (size_t)(orma_cabi_te_put_time(te, bytes, stamp) - bytes));
}

static void put_clock(struct orma_buf *b, uint32_t id, uint64_t val, bool incremental,
                      uint64_t unit)
{
    size_t at = orma_pb_begin(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

    orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
    orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, val);
    if (unit) {
        orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL, incremental);
        orma_pb_put_u64(b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS, unit);
    }
    orma_pb_end(b, at);
}

static void put_snapshot(struct orma_buf *b, const struct orma_cabi_te *te, uint64_t now)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);

    put_clock(b, ORMA_CLOCK_BOOTTIME, now, false, 0);
    if (te->clock == ORMA_CABI_CLOCK_INCREMENTAL)
        put_clock(b, ORMA_CABI_CLOCK_INCREMENTAL, now / te->unit, true, te->unit);
    if (te->unit > 1)
        put_clock(b, ORMA_CABI_CLOCK_ABSOLUTE, now / te->unit, false, te->unit);
    orma_pb_end(b, at);
}

static void put_defaults(struct orma_buf *b, const struct orma_cabi_te *te, uint64_t thread_uuid)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);

    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, te->clock);
    size_t own = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS);
    orma_pb_put_u64(b, ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID, thread_uuid);
    orma_pb_end(b, own);
    orma_pb_end(b, at);
}

static void put_thread(struct orma_buf *b, const struct orma_cabi_thread *thread,
                       uint64_t thread_uuid)
{
    char name[16] = "";
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);

    (void)prctl(PR_GET_NAME, name); /* cannot fail */
    orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_UUID, thread_uuid);
    orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, perfetto_te_process_track_uuid);
    size_t own = orma_pb_begin(b, ORMA_PB_TRACK_DESCRIPTOR_THREAD);
    orma_pb_put_i64(b, ORMA_PB_THREAD_DESCRIPTOR_PID, getpid());
    orma_pb_put_i64(b, ORMA_PB_THREAD_DESCRIPTOR_TID, thread->tid);
    orma_pb_put_cstr(b, ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME, name);
    orma_pb_end(b, own);
    orma_pb_end(b, at);
}

/* Name and command line of the process, as fields of its descriptor: read once. */
static struct orma_buf command;

static void read_command(void)
{
    struct orma_buf line = {0};

    /* A line that is too long is shown as far as it goes. */
    (void)orma_fd_read_file(AT_FDCWD, "/proc/self/cmdline", CMDLINE_MAX, &line);
    for (size_t pos = 0, len; pos < line.len; pos += len + 1) {
        len = strnlen((char *)line.data + pos, line.len - pos);
        struct orma_str arg = {(char *)line.data + pos, len};
        if (!pos)
            orma_pb_put_str(&command, ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_NAME, arg);
        orma_pb_put_str(&command, ORMA_PB_PROCESS_DESCRIPTOR_CMDLINE, arg);
    }
    orma_buf_fini(&line);
}

void orma_cabi_te_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_command);
}

static void put_process(struct orma_buf *b)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);

    orma_pb_put_u64(b, ORMA_PB_TRACK_DESCRIPTOR_UUID, perfetto_te_process_track_uuid);
    size_t own = orma_pb_begin(b, ORMA_PB_TRACK_DESCRIPTOR_PROCESS);
    orma_buf_put(b, command.data, command.failed ? 0 : command.len);
    orma_pb_put_i64(b, ORMA_PB_PROCESS_DESCRIPTOR_PID, getpid());
    orma_pb_end(b, own);
    orma_pb_end(b, at);
}

/* False: it is lost, and counted. */
static bool put(struct orma_cabi_tracer *t, const struct orma_buf *b)
{
    if (!b->failed)
        return orma_writer_put(t->writer, b->data, b->len) == 0;
    orma_writer_count_drop(t->writer, ORMA_DROP_NO_CHUNK);
    return false;
}

static void forget(struct orma_cabi_te *te)
{
    orma_map_clear(&te->iids);
    orma_map_clear(&te->tracks);
    orma_map_clear(&te->kinds);
    memset(te->last_iid, 0, sizeof(te->last_iid));
    memset(te->known_categories, 0, sizeof(te->known_categories));
    memset(te->recent_tracks, 0, sizeof(te->recent_tracks));
    memset(te->names[0], 0, NAMES_SIZE);
    memset(te->names[1], 0, NAMES_SIZE);
}

void orma_cabi_te_renew(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                        struct orma_cabi_stamp stamp)
{
    ORMA_HUSHED;
    struct orma_cabi_te *te = t->te;
    uint64_t thread_uuid = perfetto_te_process_track_uuid ^ (uint64_t)(int64_t)thread->tid;
    bool is_ours = stamp.clock == ORMA_CLOCK_BOOTTIME || stamp.clock == ORMA_CABI_CLOCK_INCREMENTAL;
    uint64_t now = is_ours ? stamp.value : orma_clock_boottime();
    struct orma_buf *b = &thread->event;

    t->clears = atomic_load_explicit(&t->type->slots[t->slot].clears, memory_order_relaxed);
    (void)orma_writer_take_restart(t->writer);
    forget(te);
    te->last = now / te->unit * te->unit;

    orma_buf_clear(b);
    put_time(b, te, stamp);
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, CLEARED);
    put_defaults(b, te, thread_uuid);
    if (te->clock != ORMA_CLOCK_BOOTTIME)
        put_snapshot(b, te, now);
    te->fresh = true; /* until all three are written */
    if (!put(t, b))
        return;

    orma_buf_clear(b);
    put_time(b, te, stamp);
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
    put_thread(b, thread, thread_uuid);
    if (!put(t, b))
        return;

    orma_buf_clear(b);
    put_time(b, te, stamp);
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
    put_process(b);
    te->fresh = !put(t, b);
}
