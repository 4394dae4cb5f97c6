#include "probes/perf/jit_share.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "sdk/base/clock.h"
#include "sdk/base/log.h"

#define FREE_NS UINT64_C(2000000000) /* so long in any case, */
#define PART 8u                      /* and this part of all the time */

struct orma_perf_jit_share *orma_perf_jit_share_of(struct orma_map *shares, int proc_fd,
                                                   uint32_t pid)
{
    struct orma_perf_jit_share *ret;
    struct stat st;
    char name[16];

    snprintf(name, sizeof(name), "%u", pid);
    if (fstatat(proc_fd, name, &st, 0) < 0)
        return NULL;
    ret = orma_map_get_ptr(shares, st.st_uid);
    if (ret)
        return ret;
    ret = calloc(1, sizeof(*ret));
    if (!ret || orma_map_put_ptr(shares, st.st_uid, ret) < 0) {
        free(ret);
        return NULL;
    }
    *ret = (struct orma_perf_jit_share){.uid = st.st_uid, .begun_ns = orma_clock_boottime()};
    return ret;
}

void orma_perf_jit_shares_fini(struct orma_map *shares)
{
    ORMA_MAP_EACH (slot, shares)
        free((void *)(uintptr_t)slot->val);
    orma_map_fini(shares);
}

static void tell(struct orma_perf_jit_share *self, const char *what)
{
    if (!self->told)
        orma_log_warn("linux.perf: the names of generated code of user %u %s: some of it has no "
                      "names",
                      self->uid, what);
    self->told = true;
}

bool orma_perf_jit_share_has_time(struct orma_perf_jit_share *self)
{
    if (self->used_ns < FREE_NS || self->used_ns < (orma_clock_boottime() - self->begun_ns) / PART)
        return true;
    tell(self, "take too long to read");
    return false;
}

uint64_t orma_perf_jit_share_begin(void)
{
    struct timespec ts = {0};

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts); /* cannot fail */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void orma_perf_jit_share_end(struct orma_perf_jit_share *self, uint64_t begun_ns)
{
    self->used_ns += orma_perf_jit_share_begin() - begun_ns;
}

bool orma_perf_jit_share_hold(struct orma_perf_jit_share *self, size_t before, size_t now)
{
    self->bytes = self->bytes - before + now;
    if (now <= before || self->bytes <= ORMA_PERF_JIT_SHARE_BYTES_MAX)
        return true;
    tell(self, "need too much memory");
    return false;
}
