/*
 * Which machine a packet is of, and what its time is in the trace's clock, where that is not plain:
 * what was found out is kept in the sequence, so that the next packet needs an addition only.
 */
#include <stdio.h>

#include "processor/read/reader_impl.h"

/* ---- machines ---- */

uint16_t orma_reader_add_machine(struct orma_reader *self, uint64_t raw)
{
    if (self->machines_num == ORMA_MACHINES_MAX)
        return ORMA_MACHINES_MAX - 1; /* past the limit machines share the last place */
    self->machine_raw[self->machines_num] = raw;
    self->hooks.new_machine(self->hooks.data, self->machines_num, raw);
    return self->machines_num++;
}

static uint16_t named_machine(struct orma_reader *self, uint32_t raw)
{
    for (unsigned i = 0; i < self->at.machines_num; i++)
        if (self->at.machines[i].raw == raw)
            return self->at.machines[i].machine;
    if (!self->error) {
        (void)snprintf(self->error_text, sizeof(self->error_text),
                       "perfetto_manifest: machines: trace has a packet from undeclared machine "
                       "id %u",
                       (unsigned)raw);
        self->error = self->error_text;
    }
    return self->at.machine;
}

/* The first remote machine of a file takes the host's place if the host has no data of its own. */
uint16_t orma_reader_machine_of(struct orma_reader *self, uint32_t raw)
{
    bool adopts = self->adopts && !self->host_seen && !self->machine_raw[self->at.machine];

    if (ORMA_UNLIKELY(self->at.no_machines != NULL)) {
        self->error = self->at.no_machines;
        return self->at.machine;
    }
    if (self->at.named)
        return named_machine(self, raw);
    self->adopts = false;
    for (uint16_t i = 0; i < self->machines_num; i++)
        if (self->machine_raw[i] == raw)
            return i;
    if (!adopts)
        return orma_reader_add_machine(self, raw);
    self->machine_raw[self->at.machine] = raw;
    self->hooks.new_machine(self->hooks.data, self->at.machine, raw);
    return self->at.machine;
}

/* ---- time ---- */

struct orma_clock_view *orma_reader_view(struct orma_reader *self, uint16_t machine)
{
    struct orma_clock_view *v = self->view;

    if (ORMA_LIKELY(v && v->machine == machine && v->file == self->file))
        return v;
    v = orma_timeline_view(&self->timeline, self->file, machine);
    self->storage->failed |= !v;
    self->view = v;
    return v;
}

void orma_reader_count_clock(struct orma_reader *self, const struct orma_clock_view *view,
                             uint64_t clock, int64_t ns, enum orma_clock_result why, int64_t offset)
{
    static const enum orma_stat stats[] = {
        [ORMA_CLOCK_UNKNOWN_SOURCE] = ORMA_STAT_CLOCK_SYNC_FAILURE_UNKNOWN_SOURCE_CLOCK,
        [ORMA_CLOCK_UNKNOWN_TARGET] = ORMA_STAT_CLOCK_SYNC_FAILURE_UNKNOWN_TARGET_CLOCK,
        [ORMA_CLOCK_NO_PATH] = ORMA_STAT_CLOCK_SYNC_FAILURE_NO_PATH,
    };

    self->hooks.clock_failed(self->hooks.data, view->machine, stats[why], clock, ns,
                             self->timeline.trace_clock, offset);
}

bool orma_reader_is_trace_clock(struct orma_reader *self, uint16_t machine, uint64_t clock)
{
    const struct orma_clock_view *view = orma_reader_view(self, machine);

    if (!view || clock != view->same_id)
        return false;
    orma_timeline_took(&self->timeline);
    return true;
}

bool orma_reader_to_trace_time(struct orma_reader *self, uint16_t machine, uint64_t clock,
                               int64_t ns, int64_t *ret, struct orma_clock_span *ret_span)
{
    struct orma_clock_view *view = orma_reader_view(self, machine);
    enum orma_clock_result r =
        view ? orma_timeline_convert(&self->timeline, view, clock, ns, ret, ret_span)
             : ORMA_CLOCK_NO_PATH;

    if (r != ORMA_CLOCK_OK && view)
        orma_reader_count_clock(self, view, clock, ns, r, -1);
    return r == ORMA_CLOCK_OK;
}

void orma_reader_refuse_clock(struct orma_reader *self, uint32_t id)
{
    if (self->error)
        return;
    (void)snprintf(self->error_text, sizeof(self->error_text),
                   "TracePacket specified a sequence-local clock id (%u) but the TraceWriter's "
                   "sequence_id is zero (the service is probably too old) (ERR:tp-parse)",
                   (unsigned)id);
    self->error = self->error_text;
}

/* Looks the clock of a packet up and keeps the conversion in the sequence. */
enum orma_clock_result orma_reader_find_clock(struct orma_reader *self, struct orma_seq *seq,
                                              uint32_t id, uint64_t timestamp)
{
    struct orma_timeline *t = &self->timeline;
    struct orma_clocks *clocks = &t->clocks;
    uint64_t key = orma_timeline_key(seq->clock.view, orma_clock_key(id, seq->id));
    int64_t unit = 1, ns, ts;
    bool incremental = false;
    struct orma_clock_span span;

    if (!seq->id && orma_clock_is_private(id))
        orma_reader_refuse_clock(self, id);
    if (seq->clock.cached && seq->clock.incremental)
        orma_clocks_set_raw(
            clocks, orma_timeline_key(seq->clock.view, orma_clock_key(seq->clock.id, seq->id)),
            seq->clock.raw);
    seq->clock.cached = false;
    orma_timeline_use(t, seq->clock.view);
    if (!orma_clocks_describe(clocks, key, &unit, &incremental))
        return ORMA_CLOCK_UNKNOWN_SOURCE;
    int64_t raw = incremental ? orma_clocks_get_raw(clocks, key) : 0;
    if (__builtin_mul_overflow((int64_t)((uint64_t)raw + timestamp), unit, &ns))
        return ORMA_CLOCK_NO_PATH;
    enum orma_clock_result r = orma_clocks_convert(clocks, key, ns, t->trace_clock, &ts, &span);
    if (r != ORMA_CLOCK_OK)
        return r;
    seq->clock.cached = true;
    seq->clock.id = id;
    seq->clock.incremental = incremental;
    seq->clock.unit = unit;
    seq->clock.raw = raw;
    seq->clock.lo = span.lo;
    seq->clock.hi = span.hi;
    seq->clock.offset = span.offset;
    seq->clock.epoch = t->epoch;
    seq->clock.stamp = clocks->cache_stamp;
    return ORMA_CLOCK_OK;
}

bool orma_reader_read_clock(struct orma_str bytes, uint32_t sequence, struct orma_clock_value *ret)
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
    ret->key = orma_clock_key(id, sequence);
    return sequence || !orma_clock_is_private(id);
}

bool orma_reader_add_clocks(struct orma_reader *self, uint16_t machine, struct orma_seq *seq,
                            const struct orma_clock_value *values, uint32_t num, uint64_t primary)
{
    struct orma_timeline *t = &self->timeline;
    struct orma_clock_view *view = orma_reader_view(self, machine);
    bool has_boot = false, of_file = false;

    if (!view)
        return false;
    for (uint32_t i = 0; i < num; i++) {
        has_boot |= values[i].key == ORMA_CLOCK_BOOTTIME;
        of_file |= values[i].key == ORMA_CLOCK_TRACE_FILE;
    }
    if (!primary && has_boot && !of_file)
        primary = ORMA_CLOCK_BOOTTIME;
    if (primary) {
        (void)orma_timeline_claim(t, self->file,
                                  orma_timeline_key(view, primary)); /* or too late */
        if (primary < ORMA_CLOCK_SEQUENCE_MIN) /* a clock of the system, as it should be */
            orma_timeline_tell(t, view, (uint32_t)primary);
    }
    if (num && !orma_timeline_add(t, view, values, num)) {
        orma_stats_inc(orma_reader_stats(self, self->at.machine),
                       ORMA_STAT_INVALID_CLOCK_SNAPSHOTS);
        self->storage->failed |= t->failed;
        return false;
    }
    for (uint32_t i = 0; seq && i < num; i++)
        if (values[i].key == orma_clock_key(seq->clock.id, seq->id) && seq->clock.cached)
            seq->clock.raw = values[i].raw;
    return true;
}

/* ---- packets that are there twice ---- */

void orma_reader_look_for_twin(struct orma_reader *self, const struct orma_read_packet *p,
                               const struct orma_seq *seq, int64_t ts)
{
    int64_t num = orma_twice_look(&self->twice, p, (uint16_t)seq->machine, ts);

    self->storage->failed |= num < 0;
    if (ORMA_UNLIKELY(num > 0))
        orma_stats_add(orma_reader_stats(self, (uint16_t)seq->machine),
                       ORMA_STAT_RECORDINGS_OVERLAP, num);
}
