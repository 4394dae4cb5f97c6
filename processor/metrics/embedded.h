/* The files of sql/: made into a table by tools/embed_sql.py. */
#ifndef ORMA_PROCESSOR_METRICS_EMBEDDED_H
#define ORMA_PROCESSOR_METRICS_EMBEDDED_H
struct orma_metrics_file {
    const char *path; /* NULL ends the table */
    const char *text;
};

extern const struct orma_metrics_file orma_metrics_files[];
#endif
