/*
 * Arrows between what programs hand to graphics cards and what these do with it.
 *
 * A stage has a number. Calls of a program name the stages that they submitted, and those that they
 * waited for; a stage names those that it waited for. Both sides come in any order, so each is kept
 * by the number:
 *
 *   call that submitted (the last one) ─► stages of the number ─► call that waited (the last one)
 *                                              └─► stages that waited
 */
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "processor/model/flows.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

/* GpuCorrelation */
enum { SUBMISSION_EVENT_IDS = 1, WAIT_EVENT_IDS };

/* Slices that are kept for a number: arrows are made from each to each. */
#define SLICES_MAX 256

enum { STAGES, WAITING, LISTS };

struct link {
    uint32_t slice, next; /* next: + 1; 0: none */
};

struct number {
    uint32_t submitted, waited; /* slices + 1; 0: none */
    struct {
        uint32_t first, last, num; /* links + 1 */
    } lists[LISTS];
};

struct orma_android_gpu_flows {
    struct orma_map by_number; /* hash of machine and number → index */
    struct number *numbers;
    uint32_t num, cap;
    struct link *links;
    uint32_t links_num, links_cap;
};

static struct number *number_of(struct orma_import_ctx *imp, uint16_t machine, uint64_t id)
{
    struct orma_android_gpu_flows *st = orma_model_lazy(
        imp->model, (void **)&orma_android(imp)->gpu_flows, sizeof(struct orma_android_gpu_flows));
    uint64_t key = orma_mix64(orma_mix64(id) ^ machine);
    uint64_t known = st ? orma_map_get(&st->by_number, key) : ORMA_MAP_NONE;

    if (known != ORMA_MAP_NONE)
        return &st->numbers[known];
    if (!st || ORMA_GROW(&st->numbers, &st->cap, st->num + (size_t)1) ||
        orma_map_put(&st->by_number, key, st->num)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    st->numbers[st->num] = (struct number){0};
    return &st->numbers[st->num++];
}

static void append(struct orma_import_ctx *imp, struct number *n, unsigned list, uint32_t slice)
{
    struct orma_android_gpu_flows *st = orma_android(imp)->gpu_flows;

    if (n->lists[list].num == SLICES_MAX)
        return;
    if (ORMA_GROW(&st->links, &st->links_cap, st->links_num + (size_t)1)) {
        imp->model->storage->failed = true;
        return;
    }
    st->links[st->links_num++] = (struct link){slice, 0};
    if (n->lists[list].last)
        st->links[n->lists[list].last - 1].next = st->links_num;
    else
        n->lists[list].first = st->links_num;
    n->lists[list].last = st->links_num;
    n->lists[list].num++;
}

/* Arrows between a slice and all of a list. */
static void join(struct orma_import_ctx *imp, const struct number *n, unsigned list, uint32_t slice,
                 bool from_list)
{
    const struct orma_android_gpu_flows *st = orma_android(imp)->gpu_flows;

    for (uint32_t at = n->lists[list].first; at; at = st->links[at - 1].next) {
        uint32_t other = st->links[at - 1].slice;

        orma_flows_insert(imp->model, from_list ? other : slice, from_list ? slice : other);
    }
}

void orma_android_gpu_stage(struct orma_import_ctx *imp, uint16_t machine, uint64_t id,
                            uint32_t slice)
{
    struct number *n = number_of(imp, machine, id);

    if (!n)
        return;
    if (n->submitted)
        orma_flows_insert(imp->model, n->submitted - 1, slice);
    if (n->waited)
        orma_flows_insert(imp->model, slice, n->waited - 1);
    join(imp, n, WAITING, slice, false);
    append(imp, n, STAGES, slice);
}

void orma_android_gpu_stage_waits(struct orma_import_ctx *imp, uint16_t machine, uint64_t id,
                                  uint32_t slice)
{
    struct number *n = number_of(imp, machine, id);

    if (!n)
        return;
    join(imp, n, STAGES, slice, true);
    append(imp, n, WAITING, slice);
}

static void call(struct orma_import_ctx *imp, uint16_t machine, uint64_t id, uint32_t slice,
                 bool waits)
{
    struct number *n = number_of(imp, machine, id);

    if (!n)
        return;
    join(imp, n, STAGES, slice, waits);
    *(waits ? &n->waited : &n->submitted) = slice + 1;
}

void orma_android_gpu_call(struct orma_import_ctx *imp, uint16_t machine, uint32_t slice,
                           struct orma_str correlation)
{
    struct orma_pb_reader r = orma_pb_reader(correlation.data, correlation.len), packed;
    struct orma_pb_field f;
    uint64_t id;

    while (orma_pb_next(&r, &f)) {
        if (f.id != SUBMISSION_EVENT_IDS && f.id != WAIT_EVENT_IDS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &id);)
            call(imp, machine, id, slice, f.id == WAIT_EVENT_IDS);
    }
}

void orma_android_gpu_flows_fini(struct orma_import_ctx *imp)
{
    struct orma_android_gpu_flows *st = orma_android(imp)->gpu_flows;

    if (!st)
        return;
    orma_map_fini(&st->by_number);
    free(st->numbers);
    free(st->links);
}
