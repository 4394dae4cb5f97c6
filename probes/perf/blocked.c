#include "probes/perf/blocked.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/fd.h"

#define STAT_MAX 1024u

/* "17 (name) S 1 ...": a name may hold anything, so the last parenthesis counts. */
static bool is_blocked(int proc_fd, uint32_t pid, uint32_t tid)
{
    char path[64], text[STAT_MAX];

    snprintf(path, sizeof(path), "%u/task/%u/stat", pid, tid);
    ORMA_AUTO(orma_fd_close) int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (len <= 0)
        return false;
    text[len] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' && strchr("SD", end[2]) && end[2];
}

size_t orma_perf_blocked_find(int proc_fd, uint32_t pid, uint64_t time,
                              void (*put)(void *ctx, const struct orma_perf_record *record),
                              void *ctx)
{
    struct dirent *entry;
    char name[40];
    size_t ret = 0;

    snprintf(name, sizeof(name), "%u/task", pid);
    int fd = openat(proc_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    while (dir && (entry = readdir(dir))) {
        struct orma_perf_record out = {
            .kind = ORMA_PERF_SWITCH, .pid = pid, .time = time, .out = true, .assumed = true};
        uint64_t tid;

        if (!orma_str_to_u64(orma_str_from(entry->d_name), &tid) ||
            !is_blocked(proc_fd, pid, (uint32_t)tid))
            continue;
        out.tid = (uint32_t)tid;
        put(ctx, &out);
        ret++;
    }
    if (dir)
        closedir(dir);
    else
        orma_fd_close(&fd);
    return ret;
}
