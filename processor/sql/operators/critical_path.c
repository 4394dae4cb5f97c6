/*
 * Critical paths: what kept a thread from going on while it slept.
 *
 * The nodes are stretches in which a thread ran or wanted to, each begun by a
 * waker, which was a node itself, after the thread had slept for idle_dur:
 *
 *     root      |....... idle .......|=== node ===|
 *     its waker        |=== node ====^
 *     and that one's |=^
 *
 * The time the root slept is charged to its waker as far as that was awake, then
 * to the waker of the waker, and so on; what is left at the end to the root itself.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/operators/operators.h"
#include "sdk/base/vec.h"

#define POINTER "orma_wakeups"
/* Chains of wakers; longer ones go round in circles. */
#define DEPTH_MAX 100000

struct wakeup {
    int64_t id, utid, ts, dur, idle_dur, waker; /* waker -1: none */
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

enum { W_ID, W_UTID, W_TS, W_DUR, W_IDLE, W_WAKER, W_NUM };

static const char *take_wakeup(struct wakeups *w, sqlite3_value **argv)
{
    struct wakeup *n;

    for (int i = W_ID; i <= W_DUR; i++) {
        if (sqlite3_value_type(argv[i]) != SQLITE_INTEGER)
            return "id, utid, ts and dur must be integers";
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
        .idle_dur = sqlite3_value_int64(argv[W_IDLE]),
        .waker = orma_value_is_null(argv[W_WAKER]) ? -1 : sqlite3_value_int64(argv[W_WAKER]),
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

static void put_piece(struct orma_dataframe *f, const struct wakeup *root, int64_t depth,
                      int64_t ts, int64_t end, const struct wakeup *who,
                      const struct wakeup *parent)
{
    uint32_t row;

    if (end <= ts)
        return;
    row = orma_dataframe_add(f);
    orma_dataframe_put_int(f, P_ROOT, row, root->id);
    orma_dataframe_put_int(f, P_DEPTH, row, depth);
    orma_dataframe_put_int(f, P_TS, row, ts);
    orma_dataframe_put_int(f, P_DUR, row, end - ts);
    orma_dataframe_put_int(f, P_BLOCKER, row, who->id);
    orma_dataframe_put_int(f, P_UTID, row, who->utid);
    if (parent)
        orma_dataframe_put_int(f, P_PARENT, row, parent->id);
}

/* From the root back in time; `turn` counts steps over all roots. */
static int walk(struct orma_sql *sql, const struct wakeups *w, const struct wakeup *root,
                struct orma_dataframe *f, uint64_t *turn)
{
    const struct wakeup *parent = root, *who = find_wakeup(w, root->waker);
    int64_t from, end = root->ts, depth = 1;

    if (__builtin_sub_overflow(root->ts, root->idle_dur, &from))
        from = INT64_MIN;
    put_piece(f, root, 0, root->ts,
              root->dur > INT64_MAX - ORMA_MAX(root->ts, 0) ? INT64_MAX : root->ts + root->dur,
              root, NULL);
    for (; who && end > from && depth < DEPTH_MAX; depth++) {
        int64_t begin = ORMA_MAX(who->ts, from);

        if (orma_sql_should_stop(sql, ++*turn))
            return -ECANCELED;
        put_piece(f, root, depth, begin, end, who, parent);
        end = ORMA_MIN(end, begin);
        parent = who;
        who = find_wakeup(w, who->waker);
    }
    put_piece(f, root, depth, from, end, root, parent);
    return 0;
}

static void critical_path(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const names[] = {"root_id",    "depth",        "ts",       "dur",
                                        "blocker_id", "blocker_utid", "parent_id"};
    struct orma_sql *sql = orma_sql_of(ctx);
    const struct wakeups *w = sqlite3_value_pointer(argv[0], POINTER);
    const struct orma_dataframe *roots = orma_value_frame(argv[1]);
    struct orma_dataframe *f;
    uint64_t turn = 0;
    int r = 0;

    (void)argc;
    if (!w || !roots)
        return; /* nobody woke, or nobody is asked about */
    if (roots->columns_num != 1 || roots->columns[0].type != ORMA_DATAFRAME_INT) {
        orma_result_error(ctx, "__intrinsic_critical_path_walk: roots must be an array of ids");
        return;
    }
    f = orma_dataframe_new(sql->storage, names, P_NUM, false);
    if (!f) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    for (uint32_t i = 0; i < roots->table.rows && r == 0; i++) {
        const struct wakeup *root = find_wakeup(w, orma_table_int(&roots->table, 0, i));

        if (root)
            r = walk(sql, w, root, f, &turn);
    }
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
     .usage = "(id, utid, ts, dur, idle_dur, waker_id) -> pointer",
     .doc = "Aggregate: stretches in which threads were awake, how long they had slept before, "
            "and which stretch woke them."},
    {.name = "__intrinsic_critical_path_walk",
     .args = 2,
     .scalar = critical_path,
     .usage = "(graph, root_ids) -> pointer",
     .doc = "root_id, depth, ts, dur, blocker_id, blocker_utid, parent_id: for each root of an "
            "array its own time and that of the sleep before it, charged to those who woke it."},
    {0},
};
