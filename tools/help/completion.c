/*
 * bash: one function for all programs. A table in it (a case over "program
 * sub-command") gives the options, what each option's value can be, and the
 * words that can stand alone; everything else is files.
 */
#include "tools/help/completion.h"

#include <string.h>

#include "sdk/base/defs.h"
#include "tools/help/topics.h"

/* Programs with option tables of their own: their --help is asked at that time. */
#define FOREIGN "traced traced_probes orma-diff-test"

static void put_topics(struct orma_buf *out, const struct orma_help_tables *tables)
{
    for (size_t i = 0; tables->commands[i]; i++)
        orma_buf_printf(out, " %s", tables->commands[i]->name);
    for (const struct orma_help_topic *t = orma_help_topics; t->name; t++)
        orma_buf_printf(out, " %s", t->name);
}

/* The words of "auto|off|DIR" that are typed as they stand. */
static void put_choices(struct orma_buf *out, const char *arg)
{
    for (size_t len; *arg; arg += len + (arg[len] == '|')) {
        len = strcspn(arg, "|");
        if (*arg < 'A' || *arg > 'Z')
            orma_buf_printf(out, "%.*s ", (int)len, arg);
    }
}

static void put_value_case(struct orma_buf *out, const struct orma_option *o)
{
    bool choices = strchr(o->arg, '|') != NULL;

    orma_buf_put_str(out, "    ");
    if (o->letter)
        orma_buf_printf(out, "-%c%s", o->letter, o->name ? "|" : "");
    if (o->name)
        orma_buf_printf(out, "--%s", o->name);
    if (choices) {
        orma_buf_put_str(out, ") value='");
        put_choices(out, o->arg);
        orma_buf_put_str(out, strstr(o->arg, "DIR") ? "' ; dirs=1 ;;\n" : "' ;;\n");
    } else {
        bool file = strstr(o->arg, "FILE") || strstr(o->arg, "PATH");

        orma_buf_printf(out, ") value=%s ;;\n",
                        file                    ? "FILE"
                        : strstr(o->arg, "DIR") ? "DIR"
                                                : "NONE");
    }
}

static void put_entry(struct orma_buf *out, const struct orma_help_tables *tables, const char *key,
                      const struct orma_command *command)
{
    const struct orma_option *o;
    bool values = false;

    orma_buf_printf(out, "  '%s')\n    opts='", key);
    for (size_t n = 0; (o = orma_cli_option(command, n)); n++) {
        if (o->help && o->letter)
            orma_buf_printf(out, "-%c ", o->letter);
        if (o->help && o->name)
            orma_buf_printf(out, "--%s ", o->name);
        values |= o->help && o->arg;
    }
    orma_buf_put_str(out, "-h --help'\n");
    if (command->put_words || command == tables->help) {
        orma_buf_put_str(out, "    words='");
        if (command->put_words)
            command->put_words(out);
        else
            put_topics(out, tables);
        orma_buf_put_str(out, "'\n");
    }
    if (values) {
        orma_buf_put_str(out, "    case $prev in\n");
        for (size_t n = 0; (o = orma_cli_option(command, n)); n++) {
            if (o->help && o->arg)
                put_value_case(out, o);
        }
        orma_buf_put_str(out, "    esac\n");
    }
    orma_buf_put_str(out, "    ;;\n");
}

static void put_entries(struct orma_buf *out, const struct orma_help_tables *tables)
{
    struct orma_help_page page;
    char key[160];

    for (size_t n = 0; tables->page(n, &page); n++) {
        put_entry(out, tables, page.program, page.command);
        for (const struct orma_command *c = page.parts; c && c->name; c++) {
            snprintf(key, sizeof(key), "%s %s", page.program, c->name);
            put_entry(out, tables, key, c);
        }
    }
}

/* subs: of each program that has sub-commands. */
static void put_subs(struct orma_buf *out, const struct orma_help_tables *tables)
{
    struct orma_help_page page;

    orma_buf_put_str(out, "  case $name in\n  orma) subs='");
    for (size_t i = 0; tables->commands[i]; i++)
        orma_buf_printf(out, "%s ", tables->commands[i]->name);
    orma_buf_put_str(out, "' ;;\n");
    for (size_t n = 0; tables->page(n, &page); n++) {
        if (!page.parts)
            continue;
        orma_buf_printf(out, "  %s) subs='", page.program);
        for (const struct orma_command *c = page.parts; c->name; c++)
            orma_buf_printf(out, "%s ", c->name);
        orma_buf_put_str(out, "' ;;\n");
    }
    orma_buf_put_str(out, "  esac\n");
}

static const char head[] =
    "# bash completion for Orma; made by 'orma help --completion bash'.\n"
    "_orma()\n{\n"
    "  local name=${COMP_WORDS[0]##*/} cur=${COMP_WORDS[COMP_CWORD]}\n"
    "  local prev=${COMP_WORDS[COMP_CWORD-1]} subs='' opts='' words='' value='' dirs='' key i\n"
    "  COMPREPLY=()\n"
    "  # '--name=VALUE' comes as three words.\n"
    "  if [[ $cur == = ]]; then\n"
    "    cur=''\n"
    "  elif [[ $prev == = ]]; then\n"
    "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "  fi\n"
    "  [[ $name == trace_processor || $name == tp ]] && name=trace_processor_shell\n";

static const char find_sub[] =
    "  key=$name\n"
    "  if [[ $subs ]]; then\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "      if [[ \" $subs \" == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
    "        key=\"$name ${COMP_WORDS[i]}\"\n"
    "        break\n"
    "      fi\n"
    "    done\n"
    "    [[ $key == \"$name\" ]] && words=$subs\n"
    "  fi\n"
    "  # What follows '--' is a command of its own.\n"
    "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "    if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
    "      ((i + 1 == COMP_CWORD)) && COMPREPLY=($(compgen -c -- \"$cur\"))\n"
    "      compopt -o default 2>/dev/null\n"
    "      return\n"
    "    fi\n"
    "  done\n";

/* What only the program itself knows, at that time: the kernel's events, the tables. */
static const char ask[] =
    "  case $key in\n"
    "  'orma record')\n"
    "    [[ $cur == [a-z]*/* ]] && words=$(\"${COMP_WORDS[0]}\" list -q events \"$cur*\" "
    "2>/dev/null)\n"
    "    ;;\n"
    "  'orma metrics')\n"
    "    [[ $prev == --run ]] && value=$(\"${COMP_WORDS[0]}\" list -q metrics \"$cur*\" "
    "2>/dev/null)\n"
    "    ;;\n"
    "  'orma help')\n"
    "    case $prev in\n"
    "    tables) words=$(\"${COMP_WORDS[0]}\" help tables | awk '/^  [a-z_]+ / { print $1 }') ;;\n"
    "    events) words=$(\"${COMP_WORDS[0]}\" list -q events \"$cur*\" 2>/dev/null) ;;\n"
    "    esac\n"
    "    ;;\n"
    "  'orma list')\n"
    "    case $prev in\n"
    "    list | -*) ;;\n"
    "    *) words=$(\"${COMP_WORDS[0]}\" list -q \"$prev\" \"$cur*\" 2>/dev/null) ;;\n"
    "    esac\n"
    "    ;;\n"
    "  esac\n";

static const char tail[] =
    "  case $value in\n"
    "  NONE) return ;;\n"
    "  DIR) COMPREPLY=($(compgen -d -- \"$cur\")) ; compopt -o filenames 2>/dev/null ; return ;;\n"
    "  FILE) COMPREPLY=($(compgen -f -- \"$cur\")) ; compopt -o filenames 2>/dev/null ; return ;;\n"
    "  ?*) COMPREPLY=($(compgen -W \"$value\" -- \"$cur\") ${dirs:+$(compgen -d -- \"$cur\")}) ; "
    "return ;;\n"
    "  esac\n"
    "  if [[ $cur == -* ]]; then\n"
    "    COMPREPLY=($(compgen -W \"$opts\" -- \"$cur\"))\n"
    "    return\n"
    "  fi\n"
    "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
    "  compopt -o filenames 2>/dev/null\n"
    "}\n";

static void put_names(struct orma_buf *out, const struct orma_help_tables *tables)
{
    struct orma_help_page page;

    orma_buf_put_str(out, "complete -F _orma " FOREIGN " trace_processor tp");
    for (size_t n = 0; tables->page(n, &page); n++) {
        if (!strchr(page.program, ' '))
            orma_buf_printf(out, " %s", page.program);
    }
    orma_buf_put_str(out, "\n");
}

static void put_bash(const struct orma_help_tables *tables, struct orma_buf *out)
{
    orma_buf_put_str(out, head);
    put_subs(out, tables);
    orma_buf_put_str(out, find_sub);
    orma_buf_put_str(out, "  case $key in\n");
    put_entries(out, tables);
    orma_buf_put_str(out, "  *)\n"
                          "    opts=$(\"${COMP_WORDS[0]}\" --help 2>/dev/null |\n"
                          "      grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,')\n"
                          "    ;;\n"
                          "  esac\n");
    orma_buf_put_str(out, ask);
    orma_buf_put_str(out, tail);
    put_names(out, tables);
}

/* ---- zsh: the same function, by its own adapter ---- */

static void put_zsh(const struct orma_help_tables *tables, struct orma_buf *out)
{
    struct orma_help_page page;

    orma_buf_put_str(out, "#compdef");
    for (size_t n = 0; tables->page(n, &page); n++) {
        if (!strchr(page.program, ' '))
            orma_buf_printf(out, " %s", page.program);
    }
    orma_buf_put_str(out, " trace_processor tp " FOREIGN "\n"
                          "autoload -U +X compinit && (( $+functions[compdef] )) || compinit\n"
                          "autoload -U +X bashcompinit && bashcompinit\n");
    put_bash(tables, out);
    /* The first Tab runs this file, and waits for an answer, too. */
    orma_buf_put_str(out, "[[ $funcstack[1] == _orma ]] && _bash_complete -F _orma\n");
}

/* ---- fish ---- */

static void put_fish_text(struct orma_buf *out, const char *text)
{
    size_t len = strcspn(text, ".;:");

    orma_buf_put_byte(out, '\'');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\'' || text[i] == '\\')
            orma_buf_put_byte(out, '\\');
        orma_buf_put_byte(out, (uint8_t)text[i]);
    }
    orma_buf_put_byte(out, '\'');
}

static void put_fish_option(struct orma_buf *out, const char *begin, const struct orma_option *o)
{
    orma_buf_put_str(out, begin);
    if (o->letter)
        orma_buf_printf(out, " -s %c", o->letter);
    if (o->name)
        orma_buf_printf(out, " -l %s", o->name);
    if (o->arg && strchr(o->arg, '|')) {
        orma_buf_put_str(out, strstr(o->arg, "DIR") ? " -r -a '" : " -x -a '");
        put_choices(out, o->arg);
        orma_buf_put_byte(out, '\'');
    } else if (o->arg) {
        orma_buf_put_str(out, " -r");
    }
    orma_buf_put_str(out, " -d ");
    put_fish_text(out, o->help);
    orma_buf_put_byte(out, '\n');
}

static void put_fish_command(struct orma_buf *out, const struct orma_help_tables *tables,
                             const char *program, const char *condition,
                             const struct orma_command *command)
{
    const struct orma_option *o;
    char begin[256];

    snprintf(begin, sizeof(begin), "complete -c %s%s%s%s", program, *condition ? " -n '" : "",
             condition, *condition ? "'" : "");
    for (size_t n = 0; (o = orma_cli_option(command, n)); n++) {
        if (o->help)
            put_fish_option(out, begin, o);
    }
    if (!command->put_words && command != tables->help)
        return;
    orma_buf_printf(out, "%s -a '", begin);
    if (command->put_words)
        command->put_words(out);
    else
        put_topics(out, tables);
    orma_buf_put_str(out, "'\n");
}

static void put_fish_part(struct orma_buf *out, const struct orma_help_tables *tables,
                          const char *program, const struct orma_command *command)
{
    char condition[128];

    orma_buf_printf(out, "complete -c %s -n __fish_use_subcommand -a %s -d ", program,
                    command->name);
    put_fish_text(out, command->summary);
    orma_buf_put_byte(out, '\n');
    snprintf(condition, sizeof(condition), "__fish_seen_subcommand_from %s", command->name);
    put_fish_command(out, tables, program, condition, command);
}

static void put_fish(const struct orma_help_tables *tables, struct orma_buf *out)
{
    struct orma_help_page page;

    orma_buf_put_str(out, "# fish completion for Orma; made by 'orma help --completion fish'.\n");
    for (size_t i = 0; tables->commands[i]; i++)
        put_fish_part(out, tables, "orma", tables->commands[i]);
    orma_buf_put_str(out,
                     "complete -c orma -n '__fish_seen_subcommand_from list' -a "
                     "'(orma list -q (commandline -opc)[-1] 2>/dev/null)'\n"
                     "complete -c orma -n '__fish_seen_subcommand_from record; and string match -q "
                     "\"*/*\" -- (commandline -ct)' -a '(orma list -q events 2>/dev/null)'\n");
    for (size_t n = 0; tables->page(n, &page); n++) {
        if (strchr(page.program, ' ') || page.command == tables->self)
            continue;
        put_fish_command(out, tables, page.program, "", page.command);
        for (const struct orma_command *c = page.parts; c && c->name; c++)
            put_fish_part(out, tables, page.program, c);
    }
}

bool orma_help_completion_put(const struct orma_help_tables *tables, const char *shell,
                              struct orma_buf *out)
{
    static const struct {
        const char *name;
        void (*put)(const struct orma_help_tables *tables, struct orma_buf *out);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(shells); i++) {
        if (strcmp(shells[i].name, shell))
            continue;
        shells[i].put(tables, out);
        return true;
    }
    return false;
}
