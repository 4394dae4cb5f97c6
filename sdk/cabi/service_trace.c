#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/cabi/service.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define BUFFERS_MAX 32u
#define OWN_SEQ 1u

/* Where readers find their way back into a damaged file. */
static const uint8_t sync_marker[16] = {0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
                                        0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79};

/* ---- the config ---- */

static int read_buffer(struct orma_cabi_service_session *s, struct orma_pb_reader r)
{
    struct orma_cabi_service_buffer *more =
        realloc(s->buffers, (s->buffers_num + 1) * sizeof(*more));
    struct orma_cabi_service_buffer b = {0};
    struct orma_pb_field f;

    if (!more || s->buffers_num == BUFFERS_MAX)
        return more ? -EINVAL : -ENOMEM;
    s->buffers = more;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB:
            b.buffer.size = orma_pb_u32(&f) * UINT64_C(1024);
            break;
        case ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_FILL_POLICY:
            b.buffer.discard = f.num == ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_DISCARD;
            break;
        case ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_NAME:
            free(b.name);
            b.name = orma_str_dup(orma_pb_str(&f));
            break;
        }
    }
    s->buffers[s->buffers_num++] = b;
    return b.buffer.size ? 0 : -EINVAL;
}

static void read_trigger(struct orma_cabi_service_session *s, struct orma_pb_reader r)
{
    struct orma_str name = {0};
    struct orma_pb_field f;
    uint32_t delay_ms = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_NAME)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_STOP_DELAY_MS)
            delay_ms = orma_pb_u32(&f);
    }
    orma_buf_put(&s->triggers, &delay_ms, sizeof(delay_ms));
    orma_buf_put(&s->triggers, name.data, name.len);
    orma_buf_put_byte(&s->triggers, 0);
}

static void read_triggers(struct orma_cabi_service_session *s, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_MODE:
            s->trigger_mode = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGERS:
            read_trigger(s, orma_pb_sub(&f));
            break;
        case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_TIMEOUT_MS:
            s->trigger_timeout_ms = orma_pb_u32(&f);
            break;
        }
    }
}

static void read_builtin(struct orma_cabi_service_session *s, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_CONFIG_BUILTIN_DATA_SOURCE_DISABLE_CLOCK_SNAPSHOTTING:
            s->no_snapshots = f.num != 0;
            break;
        case ORMA_PB_TRACE_CONFIG_BUILTIN_DATA_SOURCE_DISABLE_TRACE_CONFIG:
            s->no_config = f.num != 0;
            break;
        case ORMA_PB_TRACE_CONFIG_BUILTIN_DATA_SOURCE_DISABLE_SYSTEM_INFO:
            s->no_system_info = f.num != 0;
            break;
        case ORMA_PB_TRACE_CONFIG_BUILTIN_DATA_SOURCE_DISABLE_SERVICE_EVENTS:
            s->no_events = f.num != 0;
            break;
        }
    }
}

static void read_clear(struct orma_cabi_service_session *s, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG_CLEAR_PERIOD_MS)
            s->clear_ms = orma_pb_u32(&f);
    }
}

static int read_field(struct orma_cabi_service_session *s, const struct orma_pb_field *f)
{
    switch (f->id) {
    case ORMA_PB_TRACE_CONFIG_BUFFERS:
        return read_buffer(s, orma_pb_sub(f));
    case ORMA_PB_TRACE_CONFIG_DURATION_MS:
        s->duration_ms = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACE_CONFIG_FLUSH_PERIOD_MS:
        s->flush_period_ms = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACE_CONFIG_FLUSH_TIMEOUT_MS:
        s->flush_timeout_ms = f->num ? orma_pb_u32(f) : s->flush_timeout_ms;
        break;
    case ORMA_PB_TRACE_CONFIG_DATA_SOURCE_STOP_TIMEOUT_MS:
        s->stop_timeout_ms = f->num ? orma_pb_u32(f) : s->stop_timeout_ms;
        break;
    case ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG:
        read_triggers(s, orma_pb_sub(f));
        break;
    case ORMA_PB_TRACE_CONFIG_BUILTIN_DATA_SOURCES:
        read_builtin(s, orma_pb_sub(f));
        break;
    case ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG:
        read_clear(s, orma_pb_sub(f));
        break;
    }
    return 0;
}

int orma_cabi_service_read_config(struct orma_cabi_service_session *s, struct orma_str config)
{
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    struct orma_pb_field f;
    int res = 0;

    while (res == 0 && orma_pb_next(&r, &f))
        res = read_field(s, &f);
    if (res == 0 && (r.failed || !s->buffers_num))
        res = -EINVAL;
    /* Their addresses are those of the array, which is complete now. */
    for (size_t i = 0; i < s->buffers_num; i++)
        orma_cabi_store_open(&s->buffers[i].buffer);
    s->refused = res < 0;
    return res;
}

/* ---- packets of the service ---- */

void orma_cabi_service_put_trusted(struct orma_buf *b)
{
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TRUSTED_UID, getuid());
    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, OWN_SEQ);
}

static void put_event(struct orma_buf *b, uint32_t event)
{
    size_t packet = orma_pb_begin(b, ORMA_PB_TRACE_PACKET);

    orma_pb_put_u64(b, ORMA_PB_TRACE_PACKET_TIMESTAMP, orma_clock_boottime());
    orma_cabi_service_put_trusted(b);
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_SERVICE_EVENT);
    orma_pb_put_u64(b, event, 1);
    orma_pb_end(b, at);
    orma_pb_end(b, packet);
}

void orma_cabi_service_note(struct orma_cabi_service_session *s, uint32_t event)
{
    if (!s->no_events)
        put_event(&s->notes, event);
}

static void put_utsname(struct orma_buf *b)
{
    struct utsname u;

    if (uname(&u) < 0)
        return;
    size_t at = orma_pb_begin(b, ORMA_PB_SYSTEM_INFO_UTSNAME);
    orma_pb_put_cstr(b, ORMA_PB_UTSNAME_SYSNAME, u.sysname);
    orma_pb_put_cstr(b, ORMA_PB_UTSNAME_VERSION, u.version);
    orma_pb_put_cstr(b, ORMA_PB_UTSNAME_MACHINE, u.machine);
    orma_pb_put_cstr(b, ORMA_PB_UTSNAME_RELEASE, u.release);
    orma_pb_end(b, at);
}

static void put_system_info(struct orma_buf *b)
{
    size_t packet = orma_pb_begin(b, ORMA_PB_TRACE_PACKET);
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_SYSTEM_INFO);
    time_t now = time(NULL);
    struct sysinfo info;
    struct tm tm;

    orma_pb_put_cstr(b, ORMA_PB_SYSTEM_INFO_TRACING_SERVICE_VERSION, "Orma " ORMA_VERSION);
    if (localtime_r(&now, &tm))
        orma_pb_put_i64(b, ORMA_PB_SYSTEM_INFO_TIMEZONE_OFF_MINS, tm.tm_gmtoff / 60);
    put_utsname(b);
    orma_pb_put_u64(b, ORMA_PB_SYSTEM_INFO_PAGE_SIZE, (uint64_t)sysconf(_SC_PAGESIZE));
    if (sysinfo(&info) == 0)
        orma_pb_put_u64(b, ORMA_PB_SYSTEM_INFO_SYSTEM_RAM_BYTES,
                        (uint64_t)info.totalram * info.mem_unit);
    orma_pb_put_u64(b, ORMA_PB_SYSTEM_INFO_NUM_CPUS, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    orma_pb_end(b, at);
    orma_cabi_service_put_trusted(b);
    orma_pb_end(b, packet);
}

static void put_bytes(struct orma_buf *b, uint32_t field, struct orma_str bytes)
{
    size_t packet = orma_pb_begin(b, ORMA_PB_TRACE_PACKET);

    orma_cabi_service_put_trusted(b);
    orma_pb_put_str(b, field, bytes);
    orma_pb_end(b, packet);
}

static void put_uuid(struct orma_buf *b)
{
    uint64_t uuid[2] = {orma_clock_boottime(), (uint64_t)getpid()};
    struct orma_buf own = {0};

    if (getrandom(uuid, sizeof(uuid), GRND_NONBLOCK) < 0)
        uuid[1] ^= orma_clock_now(ORMA_CLOCK_REALTIME); /* before there is randomness */
    orma_pb_put_u64(&own, ORMA_PB_TRACE_UUID_LSB, uuid[0]);
    orma_pb_put_u64(&own, ORMA_PB_TRACE_UUID_MSB, uuid[1]);
    if (!own.failed)
        put_bytes(b, ORMA_PB_TRACE_PACKET_TRACE_UUID, orma_buf_str(&own));
    orma_buf_fini(&own);
}

static void put_stats(struct orma_buf *b, struct orma_cabi_service_session *s)
{
    size_t packet = orma_pb_begin(b, ORMA_PB_TRACE_PACKET);

    orma_cabi_service_put_trusted(b);
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_PACKET_TRACE_STATS);
    for (size_t i = 0; i < s->buffers_num; i++)
        orma_cabi_store_put_stats(b, &s->buffers[i].buffer, (uint32_t)i);
    orma_pb_put_u64(b, ORMA_PB_TRACE_STATS_PRODUCERS_CONNECTED, 1);
    orma_pb_put_u64(b, ORMA_PB_TRACE_STATS_PRODUCERS_SEEN, 1);
    orma_pb_put_u64(b, ORMA_PB_TRACE_STATS_TOTAL_BUFFERS, s->buffers_num);
    orma_pb_put_u64(b, ORMA_PB_TRACE_STATS_FLUSHES_REQUESTED, s->flushes_num);
    orma_pb_put_u64(b, ORMA_PB_TRACE_STATS_FLUSHES_SUCCEEDED, s->flushes_ok);
    orma_pb_put_u64(b, ORMA_PB_TRACE_STATS_FLUSHES_FAILED, s->flushes_failed);
    orma_pb_end(b, at);
    orma_pb_end(b, packet);
}

/* ---- reading ---- */

static void hand_over(struct orma_cabi_service_session *s, struct orma_buf *packets)
{
    struct orma_pb_reader r = orma_pb_reader(packets->data, packets->len);
    struct orma_pb_field f;

    while (!packets->failed && orma_pb_next(&r, &f))
        orma_cabi_session_packet(s->session, f.data, f.len);
    orma_buf_clear(packets);
}

static void put_packet(void *ctx, const void *packet, size_t len)
{
    orma_cabi_session_packet(ctx, packet, len);
}

static void put_head(struct orma_buf *b, const struct orma_cabi_service_session *s)
{
    put_bytes(b, ORMA_PB_TRACE_PACKET_SYNCHRONIZATION_MARKER,
              (struct orma_str){(const char *)sync_marker, sizeof(sync_marker)});
    if (s->told)
        return;
    if (!s->no_config)
        put_bytes(b, ORMA_PB_TRACE_PACKET_TRACE_CONFIG, orma_buf_str(&s->session->config));
    put_uuid(b);
    if (!s->no_system_info)
        put_system_info(b);
}

void orma_cabi_service_read(struct orma_cabi_service_session *s)
{
    struct orma_buf b = {0};

    put_head(&b, s);
    s->told = true;
    hand_over(s, &b);
    hand_over(s, &s->notes);
    for (size_t i = 0; i < s->buffers_num; i++)
        orma_cabi_store_read(&s->buffers[i].buffer, put_packet, s->session);
    if (!s->no_events)
        put_event(&b, ORMA_PB_TRACING_SERVICE_EVENT_READ_TRACING_BUFFERS_COMPLETED);
    put_stats(&b, s);
    hand_over(s, &b);
    orma_buf_fini(&b);
}
