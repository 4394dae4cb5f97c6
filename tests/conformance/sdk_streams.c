/*
 * Streams of track events that another SDK wrote, read by the reader that our own
 * tests read ours with (tests/support/te_reader.h): what it accepts there, and
 * takes for a mistake here, would be a mistake of its own.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "tests/conformance/shared.h"
#include "tests/support/session.h"

/* In these nothing was lost, so nothing may be amiss. */
static const char *const whole[] = {
    "*/sdk_basic/*",          "*/sdk_all_event_kinds/*",
    "*/sdk_filters/*",        "*/sdk_incremental_clear/*",
    "*/sdk_thread_time_*",    "*/sdk_no_incremental_timestamps/*",
    "*/sdk_tiny_shm_stall/*", "*/sdk_absolute_clock_with_multiplier/*",
    "*/sdk_two_sessions/*",
};

struct sums {
    unsigned traces, errors;
    uint64_t events, tracks;
};

static bool is_whole(const char *path)
{
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        if (!fnmatch(whole[i], path, 0))
            return true;
    }
    return false;
}

static void visit(void *ctx, const char *path)
{
    struct sums *sums = ctx;
    struct orma_buf file = {0};
    struct orma_test_trace t;
    unsigned errors = 0;

    if (!is_whole(path))
        return;
    shared_read(path, &file);
    orma_test_trace_parse(orma_buf_str(&file), &t);
    for (size_t i = 0; i < t.num; i++) {
        errors += t.seqs[i].te.errors;
        sums->events += orma_te_reader_num(&t.seqs[i].te);
        sums->tracks += t.seqs[i].te.tracks.len;
    }
    if (errors)
        printf("%s: %u errors\n", path, errors);
    shared_verdict(path, !errors);
    sums->traces++;
    sums->errors += errors;
    orma_test_trace_fini(&t);
    orma_buf_fini(&file);
}

int main(void)
{
    struct sums sums = {0};

    (void)shared_each(shared_folder(), "*.pftrace", visit, &sums);
    printf("%u traces, %llu events, %u errors\n", sums.traces, (unsigned long long)sums.events,
           sums.errors);
    return !sums.traces || !sums.events || !sums.tracks ? 1 : 0;
}
