#include "tools/service/attach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/clock.h"
#include "sdk/ipc/sock.h"
#include "sdk/shm/layout.h"
#include "tools/base/units.h"
#include "tools/service/state.h"

#define CONNECT_TIMEOUT_MS 5000
#define PROBES_POLL_US 2000

/*
 * Our own probes introduce themselves on a thread of their own: a session that
 * began before would not know that it has to wait for them.
 */
static int wait_for_probes(struct orma_consumer *consumer)
{
    const char *const *sources = orma_probes_sources();
    uint64_t end = orma_clock_monotonic() + CONNECT_TIMEOUT_MS * 1000000ull;
    struct orma_buf state = {0};
    int r = 0;

    while (*sources && r == 0) {
        orma_buf_clear(&state);
        r = orma_service_state_query(consumer, &state);
        while (r == 0 && *sources && orma_service_state_has_source(orma_buf_str(&state), *sources))
            sources++;
        if (r == 0 && *sources && orma_clock_monotonic() > end)
            r = -ETIMEDOUT;
        if (r == 0 && *sources)
            usleep(PROBES_POLL_US);
    }
    orma_buf_fini(&state);
    return r;
}

/* The memory that our service shares with producers is a file to the kernel; they can do with the
 * default. */
static int check_file_size(const char *program)
{
    char limit[ORMA_UNITS_TEXT_MAX], size[ORMA_UNITS_TEXT_MAX];
    struct rlimit max;

    if (getrlimit(RLIMIT_FSIZE, &max) < 0 || max.rlim_cur >= ORMA_SHM_SIZE_DEFAULT)
        return 0;
    orma_units_format_size(max.rlim_cur, limit);
    orma_units_format_size(ORMA_SHM_SIZE_DEFAULT, size);
    if (strcmp(limit, size) == 0) { /* rounded */
        snprintf(limit, sizeof(limit), "%llu bytes", (unsigned long long)max.rlim_cur);
        snprintf(size, sizeof(size), "%u bytes", ORMA_SHM_SIZE_DEFAULT);
    }
    fprintf(stderr,
            "%s: the size of files is limited to %s (ulimit -f), which also holds for shared "
            "memory: the service in this process needs %s\n",
            program, limit, size);
    return -EFBIG;
}

static bool nobody_listens(int r)
{
    return r == -ENOENT || r == -ECONNREFUSED || r == -EACCES || r == -EPERM;
}

void orma_service_say_no_permission(const char *program)
{
    fprintf(stderr,
            "%s: no permission to use the service on %s: ask to be added to its group "
            "('traced --set-socket-permissions' sets which group that is)\n",
            program, orma_sock_consumer_addr());
}

int orma_service_attach(struct orma_service_attached *ret, const char *program,
                        enum orma_service_attach_how how)
{
    const char *what = NULL;
    int r = how == ORMA_SERVICE_ATTACH_OWN
                ? -ENOENT
                : orma_consumer_new(NULL, CONNECT_TIMEOUT_MS, &ret->consumer);

    if (r == -EPERM)
        fprintf(stderr, "%s: %s is not used: %s\n", program, orma_sock_consumer_addr(),
                orma_sock_why(EPERM));
    if (r == 0 || (how == ORMA_SERVICE_ATTACH_RUNNING && nobody_listens(r)))
        return r;
    if (!nobody_listens(r)) {
        fprintf(stderr, "%s: the service does not answer: %s\n", program, strerror(-r));
        return r;
    }
    if (r == -EACCES)
        fprintf(stderr,
                "%s: no permission to use the service on %s (members of its group may); recording "
                "with a private service\n",
                program, orma_sock_consumer_addr());
    r = check_file_size(program);
    if (r < 0)
        return r;
    r = orma_service_host_new(true, &ret->host, &what);
    if (r < 0) {
        fprintf(stderr, "%s: %s: %s\n", program, what, strerror(-r));
        return r;
    }
    r = orma_consumer_new(orma_service_host_consumer_addr(ret->host), CONNECT_TIMEOUT_MS,
                          &ret->consumer);
    if (r == 0)
        r = wait_for_probes(ret->consumer);
    if (r < 0)
        fprintf(stderr, "%s: the private service does not answer: %s\n", program, strerror(-r));
    return r;
}

void orma_service_attached_fini(struct orma_service_attached *self)
{
    orma_consumer_free(self->consumer);
    orma_service_host_free(self->host);
    *self = (struct orma_service_attached){0};
}
