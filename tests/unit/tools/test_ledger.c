#include <criterion/criterion.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "protos/loss.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tools/base/ledger.h"

Test(loss, prefers_packets_to_chunks)
{
    struct orma_buf b = {0};
    struct orma_ledger loss;
    char text[ORMA_LEDGER_TEXT_MAX];

    size_t m = orma_pb_begin(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_OVERWRITTEN, 3);
    orma_pb_end(&b, m);
    orma_ledger_read(orma_buf_str(&b), 0, &loss);
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "lost 3 chunks (3 overwritten)");

    m = orma_pb_begin(&b, 90001);
    orma_pb_put_u64(&b, 6, 100);
    orma_pb_put_u64(&b, 7, 2);
    orma_pb_put_u64(&b, 8, 40);
    orma_pb_end(&b, m);
    orma_ledger_read(orma_buf_str(&b), 0, &loss);
    cr_assert_eq(orma_ledger_total(&loss), 42);
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "lost 42 packets (2 dropped, 40 overwritten)");
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(loss, sums_of_lies_do_not_come_out_small)
{
    struct orma_buf b = {0};
    struct orma_ledger loss;
    char text[ORMA_LEDGER_TEXT_MAX];

    for (unsigned writers = 0; writers < 4; writers++) {
        size_t m = orma_pb_begin(&b, 90001);
        orma_pb_put_u64(&b, 7, UINT64_MAX / 2 + 1);
        orma_pb_put_u64(&b, 8, UINT64_MAX / 2 + 1);
        orma_pb_end(&b, m);
    }
    orma_ledger_read(orma_buf_str(&b), 0, &loss);
    cr_assert_eq(orma_ledger_total(&loss), UINT64_MAX);
    cr_assert_not(orma_ledger_is_none(&loss));
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_eq(strncmp(text, "lost 18446744073709551615 packets (", 35), 0, "%s", text);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(loss, says_what_is_not_known)
{
    struct orma_buf b = {0};
    struct orma_ledger loss;
    char text[ORMA_LEDGER_TEXT_MAX];

    for (unsigned writers = 1; writers <= 2; writers++) {
        size_t m = orma_pb_begin(&b, 90001);
        orma_pb_put_u64(&b, 5, 10);
        orma_pb_put_u64(&b, 6, 10);
        orma_pb_put_u64(&b, 13, 1);
        orma_pb_end(&b, m);
        orma_ledger_read(orma_buf_str(&b), 0, &loss);
        orma_ledger_format(&loss, text, sizeof(text));
        cr_assert_eq(orma_ledger_total(&loss), 0);
        cr_assert_str_eq(text,
                         writers == 1
                             ? "what was lost is not known: 1 writer ended without its last report"
                             : "what was lost is not known: 2 writers ended without their last "
                               "report");
        cr_assert_not(orma_ledger_is_none(&loss));
    }
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

/* In place of so many sequences that their parts would not fit. */
Test(loss, a_sum_counts_how_many_did_not_report)
{
    struct orma_buf b = {0};
    struct orma_ledger loss;
    char text[ORMA_LEDGER_TEXT_MAX];

    size_t sum = orma_pb_begin(&b, ORMA_PB_TRACE_STATS_ORMA_SEQUENCE_COUNTS);
    orma_pb_put_u64(&b, ORMA_PB_ORMA_SEQUENCE_COUNTS_DISCARDED, 12);
    orma_pb_put_u64(&b, ORMA_PB_ORMA_SEQUENCE_COUNTS_UNREPORTED, 20000);
    orma_pb_end(&b, sum);
    orma_ledger_read(orma_buf_str(&b), 0, &loss);
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(
        text,
        "lost at least 12 packets (12 discarded): 20000 writers ended without their last report");
    orma_buf_fini(&b);
}

Test(loss, nothing_is_nothing_and_garbage_too)
{
    struct orma_ledger loss;
    char text[ORMA_LEDGER_TEXT_MAX];

    orma_ledger_read(ORMA_STR("\x0a\xff\xff"), 0, &loss);
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "no loss was counted");
    loss.has_ledger = true;
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "nothing lost");
}

Test(loss, knows_how_full_the_buffers_are)
{
    struct orma_buf b = {0};
    struct orma_ledger loss;

    size_t m = orma_pb_begin(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BUFFER_SIZE, 1000);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_WRITTEN, 900);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_READ, 300);
    orma_pb_end(&b, m);
    m = orma_pb_begin(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS); /* counts that cannot be */
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BUFFER_SIZE, 1000);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_OVERWRITTEN, 5);
    orma_pb_end(&b, m);
    orma_ledger_read(orma_buf_str(&b), 0, &loss);
    cr_assert_eq(loss.buffer_bytes, 2000);
    cr_assert_eq(loss.buffer_used, 600);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(loss, a_ring_loses_nothing_by_what_it_was_told_to_overwrite)
{
    struct orma_ledger loss = {.has_ledger = true, .ring = true};
    char text[ORMA_LEDGER_TEXT_MAX];

    loss.lost[ORMA_LOST_OVERWRITTEN] = 40;
    cr_assert_eq(orma_ledger_total(&loss), 0);
    cr_assert_eq(orma_ledger_aged_out(&loss), 40);
    cr_assert(orma_ledger_is_none(&loss));
    loss.lost[ORMA_LOST_DROPPED] = 1;
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "lost 1 packet (1 dropped)");
}

Test(loss, what_nobody_counted_is_not_nothing)
{
    struct orma_ledger loss = {.has_ledger = true, .unknown = "no report", .unreported = 1};
    char text[ORMA_LEDGER_TEXT_MAX];

    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "what was lost is not known: no report; 1 writer ended without its last "
                           "report");
    cr_assert_not(orma_ledger_is_none(&loss));
    loss.lost[ORMA_LOST_CUT] = 3;
    loss.kernel_overrun = 7;
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "lost at least 3 packets (3 cut), 7 kernel events overrun: no report; 1 "
                           "writer ended without its last report");
    orma_ledger_format(&loss, text, 10); /* cut, not overrun */
    cr_assert_str_eq(text, "lost at l");
}

Test(loss, every_reason_has_a_word_a_text_and_a_field_of_its_own)
{
    for (unsigned i = 0; i < ORMA_LOST_REASONS; i++) {
        const struct orma_loss_word *word = &orma_loss_words[i];

        cr_assert(word->name && word->text && word->field, "%u", i);
        cr_assert_eq(orma_loss_of_field(word->field), i);
        cr_assert_eq(orma_ledger_of_name(word->name), i);
    }
    cr_assert_eq(orma_ledger_of_name("emitted"), ORMA_LOST_REASONS);
}

static void put_incident(struct orma_buf *out, const struct orma_incident *incident)
{
    orma_incident_put(out, ORMA_PB_TRACE_STATS_ORMA_INCIDENTS, incident);
}

Test(loss, incidents_are_part_of_the_sentence)
{
    const uint64_t second = 1000000000;
    struct orma_buf b = {0};
    struct orma_ledger loss;
    char text[ORMA_LEDGER_TEXT_MAX];

    put_incident(&b, &(struct orma_incident){.kind = ORMA_PB_ORMA_INCIDENT_CHANGED,
                                             .what = ORMA_STR("tracing_on: 1 -> 0"),
                                             .from_ns = 11 * second,
                                             .until_ns = 13 * second});
    orma_ledger_read(orma_buf_str(&b), 10 * second, &loss);
    cr_assert_not(orma_ledger_is_none(&loss));
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "incomplete: another program changed the kernel's tracer between 1.00 s "
                           "and 3.00 s of the recording (tracing_on: 1 -> 0): kernel events may be "
                           "missing since then");

    put_incident(&b, &(struct orma_incident){.kind = ORMA_PB_ORMA_INCIDENT_SILENT,
                                             .pid = 7,
                                             .producer = ORMA_STR("a\nb"),
                                             .from_ns = 13 * second,
                                             .until_ns = 18 * second});
    orma_ledger_read(orma_buf_str(&b), 0, &loss);
    loss.perf_lost = 1;
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert(strstr(text, "lost at least 1 record of perf overrun: another program changed the "
                           "kernel's tracer (tracing_on"));
    cr_assert(strstr(text, "; 'a?b' (pid 7) did not answer for 5.0 s at the end"), "%s", text);

    put_incident(&b, &(struct orma_incident){.kind = ORMA_PB_ORMA_INCIDENT_SILENT,
                                             .pid = 8,
                                             .producer = ORMA_STR("probes"),
                                             .from_ns = 13 * second,
                                             .until_ns = 13 * second + 20000000});
    orma_ledger_read(orma_buf_str(&b), 0, &loss);
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert(strstr(text, "; 'probes' (pid 8) was not waited for at the end: what it wrote last "
                           "may be missing"),
              "%s", text);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(loss, more_incidents_than_fit_are_cut_between_two)
{
    struct orma_ledger loss = {.has_ledger = true};
    char text[ORMA_LEDGER_TEXT_MAX];

    for (unsigned i = 0; i < 1000; i++)
        orma_ledger_add_incident(&loss, ORMA_STR("this happened"), ORMA_PB_ORMA_INCIDENT_CHANGED);
    orma_ledger_add_incident(&loss, ORMA_STR("x"), ORMA_PB_ORMA_INCIDENT_CHANGED);
    cr_assert_eq(loss.incidents_num, 1001);
    orma_ledger_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text + strlen(text) - strlen("this happened..."), "this happened...");
}

Test(loss, every_incident_has_a_name_of_its_own_and_words)
{
    for (uint32_t kind = 1; kind <= ORMA_PB_ORMA_INCIDENT_UNWATCHED; kind++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

        cr_assert_eq(orma_incident_of_name(orma_incident_name(kind)), kind);
        orma_incident_put_text(&text, &(struct orma_incident){.kind = kind}, 0);
        cr_assert_not(strstr(orma_buf_cstr(&text), "no words"), "%u", kind);
    }
    cr_assert_eq(orma_incident_of_name("overrun"), ORMA_PB_ORMA_INCIDENT_KIND_UNSPECIFIED);
}

Test(loss, statistics_have_the_words_of_one_and_of_many)
{
    static const struct {
        const char *name, *one, *many;
    } cases[] = {
        {"track_event_missing_sequence_id", "1 track event of no writer",
         "2 track events of no writer"},
        {"slice_negative_duration", "1 slice was left out: it ends before it begins",
         "2 slices were left out: they end before they begin"},
        {"misplaced_end_event", "1 end of slices that nothing began",
         "2 ends of slices that nothing began"},
        {"of_no_words", "1 of no words", "2 of no words"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct orma_buf text = {0};

        orma_loss_put_stat(&text, cases[i].name, NULL, 1);
        cr_assert_str_eq(orma_buf_cstr(&text), cases[i].one);
        orma_buf_clear(&text);
        orma_loss_put_stat(&text, cases[i].name, NULL, 2);
        cr_assert_str_eq(orma_buf_cstr(&text), cases[i].many);
        orma_buf_fini(&text);
    }
    orma_assert_no_leaks();
}
