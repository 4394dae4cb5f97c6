/*
 * One scenario per kind of event, recorded inside the process: run.py compares
 * the rows that the processor makes of it with those in the case's file.
 *
 *   events SCENARIO FILE
 *
 * Every macro of the public headers is used here, and tests/integration/sdk
 * compiles this file as C11 and as C++17: no designated initializers.
 */
#include <orma/orma.h>
#if __has_include(<orma/marks.h>) /* not part of the SDK as two files */
#include <orma/marks.h>
#endif

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

ORMA_CATEGORY_DEFINE(ship, "ship", "What the ship does", NULL);
ORMA_CATEGORY_DEFINE(deck, "deck", NULL, "wood");
ORMA_CATEGORY_DEFINE(both, "ship,deck", NULL, NULL);
ORMA_CATEGORY_DECLARE(ship);

/* Times of given events: this long after the beginning. */
static uint64_t start_ns;

static uint64_t at(uint64_t ms)
{
    return start_ns + ms * 1000000;
}

static void slices(void)
{
    ORMA_SLICE_BEGIN(ship, "voyage");
    for (int i = 0; i < 3; i++) {
        ORMA_SLICE(deck, "watch", ORMA_ARG_INT("number", i));
        ORMA_INSTANT(ship, "bell");
        ORMA_SLICE_BEGIN(deck, "rounds");
        ORMA_SLICE_END_ARGS(deck, ORMA_ARG_BOOL("all well", true));
    }
    ORMA_SLICE_END(ship);
}

static void given_times(void)
{
    struct orma_track process = orma_track_process();
    struct orma_track log = orma_track_named("log", 0, &process);

    ORMA_COMPLETE(ship, &log, at(10), at(40), "leg", ORMA_ARG_STR("to", "Ancona"));
    ORMA_COMPLETE(ship, &log, at(15), at(20), "calm");
    ORMA_INSTANT(ship, "sighted", ORMA_TRACK(&log), ORMA_TIME(at(16)));
    /* Boottime, by its number. */
    ORMA_INSTANT(ship, "sounded", ORMA_TRACK(&log), ORMA_CLOCK_TIME(6, at(30)));
}

static void counters(void)
{
    struct orma_track process = orma_track_process();
    struct orma_track depth = orma_track_counter("depth", 0, &process);
    struct orma_track cargo = orma_track_counter("cargo", 0, NULL);
    struct orma_track crew = orma_track_counter("crew", 7, &process);

    depth.unit_name = "fathoms";
    depth.multiplier = 2;
    cargo.unit = ORMA_UNIT_BYTES;
    cargo.incremental = 1;
    crew.unit = ORMA_UNIT_COUNT;
    ORMA_COUNTER(ship, "knots", 7);
    ORMA_COUNTER(ship, "knots", -2);
    ORMA_COUNTER_DOUBLE(ship, "wind", 3.75);
    ORMA_COUNTER_ON(ship, &depth, 40);
    ORMA_COUNTER_DOUBLE_ON(ship, &depth, 12.5);
    ORMA_COUNTER_ON(ship, &cargo, 100);
    ORMA_COUNTER_ON(ship, &cargo, 250);
    ORMA_COUNTER_ON(ship, &cargo, 90);
    ORMA_INSTANT(ship, "muster", ORMA_EXTRA_COUNTER(&crew, 31),
                 ORMA_EXTRA_COUNTER_DOUBLE(&depth, 8.5));
}

static void tracks(void)
{
    struct orma_track process = orma_track_process(), thread = orma_track_thread();
    struct orma_track world = orma_track_global();
    struct orma_track fleet = orma_track_named("fleet", 0, NULL);
    struct orma_track brig = orma_track_named("brig", 0, &fleet);
    struct orma_track yawl = orma_track_named("yawl", 0, &fleet);
    struct orma_track boat = orma_track_named("boat", 1, &yawl);
    struct orma_track other = orma_track_named("boat", 2, &yawl);
    struct orma_track hold = orma_track_named("hold", 0, &process);
    struct orma_track mate = orma_track_named("mate", 0, &thread);

    fleet.child_ordering = ORMA_CHILDREN_BY_RANK;
    brig.sibling_rank = 20;
    yawl.sibling_rank = -3;
    yawl.child_ordering = ORMA_CHILDREN_BY_NAME;
    hold.child_ordering = ORMA_CHILDREN_BY_TIME;
    boat.never_merge = other.never_merge = 1;
    ORMA_SLICE_BEGIN(ship, "sails", ORMA_TRACK(&brig));
    ORMA_SLICE_BEGIN(ship, "rows", ORMA_TRACK(&boat));
    ORMA_SLICE_BEGIN(ship, "drifts", ORMA_TRACK(&other));
    ORMA_SLICE_END_ARGS(ship, ORMA_TRACK(&brig));
    ORMA_SLICE_END_ARGS(ship, ORMA_TRACK(&boat));
    ORMA_SLICE_END_ARGS(ship, ORMA_TRACK(&other));
    ORMA_INSTANT(ship, "loaded", ORMA_TRACK(&hold));
    ORMA_INSTANT(ship, "woke", ORMA_TRACK(&mate));
    for (int i = 0; i < 3; i++)
        ORMA_INSTANT(ship, "tide", ORMA_TRACK(&world));
    ORMA_INSTANT(ship, "left", ORMA_TRACK(&process));
    ORMA_INSTANT(ship, "steers", ORMA_TRACK(&thread));
    {
        ORMA_SLICE(ship, "turns", ORMA_TRACK(&yawl));
    }
}

static void flows(void)
{
    ORMA_SLICE_BEGIN(ship, "order", ORMA_FLOW(77));
    ORMA_SLICE_END(ship);
    ORMA_SLICE_BEGIN(ship, "relay", ORMA_FLOW(77), ORMA_FLOW(78));
    ORMA_SLICE_END(ship);
    ORMA_SLICE_BEGIN(ship, "done", ORMA_FLOW_END(77));
    ORMA_SLICE_END(ship);
    ORMA_SLICE_BEGIN(ship, "also done", ORMA_FLOW_END(78));
    ORMA_SLICE_END(ship);
    /* The flow ended: no arrow comes here. */
    ORMA_SLICE_BEGIN(ship, "another order", ORMA_FLOW(77));
    ORMA_SLICE_END(ship);
}

static void annotations(void)
{
    char key[16], text[8] = {'p', 'o', 'r', 't', '?'};

    snprintf(key, sizeof(key), "cabin %d", 3);
    ORMA_INSTANT(ship, "plain", ORMA_ARG_BOOL("bool", 1), ORMA_ARG_INT("int", -5),
                 ORMA_ARG_UINT("uint", UINT64_MAX), ORMA_ARG_DOUBLE("double", 0.5),
                 ORMA_ARG_POINTER("pointer", (void *)(uintptr_t)0xbeef),
                 ORMA_ARG_STR("str", "tide"), ORMA_ARG_STRN("strn", text, 4),
                 ORMA_ARG_STR("null", NULL), ORMA_ARG_INTERNED_STR("interned", "lee"));
    ORMA_INSTANT(ship, "nested",
                 ORMA_ARG_DICT("sail", ORMA_ARG_STR("name", "jib"),
                               ORMA_ARG_ARRAY("reefs", ORMA_ARG_INT("", 1), ORMA_ARG_INT("", 2),
                                              ORMA_ARG_DICT("", ORMA_ARG_BOOL("torn", 0)))),
                 ORMA_ARG_ARRAY("ports", ORMA_ARG_STR("", "Bari"), ORMA_ARG_STR("", "Split")));
    ORMA_INSTANT(ship, "keys", ORMA_ARG_DYNAMIC_KEY(key, ORMA_ARG_INT("", 9)));
    ORMA_INSTANT(ship, "extension", ORMA_FIELD_UINT(9901, 4),
                 ORMA_FIELD_BYTES(9902, "\x08\x01", 2));
}

static void places(void)
{
    ORMA_INSTANT(ship, "here", ORMA_SOURCE_LOCATION());
    ORMA_INSTANT(ship, "logged", ORMA_LOG(5, "shoals ahead"));
    ORMA_INSTANT(ship, "logged", ORMA_LOG(4, "all clear"));
}

static void correlations(void)
{
    struct orma_track far = orma_track_named("far", 0, NULL);

    ORMA_INSTANT(ship, "sent", ORMA_CORRELATION(500));
    ORMA_INSTANT(ship, "got", ORMA_CORRELATION(500), ORMA_TRACK(&far));
    ORMA_INSTANT(ship, "asked", ORMA_CORRELATION_STR("letter 9"));
    ORMA_INSTANT(ship, "answered", ORMA_CORRELATION_STR("letter 9"), ORMA_TRACK(&far));
}

static void names(void)
{
    char name[20];

    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "isle %d", i);
        ORMA_INSTANT(ship, "", ORMA_DYNAMIC_NAME(name));
    }
    ORMA_INSTANT(ship, "overruled", ORMA_DYNAMIC_NAME("by this"));
}

static void categories(void)
{
    ORMA_INSTANT(ship, "one");
    ORMA_INSTANT(both, "two");
    ORMA_INSTANT(dynamic, "found", ORMA_DYNAMIC_CATEGORY("cargo.grain"));
    ORMA_INSTANT(dynamic, "without");
    if (ORMA_ENABLED(ship))
        ORMA_INSTANT(ship, "asked first");
}

static void thread_time(void)
{
    ORMA_SLICE(ship, "works");
    for (int i = 0; i < 20000000; i++)
        __asm__ volatile("");
}

static void unfinished(void)
{
    ORMA_SLICE_BEGIN(ship, "adrift");
    ORMA_SLICE_BEGIN(ship, "repairs");
    ORMA_SLICE_END(ship);
}

static void write_packets(void);

/* A state lasts until the next one; "" ends it. */
static void states(void)
{
    struct orma_track process = orma_track_process();
    struct orma_track sails = orma_track_state("sails", 0, &process);
    struct orma_track engine = orma_track_state("engine", 2, NULL);

    ORMA_STATE(ship, &sails, "set", ORMA_ARG_INT("number", 4));
    ORMA_STATE(ship, &engine, "", ORMA_DYNAMIC_NAME("half ahead"));
    ORMA_STATE(deck, &sails, "reefed");
    ORMA_STATE(ship, &sails, "");
    ORMA_STATE(ship, &engine, "stopped");
}

static void locks(void)
{
#ifdef ORMA_LOCK_SCOPE
    static struct orma_lock wheel;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char cargo[8];

    ORMA_LOCK_ACQUIRE(ship, &wheel, "wheel", pthread_mutex_lock(&mutex));
    ORMA_INSTANT(ship, "steered");
    ORMA_LOCK_RELEASE(ship, &wheel, pthread_mutex_unlock(&mutex));
    {
        ORMA_LOCK_SCOPE(ship, &wheel, &mutex, "wheel");
        ORMA_INSTANT(ship, "steered again");
    }
    ORMA_ALLOC(deck, "cargo", cargo, sizeof(cargo));
    ORMA_FREE(deck, "cargo", cargo);
#endif
}

static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {"locks", locks},           {"states", states},
    {"slices", slices},         {"given_times", given_times},
    {"counters", counters},     {"tracks", tracks},
    {"flows", flows},           {"annotations", annotations},
    {"places", places},         {"correlations", correlations},
    {"names", names},           {"categories", categories},
    {"unfinished", unfinished}, {"thread_time", thread_time},
    {"packets", write_packets},
};

/* ---- a data source of one's own ---- */

static void on_start(struct orma_ds_session *session, void *user)
{
    orma_ds_set_state(session, user);
}

static int ship_number = 12;
static const struct orma_data_source_ops ops = {sizeof(ops), NULL, on_start, NULL, NULL, NULL};
static struct orma_data_source logbook = ORMA_DATA_SOURCE("ship.logbook", &ops, &ship_number);

/* Track events, field by field. */
static void write_packets(void)
{
    ORMA_DATA_SOURCE_EACH(it, &logbook)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);

        orma_packet_nest(p, 60); /* track_descriptor */
        orma_packet_u64(p, 1, 4242);
        orma_packet_str(p, 2, "logbook");
        orma_packet_unnest(p);
        (void)orma_ds_packet_end(p);
        for (uint64_t i = 0; i < 2; i++) {
            p = orma_ds_packet_begin(&it);
            orma_packet_u64(p, 8, at(i + 1));
            orma_packet_nest(p, 11);  /* track_event */
            orma_packet_u64(p, 9, 3); /* TYPE_INSTANT */
            orma_packet_u64(p, 11, 4242);
            orma_packet_str(p, 23, "entry");
            orma_packet_nest(p, 4); /* debug_annotations */
            orma_packet_str(p, 10, "ship");
            orma_packet_u64(p, 4, (uint64_t)(*(int *)orma_ds_state(it.session)) + i);
            orma_packet_unnest(p);
            orma_packet_unnest(p);
            (void)orma_ds_packet_end(p);
        }
    }
}

int main(int argc, char **argv)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;

    if (argc != 3) {
        fprintf(stderr, "usage: events SCENARIO FILE\n");
        return 2;
    }
    if (orma_data_source_register(&logbook) < 0)
        return 1;
    args.path = argv[2];
    if (!strcmp(argv[1], "thread_time")) {
        /* enable_thread_time_sampling, timestamp_unit_multiplier: 1000 */
        args.track_events = "\x40\x01\x30\xe8\x07";
        args.track_events_len = 5;
    }
    args.sources = "ship.logbook";
    start_ns = orma_now();
    if (orma_recording_start(&args, &recording) < 0) {
        fprintf(stderr, "events: cannot record into %s\n", argv[2]);
        return 1;
    }
    bool known = false;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (!strcmp(scenarios[i].name, argv[1])) {
            scenarios[i].run();
            known = true;
        }
    }
    if (!known)
        fprintf(stderr, "events: no scenario %s\n", argv[1]);
    return orma_recording_stop(recording, NULL) == 0 && known ? 0 : 1;
}
