#include "tools/relay/copy.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#define KEPT_MAX ((size_t)128 << 10)

struct way {
    int from, to;
    size_t start, end; /* of what is kept */
    bool ended;        /* nothing more comes */
    bool closed;       /* and all of it was sent */
    char data[KEPT_MAX];
};

/* False: the connection is broken. */
static bool take(struct way *w)
{
    ssize_t n = recv(w->from, w->data + w->end, sizeof(w->data) - w->end, MSG_DONTWAIT);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    w->ended = n == 0;
    w->end += (size_t)n;
    return true;
}

static bool give(struct way *w)
{
    ssize_t n = 0;

    if (w->start < w->end) {
        n = send(w->to, w->data + w->start, w->end - w->start, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
    }
    w->start += (size_t)n;
    if (w->start < w->end)
        return true;
    w->start = w->end = 0;
    if (w->ended && !w->closed) {
        w->closed = true;
        (void)shutdown(w->to, SHUT_WR); /* fails where the other end is gone, too */
    }
    return true;
}

static short wanted(const struct way *in, const struct way *out)
{
    return (short)((!in->ended && in->end < sizeof(in->data) ? POLLIN : 0) |
                   (out->start < out->end ? POLLOUT : 0));
}

static void run(struct way *up, struct way *down, int stop_fd)
{
    struct pollfd fds[] = {{.fd = -1}, {.fd = -1}, {.fd = stop_fd, .events = POLLIN}};
    bool good = true;

    while (good && !(up->closed && down->closed)) {
        fds[0].events = wanted(up, down);
        fds[1].events = wanted(down, up);
        /* An end of which nothing is wanted would be reported again and again, once it is over. */
        fds[0].fd = fds[0].events ? up->from : -1;
        fds[1].fd = fds[1].events ? down->from : -1;
        if (poll(fds, 3, -1) < 0)
            continue; /* a signal, or no memory for now */
        if (fds[2].revents)
            return;
        if (fds[0].revents & ~POLLOUT && !up->ended)
            good = take(up);
        if (good && fds[1].revents & ~POLLOUT && !down->ended)
            good = take(down);
        good = good && give(up) && give(down);
    }
}

void orma_relay_copy(int a, int b, int stop_fd)
{
    struct way *ways = malloc(2 * sizeof(*ways)); /* not cleared: only what is used needs memory */

    if (!ways)
        return; /* both ends see that it is over */
    for (int i = 0; i < 2; i++) {
        ways[i].from = i ? b : a;
        ways[i].to = i ? a : b;
        ways[i].start = ways[i].end = 0;
        ways[i].ended = ways[i].closed = false;
    }
    run(&ways[0], &ways[1], stop_fd);
    free(ways);
}
