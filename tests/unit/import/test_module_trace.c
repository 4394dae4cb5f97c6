/* What a trace says of itself, without a reader: what needs none are facts and rows. Clock
 * snapshots and flush marks are for the reader, and tested with it. */
#include "processor/import/trace/ledger.h"
#include "processor/import/trace/trace.h"
#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "protos/loss.h"
#include "tests/support/module.h"

static const struct orma_importer *const importers[] = {
    &orma_trace_trace_stats_importer,
    &orma_trace_sessions_importer,
    &orma_trace_triggers_importer,
    &orma_trace_config_importer,
    &orma_trace_service_importer,
    &orma_trace_diagnostics_importer,
    NULL,
};

static void trigger(struct module *r, int64_t ts, uint32_t field, const char *name)
{
    module_packet(r, &orma_trace_triggers_importer, field, ts,
                  MSG(STR(ORMA_PB_TRIGGER_TRIGGER_NAME, name),
                      STR(ORMA_PB_TRIGGER_PRODUCER_NAME, "p"),
                      NUM(ORMA_PB_TRIGGER_TRUSTED_PRODUCER_UID, 1000)));
}

Test(module_trace, triggers_are_instants_and_the_first_of_a_clone_is_a_fact)
{
    struct module *r = module_new(&orma_trace_module, importers);

    trigger(r, 10, ORMA_PB_TRACE_PACKET_TRIGGER, "a");
    trigger(r, 20, ORMA_PB_TRACE_PACKET_CLONE_SNAPSHOT_TRIGGER, "b");
    module_expect(r, ORMA_TABLE_SLICE, "ts dur name track_id.name {arg_set_id}",
                  "10 0 a 'Trace Triggers' producer_name=p,trusted_producer_uid=1000\n"
                  "20 0 b 'Trace Triggers' producer_name=p,trusted_producer_uid=1000\n");
    module_expect(r, ORMA_TABLE_METADATA, "name str_value", "trace_trigger b\n");
    cr_assert_eq(module_stat(r, TRACED_CLONE_TRIGGER_TIMESTAMP_NS), 20);
    module_free(r);
}

Test(module_trace, a_uuid_of_nothing_but_zeroes_is_none)
{
    struct module *r = module_new(&orma_trace_module, importers);

    module_early(r, &orma_trace_uuid_importer, ORMA_PB_TRACE_PACKET_TRACE_UUID, 0,
                 MSG(NUM(ORMA_PB_TRACE_UUID_MSB, 0), NUM(ORMA_PB_TRACE_UUID_LSB, 0)));
    module_expect(r, ORMA_TABLE_METADATA, "name", "");
    module_early(r, &orma_trace_uuid_importer, ORMA_PB_TRACE_PACKET_TRACE_UUID, 0,
                 MSG(NUM(ORMA_PB_TRACE_UUID_MSB, 0x0123456789abcdef),
                     NUM(ORMA_PB_TRACE_UUID_LSB, 0xfedcba9876543210)));
    module_expect(r, ORMA_TABLE_METADATA, "name str_value",
                  "trace_uuid 01234567-89ab-cdef-fedc-ba9876543210\n");
    module_free(r);
}

Test(module_trace, a_config_becomes_text_and_warns_of_what_it_asks_for)
{
    struct module *r = module_new(&orma_trace_module, importers);
    const struct module_field *config =
        MSG(SUB(ORMA_PB_TRACE_CONFIG_BUFFERS, NUM(ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, 64),
                NUM(ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_FILL_POLICY,
                    ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_DISCARD)),
            NUM(ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1),
            STR(ORMA_PB_TRACE_CONFIG_UNIQUE_SESSION_NAME, "s"),
            NUM(ORMA_PB_TRACE_CONFIG_TRACE_UUID_LSB, 5));

    cr_assert(!module_early(r, &orma_trace_config_importer, ORMA_PB_TRACE_PACKET_TRACE_CONFIG, 0,
                            config));
    module_packet(r, &orma_trace_config_importer, ORMA_PB_TRACE_PACKET_TRACE_CONFIG, 0, config);
    module_expect(r, ORMA_TABLE_METADATA, "name str_value",
                  "trace_uuid 00000000-0000-0000-0000-000000000005\n"
                  "unique_session_name s\n"
                  "trace_config_pbtxt 'buffers {\n"
                  "  size_kb: 64\n"
                  "  fill_policy: DISCARD\n"
                  "}\n"
                  "write_into_file: true\n"
                  "unique_session_name: \"s\"\n"
                  "trace_uuid_lsb: 5'\n");
    cr_assert_eq(*orma_stats_at(&r->storage.stats[0], ORMA_STAT_CONFIG_WRITE_INTO_FILE_DISCARD, 0),
                 1);
    module_free(r);
}

Test(module_trace, the_kernel_is_told_when_the_session_began_and_what_it_kept)
{
    struct module *r = module_new(&orma_trace_module, importers);
    const struct module_field *started = MSG(NUM(ORMA_PB_TRACING_SERVICE_EVENT_TRACING_STARTED, 1));
    const struct module_field *config =
        MSG(SUB(ORMA_PB_TRACE_CONFIG_DATA_SOURCES,
                SUB(ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG,
                    SUB(ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG,
                        NUM(ORMA_PB_FTRACE_CONFIG_PRESERVE_FTRACE_BUFFER, 1)))));

    /* Nobody is there to be told. */
    module_early(r, &orma_trace_service_importer, ORMA_PB_TRACE_PACKET_SERVICE_EVENT, 42, started);
    module_early(r, &orma_trace_config_importer, ORMA_PB_TRACE_PACKET_TRACE_CONFIG, 0, config);
    module_record_calls(r);
    module_early(r, &orma_trace_service_importer, ORMA_PB_TRACE_PACKET_SERVICE_EVENT, 42, started);
    module_early(r, &orma_trace_config_importer, ORMA_PB_TRACE_PACKET_TRACE_CONFIG, 0, config);
    module_expect_calls(r, "set_tracing_start 0 42\npreserve 0\n");
    module_expect(r, ORMA_TABLE_METADATA, "name int_value", "tracing_started_ns 42\n");
    module_free(r);
}

/* session 3:  10 CONFIGURED  20 STARTED  50 DISABLED */
Test(module_trace, other_sessions_are_states_until_they_are_disabled)
{
    static const struct {
        int64_t ts;
        uint64_t state;
    } events[] = {{10, ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_CONFIGURED},
                  {20, ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_STARTED},
                  {30, 99},
                  {50, ORMA_PB_CONCURRENT_SESSION_EVENT_STATE_DISABLED}};
    struct module *r = module_new(&orma_trace_module, importers);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(events); i++)
        module_packet(r, &orma_trace_sessions_importer,
                      ORMA_PB_TRACE_PACKET_CONCURRENT_SESSION_EVENT, events[i].ts,
                      MSG(NUM(ORMA_PB_CONCURRENT_SESSION_EVENT_SESSION_ID, 3),
                          NUM(ORMA_PB_CONCURRENT_SESSION_EVENT_STATE, events[i].state)));
    module_expect(r, ORMA_TABLE_STATE, "ts dur value track_id.name",
                  "10 10 CONFIGURED 'Session 3'\n"
                  "20 30 STARTED 'Session 3'\n"
                  "50 0 DISABLED 'Session 3'\n");
    cr_assert_eq(module_stat(r, CONCURRENT_SESSION_EVENT_UNKNOWN_STATE), 1);
    module_free(r);
}

static void stats(struct module *r, uint64_t emitted, uint64_t delivered, uint64_t dropped)
{
    module_early(r, &orma_trace_trace_stats_importer, ORMA_PB_TRACE_PACKET_TRACE_STATS, 0,
                 MSG(NUM(ORMA_PB_TRACE_STATS_PRODUCERS_SEEN, 2),
                     SUB(ORMA_PB_TRACE_STATS_BUFFER_STATS,
                         NUM(ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_WRITTEN, 10)),
                     SUB(ORMA_PB_TRACE_STATS_BUFFER_STATS,
                         NUM(ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_WRITTEN, 20)),
                     SUB(ORMA_TRACE_STATS_SEQUENCE_COUNTS, NUM(ORMA_COUNTS_SEQUENCE_ID, 4),
                         NUM(ORMA_COUNTS_WRITER_ID, 9), NUM(ORMA_COUNTS_EMITTED, emitted),
                         NUM(ORMA_COUNTS_DELIVERED, delivered),
                         NUM(orma_loss_words[ORMA_LOST_DROPPED].field, dropped))));
}

Test(module_trace, the_last_statistics_replace_those_before)
{
    struct module *r = module_new(&orma_trace_module, importers);

    stats(r, 5, 5, 0);
    stats(r, 9, 7, 2);
    orma_trace_ledger_finish(&r->ctx);
    cr_assert_eq(module_stat(r, TRACED_PRODUCERS_SEEN), 2);
    for (int32_t i = 0; i < 2; i++)
        cr_assert_eq(*orma_stats_at(&r->storage.stats[0], ORMA_STAT_TRACED_BUF_BYTES_WRITTEN, i),
                     10 * (i + 1));
    module_expect(r, ORMA_TABLE_LOSS, "sequence_id writer_id reason packets",
                  "4 9 emitted 9\n"
                  "4 9 delivered 7\n"
                  "4 9 dropped 2\n");
    module_free(r);
}

Test(module_trace, a_ledger_that_nobody_closed_says_so)
{
    static const struct {
        const char *what;
        bool config, stats;
        uint64_t emitted, delivered, dropped;
        bool unreported;
    } cases[] = {
        {"no service wrote it", false, false, 0, 0, 0, false},
        {"no statistics at all", true, false, 0, 0, 0, true},
        {"all is accounted for", true, true, 9, 7, 2, false},
        {"more was delivered than emitted", true, true, 5, 9, 0, false},
        {"a packet is still in a buffer", true, true, 9, 7, 1, true},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct module *r = module_new(&orma_trace_module, importers);

        if (cases[i].config)
            orma_trace_ledger_expect(&r->ctx, false);
        if (cases[i].stats)
            stats(r, cases[i].emitted, cases[i].delivered, cases[i].dropped);
        uint32_t rows = orma_model_table(&r->model, ORMA_TABLE_LOSS)->rows;
        orma_trace_ledger_finish(&r->ctx);
        cr_assert_eq(orma_model_table(&r->model, ORMA_TABLE_LOSS)->rows, rows + cases[i].unreported,
                     "%s", cases[i].what);
        module_free(r);
    }
}

/* Others than ours write statistics now and then: their last words are that all was read. */
Test(module_trace, a_file_that_was_written_meanwhile_may_end_anywhere)
{
    enum { NEVER = ORMA_TRACE_LEDGER_CLONED + 1 };
    static const struct {
        const char *what;
        bool into_file;
        unsigned phases[3];
        bool unreported;
    } cases[] = {
        {"cut in the middle", true, {ORMA_TRACE_LEDGER_STARTED, NEVER, NEVER}, true},
        {"read now and then",
         true,
         {ORMA_TRACE_LEDGER_STARTED, ORMA_TRACE_LEDGER_READ, NEVER},
         true},
        {"cut before the last data",
         true,
         {ORMA_TRACE_LEDGER_STARTED, ORMA_TRACE_LEDGER_READ, ORMA_TRACE_LEDGER_DISABLED},
         true},
        {"whole",
         true,
         {ORMA_TRACE_LEDGER_STARTED, ORMA_TRACE_LEDGER_DISABLED, ORMA_TRACE_LEDGER_READ},
         false},
        {"a snapshot", true, {ORMA_TRACE_LEDGER_STARTED, ORMA_TRACE_LEDGER_CLONED, NEVER}, false},
        {"of a service that says nothing", true, {NEVER, NEVER, NEVER}, false},
        {"written at the end", false, {ORMA_TRACE_LEDGER_STARTED, NEVER, NEVER}, false},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct module *r = module_new(&orma_trace_module, importers);

        orma_trace_ledger_expect(&r->ctx, cases[i].into_file);
        orma_trace_ledger_begin(&r->ctx);
        for (unsigned k = 0; k < ORMA_ARRAY_LEN(cases[i].phases); k++)
            if (cases[i].phases[k] != NEVER)
                orma_trace_ledger_phase(&r->ctx, (enum orma_trace_ledger_phase)cases[i].phases[k]);
        orma_trace_ledger_finish(&r->ctx);
        cr_assert_eq(orma_model_table(&r->model, ORMA_TABLE_LOSS)->rows, cases[i].unreported, "%s",
                     cases[i].what);
        module_free(r);
    }
}
