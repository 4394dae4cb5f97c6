/*
 * The tree of rows: cores, processes with their threads and tracks, and what belongs to none.
 *
 * A row is a track, or several of the same name beside each other (the lanes of slices that
 * overlap), or a thread with its states. Tables name threads and tracks by numbers; maps lead from
 * these to rows. Rows of tracks are made when an item of theirs is met, with the rows above them,
 * so what has no items has no row, but for processes and threads, which orma_view_rank_rows()
 * leaves out when nothing is in them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "processor/view/view_impl.h"
#include "sdk/base/hash.h"

#define PARENTS_MAX 64 /* a cycle of parents in a hostile trace ends here */

/* Threads of the kernel are children of its thread 2, and that one. */
#define PROCESSES                                                                                  \
    "SELECT p.upid, p.pid, p.name, iif(p.parent_upid IS NULL, p.name, q.name) = 'kthreadd', "      \
    "p.machine_id, p.upid IN (SELECT upid FROM process WHERE 1%s) FROM process p "                 \
    "LEFT JOIN process q ON q.upid = p.parent_upid AND q.machine_id IS p.machine_id"
#define THREADS                                                                                    \
    "SELECT utid, tid, name, upid, coalesce(is_main_thread, 0), coalesce(is_idle, 0), machine_id " \
    "FROM thread"
#define TRACKS                                                                                     \
    "SELECT t.id, t.name, t.type, t.parent_id, tt.utid, pt.upid, t.machine_id FROM track t "       \
    "LEFT JOIN thread_track tt ON tt.id = t.id LEFT JOIN process_track pt ON pt.id = t.id "        \
    "WHERE t.id NOT IN (SELECT id FROM counter_track)"
#define COUNTERS                                                                                   \
    "SELECT t.id, t.name, t.unit, t.parent_id, tt.utid, pt.upid, t.machine_id "                    \
    "FROM counter_track t "                                                                        \
    "LEFT JOIN thread_counter_track tt ON tt.id = t.id "                                           \
    "LEFT JOIN process_counter_track pt ON pt.id = t.id"
/* Cores are args of tracks, and the first arg that is asked for takes long where slices have many:
 * what belongs to a thread or a process is of no core. */
#define OWNERLESS                                                                                  \
    "SELECT 1 FROM counter_track WHERE id NOT IN (SELECT id FROM thread_counter_track) "           \
    "AND id NOT IN (SELECT id FROM process_counter_track) LIMIT 1"
#define CORES "SELECT id, cpu FROM cpu_counter_track"

static uint32_t add_row(struct orma_view *self, const struct orma_view_row *row)
{
    if (ORMA_VEC_PUSH(&self->rows, *row) < 0) {
        orma_view_fail(self, -ENOMEM);
        return ORMA_VIEW_NONE;
    }
    self->rows.data[self->rows.len - 1].until = -1;
    return self->rows.len - 1;
}

static uint32_t find(const struct orma_map *map, int64_t key)
{
    uint64_t row = orma_map_get(map, (uint64_t)key);

    return row == ORMA_MAP_NONE ? ORMA_VIEW_NONE : (uint32_t)row;
}

static void put(struct orma_view *self, struct orma_map *map, int64_t key, uint32_t row)
{
    if (orma_map_put(map, (uint64_t)key, row) < 0)
        orma_view_fail(self, -ENOMEM);
}

static uint32_t lit(struct orma_view *self, const char *text)
{
    return orma_view_string(&self->strings, orma_str_from(text));
}

static uint32_t child(struct orma_view *self, uint32_t parent, const struct orma_view_row *row);

/* A head at the top, or below that of its machine where the trace has several. */
static uint32_t group(struct orma_view *self, int64_t machine, const char *name)
{
    struct orma_view_row row = {
        .parent = find(&self->row_of.machines, machine), .name = lit(self, name), .id = -1};

    return child(self, row.parent, &row);
}

#define MACHINES                                                                                   \
    "SELECT id, coalesce(name, rtrim('Machine ' || id || ' ' || coalesce(sysname, ''))) "          \
    "FROM machine ORDER BY id"

/* One machine needs no head. */
static void load_machines(struct orma_view *self)
{
    struct orma_view_query q = orma_view_query(self, MACHINES " LIMIT 1, 1");
    bool several = false;

    while (orma_view_next(&q))
        several = true;
    if (!several)
        return;
    q = orma_view_query(self, MACHINES);
    while (orma_view_next(&q)) {
        struct orma_view_row row = {
            .parent = ORMA_VIEW_NONE, .name = orma_view_text(&q, 1), .id = orma_view_int(&q, 0)};

        put(self, &self->row_of.machines, row.id, add_row(self, &row));
        self->several = true;
    }
}

static void load_processes(struct orma_view *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    const char *chosen = self->config.processes;

    orma_buf_printf(&sql, PROCESSES, chosen ? chosen : "");
    struct orma_view_query q = orma_view_query(self, orma_buf_cstr(&sql));
    while (orma_view_next(&q)) {
        int64_t machine = orma_view_int(&q, 4);
        struct orma_view_row row = {.parent = find(&self->row_of.machines, machine),
                                    .kind = ORMA_VIEW_PROCESS};

        if (orma_view_int(&q, 3)) {
            uint32_t kernel = group(self, machine, "Kernel threads");

            put(self, &self->row_of.processes, orma_view_int(&q, 0), kernel);
            continue;
        }
        if (!orma_view_int(&q, 5))
            row.parent = group(self, machine, "Other processes");
        row.id = orma_view_is_null(&q, 1) ? -1 : orma_view_int(&q, 1);
        row.name = orma_view_text(&q, 2);
        put(self, &self->row_of.processes, orma_view_int(&q, 0), add_row(self, &row));
    }
}

static void load_threads(struct orma_view *self)
{
    struct orma_view_query q = orma_view_query(self, THREADS);

    while (orma_view_next(&q)) {
        struct orma_view_row row = {.parent = find(&self->row_of.machines, orma_view_int(&q, 6)),
                                    .kind = ORMA_VIEW_THREAD};

        row.id = orma_view_is_null(&q, 1) ? -1 : orma_view_int(&q, 1);
        row.name = orma_view_text(&q, 2);
        row.main_thread = orma_view_int(&q, 4) != 0;
        row.kernel = orma_view_int(&q, 5) != 0; /* the idle thread is in the cores' rows */
        if (!orma_view_is_null(&q, 3))
            row.parent = find(&self->row_of.processes, orma_view_int(&q, 3));
        put(self, &self->row_of.threads, orma_view_int(&q, 0), add_row(self, &row));
    }
}

uint32_t orma_view_row_of_thread(const struct orma_view *self, int64_t utid)
{
    return find(&self->row_of.threads, utid);
}

uint32_t orma_view_row_of_process(const struct orma_view *self, int64_t upid)
{
    return find(&self->row_of.processes, upid);
}

uint32_t orma_view_row_of_ucpu(struct orma_view *self, int64_t ucpu)
{
    uint32_t row = find(&self->row_of.cpus, ucpu);

    if (row == ORMA_VIEW_NONE) {
        struct orma_view_row add = {.parent = group(self, ucpu / ORMA_VIEW_MACHINE_CPUS, "CPUs"),
                                    .kind = ORMA_VIEW_CPU,
                                    .id = ucpu % ORMA_VIEW_MACHINE_CPUS};

        row = add_row(self, &add);
        put(self, &self->row_of.cpus, ucpu, row);
    }
    return row;
}

/* The row of this name and kind below `parent`: lanes of one name are one row. */
static uint32_t child(struct orma_view *self, uint32_t parent, const struct orma_view_row *row)
{
    uint64_t words[2] = {((uint64_t)parent << 32) | row->name, row->kind};
    uint64_t key = orma_hash_bytes_from(orma_hash_seed(), words, sizeof(words));
    uint32_t known;

    for (; (known = find(&self->row_of.children, (int64_t)key)) != ORMA_VIEW_NONE; key++) {
        const struct orma_view_row *other = &self->rows.data[known];

        if (other->parent == parent && other->name == row->name && other->kind == row->kind)
            return known;
    }
    known = add_row(self, row);
    put(self, &self->row_of.children, (int64_t)key, known);
    return known;
}

uint32_t orma_view_log_row(struct orma_view *self)
{
    struct orma_view_row row = {
        .parent = ORMA_VIEW_NONE, .kind = ORMA_VIEW_LOG, .name = lit(self, "Log"), .id = -1};

    return child(self, row.parent, &row);
}

/* What a track says of itself; read for all, rows are made when they are needed. */
struct track {
    uint32_t id, name, unit, parent,
        above; /* parent: track; above: row of its thread, process, core */
    bool execution, counter;
};

static void put_track(struct orma_view *self, const struct track *t, uint32_t row)
{
    put(self, &self->row_of.tracks, t->id, row);
}

static uint32_t above_of_track(struct orma_view *self, const struct orma_view_query *q)
{
    if (!orma_view_is_null(q, 4))
        return find(&self->row_of.threads, orma_view_int(q, 4));
    if (!orma_view_is_null(q, 5))
        return find(&self->row_of.processes, orma_view_int(q, 5));
    return ORMA_VIEW_NONE;
}

static void load_tracks(struct orma_view *self)
{
    struct orma_view_query q = orma_view_query(self, TRACKS " ORDER BY t.id");

    while (orma_view_next(&q)) {
        struct orma_str type = orma_view_bytes(&q, 2);
        struct track t = {.id = (uint32_t)orma_view_int(&q, 0), .above = above_of_track(self, &q)};

        if (type.len == 16 && !memcmp(type.data, "thread_execution", 16) &&
            t.above != ORMA_VIEW_NONE) {
            put_track(self, &t, t.above);
            continue;
        }
        struct orma_view_row row = {.kind = ORMA_VIEW_TRACK, .id = -1};
        uint32_t parent = orma_view_is_null(&q, 3)
                              ? ORMA_VIEW_NONE
                              : find(&self->row_of.tracks, orma_view_int(&q, 3));

        row.name = orma_view_is_null(&q, 1) ? orma_view_text(&q, 2) : orma_view_text(&q, 1);
        row.parent = parent != ORMA_VIEW_NONE    ? parent
                     : t.above != ORMA_VIEW_NONE ? t.above
                                                 : group(self, orma_view_int(&q, 6), "Tracks");
        put_track(self, &t, child(self, row.parent, &row));
    }
}

/* Frequencies stand beside their cpus; the many others are folded away. */
static uint32_t cpu_counters(struct orma_view *self, int64_t machine, uint32_t name)
{
    struct orma_view_row row = {
        .parent = group(self, machine, "CPUs"), .name = lit(self, "Counters of CPUs"), .id = -1};

    return name == lit(self, "cpufreq") ? row.parent : child(self, row.parent, &row);
}

/* Cores of counters, by track. */
static void find_cores(struct orma_view *self, struct orma_map *cores)
{
    struct orma_view_query q = orma_view_query(self, OWNERLESS);
    bool any = false;

    while (orma_view_next(&q))
        any = true;
    if (!any)
        return;
    q = orma_view_query(self, CORES);
    while (orma_view_next(&q))
        put(self, cores, orma_view_int(&q, 0), (uint32_t)orma_view_int(&q, 1));
}

static void load_counters(struct orma_view *self)
{
    struct orma_map cores = {0};
    struct orma_view_query q;

    find_cores(self, &cores);
    q = orma_view_query(self, COUNTERS " ORDER BY t.id");
    while (orma_view_next(&q)) {
        struct track t = {.id = (uint32_t)orma_view_int(&q, 0), .above = above_of_track(self, &q)};
        struct orma_view_row row = {.kind = ORMA_VIEW_COUNTER, .id = -1};
        uint32_t core = find(&cores, t.id);

        row.name = orma_view_text(&q, 1);
        if (core != ORMA_VIEW_NONE) {
            row.id = core;
            t.above = cpu_counters(self, orma_view_int(&q, 6), row.name);
        }
        row.unit = orma_view_text(&q, 2);
        row.parent =
            t.above != ORMA_VIEW_NONE ? t.above : group(self, orma_view_int(&q, 6), "System");
        put_track(self, &t, add_row(self, &row)); /* each has its own: values do not stack */
    }
    orma_map_fini(&cores);
}

void orma_view_load_rows(struct orma_view *self)
{
    load_machines(self);
    load_processes(self);
    load_threads(self);
    load_tracks(self);
    load_counters(self);
}

uint32_t orma_view_row_of_track(struct orma_view *self, uint32_t track)
{
    return find(&self->row_of.tracks, track);
}

uint32_t orma_view_top_of(const struct orma_view *self, uint32_t row)
{
    for (unsigned n = 0; n < PARENTS_MAX && self->rows.data[row].parent != ORMA_VIEW_NONE; n++)
        row = self->rows.data[row].parent;
    return row;
}

/* ---- order ---- */

/* What a row is worth counts for all rows above it, too. */
static void use_up(struct orma_view *self, uint32_t at, double rank)
{
    for (unsigned n = 0; at != ORMA_VIEW_NONE && n < PARENTS_MAX; n++) {
        struct orma_view_row *row = &self->rows.data[at];

        row->used = true;
        row->rank += rank;
        at = row->parent;
    }
}

void orma_view_rank_rows(struct orma_view *self)
{
    double *own = calloc(self->rows.len ? self->rows.len : 1, sizeof(*own));

    if (!own) {
        orma_view_fail(self, -ENOMEM);
        return;
    }
    for (uint32_t i = 0; i < self->rows.len; i++) {
        struct orma_view_row *row = &self->rows.data[i];

        /* Most of a system call's time is waiting: states say what was done in it. */
        own[i] = row->rank + row->by_slices / (row->has_states ? 1000 : 1);
        row->rank = 0;
    }
    for (uint32_t i = 0; i < self->rows.len; i++) {
        if (self->rows.data[i].items || self->rows.data[i].used)
            use_up(self, i, own[i]);
    }
    free(own);
}

/*
 * Columns, one array each, of the rows that are used. Numbers of rows are those of this list.
 */
void orma_view_put_rows(struct orma_view *self, struct orma_buf *out)
{
    static const char *const names[] = {"parent", "kind", "name", "id",   "lanes",
                                        "items",  "rank", "unit", "main", "until"};

    orma_buf_put_byte(out, '{');
    for (unsigned col = 0; col < ORMA_ARRAY_LEN(names); col++) {
        orma_buf_printf(out, "%s\"%s\":[", col ? "," : "", names[col]);
        for (uint32_t i = 0; i < self->rows.len; i++) {
            const struct orma_view_row *row = &self->rows.data[i];
            const int64_t cells[] = {row->parent == ORMA_VIEW_NONE ? -1 : (int64_t)row->parent,
                                     row->used ? row->kind : -1,
                                     row->name,
                                     row->id,
                                     row->lanes,
                                     (int64_t)row->items,
                                     row->rank > 9e15 ? (int64_t)9e15 : (int64_t)row->rank,
                                     row->unit,
                                     row->main_thread,
                                     row->until};

            orma_buf_printf(out, "%s%" PRId64, i ? "," : "", cells[col]);
        }
        orma_buf_put_byte(out, ']');
    }
    orma_buf_put_byte(out, '}');
}
