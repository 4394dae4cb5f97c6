/*
 * What an event of Chrome's JSON format does, by its phase.
 *
 * orma_json_event_parse() runs when the event's time has come: it finds process and thread, and
 * calls one function per phase. Of the text only args are looked at then:
 *
 *   B E X      slices of the thread; X has its duration     i I R     instants
 *   b e n      slices of an async track, found by id        s t f     flows
 *   C          counters, one per numeric arg                T         thread states
 *   M          names and sort order of processes and threads
 *
 * Processes and threads may be named by a text instead of a number: it gets a number of its own,
 * out of the range of real ones.
 */
#include "processor/import/formats/chrome_json.h"

#include <stdlib.h>

#include "processor/model/async.h"
#include "processor/model/flows.h"
#include "processor/model/thread_counters.h"
#include "protos/reflect/json_inline.h"
#include "sdk/base/hash.h"

/* Why an event is in no table: it could not be, nothing reads it, or it ends what did not begin. */
enum { FAILED = 1, UNKNOWN = 2, ENDLESS = 4 };

/* An event at work. */
struct event {
    struct orma_file *file;
    struct orma_import_ctx *imp;
    struct orma_json_scratch *scratch;
    const struct orma_json_event *json;
    int64_t ts, dur;
    int64_t tts, tdur;
    bool has_dur, has_tts, has_tdur;
    uint32_t pid, tid, utid;
    uint32_t name, category; /* pool ids, 0: none */
    uint32_t shown;          /* the name, or the text for none */
    unsigned unread;         /* bits of why it is in no table; 0: it is */
};

static uint32_t text_id(struct event *e, const struct orma_json_value *v)
{
    return v->type == ORMA_JSON_STRING
               ? orma_model_str(e->imp->model, orma_json_text(v, &e->scratch->text))
               : 0;
}

/* An empty text is none. */
static inline uint32_t or_none(uint32_t id)
{
    return id == ORMA_STR_EMPTY ? 0 : id;
}

static void put_event(struct event *e, struct orma_args_list *args)
{
    const char phase[] = {e->json->phase, '\0'};

    orma_args_put_str(args, orma_model_cstr(e->imp->model, "event_name"), e->name);
    orma_args_put_str(args, orma_model_cstr(e->imp->model, "event_phase"),
                      orma_model_cstr(e->imp->model, phase));
}

/* What is wrong with the event, where people look for it. */
static void log_event(struct event *e, enum orma_stat stat)
{
    ORMA_MODEL_ARGS(args, e->imp->model);

    put_event(e, args);
    orma_model_log(e->imp->model, e->imp->model->base, stat, e->ts, -1, args);
}

static void failure(struct event *e)
{
    e->unread |= FAILED;
    log_event(e, ORMA_STAT_JSON_PARSER_FAILURE);
}

/* ---- args ---- */

/* The event's args, in `list`. */
static struct orma_args_list *event_args(struct event *e, struct orma_args_list *list)
{
    if (e->json->args.type == ORMA_JSON_OBJECT &&
        !orma_json_event_leave_args(e->imp, &e->scratch->left, &e->json->args, list)) {
        orma_json_args(e->imp, &e->scratch->paths, ORMA_STR("args"), &e->json->args, list);
        if (ORMA_UNLIKELY(e->scratch->paths.dropped))
            failure(e);
    }
    return list;
}

/* ---- flows ---- */

static bool is_true(const struct orma_json_value *v)
{
    return v->type == ORMA_JSON_BOOL && v->boolean;
}

/* Flows of slices: bind_id with a direction. Where the slice was refused, they bind to the one
 * before. */
static void slice_flow(struct event *e, uint32_t track)
{
    bool in = is_true(&e->json->flow_in), out = is_true(&e->json->flow_out);
    uint64_t flow;

    if (!e->json->bind_id.type)
        return;
    if (!orma_json_event_id(&e->json->bind_id, &flow))
        log_event(e, ORMA_STAT_FLOW_INVALID_ID);
    else if (in && out)
        orma_flows_step_on(e->imp->model, track, ORMA_SLICES_LAST, flow);
    else if (out)
        orma_flows_begin_on(e->imp->model, track, ORMA_SLICES_LAST, flow);
    else if (in)
        orma_flows_end_on(e->imp->model, track, ORMA_SLICES_LAST, flow, true);
    else
        log_event(e, ORMA_STAT_FLOW_WITHOUT_DIRECTION);
}

/*
 * The track of the slice that a flow binds to: that of the thread, on which it is the last slice,
 * even if it is complete and has ended: what begins next takes it away. A slice on another track,
 * because it overlaps, is the one if it begins with the flow, or goes on where the other has ended.
 */
static uint32_t flow_track(struct event *e)
{
    struct orma_model *m = e->imp->model;
    const struct orma_table *t = orma_model_table(m, ORMA_TABLE_SLICE);
    const uint32_t track = orma_model_thread_track(m, m->base, e->utid);

    if (ORMA_LIKELY(!e->scratch->spilled.len))
        return track;
    const uint64_t found = orma_map_get(&e->scratch->spilled, track);

    if (found == ORMA_MAP_NONE)
        return track;
    const uint32_t row = (uint32_t)found;
    const int64_t ts = orma_table_int(t, ORMA_SLICE_TS, row);
    const bool goes_on = e->ts - ts < orma_table_int(t, ORMA_SLICE_DUR, row);
    if (e->ts == ts || (goes_on && orma_slices_top(&m->slices, track, e->ts) == ORMA_SLICE_NONE))
        return (uint32_t)orma_table_int(t, ORMA_SLICE_TRACK_ID, row);
    return track;
}

/* The number of the flow, which are numbers from 0 on, is free when another one begins. */
static void note_end(struct event *e, uint64_t flow)
{
    struct orma_json_scratch *s = e->scratch;
    const uint32_t before = s->ended.cap;

    if (ORMA_GROW(&s->ended.flows, &s->ended.cap, flow + 1)) {
        e->imp->model->storage->failed = true;
        return;
    }
    memset(s->ended.flows + before, 0, s->ended.cap - before);
    s->ended.flows[flow] = true;
}

/* Begins a flow. A number whose flow had an end is free for another one. */
static void begin_flow(struct event *e, uint32_t track, uint64_t flow)
{
    if (flow < e->scratch->ended.cap && e->scratch->ended.flows[flow]) {
        orma_flows_forget(e->imp->model, flow);
        e->scratch->ended.flows[flow] = false;
    }
    orma_flows_begin_on(e->imp->model, track, ORMA_SLICES_LAST, flow);
}

/* Flows as events of their own. */
static void on_flow(struct event *e)
{
    const uint32_t track = flow_track(e);
    uint64_t number;

    if (!orma_json_event_id(&e->json->id, &number)) {
        log_event(e, ORMA_STAT_FLOW_INVALID_ID);
        e->unread |= FAILED;
        return;
    }
    uint64_t flow = orma_flows_id_v1(e->imp->model, number, e->category, e->shown);
    if (e->json->phase == 's') {
        begin_flow(e, track, flow);
    } else if (e->json->phase == 't') {
        orma_flows_step_on(e->imp->model, track, ORMA_SLICES_LAST, flow);
    } else {
        orma_flows_end_on(e->imp->model, track, ORMA_SLICES_LAST, flow,
                          e->json->bp.type == ORMA_JSON_STRING &&
                              orma_str_eq(e->json->bp.raw, ORMA_STR("e")));
        if (orma_flows_active(e->imp->model, flow))
            note_end(e, flow);
    }
}

/* ---- slices ---- */

static void set_thread_time(struct event *e, uint32_t slice)
{
    struct orma_table *t = orma_model_table(e->imp->model, ORMA_TABLE_SLICE);

    if (slice != ORMA_SLICE_NONE && e->has_tts)
        orma_table_set(t, ORMA_SLICE_THREAD_TS, slice, e->tts);
    if (slice != ORMA_SLICE_NONE && e->has_tdur)
        orma_table_set(t, ORMA_SLICE_THREAD_DUR, slice, e->tdur);
}

static void on_begin(struct event *e)
{
    ORMA_MODEL_ARGS(list, e->imp->model);
    uint32_t track = orma_model_thread_track(e->imp->model, e->imp->model->base, e->utid);

    e->has_tdur = false;
    set_thread_time(e, orma_slices_begin(&e->imp->model->slices, e->ts, track, e->category,
                                         e->shown, event_args(e, list)));
    slice_flow(e, track);
}

static void on_end(struct event *e)
{
    ORMA_MODEL_ARGS(list, e->imp->model);
    struct orma_table *t = orma_model_table(e->imp->model, ORMA_TABLE_SLICE);
    uint32_t track = orma_model_thread_track(e->imp->model, e->imp->model->base, e->utid);
    uint32_t slice = orma_slices_end(&e->imp->model->slices, e->ts, track, e->category, e->name,
                                     event_args(e, list));

    if (slice == ORMA_SLICE_NONE)
        e->unread |= ENDLESS;
    else if (e->has_tts && !orma_table_is_null(t, ORMA_SLICE_THREAD_TS, slice))
        orma_table_set(
            t, ORMA_SLICE_THREAD_DUR, slice,
            (int64_t)((uint64_t)e->tts - (uint64_t)orma_table_int(t, ORMA_SLICE_THREAD_TS, slice)));
}

/* A slice that reaches out of the one around it lies on another track. */
static void log_overlap(struct event *e, uint32_t existing)
{
    ORMA_MODEL_ARGS(args, e->imp->model);

    put_event(e, args);
    orma_model_log_overlap(e->imp->model, ORMA_STAT_SLICE_SPILL_OVERLAPPING_COMPLETE_EVENT, e->ts,
                           existing, args);
}

static void on_complete(struct event *e)
{
    ORMA_MODEL_ARGS(list, e->imp->model);

    if (!e->has_dur) {
        failure(e);
        return;
    }
    const uint32_t thread_track =
        orma_model_thread_track(e->imp->model, e->imp->model->base, e->utid);
    uint32_t track = thread_track;
    struct orma_args_list *args = event_args(e, list);
    uint32_t existing = orma_slices_overlapped(&e->imp->model->slices, e->ts, e->dur, track);
    if (existing != ORMA_SLICE_NONE) {
        const struct orma_track_spec spec = {
            .type = "thread_overlapping_slice",
            .machine = e->imp->model->base,
            .parent = ORMA_TRACK_NONE,
            .dims_num = 1,
            .dims = {orma_dim(e->imp->model->known.utid, e->utid)},
        };

        log_overlap(e, existing);
        track = orma_async_nest(e->imp->model, &spec, e->ts, e->dur);
    }
    const uint32_t row = orma_slices_complete(&e->imp->model->slices, e->ts, e->dur, track,
                                              e->category, e->shown, args);
    if (existing != ORMA_SLICE_NONE && row != ORMA_SLICE_NONE &&
        orma_map_put(&e->scratch->spilled, thread_track, row) < 0)
        e->imp->model->storage->failed = true;
    set_thread_time(e, row);
    slice_flow(e, track);
}

static void on_instant(struct event *e)
{
    ORMA_MODEL_ARGS(list, e->imp->model);
    struct orma_str scope = ORMA_STR("t");
    uint32_t track, name = e->name;

    /* Anything else means the thread. */
    if (e->json->scope.type == ORMA_JSON_STRING && e->json->scope.raw.len == 1 &&
        memchr("gp", e->json->scope.raw.data[0], 2))
        scope = e->json->scope.raw;
    if (orma_str_eq(scope, ORMA_STR("g"))) {
        track = orma_legacy_instant_track(e->imp->model, e->imp->model->base, ORMA_ID_NONE);
    } else if (orma_str_eq(scope, ORMA_STR("p")) && e->json->pid.type) {
        track = orma_legacy_instant_track(
            e->imp->model, e->imp->model->base,
            orma_processes_process(orma_model_processes(e->imp->model, e->imp->model->base),
                                   e->pid));
    } else if (orma_str_eq(scope, ORMA_STR("t")) && e->json->tid.type) {
        track = orma_model_thread_track(e->imp->model, e->imp->model->base, e->utid);
        name = e->shown;
    } else {
        failure(e);
        return;
    }
    e->has_tdur = false;
    uint32_t slice = orma_slices_complete(&e->imp->model->slices, e->ts, 0, track, e->category,
                                          name, event_args(e, list));
    if (orma_str_eq(scope, ORMA_STR("t")))
        set_thread_time(e, slice);
}

/* ---- asynchronous slices ---- */

/* The id and whether it is the process's own. False: there is none. */
static bool async_id(struct event *e, struct orma_json_value *ret, bool *ret_local)
{
    *ret_local = false;
    *ret = e->json->id;
    if (ret->type == ORMA_JSON_INT || ret->type == ORMA_JSON_STRING)
        return true;
    *ret = orma_json_find(&e->json->id2, "global");
    if (ret->type)
        return true;
    *ret_local = true;
    *ret = orma_json_find(&e->json->id2, "local");
    return ret->type;
}

static void on_async(struct event *e)
{
    ORMA_MODEL_ARGS(list, e->imp->model);
    struct orma_json_value id;
    struct orma_legacy_async track = {.name = e->name, .machine = e->imp->model->base};

    if (!e->json->pid.type || !async_id(e, &id, &track.of_process) ||
        (id.type != ORMA_JSON_INT && id.type != ORMA_JSON_STRING)) {
        failure(e);
        return;
    }
    track.upid =
        orma_processes_process(orma_model_processes(e->imp->model, e->imp->model->base), e->pid);
    track.id = (int64_t)orma_fnv1a(orma_fnv1a(ORMA_FNV1A_BASIS, &e->category, sizeof(e->category)),
                                   id.raw.data, id.raw.len);
    if (e->json->phase == 'e') {
        uint32_t on = orma_legacy_async_track(e->imp->model, &track, ORMA_ASYNC_END, e->ts);

        if (orma_slices_end(&e->imp->model->slices, e->ts, on, e->category, e->name,
                            event_args(e, list)) == ORMA_SLICE_NONE)
            e->unread |= ENDLESS;
        return;
    }
    uint32_t row;
    if (e->json->phase == 'b') {
        row = orma_legacy_async_track(e->imp->model, &track, ORMA_ASYNC_BEGIN, e->ts);
        orma_slices_begin(&e->imp->model->slices, e->ts, row, e->category, e->shown,
                          event_args(e, list));
    } else {
        row = orma_legacy_async_track(e->imp->model, &track, ORMA_ASYNC_INSTANT, e->ts);
        orma_slices_complete(&e->imp->model->slices, e->ts, 0, row, e->category, e->name,
                             event_args(e, list));
    }
    slice_flow(e, row);
}

/* ---- counters ---- */

static void put_counter(struct event *e, uint32_t name, double value)
{
    const struct orma_thread_counter what = {
        .type = "json_counter",
        .fallback_type = "json_counter_thread_fallback",
        .name = name,
        .dims_num = 1,
        .dims = {orma_dim_str(e->imp->model->known.name, name)},
    };

    orma_model_add_thread_counter(e->imp->model, e->imp->model->base, e->ts, e->utid, &what, value);
}

/* What the counter of a key is called. */
static uint32_t counter_name(struct event *e, struct orma_str key)
{
    struct orma_strpool *pool = &e->imp->model->storage->pool;
    struct orma_buf *name = &e->scratch->name;
    struct orma_str begin = orma_strpool_get(pool, e->name);

    orma_buf_clear(name);
    orma_buf_put(name, begin.data, begin.len);
    if (e->json->id.type == ORMA_JSON_STRING) {
        struct orma_str id = orma_json_text(&e->json->id, &e->scratch->text);

        orma_buf_put_str(name, " id: ");
        orma_buf_put(name, id.data, id.len);
    }
    orma_buf_put_byte(name, ' ');
    orma_buf_put(name, key.data, key.len);
    return orma_model_str(e->imp->model, orma_buf_str(name));
}

/* The same; mostly an event before had that name and, as its `num`th, that key. */
static uint32_t known_counter_name(struct event *e, struct orma_str key, unsigned num)
{
    struct orma_json_counter *known =
        &e->scratch->counters[(e->name * 4 + num) % ORMA_JSON_COUNTERS];
    struct orma_str shown = orma_strpool_get(&e->imp->model->storage->pool, known->shown);

    if (e->json->id.type == ORMA_JSON_STRING)
        return counter_name(e, key);
    if (known->shown && known->name == e->name && known->key_len == key.len &&
        !memcmp(shown.data + shown.len - key.len, key.data, key.len))
        return known->shown;
    *known = (struct orma_json_counter){e->name, counter_name(e, key), key.len};
    return known->shown;
}

/* A number, or the text of one. What is none (NaN) or infinite is no value of a counter. */
static bool counter_value(const struct orma_json_value *v, double *ret)
{
    if (v->type == ORMA_JSON_INT || v->type == ORMA_JSON_REAL) {
        *ret = orma_json_number(v);
        return *ret - *ret == 0;
    }
    return v->type == ORMA_JSON_STRING && orma_json_text_number(v->raw, ret);
}

static void on_counter(struct event *e)
{
    struct orma_json args = orma_json_inside(&e->json->args);
    struct orma_json_value v;
    struct orma_str key;

    if (e->json->args.type != ORMA_JSON_OBJECT) {
        failure(e);
        return;
    }
    unsigned good = 0, bad = 0;
    /* Others read no such ids: counters of one name that differ by them are one. */
    if (ORMA_UNLIKELY(e->json->id.type == ORMA_JSON_INT || e->json->id.type == ORMA_JSON_REAL))
        orma_file_part(e->file, ORMA_ACCOUNT_NOT_READ, "ids of counters that are numbers", NULL);
    for (unsigned num = 0; orma_json_name(&args, &key); num++) {
        const char *at = args.pos;
        double value;

        if (orma_json_read(&args, &v) && counter_value(&v, &value)) {
            put_counter(e, known_counter_name(e, key, num), value);
            good++;
            continue;
        }
        failure(e);
        bad++;
        if (args.failed && !orma_json_resume(&args, at))
            break;
    }
    e->unread = good ? 0 : FAILED; /* members that are no numbers have an entry in the log */
    for (; good && bad; bad--)
        orma_file_part(e->file, ORMA_ACCOUNT_DAMAGED, "values of counters", NULL);
}

/* ---- thread states, an extension ---- */

static void add_sched(struct event *e, uint32_t ucpu)
{
    struct orma_table *t = orma_model_table(e->imp->model, ORMA_TABLE_SCHED_SLICE);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_SCHED_SLICE_TS, row, e->ts);
    orma_table_set(t, ORMA_SCHED_SLICE_DUR, row, e->dur);
    orma_table_set(t, ORMA_SCHED_SLICE_UTID, row, e->utid);
    orma_table_set(t, ORMA_SCHED_SLICE_UCPU, row, ucpu);
}

static void on_thread_state(struct event *e)
{
    struct orma_table *t = orma_model_table(e->imp->model, ORMA_TABLE_THREAD_STATE);
    struct orma_json_value cpu = orma_json_find(&e->json->args, "cpu");
    struct orma_json_value io_wait = orma_json_find(&e->json->args, "io_wait");
    struct orma_json_value function = orma_json_find(&e->json->args, "blocked_function");
    bool has_cpu =
        cpu.type == ORMA_JSON_INT && cpu.integer >= 0 && cpu.integer < ORMA_UCPUS_PER_MACHINE;

    if (!e->has_dur) {
        failure(e);
        return;
    }
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_THREAD_STATE_TS, row, e->ts);
    orma_table_set(t, ORMA_THREAD_STATE_DUR, row, e->dur);
    orma_table_set(t, ORMA_THREAD_STATE_UTID, row, e->utid);
    orma_table_set(t, ORMA_THREAD_STATE_STATE, row, e->shown);
    if (io_wait.type == ORMA_JSON_INT)
        orma_table_set(t, ORMA_THREAD_STATE_IO_WAIT, row, io_wait.integer);
    if (function.type == ORMA_JSON_STRING)
        orma_table_set(t, ORMA_THREAD_STATE_BLOCKED_FUNCTION, row, text_id(e, &function));
    if (has_cpu && e->name == e->imp->model->known.Running)
        add_sched(e, orma_model_ucpu(e->imp->model, e->imp->model->base, (uint32_t)cpu.integer));
}

/* ---- metadata ---- */

static void on_name(struct event *e, bool of_process)
{
    struct orma_processes *p = orma_model_processes(e->imp->model, e->imp->model->base);
    struct orma_json_value v = orma_json_find(&e->json->args, "name");
    uint32_t name = or_none(text_id(e, &v));

    if (!v.type)
        return;
    if (!name)
        failure(e);
    else if (of_process)
        orma_processes_name_process(p, orma_processes_process(p, e->pid), name,
                                    ORMA_PROCESS_NAME_OTHER);
    else
        orma_processes_name_thread(p, e->utid, name, ORMA_THREAD_NAME_OTHER);
}

static void on_sort_index(struct event *e, bool of_process)
{
    struct orma_processes *p = orma_model_processes(e->imp->model, e->imp->model->base);
    struct orma_json_value v = orma_json_find(&e->json->args, "sort_index");

    if (!v.type)
        return;
    if (v.type != ORMA_JSON_INT && v.type != ORMA_JSON_REAL) {
        failure(e);
        return;
    }
    ORMA_MODEL_ARGS(args, e->imp->model);
    orma_args_put_int(args,
                      orma_model_cstr(e->imp->model, of_process ? "process_sort_index_hint"
                                                                : "thread_sort_index_hint"),
                      v.type == ORMA_JSON_INT ? v.integer : orma_model_whole(orma_json_number(&v)));
    if (of_process)
        orma_model_add_args(e->imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID,
                            orma_processes_process(p, e->pid), args);
    else
        orma_model_add_args(e->imp->model, ORMA_TABLE_THREAD, ORMA_THREAD_ARG_SET_ID, e->utid,
                            args);
}

static void on_metadata(struct event *e)
{
    struct orma_str what = orma_strpool_get(&e->imp->model->storage->pool, e->name);
    bool of_process = orma_str_starts(what, ORMA_STR("process_"));

    if (e->json->args.type != ORMA_JSON_OBJECT) {
        e->unread |= UNKNOWN;
        return;
    }
    if (orma_str_eq(what, ORMA_STR("thread_name")) || orma_str_eq(what, ORMA_STR("process_name")))
        on_name(e, of_process);
    else if (orma_str_eq(what, ORMA_STR("thread_sort_index")) ||
             orma_str_eq(what, ORMA_STR("process_sort_index")))
        on_sort_index(e, of_process);
    else
        e->unread |= UNKNOWN;
}

/* ---- all ---- */

/* A process or thread by a number that no system gives: that is an arg of it, and its name until it
 * has another one. */
ORMA_COLD static void note_id(struct event *e, bool of_process, uint32_t row, uint32_t digits)
{
    struct orma_model *m = e->imp->model;
    struct orma_processes *p = orma_model_processes(m, m->base);
    const uint64_t key = (uint64_t)of_process << 32 | row;
    ORMA_MODEL_ARGS(args, m);

    if (orma_map_get(&e->scratch->noted, key) != ORMA_MAP_NONE)
        return;
    m->storage->failed |= orma_map_put(&e->scratch->noted, key, 1) < 0;
    orma_args_put_str(args, orma_model_cstr(m, of_process ? "original_pid" : "original_tid"),
                      digits);
    if (of_process) {
        orma_processes_name_process(p, row, digits, ORMA_PROCESS_NAME_ID);
        orma_model_add_args(m, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, row, args);
    } else {
        orma_processes_name_thread(p, row, digits, ORMA_THREAD_NAME_ID);
        orma_model_add_args(m, ORMA_TABLE_THREAD, ORMA_THREAD_ARG_SET_ID, row, args);
    }
}

/* What can't be a pid or tid: an object, a list, true, or a number between two. */
static bool is_no_id(const struct orma_json_value *v)
{
    const double val = v->type == ORMA_JSON_REAL ? orma_json_number(v) : 0;

    return v->type == ORMA_JSON_OBJECT || v->type == ORMA_JSON_ARRAY || v->type == ORMA_JSON_BOOL ||
           val != val || (val > -9e15 && val < 9e15 && (double)(int64_t)val != val);
}

/* By ids of which one at least is a text, or a number that no system gives. */
static void find_named_thread(struct event *e, struct orma_processes *p)
{
    const struct orma_json_id pid =
        orma_json_event_number(e->imp, &e->json->pid, &e->scratch->text);
    const struct orma_json_id tid =
        orma_json_event_number(e->imp, &e->json->tid, &e->scratch->text);

    if (is_no_id(&e->json->pid) || is_no_id(&e->json->tid))
        orma_file_part(e->file, ORMA_ACCOUNT_DAMAGED, "pids and tids", NULL);
    e->pid = pid.number;
    e->tid = tid.number ? tid.number : pid.number; /* none, or no number that a thread has */
    /* A text names again at each event: its process, and the thread that had this tid last, which
     * may be one of another process. */
    if (pid.name && pid.digits)
        note_id(e, true, orma_processes_process(p, e->pid), pid.name);
    else if (pid.name)
        orma_processes_name_process(p, orma_processes_process(p, e->pid), pid.name,
                                    ORMA_PROCESS_NAME_OTHER);
    if (tid.name && !tid.digits)
        orma_processes_name_thread(p, orma_processes_thread(p, e->tid), tid.name,
                                   ORMA_THREAD_NAME_OTHER);
    e->utid = orma_processes_thread_of(p, e->tid, e->pid);
    if (tid.name && tid.digits)
        note_id(e, false, e->utid, tid.name);
}

static void find_thread(struct event *e)
{
    struct orma_processes *p = orma_model_processes(e->imp->model, e->imp->model->base);
    const struct orma_json_value *pid = &e->json->pid, *tid = &e->json->tid;

    if (ORMA_UNLIKELY(!orma_json_event_is_plain(pid) || !orma_json_event_is_plain(tid))) {
        find_named_thread(e, p);
        return;
    }
    e->pid = pid->type ? (uint32_t)pid->integer : 0;
    e->tid = tid->type ? (uint32_t)tid->integer : 0;
    if (!e->tid)
        e->tid = e->pid;
    e->utid = orma_processes_thread_of(p, e->tid, e->pid);
}

/* `last`: of the text that stood there before, which is often the same. */
static inline uint32_t intern(struct orma_model *model, const struct orma_json_value *v,
                              uint32_t last, struct orma_buf *scratch)
{
    if (v->type != ORMA_JSON_STRING)
        return 0;
    if (last && !v->escaped && orma_str_eq(v->raw, orma_strpool_get(&model->storage->pool, last)))
        return last;
    return or_none(orma_model_str(model, orma_json_text(v, scratch)));
}

void orma_json_event_intern(struct orma_import_ctx *imp, struct orma_json_event *e,
                            struct orma_buf *scratch)
{
    e->name_id = intern(imp->model, &e->name, e->name_id, scratch);
    e->cat_id = intern(imp->model, &e->cat, e->cat_id, scratch);
    /* Ids of texts stand for processes and threads that have no number, so the order counts. */
    (void)intern(imp->model, &e->pid, 0, scratch);
    (void)intern(imp->model, &e->tid, 0, scratch);
}

void orma_json_event_scratch_fini(struct orma_json_scratch *self)
{
    orma_json_event_left_fini(&self->left);
    orma_json_event_paths_fini(&self->paths);
    orma_map_fini(&self->spilled);
    free(self->ended.flows);
    orma_map_fini(&self->noted);
    orma_buf_fini(&self->text);
    orma_buf_fini(&self->name);
}

/* The event is in no table. */
ORMA_COLD static struct orma_unit_end leave_out(struct event *e)
{
    if (e->unread & ENDLESS)
        return orma_file_skipped(e->file, ORMA_ACCOUNT_NO_BEGIN, "ends of slices");
    if (e->unread & FAILED)
        return orma_file_skippedf(e->file, ORMA_ACCOUNT_DAMAGED, "events of phase %c",
                                  e->json->phase);
    if (e->json->phase != 'M')
        return orma_file_skippedf(e->file, ORMA_ACCOUNT_NOT_READ, "events of phase %c",
                                  e->json->phase);
    return orma_file_skippedf(e->file, ORMA_ACCOUNT_NOT_READ, "metadata events '%.100s'",
                              orma_strpool_cstr(&e->imp->model->storage->pool, e->shown));
}

struct orma_unit_end orma_json_event_parse(struct orma_file *file, int64_t ts,
                                           struct orma_json_scratch *scratch)
{
    const struct orma_json_event *json = &scratch->event;
    struct event e = {.file = file, .imp = file->imp, .scratch = scratch, .json = json, .ts = ts};

    e.has_dur = orma_json_event_time(json, &json->dur, &e.dur);
    e.has_tts = orma_json_event_time(json, &json->tts, &e.tts);
    e.has_tdur = orma_json_event_time(json, &json->tdur, &e.tdur);
    e.name = json->name_id;
    e.category = json->cat_id;
    e.shown = e.name ? e.name : orma_model_lit(e.imp->model, "[No name]");
    find_thread(&e);
    switch (json->phase) {
    case 'B':
        on_begin(&e);
        break;
    case 'E':
        on_end(&e);
        break;
    case 'X':
        on_complete(&e);
        break;
    case 'i':
    case 'I':
    case 'R':
        on_instant(&e);
        break;
    case 'b':
    case 'e':
    case 'n':
        on_async(&e);
        break;
    case 's':
    case 't':
    case 'f':
        on_flow(&e);
        break;
    case 'C':
        on_counter(&e);
        break;
    case 'T':
        on_thread_state(&e);
        break;
    case 'M':
        on_metadata(&e);
        break;
    default:
        e.unread |= UNKNOWN;
    }
    file->imp->model->storage->failed |= scratch->text.failed || scratch->name.failed;
    return ORMA_LIKELY(!e.unread) ? orma_file_took(file) : leave_out(&e);
}
