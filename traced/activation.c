#include "traced/activation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"

#define FIRST_FD 3

static bool env_number(const char *name, uint64_t *ret)
{
    const char *text = getenv(name);

    return text && orma_str_to_u64(orma_str_from(text), ret);
}

/* Of a name, or of a socket unit that has none of its own. */
static bool ends_with(struct orma_str s, const char *end)
{
    const struct orma_str unit = ORMA_STR(".socket");
    size_t len = strlen(end);

    if (s.len > unit.len && !memcmp(s.data + s.len - unit.len, unit.data, unit.len))
        s.len -= unit.len;
    return s.len >= len && !memcmp(s.data + s.len - len, end, len);
}

/* Ours: close-on-exec and without blocking, as the loop wants it. */
static bool adopt(int fd)
{
    int listens = 0;
    socklen_t len = sizeof(listens);

    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && orma_fd_set_nonblock(fd) == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens;
}

static void put(struct traced_activation *ret, int fd, bool consumer, bool *good)
{
    if (!adopt(fd)) {
        *good = false;
    } else if (!consumer) {
        ret->producer_fds[ret->producer_fds_num++] = fd;
        return;
    } else if (ret->consumer_fd < 0) {
        ret->consumer_fd = fd;
        return;
    } else {
        *good = false; /* a second one */
    }
    (void)close(fd);
}

static void give_back(struct traced_activation *self)
{
    while (self->producer_fds_num)
        orma_fd_close(&self->producer_fds[--self->producer_fds_num]);
    orma_fd_close(&self->consumer_fd);
}

int traced_activation_take(struct traced_activation *ret)
{
    const char *all_names = getenv("LISTEN_FDNAMES");
    struct orma_str names = orma_str_from(all_names ? all_names : ""), name = {"", 0};
    uint64_t pid, num;
    bool good = true, named = false;

    *ret = (struct traced_activation){.consumer_fd = -1};
    if (!env_number("LISTEN_PID", &pid) || pid != (uint64_t)getpid() ||
        !env_number("LISTEN_FDS", &num) || !num)
        return 0;
    for (uint64_t i = 0; i < ORMA_MIN(num, (uint64_t)TRACED_ACTIVATION_MAX + 1); i++) {
        bool has_name = orma_str_cut(&names, ':', &name) && name.len;
        bool consumer = has_name && ends_with(name, "consumer");

        named |= consumer || (has_name && ends_with(name, "producer"));
        if (!named && i == 1)
            consumer = true;
        if (ret->producer_fds_num == TRACED_ACTIVATION_MAX)
            good = false;
        else
            put(ret, FIRST_FD + (int)i, consumer, &good);
    }
    (void)unsetenv("LISTEN_PID"); /* fail for bad names only */
    (void)unsetenv("LISTEN_FDS");
    (void)unsetenv("LISTEN_FDNAMES");
    if (good && ret->producer_fds_num && ret->consumer_fd >= 0)
        return 1;
    give_back(ret);
    return -EINVAL;
}

void traced_activation_ready(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    size_t len = path ? strlen(path) : 0;

    if (len < 2 || len >= sizeof(addr.sun_path) || (*path != '/' && *path != '@'))
        return;
    memcpy(addr.sun_path, path, len);
    if (*path == '@')
        addr.sun_path[0] = '\0';
    ORMA_AUTO(orma_fd_close) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) /* who asked for it and is gone does not need it */
        (void)!sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&addr,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}
