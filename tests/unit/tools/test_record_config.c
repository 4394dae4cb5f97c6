#include <criterion/criterion.h>
#include <string.h>

#include "protos/pbc.h"
#include "protos/perfetto/config.pb-c.h"
#include "tests/support/leaks.h"
#include "tools/record/presets.h"
#include "tools/record/record_config.h"
#include "tools/record/rotation.h"

typedef Perfetto__Protos__TraceConfig config_t;

static config_t *decode(const struct orma_record_request *rq)
{
    struct orma_buf b = {0};
    ProtobufCMessage *msg;

    orma_record_config_put(&b, rq);
    cr_assert_eq(
        orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, orma_buf_str(&b), &msg), 0);
    orma_buf_fini(&b);
    return (config_t *)msg;
}

static const Perfetto__Protos__DataSourceConfig *source(const config_t *c, const char *name)
{
    for (size_t i = 0; i < c->n_data_sources; i++) {
        if (!strcmp(c->data_sources[i]->config->name, name))
            return c->data_sources[i]->config;
    }
    return NULL;
}

Test(record_config, names_the_sources_that_were_asked_for_and_allowed)
{
    struct orma_record_request rq = {.mode = ORMA_RECORD_STREAM,
                                     .duration_ms = 5000,
                                     .buffer_bytes = 32 << 20,
                                     .ftrace = true,
                                     .process_stats = true};

    orma_record_request_add_defaults(&rq);
    config_t *c = decode(&rq);
    cr_assert_eq(c->n_buffers, 1);
    cr_assert_eq(c->buffers[0]->size_kb, 32768);
    cr_assert_eq(c->duration_ms, 5000);
    cr_assert(c->write_into_file);
    cr_assert_gt(c->flush_period_ms, 0);
    cr_assert_eq(source(c, "linux.ftrace")->ftrace_config->n_ftrace_events, rq.events_num);
    cr_assert(source(c, "linux.process_stats"));
    cr_assert(source(c, "track_event"));
    cr_assert_null(source(c, "linux.system_info"), "not allowed here");
    cr_assert_null(source(c, "linux.sys_stats"));
    protobuf_c_message_free_unpacked(&c->base, NULL);
    orma_assert_no_leaks();
}

Test(record_config, probes_and_graphs_are_of_the_kernel)
{
    struct orma_record_request rq = {
        .mode = ORMA_RECORD_STREAM, .buffer_bytes = 32 << 20, .ftrace = true, .max_depth = 3};

    cr_assert(orma_record_request_add_root(&rq, "vfs_*"));
    cr_assert(orma_record_request_add_probe(&rq, "kprobe:do_open $arg2:string"));
    cr_assert(orma_record_request_has_kernel(&rq));
    for (size_t i = 0; i < rq.words_num; i++)
        cr_assert(orma_record_word_is_kernel(rq.words[i]));
    config_t *c = decode(&rq);
    const Perfetto__Protos__FtraceConfig *f = source(c, "linux.ftrace")->ftrace_config;
    cr_assert(f->enable_function_graph && f->symbolize_ksyms);
    cr_assert_eq(f->n_function_graph_roots, 1);
    cr_assert_str_eq(f->function_graph_roots[0], "vfs_*");
    cr_assert_eq(f->function_graph_max_depth, 3);
    bool found = false;
    for (size_t i = 0; i < f->n_ftrace_events; i++)
        found |= !strcmp(f->ftrace_events[i], "kprobe:do_open $arg2:string");
    cr_assert(found);
    protobuf_c_message_free_unpacked(&c->base, NULL);
    orma_assert_no_leaks();
}

Test(record_config, presets_add_up_without_repeating_events)
{
    struct orma_record_request rq = {
        .mode = ORMA_RECORD_RING, .buffer_bytes = 1, .ftrace = true, .sys_stats = true};

    cr_assert(orma_record_request_add(&rq, "irq"));
    cr_assert(orma_record_request_add(&rq, "mem"));
    size_t num = rq.events_num;
    cr_assert(orma_record_request_add(&rq, "irq"));
    cr_assert_eq(rq.events_num, num);
    cr_assert(orma_record_request_add(&rq, "ext4/ext4_da_write_begin"));
    cr_assert(!orma_record_request_add(&rq, "nonsense"));

    config_t *c = decode(&rq);
    cr_assert_eq(c->buffers[0]->size_kb, 1);
    cr_assert(!c->write_into_file);
    cr_assert_eq(source(c, "linux.sys_stats")->sys_stats_config->meminfo_period_ms, 1000);
    cr_assert_gt(c->incremental_state_config->clear_period_ms, 0);
    protobuf_c_message_free_unpacked(&c->base, NULL);
}

Test(record_config, all_presets_together_are_below_the_limit)
{
    struct orma_record_request rq = {.mode = ORMA_RECORD_STREAM, .buffer_bytes = 1 << 20};
    size_t events = 0;

    orma_record_request_add_all(&rq);
    for (const struct orma_record_preset *p = orma_record_presets; p->name; p++) {
        for (const char *const *e = p->events; e && *e; e++) {
            bool found = false;

            for (size_t i = 0; i < rq.events_num; i++)
                found |= !strcmp(rq.events[i], *e);
            cr_assert(found, "%s", *e);
            events++;
        }
    }
    cr_assert_gt(events, 20);
}

Test(record_config, only_events_of_presets_are_dropped)
{
    struct orma_record_request rq = {.mode = ORMA_RECORD_RING, .buffer_bytes = 1};

    cr_assert(orma_record_request_add(&rq, "irq/irq_handler_entry"));
    cr_assert(orma_record_request_add(&rq, "sched/sched_switch"));
    cr_assert(orma_record_request_add(&rq, "sched"));
    size_t num = rq.events_num;
    cr_assert_not(orma_record_request_drop(&rq, "sched/sched_switch"), "named, too");
    cr_assert(orma_record_request_drop(&rq, "sched/sched_waking"));
    cr_assert_not(orma_record_request_drop(&rq, "sched/sched_waking"), "is gone");
    cr_assert_eq(rq.events_num, num - 1);
    for (size_t i = 0; i < rq.events_num; i++)
        cr_assert_eq(rq.event_named[i], i < 2, "%s", rq.events[i]);
    orma_assert_no_leaks();
}

Test(record_config, knows_which_words_need_the_kernel)
{
    cr_assert(orma_record_word_is_kernel("sched"));
    cr_assert(orma_record_word_is_kernel("irq/irq_handler_entry"));
    cr_assert_not(orma_record_word_is_kernel("apps"));
    cr_assert_not(orma_record_word_is_kernel("mem"), "has counters as well");
    cr_assert_not(orma_record_word_is_kernel("log"));
}

Test(record_rotation, takes_a_size_an_age_or_both)
{
    static const struct {
        const char *text;
        uint64_t bytes, ms; /* neither: refused */
    } cases[] = {
        {"64mb", 64 << 20, 0},
        {"1g", 1 << 30, 0},
        {"30s", 0, 30000},
        {"10m", 0, 600000},
        {"64mb,10m", 64 << 20, 600000},
        {"10m,64mb", 64 << 20, 600000},
        {"500ms", 0, 500},
        {"10m,30s", 0, 0},
        {"1mb,2mb", 0, 0},
        {"0", 0, 0},
        {"", 0, 0},
        {",", 0, 0},
        {"64", 0, 0},
        {"64mb,", 0, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct orma_record_rotation r = {0};
        const bool taken = orma_record_rotation_parse(&r, cases[i].text);

        cr_expect_eq(taken, cases[i].bytes || cases[i].ms, "%s", cases[i].text);
        cr_expect(!taken || (r.max_bytes == cases[i].bytes && r.max_ms == cases[i].ms), "%s",
                  cases[i].text);
    }
}
