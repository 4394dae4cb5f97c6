/*
 * For each section that was asked for:
 *
 *   has it data? no -> one line: what there is none of, and the command that records it
 *   has it a place for what the user chose? no -> not shown, or a line if it was named
 *   its SQL, run with one row more than wanted, to know whether there are more
 */
#include "tools/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "processor/export/csv.h"
#include "tools/base/cell.h"
#include "tools/base/cli.h"
#include "tools/load/loss.h"
#include "tools/load/sql_error.h"
#include "tools/report/choice.h"
#include "tools/report/notes.h"
#include "tools/report/render.h"

#define WIDTH 80
#define RECORD "orma record %s -t 10s -o trace.pftrace"
#define PROFILE "orma profile -a -d 10000 -o profile"

struct report {
    struct orma_processor *tp;
    const struct orma_report_request *request;
    const struct orma_report_section *table;
    struct orma_report_choice choice;
    struct orma_report_notes notes;
    struct orma_report_frame frame;
    FILE *out;
    unsigned shown;  /* sections that had something */
    unsigned lines;  /* notes of a section in JSON */
    uint64_t absent; /* sections without data: bits by their place in the table */
    bool foreign;    /* Orma could not have recorded it: it has no advice for next time */
    char *files;     /* sections/NAME.sql, all of them; NULL: not unpacked yet */
    struct orma_buf sql;
};

/* ---- what every section has ---- */

static bool has_data(struct report *self, const struct orma_report_section *s)
{
    struct orma_report_result result;
    int r = orma_report_result_read(self->tp, s->has, 1, &result);
    bool ret = r == 0 && result.rows;

    orma_report_result_fini(&result);
    return ret;
}

static void print_text_note(void *ctx, const char *note)
{
    struct report *self = ctx;

    fprintf(self->out, "  ! ");
    orma_cli_wrap_to(self->out, note, 4, self->frame.width);
}

static void print_nothing(struct report *self, const char *why)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    orma_buf_printf(&text, "(%s)", why);
    orma_cli_wrap_to(self->out, orma_buf_cstr(&text), 0, self->frame.width);
}

/* As one more row of the overview, over several lines. */
static void print_losses(struct report *self, const struct orma_report_result *result)
{
    size_t width = strlen("losses");

    for (size_t i = 0; i < result->rows; i++) {
        const char *what = orma_report_result_cell(result, i, 0)->text;

        width = ORMA_MAX(width, what ? strlen(what) : 0);
    }
    fprintf(self->out, "%-*s  ", (int)width, "losses");
    orma_cli_wrap_to(self->out, orma_buf_cstr(&self->notes.losses), width + 2, self->frame.width);
}

static void print_text(struct report *self, const struct orma_report_section *s,
                       const struct orma_report_result *result)
{
    fprintf(self->out, "%s%s: ", self->shown ? "\n" : "", s->name);
    orma_cli_wrap_to(self->out, s->question, strlen(s->name) + 2, self->frame.width);
    fputc('\n', self->out);
    if (result->rows)
        orma_report_render_text(&self->frame, result);
    else
        print_nothing(self, s->nothing ? s->nothing : "nothing matches in this range");
    if (result->more)
        fprintf(self->out, "(more rows: --top %zu)\n", self->request->top * 2);
    if (s == orma_report_sections) { /* the overview */
        print_losses(self, result);
    }
    orma_report_notes_each(&self->notes, s->basis, true, print_text_note, self);
}

static void print_json_note(void *ctx, const char *note)
{
    struct report *self = ctx;

    fputs(self->lines++ ? ", " : "", self->out);
    orma_print_json_text(note, self->out);
}

static void print_json(struct report *self, const struct orma_report_section *s, const char *sql,
                       const struct orma_report_result *result)
{
    fprintf(self->out, "%s\n    {\"name\": \"%s\", \"question\": ", self->shown ? "," : "",
            s->name);
    orma_print_json_text(s->question, self->out);
    fputs(",\n     \"columns\": ", self->out);
    orma_report_render_json_columns(&self->frame, result);
    fputs(",\n     \"rows\": ", self->out);
    orma_report_render_json(&self->frame, result);
    fprintf(self->out, ",\n     \"more\": %s, \"notes\": [", result->more ? "true" : "false");
    self->lines = 0;
    orma_report_notes_each(&self->notes, s->basis, false, print_json_note, self);
    fputs("],\n     \"sql\": ", self->out);
    orma_print_json_text(sql, self->out);
    fputc('}', self->out);
}

static void print_csv_note(void *ctx, const char *note)
{
    const struct report *self = ctx;

    fprintf(stderr, "%s: %s\n", self->request->program, note);
}

static void print_csv(struct report *self, const struct orma_report_section *s,
                      const struct orma_report_result *result)
{
    if (self->shown)
        fputs("\r\n", self->out);
    orma_report_render_csv(&self->frame, result);
    orma_report_notes_each(&self->notes, s->basis, true, print_csv_note, self);
}

static void print_section(struct report *self, const struct orma_report_section *s, const char *sql,
                          const struct orma_report_result *result)
{
    switch (self->request->form) {
    case ORMA_REPORT_TEXT:
        print_text(self, s, result);
        break;
    case ORMA_REPORT_JSON:
        print_json(self, s, sql, result);
        break;
    case ORMA_REPORT_CSV:
        print_csv(self, s, result);
        break;
    case ORMA_REPORT_SQL:
        break; /* printed without a run */
    }
    self->shown++;
}

/* ---- sections without data ---- */

static void print_command(const struct orma_report_section *s, char ret[WIDTH])
{
    if (s->words)
        snprintf(ret, WIDTH, RECORD, s->words);
    else
        snprintf(ret, WIDTH, "%s", PROFILE);
}

static void print_absent_json(struct report *self)
{
    const char *before = "";
    char command[WIDTH];

    for (const struct orma_report_section *s = self->table; s->name; s++) {
        if (!(self->absent >> (s - self->table) & 1))
            continue;
        print_command(s, command);
        fprintf(self->out, "%s\n    {\"name\": \"%s\", \"lacks\": \"%s\"", before, s->name,
                s->lacks);
        if (!self->foreign)
            fprintf(self->out, ", \"record\": \"%s\"", command);
        fputc('}', self->out);
        before = ",";
    }
}

/* One sentence for all sections. */
static void print_absent_of_foreign(struct report *self, FILE *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    for (const struct orma_report_section *s = self->table; s->name; s++) {
        if (self->absent >> (s - self->table) & 1)
            orma_buf_printf(&text, "%s%s",
                            text.len ? ", " : "this file has no data for: ", s->name);
    }
    if (text.len)
        orma_cli_wrap_to(out, orma_buf_cstr(&text), 2, self->frame.width);
}

/* A line for all sections that lack the same; the command is not broken. */
static void print_absent(struct report *self, FILE *out)
{
    if (self->foreign) {
        print_absent_of_foreign(self, out);
        return;
    }
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};
    char command[WIDTH];

    for (const struct orma_report_section *s = self->table; s->name; s++) {
        if (!(self->absent >> (s - self->table) & 1))
            continue;
        orma_buf_put_str(&line, s->name);
        for (const struct orma_report_section *t = s + 1; t->name; t++) {
            uint64_t bit = UINT64_C(1) << (t - self->table);

            if (!(self->absent & bit) || strcmp(s->lacks, t->lacks) != 0 ||
                strcmp(s->words ? s->words : "", t->words ? t->words : "") != 0)
                continue;
            self->absent &= ~bit;
            orma_buf_printf(&line, ", %s", t->name);
        }
        orma_buf_printf(&line, ": no %s;", s->lacks);
        print_command(s, command);
        if (line.len + 1 + strlen(command) > self->frame.width) {
            orma_cli_wrap_to(out, orma_buf_cstr(&line), 2, self->frame.width);
            orma_buf_clear(&line);
        }
        fprintf(out, "%s%s %s\n", orma_buf_cstr(&line), line.len ? "" : " ", command);
        orma_buf_clear(&line);
    }
}

/* ---- one section ---- */

static bool is_stopped(const struct report *self)
{
    return self->request->stop && *self->request->stop;
}

static int failed(struct report *self, const struct orma_report_section *s, int error)
{
    if (is_stopped(self))
        return -ECANCELED;
    fprintf(stderr, "%s: %s: %s\n", self->request->program, s->name,
            orma_load_sql_message(orma_processor_error(self->tp)));
    return error == -ENOMEM ? -ENOMEM : -EINVAL;
}

static int run_section(struct report *self, const struct orma_report_section *s, const char *text)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0}, shown = {0};
    bool all = !self->request->top || !strstr(text, "$top");
    size_t top = all ? SIZE_MAX : self->request->top;
    struct orma_report_result result;

    orma_report_choice_put(&self->choice, text, true, &sql);
    orma_report_choice_put(&self->choice, text, false, &shown);
    if (self->request->form == ORMA_REPORT_SQL) {
        fprintf(self->out, "%s-- %s: %s\n%s;\n", self->shown++ ? "\n" : "", s->name, s->question,
                orma_buf_cstr(&shown));
        return 0;
    }
    int r = orma_report_result_read(self->tp, orma_buf_cstr(&sql), top, &result);
    if (r == 0)
        print_section(self, s, orma_buf_cstr(&shown), &result);
    else
        r = failed(self, s, r);
    orma_report_result_fini(&result);
    return r;
}

/* What is in sections/NAME.sql. Valid until the next call; NULL: no memory. */
static const char *sql_of(struct report *self, const char *name)
{
    const struct orma_embedded_file *f = orma_report_files.files;

    if (!self->files && orma_embedded_unpack(&orma_report_files, &self->files) < 0)
        return NULL;
    while (!orma_str_eq_c((struct orma_str){f->key, strcspn(f->key, ".")}, name))
        f++;
    struct orma_str text = ORMA_EMBEDDED_TEXT(f, self->files);
    orma_buf_clear(&self->sql);
    orma_buf_put(&self->sql, text.data, text.len - 1); /* without the last end of line */
    return orma_buf_cstr(&self->sql);
}

static int show(struct report *self, const struct orma_report_section *s, bool named)
{
    const char *sql = sql_of(self, s->file ? s->file : s->name);

    if (!sql)
        return -ENOMEM;
    if (is_stopped(self))
        return -ECANCELED;
    if (self->request->form != ORMA_REPORT_SQL && !has_data(self, s)) {
        self->absent |= UINT64_C(1) << (s - self->table);
        return 0;
    }
    if (self->request->prepare || orma_report_choice_fits(&self->choice, sql))
        return run_section(self, s, sql);
    if (named) {
        fprintf(stderr, "%s: %s cannot be limited to some %s: this section is not about them\n",
                self->request->program, s->name,
                self->request->slice ? "slices" : "threads or processes");
        return -EINVAL;
    }
    return 0;
}

/* ---- all ---- */

int orma_report_check_names(const char *program, const char *const *wanted,
                            const char *const *names, const char *hint)
{
    for (; *wanted; wanted++) {
        const char *const *n = names;

        while (*n && strcmp(*n, *wanted) != 0)
            n++;
        if (*n)
            continue;
        const char *near = orma_cli_did_you_mean(*wanted, names);
        fprintf(stderr, "%s: unknown section '%s'", program, *wanted);
        fprintf(stderr, near ? "; did you mean '%s'?" : "; there are", near);
        for (n = names; *n && !near; n++)
            fprintf(stderr, "%s %s", n == names ? "" : ",", *n);
        if (!near)
            fprintf(stderr, "; %s", hint);
        fputc('\n', stderr);
        return -EINVAL;
    }
    return 0;
}

static int check_sections(const struct orma_report_request *request,
                          const struct orma_report_section *table)
{
    const char *names[64] = {0};
    size_t num = 0;

    for (const struct orma_report_section *s = table; s->name; s++)
        names[num++] = s->name;
    return orma_report_check_names(
        request->program, request->sections, names,
        "use --slice, --thread and --process to select slices, threads and processes");
}

static void print_begin(struct report *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf scope = {0};

    orma_report_choice_put_scope(&self->choice, &scope);
    if (scope.len && self->request->form == ORMA_REPORT_TEXT) {
        orma_cli_wrap_to(self->out, orma_buf_cstr(&scope), 0, self->frame.width);
        fputc('\n', self->out);
    }
    if (self->request->form != ORMA_REPORT_JSON)
        return;
    fputs("{\"trace\": ", self->out);
    orma_print_json_text(self->request->trace, self->out);
    fprintf(self->out,
            ",\n \"start_ts\": %" PRId64 ", \"end_ts\": %" PRId64 ", \"from_ts\": %" PRId64
            ", \"to_ts\": %" PRId64 ",\n \"losses\": ",
            self->choice.start_ts, self->choice.end_ts, self->choice.from_ts, self->choice.to_ts);
    orma_print_json_text(orma_buf_cstr(&self->notes.losses), self->out);
    if (scope.len) {
        fputs(",\n \"scope\": ", self->out);
        orma_print_json_text(orma_buf_cstr(&scope), self->out);
    }
    fputs(",\n \"sections\": [", self->out);
}

static void print_end(struct report *self)
{
    if (self->request->form == ORMA_REPORT_JSON) {
        fputs("],\n \"absent\": [", self->out);
        print_absent_json(self);
        fputs("]", self->out);
        if (!self->shown && self->notes.trace.len) {
            fputs(",\n \"notes\": [", self->out);
            self->lines = 0;
            orma_report_notes_each(&self->notes, 0, false, print_json_note, self);
            fputs("]", self->out);
        }
        fputs("}\n", self->out);
        return;
    }
    bool text = self->request->form == ORMA_REPORT_TEXT;
    if (text && self->shown && self->absent)
        fputc('\n', self->out);
    print_absent(self, text ? self->out : stderr);
    /* What a damaged trace has nothing of may have been in the part that could not be read. */
    if (!self->shown && self->request->form != ORMA_REPORT_SQL)
        orma_report_notes_each(&self->notes, 0, true, text ? print_text_note : print_csv_note,
                               self);
}

/* A section that failed, of which a limit may be the reason, says nothing about the others. */
static bool goes_on(int r)
{
    return r != -ECANCELED && r != -ENOMEM;
}

static int run_all(struct report *self)
{
    const char *const *names = self->request->sections;
    int r = 0, first = 0;

    for (; *names && goes_on(r); names++) {
        r = show(self, orma_report_section_find(self->table, *names), true);
        first = first && goes_on(r) ? first : r;
    }
    if (names != self->request->sections)
        return first;
    for (const struct orma_report_section *s = self->table; s->name && goes_on(r); s++) {
        r = show(self, s, false);
        first = first && goes_on(r) ? first : r;
    }
    return first;
}

/* Makes what the sections read. */
static int prepare(struct report *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_report_result result;

    if (!self->request->prepare)
        return 0;
    for (const char *const *name = self->request->prepare; *name; name++) {
        const char *text = sql_of(self, *name);

        if (!text)
            return -ENOMEM;
        orma_report_choice_put(&self->choice, text, false, &sql);
        orma_buf_put_str(&sql, name[1] ? "\n" : "");
    }
    if (self->request->form == ORMA_REPORT_SQL) {
        fprintf(self->out, "%s;\n\n", orma_buf_cstr(&sql));
        return 0;
    }
    int r = orma_report_result_read(self->tp, orma_buf_cstr(&sql), 1, &result);
    if (is_stopped(self)) {
        r = -ECANCELED;
    } else if (r < 0) {
        fprintf(stderr, "%s: %s\n", self->request->program, orma_processor_error(self->tp));
    } else if (!result.rows || !orma_report_result_cell(&result, 0, 0)->num) {
        bool switches = orma_load_number(self->tp, "SELECT EXISTS (SELECT 1 FROM sched)");

        fprintf(stderr, "%s: nothing to explain: no %s", self->request->program,
                self->request->slice ? "slice of a thread that matches and ended in this range\n"
                : switches           ? "thread switches that match in this range\n"
                                     : "");
        if (!self->request->slice && !switches)
            fprintf(stderr, "%s; orma record %s -t 10s -o trace.pftrace\n", self->table->lacks,
                    self->table->words);
        r = -ENODATA;
    }
    orma_report_result_fini(&result);
    return r;
}

int orma_report_run(struct orma_processor *tp, const struct orma_report_request *request, FILE *out)
{
    struct report self = {.tp = tp,
                          .request = request,
                          .table = request->table ? request->table : orma_report_sections,
                          .out = out};
    int r = check_sections(request, self.table);

    if (r < 0)
        return ORMA_EXIT_USAGE;
    r = orma_report_choice_init(&self.choice, tp, request);
    if (r == 0 && request->of && !self.choice.threads.len && !request->slice) {
        fprintf(stderr, "%s: %s\n", request->program,
                self.choice.untold ? "the trace does not show what its command did: record it with "
                                     "kernel events (as root: orma record -- COMMAND)"
                                   : request->of);
        r = -EINVAL;
    }
    bool usage = r == -EINVAL;
    if (r == 0) {
        self.frame = (struct orma_report_frame){
            .start_ts = self.choice.start_ts,
            .width = ORMA_MAX(
                request->width ? request->width : orma_cell_terminal_width(out, WIDTH), 40U),
            .unicode = orma_cell_unicode(),
            .out = out,
        };
        orma_report_notes_read(&self.notes, tp);
        self.foreign = orma_load_number(
            tp, "SELECT EXISTS (SELECT 1 FROM metadata WHERE name = 'trace_type') AND NOT EXISTS "
                "(SELECT 1 FROM metadata WHERE name = 'trace_type' AND str_value = 'proto')");
        r = prepare(&self);
    }
    if (r == 0) {
        print_begin(&self);
        r = run_all(&self);
        print_end(&self);
    }
    orma_report_notes_fini(&self.notes);
    orma_report_choice_fini(&self.choice);
    orma_buf_fini(&self.sql);
    free(self.files);
    return usage ? ORMA_EXIT_USAGE : r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}
