/*
 * What the user chose to look at (a range of time, threads, processes, slices), checked against the
 * trace, and put into the SQL of a section.
 */
#ifndef ORMA_TOOLS_REPORT_CHOICE_H
#define ORMA_TOOLS_REPORT_CHOICE_H
#include "sdk/base/buf.h"
#include "tools/report/report.h"

/* SQL: the last part of a path, which a program is called by. */
#define ORMA_REPORT_LAST_PART(path)                                                                \
    "substr(" path ", length(rtrim(" path ", replace(" path ", '/', ''))) + 1)"

struct orma_report_choice {
    const struct orma_report_request *request;
    int64_t start_ts, end_ts; /* of the trace */
    int64_t from_ts, to_ts;
    const char *group; /* column of orma_thread_group that rows are grouped by; NULL: by thread */
    bool of_call;      /* the slice that was chosen is a system call, by the name that is printed */
    struct orma_buf threads, processes, owners, slices; /* conditions that begin with AND, or "" */
    /* SQL: the upids whose trees are looked at; "": all. `command`: nobody chose them, but the
     * trace was recorded for this command. Sections without a place for it are then of the machine.
     */
    struct orma_buf roots, command;
    bool untold; /* it was recorded for a command, and does not tell of new processes */
};

/* 0, or with the message printed -EINVAL: a time that is none; -ERANGE: an empty range; -ENOENT:
 * names that match nothing. */
int orma_report_choice_init(struct orma_report_choice *self, struct orma_processor *tp,
                            const struct orma_report_request *request);
void orma_report_choice_fini(struct orma_report_choice *self);

/* A sentence on what is left out because the trace was recorded for a command, or "". */
void orma_report_choice_put_scope(const struct orma_report_choice *self, struct orma_buf *out);

/* The command that the trace was recorded for, in quotes. */
void orma_report_choice_put_command(const struct orma_report_choice *self, struct orma_buf *out);

/* True if the SQL has a place for everything that was chosen. */
bool orma_report_choice_fits(const struct orma_report_choice *self, const char *sql);

/* The SQL with the choice in its places, and one row more than `top` if `probe`. */
void orma_report_choice_put(const struct orma_report_choice *self, const char *sql, bool probe,
                            struct orma_buf *out);
#endif
