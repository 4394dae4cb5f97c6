/* A producer with one data source "test", connected to a test service, single-threaded. */
#ifndef ORMA_TESTS_UNIT_CLIENT_FIXTURE_H
#define ORMA_TESTS_UNIT_CLIENT_FIXTURE_H
#include <criterion/criterion.h>

#include "sdk/transport/producer.h"
#include "sdk/transport/writer.h"
#include "tests/support/leaks.h"
#include "tests/support/service.h"

#define FIXTURE_BUFFER 7

struct fixture {
    struct orma_test_service *service;
    struct orma_producer *producer;
    struct orma_ds ds;
    struct orma_ds_ops ops;
    struct orma_ds_instance *inst; /* of the latest start; NULL after stop */
    unsigned setups, starts, stops, flushes, clears;
    uint64_t flush_id;
};

static inline void fixture_setup(void *ctx, struct orma_ds_instance *inst)
{
    struct fixture *f = ctx;

    f->setups++;
    inst->user = f;
}

static inline void fixture_start(void *ctx, struct orma_ds_instance *inst)
{
    struct fixture *f = ctx;

    cr_assert_eq(inst->user, f);
    f->starts++;
    f->inst = inst;
}

static inline void fixture_stop(void *ctx, struct orma_ds_instance *inst)
{
    struct fixture *f = ctx;

    cr_assert_eq(inst->user, f);
    f->stops++;
    f->inst = NULL;
}

static inline void fixture_flush(void *ctx, struct orma_ds_instance *inst, uint64_t flush_id)
{
    struct fixture *f = ctx;

    (void)inst;
    f->flushes++;
    f->flush_id = flush_id;
}

static inline void fixture_clear(void *ctx, struct orma_ds_instance *inst)
{
    struct fixture *f = ctx;

    (void)inst;
    f->clears++;
}

/* Until neither side has anything left to say. */
static inline void fixture_settle(struct fixture *f)
{
    for (int i = 0; i < 8; i++) {
        orma_test_service_step(f->service);
        (void)orma_producer_dispatch(f->producer);
    }
}

static inline struct fixture *fixture_new_with(struct orma_producer_config config)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->service = orma_test_service_new();
    config.name = "tester";
    config.addr = f->service->addr;
    cr_assert_eq(orma_producer_new(&config, &f->producer), 0);
    f->ops = (struct orma_ds_ops){fixture_setup, fixture_start, fixture_stop, fixture_flush,
                                  fixture_clear};
    f->ds = (struct orma_ds){.name = "test", .ops = &f->ops, .ctx = f};
    return f;
}

static inline void fixture_connect(struct fixture *f)
{
    cr_assert_eq(orma_producer_add(f->producer, &f->ds), 0);
    cr_assert_eq(orma_producer_connect(f->producer), 0);
    fixture_settle(f);
}

/* Connected, memory there, instance 1 running. */
static inline struct fixture *fixture_new(size_t size, size_t page_size)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){0});

    fixture_connect(f);
    orma_test_service_setup_tracing(f->service, size, page_size);
    orma_test_service_start(f->service, 1, "test", FIXTURE_BUFFER, (struct orma_str){0});
    fixture_settle(f);
    cr_assert_not_null(f->inst);
    return f;
}

static inline void fixture_free(struct fixture *f)
{
    orma_producer_free(f->producer);
    orma_test_service_free(f->service);
    free(f);
}

/* Test { payload: bytes } as a packet: field 900, so that it is told from the writer's own fields.
 */
static inline size_t fixture_packet(uint8_t *to, uint32_t serial, size_t payload)
{
    size_t n = 0;

    to[n++] = 0xa2, to[n++] = 0x38; /* 900, LEN */
    to[n++] = (uint8_t)((payload & 0x7f) | 0x80);
    to[n++] = (uint8_t)((payload >> 7 & 0x7f) | 0x80);
    to[n++] = (uint8_t)(payload >> 14 & 0x7f);
    for (size_t i = 0; i < payload; i++)
        to[n++] = (uint8_t)(serial * 31 + i);
    return n;
}

/* Into the buffer of the latest start. */
static inline struct orma_writer *fixture_writer(struct fixture *f, enum orma_policy policy)
{
    struct orma_writer *w;

    cr_assert_eq(orma_writer_new(f->producer, f->inst->target_buffer, policy, &w), 0);
    return w;
}
#endif
