/*
 * children MODE NAME: what programs do around fork(). MODE is inproc or system. Exit status 0: what
 * is said here holds.
 */
#include <sys/wait.h>

#include "tests/integration/cabi/session.h"

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #cond);                                      \
            fflush(stdout);                                                                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static struct cat cat = CAT("cat", "Test", NULL, 0);
static struct source ds = {&perfetto_atomic_false, NULL};
static const struct wanted events = {.source = "track_event", .on = {"*"}, .builtin = true};
static const struct wanted packets = {.source = "com.example.children", .builtin = true};
static bool is_system;

/* Ends the session, and counts how often its trace has each text. */
static int end_and_count(void *s, const char *const *texts, int *nums)
{
    PerfettoTracingSessionStopBlocking(s);
    struct memory m = read_all(s);
    PerfettoTracingSessionDestroy(s);
    for (; *texts; texts++, nums++)
        *nums = count_text(&m, *texts);
    free(m.data);
    return 0;
}

static int wait_child(pid_t pid)
{
    int status;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static bool register_packets(void)
{
    return register_source(&ds, packets.source, PerfettoDsImplCreate());
}

static void put_packet(void *tracer, const char *text)
{
    struct cursor c = PerfettoDsTracerImplPacketBegin(tracer);
    struct message m = {.cursor = &c}, f = open_message(&m, 900);

    put_text(&f, 1, text);
    close_message(&f);
    PerfettoDsTracerImplPacketEnd(tracer, &c);
}

static int work_of_child(void)
{
    int num;

    PerfettoTeInit();
    register_cat(&cat);
    PerfettoTePublishCategories();
    CHECK(perfetto_te_process_track_uuid);
    CHECK(register_packets());
    void *s = start_session(is_system, &events);
    CHECK(wait_until_on(&cat.enabled));
    EVENT(cat, INSTANT, "of the child");
    end_and_count(s, (const char *const[]){"of the child", NULL}, &num);
    CHECK(num == 1);
    s = start_session(is_system, &packets);
    CHECK(wait_until_on(&ds.enabled));
    EACH_INSTANCE(ds, it)
    {
        put_packet(it.tracer, "packet of the child");
    }
    end_and_count(s, (const char *const[]){"packet of the child", NULL}, &num);
    CHECK(num == 1);
    return 0;
}

/* The parent only begins the library; its children say what they have. */
static int prefork(void)
{
    init_backend(is_system, 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(work_of_child());
    CHECK(wait_child(pid) == 0);
    return 0;
}

/* Within a packet: the child goes on, and the parent's packet is as if there had been no child. */
static int in_packet(void)
{
    static const char *const texts[] = {
        "begun", "ended by the parent", "next of the parent", "of a child", "QQQQQQQQ", NULL};
    int nums[5];
    pid_t pid = -1;

    init_backend(is_system, 0);
    CHECK(register_packets());
    void *s = start_session(is_system, &packets);
    CHECK(wait_until_on(&ds.enabled));
    fflush(stdout);
    EACH_INSTANCE(ds, it)
    {
        static char many[9000]; /* more than a chunk */
        struct cursor c = PerfettoDsTracerImplPacketBegin(it.tracer);
        struct message m = {.cursor = &c}, f = open_message(&m, 900), g = open_message(&f, 4);

        put_text(&g, 1, "begun");
        if ((pid = fork()) == 0) {
            memset(many, 'Q', sizeof(many));
            put_data(&g, 1, many, 50);
            put_data(&g, 1, many, sizeof(many));
            put_text(&g, 1, "of a child");
        } else {
            (void)wait_child(pid);
            put_text(&g, 1, "ended by the parent");
        }
        close_message(&g);
        close_message(&f);
        PerfettoDsTracerImplPacketEnd(it.tracer, &c);
        put_packet(it.tracer, pid ? "next of the parent" : "next of a child");
        PerfettoDsTracerImplFlush(it.tracer, NULL, NULL);
    }
    if (pid == 0)
        _exit(0);
    end_and_count(s, texts, nums);
    CHECK(nums[0] == 1 && nums[1] == 1 && nums[2] == 1);
    CHECK(nums[3] == 0 && nums[4] == 0);
    return 0;
}

int main(int argc, char **argv)
{
    alarm(60);
    if (argc != 3)
        return 2;
    is_system = strcmp(argv[1], "system") == 0;
    if (strcmp(argv[2], "prefork") == 0)
        return prefork();
    return strcmp(argv[2], "in_packet") == 0 ? in_packet() : 2;
}
