/*
 * What `orma report`, `why` and `diff` have in common on their command lines.
 */
#ifndef ORMA_TOOLS_REPORT_OPTIONS_H
#define ORMA_TOOLS_REPORT_OPTIONS_H
#include "tools/base/cli.h"
#include "tools/load/cache.h"
#include "tools/report/report.h"

#define ORMA_REPORT_NAMES_MAX 64
#define ORMA_REPORT_FORMS "json csv sql html" /* one of them says what comes out */

/* Ids below those of a command's own options. */
enum {
    ORMA_REPORT_OPT_TOP = 1,
    ORMA_REPORT_OPT_FROM,
    ORMA_REPORT_OPT_TO,
    ORMA_REPORT_OPT_PROCESS,
    ORMA_REPORT_OPT_THREAD,
    ORMA_REPORT_OPT_SLICE,
    ORMA_REPORT_OPT_JSON,
    ORMA_REPORT_OPT_CSV,
    ORMA_REPORT_OPT_SQL,
    ORMA_REPORT_OPT_CACHE,
    ORMA_REPORT_OPT_GROUP,
    ORMA_REPORT_OPT_TREE,
    ORMA_REPORT_OPT_ALL,
    ORMA_REPORT_OPT_OWN
};

/* Entries of struct orma_option that read the same in all. */
#define ORMA_REPORT_GROUP_OPTION                                                                   \
    {                                                                                              \
        ORMA_REPORT_OPT_GROUP, 0, "group-by", "name|thread",                                       \
            "One row per thread name, or one per thread. Default: one per thread, but ended "      \
            "threads of the same name share a row if there are five or more of them (and not "     \
            "with --top 0)."                                                                       \
    }
#define ORMA_REPORT_RANGE_OPTIONS                                                                  \
    {ORMA_REPORT_OPT_FROM, 0, "from", "TIME",                                                      \
     "Start at this time: since the start of the trace (1.5s, 300ms), or a timestamp as in the "   \
     "tables."},                                                                                   \
    {                                                                                              \
        ORMA_REPORT_OPT_TO, 0, "to", "TIME", "End at this time."                                   \
    }
#define ORMA_REPORT_TREE_OPTION_AS(of_tree)                                                        \
    {                                                                                              \
        of_tree, 0, "tree", "NAME|PID", "Show only this process and what it started."              \
    }
#define ORMA_REPORT_TREE_OPTION ORMA_REPORT_TREE_OPTION_AS(ORMA_REPORT_OPT_TREE)
#define ORMA_REPORT_TREE_OPTIONS_AS(of_tree, of_all)                                               \
    ORMA_REPORT_TREE_OPTION_AS(of_tree),                                                           \
    {                                                                                              \
        of_all, 0, "all", NULL,                                                                    \
            "Show the whole machine. By default, a trace that was recorded for a command (orma "   \
            "record -- COMMAND) shows only that command and what it started."                      \
    }
#define ORMA_REPORT_TREE_OPTIONS                                                                   \
    ORMA_REPORT_TREE_OPTIONS_AS(ORMA_REPORT_OPT_TREE, ORMA_REPORT_OPT_ALL)
#define ORMA_REPORT_FILTER_OPTIONS                                                                 \
    {ORMA_REPORT_OPT_PROCESS, 'p', "process", "NAME|PID",                                          \
     "Show only this process; NAME may be a pattern: 'post*'."},                                   \
        {ORMA_REPORT_OPT_THREAD, 't', "thread", "NAME|TID",                                        \
         "Show only this thread, or those that match."},                                           \
    {                                                                                              \
        ORMA_REPORT_OPT_SLICE, 's', "slice", "NAME|ID",                                            \
            "Show only this slice, or those that match."                                           \
    }
#define ORMA_REPORT_FORM_OPTIONS                                                                   \
    {ORMA_REPORT_OPT_JSON, 0, "json", NULL,                                                        \
     "Print one JSON object, with times in ns and the SQL of each section."},                      \
    {                                                                                              \
        ORMA_REPORT_OPT_CSV, 0, "csv", NULL,                                                       \
            "Print CSV (RFC 4180), one table per section, separated by empty lines."               \
    }

/* A list of names from the command line, ended by NULL. */
struct orma_report_names {
    const char *names[ORMA_REPORT_NAMES_MAX + 1];
    size_t num;
};

/* Exit codes, as orma_cli_next()'s users return them; messages are printed. */
int orma_report_take_top(const struct orma_cli *cli, size_t *ret);
int orma_report_take_scope(const struct orma_cli *cli, bool all, const char **tree, bool *ret_all);
int orma_report_take_section(const struct orma_cli *cli, struct orma_report_names *names);
/* Any of the options above; the first argument is the trace, the others are sections. */
int orma_report_take_option(const struct orma_cli *cli, int id, struct orma_report_request *request,
                            struct orma_report_names *sections);
#endif
