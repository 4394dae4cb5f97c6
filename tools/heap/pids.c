#include "tools/heap/pids.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/str.h"

#define STATUS_MAX 65536u
#define SEARCH_NS UINT64_C(2000000000) /* at least so long in all */
#define SEARCH_PART 8u

static uint64_t space_of(const char *process)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%.32s/ns/pid", process);
    return stat(path, &st) == 0 ? st.st_ino : 0;
}

void orma_heap_pids_init(struct orma_heap_pids *self, size_t max)
{
    *self = (struct orma_heap_pids){
        .own_space = space_of("self"), .max = max, .begun_ns = orma_clock_boottime()};
}

void orma_heap_pids_fini(struct orma_heap_pids *self)
{
    orma_map_fini(&self->here);
}

/* "NSpid:" has the numbers of a process from our namespace to its own: the last. */
static bool is_called(const char *process, uint32_t pid)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, number;
    uint64_t last = 0;
    char path[64];

    snprintf(path, sizeof(path), "/proc/%.32s/status", process);
    if (orma_fd_read_file(AT_FDCWD, path, STATUS_MAX, &text) < 0)
        return false;
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_starts(line, ORMA_STR("NSpid:")))
            continue;
        while (line.len && orma_str_cut(&line, '\t', &number))
            (void)orma_str_to_u64(number, &last);
    }
    return last == pid;
}

/* Programs say which numbers they have, as often as they like: looking for them takes a part of the
 * time, and no more. */
static bool may_search(const struct orma_heap_pids *self)
{
    return self->searched_ns < SEARCH_NS ||
           self->searched_ns < (orma_clock_boottime() - self->begun_ns) / SEARCH_PART;
}

static uint32_t search(uint64_t space, uint32_t pid)
{
    DIR *dir = space ? opendir("/proc") : NULL;
    const struct dirent *d;
    uint32_t ret = 0;

    while (dir && !ret && (d = readdir(dir))) {
        if (*d->d_name >= '1' && *d->d_name <= '9' && space_of(d->d_name) == space &&
            is_called(d->d_name, pid))
            ret = (uint32_t)strtoul(d->d_name, NULL, 10);
    }
    if (dir)
        closedir(dir);
    return ret;
}

uint32_t orma_heap_pids_find(struct orma_heap_pids *self, uint64_t space, uint32_t pid, bool anew)
{
    const uint64_t key = orma_mix64(pid ^ orma_mix64(space));
    uint64_t known;

    if (!pid || pid > ORMA_HEAP_PID_MAX)
        return 0; /* nonsense */
    if (space == self->own_space)
        return pid;
    known = orma_map_get(&self->here, key);
    if (known != ORMA_MAP_NONE && !anew)
        return (uint32_t)known;
    /* Each look goes through all of /proc, and one number may begin as often as it likes. */
    if (self->looks >= self->max) {
        if (known != ORMA_MAP_NONE) /* what comes now is another program's than what came */
            (void)orma_map_put(&self->here, key, 0); /* an entry that is there: no memory */
        return 0;
    }
    self->looks++;
    uint32_t found = 0;
    if (may_search(self)) {
        uint64_t begun_ns = orma_clock_boottime();

        found = search(space, pid);
        self->searched_ns += orma_clock_boottime() - begun_ns;
    }
    if (!found)
        found = ORMA_HEAP_PID_MAX + (uint32_t)(++self->strangers);
    return orma_map_put(&self->here, key, found) < 0 ? 0 : found;
}
