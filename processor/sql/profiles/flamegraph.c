/*
 * Frames that are equal (name and grouping) under equal parents are merged: a node is found by
 * the hash of its parent and its frame. Top-down views merge from the roots, bottom-up views
 * from each selected frame towards its root, pivots do both. Values are summed up from the
 * leaves, then siblings are sorted by width and laid out from left to right, parents before
 * children.
 */
#include "processor/sql/profiles/flamegraph.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/map.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

#define NONE UINT32_MAX
/* Parents of the first frames, downwards and upwards. */
#define ROOT_DOWN NONE
#define ROOT_UP (NONE - 1)

enum view { VIEW_TOP_DOWN, VIEW_BOTTOM_UP, VIEW_PIVOT, VIEW_FROM_FRAME, VIEWS_NUM };
static const char *const view_names[] = {"TOP_DOWN", "BOTTOM_UP", "PIVOT", "FROM_FRAME"};

enum filter_kind { FILTER_SHOW_STACK, FILTER_HIDE_STACK, FILTER_HIDE_FRAME, FILTERS_NUM };
static const char *const filter_names[] = {"SHOW_STACK", "HIDE_STACK", "HIDE_FRAME"};

static const char *const aggregate_names[] = {"SUM", "ONE_OR_SUMMARY", "CONCAT_WITH_COMMA"};

/* A pattern and what it said of names so far. */
struct pattern {
    enum filter_kind kind;
    unsigned bit; /* SHOW_STACK: which one */
    const char *text, *flags;
    struct orma_map known; /* pool id -> 0 or 1 */
};

/* A merged frame. */
struct node {
    uint32_t parent, name, row; /* row: a frame of the source that it is like */
    int32_t depth;
    double self[ORMA_FG_VALUES_MAX], cumulative[ORMA_FG_VALUES_MAX];
    uint32_t members;
    bool touched; /* some stack that counts goes through it */
};

/* A frame of the source. */
struct mark {
    uint64_t shown; /* filters SHOW_STACK that matched on the way here */
    uint32_t node;  /* what it became, or its nearest ancestor */
    uint32_t pivot; /* the first frame on the way that the view's pattern matches; NONE */
    bool hidden, skipped;
};

struct run {
    const struct orma_fg_source *src;
    struct orma_fg_result *out;
    char **error;
    enum view view;
    struct pattern view_pattern;
    struct pattern *patterns;
    size_t patterns_num;
    unsigned shows;
    unsigned *groups;
    unsigned groups_num;
    sqlite3_stmt *regexp;
    struct mark *marks;
    struct node *nodes;
    uint32_t nodes_num, nodes_cap;
    struct orma_map by_key; /* hash -> last node of that hash + chain */
    uint32_t *chain;        /* nodes of the same hash */
    size_t members_num, members_cap;
    uint64_t turn;
    bool failed; /* memory is out */
};

/* ---- settings ---- */

static int refuse(struct run *s, const char *fmt, ...) ORMA_PRINTF(2, 3);
static int refuse(struct run *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    sqlite3_free(*s->error);
    *s->error = sqlite3_vmprintf(fmt, args);
    va_end(args);
    return *s->error ? -EINVAL : -ENOMEM;
}

static int find_name(const char *const *names, int num, const char *name)
{
    for (int i = 0; name && i < num; i++) {
        if (!strcmp(names[i], name))
            return i;
    }
    return -1;
}

static int take_column(struct run *s, const char *name, unsigned *ret)
{
    int col = name ? orma_dataframe_find(s->src->rows, name) : -1;

    if (col < 0)
        return refuse(s, "flamegraph: the query has no column '%s'", name ? name : "");
    *ret = (unsigned)col;
    return 0;
}

static int take_view(struct run *s, const struct orma_fg_item *it)
{
    int view = find_name(view_names, VIEWS_NUM, it->args[1]);

    if (view < 0)
        return refuse(s, "flamegraph: unknown view '%s'", it->args[1] ? it->args[1] : "");
    s->view = (enum view)view;
    return 0;
}

static int take_filter(struct run *s, const struct orma_fg_item *it)
{
    int kind = find_name(filter_names, FILTERS_NUM, it->args[1]);
    struct pattern *p = &s->patterns[s->patterns_num];

    if (kind < 0 || !it->args[2])
        return refuse(s, "flamegraph: a filter needs a kind (SHOW_STACK, HIDE_STACK, HIDE_FRAME) "
                         "and a pattern");
    *p =
        (struct pattern){.kind = (enum filter_kind)kind, .text = it->args[2], .flags = it->args[3]};
    if (kind == FILTER_SHOW_STACK && s->shows == ORMA_FG_SHOW_MAX)
        return refuse(s, "flamegraph: more than %d filters SHOW_STACK", ORMA_FG_SHOW_MAX);
    if (kind == FILTER_SHOW_STACK)
        p->bit = s->shows++;
    s->patterns_num++;
    return 0;
}

static int take_value(struct run *s, const struct orma_fg_item *it)
{
    struct orma_fg_result *out = s->out;
    int r;

    if (out->values_num == ORMA_FG_VALUES_MAX)
        return refuse(s, "flamegraph: more than %d values", ORMA_FG_VALUES_MAX);
    r = take_column(s, it->args[1], &out->values[out->values_num]);
    out->values_num += r == 0;
    return r;
}

static int take_grouping(struct run *s, const struct orma_fg_item *it)
{
    unsigned col = 0;
    int r = take_column(s, it->args[1], &col);

    if (r < 0)
        return r;
    s->groups[s->groups_num++] = col;
    s->out->kinds[col] = ORMA_FG_GROUP;
    s->out->from[col] = col;
    return 0;
}

static int take_aggregate(struct run *s, const struct orma_fg_item *it)
{
    int kind = find_name(aggregate_names, (int)ORMA_ARRAY_LEN(aggregate_names), it->args[1]);
    unsigned from = 0, to = 0;
    int r;

    if (kind < 0)
        return refuse(s, "flamegraph: unknown aggregate '%s'", it->args[1] ? it->args[1] : "");
    r = take_column(s, it->args[2], &from);
    if (r == 0)
        r = take_column(s, it->args[3] ? it->args[3] : it->args[2], &to);
    if (r < 0)
        return r;
    s->out->kinds[to] = (uint8_t)(ORMA_FG_SUM + kind);
    s->out->from[to] = from;
    return 0;
}

static int take_view_pattern(struct run *s, const struct orma_fg_item *it)
{
    s->view_pattern.text = it->args[1];
    s->view_pattern.flags = it->args[2];
    return 0;
}

static const struct setting {
    const char *tag;
    int (*take)(struct run *s, const struct orma_fg_item *it);
} settings[] = {
    {"view", take_view},     {"view_pattern", take_view_pattern},
    {"filter", take_filter}, {"grouping", take_grouping},
    {"value", take_value},   {"aggregate", take_aggregate},
};

static int take_settings(struct run *s, const struct orma_fg_config *config)
{
    int r = 0;

    for (size_t i = 0; i < config->len && r == 0; i++) {
        const struct orma_fg_item *it = &config->items[i];
        size_t k = 0;

        for (; k < ORMA_ARRAY_LEN(settings) && strcmp(settings[k].tag, it->args[0]); k++)
            ;
        if (k < ORMA_ARRAY_LEN(settings))
            r = settings[k].take(s, it);
        else if (it->args[1]) /* what only holds others may be called as one likes */
            r = refuse(s, "flamegraph: unknown setting '%s'", it->args[0]);
    }
    if (r == 0 && !s->out->values_num)
        r = refuse(s, "flamegraph: needs at least one value");
    if (r == 0 && (s->view == VIEW_PIVOT || s->view == VIEW_FROM_FRAME) != !!s->view_pattern.text)
        r = refuse(s, "flamegraph: views PIVOT and FROM_FRAME need a view_pattern, others take "
                      "none");
    return r;
}

/* ---- filters ---- */

static int matches(struct run *s, struct pattern *p, uint32_t row, bool *ret)
{
    const struct orma_table *t = &s->src->rows->table;
    uint64_t name = (uint64_t)orma_table_int(t, s->src->name, row);
    uint64_t known = orma_map_get(&p->known, name);
    struct orma_str text = orma_strpool_get(&s->src->sql->storage->pool, (uint32_t)name);
    int r;

    if (known != ORMA_MAP_NONE) {
        *ret = known;
        return 0;
    }
    (void)sqlite3_reset(s->regexp); /* its error was reported */
    (void)sqlite3_bind_text(s->regexp, 1, p->text, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s->regexp, 2, text.data ? text.data : "", (int)text.len, SQLITE_STATIC);
    (void)sqlite3_bind_text(s->regexp, 3, p->flags ? p->flags : "", -1, SQLITE_STATIC);
    r = sqlite3_step(s->regexp);
    if (r != SQLITE_ROW)
        return refuse(s, "flamegraph: %s", sqlite3_errmsg(s->src->sql->db));
    *ret = sqlite3_column_int(s->regexp, 0);
    return orma_map_put(&p->known, name, *ret);
}

static int mark_row(struct run *s, uint32_t row)
{
    uint32_t parent = s->src->parents[row];
    struct mark *m = &s->marks[row];
    bool yes = false;
    int r = 0;

    *m = parent == NONE ? (struct mark){.pivot = NONE} : s->marks[parent];
    m->node = ROOT_DOWN;
    m->skipped = false;
    for (size_t i = 0; i < s->patterns_num && r == 0; i++) {
        struct pattern *p = &s->patterns[i];

        r = matches(s, p, row, &yes);
        if (r < 0 || !yes)
            continue;
        if (p->kind == FILTER_SHOW_STACK)
            m->shown |= 1ull << p->bit;
        else if (p->kind == FILTER_HIDE_STACK)
            m->hidden = true;
        else
            m->skipped = true;
    }
    if (r == 0 && s->view_pattern.text && m->pivot == NONE) {
        r = matches(s, &s->view_pattern, row, &yes);
        if (r == 0 && yes)
            m->pivot = row;
    }
    return r;
}

/* Whether the stack that ends here counts, and has anything to add. */
static bool counts(const struct run *s, uint32_t row)
{
    const struct mark *m = &s->marks[row];

    if (m->hidden || m->shown != (1ull << s->shows) - 1 ||
        (s->view_pattern.text && m->pivot == NONE))
        return false;
    for (unsigned k = 0; k < s->out->values_num; k++) {
        if (orma_fg_value(s->src, s->out->values[k], row) != 0)
            return true;
    }
    return false;
}

/* ---- merging ---- */

static bool same_frame(const struct run *s, const struct node *n, uint32_t parent, uint32_t row)
{
    if (n->parent != parent ||
        n->name != (uint32_t)orma_table_int(&s->src->rows->table, s->src->name, row))
        return false;
    for (unsigned i = 0; i < s->groups_num; i++) {
        if (orma_fg_bits(s->src, s->groups[i], n->row) != orma_fg_bits(s->src, s->groups[i], row))
            return false;
    }
    return true;
}

static uint64_t hash_frame(const struct run *s, uint32_t parent, uint32_t row)
{
    uint64_t h = ((uint64_t)parent + 1) * 0x9e3779b97f4a7c15u;

    h = (h ^ (uint64_t)orma_table_int(&s->src->rows->table, s->src->name, row)) *
        0xff51afd7ed558ccdu;
    for (unsigned i = 0; i < s->groups_num; i++)
        h = (h ^ (h >> 29) ^ orma_fg_bits(s->src, s->groups[i], row)) * 0xff51afd7ed558ccdu;
    return (h ^ h >> 32) & (UINT64_MAX >> 1);
}

static bool grow_nodes(struct run *s)
{
    uint32_t cap = s->nodes_cap, chain_cap = s->nodes_cap;

    if (ORMA_GROW(&s->nodes, &cap, s->nodes_num + (size_t)1) ||
        ORMA_GROW(&s->chain, &chain_cap, s->nodes_num + (size_t)1))
        return false;
    s->nodes_cap = cap;
    return true;
}

/* The frame of the picture below `parent` for a frame of the source; NONE: no memory. */
static uint32_t merge(struct run *s, uint32_t parent, uint32_t row)
{
    uint64_t hash = hash_frame(s, parent, row), first = orma_map_get(&s->by_key, hash);
    uint32_t at = first == ORMA_MAP_NONE ? NONE : (uint32_t)first;

    for (; at != NONE; at = s->chain[at]) {
        if (same_frame(s, &s->nodes[at], parent, row))
            return at;
    }
    if ((s->nodes_num == s->nodes_cap && !grow_nodes(s)) || s->nodes_num == ROOT_UP - 1 ||
        orma_map_put(&s->by_key, hash, s->nodes_num) < 0) {
        s->failed = true;
        return NONE;
    }
    at = s->nodes_num++;
    s->chain[at] = first == ORMA_MAP_NONE ? NONE : (uint32_t)first;
    s->nodes[at] = (struct node){
        .parent = parent,
        .name = (uint32_t)orma_table_int(&s->src->rows->table, s->src->name, row),
        .row = row,
        .members = NONE,
    };
    if (parent == ROOT_DOWN || parent == ROOT_UP)
        s->nodes[at].depth = parent == ROOT_DOWN ? 1 : -1;
    else
        s->nodes[at].depth = s->nodes[parent].depth + (s->nodes[parent].depth > 0 ? 1 : -1);
    return at;
}

static void add_member(struct run *s, uint32_t node, uint32_t row)
{
    if (s->members_num >= NONE - 1 ||
        ORMA_GROW(&s->out->members, &s->members_cap, 2 * s->members_num + 2)) {
        s->failed = true;
        return;
    }
    s->out->members[2 * s->members_num] = row;
    s->out->members[2 * s->members_num + 1] = s->nodes[node].members;
    s->nodes[node].members = (uint32_t)s->members_num++;
}

static void add_values(struct run *s, uint32_t node, const double *values)
{
    for (unsigned k = 0; k < s->out->values_num; k++)
        s->nodes[node].self[k] += values[k];
    s->nodes[node].touched = true;
}

static void values_at(const struct run *s, uint32_t row, double *ret)
{
    for (unsigned k = 0; k < s->out->values_num; k++)
        ret[k] = orma_fg_value(s->src, s->out->values[k], row);
}

static int stop(struct run *s)
{
    return s->failed ? -ENOMEM : orma_sql_should_stop(s->src->sql, ++s->turn) ? -ECANCELED : 0;
}

static int merge_down(struct run *s)
{
    double values[ORMA_FG_VALUES_MAX];
    int r = 0;

    for (uint32_t row = 0; row < s->src->rows->table.rows && r == 0; row++) {
        struct mark *m = &s->marks[row];
        uint32_t parent = s->src->parents[row];

        if (s->view_pattern.text && m->pivot == NONE)
            continue; /* above the first frame of interest */
        m->node = parent == NONE ? ROOT_DOWN : s->marks[parent].node;
        if (!m->skipped)
            m->node = merge(s, m->node, row);
        if (!s->failed && !m->skipped)
            add_member(s, m->node, row);
        if (!s->failed && m->node != ROOT_DOWN && counts(s, row)) {
            values_at(s, row, values);
            add_values(s, m->node, values);
        }
        r = stop(s);
    }
    return r;
}

/* From a frame to its root; the values belong to the end. */
static int merge_up(struct run *s, uint32_t row, const double *values)
{
    uint32_t node = ROOT_UP;
    int r = 0;

    for (; row != NONE && r == 0; row = s->src->parents[row]) {
        if (!s->marks[row].skipped) {
            node = merge(s, node, row);
            if (!s->failed)
                add_member(s, node, row);
        }
        r = stop(s);
    }
    if (r == 0 && node != ROOT_UP)
        add_values(s, node, values);
    return r;
}

static int merge_all_up(struct run *s)
{
    double values[ORMA_FG_VALUES_MAX];
    int r = 0;

    for (uint32_t row = 0; row < s->src->rows->table.rows && r == 0; row++) {
        if (!counts(s, row))
            continue;
        values_at(s, row, values);
        r = merge_up(s, row, values);
    }
    return r;
}

/* What lies below the first frame of interest of each stack, seen upwards from there. */
static int merge_pivots_up(struct run *s)
{
    uint32_t rows = s->src->rows->table.rows;
    double *sums = calloc((size_t)rows + 1, sizeof(double[ORMA_FG_VALUES_MAX]));
    bool *any = calloc((size_t)rows + 1, sizeof(*any));
    double values[ORMA_FG_VALUES_MAX];
    int r = sums && any ? 0 : -ENOMEM;

    for (uint32_t row = 0; row < rows && r == 0; row++) {
        uint32_t pivot = s->marks[row].pivot;

        if (!counts(s, row))
            continue;
        values_at(s, row, values);
        for (unsigned k = 0; k < s->out->values_num; k++)
            sums[(size_t)pivot * ORMA_FG_VALUES_MAX + k] += values[k];
        any[pivot] = true;
    }
    for (uint32_t row = 0; row < rows && r == 0; row++) {
        if (any[row])
            r = merge_up(s, row, &sums[(size_t)row * ORMA_FG_VALUES_MAX]);
    }
    free(sums);
    free(any);
    return r;
}

/* Nodes come after their parents. */
static void sum_up(struct run *s)
{
    for (uint32_t i = s->nodes_num; i-- > 0;) {
        struct node *n = &s->nodes[i];
        bool root = n->parent == ROOT_DOWN || n->parent == ROOT_UP;

        for (unsigned k = 0; k < s->out->values_num; k++) {
            n->cumulative[k] += n->self[k];
            if (!root)
                s->nodes[n->parent].cumulative[k] += n->cumulative[k];
        }
        if (!root)
            s->nodes[n->parent].touched |= n->touched;
    }
}

/* ---- layout ---- */

struct child {
    uint32_t parent, node;
    double width;
};

static int by_place(const void *a, const void *b)
{
    const struct child *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->width != y->width)
        return x->width > y->width ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* The children of a node in `list`, which is in order: the first place that is not before it. */
static size_t children_of(const struct child *list, size_t num, uint32_t parent)
{
    return ORMA_LOWER_BOUND(list, num, .parent, parent);
}

static void put_children(struct run *s, const struct child *list, size_t num, uint32_t node,
                         uint32_t parent_row, uint32_t *row_nodes)
{
    struct orma_fg_result *out = s->out;
    double x = parent_row == NONE ? 0 : out->rows[parent_row].x_start;

    for (size_t i = children_of(list, num, node); i < num && list[i].parent == node; i++) {
        const struct node *n = &s->nodes[list[i].node];
        struct orma_fg_row *row = &out->rows[out->len];

        *row = (struct orma_fg_row){.parent = parent_row,
                                    .depth = n->depth,
                                    .name = n->name,
                                    .x_start = x,
                                    .x_end = x + ORMA_MAX(n->cumulative[0], 0.0),
                                    .first_member = n->members};
        memcpy(row->self, n->self, sizeof(row->self));
        memcpy(row->cumulative, n->cumulative, sizeof(row->cumulative));
        x = row->x_end;
        row_nodes[out->len++] = list[i].node;
    }
}

static int lay_out(struct run *s)
{
    struct child *list = malloc(((size_t)s->nodes_num + 1) * sizeof(*list));
    uint32_t *row_nodes = malloc(((size_t)s->nodes_num + 1) * sizeof(*row_nodes));
    size_t num = 0;
    int r = 0;

    s->out->rows = malloc(((size_t)s->nodes_num + 1) * sizeof(*s->out->rows));
    if (!list || !row_nodes || !s->out->rows)
        r = -ENOMEM;
    for (uint32_t i = 0; r == 0 && i < s->nodes_num; i++) {
        if (s->nodes[i].touched)
            list[num++] = (struct child){s->nodes[i].parent, i, s->nodes[i].cumulative[0]};
    }
    if (r == 0)
        r = orma_sql_sort(s->src->sql, list, num, sizeof(*list), by_place);
    if (r == 0) {
        put_children(s, list, num, ROOT_DOWN, NONE, row_nodes);
        put_children(s, list, num, ROOT_UP, NONE, row_nodes);
    }
    for (uint32_t at = 0; r == 0 && at < s->out->len; at++) {
        put_children(s, list, num, row_nodes[at], at, row_nodes);
        r = stop(s);
    }
    free(list);
    free(row_nodes);
    return r;
}

/* ---- all of it ---- */

static int merge_view(struct run *s)
{
    int r = 0;

    if (s->view != VIEW_BOTTOM_UP)
        r = merge_down(s);
    if (r == 0 && s->view == VIEW_BOTTOM_UP)
        r = merge_all_up(s);
    if (r == 0 && s->view == VIEW_PIVOT)
        r = merge_pivots_up(s);
    return r;
}

static int prepare(struct run *s, const struct orma_fg_config *config)
{
    unsigned columns = s->src->rows->columns_num;

    s->patterns = calloc(config->len + 1, sizeof(*s->patterns));
    s->groups = calloc(config->len + 1, sizeof(*s->groups));
    s->out->kinds = calloc(columns + 1, sizeof(*s->out->kinds));
    s->out->from = calloc(columns + 1, sizeof(*s->out->from));
    s->marks = calloc((size_t)s->src->rows->table.rows + 1, sizeof(*s->marks));
    if (!s->patterns || !s->groups || !s->out->kinds || !s->out->from || !s->marks)
        return -ENOMEM;
    if (s->src->rows->columns[s->src->name].type == ORMA_DATAFRAME_DOUBLE ||
        (s->src->rows->columns[s->src->name].type == ORMA_DATAFRAME_INT &&
         s->src->rows->table.columns[s->src->name].valid))
        return refuse(s, "flamegraph: names must be strings");
    return sqlite3_prepare_v2(s->src->sql->db, "SELECT __intrinsic_regexp(?1, ?2, ?3)", -1,
                              &s->regexp, NULL)
               ? refuse(s, "flamegraph: %s", sqlite3_errmsg(s->src->sql->db))
               : 0;
}

int orma_fg_run(const struct orma_fg_source *src, const struct orma_fg_config *config,
                struct orma_fg_result *ret, char **ret_error)
{
    struct run s = {.src = src, .out = ret, .error = ret_error};
    int r = prepare(&s, config);

    if (r == 0)
        r = take_settings(&s, config);
    for (uint32_t row = 0; row < src->rows->table.rows && r == 0; row++) {
        r = mark_row(&s, row);
        if (r == 0)
            r = stop(&s);
    }
    if (r == 0)
        r = merge_view(&s);
    if (r == 0) {
        sum_up(&s);
        r = lay_out(&s);
    }
    (void)sqlite3_finalize(s.regexp); /* its error was reported */
    for (size_t i = 0; i < s.patterns_num; i++)
        orma_map_fini(&s.patterns[i].known);
    orma_map_fini(&s.view_pattern.known);
    orma_map_fini(&s.by_key);
    free(s.patterns);
    free(s.groups);
    free(s.marks);
    free(s.nodes);
    free(s.chain);
    return r;
}
