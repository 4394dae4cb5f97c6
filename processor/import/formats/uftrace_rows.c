/* Records of uftrace as rows, in order of time over all threads. */
#include "processor/import/formats/uftrace.h"

#include "processor/model/sched.h"
#include "sdk/base/search.h"

/* Types of perf's records. */
#define PERF_COMM 3
#define PERF_EXIT 4
#define PERF_FORK 7
#define PERF_SWITCH 14
#define SWITCH_OUT 0x2000
#define SWITCH_PREEMPTED 0x4000
#define PRIORITY 120 /* which is not told: that of most */

static void no_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

static uint32_t thread_of(struct orma_file *file, struct orma_uftrace_task *t)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->machine);

    if (t->utid == ORMA_ID_NONE)
        t->utid = orma_processes_thread_of(p, t->tid, t->pid);
    return t->utid;
}

static uint32_t track_of(struct orma_file *file, struct orma_uftrace_task *t)
{
    return orma_model_thread_track(file->imp->model, file->machine, thread_of(file, t));
}

/* Functions that are as deep as that, or deeper, are over: what ended them was not recorded. */
static void close_from(struct orma_file *file, struct orma_uftrace_task *t, int64_t ts,
                       unsigned depth)
{
    struct orma_model *m = file->imp->model;

    while (t->open.len && t->open.data[t->open.len - 1].depth >= depth)
        if (!t->open.data[--t->open.len].refused)
            (void)orma_slices_end(&m->slices, ts, track_of(file, t), 0, 0, NULL);
}

static void put_place(struct orma_file *file, const struct orma_uftrace_symbol *symbol,
                      uint64_t addr, struct orma_args_list *args)
{
    struct orma_model *m = file->imp->model;

    orma_args_put(args, (struct orma_args_item){orma_model_lit(m, "addr"),
                                                orma_model_lit(m, "addr"),
                                                ORMA_ARG_POINTER,
                                                false,
                                                {.i = (int64_t)addr}});
    if (symbol && symbol->source)
        orma_args_put_str(args, orma_model_lit(m, "source"), symbol->source);
}

static struct orma_unit_end on_entry(struct orma_file *file, struct orma_uftrace_task *t,
                                     int64_t ts, const struct orma_uftrace_record *r,
                                     struct orma_str values)
{
    struct orma_model *m = file->imp->model;
    struct orma_uftrace_symbol *symbol = orma_uftrace_find(file, t->pid, r->ts, r->addr);
    struct orma_uftrace_frame frame = {.depth = r->depth, .symbol = symbol, .addr = r->addr};
    const struct orma_uftrace_spec *spec = orma_uftrace_spec(file, symbol, false);

    close_from(file, t, ts, r->depth);
    ORMA_MODEL_ARGS(args, m);
    put_place(file, symbol, r->addr, args);
    if (values.len && spec && spec->is_known)
        orma_uftrace_put_values(file, spec, false, values, args);
    else if (values.len)
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ, "arguments of functions that nothing describes",
                       NULL);
    frame.refused =
        orma_slices_begin(&m->slices, ts, track_of(file, t),
                          orma_model_lit(m, symbol && symbol->type == 'P' ? "library" : "uftrace"),
                          orma_uftrace_name(file, symbol, r->addr), args) == ORMA_SLICE_NONE;
    if (ORMA_VEC_PUSH(&t->open, frame))
        no_memory(file);
    return frame.refused ? orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                             "functions that lie in too many others")
                         : orma_file_took(file);
}

static struct orma_unit_end on_exit_of(struct orma_file *file, struct orma_uftrace_task *t,
                                       int64_t ts, const struct orma_uftrace_record *r,
                                       struct orma_str values)
{
    struct orma_model *m = file->imp->model;

    close_from(file, t, ts, (unsigned)r->depth + 1);
    if (!t->open.len || t->open.data[t->open.len - 1].depth != r->depth)
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_BEGIN, "exits of functions");
    const struct orma_uftrace_frame frame = t->open.data[--t->open.len];
    if (frame.refused)
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                 "exits of functions that lie in too many others");
    const struct orma_uftrace_spec *spec = orma_uftrace_spec(file, frame.symbol, true);
    ORMA_MODEL_ARGS(args, m);
    if (values.len && spec && spec->is_known)
        orma_uftrace_put_values(file, spec, true, values, args);
    else if (values.len)
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ,
                       "return values of functions that nothing describes", NULL);
    (void)orma_slices_end(&m->slices, ts, track_of(file, t), 0, 0, args);
    return orma_file_took(file);
}

static struct orma_unit_end on_lost(struct orma_file *file, struct orma_uftrace_task *t, int64_t ts,
                                    const struct orma_uftrace_record *r)
{
    const struct orma_model_gap gap = {.ts = ts, .pid = t->pid, .tid = t->tid};

    orma_file_parts(file, ORMA_ACCOUNT_MISSING, "records that uftrace lost", r->addr);
    orma_model_add_gap(file->imp->model, file->machine, &gap);
    return orma_file_took(file);
}

static void put_counter(struct orma_file *file, struct orma_uftrace_task *t, int64_t ts,
                        const char *name, const char *unit, double val)
{
    struct orma_model *m = file->imp->model;
    const struct orma_track_dim dims[] = {
        orma_dim(m->known.utid, thread_of(file, t)),
        orma_dim_str(orma_model_lit(m, "counter_name"), orma_model_lit(m, name)),
    };

    orma_model_counter(m, ts,
                       orma_model_counter_track(m, file->machine, "uftrace_counter",
                                                orma_model_lit(m, name), unit, ORMA_ARRAY_LEN(dims),
                                                dims),
                       val);
}

/* Numbers that were read at an entry, or have grown since at an exit. */
static bool put_numbers(struct orma_file *file, struct orma_uftrace_task *t, int64_t ts,
                        uint64_t id, struct orma_str data)
{
    static const struct {
        uint32_t id;
        struct {
            const char *name, *unit;
        } numbers[3];
    } events[] = {
        {100001, {{"statm vmsize", "KiB"}, {"statm rss", "KiB"}, {"statm shared", "KiB"}}},
        {100002, {{"page faults major", NULL}, {"page faults minor", NULL}}},
        {100003,
         {{"statm vmsize grown", "KiB"},
          {"statm rss grown", "KiB"},
          {"statm shared grown", "KiB"}}},
        {100004, {{"page faults major new", NULL}, {"page faults minor new", NULL}}},
        {100005, {{"cpu cycles", NULL}, {"cpu instructions", NULL}}},
        {100006, {{"cpu cycles new", NULL}, {"cpu instructions new", NULL}}},
        {100007, {{"cache references", NULL}, {"cache misses", NULL}}},
        {100008, {{"cache references new", NULL}, {"cache misses new", NULL}}},
        {100009, {{"branches", NULL}, {"branch misses", NULL}}},
        {100010, {{"branches new", NULL}, {"branch misses new", NULL}}},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(events); i++) {
        if (events[i].id != id)
            continue;
        for (unsigned j = 0; j < 3 && events[i].numbers[j].name && data.len >= 8 * (j + 1); j++)
            put_counter(file, t, ts, events[i].numbers[j].name, events[i].numbers[j].unit,
                        (double)(int64_t)orma_uftrace_number(
                            file->state, (const uint8_t *)data.data + (size_t)8 * j, 8));
        return true;
    }
    return false;
}

static struct orma_unit_end on_event(struct orma_file *file, struct orma_uftrace_task *t,
                                     int64_t ts, const struct orma_uftrace_record *r,
                                     struct orma_str data)
{
    const struct orma_uftrace *self = file->state;
    struct orma_model *m = file->imp->model;
    const uint64_t name = orma_map_get(&self->event_names, r->addr);

    if (put_numbers(file, t, ts, r->addr, data))
        return orma_file_took(file);
    const uint32_t text = name != ORMA_MAP_NONE ? (uint32_t)name
                          : r->addr == 100011   ? orma_model_lit(m, "watch-cpu")
                          : r->addr == 100012   ? orma_model_lit(m, "watch-var")
                          : r->addr == 100013   ? orma_model_lit(m, "callsite")
                                                : orma_strpool_addf(&m->storage->pool, "event %llu",
                                                                    (unsigned long long)r->addr);
    ORMA_MODEL_ARGS(args, m);
    if (r->addr == 100011 && data.len >= 4)
        orma_args_put_int(args, orma_model_lit(m, "cpu"),
                          (int32_t)orma_uftrace_number(self, (const uint8_t *)data.data, 4));
    const uint32_t slice = orma_slices_complete(&m->slices, ts, 0, track_of(file, t),
                                                orma_model_lit(m, "uftrace"), text, args);
    return slice == ORMA_SLICE_NONE ? orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                                        "events that lie in too many functions")
                                    : orma_file_took(file);
}

/* ---- perf ---- */

/* What ran on the cpu does no more. */
static void stop(struct orma_file *file, int64_t ts, uint32_t cpu, uint32_t state)
{
    struct orma_uftrace *self = file->state;

    if (cpu >= self->running.len || !self->running.data[cpu].row)
        return;
    orma_sched_end_slice(file->imp->model, self->running.data[cpu].row - 1, ts, state);
    self->running.data[cpu].row = 0;
}

static void name_thread(struct orma_file *file, uint32_t pid, uint32_t tid, uint32_t utid,
                        struct orma_str name)
{
    struct orma_model *m = file->imp->model;
    struct orma_processes *p = orma_model_processes(m, file->machine);
    const uint32_t upid = orma_processes_upid(p, utid), text = orma_model_str(m, name);

    orma_processes_name_thread(p, utid, text, ORMA_THREAD_NAME_FTRACE);
    /* Of what it runs there may be no session, as of programs that were not instrumented. */
    if (pid == tid && upid != ORMA_ID_NONE &&
        orma_table_is_null(orma_model_table(m, ORMA_TABLE_PROCESS), ORMA_PROCESS_NAME, upid))
        orma_processes_name_process(p, upid, text, ORMA_PROCESS_NAME_OTHER);
}

/* Only threads of the recording are told: what else ran on the cpu is not known. */
static struct orma_unit_end on_switch(struct orma_file *file, int64_t ts, uint32_t cpu,
                                      uint32_t utid, unsigned misc)
{
    struct orma_uftrace *self = file->state;
    struct orma_model *m = file->imp->model;

    while (self->running.len <= cpu)
        if (ORMA_VEC_PUSH(&self->running, (struct orma_uftrace_running){0})) {
            no_memory(file);
            return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "switches");
        }
    orma_sched_close_state(m, ts, utid);
    if (misc & SWITCH_OUT) {
        const uint32_t state = orma_model_lit(m, misc & SWITCH_PREEMPTED ? "R+" : "S");

        stop(file, ts, cpu, state);
        orma_sched_open_state(m, file->machine, ts, utid, state, ORMA_ID_NONE);
        return orma_file_took(file);
    }
    stop(file, ts, cpu, 0);
    self->running.data[cpu] = (struct orma_uftrace_running){
        utid, 1 + orma_sched_start_slice(m, file->machine, ts, cpu, utid, PRIORITY)};
    orma_sched_open_state(m, file->machine, ts, utid, orma_model_lit(m, "Running"),
                          orma_model_ucpu(m, file->machine, cpu));
    return orma_file_took(file);
}

static struct orma_unit_end on_perf(struct orma_file *file, int64_t ts, const uint8_t *at,
                                    size_t len, uint32_t cpu)
{
    const struct orma_uftrace *self = file->state;
    struct orma_model *m = file->imp->model;
    struct orma_processes *p = orma_model_processes(m, file->machine);
    const unsigned type = (unsigned)orma_uftrace_number(self, at, 4);
    const uint32_t pid = (uint32_t)orma_uftrace_number(self, at + len - 16, 4);
    const uint32_t tid = (uint32_t)orma_uftrace_number(self, at + len - 12, 4);

    if (pid > INT32_MAX || tid > INT32_MAX)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "perf records");
    const uint32_t utid = orma_processes_thread_of(p, tid, pid);
    if (type == PERF_SWITCH)
        return on_switch(file, ts, cpu, utid, (unsigned)orma_uftrace_number(self, at + 4, 2));
    if (type == PERF_COMM && len >= ORMA_UFTRACE_PERF_HEAD + 8 + ORMA_UFTRACE_PERF_ID_BYTES) {
        const char *name = (const char *)at + ORMA_UFTRACE_PERF_HEAD + 8;

        name_thread(file, pid, tid, utid,
                    (struct orma_str){name, strnlen(name, len - ORMA_UFTRACE_PERF_HEAD - 8 -
                                                              ORMA_UFTRACE_PERF_ID_BYTES)});
        return orma_file_took(file);
    }
    if (type == PERF_EXIT) {
        orma_sched_close_state(m, ts, utid);
        if (cpu < self->running.len && self->running.data[cpu].utid == utid)
            stop(file, ts, cpu, orma_model_lit(m, "X"));
        return orma_file_took(file);
    }
    if (type == PERF_FORK)
        return orma_file_took(file);
    return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "perf records of type %u", type);
}

static struct orma_unit_end on_extern(struct orma_file *file, int64_t ts, struct orma_str line)
{
    struct orma_model *m = file->imp->model;
    struct orma_str time = {NULL, 0};
    struct orma_track_spec spec = {
        .type = "uftrace_external",
        .machine = file->machine,
        .name = orma_model_lit(m, "external"),
        .parent = ORMA_TRACK_NONE,
    };

    (void)orma_str_cut(&line, ' ', &time);
    const uint32_t slice = orma_slices_complete(
        &m->slices, ts, 0, orma_tracks_get(&m->tracks, &spec), orma_model_lit(m, "uftrace"),
        orma_model_str(m, orma_str_trim(line)), NULL);
    return slice == ORMA_SLICE_NONE ? orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "messages")
                                    : orma_file_took(file);
}

/* ---- an item ---- */

/* Whose record lies there; NULL: of no thread. */
static struct orma_uftrace_task *task_at(struct orma_uftrace *self, const uint8_t *place)
{
    const uint32_t at =
        ORMA_PARTITION_POINT(i, 0, self->tasks.len, self->tasks.data[i].begin <= place);

    return at && place < self->tasks.data[at - 1].end ? &self->tasks.data[at - 1] : NULL;
}

static struct orma_unit_end on_other(struct orma_file *file, const struct orma_item *item)
{
    const char *at = (const char *)item->data;
    uint32_t cpu;

    for (uint32_t i = 0; i < file->parts_num; i++) {
        const struct orma_file_part *p = &file->parts[i];

        if (at < p->bytes.data || at >= p->bytes.data + p->bytes.len)
            continue;
        return orma_uftrace_is_perf(p->name, &cpu)
                   ? on_perf(file, item->ts, item->data, item->len, cpu)
                   : on_extern(file, item->ts, (struct orma_str){at, item->len});
    }
    return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "records");
}

struct orma_unit_end orma_uftrace_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_uftrace_task *t = task_at(file->state, item->data);
    struct orma_uftrace_record r;

    if (!t)
        return on_other(file, item);
    if (!orma_uftrace_read_record(file->state, item->data, item->len, &r))
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "records");
    const struct orma_str data = {(const char *)item->data + ORMA_UFTRACE_RECORD_BYTES,
                                  item->len - ORMA_UFTRACE_RECORD_BYTES};
    switch (r.type) {
    case ORMA_UFTRACE_ENTRY:
        return on_entry(file, t, item->ts, &r, data);
    case ORMA_UFTRACE_EXIT:
        return on_exit_of(file, t, item->ts, &r, data);
    case ORMA_UFTRACE_LOST:
        return on_lost(file, t, item->ts, &r);
    default:
        return on_event(file, t, item->ts, &r, data);
    }
}
