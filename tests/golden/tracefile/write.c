/*
 * One scenario per thing that a trace file can say: run.py of ../sdk compares the
 * rows that the processor makes of it with those in the case's file.
 *
 *   write SCENARIO FILE
 */
#include "sdk/tracefile/orma_tracefile.h"

#include <stdio.h>
#include <string.h>

/* A baker and an apprentice: slices of a thread nest. */
static void thread_slices(struct orma_tracefile *f)
{
    orma_tracefile_process(f, 40, "bakery");
    uint64_t baker = orma_tracefile_thread(f, 40, 41, "baker");
    uint64_t boy = orma_tracefile_thread(f, 40, 42, "apprentice");

    orma_tracefile_begin(f, baker, 1000, "bake");
    orma_tracefile_begin(f, baker, 1100, "knead");
    orma_tracefile_instant(f, baker, 1150, "flour");
    orma_tracefile_end(f, baker, 1200);
    orma_tracefile_slice(f, boy, 1120, 50, "fetch water");
    orma_tracefile_end(f, baker, 1900);
    orma_tracefile_instant(f, boy, 1950, NULL);
}

/* Loaves that overlap: tracks of one name, of the process. */
static void process_slices(struct orma_tracefile *f)
{
    uint64_t process = orma_tracefile_process(f, 40, "bakery");
    uint64_t first = orma_tracefile_track(f, process, "oven");
    uint64_t second = orma_tracefile_track(f, process, "oven");

    orma_tracefile_begin(f, process, 90, "open");
    orma_tracefile_begin(f, first, 100, "rye");
    orma_tracefile_begin(f, second, 120, "wheat");
    orma_tracefile_begin(f, first, 130, "crust");
    orma_tracefile_end(f, first, 150);
    orma_tracefile_end(f, first, 160);
    orma_tracefile_end(f, second, 170);
    orma_tracefile_end(f, process, 200);
}

/* Tracks of nothing that the machine knows, as a tree. */
static void nested_tracks(struct orma_tracefile *f)
{
    uint64_t valley = orma_tracefile_track(f, 0, "valley");
    uint64_t mill = orma_tracefile_track(f, valley, "mill");
    uint64_t farm = orma_tracefile_track(f, valley, "farm");
    uint64_t wheel = orma_tracefile_track(f, mill, "wheel");
    uint64_t stone = orma_tracefile_track(f, mill, "stone");
    uint64_t field = orma_tracefile_track(f, farm, "field");

    orma_tracefile_slice(f, wheel, 200, 50, "turns");
    orma_tracefile_slice(f, stone, 220, 20, "grinds");
    orma_tracefile_slice(f, field, 210, 20, "grows");
}

static uint64_t ordered(struct orma_tracefile *f, uint32_t children)
{
    struct orma_tracefile_desc d;

    memset(&d, 0, sizeof(d));
    d.name = children == ORMA_TRACEFILE_BY_NAME   ? "by name"
             : children == ORMA_TRACEFILE_BY_TIME ? "by time"
                                                  : "by rank";
    d.children = children;
    return orma_tracefile_describe(f, &d);
}

static void ranked(struct orma_tracefile *f, uint64_t parent, const char *name, int32_t rank,
                   uint64_t ts)
{
    struct orma_tracefile_desc d;

    memset(&d, 0, sizeof(d));
    d.parent = parent;
    d.name = name;
    d.rank = rank;
    d.never_merge = rank == 5;
    orma_tracefile_instant(f, orma_tracefile_describe(f, &d), ts, "here");
}

static void ordering(struct orma_tracefile *f)
{
    for (uint32_t by = ORMA_TRACEFILE_BY_NAME; by <= ORMA_TRACEFILE_BY_RANK; by++) {
        uint64_t parent = ordered(f, by);

        ranked(f, parent, "oats", by == ORMA_TRACEFILE_BY_RANK ? 5 : 0, 30);
        ranked(f, parent, "barley", by == ORMA_TRACEFILE_BY_RANK ? 80 : 0, 20);
        ranked(f, parent, "spelt", by == ORMA_TRACEFILE_BY_RANK ? -4 : 0, 10);
    }
}

static void flow_event(struct orma_tracefile *f, uint64_t track, uint64_t ts, const char *name,
                       uint64_t id, int ends)
{
    orma_tracefile_event(f, ORMA_TRACEFILE_BEGIN, track, ts, name);
    if (ends)
        orma_tracefile_flow_end(f, id);
    else
        orma_tracefile_flow(f, id);
    orma_tracefile_event_end(f);
    orma_tracefile_end(f, track, ts + 40);
}

static void flows(struct orma_tracefile *f)
{
    uint64_t shop = orma_tracefile_thread(f, 40, 40, "shop");
    uint64_t baker = orma_tracefile_thread(f, 40, 41, "baker");

    flow_event(f, shop, 200, "order", 9, 0);
    flow_event(f, baker, 300, "work", 9, 0);
    flow_event(f, shop, 400, "hand over", 9, 1);
}

static void counters(struct orma_tracefile *f)
{
    struct orma_tracefile_desc d;
    uint64_t process = orma_tracefile_process(f, 40, "bakery");
    uint64_t heat = orma_tracefile_counter(f, process, "heat", "degrees");
    uint64_t queue = orma_tracefile_counter(f, 0, "queue", NULL);

    memset(&d, 0, sizeof(d));
    d.kind = ORMA_TRACEFILE_COUNTER;
    d.parent = orma_tracefile_thread(f, 40, 41, "baker");
    d.name = "loaves";
    d.multiplier = 12;
    d.incremental = 1;
    uint64_t loaves = orma_tracefile_describe(f, &d);

    orma_tracefile_value(f, heat, 10, 180);
    orma_tracefile_value_double(f, heat, 20, 220.5);
    orma_tracefile_value(f, queue, 15, 4);
    orma_tracefile_value(f, queue, 25, -1);
    orma_tracefile_value(f, loaves, 5, 2);
    orma_tracefile_value(f, loaves, 6, 1);
}

/* Names come again: they stand in the file once. */
static void interning(struct orma_tracefile *f)
{
    uint64_t track = orma_tracefile_track(f, 0, "belt");

    for (uint64_t i = 0; i < 600; i++) {
        char name[40];

        snprintf(name, sizeof(name), "a rather long name, number %d", (int)(i % 300));
        orma_tracefile_slice(f, track, i * 10, 5, name);
    }
}

static void arguments(struct orma_tracefile *f)
{
    uint64_t track = orma_tracefile_track(f, 0, "recipe");

    orma_tracefile_event(f, ORMA_TRACEFILE_BEGIN, track, 100, "mix");
    orma_tracefile_category(f, "dough");
    orma_tracefile_category(f, "sweet");
    orma_tracefile_arg_bool(f, "salted", 1);
    orma_tracefile_arg_int(f, "cold", -4);
    orma_tracefile_arg_uint(f, "grains", UINT64_MAX);
    orma_tracefile_arg_double(f, "share", 0.25);
    orma_tracefile_arg_pointer(f, "bowl", 0xcafe);
    orma_tracefile_arg_str(f, "kind", "rye");
    orma_tracefile_arg_dict(f, "by");
    orma_tracefile_arg_str(f, "who", "baker");
    orma_tracefile_arg_array(f, "steps");
    orma_tracefile_arg_int(f, NULL, 1);
    orma_tracefile_arg_dict(f, NULL);
    orma_tracefile_arg_int(f, "deep", 2);
    orma_tracefile_arg_close(f);
    orma_tracefile_arg_close(f);
    orma_tracefile_arg_close(f);
    orma_tracefile_arg_str(f, "after", "rest");
    orma_tracefile_event_end(f);
    orma_tracefile_event(f, ORMA_TRACEFILE_END, track, 300, NULL);
    orma_tracefile_arg_int(f, "minutes", 20);
    orma_tracefile_event_end(f);
}

/* The file's times are of the first clock; the processor puts them onto boottime's. */
static void clocks(struct orma_tracefile *f)
{
    const uint32_t ids[] = {3, 6, 200};
    const uint64_t readings[] = {1000, 51000, 7};
    uint64_t track = orma_tracefile_track(f, 0, "watch");

    orma_tracefile_clocks(f, ids, readings, 3);
    orma_tracefile_instant(f, track, 1010, "tick");
}

static void packets(struct orma_tracefile *f)
{
    /* timestamp: 77, track_event { type: INSTANT, track_uuid: 5, name: "raw" } */
    static const uint8_t packet[] = {0x40, 77, 0x50, 9,    0x5a, 10,  0x48, 3,
                                     0x58, 5,  0xba, 0x01, 3,    'r', 'a',  'w'};

    orma_tracefile_packet(f, packet, sizeof(packet));
}

static const struct {
    const char *name;
    void (*write)(struct orma_tracefile *f);
} scenarios[] = {
    {"thread_slices", thread_slices},
    {"process_slices", process_slices},
    {"nested_tracks", nested_tracks},
    {"ordering", ordering},
    {"flows", flows},
    {"counters", counters},
    {"interning", interning},
    {"arguments", arguments},
    {"clocks", clocks},
    {"packets", packets},
};

int main(int argc, char **argv)
{
    struct orma_tracefile *f;
    int known = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: write SCENARIO FILE\n");
        return 2;
    }
    if (orma_tracefile_open(argv[2], &f) < 0) {
        fprintf(stderr, "write: cannot write %s\n", argv[2]);
        return 1;
    }
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (!strcmp(scenarios[i].name, argv[1])) {
            scenarios[i].write(f);
            known = 1;
        }
    }
    if (!known)
        fprintf(stderr, "write: no scenario %s\n", argv[1]);
    return orma_tracefile_close(f) < 0 || !known;
}
