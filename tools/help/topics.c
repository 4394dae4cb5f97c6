/*
 * A table of topics, each with a function that prints it from the program's own tables
 * (sources, presets, loss reasons), so that help cannot be out of date.
 */
#include "tools/help/topics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/probes.h"
#include "protos/incident.h"
#include "protos/loss.h"
#include "tools/base/cli.h"
#include "tools/record/presets.h"
#include "tools/record/source_notes.h"

static const char *note_of(const char *source)
{
    for (const struct orma_record_source_note *n = orma_record_source_notes; n->source; n++) {
        if (!strcmp(n->source, source))
            return n->text;
    }
    return "A data source of the probes.";
}

/* What this machine's probes offer, and whether it would work now. */
static void show_probes(void)
{
    for (const char *const *s = orma_probes_sources(); *s; s++) {
        char why[256] = "";
        bool usable = orma_probes_source_usable(NULL, *s, why, sizeof(why));

        printf("  %-24s", *s);
        orma_cli_wrap(stdout, note_of(*s), 26);
        if (!usable) {
            printf("%26snot now: ", "");
            orma_cli_wrap(stdout, why, 26);
        }
    }
}

static int show_sources(const char *about)
{
    (void)about; /* takes none */
    printf("Data sources of this machine:\n");
    show_probes();
    printf("\nData sources of programs:\n  %-24s", "track_event");
    orma_cli_wrap(stdout, note_of("track_event"), 26);
    printf("\nA config enables them by name; most have their own section in it:\n");
    for (const struct orma_record_source_note *n = orma_record_source_notes; n->source; n++) {
        if (n->config)
            printf("  %-24s orma help config data_sources.config.%s\n", n->source, n->config);
    }
    printf("\nPrograms may offer others: 'orma status' shows those that are there now.\n");
    return ORMA_EXIT_OK;
}

static int show_presets(const char *about)
{
    (void)about; /* takes none */
    printf("Presets of 'orma record'. Those with a star are the default; -a records all.\n");
    for (const struct orma_record_preset *p = orma_record_presets; p->name; p++) {
        printf("\n  %s%s: %s\n", p->name, p->by_default ? "*" : "", p->help);
        for (const char *const *e = p->events; e && *e; e++)
            printf("      %s\n", *e);
    }
    printf("\n"
           "Kernel events can be given as well: GROUP/EVENT, or GROUP/* for a whole group.\n"
           "'orma record NAMES --explain' prints the resulting config.\n");
    return ORMA_EXIT_OK;
}

static int show_units(const char *about)
{
    (void)about; /* takes none */
    printf("On command lines:\n"
           "  times   500ms  10s  5m  2h       fractions as in 1.5s\n"
           "  sizes   64kb  32mb  1gb          also k, m, g; multiples of 1024\n"
           "  A time without a unit is in seconds (with 'orma profile -d' and compatible names, in "
           "milliseconds);\n"
           "  a size needs a unit.\n"
           "\n"
           "In configs, the name of the field gives the unit: _ms, _kb, _bytes, _ns.\n"
           "In tables every time is in nanoseconds, on the trace's clock (mostly boottime).\n");
    return ORMA_EXIT_OK;
}

static void show_loss_word(const struct orma_loss_word *word)
{
    printf("  %-12s", word->name);
    orma_cli_wrap(stdout, word->text, 14);
    if (word->cure) {
        printf("%14sHelps: ", "");
        orma_cli_wrap(stdout, word->cure, 14);
    }
}

static int show_loss(const char *about)
{
    (void)about; /* takes none */
    printf(
        "Nothing is lost silently. For every writer: emitted = delivered + lost, and each loss "
        "has\na reason. 'orma record', 'orma stats' and the table 'loss' use the same words:\n\n");
    for (unsigned i = 0; i < ORMA_LOST_REASONS; i++)
        show_loss_word(&orma_loss_words[i]);
    show_loss_word(&orma_loss_overrun);
    show_loss_word(&orma_loss_unreported);
    printf("\nLosses that have no number (reported with their time where it is known):\n\n");
    for (uint32_t kind = 1; orma_incident_text(kind); kind++) {
        const struct orma_loss_word word = {.name = orma_incident_name(kind),
                                            .text = orma_incident_text(kind)};

        show_loss_word(&word);
    }
    printf("\nThe kernel's events are counted as events, all others as packets.\n\n"
           "  orma stats t.pftrace                      # the summary\n"
           "  orma query t.pftrace 'SELECT * FROM loss' # who lost what\n");
    return ORMA_EXIT_OK;
}

static int show_exit_codes(const char *about)
{
    static const struct {
        int code;
        const char *text;
    } codes[] = {
        {ORMA_EXIT_OK, "Success. Losses do not change the code; the last line reports them."},
        {ORMA_EXIT_FAILURE,
         "Failure, or nothing that was requested could be recorded. Standard error says why."},
        {ORMA_EXIT_USAGE, "Wrong usage: an unknown option, argument or value."},
        {126, "'orma record -- COMMAND': COMMAND could not be started."},
        {ORMA_EXIT_NO_COMMAND, "'orma record -- COMMAND': COMMAND was not found."},
        {ORMA_EXIT_PIPE, "The reader of the output closed it (as with '| head'); no message."},
    };

    (void)about; /* takes none */
    printf("Of 'orma':\n");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(codes); i++) {
        printf("  %-5d", codes[i].code);
        orma_cli_wrap(stdout, codes[i].text, 7);
    }
    printf("\n"
           "'orma record -- COMMAND' exits with the code of COMMAND, and 128 + SIGNAL if a signal "
           "ended it.\n"
           "Under the name of another program (perfetto, traceconv, ...) the codes are those of "
           "that program.\n");
    return ORMA_EXIT_OK;
}

/* A group, or the beginning of a name: "sched", "sched/sched_w". */
static int show_events(const char *about)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    struct orma_str rest, line, wanted = orma_str_from(about ? about : "");
    unsigned num = 0;
    int r = orma_probes_kernel_events(NULL, &list);

    if (r < 0) {
        fprintf(stderr, "orma help: cannot read the kernel's events: %s\n",
                r == -ENOENT ? ORMA_PROBES_NO_TRACEFS : strerror(-r));
        return ORMA_EXIT_FAILURE;
    }
    rest = orma_buf_str(&list);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_starts(line, wanted))
            continue;
        printf("%.*s\n", ORMA_STR_ARG(line));
        num++;
    }
    if (num)
        return ORMA_EXIT_OK;
    fprintf(stderr, "orma help: no kernel event begins with '%s'\n", about ? about : "");
    return ORMA_EXIT_FAILURE;
}

const struct orma_help_topic orma_help_topics[] = {
    {"config", "how trace configs are written, and their fields", "[FIELD.FIELD...]",
     orma_help_topic_config},
    {"sources", "what can be recorded, and what works here now", NULL, show_sources},
    {"presets", "the presets of 'orma record' and their events", NULL, show_presets},
    {"tables", "the tables to query in SQL, and their columns", "[TABLE]", orma_help_topic_tables},
    {"units", "times and sizes", NULL, show_units},
    {"events", "the kernel's events: all, or those with a prefix", "[GROUP]", show_events},
    {"loss", "what can be lost, and how to avoid it", NULL, show_loss},
    {"exit-codes", "the exit codes of the commands", NULL, show_exit_codes},
    {0},
};
