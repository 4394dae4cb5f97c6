/* Triggers: what starts, ends or snapshots a session. */
#include <criterion/criterion.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "tests/integration/traced/fixture.h"
#include "traced/internal.h"
#include "traced/sessions/session.h"

#define START 1
#define STOP 2
#define CLONE 4

struct trigger {
    const char *name;
    uint32_t delay_ms;
    uint32_t max_per_day;
    double skip;
    const char *producer_regex;
};

static void put_triggers(struct orma_buf *config, unsigned mode, uint32_t timeout_ms,
                         const struct trigger *triggers, size_t num)
{
    size_t all = orma_pb_begin(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG);

    orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_MODE, mode);
    for (size_t i = 0; i < num; i++) {
        const struct trigger *t = &triggers[i];
        size_t one = orma_pb_begin(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGERS);

        orma_pb_put_cstr(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_NAME, t->name);
        if (t->producer_regex)
            orma_pb_put_cstr(config,
                             ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_PRODUCER_NAME_REGEX,
                             t->producer_regex);
        orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_STOP_DELAY_MS,
                        t->delay_ms);
        orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_MAX_PER_24_H,
                        t->max_per_day);
        orma_pb_put_double(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_SKIP_PROBABILITY,
                           t->skip);
        orma_pb_end(config, one);
    }
    orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_TIMEOUT_MS, timeout_ms);
    orma_pb_end(config, all);
}

static void configure(struct fixture *s, unsigned mode, uint32_t timeout_ms,
                      const struct trigger *triggers, size_t num)
{
    rig_config_buffer(&s->config, 64, 1);
    rig_config_source(&s->config, "test.source", 0);
    put_triggers(&s->config, mode, timeout_ms, triggers, num);
}

static void activate(struct fixture *s, const char *name)
{
    struct orma_buf args = {0};

    orma_pb_put_cstr(&args, ORMA_PB_ACTIVATE_TRIGGERS_REQUEST_TRIGGER_NAMES, name);
    cr_assert(rig_ok(s->producer.client, "ActivateTriggers", &args));
    orma_buf_fini(&args);
}

static void answer_flush(struct fixture *s)
{
    rig_producer_wait_flush(&s->producer);
    rig_producer_ack_flush(&s->producer, s->producer.flush_id);
}

Test(traced_trigger, start_begins_the_session_and_gives_its_duration)
{
    const struct trigger t = {.name = "go", .delay_ms = 300};
    struct fixture s;
    struct orma_pb_field f;

    fixture_init(&s, false);
    configure(&s, START, 60000, &t, 1);
    rig_enable(s.consumer, &s.config, -1, &s.enabled);
    rig_producer_wait(&s.producer, &s.producer.setups, 1);
    rig_producer_sync(&s.producer);
    cr_assert_eq(s.producer.starts, 0);
    activate(&s, "something else");
    rig_producer_sync(&s.producer);
    cr_assert_eq(s.producer.starts, 0);
    activate(&s, "go");
    rig_producer_wait(&s.producer, &s.producer.starts, 1);
    fixture_commit(&s, 0, TEXTS("data"));
    answer_flush(&s);
    rig_wait(s.consumer, &s.enabled);
    cr_assert(s.enabled.success);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "data");
    cr_assert(rig_find(&s.trace, ORMA_PB_TRACE_PACKET_TRIGGER, &f));
    fixture_fini(&s);
}

Test(traced_trigger, without_one_the_session_ends_with_an_empty_trace)
{
    static const unsigned modes[] = {START, STOP, CLONE};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(modes); i++) {
        const struct trigger t = {.name = "go"};
        struct fixture s;

        fixture_init(&s, false);
        configure(&s, modes[i], 200, &t, 1);
        rig_enable(s.consumer, &s.config, -1, &s.enabled);
        if (modes[i] != START) {
            rig_producer_wait(&s.producer, &s.producer.starts, 1);
            fixture_commit(&s, 0, TEXTS("data"));
            answer_flush(&s);
        }
        rig_wait(s.consumer, &s.enabled);
        cr_assert(s.enabled.success);
        fixture_read(&s, s.consumer);
        cr_assert_eq(s.trace.len, 0, "mode %u: nothing at all", modes[i]);
        fixture_fini(&s);
    }
}

Test(traced_trigger, stop_ends_the_session_after_the_delay_of_the_first)
{
    const struct trigger t[] = {{.name = "first", .delay_ms = 100},
                                {.name = "second", .delay_ms = 3600000}};
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, STOP, 3600000, t, 2);
    fixture_enable(&s, -1);
    fixture_commit(&s, 0, TEXTS("before"));
    fixture_read(&s, s.consumer);
    cr_assert_eq(s.trace.len, 0, "nothing may be read before a trigger has come");
    activate(&s, "first");
    activate(&s, "second");
    answer_flush(&s);
    rig_wait(s.consumer, &s.enabled);
    cr_assert_str_eq(fixture_read(&s, s.consumer), "before");
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRIGGER), 2);
    fixture_fini(&s);
}

Test(traced_trigger, clone_tells_the_consumer_each_time)
{
    const struct trigger t = {.name = "snap", .delay_ms = 10};
    struct fixture s;
    struct rig_reply events = {0};
    struct orma_buf args = {0};

    fixture_init(&s, false);
    configure(&s, CLONE, 3600000, &t, 1);
    orma_pb_put_u64(&args, ORMA_PB_OBSERVE_EVENTS_REQUEST_EVENTS_TO_OBSERVE,
                    ORMA_PB_OBSERVABLE_EVENTS_TYPE_CLONE_TRIGGER_HIT);
    rig_send(s.consumer, "ObserveEvents", &args, -1, &events);
    fixture_enable(&s, -1);
    activate(&s, "snap");
    activate(&s, "snap");
    while (events.count < 2)
        cr_assert_eq(orma_ipc_client_wait(s.consumer, RIG_TIMEOUT_MS), 0);
    cr_assert(events.success);
    fixture_read(&s, s.consumer);
    cr_assert_eq(s.trace.len, 0, "the original is never read");
    orma_ipc_client_forget(s.consumer, &events);
    rig_reply_fini(&events);
    orma_buf_fini(&args);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_trigger, can_be_limited_by_number_probability_and_producer)
{
    const struct trigger t[] = {{.name = "twice", .max_per_day = 2},
                                {.name = "never", .skip = 1.0},
                                {.name = "always", .skip = 0.0, .producer_regex = "test\\..*"},
                                {.name = "others", .producer_regex = "test"}};
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, CLONE, 3600000, t, 4);
    size_t len = s.config.len;
    fixture_enable(&s, -1);
    (void)len;
    for (int i = 0; i < 3; i++) {
        activate(&s, "twice");
        activate(&s, "never");
        activate(&s, "always");
        activate(&s, "others");
    }
    /* A clone has the triggers of its source. */
    struct orma_ipc_client *second = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    struct orma_buf args = {0};
    struct rig_reply reply = {0};

    orma_pb_put_u64(&args, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID, 1);
    rig_send(second, "CloneSession", &args, -1, &reply);
    answer_flush(&s);
    rig_wait(second, &reply);
    fixture_read(&s, second);
    cr_assert_eq(rig_count(&s.trace, ORMA_PB_TRACE_PACKET_TRIGGER), 2 + 3);
    rig_reply_fini(&reply);
    orma_buf_fini(&args);
    orma_ipc_client_free(second);
    fixture_disable(&s);
    fixture_fini(&s);
}

Test(traced_trigger, those_without_a_limit_push_out_none_that_has_one)
{
    static const struct trigger t[] = {{.name = "once", .max_per_day = 1}, {.name = "always"}};
    struct fixture s;

    fixture_init(&s, false);
    configure(&s, CLONE, 3600000, t, 2);
    fixture_enable(&s, -1);
    activate(&s, "once");
    rig_pause(&s.rig);
    struct traced_trigger_history *history = &s.rig.service->sessions.trigger_history;
    while (history->len < TRACED_TRIGGER_HISTORY_MAX)
        traced_trigger_history_add(history, ORMA_STR("another"), history->items[0].ts);
    rig_resume(&s.rig);
    for (int i = 0; i < 3; i++)
        activate(&s, "always");
    rig_pause(&s.rig);
    cr_assert_eq(traced_trigger_history_count(history, ORMA_STR("once"), history->items[0].ts), 1);
    rig_resume(&s.rig);
    fixture_disable(&s);
    fixture_fini(&s);
}
