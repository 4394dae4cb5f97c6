/*
 * Writes trace files: for tools that have events and want them looked at. No
 * service, no thread, no clock: every time is given. This header and
 * orma_tracefile.c are all there is; they need the C library only.
 *
 *     #include "orma_tracefile.h"
 *
 *     int main(void)
 *     {
 *         struct orma_tracefile *f;
 *
 *         if (orma_tracefile_open("out.pftrace", &f) < 0)
 *             return 1;
 *         uint64_t thread = orma_tracefile_thread(f, 100, 101, "worker");
 *         uint64_t queue = orma_tracefile_counter(f, thread, "queue", NULL);
 *
 *         orma_tracefile_begin(f, thread, 1000, "parse");
 *         orma_tracefile_value(f, queue, 1200, 3);
 *         orma_tracefile_end(f, thread, 1500);
 *         return orma_tracefile_close(f) < 0;
 *     }
 *
 * Events go onto tracks. On one track slices nest: what begins last ends first.
 * Slices that overlap otherwise need tracks of their own; siblings of one name
 * are shown as one. Times are in ns, on one clock for the whole file (see
 * orma_tracefile_clocks()), and may come in any order.
 *
 * Nothing is checked at each call: the first failure (memory, or the file)
 * stays, later calls do nothing, and flush and close return it.
 *
 * Texts are copied; names are written once and then referred to by number.
 * Threads: one at a time per file. C99 and later, C++11 and later.
 */
#ifndef ORMA_TRACEFILE_H
#define ORMA_TRACEFILE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct orma_tracefile;

/* ---- files ---- */

/* Replaces the file; readers of the old one keep it. 0; -errno; -ENOMEM. */
int orma_tracefile_open(const char *path, struct orma_tracefile **ret);

/* Takes a piece of the file; whole packets, in order. 0, or -errno, which ends it. */
typedef int (*orma_tracefile_write_fn)(void *ctx, const void *data, size_t len);

/* The same, but the bytes go to `write`. 0; -ENOMEM. */
int orma_tracefile_open_with(orma_tracefile_write_fn write, void *ctx, struct orma_tracefile **ret);

/* Everything so far is in the file. 0, or the first error. */
int orma_tracefile_flush(struct orma_tracefile *file);

/* The same, and frees it. NULL is fine. */
int orma_tracefile_close(struct orma_tracefile *file);

/* ---- tracks: each call describes one, and gives its number ---- */

/* A process, and slices of it that are on no thread. */
uint64_t orma_tracefile_process(struct orma_tracefile *file, int32_t pid, const char *name);
/* A thread of a process. `name` may be NULL. */
uint64_t orma_tracefile_thread(struct orma_tracefile *file, int32_t pid, int32_t tid,
                               const char *name);
/* A child of the track `parent`; 0: of nothing. Twice the same name: two tracks. */
uint64_t orma_tracefile_track(struct orma_tracefile *file, uint64_t parent, const char *name);
/* Values instead of slices. `unit` may be NULL. */
uint64_t orma_tracefile_counter(struct orma_tracefile *file, uint64_t parent, const char *name,
                                const char *unit);

enum orma_tracefile_kind {
    ORMA_TRACEFILE_PLAIN,
    ORMA_TRACEFILE_PROCESS, /* pid, process_name */
    ORMA_TRACEFILE_THREAD,  /* pid, tid, thread_name */
    ORMA_TRACEFILE_COUNTER
};

/* How the children of a track are to be shown. */
enum orma_tracefile_order {
    ORMA_TRACEFILE_AS_THEY_COME,
    ORMA_TRACEFILE_BY_NAME,
    ORMA_TRACEFILE_BY_TIME, /* of their first event */
    ORMA_TRACEFILE_BY_RANK
};

/* Properties of a track. Start with {0}; what is 0 or NULL is left out. */
struct orma_tracefile_desc {
    uint64_t uuid;     /* 0: one is made; else unique in the file, or the same track again */
    uint64_t parent;   /* 0: none */
    const char *name;  /* of the track */
    uint32_t kind;     /* enum orma_tracefile_kind */
    uint32_t children; /* enum orma_tracefile_order */
    int32_t rank;      /* among siblings whose parent orders by rank */
    uint32_t never_merge;
    int32_t pid, tid;
    const char *process_name, *thread_name;
    /* ORMA_TRACEFILE_COUNTER: */
    const char *unit;
    int64_t multiplier;   /* of the values */
    uint32_t incremental; /* each value is the difference to the last */
};
uint64_t orma_tracefile_describe(struct orma_tracefile *file,
                                 const struct orma_tracefile_desc *desc);

/* ---- events ---- */

void orma_tracefile_begin(struct orma_tracefile *file, uint64_t track, uint64_t ts,
                          const char *name);
/* Of the innermost slice on the track. */
void orma_tracefile_end(struct orma_tracefile *file, uint64_t track, uint64_t ts);
/* Both; they are two packets. */
void orma_tracefile_slice(struct orma_tracefile *file, uint64_t track, uint64_t ts, uint64_t dur,
                          const char *name);
/* `name` may be NULL. */
void orma_tracefile_instant(struct orma_tracefile *file, uint64_t track, uint64_t ts,
                            const char *name);
void orma_tracefile_value(struct orma_tracefile *file, uint64_t track, uint64_t ts, int64_t val);
void orma_tracefile_value_double(struct orma_tracefile *file, uint64_t track, uint64_t ts,
                                 double val);

/*
 * An event with more to it: between event() and event_end(), any of the calls below.
 *
 *     orma_tracefile_event(f, ORMA_TRACEFILE_BEGIN, track, 200, "request");
 *     orma_tracefile_flow(f, 17);
 *     orma_tracefile_arg_str(f, "url", "/index");
 *     orma_tracefile_event_end(f);
 */
enum orma_tracefile_type { ORMA_TRACEFILE_BEGIN = 1, ORMA_TRACEFILE_END, ORMA_TRACEFILE_INSTANT };
/* `name` NULL is none; an end has none. */
void orma_tracefile_event(struct orma_tracefile *file, enum orma_tracefile_type type,
                          uint64_t track, uint64_t ts, const char *name);
void orma_tracefile_event_end(struct orma_tracefile *file);

void orma_tracefile_category(struct orma_tracefile *file, const char *name);
/* Events with one id are joined by arrows in the order of time; the end closes it. */
void orma_tracefile_flow(struct orma_tracefile *file, uint64_t id);
void orma_tracefile_flow_end(struct orma_tracefile *file, uint64_t id);
/* Slices of one id belong together, wherever they are. */
void orma_tracefile_correlation(struct orma_tracefile *file, uint64_t id);

/* Arguments. `key` is not looked at inside an array. */
void orma_tracefile_arg_bool(struct orma_tracefile *file, const char *key, int val);
void orma_tracefile_arg_int(struct orma_tracefile *file, const char *key, int64_t val);
void orma_tracefile_arg_uint(struct orma_tracefile *file, const char *key, uint64_t val);
void orma_tracefile_arg_double(struct orma_tracefile *file, const char *key, double val);
void orma_tracefile_arg_pointer(struct orma_tracefile *file, const char *key, uint64_t val);
void orma_tracefile_arg_str(struct orma_tracefile *file, const char *key, const char *val);
/* What follows is inside, until the matching close. At most 16 deep. */
void orma_tracefile_arg_dict(struct orma_tracefile *file, const char *key);
void orma_tracefile_arg_array(struct orma_tracefile *file, const char *key);
void orma_tracefile_arg_close(struct orma_tracefile *file);

/* ---- the rest ---- */

/*
 * Readings of several clocks at one moment, by their numbers: 1 realtime, 3 monotonic, 6 boottime,
 * from 128 on your own. The first is that of the file's times (without any: boottime).
 */
void orma_tracefile_clocks(struct orma_tracefile *file, const uint32_t *ids,
                           const uint64_t *readings, size_t num);

/* A TracePacket that is encoded already. Its texts by number are its own affair. */
void orma_tracefile_packet(struct orma_tracefile *file, const void *packet, size_t len);

#ifdef __cplusplus
}
#endif
#endif
