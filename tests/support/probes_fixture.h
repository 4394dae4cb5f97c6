/*
 * For tests: data sources without a service. Packets go to a list, timers run
 * on a loop of the fixture's own, trees of files stand for tracefs and /proc.
 */
#ifndef ORMA_TESTS_SUPPORT_PROBES_FIXTURE_H
#define ORMA_TESTS_SUPPORT_PROBES_FIXTURE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/core/source.h"
#include "sdk/base/str.h"

#define PF_PACKETS_MAX 100000

struct pf {
    struct orma_source_env env;
    struct orma_source_sink sink;
    struct orma_str *packets; /* each from malloc */
    size_t packets_num;
    unsigned flushes;
    uint64_t flushed_id;
    bool stopped;
    char dir[64]; /* scratch, removed at the end */
};

void pf_init(struct pf *self);
void pf_fini(struct pf *self);

/* Makes and registers a source; NULL if it refused. Freed by pf_free_source(). */
struct orma_source *pf_source(struct pf *self, const struct orma_source_type *type,
                              Perfetto__Protos__DataSourceConfig *config);
void pf_free_source(struct pf *self, struct orma_source *source);

/* Runs the loop until `done` says so, or for that long. Gives what `done` said last. */
bool pf_run(struct pf *self, bool (*done)(struct pf *self), unsigned max_ms);

/* Removes what came so far. */
void pf_forget_packets(struct pf *self);

/* A file below the scratch directory, folders made as needed. */
void pf_file(struct pf *self, const char *path, const char *text);
void pf_bytes(struct pf *self, const char *path, const void *data, size_t len);
void pf_dir(struct pf *self, const char *path);
void pf_link(struct pf *self, const char *path, const char *target);
/* Its content, trimmed; valid until the next call. "" if there is none. */
const char *pf_read(struct pf *self, const char *path);
/* "DIR/path"; valid until the next call but one. */
const char *pf_path(struct pf *self, const char *path);
#endif
