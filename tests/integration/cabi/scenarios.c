/*
 * scenarios inproc|system NAME TRACE...
 *
 * Small recordings through libperfetto_c.so, one for each part of the interface. What they print
 * and record is compared by test_cabi.py, and, where the recordings of the reference
 * are at hand, with those (test_reference.py): the calls are the same.
 */
#include "tests/integration/cabi/session.h"

static bool use_system;
static uint64_t process;

static struct cat cat = CAT("cat", "Test", NULL, 0);

static void *begin(const struct wanted *w)
{
    init_backend(use_system, 0);
    PerfettoTeInit();
    register_cat(&cat);
    PerfettoTePublishCategories();
    process = perfetto_te_process_track_uuid;
    void *s = start_session(use_system, w);
    if (!wait_until_on(&cat.enabled))
        exit(3);
    return s;
}

/* ---- track events ---- */

static const char *const slow_ui[] = {"slow", "ui"}, *const slow[] = {"slow"};
static struct cat render = CAT("render", "Drawing", (const char **)slow_ui, 2);
static struct cat net = CAT("net", "Network", (const char **)slow, 1);
static struct cat quiet = CAT("quiet", "Not enabled", NULL, 0);

static int hl_basic(char **out)
{
    const struct wanted w = {.source = "track_event",
                             .on = {"render"},
                             .on_tag = {"slow"},
                             .off = {"*"},
                             .builtin = true};

    init_backend(use_system, 0);
    PerfettoTeInit();
    register_cat(&render);
    register_cat(&net);
    register_cat(&quiet);
    PerfettoTePublishCategories();
    void *s = start_session(use_system, &w);
    if (!wait_until_on(&render.enabled))
        return 1;
    printf("render=%d net=%d quiet=%d iids=%d,%d,%d\n", is_on(render.enabled), is_on(net.enabled),
           is_on(quiet.enabled), (int)render.iid, (int)net.iid, (int)quiet.iid);
    EVENT(render, SLICE_BEGIN, "frame", ARG_UINT("u", 42), ARG_INT("i", -7));
    EVENT(net, INSTANT, "packet", ARG_BOOL("b", true), ARG_REAL("d", 0.5), ARG_TEXT("s", "text"),
          ARG_PTR("p", 0x1234), ARG_UINT("u", 43));
    EVENT(quiet, INSTANT, "must not appear");
    EVENT(render, INSTANT, "packet");
    EVENT(render, INSTANT, "literal", X(x_word, 16));
    EVENT(render, SLICE_END, NULL, ARG_TEXT("at_end", "yes"));
    EVENT(render, INSTANT, NULL);
    EVENT(render, INSTANT, "");
    struct moment now = PerfettoTeGetTimestamp();
    EVENT(render, INSTANT, "explicit boot", AT_TIME(now.clock, now.value));
    EVENT(render, INSTANT, "explicit monotonic", AT_TIME(3, 123456789));
    uint64_t later = PerfettoTeGetTimestamp().value;
    EVENT(render, INSTANT, "incremental now", AT_TIME(64, later));
    EVENT(render, INSTANT, "incremental back", AT_TIME(64, later - 1000000));
    EVENT(render, INSTANT, "flushed", X(x_word, 15));
    end_session(s, out[0], true);
    printf("after stop: render=%d\n", is_on(render.enabled));
    return 0;
}

static void nested_tracks(struct made_track *named)
{
    const struct x_word on_thread = {4}, on_process = {5};
    const uint64_t counter_id = COUNTER_MAGIC ^ fnv("nested counter");

    EVENT(cat, INSTANT, "nested 1",
          ON_NESTED(&on_process, X(n_named, 1, "parent", 0, false, 0, 3),
                    X(n_named, 1, "child", 1, false, -2)));
    EVENT(cat, INSTANT, "nested 2", ON_NESTED(&on_thread, X(n_named, 1, "under thread")));
    EVENT(cat, COUNTER, NULL,
          ON_NESTED(X(x_ptr, 3, named),
                    X(n_proto, 2, counter_id,
                      LIST(F_TEXT(2, "nested counter"), F_BYTES(COUNTER_FIELD, NULL, 0)))),
          INT_VALUE(11));
    EVENT(cat, INSTANT, "nested 3",
          ON_NESTED(&on_process, X(n_named, 1, "merged s", 0, false, 0, 0, 3, "key", 5)));
    EVENT(cat, INSTANT, "nested 4",
          ON_NESTED(&on_process, X(n_named, 1, "merged i", 0, false, 0, 0, 3, NULL, 5)));
    EVENT(cat, INSTANT, "nested 5",
          ON_NESTED(&on_process, X(n_named, 1, "merged n", 0, false, 0, 0, 2, "ignored", 5)));
    EVENT(cat, INSTANT, "nested thread only", ON_NESTED(&on_thread));
    EVENT(cat, INSTANT, "nested top proto",
          ON_NESTED(X(n_proto, 2, 99, LIST(F_TEXT(2, "top proto")))));
}

/* As for a counter or a state by name: the parent is one of its fields. */
#define ON_KIND(magic, field, name, parent)                                                        \
    ON_FIELDS((magic) ^ (parent) ^ fnv(name), F_INT(5, parent), F_TEXT(2, name),                   \
              F_BYTES(field, NULL, 0))

static int tracks(char **out)
{
    void *s = begin(&(struct wanted){.source = "track_event", .on = {"*"}});
    struct made_track named =
        make_track("reg named", process ^ fnv("reg named") ^ 7, process, true, 0);
    struct made_track counter =
        make_track("reg counter", COUNTER_MAGIC ^ thread_uuid() ^ fnv("reg counter"), thread_uuid(),
                   false, COUNTER_FIELD);
    struct made_track state =
        make_track("reg state", STATE_MAGIC ^ fnv("reg state"), 0, false, STATE_FIELD);

    EVENT(cat, INSTANT, "on registered", ON_MADE(&named));
    EVENT(cat, COUNTER, NULL, ON_MADE(&counter), INT_VALUE(-5));
    EVENT(cat, COUNTER, NULL, ON_MADE(&counter), REAL_VALUE(2.5));
    EVENT(cat, COUNTER, NULL, ON_KIND(COUNTER_MAGIC, COUNTER_FIELD, "adhoc counter", process),
          INT_VALUE(1));
    EVENT(cat, STATE, "RUN", ON_MADE(&state));
    EVENT(cat, STATE, NULL, ON_MADE(&state));
    EVENT(cat, STATE, "IDLE", ON_KIND(STATE_MAGIC, STATE_FIELD, "adhoc state", process));
    EVENT(cat, INSTANT, "on named", ON_NAMED("adhoc named", 3, process));
    EVENT(cat, INSTANT, "on global named", ON_NAMED("global named", 4, 0));
    EVENT(cat, INSTANT, "on proto track", ON_FIELDS(777, F_TEXT(2, "proto track"), F_INT(12, 9)));
    nested_tracks(&named);
    EVENT(cat, INSTANT, "on registered", ON_MADE(&named));
    EVENT(cat, INSTANT, "last track wins", ON_MADE(&named), ON_NAMED("winner", 0, 0));
    end_session(s, out[0], true);
    free(named.descriptor);
    free(counter.descriptor);
    free(state.descriptor);
    return 0;
}

static int flows(char **out)
{
    void *s = begin(&(struct wanted){.source = "track_event", .on = {"cat"}});

    EVENT(cat, INSTANT, "flow begin", X(x_u64, 13, 1 ^ process), X(x_u64, 13, 2));
    EVENT(cat, INSTANT, "flow end", X(x_u64, 14, 1 ^ process), X(x_u64, 14, 2));
    EVENT(cat, INSTANT, "corr", X(x_u64, 20, 1234));
    EVENT(cat, INSTANT, "corr str", X(x_ptr, 21, "req-1"));
    EVENT(cat, INSTANT, "proto fields",
          FIELDS(F_NESTED(33, F_TEXT(2, "file.c"), F_INT(4, 77)),
                 F_NESTED(4, F_TEXT(10, "name"), X(f_double, 6, 5, 1.5)), X(f_u64, 4, 47, 9),
                 F_BYTES(53, "by\0te", 5)));
    EVENT(cat, INSTANT, "unknown fields",
          FIELDS(X(f_u32, 5, 9001, 0xdeadbeef), X(f_float, 7, 9002, 1.0f), F_INT(9003, 5),
                 F_INT(9004, (uint64_t)-1)));
    for (int i = 0; i < 2; i++)
        EVENT(cat, INSTANT, "interned field", FIELDS(X(f_interned, 8, 54, "interned-req", 43)));
    EVENT(cat, INSTANT, "shuffled", X(x_u64, 20, 5), X(x_u64, 14, 4), X(x_u64, 13, 3),
          ARG_INT("late", 1), ON_NAMED("t", 0, 0));
    EVENT(cat, INSTANT, "counter values on an instant", INT_VALUE(8), REAL_VALUE(8.5));
    end_session(s, out[0], true);
    return 0;
}

static struct cat cat1 = CAT("cat1", "", NULL, 0), cat2 = CAT("cat2", "", (const char **)slow, 1);

static void on_category(void *c, uint32_t inst, bool created, bool global, void *user)
{
    printf("callback %s inst %u created %d global %d (cat1 %d)\n", (const char *)user, inst,
           created, global, c == cat1.impl);
}

static int dynamic(char **out)
{
    const struct wanted a = {.source = "track_event", .on = {"cat1", "dyn1"}, .off = {"dyn2", "*"}};
    const struct wanted b = {.source = "track_event", .on = {"cat1", "dyn2"}, .off = {"dyn1", "*"}};
    const struct cat_text names[] = {{.name = "dyn1"}, {.name = "dyn2"}, {.name = "dyn3"}};

    init_backend(use_system, 0);
    PerfettoTeInit();
    register_cat(&cat1);
    register_cat(&cat2);
    PerfettoTePublishCategories();
    PerfettoTeCategoryImplSetCallback(cat1.impl, on_category, (char[]){"one"});
    PerfettoTeCategoryImplSetCallback(cat2.impl, on_category, (char[]){"two"});
    void *first = start_session(use_system, &a);
    if (!wait_until_on(&cat1.enabled))
        return 1;
    void *second = start_session(use_system, &b);
    nap(100);
    printf("late callback registration:\n");
    PerfettoTeCategoryImplSetCallback(cat1.impl, on_category, (char[]){"late"});
    struct cat any = {perfetto_te_any_categories_enabled, perfetto_te_any_categories, {0}, 0};
    EVENT(any, INSTANT, "ev1", X(x_ptr, 4, &names[0]));
    EVENT(any, INSTANT, "ev2", X(x_ptr, 4, &names[1]));
    EVENT(any, INSTANT, "nowhere", X(x_ptr, 4, &names[2]));
    EVENT(cat1, INSTANT, "both");
    EVENT(cat1, INSTANT, "static + dynamic", X(x_ptr, 4, &names[0]));
    EVENT(any, COUNTER, NULL, ON_KIND(COUNTER_MAGIC, COUNTER_FIELD, "c", UINT64_C(0)), INT_VALUE(1),
          X(x_ptr, 4, &names[0]));
    printf("stop 2\n");
    end_session(second, out[1], true);
    printf("stop 1\n");
    end_session(first, out[0], true);
    return 0;
}

/* ---- the low level ---- */

static uint64_t intern(void *incr, struct message *packet, struct message *own, bool *open,
                       int32_t kind, const char *text)
{
    bool seen;
    uint64_t iid = PerfettoTeLlImplIntern(incr, kind, text, strlen(text), &seen);

    if (seen)
        return iid;
    if (!*open)
        *own = open_message(packet, 12);
    *open = true;
    struct message entry = open_message(own, 2);
    put_int(&entry, 1, iid);
    put_text(&entry, 2, text);
    close_message(&entry);
    return iid;
}

static void intern_cat(void *incr, struct message *packet, struct message *own, bool *open)
{
    bool seen;

    (void)PerfettoTeLlImplIntern(incr, 1, &cat.iid, sizeof(cat.iid), &seen);
    if (seen)
        return;
    *own = open_message(packet, 12);
    *open = true;
    struct message entry = open_message(own, 1);
    put_int(&entry, 1, cat.iid);
    put_text(&entry, 2, cat.text.name);
    close_message(&entry);
}

static void put_low(struct te_loop *it, struct moment at, int type, const char *name,
                    uint64_t track, const char *arg)
{
    struct cursor c = PerfettoDsTracerImplPacketBegin(it->ds.tracer);
    struct message m = {.cursor = &c}, own = {0};
    uint64_t name_iid = 0, arg_iid = 0;
    bool open = false;

    put_int(&m, 8, at.value);
    put_int(&m, 58, at.clock);
    put_int(&m, 13, 2);
    intern_cat(it->incr, &m, &own, &open);
    if (name)
        name_iid = intern(it->incr, &m, &own, &open, 2, name);
    if (arg)
        arg_iid = intern(it->incr, &m, &own, &open, 3, arg);
    if (open)
        close_message(&own);
    struct message te = open_message(&m, 11);
    put_int(&te, 9, (uint64_t)type);
    put_int(&te, 3, cat.iid);
    if (name)
        put_int(&te, 10, name_iid);
    if (track)
        put_int(&te, 11, track);
    if (arg) {
        struct message a = open_message(&te, 4);
        put_int(&a, 1, arg_iid);
        put_int(&a, 3, 5);
        close_message(&a);
    }
    close_message(&te);
    PerfettoDsTracerImplPacketEnd(it->ds.tracer, &c);
}

static void low_event(int type, const char *name, uint64_t track, const char *arg)
{
    struct moment at = PerfettoTeGetTimestamp();

    if (!is_on(cat.enabled))
        return;
    for (struct te_loop it = PerfettoTeLlImplBegin(cat.impl, at); it.ds.tracer;
         PerfettoTeLlImplNext(cat.impl, at, &it)) {
        if (track && !PerfettoTeLlImplTrackSeen(it.incr, track)) {
            struct cursor c = PerfettoDsTracerImplPacketBegin(it.ds.tracer);
            struct message m = {.cursor = &c}, d = open_message(&m, 60);

            put_int(&d, 1, track);
            put_int(&d, 5, process);
            put_text(&d, 2, "ll track");
            close_message(&d);
            PerfettoDsTracerImplPacketEnd(it.ds.tracer, &c);
        }
        put_low(&it, at, type, name, track, arg);
    }
}

static int low_level(char **out)
{
    void *s = begin(&(struct wanted){.source = "track_event", .on = {"cat"}});
    uint64_t track = process ^ fnv("ll track") ^ 1;

    low_event(SLICE_BEGIN, "a", track, NULL);
    low_event(INSTANT, "b", track, "arg");
    low_event(INSTANT, "a", 0, "arg");
    low_event(SLICE_END, NULL, track, NULL);
    EVENT(cat, INSTANT, "b");
    end_session(s, out[0], true);
    return 0;
}

/* ---- threads, clearing, clocks, triggers ---- */

static void *work(void *arg)
{
    char name[16];

    snprintf(name, sizeof(name), "worker-%d", (int)(intptr_t)arg);
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < 2; i++) {
        EVENT(cat, SLICE_BEGIN, "work", ARG_INT("n", i));
        EVENT(cat, SLICE_END, NULL);
    }
    return NULL;
}

static int threads(char **out)
{
    void *s = begin(&(struct wanted){.source = "track_event", .on = {"*"}});
    pthread_t t;

    EVENT(cat, INSTANT, "main");
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, NULL, work, (void *)(intptr_t)i);
        pthread_join(t, NULL);
    }
    end_session(s, out[0], true);
    return 0;
}

static int clearing(char **out)
{
    void *s = begin(&(struct wanted){.source = "track_event", .on = {"*"}, .clear_ms = 100});

    for (int i = 0; i < 4; i++) {
        EVENT(cat, INSTANT, "tick", ARG_INT("n", i), ON_NAMED("track", 0, process));
        nap(60);
    }
    end_session(s, out[0], true);
    return 0;
}

static int with_clocks(char **out, bool absolute, uint32_t unit_ns)
{
    void *s = begin(&(struct wanted){
        .source = "track_event", .on = {"*"}, .absolute = absolute, .unit_ns = unit_ns});
    struct moment t = PerfettoTeGetTimestamp();

    EVENT(cat, INSTANT, "now");
    nap(2);
    EVENT(cat, INSTANT, "later");
    EVENT(cat, INSTANT, "explicit boot", AT_TIME(t.clock, t.value));
    EVENT(cat, INSTANT, "incremental in the past", AT_TIME(64, t.value));
    end_session(s, out[0], true);
    return 0;
}

static int clocks_unit(char **out)
{
    return with_clocks(out, false, 1000);
}
static int clocks_abs(char **out)
{
    return with_clocks(out, true, 0);
}
static int clocks_absunit(char **out)
{
    return with_clocks(out, true, 1000);
}

static atomic_int session_stopped;

static void on_session_stop(void *s, void *user)
{
    (void)s, (void)user;
    session_stopped = 1;
}

static int trigger(char **out)
{
    void *s = begin(&(struct wanted){
        .source = "track_event", .on = {"*"}, .stop_trigger = "trigger1", .builtin = true});
    const char *names[] = {"unknown", "trigger1", NULL};

    PerfettoTracingSessionSetStopCb(s, on_session_stop, NULL);
    EVENT(cat, INSTANT, "before the trigger");
    PerfettoProducerActivateTriggers(names, 5000);
    for (int i = 0; i < 1000 && !session_stopped; i++)
        nap(10);
    printf("stopped %d\n", session_stopped);
    end_session(s, out[0], false);
    return 0;
}

static int scoped(char **out)
{
    void *s = begin(&(struct wanted){.source = "track_event", .on = {"*"}});

    EVENT(cat, SLICE_BEGIN, "outer", ARG_UINT("n", 42));
    EVENT(cat, INSTANT, "inside");
    EVENT(cat, SLICE_END, NULL);
    end_session(s, out[0], true);
    return 0;
}

static int inproc(char **out)
{
    void *s = begin(&(struct wanted){.source = "track_event", .on = {"*"}, .builtin = true});

    EVENT(cat, SLICE_BEGIN, "slice");
    EVENT(cat, SLICE_END, NULL);
    end_session(s, out[0], true);
    return 0;
}

/* Somebody else records; nothing is flushed. */
static int leaving(char **out)
{
    (void)out;
    init_backend(use_system, 0);
    PerfettoTeInit();
    register_cat(&cat);
    PerfettoTePublishCategories();
    if (!wait_until_on(&cat.enabled))
        return 1;
    for (int i = 0; i < 3; i++)
        EVENT(cat, INSTANT, "last words");
    return 0;
}

/* ---- data sources ---- */

static struct source ds = {&perfetto_atomic_false, NULL};
static pthread_t main_thread;
static _Atomic(void *) stopper, flusher;
static atomic_int flushed = -1, holding;

static const char *here(void)
{
    return pthread_equal(pthread_self(), main_thread) ? "main" : "other";
}

static void *ds_setup(void *d, uint32_t inst, void *config, size_t len, void *user, void *args)
{
    (void)d, (void)config, (void)user;
    printf("setup inst %u config %d thread %s args %s\n", inst, len > 0, here(),
           args ? "set" : "null");
    return malloc(16);
}

static void ds_start(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)user;
    printf("start inst %u ctx %d thread %s args %s\n", inst, ctx != NULL, here(),
           args ? "set" : "null");
}

static void put_test_event(void *tracer, const char *text, int num, size_t padding)
{
    static char pad[1000];
    struct cursor c = PerfettoDsTracerImplPacketBegin(tracer);
    struct message m = {.cursor = &c}, e = open_message(&m, 900);

    memset(pad, 'x', sizeof(pad));
    if (num >= 0)
        put_int(&e, 2, (uint64_t)num);
    if (text)
        put_text(&e, 1, text);
    if (padding)
        put_data(&e, 1, pad, padding);
    close_message(&e);
    PerfettoDsTracerImplPacketEnd(tracer, &c);
}

static void ds_stop(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)user;
    printf("stop inst %u ctx %d thread %s args %s\n", inst, ctx != NULL, here(),
           args ? "set" : "null");
    EACH_INSTANCE(ds, it)
    {
        put_test_event(it.tracer, "from the stop callback", -1, 0);
        PerfettoDsTracerImplFlush(it.tracer, NULL, NULL);
    }
}

static void ds_destroy(void *d, void *user, void *ctx)
{
    (void)d, (void)user;
    printf("destroy ctx %d thread %s\n", ctx != NULL, here());
    free(ctx);
}

static void ds_flush(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)user, (void)ctx;
    printf("flush inst %u thread %s args %s\n", inst, here(), args ? "set" : "null");
}

static void *make_tls(void *d, uint32_t inst, void *tracer, void *user)
{
    int n = 0;

    (void)d, (void)tracer, (void)user;
    EACH_INSTANCE(ds, it)
    n++;
    printf("create tls inst %u thread %s, trace points inside: %d\n", inst, here(), n);
    return malloc(1);
}

static void *make_incr(void *d, uint32_t inst, void *tracer, void *user)
{
    (void)d, (void)tracer, (void)user;
    printf("create incr inst %u thread %s\n", inst, here());
    return malloc(1);
}

static void on_writer_flush(void *user)
{
    printf("flush of the writer done on thread %s\n", here());
    *(atomic_int *)user = 1;
}

static void put_round(void *tracer, int round)
{
    struct cursor c = PerfettoDsTracerImplPacketBegin(tracer);
    struct message m = {.cursor = &c};

    put_int(&m, 8, 1000 + (uint64_t)round);
    struct message e = open_message(&m, 900);
    put_int(&e, 2, (uint64_t)round);
    if (round == 1) { /* longer than a chunk: sizes come later */
        struct message payload = open_message(&e, 5);
        for (uint64_t i = 0; i < 1500; i++)
            put_int(&payload, 6, i);
        struct message inner = open_message(&payload, 2);
        for (int i = 0; i < 400; i++)
            put_text(&inner, 1, "0123456789abcdefghij");
        close_message(&inner);
        close_message(&payload);
    }
    put_int(&e, 4, round == 2);
    close_message(&e);
    PerfettoDsTracerImplPacketEnd(tracer, &c);
}

static int custom(char **out)
{
    void *d = PerfettoDsImplCreate();
    atomic_int done = 0;
    int n = 0;

    init_backend(use_system, 0);
    PerfettoDsSetOnSetupCallback(d, ds_setup);
    PerfettoDsSetOnStartCallback(d, ds_start);
    PerfettoDsSetOnStopCallback(d, ds_stop);
    PerfettoDsSetOnDestroyCallback(d, ds_destroy);
    PerfettoDsSetOnFlushCallback(d, ds_flush);
    PerfettoDsSetOnCreateTls(d, make_tls);
    PerfettoDsSetOnDeleteTls(d, free);
    PerfettoDsSetOnCreateIncr(d, make_incr);
    PerfettoDsSetOnDeleteIncr(d, free);
    printf("register %d\n", register_source(&ds, "com.example.custom", d));
    void *s = start_session(use_system, &(struct wanted){.source = "com.example.custom"});
    if (!wait_until_on(&ds.enabled))
        return 1;
    nap(50);
    for (int round = 0; round < 3; round++)
        EACH_INSTANCE(ds, it)
        {
            (void)PerfettoDsImplGetCustomTls(ds.impl, it.tracer, it.inst);
            (void)PerfettoDsImplGetIncrementalState(ds.impl, it.tracer, it.inst);
            put_round(it.tracer, round);
            if (round == 2)
                PerfettoDsTracerImplFlush(it.tracer, on_writer_flush, &done);
        }
    while (!done)
        nap(5);
    printf("session flush: %d\n", PerfettoTracingSessionFlushBlocking(s, 5000));
    end_session(s, out[0], true);
    nap(50);
    EACH_INSTANCE(ds, it)
    n++;
    printf("after stop: iterations %d enabled %d\n", n, is_on(ds.enabled));
    return 0;
}

static void *context(void *d, uint32_t inst, void *config, size_t len, void *user, void *args)
{
    static char text[] = "context";

    (void)d, (void)inst, (void)config, (void)len, (void)user, (void)args;
    return text;
}

static void postpone_stop(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)inst, (void)user, (void)ctx;
    printf("stop postponed\n");
    stopper = PerfettoDsOnStopArgsPostpone(args);
}

static void postpone_flush(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)inst, (void)user, (void)ctx;
    printf("flush %spostponed\n", flusher ? "not " : "");
    if (!flusher)
        flusher = PerfettoDsOnFlushArgsPostpone(args);
}

static void print_destroyed(void *d, void *user, void *ctx)
{
    (void)d, (void)user;
    printf("destroyed %s\n", (char *)ctx);
}

static void on_session_flush(void *s, bool ok, void *user)
{
    (void)s, (void)user;
    flushed = ok;
}

static void put_locked(const char *text)
{
    EACH_INSTANCE(ds, it)
    {
        const char *ctx = PerfettoDsImplGetInstanceLocked(ds.impl, it.inst);

        printf("write '%s', instance context %s\n", text, ctx ? ctx : "(null)");
        if (ctx)
            PerfettoDsImplReleaseInstanceLocked(ds.impl, it.inst);
        put_test_event(it.tracer, text, -1, 0);
    }
}

static int postpone(char **out)
{
    void *d = PerfettoDsImplCreate();

    init_backend(use_system, 0);
    PerfettoDsSetOnSetupCallback(d, context);
    PerfettoDsSetOnStopCallback(d, postpone_stop);
    PerfettoDsSetOnFlushCallback(d, postpone_flush);
    PerfettoDsSetOnDestroyCallback(d, print_destroyed);
    register_source(&ds, "com.example.postpone", d);
    void *s = start_session(use_system, &(struct wanted){.source = "com.example.postpone"});
    if (!wait_until_on(&ds.enabled))
        return 1;
    nap(50);
    put_locked("before flush");
    PerfettoTracingSessionFlushAsync(s, 5000, on_session_flush, NULL);
    while (!flusher)
        nap(5);
    nap(50);
    printf("flush result before done: %d\n", flushed);
    PerfettoDsFlushDone(flusher);
    while (flushed < 0)
        nap(5);
    printf("flush result: %d\n", flushed);
    PerfettoTracingSessionSetStopCb(s, on_session_stop, NULL);
    PerfettoTracingSessionStopAsync(s);
    while (!stopper)
        nap(5);
    nap(50);
    printf("stopped before done: %d, enabled %d\n", session_stopped, is_on(ds.enabled));
    put_locked("after the stop request");
    EACH_INSTANCE(ds, it)
    PerfettoDsTracerImplFlush(it.tracer, NULL, NULL);
    PerfettoDsStopDone(stopper);
    bool on = is_on(ds.enabled);
    while (!session_stopped)
        nap(5);
    printf("enabled right after StopDone: %d\n", on);
    put_locked("must not run");
    end_session(s, out[0], false);
    return 0;
}

/* While the callback holds the library's thread, nothing is taken out of the shared memory. */
static void hold(void *d, uint32_t inst, void *user, void *ctx, void *args)
{
    (void)d, (void)inst, (void)user, (void)ctx, (void)args;
    holding = 2;
    for (int i = 0; i < 400 && holding; i++)
        nap(5);
}

static int drop(char **out)
{
    void *d = PerfettoDsImplCreate();

    init_backend(use_system, 32);
    PerfettoDsSetOnSetupCallback(d, context);
    PerfettoDsSetOnFlushCallback(d, hold);
    register_source(&ds, "com.example.drop", d);
    void *s = start_session(use_system, &(struct wanted){.source = "com.example.drop"});
    if (!wait_until_on(&ds.enabled))
        return 1;
    nap(50);
    PerfettoTracingSessionFlushAsync(s, 5000, on_session_flush, NULL);
    while (holding != 2)
        nap(2);
    EACH_INSTANCE(ds, it)
    for (int i = 0; i < 200; i++)
        put_test_event(it.tracer, NULL, i, 1000);
    holding = 0;
    while (flushed < 0)
        nap(2);
    nap(50);
    EACH_INSTANCE(ds, it)
    for (int i = 200; i < 203; i++)
        put_test_event(it.tracer, NULL, i, 1000);
    end_session(s, out[0], true);
    return 0;
}

/* A packet of every length around the ends of chunks, with sizes of messages at every place. */
static int chunk_ends(char **out)
{
    static uint8_t data[9000];
    void *d = PerfettoDsImplCreate();

    init_backend(use_system, 0);
    PerfettoDsSetBufferExhaustedPolicy(d, 1); /* waits for a free chunk */
    register_source(&ds, "com.example.ends", d);
    void *s = start_session(use_system,
                            &(struct wanted){.source = "com.example.ends", .buffer_kb = 65536});
    if (!wait_until_on(&ds.enabled))
        return 1;
    nap(50);
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)('a' + i % 26);
    for (size_t len = 3900; len < 4160; len++)
        EACH_INSTANCE(ds, it)
        {
            struct cursor c = PerfettoDsTracerImplPacketBegin(it.tracer);
            struct message m = {.cursor = &c}, e = open_message(&m, 900);

            put_data(&e, 1, data, len);
            struct message p = open_message(&e, 5), in = open_message(&p, 2),
                           in2 = open_message(&in, 2);
            put_data(&in2, 1, data, len % 300);
            close_message(&in2);
            put_int(&in, 6, len);
            close_message(&in);
            close_message(&p);
            put_int(&e, 2, len);
            close_message(&e);
            PerfettoDsTracerImplPacketEnd(it.tracer, &c);
            if (len % 16 == 0)
                nap(2);
        }
    end_session(s, out[0], true);
    return 0;
}

static const struct {
    const char *name;
    int (*fn)(char **out);
} scenarios[] = {
    {"hl_basic", hl_basic},     {"tracks", tracks},
    {"flows", flows},           {"dynamic", dynamic},
    {"low_level", low_level},   {"custom", custom},
    {"postpone", postpone},     {"threads", threads},
    {"clearing", clearing},     {"clocks_unit", clocks_unit},
    {"clocks_abs", clocks_abs}, {"clocks_absunit", clocks_absunit},
    {"trigger", trigger},       {"drop", drop},
    {"inproc", inproc},         {"scoped", scoped},
    {"chunk_ends", chunk_ends}, {"leaving", leaving},
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    main_thread = pthread_self();
    alarm(60);
    if (argc < 4)
        return 2;
    use_system = strcmp(argv[1], "system") == 0;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
        if (strcmp(scenarios[i].name, argv[2]) == 0)
            return scenarios[i].fn(argv + 3);
    }
    return 2;
}
