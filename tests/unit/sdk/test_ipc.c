#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/client.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/methods.h"
#include "sdk/ipc/sock.h"
#include "sdk/ipc/stream.h"
#include "tests/support/leaks.h"

struct pair {
    int a, b;
};

static struct pair new_pair(void)
{
    int s[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, s), 0);
    return (struct pair){s[0], s[1]};
}

Test(frame, every_kind_round_trips)
{
    static const char *const methods[] = ORMA_PRODUCER_PORT_METHODS;
    const struct orma_ipc_frame frames[] = {
        {.kind = ORMA_IPC_BIND, .request_id = 1, .service_name = ORMA_STR("ProducerPort")},
        {.kind = ORMA_IPC_BIND_REPLY, .request_id = 2, .success = true, .service_id = 7},
        {.kind = ORMA_IPC_INVOKE,
         .request_id = 3,
         .service_id = 1,
         .method_id = 4,
         .payload = ORMA_STR("args"),
         .drop_reply = true},
        {.kind = ORMA_IPC_INVOKE_REPLY,
         .request_id = 4,
         .success = true,
         .has_more = true,
         .payload = ORMA_STR("reply")},
        {.kind = ORMA_IPC_ERROR, .request_id = 5, .payload = ORMA_STR("no")},
        {.kind = ORMA_IPC_PEER_IDENTITY,
         .peer_pid = 12,
         .peer_uid = 1000,
         .machine_id_hint = ORMA_STR("hint"),
         .machine_name = ORMA_STR("box")},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(frames); i++) {
        struct orma_buf b = {0};
        struct orma_ipc_frame got;
        uint32_t len;

        cr_assert_eq(orma_ipc_frame_encode(&b, &frames[i], methods,
                                           frames[i].kind == ORMA_IPC_BIND_REPLY
                                               ? ORMA_PRODUCER_PORT_METHODS_END
                                               : 0),
                     0);
        memcpy(&len, b.data, 4);
        cr_assert_eq(len + 4, b.len);
        cr_assert_eq(orma_ipc_frame_decode(b.data + 4, len, &got), 0);
        cr_assert_eq(got.kind, frames[i].kind);
        cr_assert_eq(got.request_id, frames[i].request_id);
        cr_assert_eq(got.service_id, frames[i].service_id);
        cr_assert_eq(got.method_id, frames[i].method_id);
        cr_assert_eq(got.success, frames[i].success);
        cr_assert_eq(got.has_more, frames[i].has_more);
        cr_assert_eq(got.drop_reply, frames[i].drop_reply);
        cr_assert_eq(got.peer_uid, frames[i].peer_uid);
        cr_assert(orma_str_eq(got.payload, frames[i].payload));
        cr_assert(orma_str_eq(got.service_name, frames[i].service_name));
        cr_assert(orma_str_eq(got.machine_name, frames[i].machine_name));
        orma_buf_fini(&b);
    }
    orma_assert_no_leaks();
}

Test(stream, frames_survive_any_cut_and_empty_ones_vanish)
{
    struct orma_buf all = {0};
    struct orma_ipc_frame f = {.kind = ORMA_IPC_BIND, .service_name = ORMA_STR("X")};
    const uint8_t *data;
    size_t len;

    for (unsigned i = 1; i <= 3; i++) {
        static const uint8_t empty[4];

        f.request_id = i;
        orma_ipc_frame_encode(&all, &f, NULL, 0);
        orma_buf_put(&all, empty, 4);
    }
    for (size_t step = 1; step <= all.len; step++) {
        struct pair p = new_pair();
        struct orma_ipc_stream s;
        unsigned got = 0;

        orma_ipc_stream_init(&s);
        for (size_t at = 0; at < all.len; at += step) {
            cr_assert_eq(orma_sock_send(p.a, all.data + at, ORMA_MIN(step, all.len - at), -1, 100),
                         0);
            cr_assert_gt(orma_ipc_stream_recv(&s, p.b), 0);
            while (orma_ipc_stream_next(&s, &data, &len) == 1) {
                cr_assert_eq(orma_ipc_frame_decode(data, len, &f), 0);
                cr_assert_eq(f.request_id, ++got);
            }
        }
        cr_assert_eq(got, 3);
        cr_assert_eq(orma_ipc_stream_recv(&s, p.b), -EAGAIN);
        close(p.a);
        cr_assert_eq(orma_ipc_stream_recv(&s, p.b), 0);
        close(p.b);
        orma_ipc_stream_fini(&s);
    }
    orma_buf_fini(&all);
    orma_assert_no_leaks();
}

Test(stream, a_frame_may_be_as_large_as_the_limit_and_no_larger)
{
    struct pair p = new_pair();
    struct orma_ipc_stream s;
    const uint8_t *data;
    size_t len;
    uint32_t over = ORMA_IPC_FRAME_MAX - 4 + 1;

    orma_ipc_stream_init(&s);
    cr_assert_eq(orma_sock_send(p.a, &over, 4, -1, 100), 0);
    cr_assert_eq(orma_ipc_stream_recv(&s, p.b), 4);
    cr_assert_eq(orma_ipc_stream_next(&s, &data, &len), -EMSGSIZE);
    orma_ipc_stream_fini(&s);
    close(p.a);
    close(p.b);
}

Test(stream, the_last_descriptor_stays_and_the_others_are_closed)
{
    struct pair p = new_pair();
    struct orma_ipc_stream s;
    struct stat want, got;
    int null_fd = open("/dev/null", O_RDONLY), zero_fd = open("/dev/zero", O_RDONLY);

    orma_ipc_stream_init(&s);
    orma_sock_send(p.a, "a", 1, null_fd, 100);
    orma_ipc_stream_recv(&s, p.b);
    orma_sock_send(p.a, "b", 1, zero_fd, 100);
    orma_ipc_stream_recv(&s, p.b);
    int fd = orma_ipc_stream_take_fd(&s);
    cr_assert_eq(fstat(zero_fd, &want), 0);
    cr_assert_eq(fstat(fd, &got), 0);
    cr_assert_eq(want.st_rdev, got.st_rdev);
    cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    cr_assert_eq(orma_ipc_stream_take_fd(&s), -1);
    close(fd);
    close(null_fd);
    close(zero_fd);
    close(p.a);
    close(p.b);
    orma_ipc_stream_fini(&s);
}

Test(sock, knows_the_address_forms)
{
    static const struct {
        const char *text;
        int family; /* or -errno */
    } cases[] = {
        {"/tmp/x", AF_UNIX},          {"@name", AF_UNIX},
        {"vsock://2:5", AF_VSOCK},    {"vsock://2", -EINVAL},
        {"127.0.0.1:80", AF_INET},    {"[::1]:80", AF_INET6},
        {"127.0.0.1:70000", -EINVAL}, {"", -EINVAL},
        {"relative:name", AF_UNIX},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_sock_addr addr;
        int r = orma_sock_parse(cases[i].text, &addr);

        cr_assert_eq(r < 0 ? r : addr.family, cases[i].family, "%s", cases[i].text);
    }
}

Test(sock, a_stale_socket_is_replaced_and_a_living_one_is_not)
{
    char dir[] = "/tmp/orma-test-XXXXXX", path[64];

    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/sock", dir);
    int first = orma_sock_listen(path);
    cr_assert_geq(first, 0);
    cr_assert_eq(orma_sock_listen(path), -EADDRINUSE);
    close(first);
    int second = orma_sock_listen(path);
    cr_assert_geq(second, 0);
    close(second);
    unlink(path);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    close(file);
    cr_assert_eq(orma_sock_listen(path), -EEXIST);
    unlink(path);
    rmdir(dir);
}

/* Its queue is full, and nobody takes anything out. */
Test(sock, who_takes_no_connection_is_waited_for_with_a_limit)
{
    char dir[] = "/tmp/orma-test-XXXXXX";
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int clients[4];

    cr_assert(mkdtemp(dir));
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/sock", dir);
    int stopped = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(stopped, (struct sockaddr *)&addr, sizeof(addr)), 0);
    cr_assert_eq(listen(stopped, 0), 0);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(clients); i++) {
        clients[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(clients[i], (struct sockaddr *)&addr, sizeof(addr));
    }
    cr_assert_eq(orma_sock_listen(addr.sun_path), -EADDRINUSE,
                 "its socket is not taken away, either");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(clients); i++)
        close(clients[i]);
    close(stopped);
    unlink(addr.sun_path);
    rmdir(dir);
}

struct calls {
    unsigned num, failed;
    char last[16];
};

static void on_reply(void *ctx, bool success, bool has_more, struct orma_str reply)
{
    struct calls *c = ctx;

    (void)has_more;
    c->num++;
    c->failed += !success;
    snprintf(c->last, sizeof(c->last), "%.*s", ORMA_STR_ARG(reply));
}

static void reply(int sock, uint64_t id, bool more, const char *text)
{
    struct orma_buf b = {0};
    struct orma_ipc_frame f = {.kind = ORMA_IPC_INVOKE_REPLY,
                               .request_id = id,
                               .success = true,
                               .has_more = more,
                               .payload = orma_str_from(text)};

    orma_ipc_frame_encode(&b, &f, NULL, 0);
    cr_assert_eq(orma_sock_send(sock, b.data, b.len, -1, 100), 0);
    orma_buf_fini(&b);
}

Test(client, binds_looks_up_by_name_and_matches_replies_by_id)
{
    static const char *const methods[] = {[1] = "Later", [2] = "Sync", [3] = "Other"};
    struct pair p = new_pair();
    struct orma_ipc_client *c;
    struct calls sync = {0}, stream = {0};
    struct orma_buf b = {0};
    struct orma_ipc_frame bound = {
        .kind = ORMA_IPC_BIND_REPLY, .request_id = 1, .success = true, .service_id = 9};

    cr_assert_eq(orma_ipc_client_new_from_fd(p.a, "ProducerPort", &c), 0);
    cr_assert_eq(orma_ipc_client_invoke(c, "Sync", NULL, 0, -1, NULL, NULL), -EAGAIN);
    orma_ipc_frame_encode(&b, &bound, methods, 4);
    orma_sock_send(p.b, b.data, b.len, -1, 100);
    cr_assert_eq(orma_ipc_client_wait_bound(c, 1000), 0);
    cr_assert_eq(orma_ipc_client_invoke(c, "Absent", NULL, 0, -1, NULL, NULL), -ENOSYS);
    cr_assert_eq(orma_ipc_client_invoke(c, "Sync", "x", 1, -1, on_reply, &sync), 0);
    cr_assert_eq(orma_ipc_client_invoke(c, "Other", "y", 1, -1, on_reply, &stream), 0);
    reply(p.b, 3, true, "one");
    reply(p.b, 99, false, "nobody asked");
    reply(p.b, 2, false, "synced");
    reply(p.b, 3, true, "two");
    cr_assert_eq(orma_ipc_client_dispatch(c), 0);
    cr_assert(sync.num == 1 && !strcmp(sync.last, "synced"));
    cr_assert(stream.num == 2 && !strcmp(stream.last, "two"));
    close(p.b);
    cr_assert_eq(orma_ipc_client_dispatch(c), -ECONNRESET);
    orma_ipc_client_free(c);
    cr_assert(stream.num == 3 && stream.failed == 1, "the open stream was told of the end");
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}
