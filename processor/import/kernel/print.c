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
 * tracepoints of their own for the same purpose: `marks` lists which of their fields is the phase,
 * the name, the value, and they join at kernel_mark().
 */
#include "processor/import/kernel/fields.h"

#include "processor/model/async.h"
#include "protos/fields/ftrace.h"

struct atrace {
    char phase;
    uint32_t tgid; /* 0: none is told */
    struct orma_str name;
    struct orma_str track; /* of G, H, N */
    int64_t value;         /* or cookie */
};

/* The next part, which ends at a bar, at a zero byte or where the text does. */
static struct orma_str part(struct orma_str *rest)
{
    size_t n = 0;

    while (n < rest->len && rest->data[n] != '|' && rest->data[n])
        n++;
    struct orma_str ret = {rest->data, n};
    n = ORMA_MIN(n + 1, rest->len);
    *rest = (struct orma_str){rest->data + n, rest->len - n};
    return ret;
}

/* A decimal number as the C library reads one: blanks and a sign may come first, too much is the
 * largest there is. */
static bool read_number(struct orma_str s, bool *ret_negative, uint64_t *ret)
{
    uint64_t val = 0;
    size_t i = 0;

    while (i < s.len && (s.data[i] == ' ' || (s.data[i] >= '\t' && s.data[i] <= '\r')))
        i++;
    *ret_negative = i < s.len && s.data[i] == '-';
    i += i < s.len && (s.data[i] == '-' || s.data[i] == '+');
    if (i == s.len)
        return false;
    for (; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
        if (__builtin_mul_overflow(val, (uint64_t)10, &val) ||
            __builtin_add_overflow(val, (uint64_t)(s.data[i] - '0'), &val))
            val = UINT64_MAX;
    }
    *ret = val;
    return true;
}

/* Those who write -1 mean no process in particular: it is one of the largest pid. */
static bool read_pid(struct orma_str s, uint32_t *ret)
{
    bool negative;
    uint64_t val;

    if (!read_number(s, &negative, &val))
        return false;
    *ret = (uint32_t)(negative ? 0 - val : val);
    return true;
}

static bool read_value(struct orma_str s, int64_t *ret)
{
    bool negative;
    uint64_t val;

    if (!read_number(s, &negative, &val))
        return false;
    if (val > INT64_MAX)
        *ret = negative ? INT64_MIN : INT64_MAX;
    else
        *ret = negative ? -(int64_t)val : (int64_t)val;
    return true;
}

/* What follows the tgid. False: something is missing. */
static bool read_rest(struct orma_str rest, struct atrace *ret)
{
    struct orma_str last;

    switch (ret->phase) {
    case 'B':
        ret->name = rest.len ? rest : ORMA_STR("[empty slice name]");
        return true;
    case 'I':
        ret->name = part(&rest);
        return ret->name.len;
    case 'N':
        ret->track = part(&rest);
        ret->name = part(&rest);
        return ret->track.len && ret->name.len;
    case 'G':
        ret->track = part(&rest);
        ret->name = part(&rest);
        return ret->track.len && ret->name.len && read_value(part(&rest), &ret->value);
    case 'H': /* a name may come before the cookie */
        ret->track = part(&rest);
        last = part(&rest);
        return ret->track.len && read_value(rest.len ? part(&rest) : last, &ret->value);
    case 'S':
    case 'F':
    case 'C':
        ret->name = part(&rest);
        return ret->name.len && read_value(part(&rest), &ret->value);
    }
    return false;
}

/* "B|123|name"; false if the text has another form. The first letter alone is the phase. */
static bool read_atrace(struct orma_str text, struct atrace *ret)
{
    struct orma_str rest = text, phase;

    *ret = (struct atrace){0};
    while (rest.len && (rest.data[rest.len - 1] == '\n' || rest.data[rest.len - 1] == '\0'))
        rest.len--;
    phase = part(&rest);
    if (!phase.len)
        return false;
    ret->phase = *phase.data;
    bool has_tgid = read_pid(part(&rest), &ret->tgid);
    if (ret->phase == 'E') /* ends what its thread does, whatever the process */
        return true;
    return has_tgid && read_rest(rest, ret);
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

/* ---- the low memory killer ---- */

static void killed(struct orma_import_ctx *imp, const struct orma_kernel_event *e, uint32_t upid)
{
    const struct orma_track_dim dim = orma_dim(imp->model->known.upid, upid);

    orma_slices_complete(&imp->model->slices, e->ts, 0,
                         orma_model_slice_track(imp->model, e->machine, "android_lmk",
                                                orma_model_lit(imp->model, "LMK"), 1, &dim),
                         0, orma_model_lit(imp->model, "mem.lmk"), NULL);
}

/* It writes a slice "lmk,PID,REASON,SCORE,..." too. */
static void read_kill(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct orma_str name)
{
    struct orma_str rest = name, word, pid_text, score_text;
    uint32_t pid;
    int64_t score;

    if (!orma_str_starts(name, ORMA_STR("lmk,")) || !orma_str_cut(&rest, ',', &word) ||
        !orma_str_cut(&rest, ',', &pid_text) || !orma_str_cut(&rest, ',', &word))
        return;
    (void)orma_str_cut(&rest, ',', &score_text);
    if (!read_pid(pid_text, &pid) || !pid || !read_value(score_text, &score))
        return;
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, e->machine), pid);
    const struct orma_track_dim dim = orma_dim(imp->model->known.upid, upid);
    orma_model_counter(imp->model, e->ts,
                       orma_model_counter_track(imp->model, e->machine, "oom_score_adj",
                                                orma_model_lit(imp->model, "oom_score_adj"), NULL,
                                                1, &dim),
                       (double)score);
    killed(imp, e, upid);
}

/* ---- counters ---- */

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
    /* The value is the pid of the victim, and 0 when it is done. */
    if (orma_str_eq_c(name, "kill_one_process") && (uint32_t)value)
        killed(
            imp, e,
            orma_processes_process(orma_model_processes(imp->model, e->machine), (uint32_t)value));
    push_counter(imp, e, tgid, name, value);
}

/* ---- slices of a process, known by a cookie, or on a track with a name ---- */

static void async_spec(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                       uint32_t tgid, struct orma_str track, const char *type,
                       struct orma_track_spec *ret)
{
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, e->machine), tgid);
    uint32_t name = orma_model_str(imp->model, track);

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
    uint64_t cookie = (uint64_t)a->value;

    async_spec(imp, e, a->tgid, a->name, "atrace_async_slice", &spec);
    if (a->phase == 'F') {
        orma_import_ended(imp, orma_slices_end(&imp->model->slices, e->ts,
                                               orma_async_end(imp->model, &spec, cookie, e->ts), 0,
                                               name, NULL));
        return;
    }
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, imp->model->known.cookie, a->value);
    orma_slices_begin(&imp->model->slices, e->ts,
                      orma_async_begin(imp->model, &spec, cookie, e->ts, true), 0, name, args);
}

/* A track of the machine, whoever writes it. */
static bool device_state(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                         const struct atrace *a)
{
    if (a->phase != 'N' || !orma_str_eq_c(a->track, "DeviceStateChanged"))
        return false;
    orma_slices_complete(&imp->model->slices, e->ts, 0,
                         orma_model_slice_track(imp->model, e->machine, "android_device_state",
                                                orma_model_lit(imp->model, "DeviceStateChanged"), 0,
                                                NULL),
                         0, orma_model_str(imp->model, a->name), NULL);
    return true;
}

static void on_named_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           const struct atrace *a)
{
    struct orma_track_spec spec;
    uint64_t cookie = (uint64_t)a->value;

    if (device_state(imp, e, a))
        return;
    uint32_t slice = orma_model_str(imp->model, a->name);
    async_spec(imp, e, a->tgid, a->track, "atrace_async_slice_for_track", &spec);
    /* The process may be new, and its main thread have the tid of the writer. */
    uint32_t utid = orma_processes_thread(orma_model_processes(imp->model, e->machine), e->pid);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(
        args, a->phase == 'H' ? orma_model_lit(imp->model, "end_utid") : imp->model->known.utid,
        utid);
    switch (a->phase) {
    case 'N':
        orma_slices_complete(&imp->model->slices, e->ts, 0,
                             orma_async_instant(imp->model, &spec, e->ts, 0), 0, slice, args);
        break;
    case 'G':
        orma_slices_begin(&imp->model->slices, e->ts,
                          orma_async_begin(imp->model, &spec, cookie, e->ts, false), 0, slice,
                          args);
        break;
    default:
        orma_import_ended(imp, orma_slices_end(&imp->model->slices, e->ts,
                                               orma_async_end(imp->model, &spec, cookie, e->ts), 0,
                                               0, args));
    }
}

/* Slices of a thread tell of which process it is. */
static uint32_t own_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                          uint32_t tgid)
{
    uint32_t utid = e->utid;

    if (tgid)
        utid = orma_processes_thread_of(orma_model_processes(imp->model, e->machine), e->pid, tgid);
    return orma_model_thread_track(imp->model, e->machine, utid);
}

static void on_atrace(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      const struct atrace *a)
{
    switch (a->phase) {
    case 'B':
        orma_slices_begin(&imp->model->slices, e->ts, own_track(imp, e, a->tgid), 0,
                          orma_model_str(imp->model, a->name), NULL);
        read_kill(imp, e, a->name);
        break;
    case 'E':
        orma_import_ended(imp, orma_slices_end(&imp->model->slices, e->ts,
                                               own_track(imp, e, a->tgid), 0, 0, NULL));
        break;
    case 'I':
        orma_slices_complete(&imp->model->slices, e->ts, 0, own_track(imp, e, a->tgid), 0,
                             orma_model_str(imp->model, a->name), NULL);
        break;
    case 'C':
        counter_of(imp, e, a->tgid, a->name, a->value);
        break;
    case 'S':
    case 'F':
        by_cookie(imp, e, a);
        break;
    case 'G':
    case 'H':
    case 'N':
        on_named_track(imp, e, a);
        break;
    }
}

bool orma_kernel_parse_marker(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                              struct orma_str text)
{
    struct atrace a;

    if (orma_str_starts(text, ORMA_STR("trace_event_clock_sync:")))
        return true; /* for those who have no better clocks */
    if (read_atrace(text, &a)) {
        on_atrace(imp, e, &a);
        return true;
    }
    orma_stats_inc(orma_model_stats(imp->model, e->machine), ORMA_STAT_SYSTRACE_PARSE_FAILURE);
    return false;
}

/* Drivers have tracepoints of their own for the same. tgid 0: they name no process. */
static void kernel_mark(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                        const struct atrace *a)
{
    if (a->phase == 'B' || a->phase == 'E' || a->phase == 'C')
        on_atrace(imp, e, a);
    else
        orma_stats_inc(orma_model_stats(imp->model, e->machine), ORMA_STAT_SYSTRACE_PARSE_FAILURE);
}

/* Field numbers by meaning; 0: the event has no such field. */
static const struct mark {
    uint16_t event;
    uint8_t pid, name, other_name, type, begin, value;
} marks[] = {
#define F(event, field) ORMA_PB_##event##_FTRACE_EVENT_##field
#define MARK(event, name, other_name, type, begin, value)                                          \
    {                                                                                              \
        ORMA_PB_FTRACE_EVENT_##event, F(event, PID), name, other_name, type, begin, value          \
    }
    MARK(TRACING_MARK_WRITE, F(TRACING_MARK_WRITE, TRACE_NAME), 0, 0,
         F(TRACING_MARK_WRITE, TRACE_BEGIN), 0),
    MARK(SDE_TRACING_MARK_WRITE, F(SDE_TRACING_MARK_WRITE, TRACE_NAME), 0,
         F(SDE_TRACING_MARK_WRITE, TRACE_TYPE), F(SDE_TRACING_MARK_WRITE, TRACE_BEGIN),
         F(SDE_TRACING_MARK_WRITE, VALUE)),
    MARK(DPU_TRACING_MARK_WRITE, F(DPU_TRACING_MARK_WRITE, NAME),
         F(DPU_TRACING_MARK_WRITE, TRACE_NAME), F(DPU_TRACING_MARK_WRITE, TYPE),
         F(DPU_TRACING_MARK_WRITE, TRACE_BEGIN), F(DPU_TRACING_MARK_WRITE, VALUE)),
    MARK(G2D_TRACING_MARK_WRITE, F(G2D_TRACING_MARK_WRITE, NAME), 0,
         F(G2D_TRACING_MARK_WRITE, TYPE), 0, F(G2D_TRACING_MARK_WRITE, VALUE)),
    MARK(MALI_TRACING_MARK_WRITE, F(MALI_TRACING_MARK_WRITE, NAME), 0,
         F(MALI_TRACING_MARK_WRITE, TYPE), 0, F(MALI_TRACING_MARK_WRITE, VALUE)),
    MARK(LWIS_TRACING_MARK_WRITE, F(LWIS_TRACING_MARK_WRITE, FUNC_NAME), 0,
         F(LWIS_TRACING_MARK_WRITE, TYPE), 0, F(LWIS_TRACING_MARK_WRITE, VALUE)),
    MARK(SAMSUNG_TRACING_MARK_WRITE, F(SAMSUNG_TRACING_MARK_WRITE, TRACE_NAME), 0,
         F(SAMSUNG_TRACING_MARK_WRITE, TRACE_TYPE), F(SAMSUNG_TRACING_MARK_WRITE, TRACE_BEGIN),
         F(SAMSUNG_TRACING_MARK_WRITE, VALUE)),
    MARK(PANEL_WRITE_GENERIC, F(PANEL_WRITE_GENERIC, NAME), F(PANEL_WRITE_GENERIC, TRACE_NAME),
         F(PANEL_WRITE_GENERIC, TYPE), F(PANEL_WRITE_GENERIC, TRACE_BEGIN),
         F(PANEL_WRITE_GENERIC, VALUE)),
#undef MARK
#undef F
};

/* The letter of the phase. Versions of a tracepoint without it only tell begin from end; 0: the
 * event tells neither. */
static char mark_phase(const struct mark *m, const struct orma_event_fields *f)
{
    bool has_type = m->type && f->has >> m->type & 1,
         has_begin = m->begin && f->has >> m->begin & 1;

    if (has_type && f->num[m->type])
        return (char)f->num[m->type];
    /* An event without any other form is an end unless it says otherwise. */
    if (!has_type && !has_begin && m->type)
        return 0;
    return has_begin && f->num[m->begin] ? 'B' : 'E';
}

static void on_mark(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    const struct mark *m = marks;
    struct orma_event_fields f;

    while (m->event != e->field)
        m++;
    orma_event_fields_read(&f, e->payload);
    const struct atrace a = {
        .phase = mark_phase(m, &f),
        .tgid = (uint32_t)f.num[m->pid],
        .name = f.has >> m->name & 1 ? f.str[m->name] : f.str[m->other_name],
        .value = m->value ? f.num[m->value] : 0,
    };
    kernel_mark(imp, e, &a);
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
    const struct atrace a = {.phase = phase,
                             .tgid = (uint32_t)f.num[ORMA_PB_ZERO_FTRACE_EVENT_PID],
                             .name = f.str[ORMA_PB_ZERO_FTRACE_EVENT_NAME],
                             .value = f.num[ORMA_PB_ZERO_FTRACE_EVENT_VALUE]};
    kernel_mark(imp, e, &a);
}

static void on_print(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;

    orma_kernel_cut_write(imp, e);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PRINT_FTRACE_EVENT_BUF)
            (void)orma_kernel_parse_marker(imp, e, orma_pb_str(&f)); /* a row of raw events */
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
