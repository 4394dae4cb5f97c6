/*
 * Text that programs write into the kernel's marker file, in the atrace convention.
 *
 *   B|tgid|name                begins a slice of the thread     E|tgid         ends it
 *   S|tgid|name|cookie         begins a slice of the process    F|...          ends it
 *   G|tgid|track|name|cookie   the same on a named track        H|...          ends it
 *   I|tgid|name, N|tgid|track|name                              instants
 *   C|tgid|name|value          counter
 *
 * read_atrace() splits the text at its bars; one function per phase makes rows of it. Drivers have
 * trace points of their own for the same purpose: `marks` lists which of their fields is the phase,
 * the name, the value, and they join at kernel_mark().
 */
#include "processor/import/kernel/fields.h"

#include "processor/model/async.h"
#include "protos/fields/ftrace.h"

struct atrace {
    char phase;
    uint32_t tgid;
    bool has_tgid;
    struct orma_str name;   /* or the track of G, H, N */
    struct orma_str second; /* name of G, N; cookie or value otherwise */
    struct orma_str third;  /* cookie of G, H */
};

/* "B|123|name": the parts behind the phase; false if the text has another form. */
static bool read_atrace(struct orma_str text, struct atrace *ret)
{
    struct orma_str rest = text, part;
    uint64_t tgid;

    *ret = (struct atrace){0};
    while (rest.len && (rest.data[rest.len - 1] == '\n' || rest.data[rest.len - 1] == '\0'))
        rest.len--;
    if (!rest.len || (rest.len > 1 && rest.data[1] != '|'))
        return false;
    ret->phase = rest.data[0];
    if (!strchr("BEISFGHNC", ret->phase))
        return false;
    if (rest.len == 1)
        return ret->phase == 'E';
    rest = (struct orma_str){rest.data + 2, rest.len - 2};
    if (!orma_str_cut(&rest, '|', &part))
        return ret->phase == 'E';
    if (!orma_str_to_u64(part, &tgid))
        return ret->phase == 'E';
    ret->tgid = (uint32_t)tgid;
    ret->has_tgid = true;
    if (ret->phase == 'B' || ret->phase == 'I') {
        ret->name = rest;
        if (ret->phase == 'B' && !rest.len)
            ret->name = ORMA_STR("[empty slice name]");
        return true;
    }
    (void)orma_str_cut(&rest, '|', &ret->name);
    if (ret->phase == 'N') {
        ret->second = rest;
        return true;
    }
    (void)orma_str_cut(&rest, '|', &ret->second);
    (void)orma_str_cut(&rest, '|', &ret->third);
    return true;
}

/* The thread that wrote the last sample of a counter. */
static void put_writer(struct orma_import_ctx *imp, uint32_t utid)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_COUNTER);

    if (utid == ORMA_ID_NONE || !t->rows)
        return;
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, imp->model->known.utid, utid);
    orma_storage_set_args(t, ORMA_COUNTER_ARG_SET_ID, t->rows - 1,
                          orma_args_commit(&imp->model->storage->args, args));
}

static void push_counter(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                         uint32_t tgid, struct orma_str text, int64_t value)
{
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, e->machine), tgid);
    uint32_t name = orma_model_str(imp->model, text);
    const struct orma_track_spec spec = {
        .type = "atrace_counter",
        .event = ORMA_TRACK_COUNTER,
        .machine = e->machine,
        .dims_num = 2,
        .dims = {orma_dim(imp->model->known.upid, upid),
                 orma_dim_str(imp->model->known.name, name)},
        .name = name,
        .parent = ORMA_TRACK_NONE,
    };

    orma_model_counter(imp->model, e->ts, orma_tracks_get(&imp->model->tracks, &spec),
                       (double)value);
    put_writer(imp, e->utid);
}

/* The low memory killer writes the pid of its victim as a counter's value, and 0 when done. */
static void killed(struct orma_import_ctx *imp, const struct orma_kernel_event *e, int64_t pid)
{
    if (!pid)
        return;
    const struct orma_track_dim dim = orma_dim(
        imp->model->known.upid,
        orma_processes_process(orma_model_processes(imp->model, e->machine), (uint32_t)pid));
    orma_slices_complete(&imp->model->slices, e->ts, 0,
                         orma_model_slice_track(imp->model, e->machine, "android_lmk",
                                                orma_model_lit(imp->model, "mem.lmk"), 1, &dim),
                         0, orma_model_lit(imp->model, "mem.lmk"), NULL);
}

/* A few counters belong to the machine, or are not counters at all. */
static void counter_of(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                       uint32_t tgid, struct orma_str name, int64_t value)
{
    if (orma_str_eq_c(name, "ScreenState")) {
        orma_port_screen_state(imp, e->machine, e->ts, (double)value);
        return;
    }
    if (orma_str_starts(name, ORMA_STR("battery_stats."))) {
        orma_port_battery_stats(imp, e->machine, e->ts, name, (double)value);
        return;
    }
    if (orma_str_eq_c(name, "kill_one_process"))
        killed(imp, e, value);
    push_counter(imp, e, tgid, name, value);
}

static void counter(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                    const struct atrace *a)
{
    int64_t value;

    if (orma_str_to_i64(a->second, &value))
        counter_of(imp, e, a->tgid, a->name, value);
    else
        orma_stats_inc(orma_model_stats(imp->model, e->machine), ORMA_STAT_SYSTRACE_PARSE_FAILURE);
}

/* ---- slices of a process, known by a cookie, or on a track with a name ---- */

static void async_spec(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                       const struct atrace *a, const char *type, struct orma_track_spec *ret)
{
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, e->machine), a->tgid);
    uint32_t name = orma_model_str(imp->model, a->name);

    *ret = (struct orma_track_spec){
        .type = type,
        .event = ORMA_TRACK_SLICES,
        .machine = e->machine,
        .dims_num = 2,
        .dims = {orma_dim(imp->model->known.upid, upid),
                 orma_dim_str(imp->model->known.name, name)},
        .name = name,
        .parent = ORMA_TRACK_NONE,
    };
}

static void by_cookie(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      const struct atrace *a)
{
    struct orma_track_spec spec;
    uint32_t name = orma_model_str(imp->model, a->name);
    int64_t cookie = 0;

    (void)orma_str_to_i64(a->second, &cookie);
    async_spec(imp, e, a, "atrace_async_slice", &spec);
    if (a->phase == 'F') {
        orma_slices_end(&imp->model->slices, e->ts,
                        orma_async_end(imp->model, &spec, (uint64_t)cookie, e->ts), 0, name, NULL);
        return;
    }
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, imp->model->known.cookie, cookie);
    orma_slices_begin(&imp->model->slices, e->ts,
                      orma_async_begin(imp->model, &spec, (uint64_t)cookie, e->ts, true), 0, name,
                      args);
}

static void on_named_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           const struct atrace *a)
{
    struct orma_track_spec spec;
    int64_t cookie = 0;
    uint32_t slice = orma_model_str(imp->model, a->second);

    async_spec(imp, e, a, "atrace_async_slice_for_track", &spec);
    ORMA_MODEL_ARGS(args, imp->model);
    if (a->phase != 'H')
        orma_args_put_uint(args, imp->model->known.utid, e->utid);
    switch (a->phase) {
    case 'N':
        orma_slices_complete(&imp->model->slices, e->ts, 0,
                             orma_async_instant(imp->model, &spec, UINT64_MAX, e->ts, 0), 0, slice,
                             args);
        break;
    case 'G':
        (void)orma_str_to_i64(a->third, &cookie);
        orma_slices_begin(&imp->model->slices, e->ts,
                          orma_async_begin(imp->model, &spec, (uint64_t)cookie, e->ts, false), 0,
                          slice, args);
        break;
    default: /* H: the cookie comes second */
        (void)orma_str_to_i64(a->second, &cookie);
        orma_args_put_uint(args, orma_model_lit(imp->model, "end_utid"), e->utid);
        orma_slices_end(&imp->model->slices, e->ts,
                        orma_async_end(imp->model, &spec, (uint64_t)cookie, e->ts), 0, 0, args);
    }
}

void orma_kernel_parse_marker(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                              struct orma_str text)
{
    struct atrace a;

    if (orma_str_starts(text, ORMA_STR("trace_event_clock_sync:")))
        return; /* for those who have no better clocks */
    if (!read_atrace(text, &a)) {
        orma_stats_inc(orma_model_stats(imp->model, e->machine), ORMA_STAT_SYSTRACE_PARSE_FAILURE);
        return;
    }
    uint32_t utid = e->utid;
    /* Counters and slices with a cookie belong to the process, not to the thread. */
    if (a.has_tgid && a.tgid && !strchr("CSF", a.phase))
        utid =
            orma_processes_thread_of(orma_model_processes(imp->model, e->machine), e->pid, a.tgid);
    orma_kernel_cut_write(imp, e);
    switch (a.phase) {
    case 'B':
        orma_slices_begin(&imp->model->slices, e->ts,
                          orma_model_thread_track(imp->model, e->machine, utid), 0,
                          orma_model_str(imp->model, a.name), NULL);
        break;
    case 'E':
        orma_slices_end(&imp->model->slices, e->ts,
                        orma_model_thread_track(imp->model, e->machine, utid), 0, 0, NULL);
        break;
    case 'I':
        orma_slices_complete(&imp->model->slices, e->ts, 0,
                             orma_model_thread_track(imp->model, e->machine, utid), 0,
                             orma_model_str(imp->model, a.name), NULL);
        break;
    case 'C':
        counter(imp, e, &a);
        break;
    case 'S':
    case 'F':
        by_cookie(imp, e, &a);
        break;
    case 'G':
    case 'H':
    case 'N':
        on_named_track(imp, e, &a);
        break;
    }
}

/*
 * Drivers have trace points of their own for the same. They name no process that could be
 * trusted: kernel threads write them, too.
 */
static void kernel_mark(struct orma_import_ctx *imp, const struct orma_kernel_event *e, char phase,
                        struct orma_str name, int64_t value)
{
    switch (phase) {
    case 'B':
        orma_slices_begin(&imp->model->slices, e->ts,
                          orma_model_thread_track(imp->model, e->machine, e->utid), 0,
                          orma_model_str(imp->model, name), NULL);
        break;
    case 'E':
        orma_slices_end(&imp->model->slices, e->ts,
                        orma_model_thread_track(imp->model, e->machine, e->utid), 0, 0, NULL);
        break;
    case 'C':
        counter_of(imp, e, 0, name, value);
        break;
    default:
        orma_stats_inc(orma_model_stats(imp->model, e->machine), ORMA_STAT_SYSTRACE_PARSE_FAILURE);
    }
}

/* Field numbers by meaning; 0: the event has no such field. */
static const struct mark {
    uint16_t event;
    uint8_t name, other_name, type, begin, value;
} marks[] = {
    {ORMA_PB_FTRACE_EVENT_TRACING_MARK_WRITE, ORMA_PB_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_NAME, 0,
     0, ORMA_PB_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_BEGIN, 0},
    {ORMA_PB_FTRACE_EVENT_SDE_TRACING_MARK_WRITE,
     ORMA_PB_SDE_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_NAME, 0,
     ORMA_PB_SDE_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_TYPE,
     ORMA_PB_SDE_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_BEGIN,
     ORMA_PB_SDE_TRACING_MARK_WRITE_FTRACE_EVENT_VALUE},
    {ORMA_PB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE, ORMA_PB_DPU_TRACING_MARK_WRITE_FTRACE_EVENT_NAME,
     ORMA_PB_DPU_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_NAME,
     ORMA_PB_DPU_TRACING_MARK_WRITE_FTRACE_EVENT_TYPE,
     ORMA_PB_DPU_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_BEGIN,
     ORMA_PB_DPU_TRACING_MARK_WRITE_FTRACE_EVENT_VALUE},
    {ORMA_PB_FTRACE_EVENT_G2D_TRACING_MARK_WRITE, ORMA_PB_G2D_TRACING_MARK_WRITE_FTRACE_EVENT_NAME,
     0, ORMA_PB_G2D_TRACING_MARK_WRITE_FTRACE_EVENT_TYPE, 0,
     ORMA_PB_G2D_TRACING_MARK_WRITE_FTRACE_EVENT_VALUE},
    {ORMA_PB_FTRACE_EVENT_MALI_TRACING_MARK_WRITE,
     ORMA_PB_MALI_TRACING_MARK_WRITE_FTRACE_EVENT_NAME, 0,
     ORMA_PB_MALI_TRACING_MARK_WRITE_FTRACE_EVENT_TYPE, 0,
     ORMA_PB_MALI_TRACING_MARK_WRITE_FTRACE_EVENT_VALUE},
    {ORMA_PB_FTRACE_EVENT_LWIS_TRACING_MARK_WRITE,
     ORMA_PB_LWIS_TRACING_MARK_WRITE_FTRACE_EVENT_FUNC_NAME, 0,
     ORMA_PB_LWIS_TRACING_MARK_WRITE_FTRACE_EVENT_TYPE, 0,
     ORMA_PB_LWIS_TRACING_MARK_WRITE_FTRACE_EVENT_VALUE},
    {ORMA_PB_FTRACE_EVENT_SAMSUNG_TRACING_MARK_WRITE,
     ORMA_PB_SAMSUNG_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_NAME, 0,
     ORMA_PB_SAMSUNG_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_TYPE,
     ORMA_PB_SAMSUNG_TRACING_MARK_WRITE_FTRACE_EVENT_TRACE_BEGIN,
     ORMA_PB_SAMSUNG_TRACING_MARK_WRITE_FTRACE_EVENT_VALUE},
    {ORMA_PB_FTRACE_EVENT_PANEL_WRITE_GENERIC, ORMA_PB_PANEL_WRITE_GENERIC_FTRACE_EVENT_NAME,
     ORMA_PB_PANEL_WRITE_GENERIC_FTRACE_EVENT_TRACE_NAME,
     ORMA_PB_PANEL_WRITE_GENERIC_FTRACE_EVENT_TYPE,
     ORMA_PB_PANEL_WRITE_GENERIC_FTRACE_EVENT_TRACE_BEGIN,
     ORMA_PB_PANEL_WRITE_GENERIC_FTRACE_EVENT_VALUE},
};

static void on_mark(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    const struct mark *m = marks;
    struct orma_event_fields f;

    while (m->event != e->field)
        m++;
    orma_event_fields_read(&f, e->payload);
    struct orma_str name = f.has >> m->name & 1 ? f.str[m->name] : f.str[m->other_name];
    char phase = m->type ? (char)f.num[m->type] : 0;
    /* Versions of a trace point without a type only distinguish begin and end. */
    if (!phase)
        phase = m->begin && f.num[m->begin] ? 'B' : 'E';
    kernel_mark(imp, e, phase, name, m->value ? f.num[m->value] : 0);
}

/* A mark whose phase is a set of bits. */
static void on_zero(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    int64_t bits = f.num[ORMA_PB_ZERO_FTRACE_EVENT_FLAG];
    char phase = '?';
    if (bits & 1)
        phase = 'B';
    else if (bits & 2)
        phase = 'E';
    else if (bits & 4)
        phase = 'C';
    kernel_mark(imp, e, phase, f.str[ORMA_PB_ZERO_FTRACE_EVENT_NAME],
                f.num[ORMA_PB_ZERO_FTRACE_EVENT_VALUE]);
}

static void on_print(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PRINT_FTRACE_EVENT_BUF)
            orma_kernel_parse_marker(imp, e, orma_pb_str(&f));
}

const struct orma_kernel_handler orma_kernel_print_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_PRINT, on_print},
    {ORMA_PB_FTRACE_EVENT_ZERO, on_zero},
    {ORMA_PB_FTRACE_EVENT_TRACING_MARK_WRITE, on_mark},
    {ORMA_PB_FTRACE_EVENT_SDE_TRACING_MARK_WRITE, on_mark},
    {ORMA_PB_FTRACE_EVENT_DPU_TRACING_MARK_WRITE, on_mark},
    {ORMA_PB_FTRACE_EVENT_G2D_TRACING_MARK_WRITE, on_mark},
    {ORMA_PB_FTRACE_EVENT_MALI_TRACING_MARK_WRITE, on_mark},
    {ORMA_PB_FTRACE_EVENT_LWIS_TRACING_MARK_WRITE, on_mark},
    {ORMA_PB_FTRACE_EVENT_SAMSUNG_TRACING_MARK_WRITE, on_mark},
    {ORMA_PB_FTRACE_EVENT_PANEL_WRITE_GENERIC, on_mark},
    {0, NULL},
};
