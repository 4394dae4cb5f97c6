/*
 * The log of ninja, version 5: a line per output with (start, end) in ms. The log does not
 * name workers, so they are reconstructed: outputs are sorted by start, and each goes to the first
 * worker that is free by then, or to a new one. Each worker becomes a thread. Outputs of the same
 * command follow each other with equal times and hash, and are joined.
 */
#include "processor/import/formats/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/vec.h"

#define BUILD_PID 1

struct job {
    int64_t start, end; /* ms */
    struct orma_str hash;
    uint32_t names; /* of all outputs, as pool id */
    uint32_t idx;
};

struct ninja {
    struct job *jobs;
    uint32_t num, cap;
    bool has_version;
};

static void add_output(struct orma_file *file, struct ninja *n, const struct job *j,
                       struct orma_str name)
{
    struct orma_strpool *pool = &file->imp->model->storage->pool;
    struct job *last = n->num ? &n->jobs[n->num - 1] : NULL;

    /* One command may make several files. */
    if (last && last->start == j->start && last->end == j->end &&
        orma_str_eq(last->hash, j->hash)) {
        last->names = orma_strpool_addf(pool, "%s %.*s", orma_strpool_cstr(pool, last->names),
                                        ORMA_STR_ARG(name));
        return;
    }
    if (ORMA_GROW(&n->jobs, &n->cap, n->num + (size_t)1)) {
        file->imp->model->storage->failed = true;
        return;
    }
    n->jobs[n->num] = *j;
    n->jobs[n->num].names = orma_model_str(file->imp->model, name);
    n->jobs[n->num].idx = n->num;
    n->num++;
}

static void read_line(struct orma_file *file, struct ninja *n, struct orma_str line)
{
    struct orma_str part[5] = {{0}}, rest = line;
    struct job j = {0};
    unsigned num = 0;

    while (num < 5 && orma_str_cut(&rest, '\t', &part[num]))
        num++;
    if (num < 5 || !orma_str_to_i64(part[0], &j.start) || !orma_str_to_i64(part[1], &j.end) ||
        j.start < 0 || j.end < j.start || j.end > INT64_MAX / 1000000) {
        orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                       ORMA_STAT_NINJA_PARSE_ERRORS);
        orma_file_damage(file, line.data, line.len, ORMA_DAMAGED_LINE);
        return;
    }
    j.hash = part[4];
    add_output(file, n, &j, part[3]);
}

static int by_start(const void *a, const void *b)
{
    const struct job *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->idx < y->idx ? -1 : x->idx > y->idx;
}

struct worker {
    int64_t busy_to;
    uint32_t utid;
};

ORMA_VEC_STRUCT(workers, struct worker);

/* The first worker that is free, or a new one. */
static struct worker *find_worker(struct orma_import_ctx *imp, struct workers *workers,
                                  int64_t start)
{
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);

    for (uint32_t i = 0; i < workers->len; i++)
        if (workers->data[i].busy_to <= start)
            return &workers->data[i];
    struct worker *w = ORMA_VEC_ADD(workers);
    if (!w) {
        imp->model->storage->failed = true;
        return NULL;
    }
    w->utid = orma_processes_thread_of(p, workers->len, BUILD_PID);
    orma_processes_name_thread(
        p, w->utid,
        orma_strpool_addf(&imp->model->storage->pool, "Worker %u", (unsigned)workers->len),
        ORMA_THREAD_NAME_OTHER);
    return w;
}

static void add_slices(struct orma_file *file, struct ninja *n)
{
    struct orma_import_ctx *imp = file->imp;
    struct workers workers = {0};
    struct worker *w;

    orma_processes_name_process(
        orma_model_processes(imp->model, imp->model->base),
        orma_processes_process(orma_model_processes(imp->model, imp->model->base), BUILD_PID),
        orma_model_cstr(imp->model, "Build"), ORMA_PROCESS_NAME_OTHER);
    if (n->num)
        qsort(n->jobs, n->num, sizeof(*n->jobs), by_start);
    for (uint32_t i = 0; i < n->num; i++) {
        const struct job *j = &n->jobs[i];

        w = find_worker(imp, &workers, j->start);
        if (!w)
            break;
        w->busy_to = j->end;
        orma_slices_complete(&imp->model->slices, j->start * 1000000, (j->end - j->start) * 1000000,
                             orma_model_thread_track(imp->model, imp->model->base, w->utid), 0,
                             j->names, NULL);
    }
    ORMA_VEC_FINI(&workers);
}

static size_t ninja_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct ninja *n = file->state;
    struct orma_str rest = {(const char *)data, len}, line;

    (void)at_end; /* it is read once, whole */
    while (orma_str_cut(&rest, '\n', &line) && !orma_file_failed(file)) {
        if (!n->has_version) {
            n->has_version = true;
            if (!orma_str_starts(line, ORMA_STR("# ninja log v5")))
                orma_file_error(file, -ENOTSUP,
                                "unsupported version of the ninja log: only version 5 can be read");
        } else if (line.len && line.data[0] != '#') {
            read_line(file, n, line);
        }
    }
    if (!orma_file_failed(file))
        add_slices(file, n);
    return len;
}

static void ninja_fini(struct orma_file *file)
{
    struct ninja *n = file->state;

    free(n->jobs);
}

const struct orma_format_ops orma_format_ninja = {
    .state_bytes = sizeof(struct ninja),
    .whole = true,
    .read = ninja_read,
    .fini = ninja_fini,
};
