/*
 * Slices as pictures: packed into rows, and flattened to the innermost one.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/operators/operators.h"
#include "processor/sql/tables/idset.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

/* ---- experimental_slice_layout ---- */

/* A root with all that lies in it: takes `height` rows from `at` on. */
struct group {
    int64_t start, end;
    uint32_t root;
    uint32_t height, at;
};

struct layout {
    struct orma_tvf_call *call;
    const struct orma_table *slices;
    struct orma_idset tracks;
    struct orma_rows rows; /* slices of the tracks */
    uint32_t *group_of;    /* of each of `rows` */
    struct group *groups;  /* one for each root */
    struct group **open;   /* those that have not ended, by `at` */
    uint32_t *root_group;  /* by slice: its group + 1; 0: none */
    uint32_t groups_num, open_num;
};

/* "1,2,3": blanks are fine. */
static int take_tracks(struct layout *l)
{
    struct orma_str rest, part;

    if (sqlite3_value_type(l->call->argv[0]) == SQLITE_NULL)
        return 0;
    if (sqlite3_value_type(l->call->argv[0]) != SQLITE_TEXT)
        return orma_tvf_fail(l->call, "invalid input track id list: expected a string");
    rest = orma_value_str(l->call->argv[0]);
    while (orma_str_cut(&rest, ',', &part)) {
        uint64_t id;

        part = orma_str_trim(part);
        if (!part.len)
            continue;
        if (!orma_str_to_u64(part, &id) || id >= UINT32_MAX)
            return orma_tvf_fail(l->call, "invalid input track id '%.*s'", (int)part.len,
                                 part.data);
        (void)orma_idset_add(&l->tracks, (uint32_t)id); /* failure is sticky */
    }
    return l->tracks.failed ? -ENOMEM : 0;
}

static int64_t slice_end(const struct orma_table *t, uint32_t row)
{
    int64_t end, dur = orma_table_int(t, ORMA_SLICE_DUR, row);

    if (dur == -1 || __builtin_add_overflow(orma_table_int(t, ORMA_SLICE_TS, row), dur, &end))
        return INT64_MAX;
    return end;
}

/* The group of the slice's root; parents come before children. */
static uint32_t group_for(struct layout *l, uint32_t row)
{
    const struct orma_table *t = l->slices;
    struct group *g;
    int64_t up = orma_table_int(t, ORMA_SLICE_PARENT_ID, row);

    if (!orma_table_is_null(t, ORMA_SLICE_PARENT_ID, row) && up >= 0 && up < row &&
        l->root_group[up])
        return l->root_group[up] - 1;
    g = &l->groups[l->groups_num];
    *g = (struct group){.start = orma_table_int(t, ORMA_SLICE_TS, row), .root = row};
    g->end = g->start;
    return l->groups_num++;
}

static int make_groups(struct layout *l)
{
    const struct orma_table *t = l->slices;

    for (uint32_t row = 0; row < t->rows; row++) {
        if (orma_sql_should_stop(l->call->sql, row + 1u))
            return -ECANCELED;
        if (orma_idset_has(&l->tracks, (uint32_t)orma_table_int(t, ORMA_SLICE_TRACK_ID, row)))
            orma_rows_add(&l->rows, row);
    }
    if (l->rows.failed)
        return -ENOMEM;
    l->group_of = calloc(l->rows.len + 1, sizeof(*l->group_of));
    l->groups = calloc(l->rows.len + 1, sizeof(*l->groups));
    l->open = calloc(l->rows.len + 1, sizeof(struct group *));
    l->root_group = calloc((size_t)t->rows + 1, sizeof(*l->root_group));
    if (!l->group_of || !l->groups || !l->open || !l->root_group)
        return -ENOMEM;
    for (size_t i = 0; i < l->rows.len; i++) {
        uint32_t row = l->rows.rows[i], at = group_for(l, row);
        struct group *g = &l->groups[at];
        int64_t depth = orma_table_int(t, ORMA_SLICE_DEPTH, row);

        l->group_of[i] = at;
        l->root_group[row] = at + 1;
        g->end = ORMA_MAX(g->end, slice_end(t, row));
        g->height = ORMA_MAX(g->height, (uint32_t)ORMA_MAX(depth, 0) + 1);
    }
    return 0;
}

/* By start; of those that start together the taller ones first. */
static int by_start(const void *a, const void *b)
{
    const struct group *x = *(const struct group *const *)a, *y = *(const struct group *const *)b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->height != y->height)
        return x->height > y->height ? -1 : 1;
    return x->root < y->root ? -1 : x->root > y->root;
}

/* The first rows that nothing open takes. */
static void place(struct layout *l, struct group *g)
{
    uint32_t kept = 0, at = 0, where = 0;

    for (uint32_t i = 0; i < l->open_num; i++) {
        if (l->open[i]->end > g->start)
            l->open[kept++] = l->open[i];
    }
    for (; where < kept && l->open[where]->at < at + g->height; where++)
        at = ORMA_MAX(at, l->open[where]->at + l->open[where]->height);
    g->at = at;
    memmove(l->open + where + 1, l->open + where, (kept - where) * sizeof(*l->open));
    l->open[where] = g;
    l->open_num = kept + 1;
}

static int place_all(struct layout *l)
{
    struct group **order = calloc((size_t)l->groups_num + 1, sizeof(struct group *));
    int r = order ? 0 : -ENOMEM;

    for (uint32_t i = 0; order && i < l->groups_num; i++)
        order[i] = &l->groups[i];
    if (order)
        r = orma_sql_sort(l->call->sql, order, l->groups_num, sizeof(struct group *), by_start);
    for (uint32_t i = 0; r == 0 && i < l->groups_num; i++) {
        place(l, order[i]);
        if (orma_sql_should_stop(l->call->sql, i + 1u))
            r = -ECANCELED;
    }
    free(order);
    return r;
}

static int run_layout(struct orma_tvf_call *call)
{
    struct layout l = {.call = call, .slices = &call->sql->storage->tables[ORMA_TABLE_SLICE]};
    int r = take_tracks(&l);

    if (r == 0 && l.tracks.len)
        r = make_groups(&l);
    if (r == 0)
        r = place_all(&l);
    for (size_t i = 0; r == 0 && i < l.rows.len; i++) {
        uint32_t row = orma_dataframe_add(call->frame), slice = l.rows.rows[i];

        orma_dataframe_put_int(call->frame, 0, row, slice);
        orma_dataframe_put_int(call->frame, 1, row,
                               l.groups[l.group_of[i]].at +
                                   orma_table_int(l.slices, ORMA_SLICE_DEPTH, slice));
    }
    orma_idset_fini(&l.tracks);
    orma_rows_fini(&l.rows);
    free(l.group_of);
    free(l.groups);
    free(l.open);
    free(l.root_group);
    return r;
}

const struct orma_tvf orma_operators_tvf_slice_layout = {
    .name = "experimental_slice_layout",
    .columns = {"id", "layout_depth"},
    .types = "II",
    .args = {"filter_track_ids"},
    .run = run_layout,
    .usage = "(track_ids STRING)",
    .doc = "Slices of the tracks (ids separated by commas) packed into rows: id, layout_depth. A "
           "root slice and its descendants stay together and take the first free rows.",
};

/* ---- experimental_flat_slice ---- */

enum { F_TS, F_DUR, F_TRACK, F_CATEGORY, F_NAME, F_ARGS, F_SOURCE, F_START_BOUND, F_END_BOUND };

#define GAP UINT32_MAX

/* A track whose first root was seen. */
struct flat_track {
    uint32_t top;  /* the innermost slice that is open; GAP: none */
    uint32_t told; /* the row of the result that lasts */
};

struct flat {
    struct orma_tvf_call *call;
    const struct orma_table *slices;
    int64_t start_bound, end_bound;
    struct orma_map by_track; /* track -> place in `tracks` */
    struct flat_track *tracks;
    size_t len, cap;
};

static void put_cell(struct flat *f, unsigned col, uint32_t row, unsigned from, uint32_t slice)
{
    if (orma_table_is_null(f->slices, from, slice))
        return;
    if (f->slices->columns[from].kind == ORMA_COL_STRING)
        orma_dataframe_put_str(f->call->frame, col, row,
                               (uint32_t)orma_table_int(f->slices, from, slice));
    else
        orma_dataframe_put_int(f->call->frame, col, row, orma_table_int(f->slices, from, slice));
}

/* A row that begins at `ts` and lasts; `slice` may be GAP. */
static void begin_row(struct flat *f, struct flat_track *t, int64_t track, int64_t ts,
                      uint32_t slice)
{
    struct orma_dataframe *out = f->call->frame;
    uint32_t row = orma_dataframe_add(out);

    t->told = row;
    orma_dataframe_put_int(out, F_TS, row, ts);
    orma_dataframe_put_int(out, F_TRACK, row, track);
    orma_dataframe_put_int(out, F_START_BOUND, row, f->start_bound);
    orma_dataframe_put_int(out, F_END_BOUND, row, f->end_bound);
    if (slice == GAP)
        return;
    put_cell(f, F_CATEGORY, row, ORMA_SLICE_CATEGORY, slice);
    put_cell(f, F_NAME, row, ORMA_SLICE_NAME, slice);
    put_cell(f, F_ARGS, row, ORMA_SLICE_ARG_SET_ID, slice);
    orma_dataframe_put_int(out, F_SOURCE, row, slice);
}

static void end_row(struct flat *f, const struct flat_track *t, int64_t ts)
{
    struct orma_dataframe *out = f->call->frame;
    int64_t dur;

    if (out->failed || __builtin_sub_overflow(ts, orma_table_int(&out->table, F_TS, t->told), &dur))
        dur = INT64_MAX;
    orma_dataframe_put_int(out, F_DUR, t->told, dur);
}

static uint32_t parent_of(const struct flat *f, uint32_t slice)
{
    return orma_table_is_null(f->slices, ORMA_SLICE_PARENT_ID, slice)
               ? GAP
               : (uint32_t)orma_table_int(f->slices, ORMA_SLICE_PARENT_ID, slice);
}

/* Slices that end until then: what is below each of them shows again. */
static void close_until(struct flat *f, struct flat_track *t, int64_t track, int64_t ts)
{
    while (t->top != GAP && slice_end(f->slices, t->top) <= ts) {
        int64_t end = slice_end(f->slices, t->top);

        t->top = parent_of(f, t->top);
        end_row(f, t, end);
        begin_row(f, t, track, end, t->top);
    }
}

/* NULL: its first root was not seen yet, or memory is out. */
static struct flat_track *track_of(struct flat *f, int64_t track, uint32_t slice)
{
    uint64_t at = orma_map_get(&f->by_track, (uint64_t)track);

    if (at != ORMA_MAP_NONE)
        return &f->tracks[at];
    if (parent_of(f, slice) != GAP)
        return NULL;
    if (ORMA_GROW(&f->tracks, &f->cap, f->len + 1) ||
        orma_map_put(&f->by_track, (uint64_t)track, f->len) < 0) {
        f->call->frame->failed = true;
        return NULL;
    }
    f->tracks[f->len] = (struct flat_track){.top = GAP};
    begin_row(f, &f->tracks[f->len], track, f->start_bound, GAP);
    return &f->tracks[f->len++];
}

static void add_slice(struct flat *f, uint32_t row)
{
    int64_t ts = orma_table_int(f->slices, ORMA_SLICE_TS, row);
    int64_t track = orma_table_int(f->slices, ORMA_SLICE_TRACK_ID, row);
    struct flat_track *t;

    if (orma_table_int(f->slices, ORMA_SLICE_DUR, row) == 0 || ts < f->start_bound ||
        ts >= f->end_bound)
        return;
    t = track_of(f, track, row);
    if (!t)
        return;
    close_until(f, t, track, ts);
    end_row(f, t, ts);
    begin_row(f, t, track, ts, row);
    t->top = row;
}

static void finish_tracks(struct flat *f)
{
    for (size_t i = 0; i < f->len; i++) {
        struct flat_track *t = &f->tracks[i];

        close_until(f, t, orma_table_int(&f->call->frame->table, F_TRACK, t->told), f->end_bound);
        end_row(f, t, f->end_bound);
    }
}

static int run_flat(struct orma_tvf_call *call)
{
    const struct orma_table *t = &call->sql->storage->tables[ORMA_TABLE_SLICE];
    struct flat f = {.call = call, .slices = t};
    int r = 0;

    if (sqlite3_value_type(call->argv[0]) != SQLITE_INTEGER ||
        sqlite3_value_type(call->argv[1]) != SQLITE_INTEGER)
        return orma_tvf_fail(call, "start_bound and end_bound must be integers");
    r = orma_sql_settle_args(call->sql);
    if (r)
        return r == SQLITE_INTERRUPT ? -ECANCELED : -ENOMEM;
    f.start_bound = sqlite3_value_int64(call->argv[0]);
    f.end_bound = sqlite3_value_int64(call->argv[1]);
    for (uint32_t row = 0; r == 0 && row < t->rows && !call->frame->failed; row++) {
        add_slice(&f, row);
        if (orma_sql_should_stop(call->sql, row + 1u))
            r = -ECANCELED;
    }
    if (r == 0 && !call->frame->failed)
        finish_tracks(&f);
    orma_map_fini(&f.by_track);
    free(f.tracks);
    return r;
}

const struct orma_tvf orma_operators_tvf_flat_slice = {
    .name = "experimental_flat_slice",
    .numbered = true,
    .columns = {"ts", "dur", "track_id", "category", "name", "arg_set_id", "source_id",
                "start_bound", "end_bound"},
    .types = "IIITTIIII",
    .args = {"start_bound", "end_bound"},
    .run = run_flat,
    .usage = "(start_bound TIMESTAMP, end_bound TIMESTAMP)",
    .doc = "By track, the innermost slice at each time from start_bound to end_bound; NULL where "
           "there is none. Only slices that start within the bounds count, on each track from its "
           "first root slice on.",
};
