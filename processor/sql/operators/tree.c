/*
 * Trees made of rows that name their parent, as pointer values, and back.
 *
 * A tree is a frame that was checked: ids are there once, parents exist, every
 * way up ends at a root. Its first two columns are the number of the node and
 * that of its parent; those that the rows came with follow.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/operators/operators.h"

#define TREE_POINTER "orma_tree"

enum { T_NUMBER, T_PARENT, T_FIRST }; /* columns of the frame */
#define T_OWN (T_FIRST + 2)           /* the first column that nodes carry, behind id and parent */
enum { E_ID, E_ROW, E_NUM };          /* words of an entry of the index */

/* Where things are among the arguments: (id, parent[, name, value]...), all may have names. */
struct tree_args {
    sqlite3_value **id, **parent, **pairs;
    const char *id_name, *parent_name;
    unsigned pairs_num;
};

struct tree_agg {
    struct orma_dataframe *frame;
    struct orma_ints ids; /* E_NUM of each row */
    bool failed;          /* the error was reported */
};

/* False: there are too few, or names without values. */
static bool read_args(int argc, sqlite3_value **argv, struct tree_args *ret)
{
    bool named = argc >= 4 && sqlite3_value_type(argv[0]) == SQLITE_TEXT;
    int own = named ? 4 : 2;

    if (argc < own || argc % 2)
        return false;
    *ret = (struct tree_args){
        .id = &argv[named],
        .parent = &argv[named ? 3 : 1],
        .pairs = &argv[own],
        .id_name = named ? orma_value_str(argv[0]).data : "id",
        .parent_name = "parent_id",
        .pairs_num = (unsigned)(argc - own) / 2,
    };
    if (named)
        ret->parent_name =
            sqlite3_value_type(argv[2]) == SQLITE_TEXT ? orma_value_str(argv[2]).data : NULL;
    return ret->id_name && ret->parent_name;
}

static struct orma_dataframe *new_frame(sqlite3_context *ctx, const struct tree_args *args)
{
    const char **names = calloc((size_t)args->pairs_num + T_OWN, sizeof(*names));
    struct orma_dataframe *frame = NULL;

    if (!names) {
        sqlite3_result_error_nomem(ctx);
        return NULL;
    }
    names[T_NUMBER] = "_tree_id";
    names[T_PARENT] = "_tree_parent_id";
    names[T_FIRST] = args->id_name;
    names[T_FIRST + 1] = args->parent_name;
    for (unsigned i = 0; i < args->pairs_num; i++) {
        sqlite3_value *name = args->pairs[2 * (size_t)i];

        names[i + T_OWN] =
            sqlite3_value_type(name) == SQLITE_TEXT ? orma_value_str(name).data : NULL;
        if (!names[i + T_OWN]) {
            orma_result_error(ctx,
                              "tree: column %u after the id and the parent has no name: names and "
                              "values must alternate",
                              i + 1);
            free(names);
            return NULL;
        }
    }
    frame = orma_dataframe_new(orma_sql_of(ctx)->storage, names, args->pairs_num + T_OWN, false);
    free(names);
    if (!frame)
        sqlite3_result_error_nomem(ctx);
    return frame;
}

static bool put_cell(sqlite3_context *ctx, struct tree_agg *s, unsigned col, uint32_t row,
                     sqlite3_value *val)
{
    if (orma_dataframe_put_value(s->frame, col, row, val))
        return true;
    if (s->frame->error)
        orma_result_error(ctx, "%s", s->frame->error);
    else
        sqlite3_result_error_nomem(ctx);
    return false;
}

static bool add_row(sqlite3_context *ctx, struct tree_agg *s, const struct tree_args *args)
{
    uint32_t row;

    if (sqlite3_value_type(*args->id) != SQLITE_INTEGER) {
        orma_result_error(ctx, "tree: the id of a node must be an integer");
        return false;
    }
    if (sqlite3_value_type(*args->parent) != SQLITE_INTEGER && !orma_value_is_null(*args->parent)) {
        orma_result_error(ctx, "tree: the parent of a node must be an integer or NULL");
        return false;
    }
    row = orma_dataframe_add(s->frame);
    if (row == ORMA_ROW_NONE) {
        sqlite3_result_error_nomem(ctx);
        return false;
    }
    orma_dataframe_put_int(s->frame, T_NUMBER, row, row);
    if (!put_cell(ctx, s, T_FIRST, row, *args->id) ||
        !put_cell(ctx, s, T_FIRST + 1, row, *args->parent))
        return false;
    for (unsigned i = 0; i < args->pairs_num && i + T_OWN < s->frame->columns_num; i++) {
        if (!put_cell(ctx, s, i + T_OWN, row, args->pairs[2 * (size_t)i + 1]))
            return false;
    }
    orma_ints_add(&s->ids, sqlite3_value_int64(*args->id));
    orma_ints_add(&s->ids, row);
    return true;
}

static void tree_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct tree_agg *s = ORMA_AGG_STATE(ctx, struct tree_agg);
    struct tree_args args;

    if (!s || s->failed)
        return;
    if (!read_args(argc, argv, &args)) {
        s->failed = true;
        orma_result_error(ctx, "tree: expected the id, the parent, and name-value pairs for other "
                               "columns (or only name-value pairs)");
        return;
    }
    if (!s->frame)
        s->frame = new_frame(ctx, &args);
    s->failed = !s->frame || !add_row(ctx, s, &args);
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static char *find_duplicate(const struct orma_ints *ids)
{
    for (size_t i = E_NUM; i < ids->len; i += E_NUM) {
        if (ids->data[i + E_ID] == ids->data[i - E_NUM + E_ID])
            return sqlite3_mprintf("tree: duplicate node %lld", (long long)ids->data[i + E_ID]);
    }
    return NULL;
}

/* The rows of the parents into `up` (-1: a root) and into the frame. */
static int link_parents(struct orma_sql *sql, struct tree_agg *s, int64_t *up, char **ret_wrong)
{
    const struct orma_table *t = &s->frame->table;

    for (uint32_t row = 0; row < t->rows; row++) {
        int64_t parent;
        const int64_t *entry;

        if (orma_sql_should_stop(sql, row))
            return -ECANCELED;
        up[row] = -1;
        if (orma_table_is_null(t, T_FIRST + 1, row))
            continue;
        parent = orma_table_int(t, T_FIRST + 1, row);
        entry = bsearch(&parent, s->ids.data, s->ids.len / E_NUM, E_NUM * sizeof(int64_t), by_id);
        if (!entry) {
            *ret_wrong =
                sqlite3_mprintf("tree: node %lld has the parent %lld, which is not a node",
                                (long long)orma_table_int(t, T_FIRST, row), (long long)parent);
            return -EINVAL;
        }
        up[row] = entry[E_ROW];
        orma_dataframe_put_int(s->frame, T_PARENT, row, entry[E_ROW]);
    }
    return 0;
}

/* Walks up from every row as far as nobody was before; coming back to itself is a circle. */
static int check_circles(struct orma_sql *sql, struct tree_agg *s, const int64_t *up,
                         char **ret_wrong)
{
    uint32_t rows = s->frame->table.rows;
    uint32_t *walks = calloc((size_t)rows + 1, sizeof(*walks));
    uint64_t turn = 0;
    int r = walks ? 0 : -ENOMEM;

    for (uint32_t row = 0; row < rows && r == 0; row++) {
        int64_t at = row;

        for (; at >= 0 && !walks[at] && r == 0; at = up[at]) {
            walks[at] = row + 1;
            if (orma_sql_should_stop(sql, ++turn))
                r = -ECANCELED;
        }
        if (r == 0 && at >= 0 && walks[at] == row + 1) {
            *ret_wrong =
                sqlite3_mprintf("tree: node %lld is an ancestor of itself",
                                (long long)orma_table_int(&s->frame->table, T_FIRST, (uint32_t)at));
            r = -EINVAL;
        }
    }
    free(walks);
    return r;
}

/* -EINVAL with the text, which is NULL when there is no memory for it. */
static int make_tree(struct orma_sql *sql, struct tree_agg *s, char **ret_wrong)
{
    int64_t *up;
    int r;

    if (s->ids.failed)
        return -ENOMEM;
    r = orma_sql_sort(sql, s->ids.data, s->ids.len / E_NUM, E_NUM * sizeof(int64_t), by_id);
    if (r < 0)
        return r;
    *ret_wrong = find_duplicate(&s->ids);
    if (*ret_wrong)
        return -EINVAL;
    up = malloc(((size_t)s->frame->table.rows + 1) * sizeof(*up));
    if (!up)
        return -ENOMEM;
    r = link_parents(sql, s, up, ret_wrong);
    if (r == 0)
        r = check_circles(sql, s, up, ret_wrong);
    if (r == 0)
        r = orma_dataframe_finish(s->frame);
    free(up);
    return r;
}

static void tree_final(sqlite3_context *ctx)
{
    struct tree_agg *s = sqlite3_aggregate_context(ctx, 0);
    char *wrong = NULL;
    int r;

    if (!s)
        return;
    r = s->failed || !s->frame ? -EALREADY : make_tree(orma_sql_of(ctx), s, &wrong);
    if (r == 0) {
        sqlite3_result_pointer(ctx, s->frame, TREE_POINTER, orma_dataframe_unref);
        s->frame = NULL;
    } else if (wrong) {
        orma_result_error(ctx, "%s", wrong);
    } else if (r == -EINVAL && s->frame->error) {
        orma_result_error(ctx, "%s", s->frame->error);
    } else if (r != -EALREADY) {
        orma_result_errno(ctx, r);
    }
    sqlite3_free(wrong);
    orma_dataframe_unref(s->frame);
    orma_ints_fini(&s->ids);
}

static void tree_to_table(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_dataframe *tree = sqlite3_value_pointer(argv[0], TREE_POINTER);

    (void)argc;
    if (tree)
        orma_dataframe_result_pointer(ctx, orma_dataframe_ref(tree));
    else if (!orma_value_is_null(argv[0]))
        orma_result_error(ctx, "__intrinsic_tree_to_table: the argument must be a tree made by "
                               "__intrinsic_tree_from_table");
}

const struct orma_sql_func orma_operators_tree[] = {
    {.name = "__intrinsic_tree_from_table",
     .args = -1,
     .step = tree_step,
     .final = tree_final,
     .usage = "(id, parent_id[, name, value]...) -> pointer",
     .doc = "Aggregate: all rows as one or more trees: the node's id, its parent (NULL: a root), "
            "and further columns of the nodes. Ids are unique, parents exist, and no node is its "
            "own ancestor. Also ('id', id, 'parent_id', parent_id, ...)."},
    {.name = "__intrinsic_tree_to_table",
     .args = 1,
     .scalar = tree_to_table,
     .usage = "(tree) -> pointer",
     .doc = "The nodes of a tree as a dataframe: _tree_id and _tree_parent_id, numbered in the "
            "order of the input rows, then the columns by their names."},
    {0},
};
