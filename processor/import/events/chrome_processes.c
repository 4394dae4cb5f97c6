/*
 * Processes of Chrome whose data was lost: the browser lists from time to time which processes are
 * active, and each of them describes itself shortly before or after. Where that is missing, the
 * data of the process is not to be trusted until it describes itself again.
 */
#include "processor/import/events/events.h"
#include "processor/model/processes.h"
#include "sdk/base/search.h"

#include <stdlib.h>

#define NEAR_NS 200000000
/* Of ActiveProcesses. */
#define PIDS 1

static int by_process(const void *a, const void *b)
{
    const struct orma_events_sighting *x = a, *y = b;

    if (x->upid != y->upid)
        return x->upid < y->upid ? -1 : 1;
    return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static int by_time(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void add(struct orma_import_ctx *imp, struct orma_events_sightings *list, uint32_t upid,
                int64_t ts)
{
    if (ORMA_VEC_PUSH(list, (struct orma_events_sighting){upid, ts}))
        imp->model->storage->failed = true;
}

void orma_events_process_described(struct orma_import_ctx *imp, uint32_t upid, int64_t ts)
{
    add(imp, &orma_events(imp)->described, upid, ts);
}

void orma_events_processes_active(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                  struct orma_str bytes)
{
    struct orma_processes *p = orma_model_processes(imp->model, machine);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint64_t pid;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};

        if (f.id != PIDS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &pid);)
            add(imp, &orma_events(imp)->active, orma_processes_process(p, (uint32_t)pid), ts);
    }
}

/* The first description of the process at or after that time; `len`: there is none. */
static uint32_t next_description(const struct orma_events_sightings *list, uint32_t upid,
                                 int64_t ts)
{
    const struct orma_events_sighting key = {upid, ts};
    uint32_t i = ORMA_PARTITION_POINT(k, 0, list->len, by_process(&list->data[k], &key) < 0);

    return i < list->len && list->data[i].upid == upid ? i : list->len;
}

/* True: the process was active then, and did not describe itself. */
static bool is_loss(const struct orma_events_sightings *list, const struct orma_events_sighting *m)
{
    int64_t from = m->ts < INT64_MIN + NEAR_NS ? INT64_MIN : m->ts - NEAR_NS;
    uint32_t i = next_description(list, m->upid, from);

    return i == list->len || (list->data[i].ts > m->ts && list->data[i].ts - m->ts > NEAR_NS);
}

static void add_loss(struct orma_import_ctx *imp, const struct orma_events_sighting *m,
                     const int64_t *times)
{
    const struct orma_events_state *st = orma_events(imp);
    struct orma_table *t =
        orma_model_table(imp->model, ORMA_TABLE_EXPERIMENTAL_MISSING_CHROME_PROCESSES);
    uint32_t i = next_description(&st->described, m->upid, m->ts);
    uint32_t later = ORMA_PARTITION_POINT(k, 0, st->active.len, times[k] <= m->ts);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_EXPERIMENTAL_MISSING_CHROME_PROCESSES_UPID, row, m->upid);
    if (i < st->described.len)
        orma_table_set(t, ORMA_EXPERIMENTAL_MISSING_CHROME_PROCESSES_RELIABLE_FROM, row,
                       st->described.data[i].ts);
    else if (later < st->active.len)
        orma_table_set(t, ORMA_EXPERIMENTAL_MISSING_CHROME_PROCESSES_RELIABLE_FROM, row,
                       times[later]);
}

void orma_events_find_missing(struct orma_import_ctx *imp)
{
    struct orma_events_state *st = orma_events(imp);
    struct orma_events_sightings *active = &st->active;
    int64_t *times = active->len ? calloc(active->len, sizeof(*times)) : NULL;

    if (!times) {
        imp->model->storage->failed |= active->len != 0;
        return;
    }
    for (uint32_t i = 0; i < active->len; i++)
        times[i] = active->data[i].ts;
    qsort(times, active->len, sizeof(*times), by_time);
    qsort(active->data, active->len, sizeof(*active->data), by_process);
    if (st->described.len)
        qsort(st->described.data, st->described.len, sizeof(*st->described.data), by_process);
    const struct orma_events_sighting *loss = NULL;
    for (uint32_t i = 0; i < active->len; i++) {
        const struct orma_events_sighting *m = &active->data[i];

        if (is_loss(&st->described, m))
            loss = m; /* the last one counts */
        if (loss && (i + 1 == active->len || m[1].upid != m->upid)) {
            add_loss(imp, loss, times);
            loss = NULL;
        }
    }
    free(times);
}
