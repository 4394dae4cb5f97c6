/*
 * Metrics and trace summaries in the shell: their options, and running them.
 */
#ifndef ORMA_TOOLS_SHELL_METRICS_H
#define ORMA_TOOLS_SHELL_METRICS_H
#include "tools/base/cli.h"

#define ORMA_SHELL_LIST_MAX 32

struct orma_shell;

enum orma_shell_metrics_option {
    ORMA_SHELL_METRICS_FIRST = 200,
    ORMA_SHELL_METRICS_RUN = ORMA_SHELL_METRICS_FIRST,
    ORMA_SHELL_METRICS_PRE,
    ORMA_SHELL_METRICS_OUTPUT,
    ORMA_SHELL_METRICS_EXTENSION,
    ORMA_SHELL_METRICS_POST_QUERY,
    ORMA_SHELL_SUMMARY,
    ORMA_SHELL_SUMMARY_METRICS,
    ORMA_SHELL_SUMMARY_METADATA,
    ORMA_SHELL_SUMMARY_SPEC,
    ORMA_SHELL_SUMMARY_FORMAT,
    ORMA_SHELL_STRUCTURED_ID,
    ORMA_SHELL_METRICS_LAST,
};

struct orma_shell_metrics {
    const char *run;    /* names with commas; NULL: no metrics are wanted */
    const char *pre;    /* SQL to run before */
    const char *format; /* text, binary, json; NULL: text */
    const char *post_query;
    const char *extensions[ORMA_SHELL_LIST_MAX]; /* DISK@VIRTUAL */
    size_t extensions_num;
    bool summary;            /* a trace summary is wanted */
    const char *summary_ids; /* all, or ids with commas; NULL: no metrics */
    const char *metadata;    /* id of a query */
    const char *summary_format;
    const char *specs[ORMA_SHELL_LIST_MAX];
    size_t specs_num;
    const char *query_id; /* a structured query whose rows are printed */
};

/* Reads the extensions. An exit code. */
int orma_shell_add_extensions(struct orma_shell *self);

/* Computes and, if `print`, prints. An exit code. */
int orma_shell_compute_metrics(struct orma_shell *self, bool print);

extern const struct orma_option orma_shell_metrics_options[];

/* The same for summaries: shell_summary.c */
int orma_shell_summarize(struct orma_shell *self, bool show);
int orma_shell_structured_query(struct orma_shell *self);
extern const struct orma_option orma_shell_summary_options[];

/* Runs the SQL in a file and prints its rows. An exit code. */
int orma_shell_run_file(struct orma_shell *self, const char *path);
#endif
