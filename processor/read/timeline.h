/*
 * The timeline: clocks of all machines and files, and the one that the trace is told by.
 *
 * A clock is a number of a machine, and sometimes of a file: the graph of clock.h holds all of
 * them. A view is what one file sees of one machine:
 *
 *   first file of a machine      its clocks are the machine's
 *   a later one                  too, until it brings snapshots; then its clocks are its own
 *   clocks of sequences, and
 *   the clock without a name     always the file's
 *
 * The first file that says so settles the clock of the trace. Packets that name no clock are of the
 * one that their file's last snapshot told times by, even where another is the trace's; without any
 * they are of BOOTTIME. As long as no one has settled the clock, and where it is the one without a
 * name, they are taken as they are. When a view's times are first converted, its source clock (that
 * of times that name none) is tied to the clock of the trace if nothing ties the two so far: by the
 * wall clocks of both machines where they are known, else as equal if that makes sense (connect()).
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_READ_TIMELINE_H
#define ORMA_PROCESSOR_READ_TIMELINE_H
#include "processor/read/clock.h"
#include "processor/store/storage.h"

struct orma_clock_view {
    uint32_t file; /* row */
    uint16_t machine;
    uint16_t base;       /* machine of the file's first view: the clock without a name is of it */
    uint32_t same_id;    /* the number of the clock that is the trace's; 0: none is */
    uint32_t default_id; /* of packets that name no clock */
    uint32_t primary;    /* that its last snapshot told times by; 0: none did */
    uint32_t source;     /* the number of the clock of times that name none; 0: there are none */
    bool first;          /* of the machine */
    bool synced;         /* with the machine of the trace, by readings of both */
    bool own;            /* its clocks are not the machine's */
    bool connected, warned;
    int64_t slewed_until; /* our clock, up to which ties were spread over time */
    int64_t shared;       /* conversions by the machine's clocks that another file brought */
};

struct orma_timeline_hooks {
    void *data;
    /* The clock of the trace was settled. */
    void (*settled)(void *data, uint32_t clock);
    /* Clocks (full keys) were tied by other means than a snapshot. */
    void (*tied)(void *data, const struct orma_clock_value *values, uint32_t num);
    /* Nothing relates these two. */
    void (*unrelatable)(void *data, uint16_t machine, uint32_t source, uint32_t target);
    /* A file brings snapshots, but `num` of its times were converted without. */
    void (*mixed)(void *data, uint16_t machine, int64_t num);
    /* NULL: not told. By a later file's snapshots, the wall clock of a machine is so much later
     * than by the first one's, at equal times of BOOTTIME. */
    void (*restarted)(void *data, uint16_t machine, int64_t later_ns);
    /* NULL: not told. Nothing relates the clock of a file (its number) to that of the trace: they
     * are taken to be one. */
    void (*assumed)(void *data, uint16_t machine, uint32_t source);
};

struct orma_timeline {
    struct orma_timeline_hooks hooks;
    struct orma_clocks clocks;
    struct orma_clock_view **views;
    uint32_t views_num, views_cap;
    struct orma_map by_file; /* file << 8 | machine → view */
    bool machine_seen[ORMA_MACHINES_MAX];
    uint64_t trace_clock; /* full key */
    bool claimed, used;   /* used: times were converted to it */
    bool used_plain;      /* before it was claimed, times were taken as they are */
    uint32_t owner;       /* the file that claimed it */
    uint32_t epoch;       /* changes with every snapshot */
    bool failed;          /* memory was out */
};

#define ORMA_TIMELINE_NOBODY UINT32_MAX

void orma_timeline_init(struct orma_timeline *self, const struct orma_timeline_hooks *hooks);
void orma_timeline_fini(struct orma_timeline *self);

/* The view, made if it is new; it stays where it is. NULL when memory is out. */
struct orma_clock_view *orma_timeline_view(struct orma_timeline *self, uint32_t file,
                                           uint16_t machine);

/* The full key of a clock (orma_clock_key()) as the view sees it. */
uint64_t orma_timeline_key(const struct orma_clock_view *view, uint64_t clock);

/* A file asks for its clock (full key) to be the trace's. False: too late. */
bool orma_timeline_claim(struct orma_timeline *self, uint32_t file, uint64_t key);

/* A snapshot says by which clock (its number) the view's times are told that name none. */
void orma_timeline_tell(struct orma_timeline *self, struct orma_clock_view *view, uint32_t clock);

/* A snapshot of a view; false: refused. Then nothing changed. */
bool orma_timeline_add(struct orma_timeline *self, struct orma_clock_view *view,
                       const struct orma_clock_value *values, uint32_t num);

/* Two clocks (full keys) show these values at one time. */
void orma_timeline_tie(struct orma_timeline *self, uint64_t a, int64_t a_ns, uint64_t b,
                       int64_t b_ns);

/* The same, if these two are tied already: from the first time to the second they come evenly from
 * where they are to where they are to be. */
void orma_timeline_tie_evenly(struct orma_timeline *self, uint64_t a, const int64_t a_ns[2],
                              uint64_t b, const int64_t b_ns[2]);

/* The clocks of a view were tied to those of the trace's machine. */
void orma_timeline_sync(struct orma_timeline *self, struct orma_clock_view *view);

/* To be called before a clock of the view is looked at: settles what is still open. */
void orma_timeline_use(struct orma_timeline *self, struct orma_clock_view *view);

/* To the clock of the trace; peek: by a full key, settles nothing. ret_span may be NULL. */
enum orma_clock_result orma_timeline_convert(struct orma_timeline *self,
                                             struct orma_clock_view *view, uint64_t clock,
                                             int64_t ns, int64_t *ret,
                                             struct orma_clock_span *ret_span);
enum orma_clock_result orma_timeline_peek(struct orma_timeline *self, uint64_t key, int64_t ns,
                                          int64_t *ret);

/* Notes that times were taken as they are, which settles the clock if somebody named one. */
static inline void orma_timeline_took(struct orma_timeline *self)
{
    self->used |= self->claimed;
    self->used_plain |= !self->claimed;
}
#endif
