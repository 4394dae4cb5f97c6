/*
 * Forks of a process with tracing: the child has a producer of its own.
 *
 *   test_integration_sdk_forks TRACED [TEST...]
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orma/orma.h"
#include "sdk/base/defs.h"
#include "tests/integration/sdk/actors.h"

ORMA_CATEGORY_DEFINE(forks, "forks", NULL, NULL);

/* A child does not free what its parent's threads may have been changing: see fork.h. */
ORMA_API const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

static void many(const char *what, int num)
{
    for (int i = 0; i < num; i++)
        ORMA_INSTANT(forks, "", ORMA_DYNAMIC_NAME(what));
}

static void *many_in_thread(void *arg)
{
    many(arg, 100);
    return NULL;
}

static void in_child(void)
{
    pthread_t thread;

    many("lost: it wakes the SDK", 1);
    expect("a session of the child", (uint64_t)orma_wait_for_session(WAIT_MS), 1);
    many("child", 100);
    assert(pthread_create(&thread, NULL, many_in_thread, (void *)"child's thread") == 0);
    pthread_join(thread, NULL);
    pid_t grandchild = fork();
    assert(grandchild >= 0);
    if (grandchild == 0) {
        expect("a session of the grandchild", (uint64_t)orma_wait_for_session(WAIT_MS), 1);
        many("grandchild", 100);
        exit(failed);
    }
    int status;
    assert(waitpid(grandchild, &status, 0) == grandchild);
    expect("status of the grandchild", (uint64_t)status, 0);
    many("child", 100);
}

static void play_fork(void)
{
    int status;

    start_tracing();
    many("parent", 100);
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0) {
        in_child();
        exit(failed);
    }
    many("parent", 1000);
    assert(waitpid(pid, &status, 0) == pid);
    expect("status of the child", (uint64_t)status, 0);
    many("parent", 100);
}

static void test_fork(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_fork);

    finish(&a);
    end(session, &t);
    expect("parent's", orma_test_trace_count(&t, 3, "parent"), 1200);
    expect("child's", orma_test_trace_count(&t, 3, "child"), 200);
    expect("child's thread's", orma_test_trace_count(&t, 3, "child's thread"), 100);
    expect("grandchild's", orma_test_trace_count(&t, 3, "grandchild"), 100);
    for (size_t i = 0; i < t.num; i++) {
        const struct orma_test_seq *s = &t.seqs[i];

        for (size_t j = 1; j < orma_te_reader_num(&s->te); j++)
            expect("sequences of one process",
                   (uint64_t)strncmp(orma_te_reader_event(&s->te, 0)->name,
                                     orma_te_reader_event(&s->te, j)->name, 5),
                   0);
    }
    orma_test_trace_fini(&t);
}

/* ---- within a packet ---- */

static const struct orma_data_source_ops packet_ops = {
    sizeof(packet_ops), NULL, NULL, NULL, NULL, NULL};
static struct orma_data_source packets = ORMA_DATA_SOURCE("forks.packets", &packet_ops, NULL);

/* The child writes where its parent has written meanwhile. */
static void play_packet(void)
{
    int pipes[2], status;
    char c = 'x';

    assert(pipe(pipes) == 0 && orma_data_source_register(&packets) == 0);
    start_tracing();
    ORMA_DATA_SOURCE_EACH(it, &packets)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);

        orma_packet_u64(p, 8, orma_now());
        orma_packet_nest(p, 11);
        orma_packet_u64(p, 9, 3);
        pid_t pid = fork();
        assert(pid >= 0);
        if (pid == 0) {
            assert(read(pipes[0], &c, 1) == 1);
            orma_packet_str(p, 23, "packet of the child ");
            _exit(0);
        }
        orma_packet_str(p, 23, "packet of the parent");
        orma_packet_unnest(p);
        (void)orma_ds_packet_end(p);
        assert(write(pipes[1], &c, 1) == 1 && waitpid(pid, &status, 0) == pid);
        expect("status of the child", (uint64_t)status, 0);
    }
}

static void test_packet(void)
{
    const struct orma_test_config config = {.second_source = packets.name};
    struct orma_test_session *session = orma_test_session_start(&config);
    struct orma_test_trace t;
    struct actor a = act(play_packet);

    finish(&a);
    end(session, &t);
    expect("parent's", orma_test_trace_count(&t, 3, "packet of the parent"), 1);
    expect("child's", orma_test_trace_count(&t, 3, "packet of the child "), 0);
    orma_test_trace_fini(&t);
}

/* Children of clone() and of _Fork() come without the handlers of fork(). */
static void play_clone(void)
{
    int status;

    start_tracing();
    many("parent", 100);
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    assert(pid >= 0);
    if (pid == 0) {
        many("lost: it wakes the SDK", 1);
        expect("a session of the child", (uint64_t)orma_wait_for_session(WAIT_MS), 1);
        many("child", 100);
        exit(failed);
    }
    assert(waitpid(pid, &status, 0) == pid);
    expect("status of the child", (uint64_t)status, 0);
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        exit(failed); /* nothing of ours in it may wait for the parent's threads */
    assert(waitpid(pid, &status, 0) == pid);
    expect("status of a child without events", (uint64_t)status, 0);
    many("parent", 100);
}

static void test_clone(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_clone);

    finish(&a);
    end(session, &t);
    expect("parent's", orma_test_trace_count(&t, 3, "parent"), 200);
    expect("child's", orma_test_trace_count(&t, 3, "child"), 100);
    orma_test_trace_fini(&t);
}

/* A child that does nothing but exec costs no thread and no descriptor. */
static void play_fork_and_exec(void)
{
    start_tracing();
    for (int i = 0; i < 20; i++) {
        int status;
        pid_t pid = fork();

        assert(pid >= 0);
        if (pid == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(127);
        }
        many("between", 10);
        assert(waitpid(pid, &status, 0) == pid);
        expect("status", (uint64_t)status, 0);
    }
}

static void test_fork_and_exec(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_fork_and_exec);

    finish(&a);
    end(session, &t);
    expect("events", orma_test_trace_count(&t, 3, "between"), 200);
    orma_test_trace_fini(&t);
}

static const struct named_test tests[] = {
    {"fork", test_fork},
    {"packet", test_packet},
    {"clone", test_clone},
    {"fork_and_exec", test_fork_and_exec},
};

int main(int argc, char **argv)
{
    struct orma_test_daemon daemon;

    assert(argc >= 2);
    orma_test_daemon_start(&daemon, argv[1]);
    run_tests(tests, ORMA_ARRAY_LEN(tests), argv + 2);
    expect("exit code of the service", (uint64_t)orma_test_daemon_stop(&daemon), 0);
    return failed;
}
