/*
 * A page is made of sections in the usual order; text is escaped for troff, and lines that
 * begin with a blank are printed as they are (.nf).
 */
#include "tools/help/man.h"

#include <ctype.h>
#include <string.h>

/* Text that troff prints as it is; a line must not begin with what is a request. */
static void put_escaped(struct orma_buf *out, const char *text, size_t len, bool line_start)
{
    if (line_start && len && (*text == '.' || *text == '\''))
        orma_buf_put_str(out, "\\&");
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '-')
            orma_buf_put_str(out, "\\-");
        else if (text[i] == '\\')
            orma_buf_put_str(out, "\\e");
        else
            orma_buf_put(out, text + i, 1);
    }
}

static void put_line(struct orma_buf *out, const char *text, size_t len)
{
    put_escaped(out, text, len, true);
    orma_buf_put_str(out, "\n");
}

/* Paragraphs; lines that begin with blanks stand as they are. */
static void put_text(struct orma_buf *out, const char *text)
{
    bool exact = false;

    while (*text) {
        size_t len = strcspn(text, "\n");
        bool indented = *text == ' ';

        if (indented != exact)
            orma_buf_put_str(out, indented ? ".PP\n.nf\n" : ".fi\n");
        exact = indented;
        if (len)
            put_line(out, text, len);
        else
            orma_buf_put_str(out, ".PP\n");
        text += len + (text[len] == '\n');
    }
    if (exact)
        orma_buf_put_str(out, ".fi\n");
}

static void put_synopsis(struct orma_buf *out, const char *program, const char *synopsis)
{
    while (*synopsis) {
        size_t len = strcspn(synopsis, "\n");

        orma_buf_put_str(out, "\\fB");
        put_escaped(out, program, strlen(program), false);
        orma_buf_put_str(out, "\\fR ");
        put_escaped(out, synopsis, len, false);
        orma_buf_put_str(out, "\n.br\n");
        synopsis += len + (synopsis[len] == '\n');
    }
}

static void put_option(struct orma_buf *out, const struct orma_option *o)
{
    orma_buf_put_str(out, ".TP\n");
    if (o->letter)
        orma_buf_printf(out, "\\fB\\-%c\\fR%s", o->letter, o->name ? ", " : "");
    if (o->name) {
        orma_buf_put_str(out, "\\fB\\-\\-");
        put_escaped(out, o->name, strlen(o->name), false);
        orma_buf_put_str(out, "\\fR");
    }
    if (o->arg) {
        orma_buf_printf(out, "%s\\fI", o->name ? "=" : " ");
        put_escaped(out, o->arg, strlen(o->arg), false);
        orma_buf_put_str(out, "\\fR");
    }
    orma_buf_put_str(out, "\n");
    put_text(out, o->help);
}

static void put_options(struct orma_buf *out, const struct orma_command *command)
{
    const struct orma_option *o;

    for (size_t n = 0; (o = orma_cli_option(command, n)); n++) {
        if (o->help)
            put_option(out, o);
    }
    put_option(out, &(struct orma_option){.letter = 'h', .name = "help", .help = "Show help."});
}

static void put_parts(struct orma_buf *out, const struct orma_help_page *page)
{
    char program[128];

    orma_buf_put_str(out, ".SH COMMANDS\n");
    for (const struct orma_command *c = page->parts; c->name; c++) {
        snprintf(program, sizeof(program), "%s %s", page->program, c->name);
        orma_buf_printf(out, ".SS %s\n", c->name);
        put_synopsis(out, program, c->synopsis);
        orma_buf_put_str(out, ".PP\n");
        put_text(out, c->summary);
        if (c->details) {
            orma_buf_put_str(out, ".PP\n");
            put_text(out, c->details);
        }
        put_options(out, c);
        if (c->examples) {
            orma_buf_put_str(out, ".PP\nExamples:\n");
            put_text(out, c->examples);
        }
    }
}

/* `orma` itself: what there is. */
static void put_commands(struct orma_buf *out, const struct orma_help_tables *tables)
{
    orma_buf_put_str(out, ".SH COMMANDS\n");
    for (size_t i = 0; tables->commands[i]; i++) {
        orma_buf_printf(out, ".TP\n\\fB%s\\fR\n", tables->commands[i]->name);
        put_text(out, tables->commands[i]->summary);
    }
}

static bool is_own(const struct orma_help_page *page)
{
    return !strncmp(page->program, "orma", 4);
}

static void put_see_also(struct orma_buf *out, const struct orma_help_tables *tables,
                         const struct orma_help_page *page)
{
    struct orma_help_page other;
    const char *comma = "";

    orma_buf_put_str(out, ".SH SEE ALSO\n");
    for (size_t n = 0; tables->page(n, &other); n++) {
        if (other.command == page->command || (is_own(&other) != is_own(page) && n != 0))
            continue;
        orma_buf_printf(out, "%s\\fB", comma);
        put_escaped(out, other.file, strlen(other.file), false);
        orma_buf_put_str(out, "\\fR(1)");
        comma = ",\n";
    }
    orma_buf_put_str(out, "\n");
}

void orma_help_man_put(const struct orma_help_tables *tables, const struct orma_help_page *page,
                       struct orma_buf *out)
{
    const struct orma_command *command = page->command;
    char upper[sizeof(page->file)];

    for (size_t i = 0; i < sizeof(upper); i++)
        upper[i] = (char)toupper((unsigned char)page->file[i]);
    orma_buf_printf(out, ".TH \"%s\" \"1\" \"\" \"%s\" \"Orma\"\n.SH NAME\n", upper,
                    ORMA_VERSION_TEXT);
    put_escaped(out, page->file, strlen(page->file), true);
    orma_buf_put_str(out, " \\- ");
    put_line(out, command->summary, strcspn(command->summary, "."));
    orma_buf_put_str(out, ".SH SYNOPSIS\n");
    put_synopsis(out, page->program, command->synopsis);
    orma_buf_put_str(out, ".SH DESCRIPTION\n");
    put_text(out, command->summary);
    if (command->details) {
        orma_buf_put_str(out, ".PP\n");
        put_text(out, command->details);
    }
    if (command == tables->self)
        put_commands(out, tables);
    if (page->parts)
        put_parts(out, page);
    orma_buf_put_str(out, ".SH OPTIONS\n");
    put_options(out, command);
    orma_buf_put_str(out, ".SH EXIT STATUS\n");
    put_text(out, is_own(page) ? "0: success. 1: failure; standard error says why. 2: wrong usage. "
                                 "With a command after --, its exit code."
                               : "0: success. 1: failure or wrong usage; standard error says why. "
                                 "For yes-or-no options, 2 means \"no\".");
    if (command->examples) {
        orma_buf_put_str(out, ".SH EXAMPLES\n");
        put_text(out, command->examples);
    }
    put_see_also(out, tables, page);
}
