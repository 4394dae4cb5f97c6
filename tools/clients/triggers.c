#include "tools/clients/triggers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "protos/fields/ipc.h"
#include "sdk/base/clock.h"
#include "sdk/ipc/client.h"
#include "sdk/ipc/methods.h"
#include "sdk/ipc/sock.h"
#include "sdk/wire/pb_writer.h"

/* The name that sessions may filter by (producer_name_regex), and that traces show. */
#define PRODUCER_NAME "perfetto_cmd_producer"
#define TIMEOUT_MS 5000

static const char *const methods[] = ORMA_PRODUCER_PORT_METHODS;

struct state {
    bool answered, accepted;
};

static void on_initialised(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct state *st = ctx;

    (void)has_more, (void)reply;
    st->answered = true;
    st->accepted = success;
}

/* Commands are for producers with data sources; the service expects the request all the same. */
static void on_command(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    (void)ctx, (void)success, (void)has_more, (void)reply;
}

static int introduce(struct orma_ipc_client *ipc, struct state *st)
{
    struct orma_buf b = {0};

    orma_pb_put_cstr(&b, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_PRODUCER_NAME, PRODUCER_NAME);
    orma_pb_put_cstr(&b, ORMA_PB_INITIALIZE_CONNECTION_REQUEST_SDK_VERSION, "Orma " ORMA_VERSION);
    int r = b.failed
                ? -ENOMEM
                : orma_ipc_client_invoke(ipc, methods[ORMA_PRODUCER_PORT_INITIALIZE_CONNECTION],
                                         b.data, b.len, -1, on_initialised, st);
    orma_buf_fini(&b);
    if (r == 0)
        r = orma_ipc_client_invoke(ipc, methods[ORMA_PRODUCER_PORT_GET_ASYNC_COMMAND], NULL, 0, -1,
                                   on_command, NULL);
    uint64_t end = orma_clock_monotonic() + TIMEOUT_MS * 1000000ull;
    while (r == 0 && !st->answered) {
        r = orma_ipc_client_wait(ipc, TIMEOUT_MS);
        if (r == -EINTR)
            r = 0;
        if (r == 0 && !st->answered && orma_clock_monotonic() > end)
            r = -ETIMEDOUT;
    }
    if (r < 0)
        return r;
    return st->accepted ? 0 : -EREMOTEIO;
}

static int activate(struct orma_ipc_client *ipc, const char *const *names, size_t num)
{
    struct orma_buf b = {0};

    for (size_t i = 0; i < num; i++)
        orma_pb_put_cstr(&b, ORMA_PB_ACTIVATE_TRIGGERS_REQUEST_TRIGGER_NAMES, names[i]);
    int r = b.failed ? -ENOMEM
                     : orma_ipc_client_invoke(ipc, methods[ORMA_PRODUCER_PORT_ACTIVATE_TRIGGERS],
                                              b.data, b.len, -1, NULL, NULL);
    orma_buf_fini(&b);
    return r;
}

int orma_triggers_fire(const char *program, const char *const *names, size_t num)
{
    ORMA_AUTO(orma_ipc_client_free_p) struct orma_ipc_client *ipc = NULL;
    struct state st = {0};
    int r = orma_ipc_client_new(orma_sock_producer_addr(), ORMA_PRODUCER_PORT_NAME, &ipc);

    if (r == 0)
        r = orma_ipc_client_wait_bound(ipc, TIMEOUT_MS);
    if (r < 0) {
        fprintf(stderr, "%s: no tracing service answers (%s): is traced running?\n", program,
                orma_sock_why(-r));
        return r;
    }
    r = introduce(ipc, &st);
    if (r == 0)
        r = activate(ipc, names, num);
    if (r < 0)
        fprintf(stderr, "%s: the triggers were not fired: %s\n", program,
                r == -EREMOTEIO ? "refused by the service" : strerror(-r));
    return r;
}
