/*
 * What the kernel itself did, in perf.data.
 *
 *   samples of tracepoints ─► by CPU and time ─► pages ─► those of trace.dat (tracedat.c)
 *   SWITCH                 ─► scheduling, where no event tells it
 *   FORK, EXIT             ─► begins and ends of threads, the same
 *
 * A record of a switch does not say what it waits for: who was not preempted sleeps ("S").
 */
#include "processor/import/formats/perf_data.h"

#include <stdlib.h>

#include "processor/model/sched.h"

/* Of a switch's record. */
#define MISC_OUT (1 << 13)
#define MISC_PREEMPTED (1 << 14)

/* ---- tracepoints ---- */

void orma_format_perf_note_event(struct orma_file *file, struct orma_perf_data *p, uint64_t time,
                                 struct orma_perf_cursor c)
{
    struct orma_perf_raw raw;

    if (!p->formats.len || !orma_format_perf_sample_raw(p, c, &raw))
        return;
    if (!raw.has_cpu || raw.cpu >= ORMA_CPUS_MAX) {
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ, "kernel events without their CPU", c.pos);
        return;
    }
    const struct orma_tracedat_event event = {time, raw.cpu, raw.bytes};
    if (ORMA_VEC_PUSH(&p->events, event))
        file->imp->model->storage->failed = true;
}

static int by_cpu(const void *a, const void *b)
{
    const struct orma_tracedat_event *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->bytes.data < y->bytes.data ? -1 : x->bytes.data > y->bytes.data;
}

static bool counts(struct orma_file *file, const struct orma_perf_data *p, const char *event)
{
    for (unsigned i = 0; i < p->attrs_num; i++)
        if (p->attrs[i].name && p->attrs[i].name == orma_model_cstr(file->imp->model, event))
            return true;
    return false;
}

/* Whether all tasks were recorded. The words of a command that was recorded are in the command
 * line, too: but then events began with it, or were not inherited. */
static bool is_of_all(const struct orma_perf_data *p)
{
    const uint64_t inherits = 1 << 1, begins_with_exec = 1 << 12;

    for (unsigned i = 0; i < p->attrs_num; i++)
        if (!(p->attrs[i].flags & inherits) || p->attrs[i].flags & begins_with_exec)
            return false;
    return p->of_all;
}

void orma_format_perf_put_events(struct orma_file *file, struct orma_perf_data *p,
                                 struct orma_str all)
{
    struct orma_model *m = file->imp->model;
    struct orma_buf uname = {0};

    if (!p->events.len || orma_file_failed(file))
        return;
    orma_processes_set_idle(orma_model_processes(m, m->base));
    qsort(p->events.data, p->events.len, sizeof(*p->events.data), by_cpu);
    if (p->release.len && p->arch.len)
        orma_buf_printf(&uname, "Linux - %.*s %.*s", ORMA_STR_ARG(p->release),
                        ORMA_STR_ARG(p->arch));
    m->storage->failed |= uname.failed;
    const struct orma_tracedat_events events = {
        all, p->formats, orma_buf_str(&uname), p->events.data, p->events.len, is_of_all(p)};
    orma_file_set_clock(file, file->clock); /* and not the one that such files usually have */
    p->told_sched = orma_tracedat_put_events(file, &events);
    orma_buf_fini(&uname);
    p->told_forks =
        counts(file, p, "sched:sched_process_fork") || counts(file, p, "task:task_newtask");
    p->told_exits =
        counts(file, p, "sched:sched_process_exit") || counts(file, p, "sched:sched_process_free");
}

/* ---- records ---- */

void orma_format_perf_trailer(const struct orma_perf_attr *a, struct orma_perf_cursor c,
                              struct orma_perf_trailer *ret)
{
    static const uint32_t fields[] = {ORMA_PERF_TID,       ORMA_PERF_TIME, ORMA_PERF_ID,
                                      ORMA_PERF_STREAM_ID, ORMA_PERF_CPU,  ORMA_PERF_IDENTIFIER};
    size_t len = 0;

    *ret = (struct orma_perf_trailer){0};
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(fields); i++)
        len += a->sample_type & fields[i] ? 8 : 0;
    if (!(a->flags >> 18 & 1) || (size_t)(c.end - c.pos) < len)
        return;
    c.pos = c.end - len;
    if ((ret->has_tid = a->sample_type & ORMA_PERF_TID)) {
        ret->pid = (uint32_t)orma_format_perf_number(&c, 4);
        ret->tid = (uint32_t)orma_format_perf_number(&c, 4);
    }
    if ((ret->has_time = a->sample_type & ORMA_PERF_TIME))
        ret->time = orma_format_perf_number(&c, 8);
    c.pos += a->sample_type & ORMA_PERF_ID ? 8 : 0;
    c.pos += a->sample_type & ORMA_PERF_STREAM_ID ? 8 : 0;
    if ((ret->has_cpu = a->sample_type & ORMA_PERF_CPU))
        ret->cpu = (uint32_t)orma_format_perf_number(&c, 4);
}

/* What a record has put on the CPU; false: nothing, or it is off again. */
static bool running_on(const struct orma_perf_data *p, const struct orma_perf_trailer *t,
                       uint32_t *ret_row, uint32_t *ret_utid)
{
    const uint64_t at = t->has_cpu ? orma_map_get(&p->running, t->cpu) : ORMA_MAP_NONE;

    if (at == ORMA_MAP_NONE || !at)
        return false;
    *ret_row = (uint32_t)at - 1;
    *ret_utid = (uint32_t)(at >> 32);
    return true;
}

static void set_running(struct orma_file *file, struct orma_perf_data *p, uint32_t cpu,
                        uint64_t what)
{
    file->imp->model->storage->failed |= orma_map_put(&p->running, cpu, what) < 0;
}

/* Where a thread was put on a CPU last. */
static uint64_t key_of(uint32_t utid)
{
    return UINT64_C(1) << 32 | utid;
}

/* The end of its run was lost. It may run on another CPU by now. */
static void lose_end(struct orma_file *file, struct orma_perf_data *p, int64_t ts, uint32_t cpu,
                     uint32_t row, uint32_t utid)
{
    orma_sched_end_slice(file->imp->model, row, ts, 0);
    if (orma_map_get(&p->running, key_of(utid)) == cpu)
        orma_sched_close_state(file->imp->model, ts, utid);
}

static void take_off(struct orma_file *file, struct orma_perf_data *p, int64_t ts,
                     const struct orma_perf_trailer *t, uint32_t utid, bool preempted)
{
    struct orma_model *m = file->imp->model;
    const uint32_t state = orma_model_lit(m, preempted ? "R+" : "S");
    uint32_t row, was;

    if (running_on(p, t, &row, &was)) {
        utid = t->tid == UINT32_MAX ? was : utid; /* it is not called so any more */
        if (utid == was)
            orma_sched_end_slice(m, row, ts, state);
        else
            lose_end(file, p, ts, t->cpu, row, was);
        set_running(file, p, t->cpu, 0);
    }
    if (utid == ORMA_ID_NONE)
        return;
    orma_sched_close_state(m, ts, utid);
    orma_sched_open_state(m, m->base, ts, utid, state, ORMA_ID_NONE);
}

static void put_on(struct orma_file *file, struct orma_perf_data *p, int64_t ts,
                   const struct orma_perf_trailer *t, uint32_t utid)
{
    struct orma_model *m = file->imp->model;
    uint32_t row, was;

    if (running_on(p, t, &row, &was))
        lose_end(file, p, ts, t->cpu, row, was);
    if (t->has_cpu) {
        row = orma_sched_start_slice(m, m->base, ts, t->cpu, utid, 0);
        set_running(file, p, t->cpu,
                    row == ORMA_ROW_NONE ? 0 : (uint64_t)utid << 32 | ((uint64_t)row + 1));
        file->imp->model->storage->failed |= orma_map_put(&p->running, key_of(utid), t->cpu) < 0;
    }
    orma_sched_close_state(m, ts, utid);
    orma_sched_open_state(m, m->base, ts, utid, m->known.Running,
                          t->has_cpu ? t->cpu : ORMA_ID_NONE);
}

struct orma_unit_end orma_format_perf_switch(struct orma_file *file, struct orma_perf_data *p,
                                             int64_t ts, struct orma_perf_cursor c,
                                             const struct orma_perf_record_head *h)
{
    struct orma_processes *processes =
        orma_model_processes(file->imp->model, file->imp->model->base);
    struct orma_perf_trailer t;

    orma_format_perf_trailer(&p->attrs[0], c, &t);
    if (p->told_sched)
        return orma_file_took(file); /* the same as an event says */
    if (!t.has_tid || !t.has_time || (t.has_cpu && t.cpu >= ORMA_CPUS_MAX))
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED,
                                 "records of switches without a thread or a time");
    /* The idle threads are one for each CPU, and have no states. */
    const uint32_t utid = t.tid && t.tid != UINT32_MAX
                              ? orma_processes_thread_of(processes, t.tid, t.pid)
                              : ORMA_ID_NONE;
    if (h->misc & MISC_OUT)
        take_off(file, p, ts, &t, utid, h->misc & MISC_PREEMPTED);
    else if (utid != ORMA_ID_NONE)
        put_on(file, p, ts, &t, utid);
    return orma_file_took(file);
}

struct orma_unit_end orma_format_perf_life(struct orma_file *file, struct orma_perf_data *p,
                                           int64_t ts, struct orma_perf_cursor c,
                                           const struct orma_perf_record_head *h)
{
    struct orma_processes *processes =
        orma_model_processes(file->imp->model, file->imp->model->base);
    const uint32_t pid = (uint32_t)orma_format_perf_number(&c, 4),
                   parent = (uint32_t)orma_format_perf_number(&c, 4),
                   tid = (uint32_t)orma_format_perf_number(&c, 4),
                   parent_tid = (uint32_t)orma_format_perf_number(&c, 4);
    const bool listed = !ts; /* it was there when the recording began */

    if (!pid || !tid)
        return orma_file_took(file);
    if (h->type == ORMA_PERF_RECORD_EXIT) {
        if (!p->told_exits && orma_processes_find_thread(processes, tid) != ORMA_ID_NONE)
            orma_processes_end_thread(processes, ts, tid);
        return orma_file_took(file);
    }
    if (listed) {
        const uint32_t utid = orma_processes_thread_of(processes, tid, pid);

        if (tid == pid && parent && parent != pid)
            (void)orma_processes_set_parent(processes, orma_processes_upid(processes, utid),
                                            orma_processes_process(processes, parent));
    } else if (p->told_forks) {
        ;
    } else if (tid == pid) {
        (void)orma_processes_start(processes, ts, parent_tid, pid, 0, ORMA_THREAD_NAME_OTHER);
    } else {
        const uint32_t utid = orma_processes_start_thread(processes, ts, tid);

        orma_processes_attach(processes, utid, orma_processes_process(processes, pid), false);
    }
    return orma_file_took(file);
}
