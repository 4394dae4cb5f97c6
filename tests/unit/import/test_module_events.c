/* Track events without a reader: descriptors as they are read, events in their place in time. Times
 * in the older form (differences to the event before) come out of a packet as an item of their own,
 * which a reader sorts. */
#include "processor/import/events/event.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "tests/support/module.h"

static const struct orma_importer *const importers[] = {&orma_events_chrome_events_importer,
                                                        &orma_events_chrome_metadata_importer,
                                                        &orma_events_track_event_importer, NULL};

#define TYPE(t) NUM(ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_##t)
#define NAME(n) STR(ORMA_PB_TRACK_EVENT_NAME, n)
#define TRACK(t) NUM(ORMA_PB_TRACK_EVENT_TRACK_UUID, t)
#define LEGACY(...) SUB(ORMA_PB_TRACK_EVENT_LEGACY_EVENT, __VA_ARGS__)
#define PHASE(c) NUM(ORMA_PB_TRACK_EVENT_LEGACY_EVENT_PHASE, c)
#define UUID(t) NUM(ORMA_PB_TRACK_DESCRIPTOR_UUID, t)
#define PARENT(t) NUM(ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, t)
#define CALLED(n) STR(ORMA_PB_TRACK_DESCRIPTOR_NAME, n)
#define THREAD(p, t)                                                                               \
    SUB(ORMA_PB_TRACK_DESCRIPTOR_THREAD, NUM(ORMA_PB_THREAD_DESCRIPTOR_PID, p),                    \
        NUM(ORMA_PB_THREAD_DESCRIPTOR_TID, t),                                                     \
        STR(ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME, "worker"))

/* As it is read, and again when its time has come. */
static void describe(struct module *r, const struct module_field *descriptor)
{
    module_tokenize(r, &orma_events_track_event_importer, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR, 0,
                    descriptor);
    module_packet(r, &orma_events_track_event_importer, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR, 0,
                  descriptor);
}

static void event(struct module *r, int64_t ts, const struct module_field *payload)
{
    module_packet(r, &orma_events_track_event_importer, ORMA_PB_TRACE_PACKET_TRACK_EVENT, ts,
                  payload);
}

/*  thread 8:  10 [== a ==========] 40
 *                  20 | b (an instant)   */
Test(module_events, slices_of_a_described_thread_lie_on_its_track)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(r, MSG(UUID(1), THREAD(7, 8)));
    event(r, 10,
          MSG(TYPE(SLICE_BEGIN), NAME("a"), TRACK(1), STR(ORMA_PB_TRACK_EVENT_CATEGORIES, "x"),
              STR(ORMA_PB_TRACK_EVENT_CATEGORIES, "y")));
    event(r, 20, MSG(TYPE(INSTANT), NAME("b"), TRACK(1)));
    event(r, 40, MSG(TYPE(SLICE_END), TRACK(1)));
    module_expect(r, ORMA_TABLE_SLICE, "ts dur depth category name track_id.type track_id.utid.tid",
                  "10 30 0 x,y a thread_execution 8\n"
                  "20 0 1 - b thread_execution 8\n");
    module_expect(r, ORMA_TABLE_THREAD, "tid name upid.pid", "0 swapper 0\n7 - 7\n8 worker 7\n");
    module_free(r);
}

/* All ones is a uuid like any other, though no value that a map can hold. */
Test(module_events, threads_and_processes_may_have_any_uuid)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(r, MSG(UUID(UINT64_MAX), THREAD(7, 8)));
    event(r, 10, MSG(TYPE(INSTANT), NAME("a"), TRACK(UINT64_MAX)));
    module_expect(r, ORMA_TABLE_SLICE, "ts name track_id.utid.tid", "10 a 8\n");
    describe(r, MSG(UUID(UINT64_MAX - 1),
                    SUB(ORMA_PB_TRACK_DESCRIPTOR_PROCESS, NUM(ORMA_PB_PROCESS_DESCRIPTOR_PID, 7))));
    event(r, 20, MSG(TYPE(INSTANT), NAME("b"), TRACK(UINT64_MAX - 1)));
    module_expect(r, ORMA_TABLE_SLICE, "ts name track_id.upid.pid", "10 a -\n20 b 7\n");
    module_free(r);
}

Test(module_events, interned_names_and_categories_are_looked_up)
{
    struct module *r = module_new(&orma_events_module, importers);

    module_intern(r, MSG(SUB(ORMA_PB_INTERNED_DATA_EVENT_NAMES, NUM(ORMA_PB_EVENT_NAME_IID, 1),
                             STR(ORMA_PB_EVENT_NAME_NAME, "a")),
                         SUB(ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, NUM(1, 5), STR(2, "c"))));
    event(r, 10,
          MSG(TYPE(INSTANT), NUM(ORMA_PB_TRACK_EVENT_NAME_IID, 1),
              NUM(ORMA_PB_TRACK_EVENT_CATEGORY_IIDS, 5), TRACK(0)));
    event(r, 11,
          MSG(TYPE(INSTANT), NUM(ORMA_PB_TRACK_EVENT_NAME_IID, 2),
              NUM(ORMA_PB_TRACK_EVENT_CATEGORY_IIDS, 6), TRACK(0)));
    module_expect(r, ORMA_TABLE_SLICE, "ts category name track_id.name",
                  "10 c a 'Default Track'\n"
                  "11 unknown(6) - 'Default Track'\n");
    module_free(r);
}

/*  1 (process 7) ◄─ 2 "child" ◄─ 3 "grandchild": rows come with the first event */
Test(module_events, tracks_hang_below_those_of_their_parents)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(r, MSG(UUID(3), PARENT(2), CALLED("grandchild"),
                    NUM(ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR, 2)));
    describe(r, MSG(UUID(2), PARENT(1), CALLED("child"),
                    NUM(ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR, 2)));
    describe(r, MSG(UUID(1),
                    SUB(ORMA_PB_TRACK_DESCRIPTOR_PROCESS, NUM(ORMA_PB_PROCESS_DESCRIPTOR_PID, 7))));
    module_expect(r, ORMA_TABLE_TRACK, "name", "");
    event(r, 10, MSG(TYPE(INSTANT), NAME("x"), TRACK(3)));
    module_expect(r, ORMA_TABLE_TRACK, "name type parent_id.name upid.pid",
                  "- process_track_event - 7\n"
                  "child process_track_event - 7\n"
                  "grandchild process_track_event child 7\n");
    module_free(r);
}

Test(module_events, parents_that_go_in_circles_or_are_missing_drop_the_event)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(r, MSG(UUID(1), PARENT(2)));
    describe(r, MSG(UUID(2), PARENT(1)));
    describe(r, MSG(UUID(3), PARENT(99)));
    event(r, 10, MSG(TYPE(INSTANT), NAME("x"), TRACK(1)));
    event(r, 11, MSG(TYPE(INSTANT), NAME("x"), TRACK(3)));
    cr_assert_geq(module_stat(r, TRACK_EVENT_TRACK_HIERARCHY_LOOP), 1);
    cr_assert_geq(module_stat(r, TRACK_HIERARCHY_MISSING_UUID), 1);
    cr_assert_geq(module_stat(r, TRACK_EVENT_PARSER_ERRORS), 2);
    module_expect(r, ORMA_TABLE_SLICE, "ts", "");
    module_free(r);
}

/*  lane 0:  10 [== a ==] 30
 *  lane 1:     20 [== b ==] 40     of the tracks 1 and 2, which have one name */
Test(module_events, siblings_of_one_name_share_lanes)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(r, MSG(UUID(1), CALLED("requests")));
    describe(r, MSG(UUID(2), CALLED("requests")));
    event(r, 10, MSG(TYPE(SLICE_BEGIN), NAME("a"), TRACK(1)));
    event(r, 20, MSG(TYPE(SLICE_BEGIN), NAME("b"), TRACK(2)));
    event(r, 30, MSG(TYPE(SLICE_END), TRACK(1)));
    event(r, 40, MSG(TYPE(SLICE_END), TRACK(2)));
    module_expect(r, ORMA_TABLE_SLICE, "ts dur depth name track_id", "10 20 0 a 0\n20 20 0 b 1\n");
    module_expect(r, ORMA_TABLE_TRACK, "name type track_group_id",
                  "requests global_merged_track_event 0\nrequests global_merged_track_event 0\n");
    module_free(r);
}

Test(module_events, counters_multiply_add_up_and_need_a_descriptor)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(
        r, MSG(UUID(1), CALLED("size"),
               SUB(ORMA_PB_TRACK_DESCRIPTOR_COUNTER,
                   NUM(ORMA_PB_COUNTER_DESCRIPTOR_UNIT, ORMA_PB_COUNTER_DESCRIPTOR_UNIT_SIZE_BYTES),
                   NUM(ORMA_PB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER, 1024))));
    describe(r, MSG(UUID(2), CALLED("sum"),
                    SUB(ORMA_PB_TRACK_DESCRIPTOR_COUNTER,
                        NUM(ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL, 1))));
    for (int64_t i = 0; i < 2; i++) {
        event(r, 10 + i, MSG(TYPE(COUNTER), TRACK(1), NUM(ORMA_PB_TRACK_EVENT_COUNTER_VALUE, 3)));
        event(r, 20 + i,
              MSG(TYPE(COUNTER), TRACK(2), REAL(ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE, 1.5)));
    }
    event(r, 30, MSG(TYPE(COUNTER), TRACK(3), NUM(ORMA_PB_TRACK_EVENT_COUNTER_VALUE, 3)));
    event(r, 31, MSG(TYPE(COUNTER), TRACK(1)));
    event(r, 32, MSG(TYPE(COUNTER), NUM(ORMA_PB_TRACK_EVENT_COUNTER_VALUE, 3)));
    module_expect(r, ORMA_TABLE_COUNTER, "ts value track_id.name track_id.counter_unit",
                  "10 3072 size bytes\n"
                  "20 1.5 sum -\n"
                  "11 3072 size bytes\n"
                  "21 3 sum -\n");
    cr_assert_eq(module_stat(r, TRACK_EVENT_COUNTER_INVALID_TRACK_UUID), 1);
    cr_assert_eq(module_stat(r, TRACK_EVENT_COUNTER_MISSING_VALUE), 1);
    cr_assert_eq(module_stat(r, TRACK_EVENT_COUNTER_MISSING_TRACK_UUID), 1);
    module_free(r);
}

Test(module_events, annotations_are_args)
{
    struct module *r = module_new(&orma_events_module, importers);

    event(
        r, 10,
        MSG(TYPE(INSTANT), NAME("a"), TRACK(0),
            SUB(ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS, STR(ORMA_PB_DEBUG_ANNOTATION_NAME, "n"),
                NUM(ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, -1)),
            SUB(ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS, STR(ORMA_PB_DEBUG_ANNOTATION_NAME, "d"),
                SUB(ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES, STR(ORMA_PB_DEBUG_ANNOTATION_NAME, "k"),
                    STR(ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE, "v"))),
            SUB(ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS, STR(ORMA_PB_DEBUG_ANNOTATION_NAME, "l"),
                SUB(ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES,
                    NUM(ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE, 1)))));
    module_expect(r, ORMA_TABLE_SLICE, "{arg_set_id}", "debug.n=-1,debug.d.k=v,debug.l[0]=true\n");
    module_free(r);
}

/* JSON to the letter, or it is none. */
Test(module_events, annotations_of_json_are_args_too)
{
    static const struct {
        const char *json, *args;
    } cases[] = {
        {"{\"a\":[1,-2.5,null,{\"b\":\"\\u00fc\"}],\"c\":false}",
         "debug.j.a[0]=1,debug.j.a[1]=-2.5,debug.j.a[3].b=\xc3\xbc,debug.j.c=false\n"},
        {" 9223372036854775807 ", "debug.j=9223372036854775807\n"},
        {"9223372036854775808 ", "debug.j=9.22337e+18\n"},
        {"5", "-\n"}, /* is it the whole number? */
        {"true", "debug.j=true\n"},
        {"\"\\ud800x\"", "debug.j=\xef\xbf\xbdx\n"},
        {"[1,]", "-\n"},
        {"01", "-\n"},
        {".5", "-\n"},
        {"[\"\\x\"]", "-\n"},
        {"1 2", "-\n"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct module *r = module_new(&orma_events_module, importers);

        event(
            r, 10,
            MSG(TYPE(INSTANT), NAME("a"), TRACK(0),
                SUB(ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS, STR(ORMA_PB_DEBUG_ANNOTATION_NAME, "j"),
                    STR(ORMA_PB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE, cases[i].json))));
        module_expect(r, ORMA_TABLE_SLICE, "{arg_set_id}", cases[i].args);
        module_free(r);
    }
}

/*  state track:  10 idle   30 busy   50 (nothing) */
Test(module_events, a_state_lasts_until_the_next_one)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(r, MSG(UUID(1), CALLED("mode"), SUB(ORMA_PB_TRACK_DESCRIPTOR_STATE, NUM(1, 0))));
    event(r, 10, MSG(TYPE(STATE), NAME("idle"), TRACK(1)));
    event(r, 30, MSG(TYPE(STATE), NAME("busy"), TRACK(1)));
    event(r, 50, MSG(TYPE(STATE), TRACK(1)));
    event(r, 60, MSG(TYPE(STATE), NAME("x"), TRACK(0)));
    module_expect(r, ORMA_TABLE_STATE, "ts dur value track_id.name",
                  "10 20 idle mode\n30 20 busy mode\n");
    cr_assert_eq(module_stat(r, TRACK_EVENT_PARSER_ERRORS), 1);
    module_free(r);
}

/*  thread 8:      10 [== X 20 us ==]        a process-wide instant at 15
 *  async id 5:    12 [== b .. e ==] 30                                   */
Test(module_events, legacy_phases_say_where_an_event_lies)
{
    struct module *r = module_new(&orma_events_module, importers);

    r->seq->gen->has_pid = true;
    r->seq->gen->pid = 7;
    r->seq->gen->tid = 8;
    event(
        r, 10,
        MSG(NAME("x"), LEGACY(PHASE('X'), NUM(ORMA_PB_TRACK_EVENT_LEGACY_EVENT_DURATION_US, 20))));
    event(r, 12,
          MSG(NAME("b"), LEGACY(PHASE('b'), NUM(ORMA_PB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID, 5))));
    event(
        r, 15,
        MSG(NAME("i"), LEGACY(PHASE('I'), NUM(ORMA_PB_TRACK_EVENT_LEGACY_EVENT_INSTANT_EVENT_SCOPE,
                                              ORMA_PB_TRACK_EVENT_LEGACY_EVENT_SCOPE_PROCESS))));
    event(r, 30,
          MSG(NAME("b"), LEGACY(PHASE('e'), NUM(ORMA_PB_TRACK_EVENT_LEGACY_EVENT_UNSCOPED_ID, 5))));
    event(r, 35,
          MSG(NAME("l"), LEGACY(PHASE('n'), NUM(ORMA_PB_TRACK_EVENT_LEGACY_EVENT_LOCAL_ID, 5))));
    event(r, 40, MSG(NAME("n"), LEGACY(PHASE('b')))); /* of which id? */
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name track_id.type",
                  "10 20000 x thread_execution\n"
                  "12 18 b legacy_async_global_slice\n"
                  "15 0 i chrome_process_instant\n"
                  "35 0 l legacy_async_process_slice\n");
    cr_assert_eq(module_stat(r, TRACK_EVENT_PARSER_ERRORS), 1);
    module_free(r);
}

/*  10 [== a ==] 20   30 [== b ==] 40   50 [ c ]     flow 9: a ─► b ─► c, where it ends */
Test(module_events, flows_go_from_slice_to_slice)
{
    struct module *r = module_new(&orma_events_module, importers);

    for (int64_t i = 0; i < 3; i++) {
        event(r, 10 + 20 * i,
              MSG(TYPE(SLICE_BEGIN), NAME("s"), TRACK(0),
                  FIXED64(i < 2 ? ORMA_PB_TRACK_EVENT_FLOW_IDS
                                : ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS,
                          9)));
        event(r, 20 + 20 * i, MSG(TYPE(SLICE_END), TRACK(0)));
    }
    module_expect(r, ORMA_TABLE_FLOW, "slice_out slice_in trace_id", "0 1 9\n1 2 9\n");
    module_free(r);
}

Test(module_events, descriptors_that_say_too_little_or_contradict_are_counted)
{
    struct module *r = module_new(&orma_events_module, importers);

    describe(r, MSG(CALLED("no uuid")));
    cr_assert_eq(module_stat(r, TRACK_DESCRIPTOR_MISSING_UUID), 1);
    describe(r, MSG(UUID(1),
                    SUB(ORMA_PB_TRACK_DESCRIPTOR_THREAD, NUM(ORMA_PB_THREAD_DESCRIPTOR_PID, 7))));
    cr_assert_eq(module_stat(r, TRACK_DESCRIPTOR_THREAD_MISSING_PID_TID), 1);
    describe(r, MSG(UUID(2), THREAD(7, 8)));
    describe(r, MSG(UUID(2), THREAD(7, 9)));
    cr_assert_eq(module_stat(r, TRACK_DESCRIPTOR_CONFLICTING_RESERVATION), 1);
    module_free(r);
}

Test(module_events, stacks_of_events_come_from_the_profile_module)
{
    struct module *r = module_new(&orma_events_module, importers);
    const struct module_field *stacked =
        MSG(TYPE(INSTANT), NAME("a"), TRACK(0), NUM(ORMA_PB_TRACK_EVENT_CALLSTACK_IID, 3));

    event(r, 10, stacked); /* nobody knows what the stack is */
    cr_assert_eq(module_stat(r, TRACK_EVENT_PARSER_ERRORS), 1);
    module_expect(r, ORMA_TABLE_TRACK_EVENT_CALLSTACKS, "slice_id callsite_id", "");
    module_intern(r, MSG(SUB(ORMA_PB_INTERNED_DATA_CALLSTACKS, NUM(1, 3))));
    module_record_calls(r);
    event(r, 20, stacked);
    module_expect_calls(r, "interned_callsite 0 3\n");
    module_expect(r, ORMA_TABLE_TRACK_EVENT_CALLSTACKS, "slice_id callsite_id", "1 7\n");
    module_free(r);
}

/* The two halves of the commonest events do what the slow path does. */
Test(module_events, plain_events_are_what_the_long_way_makes_of_them)
{
    for (unsigned way = 0; way < 2; way++) {
        struct module *r = module_new(&orma_events_module, importers);
        unsigned taken = 0;

        module_intern(r, MSG(SUB(ORMA_PB_INTERNED_DATA_EVENT_NAMES, NUM(1, 1), STR(2, "a")),
                             SUB(ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, NUM(1, 1), STR(2, "c"))));
        describe(r, MSG(UUID(1), THREAD(7, 8)));
        for (int64_t i = 0; i < 6; i++) {
            const struct orma_str bytes = module_bytes(
                r, i % 2 ? MSG(TYPE(SLICE_END), TRACK(1))
                         : MSG(NUM(ORMA_PB_TRACK_EVENT_CATEGORY_IIDS, 1), TYPE(SLICE_BEGIN),
                               NUM(ORMA_PB_TRACK_EVENT_NAME_IID, 1), TRACK(1)));
            const struct orma_item item =
                module_item(r, ORMA_PB_TRACE_PACKET_TRACK_EVENT, 10 + i, bytes);
            struct orma_plain plain;

            if (way && orma_events_read_plain(&item, &plain) &&
                orma_events_use_plain(&r->ctx, item.ts, item.gen, &plain, bytes))
                taken++;
            else
                orma_events_track_event_importer.parse(&r->ctx, &item);
        }
        module_expect(r, ORMA_TABLE_SLICE, "ts dur category name track_id",
                      "10 1 c a 0\n12 1 c a 0\n14 1 c a 0\n");
        cr_assert(way ? taken >= 4 : !taken, "%u events took the short way", taken);
        module_free(r);
    }
}
