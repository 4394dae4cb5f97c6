/*
 * Trees made of rows that name their parent, as pointer values, and back.
 *
 * A tree is a frame that was checked: ids are there once, parents exist, every
 * way up ends at a root. Its first two columns are the number of the node and
 * that of its parent; those that the rows came with follow.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/operators/ops.h"

#define TREE_POINTER "orma_tree"
#define TREE_ARGS_MIN 4 /* names and values of the id and of the parent */

enum { T_NUMBER, T_PARENT, T_FIRST }; /* columns of the frame */
enum { E_ID, E_ROW, E_NUM };          /* words of an entry of the index */

struct tree_agg {
    struct orma_frame *frame;
    struct orma_ints ids; /* E_NUM of each row */
    bool failed;          /* the error was reported */
};

static struct orma_frame *new_frame(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const char **names = calloc((size_t)argc / 2 + T_FIRST, sizeof(*names));
    struct orma_frame *frame = NULL;

    if (!names) {
        sqlite3_result_error_nomem(ctx);
        return NULL;
    }
    names[T_NUMBER] = "_tree_id";
    names[T_PARENT] = "_tree_parent_id";
    for (int i = 0; i < argc; i += 2) {
        const char *name = orma_value_str(argv[i]).data;

        if (sqlite3_value_type(argv[i]) != SQLITE_TEXT || !name) {
            orma_result_error(ctx, "tree: argument %d must be the name of a column", i + 1);
            free(names);
            return NULL;
        }
        names[i / 2 + T_FIRST] = name;
    }
    frame = orma_frame_new(orma_sql_of(ctx)->storage, names, (unsigned)argc / 2 + T_FIRST, false);
    free(names);
    if (!frame)
        sqlite3_result_error_nomem(ctx);
    return frame;
}

static bool add_row(sqlite3_context *ctx, struct tree_agg *s, int argc, sqlite3_value **argv)
{
    uint32_t row;

    if (sqlite3_value_type(argv[1]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "tree: the id of a node must be an integer");
        return false;
    }
    if (sqlite3_value_type(argv[3]) != SQLITE_INTEGER && !orma_value_is_null(argv[3])) {
        orma_result_error(ctx, "tree: the parent of a node must be an integer or NULL");
        return false;
    }
    row = orma_frame_add(s->frame);
    if (row == ORMA_ROW_NONE) {
        sqlite3_result_error_nomem(ctx);
        return false;
    }
    orma_frame_put_int(s->frame, T_NUMBER, row, row);
    for (int i = 1; i < argc; i += 2) {
        if (orma_frame_put_value(s->frame, (unsigned)(i / 2 + T_FIRST), row, argv[i]))
            continue;
        if (s->frame->error)
            orma_result_error(ctx, "%s", s->frame->error);
        else
            sqlite3_result_error_nomem(ctx);
        return false;
    }
    orma_ints_add(&s->ids, sqlite3_value_int64(argv[1]));
    orma_ints_add(&s->ids, row);
    return true;
}

static void tree_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct tree_agg *s = ORMA_AGG_STATE(ctx, struct tree_agg);

    if (!s || s->failed)
        return;
    if (argc < TREE_ARGS_MIN || argc % 2) {
        s->failed = true;
        orma_result_error(ctx, "tree: expected pairs of a name and a value: the id, the parent, "
                               "then other columns");
        return;
    }
    if (!s->frame)
        s->frame = new_frame(ctx, argc, argv);
    s->failed = !s->frame || !add_row(ctx, s, argc, argv);
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
            return sqlite3_mprintf("tree: there are several nodes %lld",
                                   (long long)ids->data[i + E_ID]);
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

        if (orma_op_stop(sql, row))
            return -ECANCELED;
        up[row] = -1;
        if (orma_table_is_null(t, T_FIRST + 1, row))
            continue;
        parent = orma_table_int(t, T_FIRST + 1, row);
        entry = bsearch(&parent, s->ids.data, s->ids.len / E_NUM, E_NUM * sizeof(int64_t), by_id);
        if (!entry) {
            *ret_wrong =
                sqlite3_mprintf("tree: node %lld has the parent %lld, which is no node",
                                (long long)orma_table_int(t, T_FIRST, row), (long long)parent);
            return -EINVAL;
        }
        up[row] = entry[E_ROW];
        orma_frame_put_int(s->frame, T_PARENT, row, entry[E_ROW]);
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
            if (orma_op_stop(sql, ++turn))
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
    r = orma_op_sort(sql, s->ids.data, s->ids.len / E_NUM, E_NUM * sizeof(int64_t), by_id);
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
        r = orma_frame_finish(s->frame);
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
        sqlite3_result_pointer(ctx, s->frame, TREE_POINTER, orma_frame_unref);
        s->frame = NULL;
    } else if (wrong) {
        orma_result_error(ctx, "%s", wrong);
    } else if (r == -EINVAL && s->frame->error) {
        orma_result_error(ctx, "%s", s->frame->error);
    } else if (r != -EALREADY) {
        orma_op_result_error(ctx, r);
    }
    sqlite3_free(wrong);
    orma_frame_unref(s->frame);
    orma_ints_fini(&s->ids);
}

static void tree_to_table(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_frame *tree = sqlite3_value_pointer(argv[0], TREE_POINTER);

    (void)argc;
    if (tree)
        orma_frame_result_pointer(ctx, orma_frame_ref(tree));
    else if (!orma_value_is_null(argv[0]))
        orma_result_error(ctx, "__intrinsic_tree_to_table: the argument must be a tree, as "
                               "__intrinsic_tree_from_table gives it");
}

const struct orma_sql_func orma_sql_funcs_tree[] = {
    {.name = "__intrinsic_tree_from_table",
     .args = -1,
     .step = tree_step,
     .final = tree_final,
     .usage = "('id', id, 'parent_id', parent_id[, name, value]...) -> pointer",
     .doc =
         "Aggregate: all rows as a tree, or several. The first pair is the node's id, the second "
         "its parent (NULL: a root), others are columns that the nodes carry. Ids are unique, "
         "parents exist, no node is its own ancestor."},
    {.name = "__intrinsic_tree_to_table",
     .args = 1,
     .scalar = tree_to_table,
     .usage = "(tree) -> pointer",
     .doc = "The nodes of a tree as a frame: _tree_id and _tree_parent_id, numbers in the order of "
            "the rows that it was made of, then the columns by their names."},
    {0},
};
