/*
 * What stops a query: an interrupt from outside or by its owner, more memory than
 * there is, more time than it has. All of them end in one flag, `interrupted`, that loops and
 * SQLite's progress handler look at. Only every
 * ORMA_SQL_MEMORY_LOOKS-th look of a loop asks for the time, and one in 10 ms for the memory, which
 * costs a system call.
 */
#include <errno.h>

#include "processor/sql/base/sql.h"
#include "sdk/base/clock.h"

#define MEMORY_EVERY_NS 10000000u
/* The owner is asked so often: soon for who presses Ctrl-C, and rarely for who has to wait for a
 * lock (of an interpreter, say) to answer. */
#define OWNER_EVERY_NS 30000000u
/* SQLite asks between steps of its machine whether it should go on. A step may be a function over a
 * text of many megabytes: after steps that took so long it asks at the next. */
#define STEPS_MAX 1024
#define STEPS_LONG_NS 10000000u

/* Coarse: no system call, and no limit is that short. */
static uint64_t coarse_now(void)
{
    return orma_clock_now(ORMA_CLOCK_MONOTONIC_COARSE);
}

static bool is_out_of_memory(struct orma_sql_memory *memory, uint64_t now)
{
    if (memory->before_bytes && now - memory->looked_ns < MEMORY_EVERY_NS)
        return memory->out;
    memory->looked_ns = now;
    return orma_sql_memory_is_out(memory);
}

/* What asks may run a statement of its own, or wait: never twice at a time. */
static bool owner_says_stop(struct orma_sql *self, uint64_t now)
{
    if (!self->given.should_stop || now - self->limits.owner_ns < OWNER_EVERY_NS)
        return false;
    self->limits.owner_ns = now;
    return self->given.should_stop(self->given.should_stop_data);
}

void orma_sql_look_at_limits(struct orma_sql *self)
{
    uint64_t now = coarse_now();

    self->limits.asked_ns = now;
    if (self->limits.deadline_ns && now >= self->limits.deadline_ns)
        self->limits.out_of_time = true;
    if (is_out_of_memory(&self->limits.memory, now) || self->limits.out_of_time ||
        owner_says_stop(self, now))
        atomic_store_explicit(&self->run.interrupted, true, memory_order_relaxed);
}

/* The time each time. */
static int look_between_steps(void *data)
{
    struct orma_sql *self = data;
    struct orma_sql_limits *limits = &self->limits;
    const uint64_t before = limits->asked_ns;
    int steps = limits->progress_steps;

    orma_sql_look_at_limits(self);
    if (limits->asked_ns - before > STEPS_LONG_NS)
        steps = 1;
    else if (steps < STEPS_MAX)
        steps *= 2;
    if (steps != limits->progress_steps) {
        limits->progress_steps = steps;
        sqlite3_progress_handler(self->db, steps, look_between_steps, self);
    }
    return orma_sql_is_told_to_stop(self);
}

void orma_sql_watch_steps(struct orma_sql *self)
{
    self->limits.progress_steps = 1;
    sqlite3_progress_handler(self->db, 1, look_between_steps, self);
}

static bool must_stop(void *data)
{
    return orma_sql_is_interrupted(data);
}

int orma_sql_settle_table(struct orma_sql *self, const struct orma_table *table)
{
    int r = orma_storage_settle(self->storage, table, must_stop, self);

    if (r == -ESTALE)
        self->storage->stale = true;
    return r == -ENOMEM      ? SQLITE_NOMEM
           : r == -ECANCELED ? SQLITE_INTERRUPT
           : r               ? SQLITE_ERROR
                             : SQLITE_OK;
}

int orma_sql_settle_args(struct orma_sql *self)
{
    if (orma_args_settle_until(&self->storage->args, must_stop, self))
        return SQLITE_OK;
    return orma_sql_is_told_to_stop(self) ? SQLITE_INTERRUPT : SQLITE_NOMEM;
}

void orma_sql_start_clock(struct orma_sql *self)
{
    self->limits.out_of_time = false;
    self->limits.deadline_ns =
        self->given.time_limit_ns ? coarse_now() + self->given.time_limit_ns : 0;
}

void orma_sql_interrupt(struct orma_sql *self)
{
    /* Not sqlite3_interrupt(): orma_sql_reset() may close the connection meanwhile. */
    atomic_store_explicit(&self->run.interrupted, true, memory_order_relaxed);
}

const char *orma_sql_error_text(struct orma_sql *self)
{
    orma_buf_clear(&self->error_text);
    orma_sql_error_put(&self->error, &self->error_text);
    return orma_buf_cstr(&self->error_text);
}

bool orma_sql_has_table(struct orma_sql *sql, const char *name)
{
    return sqlite3_table_column_metadata(sql->db, "main", name, NULL, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

int orma_sql_run_plain(struct orma_sql *sql, const char *statement)
{
    return sqlite3_exec(sql->db, statement, NULL, NULL, NULL);
}
