/*
 * Tracefs: reading and writing the control files of one tracing instance of
 * the kernel, or of a tree of ordinary files that looks like one.
 *
 * Two directories: `dir_fd` is the instance (buffers, events, options),
 * `top_fd` is the root of tracefs (dynamic events, printk_formats). For the
 * top-level instance they are the same place.
 */
#ifndef ORMA_PROBES_KERNEL_TRACEFS_H
#define ORMA_PROBES_KERNEL_TRACEFS_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/ftrace/page.h"

#define ORMA_TRACEFS_FILE_MAX (64u * 1024 * 1024)
#define ORMA_TRACEFS_CPUS_MAX 4096

struct orma_tracefs {
    char *path; /* of the instance */
    int dir_fd;
    int top_fd;
    bool is_top;
};

/* per_cpu/cpuN/stats */
struct orma_tracefs_cpu_stats {
    uint64_t entries, overrun, commit_overrun, bytes, dropped, read_events;
    double oldest_ts, now_ts; /* seconds */
};

/*
 * The root of tracefs: `root`, or if NULL the first usual place that has it.
 * -ENOENT: not mounted; -EACCES. *ret is from malloc.
 */
int orma_tracefs_find(const char *root, char **ret);

/* `instance` NULL or "": the top level; it must exist otherwise. -errno. */
int orma_tracefs_open(struct orma_tracefs *self, const char *root, const char *instance);
/* The kernel's, not a tree of ordinary files. */
bool orma_tracefs_is_real(const struct orma_tracefs *self);
void orma_tracefs_close(struct orma_tracefs *self);

/* Whole file, in `ret` (cleared before). 0 or -errno. */
int orma_tracefs_read(const struct orma_tracefs *self, const char *file, struct orma_buf *ret);
int orma_tracefs_read_top(const struct orma_tracefs *self, const char *file, struct orma_buf *ret);

/* Trimmed first line; false if the file cannot be read. */
bool orma_tracefs_line(const struct orma_tracefs *self, const char *file, struct orma_buf *ret);
/* Number at the beginning of the file. */
bool orma_tracefs_number(const struct orma_tracefs *self, const char *file, uint64_t *ret);

int orma_tracefs_write(const struct orma_tracefs *self, const char *file, const char *text);
/* For files that hold lists, to which a plain write would add: this is all they hold then. */
int orma_tracefs_replace(const struct orma_tracefs *self, const char *file, const char *text);
/* The same for many entries, one a line; "": none. The first failure; the others are still written.
 */
int orma_tracefs_replace_list(const struct orma_tracefs *self, const char *file,
                              struct orma_str lines);
/* Adds to files that hold lists; what is in them stays. */
int orma_tracefs_append(const struct orma_tracefs *self, const char *file, const char *text);
int orma_tracefs_append_top(const struct orma_tracefs *self, const char *file, const char *text);
bool orma_tracefs_has(const struct orma_tracefs *self, const char *file);
bool orma_tracefs_has_top(const struct orma_tracefs *self, const char *file);

/* Throws the ring's content away. */
int orma_tracefs_clear(const struct orma_tracefs *self);

/* Numbers of the cpus that have a ring, ascending; in `ret`, at most `max`. Returns how many. */
unsigned orma_tracefs_cpus(const struct orma_tracefs *self, uint32_t *ret, unsigned max);

/* The bracketed word of trace_clock or the like; "" if there is none. */
void orma_tracefs_choice(struct orma_str text, struct orma_buf *ret);

int orma_tracefs_cpu_stats(const struct orma_tracefs *self, uint32_t cpu,
                           struct orma_tracefs_cpu_stats *ret);

/* Missing or strange: that of 64-bit kernels. */
void orma_tracefs_page_layout(const struct orma_tracefs *self,
                              struct orma_tracefs_page_layout *ret);
/* For tests: the same from text. */
bool orma_tracefs_parse_header_page(struct orma_str text, struct orma_tracefs_page_layout *ret);
bool orma_tracefs_parse_cpu_stats(struct orma_str text, struct orma_tracefs_cpu_stats *ret);
#endif
