/*
 * 64 threads that record through libperfetto_c.so, while sessions begin, are flushed, cleared, read
 * and end, and threads come and go. Each trace must be whole: its packets can be read to
 * the end, each sequence counts on, and what writers emitted was delivered or is counted as lost.
 *
 *   stress_cabi [SECONDS]
 */
#include "sdk/wire/pb_reader.h"
#include "tests/integration/cabi/session.h"

#define THREADS 64
#define SESSIONS 4
/* Under a sanitizer 64 busy threads leave no time for sessions: they pause for longer then. */
#define RECORDINGS_PER_S 10
#define PAUSE_MAX_MS 200

static struct cat cats[] = {CAT("one", "", NULL, 0), CAT("two", "", NULL, 0)};
static struct source ds = {&perfetto_atomic_false, NULL};
static atomic_bool quit;
static atomic_int failures, recordings, pause_ms = 1;

static void *make_state(void *d, uint32_t inst, void *tracer, void *user)
{
    (void)d, (void)inst, (void)tracer, (void)user;
    return malloc(8);
}

static void *setup(void *d, uint32_t inst, void *config, size_t len, void *user, void *args)
{
    (void)d, (void)inst, (void)config, (void)len, (void)user, (void)args;
    return malloc(8);
}

static void destroy(void *d, void *user, void *ctx)
{
    (void)d, (void)user;
    free(ctx);
}

static void flush(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)inst, (void)user, (void)ctx;
    if (inst % 2)
        PerfettoDsFlushDone(PerfettoDsOnFlushArgsPostpone(args));
}

static void stop(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)user, (void)ctx;
    if (inst % 2)
        PerfettoDsStopDone(PerfettoDsOnStopArgsPostpone(args));
}

static void put_packet(unsigned round)
{
    static const char text[3000];

    EACH_INSTANCE(ds, it)
    {
        void *ctx = PerfettoDsImplGetInstanceLocked(ds.impl, it.inst);

        if (ctx)
            PerfettoDsImplReleaseInstanceLocked(ds.impl, it.inst);
        *(char *)PerfettoDsImplGetIncrementalState(ds.impl, it.tracer, it.inst) = 1;
        *(char *)PerfettoDsImplGetCustomTls(ds.impl, it.tracer, it.inst) = 1;
        struct cursor c = PerfettoDsTracerImplPacketBegin(it.tracer);
        struct message m = {.cursor = &c}, e = open_message(&m, 900), p = open_message(&e, 5);
        put_data(&p, 1, text, round % sizeof(text));
        close_message(&p);
        put_int(&e, 2, round);
        close_message(&e);
        PerfettoDsTracerImplPacketEnd(it.tracer, &c);
        if (round % 64 == 0)
            PerfettoDsTracerImplFlush(it.tracer, NULL, NULL);
        if (round % 100 == 0) {
            PerfettoDsImplTraceIterateBreak(ds.impl, &it);
            break;
        }
    }
}

static void *work(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;

    for (unsigned round = 0; round < 3000 && !quit; round++) {
        struct cat *c = &cats[rand_r(&seed) % 2];
        char name[24];

        snprintf(name, sizeof(name), "event %d", rand_r(&seed) % 300);
        EVENT(*c, INSTANT, name, ARG_UINT("round", round), ON_NAMED("track", round % 50, 0));
        EVENT(*c, SLICE_BEGIN, "slice");
        EVENT(*c, SLICE_END, NULL);
        if (round % 4 == 0)
            put_packet(round);
        if (round % 2 == 0)
            nap(pause_ms);
    }
    return NULL;
}

/* A thread that ends is followed by another. */
static void *keep_working(void *arg)
{
    for (uintptr_t i = 0; !quit; i += THREADS) {
        pthread_t t;

        if (pthread_create(&t, NULL, work, (void *)((uintptr_t)arg + i)) == 0)
            pthread_join(t, NULL);
    }
    return NULL;
}

struct reading {
    size_t packets, bytes;
};

static void on_piece(void *s, const void *data, size_t len, bool more, void *user)
{
    struct orma_pb_reader r = orma_pb_reader(data, len), packet;
    struct reading *reading = user;
    struct orma_pb_field f, g;

    (void)s, (void)more;
    while (orma_pb_next(&r, &f)) {
        packet = orma_pb_sub(&f);
        while (orma_pb_next(&packet, &g))
            continue;
        failures += packet.failed;
        reading->packets++;
    }
    failures += r.failed;
    reading->bytes += len;
}

static void *keep_recording(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg + 1000;

    while (!quit) {
        bool custom = rand_r(&seed) % 2;
        const struct wanted w = {.source = custom ? "stress.custom" : "track_event",
                                 .on = {rand_r(&seed) % 2 ? "*" : "one"},
                                 .off = {"*"},
                                 .clear_ms = 5,
                                 .unit_ns = 1 + (unsigned)(uintptr_t)arg,
                                 .buffer_kb = 256};
        struct reading reading = {0};
        void *s = start_session(false, &w);

        nap(rand_r(&seed) % 20);
        if (rand_r(&seed) % 2)
            (void)PerfettoTracingSessionFlushBlocking(s, 5000);
        if (rand_r(&seed) % 4)
            PerfettoTracingSessionReadTraceBlocking(s, on_piece, &reading);
        if (rand_r(&seed) % 4)
            PerfettoTracingSessionStopBlocking(s);
        PerfettoTracingSessionReadTraceBlocking(s, on_piece, &reading);
        PerfettoTracingSessionDestroy(s);
        recordings++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS], recorders[SESSIONS];
    int seconds = argc > 1 ? atoi(argv[1]) : 4;
    void *d = PerfettoDsImplCreate();

    init_backend(false, 1024);
    PerfettoDsSetOnSetupCallback(d, setup);
    PerfettoDsSetOnDestroyCallback(d, destroy);
    PerfettoDsSetOnFlushCallback(d, flush);
    PerfettoDsSetOnStopCallback(d, stop);
    PerfettoDsSetOnCreateTls(d, make_state);
    PerfettoDsSetOnDeleteTls(d, free);
    PerfettoDsSetOnCreateIncr(d, make_state);
    PerfettoDsSetOnDeleteIncr(d, free);
    if (!register_source(&ds, "stress.custom", d))
        return 1;
    PerfettoTeInit();
    register_cat(&cats[0]);
    register_cat(&cats[1]);
    PerfettoTePublishCategories();
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, keep_working, (void *)i);
    for (uintptr_t i = 0; i < SESSIONS; i++)
        pthread_create(&recorders[i], NULL, keep_recording, (void *)i);
    for (int tenth = 1; tenth <= seconds * 10; tenth++) {
        nap(100);
        if (recordings < tenth * RECORDINGS_PER_S / 10 && pause_ms < PAUSE_MAX_MS)
            pause_ms += pause_ms / 4 + 1;
    }
    quit = true;
    for (int i = 0; i < SESSIONS; i++)
        pthread_join(recorders[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d recordings, %d failures\n", recordings, failures);
    return failures || !recordings;
}
