/*
 * The log of ninja, version 5 and later: a line per output with
 *
 *     start <tab> end <tab> time of the file <tab> output <tab> hash of the command
 *
 * Start and end are in ms; versions differ in how the hash is made. The log does not name workers,
 * so they are reconstructed: commands are sorted by start, and each goes to the first worker that
 * is free by then, or to a new one. Each worker becomes a thread. Outputs of one command have equal
 * times and hash, also where other lines stand between them.
 */
#include "processor/import/formats/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/vec.h"

#define BUILD_PID 1
#define VERSION_MIN 5

/* A line, and then the first one of its command. */
struct job {
    int64_t start, end; /* ms */
    struct orma_str hash, name;
    uint32_t idx;   /* order in the file */
    uint32_t names; /* of all outputs, as pool id */
};

struct ninja {
    struct job *jobs;
    uint32_t num, cap;
    bool has_version;
};

/* False: it is none. */
static bool read_output(struct orma_str line, struct job *ret)
{
    struct orma_str part[5] = {{0}};
    unsigned num = 0;

    while (num < 5 && orma_str_cut(&line, '\t', &part[num]))
        num++;
    *ret = (struct job){.name = part[3], .hash = part[4]};
    return num == 5 && orma_str_to_i64(part[0], &ret->start) &&
           orma_str_to_i64(part[1], &ret->end) && ret->start >= 0 && ret->end >= ret->start &&
           ret->end <= INT64_MAX / 1000000;
}

static struct orma_unit_end read_line(struct orma_file *file, struct ninja *n, struct orma_str line)
{
    struct job j;

    if (!read_output(line, &j)) {
        orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                       ORMA_STAT_NINJA_PARSE_ERRORS);
        return orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
    }
    if (ORMA_GROW(&n->jobs, &n->cap, n->num + (size_t)1)) {
        file->imp->model->storage->failed = true;
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "lines"); /* memory is out */
    }
    j.idx = n->num;
    n->jobs[n->num++] = j;
    return orma_file_took(file);
}

/* "# ninja log v7" */
static void read_version(struct orma_file *file, struct orma_str line)
{
    const struct orma_str prefix = ORMA_STR("# ninja log v");
    uint64_t version = 0;

    if (orma_str_starts(line, prefix))
        (void)orma_str_to_u64((struct orma_str){line.data + prefix.len, line.len - prefix.len},
                              &version);
    if (version < VERSION_MIN)
        orma_file_error(file, -ENOTSUP,
                        "unsupported version of the ninja log: version %d and later can be read; "
                        "build again with a newer ninja",
                        VERSION_MIN);
}

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_start(const void *a, const void *b)
{
    const struct job *x = a, *y = b;

    return x->start != y->start ? order(x->start, y->start) : order(x->idx, y->idx);
}

static int by_command(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    int hashes;

    if (x->start != y->start || x->end != y->end)
        return x->start != y->start ? order(x->start, y->start) : order(x->end, y->end);
    if (x->hash.len != y->hash.len)
        return order((int64_t)x->hash.len, (int64_t)y->hash.len);
    hashes = x->hash.len ? memcmp(x->hash.data, y->hash.data, x->hash.len) : 0;
    return hashes ? hashes : order(x->idx, y->idx);
}

/* Where a name comes again, it is of another build. */
static bool is_of_command(const struct job *first, const struct job *j)
{
    return first->start == j->start && first->end == j->end && orma_str_eq(first->hash, j->hash) &&
           !orma_str_eq(first->name, j->name);
}

/* One job for each command, with the names of its outputs. */
static void join_outputs(struct orma_file *file, struct ninja *n)
{
    struct orma_buf names = {0};
    uint32_t kept = 0;

    for (uint32_t i = 0, end; i < n->num; i = end) {
        struct job first = n->jobs[i];

        orma_buf_clear(&names);
        orma_buf_put(&names, first.name.data, first.name.len);
        for (end = i + 1; end < n->num && is_of_command(&first, &n->jobs[end]); end++) {
            orma_buf_put_byte(&names, ' ');
            orma_buf_put(&names, n->jobs[end].name.data, n->jobs[end].name.len);
        }
        file->imp->model->storage->failed |= names.failed;
        first.names = orma_model_str(file->imp->model, orma_buf_str(&names));
        n->jobs[kept++] = first;
    }
    n->num = kept;
    orma_buf_fini(&names);
}

/*
 * Workers, and a tree above them: node i has the earliest time at which one of those below it is
 * free; the leaves begin at `leaves`, and those without a worker are never free.
 */
struct workers {
    uint32_t *utids;
    int64_t *free_at;
    uint32_t num, cap, leaves;
};

/* Room for `num` workers at once. */
static bool make_workers(struct workers *w, uint32_t num)
{
    for (w->leaves = 1; w->leaves < num;)
        w->leaves *= 2;
    w->free_at = calloc(2 * (size_t)w->leaves, sizeof(*w->free_at));
    for (uint32_t i = 0; w->free_at && i < 2 * w->leaves; i++)
        w->free_at[i] = INT64_MAX;
    return w->free_at;
}

static void occupy(struct workers *w, uint32_t worker, int64_t until)
{
    uint32_t i = w->leaves + worker;

    for (w->free_at[i] = until; i > 1; i /= 2)
        w->free_at[i / 2] = ORMA_MIN(w->free_at[i & ~1u], w->free_at[i | 1]);
}

/* The first worker that is free, or a new one, takes the job. Its thread, or ORMA_ID_NONE. */
static uint32_t take_job(struct orma_import_ctx *imp, struct workers *w, const struct job *j)
{
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    uint32_t i = 1;

    if (w->free_at[1] <= j->start) {
        while (i < w->leaves)
            i = 2 * i + (w->free_at[2 * i] > j->start);
        i -= w->leaves;
    } else {
        if (ORMA_GROW(&w->utids, &w->cap, w->num + (size_t)1)) {
            imp->model->storage->failed = true;
            return ORMA_ID_NONE;
        }
        i = w->num++;
        w->utids[i] = orma_processes_thread_of(p, w->num, BUILD_PID);
        orma_processes_name_thread(p, w->utids[i], orma_model_lit(imp->model, "Worker"),
                                   ORMA_THREAD_NAME_OTHER);
    }
    occupy(w, i, j->end);
    return w->utids[i];
}

static void add_slices(struct orma_file *file, struct ninja *n)
{
    struct orma_import_ctx *imp = file->imp;
    struct workers workers = {0};

    orma_processes_name_process(
        orma_model_processes(imp->model, imp->model->base),
        orma_processes_process(orma_model_processes(imp->model, imp->model->base), BUILD_PID),
        orma_model_cstr(imp->model, "Build"), ORMA_PROCESS_NAME_OTHER);
    if (n->num) {
        qsort(n->jobs, n->num, sizeof(*n->jobs), by_command);
        join_outputs(file, n);
        qsort(n->jobs, n->num, sizeof(*n->jobs), by_start);
    }
    if (!make_workers(&workers, ORMA_MAX(n->num, 1u)))
        imp->model->storage->failed = true;
    for (uint32_t i = 0; i < n->num && !imp->model->storage->failed; i++) {
        const struct job *j = &n->jobs[i];
        uint32_t utid = take_job(imp, &workers, j);

        if (utid == ORMA_ID_NONE)
            break;
        orma_slices_complete(&imp->model->slices, j->start * 1000000, (j->end - j->start) * 1000000,
                             orma_model_thread_track(imp->model, imp->model->base, utid), 0,
                             j->names, NULL);
    }
    free(workers.utids);
    free(workers.free_at);
}

static size_t ninja_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct ninja *n = file->state;
    struct orma_str rest = {(const char *)data, len}, line;

    (void)at_end; /* it is read once, whole */
    while (orma_str_cut(&rest, '\n', &line) && !orma_file_failed(file)) {
        if (line.len && line.data[line.len - 1] == '\r')
            line.len--;
        if (!n->has_version) {
            n->has_version = true;
            read_version(file, line);
        } else if (line.len && line.data[0] != '#') {
            {
                orma_file_unit(file, line.data);
                (void)read_line(file, n, line);
            }
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
    .unit = "line",
    .whole = true,
    .read = ninja_read,
    .fini = ninja_fini,
};
