/*
 * Scheduling: what ran on each cpu (sched_slice) and in which state each
 * thread was (thread_state).
 *
 * Switches may be missing: the kernel leaves some out (task contexts without
 * trace points, filters), rings overrun. A cpu's chain is broken where a switch
 * takes off another thread than the last one has put on. How long the state
 * took that ended unseen is not known then: its row stays open (dur -1).
 */
#include "processor/import/ftrace/ftrace.h"

#include <stdlib.h>

#include "protos/fields/ftrace.h"

#define CLONE_THREAD_FLAG 0x00010000u
/* TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ */
#define IRQ_FLAGS 0x18u
#define KERNEL(major, minor) ((uint32_t)(major) << 16 | (minor))

/* Rows of thread_state that matter for a thread, by utid; ORMA_ROW_NONE: none. */
struct thread_rows {
    uint32_t last, last_running, last_blocked;
    uint32_t doubtful; /* in state R, woken again: it had run unseen, or R was not true */
    uint32_t all_seen; /* not 0: no switch from this thread is known to be missing */
};

/* While a thread runs whose switches are not seen, its cpu may have switched any number of times.
 */
struct cpu_sight {
    bool is_blind;
    int64_t blind_until; /* the last time; INT64_MIN: it never was */
};

struct sched_state {
    struct thread_rows *threads;
    uint32_t threads_num;
    struct cpu_sight
        *sights[ORMA_MACHINES_MAX]; /* ORMA_CPUS_MAX each; NULL: no switch is missing */
    uint32_t texts[2][4096];        /* pool ids of prev_state, by kernel generation */
};

static struct sched_state *state_of(struct orma_import *imp)
{
    return orma_import_state(imp, ORMA_STATE_SCHED, sizeof(struct sched_state));
}

static struct thread_rows *rows_of(struct orma_import *imp, uint32_t utid)
{
    struct sched_state *st = state_of(imp);

    if (!st || utid >= ORMA_ROWS_MAX)
        return NULL;
    if (ORMA_UNLIKELY(utid >= st->threads_num)) {
        uint32_t num = ORMA_MAX(utid + 64, st->threads_num * 2);
        struct thread_rows *threads = realloc(st->threads, num * sizeof(*threads));

        if (!threads) {
            imp->storage->failed = true;
            return NULL;
        }
        memset(threads + st->threads_num, 0xff, (num - st->threads_num) * sizeof(*threads));
        st->threads = threads;
        st->threads_num = num;
    }
    return &st->threads[utid];
}

/* ---- states as text ---- */

static uint32_t make_text(struct orma_import *imp, uint16_t machine, uint32_t raw, bool modern)
{
    static const struct {
        uint16_t bit;
        char letter;
    } modern_bits[] = {{1, 'S'},    {2, 'D'},    {4, 'T'},    {8, 't'},
                       {0x10, 'X'}, {0x20, 'Z'}, {0x40, 'P'}, {0x80, 'I'}},
      old_bits[] = {{1, 'S'},    {2, 'D'},    {4, 'T'},    {8, 't'},     {0x20, 'X'},
                    {0x10, 'Z'}, {0x40, 'x'}, {0x80, 'K'}, {0x100, 'W'}, {0x200, 'P'}};
    char text[16];
    unsigned len = 0;

    if (modern) {
        if (raw & 0x100)
            return orma_import_lit(imp, "R+");
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(modern_bits); i++)
            if (raw & modern_bits[i].bit)
                text[len++] = modern_bits[i].letter;
    } else {
        uint32_t version = imp->machines[machine].kernel_version;
        uint32_t preempt = !version || version < KERNEL(4, 8) ? 0x800 : 0x1000;

        if ((raw & 0x402) == 0x402) /* not counted as load: idle */
            return orma_import_lit(imp, "I");
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(old_bits); i++)
            if (raw & old_bits[i].bit)
                text[len++] = old_bits[i].letter;
        if (!len && raw & preempt)
            return orma_import_lit(imp, "R+");
    }
    if (!len)
        text[len++] = 'R';
    return orma_import_str(imp, (struct orma_str){text, len});
}

uint32_t orma_sched_state_text(struct orma_import *imp, uint16_t machine, int64_t prev_state)
{
    struct sched_state *st = state_of(imp);
    uint32_t version = imp->machines[machine].kernel_version;
    bool modern = version >= KERNEL(4, 14);
    uint32_t raw = (uint32_t)prev_state & 0xfff;

    if (!st)
        return 0;
    if (ORMA_UNLIKELY(!st->texts[modern][raw]))
        st->texts[modern][raw] = make_text(imp, machine, raw, modern);
    return st->texts[modern][raw];
}

/* ---- thread_state ---- */

static bool is_in(struct orma_import *imp, const struct thread_rows *rows, uint32_t state)
{
    return rows->last != ORMA_ROW_NONE &&
           orma_table_int(orma_import_table(imp, ORMA_TABLE_THREAD_STATE), ORMA_THREAD_STATE_STATE,
                          rows->last) == state;
}

static void close_state(struct orma_import *imp, int64_t ts, const struct thread_rows *rows)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_THREAD_STATE);

    if (rows->last != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_THREAD_STATE_DUR, rows->last,
                       ts - orma_table_int(t, ORMA_THREAD_STATE_TS, rows->last));
}

/* A row of open end. cpu, waker: ORMA_ID_NONE for none. irq < 0: NULL. */
static void open_state(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t utid,
                       uint32_t state, uint32_t cpu, uint32_t waker, int irq)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_THREAD_STATE);

    if (utid == imp->machines[machine].processes.idle_utid)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_THREAD_STATE_TS, row, ts);
    orma_table_set(t, ORMA_THREAD_STATE_DUR, row, -1);
    orma_table_set(t, ORMA_THREAD_STATE_UTID, row, utid);
    orma_table_set(t, ORMA_THREAD_STATE_STATE, row, state);
    if (cpu != ORMA_ID_NONE)
        orma_table_set(t, ORMA_THREAD_STATE_UCPU, row, orma_import_ucpu(imp, machine, cpu));
    if (waker != ORMA_ID_NONE) {
        struct thread_rows *w = rows_of(imp, waker);

        orma_table_set(t, ORMA_THREAD_STATE_WAKER_UTID, row, waker);
        if (w && w->last_running != ORMA_ROW_NONE)
            orma_table_set(t, ORMA_THREAD_STATE_WAKER_ID, row, w->last_running);
    }
    if (irq >= 0)
        orma_table_set(t, ORMA_THREAD_STATE_IRQ_CONTEXT, row, irq);
    struct thread_rows *rows = rows_of(imp, utid);
    if (!rows)
        return;
    rows->last = row;
    if (state == imp->words.Running)
        rows->last_running = row;
    else if (state != imp->words.R)
        rows->last_blocked = row;
}

void orma_sched_close_state(struct orma_import *imp, int64_t ts, uint32_t utid)
{
    const struct thread_rows *rows = rows_of(imp, utid);

    if (rows)
        close_state(imp, ts, rows);
}

void orma_sched_open_state(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t utid,
                           uint32_t state, uint32_t cpu)
{
    open_state(imp, machine, ts, utid, state, cpu, ORMA_ID_NONE, -1);
}

/* Called for each switch of a machine on which some are missing. */
ORMA_COLD static void keep_sight(struct orma_import *imp, struct cpu_sight *sight, int64_t ts,
                                 uint32_t next_utid)
{
    const struct thread_rows *next = rows_of(imp, next_utid);

    if (sight->is_blind)
        sight->blind_until = ts;
    sight->is_blind = next && !next->all_seen;
}

/* Could this thread have been put on a cpu unseen while it waited? */
ORMA_COLD static bool may_have_run(struct orma_import *imp, const struct cpu_sight *sights,
                                   const struct thread_rows *rows)
{
    int64_t since = orma_table_int(orma_import_table(imp, ORMA_TABLE_THREAD_STATE),
                                   ORMA_THREAD_STATE_TS, rows->last);

    for (unsigned i = 0; i < ORMA_CPUS_MAX; i++) {
        if (sights[i].is_blind || sights[i].blind_until > since)
            return true;
    }
    return false;
}

void orma_sched_states(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t cpu,
                       uint32_t prev_utid, uint32_t prev_state, uint32_t next_utid)
{
    struct thread_rows *prev = rows_of(imp, prev_utid);

    /* When prev was not running, events are missing: how long its last state took is unknown. */
    if (prev && is_in(imp, prev, imp->words.Running))
        close_state(imp, ts, prev);
    open_state(imp, machine, ts, prev_utid, prev_state, ORMA_ID_NONE, ORMA_ID_NONE, -1);

    struct thread_rows *next = rows_of(imp, next_utid);
    const struct sched_state *st = imp->state[ORMA_STATE_SCHED]; /* rows_of() has made it */
    struct cpu_sight *sights = st ? st->sights[machine] : NULL;
    if (next && (ORMA_LIKELY(!sights) || next->all_seen || !is_in(imp, next, imp->words.R) ||
                 !may_have_run(imp, sights, next)))
        close_state(imp, ts, next);
    open_state(imp, machine, ts, next_utid, imp->words.Running, cpu, ORMA_ID_NONE, -1);
    if (ORMA_UNLIKELY(sights))
        keep_sight(imp, &sights[cpu], ts, next_utid);
}

static void spurious_wakeup(struct orma_import *imp, int64_t ts, uint32_t row, uint32_t utid,
                            uint32_t waker, int irq)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_SPURIOUS_SCHED_WAKEUP);
    uint32_t at = orma_table_add(t);

    orma_table_set_time(t, ORMA_SPURIOUS_SCHED_WAKEUP_TS, at, ts);
    orma_table_set(t, ORMA_SPURIOUS_SCHED_WAKEUP_THREAD_STATE_ID, at, row);
    if (irq >= 0)
        orma_table_set(t, ORMA_SPURIOUS_SCHED_WAKEUP_IRQ_CONTEXT, at, irq);
    orma_table_set(t, ORMA_SPURIOUS_SCHED_WAKEUP_UTID, at, utid);
    orma_table_set(t, ORMA_SPURIOUS_SCHED_WAKEUP_WAKER_UTID, at, waker);
}

/*
 * The kernel wakes what sleeps. A thread that is woken while it runs or waits for a cpu was about
 * to sleep, or did sleep: which of the two, threads tell whose switches are seen.
 */
static bool may_have_slept(struct orma_import *imp, struct thread_rows *rows, int64_t state)
{
    if (!rows->all_seen)
        return true;
    if (state == imp->words.R)
        rows->doubtful = rows->last;
    return false;
}

void orma_sched_waking(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t utid,
                       uint32_t waker_utid, int64_t common_flags)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_THREAD_STATE);
    struct thread_rows *rows = rows_of(imp, utid);
    int irq = common_flags < 0 ? -1 : (common_flags & IRQ_FLAGS) != 0;

    if (!rows)
        return;
    if (rows->last != ORMA_ROW_NONE) {
        int64_t state = orma_table_int(t, ORMA_THREAD_STATE_STATE, rows->last);

        if (state != imp->words.Running && state != imp->words.R) {
            close_state(imp, ts, rows);
        } else if (!may_have_slept(imp, rows, state)) {
            if (waker_utid != ORMA_ID_NONE)
                spurious_wakeup(imp, ts, rows->last, utid, waker_utid, irq);
            return;
        }
    }
    open_state(imp, machine, ts, utid, imp->words.R, ORMA_ID_NONE, waker_utid, irq);
}

void orma_sched_new_task(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t utid,
                         uint32_t waker_utid)
{
    open_state(imp, machine, ts, utid, imp->words.R, ORMA_ID_NONE, waker_utid, 0);
}

void orma_sched_blocked(struct orma_import *imp, uint32_t utid, int io_wait, uint32_t function)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_THREAD_STATE);
    struct thread_rows *rows = rows_of(imp, utid);

    if (!rows || rows->last_blocked == ORMA_ROW_NONE)
        return;
    if (io_wait >= 0)
        orma_table_set(t, ORMA_THREAD_STATE_IO_WAIT, rows->last_blocked, io_wait);
    if (function)
        orma_table_set(t, ORMA_THREAD_STATE_BLOCKED_FUNCTION, rows->last_blocked, function);
}

/* ---- sched_slice ---- */

uint32_t orma_sched_start_slice(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t cpu,
                                uint32_t utid, int32_t prio)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_SCHED_SLICE);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_SCHED_SLICE_TS, row, ts);
    orma_table_set(t, ORMA_SCHED_SLICE_DUR, row, -1);
    orma_table_set(t, ORMA_SCHED_SLICE_UTID, row, utid);
    orma_table_set(t, ORMA_SCHED_SLICE_PRIORITY, row, prio);
    orma_table_set(t, ORMA_SCHED_SLICE_UCPU, row, orma_import_ucpu(imp, machine, cpu));
    return row;
}

void orma_sched_end_slice(struct orma_import *imp, uint32_t row, int64_t ts, uint32_t state)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_SCHED_SLICE);

    if (row == ORMA_ROW_NONE)
        return;
    orma_table_set(t, ORMA_SCHED_SLICE_DUR, row, ts - orma_table_int(t, ORMA_SCHED_SLICE_TS, row));
    orma_table_set(t, ORMA_SCHED_SLICE_END_STATE, row, state);
}

static uint32_t named_thread(struct orma_import *imp, uint16_t machine, uint32_t tid, uint32_t comm)
{
    struct orma_processes *procs = orma_import_processes(imp, machine);
    uint32_t utid = orma_processes_thread(procs, tid);

    orma_processes_name_thread(procs, utid, comm, ORMA_THREAD_NAME_FTRACE);
    return utid;
}

/* ---- switches ---- */

/* What ran before is known from the switch before; its name may have changed since. Kept where the
 * args of that switch do not say the same. */
static void note_previous(struct orma_import *imp, const struct orma_item *item,
                          const struct orma_cpu_state *prev, uint32_t row)
{
    uint32_t comm = (uint32_t)orma_table_int(orma_import_table(imp, ORMA_TABLE_THREAD),
                                             ORMA_THREAD_NAME, prev->utid);
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_FTRACE_PREV);

    if (row == ORMA_ROW_NONE || (ORMA_LIKELY(prev->bundle == item->bundle + 1) &&
                                 prev->index + 1 == item->index && comm == prev->comm))
        return;
    uint32_t at = orma_table_add(t);
    orma_table_set(t, ORMA_FTRACE_PREV_SOURCE, at, row);
    orma_table_set(t, ORMA_FTRACE_PREV_COMM, at, comm);
    orma_table_set(t, ORMA_FTRACE_PREV_PID, at, prev->pid);
    orma_table_set(t, ORMA_FTRACE_PREV_PRIO, at, prev->prio);
}

void orma_ftrace_parse_compact_switch(struct orma_import *imp, const struct orma_item *item)
{
    struct orma_ftrace_state *st = orma_ftrace_state(imp);
    uint32_t cpu = imp->reader.sorter.bundles[item->bundle].cpu;
    struct orma_cpu_state *c = orma_ftrace_cpu(imp, item->machine, cpu);
    struct orma_cpu_state prev;

    if (!c || orma_ftrace_too_early(imp, item->machine, item->ts))
        return;
    bool raw_only = orma_ftrace_raw_only(imp, item->machine, item->ts);
    uint32_t comm = orma_ftrace_comm(imp, item, item->sched.comm_index);
    uint32_t utid = named_thread(imp, item->machine, item->sched.pid, comm);
    prev = *c;
    *c = (struct orma_cpu_state){.known = true,
                                 .pid = item->sched.pid,
                                 .utid = utid,
                                 .prio = item->sched.prio,
                                 .comm = comm,
                                 .sched_row = ORMA_ROW_NONE,
                                 .bundle = item->bundle + 1,
                                 .index = item->index};
    if (!prev.known) {
        orma_stats_inc(orma_import_stats(imp, item->machine),
                       ORMA_STAT_COMPACT_SCHED_SWITCH_SKIPPED);
        return;
    }
    uint32_t row = orma_ftrace_add_row(imp, item, st->sched_switch, prev.utid, 0, cpu);
    note_previous(imp, item, &prev, row);
    if (raw_only)
        return;
    uint32_t state = orma_sched_state_text(imp, item->machine, item->sched.prev_state);
    orma_sched_end_slice(imp, prev.sched_row, item->ts, state);
    c->sched_row =
        orma_sched_start_slice(imp, item->machine, item->ts, cpu, utid, item->sched.prio);
    orma_sched_states(imp, item->machine, item->ts, cpu, prev.utid, state, utid);
}

void orma_ftrace_parse_compact_waking(struct orma_import *imp, const struct orma_item *item)
{
    struct orma_ftrace_state *st = orma_ftrace_state(imp);
    uint32_t cpu = imp->reader.sorter.bundles[item->bundle].cpu;
    struct orma_cpu_state *c = orma_ftrace_cpu(imp, item->machine, cpu);

    if (!c || orma_ftrace_too_early(imp, item->machine, item->ts))
        return;
    bool raw_only = orma_ftrace_raw_only(imp, item->machine, item->ts);
    if (!c->known) {
        orma_stats_inc(orma_import_stats(imp, item->machine),
                       ORMA_STAT_COMPACT_SCHED_WAKING_SKIPPED);
        return;
    }
    orma_ftrace_add_row(imp, item, st->sched_waking, c->utid, item->sched.common_flags, cpu);
    uint32_t utid =
        orma_processes_thread(orma_import_processes(imp, item->machine), item->sched.pid);
    if (!raw_only)
        orma_sched_waking(imp, item->machine, item->ts, utid, c->utid, item->sched.common_flags);
}

/* What ran on a cpu, from `ts` on, has left it unseen: when is not known, nor what followed. */
static void lose_sight(struct orma_import *imp, uint32_t utid, int64_t ts)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_THREAD_STATE);
    struct thread_rows *rows = rows_of(imp, utid);

    if (!rows)
        return;
    rows->all_seen = 0;
    if (rows->doubtful != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_THREAD_STATE_DUR, rows->doubtful, -1);
    rows->doubtful = ORMA_ROW_NONE;
    if (is_in(imp, rows, imp->words.Running) &&
        orma_table_int(t, ORMA_THREAD_STATE_TS, rows->last) == ts)
        rows->last = ORMA_ROW_NONE;
}

/* The thread runs here although no switch has put it on: where it was before, it has left unseen.
 */
static void appear(struct orma_import *imp, uint32_t utid)
{
    struct thread_rows *rows = rows_of(imp, utid);

    if (rows && is_in(imp, rows, imp->words.Running))
        rows->last = ORMA_ROW_NONE;
}

static struct cpu_sight *sights_of(struct orma_import *imp, uint16_t machine)
{
    struct sched_state *st = state_of(imp);

    if (!st || st->sights[machine])
        return st ? st->sights[machine] : NULL;
    st->sights[machine] = malloc(ORMA_CPUS_MAX * sizeof(**st->sights));
    for (unsigned i = 0; st->sights[machine] && i < ORMA_CPUS_MAX; i++)
        st->sights[machine][i] = (struct cpu_sight){.blind_until = INT64_MIN};
    imp->storage->failed |= !st->sights[machine];
    return st->sights[machine];
}

static void mismatch(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t cpu,
                     const struct orma_cpu_state *c, uint32_t prev)
{
    struct cpu_sight *sights = sights_of(imp, machine);

    if (sights)
        sights[cpu].blind_until = ts;
    orma_stats_inc(orma_import_stats(imp, machine), ORMA_STAT_MISMATCHED_SCHED_SWITCH_TIDS);
    lose_sight(imp, c->utid,
               orma_table_int(orma_import_table(imp, ORMA_TABLE_SCHED_SLICE), ORMA_SCHED_SLICE_TS,
                              c->sched_row));
    appear(imp, prev);
}

void orma_sched_switch(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t cpu,
                       uint32_t prev_pid, uint32_t prev_comm, int64_t prev_state, uint32_t next_pid,
                       uint32_t next_comm, int32_t next_prio)
{
    struct orma_cpu_state *c = orma_ftrace_cpu(imp, machine, cpu);
    uint32_t state = orma_sched_state_text(imp, machine, prev_state);
    uint32_t next = named_thread(imp, machine, next_pid, next_comm);
    uint32_t prev;

    if (!c)
        return;
    bool goes_on = !c->known || c->sched_row == ORMA_ROW_NONE || c->pid == prev_pid;
    if (goes_on && c->known)
        orma_sched_end_slice(imp, c->sched_row, ts, state);
    prev = named_thread(imp, machine, prev_pid, prev_comm);
    if (!goes_on)
        mismatch(imp, machine, ts, cpu, c, prev);
    *c = (struct orma_cpu_state){
        .known = true,
        .pid = next_pid,
        .utid = next,
        .prio = next_prio,
        .comm = next_comm,
        .sched_row = orma_sched_start_slice(imp, machine, ts, cpu, next, next_prio)};
    orma_sched_states(imp, machine, ts, cpu, prev, state, next);
}

struct switch_fields {
    struct orma_str prev_comm, next_comm;
    uint32_t prev_pid, next_pid;
    int32_t next_prio;
    int64_t prev_state;
};

static struct switch_fields read_switch(struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    struct switch_fields s = {{"", 0}, {"", 0}, 0, 0, 0, 0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM:
            s.prev_comm = orma_pb_str(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM:
            s.next_comm = orma_pb_str(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID:
            s.prev_pid = orma_pb_u32(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID:
            s.next_pid = orma_pb_u32(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO:
            s.next_prio = orma_pb_i32(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE:
            s.prev_state = orma_pb_i64(&f);
            break;
        }
    }
    return s;
}

static void on_switch(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_ftrace_state *st = orma_ftrace_state(imp);
    struct switch_fields s = read_switch(e->payload);

    orma_sched_switch(imp, e->machine, e->ts, e->cpu, s.prev_pid, orma_import_str(imp, s.prev_comm),
                      s.prev_state, s.next_pid, orma_import_str(imp, s.next_comm), s.next_prio);
    orma_ftrace_add_row(imp, e->item, st->sched_switch,
                        orma_processes_thread(orma_import_processes(imp, e->machine), s.prev_pid),
                        e->common_flags, e->cpu);
}

/* pid, comm of sched_waking, sched_wakeup and sched_wakeup_new: the same numbers. */
static uint32_t read_woken(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    struct orma_str comm = {"", 0};
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SCHED_WAKING_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_SCHED_WAKING_FTRACE_EVENT_COMM)
            comm = orma_pb_str(&f);
    }
    return named_thread(imp, e->machine, pid, orma_import_str(imp, comm));
}

static void on_waking(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    uint32_t utid = read_woken(imp, e);

    orma_sched_waking(imp, e->machine, e->ts, utid, e->utid,
                      e->has_flags ? (int64_t)e->common_flags : -1);
}

static void on_wakeup(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    (void)read_woken(imp, e);
}

/* ---- tasks ---- */

static void on_newtask(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_processes *procs = orma_import_processes(imp, e->machine);
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    struct orma_str comm = {"", 0};
    uint32_t pid = 0, utid;
    uint64_t flags = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_COMM)
            comm = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS)
            flags = orma_pb_u64(&f);
    }
    uint32_t name = orma_import_str(imp, comm);
    if (flags & CLONE_THREAD_FLAG) {
        utid = orma_processes_start_thread(procs, e->ts, pid);
        orma_processes_name_thread(procs, utid, name, ORMA_THREAD_NAME_FTRACE);
        orma_processes_link(procs, e->utid, utid);
    } else {
        orma_processes_start(procs, e->ts, e->pid, pid, name, ORMA_THREAD_NAME_FTRACE);
        utid = orma_processes_thread(procs, pid);
    }
    orma_sched_new_task(imp, e->machine, e->ts, utid, e->utid);
}

static void on_rename(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_processes *procs = orma_import_processes(imp, e->machine);
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    struct orma_str comm = {"", 0};
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TASK_RENAME_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_TASK_RENAME_FTRACE_EVENT_NEWCOMM)
            comm = orma_pb_str(&f);
    }
    uint32_t name = orma_import_str(imp, comm);
    uint32_t utid = named_thread(imp, e->machine, pid, name);
    uint32_t upid = orma_processes_upid(procs, utid);
    if (upid != ORMA_ID_NONE &&
        orma_table_int(orma_import_table(imp, ORMA_TABLE_THREAD), ORMA_THREAD_IS_MAIN_THREAD, utid))
        orma_processes_name_process(procs, upid, name, ORMA_PROCESS_NAME_OTHER);
}

static void on_free(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_SCHED_PROCESS_FREE_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
    orma_processes_end_thread(orma_import_processes(imp, e->machine), e->ts, pid);
}

static void on_blocked_reason(struct orma_import *imp, const struct orma_ftrace_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    uint32_t pid = 0, function = 0;
    int io_wait = -1;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SCHED_BLOCKED_REASON_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_SCHED_BLOCKED_REASON_FTRACE_EVENT_IO_WAIT)
            io_wait = orma_pb_bool(&f);
        else if (f.id == ORMA_PB_SCHED_BLOCKED_REASON_FTRACE_EVENT_CALLER)
            function = orma_ftrace_lookup_symbol(imp, e->item, orma_pb_u64(&f));
    }
    orma_sched_blocked(imp, orma_processes_thread(orma_import_processes(imp, e->machine), pid),
                       io_wait, function);
}

static void sched_fini(struct orma_import *imp)
{
    struct sched_state *st = imp->state[ORMA_STATE_SCHED];

    for (unsigned i = 0; st && i < ORMA_MACHINES_MAX; i++)
        free(st->sights[i]);
    if (st)
        free(st->threads);
}

static const uint16_t no_fields[] = {0};
const struct orma_module orma_module_sched = {
    .name = "sched", .fields = no_fields, .fini = sched_fini};

const struct orma_ftrace_handler orma_ftrace_handlers_sched[] = {
    {ORMA_PB_FTRACE_EVENT_SCHED_SWITCH, on_switch},
    {ORMA_PB_FTRACE_EVENT_SCHED_WAKING, on_waking},
    {ORMA_PB_FTRACE_EVENT_SCHED_WAKEUP, on_wakeup},
    {ORMA_PB_FTRACE_EVENT_SCHED_WAKEUP_NEW, on_wakeup},
    {ORMA_PB_FTRACE_EVENT_TASK_NEWTASK, on_newtask},
    {ORMA_PB_FTRACE_EVENT_TASK_RENAME, on_rename},
    {ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FREE, on_free},
    {ORMA_PB_FTRACE_EVENT_SCHED_BLOCKED_REASON, on_blocked_reason},
    {0, NULL},
};
