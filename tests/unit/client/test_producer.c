#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdk/ipc/frame.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/thread.h"
#include "tests/unit/client/fixture.h"

Test(producer, introduces_itself_and_its_data_sources)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){.smb_scraping = true});

    fixture_connect(f);
    cr_assert_str_eq(f->service->producer_name, "tester");
    cr_assert(f->service->scraping);
    cr_assert_eq(f->service->registered_num, 1);
    cr_assert_str_eq(f->service->registered[0], "test");
    struct orma_ds late = {.name = "late", .ops = &f->ops, .ctx = f};
    cr_assert_eq(orma_producer_add(f->producer, &late), 0);
    fixture_settle(f);
    cr_assert_str_eq(f->service->registered[1], "late");
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, a_refused_connection_can_be_tried_again)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){0});
    struct orma_producer *p;

    cr_assert_eq(orma_producer_new(
                     &(struct orma_producer_config){.name = "x", .addr = "@orma-test-nobody"}, &p),
                 0);
    cr_assert_lt(orma_producer_connect(p), 0);
    cr_assert_eq(orma_producer_fd(p), -1);
    cr_assert_eq(orma_producer_dispatch(p), 0);
    orma_producer_free(p);
    fixture_free(f);
    orma_assert_no_leaks();
}

/* ---- the answer to the bind comes at any moment ---- */

#define ROUNDS 4000

struct answerer {
    int listener;
    _Atomic bool sends, sent; /* the answer */
    _Atomic unsigned introduced, failed;
};

static bool read_some(int sock, int timeout_ms)
{
    struct pollfd pfd = {.fd = sock, .events = POLLIN};
    char bytes[4096];

    return poll(&pfd, 1, timeout_ms) == 1 && read(sock, bytes, sizeof(bytes)) > 0;
}

static void *answer(void *ctx)
{
    static const char *const methods[] = {"", "InitializeConnection"};
    const struct orma_ipc_frame reply = {
        .kind = ORMA_IPC_BIND_REPLY, .request_id = 1, .success = true, .service_id = 1};
    struct answerer *a = ctx;
    struct orma_buf out = {0};

    (void)orma_ipc_frame_encode(&out, &reply, methods, ORMA_ARRAY_LEN(methods));
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct pollfd pfd = {.fd = a->listener, .events = POLLIN};
        int sock = poll(&pfd, 1, 10000) == 1 ? accept4(a->listener, NULL, NULL, SOCK_CLOEXEC) : -1;

        a->failed += !read_some(sock, 5000);
        a->sends = true;
        a->failed += write(sock, out.data, out.len) != (ssize_t)out.len;
        a->sent = true;
        a->introduced += read_some(sock, 5000);
        while (read_some(sock, 10000)) /* until the client closes it */
            continue;
        close(sock);
    }
    orma_buf_fini(&out);
    return NULL;
}

/* The turn before this has read the answer. */
static bool is_answered(const struct answerer *a, const struct orma_producer *p)
{
    int waiting = 0;

    if (!a->sends)
        return false;
    while (!a->sent)
        continue;
    return ioctl(orma_producer_fd(p), FIONREAD, &waiting) == 0 && !waiting;
}

Test(producer, introduces_itself_whenever_the_bind_is_answered)
{
    struct answerer a = {.listener = orma_sock_listen("@orma-test-answer")};
    const struct orma_producer_config config = {.name = "x", .addr = "@orma-test-answer"};
    pthread_t thread;

    cr_assert_geq(a.listener, 0);
    cr_assert_eq(pthread_create(&thread, NULL, answer, &a), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct orma_producer *p;

        a.sends = a.sent = false;
        cr_assert_eq(orma_producer_new(&config, &p), 0);
        cr_assert_eq(orma_producer_connect(p), 0);
        do
            cr_assert_eq(orma_producer_dispatch(p), 0);
        while (!is_answered(&a, p));
        for (unsigned n = 0; n < 5000 && a.introduced == i; n++)
            (void)poll(NULL, 0, 1); /* no turn any more: nothing would wake it */
        cr_assert_eq(a.introduced, i + 1, "round %u", i);
        orma_producer_free(p);
    }
    pthread_join(thread, NULL);
    cr_assert_eq(a.failed, 0);
    close(a.listener);
    orma_assert_no_leaks();
}

/* Memory that its giver can make smaller would end the program by SIGBUS. */
Test(producer, takes_no_memory_that_may_shrink)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){0});

    f->service->unsealed = true;
    fixture_connect(f);
    cr_assert(orma_producer_is_connected(f->producer));
    orma_test_service_setup_tracing(f->service, 1 << 16, 4096);
    fixture_settle(f);
    cr_assert_not(orma_producer_is_connected(f->producer));
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, runs_the_life_of_an_instance)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){0});

    f->ds.will_notify_on_start = f->ds.will_notify_on_stop = true;
    f->ds.handles_incremental_state_clear = true;
    fixture_connect(f);
    orma_test_service_setup_tracing(f->service, 1 << 16, 4096);
    orma_test_service_start(f->service, 9, "test", 3, ORMA_STR("\x9a\x3f\x02ok"));
    fixture_settle(f);
    cr_assert_eq(f->setups, 1);
    cr_assert_eq(f->starts, 1);
    cr_assert_eq(f->inst->id, 9);
    cr_assert_eq(f->inst->target_buffer, 3);
    struct orma_str c = f->inst->config;
    cr_assert(c.len > 5 && !memcmp(c.data + c.len - 5, "\x9a\x3f\x02ok", 5), "unknown fields stay");
    cr_assert_eq(f->service->started_id, 0, "only when told");
    orma_producer_started(f->producer, 9);
    orma_test_service_clear(f->service, 9);
    fixture_settle(f);
    cr_assert_eq(f->service->started_id, 9);
    cr_assert_eq(f->clears, 1);
    orma_test_service_stop(f->service, 9);
    fixture_settle(f);
    cr_assert_eq(f->stops, 1);
    cr_assert_eq(f->service->stopped_id, 0);
    orma_producer_stopped(f->producer, 9);
    fixture_settle(f);
    cr_assert_eq(f->service->stopped_id, 9);
    orma_test_service_stop(f->service, 9);
    fixture_settle(f);
    cr_assert_eq(f->stops, 1, "it is gone");
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, a_start_without_setup_is_both)
{
    struct fixture *f = fixture_new(1 << 16, 4096);

    cr_assert_eq(f->setups, 1);
    orma_test_service_start(f->service, 2, "unknown", 3, (struct orma_str){0});
    fixture_settle(f);
    cr_assert_eq(f->starts, 1);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, a_second_start_means_nothing)
{
    struct fixture *f = fixture_new(1 << 16, 4096);

    orma_test_service_start(f->service, 1, "test", FIXTURE_BUFFER, (struct orma_str){0});
    fixture_settle(f);
    cr_assert_eq(f->starts, 1);
    cr_assert_eq(f->setups, 1);
    fixture_free(f);
    orma_assert_no_leaks();
}

/* One answer covers all before it, so the first flush must not be overtaken. */
Test(producer, answers_flushes_in_order_and_after_the_data)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w;
    const uint64_t ids[] = {1, 77};
    uint8_t packet[64];

    cr_assert_eq(orma_writer_new(f->producer, FIXTURE_BUFFER, ORMA_POLICY_DROP, &w), 0);
    cr_assert_eq(orma_writer_put(w, packet, fixture_packet(packet, 0, 10)), 0);
    orma_test_service_flush(f->service, 1, ids, 2);
    orma_test_service_flush(f->service, 2, ids, 1);
    fixture_settle(f);
    cr_assert_eq(f->flushes, 2);
    orma_producer_flushed(f->producer, 1, 2);
    fixture_settle(f);
    cr_assert_eq(f->service->flush_acked, 0);
    orma_writer_flush(w);
    orma_producer_flushed(f->producer, 1, 1);
    fixture_settle(f);
    cr_assert_eq(f->service->flush_acked, 2);
    cr_assert_eq(orma_test_writer_num(orma_test_service_writer(f->service, 1)), 1);
    orma_test_service_flush(f->service, 3, ids, 0);
    fixture_settle(f);
    cr_assert_eq(f->service->flush_acked, 3, "nobody to ask");
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, a_flush_that_waits_for_an_instance_ends_with_it)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    const uint64_t ids[] = {1};

    orma_test_service_flush(f->service, 1, ids, 1);
    orma_test_service_stop(f->service, 1);
    fixture_settle(f);
    cr_assert_eq(f->service->flush_acked, 1);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, batches_commits_for_as_long_as_it_is_told)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){.commit_delay_ms = 60000});
    struct orma_writer *w;
    uint8_t packet[4096];

    fixture_connect(f);
    orma_test_service_setup_tracing(f->service, 1 << 18, 4096);
    orma_test_service_start(f->service, 1, "test", FIXTURE_BUFFER, (struct orma_str){0});
    fixture_settle(f);
    cr_assert_eq(orma_writer_new(f->producer, FIXTURE_BUFFER, ORMA_POLICY_DROP, &w), 0);
    cr_assert_leq(orma_producer_timeout_ms(f->producer), 2000); /* a look at its pipe */
    for (uint32_t i = 0; i < 10; i++)
        cr_assert_eq(orma_writer_put(w, packet, fixture_packet(packet, i, 3900)), 0);
    fixture_settle(f);
    cr_assert_eq(f->service->chunks, 0);
    cr_assert_gt(orma_producer_timeout_ms(f->producer), 2000);
    for (uint32_t i = 10; i < 30; i++)
        cr_assert_eq(orma_writer_put(w, packet, fixture_packet(packet, i, 3900)), 0);
    fixture_settle(f);
    cr_assert_geq(f->service->chunks, 24, "three eighths of the memory do not wait");
    cr_assert_eq(f->service->commits, 1);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, sends_chunks_as_bytes_where_memory_cannot_be_shared)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){.smb_scraping = true});
    struct orma_writer *w;
    uint8_t packet[4096];
    pthread_t service;

    f->service->emulate = true;
    fixture_connect(f);
    orma_test_service_setup_tracing(f->service, 0, 4096);
    orma_test_service_start(f->service, 1, "test", FIXTURE_BUFFER, (struct orma_str){0});
    fixture_settle(f);
    cr_assert_eq(orma_writer_new(f->producer, FIXTURE_BUFFER, ORMA_POLICY_STALL, &w), 0);
    pthread_create(&service, NULL, orma_test_service_run, f->service);
    for (uint32_t i = 0; i < 1000; i++) /* four times the memory: it is freed here, not there */
        cr_assert_eq(orma_writer_put(w, packet, fixture_packet(packet, i, 3900)), 0);
    orma_writer_free(w);
    cr_assert_eq(orma_producer_sync(f->producer, 10000), 0);
    atomic_store(&f->service->quit, true);
    pthread_join(service, NULL);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), 1000);
    cr_assert_eq(got->gaps + got->missing, 0);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, stops_everything_when_the_service_goes_and_comes_back_with_it)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w, *w2;
    struct orma_writer_counts counts;
    uint8_t packet[64];
    size_t len = fixture_packet(packet, 0, 10);

    cr_assert_eq(orma_writer_new(f->producer, FIXTURE_BUFFER, ORMA_POLICY_STALL, &w), 0);
    cr_assert_eq(orma_writer_put(w, packet, len), 0);
    orma_test_service_hang_up(f->service);
    cr_assert_lt(orma_producer_dispatch(f->producer), 0);
    cr_assert_eq(f->stops, 1);
    cr_assert(!orma_producer_is_connected(f->producer));
    cr_assert_eq(orma_writer_put(w, packet, len), -ENOBUFS, "detached: dropped and counted");
    orma_writer_counts(w, &counts);
    cr_assert_eq(counts.emitted, 2);
    cr_assert_eq(counts.dropped_no_chunk, 1);
    cr_assert_eq(orma_writer_new(f->producer, FIXTURE_BUFFER, ORMA_POLICY_DROP, &w2), -ENOTCONN);

    cr_assert_eq(orma_producer_connect(f->producer), 0);
    fixture_settle(f);
    cr_assert_eq(f->service->connections, 2);
    cr_assert_eq(f->service->registered_num, 2);
    orma_test_service_setup_tracing(f->service, 1 << 16, 4096);
    orma_test_service_start(f->service, 2, "test", FIXTURE_BUFFER, (struct orma_str){0});
    fixture_settle(f);
    cr_assert_eq(f->starts, 2);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(producer, passes_triggers_on)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){0});
    const char *names[] = {"jank"};

    cr_assert_eq(orma_producer_trigger(f->producer, names, 1), -EAGAIN);
    fixture_connect(f);
    cr_assert_eq(orma_producer_trigger(f->producer, names, 1), 0);
    fixture_settle(f);
    cr_assert_str_eq(f->service->trigger, "jank");
    fixture_free(f);
    orma_assert_no_leaks();
}

static void *write_much(void *arg)
{
    struct orma_writer *w = arg;
    uint8_t packet[256];

    for (uint32_t i = 0; i < 20000; i++)
        (void)orma_writer_put(w, packet, fixture_packet(packet, i, i % 200)); /* may be dropped */
    orma_writer_free(w);
    return NULL;
}

/* Two writers with their own threads, the producer's thread, the service's thread, little memory.
 */
Test(producer, works_with_a_thread_of_its_own_and_loses_nothing_unseen)
{
    static const enum orma_policy policies[] = {ORMA_POLICY_DROP, ORMA_POLICY_STALL,
                                                ORMA_POLICY_STALL_THEN_DROP};

    for (size_t p = 0; p < ORMA_ARRAY_LEN(policies); p++) {
        struct fixture *f = fixture_new(16 * 4096, 4096);
        struct orma_producer_thread *thread;
        struct orma_writer *w;
        pthread_t writers[2], service;

        for (unsigned i = 0; i < 2; i++) {
            cr_assert_eq(orma_writer_new(f->producer, FIXTURE_BUFFER, policies[p], &w), 0);
            pthread_create(&writers[i], NULL, write_much, w);
        }
        pthread_create(&service, NULL, orma_test_service_run, f->service);
        cr_assert_eq(orma_producer_thread_new(f->producer, NULL, NULL, &thread), 0);
        for (unsigned i = 0; i < 2; i++)
            pthread_join(writers[i], NULL);
        cr_assert_eq(orma_producer_thread_sync(thread, 10000), 0);
        orma_producer_thread_free(thread);
        atomic_store(&f->service->quit, true);
        pthread_join(service, NULL);
        for (uint16_t id = 1; id <= 2; id++) {
            struct orma_test_writer *got = orma_test_service_writer(f->service, id);

            cr_assert_eq(got->emitted, 20000);
            cr_assert_eq(orma_test_writer_num(got) + got->missing + got->dropped_no_chunk, 20000);
            cr_assert_eq(got->gaps, 0);
            if (policies[p] == ORMA_POLICY_STALL)
                cr_assert_eq(orma_test_writer_num(got), 20000);
        }
        orma_test_service_free(f->service);
        free(f);
    }
    orma_assert_no_leaks();
}

static void dispatch_late(void *ctx, struct orma_producer *producer)
{
    (void)ctx;
    poll(NULL, 0, 200);                     /* until the other has called, too */
    (void)orma_producer_dispatch(producer); /* takes its wake-up */
}

static void note(void *ctx, struct orma_producer *producer)
{
    (void)producer;
    atomic_store((atomic_bool *)ctx, true);
}

static void *call_late(void *arg)
{
    orma_producer_thread_call(arg, dispatch_late, NULL);
    return NULL;
}

/* A hang: the thread slept, connected to a service that had nothing to say. */
Test(producer, a_call_during_a_task_that_dispatches_is_not_forgotten, .timeout = 20)
{
    struct fixture *f = fixture_new(16 * 4096, 4096);
    struct orma_producer_thread *thread;
    atomic_bool called = false;
    pthread_t service, late;

    pthread_create(&service, NULL, orma_test_service_run, f->service);
    cr_assert_eq(orma_producer_thread_new(f->producer, NULL, NULL, &thread), 0);
    cr_assert_eq(orma_producer_thread_sync(thread, 10000), 0); /* it is connected */
    pthread_create(&late, NULL, call_late, thread);
    poll(NULL, 0, 50);
    orma_producer_thread_call(thread, note, &called);
    cr_expect(atomic_load(&called));
    pthread_join(late, NULL);
    orma_producer_thread_free(thread);
    atomic_store(&f->service->quit, true);
    pthread_join(service, NULL);
    orma_test_service_free(f->service);
    free(f);
    orma_assert_no_leaks();
}
