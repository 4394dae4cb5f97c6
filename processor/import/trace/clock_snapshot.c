/* Snapshots of clocks, of this machine and between machines. */
#include "processor/import/trace/trace.h"
#include "protos/fields/common.h"
#include "protos/fields/trace.h"

#define SNAPSHOT_CLOCKS_MAX 256

static const char *clock_name(uint64_t key)
{
    switch (key) {
    case ORMA_CLOCK_REALTIME:
        return "REALTIME";
    case 2:
        return "REALTIME_COARSE";
    case ORMA_CLOCK_MONOTONIC:
        return "MONOTONIC";
    case 4:
        return "MONOTONIC_COARSE";
    case ORMA_CLOCK_MONOTONIC_RAW:
        return "MONOTONIC_RAW";
    case ORMA_CLOCK_BOOTTIME:
        return "BOOTTIME";
    }
    return NULL;
}

/* False: a private clock without a sequence. */
static bool read_clock(struct orma_str bytes, const struct orma_seq *seq,
                       struct orma_clock_value *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t id = 0;

    *ret = (struct orma_clock_value){.unit_ns = 1};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID:
            id = orma_pb_u32(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP:
            ret->raw = orma_pb_i64(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL:
            ret->incremental = orma_pb_bool(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS:
            ret->unit_ns = orma_pb_i64(&f) ? orma_pb_i64(&f) : 1;
            break;
        }
    }
    ret->key = orma_clock_key(id, seq ? seq->id : 0);
    return seq || !orma_clock_is_private(id);
}

/* A clock that went back has lost its way to the trace's clock, which may stand beside it. */
static bool get_time_beside(struct orma_import_ctx *imp, const struct orma_clock_value *v,
                            uint32_t num, int64_t *ret)
{
    for (uint32_t i = 0; i < num; i++)
        if (v[i].key == imp->reader->trace_clock) {
            *ret = (int64_t)((uint64_t)v[i].raw * (uint64_t)v[i].unit_ns);
            return true;
        }
    return false;
}

static void write_snapshot(struct orma_import_ctx *imp, uint16_t machine,
                           const struct orma_clock_value *v, uint32_t num, uint32_t snapshot)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CLOCK_SNAPSHOT);

    for (uint32_t i = 0; i < num; i++) {
        const char *name = clock_name(v[i].key);
        int64_t ns = (int64_t)((uint64_t)v[i].raw * (uint64_t)v[i].unit_ns), ts;

        if (!orma_reader_to_trace_time(imp->reader, machine, v[i].key, ns, &ts, NULL) &&
            !get_time_beside(imp, v, num, &ts))
            continue;
        uint32_t row = orma_table_add(t);
        orma_table_set_time(t, ORMA_CLOCK_SNAPSHOT_TS, row, ts);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_ID, row, (int64_t)(uint32_t)v[i].key);
        if (name)
            orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_NAME, row,
                           orma_model_cstr(imp->model, name));
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_VALUE, row, ns);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_SNAPSHOT_ID, row, snapshot);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_MACHINE_ID, row, machine);
    }
}

void orma_trace_clock_snapshot(struct orma_import_ctx *imp, uint16_t machine, struct orma_seq *seq,
                               const struct orma_clock_value *values, uint32_t num,
                               uint64_t primary)
{
    uint32_t snapshot = orma_trace(imp)->clock_snapshots++;

    if (!orma_reader_add_clocks(imp->reader, machine, seq, values, num, primary))
        return;
    write_snapshot(imp, machine, values, num, snapshot);
}

static bool clock_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct orma_clock_value values[SNAPSHOT_CLOCKS_MAX];
    uint32_t num = 0;
    uint64_t primary = 0;
    bool good = true;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCKS && num < SNAPSHOT_CLOCKS_MAX)
            good = read_clock(orma_pb_str(&f), ctx->seq, &values[num++]) && good;
        else if (f.id == ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK)
            primary = orma_pb_u64(&f);
    }
    if (!good || !num) {
        if (!good)
            orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                           ORMA_STAT_INVALID_CLOCK_SNAPSHOTS);
        return true;
    }
    orma_trace_clock_snapshot(imp, ctx->machine, ctx->seq, values, num, primary);
    return true;
}

static const uint16_t clock_fields[] = {ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT, 0};
const struct orma_importer orma_trace_clock_importer = {
    .name = "clock_snapshot", .fields = clock_fields, .early = clock_early};

/* ---- clocks of other machines, read at both ends at once ---- */

#define SYNC_ROUND_NS 30000000000

/* What one exchange read: the trace's clock at both ends, and BOOTTIME of the client. */
struct exchange {
    int64_t client, host, client_boot;
    bool has_client, has_host;
};

static void read_end(struct orma_str bytes, uint64_t clock, int64_t *ret, bool *ret_found,
                     int64_t *ret_boot)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_clock_value v;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_CLOCK_SNAPSHOT_CLOCKS || !read_clock(orma_pb_str(&f), NULL, &v))
            continue;
        if (v.key == clock) {
            *ret = v.raw;
            *ret_found = true;
        }
        if (v.key == ORMA_CLOCK_BOOTTIME)
            *ret_boot = v.raw;
    }
}

static struct exchange read_exchange(const struct orma_pb_field *f, uint64_t clock)
{
    struct orma_pb_reader r = orma_pb_sub(f);
    struct orma_pb_field g;
    struct exchange e = {0};
    int64_t host_boot;

    while (orma_pb_next(&r, &g)) {
        if (g.id == ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS)
            read_end(orma_pb_str(&g), clock, &e.client, &e.has_client, &e.client_boot);
        else if (g.id == ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS)
            read_end(orma_pb_str(&g), clock, &e.host, &e.has_host, &host_boot);
    }
    return e;
}

/*
 * Four readings in turn, client, host, client, host, are two round trips: that of the client has
 * the host's reading in its middle, that of the host the client's second one. The offset of a round
 * is the mean of both.
 */
static int64_t round_offset(const struct exchange *ping, const struct exchange *update)
{
    uint64_t by_client =
        (uint64_t)((int64_t)((uint64_t)ping->client + (uint64_t)update->client) / 2) -
        (uint64_t)ping->host;
    uint64_t by_host = (uint64_t)update->client -
                       (uint64_t)((int64_t)((uint64_t)ping->host + (uint64_t)update->host) / 2);

    return (int64_t)(by_client + by_host) / 2;
}

/* The mean over all rounds; two exchanges are a round if they are close to each other. */
static bool remote_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct exchange before = {0};
    uint64_t sum = 0;
    int64_t num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS)
            continue;
        struct exchange e = read_exchange(&f, imp->reader->trace_clock);
        if (before.has_client && before.has_host && e.has_client && e.has_host &&
            (uint64_t)e.client_boot - (uint64_t)before.client_boot < SYNC_ROUND_NS) {
            sum += (uint64_t)round_offset(&before, &e);
            num++;
        }
        before = e;
    }
    if (num && ctx->machine)
        orma_reader_set_machine_offset(imp->reader, ctx->machine, (int64_t)sum / num);
    return true;
}

static const uint16_t remote_fields[] = {ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC, 0};
const struct orma_importer orma_trace_remote_clock_importer = {
    .name = "remote_clock_sync", .fields = remote_fields, .early = remote_early};
