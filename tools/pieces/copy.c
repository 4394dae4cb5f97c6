#include "tools/pieces/copy.h"

#include <errno.h>
#include <string.h>

#include "protos/fields/trace.h"
#include "tools/pieces/bundle.h"

struct copy {
    struct orma_pieces_source *source;
    struct orma_pieces_survey *survey;
    const struct orma_pieces_edges *edges;
    struct orma_pieces_piece *pieces;
    uint32_t num;
    struct orma_pieces_known known;
    struct orma_pieces_counters *counters;
    struct orma_buf bundle, head, tree;
    struct orma_pieces_copied *copied;
};

static void put_everywhere(struct copy *self, const struct orma_pieces_seq *seq,
                           const struct orma_read_packet *p)
{
    const bool stats = p->field == ORMA_PB_TRACE_PACKET_TRACE_STATS;

    for (uint32_t i = 0; i < self->num; i++) {
        if (stats)
            orma_pieces_piece_put_stats(&self->pieces[i], &self->known, seq, p);
        else
            orma_pieces_piece_put(&self->pieces[i], seq, p, NULL);
    }
}

/* ---- track events ---- */

static int32_t route(const struct copy *self, uint64_t number, int64_t ts, int64_t dur)
{
    const struct orma_pieces_edges *edges = self->edges;
    const uint64_t moved =
        self->survey->moved.len ? orma_map_get(&self->survey->moved, number) : ORMA_MAP_NONE;

    if (moved != ORMA_MAP_NONE)
        return (int32_t)moved - 1;
    int32_t piece = orma_pieces_of(edges, ts);
    if (piece < 0 && edges->overlap && dur > 0 && ts < edges->times[0] &&
        (uint64_t)dur > (uint64_t)edges->times[0] - (uint64_t)ts)
        piece = 0;
    return piece;
}

static void copy_event(struct copy *self, struct orma_pieces_seq *seq,
                       const struct orma_pieces_packet *packet, bool timed, int64_t ts)
{
    struct orma_pieces_event e;
    struct orma_pieces_values values;

    values.any = false; /* the rest is large, and read only if there is any */
    if (!orma_pieces_event_read(&self->known, seq, &packet->p, timed, &ts, &e))
        ts = self->known.last_ts; /* readers count it */
    if (self->counters->incremental.len)
        orma_pieces_counters_read(self->counters, seq, &e, packet->p.payload, &values);
    const int32_t piece = route(self, packet->number, ts, e.dur);
    if (piece >= 0)
        orma_pieces_piece_put_event(&self->pieces[piece], seq, &packet->p, &e, self->counters,
                                    &values);
    orma_pieces_counters_add(self->counters, &values);
}

/* ---- kernel events ---- */

struct range {
    const struct orma_pieces_edges *edges;
    int32_t piece;
    int64_t switch_before; /* goes along, though it is before the range */
};

static bool is_in_range(void *ctx, int64_t ts, struct orma_str event, bool is_switch, uint32_t pid)
{
    const struct range *range = ctx;

    (void)event;
    (void)pid;
    return (is_switch && ts == range->switch_before) ||
           orma_pieces_of(range->edges, ts) == range->piece;
}

static void put_part(struct copy *self, struct orma_pieces_bundle *b, struct orma_pieces_seq *seq,
                     const struct orma_read_packet *p, int32_t piece, int64_t switch_before)
{
    struct range range = {self->edges, piece, switch_before};

    orma_buf_clear(&self->bundle);
    const uint64_t kept = orma_pieces_bundle_write(b, is_in_range, &range, &self->bundle);
    const struct orma_str payload = orma_buf_str(&self->bundle);

    if (kept || b->tells)
        orma_pieces_piece_put(&self->pieces[piece], seq, p, &payload);
    self->pieces[piece].events += kept;
}

static bool is_nowhere(void *ctx, int64_t ts, struct orma_str event, bool is_switch, uint32_t pid)
{
    (void)ctx;
    (void)ts;
    (void)event;
    (void)is_switch;
    (void)pid;
    return false;
}

/* What a bundle tells beside its events: the same for all pieces that have none of those. */
static void put_head(struct copy *self, const struct orma_pieces_bundle *b,
                     struct orma_pieces_seq *seq, const struct orma_read_packet *p, uint32_t piece)
{
    if (!self->head.len) {
        struct orma_pieces_bundle whole = *b;

        whole.lost = false; /* in front of an event that is not here */
        (void)orma_pieces_bundle_write(&whole, is_nowhere, NULL, &self->head);
    }
    const struct orma_str payload = orma_buf_str(&self->head);
    orma_pieces_piece_put(&self->pieces[piece], seq, p, &payload);
}

static void copy_bundle(struct copy *self, struct orma_pieces_seq *seq,
                        const struct orma_pieces_packet *packet)
{
    struct orma_pieces_bundle b;

    orma_pieces_bundle_read(&b, &self->known, seq, packet->p.payload, self->edges->times[0]);
    const uint64_t found = orma_map_get(&self->survey->switches, orma_pieces_cpu_key(seq, b.cpu));
    const int64_t before = b.switch_before > INT64_MIN && found == (uint64_t)b.switch_before
                               ? b.switch_before
                               : INT64_MIN;
    b.by_time = true;
    if (b.damaged)
        orma_pieces_damaged(self->source, packet->offset, b.damaged,
                            "bytes in a bundle of kernel events that are not events");
    if (!b.events) /* nobody can tell: readers count it */
        b.first = b.last = self->known.last_ts;
    const int32_t first = orma_pieces_of(self->edges, b.first);
    const int32_t last = orma_pieces_of(self->edges, b.last);
    if (first >= 0 && first == last && !b.damaged) {
        if (!b.tells || self->num == 1) {
            orma_pieces_piece_put(&self->pieces[first], seq, &packet->p, NULL);
            self->pieces[first].events += b.events;
            return;
        }
    }
    for (uint32_t i = 0; i < self->num; i++) {
        const bool touched = before > INT64_MIN || (b.events && self->edges->times[i] <= b.last &&
                                                    self->edges->times[i + 1] > b.first);

        if (touched || (first == (int32_t)i && !b.events))
            put_part(self, &b, seq, &packet->p, (int32_t)i, before);
        else if (b.tells)
            put_head(self, &b, seq, &packet->p, i);
    }
    orma_buf_clear(&self->head);
}

/* ---- processes ---- */

static void copy_tree(struct copy *self, const struct orma_pieces_seq *seq,
                      const struct orma_pieces_packet *packet, int64_t ts)
{
    orma_buf_clear(&self->tree);
    if (!orma_pieces_trees_write(&self->survey->trees, seq, packet,
                                 orma_pieces_side_of(self->edges, ts), &self->tree))
        return;
    const struct orma_str payload = orma_buf_str(&self->tree);
    const bool same = payload.len == packet->p.payload.len;

    orma_pieces_piece_put(&self->pieces[0], seq, &packet->p, same ? NULL : &payload);
}

/* ---- all packets ---- */

static int errors(const struct copy *self)
{
    if (orma_pieces_known_failed(&self->known) || self->counters->failed || self->bundle.failed ||
        self->head.failed || self->tree.failed)
        return -ENOMEM;
    for (uint32_t i = 0; i < self->num; i++)
        if (self->pieces[i].error)
            return self->pieces[i].error;
    return 0;
}

static int copy_packet(void *ctx, const struct orma_pieces_packet *packet)
{
    struct copy *self = ctx;
    const struct orma_read_packet *p = &packet->p;
    struct orma_pieces_seq *seq;
    int64_t ts = 0;
    const bool timed = orma_pieces_known_take(&self->known, p, &seq, &ts);

    if (!seq)
        return -ENOMEM;
    if (p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT) {
        copy_event(self, seq, packet, timed, ts);
    } else if (p->field == ORMA_PB_TRACE_PACKET_FTRACE_EVENTS) {
        copy_bundle(self, seq, packet);
    } else if (p->field == ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET) {
        const int32_t piece = orma_pieces_of(self->edges, timed ? ts : self->known.last_ts);

        if (piece >= 0)
            orma_pieces_piece_put_stacks(&self->pieces[piece], seq, p);
    } else if (p->field == ORMA_PB_TRACE_PACKET_PROCESS_TREE && timed && self->edges->overlap) {
        copy_tree(self, seq, packet, ts);
    } else if (orma_pieces_is_timeless(p->field)) {
        put_everywhere(self, seq, p);
    } else if (!timed && p->has_timestamp && p->field) {
        self->copied->timeless++;
    } else {
        const int32_t piece = orma_pieces_of(self->edges, timed ? ts : self->known.last_ts);

        if (piece >= 0) {
            orma_pieces_piece_put(&self->pieces[piece], seq, p, NULL);
            self->pieces[piece].events += p->field != 0;
        }
    }
    return self->num == 1 || packet->number % 1024 == 0 ? errors(self) : 0;
}

static int copy_field(void *ctx, struct orma_str bytes)
{
    struct copy *self = ctx;

    for (uint32_t i = 0; i < self->num; i++)
        orma_pieces_piece_put_raw(&self->pieces[i], bytes);
    return 0;
}

int orma_pieces_copy(struct orma_pieces_source *source, struct orma_pieces_survey *survey,
                     const struct orma_pieces_edges *edges, struct orma_pieces_piece *pieces,
                     struct orma_pieces_copied *ret)
{
    struct copy self = {.source = source,
                        .survey = survey,
                        .edges = edges,
                        .pieces = pieces,
                        .num = edges->num - 1,
                        .counters = &survey->counters,
                        .copied = ret};

    *ret = (struct orma_pieces_copied){0};
    int r = orma_pieces_known_init(&self.known, true);
    self.known.later = &survey->known;
    if (r == 0)
        r = orma_pieces_source_walk(source, copy_packet, copy_field, &self);
    if (r == 0)
        r = errors(&self);
    orma_pieces_known_fini(&self.known);
    orma_buf_fini(&self.bundle);
    orma_buf_fini(&self.head);
    orma_buf_fini(&self.tree);
    return r;
}
