/*
 * Scheduling: what ran on each cpu (sched_slice) and in which state each
 * thread was (thread_state).
 *
 * Switches may be missing: the kernel leaves some out (task contexts without
 * tracepoints, filters), rings overrun. A cpu's chain is broken where a switch
 * takes off another thread than the last one has put on. How long the state
 * took that ended unseen is not known then: its row stays open (dur -1).
 */
#include "processor/model/sched.h"

#include <stdlib.h>

#include "processor/model/model.h"

/* TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ */
#define IRQ_FLAGS 0x18u
#define KERNEL(major, minor) ((uint32_t)(major) << 16 | (minor))

/* Rows of thread_state that matter for a thread, by utid; ORMA_ROW_NONE: none. */
struct thread_rows {
    uint32_t last, last_blocked; /* blocked: since it ran last */
    uint32_t doubtful;           /* in state R, woken again: it had run unseen, or R was not true */
    uint32_t all_seen;           /* not 0: no switch from this thread is known to be missing */
};

/* While a thread runs whose switches are not seen, its cpu may have switched any number of times.
 */
struct cpu_sight {
    bool is_blind;
    int64_t blind_until; /* the last time; INT64_MIN: it never was */
};

struct orma_sched {
    struct orma_sched_cpu_state *cpus[ORMA_MACHINES_MAX]; /* ORMA_CPUS_MAX each; NULL: no cpu yet */
    struct thread_rows *threads;
    uint32_t threads_num;
    struct cpu_sight
        *sights[ORMA_MACHINES_MAX]; /* ORMA_CPUS_MAX each; NULL: no switch is missing */
    uint32_t texts[3][4096]; /* pool ids of prev_state: before Linux 4.8, before 4.14, later */
};

static struct orma_sched *state_of(struct orma_model *model)
{
    return orma_model_lazy(model, (void **)&model->sched, sizeof(struct orma_sched));
}

struct orma_sched_cpu_state *orma_sched_cpu(struct orma_model *model, uint16_t machine,
                                            uint32_t cpu)
{
    struct orma_sched *st = state_of(model);

    if (!st || cpu >= ORMA_CPUS_MAX)
        return NULL;
    if (ORMA_UNLIKELY(!st->cpus[machine])) {
        st->cpus[machine] = calloc(ORMA_CPUS_MAX, sizeof(*st->cpus[machine]));
        if (!st->cpus[machine]) {
            model->storage->failed = true;
            return NULL;
        }
        for (unsigned i = 0; i < ORMA_CPUS_MAX; i++)
            st->cpus[machine][i].sched_row = ORMA_ROW_NONE;
    }
    return &st->cpus[machine][cpu];
}

static struct thread_rows *rows_of(struct orma_model *model, uint32_t utid)
{
    struct orma_sched *st = state_of(model);

    if (!st || utid >= ORMA_ROWS_MAX)
        return NULL;
    if (ORMA_UNLIKELY(utid >= st->threads_num)) {
        uint32_t num = ORMA_MAX(utid + 64, st->threads_num * 2);
        struct thread_rows *threads = realloc(st->threads, num * sizeof(*threads));

        if (!threads) {
            model->storage->failed = true;
            return NULL;
        }
        memset(threads + st->threads_num, 0xff, (num - st->threads_num) * sizeof(*threads));
        st->threads = threads;
        st->threads_num = num;
    }
    return &st->threads[utid];
}

/* ---- states as text ---- */

/* Bits of prev_state by the kernels that have them, in the order of their letters. */
struct state_bit {
    uint16_t bit;
    char letter;
};
static const struct state_bit modern_bits[] = {{1, 'S'},    {2, 'D'},    {4, 'T'},    {8, 't'},
                                               {0x10, 'X'}, {0x20, 'Z'}, {0x40, 'P'}, {0x80, 'I'}};
static const struct state_bit old_bits[] = {{1, 'S'},    {2, 'D'},     {4, 'T'},     {8, 't'},
                                            {0x10, 'X'}, {0x20, 'Z'},  {0x200, 'P'}, {0x40, 'x'},
                                            {0x80, 'K'}, {0x100, 'W'}, {0x400, 'N'}};
/* What the kernel reports in no state of Linux 4.14 and later. */
#define MODERN_PREEMPTED 0x100u
#define MODERN_INVALID 0xfe00u
#define INVALID 0xffffu /* of a text that names no state */
#define OLD_IDLE 0x402u /* sleeps without being interrupted, and not counted as load */
#define STATE_LETTERS_MAX 3

static uint32_t make_text(struct orma_model *model, uint32_t raw, const struct state_bit *bits,
                          unsigned bits_num, uint32_t preempted)
{
    char text[STATE_LETTERS_MAX];
    unsigned len = 0;

    for (unsigned i = 0; i < bits_num && len < sizeof(text); i++)
        if (raw & bits[i].bit)
            text[len++] = bits[i].letter;
    if (!len)
        return orma_model_lit(model, raw & preempted ? "R+" : "R");
    return orma_model_str(model, (struct orma_str){text, len});
}

static uint32_t modern_text(struct orma_model *model, uint32_t raw)
{
    return make_text(model, raw, modern_bits, ORMA_ARRAY_LEN(modern_bits), MODERN_PREEMPTED);
}

/* Kernels of unknown version are taken for 4.4. */
static uint32_t old_text(struct orma_model *model, uint32_t raw, uint32_t preempted)
{
    uint32_t known = 0;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(old_bits); i++)
        known |= old_bits[i].bit;
    if ((raw & known) == OLD_IDLE)
        return orma_model_lit(model, "I");
    return make_text(model, raw, old_bits, ORMA_ARRAY_LEN(old_bits), preempted);
}

uint32_t orma_sched_state_text(struct orma_model *model, uint16_t machine, int64_t prev_state)
{
    struct orma_sched *st = state_of(model);
    uint32_t version = model->machines[machine].kernel_version;
    unsigned age = version >= KERNEL(4, 14) ? 2 : version >= KERNEL(4, 8);
    uint32_t raw = (uint16_t)prev_state, text;

    if (!st)
        return 0;
    if (ORMA_UNLIKELY(raw & MODERN_INVALID && (age == 2 || raw == INVALID))) {
        if (age == 2) /* of older kernels, and of texts, it is not counted by others either */
            orma_stats_inc(orma_model_stats(model, machine), ORMA_STAT_TASK_STATE_INVALID);
        return 0;
    }
    if (ORMA_LIKELY(raw < ORMA_ARRAY_LEN(st->texts[age]) && st->texts[age][raw]))
        return st->texts[age][raw];
    text = age == 2 ? modern_text(model, raw) : old_text(model, raw, age ? 0x1000 : 0x800);
    if (raw < ORMA_ARRAY_LEN(st->texts[age]))
        st->texts[age][raw] = text;
    return text;
}

/* ---- thread_state ---- */

static bool is_in(struct orma_model *model, const struct thread_rows *rows, uint32_t state)
{
    return rows->last != ORMA_ROW_NONE &&
           orma_table_int(orma_model_table(model, ORMA_TABLE_THREAD_STATE), ORMA_THREAD_STATE_STATE,
                          rows->last) == state;
}

static void close_state(struct orma_model *model, int64_t ts, const struct thread_rows *rows)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_THREAD_STATE);

    if (rows->last != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_THREAD_STATE_DUR, rows->last,
                       ts - orma_table_int(t, ORMA_THREAD_STATE_TS, rows->last));
}

/* A row of open end. cpu, waker: ORMA_ID_NONE for none. irq < 0: NULL. */
static void open_state(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t utid,
                       uint32_t state, uint32_t cpu, uint32_t waker, int irq)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_THREAD_STATE);

    if (utid == model->machines[machine].processes.idle_utid)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_THREAD_STATE_TS, row, ts);
    orma_table_set(t, ORMA_THREAD_STATE_DUR, row, -1);
    orma_table_set(t, ORMA_THREAD_STATE_UTID, row, utid);
    orma_table_set(t, ORMA_THREAD_STATE_STATE, row, state);
    if (cpu != ORMA_ID_NONE)
        orma_table_set(t, ORMA_THREAD_STATE_UCPU, row, orma_model_ucpu(model, machine, cpu));
    if (waker != ORMA_ID_NONE) {
        struct thread_rows *w = rows_of(model, waker);

        orma_table_set(t, ORMA_THREAD_STATE_WAKER_UTID, row, waker);
        /* Where events are missing it may seem to sleep. */
        if (w && is_in(model, w, model->known.Running))
            orma_table_set(t, ORMA_THREAD_STATE_WAKER_ID, row, w->last);
    }
    if (irq >= 0)
        orma_table_set(t, ORMA_THREAD_STATE_IRQ_CONTEXT, row, irq);
    struct thread_rows *rows = rows_of(model, utid);
    if (!rows)
        return;
    rows->last = row;
    if (state == model->known.Running)
        rows->last_blocked = ORMA_ROW_NONE;
    else if (state != model->known.R)
        rows->last_blocked = row;
}

void orma_sched_close_state(struct orma_model *model, int64_t ts, uint32_t utid)
{
    const struct thread_rows *rows = rows_of(model, utid);

    if (rows)
        close_state(model, ts, rows);
}

void orma_sched_open_state(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t utid,
                           uint32_t state, uint32_t cpu)
{
    open_state(model, machine, ts, utid, state, cpu, ORMA_ID_NONE, -1);
}

/* Called for each switch of a machine on which some are missing. */
ORMA_COLD static void keep_sight(struct orma_model *model, struct cpu_sight *sight, int64_t ts,
                                 uint32_t next_utid)
{
    const struct thread_rows *next = rows_of(model, next_utid);

    if (sight->is_blind)
        sight->blind_until = ts;
    sight->is_blind = next && !next->all_seen;
}

/* Could this thread have been put on a cpu unseen while it waited? */
ORMA_COLD static bool may_have_run(struct orma_model *model, const struct cpu_sight *sights,
                                   const struct thread_rows *rows)
{
    int64_t since = orma_table_int(orma_model_table(model, ORMA_TABLE_THREAD_STATE),
                                   ORMA_THREAD_STATE_TS, rows->last);

    for (unsigned i = 0; i < ORMA_CPUS_MAX; i++) {
        if (sights[i].is_blind || sights[i].blind_until > since)
            return true;
    }
    return false;
}

void orma_sched_states(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t cpu,
                       uint32_t prev_utid, uint32_t prev_state, uint32_t next_utid)
{
    struct thread_rows *prev = rows_of(model, prev_utid);

    /* When prev was not running, events are missing: how long its last state took is unknown. */
    if (prev && is_in(model, prev, model->known.Running))
        close_state(model, ts, prev);
    open_state(model, machine, ts, prev_utid, prev_state, ORMA_ID_NONE, ORMA_ID_NONE, -1);

    struct thread_rows *next = rows_of(model, next_utid);
    const struct orma_sched *st = model->sched; /* rows_of() has made it */
    struct cpu_sight *sights = st ? st->sights[machine] : NULL;
    if (next && (ORMA_LIKELY(!sights) || next->all_seen || !is_in(model, next, model->known.R) ||
                 !may_have_run(model, sights, next)))
        close_state(model, ts, next);
    open_state(model, machine, ts, next_utid, model->known.Running, cpu, ORMA_ID_NONE, -1);
    if (ORMA_UNLIKELY(sights))
        keep_sight(model, &sights[cpu], ts, next_utid);
}

static void spurious_wakeup(struct orma_model *model, int64_t ts, uint32_t row, uint32_t utid,
                            uint32_t waker, int irq)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_SPURIOUS_SCHED_WAKEUP);
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
static bool may_have_slept(struct orma_model *model, struct thread_rows *rows, int64_t state)
{
    if (!rows->all_seen)
        return true;
    if (state == model->known.R)
        rows->doubtful = rows->last;
    return false;
}

void orma_sched_waking(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t utid,
                       uint32_t waker_utid, int64_t common_flags)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_THREAD_STATE);
    struct thread_rows *rows = rows_of(model, utid);
    int irq = common_flags < 0 ? -1 : (common_flags & IRQ_FLAGS) != 0;

    if (!rows)
        return;
    if (rows->last != ORMA_ROW_NONE) {
        int64_t state = orma_table_int(t, ORMA_THREAD_STATE_STATE, rows->last);

        if (state != model->known.Running && state != model->known.R) {
            close_state(model, ts, rows);
        } else if (!may_have_slept(model, rows, state)) {
            if (waker_utid != ORMA_ID_NONE)
                spurious_wakeup(model, ts, rows->last, utid, waker_utid, irq);
            return;
        }
    }
    open_state(model, machine, ts, utid, model->known.R, ORMA_ID_NONE, waker_utid, irq);
}

void orma_sched_new_task(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t utid,
                         uint32_t waker_utid)
{
    open_state(model, machine, ts, utid, model->known.R, ORMA_ID_NONE, waker_utid, 0);
}

void orma_sched_blocked(struct orma_model *model, uint32_t utid, int io_wait, uint32_t function)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_THREAD_STATE);
    struct thread_rows *rows = rows_of(model, utid);

    if (!rows || rows->last_blocked == ORMA_ROW_NONE)
        return;
    if (io_wait >= 0)
        orma_table_set(t, ORMA_THREAD_STATE_IO_WAIT, rows->last_blocked, io_wait);
    if (function)
        orma_table_set(t, ORMA_THREAD_STATE_BLOCKED_FUNCTION, rows->last_blocked, function);
}

/* ---- sched_slice ---- */

uint32_t orma_sched_start_slice(struct orma_model *model, uint16_t machine, int64_t ts,
                                uint32_t cpu, uint32_t utid, int32_t prio)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_SCHED_SLICE);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_SCHED_SLICE_TS, row, ts);
    orma_table_set(t, ORMA_SCHED_SLICE_DUR, row, -1);
    orma_table_set(t, ORMA_SCHED_SLICE_UTID, row, utid);
    orma_table_set(t, ORMA_SCHED_SLICE_PRIORITY, row, prio);
    orma_table_set(t, ORMA_SCHED_SLICE_UCPU, row, orma_model_ucpu(model, machine, cpu));
    return row;
}

void orma_sched_end_slice(struct orma_model *model, uint32_t row, int64_t ts, uint32_t state)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_SCHED_SLICE);

    if (row == ORMA_ROW_NONE)
        return;
    orma_table_set(t, ORMA_SCHED_SLICE_DUR, row, ts - orma_table_int(t, ORMA_SCHED_SLICE_TS, row));
    orma_table_set(t, ORMA_SCHED_SLICE_END_STATE, row, state);
}

uint32_t orma_sched_named_thread(struct orma_model *model, uint16_t machine, uint32_t tid,
                                 uint32_t comm)
{
    struct orma_processes *procs = orma_model_processes(model, machine);
    uint32_t utid = orma_processes_thread(procs, tid);

    orma_processes_name_thread(procs, utid, comm, ORMA_THREAD_NAME_FTRACE);
    return utid;
}

/* ---- switches ---- */

/* What ran on a cpu, from `ts` on, has left it unseen: when is not known, nor what followed. */
static void lose_sight(struct orma_model *model, uint32_t utid, int64_t ts)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_THREAD_STATE);
    struct thread_rows *rows = rows_of(model, utid);

    if (!rows)
        return;
    rows->all_seen = 0;
    if (rows->doubtful != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_THREAD_STATE_DUR, rows->doubtful, -1);
    rows->doubtful = ORMA_ROW_NONE;
    if (is_in(model, rows, model->known.Running) &&
        orma_table_int(t, ORMA_THREAD_STATE_TS, rows->last) == ts)
        rows->last = ORMA_ROW_NONE;
}

/* The thread runs here although no switch has put it on: where it was before, it has left unseen.
 */
static void appear(struct orma_model *model, uint32_t utid)
{
    struct thread_rows *rows = rows_of(model, utid);

    if (rows && is_in(model, rows, model->known.Running))
        rows->last = ORMA_ROW_NONE;
}

static struct cpu_sight *sights_of(struct orma_model *model, uint16_t machine)
{
    struct orma_sched *st = state_of(model);

    if (!st || st->sights[machine])
        return st ? st->sights[machine] : NULL;
    st->sights[machine] = malloc(ORMA_CPUS_MAX * sizeof(**st->sights));
    for (unsigned i = 0; st->sights[machine] && i < ORMA_CPUS_MAX; i++)
        st->sights[machine][i] = (struct cpu_sight){.blind_until = INT64_MIN};
    model->storage->failed |= !st->sights[machine];
    return st->sights[machine];
}

static void mismatch(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t cpu,
                     const struct orma_sched_cpu_state *c, uint32_t prev)
{
    struct cpu_sight *sights = sights_of(model, machine);

    if (sights)
        sights[cpu].blind_until = ts;
    orma_stats_inc(orma_model_stats(model, machine), ORMA_STAT_MISMATCHED_SCHED_SWITCH_TIDS);
    lose_sight(model, c->utid,
               orma_table_int(orma_model_table(model, ORMA_TABLE_SCHED_SLICE), ORMA_SCHED_SLICE_TS,
                              c->sched_row));
    appear(model, prev);
}

bool orma_sched_is_repeated(struct orma_model *model, uint16_t machine,
                            const struct orma_sched_cpu_state *c, int64_t ts, uint32_t next_pid)
{
    if (ORMA_LIKELY(c->ts != ts || !c->known || c->pid != next_pid || c->trace == model->trace_row))
        return false;
    orma_stats_inc(orma_model_stats(model, machine), ORMA_STAT_SWITCHES_REPEATED);
    return true;
}

void orma_sched_switch(struct orma_model *model, uint16_t machine, int64_t ts, uint32_t cpu,
                       uint32_t prev_pid, uint32_t prev_comm, int64_t prev_state, uint32_t next_pid,
                       uint32_t next_comm, int32_t next_prio)
{
    struct orma_sched_cpu_state *c = orma_sched_cpu(model, machine, cpu);
    uint32_t state = orma_sched_state_text(model, machine, prev_state);
    uint32_t next = orma_sched_named_thread(model, machine, next_pid, next_comm);
    uint32_t prev;

    if (!c || orma_sched_is_repeated(model, machine, c, ts, next_pid))
        return;
    bool goes_on = !c->known || c->sched_row == ORMA_ROW_NONE || c->pid == prev_pid;
    if (goes_on && c->known)
        orma_sched_end_slice(model, c->sched_row, ts, state);
    prev = orma_sched_named_thread(model, machine, prev_pid, prev_comm);
    if (!goes_on)
        mismatch(model, machine, ts, cpu, c, prev);
    *c = (struct orma_sched_cpu_state){
        .known = true,
        .ts = ts,
        .trace = model->trace_row,
        .pid = next_pid,
        .utid = next,
        .prio = next_prio,
        .comm = next_comm,
        .sched_row = orma_sched_start_slice(model, machine, ts, cpu, next, next_prio)};
    orma_sched_states(model, machine, ts, cpu, prev, state, next);
}

void orma_sched_fini(struct orma_model *model)
{
    struct orma_sched *st = model->sched;

    if (!st)
        return;
    for (unsigned i = 0; i < ORMA_MACHINES_MAX; i++) {
        free(st->sights[i]);
        free(st->cpus[i]);
    }
    free(st->threads);
}
