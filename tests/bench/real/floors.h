/*
 * The least that the work of each line can cost: plain C over arrays that hold the same rows,
 * scalar, on one thread. CPU seconds, the best of a few runs.
 */
#ifndef ORMA_TESTS_BENCH_REAL_FLOORS_H
#define ORMA_TESTS_BENCH_REAL_FLOORS_H
#include <stdbool.h>
#include <stdint.h>

/* The columns of `slice` that the queries read. */
struct real_columns {
    uint64_t num;
    int64_t *ts, *dur, *arg;                 /* arg: INT64_MIN is NULL */
    uint32_t *track, *name, *depth, *parent; /* parent: UINT32_MAX is NULL */
    char **names;                            /* by number */
    uint32_t *thread_of;                     /* number of the thread's name, by track */
    uint32_t names_num, tracks_num;
};

/* Loads the trace and reads its slices. False: it cannot be loaded (a message is printed). */
bool real_columns_read(struct real_columns *self, const char *trace);
void real_columns_fini(struct real_columns *self);

typedef void real_floor_fn(const struct real_columns *cols);

double real_floor(real_floor_fn *fn, const struct real_columns *cols);

void real_floor_group(const struct real_columns *cols);
void real_floor_lead(const struct real_columns *cols);
void real_floor_top(const struct real_columns *cols);
void real_floor_joins(const struct real_columns *cols);
void real_floor_self_join(const struct real_columns *cols);
void real_floor_like(const struct real_columns *cols);
void real_floor_arg(const struct real_columns *cols);
void real_floor_sum(const struct real_columns *cols);
void real_floor_sorted(const struct real_columns *cols);
void real_floor_rows_out(const struct real_columns *cols);

/* Of an import: every field of every packet is looked at; of JSON: every character. */
double real_floor_import(const char *path, bool json);
#endif
