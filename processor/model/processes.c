/*
 * A tid leads to the newest live thread, and from there (`older`) to those that had the tid before
 * and have not ended, since kernels may lose the end of a thread:
 *
 *   by_tid[17] -> utid 9 -> older[9] = utid 4 -> none
 *
 * Facts that come before they can be used wait as links: two threads share a process that neither
 * knows yet, or a process was started by a thread whose process is not known. set_upid() resolves
 * what waits for a thread, and goes on to the threads that are linked with it.
 */
#include "processor/model/processes.h"
#include "sdk/base/vec.h"

#include <stdlib.h>

enum link_kind { LINK_SAME_PROCESS, LINK_PARENT };

/* SAME_PROCESS: both threads; PARENT: the process `other` was started by the thread `utid`. */
struct orma_process_link {
    enum link_kind kind;
    uint32_t utid, other;
    uint32_t next, next_other; /* of those that wait for `utid`, and for the thread `other` */
    bool resolved;
};

static struct orma_table *threads(const struct orma_processes *self)
{
    return &self->storage->tables[ORMA_TABLE_THREAD];
}

static struct orma_table *processes(const struct orma_processes *self)
{
    return &self->storage->tables[ORMA_TABLE_PROCESS];
}

uint32_t orma_processes_tid(struct orma_processes *self, int64_t tid)
{
    if (tid >= 0 && tid < ORMA_PROCESSES_WIDE)
        return (uint32_t)tid;
    uint64_t at = orma_map_get(&self->wide, (uint64_t)tid);

    if (at != ORMA_MAP_NONE)
        return ORMA_PROCESSES_WIDE + (uint32_t)at;
    at = self->wide_tids.len;
    if (at >= ORMA_ID_NONE - ORMA_PROCESSES_WIDE || ORMA_VEC_PUSH(&self->wide_tids, tid) ||
        orma_map_put(&self->wide, (uint64_t)tid, at)) {
        self->storage->failed = true;
        return 0;
    }
    return ORMA_PROCESSES_WIDE + (uint32_t)at;
}

/* What a number of the calls stands for. */
static int64_t told(const struct orma_processes *self, uint32_t tid)
{
    uint32_t at = tid - ORMA_PROCESSES_WIDE;

    return tid >= ORMA_PROCESSES_WIDE && at < self->wide_tids.len ? self->wide_tids.data[at] : tid;
}

static uint32_t add_thread(struct orma_processes *self, uint32_t tid)
{
    struct orma_table *t = threads(self);
    uint32_t utid = orma_table_add(t);

    orma_table_set(t, ORMA_THREAD_TID, utid, told(self, tid));
    orma_table_set(t, ORMA_THREAD_MACHINE_ID, utid, self->machine);
    return utid;
}

static uint32_t add_process(struct orma_processes *self, uint32_t pid)
{
    struct orma_table *t = processes(self);
    uint32_t upid = orma_table_add(t);

    orma_table_set(t, ORMA_PROCESS_PID, upid, pid);
    orma_table_set(t, ORMA_PROCESS_MACHINE_ID, upid, self->machine);
    return upid;
}

void orma_processes_init(struct orma_processes *self, struct orma_storage *storage,
                         const struct orma_known_strings *known, uint32_t machine)
{
    *self = (struct orma_processes){
        .storage = storage, .known = known, .machine = machine, .changes = 1};
    self->idle_utid = add_thread(self, 0);
    self->idle_upid = add_process(self, 0);
    orma_table_set(threads(self), ORMA_THREAD_UPID, self->idle_utid, self->idle_upid);
    orma_table_set(threads(self), ORMA_THREAD_IS_MAIN_THREAD, self->idle_utid, 1);
    orma_table_set(threads(self), ORMA_THREAD_IS_IDLE, self->idle_utid, 1);
}

void orma_processes_fini(struct orma_processes *self)
{
    free(self->older);
    free(self->links);
    orma_map_fini(&self->first_link);
    free(self->thread_ranks);
    free(self->process_ranks);
    orma_ids_fini(&self->by_tid);
    orma_ids_fini(&self->by_pid);
    orma_map_fini(&self->ns_depth);
    orma_map_fini(&self->ns_ids);
    orma_map_fini(&self->unknown);
    orma_map_fini(&self->wide);
    ORMA_VEC_FINI(&self->wide_tids);
    *self = (struct orma_processes){0};
}

/* ---- live threads by tid ---- */

/* The thread in force under the tid; ORMA_ID_NONE: none is. */
static inline uint32_t newest(const struct orma_processes *self, uint32_t tid)
{
    return orma_ids_get(&self->by_tid, tid);
}

static bool reserve_older(struct orma_processes *self, uint32_t utid)
{
    if (utid < self->older_cap)
        return true;
    uint32_t cap = ORMA_MAX(ORMA_MAX(utid + 1, self->older_cap * 2), 64u);
    uint32_t *older = utid < ORMA_ROWS_MAX / 2 ? realloc(self->older, cap * sizeof(*older)) : NULL;

    if (!older)
        return false;
    self->older = older;
    self->older_cap = cap;
    return true;
}

/* All that is written to the two maps. */
static bool put(struct orma_processes *self, struct orma_ids *ids, uint32_t id, uint32_t row)
{
    self->changes++;
    return !orma_ids_put(ids, id, row);
}

static void drop(struct orma_processes *self, struct orma_ids *ids, uint32_t id)
{
    self->changes++;
    orma_ids_drop(ids, id);
}

static void add_live(struct orma_processes *self, uint32_t tid, uint32_t utid)
{
    uint32_t before = newest(self, tid);

    if (!reserve_older(self, utid) || !put(self, &self->by_tid, tid, utid)) {
        self->storage->failed = true;
        return;
    }
    self->older[utid] = before;
}

/* Ends the newest one: that before it is in force again. */
static void remove_newest(struct orma_processes *self, uint32_t tid)
{
    uint32_t before = self->older[newest(self, tid)];

    if (before == ORMA_ID_NONE)
        drop(self, &self->by_tid, tid);
    else if (!put(self, &self->by_tid, tid, before))
        self->storage->failed = true;
}

uint32_t orma_processes_upid(const struct orma_processes *self, uint32_t utid)
{
    if (orma_table_is_null(threads(self), ORMA_THREAD_UPID, utid))
        return ORMA_ID_NONE;
    return (uint32_t)orma_table_int(threads(self), ORMA_THREAD_UPID, utid);
}

void orma_processes_set_idle(struct orma_processes *self)
{
    if (self->idle_known)
        return;
    self->idle_known = true;
    add_live(self, 0, self->idle_utid);
    if (!put(self, &self->by_pid, 0, self->idle_upid))
        self->storage->failed = true;
    orma_processes_name_thread(self, self->idle_utid, self->known->swapper,
                               ORMA_THREAD_NAME_CONSTANT);
}

/* ---- links that wait ---- */

/* Puts the link with number `at` in front of what waits for the thread; what was there before. */
static uint32_t put_first(struct orma_processes *self, uint32_t utid, uint32_t at)
{
    uint64_t first = orma_map_get(&self->first_link, utid);

    if (orma_map_put(&self->first_link, utid, at))
        self->storage->failed = true;
    return first == ORMA_MAP_NONE ? ORMA_ID_NONE : (uint32_t)first;
}

static void add_link(struct orma_processes *self, enum link_kind kind, uint32_t utid,
                     uint32_t other)
{
    const uint32_t at = self->links_num;

    if (ORMA_GROW(&self->links, &self->links_cap, at + (size_t)1)) {
        self->storage->failed = true;
        return;
    }
    struct orma_process_link *link = &self->links[self->links_num++];
    *link = (struct orma_process_link){kind,         utid, other, put_first(self, utid, at),
                                       ORMA_ID_NONE, false};
    if (kind == LINK_SAME_PROCESS)
        link->next_other = put_first(self, other, at);
    self->links_waiting++;
}

static void give_process(struct orma_processes *self, uint32_t utid, uint32_t upid)
{
    struct orma_table *t = threads(self);
    int64_t tid = orma_table_int(t, ORMA_THREAD_TID, utid);
    int64_t pid = orma_table_int(processes(self), ORMA_PROCESS_PID, upid);

    self->changes++;
    orma_table_set(t, ORMA_THREAD_UPID, utid, upid);
    orma_table_set(t, ORMA_THREAD_IS_MAIN_THREAD, utid, tid == pid);
}

ORMA_VEC_STRUCT(utids, uint32_t);

/* `utid` is of `upid` now: what waited for that. Threads that it is linked to go to `todo`. */
static void resolve_links(struct orma_processes *self, uint32_t utid, uint32_t upid,
                          struct utids *todo)
{
    uint64_t at = orma_map_take(&self->first_link, utid);

    while (at != ORMA_MAP_NONE && at != ORMA_ID_NONE) {
        struct orma_process_link *link = &self->links[at];
        const bool first = link->utid == utid;
        const uint32_t peer = first ? link->other : link->utid;

        at = first ? link->next : link->next_other;
        self->links_waiting -= !link->resolved;
        if (link->resolved)
            continue;
        link->resolved = true;
        if (link->kind == LINK_PARENT) {
            orma_table_set(processes(self), ORMA_PROCESS_PARENT_UPID, link->other, upid);
        } else if (orma_processes_upid(self, peer) == ORMA_ID_NONE) {
            give_process(self, peer, upid);
            if (ORMA_VEC_PUSH(todo, peer))
                self->storage->failed = true;
        }
    }
}

/* A trace may link as many threads as it likes, one to the next: so this is no recursion. */
static void set_upid(struct orma_processes *self, uint32_t utid, uint32_t upid)
{
    struct utids todo = {0};

    give_process(self, utid, upid);
    if (!self->links_waiting)
        return;
    resolve_links(self, utid, upid, &todo);
    while (todo.len)
        resolve_links(self, todo.data[--todo.len], upid, &todo);
    ORMA_VEC_FINI(&todo);
    if (!self->links_waiting) {
        self->links_num = 0;
        orma_map_clear(&self->first_link);
    }
}

void orma_processes_link(struct orma_processes *self, uint32_t utid, uint32_t other)
{
    uint32_t upid = orma_processes_upid(self, utid), upid_other = orma_processes_upid(self, other);

    if (utid == other)
        return;
    if (upid == ORMA_ID_NONE && upid_other == ORMA_ID_NONE)
        add_link(self, LINK_SAME_PROCESS, utid, other);
    else if (upid == ORMA_ID_NONE)
        set_upid(self, utid, upid_other);
    else if (upid_other == ORMA_ID_NONE)
        set_upid(self, other, upid);
}

/* ---- threads and processes ---- */

uint32_t orma_processes_find_thread(struct orma_processes *self, uint32_t tid)
{
    return newest(self, tid);
}

uint32_t orma_processes_start_thread(struct orma_processes *self, int64_t start, uint32_t tid)
{
    uint32_t utid = add_thread(self, tid);

    if (start != INT64_MIN)
        orma_table_set(threads(self), ORMA_THREAD_START_TS, utid, start);
    add_live(self, tid, utid);
    return utid;
}

uint32_t orma_processes_thread(struct orma_processes *self, uint32_t tid)
{
    uint32_t utid = orma_processes_find_thread(self, tid);

    return utid != ORMA_ID_NONE ? utid : orma_processes_start_thread(self, INT64_MIN, tid);
}

/*
 * The newest thread that may be meant: one of no process yet, or one of the
 * process that has this pid now. A process that was replaced keeps its threads.
 */
static uint32_t matching_thread(struct orma_processes *self, uint32_t tid, uint32_t pid)
{
    uint32_t now = orma_processes_find_process(self, pid);

    for (uint32_t utid = newest(self, tid); utid != ORMA_ID_NONE; utid = self->older[utid]) {
        uint32_t upid = orma_processes_upid(self, utid);

        if (upid == ORMA_ID_NONE ||
            (orma_table_int(processes(self), ORMA_PROCESS_PID, upid) == pid &&
             (now == ORMA_ID_NONE || now == upid)))
            return utid;
    }
    return ORMA_ID_NONE;
}

static uint32_t find_thread_of(struct orma_processes *self, uint32_t tid, uint32_t pid)
{
    uint32_t utid = matching_thread(self, tid, pid);

    if (utid == ORMA_ID_NONE) { /* a new process gets its main thread before all others */
        (void)orma_processes_process(self, pid);
        utid = matching_thread(self, tid, pid);
    }
    if (utid == ORMA_ID_NONE)
        utid = orma_processes_start_thread(self, INT64_MIN, tid);
    if (orma_processes_upid(self, utid) == ORMA_ID_NONE) {
        uint32_t upid = orma_processes_process(self, pid);

        /* Making the process may have linked its main thread already. */
        if (orma_processes_upid(self, utid) == ORMA_ID_NONE)
            set_upid(self, utid, upid);
    }
    return utid;
}

uint32_t orma_processes_thread_of(struct orma_processes *self, uint32_t tid, uint32_t pid)
{
    struct orma_processes_answer *a = &self->answers[tid % ORMA_PROCESSES_ANSWERS];

    if (a->tid != tid || a->pid != pid || a->changes != self->changes) {
        const uint32_t utid = find_thread_of(self, tid, pid);

        *a = (struct orma_processes_answer){tid, pid, utid, self->changes};
    }
    return a->utid;
}

uint32_t orma_processes_unknown_thread(struct orma_processes *self, uint32_t pid)
{
    uint32_t upid = orma_processes_process(self, pid);
    uint64_t known = orma_map_get(&self->unknown, upid);

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    uint32_t utid = add_thread(self, 0);
    orma_table_set(threads(self), ORMA_THREAD_TID, utid, -1);
    if (orma_map_put(&self->unknown, upid, utid))
        self->storage->failed = true;
    set_upid(self, utid, upid);
    return utid;
}

uint32_t orma_processes_find_process(struct orma_processes *self, uint32_t pid)
{
    return orma_ids_get(&self->by_pid, pid);
}

uint32_t orma_processes_process(struct orma_processes *self, uint32_t pid)
{
    uint32_t upid = orma_processes_find_process(self, pid);

    if (upid != ORMA_ID_NONE)
        return upid;
    upid = add_process(self, pid);
    if (!put(self, &self->by_pid, pid, upid))
        self->storage->failed = true;
    else
        (void)orma_processes_thread_of(self, pid, pid);
    return upid;
}

uint32_t orma_processes_bare_process(struct orma_processes *self, uint32_t pid)
{
    uint32_t upid = orma_processes_find_process(self, pid);

    if (upid != ORMA_ID_NONE)
        return upid;
    upid = add_process(self, pid);
    if (!put(self, &self->by_pid, pid, upid))
        self->storage->failed = true;
    return upid;
}

void orma_processes_attach(struct orma_processes *self, uint32_t utid, uint32_t upid, bool is_main)
{
    if (orma_processes_upid(self, utid) == ORMA_ID_NONE)
        set_upid(self, utid, upid);
    orma_table_set(threads(self), ORMA_THREAD_IS_MAIN_THREAD, utid, is_main);
}

uint32_t orma_processes_thread_of_bare(struct orma_processes *self, uint32_t tid, uint32_t pid,
                                       bool is_main)
{
    uint32_t upid = orma_processes_bare_process(self, pid);
    uint32_t utid = matching_thread(self, tid, pid);

    if (utid == ORMA_ID_NONE)
        utid = orma_processes_start_thread(self, INT64_MIN, tid);
    orma_processes_attach(self, utid, upid, is_main);
    return utid;
}

uint32_t orma_processes_start(struct orma_processes *self, int64_t start, uint32_t parent_tid,
                              uint32_t pid, uint32_t name, enum orma_thread_name_rank rank)
{
    drop(self, &self->by_pid, pid);
    drop(self, &self->by_tid, pid); /* nothing that was is of the new process */
    uint32_t utid = orma_processes_start_thread(self, start, pid);
    uint32_t upid = orma_processes_process(self, pid);

    if (start != INT64_MIN)
        orma_table_set(processes(self), ORMA_PROCESS_START_TS, upid, start);
    if (name) {
        orma_processes_name_thread(self, utid, name, rank);
        orma_processes_name_process(self, upid, name, ORMA_PROCESS_NAME_OTHER);
    }
    if (parent_tid != ORMA_ID_NONE) {
        uint32_t parent = orma_processes_thread(self, parent_tid);
        uint32_t parent_upid = orma_processes_upid(self, parent);

        if (parent_upid != ORMA_ID_NONE)
            orma_table_set(processes(self), ORMA_PROCESS_PARENT_UPID, upid, parent_upid);
        else
            add_link(self, LINK_PARENT, parent, upid);
    }
    return upid;
}

void orma_processes_end_thread(struct orma_processes *self, int64_t end, uint32_t tid)
{
    uint32_t utid = orma_processes_find_thread(self, tid);

    if (utid == ORMA_ID_NONE)
        return; /* no row only to say that it is over */
    orma_table_set(threads(self), ORMA_THREAD_END_TS, utid, end);
    remove_newest(self, tid);
    uint32_t upid = orma_processes_upid(self, utid);
    if (upid == ORMA_ID_NONE || orma_table_int(processes(self), ORMA_PROCESS_PID, upid) != tid)
        return;
    orma_table_set(processes(self), ORMA_PROCESS_END_TS, upid, end);
    if (orma_processes_find_process(self, tid) == upid)
        drop(self, &self->by_pid, tid);
}

bool orma_processes_set_parent(struct orma_processes *self, uint32_t upid, uint32_t parent_upid)
{
    struct orma_table *t = processes(self);

    if (!orma_table_is_null(t, ORMA_PROCESS_PARENT_UPID, upid))
        return orma_table_int(t, ORMA_PROCESS_PARENT_UPID, upid) == parent_upid;
    orma_table_set(t, ORMA_PROCESS_PARENT_UPID, upid, parent_upid);
    return true;
}

/* ---- namespaces ---- */

/* Beside a depth: the process was told of in the order of events, not only found in the file. */
#define TOLD (UINT64_C(1) << 32)

static void put_inner(struct orma_processes *self, uint32_t pid, uint64_t depth, uint32_t tid,
                      const uint32_t *inner, uint32_t num)
{
    if (depth <= num && orma_map_put(&self->ns_ids, (uint64_t)pid << 32 | inner[depth - 1], tid))
        self->storage->failed = true;
}

bool orma_processes_note_inner(struct orma_processes *self, uint32_t pid, uint32_t tid,
                               const uint32_t *inner, uint32_t num)
{
    if (!num)
        return true;
    if (pid == tid && orma_map_put(&self->ns_depth, pid, num | TOLD))
        self->storage->failed = true;
    uint64_t depth = orma_map_get(&self->ns_depth, pid);
    if (depth == ORMA_MAP_NONE || !(depth & TOLD))
        return false;
    put_inner(self, pid, depth & ~TOLD, tid, inner, num);
    return true;
}

void orma_processes_expect_inner(struct orma_processes *self, uint32_t pid, uint32_t tid,
                                 const uint32_t *inner, uint32_t num)
{
    uint64_t depth = orma_map_get(&self->ns_depth, pid);

    if (!num || (depth == ORMA_MAP_NONE) != (pid == tid)) /* known already, or its process is not */
        return;
    if (pid == tid && orma_map_put(&self->ns_depth, pid, depth = num))
        self->storage->failed = true;
    depth &= ~TOLD;
    if (depth <= num && orma_processes_outer(self, pid, inner[depth - 1]) == ORMA_ID_NONE)
        put_inner(self, pid, depth, tid, inner, num);
}

uint32_t orma_processes_outer(const struct orma_processes *self, uint32_t pid, uint32_t id)
{
    uint64_t outer = orma_map_get(&self->ns_ids, (uint64_t)pid << 32 | id);

    return outer == ORMA_MAP_NONE ? ORMA_ID_NONE : (uint32_t)outer;
}

/* ---- names ---- */

/* The rank of the name in a row, made if the array is shorter; NULL when memory is out. */
static uint8_t *rank_of(struct orma_processes *self, uint8_t **ranks, uint32_t *num, uint32_t row)
{
    if (row >= *num) {
        uint32_t more = ORMA_MAX(row + 1, *num * 2);
        uint8_t *mem = row < ORMA_ROWS_MAX ? realloc(*ranks, more) : NULL;

        if (!mem) {
            self->storage->failed = true;
            return NULL;
        }
        memset(mem + *num, 0, more - *num);
        *ranks = mem;
        *num = more;
    }
    return &(*ranks)[row];
}

void orma_processes_name_thread(struct orma_processes *self, uint32_t utid, uint32_t name,
                                enum orma_thread_name_rank rank)
{
    uint8_t *have = name ? rank_of(self, &self->thread_ranks, &self->thread_ranks_num, utid) : NULL;

    if (!have || rank < *have)
        return;
    *have = (uint8_t)rank;
    orma_table_set(threads(self), ORMA_THREAD_NAME, utid, name);
}

void orma_processes_name_process(struct orma_processes *self, uint32_t upid, uint32_t name,
                                 enum orma_process_name_rank rank)
{
    uint8_t *have =
        name ? rank_of(self, &self->process_ranks, &self->process_ranks_num, upid) : NULL;

    if (!have || rank < *have)
        return;
    *have = (uint8_t)rank;
    orma_table_set(processes(self), ORMA_PROCESS_NAME, upid, name);
}
