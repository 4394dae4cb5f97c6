/*
 * Bundles: what a cpu's kernel buffer held, cut into runs for the sorter.
 *
 * The head of a bundle names the clock of its events. Each of its three lists (switches and
 * wakings in compact form, events) goes to the sorter as one run if its times rise and one offset
 * converts them all; else event by event, or in runs that do.
 */
#include "processor/import/kernel/kernel.h"

#include "processor/read/bundle.h"
#include "processor/read/damage.h"
#include "protos/fields/ftrace.h"

/* The clock of bundles that no snapshot of the service has: private to the sequence. */
#define FTRACE_CLOCK_ID 64

_Static_assert(ORMA_CPUS_MAX <= 1 << 10, "a cpu has ten bits in has_lost_packets()");

struct bundle_head {
    uint32_t cpu;
    uint32_t clock;
    int64_t ftrace_ts, boot_ts;
    uint64_t previous_end, last_read;
    bool has_cpu, lost, has_previous_end, has_last_read, has_pair;
    struct orma_str compact;
};

/* Reports bytes that are not a field; the events behind them are still read. */
ORMA_COLD static void report_damage(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                                    struct orma_str *damage)
{
    orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                   ORMA_STAT_FTRACE_BUNDLE_TOKENIZER_ERRORS);
    orma_damage_packet(imp->reader, (const uint8_t *)damage->data, damage->len,
                       "non-event bytes in a bundle of kernel events");
    damage->len = 0;
}

static void read_head(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                      struct bundle_head *ret)
{
    const struct orma_read_packet *p = ctx->p;
    struct orma_pb_reader r = orma_pb_reader(p->payload.data, p->payload.len);
    struct orma_pb_field f;
    struct orma_str damage = {0};

    *ret = (struct bundle_head){0};
    while (orma_bundle_field(&r, &f, &damage)) {
        if (ORMA_UNLIKELY(damage.len))
            report_damage(imp, ctx, &damage);
        switch (f.id) {
        case ORMA_PB_FTRACE_EVENT_BUNDLE_CPU:
            ret->cpu = orma_pb_u32(&f);
            ret->has_cpu = true;
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS:
            ret->lost = orma_pb_bool(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED:
            ret->compact = orma_pb_str(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK:
            ret->clock = orma_pb_u32(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP:
            ret->ftrace_ts = orma_pb_i64(&f);
            ret->has_pair = true;
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP:
            ret->boot_ts = orma_pb_i64(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_PREVIOUS_BUNDLE_END_TIMESTAMP:
            ret->previous_end = orma_pb_u64(&f);
            ret->has_previous_end = true;
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_LAST_READ_EVENT_TIMESTAMP:
            ret->last_read = orma_pb_u64(&f);
            ret->has_last_read = true;
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTORS:
            orma_kernel_describe(imp, ctx->machine, orma_pb_str(&f));
            break;
        }
    }
    if (r.failed)
        report_damage(imp, ctx, &damage);
}

/* Kernel pages of a file of others, which has clocks of its own. */
static bool is_foreign(const struct orma_import_ctx *imp, uint16_t machine)
{
    const struct orma_clock_view *view = orma_reader_view(imp->reader, machine);

    return view && view->source && view->source != ORMA_CLOCK_BOOTTIME;
}

/* The clock of the bundle's events; a pair of timestamps in the bundle relates it to boottime.
 * False: there is no such clock. */
static bool bundle_clock(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                         const struct bundle_head *head, uint64_t *ret)
{
    uint32_t id;

    switch (head->clock) {
    case ORMA_PB_FTRACE_CLOCK_UNSPECIFIED:
        *ret = is_foreign(imp, ctx->machine) ? orma_reader_view(imp->reader, ctx->machine)->source
                                             : ORMA_CLOCK_BOOTTIME;
        return true;
    case ORMA_PB_FTRACE_CLOCK_GLOBAL:
    case ORMA_PB_FTRACE_CLOCK_LOCAL:
        id = FTRACE_CLOCK_ID;
        break;
    case ORMA_PB_FTRACE_CLOCK_MONO_RAW:
        id = ORMA_CLOCK_MONOTONIC_RAW;
        break;
    default:
        imp->reader->error =
            "a bundle of kernel events has an unknown clock (Unable to parse ftrace "
            "packets with unknown clock)";
        return false;
    }
    *ret = orma_clock_key(id, ctx->seq->id);
    /* Bundles of one read repeat the pair. */
    struct orma_kernel_state *st = orma_kernel_state(imp);
    if (head->has_pair && head->ftrace_ts != st->last_pair_ts) {
        const struct orma_clock_value pair[] = {{*ret, head->ftrace_ts, 1, false},
                                                {ORMA_CLOCK_BOOTTIME, head->boot_ts, 1, false}};

        st->last_pair_ts = head->ftrace_ts;
        orma_port_clock_snapshot(imp, ctx->machine, ctx->seq, pair, 2, 0);
    }
    return true;
}

/* Events that can't be sorted, or that are none. */
ORMA_COLD static void count_dropped(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                                    enum orma_account_reason reason, const char *kind, uint64_t num)
{
    struct orma_account *account = orma_kernel_account(imp);

    orma_account_begin(account, num);
    (void)orma_account_skipped(account, imp->model, reason, orma_model_cstr(imp->model, kind), num,
                               orma_import_packet_offset(imp, ctx));
}

/* What was wrong with a list, once all of it was walked. */
static void count_bad(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                      const struct orma_bundle_cursor *c)
{
    struct orma_stats *stats = orma_model_stats(imp->model, ctx->machine);

    if (c->untimed)
        count_dropped(imp, ctx, ORMA_ACCOUNT_DAMAGED, "kernel events without a time", c->untimed);
    if (c->uneven)
        count_dropped(imp, ctx, ORMA_ACCOUNT_DAMAGED,
                      "lists of kernel events from a malformed one to their end", 1);

    orma_stats_add(stats, ORMA_STAT_FTRACE_BUNDLE_TOKENIZER_ERRORS, c->untimed);
    if (c->uneven)
        orma_stats_inc(stats, ORMA_STAT_COMPACT_SCHED_HAS_PARSE_ERRORS);
}

/* True if all times of the list rise and one conversion does for all of them. */
static bool is_even(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                    const struct orma_kernel_bundle *b, enum orma_item_kind kind, uint64_t clock,
                    struct orma_bundle_cursor *c, int64_t *ret_first, int64_t *ret_last,
                    int64_t *ret_offset, uint32_t *ret_num)
{
    struct orma_item item;
    struct orma_clock_span span = {INT64_MIN, INT64_MAX, 0};
    uint64_t first = 0, last = 0;
    int64_t ts;

    *ret_num = 0;
    orma_bundle_cursor_init(c, b, kind);
    while (orma_bundle_cursor_next(c, b, &item)) {
        if (!(*ret_num)++)
            first = c->time;
        else if (c->time < last)
            return false;
        last = c->time;
    }
    if (!*ret_num || first > INT64_MAX || last > INT64_MAX)
        return false;
    ts = (int64_t)first;
    if (!orma_reader_is_trace_clock(imp->reader, ctx->machine, clock) &&
        orma_timeline_convert(&imp->reader->timeline, ctx->seq->clock.view, clock, ts, &ts,
                              &span) != ORMA_CLOCK_OK)
        return false;
    *ret_first = ts;
    *ret_last = (int64_t)(last + (uint64_t)span.offset);
    *ret_offset = span.offset;
    return (int64_t)last < span.hi && ts >= 0 && *ret_last >= ts;
}

static void took(struct orma_import_ctx *imp, uint64_t events)
{
    struct orma_account *account = orma_kernel_account(imp);

    orma_account_begin(account, events);
    (void)orma_account_took(account, events);
}

static bool push_range(struct orma_import_ctx *imp, const struct orma_kernel_bundle *whole,
                       enum orma_item_kind kind, uint32_t from, uint32_t to, int64_t first,
                       int64_t last, int64_t offset)
{
    struct orma_kernel_bundle part = *whole;

    if (from >= to)
        return true;
    part.from = from;
    part.to = to;
    part.clock_offset = offset;
    uint32_t idx = orma_sorter_add_bundle(&imp->reader->sorter, &part);
    if (idx != UINT32_MAX)
        orma_sorter_push_bundle(&imp->reader->sorter, idx, kind, first, last);
    took(imp, to - from);
    return idx != UINT32_MAX;
}

/* The event's time in trace time. False: it cannot be sorted, which is counted. */
static bool event_ts(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx, uint64_t clock,
                     int64_t ns, int64_t *ret)
{
    struct orma_reader *r = imp->reader;

    *ret = ns;
    if (!orma_reader_is_trace_clock(r, ctx->machine, clock) &&
        !orma_reader_to_trace_time(r, ctx->machine, clock, ns, ret, NULL))
        return false;
    if (*ret < 0) {
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_TRACE_SORTER_NEGATIVE_TIMESTAMP_DROPPED);
        return false;
    }
    if (!orma_sorter_accepts(&r->sorter, *ret)) {
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_SORTER_PUSH_EVENT_OUT_OF_ORDER);
        return false;
    }
    return true;
}

/* The list in runs that rise and have one offset to trace time each. */
static void push_uneven(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                        const struct orma_kernel_bundle *b, enum orma_item_kind kind,
                        uint64_t clock)
{
    struct orma_bundle_cursor c;
    struct orma_item item;
    uint32_t from = 0, to = 0;
    int64_t first = 0, last = 0, offset = 0;

    orma_bundle_cursor_init(&c, b, kind);
    while (orma_bundle_cursor_next(&c, b, &item)) {
        int64_t ts;
        bool good = event_ts(imp, ctx, clock, (int64_t)c.time, &ts);

        if (!good)
            count_dropped(imp, ctx, ORMA_ACCOUNT_CLOCK, "kernel events", 1);
        int64_t this_offset = (int64_t)((uint64_t)ts - c.time);

        if (good && from < to && ts >= last && this_offset == offset) {
            to++;
            last = ts;
            continue;
        }
        if (!push_range(imp, b, kind, from, to, first, last, offset))
            return;
        from = item.index + !good;
        to = item.index + 1;
        first = last = ts;
        offset = this_offset;
    }
    push_range(imp, b, kind, from, to, first, last, offset);
    count_bad(imp, ctx, &c);
}

/* Events that say when and of whom, but not what, are no reason to look for their clock: true if
 * there are no others, which are counted. */
static bool says_nothing(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                         const struct orma_kernel_bundle *b)
{
    struct orma_bundle_cursor c;
    struct orma_item item;
    uint32_t num = 0;

    orma_bundle_cursor_init(&c, b, ORMA_ITEM_FTRACE_EVENT);
    for (; orma_bundle_cursor_next(&c, b, &item); num++)
        if (!orma_bundle_event_is_bare((struct orma_str){(const char *)item.data, item.len}))
            return false;
    if (num) {
        count_bad(imp, ctx, &c);
        count_dropped(imp, ctx, ORMA_ACCOUNT_DAMAGED, "kernel events without contents", num);
    }
    orma_stats_add(orma_model_stats(imp->model, ctx->machine), ORMA_STAT_FTRACE_MISSING_EVENT_ID,
                   num);
    return num > 0;
}

/* One list of a bundle. *idx: the entry for all lists with one offset, made when it is needed.
 * *earliest: the first time of its lists that is known. */
static void push_list(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                      struct orma_kernel_bundle *b, uint32_t *idx, enum orma_item_kind kind,
                      uint64_t clock, int64_t *earliest)
{
    struct orma_sorter *sorter = &imp->reader->sorter;
    struct orma_bundle_cursor c;
    int64_t first, last, offset;
    uint32_t num;

    if (kind == ORMA_ITEM_FTRACE_EVENT && says_nothing(imp, ctx, b))
        return;
    bool even = is_even(imp, ctx, b, kind, clock, &c, &first, &last, &offset, &num) &&
                orma_sorter_accepts(sorter, first);

    if (num && !even) {
        push_uneven(imp, ctx, b, kind, clock);
        return;
    }
    if (ORMA_UNLIKELY(c.untimed || c.uneven))
        count_bad(imp, ctx, &c);
    if (!num)
        return;
    if (*idx == UINT32_MAX || offset != b->clock_offset) {
        b->clock_offset = offset;
        *idx = orma_sorter_add_bundle(sorter, b);
    }
    *earliest = ORMA_MIN(*earliest, first);
    took(imp, num);
    if (*idx != UINT32_MAX)
        orma_sorter_push_bundle(sorter, *idx, kind, first, last);
}

/* The time from which on every cpu has data is the latest of their first bundles' beginnings. */
static void note_start(struct orma_import_ctx *imp, uint16_t machine,
                       const struct bundle_head *head, uint64_t clock)
{
    struct orma_kernel_limits *l = orma_kernel_limits(imp, machine);
    /* Older recorders only knew the last event that they had read. */
    int64_t ts = (int64_t)(head->has_previous_end ? head->previous_end : head->last_read);

    if (!l || l->cpu_seen[head->cpu])
        return;
    l->cpu_seen[head->cpu] = 1;
    if (!head->has_previous_end && !head->has_last_read)
        return;
    if (!ts && is_foreign(imp, machine))
        return; /* there was nothing before; the clock may begin later */
    if (!orma_reader_is_trace_clock(imp->reader, machine, clock) &&
        !orma_reader_to_trace_time(imp->reader, machine, clock, ts, &ts, NULL)) {
        imp->reader->error = "the clock of a bundle of kernel events cannot be aligned with others "
                             "(Failed to convert timestamp to trace time)";
        return;
    }
    l->latest_start = ORMA_MAX(l->latest_start, ts);
    orma_metadata_int(imp->model, "ftrace_latest_data_start_ns", false,
                      ORMA_METADATA_MACHINE_AND_TRACE, machine, l->latest_start);
}

/* Packets that are missing held bundles of any cpu: each has a gap before its next one. */
static bool has_lost_packets(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                             uint32_t cpu)
{
    struct orma_map *losses = &orma_kernel_state(imp)->losses;
    uint64_t num = ctx->seq->counts.losses, key = (uint64_t)(uintptr_t)ctx->seq << 10 | cpu;

    if (!num || orma_map_get(losses, key) == num)
        return false;
    imp->model->storage->failed |= orma_map_put(losses, key, num) < 0;
    return true;
}

static bool ftrace_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct bundle_head head;
    uint64_t clock;

    if (!orma_kernel_state(imp))
        return true;
    read_head(imp, ctx, &head);
    if (!head.has_cpu) {
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                       ORMA_STAT_FTRACE_BUNDLE_TOKENIZER_ERRORS);
        return true;
    }
    if (head.cpu >= ORMA_CPUS_MAX) {
        imp->reader->error = "a bundle of kernel events has an impossibly large CPU number";
        return true;
    }
    if (!bundle_clock(imp, ctx, &head, &clock))
        return true;
    if (head.lost)
        orma_stats_set_at(orma_model_stats(imp->model, ctx->machine),
                          ORMA_STAT_FTRACE_CPU_HAS_DATA_LOSS, (int32_t)head.cpu, 1);
    note_start(imp, ctx->machine, &head, clock);
    struct orma_kernel_bundle bundle = {
        .to = UINT32_MAX,
        .event_bytes = ctx->p->payload,
        .compact = head.compact,
        .order = ctx->order,
        .gen = ctx->seq->gen,
        .cpu = head.cpu,
        .machine = ctx->machine,
    };
    uint32_t idx = UINT32_MAX;
    int64_t earliest = INT64_MAX;
    if (head.compact.len) {
        push_list(imp, ctx, &bundle, &idx, ORMA_ITEM_SCHED_SWITCH, clock, &earliest);
        push_list(imp, ctx, &bundle, &idx, ORMA_ITEM_SCHED_WAKING, clock, &earliest);
    }
    push_list(imp, ctx, &bundle, &idx, ORMA_ITEM_FTRACE_EVENT, clock, &earliest);
    bool lost = has_lost_packets(imp, ctx, head.cpu) || head.lost;
    if (lost && earliest != INT64_MAX) {
        struct orma_model_gap gap = {.ts = earliest, .of_cpu = true, .cpu = head.cpu};

        orma_model_add_gap(imp->model, ctx->machine, &gap);
    }
    return true;
}

static void fini(struct orma_import_ctx *imp)
{
    if (orma_kernel(imp)->ftrace)
        orma_kernel_generic_fini(orma_kernel(imp)->ftrace);
    orma_kernel_fini(imp);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_FTRACE_EVENTS, 0};
const struct orma_importer orma_kernel_bundle_importer = {
    .name = "ftrace", .fields = fields, .tokenize = ftrace_tokenize, .fini = fini};
