/* A connection with an endpoint that exists only here: what it reports, and in which order. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/ipc/frame.h"
#include "tests/support/leaks.h"
#include "traced/network/conn.h"

static char seen[64];
static int rounds; /* of wind_up */

static void see(char what)
{
    seen[strlen(seen)] = what;
}

static int greet(struct traced_conn *conn, const struct traced_call *call)
{
    see('g');
    conn->client = seen; /* anything that is not NULL */
    traced_conn_ack(conn, call, true);
    return 0;
}

/* Takes three slices. */
static int more(struct traced_conn *conn, const struct traced_call *call)
{
    static int left = 3;

    see('m');
    if (--left)
        return 1;
    traced_conn_ack(conn, call, true);
    return 0;
}

static bool wind_up(struct traced_conn *conn)
{
    (void)conn;
    see('w');
    return --rounds > 0;
}

static void gone(struct traced_conn *conn)
{
    see('.');
    conn->client = NULL;
}

static const char *const names[] = {NULL, "Greet", "More"};
static const traced_method_fn methods[] = {NULL, greet, more};
static const struct traced_port port = {
    .name = "TestPort",
    .method_names = names,
    .methods = methods,
    .methods_end = 3,
    .go_on = more,
};
static const struct traced_port *const ports[] = {&port, NULL};
static const struct traced_endpoint endpoint = {
    .client_name = "test",
    .ports = ports,
    .cutoff_ms = 10000,
    .bind_ms = 10000,
    .queue_max = 1 << 20,
    .wind_up = wind_up,
    .gone = gone,
};

struct net {
    struct traced_loop loop;
    struct traced_network network;
    int client;
};

static void net_init(struct net *n)
{
    int fds[2];

    memset(seen, 0, sizeof(seen));
    rounds = 2;
    cr_assert_eq(traced_loop_init(&n->loop), 0);
    cr_assert_eq(traced_network_init(&n->network, &n->loop, NULL), 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    cr_assert_eq(traced_conn_new(&n->network, fds[0], &endpoint), 0);
    n->client = fds[1];
}

static void net_fini(struct net *n)
{
    traced_network_fini(&n->network);
    traced_loop_fini(&n->loop);
    close(n->client);
    orma_assert_no_leaks();
}

static void call(struct net *n, uint32_t service, uint32_t method)
{
    struct orma_ipc_frame frame = {
        .kind = ORMA_IPC_INVOKE, .request_id = 1, .service_id = service, .method_id = method};
    struct orma_buf out = {0};

    cr_assert_eq(orma_ipc_frame_encode(&out, &frame, NULL, 0), 0);
    cr_assert_eq(send(n->client, out.data, out.len, 0), (ssize_t)out.len);
    orma_buf_fini(&out);
}

static void turn(struct net *n)
{
    for (int i = 0; i < 8; i++)
        cr_assert_geq(event_base_loop(n->loop.base, EVLOOP_NONBLOCK), 0);
}

Test(traced_network, calls_methods_and_goes_on_with_long_ones)
{
    struct net n;

    net_init(&n);
    call(&n, 1, 1);
    call(&n, 1, 2);
    call(&n, 1, 1);
    turn(&n);
    cr_assert_str_eq(seen, "gmmmg", "no frame before the open call has ended");
    net_fini(&n);
}

Test(traced_network, refuses_ports_and_methods_that_there_are_not)
{
    struct net n;
    char reply[256];

    net_init(&n);
    call(&n, 2, 1);
    call(&n, 0, 1);
    call(&n, 1, 3);
    turn(&n);
    cr_assert_str_eq(seen, "");
    cr_assert_gt(recv(n.client, reply, sizeof(reply), 0), 0);
    net_fini(&n);
}

Test(traced_network, handles_what_was_sent_before_the_end)
{
    struct net n;

    net_init(&n);
    call(&n, 1, 1);
    call(&n, 1, 1);
    cr_assert_eq(shutdown(n.client, SHUT_WR), 0);
    turn(&n);
    cr_assert_str_eq(seen, "ggww.");
    cr_assert_eq(n.network.conns_num, 0);
    net_fini(&n);
}

Test(traced_network, ends_connections_that_do_not_bind)
{
    static struct traced_endpoint hasty;
    struct orma_ipc_frame bind = {
        .kind = ORMA_IPC_BIND, .request_id = 1, .service_name = ORMA_STR("TestPort")};
    struct orma_buf out = {0};
    struct net n;
    char byte;
    int fds[2];

    net_init(&n);
    cr_assert_eq(orma_ipc_frame_encode(&out, &bind, NULL, 0), 0);
    hasty = endpoint;
    hasty.bind_ms = 1;
    for (int binds = 0; binds < 2; binds++) {
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
        if (binds)
            cr_assert_eq(send(fds[1], out.data, out.len, 0), (ssize_t)out.len);
        cr_assert_eq(traced_conn_new(&n.network, fds[0], &hasty), 0);
        if (binds)
            turn(&n); /* before its time is looked at */
        usleep(5000);
        turn(&n);
        ssize_t got = recv(fds[1], &byte, 1, MSG_DONTWAIT);
        cr_assert(binds ? n.network.conns_num == 2 : got == 0 && n.network.conns_num == 1,
                  "%d: %zd, %zu", binds, got, n.network.conns_num);
        close(fds[1]);
    }
    orma_buf_fini(&out);
    net_fini(&n);
}

static size_t enter_many(struct traced_users *users, uint64_t id, struct traced_user **ret)
{
    size_t num = 0;

    for (struct traced_user *user; num < 1000 && (user = traced_users_enter(users, id)); num++)
        *ret = user;
    return num;
}

static void leave_many(struct traced_users *users, struct traced_user *user, size_t num)
{
    while (num--)
        traced_users_leave(users, user);
}

Test(traced_network, no_user_takes_all_connections)
{
    struct traced_users users;
    struct traced_user *first = NULL, *second = NULL, *own = NULL;

    traced_users_init(&users);
    users.conns_max = 100;
    users.own = 7;
    size_t a = enter_many(&users, 12345, &first),
           b = enter_many(&users, TRACED_USER_NETWORK, &second);
    cr_assert_eq(a, 50);
    cr_assert_eq(b, 25, "half of what the other left");
    cr_assert_eq(enter_many(&users, 12345, &first), 0, "what others have taken is not there");
    cr_assert_eq(enter_many(&users, 7, &own), 1000,
                 "the service's own user stops at the kernel's limit");
    traced_users_leave(&users, first);
    cr_assert_null(traced_users_enter(&users, 12345), "there is nothing left");
    leave_many(&users, own, 1000);
    leave_many(&users, second, b);
    cr_assert_eq(enter_many(&users, 12345, &first), 1, "one had left");
    leave_many(&users, first, a);
    cr_assert_eq(users.conns, 0);
    traced_users_fini(&users);
}

Test(traced_network, what_is_kept_counts_for_its_user)
{
    struct traced_users users;

    traced_users_init(&users);
    users.own = 7;
    struct traced_user *user = traced_users_enter(&users, 12345),
                       *root = traced_users_enter(&users, 0);
    cr_assert(traced_user_hold(user, 0, TRACED_USER_BYTES_MAX));
    cr_assert(!traced_user_hold(user, 0, 1), "one byte too much");
    cr_assert(traced_user_hold(user, 1, 1), "who holds no more than before is not to blame");
    cr_assert(traced_user_hold(root, 0, 2 * TRACED_USER_BYTES_MAX));
    traced_users_leave(&users, user);
    traced_users_leave(&users, root);
    traced_users_fini(&users);
}
