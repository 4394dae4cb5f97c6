/*
 * /proc/PID/task is read until two readings agree: a thread that a watched one starts is
 * inherited only once the event of its parent is open.
 */
#include "probes/perf/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sdk/base/buf.h"

#define READINGS_MAX 8
#define FILES_SPARE 256u

static int list(const char *proc_root, int32_t pid, struct orma_buf *ret)
{
    struct dirent *entry;
    char path[300];

    if ((size_t)snprintf(path, sizeof(path), "%s/%d/task", proc_root, pid) >= sizeof(path))
        return -ENAMETOOLONG;
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? -ESRCH : -errno;
    while ((entry = readdir(dir))) {
        int32_t tid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;

        if (tid > 0)
            orma_buf_put(ret, &tid, sizeof(tid));
    }
    closedir(dir);
    return ret->failed ? -ENOMEM : 0;
}

static int list_all(const struct orma_perf_plan *plan, const char *proc_root, struct orma_buf *ret)
{
    int r = 0;

    orma_buf_clear(ret);
    for (size_t i = 0; i < plan->pids_num; i++) {
        r = list(proc_root, plan->pids[i], ret);
        if (r < 0 && r != -ESRCH)
            return r;
    }
    return ret->len ? 0 : -ESRCH;
}

static void raise_limit(size_t tids_num, unsigned events_num)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    rlim_t want = (rlim_t)tids_num * (rlim_t)(cpus > 0 ? cpus : 1) * events_num + FILES_SPARE;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= want)
        return;
    limit.rlim_cur = want < limit.rlim_max ? want : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* refused: opening tells */
}

int orma_perf_tasks_find(struct orma_perf_tasks *self, const struct orma_perf_plan *plan,
                         const char *proc_root)
{
    struct orma_buf tids = {0};
    size_t before = 0;
    int r = 0;

    for (unsigned i = 0; i < READINGS_MAX; i++) {
        r = list_all(plan, proc_root, &tids);
        if (r < 0 || tids.len == before)
            break;
        before = tids.len;
    }
    if (r < 0) {
        orma_buf_fini(&tids);
        return r;
    }
    self->tids = (int32_t *)(void *)tids.data; /* ours from here on */
    self->num = tids.len / sizeof(*self->tids);
    raise_limit(self->num, plan->events_num + plan->wakers + plan->split);
    return 0;
}

void orma_perf_tasks_fini(struct orma_perf_tasks *self)
{
    free(self->tids);
    *self = (struct orma_perf_tasks){0};
}
