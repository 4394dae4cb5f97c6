/*
 * Critical paths: what kept a thread from going on while it slept.
 *
 * The nodes are intervals in which a thread ran or wanted to, each begun by a
 * waker, which was a node itself, after the thread had slept for idle_dur; the
 * node of the same thread before that is its previous one:
 *
 *     previous |== node ==|....... idle .......|=== root ===|
 *     its waker                  |=== node ====^
 *     and that one's         |=^
 *
 * The walk takes windows of time from a stack: what of a window lies before the sleep belongs to
 * the previous node, the sleep to the waker (or to the node itself, if that is not known but a
 * previous one is), the rest to the node. A node that has neither, after a sleep of 0, tells
 * nothing of the time before it: as a waker it has only what follows, and the sleep until then is
 * that of the thread that it woke. Windows only get smaller; chains that go round in
 * circles without that are cut off.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/operators/operators.h"
#include "sdk/base/vec.h"

#define POINTER "orma_wakeups"
/* Nodes in a chain; longer ones go round in circles. */
#define CHAIN_MAX 100000
#define UNKNOWN INT64_C(-1)

struct wakeup {
    int64_t id, utid, ts, dur;
    int64_t idle_dur, waker, prev; /* or UNKNOWN */
};

struct wakeups {
    struct wakeup *list;
    size_t len, cap;
    bool failed; /* the error was reported */
};

static void wakeups_free(void *data)
{
    struct wakeups *w = data;

    if (w)
        free(w->list);
    free(w);
}

static struct wakeup *add_wakeup(struct wakeups *w)
{
    if (ORMA_GROW(&w->list, &w->cap, w->len + (size_t)1))
        return NULL;
    return &w->list[w->len++];
}

enum { W_ID, W_UTID, W_TS, W_DUR, W_IDLE, W_WAKER, W_PREV, W_NUM };

static int64_t known_or(sqlite3_value *val)
{
    return orma_value_is_null(val) ? UNKNOWN : sqlite3_value_int64(val);
}

static const char *take_wakeup(struct wakeups *w, sqlite3_value **argv)
{
    struct wakeup *n;

    if (sqlite3_value_type(argv[W_ID]) != SQLITE_INTEGER)
        return "id must be an integer";
    for (int i = W_UTID; i < W_NUM; i++) {
        if (sqlite3_value_type(argv[i]) != SQLITE_INTEGER && !orma_value_is_null(argv[i]))
            return "arguments must be integers or NULL";
    }
    if (sqlite3_value_int64(argv[W_DUR]) < 0 || sqlite3_value_int64(argv[W_IDLE]) < 0)
        return "durations must not be negative";
    n = add_wakeup(w);
    if (!n)
        return "out of memory";
    *n = (struct wakeup){
        .id = sqlite3_value_int64(argv[W_ID]),
        .utid = sqlite3_value_int64(argv[W_UTID]),
        .ts = sqlite3_value_int64(argv[W_TS]),
        .dur = sqlite3_value_int64(argv[W_DUR]),
        .idle_dur = known_or(argv[W_IDLE]),
        .waker = known_or(argv[W_WAKER]),
        .prev = known_or(argv[W_PREV]),
    };
    return NULL;
}

static void wakeup_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct wakeups **state = ORMA_AGG_STATE(ctx, struct wakeups *);
    const char *wrong;

    (void)argc;
    if (!state || (*state && (*state)->failed))
        return;
    if (!*state)
        *state = calloc(1, sizeof(**state));
    wrong = *state ? take_wakeup(*state, argv) : "out of memory";
    if (wrong) {
        orma_result_error(ctx, "__intrinsic_wakeup_graph_agg: %s", wrong);
        if (*state)
            (*state)->failed = true;
    }
}

static int by_id(const void *a, const void *b)
{
    const struct wakeup *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* Of the rows of one id the last one counts; the sort keeps their order. */
static void keep_last(struct wakeups *w)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->len; i++) {
        if (kept && w->list[kept - 1].id == w->list[i].id)
            kept--;
        w->list[kept++] = w->list[i];
    }
    w->len = kept;
}

static void wakeup_final(sqlite3_context *ctx)
{
    struct wakeups **state = sqlite3_aggregate_context(ctx, 0);

    if (!state || !*state)
        return;
    if ((*state)->failed) {
        wakeups_free(*state);
        return;
    }
    int r = orma_sql_sort(orma_sql_of(ctx), (*state)->list, (*state)->len, sizeof(struct wakeup),
                          by_id);
    if (r == 0) {
        keep_last(*state);
        sqlite3_result_pointer(ctx, *state, POINTER, wakeups_free);
    } else {
        wakeups_free(*state);
        orma_result_errno(ctx, r);
    }
}

static const struct wakeup *find_wakeup(const struct wakeups *w, int64_t id)
{
    struct wakeup key = {.id = id};

    return id < 0 ? NULL : bsearch(&key, w->list, w->len, sizeof(key), by_id);
}

enum { P_ROOT, P_DEPTH, P_TS, P_DUR, P_BLOCKER, P_UTID, P_PARENT, P_NUM };

/* A part of the time that belongs to a node or to those before it. */
struct item {
    int64_t node, from, until;
    int64_t depth;  /* wakers between it and the root */
    uint32_t chain; /* nodes between it and the root */
};

struct walk {
    struct orma_sql *sql;
    const struct wakeups *w;
    int64_t root;
    struct orma_dataframe *out;
    struct item *stack;
    size_t len, cap;
    bool failed;
    uint64_t turn; /* over all roots */
};

static int64_t plus(int64_t ts, int64_t dur)
{
    int64_t end;

    return __builtin_add_overflow(ts, dur, &end) ? INT64_MAX : end;
}

static void push(struct walk *k, struct item item)
{
    if (item.from >= item.until || item.chain >= CHAIN_MAX)
        return;
    if (k->failed || ORMA_GROW(&k->stack, &k->cap, k->len + (size_t)1)) {
        k->failed = true;
        return;
    }
    k->stack[k->len++] = item;
}

static void put_piece(struct walk *k, const struct wakeup *who, int64_t depth, int64_t from,
                      int64_t until)
{
    uint32_t row;

    if (from >= until)
        return;
    row = orma_dataframe_add(k->out);
    orma_dataframe_put_int(k->out, P_ROOT, row, k->root);
    orma_dataframe_put_int(k->out, P_DEPTH, row, depth);
    orma_dataframe_put_int(k->out, P_TS, row, from);
    orma_dataframe_put_int(k->out, P_DUR, row, until - from);
    orma_dataframe_put_int(k->out, P_BLOCKER, row, who->id);
    orma_dataframe_put_int(k->out, P_UTID, row, who->utid);
    orma_dataframe_put_int(k->out, P_PARENT, row, k->root);
}

/* From when on the sleep before a node is its waker's. */
static int64_t begin_of_waker(const struct walk *k, const struct wakeup *n, int64_t from)
{
    const struct wakeup *w = find_wakeup(k->w, n->waker);
    bool alone = w && !w->idle_dur && w->waker == UNKNOWN && w->prev == UNKNOWN;

    return alone ? ORMA_MAX(from, w->ts) : from;
}

static void divide(struct walk *k, const struct item *i, const struct wakeup *n)
{
    int64_t asleep = n->idle_dur == UNKNOWN ? i->from : n->ts - ORMA_MIN(n->idle_dur, n->ts);
    int64_t from = ORMA_MAX(i->from, asleep), until = ORMA_MIN(i->until, plus(n->ts, n->dur));
    int64_t awake = ORMA_MIN(until, n->ts);

    if (n->prev != UNKNOWN)
        push(k,
             (struct item){n->prev, i->from, ORMA_MIN(i->until, asleep), i->depth, i->chain + 1});
    if (n->waker != UNKNOWN) {
        int64_t begin = ORMA_MIN(begin_of_waker(k, n, from), awake);

        put_piece(k, n, i->depth, from, begin);
        push(k, (struct item){n->waker, begin, awake, i->depth + 1, i->chain + 1});
    } else if (n->prev != UNKNOWN)
        put_piece(k, n, i->depth, from, awake);
    put_piece(k, n, i->depth, ORMA_MAX(from, n->ts), until);
}

static int walk(struct walk *k, const struct wakeup *root)
{
    k->root = root->id;
    k->len = 0;
    push(k,
         (struct item){.node = root->id,
                       .from = root->ts -
                               (root->idle_dur == UNKNOWN ? 0 : ORMA_MIN(root->idle_dur, root->ts)),
                       .until = plus(root->ts, root->dur)});
    while (k->len && !k->failed) {
        struct item i = k->stack[--k->len];
        const struct wakeup *n = find_wakeup(k->w, i.node);

        if (orma_sql_should_stop(k->sql, ++k->turn))
            return -ECANCELED;
        if (n)
            divide(k, &i, n);
    }
    return k->failed ? -ENOMEM : 0;
}

static void critical_path(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const names[] = {"root_id",    "depth",        "ts",       "dur",
                                        "blocker_id", "blocker_utid", "parent_id"};
    struct orma_sql *sql = orma_sql_of(ctx);
    const struct wakeups *w = sqlite3_value_pointer(argv[0], POINTER);
    const struct orma_dataframe *roots = orma_value_frame(argv[1]);
    struct orma_dataframe *f;
    struct walk k = {.sql = sql, .w = w};
    int r = 0;

    (void)argc;
    if (roots && (roots->columns_num != 1 || roots->columns[0].type != ORMA_DATAFRAME_INT)) {
        orma_result_error(ctx, "__intrinsic_critical_path_walk: roots must be an array of ids");
        return;
    }
    f = orma_dataframe_new(sql->storage, names, P_NUM, false);
    if (!f) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    k.out = f;
    for (uint32_t i = 0; w && roots && i < roots->table.rows && r == 0; i++) {
        const struct wakeup *root = find_wakeup(w, orma_table_int(&roots->table, 0, i));

        if (root)
            r = walk(&k, root);
    }
    free(k.stack);
    if (r == 0) {
        orma_dataframe_result_finished(ctx, f);
        return;
    }
    orma_dataframe_unref(f);
    orma_result_errno(ctx, r);
}

const struct orma_sql_func orma_operators_critical_path[] = {
    {.name = "__intrinsic_wakeup_graph_agg",
     .args = W_NUM,
     .step = wakeup_step,
     .final = wakeup_final,
     .usage = "(id, utid, ts, dur, idle_dur, waker_id, prev_id) -> pointer",
     .doc = "Aggregate: intervals in which threads were awake, how long they had slept before, "
            "which interval woke them, and the thread's previous interval."},
    {.name = "__intrinsic_critical_path_walk",
     .args = 2,
     .scalar = critical_path,
     .usage = "(graph, root_ids) -> pointer",
     .doc =
         "root_id, depth, ts, dur, blocker_id, blocker_utid, parent_id: for each root of an array, "
         "its own time and that of the sleep before it, attributed to the threads that woke it."},
    {0},
};
