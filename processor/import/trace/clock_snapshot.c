/* Snapshots of clocks, of this machine and between machines. */
#include "processor/import/core/clock_rows.h"
#include "processor/import/trace/trace.h"
#include "processor/read/reader_impl.h"
#include "protos/fields/common.h"
#include "protos/fields/trace.h"

#define SNAPSHOT_CLOCKS_MAX 256

/* A snapshot that does not say which clock the trace's is. */
static void add_snapshot(struct orma_import_ctx *imp, uint16_t machine,
                         const struct orma_clock_value *values, uint32_t num)
{
    struct orma_clock_view *view = orma_reader_view(imp->reader, machine);
    struct orma_clock_value full[SNAPSHOT_CLOCKS_MAX];
    uint32_t snapshot = imp->model->clock_snapshots++;

    if (!view || !orma_timeline_add(&imp->reader->timeline, view, values, num))
        return;
    for (uint32_t i = 0; i < num; i++) {
        full[i] = values[i];
        full[i].key = orma_timeline_key(view, values[i].key);
    }
    orma_import_clocks(imp->model, imp->reader, full, num, snapshot);
}

void orma_trace_clock_snapshot(struct orma_import_ctx *imp, uint16_t machine, struct orma_seq *seq,
                               const struct orma_clock_value *values, uint32_t num,
                               uint64_t primary)
{
    struct orma_reader *r = imp->reader;
    struct orma_clock_value full[SNAPSHOT_CLOCKS_MAX];
    uint32_t snapshot = imp->model->clock_snapshots++;

    if (!orma_reader_add_clocks(r, machine, seq, values, num, primary))
        return;
    const struct orma_clock_view *view = orma_reader_view(r, machine);
    for (uint32_t i = 0; view && i < num; i++) {
        full[i] = values[i];
        full[i].key = orma_timeline_key(view, values[i].key);
    }
    if (view)
        orma_import_clocks(imp->model, r, full, num, snapshot);
}

static bool clock_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct orma_clock_value values[SNAPSHOT_CLOCKS_MAX];
    uint32_t num = 0;
    uint64_t primary = 0;
    bool good = true;

    while (good && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCKS && num < SNAPSHOT_CLOCKS_MAX)
            good = orma_reader_read_clock(orma_pb_str(&f), ctx->seq ? ctx->seq->id : 0,
                                          &values[num++]);
        else if (f.id == ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK)
            primary = orma_pb_u64(&f);
    }
    if (imp->reader->at.no_snapshots) {
        imp->reader->error = imp->reader->at.no_snapshots;
        return true;
    }
    if (!good) {
        orma_reader_refuse_clock(imp->reader, orma_clock_id(values[num - 1].key));
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
/* What is to be taken back is made up for in so many times as long. */
#define SLEW_SLOWNESS 1000
/* More is no drift. */
#define SLEW_MAX_NS 100000000
/* Clocks of the system that two machines are compared by; further numbers are not theirs. */
#define SYNC_CLOCKS 64

/* What one exchange read, by clock; 0: it did not read that one. */
struct exchange {
    int64_t client[SYNC_CLOCKS], host[SYNC_CLOCKS];
};

/* What rounds say of a clock: how far the client's is ahead, in sum. */
struct offsets {
    uint64_t sum[SYNC_CLOCKS];
    int64_t num[SYNC_CLOCKS], last[SYNC_CLOCKS]; /* last: reading of the host's clock */
};

static void read_end(struct orma_str bytes, int64_t *by_clock)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_clock_value v;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCKS &&
            orma_reader_read_clock(orma_pb_str(&f), 0, &v) && v.key < SYNC_CLOCKS)
            by_clock[v.key] = v.raw;
}

static void read_exchange(const struct orma_pb_field *f, struct exchange *e)
{
    struct orma_pb_reader r = orma_pb_sub(f);
    struct orma_pb_field g;

    *e = (struct exchange){0};
    while (orma_pb_next(&r, &g)) {
        if (g.id == ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_CLIENT_CLOCKS)
            read_end(orma_pb_str(&g), e->client);
        else if (g.id == ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS_HOST_CLOCKS)
            read_end(orma_pb_str(&g), e->host);
    }
}

static int64_t middle(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b) / 2;
}

/*
 * Four readings in turn, client, host, client, host, are two round trips: that of the client has
 * the host's reading in its middle, that of the host the client's second one. Each says how far
 * the client's clock is ahead.
 */
static void add_round(struct offsets *o, const struct exchange *ping, const struct exchange *update)
{
    for (unsigned i = 0; i < SYNC_CLOCKS; i++) {
        int64_t c1 = ping->client[i], c2 = update->client[i], h1 = ping->host[i],
                h2 = update->host[i];

        if (!c1 || !c2 || !h1 || !h2)
            continue;
        o->sum[i] += (uint64_t)middle(c1, c2) - (uint64_t)h1;
        o->sum[i] += (uint64_t)c2 - (uint64_t)middle(h1, h2);
        o->num[i] += 2;
    }
}

/*
 * The same two exchanges as one row. Each reading is later than the one before, which bounds how
 * far the client's clock is ahead, whatever the ways take.
 */
static void add_row(struct orma_import_ctx *imp, uint16_t machine, const struct exchange *ping,
                    const struct exchange *update)
{
    const uint64_t c1 = (uint64_t)ping->client[ORMA_CLOCK_BOOTTIME],
                   c2 = (uint64_t)update->client[ORMA_CLOCK_BOOTTIME],
                   h1 = (uint64_t)ping->host[ORMA_CLOCK_BOOTTIME],
                   h2 = (uint64_t)update->host[ORMA_CLOCK_BOOTTIME];
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CLOCK_ROUND);
    int64_t first = (int64_t)(c1 - h1), second = (int64_t)(c2 - h2);

    if (!c1 || !c2 || !h1 || !h2 || c2 < c1 || h2 < h1)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_CLOCK_ROUND_HOST_NS, row, (int64_t)h1);
    orma_table_set(t, ORMA_CLOCK_ROUND_AHEAD, row,
                   (int64_t)((uint64_t)first + (c2 - c1) / 4 * 3 - (h2 - h1) / 4));
    orma_table_set(t, ORMA_CLOCK_ROUND_AHEAD_MIN, row, ORMA_MAX(first, second));
    orma_table_set(t, ORMA_CLOCK_ROUND_AHEAD_MAX, row, (int64_t)(c2 - h1));
    orma_table_set(t, ORMA_CLOCK_ROUND_MACHINE_ID, row, machine);
    orma_table_set(t, ORMA_CLOCK_ROUND_TRACE_ID, row, imp->model->trace_row);
}

/* What the client read are snapshots of its machine, too. */
static void add_client(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                       const struct exchange *e)
{
    struct orma_clock_value values[SYNC_CLOCKS];
    uint32_t num = 0;

    for (unsigned i = 1; i < SYNC_CLOCKS; i++)
        if (e->client[i])
            values[num++] = (struct orma_clock_value){i, e->client[i], 1, false};
    if (num)
        add_snapshot(imp, ctx->machine, values, num);
}

/* Two clocks: the host's shows `ns`, the client's is ahead by so much. */
struct tie {
    uint64_t host, client;
    int64_t ns, ahead;
};

/*
 * A tie that takes the client's times back would change the order of its events. So they go more
 * slowly for a while. Returns when that is over.
 */
static int64_t tie_in_order(struct orma_timeline *t, struct tie tie)
{
    const int64_t client = (int64_t)((uint64_t)tie.ns + (uint64_t)tie.ahead);
    int64_t mapped, back = 0;

    if (orma_clocks_convert(&t->clocks, tie.client, client, tie.host, &mapped, NULL) ==
        ORMA_CLOCK_OK)
        back = (int64_t)((uint64_t)mapped - (uint64_t)tie.ns);
    if (back <= 0 || back > SLEW_MAX_NS) {
        orma_timeline_tie(t, tie.host, tie.ns, tie.client, client);
        return tie.ns;
    }
    const uint64_t later = (uint64_t)back * SLEW_SLOWNESS;
    const int64_t host_ns[] = {mapped, (int64_t)((uint64_t)tie.ns + later)},
                  client_ns[] = {client, (int64_t)((uint64_t)client + later)};
    orma_timeline_tie_evenly(t, tie.host, host_ns, tie.client, client_ns);
    return host_ns[1];
}

static void tie_machines(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                         const struct offsets *o)
{
    struct orma_timeline *t = &imp->reader->timeline;
    struct orma_clock_view *view = orma_reader_view(imp->reader, ctx->machine);
    uint16_t host = orma_clock_machine(t->trace_clock);

    if (!view)
        return;
    orma_timeline_sync(t, view);
    if (o->num[ORMA_CLOCK_BOOTTIME] && o->last[ORMA_CLOCK_BOOTTIME] < view->slewed_until)
        return; /* the last one is still on its way */
    for (uint32_t i = 1; i < SYNC_CLOCKS; i++) {
        if (!o->num[i])
            continue;
        int64_t end =
            tie_in_order(t, (struct tie){orma_clock_in(i, host, 0), orma_timeline_key(view, i),
                                         o->last[i], (int64_t)o->sum[i] / o->num[i]});
        if (i == ORMA_CLOCK_BOOTTIME)
            view->slewed_until = end;
    }
}

static bool is_round(const struct exchange *before, const struct exchange *now)
{
    return (uint64_t)now->client[ORMA_CLOCK_BOOTTIME] -
               (uint64_t)before->client[ORMA_CLOCK_BOOTTIME] <
           SYNC_ROUND_NS;
}

/* The mean over all rounds; two exchanges are a round if they are close to each other. */
static bool remote_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct exchange before = {0}, now;
    struct offsets o = {0};

    if (imp->reader->at.no_machines) {
        imp->reader->error = imp->reader->at.no_machines;
        return true;
    }
    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_REMOTE_CLOCK_SYNC_SYNCED_CLOCKS)
            continue;
        read_exchange(&f, &now);
        add_client(imp, ctx, &now);
        if (is_round(&before, &now)) {
            add_round(&o, &before, &now);
            add_row(imp, ctx->machine, &before, &now);
        }
        for (unsigned i = 0; i < SYNC_CLOCKS; i++)
            o.last[i] = now.host[i] ? now.host[i] : o.last[i];
        before = now;
    }
    struct orma_clock_view *base = orma_reader_view(imp->reader, imp->reader->at.machine);
    if (base)
        orma_timeline_use(&imp->reader->timeline, base);
    if (base && ctx->machine != orma_clock_machine(imp->reader->timeline.trace_clock))
        tie_machines(imp, ctx, &o);
    return true;
}

static const uint16_t remote_fields[] = {ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC, 0};
const struct orma_importer orma_trace_remote_clock_importer = {
    .name = "remote_clock_sync", .fields = remote_fields, .early = remote_early};
