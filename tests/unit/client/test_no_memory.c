/* Memory that runs out anywhere: the host goes on, what is written can be read, and the counts
 * hold. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "orma/orma.h"
#include "sdk/base/fd.h"
#include "tests/support/alloc.h"
#include "tests/support/session.h"

#define STEPS_MAX 2000

ORMA_CATEGORY_DEFINE(poor, "poor", NULL, NULL);

static const struct orma_data_source_ops ops = {sizeof(ops), NULL, NULL, NULL, NULL, NULL};
static struct orma_data_source source = ORMA_DATA_SOURCE("poor.source", &ops, NULL);

static void emit(void)
{
    struct orma_track process = orma_track_process();
    struct orma_track named = orma_track_named("named", 0, &process);
    static char long_text[700];

    memset(long_text, 'x', sizeof(long_text) - 1);
    for (int i = 0; i < 4; i++) {
        ORMA_SLICE(poor, "slice", ORMA_ARG_INT("i", i), ORMA_ARG_STR("s", "text"));
        ORMA_INSTANT(poor, "", ORMA_DYNAMIC_NAME(long_text), ORMA_TRACK(&named));
        ORMA_COUNTER(poor, "counter", i);
        ORMA_INSTANT(poor, "nested", ORMA_ARG_DICT("d", ORMA_ARG_ARRAY("a", ORMA_ARG_INT("", i))));
    }
    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);

        orma_packet_bytes(p, 900, long_text, sizeof(long_text));
        (void)orma_ds_packet_end(p);
    }
}

static void check_file(int fd, const struct orma_recording_counts *c)
{
    struct orma_buf bytes = {0};
    struct orma_test_trace t;
    uint64_t packets = 0;

    cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fd, 1 << 24, &bytes), 0);
    orma_test_trace_parse(orma_buf_str(&bytes), &t);
    for (size_t i = 0; i < t.num; i++) {
        cr_assert_eq(t.seqs[i].te.errors, 0);
        packets += t.seqs[i].has_counts ? t.seqs[i].packets : 0;
    }
    cr_assert_leq(packets, c->written);
    orma_test_trace_fini(&t);
    orma_buf_fini(&bytes);
}

Test(no_memory, a_recording_fails_or_loses_but_never_lies)
{
    unsigned refused = 0, recorded = 0;
    long n = 0;

    cr_assert_eq(orma_data_source_register(&source), 0);
    for (; n < STEPS_MAX; n++) {
        struct orma_recording_args args = ORMA_RECORDING_ARGS;
        struct orma_recording_counts c;
        struct orma_recording *recording;
        FILE *file = tmpfile();

        cr_assert_not_null(file);
        args.fd = fileno(file);
        args.buffer_kb = 64;
        args.sources = "poor.source";
        orma_alloc_fail_after(n);
        int r = orma_recording_start(&args, &recording);
        if (r == 0) {
            emit();
            r = orma_recording_stop(recording, &c);
            bool failed = orma_alloc_has_failed();
            orma_alloc_fail_after(-1);
            cr_assert(r == 0 || r == -ENOMEM, "%d at %ld", r, n);
            cr_assert_eq(c.emitted, c.written + c.dropped + c.overwritten);
            recorded++;
            if (r == 0)
                check_file(args.fd, &c);
            fclose(file);
            if (!failed)
                break;
            continue;
        }
        orma_alloc_fail_after(-1);
        cr_assert_eq(r, -ENOMEM, "%d at %ld", r, n);
        refused++;
        fclose(file);
    }
    cr_assert_lt(n, STEPS_MAX);
    cr_assert_gt(refused, 3);
    cr_assert_gt(recorded, 3);
}
