/*
 * A trace is read in passes. A pass begins with what the service adds (clocks, a
 * sync marker, once config and system, events, other machines), then reads buffer
 * by buffer to its end, then adds that the reading is complete, and statistics if
 * they are due. It may take many calls; struct traced_session_reader has the place.
 *
 * Trusted fields are appended to the packets of producers (put_data()). A file of
 * limited size keeps space for its last statistics, and ends with them.
 */
#include "traced/sessions/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"
#include "traced/sessions/machine.h"
#include "traced/sessions/route.h"
#include "traced/sessions/session.h"
#include "traced/sessions/stats.h"
#include "traced/sessions/system_info.h"

#define SERVICE_SEQUENCE_ID 1
/* How much the numbers of the last statistics may grow until they are written. */
#define STATS_GROWTH 256

static const uint8_t sync_marker[16] = {0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba,
                                        0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79};

/* In the order of struct traced_clocks. */
static const uint8_t clock_ids[] = {ORMA_CLOCK_BOOTTIME,         ORMA_CLOCK_REALTIME_COARSE,
                                    ORMA_CLOCK_MONOTONIC_COARSE, ORMA_CLOCK_REALTIME,
                                    ORMA_CLOCK_MONOTONIC,        ORMA_CLOCK_MONOTONIC_RAW,
                                    ORMA_PB_BUILTIN_CLOCK_TSC};

/* ---- packets of the service ---- */

/* Begins a packet of the service; ts 0: without timestamp. To be ended with orma_pb_end(). */
static size_t begin_packet(struct orma_buf *out, const struct traced_session *s, uint64_t ts)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_UID, s->registry->uid);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, SERVICE_SEQUENCE_ID);
    if (ts) {
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, ts);
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, ORMA_CLOCK_BOOTTIME);
    }
    return begun;
}

static const Perfetto__Protos__TraceConfig__BuiltinDataSource *
builtin(const struct traced_session *s)
{
    static const Perfetto__Protos__TraceConfig__BuiltinDataSource none =
        PERFETTO__PROTOS__TRACE_CONFIG__BUILTIN_DATA_SOURCE__INIT;

    return s->config->builtin_data_sources ? s->config->builtin_data_sources : &none;
}

static void put_clocks(struct orma_buf *out, const struct traced_session *s,
                       const struct traced_clocks *clocks)
{
    size_t packet = begin_packet(out, s, 0);
    size_t snapshot = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);
    int primary = (int)builtin(s)->primary_trace_clock;

    for (size_t i = 0; i < TRACED_CLOCKS; i++) {
        size_t clock = orma_pb_begin(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clock_ids[i]);
        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, clocks->now[i]);
        orma_pb_end(out, clock);
    }
    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK,
                    primary ? (uint64_t)primary : ORMA_PB_BUILTIN_CLOCK_BOOTTIME);
    orma_pb_end(out, snapshot);
    orma_pb_end(out, packet);
}

static void put_sync_marker(struct orma_buf *out, const struct traced_session *s)
{
    size_t packet = begin_packet(out, s, 0);

    orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_SYNCHRONIZATION_MARKER, sync_marker,
                      sizeof(sync_marker));
    orma_pb_end(out, packet);
}

static void put_config(struct orma_buf *out, const struct traced_session *s)
{
    size_t packet = begin_packet(out, s, 0);

    orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_TRACE_CONFIG, s->config_bytes.data,
                      s->config_bytes.len);
    orma_pb_end(out, packet);
}

static void put_trigger(struct orma_buf *out, const struct traced_session *s, uint32_t field,
                        uint64_t ts, const char *name, const char *producer, int32_t uid,
                        uint64_t delay_ms)
{
    size_t packet = begin_packet(out, s, ts);
    size_t msg = orma_pb_begin(out, field);

    orma_pb_put_cstr(out, ORMA_PB_TRIGGER_TRIGGER_NAME, name);
    orma_pb_put_cstr(out, ORMA_PB_TRIGGER_PRODUCER_NAME, producer);
    orma_pb_put_i64(out, ORMA_PB_TRIGGER_TRUSTED_PRODUCER_UID, uid);
    orma_pb_put_u64(out, ORMA_PB_TRIGGER_STOP_DELAY_MS, delay_ms);
    orma_pb_end(out, msg);
    orma_pb_end(out, packet);
}

/* Those that were not put yet. */
static void encode_triggers(struct orma_buf *out, const struct traced_session *s)
{
    ORMA_LIST_EACH (struct traced_trigger, t, (struct orma_list *)&s->triggers.list, link)
        if (!t->emitted && !builtin(s)->disable_trace_config)
            put_trigger(out, s, ORMA_PB_TRACE_PACKET_TRIGGER, t->ts, t->name, t->producer_name,
                        t->producer_uid, t->stop_delay_ms);
}

/* Each trigger once, as soon as it has come. */
static void put_triggers(struct orma_buf *out, struct traced_session *s)
{
    encode_triggers(out, s);
    ORMA_LIST_EACH (struct traced_trigger, t, &s->triggers.list, link)
        t->emitted = true;
}

static void put_uuid(struct orma_buf *out, const struct traced_session *s)
{
    size_t packet = begin_packet(out, s, 0);
    size_t uuid = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_UUID);

    orma_pb_put_i64(out, ORMA_PB_TRACE_UUID_MSB, s->uuid_msb);
    orma_pb_put_i64(out, ORMA_PB_TRACE_UUID_LSB, s->uuid_lsb);
    orma_pb_end(out, uuid);
    orma_pb_end(out, packet);
}

static void put_provenance(struct orma_buf *out, const struct traced_session *s)
{
    size_t packet = begin_packet(out, s, orma_clock_boottime());
    size_t prov = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_PROVENANCE);

    for (size_t i = 0; i < s->buffers_num; i++) {
        size_t buffer = orma_pb_begin(out, ORMA_PB_TRACE_PROVENANCE_BUFFERS);

        ORMA_LIST_EACH (struct traced_seq, seq, &s->buffers[i].buf->seqs, link) {
            size_t one = orma_pb_begin(out, ORMA_PB_TRACE_PROVENANCE_BUFFER_SEQUENCES);

            orma_pb_put_u64(out, ORMA_PB_TRACE_PROVENANCE_SEQUENCE_ID, seq->sequence_id);
            orma_pb_put_u64(out, ORMA_PB_TRACE_PROVENANCE_SEQUENCE_PRODUCER_ID, seq->producer_id);
            orma_pb_end(out, one);
        }
        orma_pb_end(out, buffer);
    }
    orma_pb_end(out, prov);
    orma_pb_end(out, packet);
}

static void put_system_info(struct orma_buf *out, const struct traced_session *s)
{
    size_t packet = begin_packet(out, s, 0);
    size_t info = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_SYSTEM_INFO);

    traced_machine_put_system_info(out, s->registry->version);
    orma_pb_end(out, info);
    orma_pb_end(out, packet);
}

/* ---- other machines ---- */

/* Above the flags: the number of the next tie. */
enum { EMITTED_INFO = 1, EMITTED_CLOCKS = 2, EMITTED_LAST = 4, EMITTED_TIES_SHIFT = 8 };

/* Ends a packet that is about another machine. */
static void end_machine_packet(struct orma_buf *out, size_t packet, const struct traced_machine *m)
{
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_MACHINE_ID, m->id);
    orma_pb_end(out, packet);
}

static void put_remote_clock(struct orma_buf *out, uint32_t id, uint64_t ts)
{
    size_t clock = orma_pb_begin(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, ts);
    orma_pb_end(out, clock);
}

static void put_exchange(struct orma_buf *out, const struct traced_exchange *x)
{
    size_t one = orma_pb_begin(out, ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS);
    size_t client = orma_pb_begin(out, ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS);

    for (uint32_t k = 0; k < x->client_num; k++)
        put_remote_clock(out, x->client[k].id, x->client[k].ts);
    orma_pb_end(out, client);
    size_t host = orma_pb_begin(out, ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS);
    for (size_t k = 0; k < TRACED_CLOCKS; k++)
        put_remote_clock(out, clock_ids[k], x->host.now[k]);
    orma_pb_end(out, host);
    orma_pb_end(out, one);
}

/* Of relays without whole rounds. */
static void put_exchanges(struct orma_buf *out, const struct traced_session *s,
                          const struct traced_machine *m)
{
    size_t packet = begin_packet(out, s, 0);
    size_t sync = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC);

    for (uint32_t i = 0; i < m->exchanges_num; i++)
        put_exchange(out, &m->exchanges[i]);
    orma_pb_end(out, sync);
    end_machine_packet(out, packet, m);
}

static void put_round(struct orma_buf *out, const struct traced_session *s,
                      const struct traced_machine *m, const struct traced_round *round)
{
    size_t packet = begin_packet(out, s, 0);
    size_t sync = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC);

    put_exchange(out, &round->ping);
    put_exchange(out, &round->update);
    orma_pb_end(out, sync);
    end_machine_packet(out, packet, m);
}

/* The tie that held when the session began, those since, and how the clocks are at its end. */
static uint64_t encode_ties(struct orma_buf *out, const struct traced_session *s,
                            const struct traced_machine *m, uint64_t before)
{
    const uint64_t flags = before & ((1u << EMITTED_TIES_SHIFT) - 1);
    uint64_t at = before >> EMITTED_TIES_SHIFT, end = m->ties_gone + m->ties.len;
    bool over = traced_session_is_over(s);

    if (!at)
        at = traced_machine_tie_at(m, s->snapshots.initial.now[0]);
    for (at = ORMA_MAX(at, m->ties_gone); at < end; at++)
        put_round(out, s, m, &m->ties.data[at - m->ties_gone]);
    if (over && m->has_known && !(flags & EMITTED_LAST)) {
        const struct traced_round known = traced_machine_known_now(m);

        put_round(out, s, m, &known);
    }
    return flags | (over ? EMITTED_LAST : 0) | at << EMITTED_TIES_SHIFT;
}

static void put_machine_info(struct orma_buf *out, const struct traced_session *s,
                             const struct traced_machine *m)
{
    size_t packet = begin_packet(out, s, 0);

    orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_SYSTEM_INFO, m->info.data, m->info.len);
    end_machine_packet(out, packet, m);
}

/* What was not put yet of it; what will have been then. */
static uint64_t encode_machine(struct orma_buf *out, const struct traced_session *s,
                               const struct traced_machine *m, uint64_t before)
{
    uint64_t now = before;

    if (m->has_info && !(before & EMITTED_INFO)) {
        if (!builtin(s)->disable_system_info)
            put_machine_info(out, s, m);
        now |= EMITTED_INFO;
    }
    if (m->ties.len)
        return encode_ties(out, s, m, now);
    if (m->exchanges_num && !(before & EMITTED_CLOCKS)) {
        put_exchanges(out, s, m);
        now |= EMITTED_CLOCKS;
    }
    return now;
}

static uint64_t machine_emitted(const struct traced_session *s, const struct traced_machine *m)
{
    uint64_t emitted = orma_map_get(&s->reader.machines_emitted, m->id);

    return emitted == ORMA_MAP_NONE ? 0 : emitted;
}

/* Of each machine its system and its clocks, each once, as soon as they are known. */
static void put_machines(struct orma_buf *out, struct traced_session *s)
{
    ORMA_LIST_EACH (struct traced_machine, m, &s->registry->machines, link) {
        uint64_t before = machine_emitted(s, m), now = encode_machine(out, s, m, before);

        if (now != before && orma_map_put(&s->reader.machines_emitted, m->id, now) < 0)
            return; /* no memory: emitted again with the next read */
    }
}

static void put_event(struct orma_buf *out, const struct traced_session *s,
                      const struct traced_event *ev)
{
    size_t packet = begin_packet(out, s, ev->ts);
    size_t body = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_SERVICE_EVENT);

    if (ev->msg.len)
        orma_pb_put_bytes(out, ev->kind, ev->msg.data, ev->msg.len);
    else
        orma_pb_put_u64(out, ev->kind, ev->val);
    if (ev->unanswered)
        orma_pb_put_u64(out, ORMA_PB_TRACING_SERVICE_EVENT_ORMA_UNANSWERED, ev->unanswered);
    orma_pb_end(out, body);
    orma_pb_end(out, packet);
}

/* ---- other sessions ---- */

#define CONCURRENT_MAX ((size_t)64 << 10)

static uint32_t state_number(enum traced_session_state state)
{
    switch (state) {
    case TRACED_DISABLED:
        return ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_DISABLED;
    case TRACED_CONFIGURED:
        return ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_CONFIGURED;
    case TRACED_STARTED:
        return ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_STARTED;
    case TRACED_STOPPING:
        return ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_DISABLING_WAITING_STOP_ACKS;
    case TRACED_CLONED:
        return ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_CLONED_READ_ONLY;
    }
    return 0;
}

static void put_state(struct orma_buf *out, const struct traced_session *to,
                      const struct traced_session *s)
{
    const char *name = s->config->unique_session_name;
    size_t packet = begin_packet(out, to, orma_clock_boottime());
    size_t event = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CONCURRENT_SESSION_EVENT);

    orma_pb_put_u64(out, ORMA_PB_CONCURRENT_SESSION_EVENT_STATE, state_number(s->state));
    if (name && *name)
        orma_pb_put_cstr(out, ORMA_PB_CONCURRENT_SESSION_EVENT_SESSION_NAME, name);
    orma_pb_put_u64(out, ORMA_PB_CONCURRENT_SESSION_EVENT_SESSION_ID, s->id);
    orma_pb_put_i64(out, ORMA_PB_CONCURRENT_SESSION_EVENT_CONSUMER_UID, s->uid);
    orma_pb_put_u64(out, ORMA_PB_CONCURRENT_SESSION_EVENT_NUM_DATA_SOURCES,
                    s->config->n_data_sources);
    orma_pb_end(out, event);
    orma_pb_end(out, packet);
}

void traced_session_note_state(const struct traced_session *session)
{
    ORMA_LIST_EACH (struct traced_session, to, &session->registry->list, link)
        if (to != session && builtin(to)->enable_concurrent_session_events &&
            to->reader.concurrent.len < CONCURRENT_MAX)
            put_state(&to->reader.concurrent, to, session);
}

/* More would hold up others each time that a running session is read; at its end it is there. */
#define STATS_MAX ((size_t)1 << 20)

static void put_stats(struct orma_buf *out, struct traced_session *s, bool last)
{
    size_t packet = begin_packet(out, s, 0);
    size_t stats = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_STATS);

    traced_next_file_put_stats(out, s, out == &s->output.next.block);
    traced_session_put_stats(out, s, last ? SIZE_MAX : out->len + STATS_MAX);
    orma_pb_end(out, stats);
    orma_pb_end(out, packet);
}

/* ---- data packets ---- */

/* The packet, and its trusted fields after it. */
static bool put_data(struct orma_buf *out, const struct traced_packet *p)
{
    uint8_t loss[2 + ORMA_VARINT_MAX];
    size_t loss_len = 0;

    if (ORMA_UNLIKELY(p->loss)) {
        uint8_t *end = orma_varint_write(loss, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED << 3);
        loss_len = (size_t)(orma_varint_write(end, p->loss) - loss);
    }
    size_t len = p->len + p->seq->trailer_len + loss_len;
    if (!orma_buf_reserve(out, 1 + ORMA_VARINT_MAX + len))
        return false;
    uint8_t *to = out->data + out->len;
    *to++ = ORMA_PB_TRACE_PACKET << 3 | ORMA_PB_LEN;
    to = orma_varint_write(to, len);
    for (size_t i = 0; i < p->slices_num; i++) {
        memcpy(to, p->slices[i].data, p->slices[i].len);
        to += p->slices[i].len;
    }
    memcpy(to, p->seq->trailer, p->seq->trailer_len);
    to += p->seq->trailer_len;
    memcpy(to, loss, loss_len);
    out->len = (size_t)(to + loss_len - out->data);
    return true;
}

/* 1: threshold reached, or looked long enough; 0: nothing more, -EFBIG, -ENOMEM. */
static int put_all_data(struct orma_buf *out, struct traced_session *s, size_t threshold,
                        uint64_t space)
{
    struct traced_packet p;

    for (; s->reader.buffer < s->buffers_num; s->reader.buffer++) {
        struct traced_buffer *buf = s->buffers[s->reader.buffer].buf;

        while (traced_buffer_read(buf, &p)) {
            size_t before = out->len;

            if (!put_data(out, &p)) {
                traced_buffer_undeliver(&p);
                return -ENOMEM;
            }
            if (ORMA_UNLIKELY(s->output.next.number && p.seq->file_no != s->output.next.number))
                traced_next_file_route(s, p.seq, out, before);
            if (ORMA_UNLIKELY(out->len >= space)) {
                out->len = before;
                traced_buffer_undeliver(&p);
                return -EFBIG;
            }
            if (out->len + s->output.next.block.len >= threshold)
                return 1;
        }
        if (buf->paused)
            return 1;
    }
    return 0;
}

/* ---- everything in order ---- */

static void begin_pass(struct traced_session *s)
{
    if (s->reader.in_pass)
        return;
    s->reader.in_pass = true;
    s->reader.last_pass = traced_session_is_over(s);
    s->reader.buffer = 0;
    for (size_t i = 0; i < s->buffers_num; i++)
        traced_buffer_read_begin(s->buffers[i].buf);
}

static void encode_snapshots(struct orma_buf *out, const struct traced_session *s)
{
    const struct traced_snapshots *sn = &s->snapshots;

    if (builtin(s)->disable_clock_snapshotting)
        return;
    if (sn->has_initial && !s->reader.initial_emitted)
        put_clocks(out, s, &sn->initial);
    for (size_t i = 0; i < sn->clocks_num; i++)
        put_clocks(out, s, &sn->clocks[i]);
}

static void put_snapshots(struct orma_buf *out, struct traced_session *s)
{
    encode_snapshots(out, s);
    if (builtin(s)->disable_clock_snapshotting)
        return;
    s->reader.initial_emitted |= s->snapshots.has_initial;
    s->snapshots.clocks_num = 0;
}

static void put_head(struct orma_buf *out, struct traced_session *s)
{
    const struct traced_clone_trigger *t = &s->clone_trigger;

    if (s->reader.head_emitted) {
        put_triggers(out, s);
        return;
    }
    s->reader.head_emitted = true;
    if (!builtin(s)->disable_trace_config)
        put_config(out, s);
    if (!builtin(s)->disable_trace_config && t->present)
        put_trigger(out, s, ORMA_PB_TRACE_PACKET_CLONE_SNAPSHOT_TRIGGER, t->ts, t->name,
                    t->producer_name, t->producer_uid, t->stop_delay_ms);
    put_triggers(out, s);
    put_uuid(out, s);
    put_provenance(out, s);
    if (!builtin(s)->disable_system_info)
        put_system_info(out, s);
}

static void put_events(struct orma_buf *out, struct traced_session *s)
{
    struct traced_snapshots *sn = &s->snapshots;

    traced_snapshots_sort_events(sn);
    for (size_t i = 0; i < sn->events_num && !builtin(s)->disable_service_events; i++)
        put_event(out, s, &sn->events[i]);
    traced_snapshots_fini(sn); /* forgets the events */
}

void traced_session_put_pending(struct orma_buf *out, const struct traced_session *s)
{
    const struct traced_snapshots *sn = &s->snapshots;

    encode_snapshots(out, s);
    if (!s->reader.head_emitted) {
        if (!builtin(s)->disable_trace_config)
            put_config(out, s);
        put_uuid(out, s);
        if (!builtin(s)->disable_system_info)
            put_system_info(out, s);
    }
    encode_triggers(out, s);
    for (size_t i = 0; i < sn->events_num && !builtin(s)->disable_service_events; i++)
        put_event(out, s, &sn->events[i]);
    ORMA_LIST_EACH (struct traced_machine, m, &s->registry->machines, link)
        (void)encode_machine(out, s, m, machine_emitted(s, m));
}

static void put_completed(struct orma_buf *out, struct traced_session *s)
{
    struct traced_event done = {
        .ts = orma_clock_boottime(),
        .kind = ORMA_PB_TRACING_SERVICE_EVENT_READ_TRACING_BUFFERS_COMPLETED,
        .val = 1,
    };

    if (!builtin(s)->disable_service_events)
        put_event(out, s, &done);
}

/* Cuts `out` to whole packets in less than `space` bytes. False: it had been less. */
static bool cut_to(struct orma_buf *out, uint64_t space)
{
    struct orma_pb_reader r = orma_pb_reader(out->data, out->len);
    struct orma_pb_field f;
    size_t whole = 0;

    if (ORMA_LIKELY(out->len < space))
        return false;
    while (orma_pb_next(&r, &f) && (uint64_t)(r.pos - out->data) < space)
        whole = (size_t)(r.pos - out->data);
    out->len = whole;
    return true;
}

/* Of more sequences the statistics are not made just to learn their size. */
#define SEQUENCES_MEASURED 1000
#define SEQUENCE_BYTES_USUAL 160

/* What a file of limited size keeps free for the last statistics: without them nobody could tell
 * what it lacks. */
static uint64_t stats_space(struct traced_session *s, uint64_t space)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf stats = {0};

    if (space == UINT64_MAX)
        return 0;
    if (traced_session_seqs_num(s) > SEQUENCES_MEASURED)
        return ORMA_MIN(traced_session_seqs_num(s) * SEQUENCE_BYTES_USUAL, space / 2);
    put_stats(&stats, s, true);
    return ORMA_MIN(stats.len + stats.len / 4 + STATS_GROWTH, space / 2);
}

/* The file is full: what is unread is lost to it, and its last packet has the counts. */
static int end_full(struct orma_buf *out, struct traced_session *s, uint64_t space)
{
    for (size_t i = 0; i < s->buffers_num; i++)
        traced_buffer_settle(s->buffers[i].buf);
    put_stats(out, s, true);
    s->reader.stats_due = false;
    (void)cut_to(out, space);
    return out->failed ? -ENOMEM : -EFBIG;
}

int traced_session_read(struct traced_session *s, struct orma_buf *out, size_t threshold,
                        uint64_t space)
{
    if (!traced_triggers_let_read(s))
        return 0;
    uint64_t data_space = space - stats_space(s, space);
    begin_pass(s);
    size_t before = out->len;
    put_snapshots(out, s);
    if (s->reader.sync_marker_due)
        put_sync_marker(out, s);
    s->reader.sync_marker_due = false;
    put_head(out, s);
    put_events(out, s);
    orma_buf_put(out, s->reader.concurrent.data, s->reader.concurrent.len);
    orma_buf_clear(&s->reader.concurrent);
    put_machines(out, s);
    s->rescue.stale |= out->len > before; /* it is not pending any more */
    if (cut_to(out, data_space))
        return end_full(out, s, space);
    int r = out->failed ? -ENOMEM : put_all_data(out, s, threshold, data_space);
    if (r == -EFBIG)
        return end_full(out, s, space);
    if (r != 0)
        return r;
    s->reader.in_pass = false;
    if (traced_session_is_over(s) && !s->reader.last_pass)
        return 1; /* it ended meanwhile: buffers that had been read have more now */
    for (size_t i = 0; i < s->buffers_num; i++)
        traced_buffer_rewind(s->buffers[i].buf);
    put_completed(out, s);
    if (s->output.next.routing) /* they come when it is settled what is in which file */
        return out->failed ? -ENOMEM : 0;
    if (s->reader.stats_due)
        put_stats(out, s, traced_session_is_over(s));
    s->reader.stats_due = false;
    if (cut_to(out, space))
        return -EFBIG;
    return out->failed ? -ENOMEM : 0;
}

void traced_session_reader_restart(struct traced_session *s)
{
    s->reader.head_emitted = s->reader.initial_emitted = false;
    s->reader.sync_marker_due = s->reader.stats_due = true;
    orma_map_clear(&s->reader.machines_emitted);
    s->snapshots.initial = traced_clocks_now();
}

void traced_session_put_final_stats(struct orma_buf *out, struct traced_session *s)
{
    put_stats(out, s, true);
}

void traced_session_reader_fini(struct traced_session_reader *self)
{
    orma_buf_fini(&self->concurrent);
    orma_map_fini(&self->machines_emitted);
}
