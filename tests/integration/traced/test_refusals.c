/* Configs that are refused, each with its text; and the same one step inside the limit, which is
 * not. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/ipc.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"
#include "traced/config/config.h"

struct refusal {
    const char *config, *error; /* error NULL: it is taken */
};

#define ZERO "a string in the config (a path or a name) contains a zero byte"
#define BUFFER "buffers { size_kb: 64 } "

static const struct refusal cases[] = {
    {BUFFER, NULL},
    {BUFFER "duration_ms: 604800000", NULL},
    {BUFFER "duration_ms: 604800001", "Requested too long trace (604800001ms  > 604800000 ms)"},
    {BUFFER "enable_extra_guardrails: true duration_ms: 86400001", "Requested too long trace"},
    {BUFFER "trigger_config { trigger_mode: START_TRACING triggers { name: 't' } }",
     "must provide a positive trigger_timeout_ms"},
    {BUFFER "trigger_config { trigger_mode: STOP_TRACING triggers { name: 't' } "
            "trigger_timeout_ms: 604800001 }",
     "must provide a positive trigger_timeout_ms"},
    {BUFFER "duration_ms: 5 trigger_config { trigger_mode: STOP_TRACING triggers { name: 't' } "
            "trigger_timeout_ms: 5 }",
     "duration_ms was set, this must not be set for traces with triggers."},
    {BUFFER "trigger_config { trigger_mode: START_TRACING use_clone_snapshot_if_available: true "
            "triggers { name: 't' } trigger_timeout_ms: 5 }",
     "trigger_mode must be STOP_TRACING when use_clone_snapshot_if_available=true"},
    {BUFFER "trigger_config { trigger_mode: STOP_TRACING triggers { name: 't' } "
            "triggers { name: 't' } trigger_timeout_ms: 5000 }",
     "Duplicate trigger name: t"},
    {BUFFER "write_into_file: true output_path: '/nowhere/x' trigger_config { trigger_mode: "
            "CLONE_SNAPSHOT triggers { name: 't' } trigger_timeout_ms: 5000 }",
     "write_into_file together is unsupported"},
    {BUFFER "bugreport_filename: 'a/b'", "bugreport_filename contains invalid chars"},
    {BUFFER "bugreport_filename: 'a-b_c.d'", NULL},
    {BUFFER "enable_extra_guardrails: true deferred_start: true",
     "deferred_start=true is not supported in unsupervised traces"},
    {"buffers { size_kb: 66 } enable_extra_guardrails: true", "is not a multiple of 4 kB"},
    {"buffers { size_kb: 131076 } enable_extra_guardrails: true",
     "Requested too large trace buffer (131076kB  > 131072 kB)"},
    {"buffers { size_kb: 131076 } enable_extra_guardrails: true unique_session_name: 'large' "
     "guardrail_overrides { max_tracing_buffer_size_kb: 200000 }",
     NULL},
    {"buffers { size_kb: 64 name: 'a' } buffers { size_kb: 64 name: 'a' }",
     "Duplicate buffer name \"a\" at index 1 (first occurrence at index 0)"},
    {BUFFER "data_sources { config { name: 'x' target_buffer: 1 } }",
     "specified an out of bounds target_buffer (1 >= 1)"},
    {BUFFER "data_sources { config { name: 'x' target_buffer_name: 'b' } }",
     "which does not match any buffer"},
    {"buffers { size_kb: 64 } buffers { size_kb: 64 name: 'b' } "
     "data_sources { config { name: 'x' target_buffer: 1 target_buffer_name: 'b' } }",
     NULL},
    {"buffers { size_kb: 64 name: 'b' } buffers { size_kb: 64 } "
     "data_sources { config { name: 'x' target_buffer: 1 target_buffer_name: 'b' } }",
     "which do not match"},
    {BUFFER "data_sources { config { name: 'x' } producer_name_regex_filter: '(' }",
     "Data source \"x\" has an invalid regular expression \"(\": missing closing parenthesis"},
    {BUFFER "data_sources { config { name: 'x' } producer_name_regex_filter: '(a|b)+' }", NULL},
    {BUFFER "trigger_config { trigger_mode: STOP_TRACING triggers { name: 't' producer_name_regex: "
            "'a{' } triggers { name: 'u' producer_name_regex: '[' } trigger_timeout_ms: 5000 }",
     "Trigger \"u\" has an invalid regular expression \"[\": missing terminating ]"},
    {BUFFER "trace_filter { bytecode: 'x' }", "Trace filter bytecode invalid"},
    {BUFFER "write_into_file: true", "either a FD needs to be passed or output_path"},
    {BUFFER "write_into_file: true output_path: '/nowhere/x'", "Failed to create the trace file"},
    {BUFFER "write_into_file: true output_path: '/tmp/orma-must-not-exist\\000.pftrace'", ZERO},
    {BUFFER "unique_session_name: 'a\\000'", ZERO},
    {BUFFER "data_sources { config { name: 'track_event\\000x' } }", ZERO},
    {BUFFER "data_sources { producer_name_filter: '\\000' }", ZERO},
    {BUFFER "data_sources { config { ftrace_config { atrace_apps: 'a\\000b' } } }", ZERO},
    {BUFFER "trigger_config { triggers { name: 't\\000' } }", ZERO},
    {BUFFER "data_sources { config { legacy_config: 'a\\000b' } }", ZERO},
    {"buffers { size_kb: 0 }", "Invalid buffer sizes"},
    {"buffers { size_kb: 4194304 }", "Invalid buffer sizes"},
    {"buffers { size_kb: 4194303 }", NULL}, /* nothing of it is touched */
};

static void encode(const char *text, struct orma_buf *ret)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_buf error = {0};
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig"));

    struct orma_text_parse opts = {.error = &error};

    cr_assert_eq(orma_text_parse(schema, msg, orma_str_from(text), &opts, ret), 0, "%s: %s", text,
                 orma_buf_cstr(&error));
    orma_buf_fini(&error);
}

/* Enables; the error, "" if it was taken. */
static const char *try_config(struct fixture *s, const struct orma_buf *config)
{
    rig_reply_fini(&s->enabled);
    s->enabled = (struct rig_reply){0};
    rig_enable(s->consumer, config, -1, &s->enabled);
    cr_assert(rig_ok(s->consumer, "FreeBuffers", NULL));
    return s->enabled.done ? fixture_error(s) : "";
}

Test(traced_refusals, each_with_its_text)
{
    struct fixture s;

    fixture_init(&s, false);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf config = {0};

        encode(cases[i].config, &config);
        const char *error = try_config(&s, &config);
        if (cases[i].error)
            cr_assert(strstr(error, cases[i].error), "%s\n  gives: %s", cases[i].config, error);
        else
            cr_assert_str_eq(error, "", "%s\n  gives: %s", cases[i].config, error);
        orma_buf_fini(&config);
        orma_ipc_client_forget(s.consumer, &s.enabled);
    }
    fixture_fini(&s);
}

/* ---- how much there may be ---- */

/* A config with so many of a field, each another. */
static void repeat(const char *field, uint32_t num, struct orma_buf *ret)
{
    static const struct {
        const char *field, *before, *item, *after;
    } texts[] = {
        {"data_sources", "", "data_sources { config { name: 'x%u' } } ", ""},
        {"data_sources.producer_name_filter", "data_sources { config { name: 'x' } ",
         "producer_name_filter: 'p%u' ", "}"},
        {"data_sources.producer_name_regex_filter", "data_sources { config { name: 'x' } ",
         "producer_name_regex_filter: 'p' # %u\n", "}"},
        {"data_sources.machine_name_filter", "data_sources { config { name: 'x' } ",
         "machine_name_filter: 'm%u' ", "}"},
        {"trigger_config.triggers",
         "trigger_config { trigger_mode: STOP_TRACING trigger_timeout_ms: 60000 ",
         "triggers { name: 't%u' } ", "}"},
        {"session_semaphores", "", "session_semaphores { name: 's%u' } ", ""},
    };
    struct orma_buf text = {0};
    bool known = false;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        if (strcmp(texts[i].field, field))
            continue;
        known = true;
        orma_buf_printf(&text, BUFFER "%s", texts[i].before);
        for (uint32_t k = 0; k < num; k++) {
            char item[96];

            snprintf(item, sizeof(item), texts[i].item, k);
            orma_buf_put_str(&text, item);
        }
        orma_buf_put_str(&text, texts[i].after);
    }
    cr_assert(known, "%s has no text here", field);
    encode(orma_buf_cstr(&text), ret);
    orma_buf_fini(&text);
}

/* The table of the manual has the limit and the words. */
static void expect_documented(const char *manual, const struct traced_config_limit *l)
{
    char row[256];

    snprintf(row, sizeof(row), "| `%s` | %u | `Too many %s (%u): the limit is %u` |", l->field,
             l->max, l->field, l->max + 1, l->max);
    cr_assert(strstr(manual, row), "docs/service.md lacks the row\n%s", row);
}

Test(traced_refusals, more_than_the_limits_of_the_manual)
{
    struct fixture s;
    struct orma_buf manual = {0};

    cr_assert_eq(orma_fd_read_file(AT_FDCWD, MANUAL, 1 << 20, &manual), 0);
    fixture_init(&s, false);
    for (const struct traced_config_limit *l = traced_config_limits; l->field; l++) {
        struct orma_buf config = {0};
        char text[128];

        expect_documented(orma_buf_cstr(&manual), l);
        repeat(l->field, l->max, &config);
        cr_assert_str_eq(try_config(&s, &config), "", "%s", l->field);
        orma_ipc_client_forget(s.consumer, &s.enabled);
        orma_buf_clear(&config);
        repeat(l->field, l->max + 1, &config);
        snprintf(text, sizeof(text), "Too many %s (%u): the limit is %u", l->field, l->max + 1,
                 l->max);
        cr_assert_str_eq(try_config(&s, &config), text);
        orma_ipc_client_forget(s.consumer, &s.enabled);
        orma_buf_fini(&config);
    }
    orma_buf_fini(&manual);
    fixture_fini(&s);
}

Test(traced_refusals, the_129th_buffer)
{
    struct fixture s;
    struct orma_buf config = {0};

    fixture_init(&s, false);
    for (int i = 0; i < 128; i++)
        rig_config_buffer(&config, 4, 1);
    cr_assert_str_eq(try_config(&s, &config), "");
    orma_ipc_client_forget(s.consumer, &s.enabled);
    rig_config_buffer(&config, 4, 1);
    cr_assert_str_eq(try_config(&s, &config), "Too many buffers configured (129)");
    orma_buf_fini(&config);
    fixture_fini(&s);
}

/* Config of a second session, while one of `first` is there. */
static void beside(const char *first, const char *second, const char *error)
{
    struct fixture s;
    struct orma_buf config = {0}, other_config = {0};
    struct rig_reply end = {0};

    fixture_init(&s, false);
    struct orma_ipc_client *other = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    encode(first, &other_config);
    rig_enable(other, &other_config, -1, &end);
    cr_assert(rig_ok(other, "GetTraceStats", NULL), "%s", first);
    encode(second, &config);
    const char *got = try_config(&s, &config);
    if (error)
        cr_assert(strstr(got, error), "%s beside %s gives: %s", second, first, got);
    else
        cr_assert_str_eq(got, "", "%s beside %s", second, first);
    orma_ipc_client_forget(s.consumer, &s.enabled);
    orma_ipc_client_free(other);
    rig_reply_fini(&end);
    orma_buf_fini(&config);
    orma_buf_fini(&other_config);
    fixture_fini(&s);
}

Test(traced_refusals, names_priorities_and_semaphores_of_other_sessions)
{
    beside(BUFFER "unique_session_name: 'n'", BUFFER "unique_session_name: 'n'",
           "A trace with this unique session name (n) already exists");
    beside(BUFFER "unique_session_name: 'n'", BUFFER "unique_session_name: 'm'", NULL);
    beside(BUFFER "exclusive_prio: 5", BUFFER, "priority 5 >= requested priority 0");
    beside(BUFFER "exclusive_prio: 5", BUFFER "exclusive_prio: 5", "is already active");
    beside(BUFFER "exclusive_prio: 5", BUFFER "exclusive_prio: 6", NULL);
    beside(BUFFER, BUFFER "exclusive_prio: 1", NULL);
    beside(BUFFER "session_semaphores { name: 's' max_other_session_count: 0 }",
           BUFFER "session_semaphores { name: 's' max_other_session_count: 9 }",
           "exceeds maximum allowed other session count");
    beside(BUFFER "session_semaphores { name: 's' max_other_session_count: 1 }",
           BUFFER "session_semaphores { name: 's' max_other_session_count: 1 }", NULL);
    beside(BUFFER "session_semaphores { name: 's' max_other_session_count: 0 }",
           BUFFER "session_semaphores { name: 'other' max_other_session_count: 0 }", NULL);
    beside(BUFFER "enable_extra_guardrails: true unique_session_name: 'n'",
           BUFFER "enable_extra_guardrails: true", NULL);
}

/* Within 300 s a guarded session of the same name may not come again, also if the first is gone. */
Test(traced_refusals, guarded_sessions_do_not_follow_each_other)
{
    struct fixture s;
    struct orma_buf config = {0};

    fixture_init(&s, false);
    encode(BUFFER "enable_extra_guardrails: true unique_session_name: 'n'", &config);
    cr_assert_str_eq(try_config(&s, &config), "");
    orma_ipc_client_forget(s.consumer, &s.enabled);
    const char *error = try_config(&s, &config);
    cr_assert(strstr(error, "\"n\" began less than 300s ago"), "%s", error);
    orma_buf_fini(&config);
    fixture_fini(&s);
}
