/*
 * How long each user of the device kept each cluster of cpus busy.
 *
 * A packet has users and, for each of them, a time for each cluster. The first time of a user in
 * the state of a sequence is that since the device started, later ones are what was added. Users
 * that come and go (isolated processes) share one counter of what all of them added, and two more
 * counters add up the system and the apps.
 */
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "processor/import/core/msg.h"
#include "processor/read/seq.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

enum { CLUSTER_COUNT = 1, UIDS, TIMES };
#define UIDS_PER_USER 100000u
#define GROUP 10000u
#define FIRST_APP 10000u
#define CLUSTERS_MAX 64

/* A counter, and what it showed last. */
struct shown {
    uint32_t track, uid, cluster;
    bool is_sum; /* of the system or the apps: no row of its own */
    double value, total;
    bool any;
};

struct orma_android_cpu_per_uid {
    struct orma_map clusters; /* of sequences, by machine and id */
    struct orma_map last;     /* hash of machine, user and cluster → ms */
    struct orma_map by_key;   /* the same of what is shown → index */
    ORMA_VEC(struct shown) shown;
};

static struct orma_android_cpu_per_uid *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->cpu_per_uid,
                           sizeof(struct orma_android_cpu_per_uid));
}

/* Users that come and go: their app ids are those of isolated processes. */
static bool is_grouped(uint32_t uid)
{
    uint32_t app = uid % UIDS_PER_USER;

    return (app >= 50000 && app < 60000) || app >= 90000;
}

static uint64_t key_of(uint32_t machine, uint64_t uid, uint32_t cluster)
{
    const uint64_t parts[] = {machine, uid, cluster};

    return orma_fnv1a(ORMA_FNV1A_BASIS, parts, sizeof(parts));
}

static uint32_t track_of_uid(struct orma_import_ctx *imp, uint16_t machine, uint32_t uid,
                             uint32_t cluster)
{
    struct orma_model *model = imp->model;
    const struct orma_track_dim dims[] = {orma_dim(orma_model_lit(model, "uid"), uid),
                                          orma_dim(orma_model_lit(model, "cluster"), cluster)};

    return orma_model_counter_track(model, machine, "android_cpu_per_uid",
                                    orma_strpool_addf(&model->storage->pool, "CPU for UID %u CL%u",
                                                      (unsigned)uid, (unsigned)cluster),
                                    "ms", 2, dims);
}

static uint32_t track_of_all(struct orma_import_ctx *imp, uint16_t machine, bool apps,
                             uint32_t cluster)
{
    struct orma_model *model = imp->model;
    const char *whose = apps ? "Apps" : "System";
    const struct orma_track_dim dims[] = {
        orma_dim_str(orma_model_lit(model, "type"), orma_model_lit(model, whose)),
        orma_dim(orma_model_lit(model, "cluster"), cluster)};

    return orma_model_counter_track(
        model, machine, "android_cpu_per_uid_totals",
        orma_strpool_addf(&model->storage->pool, "CPU for %s CL%u", whose, (unsigned)cluster), "ms",
        2, dims);
}

/* What is shown for a user, or (uid above UINT32_MAX) for the system and for all apps. NULL: memory
 * is out. */
static struct shown *shown_of(struct orma_import_ctx *imp, uint16_t machine, uint64_t uid,
                              uint32_t cluster)
{
    struct orma_android_cpu_per_uid *st = state_of(imp);
    uint64_t key = key_of(machine, uid, cluster), have = orma_map_get(&st->by_key, key);

    if (have != ORMA_MAP_NONE)
        return &st->shown.data[have];
    struct shown s = {.uid = (uint32_t)uid, .cluster = cluster, .is_sum = uid > UINT32_MAX};
    s.track = s.is_sum ? track_of_all(imp, machine, uid & 1, cluster)
                       : track_of_uid(imp, machine, s.uid, cluster);
    if (ORMA_VEC_PUSH(&st->shown, s) || orma_map_put(&st->by_key, key, st->shown.len - 1)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    return &st->shown.data[st->shown.len - 1];
}

/* A value is shown when it is another one. */
static void show(struct orma_import_ctx *imp, int64_t ts, struct shown *s, double value,
                 double added)
{
    if (!s)
        return;
    s->total += added;
    if (s->any && s->value == value)
        return;
    s->any = true;
    s->value = value;
    orma_model_counter(imp->model, ts, s->track, value);
}

/* One time: returns what was added since the last one. */
static double use_time(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t uid,
                       uint32_t cluster, uint64_t ms)
{
    struct orma_android_cpu_per_uid *st = state_of(imp);
    uint64_t key = key_of(item->machine, uid, cluster);
    double value = orma_seq_gen_sum(item->gen, key, (double)ms);
    uint64_t before = orma_map_get(&st->last, key);
    double added = before == ORMA_MAP_NONE ? 0 : ORMA_MAX(0, value - (double)before);

    if (orma_map_put(&st->last, key, (uint64_t)ORMA_MIN(value, 9e15)))
        imp->model->storage->failed = true;
    if (!is_grouped(uid)) {
        show(imp, item->ts, shown_of(imp, item->machine, uid, cluster), value, added);
        return added;
    }
    struct shown *group = shown_of(imp, item->machine, uid - uid % GROUP, cluster);
    show(imp, item->ts, group, group ? group->total + added : 0, added);
    return added;
}

static uint32_t clusters_of(struct orma_import_ctx *imp, const struct orma_item *item,
                            const struct orma_pb_field *told)
{
    struct orma_android_cpu_per_uid *st = state_of(imp);
    uint64_t key = (uint64_t)item->machine << 32 | item->gen->seq->id;

    if (told->id && orma_map_put(&st->clusters, key, orma_pb_u32(told)))
        imp->model->storage->failed = true;
    uint64_t have = orma_map_get(&st->clusters, key);
    return have > CLUSTERS_MAX ? 0 : (uint32_t)have;
}

static void show_sums(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t clusters,
                      double sums[2][CLUSTERS_MAX])
{
    for (unsigned apps = 0; apps < 2; apps++)
        for (uint32_t i = 0; i < clusters; i++) {
            struct shown *s = shown_of(imp, item->machine, ((uint64_t)1 << 32) | apps, i);

            show(imp, item->ts, s, s ? s->total + sums[apps][i] : 0, sums[apps][i]);
        }
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    double sums[2][CLUSTERS_MAX] = {0};
    struct orma_pb_field f[CLUSTER_COUNT + 1];
    uint64_t uid, ms;

    if (!item->gen || !state_of(imp))
        return;
    orma_msg_read(orma_msg_item(item), f, CLUSTER_COUNT + 1);
    uint32_t clusters = clusters_of(imp, item, &f[CLUSTER_COUNT]);
    struct orma_msg_numbers uids = orma_msg_numbers(orma_msg_item(item), UIDS);
    struct orma_msg_numbers times = orma_msg_numbers(orma_msg_item(item), TIMES);
    while (clusters && orma_msg_next_number(&uids, &uid))
        for (uint32_t i = 0; i < clusters && orma_msg_next_number(&times, &ms); i++)
            sums[(uint32_t)uid % UIDS_PER_USER >= FIRST_APP][i] +=
                use_time(imp, item, (uint32_t)uid, i, ms);
    show_sums(imp, item, clusters, sums);
}

static int by_track(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;

    return x->track < y->track ? -1 : x->track > y->track;
}

static void finish(struct orma_import_ctx *imp)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_CPU_PER_UID_TRACK);
    struct orma_android_cpu_per_uid *st = orma_android(imp)->cpu_per_uid;

    if (st && st->shown.len)
        qsort(st->shown.data, st->shown.len, sizeof(*st->shown.data), by_track);
    for (uint32_t i = 0; st && i < st->shown.len; i++) {
        const struct shown *s = &st->shown.data[i];

        if (s->is_sum)
            continue;
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_ANDROID_CPU_PER_UID_TRACK_TRACK_ID, row, s->track);
        orma_table_set(t, ORMA_ANDROID_CPU_PER_UID_TRACK_UID, row, s->uid);
        orma_table_set(t, ORMA_ANDROID_CPU_PER_UID_TRACK_CLUSTER, row, s->cluster);
        orma_table_set(t, ORMA_ANDROID_CPU_PER_UID_TRACK_TOTAL_CPU_MILLIS, row,
                       orma_model_whole(s->total));
    }
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_android_cpu_per_uid *st = orma_android(imp)->cpu_per_uid;

    if (!st)
        return;
    orma_map_fini(&st->clusters);
    orma_map_fini(&st->last);
    orma_map_fini(&st->by_key);
    ORMA_VEC_FINI(&st->shown);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_CPU_PER_UID_DATA, 0};
const struct orma_importer orma_android_cpu_per_uid_importer = {
    .name = "cpu_per_uid", .fields = fields, .parse = parse, .finish = finish, .fini = fini};
