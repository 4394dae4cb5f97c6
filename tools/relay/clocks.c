#include "tools/relay/clocks.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "protos/fields/ipc.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/client.h"
#include "sdk/ipc/methods.h"
#include "sdk/wire/pb_writer.h"
#include "traced/sessions/system_info.h"

#define ANSWER_MS 10000
/* Rounds at once: the fastest ways of all count. At first the service knows nothing yet. */
#define ROUNDS_FIRST 40
#define ROUNDS_LATER 4
#define BETWEEN_MS 2
#define EVERY_MS 500

struct answer {
    bool done, success;
};

static void on_answer(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct answer *a = ctx;

    (void)has_more, (void)reply;
    *a = (struct answer){true, success};
}

/* 0, -ECONNREFUSED: the service says no, or that the connection is over. */
static int call(struct orma_ipc_client *client, const char *method, const struct orma_buf *args)
{
    struct answer answer = {0};
    int r = args->failed ? -ENOMEM
                         : orma_ipc_client_invoke(client, method, args->data, args->len, -1,
                                                  on_answer, &answer);

    while (r == 0 && !answer.done)
        r = orma_ipc_client_wait(client, ANSWER_MS);
    if (!answer.done)
        orma_ipc_client_forget(client, &answer);
    return r < 0 ? r : answer.success ? 0 : -ECONNREFUSED;
}

static int tell_system(struct orma_ipc_client *client)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf args = {0};
    size_t info = orma_pb_begin(&args, ORMA_PB_INIT_RELAY_REQUEST_SYSTEM_INFO);

    traced_machine_put_system_info(&args, NULL);
    orma_pb_end(&args, info);
    return call(client, "InitRelay", &args);
}

static int tell_clocks(struct orma_ipc_client *client, uint32_t phase, struct orma_buf *args)
{
    orma_buf_clear(args);
    orma_pb_put_u64(args, ORMA_PB_SYNC_CLOCK_REQUEST_PHASE, phase);
    for (uint32_t id = ORMA_CLOCK_REALTIME; id <= ORMA_CLOCK_BOOTTIME; id++) {
        size_t clock = orma_pb_begin(args, ORMA_PB_SYNC_CLOCK_REQUEST_CLOCKS);

        orma_pb_put_u64(args, ORMA_PB_SYNC_CLOCK_REQUEST_CLOCK_CLOCK_ID, id);
        orma_pb_put_u64(args, ORMA_PB_SYNC_CLOCK_REQUEST_CLOCK_TIMESTAMP, orma_clock_now(id));
        orma_pb_end(args, clock);
    }
    return call(client, "SyncClock", args);
}

/* False: stop, or the connection ended, which the next call will tell. */
static bool rest(int stop_fd, int ms)
{
    struct pollfd fd = {.fd = stop_fd, .events = POLLIN};

    return poll(&fd, 1, ms) == 0;
}

static int run(struct orma_ipc_client *client, int stop_fd, void (*ready)(void *ctx), void *ctx)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf args = {0};
    int r = orma_ipc_client_wait_bound(client, ANSWER_MS);

    if (r == 0)
        r = tell_system(client);
    for (unsigned rounds = ROUNDS_FIRST; r == 0; rounds = ROUNDS_LATER) {
        for (unsigned i = 0; i < rounds && r == 0; i++) {
            if (i && !rest(stop_fd, BETWEEN_MS))
                return 0;
            r = tell_clocks(client, ORMA_PB_SYNC_CLOCK_REQUEST_PING, &args);
            if (r == 0) /* at once: the time between the two is part of what is not known */
                r = tell_clocks(client, ORMA_PB_SYNC_CLOCK_REQUEST_UPDATE, &args);
        }
        if (r == 0 && ready)
            ready(ctx);
        ready = NULL;
        if (r == 0 && !rest(stop_fd, EVERY_MS))
            return 0;
    }
    return r;
}

int orma_relay_tell_clocks(int fd, int stop_fd, void (*ready)(void *ctx), void *ctx)
{
    struct orma_ipc_client *client;
    int r = orma_ipc_client_new_from_fd(fd, ORMA_RELAY_PORT_NAME, &client);

    if (r < 0) {
        orma_fd_close(&fd);
        return r;
    }
    r = run(client, stop_fd, ready, ctx);
    orma_ipc_client_free(client);
    return r;
}
