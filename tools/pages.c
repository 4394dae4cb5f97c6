#include "tools/pages.h"

#include "tools/applets.h"
#include "tools/commands.h"
#include "tools/shell/shell.h"

static void fill(struct orma_help_page *page, const char *prefix,
                 const struct orma_command *command)
{
    *page = (struct orma_help_page){.command = command};
    snprintf(page->file, sizeof(page->file), "%s%s%s", prefix, *prefix ? "-" : "", command->name);
    snprintf(page->program, sizeof(page->program), "%s%s%s", prefix, *prefix ? " " : "",
             command->name);
}

static bool get(size_t n, struct orma_help_page *ret)
{
    if (n-- == 0)
        return fill(ret, "", &orma_cmd_self), true;
    for (size_t i = 0; orma_commands[i]; i++) {
        if (n-- == 0)
            return fill(ret, "orma", orma_commands[i]), true;
    }
    for (const struct orma_applet *a = orma_applets; a->command; a++) {
        if (n-- == 0)
            return fill(ret, "", a->command), true;
    }
    if (n != 0)
        return false;
    fill(ret, "", &orma_cmd_shell);
    ret->parts = orma_shell_commands;
    return true;
}

const struct orma_help_tables orma_help_tables = {
    .self = &orma_cmd_self,
    .commands = orma_commands,
    .groups = orma_cmd_groups,
    .help = &orma_cmd_help,
    .page = get,
};
