/* For the fuzzers of the kernel's ring: some formats with every kind of field, compiled. */
#ifndef ORMA_TESTS_FUZZ_FTRACE_PLANS_H
#define ORMA_TESTS_FUZZ_FTRACE_PLANS_H
#include <stdlib.h>

#include "sdk/ftrace/plan.h"
#include "sdk/ftrace/symbols.h"
#include "sdk/ftrace/translate.h"
#include "tests/support/ftrace_decode.h"

#define FUZZ_IDS 32

struct fuzz_translate {
    struct orma_arena arena;
    struct orma_ftrace_plan *plans[FUZZ_IDS];
    struct orma_ftrace_translate translate;
    struct orma_ftrace_bundle bundle;
    struct orma_ftrace_symbols symbols;
    struct orma_source_sink sink;
    uint64_t packets;
};

/* What comes out must be a packet that a reader understands. */
static int fuzz_put(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct fuzz_translate *self = ORMA_CONTAINER_OF(sink, struct fuzz_translate, sink);

    if (ft_decode(packet, len, NULL, NULL, NULL).malformed)
        abort();
    self->packets++;
    return 0;
}

static void fuzz_flush(struct orma_source_sink *sink)
{
    (void)sink;
}

static void fuzz_translate_init(struct fuzz_translate *self)
{
    *self = (struct fuzz_translate){.sink = {fuzz_put, fuzz_flush}};
    if (orma_ftrace_translate_init(&self->translate) < 0 ||
        orma_ftrace_bundle_init(&self->bundle) < 0)
        abort();
    orma_ftrace_symbols_init(&self->symbols, NULL);
    self->translate.bundle = &self->bundle;
    self->translate.sink = &self->sink;
    self->translate.symbols = &self->symbols;
    self->translate.plans = self->plans;
    self->translate.plans_num = FUZZ_IDS;
    self->translate.keep_broken_pages = true;
}

static inline void fuzz_translate_fini(struct fuzz_translate *self)
{
    orma_ftrace_translate_fini(&self->translate);
    orma_ftrace_bundle_fini(&self->bundle);
    orma_ftrace_symbols_fini(&self->symbols);
    orma_arena_fini(&self->arena);
}

/* False: the text is none of a format, or its id is not for us. */
static bool fuzz_translate_add(struct fuzz_translate *self, const char *group, struct orma_str text,
                               unsigned word_size, bool generic_old)
{
    const struct orma_ftrace_plan_options options = {.word_size = word_size,
                                                     .compact_sched = true,
                                                     .generic_old = generic_old,
                                                     .generic_field = 65536};
    const struct orma_ftrace_tracepoint *known;
    struct orma_ftrace_plan *plan = orma_arena_alloc(&self->arena, sizeof(*plan));
    struct orma_ftrace_format format;

    if (!plan || orma_ftrace_format_parse(&self->arena, text, word_size, &format) < 0 ||
        format.id >= FUZZ_IDS)
        return false;
    known = orma_ftrace_tracepoint_find(group, format.name);
    if (orma_ftrace_plan_compile(&self->arena, group, &format,
                                 known ? &orma_ftrace_messages[known->message_idx] : NULL, &options,
                                 plan) < 0)
        abort();
    orma_ftrace_translate_set_compact(&self->translate, &format, plan);
    self->plans[format.id] = plan;
    return true;
}
#endif
