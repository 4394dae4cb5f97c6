/*
 * Scans of graphs: values that SQL carries from node to node.
 *
 * Nodes are taken in waves: a node belongs to the wave behind the longest way to
 * it. For each wave the step query reads `$table`, which has a row for each row of
 * each node that leads to a node of the wave, under the id of the latter; what
 * the query gives are rows of these nodes.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/operators/graph.h"
#include "sdk/base/buf.h"

#define COLUMNS_MAX 16
#define NONE ORMA_NODE_NONE

struct scan {
    struct orma_sql *sql;
    const struct orma_graph *g;
    const char *names[COLUMNS_MAX + 1]; /* id first */
    struct orma_buf name_texts;
    unsigned columns;
    struct orma_dataframe *out;
    uint32_t *wave;        /* of each node; NONE: out of reach */
    uint32_t *tail;        /* its last one */
    uint32_t *head;        /* of each node: its first row of `out`, NONE */
    struct orma_ints next; /* of each row: the next one of the same node, -1 */
    sqlite3_stmt *stmt;
    int from_step[COLUMNS_MAX + 1]; /* column of the statement for each of ours */
};

/* ---- setting up ---- */

/* "(a, b)" or "a, b" as names, behind id. */
static int take_columns(struct scan *s, sqlite3_context *ctx, struct orma_str list)
{
    struct orma_token tok;
    size_t at[COLUMNS_MAX];
    unsigned num = 0;

    for (tok = orma_token_next_solid(list, 0); tok.kind != ORMA_TOK_END;
         tok = orma_token_next_solid(list, tok.at + tok.len)) {
        if (tok.kind != ORMA_TOK_WORD)
            continue;
        if (num == COLUMNS_MAX) {
            orma_result_error(ctx, "graph scan: more than %d columns", COLUMNS_MAX);
            return -EINVAL;
        }
        at[num++] = s->name_texts.len;
        orma_buf_put(&s->name_texts, list.data + tok.at, tok.len);
        orma_buf_put_byte(&s->name_texts, 0);
    }
    if (s->name_texts.failed)
        return -ENOMEM;
    s->names[0] = "id";
    for (unsigned i = 0; i < num; i++)
        s->names[i + 1] = (const char *)s->name_texts.data + at[i];
    s->columns = num + 1;
    return 0;
}

/* The step query with what $table stands for. */
static int prepare_step(struct scan *s, sqlite3_context *ctx, struct orma_str sql)
{
    struct orma_buf text = {0};
    struct orma_token tok = orma_token_next_solid(sql, 0);
    bool bare = tok.kind != ORMA_TOK_OPEN; /* macros pass it in parentheses */
    int r;

    orma_buf_put_str(&text, bare ? "SELECT * FROM (" : "SELECT * FROM ");
    for (tok = orma_token_next(sql, 0); tok.kind != ORMA_TOK_END;
         tok = orma_token_next(sql, tok.at + tok.len)) {
        if (!orma_str_eq_c(orma_token_text(sql, tok), "$table")) {
            orma_buf_put(&text, sql.data + tok.at, tok.len);
            continue;
        }
        for (unsigned i = 0; i < s->columns; i++)
            orma_buf_printf(&text, "%sc%u AS %s", i ? ", " : "(SELECT ", i, s->names[i]);
        orma_buf_put_str(&text, " FROM __intrinsic_table_ptr(?1)");
        for (unsigned i = 0; i < s->columns; i++)
            orma_buf_printf(&text, "%s__intrinsic_table_ptr_bind(c%u, '%s')",
                            i ? " AND " : " WHERE ", i, s->names[i]);
        orma_buf_put_str(&text, ")");
    }
    orma_buf_put_str(&text, bare ? ")" : "");
    r = text.failed ? SQLITE_NOMEM
                    : sqlite3_prepare_v2(s->sql->db, orma_buf_cstr(&text), -1, &s->stmt, NULL);
    orma_buf_fini(&text);
    if (r == SQLITE_NOMEM)
        return -ENOMEM;
    if (r || !s->stmt) {
        orma_result_error(ctx, "graph scan: step query: %s",
                          r ? sqlite3_errmsg(s->sql->db) : "is empty");
        return -EINVAL;
    }
    return 0;
}

static int map_step(struct scan *s, sqlite3_context *ctx)
{
    int num = sqlite3_column_count(s->stmt);

    for (unsigned i = 0; i < s->columns; i++) {
        s->from_step[i] = -1;
        for (int k = 0; k < num && s->from_step[i] < 0; k++) {
            if (!sqlite3_stricmp(sqlite3_column_name(s->stmt, k), s->names[i]))
                s->from_step[i] = k;
        }
        if (s->from_step[i] < 0) {
            orma_result_error(ctx, "graph scan: the step query has no column '%s'", s->names[i]);
            return -EINVAL;
        }
    }
    return 0;
}

/* ---- rows ---- */

static void copy_cell(struct orma_dataframe *to, unsigned col, uint32_t row,
                      const struct orma_dataframe *from, unsigned from_col, uint32_t from_row)
{
    const struct orma_table *t = &from->table;

    if (orma_table_is_null(t, from_col, from_row))
        return;
    if (t->columns[from_col].kind == ORMA_COL_STRING)
        orma_dataframe_put_str(to, col, row, (uint32_t)orma_table_int(t, from_col, from_row));
    else if (t->columns[from_col].kind == ORMA_COL_DOUBLE)
        orma_dataframe_put_double(to, col, row,
                                  orma_column_double(&t->columns[from_col], from_row));
    else
        orma_dataframe_put_int(to, col, row, orma_table_int(t, from_col, from_row));
}

/* The last row of `out` joins those of its node. */
static void link_row(struct scan *s, uint32_t row, int64_t id)
{
    uint32_t n = s->g ? orma_graph_find(s->g, id) : NONE;

    orma_ints_add(&s->next, -1);
    if (n == NONE || s->next.failed)
        return;
    if (s->head[n] == NONE)
        s->head[n] = row;
    else
        s->next.data[s->tail[n]] = row;
    s->tail[n] = row;
}

static int add_init(struct scan *s, sqlite3_context *ctx, const struct orma_dataframe *init)
{
    int cols[COLUMNS_MAX + 1];

    for (unsigned i = 0; i < s->columns; i++) {
        cols[i] = orma_dataframe_find(init, s->names[i]);
        if (cols[i] < 0) {
            orma_result_error(ctx, "graph scan: the first rows have no column '%s'", s->names[i]);
            return -EINVAL;
        }
    }
    for (uint32_t r = 0; r < init->table.rows; r++) {
        uint32_t row = orma_dataframe_add(s->out);

        for (unsigned i = 0; i < s->columns; i++)
            copy_cell(s->out, i, row, init, (unsigned)cols[i], r);
        link_row(s, row, orma_table_int(&init->table, (unsigned)cols[0], r));
    }
    return s->next.failed || s->out->failed ? -ENOMEM : 0;
}

static int add_step_row(struct scan *s, sqlite3_context *ctx)
{
    uint32_t row = orma_dataframe_add(s->out);

    for (unsigned i = 0; i < s->columns; i++) {
        if (!orma_dataframe_put_value(s->out, i, row,
                                      sqlite3_column_value(s->stmt, s->from_step[i]))) {
            if (!s->out->error)
                return -ENOMEM;
            orma_result_error(ctx, "graph scan: %s", s->out->error);
            return -EINVAL;
        }
    }
    link_row(s, row, sqlite3_column_int64(s->stmt, s->from_step[0]));
    return s->next.failed ? -ENOMEM : 0;
}

/* ---- waves ---- */

/* Marks what the first rows reach; `todo` is scratch for all nodes. Gives how many. */
static uint32_t mark_reached(struct scan *s, uint32_t *todo)
{
    uint32_t num = 0;

    for (uint32_t n = 0; n < s->g->num; n++) {
        s->wave[n] = s->head[n] == NONE ? NONE : 0;
        if (s->wave[n] == 0)
            todo[num++] = n;
    }
    for (uint32_t at = 0; at < num; at++) {
        for (uint32_t i = s->g->starts[todo[at]]; i < s->g->starts[todo[at] + 1]; i++) {
            if (s->wave[s->g->to[i]] == NONE) {
                s->wave[s->g->to[i]] = 0;
                todo[num++] = s->g->to[i];
            }
        }
    }
    return num;
}

/* The longest way to each node that is reached; -ELOOP if there is a circle. */
static int number_waves(struct scan *s, uint32_t *ret_waves)
{
    const struct orma_graph *g = s->g;
    uint32_t *todo = malloc(((size_t)g->num + 1) * sizeof(*todo));
    uint32_t *missing = calloc((size_t)g->num + 1, sizeof(*missing));
    uint32_t reached = 0, num = 0;

    *ret_waves = 0;
    if (todo && missing) {
        reached = mark_reached(s, todo);
        for (uint32_t k = 0; k < reached; k++)
            for (uint32_t i = g->starts[todo[k]]; i < g->starts[todo[k] + 1]; i++)
                missing[g->to[i]]++;
        for (uint32_t n = 0; n < g->num; n++) {
            if (s->wave[n] == 0 && !missing[n])
                todo[num++] = n;
        }
        for (uint32_t at = 0; at < num; at++) {
            for (uint32_t i = g->starts[todo[at]]; i < g->starts[todo[at] + 1]; i++) {
                uint32_t to = g->to[i];

                s->wave[to] = ORMA_MAX(s->wave[to], s->wave[todo[at]] + 1);
                *ret_waves = ORMA_MAX(*ret_waves, s->wave[to]);
                if (!--missing[to])
                    todo[num++] = to;
            }
        }
    }
    free(todo);
    free(missing);
    if (!todo || !missing)
        return -ENOMEM;
    return num < reached ? -ELOOP : 0;
}

/* Nodes by wave, ascending ids within one: order[begin[w]] .. */
struct waves {
    uint32_t *begin, *order;
    uint32_t *from, *sources; /* edges by target */
};

static void waves_fini(struct waves *w)
{
    free(w->begin);
    free(w->order);
    free(w->from);
    free(w->sources);
}

static int waves_init(struct waves *w, const struct scan *s, uint32_t num)
{
    const struct orma_graph *g = s->g;
    uint32_t edges = g->starts[g->num];

    w->begin = calloc((size_t)num + 3, sizeof(uint32_t));
    w->order = malloc(((size_t)g->num + 1) * sizeof(uint32_t));
    w->from = calloc((size_t)g->num + 2, sizeof(uint32_t));
    w->sources = malloc(((size_t)edges + 1) * sizeof(uint32_t));
    if (!w->begin || !w->order || !w->from || !w->sources)
        return -ENOMEM;
    for (uint32_t n = 0; n < g->num; n++)
        if (s->wave[n] != NONE)
            w->begin[s->wave[n] + 2]++;
    for (uint32_t i = 2; i < num + 3; i++)
        w->begin[i] += w->begin[i - 1];
    for (uint32_t n = 0; n < g->num; n++)
        if (s->wave[n] != NONE)
            w->order[w->begin[s->wave[n] + 1]++] = n;
    for (uint32_t i = 0; i < edges; i++)
        w->from[g->to[i] + 2]++;
    for (uint32_t n = 2; n < g->num + 2; n++)
        w->from[n] += w->from[n - 1];
    for (uint32_t n = 0; n < g->num; n++)
        for (uint32_t i = g->starts[n]; i < g->starts[n + 1]; i++)
            w->sources[w->from[g->to[i] + 1]++] = n;
    return 0;
}

/* What $table is for a wave. */
static struct orma_dataframe *table_of(struct scan *s, const struct waves *w, uint32_t wave)
{
    struct orma_dataframe *f = orma_dataframe_new(s->sql->storage, s->names, s->columns, false);

    if (!f)
        return NULL;
    for (uint32_t k = w->begin[wave]; k < w->begin[wave + 1]; k++) {
        uint32_t n = w->order[k];

        for (uint32_t i = w->from[n]; i < w->from[n + 1]; i++) {
            for (int64_t row = s->head[w->sources[i]] == NONE ? -1
                                                              : (int64_t)s->head[w->sources[i]];
                 row >= 0; row = s->next.data[row]) {
                uint32_t to = orma_dataframe_add(f);

                orma_dataframe_put_int(f, 0, to, s->g->ids[n]);
                for (unsigned c = 1; c < s->columns; c++)
                    copy_cell(f, c, to, s->out, c, (uint32_t)row);
            }
        }
    }
    if (f->failed || orma_dataframe_finish(f) < 0) {
        orma_dataframe_unref(f);
        return NULL;
    }
    return f;
}

static int run_step(struct scan *s, sqlite3_context *ctx, struct orma_dataframe *table)
{
    int r, err = 0;

    (void)sqlite3_reset(s->stmt); /* failures were reported when they happened */
    if (sqlite3_bind_parameter_count(s->stmt) &&
        sqlite3_bind_pointer(s->stmt, 1, orma_dataframe_ref(table), ORMA_DATAFRAME_POINTER,
                             orma_dataframe_unref))
        return -ENOMEM;
    while (!err && (r = sqlite3_step(s->stmt)) == SQLITE_ROW)
        err = add_step_row(s, ctx);
    if (err)
        return err;
    if (r == SQLITE_INTERRUPT)
        return -ECANCELED;
    if (r != SQLITE_DONE) {
        orma_result_error(ctx, "graph scan: step query: %s", sqlite3_errmsg(s->sql->db));
        return -EINVAL;
    }
    return 0;
}

static int run_waves(struct scan *s, sqlite3_context *ctx)
{
    struct waves w = {0};
    uint32_t num;
    int r = number_waves(s, &num);

    if (r == -ELOOP) {
        orma_result_error(ctx, "graph scan: the graph contains a cycle");
        return -EINVAL;
    }
    if (r == 0)
        r = waves_init(&w, s, num);
    for (uint32_t i = 1; i <= num && r == 0; i++) {
        struct orma_dataframe *table = table_of(s, &w, i);

        r = !table ? -ENOMEM : orma_sql_is_interrupted(s->sql) ? -ECANCELED : 0;
        if (r == 0 && table->table.rows)
            r = run_step(s, ctx, table);
        orma_dataframe_unref(table);
    }
    waves_fini(&w);
    return r;
}

enum { A_GRAPH, A_INIT, A_STEP, A_COLUMNS };

static int set_up(struct scan *s, sqlite3_context *ctx, sqlite3_value **argv)
{
    struct orma_str step = orma_value_str(argv[A_STEP]), list = orma_value_str(argv[A_COLUMNS]);
    uint32_t nodes = s->g ? s->g->num : 0;
    int r;

    if (!step.data || !list.data) {
        orma_result_error(ctx, "graph scan: step query and columns must be strings");
        return -EINVAL;
    }
    r = take_columns(s, ctx, list);
    if (r == 0)
        r = prepare_step(s, ctx, step);
    if (r == 0)
        r = map_step(s, ctx);
    if (r < 0)
        return r;
    s->out = orma_dataframe_new(s->sql->storage, s->names, s->columns, false);
    s->wave = malloc(((size_t)nodes + 1) * sizeof(uint32_t));
    s->head = malloc(((size_t)nodes + 1) * sizeof(uint32_t));
    s->tail = malloc(((size_t)nodes + 1) * sizeof(uint32_t));
    if (!s->out || !s->wave || !s->head || !s->tail)
        return -ENOMEM;
    for (uint32_t n = 0; n < nodes; n++)
        s->head[n] = NONE;
    return 0;
}

static void scan(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    struct scan s = {.sql = sql, .g = sqlite3_value_pointer(argv[A_GRAPH], ORMA_GRAPH_POINTER)};
    const struct orma_dataframe *init = orma_value_frame(argv[A_INIT]);
    int r;

    (void)argc;
    if (!init)
        return; /* no first rows, no rows */
    r = set_up(&s, ctx, argv);
    if (r == 0)
        r = add_init(&s, ctx, init);
    if (r == 0 && s.g)
        r = run_waves(&s, ctx);
    (void)sqlite3_finalize(s.stmt); /* its errors were reported */
    if (r == 0) {
        orma_dataframe_result_finished(ctx, s.out);
    } else {
        orma_dataframe_unref(s.out);
        if (r == -ECANCELED || r == -ENOMEM)
            orma_result_errno(ctx, r);
    }
    free(s.wave);
    free(s.head);
    free(s.tail);
    orma_ints_fini(&s.next);
    orma_buf_fini(&s.name_texts);
}

const struct orma_sql_func orma_operators_scan[] = {
    {.name = "__intrinsic_graph_scan",
     .args = 4,
     .scalar = scan,
     .usage = "(graph, init, step_sql STRING, columns STRING) -> pointer",
     .doc = "id and the columns: values carried along the edges of a graph, changed at each node "
            "by the step query, which reads $table."},
    {.name = "__intrinsic_graph_aggregating_scan",
     .args = 4,
     .scalar = scan,
     .usage = "(graph, init, aggregate_sql STRING, columns STRING) -> pointer",
     .doc = "The same; the query combines the rows of all predecessors of a node."},
    {0},
};
