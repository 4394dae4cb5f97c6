/*
 * The traces of bench_real, made when it starts: recordings of programs and of this machine, as
 * users make them, and JSON files in the shapes that other programs write.
 */
#ifndef ORMA_TESTS_BENCH_REAL_MADE_H
#define ORMA_TESTS_BENCH_REAL_MADE_H
#include <stdbool.h>
#include <stdint.h>

#define REAL_PATH_MAX 512

struct real_made {
    const char *orma, *demo; /* programs */
    const char *folder;
    unsigned iterations, spin_ns; /* of the demo */
};

struct real_trace {
    const char *name; /* "different" ... */
    const char *what;
    /* Writes the file; a reason if it cannot be made here, otherwise NULL. */
    const char *(*make)(const struct real_made *made, const char *path);
    bool json;
    char path[REAL_PATH_MAX];
    uint64_t bytes;
    const char *missing; /* the reason */
};

extern struct real_trace real_traces[];
extern const unsigned real_traces_num;

/* Makes it if it is not there yet; false: it cannot be. */
bool real_trace_make(struct real_trace *self, const struct real_made *made);

/* The threads of a recording, as they are called; REAL_REST: start, end, and the client. */
enum real_thread { REAL_PROBES, REAL_SERVICE, REAL_FILE, REAL_REST, REAL_THREADS };

/* What all of a recording of the kernel's events costs. */
struct real_recording {
    double cpu_s, wall_s; /* of service, probes and client */
    double threads_s[REAL_THREADS];
    char path[REAL_PATH_MAX];
};

/* Records `seconds` of the machine; `compact`: in the compact form. A reason, or NULL. */
const char *real_record_kernel(const struct real_made *made, bool compact, double seconds,
                               struct real_recording *ret);
/* The least: the same events read into memory and forgotten. CPU seconds, and their number. */
const char *real_read_kernel(double seconds, double *ret_cpu_s, uint64_t *ret_events);
/* The pages that real_read_kernel() has read last made into packets: nanoseconds an event. */
double real_translate_kernel(bool compact);

/* Processes that wake each other all the time, until they are stopped. */
void real_load_start(void);
void real_load_stop(void);
#endif
