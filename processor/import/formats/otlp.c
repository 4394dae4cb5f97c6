/*
 * Rows of spans. Slices of a track nest as the spans do: a span lies on the lane of its parent if
 * that is the innermost one there and lasts as long; else on the first lane where nothing goes on.
 * So each slice lies in its parent or in none, and lanes are as few as spans go on side by side.
 *
 * A parent in another process, and links, become flows when all spans have their rows.
 */
#include "processor/import/formats/otlp_profiles.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/formats/formats.h"
#include "processor/model/flows.h"
#include "processor/model/model.h"
#include "processor/model/slices.h"
#include "processor/read/detect_otlp.h"
#include "protos/reflect/json_reader.h"
#include "sdk/wire/pb_reader.h"

static void no_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

/* ---- heaps of lanes, the smallest first ---- */

static bool is_before(const struct orma_otlp_process *p, bool by_end, uint64_t a, uint64_t b)
{
    if (by_end && p->busy_to.data[a] != p->busy_to.data[b])
        return p->busy_to.data[a] < p->busy_to.data[b];
    return a < b;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t t = *a;

    *a = *b;
    *b = t;
}

static void sift_up(const struct orma_otlp_process *p, bool by_end, uint64_t *heap, uint32_t at)
{
    for (; at && is_before(p, by_end, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

static uint64_t pop(const struct orma_otlp_process *p, bool by_end, uint64_t *heap, uint32_t *len)
{
    uint64_t ret = heap[0];

    heap[0] = heap[--*len];
    for (uint32_t at = 0, child; (child = 2 * at + 1) < *len; at = child) {
        child += child + 1 < *len && is_before(p, by_end, heap[child + 1], heap[child]);
        if (!is_before(p, by_end, heap[child], heap[at]))
            break;
        swap(&heap[child], &heap[at]);
    }
    return ret;
}

/* ---- lanes ---- */

static int64_t end_of(const struct orma_otlp_span *span)
{
    return span->end == INT64_MIN ? INT64_MAX : span->end;
}

/* Spans without a length go on as long as their time does: others of that time would lie in them.
 */
static bool is_over(const struct orma_otlp_span *span, int64_t ts)
{
    return end_of(span) <= ts && span->ts < ts;
}

static uint32_t add_lane(struct orma_file *file, struct orma_otlp_process *p)
{
    struct orma_model *model = file->imp->model;
    struct orma_track_spec spec = {
        .type = "opentelemetry_spans",
        .machine = file->machine,
        .dims_num = file->parent ? 3 : 2, /* several files may have spans of one process */
        .dims = {orma_dim(model->known.upid, p->upid),
                 orma_dim(orma_model_lit(model, "lane"), p->lanes.len),
                 orma_dim(orma_model_lit(model, "trace_file"), file->row)},
        .name = orma_model_lit(model, "spans"),
        .parent = ORMA_TRACK_NONE,
    };
    struct orma_otlp_lane lane = {.track = orma_tracks_get(&model->tracks, &spec),
                                  .instant = INT64_MIN};

    if (ORMA_VEC_PUSH(&p->lanes, lane) || ORMA_VEC_PUSH(&p->busy_to, 0)) {
        no_memory(file);
        return ORMA_OTLP_NOBODY;
    }
    return p->lanes.len - 1;
}

/* One where nothing goes on. */
static uint32_t take_lane(struct orma_file *file, struct orma_otlp_process *p,
                          const struct orma_otlp_span *span)
{
    uint32_t lane;

    while (p->busy.len && p->busy_to.data[p->busy.data[0]] <= span->ts) {
        uint64_t over = pop(p, true, p->busy.data, &p->busy.len);

        if (ORMA_VEC_PUSH(&p->free, over))
            no_memory(file);
        else
            sift_up(p, false, p->free.data, p->free.len - 1);
    }
    if (p->free.len && p->lanes.data[p->free.data[0]].instant < span->ts)
        lane = (uint32_t)pop(p, false, p->free.data, &p->free.len);
    else
        lane = add_lane(file, p);
    if (lane == ORMA_OTLP_NOBODY)
        return lane;
    p->lanes.data[lane].open.len = 0;
    p->busy_to.data[lane] = end_of(span);
    if (ORMA_VEC_PUSH(&p->busy, lane))
        no_memory(file);
    else
        sift_up(p, true, p->busy.data, p->busy.len - 1);
    return lane;
}

/* The lane of the parent, if the span fits into that. */
static uint32_t lane_of_parent(const struct orma_otlp *self, struct orma_otlp_process *p,
                               const struct orma_otlp_span *span)
{
    const struct orma_otlp_span *parent =
        span->parent == ORMA_OTLP_NOBODY ? NULL : &self->spans.data[span->parent];

    if (!parent || parent->process != span->process || parent->lane == ORMA_OTLP_NOBODY ||
        end_of(span) > end_of(parent) || span->ts < parent->ts)
        return ORMA_OTLP_NOBODY;
    struct orma_otlp_lane *lane = &p->lanes.data[parent->lane];
    while (lane->open.len &&
           is_over(&self->spans.data[lane->open.data[lane->open.len - 1]], span->ts))
        lane->open.len--;
    return lane->open.len && lane->open.data[lane->open.len - 1] == span->parent ? parent->lane
                                                                                 : ORMA_OTLP_NOBODY;
}

static uint32_t choose_lane(struct orma_file *file, uint32_t idx)
{
    struct orma_otlp *self = file->state;
    struct orma_otlp_span *span = &self->spans.data[idx];
    struct orma_otlp_process *p = &self->processes.data[span->process];

    span->lane = lane_of_parent(self, p, span);
    if (span->lane == ORMA_OTLP_NOBODY)
        span->lane = take_lane(file, p, span);
    if (span->lane == ORMA_OTLP_NOBODY)
        return ORMA_TRACK_NONE;
    if (ORMA_VEC_PUSH(&p->lanes.data[span->lane].open, idx))
        no_memory(file);
    if (span->end == span->ts)
        p->lanes.data[span->lane].instant = span->ts;
    return p->lanes.data[span->lane].track;
}

/* ---- args ---- */

static void put_id(struct orma_file *file, const char *name, const uint8_t *id, size_t len,
                   struct orma_args_list *args)
{
    char text[33];

    for (size_t i = 0; i < len; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", id[i]);
    orma_args_put_str(args, orma_model_cstr(file->imp->model, name),
                      orma_model_cstr(file->imp->model, text));
}

static void put_status(struct orma_file *file, const struct orma_pb_field *status,
                       struct orma_args_list *args)
{
    static const char *const codes[] = {"unset", "ok", "error"};
    struct orma_model *model = file->imp->model;
    struct orma_pb_reader r = orma_pb_sub(status);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_STATUS_MESSAGE && f.wire == ORMA_PB_LEN && f.len)
            orma_args_put_str(args, orma_model_lit(model, "status.message"),
                              orma_model_str(model, orma_pb_str(&f)));
        else if (f.id == ORMA_OTLP_STATUS_CODE && orma_pb_u64(&f) && orma_pb_u64(&f) < 3)
            orma_args_put_str(args, orma_model_lit(model, "status.code"),
                              orma_model_lit(model, codes[orma_pb_u64(&f)]));
    }
}

static void put_span_args(struct orma_file *file, const struct orma_otlp_span *span,
                          struct orma_args_list *args)
{
    static const char *const kinds[] = {NULL,     "internal", "server",
                                        "client", "producer", "consumer"};
    static const struct {
        uint32_t field;
        const char *name;
    } dropped[] = {{ORMA_OTLP_SPAN_DROPPED_ATTRIBUTES, "dropped_attributes_count"},
                   {ORMA_OTLP_SPAN_DROPPED_EVENTS, "dropped_events_count"},
                   {ORMA_OTLP_SPAN_DROPPED_LINKS, "dropped_links_count"}};
    struct orma_model *model = file->imp->model;
    struct orma_pb_reader r = orma_pb_reader(span->bytes.data, span->bytes.len);
    struct orma_arg_key key = {.full_len = 0};
    struct orma_pb_field f;

    put_id(file, "trace_id", span->id.trace, sizeof(span->id.trace), args);
    put_id(file, "span_id", span->id.span, sizeof(span->id.span), args);
    if (span->has_parent)
        put_id(file, "parent_span_id", span->parent_id, sizeof(span->parent_id), args);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_SPAN_KIND && orma_pb_u64(&f) && orma_pb_u64(&f) < 6)
            orma_args_put_str(args, orma_model_lit(model, "kind"),
                              orma_model_lit(model, kinds[orma_pb_u64(&f)]));
        else if (f.id == ORMA_OTLP_SPAN_TRACE_STATE && f.wire == ORMA_PB_LEN && f.len)
            orma_args_put_str(args, orma_model_lit(model, "trace_state"),
                              orma_model_str(model, orma_pb_str(&f)));
        else if (f.id == ORMA_OTLP_SPAN_STATUS && f.wire == ORMA_PB_LEN)
            put_status(file, &f, args);
        for (unsigned i = 0; f.wire == ORMA_PB_VARINT && i < ORMA_ARRAY_LEN(dropped); i++)
            if (f.id == dropped[i].field && orma_pb_u64(&f))
                orma_args_put_uint(args, orma_model_lit(model, dropped[i].name), orma_pb_u64(&f));
    }
    if (span->version)
        orma_args_put_str(args, orma_model_lit(model, "scope.version"), span->version);
    orma_otlp_put_attributes(file, span->bytes, ORMA_OTLP_SPAN_ATTRIBUTES, &key, args);
}

/* ---- rows ---- */

static bool event_time(struct orma_str event, int64_t *ret)
{
    struct orma_pb_reader r = orma_pb_reader(event.data, event.len);
    struct orma_pb_field f;
    uint64_t ts = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_EVENT_TIME)
            ts = orma_pb_u64(&f);
    *ret = (int64_t)ts;
    return ts && ts <= INT64_MAX && !r.failed;
}

static struct orma_unit_end on_span(struct orma_file *file, const struct orma_item *item,
                                    uint32_t idx)
{
    struct orma_otlp *self = file->state;
    struct orma_otlp_span *span = &self->spans.data[idx];
    struct orma_model *model = file->imp->model;
    int64_t dur = span->end == INT64_MIN ? -1 : span->end - span->ts;
    uint32_t track = choose_lane(file, idx);

    if (track == ORMA_TRACK_NONE)
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "spans");
    ORMA_MODEL_ARGS(args, model);
    put_span_args(file, span, args);
    span->slice =
        dur < 0 ? orma_slices_begin(&model->slices, item->ts, track, span->scope, span->name, args)
                : orma_slices_complete(&model->slices, item->ts, dur, track, span->scope,
                                       span->name, args);
    return span->slice == ORMA_SLICE_NONE
               ? orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "spans that lie in too many others")
               : orma_file_took(file);
}

/* On the lane of its span, which has begun unless the event is before it. */
static struct orma_unit_end on_event(struct orma_file *file, const struct orma_item *item,
                                     const struct orma_otlp_item *what)
{
    struct orma_otlp *self = file->state;
    const struct orma_otlp_span *span = &self->spans.data[what->span];
    struct orma_otlp_process *p = &self->processes.data[span->process];
    struct orma_model *model = file->imp->model;
    struct orma_pb_reader r = orma_pb_reader(what->event.data, what->event.len);
    struct orma_arg_key key = {.full_len = 0};
    struct orma_pb_field f;
    uint32_t name = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_EVENT_NAME && f.wire == ORMA_PB_LEN)
            name = orma_model_str(model, orma_pb_str(&f));
    struct orma_track_spec spec = {
        .type = "opentelemetry_events",
        .machine = file->machine,
        .dims_num = 1,
        .dims = {orma_dim(model->known.upid, p->upid)},
        .name = orma_model_lit(model, "events"),
        .parent = ORMA_TRACK_NONE,
    };
    const bool in_span =
        span->lane != ORMA_OTLP_NOBODY && span->ts <= item->ts && item->ts <= end_of(span);
    uint32_t track =
        in_span ? p->lanes.data[span->lane].track : orma_tracks_get(&model->tracks, &spec);
    ORMA_MODEL_ARGS(args, model);
    put_id(file, "span_id", span->id.span, sizeof(span->id.span), args);
    orma_otlp_put_attributes(file, what->event, ORMA_OTLP_EVENT_ATTRIBUTES, &key, args);
    uint32_t row = orma_slices_complete(&model->slices, item->ts, 0, track,
                                        orma_model_lit(model, "event"), name, args);
    return row == ORMA_SLICE_NONE
               ? orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "events that lie in too many spans")
               : orma_file_took(file);
}

static struct orma_unit_end otlp_parse(struct orma_file *file, const struct orma_item *item)
{
    const struct orma_otlp_item *what = (const void *)item->data;

    if (what->span == ORMA_OTLP_NOBODY)
        return orma_otlp_on_observation(file, item, (const void *)item->data);
    return what->event.data ? on_event(file, item, what) : on_span(file, item, what->span);
}

/* ---- flows ---- */

static void link_spans(struct orma_file *file, struct orma_otlp_span *span)
{
    struct orma_otlp *self = file->state;
    struct orma_pb_reader r = orma_pb_reader(span->bytes.data, span->bytes.len);
    struct orma_pb_field f, v;

    if (span->parent != ORMA_OTLP_NOBODY &&
        self->spans.data[span->parent].process != span->process &&
        self->spans.data[span->parent].slice != ORMA_SLICE_NONE)
        orma_flows_insert(file->imp->model, self->spans.data[span->parent].slice, span->slice);
    while (orma_pb_next(&r, &f)) {
        struct orma_otlp_id id = {{0}, {0}};

        if (f.id != ORMA_OTLP_SPAN_LINKS || f.wire != ORMA_PB_LEN)
            continue;
        for (struct orma_pb_reader l = orma_pb_sub(&f); orma_pb_next(&l, &v);) {
            if (v.id == ORMA_OTLP_LINK_TRACE_ID && v.wire == ORMA_PB_LEN && v.len == 16)
                memcpy(id.trace, v.data, 16);
            else if (v.id == ORMA_OTLP_LINK_SPAN_ID && v.wire == ORMA_PB_LEN && v.len == 8)
                memcpy(id.span, v.data, 8);
        }
        uint32_t from = orma_otlp_find(self, &id);
        if (from != ORMA_OTLP_NOBODY && self->spans.data[from].slice != ORMA_SLICE_NONE)
            orma_flows_insert(file->imp->model, self->spans.data[from].slice, span->slice);
    }
}

static void otlp_finish(struct orma_file *file)
{
    struct orma_otlp *self = file->state;

    for (uint32_t i = 0; i < self->spans.len; i++)
        if (self->spans.data[i].slice != ORMA_SLICE_NONE)
            link_spans(file, &self->spans.data[i]);
}

/* ---- all ---- */

static void find_parents(struct orma_file *file)
{
    struct orma_otlp *self = file->state;

    for (uint32_t i = 0; i < self->spans.len; i++) {
        struct orma_otlp_span *span = &self->spans.data[i];
        struct orma_otlp_id id = span->id;

        if (!span->has_parent)
            continue;
        memcpy(id.span, span->parent_id, sizeof(id.span));
        span->parent = orma_otlp_find(self, &id);
        if (span->parent == i)
            span->parent = ORMA_OTLP_NOBODY;
        if (span->parent == ORMA_OTLP_NOBODY && span->parent_is_here)
            orma_file_part(file, ORMA_ACCOUNT_LOST_STATE, "parents of spans",
                           (const uint8_t *)span->bytes.data);
    }
}

/* At equal times the longer one comes first, and of equal ones a parent before its children. */
static void add_span_items(struct orma_file *file)
{
    struct orma_otlp *self = file->state;
    uint32_t *chain = calloc(self->spans.len + (size_t)1, sizeof(*chain));
    bool *noted = calloc(self->spans.len + (size_t)1, sizeof(*noted));

    self->items = calloc(self->spans.len + (size_t)1, sizeof(*self->items));
    if (!chain || !noted || !self->items)
        no_memory(file);
    for (uint32_t i = 0; i < self->spans.len && !orma_file_failed(file); i++) {
        uint32_t num = 0;

        for (uint32_t at = i; at != ORMA_OTLP_NOBODY && !noted[at];
             at = self->spans.data[at].parent) {
            noted[at] = true;
            chain[num++] = at;
        }
        while (num--) {
            const struct orma_otlp_span *span = &self->spans.data[chain[num]];

            self->items[chain[num]].span = chain[num];
            orma_file_unit(file, span->bytes.data);
            (void)orma_file_add(file, span->ts, span->ts - end_of(span),
                                (const uint8_t *)&self->items[chain[num]], 0);
        }
    }
    free(chain);
    free(noted);
}

static void add_events(struct orma_file *file)
{
    struct orma_otlp *self = file->state;

    for (uint32_t i = 0; i < self->events.len && !orma_file_failed(file); i++) {
        const struct orma_otlp_item *item = &self->events.data[i];
        int64_t ts;

        orma_file_unit(file, item->event.data);
        if (event_time(item->event, &ts))
            (void)orma_file_add(file, ts, 0, (const uint8_t *)item, 0);
        else
            (void)orma_file_skipped(file, ORMA_ACCOUNT_CLOCK, "events without a time");
    }
}

static void read_message(struct orma_file *file, struct orma_str message)
{
    if (orma_otlp_read_profiles(file, message))
        return;
    if (orma_detect_otlp_profiles((const uint8_t *)message.data, message.len))
        orma_file_error(
            file, -EBADMSG,
            "Profiles of OpenTelemetry without their dictionary: they are not whole, or "
            "of an older version of the protocol, which is not read (ERR:tp-corrupt)");
    else
        orma_otlp_read(file, message);
}

/* As collectors write messages to files: with the length in front, in four bytes. */
static void read_framed(struct orma_file *file, const uint8_t *data, size_t len)
{
    while (len >= 4 && !orma_file_failed(file)) {
        size_t size =
            (size_t)data[0] << 24 | (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3];

        data += 4;
        len -= 4;
        read_message(file, (struct orma_str){(const char *)data, ORMA_MIN(size, len)});
        data += ORMA_MIN(size, len);
        len -= ORMA_MIN(size, len);
    }
    if (len)
        orma_file_truncated(file, len);
}

/* A message may begin with the same bytes as blanks and a bracket, but not with a quote behind it.
 */
static bool is_json(struct orma_str text)
{
    text = orma_str_trim(text);
    if (!text.len || (text.data[0] != '{' && text.data[0] != '['))
        return false;
    if (text.data[0] == '[') /* no message has a field that ends so */
        return true;
    text = orma_str_trim((struct orma_str){text.data + 1, text.len - 1});
    return text.len && text.data[0] == '"';
}

static size_t otlp_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    (void)at_end; /* it is read once, whole */
    file->events.strict = true;
    if (is_json((struct orma_str){(const char *)data, ORMA_MIN(len, (size_t)4096)}))
        orma_otlp_read_json(file, (struct orma_str){(const char *)data, len});
    else if (len && !data[0])
        read_framed(file, data, len);
    else
        read_message(file, (struct orma_str){(const char *)data, len});
    if (!orma_file_failed(file)) {
        find_parents(file);
        add_span_items(file);
        add_events(file);
    }
    return len;
}

static void otlp_fini(struct orma_file *file)
{
    struct orma_otlp *self = file->state;

    for (uint32_t i = 0; i < self->processes.len; i++) {
        struct orma_otlp_process *p = &self->processes.data[i];

        for (uint32_t j = 0; j < p->lanes.len; j++)
            ORMA_VEC_FINI(&p->lanes.data[j].open);
        ORMA_VEC_FINI(&p->lanes);
        ORMA_VEC_FINI(&p->free);
        ORMA_VEC_FINI(&p->busy);
        ORMA_VEC_FINI(&p->busy_to);
    }
    ORMA_VEC_FINI(&self->processes);
    ORMA_VEC_FINI(&self->spans);
    ORMA_VEC_FINI(&self->events);
    free(self->items);
    orma_map_fini(&self->by_id);
    orma_map_fini(&self->by_process);
    orma_map_fini(&self->sessions);
    orma_map_fini(&self->sums);
    orma_arena_fini(&self->arena);
}

const struct orma_format_ops orma_format_otlp = {
    .state_bytes = sizeof(struct orma_otlp),
    .clock = ORMA_CLOCK_REALTIME,
    .unit = "record",
    .whole = true,
    .read = otlp_read,
    .parse = otlp_parse,
    .finish = otlp_finish,
    .fini = otlp_fini,
};
