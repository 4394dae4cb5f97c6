/*
 * Heap graphs in experimental_flamegraph(): each object below the class of the one that keeps it
 * on a shortest way from a root; objects of one class in the same place are one frame.
 */
#include "processor/sql/profiles/heap_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/map.h"
#include "sdk/base/vec.h"

#define NONE UINT32_MAX

enum {
    O_TS,
    O_DEPTH,
    O_NAME,
    O_MAP,
    O_COUNT,
    O_CUM_COUNT,
    O_SIZE,
    O_CUM_SIZE,
    O_FIRST_ZERO,
    O_PARENT = O_FIRST_ZERO + 4
};

struct place {
    uint32_t parent, depth, name; /* name: pool id */
    int64_t count, size, all_count, all_size;
};

/* An object whose children are being looked at: those of `children` from `first` on. */
struct walk_step {
    uint32_t object, parent, place, depth;
    size_t first, next, end;
    bool begun;
};

struct heap_tree {
    struct orma_tvf_call *call;
    struct orma_storage *st;
    const struct orma_table *objects, *refs, *classes;
    struct place *places;
    uint32_t num, cap;
    struct orma_map by_key; /* parent << 32 | name → place */
    struct walk_step *steps;
    size_t steps_num, steps_cap;
    struct orma_ints children;
    uint8_t *visited;
};

static void tree_fini(struct heap_tree *t)
{
    free(t->places);
    free(t->steps);
    free(t->visited);
    orma_map_fini(&t->by_key);
    orma_ints_fini(&t->children);
}

/* Sizes are what a trace says: they may be anything. */
static void add_to(int64_t *sum, int64_t val)
{
    if (__builtin_add_overflow(*sum, val, sum))
        *sum = INT64_MAX;
}

static uint32_t find_place(struct heap_tree *t, uint32_t parent, uint32_t depth, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name, have = orma_map_get(&t->by_key, key);

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    if (ORMA_GROW(&t->places, &t->cap, t->num + (size_t)1))
        return NONE;
    if (orma_map_put(&t->by_key, key, t->num))
        return NONE;
    t->places[t->num] = (struct place){.parent = parent, .depth = depth, .name = name};
    return t->num++;
}

static struct orma_str pool_text(const struct heap_tree *t, uint32_t id)
{
    struct orma_str s = orma_strpool_get(&t->st->pool, id);

    return s.data ? s : (struct orma_str){"", 0};
}

/* Of its class; roots say what kind of root they are. */
static uint32_t name_of(const struct heap_tree *t, uint32_t object)
{
    uint32_t type = (uint32_t)orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, object);
    uint32_t root = (uint32_t)orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_ROOT_TYPE, object);
    uint32_t name =
        (uint32_t)orma_table_int(t->classes, ORMA_HEAP_GRAPH_CLASS_DEOBFUSCATED_NAME, type);

    if (!name)
        name = (uint32_t)orma_table_int(t->classes, ORMA_HEAP_GRAPH_CLASS_NAME, type);
    if (!root)
        return name;
    return orma_strpool_addf(&t->st->pool, "%.*s [%.*s]", ORMA_STR_ARG(pool_text(t, name)),
                             ORMA_STR_ARG(pool_text(t, root)));
}

static bool is_text(const struct heap_tree *t, int64_t id, const char *text)
{
    return orma_str_eq(pool_text(t, (uint32_t)id), orma_str_from(text));
}

/* References that do not keep what they refer to. */
static bool is_weak(const struct heap_tree *t, uint32_t object)
{
    int64_t type = orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, object);
    int64_t kind = orma_table_int(t->classes, ORMA_HEAP_GRAPH_CLASS_KIND, (uint32_t)type);

    return is_text(t, kind, "KIND_WEAK_REFERENCE") ||
           is_text(t, kind, "KIND_FINALIZER_REFERENCE") ||
           is_text(t, kind, "KIND_PHANTOM_REFERENCE");
}

static int by_row(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Adds what the object keeps to `children`, each once, by row. */
static int add_children(struct heap_tree *t, struct walk_step *s)
{
    int64_t set = orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_REFERENCE_SET_ID, s->object);
    bool none = orma_table_is_null(t->objects, ORMA_HEAP_GRAPH_OBJECT_REFERENCE_SET_ID, s->object);
    bool weak = !none && is_weak(t, s->object);
    size_t kept;

    s->first = s->next = s->end = kept = t->children.len;
    for (uint32_t row = (uint32_t)set; !none && row < t->refs->rows; row++) {
        if (orma_table_int(t->refs, ORMA_HEAP_GRAPH_REFERENCE_REFERENCE_SET_ID, row) != set)
            break;
        if (!orma_table_is_null(t->refs, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, row) &&
            !(weak && is_text(t, orma_table_int(t->refs, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME, row),
                              "java.lang.ref.Reference.referent")))
            orma_ints_add(&t->children,
                          orma_table_int(t->refs, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, row));
    }
    if (t->children.failed)
        return -ENOMEM;
    if (t->children.len == s->first)
        return 0;
    int64_t *list = &t->children.data[s->first];
    size_t num = t->children.len - s->first;
    int r = orma_sql_sort(t->call->sql, list, num, sizeof(*list), by_row);
    for (size_t i = 0; i < num; i++) {
        if (!i || list[i] != list[i - 1])
            t->children.data[kept++] = list[i];
    }
    t->children.len = s->end = kept;
    return r;
}

static bool push(struct heap_tree *t, uint32_t object, uint32_t parent, uint32_t depth)
{
    if (ORMA_GROW(&t->steps, &t->steps_cap, t->steps_num + (size_t)1))
        return false;
    t->steps[t->steps_num++] =
        (struct walk_step){.object = object, .parent = parent, .depth = depth};
    return true;
}

/* The first look at an object: its place, its size, and what it keeps outside of the heap. */
static int begin_step(struct heap_tree *t, struct walk_step *s)
{
    int64_t native = orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_NATIVE_SIZE, s->object);
    uint32_t name = name_of(t, s->object);

    s->begun = true;
    s->place = find_place(t, s->parent, s->depth, name);
    if (s->place == NONE)
        return -ENOMEM;
    t->places[s->place].count++;
    add_to(&t->places[s->place].size,
           orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_SELF_SIZE, s->object));
    if (native) {
        uint32_t outside =
            orma_strpool_addf(&t->st->pool, "[native] %.*s", ORMA_STR_ARG(pool_text(t, name)));
        uint32_t place = find_place(t, s->place, s->depth + 1, outside);

        if (place == NONE)
            return -ENOMEM;
        t->places[place].count++;
        add_to(&t->places[place].size, native);
    }
    return add_children(t, s);
}

static int walk(struct heap_tree *t, uint32_t root)
{
    uint64_t turn = 0;
    int r = push(t, root, NONE, 0) ? 0 : -ENOMEM;

    while (t->steps_num && r == 0) {
        struct walk_step *s = &t->steps[t->steps_num - 1];
        struct walk_step now;
        int64_t child;

        if (orma_sql_should_stop(t->call->sql, ++turn))
            return -ECANCELED;
        if (!s->begun)
            r = begin_step(t, s);
        now = *s;
        child = now.next < now.end ? t->children.data[now.next] : -1;
        s->next++;
        if (now.next + 1 >= now.end) { /* the last one: its place is free */
            t->steps_num--;
            t->children.len = now.first;
        }
        if (r || child < 0 || t->visited[child] ||
            orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_ROOT_DISTANCE, (uint32_t)child) !=
                orma_table_int(t->objects, ORMA_HEAP_GRAPH_OBJECT_ROOT_DISTANCE, now.object) + 1)
            continue;
        t->visited[child] = 1;
        if (!push(t, (uint32_t)child, now.place, now.depth + 1))
            r = -ENOMEM;
    }
    return r;
}

static void put_rows(struct heap_tree *t, int64_t ts)
{
    struct orma_dataframe *out = t->call->frame;

    for (uint32_t i = t->num; i-- > 0;) { /* those above come first */
        struct place *p = &t->places[i];

        p->all_count += p->count;
        add_to(&p->all_size, p->size);
        if (p->parent != NONE) {
            t->places[p->parent].all_count += p->all_count;
            add_to(&t->places[p->parent].all_size, p->all_size);
        }
    }
    for (uint32_t i = 0; i < t->num; i++) {
        const struct place *p = &t->places[i];
        uint32_t row = orma_dataframe_add(out);

        orma_dataframe_put_int(out, O_TS, row, ts);
        orma_dataframe_put_int(out, O_DEPTH, row, p->depth);
        orma_dataframe_put_str(out, O_NAME, row, p->name);
        orma_dataframe_put_text(out, O_MAP, row, ORMA_STR("JAVA"));
        orma_dataframe_put_int(out, O_COUNT, row, p->count);
        orma_dataframe_put_int(out, O_CUM_COUNT, row, p->all_count);
        orma_dataframe_put_int(out, O_SIZE, row, p->size);
        orma_dataframe_put_int(out, O_CUM_SIZE, row, p->all_size);
        for (unsigned k = 0; k < O_PARENT - O_FIRST_ZERO; k++)
            orma_dataframe_put_int(out, O_FIRST_ZERO + k, row, 0);
        if (p->parent != NONE)
            orma_dataframe_put_int(out, O_PARENT, row, p->parent);
    }
}

/* One row that says so, where packets of the graph are missing and no root is known. */
static void put_truncated(struct heap_tree *t, int64_t ts, int64_t upid)
{
    const struct orma_table *graphs = &t->st->tables[ORMA_TABLE_HEAP_GRAPH];

    for (uint32_t row = 0; row < graphs->rows && !t->num; row++) {
        if (orma_table_int(graphs, ORMA_HEAP_GRAPH_TS, row) != ts ||
            orma_table_int(graphs, ORMA_HEAP_GRAPH_UPID, row) != upid ||
            !orma_table_int(graphs, ORMA_HEAP_GRAPH_TRUNCATED, row))
            continue;
        uint32_t place =
            find_place(t, NONE, 0, orma_strpool_add_c(&t->st->pool, "ERROR: INCOMPLETE GRAPH"));
        if (place != NONE)
            t->places[place].count = t->places[place].size = 1;
    }
}

int orma_heap_tree_run(struct orma_tvf_call *call, int64_t ts, int64_t upid)
{
    struct orma_storage *st = call->sql->storage;
    struct heap_tree t = {
        .call = call,
        .st = st,
        .objects = &st->tables[ORMA_TABLE_HEAP_GRAPH_OBJECT],
        .refs = &st->tables[ORMA_TABLE_HEAP_GRAPH_REFERENCE],
        .classes = &st->tables[ORMA_TABLE_HEAP_GRAPH_CLASS],
    };
    int r = orma_sql_settle(call->sql, t.objects) ? -ECANCELED : 0;

    if (r)
        return r;
    t.visited = calloc((size_t)t.objects->rows + 1, 1);
    if (!t.visited)
        r = -ENOMEM;
    for (uint32_t row = 0; row < t.objects->rows && r == 0; row++) {
        if (orma_sql_should_stop(call->sql, row + 1u))
            r = -ECANCELED;
        else if (!orma_table_is_null(t.objects, ORMA_HEAP_GRAPH_OBJECT_ROOT_TYPE, row) &&
                 orma_table_int(t.objects, ORMA_HEAP_GRAPH_OBJECT_GRAPH_SAMPLE_TS, row) == ts &&
                 orma_table_int(t.objects, ORMA_HEAP_GRAPH_OBJECT_UPID, row) == upid)
            r = walk(&t, row);
    }
    if (r == 0)
        put_truncated(&t, ts, upid);
    if (r == 0)
        put_rows(&t, ts);
    tree_fini(&t);
    return r;
}
