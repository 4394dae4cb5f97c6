/*
 * orma stats: what a trace holds, what was lost, and what could not be read.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "processor/export/csv.h"
#include "protos/loss.h"
#include "sdk/base/buf.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/load/cache.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/machines.h"
#include "tools/load/threads.h"

enum { OPT_BRIEF = 1, OPT_ALL, OPT_CACHE };

#define MISMATCHED "mismatched_sched_switch_tids"

static const struct orma_option options[] = {
    {OPT_BRIEF, 0, "brief", NULL, "Print one line only: what was lost, if anything."},
    {OPT_ALL, 'a', "all", NULL, "Show all statistics that are not zero, not only the problems."},
    ORMA_LOAD_CACHE_OPTION(OPT_CACHE),
    {0},
};

/* The sentence about losses, with a capital letter. */
static void print_loss(const struct orma_ledger *loss)
{
    char text[ORMA_LEDGER_TEXT_MAX];

    orma_ledger_format(loss, text, sizeof(text));
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
    fputs(text, stdout);
}

static void print_ring(struct orma_processor *tp, const struct orma_ledger *loss, const char *head)
{
    char kept[ORMA_UNITS_TEXT_MAX];
    uint64_t span = orma_load_span_ns(tp);

    if (orma_ledger_aged_out(loss) && span)
        printf("%s ring kept the newest %s", head, orma_units_format_duration(span, kept));
    else if (orma_ledger_aged_out(loss))
        printf("%s ring kept nothing that can be read: names and clocks that its data refer to "
               "were overwritten",
               head);
}

static void print_contents(struct orma_processor *tp)
{
    static const struct {
        const char *what, *sql;
    } rows[] = {
        /* The idle threads and their process are in every trace: as `orma report`, without them
         * unless something is on their tracks. */
        {"threads", "SELECT count(*) FROM thread WHERE NOT is_idle OR utid IN "
                    "(SELECT utid FROM thread_track)"},
        {"processes", "SELECT count(*) FROM process WHERE pid != 0 OR upid IN (SELECT upid FROM "
                      "process_track) OR upid IN (SELECT t.upid FROM thread AS t JOIN "
                      "thread_track AS k USING (utid))"},
        {"times on a CPU", "SELECT count(*) FROM sched"},
        {"kernel events", "SELECT count(*) FROM ftrace_event"},
        {"slices", "SELECT count(*) FROM slice"},
        {"counter values", "SELECT count(*) FROM counter"},
    };
    char size[ORMA_UNITS_TEXT_MAX], duration[ORMA_UNITS_TEXT_MAX];
    printf("%s, %s long. It holds:\n", orma_units_format_size(orma_processor_size(tp), size),
           orma_units_format_duration(orma_load_span_ns(tp), duration));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(rows); i++)
        printf("  %12" PRId64 "  %s\n", orma_load_number(tp, rows[i].sql), rows[i].what);
}

static int print_ledger(struct orma_processor *tp)
{
    static const char sql[] =
        "SELECT coalesce(process_name, '-') AS process, coalesce(thread_name, '-') AS thread, "
        "reason, CAST(total(packets) AS INTEGER) AS packets FROM loss "
        "WHERE reason NOT IN ('emitted', 'delivered') AND packets > 0 "
        "GROUP BY 1, 2, 3 ORDER BY packets DESC LIMIT 50";

    printf("\nPackets that were lost, by writer and reason:\n");
    return orma_print_query(tp, sql, SIZE_MAX, ORMA_PRINT_TABLE, stdout, NULL);
}

static int print_all(struct orma_processor *tp)
{
    /* What is counted is in the names; the rest are plain numbers of times. */
    static const char sql[] =
        "SELECT name, idx, severity, value, CASE "
        "WHEN name GLOB '*_ns' OR name GLOB '*duration*' OR name GLOB '*_ts_*' THEN 'ns' "
        "WHEN name GLOB '*_kb' THEN 'KiB' "
        "WHEN name GLOB '*bytes*' OR name GLOB '*buffer_size*' THEN 'bytes' "
        "WHEN name GLOB '*chunk*' THEN 'chunks' WHEN name GLOB '*packet*' THEN 'packets' "
        "WHEN name GLOB '*event*' THEN 'events' ELSE '' END AS unit "
        "FROM stats WHERE value != 0 ORDER BY severity, name, idx";

    printf("\nAll statistics that are not zero:\n");
    return orma_print_query(tp, sql, SIZE_MAX, ORMA_PRINT_TABLE, stdout, NULL);
}

/* What no person has to worry about, although it is counted as an error or a loss. */
static bool is_fine(void *ctx, const struct orma_processor_stat *stat)
{
    static const char *const of_rings[] = {
        "traced_buf_chunks_overwritten", "traced_buf_bytes_overwritten",
        "traced_buf_data_loss_overwrite", "traced_buf_sequence_packet_loss"};
    const struct orma_ledger *loss = ctx;

    if (!strcmp(stat->name, MISMATCHED)) /* told beside the losses */
        return true;
    if (orma_loss_is_harmless(stat->name, stat->idx))
        return true;
    for (size_t i = 0; orma_ledger_aged_out(loss) && i < ORMA_ARRAY_LEN(of_rings); i++) {
        if (!strcmp(stat->name, of_rings[i]))
            return !orma_ledger_total(loss);
    }
    return false;
}

#define UNRELATED "clock_sync_unrelatable_clock_domains"

/* One file, of perf: there is nothing that its clock could be related to. */
static bool is_alone(struct orma_processor *tp)
{
    return orma_load_number(tp, "SELECT coalesce(group_concat(trace_type), '') = 'perf' FROM "
                                "__intrinsic_trace_file WHERE NOT is_container") == 1;
}

/* What is fine, or among what could not be read. */
struct told {
    struct orma_processor *tp;
    struct orma_ledger *loss;
};

static bool is_told(void *ctx, const struct orma_processor_stat *stat)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    const struct told *told = ctx;

    if (is_fine(told->loss, stat) || (!strcmp(stat->name, UNRELATED) && is_alone(told->tp)))
        return true;
    orma_buf_printf(&sql,
                    "SELECT count(*) FROM import_account WHERE unit = 'statistic' AND kind = '%s'",
                    stat->name);
    return orma_load_number(told->tp, orma_buf_cstr(&sql)) > 0;
}

/* How many statistics of this severity are troubles of a kind that is told nowhere else. */
static unsigned count_troubles(struct orma_processor *tp, struct orma_ledger *loss,
                               const char *severity)
{
    struct orma_processor_stat stat;
    unsigned num = 0;

    for (uint32_t n = 0; orma_processor_stat(tp, n, &stat); n++)
        num += stat.value > 0 && !strcmp(stat.severity, severity) && !is_fine(loss, &stat) &&
               !(!strcmp(stat.name, UNRELATED) && is_alone(tp));
    return num;
}

static void print_brief(struct orma_processor *tp)
{
    int64_t switches = orma_load_missing_switches(tp);
    struct orma_ledger loss;

    orma_load_loss(tp, &loss);
    unsigned errors = count_troubles(tp, &loss, "error");
    if (orma_ledger_is_none(&loss) && count_troubles(tp, &loss, "data_loss"))
        loss.unknown = "it is counted in other units";
    print_loss(&loss);
    print_ring(tp, &loss, "; the");
    if (switches)
        printf("; %" PRId64 " %s that the kernel did not record", switches,
               switches == 1 ? "switch" : "switches");
    if (errors)
        printf("; %u kind%s of errors: 'orma stats TRACE' lists them", errors,
               errors == 1 ? "" : "s");
    printf(".\n");
}

/* Kernel events and the like that were asked for and could not be recorded. */
static unsigned print_setup_errors(struct orma_processor *tp)
{
    static const char sql[] = "SELECT DISTINCT coalesce(extract_arg(arg_set_id, 'message'), "
                              "extract_arg(arg_set_id, 'error')) FROM "
                              "_trace_import_logs WHERE name = 'ftrace_setup_errors'";
    struct orma_query *q;
    const char *rest;
    unsigned num = 0;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, &rest) != 0)
        return 0;
    while (orma_query_step(q) == 1) {
        if (!num++)
            printf("Asked for, but not recorded:\n");
        printf("  %s\n", orma_query_text(q, 0));
    }
    orma_query_free(q);
    return num;
}

/* Settings of the recording that are likely to spoil the next one, too. */
static void print_advice(struct orma_processor *tp)
{
    static const char sql[] = "SELECT DISTINCT key, title, remediation FROM "
                              "__intrinsic_trace_diagnostics ORDER BY confidence DESC";
    struct orma_query *q;
    const char *rest;
    unsigned num = 0;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, &rest) != 0)
        return;
    while (orma_query_step(q) == 1) {
        if (!num++)
            printf("\nFor the next recording:\n");
        printf("  %s. %s\n", orma_query_text(q, 1), orma_query_text(q, 2));
    }
    orma_query_free(q);
}

/* Everything about losses but the ledger; nothing if it is certain that there are none. */
static void print_losses(struct orma_processor *tp, const struct orma_ledger *loss,
                         int64_t switches)
{
    if (!orma_ledger_is_none(loss)) {
        print_loss(loss);
        printf(".\n");
    }
    print_ring(tp, loss, "The");
    if (orma_ledger_aged_out(loss))
        printf(".\n");
    if (orma_ledger_remedy(loss))
        printf("%s.\n", orma_ledger_remedy(loss));
    if (switches)
        printf("%" PRId64 " %s missing in the kernel's own record%s: how long threads ran "
               "and waited near them is unknown (dur is -1 there), and in no sum.\n",
               switches, switches == 1 ? "switch is" : "switches are",
               loss->kernel_overrun ? ", lost in its buffers or never written" : "");
}

/* No trouble: nothing is wrong with the times of a file that is alone. */
static void print_own_clock(struct orma_processor *tp)
{
    if (is_alone(tp) &&
        orma_load_number(tp, "SELECT total(value) FROM stats WHERE name = '" UNRELATED "'") > 0)
        printf("Note: its clock is its own, not related to other clocks; times are correct among "
               "themselves.\n");
    const int64_t assumed =
        orma_load_number(tp, "SELECT total(value) FROM stats WHERE name = 'clock_sync_assumed'");
    if (assumed > 0)
        printf("Note: nothing tells how the clock%s of %" PRId64 " file%s to the others': times "
               "are taken as they are. A manifest can give an offset.\n",
               assumed == 1 ? "" : "s", assumed, assumed == 1 ? " relates" : "s relate");
}

static unsigned print_unread(struct orma_processor *tp)
{
    if (orma_processor_unread(tp, 0))
        printf("Could not be read:\n");
    return orma_load_print_unread(tp, "  ", UINT_MAX, stdout);
}

/* The end of the sentence that everything could be read. */
static void print_edges(struct orma_processor *tp)
{
    uint64_t edges = orma_processor_edges(tp);

    if (edges)
        printf(", but for %" PRIu64 " event%s outside of the recorded time", edges,
               edges == 1 ? "" : "s");
    printf(".\n");
}

static int print_stats(struct orma_processor *tp, bool all)
{
    int64_t switches = orma_load_missing_switches(tp);
    struct orma_ledger loss;
    int r = 0;

    print_contents(tp);
    printf("\n");
    orma_load_loss(tp, &loss);
    print_losses(tp, &loss, switches);
    fflush(stdout);
    unsigned troubles = print_setup_errors(tp);
    troubles += orma_load_print_health(tp, is_told, &(struct told){tp, &loss}, stdout);
    troubles += print_unread(tp);
    if (orma_ledger_is_none(&loss) && (troubles || switches))
        printf("%s\n", loss.has_ledger
                           ? "Nothing that the kernel and programs handed over was lost."
                           : "No loss was counted.");
    else if (!troubles)
        printf("%s", !orma_ledger_is_none(&loss) ? "Everything that the trace holds could be read"
                     : loss.has_ledger           ? "Nothing was lost, and everything could be read"
                                       : "No loss was counted, and everything could be read");
    if (!troubles && !(orma_ledger_is_none(&loss) && switches))
        print_edges(tp);
    print_own_clock(tp);
    orma_load_print_clocks(tp, stdout);
    if (orma_ledger_total(&loss) && loss.has_ledger)
        r = print_ledger(tp);
    print_advice(tp);
    return r == 0 && all ? print_all(tp) : r;
}

static int stats(const char *trace, bool brief, bool all)
{
    struct orma_processor *tp = NULL;
    int code = ORMA_EXIT_OK, r = orma_processor_new(orma_load_config(), &tp);

    if (r == 0)
        r = orma_load_trace(tp, "orma stats", trace, ORMA_LOAD_TELLS, NULL);
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
    if (r == -EIO) {
        code = orma_cli_output_failed("orma stats", errno);
    } else if (r < 0) {
        fprintf(stderr, "orma stats: %s\n", orma_processor_error(tp));
        code = ORMA_EXIT_FAILURE;
    }
    orma_processor_free(tp);
    return code;
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
        case OPT_CACHE:
            orma_load_cache_set(cli.value);
            break;
        case OPT_ALL:
            all = true;
            break;
        case ORMA_CLI_POSITIONAL:
            if (trace)
                return orma_cli_usage_error(&cli, "more than one TRACE");
            trace = cli.value;
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        default:
            return ORMA_EXIT_USAGE;
        }
    }
    return trace ? stats(trace, brief, all)
                 : orma_cli_usage_error(&cli, "no trace given: orma stats TRACE");
}

const struct orma_command orma_cmd_stats = {
    .name = "stats",
    .summary = "Show what is in a trace, what was lost, what cannot be read.",
    .synopsis = "[OPTIONS] TRACE",
    .details = "Losses are counted in packets, per writer and reason, where the trace was recorded "
               "by Orma; 'orma help loss' explains the reasons. Data that a ring buffer overwrote "
               "as configured do not count as lost. The exit code is 0 even if something was lost.",
    .examples = "  orma stats trace.pftrace\n"
                "  orma stats --brief trace.pftrace\n",
    .options = options,
    .threads = true,
    .exclusive = "brief all",
    .run = run,
};
