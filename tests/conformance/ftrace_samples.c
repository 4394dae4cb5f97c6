/*
 * Raw pages and formats of several kernels, beside what another reader made of
 * them: the same events in the same order, time, kind, and process; the same
 * pages refused.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/ftrace/events.h"
#include "sdk/ftrace/symbols.h"
#include "tests/conformance/shared.h"
#include "tests/support/ftrace_decode.h"

#define PAGE 4096
#define GROUPS_MAX 400
#define SHOWN_MAX 20

static struct {
    struct orma_tracefs fs;
    struct orma_ftrace_events events;
    struct orma_ftrace_translate translate;
    struct orma_ftrace_bundle bundle;
    struct orma_ftrace_symbols symbols;
    struct orma_ftrace_generic_ids *ids;
    struct orma_source_sink sink;

    struct orma_str expected; /* lines that are still to come */
    uint64_t compared, events_seen;
    unsigned differences, refused;
    unsigned judged; /* of the differences: those of samples that are done */
    const char *where;
} t;

/* After all checks of one sample; they may differ in several ways. */
static void judge(const char *path)
{
    shared_verdict(path, t.differences == t.judged);
    t.judged = t.differences;
}

static void differ(const char *what, struct orma_str line, const struct ft_event *ev)
{
    if (t.differences++ < SHOWN_MAX)
        printf("%s: %s: expected '%.*s', got %s at %" PRIu64 "\n", t.where, what,
               ORMA_STR_ARG(line), ev ? ev->name : "nothing", ev ? ev->ts : 0);
}

/* "ts page offset id name len flags preempt pid" */
static void compare(struct orma_str line, const struct ft_event *ev)
{
    struct orma_str rest = line, part;
    uint64_t nums[9] = {0};

    for (unsigned i = 0; i < 9 && rest.len && orma_str_cut(&rest, '\t', &part); i++)
        (void)orma_str_to_u64(part, &nums[i]); /* the name is none */
    const struct orma_ftrace_plan *plan =
        nums[3] < t.events.plans_num ? t.events.plans[nums[3]] : NULL;
    t.compared++;
    if (nums[0] != ev->ts)
        differ("time", line, ev);
    else if (!plan || plan->field_id != ev->field_id)
        differ("kind", line, ev);
    else if (nums[8] != ev->pid)
        differ("process", line, ev);
}

static void on_event(void *ctx, const struct ft_event *ev)
{
    struct orma_str line;

    (void)ctx;
    t.events_seen++;
    if (!t.expected.data)
        return;
    if (!t.expected.len || !orma_str_cut(&t.expected, '\n', &line))
        differ("one too many", (struct orma_str){"", 0}, ev);
    else
        compare(line, ev);
}

static int sink_put(struct orma_source_sink *self, const void *packet, size_t len)
{
    (void)self;
    if (ft_decode(packet, len, NULL, on_event, NULL).malformed)
        differ("malformed packet", (struct orma_str){"", 0}, NULL);
    return 0;
}

static void sink_flush(struct orma_source_sink *self)
{
    (void)self;
}

/* All groups of a folder of formats. */
static unsigned list_groups(const char *folder, char (*ret)[64])
{
    char path[600];
    unsigned num = 0;
    struct dirent *entry;

    snprintf(path, sizeof(path), "%s/events", folder);
    DIR *dir = opendir(path);
    while (dir && num < GROUPS_MAX && (entry = readdir(dir))) {
        if (entry->d_name[0] != '.' && entry->d_type == DT_DIR)
            snprintf(ret[num++], 64, "%.50s/*", entry->d_name);
    }
    if (dir)
        closedir(dir);
    return num;
}

static void load(const char *folder, unsigned word_size)
{
    static char groups[GROUPS_MAX][64];
    Perfetto__Protos__FtraceConfig config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    Perfetto__Protos__FtraceConfig__CompactSchedConfig compact =
        PERFETTO__PROTOS__FTRACE_CONFIG__COMPACT_SCHED_CONFIG__INIT;
    char *names[GROUPS_MAX];
    unsigned num = list_groups(folder, groups);

    for (unsigned i = 0; i < num; i++)
        names[i] = groups[i];
    config.ftrace_events = names;
    config.n_ftrace_events = num;
    config.compact_sched = &compact;
    compact.has_enabled = 1; /* and false: one event after the other */
    if (orma_tracefs_open(&t.fs, folder, NULL) < 0 ||
        orma_ftrace_translate_init(&t.translate) < 0 ||
        orma_ftrace_events_select(&t.events, &t.fs, &config) < 0 ||
        orma_ftrace_events_compile(&t.events, &t.fs, &config, word_size, t.ids, &t.translate) < 0) {
        printf("%s: cannot be read\n", folder);
        exit(1);
    }
    t.translate.bundle = &t.bundle;
    t.translate.sink = &t.sink;
    t.translate.symbols = &t.symbols;
    t.translate.page_layout =
        (struct orma_tracefs_page_layout){(uint8_t)word_size, (uint8_t)(8 + word_size)};
}

static void unload(void)
{
    orma_tracefs_close(&t.fs);
    orma_ftrace_events_fini(&t.events);
    orma_ftrace_translate_fini(&t.translate);
}

static uint64_t errors(void)
{
    uint64_t ret = 0;

    for (unsigned i = 0; i < ORMA_FTRACE_PARSE_STATUS_NUM; i++)
        ret += t.translate.counts.errors[i];
    return ret;
}

static void run_pages(const struct orma_buf *raw, unsigned cpu)
{
    struct orma_ftrace_translate_cpu state = {0};

    orma_ftrace_translate_begin(&t.translate, cpu, &state);
    for (size_t at = 0; at + PAGE <= raw->len; at += PAGE)
        orma_ftrace_translate_page(&t.translate, raw->data + at, PAGE);
    orma_ftrace_translate_end(&t.translate);
}

/* One recording: cpuN.raw beside cpuN.decoded.tsv. */
static void check_cpu(void *ctx, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf raw = {0}, decoded = {0};
    char other[700];
    struct orma_str head;

    (void)ctx;
    if (strstr(path, "example_pages"))
        return;
    snprintf(other, sizeof(other), "%.*sdecoded.tsv", (int)(strlen(path) - 3), path);
    shared_read(path, &raw);
    shared_read(other, &decoded);
    t.where = path;
    t.expected = orma_buf_str(&decoded);
    (void)orma_str_cut(&t.expected, '\n', &head);
    if (!t.expected.data)
        t.expected.data = "";
    run_pages(&raw, 0);
    if (t.expected.len)
        differ("missing", t.expected, NULL);
    t.expected = (struct orma_str){NULL, 0};
    judge(path);
}

/* A page of the examples: as many events as another reader counted, or refused as there. */
static void check_example(const char *folder, struct orma_str line)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf raw = {0};
    struct orma_str rest = line, cols[10] = {0};
    char path[700], formats[700];
    uint64_t events = 0;

    for (unsigned i = 0; i < 10 && rest.len && orma_str_cut(&rest, '\t', &cols[i]); i++) {
    }
    if (!cols[1].len || orma_str_eq_c(cols[1], "-") || !orma_str_to_u64(cols[7], &events))
        return; /* nobody gave its formats */
    snprintf(formats, sizeof(formats), "%s/formats_%.*s", folder, ORMA_STR_ARG(cols[1]));
    snprintf(path, sizeof(path), "%s/example_pages/%.*s.raw", folder, ORMA_STR_ARG(cols[0]));
    shared_read(path, &raw);
    load(formats, 8);
    t.events_seen = 0;
    t.where = path;
    run_pages(&raw, 0);
    /* The event of the second one would have a length of -4. */
    bool is_bad = orma_str_find(rest, ORMA_STR("error")) ||
                  orma_str_find(cols[9], ORMA_STR("error")) ||
                  orma_str_eq_c(cols[0], "four_byte_commit");
    uint64_t short_events = t.translate.counts.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT] +
                            t.translate.counts.errors[ORMA_PB_FTRACE_STATUS_SHORT_COMPACT_EVENT];
    if ((!is_bad && t.events_seen + t.translate.counts.foreign + short_events != events) ||
        is_bad != (errors() != short_events))
        differ("number of events, or errors", line, NULL);
    printf("%-36.*s events %3" PRIu64 ", of unknown kinds %" PRIu64 ", too short %" PRIu64
           ", refused %" PRIu64 "\n",
           ORMA_STR_ARG(cols[0]), t.events_seen, t.translate.counts.foreign, short_events,
           errors() - short_events);
    t.compared += t.events_seen;
    judge(path);
    unload();
}

static void check_examples(const char *folder)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    struct orma_str rest, line;
    char path[700];

    snprintf(path, sizeof(path), "%s/example_pages/pages.tsv", folder);
    shared_read(path, &list);
    rest = orma_buf_str(&list);
    (void)orma_str_cut(&rest, '\n', &line);
    while (rest.len && orma_str_cut(&rest, '\n', &line))
        check_example(folder, line);
}

/* Formats of older kernels: every file must become a plan. */
static void check_formats(const char *folder, const char *name, unsigned word_size)
{
    char path[700];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    load(path, word_size);
    printf("%-36s formats %zu, strange lines in %u\n", name, t.events.num, t.events.odd_formats);
    t.where = name;
    for (size_t i = 0; i < t.events.failed.num; i++)
        differ(t.events.failed.names[i], (struct orma_str){"a plan", 6}, NULL);
    if (!t.events.num || t.events.odd_formats)
        differ("formats", (struct orma_str){"", 0}, NULL);
    judge(path);
    unload();
}

int main(void)
{
    static const struct {
        const char *name;
        unsigned word_size;
    } kernels[] = {{"formats_arm32_3.4.0", 4},  {"formats_arm64_3.10.40", 8},
                   {"formats_arm64_4.4.88", 8}, {"formats_arm64_5.10.43", 8},
                   {"formats_synthetic", 8},    {"x86_64_6.18", 8}};
    char folder[600], path[700];

    snprintf(folder, sizeof(folder), "%s/samples/ftrace", shared_folder());
    t.sink = (struct orma_source_sink){sink_put, sink_flush};
    orma_ftrace_symbols_init(&t.symbols, NULL);
    if (orma_ftrace_bundle_init(&t.bundle) < 0 || orma_ftrace_generic_ids_new(&t.ids) < 0)
        return 1;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(kernels); i++)
        check_formats(folder, kernels[i].name, kernels[i].word_size);
    check_examples(folder);
    snprintf(path, sizeof(path), "%s/x86_64_6.18", folder);
    load(path, 8);
    if (!shared_each(folder, "cpu*.raw", check_cpu, NULL))
        differ("no recordings", (struct orma_str){"", 0}, NULL);
    unload();
    printf("%" PRIu64 " events compared, %u differences\n", t.compared, t.differences);
    orma_ftrace_bundle_fini(&t.bundle);
    orma_ftrace_symbols_fini(&t.symbols);
    orma_ftrace_generic_ids_free(t.ids);
    return t.differences > t.judged || t.compared < 10000 ? 1 : 0;
}
