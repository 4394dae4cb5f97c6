#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "protos/fields/config.h"
#include "protos/reflect/text.h"
#include "tests/support/leaks.h"
#include "tools/clients/perfetto_impl.h"
#include "tools/service/trace_config.h"

static uint32_t config_msg(void)
{
    return orma_schema_find_msg(orma_schema_default(), ORMA_STR("perfetto.protos.TraceConfig"));
}

static struct orma_buf encode(const char *text)
{
    struct orma_buf b = {0};

    cr_assert_eq(
        orma_text_parse(orma_schema_default(), config_msg(), orma_str_from(text), NULL, &b), 0,
        "%s", text);
    return b;
}

static struct orma_service_trace_config read_text(const char *text)
{
    struct orma_service_trace_config config_info;
    struct orma_buf b = encode(text);

    cr_assert_eq(orma_service_trace_config_read(orma_buf_str(&b), &config_info), 0);
    orma_buf_fini(&b);
    return config_info;
}

Test(trace_config, tells_what_a_client_must_know)
{
    struct orma_service_trace_config c =
        read_text("buffers { size_kb: 4 } duration_ms: 500 write_into_file: "
                  "true output_path: '/x' flush_timeout_ms: 7 "
                  "cmd_trace_start_delay { min_delay_ms: 3 max_delay_ms: "
                  "9 } trace_uuid_lsb: 1 statsd_logging: "
                  "STATSD_LOGGING_ENABLED");

    cr_assert(c.write_into_file && c.has_output_path && c.has_uuid && c.has_statsd_logging);
    cr_assert_eq(c.duration_ms, 500);
    cr_assert_eq(c.flush_timeout_ms, 7);
    cr_assert_eq(c.start_delay_min_ms, 3);
    cr_assert_eq(c.start_delay_max_ms, 9);
    cr_assert_eq(orma_service_trace_config_lifetime_ms(&c), 500);
    c = read_text("duration_ms: 1");
    cr_assert(!c.write_into_file && !c.has_output_path && !c.has_uuid && !c.has_statsd_logging);
    orma_assert_no_leaks();
}

Test(trace_config, lives_as_long_as_its_slowest_trigger)
{
    struct orma_service_trace_config c = read_text(
        "trigger_config { trigger_mode: START_TRACING trigger_timeout_ms: 1000 "
        "triggers { name: 'a' stop_delay_ms: 50 } triggers { name: 'b' stop_delay_ms: 20 } }");

    cr_assert_eq(c.trigger_mode, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_START_TRACING);
    cr_assert_eq(orma_service_trace_config_lifetime_ms(&c), 1050);
    orma_assert_no_leaks();
}

Test(trace_config, clones_instead_of_stopping_where_that_is_wished)
{
    struct orma_service_trace_config c = read_text(
        "trigger_config { use_clone_snapshot_if_available: true trigger_mode: STOP_TRACING }");

    cr_assert_eq(c.trigger_mode, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_CLONE_SNAPSHOT);
    orma_assert_no_leaks();
}

Test(trace_config, lists_the_triggers_to_fire)
{
    struct orma_buf b = encode("activate_triggers: 'one' duration_ms: 5 activate_triggers: 'two'");
    struct orma_str name;
    size_t at = 0;

    cr_assert(orma_service_trace_config_trigger(orma_buf_str(&b), &at, &name));
    cr_assert(orma_str_eq_c(name, "one"));
    cr_assert(orma_service_trace_config_trigger(orma_buf_str(&b), &at, &name));
    cr_assert(orma_str_eq_c(name, "two"));
    cr_assert(!orma_service_trace_config_trigger(orma_buf_str(&b), &at, &name));
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(trace_config, refuses_what_is_no_config)
{
    static const struct {
        const char *what, *bytes;
        size_t len;
        bool text;
    } cases[] = {
        {"text", "duration_ms: 1000\n", 18, true},
        {"text that begins like a message", "buffers { size_kb: 4 }", 22, true},
        {"a field cut short", "\x0a\x05\x08", 3, false},
        {"a message that is none", "\x0a\x02\x0f\x0f", 4, false},
        {"a number where a message belongs", "\x08\x01", 2, false},
        {"a message where a number belongs", "\x1a\x00", 2, false},
    };
    struct orma_service_trace_config config_info;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_str bytes = {cases[i].bytes, cases[i].len};

        cr_assert_eq(orma_service_trace_config_read(bytes, &config_info), -EBADMSG, "%s",
                     cases[i].what);
        cr_assert_eq(orma_service_config_is_text(bytes), cases[i].text, "%s", cases[i].what);
    }
    orma_assert_no_leaks();
}

Test(trace_config, accepts_fields_of_later_versions)
{
    struct orma_service_trace_config config_info;

    cr_assert_eq(orma_service_trace_config_read((struct orma_str){"\x18\x05\xc8\xf8\x06\x01", 6},
                                                &config_info),
                 0);
    cr_assert_eq(config_info.duration_ms, 5);
    orma_assert_no_leaks();
}

static void expect_light(struct orma_perfetto_args *args, const char *expected)
{
    struct orma_text_print opts = {.flags = ORMA_TEXT_ONE_LINE};
    struct orma_buf config = {0}, text = {0};

    orma_perfetto_put_light_config(&config, args);
    cr_assert_eq(
        orma_text_print(orma_schema_default(), config_msg(), config.data, config.len, &opts, &text),
        0);
    cr_assert_str_eq(orma_buf_cstr(&text), expected);
    orma_buf_fini(&config);
    orma_buf_fini(&text);
}

#define PROCESSES "data_sources { config { name: \"linux.process_stats\" target_buffer: 0 } } "
#define SYSTEM "data_sources { config { name: \"linux.system_info\" target_buffer: 0 } }"

Test(trace_config, is_made_from_the_light_form)
{
    struct orma_perfetto_args args = {.light_duration_ms = 2000};

    expect_light(
        &args,
        "buffers { size_kb: 32768 } duration_ms: 2000 flush_period_ms: 30000 " PROCESSES SYSTEM);
    args =
        (struct orma_perfetto_args){.light_buffer_bytes = 65536,
                                    .light_file_bytes = 1 << 20,
                                    .light_events = {{"sched", "irq/irq_handler_entry", "disk"}, 3},
                                    .light_apps = {{"com.x"}, 1}};
    expect_light(&args,
                 "buffers { size_kb: 64 } duration_ms: 0 flush_period_ms: 30000 "
                 "write_into_file: true max_file_size_bytes: 1048576 "
                 "data_sources { config { name: \"linux.ftrace\" target_buffer: 0 ftrace_config { "
                 "atrace_categories: \"sched\" ftrace_events: \"irq/irq_handler_entry\" "
                 "atrace_categories: \"disk\" atrace_apps: \"com.x\" symbolize_ksyms: true } } } "
                 "data_sources { config { name: \"linux.sys_stats\" target_buffer: 0 "
                 "sys_stats_config { diskstat_period_ms: 1000 } } } " PROCESSES SYSTEM);
    args = (struct orma_perfetto_args){.light_events = {{"hyp"}, 1}};
    expect_light(
        &args,
        "buffers { size_kb: 32768 } duration_ms: 0 flush_period_ms: 30000 "
        "data_sources { config { name: \"linux.ftrace\" target_buffer: 0 "
        "ftrace_config { ftrace_events: \"hyp/*\" instance_name: \"hyp\" } } } " PROCESSES SYSTEM);
    orma_assert_no_leaks();
}
