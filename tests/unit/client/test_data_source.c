#include <errno.h>
#include <pthread.h>

#include "orma/data_source.h"
#include "sdk/sources/ds.h"
#include "sdk/wire/pb_reader.h"
#include "tests/unit/client/fixture.h"

static struct {
    unsigned setups, starts, stops, flushes, clears;
    bool defer;
    struct orma_ds_session *session;
    size_t config_len;
} seen;

static void on_setup(struct orma_ds_session *session, void *user)
{
    (void)orma_ds_config(session, &seen.config_len);
    orma_ds_set_state(session, user);
    seen.setups++;
}

static void on_start(struct orma_ds_session *session, void *user)
{
    cr_assert_eq(orma_ds_state(session), user);
    seen.session = session;
    seen.starts++;
}

static void put_one(struct orma_data_source *source, const char *text);

static struct orma_data_source source;

static void on_stop(struct orma_ds_session *session, void *user)
{
    (void)user;
    put_one(&source, "last words");
    if (seen.defer)
        orma_ds_defer_stop(session);
    seen.stops++;
}

static void on_flush(struct orma_ds_session *session, void *user)
{
    (void)session, (void)user;
    seen.flushes++;
}

static void on_clear(struct orma_ds_session *session, void *user)
{
    (void)session, (void)user;
    seen.clears++;
}

static const struct orma_data_source_ops ops = {sizeof(ops), on_setup, on_start,
                                                on_stop,     on_flush, on_clear};
static struct orma_data_source source = ORMA_DATA_SOURCE("custom", &ops, &seen);

static void put_one(struct orma_data_source *ds, const char *text)
{
    ORMA_DATA_SOURCE_EACH(it, ds)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);

        orma_packet_u64(p, 901, (uint64_t)it.fresh);
        orma_packet_str(p, 902, text);
        cr_assert_eq(orma_ds_packet_end(p), 0);
    }
}

static void run_here(void (*fn)(void *arg), void *arg)
{
    fn(arg);
}

static struct fixture *ds_new(void)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){0});

    cr_assert_eq(orma_data_source_register(&source), 0);
    cr_assert_eq(orma_ds_offer_all(f->producer, run_here), 0);
    fixture_connect(f);
    orma_test_service_setup_tracing(f->service, 1 << 16, 4096);
    return f;
}

static void ds_free(struct fixture *f)
{
    orma_ds_set_listener(NULL);
    fixture_free(f);
    orma_ds_forget_producer();
    orma_assert_no_leaks();
}

static void expect(struct fixture *f, uint16_t writer, size_t idx, uint64_t fresh, const char *text)
{
    struct orma_str p = orma_test_writer_packet(orma_test_service_writer(f->service, writer), idx);
    struct orma_pb_reader r = orma_pb_reader(p.data, p.len);
    struct orma_pb_field field;

    while (orma_pb_next(&r, &field)) {
        if (field.id == 901)
            cr_assert_eq(field.num, fresh);
        if (field.id == 902)
            cr_assert(orma_str_eq_c((struct orma_str){(const char *)field.data, field.len}, text));
    }
    cr_assert(!r.failed);
}

Test(data_source, lives_through_its_callbacks)
{
    struct fixture *f = ds_new();
    const uint64_t id = 1;

    put_one(&source, "nobody");
    orma_test_service_start(f->service, 1, "custom", 5, ORMA_STR("\x9a\x3f\x02ok"));
    fixture_settle(f);
    cr_assert_eq(f->service->started_id, 1);
    cr_assert_gt(seen.config_len, 5);
    put_one(&source, "one");
    put_one(&source, "two");
    orma_test_service_flush(f->service, 1, &id, 1);
    fixture_settle(f);
    cr_assert_eq(f->service->flush_acked, 1);
    cr_assert_eq(orma_test_writer_num(orma_test_service_writer(f->service, 1)), 2);
    orma_test_service_clear(f->service, 1);
    fixture_settle(f);
    put_one(&source, "three");
    orma_test_service_stop(f->service, 1);
    fixture_settle(f);
    cr_assert_eq(f->service->stopped_id, 1);
    put_one(&source, "nobody");
    expect(f, 1, 0, 1, "one");
    expect(f, 1, 1, 0, "two");
    expect(f, 1, 2, 1, "three");
    expect(f, 1, 3, 0, "last words");
    cr_assert_eq(orma_test_writer_num(orma_test_service_writer(f->service, 1)), 4);
    cr_assert_eq(orma_test_service_writer(f->service, 1)->emitted, 4);
    cr_assert_eq(seen.setups + seen.starts + seen.stops + seen.flushes + seen.clears, 5);
    cr_assert_eq(source.enabled, 0);
    ds_free(f);
}

Test(data_source, may_take_its_time_to_stop)
{
    struct fixture *f = ds_new();

    seen.defer = true;
    orma_test_service_start(f->service, 1, "custom", 5, (struct orma_str){0});
    fixture_settle(f);
    orma_test_service_stop(f->service, 1);
    fixture_settle(f);
    cr_assert_eq(f->service->stopped_id, 0);
    put_one(&source, "a late one");
    orma_ds_stopped(seen.session);
    fixture_settle(f);
    cr_assert_eq(f->service->stopped_id, 1);
    expect(f, 1, 0, 1, "last words");
    expect(f, 1, 1, 0, "a late one");
    ds_free(f);
}

/* The answer to a connection that is gone must not end an instance of the next. */
Test(data_source, a_late_answer_does_not_reach_the_next_connection)
{
    struct fixture *f = ds_new();

    seen.defer = true;
    orma_test_service_start(f->service, 1, "custom", 5, (struct orma_str){0});
    fixture_settle(f);
    struct orma_ds_session *old = seen.session;
    orma_test_service_hang_up(f->service);
    cr_assert_lt(orma_producer_dispatch(f->producer), 0);
    cr_assert_eq(seen.stops, 1);
    cr_assert_eq(orma_producer_connect(f->producer), 0);
    fixture_settle(f);
    orma_test_service_setup_tracing(f->service, 1 << 16, 4096);
    orma_test_service_start(f->service, 1, "custom", 5, (struct orma_str){0});
    fixture_settle(f);
    orma_ds_stopped(old);
    fixture_settle(f);
    cr_assert_eq(f->service->stopped_id, 0);
    seen.defer = false;
    orma_test_service_stop(f->service, 1);
    fixture_settle(f);
    cr_assert_eq(f->service->stopped_id, 1);
    ds_free(f);
}

Test(data_source, every_session_gets_its_packets)
{
    struct fixture *f = ds_new();

    orma_test_service_start(f->service, 1, "custom", 5, (struct orma_str){0});
    orma_test_service_start(f->service, 2, "custom", 6, (struct orma_str){0});
    fixture_settle(f);
    put_one(&source, "both");
    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        (void)orma_ds_packet_end(orma_ds_packet_begin(&it));
        break; /* leaves the loop, and the session */
    }
    orma_test_service_stop(f->service, 1);
    fixture_settle(f);
    put_one(&source, "one");
    orma_test_service_stop(f->service, 2);
    fixture_settle(f);
    expect(f, 1, 0, 1, "both");
    expect(f, 2, 0, 1, "both");
    expect(f, 2, 1, 0, "last words"); /* of session 1, heard by 2 as well */
    expect(f, 2, 2, 0, "one");
    cr_assert_eq(orma_test_service_writer(f->service, 2)->target_buffer, 6);
    ds_free(f);
}

Test(data_source, a_turn_within_a_turn_is_counted_as_lost)
{
    struct fixture *f = ds_new();
    unsigned inner = 0;

    orma_test_service_start(f->service, 1, "custom", 5, (struct orma_str){0});
    fixture_settle(f);
    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        ORMA_DATA_SOURCE_EACH(again, &source)
        inner++;
        (void)orma_ds_packet_end(orma_ds_packet_begin(&it));
    }
    cr_assert_eq(inner, 0);
    orma_test_service_stop(f->service, 1);
    fixture_settle(f);
    struct orma_test_writer *w = orma_test_service_writer(f->service, 1);
    cr_assert_eq(w->dropped_no_chunk, 1);
    cr_assert_eq(w->emitted, orma_test_writer_num(w) + 1);
    ds_free(f);
}

static void *from_a_thread(void *arg)
{
    put_one(arg, "thread");
    return NULL;
}

Test(data_source, threads_hand_their_sequences_on)
{
    struct fixture *f = ds_new();

    orma_test_service_start(f->service, 1, "custom", 5, (struct orma_str){0});
    fixture_settle(f);
    for (int i = 0; i < 20; i++) {
        pthread_t t;

        pthread_create(&t, NULL, from_a_thread, &source);
        pthread_join(t, NULL);
    }
    orma_test_service_stop(f->service, 1);
    fixture_settle(f);
    for (size_t i = 0; i < 20; i++)
        expect(f, 1, i, 1, "thread");
    cr_assert_eq(orma_test_writer_num(orma_test_service_writer(f->service, 1)), 21);
    ds_free(f);
}

Test(data_source, may_be_registered_while_connected)
{
    struct fixture *f = ds_new();
    static struct orma_data_source late = ORMA_DATA_SOURCE("late", &ops, NULL);

    cr_assert_eq(orma_data_source_register(&late), 0);
    orma_ds_turn(f->producer);
    fixture_settle(f);
    cr_assert_str_eq(f->service->registered[2], "late");
    ds_free(f);
}
