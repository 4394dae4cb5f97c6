#include "tools/load/machines.h"

#include <inttypes.h>
#include <stdint.h>

#include "tools/base/units.h"

/* Nearer to each other, two rounds say nothing about how clocks drift. */
#define DRIFT_NS_MIN 1000000000

/*
 * Of each machine the first round and the last, and where bounds of two rounds that follow each
 * other are further apart than clocks drift (1000 ppm: twice of what NTP does): it was set, or its
 * machine was suspended.
 */
static const char sql[] =
    "WITH step AS (SELECT machine_id, ahead_min, ahead_max, host_ns, "
    "lag(host_ns) OVER w AS before_ns, lag(ahead_min) OVER w AS before_min, "
    "lag(ahead_max) OVER w AS before_max FROM clock_round "
    "WINDOW w AS (PARTITION BY machine_id ORDER BY host_ns, id)), "
    "jump AS (SELECT machine_id, max(ahead_max - before_min, before_max - ahead_min) AS ns "
    "FROM step WHERE max(ahead_min - before_max, before_min - ahead_max) > "
    "(host_ns - before_ns) / 1000) "
    "SELECT coalesce(m.name, m.id), l.host_ns, l.ahead, "
    "max(l.ahead_max - l.ahead, l.ahead - l.ahead_min), f.host_ns, f.ahead, "
    "max(f.ahead_max - f.ahead, f.ahead - f.ahead_min), "
    "(SELECT count(*) FROM jump WHERE machine_id = m.id), "
    "(SELECT max(ns) FROM jump WHERE machine_id = m.id) "
    "FROM machine m JOIN clock_round l ON l.id = (SELECT id FROM clock_round WHERE machine_id = "
    "m.id ORDER BY host_ns DESC LIMIT 1) JOIN clock_round f ON f.id = (SELECT id FROM "
    "clock_round WHERE machine_id = m.id ORDER BY host_ns LIMIT 1) ORDER BY m.id";

static void print_drift(struct orma_query *q, FILE *out)
{
    double ns = (double)orma_query_int64(q, 1) - (double)orma_query_int64(q, 4);
    double change = (double)orma_query_int64(q, 2) - (double)orma_query_int64(q, 5);
    double wrong = (double)orma_query_int64(q, 3) + (double)orma_query_int64(q, 6);

    if (ns >= DRIFT_NS_MIN)
        fprintf(out, "; it gains %.1f ppm, give or take %.1f", change / ns * 1e6, wrong / ns * 1e6);
}

/* A jump is seen when the next round comes, and readers follow it slowly if it went back. */
static void print_jumps(struct orma_query *q, int64_t jumps, FILE *out)
{
    char most[ORMA_UNITS_TEXT_MAX];

    fprintf(out,
            ". It jumped %" PRId64 " time%s, as when a machine is suspended or its clock is set: times "
            "of its events around that may be wrong by as much, up to %s (table clock_round)",
            jumps, jumps == 1 ? "" : "s",
            orma_units_format_duration((uint64_t)orma_query_int64(q, 8), most));
}

unsigned orma_load_print_clocks(struct orma_processor *tp, FILE *out)
{
    char offset[ORMA_UNITS_TEXT_MAX], wrong[ORMA_UNITS_TEXT_MAX];
    struct orma_query *q;
    const char *rest;
    unsigned num = 0;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, &rest) != 0)
        return 0;
    for (; orma_query_step(q) == 1; num++) {
        int64_t ahead = orma_query_int64(q, 2);

        int64_t jumps = orma_query_int64(q, 7);

        fprintf(out, "The clock of machine '%s' was %s %s%s; that is wrong by at most %s",
                orma_query_text(q, 0),
                orma_units_format_duration(ahead < 0 ? -(uint64_t)ahead : (uint64_t)ahead, offset),
                ahead < 0 ? "behind" : "ahead", jumps ? " at the end" : "",
                orma_units_format_duration((uint64_t)orma_query_int64(q, 3), wrong));
        if (jumps)
            print_jumps(q, jumps, out);
        else
            print_drift(q, out);
        fputs(".\n", out);
    }
    orma_query_free(q);
    return num;
}
