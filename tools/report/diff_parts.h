/*
 * The parts of `orma diff` (diff.h): what is compared (diff_sections.c), what two traces say of it
 * (diff_read.c), what of that is more than noise (diff_judge.c), and how it is told (diff_print.c);
 * diff.c puts them together and checks limits.
 */
#ifndef ORMA_TOOLS_REPORT_DIFF_PARTS_H
#define ORMA_TOOLS_REPORT_DIFF_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/vec.h"
#include "tools/report/choice.h"
#include "tools/report/diff.h"
#include "tools/report/noise.h"
#include "tools/report/notes.h"

#define ORMA_DIFF_SECTIONS 9
/* Two recordings of the same differ by that much in all of their blocks: other places in memory,
 * another clock of the CPU. */
#define ORMA_DIFF_BETWEEN_RECORDINGS 0.025
/* A run of a program beside another one, where there are few. */
#define ORMA_DIFF_FEW_RUNS_NOISE 0.25

/* What can be compared of a name. */
enum orma_diff_metric { ORMA_DIFF_TOTAL, ORMA_DIFF_MEAN, ORMA_DIFF_MEDIAN, ORMA_DIFF_METRICS };

/* A section is a query for items (name, ts, dur). */
struct orma_diff_section {
    const char *name, *kind, *question;
    const char *module, *items; /* what is selected of modules orma.* */
    unsigned metrics;           /* bits: 1 << enum orma_diff_metric */
    bool counts;         /* what is summed up are samples, no times; see enum orma_diff_samples */
    bool common;         /* names can share a change: all get slower with the machine */
    bool of_wall;        /* sums are a part of the time that passes, not of work */
    bool of_runs;        /* items are whole processes: compared by run, not by second */
    const char *of_run;  /* the question where samples are of whole runs */
    const char *of_time; /* and where they say which time they stand for */
    const char *whole;   /* kind of the section that compares the same by run; or NULL */
    const char *unknown; /* sums lack times of these states without an end; or NULL */
    unsigned basis;      /* enum orma_report_basis */
};

extern const struct orma_diff_section orma_diff_sections[ORMA_DIFF_SECTIONS];
extern const char *const orma_diff_metric_names[ORMA_DIFF_METRICS];

/* How samples are compared if both traces are of commands from begin to end: by what they stand
 * for, and not by second. */
enum orma_diff_samples { ORMA_DIFF_BY_SECOND, ORMA_DIFF_BY_TIME, ORMA_DIFF_BY_EVENTS };

struct orma_diff_sums {
    double n, total, median, p99, blocks;
    double unknown; /* by which the total may be too low, per second; of runs: the mean */
};

struct orma_diff_change {
    const struct orma_diff_section *section;
    char *name;
    struct orma_diff_sums side[2];
    struct orma_report_noise_pair value[ORMA_DIFF_METRICS]; /* of sums: per second */
    struct orma_report_noise_pair *self; /* the same of times without children; or NULL */
    bool listed;
    enum orma_diff_metric metric; /* that the change is told by */
    double part;                  /* of it; INFINITY: it was not there */
    double noise;                 /* what of it could be noise, as a part */
    double more;                  /* what it makes of the sum, per second */
};

struct orma_diff {
    const struct orma_report_diff_request *request;
    ORMA_VEC(struct orma_diff_change) changes;
    int64_t from_ts[2], to_ts[2];
    double seconds[2];
    char *processes[2]; /* what --process chooses, of each trace; or NULL */
    bool paired;        /* nobody chose them: the traces were recorded for these programs */
    enum orma_diff_samples samples;
    bool timed;          /* each sample, of both traces, says which time it stands for */
    double period_ns[2]; /* of samples; NAN if they do not stand for time */
    double others;       /* the part of the CPUs that others had, in the trace where it was more */
    double common[ORMA_DIFF_SECTIONS];    /* the part by which all durations changed; or 0 */
    struct orma_report_request ranges[2]; /* what was chosen, of each trace */
    struct orma_report_choice choices[2];
    struct orma_report_notes notes[2];
    unsigned tests[ORMA_DIFF_SECTIONS], sections, all_tests;
    FILE *out;
};

/* Was this section asked for? `ctx` is a struct orma_diff. */
bool orma_diff_is_wanted(const void *ctx, const char *name);

/* Is one program called differently in the second trace? Its changes have the first name. */
bool orma_diff_has_two_names(const struct orma_diff *d);

/* Who asks for what, and their rows of each trace. */
int orma_diff_read(struct orma_diff *d);

/* Are these samples of whole runs? */
bool orma_diff_is_run_of_samples(const struct orma_diff *d, const struct orma_diff_section *s);
/* Is it time that is summed up there? */
bool orma_diff_is_time_of_samples(const struct orma_diff *d, const struct orma_diff_section *s);

/* Can noise be told of this number at all? */
bool orma_diff_can_test(const struct orma_diff *d, const struct orma_diff_change *c,
                        enum orma_diff_metric m);

/* Which changes are listed, with what they explain. */
int orma_diff_judge(struct orma_diff *d);

/* To stderr: what else a reader must know. */
void orma_diff_print_notes(struct orma_diff *d);

int orma_diff_print(struct orma_diff *d);

#endif
