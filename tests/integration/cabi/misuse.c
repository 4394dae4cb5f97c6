/*
 * misuse NAME: uses of libperfetto_c.so that the reference ends the program for, and what happens
 * to programs: fork(), signals, many types. Exit status 0: nothing crashed, and what is said here
 * holds.
 */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/integration/cabi/session.h"

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #cond);                                      \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static struct cat cat = CAT("cat", "Test", NULL, 0);
static struct source ds = {&perfetto_atomic_false, NULL};
static const struct wanted all_events = {.source = "track_event", .on = {"*"}, .builtin = true};

static void begin_events(bool system)
{
    init_backend(system, 0);
    PerfettoTeInit();
    register_cat(&cat);
    PerfettoTePublishCategories();
}

/* Before anything was begun. */
static int before_init(void)
{
    const char *names[] = {"x", NULL};
    struct cat any = {perfetto_te_any_categories_enabled, perfetto_te_any_categories, {0}, 0};

    CHECK(any.enabled && any.impl && !is_on(any.enabled));
    EVENT(any, INSTANT, "x");
    PerfettoTeHlEmitImpl(any.impl, INSTANT, "x", (const void *const[]){NULL});
    PerfettoTeInit();
    PerfettoTePublishCategories();
    PerfettoProducerActivateTriggers(names, 100);
    CHECK(!register_source(&ds, "too.early", PerfettoDsImplCreate()));
    void *s = PerfettoTracingSessionInProcessCreate();
    PerfettoTracingSessionStartBlocking(s);
    CHECK(!PerfettoTracingSessionFlushBlocking(s, 100));
    PerfettoTracingSessionStopBlocking(s);
    struct memory m = read_all(s);
    CHECK(m.len == 0);
    PerfettoTracingSessionDestroy(s);
    return 0;
}

static void *ctx(void *d, uint32_t inst, void *config, size_t len, void *user, void *args)
{
    static char text[] = "ctx";

    (void)d, (void)inst, (void)config, (void)len, (void)user, (void)args;
    return text;
}

/* Packets begun twice, ended twice or never, flushed inside, with a size that is never written. */
static int packets(void)
{
    void *d = PerfettoDsImplCreate();

    init_backend(false, 0);
    PerfettoDsSetOnSetupCallback(d, ctx);
    CHECK(register_source(&ds, "com.example.misuse", d));
    PerfettoDsSetOnSetupCallback(d, NULL); /* too late: nothing changes */
    CHECK(!PerfettoDsSetBufferExhaustedPolicy(d, 1));
    void *s =
        start_session(false, &(struct wanted){.source = "com.example.misuse", .builtin = true});
    CHECK(is_on(ds.enabled));
    EACH_INSTANCE(ds, it)
    {
        static char long_text[10000];
        struct cursor a = PerfettoDsTracerImplPacketBegin(it.tracer);
        struct message m = {.cursor = &a}, e = open_message(&m, 900);

        memset(long_text, 'y', sizeof(long_text));
        put_data(&e, 1, long_text, sizeof(long_text)); /* its size is patched, or never */
        PerfettoDsTracerImplFlush(it.tracer, NULL, NULL);
        struct cursor b = PerfettoDsTracerImplPacketBegin(it.tracer); /* the first is given up */
        struct message n = {.cursor = &b}, f = open_message(&n, 900);
        put_text(&f, 1, "survivor");
        close_message(&f);
        PerfettoDsTracerImplPacketEnd(it.tracer, &b);
        PerfettoDsTracerImplPacketEnd(it.tracer, &b);
        (void)PerfettoDsTracerImplPacketBegin(it.tracer);
    }
    PerfettoTracingSessionStopBlocking(s);
    struct memory m = read_all(s);
    CHECK(count_text(&m, "survivor") == 1);
    CHECK(count_text(&m, "yyyyyyyyyy") == 0);
    PerfettoTracingSessionDestroy(s);
    PerfettoDsStopDone(NULL);
    PerfettoDsFlushDone(NULL);
    CHECK(!PerfettoDsImplGetInstanceLocked(ds.impl, 99));
    return 0;
}

static void block_in_callback(void *s, void *user)
{
    PerfettoTracingSessionStopBlocking(s); /* could never be answered here */
    *(atomic_int *)user = 1;
}

static int sessions(void)
{
    atomic_int stopped = 0;

    begin_events(false);
    void *s = new_session(false, &all_events);
    CHECK(!PerfettoTracingSessionFlushBlocking(s, 100));
    PerfettoTracingSessionSetStopCb(s, block_in_callback, &stopped);
    PerfettoTracingSessionStartBlocking(s);
    PerfettoTracingSessionStartBlocking(s);
    CHECK(is_on(cat.enabled));
    EVENT(cat, INSTANT, "once");
    PerfettoTracingSessionStopBlocking(s);
    CHECK(stopped == 1);
    PerfettoTracingSessionStopBlocking(s);
    PerfettoTracingSessionStartBlocking(s);
    CHECK(!is_on(cat.enabled));
    struct memory m = read_all(s);
    CHECK(count_text(&m, "once") == 1);
    PerfettoTracingSessionDestroy(s);
    PerfettoTracingSessionDestroy(NULL);
    /* A config that is none. */
    s = PerfettoTracingSessionInProcessCreate();
    PerfettoTracingSessionSetup(s, (char[]){"\xff\xff\xff"}, 3);
    PerfettoTracingSessionStartBlocking(s);
    PerfettoTracingSessionStopBlocking(s);
    PerfettoTracingSessionDestroy(s);
    return 0;
}

/* A handler that interrupts an event does nothing; one that does not, records. */
static void on_signal(int sig)
{
    int err = errno;

    (void)sig;
    EVENT(cat, INSTANT, "handler", ARG_UINT("n", 1));
    errno = err;
}

static int signals(void)
{
    const struct itimerval every = {{0, 100}, {0, 100}};
    struct itimerval off = {0};

    begin_events(false);
    void *s = start_session(false, &all_events);
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 300000; i++) {
        char name[16];

        snprintf(name, sizeof(name), "n%d", i % 500);
        EVENT(cat, INSTANT, name, ARG_UINT("i", (uint64_t)i));
    }
    setitimer(ITIMER_REAL, &off, NULL);
    PerfettoTracingSessionStopBlocking(s);
    struct memory m = read_all(s);
    CHECK(m.len > 10000);
    PerfettoTracingSessionDestroy(s);
    return 0;
}

static int wait_child(pid_t pid)
{
    int status;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* A child records anew, into its own service; what the parent records stays the parent's. */
static int forks(void)
{
    begin_events(false);
    void *s = start_session(false, &all_events);
    EVENT(cat, INSTANT, "of the parent");
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        EVENT(cat, INSTANT, "of the child");
        PerfettoTracingSessionStopBlocking(s); /* the parent's: nothing happens */
        PerfettoTracingSessionDestroy(s);
        void *own = start_session(false, &all_events);
        if (!wait_until_on(&cat.enabled))
            _exit(10);
        EVENT(cat, INSTANT, "recorded by the child");
        PerfettoTracingSessionStopBlocking(own);
        struct memory m = read_all(own);
        _exit(count_text(&m, "recorded by the child") == 1 && count_text(&m, "of the parent") == 0
                  ? 0
                  : 11);
    }
    CHECK(wait_child(pid) == 0);
    EVENT(cat, INSTANT, "after the fork");
    PerfettoTracingSessionStopBlocking(s);
    struct memory m = read_all(s);
    CHECK(count_text(&m, "of the parent") == 1 && count_text(&m, "after the fork") == 1);
    CHECK(count_text(&m, "of the child") == 0);
    PerfettoTracingSessionDestroy(s);
    return 0;
}

/* A category that is gone, one of every kind of extra that nobody knows, many categories. */
static int events(void)
{
    static struct cat many[700];
    static char names[700][16];

    begin_events(false);
    for (int i = 0; i < 700; i++) {
        snprintf(names[i], sizeof(names[i]), "c%d", i);
        many[i] = (struct cat)CAT(names[i], "", NULL, 0);
        register_cat(&many[i]);
    }
    void *s = start_session(false, &all_events);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 700; i++)
            EVENT(many[i], INSTANT, names[i], ARG_TEXT(names[i], "v"));
    EVENT(cat, INSTANT, "strange", X(x_word, 77), X(x_word, 4000000000u), ARG_TEXT("null", NULL),
          X(x_ptr, 21, NULL), X(x_ptr, 19, NULL), X(x_ptr, 17, NULL));
    EVENT(cat, INSTANT, "no track", ON_MADE(NULL), ON_NESTED(X(x_ptr, 3, NULL)));
    EVENT(cat, INSTANT, "no category", X(x_ptr, 4, NULL));
    struct cat any = {perfetto_te_any_categories_enabled, perfetto_te_any_categories, {0}, 0};
    EVENT(any, INSTANT, "any without a name");
    PerfettoTeHlEmitImpl(NULL, INSTANT, "x", (const void *const[]){NULL});
    for (int i = 0; i < 700; i++)
        PerfettoTeCategoryImplDestroy(many[i].impl);
    PerfettoTeCategoryImplDestroy(NULL);
    PerfettoTracingSessionStopBlocking(s);
    struct memory m = read_all(s);
    CHECK(count_text(&m, "strange") == 1 && count_text(&m, "any without a name") == 1);
    CHECK(count_text(&m, "no track") == 1);
    CHECK(count_text(&m, "no category") == 0);
    CHECK(count_text(&m, "c699") == 3); /* as a category, an event's name and an argument's */
    PerfettoTracingSessionDestroy(s);
    return 0;
}

static void count(void *s, void *user)
{
    (void)s;
    ++*(atomic_int *)user;
}

/* Set up twice, where the first time was enough for the service; stopped twice. */
static int twice(void)
{
    static const char deferred[] = {12 << 3, 1};
    atomic_int stops[2] = {0};
    size_t len;

    begin_events(false);
    char *config = config_of(&all_events, &len);
    config = realloc(config, len + sizeof(deferred));
    memcpy(config + len, deferred, sizeof(deferred));
    for (int i = 0; i < 2; i++) {
        void *s = PerfettoTracingSessionInProcessCreate();
        PerfettoTracingSessionSetup(s, config, len + sizeof(deferred));
        PerfettoTracingSessionSetup(s, config, len + sizeof(deferred));
        PerfettoTracingSessionDestroy(s);
    }
    free(config);
    const char *trigger[] = {"looks at all sessions", NULL};
    PerfettoProducerActivateTriggers(trigger, 0);
    void *s = start_session(false, &all_events);
    CHECK(is_on(cat.enabled));
    PerfettoTracingSessionSetStopCb(s, count, &stops[0]);
    PerfettoTracingSessionStopBlocking(s);
    PerfettoTracingSessionStopBlocking(s);
    CHECK(stops[0] == 1);
    PerfettoTracingSessionSetStopCb(s, count, &stops[1]);
    CHECK(!PerfettoTracingSessionFlushBlocking(s, 10)); /* the call before has been done */
    CHECK(stops[1] == 0);
    PerfettoTracingSessionStopBlocking(s);
    CHECK(stops[0] == 1 && stops[1] == 1);
    PerfettoTracingSessionDestroy(s);
    return 0;
}

static void publish_inside(void *c, uint32_t inst, bool created, bool global, void *user)
{
    (void)c, (void)inst, (void)created, (void)global;
    PerfettoTePublishCategories();
    ++*(atomic_int *)user;
}

/* A callback runs while the list of categories is locked. */
static int publish(void)
{
    atomic_int calls = 0;

    begin_events(false);
    PerfettoTeCategoryImplSetCallback(cat.impl, publish_inside, &calls);
    void *s = start_session(false, &all_events);
    CHECK(calls == 1);
    PerfettoTeCategoryImplSetCallback(cat.impl, publish_inside, &calls);
    CHECK(calls == 2);
    PerfettoTracingSessionStopBlocking(s);
    CHECK(calls == 3);
    PerfettoTracingSessionDestroy(s);
    return 0;
}

static const struct {
    const char *name;
    int (*fn)(void);
} cases[] = {{"before_init", before_init},
             {"packets", packets},
             {"sessions", sessions},
             {"signals", signals},
             {"forks", forks},
             {"events", events},
             {"twice", twice},
             {"publish", publish}};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "signals") != 0)
        alarm(60);
    for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++) {
        if (strcmp(cases[i].name, argv[1]) == 0)
            return cases[i].fn();
    }
    return 2;
}
