#include "tools/help/topics.h"

#include <stdio.h>
#include <string.h>

#include "probes/probes.h"
#include "tools/cli.h"
#include "tools/record/presets.h"
#include "tools/record/source_notes.h"

static const char *note_of(const char *source)
{
    for (const struct orma_source_note *n = orma_source_notes; n->source; n++) {
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
    printf("\nA config names them; most have a part of their own there:\n");
    for (const struct orma_source_note *n = orma_source_notes; n->source; n++) {
        if (n->config)
            printf("  %-24s orma help config data_sources.config.%s\n", n->source, n->config);
    }
    printf("\nPrograms may offer others: 'orma status' shows those that are there now.\n");
    return ORMA_EXIT_OK;
}

static int show_presets(const char *about)
{
    (void)about; /* takes none */
    printf("Words for 'orma record'. With none, those with a star; -a takes all.\n");
    for (const struct orma_preset *p = orma_presets; p->name; p++) {
        printf("\n  %s%s: %s\n", p->name, p->by_default ? "*" : "", p->help);
        for (const char *const *e = p->events; e && *e; e++)
            printf("      %s\n", *e);
    }
    printf("\nAny kernel event is a word, too: GROUP/EVENT, or GROUP/* for a whole group. 'orma "
           "record\nWORDS --explain' prints the config that they make.\n");
    return ORMA_EXIT_OK;
}

static int show_units(const char *about)
{
    (void)about; /* takes none */
    printf("On command lines:\n"
           "  times   500ms  10s  5m  2h       fractions as in 1.5s\n"
           "  sizes   64kb  32mb  1gb          also k, m, g; 1024 based\n"
           "  0 needs no unit; any other number does.\n\n"
           "In configs the name of the field tells: _ms, _kb, _bytes, _ns.\n"
           "In tables every time is in nanoseconds, on the trace's clock (mostly boottime).\n");
    return ORMA_EXIT_OK;
}

static int show_loss(const char *about)
{
    (void)about; /* takes none */
    printf(
        "Nothing is lost silently. For every writer: emitted = delivered + lost, and each loss "
        "has\n"
        "a reason:\n\n"
        "  dropped by the writer   shared memory was full: the service came too late\n"
        "  overwritten             a ring buffer was full: it keeps the newest\n"
        "  discarded               a discard buffer was full: it keeps the oldest\n"
        "  kernel events overrun   the kernel's own buffers were full\n"
        "  unreported              the program ended (or was killed) before it said how much it\n"
        "                          dropped last: so much is not known\n\n"
        "  orma stats t.pftrace                      # the summary\n"
        "  orma query t.pftrace 'SELECT * FROM loss' # who lost what\n\n"
        "Against it: a larger buffer (-b 128mb), fewer presets, or --stream instead of --ring.\n");
    return ORMA_EXIT_OK;
}

const struct orma_topic orma_topics[] = {
    {"config", "how trace configs are written, and their fields", "[FIELD.FIELD...]",
     orma_topic_config},
    {"sources", "what can be recorded, and what works here now", NULL, show_sources},
    {"presets", "the words of 'orma record' and the events behind them", NULL, show_presets},
    {"tables", "tables to ask in SQL, and their columns", "[TABLE]", orma_topic_tables},
    {"units", "times and sizes", NULL, show_units},
    {"loss", "what can get lost, and what helps", NULL, show_loss},
    {0},
};
