/*
 * A look reads the state and the time used of the process (/proc/PID/stat) and
 * what the socket still holds for it (SIOCOUTQ). The control group is asked only
 * if the process used no time since the last look: the kernel shows frozen ones
 * as sleeping (version 2) or waiting (version 1).
 */
#include "traced/producers/standstill.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "traced/producers/producer.h"

/* For so long each look must find the same. A process that hangs may only be slow, so it has more
 * time than one of which the kernel says that it is stopped. */
#define HALTED_NS UINT64_C(300000000)
#define HANGING_NS UINT64_C(2000000000)

/* False: it can't be read, or is longer than files of /proc are. */
static bool read_text(const char *path, char *ret, size_t size)
{
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd >= 0 ? read(fd, ret, size - 1) : -1;

    if (n < 0 || (size_t)n == size - 1)
        return false;
    ret[n] = '\0';
    return true;
}

/* State and time used of all its threads. The name may hold any character: what follows its last
 * parenthesis counts. */
static bool read_stat(int32_t pid, char *ret_state, uint64_t *ret_cpu)
{
    char path[64], text[1024];
    uint64_t user, kernel;

    (void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid); /* large enough */
    if (!read_text(path, text, sizeof(text)))
        return false;
    const char *end = strrchr(text, ')');
    if (!end || sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
                       ret_state, &user, &kernel) != 3)
        return false;
    *ret_cpu = user + kernel;
    return true;
}

/* `line` is one of /proc/PID/cgroup: "7:freezer:/group", or "0::/group" for version 2. */
static bool is_group_frozen(const char *line)
{
    static const struct {
        const char *controller, *folder, *file, *frozen;
    } kinds[] = {
        {":freezer:", "/sys/fs/cgroup/freezer", "freezer.state", "FROZEN"},
        {"0::", "/sys/fs/cgroup", "cgroup.events", "frozen 1"},
        {"0::", "/sys/fs/cgroup/unified", "cgroup.events", "frozen 1"}, /* beside version 1 */
    };
    char path[4300], text[512];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        const char *at = strstr(line, kinds[i].controller);
        int len;

        if (!at || (i > 0 && at != line))
            continue;
        at += strlen(kinds[i].controller);
        len = snprintf(path, sizeof(path), "%s%s/%s", kinds[i].folder, at, kinds[i].file);
        if (len > 0 && (size_t)len < sizeof(path) && read_text(path, text, sizeof(text)) &&
            strstr(text, kinds[i].frozen))
            return true;
    }
    return false;
}

static bool is_frozen(int32_t pid)
{
    char path[64], text[8192], *save, *line;

    (void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/cgroup", pid); /* large enough */
    if (!read_text(path, text, sizeof(text)))
        return false;
    for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (is_group_frozen(line))
            return true;
    return false;
}

/* Does the socket, or our queue before it, hold something for it? */
static bool has_unread(const struct traced_conn *conn)
{
    int num = 0;

    return conn->out_bytes || (ioctl(conn->fd, SIOCOUTQ, &num) == 0 && num > 0);
}

static bool can_be_seen(const struct traced_producer *p)
{
    return traced_producer_is_local(p) && p->conn->is_unix && p->pid > 0 && p->pid != getpid();
}

/* With what was seen before: does it stand still, and how? */
static bool stands_still(struct traced_producer *p, struct traced_standstill *now)
{
    const struct traced_standstill *before = &p->still;
    char state;

    if (!can_be_seen(p) || !read_stat(p->pid, &state, &now->cpu))
        return false;
    now->heard = p->conn->received;
    if (before->since_ns && (now->cpu != before->cpu || now->heard != before->heard))
        return false;
    now->halted = state == 'T' || state == 't' || (state != 'R' && is_frozen(p->pid));
    return now->halted || ((state == 'S' || state == 'Z') && has_unread(p->conn));
}

bool traced_standstill_may_write(const struct traced_producer *p)
{
    char path[64], text[256];
    uint64_t pages;

    (void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/statm", p->pid); /* large enough */
    /* A process that ends, or becomes another by execve(), gives its memory back before it closes
     * its descriptors; one that ends has none from then on. */
    return can_be_seen(p) && read_text(path, text, sizeof(text)) &&
           sscanf(text, "%" SCNu64, &pages) == 1 && pages;
}

bool traced_standstill_look(struct traced_producer *p)
{
    struct traced_standstill now = {.since_ns = orma_clock_monotonic(), .round = p->still.round};

    if (!stands_still(p, &now)) {
        p->still = (struct traced_standstill){.round = now.round};
        return false;
    }
    uint64_t limit_ns = now.halted ? HALTED_NS : HANGING_NS;
    if (!p->still.since_ns || p->still.halted != now.halted) {
        p->still = now; /* from here on */
        return false;
    }
    p->still.sure = now.since_ns - p->still.since_ns >= limit_ns;
    return p->still.sure;
}
