/* A storage and a model on top of it, whose machine knows its idle process. */
#ifndef ORMA_TESTS_UNIT_MODEL_FIXTURE_H
#define ORMA_TESTS_UNIT_MODEL_FIXTURE_H
#include "processor/model/model.h"
#include "tests/support/rows.h"

struct fixture {
    struct orma_storage storage;
    struct orma_model model;
};

static inline struct fixture *fixture_new(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    cr_assert_eq(orma_storage_init(&f->storage), 0);
    orma_model_init(&f->model, &f->storage);
    orma_processes_set_idle(orma_model_processes(&f->model, 0));
    return f;
}

static inline void fixture_free(struct fixture *f)
{
    cr_assert(!f->storage.failed);
    orma_model_fini(&f->model);
    orma_storage_fini(&f->storage);
    free(f);
}

static inline uint32_t fixture_str(struct fixture *f, const char *text)
{
    return orma_model_cstr(&f->model, text);
}

#define fixture_expect(f, table, columns, expected)                                                \
    rows_expect(&(f)->storage, table, columns, expected)
#define fixture_stat(f, name) rows_stat(&(f)->storage, name)
#endif
