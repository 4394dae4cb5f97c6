/*
 * Relatives of slices and call sites, and flows: walks along parent_id and the
 * ends of arrows, linear in what they find.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "processor/sql/operators/operators.h"
#include "processor/sql/tables/idset.h"
#include "processor/sql/tables/index.h"
#include "sdk/base/vec.h"

/* How often walks look whether they should stop, in steps. */
#define INTERRUPT_STEPS 4096

/* The row that the first argument names. 1: *ret is set; 0: NULL; -EINVAL. */
static int take_row(struct orma_tvf_call *call, const struct orma_table *t, const char *what,
                    uint32_t *ret)
{
    sqlite3_value *val = call->argv[0];
    int64_t id = sqlite3_value_int64(val);

    if (sqlite3_value_type(val) == SQLITE_NULL)
        return 0;
    if (sqlite3_value_type(val) != SQLITE_INTEGER)
        return orma_tvf_fail(call, "start id should be an integer.");
    if (id < 0 || id >= t->rows)
        return orma_tvf_fail(call, what, id);
    *ret = (uint32_t)id;
    return 1;
}

static int by_row(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static int sort_rows(struct orma_tvf_call *call)
{
    return orma_sql_sort(call->sql, call->rows.rows, call->rows.len, sizeof(uint32_t), by_row);
}

static bool stop(const struct orma_tvf_call *call, size_t step)
{
    return step % INTERRUPT_STEPS == 0 && orma_sql_is_interrupted(call->sql);
}

/* Adds the rows whose `col` is `val`. */
static void find_rows(struct orma_sql *sql, const struct orma_table *t, unsigned col, uint32_t val,
                      struct orma_rows *ret)
{
    const uint32_t *rows;
    uint32_t num;

    orma_index_expect(sql, t, col);
    if (orma_index_find(sql, t, col, val, &rows, &num)) {
        for (uint32_t i = 0; i < num; i++)
            orma_rows_add(ret, rows[i]);
        return;
    }
    for (uint32_t row = 0; row < t->rows; row++) {
        if (!orma_table_is_null(t, col, row) && orma_table_int(t, col, row) == val)
            orma_rows_add(ret, row);
    }
}

/* ---- ancestors and descendants ---- */

/* A chain of parents has at most as many links as the table has rows. */
static int ancestors(struct orma_tvf_call *call, const struct orma_table *t, unsigned parent,
                     uint32_t row)
{
    for (uint32_t step = 1; step <= t->rows && !orma_table_is_null(t, parent, row); step++) {
        int64_t up = orma_table_int(t, parent, row);

        if (up < 0 || up >= t->rows)
            break;
        if (stop(call, step))
            return -ECANCELED;
        row = (uint32_t)up;
        orma_rows_add(&call->rows, row);
    }
    return sort_rows(call);
}

/* The rows from `from` on in `rows` are those not looked at; children join them. */
static int descendants(struct orma_tvf_call *call, const struct orma_table *t, unsigned parent,
                       uint32_t row)
{
    find_rows(call->sql, t, parent, row, &call->rows);
    for (size_t at = 0; at < call->rows.len && call->rows.len <= t->rows; at++) {
        if (stop(call, at + 1))
            return -ECANCELED;
        find_rows(call->sql, t, parent, call->rows.rows[at], &call->rows);
    }
    return sort_rows(call);
}

static int run_ancestor_slice(struct orma_tvf_call *call)
{
    const struct orma_table *t = &call->sql->storage->tables[ORMA_TABLE_SLICE];
    uint32_t row = 0;
    int r = take_row(call, t, "no row with id %" PRId64, &row);

    return r <= 0 ? r : ancestors(call, t, ORMA_SLICE_PARENT_ID, row);
}

static int run_descendant_slice(struct orma_tvf_call *call)
{
    const struct orma_table *t = &call->sql->storage->tables[ORMA_TABLE_SLICE];
    uint32_t row = 0;
    int r = take_row(call, t, "no row with id %" PRId64, &row);

    return r <= 0 ? r : descendants(call, t, ORMA_SLICE_PARENT_ID, row);
}

static int run_ancestor_callsite(struct orma_tvf_call *call)
{
    const struct orma_table *t = &call->sql->storage->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    uint32_t row = 0;
    int r = take_row(call, t, "no row with id %" PRId64, &row);

    return r <= 0 ? r : ancestors(call, t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row);
}

#define SLICE_COLUMNS                                                                              \
    "id", "ts", "dur", "track_id", "category", "name", "depth", "parent_id", "arg_set_id",         \
        "thread_ts", "thread_dur", "thread_instruction_count", "thread_instruction_delta"

const struct orma_tvf orma_operators_tvf_ancestor_slice = {
    .name = "ancestor_slice",
    .columns = {SLICE_COLUMNS},
    .types = "IIIITTIIIIIII",
    .args = {"start_id"},
    .base = ORMA_TABLE_SLICE + 1,
    .run = run_ancestor_slice,
    .usage = "(id JOINID(slice.id))",
    .doc = "All ancestors of the slice, in order of ids, without the slice itself. NULL gives no "
           "rows; an unknown id is an error.",
};

const struct orma_tvf orma_operators_tvf_descendant_slice = {
    .name = "descendant_slice",
    .columns = {SLICE_COLUMNS},
    .types = "IIIITTIIIIIII",
    .args = {"start_id"},
    .base = ORMA_TABLE_SLICE + 1,
    .run = run_descendant_slice,
    .usage = "(id JOINID(slice.id))",
    .doc = "All descendants of the slice, in order of ids, without the slice itself. NULL gives no "
           "rows; an unknown id is an error.",
};

const struct orma_tvf orma_operators_tvf_ancestor_callsite = {
    .name = "experimental_ancestor_stack_profile_callsite",
    .columns = {"id", "depth", "parent_id", "frame_id"},
    .types = "IIII",
    .args = {"start_id"},
    .base = ORMA_TABLE_STACK_PROFILE_CALLSITE + 1,
    .run = run_ancestor_callsite,
    .usage = "(id JOINID(stack_profile_callsite.id))",
    .doc = "The callers of a call site up to the root, in order of ids.",
};

/* ---- flows ---- */

enum direction { FORWARD, BACKWARD, DIRECTIONS_NUM };
enum relatives { ALONE, WITH_RELATIVES };

/* A slice to look at, and what for. */
struct visit {
    uint32_t slice;
    enum direction dir;
    bool relative; /* reached as one: its own relatives are known */
};

struct walk {
    struct orma_tvf_call *call;
    enum relatives relatives;
    struct visit *queue;
    size_t len, cap;
    struct orma_idset seen[DIRECTIONS_NUM], flows;
    struct orma_rows scratch;
};

static void push(struct walk *w, uint32_t slice, enum direction dir, bool relative)
{
    if (!orma_idset_add(&w->seen[dir], slice))
        return;
    if (ORMA_GROW(&w->queue, &w->cap, w->len + (size_t)1)) {
        w->flows.failed = true;
        return;
    }
    w->queue[w->len++] = (struct visit){slice, dir, relative};
}

/* Children on the way forward, parents on the way back. */
static void push_relatives(struct walk *w, struct visit v)
{
    const struct orma_table *t = &w->call->sql->storage->tables[ORMA_TABLE_SLICE];
    struct orma_tvf_call family = {.sql = w->call->sql};

    if (v.dir == FORWARD)
        (void)descendants(&family, t, ORMA_SLICE_PARENT_ID, v.slice); /* the walk looks, too */
    else
        (void)ancestors(&family, t, ORMA_SLICE_PARENT_ID, v.slice);
    for (size_t i = 0; i < family.rows.len; i++)
        push(w, family.rows.rows[i], v.dir, true);
    w->flows.failed |= family.rows.failed;
    orma_rows_fini(&family.rows);
}

static void push_flows(struct walk *w, struct visit v)
{
    struct orma_sql *sql = w->call->sql;
    const struct orma_table *t = &sql->storage->tables[ORMA_TABLE_FLOW];
    unsigned from = v.dir == FORWARD ? ORMA_FLOW_SLICE_OUT : ORMA_FLOW_SLICE_IN;
    unsigned to = v.dir == FORWARD ? ORMA_FLOW_SLICE_IN : ORMA_FLOW_SLICE_OUT;

    w->scratch.len = 0;
    find_rows(sql, t, from, v.slice, &w->scratch);
    for (size_t i = 0; i < w->scratch.len; i++) {
        uint32_t row = w->scratch.rows[i];

        if (orma_idset_add(&w->flows, row))
            orma_rows_add(&w->call->rows, row);
        push(w, (uint32_t)orma_table_int(t, to, row), v.dir, false);
    }
}

static int walk(struct walk *w)
{
    for (size_t at = 0; at < w->len; at++) {
        struct visit v = w->queue[at];

        if (stop(w->call, at + 1))
            return -ECANCELED;
        push_flows(w, v);
        if (w->relatives == WITH_RELATIVES && !v.relative)
            push_relatives(w, v);
    }
    return w->flows.failed || w->seen[FORWARD].failed || w->seen[BACKWARD].failed ||
                   w->scratch.failed
               ? -ENOMEM
               : 0;
}

static int run_flows(struct orma_tvf_call *call, bool back, bool forward, enum relatives relatives)
{
    struct walk w = {.call = call, .relatives = relatives};
    uint32_t row = 0;
    int r = take_row(call, &call->sql->storage->tables[ORMA_TABLE_SLICE],
                     "invalid slice id %" PRId64, &row);

    if (r <= 0)
        return r;
    if (back)
        push(&w, row, BACKWARD, false);
    if (forward)
        push(&w, row, FORWARD, false);
    r = walk(&w);
    free(w.queue);
    for (int i = 0; i < DIRECTIONS_NUM; i++)
        orma_idset_fini(&w.seen[i]);
    orma_idset_fini(&w.flows);
    orma_rows_fini(&w.scratch);
    return r;
}

static int run_directly_connected(struct orma_tvf_call *call)
{
    return run_flows(call, true, true, ALONE);
}

static int run_following(struct orma_tvf_call *call)
{
    return run_flows(call, false, true, WITH_RELATIVES);
}

static int run_preceding(struct orma_tvf_call *call)
{
    return run_flows(call, true, false, WITH_RELATIVES);
}

const struct orma_tvf orma_operators_tvf_directly_connected_flow = {
    .name = "directly_connected_flow",
    .numbered = true,
    .columns = {"slice_out", "slice_in", "trace_id", "arg_set_id"},
    .types = "IIII",
    .args = {"start_id"},
    .base = ORMA_TABLE_FLOW + 1,
    .run = run_directly_connected,
    .usage = "(slice_id JOINID(slice.id))",
    .doc = "Flows that lead away from the slice or to it, over any number of slices, each followed "
           "in one direction only. NULL gives no rows; an unknown id is an error.",
};

const struct orma_tvf orma_operators_tvf_following_flow = {
    .name = "following_flow",
    .numbered = true,
    .columns = {"slice_out", "slice_in", "trace_id", "arg_set_id"},
    .types = "IIII",
    .args = {"start_id"},
    .base = ORMA_TABLE_FLOW + 1,
    .run = run_following,
    .usage = "(slice_id JOINID(slice.id))",
    .doc = "Flows out of the slice and its descendants, and recursively from the slices that they "
           "reach.",
};

const struct orma_tvf orma_operators_tvf_preceding_flow = {
    .name = "preceding_flow",
    .numbered = true,
    .columns = {"slice_out", "slice_in", "trace_id", "arg_set_id"},
    .types = "IIII",
    .args = {"start_id"},
    .base = ORMA_TABLE_FLOW + 1,
    .run = run_preceding,
    .usage = "(slice_id JOINID(slice.id))",
    .doc = "Flows into the slice and its ancestors, and recursively into the slices that they come "
           "from.",
};
