#include "tools/report/options.h"

#include <string.h>

#include "tools/base/inputs.h"

int orma_report_take_top(const struct orma_cli *cli, size_t *ret)
{
    uint64_t num;

    if (!orma_str_to_u64(orma_str_from(cli->value), &num) || num > 1000000000)
        return orma_cli_usage_error(cli, "--top %s: expected a number of rows", cli->value);
    *ret = num;
    return ORMA_EXIT_OK;
}

int orma_report_take_scope(const struct orma_cli *cli, bool all, const char **tree, bool *ret_all)
{
    if (all ? *tree != NULL : *ret_all)
        return orma_cli_usage_error(cli, "--tree and --all exclude each other");
    if (all)
        *ret_all = true;
    else
        *tree = cli->value;
    return ORMA_EXIT_OK;
}

int orma_report_take_section(const struct orma_cli *cli, struct orma_report_names *names)
{
    if (names->num == ORMA_REPORT_NAMES_MAX)
        return orma_cli_usage_error(cli, "too many sections");
    names->names[names->num++] = cli->value;
    return ORMA_EXIT_OK;
}

int orma_report_take_option(const struct orma_cli *cli, int id, struct orma_report_request *request,
                            struct orma_report_names *sections)
{
    switch (id) {
    case ORMA_REPORT_OPT_TOP:
        return orma_report_take_top(cli, &request->top);
    case ORMA_REPORT_OPT_FROM:
        request->from = cli->value;
        break;
    case ORMA_REPORT_OPT_TO:
        request->to = cli->value;
        break;
    case ORMA_REPORT_OPT_PROCESS:
        request->process = cli->value;
        break;
    case ORMA_REPORT_OPT_TREE:
    case ORMA_REPORT_OPT_ALL:
        return orma_report_take_scope(cli, id == ORMA_REPORT_OPT_ALL, &request->tree,
                                      &request->all);
    case ORMA_REPORT_OPT_THREAD:
        request->thread = cli->value;
        break;
    case ORMA_REPORT_OPT_SLICE:
        request->slice = cli->value;
        break;
    case ORMA_REPORT_OPT_JSON:
        request->form = ORMA_REPORT_JSON;
        break;
    case ORMA_REPORT_OPT_CSV:
        request->form = ORMA_REPORT_CSV;
        break;
    case ORMA_REPORT_OPT_SQL:
        request->form = ORMA_REPORT_SQL;
        break;
    case ORMA_REPORT_OPT_GROUP:
        request->group = cli->value;
        if (strcmp(cli->value, "name") != 0 && strcmp(cli->value, "thread") != 0)
            return orma_cli_usage_error(cli, "--group-by %s: expected name or thread", cli->value);
        break;
    case ORMA_REPORT_OPT_CACHE:
        orma_load_cache_set(cli->value);
        break;
    case ORMA_CLI_POSITIONAL:
        if (request->trace)
            orma_inputs_drop(cli->value);
        if (request->trace)
            return orma_report_take_section(cli, sections);
        request->trace = cli->value;
        break;
    default:
        return ORMA_EXIT_USAGE;
    }
    return ORMA_EXIT_OK;
}
