/*
 * orma stats: what a trace holds, what was lost, and what could not be read.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "processor/serve/csv.h"
#include "tools/commands.h"
#include "tools/convert/load.h"
#include "tools/units.h"

enum { OPT_BRIEF = 1, OPT_ALL };

#define MISMATCHED "mismatched_sched_switch_tids"

static const struct orma_option options[] = {
    {OPT_BRIEF, 0, "brief", NULL, "Only one line: what was lost, or that nothing was."},
    {OPT_ALL, 'a', "all", NULL, "Every statistic that is not zero, not only the troubles."},
    {0},
};

/* One number from SQL; 0 if there is none. */
static int64_t number(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;
    const char *rest;
    int64_t val = 0;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, &rest) != 0)
        return 0;
    if (orma_query_step(q) == 1)
        val = orma_query_int64(q, 0);
    orma_query_free(q);
    return val;
}

static int64_t lost_packets(struct orma_processor *tp)
{
    return number(tp, "SELECT sum(packets) FROM loss WHERE reason NOT IN ('emitted', 'delivered')");
}

/* Writers whose connection was lost before they had said how much they dropped. */
static int64_t unreported_writers(struct orma_processor *tp)
{
    return number(tp, "SELECT count(*) FROM loss WHERE reason = 'unreported'");
}

static void print_unreported(int64_t writers)
{
    bool one = writers == 1;

    printf("%" PRId64 " writer%s ended without %s last report: what %s dropped is not known.\n",
           writers, one ? "" : "s", one ? "its" : "their", one ? "it" : "they");
}

/* Kernel events that were overrun, and chunks and markers where there is no ledger of packets. */
static int64_t lost_kernel_events(struct orma_processor *tp)
{
    return number(tp, "SELECT sum(value) FROM stats WHERE name IN "
                      "('ftrace_cpu_overrun_delta', 'ftrace_cpu_dropped_events_delta')");
}

/*
 * Switches that the kernel did not record, at least: where another thread leaves a cpu than the one
 * that was put on it last. In compact form only the states tell that whose end was not seen.
 */
static int64_t missing_switches(struct orma_processor *tp)
{
    int64_t ret = number(tp, "SELECT sum(value) FROM stats WHERE name = '" MISMATCHED "'");

    return ret ? ret
               : number(tp, "SELECT count(*) - count(DISTINCT utid) FROM thread_state "
                            "WHERE dur = -1");
}

/* Kinds of them. Switches that are missing are told in words of their own. */
static int64_t number_of(struct orma_processor *tp, const char *severity)
{
    char sql[200];

    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM stats WHERE severity = '%s' AND value > 0 "
             "AND name != '" MISMATCHED "'",
             severity);
    return number(tp, sql);
}

static void print_brief(struct orma_processor *tp)
{
    int64_t packets = lost_packets(tp), kernel = lost_kernel_events(tp);
    int64_t errors = number_of(tp, "error"), losses = number_of(tp, "data_loss");
    int64_t switches = missing_switches(tp), unreported = unreported_writers(tp);
    const char *sep = "Lost: ";

    if (!packets && !kernel && !errors && !losses && !switches && !unreported) {
        printf("Lost: nothing.\n");
        return;
    }
    if (packets) {
        printf("%s%" PRId64 " packets", sep, packets);
        sep = ", ";
    }
    if (kernel) {
        printf("%s%" PRId64 " kernel events", sep, kernel);
        sep = ", ";
    }
    if (switches) {
        printf("%s%" PRId64 " %s that the kernel did not record", sep, switches,
               switches == 1 ? "switch" : "switches");
        sep = ", ";
    }
    if ((losses || unreported) && !packets && !kernel) {
        printf("%sdata of unknown amount", sep);
        sep = ", ";
    }
    if (errors)
        printf("%s%" PRId64 " kinds of errors", sep[0] == 'L' ? "" : sep, errors);
    printf("; 'orma stats TRACE' tells more.\n");
}

static void print_contents(struct orma_processor *tp)
{
    static const struct {
        const char *what, *sql;
    } rows[] = {
        {"threads", "SELECT count(*) FROM thread"},
        {"processes", "SELECT count(*) FROM process"},
        {"times on a CPU", "SELECT count(*) FROM sched"},
        {"kernel events", "SELECT count(*) FROM ftrace_event"},
        {"slices", "SELECT count(*) FROM slice"},
        {"counter values", "SELECT count(*) FROM counter"},
    };
    char size[ORMA_UNITS_TEXT_MAX], duration[ORMA_UNITS_TEXT_MAX];
    int64_t span = number(tp, "SELECT end_ts - start_ts FROM trace_bounds");

    printf("%s, %s long. It holds:\n", orma_format_size(orma_processor_size(tp), size),
           orma_format_duration((uint64_t)(span > 0 ? span : 0), duration));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(rows); i++)
        printf("  %12" PRId64 "  %s\n", number(tp, rows[i].sql), rows[i].what);
}

static int print_ledger(struct orma_processor *tp)
{
    static const char sql[] =
        "SELECT coalesce(process_name, '-') AS process, coalesce(thread_name, '-') AS thread, "
        "reason, sum(packets) AS packets FROM loss "
        "WHERE reason NOT IN ('emitted', 'delivered') AND packets > 0 "
        "GROUP BY 1, 2, 3 ORDER BY packets DESC LIMIT 50";

    printf("\nPackets that were lost, by writer and reason:\n");
    return orma_print_query(tp, sql, SIZE_MAX, ORMA_PRINT_TABLE, stdout, NULL);
}

static int print_all(struct orma_processor *tp)
{
    static const char sql[] = "SELECT name, idx, severity, value FROM stats WHERE value != 0 ORDER "
                              "BY severity, name, idx";

    printf("\nAll statistics that are not zero:\n");
    return orma_print_query(tp, sql, SIZE_MAX, ORMA_PRINT_TABLE, stdout, NULL);
}

static int print_stats(struct orma_processor *tp, bool all)
{
    int64_t packets = lost_packets(tp), kernel = lost_kernel_events(tp);
    int64_t switches = missing_switches(tp), unreported = unreported_writers(tp);
    int r = 0;

    print_contents(tp);
    printf("\n");
    if (packets)
        printf("Lost: %" PRId64 " packets on their way to the file.\n", packets);
    if (kernel)
        printf("Lost: %" PRId64 " events in the kernel's own buffers.\n", kernel);
    if (switches)
        printf("%" PRId64 " %s missing in the kernel's own record%s: how long threads ran "
               "and waited near them is unknown (dur is -1 there).\n",
               switches, switches == 1 ? "switch is" : "switches are",
               kernel ? ", lost in its buffers or never written" : "");
    if (unreported)
        print_unreported(unreported);
    fflush(stdout);
    if (!orma_print_health(tp, stdout) && !packets && !kernel && !switches && !unreported)
        printf("Nothing was lost, and everything could be read.\n");
    if (packets)
        r = print_ledger(tp);
    return r == 0 && all ? print_all(tp) : r;
}

static int stats(const char *trace, bool brief, bool all)
{
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(NULL, &tp);

    if (r == 0)
        r = orma_load(tp, "orma stats", trace, ORMA_LOAD_PROGRESS, NULL);
    if (r < 0) {
        orma_processor_free(tp);
        return ORMA_EXIT_FAILURE;
    }
    if (brief)
        print_brief(tp);
    else
        r = print_stats(tp, all);
    if (r == 0 && fflush(stdout))
        r = -EIO;
    if (r == -EIO)
        fprintf(stderr, "orma stats: cannot write the result: %s\n", strerror(errno));
    else if (r < 0)
        fprintf(stderr, "orma stats: %s\n", orma_processor_error(tp));
    orma_processor_free(tp);
    return r == 0 ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_cli cli;
    const char *trace = NULL;
    bool brief = false, all = false;
    int id;

    orma_cli_init(&cli, self, "orma stats", argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_BRIEF:
            brief = true;
            break;
        case OPT_ALL:
            all = true;
            break;
        case ORMA_CLI_POSITIONAL:
            if (trace)
                return orma_cli_usage_error(&cli, "one TRACE at a time");
            trace = cli.value;
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        default:
            return ORMA_EXIT_USAGE;
        }
    }
    return trace ? stats(trace, brief, all)
                 : orma_cli_usage_error(&cli, "name a trace: orma stats TRACE");
}

const struct orma_command orma_cmd_stats = {
    .name = "stats",
    .summary = "Show what a trace holds, what was lost, what could not be read.",
    .synopsis = "[OPTIONS] TRACE",
    .details = "Losses are counted in packets, per writer and reason, where the trace was recorded "
               "by Orma: dropped for "
               "want of shared memory, overwritten in a ring, discarded by a full buffer, refused "
               "as invalid, never "
               "finished. The exit code is 0 even if something was lost.",
    .examples = "  orma stats trace.pftrace\n"
                "  orma stats --brief trace.pftrace\n",
    .options = options,
    .run = run,
};
