/*
 * Flame graphs below SQL: what operators/flamegraph_table.c (the table and its configuration)
 * and flamegraph.c (filters, merging, layout) share.
 */
#ifndef ORMA_PROCESSOR_SQL_FLAMEGRAPH_H
#define ORMA_PROCESSOR_SQL_FLAMEGRAPH_H
#include "processor/sql/profiles/profiles.h"

#define ORMA_FG_CONFIG_POINTER "orma_flamegraph_config"
#define ORMA_FG_ARGS 4
#define ORMA_FG_VALUES_MAX 4
#define ORMA_FG_SHOW_MAX 61

/* One setting: tag and arguments; missing ones are NULL. */
struct orma_fg_item {
    char *args[ORMA_FG_ARGS];
};

struct orma_fg_config {
    struct orma_fg_item *items;
    size_t len;
};

/* How a property of merged frames is put together. */
enum orma_fg_property {
    ORMA_FG_NONE,
    ORMA_FG_GROUP,
    ORMA_FG_SUM,
    ORMA_FG_ONE,
    ORMA_FG_CONCAT,
};

/* The rows of the query; row numbers stand for frames. */
struct orma_fg_source {
    struct orma_sql *sql;
    struct orma_dataframe *rows;
    uint32_t *parents; /* rows, UINT32_MAX: roots */
    unsigned name;     /* column */
};

/* A frame of the picture, in order of layout. */
struct orma_fg_row {
    uint32_t parent; /* row of the picture; UINT32_MAX */
    int32_t depth;
    uint32_t name; /* pool id */
    double self[ORMA_FG_VALUES_MAX], cumulative[ORMA_FG_VALUES_MAX];
    double x_start, x_end;
    uint32_t first_member; /* frames of the source that became this one: a list in `members` */
};

struct orma_fg_result {
    struct orma_fg_row *rows;
    uint32_t len;
    unsigned values[ORMA_FG_VALUES_MAX]; /* columns */
    unsigned values_num;
    uint32_t *members; /* (frame, next) pairs; UINT32_MAX ends a list */
    /* By column of the source: how properties are put together (enum orma_fg_property), from where.
     */
    uint8_t *kinds;
    unsigned *from;
};

/* Whether a column of the query is one of the output, too. */
bool orma_fg_is_property(const struct orma_fg_source *src, unsigned col);

/* Finds the rows of parents. 0; -EINVAL: ids are no distinct integers or come too late; -ENOMEM. */
int orma_fg_link(struct orma_fg_source *src, unsigned id, unsigned parent);

/* A cell as a number; 0 for NULL and texts. */
double orma_fg_value(const struct orma_fg_source *src, unsigned col, uint32_t row);

/* A cell as bits that are equal for equal cells. */
uint64_t orma_fg_bits(const struct orma_fg_source *src, unsigned col, uint32_t row);

/* 0; -EINVAL with *ret_error (sqlite3_malloc); -ENOMEM; -ECANCELED. */
int orma_fg_run(const struct orma_fg_source *src, const struct orma_fg_config *config,
                struct orma_fg_result *ret, char **ret_error);
void orma_fg_result_fini(struct orma_fg_result *self);

/* The property of a row of the picture as the result of a column. */
void orma_fg_result_property(const struct orma_fg_source *src, const struct orma_fg_result *result,
                             uint32_t row, unsigned col, sqlite3_context *ctx);
#endif
