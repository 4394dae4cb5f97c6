/*
 * orma list: names that other commands take. A table of kinds, each with a function that offers its
 * names one after the other; offered names are matched, counted and printed in one place.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "probes/probes.h"
#include "processor/processor.h"
#include "sdk/base/fd.h"
#include "sdk/base/nearest.h"
#include "tools/base/cell.h"
#include "tools/commands.h"
#include "tools/record/names.h"
#include "tools/record/presets.h"
#include "tools/record/source_notes.h"
#include "tools/report/diff.h"
#include "tools/report/sections.h"
#include "tools/report/why.h"
#include "tools/service/attach.h"
#include "tools/service/state.h"

#define FORMAT_MAX ((size_t)64 << 10)
#define NAME_WIDTH 26
#define NAME_MAX_BYTES 256

enum { OPT_NAMES = 1, OPT_FIELDS };

static const struct orma_option options[] = {
    {OPT_NAMES, 'q', "names", NULL, "Print the names only."},
    {OPT_FIELDS, 'f', "fields", NULL,
     "events: also print their fields, as this kernel defines them."},
    {0},
};

struct list {
    const char *pattern; /* NULL: all */
    bool names_only, fields;
    unsigned num;
    struct orma_nearest near;
    char best[NAME_MAX_BYTES]; /* the nearest name */
    char only[NAME_MAX_BYTES]; /* the name that was printed last */
    bool exact;                /* the pattern itself was printed */
    bool has_parts;            /* names have columns or arguments */
    unsigned parts;            /* that were printed */
};

/* ---- one name ---- */

/* A pattern without wildcards is a part of the name. */
static bool matches(const char *pattern, const char *name)
{
    if (!pattern)
        return true;
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    return strcasestr(name, pattern) != NULL;
}

static void print_item(const struct list *self, const char *name, const char *text)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf shown = {0};
    unsigned width = orma_cell_width(orma_str_from(name));

    orma_cell_print(name, stdout);
    if (self->names_only || !text || !*text) {
        fputc('\n', stdout);
        return;
    }
    if (width >= NAME_WIDTH)
        printf("\n%*s", NAME_WIDTH, "");
    else
        printf("%*s", (int)(NAME_WIDTH - width), "");
    orma_cell_put(&shown, orma_str_from(text), UINT32_MAX); /* it may be of another program */
    orma_cli_wrap(stdout, orma_buf_cstr(&shown), NAME_WIDTH);
}

static void print_fields(const char *event)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0}, file = {0};
    struct orma_str rest, line;

    orma_buf_printf(&path, "/sys/kernel/tracing/events/%s/format", event);
    if (path.failed || orma_fd_read_file(AT_FDCWD, orma_buf_cstr(&path), FORMAT_MAX, &file) < 0)
        return;
    rest = orma_buf_str(&file);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        struct orma_str text = orma_str_trim(line), field;

        if (!orma_str_starts(text, ORMA_STR("field:")))
            continue;
        (void)orma_str_cut(&text, ';', &field);
        field = (struct orma_str){field.data + strlen("field:"), field.len - strlen("field:")};
        if (!memmem(field.data, field.len, " common_", strlen(" common_")))
            printf("    %.*s\n", ORMA_STR_ARG(field));
    }
}

static void offer(struct list *self, const char *name, const char *text)
{
    if (!matches(self->pattern, name)) {
        if (orma_nearest_consider(&self->near, name) && orma_nearest_get(&self->near))
            snprintf(self->best, sizeof(self->best), "%s", name);
        self->near.best = self->near.best ? self->best : NULL;
        return;
    }
    print_item(self, name, text);
    if (self->fields)
        print_fields(name);
    snprintf(self->only, sizeof(self->only), "%s", name);
    self->exact |= self->pattern && !strcmp(self->pattern, name);
    self->num++;
}

/* ---- kinds ---- */

static int list_events(struct list *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf names = {0};
    struct orma_str rest, line;
    char name[NAME_MAX_BYTES];
    int r = orma_probes_kernel_events(NULL, &names);

    if (r < 0) {
        fprintf(stderr, "orma list: cannot read the kernel's events: %s\n",
                r == -ENOENT   ? ORMA_PROBES_NO_TRACEFS
                : r == -EACCES ? "permission denied: try as root"
                               : strerror(-r));
        return r;
    }
    rest = orma_buf_str(&names);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        snprintf(name, sizeof(name), "%.*s", ORMA_STR_ARG(line));
        offer(self, name, NULL);
    }
    if (self->num == 1 && self->pattern && !self->fields && !self->names_only)
        print_fields(self->only);
    return 0;
}

/* The state of the service that runs; empty if there is none. */
static void ask_service(struct orma_buf *ret)
{
    struct orma_service_attached service = {0};

    if (orma_service_attach(&service, "orma list", ORMA_SERVICE_ATTACH_RUNNING) == 0)
        (void)orma_service_state_query(service.consumer, ret); /* else there is nothing to list */
    orma_service_attached_fini(&service);
}

static const char *note_of(const char *source)
{
    for (const struct orma_record_source_note *n = orma_record_source_notes; n->source; n++) {
        if (!strcmp(n->source, source))
            return n->text;
    }
    return NULL;
}

static int list_sources(struct list *self)
{
    static char names[512][ORMA_SERVICE_NAME_MAX];
    ORMA_AUTO(orma_buf_fini) struct orma_buf state = {0};

    for (const char *const *s = orma_probes_sources(); *s; s++)
        offer(self, *s, note_of(*s));
    ask_service(&state);
    size_t num = orma_service_state_sources(orma_buf_str(&state), names, ORMA_ARRAY_LEN(names));
    for (size_t i = 0; i < num && i < ORMA_ARRAY_LEN(names); i++) {
        bool known = orma_record_names_is_of_probes(names[i]);

        for (size_t j = 0; j < i && !known; j++)
            known = !strcmp(names[i], names[j]);
        if (!known)
            offer(self, names[i], note_of(names[i]));
    }
    return 0;
}

static void offer_category(void *ctx, const char *name, const char *text)
{
    offer(ctx, name, text);
}

static int list_categories(struct list *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf state = {0};

    ask_service(&state);
    if (!state.len) {
        fprintf(stderr, "orma list: no service is running, so programs cannot be asked for their "
                        "categories; start 'traced', then the programs\n");
        return -ENOENT;
    }
    orma_service_state_categories(orma_buf_str(&state), offer_category, self);
    return 0;
}

static int list_presets(struct list *self)
{
    for (const struct orma_record_preset *p = orma_record_presets; p->name; p++)
        offer(self, p->name, p->help);
    return 0;
}

static void offer_section(struct list *self, const char *command, const char *name,
                          const char *question)
{
    char text[160];

    snprintf(text, sizeof(text), "%s: %s", command, question);
    offer(self, name, text);
}

static int list_sections(struct list *self)
{
    const char *question;

    for (const struct orma_report_section *s = orma_report_sections; s->name; s++)
        offer_section(self, "report", s->name, s->question);
    for (const struct orma_report_section *s = orma_report_why_sections; s->name; s++)
        offer_section(self, "why", s->name, s->question);
    for (unsigned i = 0; orma_report_diff_section(i, &question); i++)
        offer_section(self, "diff", orma_report_diff_section(i, NULL), question);
    return 0;
}

static void print_part(struct list *self, const char *name, const char *text)
{
    char part[NAME_MAX_BYTES];

    if (!self->parts++ && self->num > 1)
        printf("\n%s:\n", self->exact ? self->pattern : self->only);
    snprintf(part, sizeof(part), "    %s", name);
    print_item(self, part, text);
}

/* The columns of the table, or the arguments of the function, that was meant. Those of modules
 * have types and notes. */
static void print_parts(struct list *self, struct orma_processor *tp)
{
    const char *name = self->exact ? self->pattern : self->only;
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_query *q;

    orma_buf_printf(&sql,
                    "SELECT value ->> 'name' || ' ' || (value ->> 'type'), value ->> 'description' "
                    "FROM (SELECT args AS parts FROM __intrinsic_stdlib_objects WHERE exposed AND "
                    "name = '%s' UNION ALL SELECT cols FROM __intrinsic_stdlib_objects WHERE "
                    "exposed AND name = '%s'), json_each(parts)",
                    name, name);
    if (orma_query_prepare(tp, orma_buf_cstr(&sql), SIZE_MAX, &q, NULL) != 0)
        return;
    while (orma_query_step(q) == 1) {
        bool noted = orma_query_type(q, 1) == ORMA_VALUE_TEXT;

        print_part(self, orma_query_text(q, 0), noted ? orma_query_text(q, 1) : NULL);
    }
    orma_query_free(q);
    orma_buf_clear(&sql);
    orma_buf_printf(&sql, "SELECT * FROM %s LIMIT 0", name);
    if (self->parts || orma_query_prepare(tp, orma_buf_cstr(&sql), SIZE_MAX, &q, NULL) != 0)
        return; /* a function of the engine's own */
    for (unsigned i = 0; i < orma_query_columns(q); i++)
        print_part(self, orma_query_column_name(q, i), NULL);
    orma_query_free(q);
}

/* Rows of name and text. */
static int list_rows(struct list *self, const char *sql)
{
    struct orma_processor *tp = NULL;
    struct orma_query *q = NULL;
    int r = orma_processor_new(NULL, &tp);

    if (r == 0)
        r = orma_processor_finish(tp);
    if (r == 0)
        r = orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL);
    while (r == 0 && orma_query_step(q) == 1)
        offer(self, orma_query_text(q, 0),
              orma_query_type(q, 1) == ORMA_VALUE_TEXT ? orma_query_text(q, 1) : NULL);
    if (r == 0 && self->has_parts && self->pattern && !self->names_only &&
        (self->num == 1 || self->exact))
        print_parts(self, tp);
    if (r < 0)
        fprintf(stderr, "orma list: %s\n", tp ? orma_processor_error(tp) : strerror(-r));
    orma_query_free(q);
    orma_processor_free(tp);
    return r;
}

#define FROM_MODULES                                                                               \
    "SELECT name, 'in ' || module || coalesce(': ' || nullif(short_description, ''), '') "         \
    "FROM __intrinsic_stdlib_objects WHERE exposed AND module NOT GLOB 'prelude.*' "               \
    "AND object_type IN "

static int list_tables(struct list *self)
{
    self->has_parts = true;
    return list_rows(self, "SELECT name, NULL FROM sqlite_master WHERE type IN ('table', 'view') "
                           "AND substr(name, 1, 1) != '_' UNION ALL " FROM_MODULES
                           "('TABLE', 'VIEW') ORDER BY 1");
}

static int list_functions(struct list *self)
{
    self->has_parts = true;
    return list_rows(self, "SELECT DISTINCT lower(name), NULL FROM pragma_function_list WHERE "
                           "substr(name, 1, 1) BETWEEN 'A' AND 'z' AND substr(name, 1, 1) != '_' "
                           "UNION ALL " FROM_MODULES
                           "('FUNCTION', 'TABLE_FUNCTION', 'MACRO') ORDER BY 1");
}

static int list_modules(struct list *self)
{
    return list_rows(self, "SELECT module, group_concat(name, ', ') FROM (SELECT module, name FROM "
                           "__intrinsic_stdlib_objects WHERE exposed AND object_type != 'MODULE' "
                           "AND module NOT GLOB 'prelude.*' ORDER BY module, id) GROUP BY module");
}

static int list_metrics(struct list *self)
{
    return list_rows(self, "SELECT name, NULL FROM trace_metrics ORDER BY 1");
}

static const struct kind {
    const char *name, *text;
    int (*list)(struct list *self);
} kinds[] = {
    {"events", "the kernel's events; one of them with its fields", list_events},
    {"sources", "data sources of this machine and of running programs", list_sources},
    {"categories", "categories of track events of running programs", list_categories},
    {"presets", "groups of events for 'orma record'", list_presets},
    {"sections", "sections of 'orma report', 'orma why' and 'orma diff'", list_sections},
    {"tables", "SQL tables and views, with their columns", list_tables},
    {"functions", "SQL functions and macros, with their arguments", list_functions},
    {"modules", "SQL modules and what they define", list_modules},
    {"metrics", "metrics of 'orma metrics'", list_metrics},
};

/* ---- the command ---- */

static void list_kinds(void)
{
    struct list all = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        print_item(&all, kinds[i].name, kinds[i].text);
}

static const struct kind *find_kind(const struct orma_cli *cli, const char *name)
{
    const char *names[ORMA_ARRAY_LEN(kinds) + 1] = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
        names[i] = kinds[i].name;
    }
    const char *near = orma_cli_did_you_mean(name, names);
    if (near)
        (void)orma_cli_usage_error(cli, "unknown kind '%s'; did you mean '%s'?", name, near);
    else
        (void)orma_cli_usage_error(cli, "unknown kind '%s': 'orma list' shows all kinds", name);
    return NULL;
}

static int list(const struct kind *kind, struct list *self)
{
    self->near.wanted = orma_str_from(self->pattern ? self->pattern : "");
    if (kind->list(self) < 0)
        return ORMA_EXIT_FAILURE;
    if (self->num || !self->pattern)
        return ORMA_EXIT_OK;
    fprintf(stderr, "orma list: no %s match '%s'", kind->name, self->pattern);
    fprintf(stderr, *self->best ? "; did you mean '%s'?\n" : "\n", self->best);
    return ORMA_EXIT_FAILURE;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_cli cli;
    struct list all = {0};
    const char *what = NULL;
    int id;

    orma_cli_init(&cli, self, "orma list", argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_NAMES:
            all.names_only = true;
            break;
        case OPT_FIELDS:
            all.fields = true;
            break;
        case ORMA_CLI_POSITIONAL:
            if (all.pattern)
                return orma_cli_usage_error(&cli, "unexpected argument '%s'", cli.value);
            *(what ? &all.pattern : &what) = cli.value;
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        default:
            return ORMA_EXIT_USAGE;
        }
    }
    const struct kind *kind = what ? find_kind(&cli, what) : NULL;
    if (what)
        return kind ? list(kind, &all) : ORMA_EXIT_USAGE;
    list_kinds();
    return ORMA_EXIT_OK;
}

static void put_kinds(struct orma_buf *out)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        orma_buf_printf(out, " %s", kinds[i].name);
}

const struct orma_command orma_cmd_list = {
    .name = "list",
    .summary = "List events, sources, tables, functions, and other names.",
    .synopsis = "[OPTIONS] [KIND [PATTERN]]",
    .details = "Kinds: events, sources, categories, presets, sections, tables, functions, modules, "
               "metrics; without one, the kinds are explained. PATTERN is a part of the name, or "
               "has wildcards as in the shell: 'sched/*'. Case is ignored.",
    .examples = "  orma list events 'sched/*'\n"
                "  orma list events sched_switch     # with its fields\n"
                "  orma list tables slice            # with the columns of slice\n"
                "  orma list functions orma_thread_name\n"
                "  orma list modules orma\n",
    .options = options,
    .exclusive = "names fields",
    .put_words = put_kinds,
    .run = run,
};
